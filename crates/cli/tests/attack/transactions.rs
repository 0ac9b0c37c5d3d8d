//! Attacks on transactions through the binary: inside `anonymize`, alone, within what was promised, and beyond it.

use crate::support;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::baskets::{BASKETS, POLICY, Sets, TAXONOMY, anonymized, sets, wide};
use support::{attack, empty, json as run_json, list, run, write};

fn rate(entry: &Value, key: &str) -> f64 {
    entry[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {entry}"))
}

fn near(value: f64, wanted: f64) -> bool {
    (value - wanted).abs() < 1e-12
}

/// The items of `set` that are not sensitive.
fn public(set: &BTreeSet<String>) -> Vec<&String> {
    set.iter().filter(|item| *item != "test").collect()
}

/// The mean chance of picking the right one of the published records that show what is known of each person, by the words of
/// the definition: up to two public items of the source, those that are published nowhere left out.
fn linked(source: &Sets, release: &Sets) -> f64 {
    let shown: BTreeSet<&String> = release.iter().flatten().collect();
    let chance = |victim: &BTreeSet<String>| {
        let own: BTreeSet<&String> = victim.iter().filter(|item| shown.contains(item)).collect();
        let items = public(victim);
        let mut best: f64 = 0.0;
        for (at, one) in items.iter().enumerate() {
            for two in &items[at..] {
                let known: Vec<&&String> = [one, two]
                    .into_iter()
                    .filter(|item| shown.contains(**item))
                    .collect();
                assert!(known.iter().all(|item| own.contains(**item)));
                let fits = release
                    .iter()
                    .filter(|set| known.iter().all(|item| set.contains(**item)));
                best = best.max(1.0 / fits.count() as f64);
            }
        }
        best
    };
    source.iter().map(chance).sum::<f64>() / source.len() as f64
}

#[test]
fn any_two_items_find_nobody_in_a_release() {
    let directory = empty();
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    let (code, found) = anonymized(at, POLICY);
    assert_eq!(code, 0, "{found}");
    let text = std::fs::read_to_string(at.join("out/release/baskets.csv")).expect("data");
    let cells: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|line| line.trim_matches('"'))
        .collect();
    let release = sets(&cells);
    let entry = attack(&found, "items");
    assert_eq!(
        (&entry["coverage"], &entry["attempts"]),
        (&json!("exhaustive"), &json!(12))
    );
    let wanted = linked(&sets(&BASKETS), &release);
    assert!(
        near(rate(entry, "success_rate"), wanted),
        "{wanted} {entry}"
    );
    assert!(wanted <= 1.0 / 3.0 + 1e-12);
    // Nobody's test follows, and the certificate says so.
    let told = |document: &Value| {
        let found = list(&document["attacks"]).iter();
        let mut about = found.filter(|entry| entry["attribute"] == "test");
        about.next().cloned().expect("an attack on the test")
    };
    assert!(near(rate(&told(&found), "success_rate"), 0.0));
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(at.join(name)).expect("a file")).expect("JSON")
    };
    let certificate = read("out/release/certificate.json");
    assert!(near(
        rate(attack(&certificate, "items"), "success_rate"),
        wanted
    ));
    let steward = read("out/steward/attacks.json");
    let before = linked(&sets(&BASKETS), &sets(&BASKETS));
    let entry = attack(&steward, "items");
    assert!(near(rate(entry, "rate_before"), before) && before > wanted);
    for worst in list(&entry["worst_victims"]) {
        assert!(worst["candidates"].as_u64() >= Some(3), "{worst}");
    }
    assert!(!list(&steward["not_run"]).is_empty());
    let page = std::fs::read_to_string(at.join("out/steward/report.html")).expect("a report");
    assert!(page.contains("any 2 items of everybody"));

    // Alone: whose record is whose is not known, every record that fits counts as right.
    let alone = [
        "attack",
        "transactions",
        "out",
        "--raw",
        "baskets.csv",
        "--victims",
    ];
    let (code, alone) = run_json(at, &alone);
    assert_eq!(
        (code, &alone["aligned"], &alone["items"]),
        (0, &json!(false), &json!(2)),
        "{alone}"
    );
    assert!(
        near(rate(attack(&alone, "items"), "rate"), wanted),
        "{alone}"
    );
    assert!(near(rate(&alone, "promised"), 1.0 / 3.0));
    assert!(near(rate(&told(&alone), "rate"), 0.0));
    // Whoever knows more finds more.
    let more = [
        "attack",
        "transactions",
        "out",
        "--raw",
        "baskets.csv",
        "--items",
        "4",
    ];
    let (_, more) = run_json(at, &more);
    assert!(rate(attack(&more, "items"), "rate") >= wanted);
}

