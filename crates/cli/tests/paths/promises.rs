//! Every promise about an attribute beside a path, through the command: released, verified, attacked, refused.

use crate::support;

use serde_json::Value;
use support::paths::policy;
use support::{json, write};

/// Ninety people at three places over three hours; how they fare goes along with where they are.
fn people() -> String {
    let mut text = String::from("path,status\n");
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for person in 0..90 {
        let mut path = Vec::new();
        for hour in 1..=3 {
            if draw(4) > 0 {
                path.push(format!("{}{hour}", ["a", "b", "c"][draw(3) as usize]));
            }
        }
        // Whoever begins at c fares alike.
        let alike = path.first().is_some_and(|first| first == "c1") && draw(3) > 0;
        let status = if alike {
            9
        } else {
            [1, 2, 4, 9][(person + draw(2)) as usize % 4]
        };
        text.push_str(&format!("{},{status}\n", path.join(">")));
    }
    text
}

/// A promise that can be kept by hiding something, and one that the whole table breaks.
const PROMISES: [(&str, &str); 12] = [
    (
        "l-diversity = { kind = \"entropy\", l = 3 }",
        "l-diversity = { kind = \"entropy\", l = 4 }",
    ),
    (
        "l-diversity = { kind = \"distinct\", l = 4 }",
        "l-diversity = 5",
    ),
    (
        "l-diversity = { kind = \"recursive\", c = 2, l = 2 }",
        "l-diversity = { kind = \"recursive\", c = 0.2, l = 2 }",
    ),
    ("t-closeness = { t = 0.2 }", ""),
    ("t-closeness = { t = 0.15, distance = \"ordered\" }", ""),
    (
        "alpha-k-anonymity = { alpha = 0.5, k = 4 }",
        "alpha-k-anonymity = { alpha = 0.2, k = 4 }",
    ),
    (
        "xy-privacy = { values = [\"9\"], at-most = 0.5, k = 4 }",
        "xy-privacy = { values = [\"9\"], at-most = 0.1, k = 4 }",
    ),
    (
        "confidence = { values = [\"9\"], at-most = 0.5 }",
        "confidence = { values = [\"9\"], at-most = 0.1 }",
    ),
    ("beta-likeness = { beta = 0.5, kind = \"basic\" }", ""),
    ("delta-disclosure = { delta = 1.2 }", ""),
    (
        "k-e-anonymity = { k = 3, e = 8 }",
        "k-e-anonymity = { k = 3, e = 9 }",
    ),
    (
        "epsilon-m-anonymity = { epsilon = 1, m = 2 }",
        "epsilon-m-anonymity = { epsilon = 8, m = 2 }",
    ),
];

fn asked(promise: &str, matching: &str, algorithm: &str) -> String {
    let end = format!("algorithm = \"{algorithm}\"");
    let text = policy("people.csv", 2, 2, promise, matching, &end);
    format!("{text}\n[attributes]\nstatus = \"sensitive\"\n")
}

#[test]
fn every_promise_on_paths_is_released_verified_attacked_and_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "people.csv", people());
    let mut lost = 0;
    for (kept, broken) in PROMISES {
        for (matching, algorithm) in [
            ("covers", "global-suppression"),
            ("covers", "local-suppression"),
            ("consistent", "auto"),
        ] {
            write(at, "policy.toml", asked(kept, matching, algorithm));
            let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out", "--force"]);
            assert_eq!(code, 0, "{kept} {matching} {algorithm}: {found}");
            assert_eq!(found["claims"].as_array().map(Vec::len), Some(2));
            assert_eq!(found["claims"][1]["holds"], true, "{kept}");
            lost += found["lost_doublets"].as_u64().expect("a number");

            let (code, checked) = json(at, &["verify", "out/release"]);
            assert_eq!(code, 0, "{kept} {matching}: {checked}");
            let word = if matching == "covers" {
                Value::from(true)
            } else {
                Value::Null
            };
            assert_eq!(checked["claims"][1]["holds"], word, "{kept}");
            let (code, _) = json(at, &["attack", "paths", "out", "--raw", "people.csv"]);
            assert_eq!(code, 0, "{kept}");
        }
        // The source itself breaks what suppression had to mend, and no suppression mends the whole table.
        if !broken.is_empty() {
            write(
                at,
                "policy.toml",
                asked(broken, "covers", "global-suppression"),
            );
            let (code, refused) = json(at, &["anonymize", "policy.toml", "-o", "never"]);
            assert_eq!(
                (code, &refused["status"]),
                (1, &"refused".into()),
                "{broken}"
            );
            assert!(!at.join("never").exists());
        }
    }
    assert!(lost > 100, "{lost}");
}

/// t, beta and delta are judged against all source records; whoever changes that reference is found out.
#[test]
fn the_certificate_carries_the_reference_that_verify_uses() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "people.csv", people());
    write(
        at,
        "policy.toml",
        asked("t-closeness = { t = 0.2 }", "covers", "global-suppression"),
    );
    assert_eq!(json(at, &["anonymize", "policy.toml", "-o", "out"]).0, 0);
    let file = at.join("out/release/certificate.json");
    let text = std::fs::read_to_string(&file).expect("a certificate");
    let mut certificate: Value = serde_json::from_str(&text).expect("JSON");
    let reference = certificate["sensitive"][0]["reference"].clone();
    let total: u64 = reference
        .as_array()
        .expect("a reference")
        .iter()
        .map(|pair| pair[1].as_u64().expect("a count"))
        .sum();
    assert_eq!(total, 90);
    certificate["sensitive"][0]["reference"][0][1] = 1.into();
    std::fs::write(&file, certificate.to_string()).expect("written");
    let (code, _) = json(at, &["verify", "out/release"]);
    assert_eq!(code, 1, "a reference that lacks people is no reference");
}

/// What has no meaning beside a path is named, with what has.
#[test]
fn a_promise_that_paths_cannot_keep_is_refused_with_those_they_can() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "people.csv", people());
    for promise in [
        "k-map = { k = 5, population = \"people.csv\" }",
        "t-closeness = { t = 0.2, distance = \"hierarchical\" }",
        "l-diversity = { l = 2, quasi = [\"status\"] }",
    ] {
        write(at, "policy.toml", asked(promise, "covers", "auto"));
        let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
        assert_eq!(code, 2, "{promise}: {found}");
    }
}