#[test]
fn groups_of_items_are_understood() {
    let directory = empty();
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    write(at, "groups.csv", TAXONOMY);
    let policy = POLICY.replace(
        "algorithm = \"item-suppression\"",
        "algorithm = \"item-generalization\"\ntaxonomy = \"groups.csv\"",
    );
    let (code, found) = anonymized(at, &policy);
    assert_eq!(code, 0, "{found}");
    let inside = rate(attack(&found, "items"), "success_rate");
    assert!(inside > 0.0 && inside <= 1.0 / 3.0 + 1e-12, "{inside}");
    // The bundle carries its groups: it may be moved, and the source's own file be gone.
    std::fs::remove_file(at.join("groups.csv")).expect("removed");
    std::fs::rename(at.join("out"), at.join("moved")).expect("moved");
    let alone = ["attack", "transactions", "moved", "--raw", "baskets.csv"];
    let (code, alone) = run_json(at, &alone);
    assert_eq!(code, 0, "{alone}");
    assert!(
        near(rate(attack(&alone, "items"), "rate"), inside),
        "{alone}"
    );
}

#[test]
fn a_raw_file_gives_people_away_and_a_gate_refuses() {
    let directory = empty();
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    // The source as if it were a release: whoever bought caviar stands alone.
    let args = [
        "attack",
        "transactions",
        "baskets.csv",
        "--raw",
        "baskets.csv",
        "--items",
        "2",
        "--sensitive-item",
        "test:0.3",
        "--victims",
    ];
    let (code, found) = run_json(at, &args);
    assert_eq!(code, 0, "{found}");
    let entry = attack(&found, "items");
    let everybody = linked(&sets(&BASKETS), &sets(&BASKETS));
    assert!(near(rate(entry, "rate"), everybody), "{everybody} {entry}");
    let worst = &entry["worst_victims"][0];
    assert_eq!(
        (&worst["candidates"], &worst["chance"]),
        (&json!(1), &json!(1.0))
    );
    let told = list(&found["attacks"])
        .iter()
        .find(|entry| entry["attribute"] == "test");
    assert!(rate(told.expect("the test"), "rate") > 0.0);

    let (code, refused) = anonymized(at, &format!("{POLICY}[attack]\nrefuse-above = 0.05\n"));
    assert_eq!(
        (code, &refused["status"]),
        (1, &json!("refused")),
        "{refused}"
    );
    assert!(!at.join("out").exists());
    assert_eq!(
        anonymized(at, &format!("{POLICY}[attack]\nrefuse-above = 0.34\n")).0,
        0
    );
    // The steward's half names the source; without it the answer says where to go.
    assert_eq!(run(at, &["attack", "out"]).status.code(), Some(0));
    std::fs::remove_dir_all(at.join("out/steward")).expect("a half");
    let output = run(at, &["attack", "out"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("denym attack transactions out --raw FILE"),
        "{text}"
    );
    let output = run(
        at,
        &[
            "attack",
            "transactions",
            "baskets.csv",
            "--raw",
            "baskets.csv",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--items 2"));
}
