//! Attacks on paths through the binary: inside `anonymize`, alone, within what was promised, and beyond it.

use crate::support;

use std::path::Path;

use serde_json::{Value, json};
use support::{attack, empty, files, json, list, run, write};

/// A small generator: the same tables on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A policy over paths in the long form.
fn policy(l: u64, k: u64, matching: &str, algorithm: &str, more: &str) -> String {
    format!(
        "[data]\npath = \"trips.csv\"\nkind = \"paths\"\n[attributes]\nstatus = \"sensitive\"\n[adversary]\n\
         knows = {{ doublets = {l} }}\nmatching = \"{matching}\"\n[promise]\nk-anonymity = {k}\n\
         confidence = {{ attribute = \"status\", values = [\"ill\"], at-most = 0.6 }}\n\
         [release]\nalgorithm = \"{algorithm}\"\n{more}"
    )
}

/// Three people: one at b, two at c, at the same time.
const CONTRADICTED: &str = "subject,location,time,status\nx,b,2,well\ny,c,2,well\nz,c,2,ill\n";

fn rate(entry: &Value, key: &str) -> f64 {
    entry[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {entry}"))
}

/// The evidence of `name` about `attribute`.
fn about<'a>(document: &'a Value, name: &str, attribute: &str) -> &'a Value {
    list(&document["attacks"])
        .iter()
        .find(|entry| entry["attack"] == name && entry["attribute"] == attribute)
        .unwrap_or_else(|| panic!("no `{name}` on {attribute} in {document}"))
}

fn read_json(at: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(at.join(name)).expect("a file")).expect("JSON")
}

#[test]
fn contradiction_finds_whom_the_papers_matching_forgets() {
    let directory = empty();
    let at = directory.path();
    write(at, "trips.csv", CONTRADICTED);
    let global = "global-suppression";
    write(at, "p.toml", policy(1, 2, "covers", global, ""));
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    // b2 is suppressed. Whoever knows it keeps all three by the papers' matching, and only the record that shows nothing at
    // time 2 by contradiction: 1/3 + 1/2 + 1/2 against 1 + 1/2 + 1/2, over three people.
    let near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-12;
    assert!(near(
        rate(attack(&found, "doublets"), "success_rate"),
        4.0 / 9.0
    ));
    let contradiction = attack(&found, "contradiction");
    assert!(near(rate(contradiction, "success_rate"), 2.0 / 3.0));
    assert_eq!(
        (&contradiction["coverage"], &contradiction["attempts"]),
        (&json!("exhaustive"), &json!(3))
    );
    let steward = read_json(at, "out/steward/attacks.json");
    let worst = &attack(&steward, "contradiction")["worst_victims"][0];
    assert_eq!(
        (&worst["chance"], &worst["knowing"]),
        (&json!(1.0), &json!(["b2"]))
    );
    assert!(near(
        rate(attack(&steward, "doublets"), "rate_before"),
        2.0 / 3.0
    ));
    // Alone, with the steward's list of subjects: the same.
    let (code, alone) = json(
        at,
        &["attack", "paths", "out", "--raw", "trips.csv", "--victims"],
    );
    assert_eq!((code, &alone["aligned"]), (0, &json!(true)), "{alone}");
    for name in ["doublets", "contradiction", "top-locations"] {
        let (inside, outside) = (attack(&found, name), attack(&alone, name));
        assert!(
            near(rate(inside, "success_rate"), rate(outside, "rate")),
            "{name}"
        );
    }
    // The gate, by name; the plain bound speaks of what was promised only.
    write(
        at,
        "p.toml",
        policy(
            1,
            2,
            "covers",
            global,
            "[attack]\nrefuse-above = { contradiction = 0.5 }\n",
        ),
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "gated"]);
    assert_eq!((code, &found["status"]), (1, &json!("refused")));
    assert!(!at.join("gated").exists());
    write(
        at,
        "p.toml",
        policy(1, 2, "covers", global, "[attack]\nrefuse-above = 0.5\n"),
    );
    assert_eq!(json(at, &["anonymize", "p.toml", "-o", "plain"]).0, 0);
    write(
        at,
        "p.toml",
        policy(1, 2, "covers", global, "[attack]\nrefuse-above = 0.4\n"),
    );
    assert_eq!(json(at, &["anonymize", "p.toml", "-o", "strict"]).0, 1);
    // A release that promises it holds it.
    write(at, "p.toml", policy(1, 2, "consistent", "auto", ""));
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "safe"]);
    assert_eq!(code, 0, "{found}");
    assert!(rate(attack(&found, "contradiction"), "success_rate") <= 0.5);
}

/// A random table of trips: some places are popular, some people are ill.
fn trips(rng: &mut Draws, people: u64) -> String {
    let mut text = "subject,location,time,status\n".to_owned();
    for person in 0..people {
        let status = if rng.below(4) == 0 { "ill" } else { "well" };
        for hour in [7, 9, 12, 18, 22] {
            if rng.below(3) > 0 {
                let place = ["a", "b", "c", "d"][rng.below(4).min(rng.below(4)) as usize];
                text += &format!("s{person},{place},{hour},{status}\n");
            }
        }
    }
    text
}

#[test]
fn no_attack_exceeds_what_was_promised() {
    let directory = empty();
    let at = directory.path();
    let mut rng = Draws(88);
    let mut released = 0;
    for round in 0..14 {
        write(at, "trips.csv", trips(&mut rng, 30 + round * 5));
        let (l, k) = (1 + round % 3, 2 + round % 4);
        let algorithm = ["global-suppression", "auto", "local-suppression"][round as usize % 3];
        write(at, "p.toml", policy(l, k, "consistent", algorithm, ""));
        let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        if code == 1 {
            continue;
        }
        assert_eq!(code, 0, "{found}");
        released += 1;
        let bound = 1.0 / k as f64 + 1e-12;
        for name in ["doublets", "contradiction"] {
            let entry = attack(&found, name);
            assert_eq!(entry["coverage"], "exhaustive");
            assert!(
                rate(entry, "success_rate") <= bound,
                "{algorithm} {l} {k}: {entry}"
            );
            let told = about(&found, name, "status");
            assert_eq!(told["success_rate"], 0.0, "{algorithm} {l} {k}: {told}");
        }
        // Each single person, not only the mean.
        let steward = read_json(at, "out/steward/attacks.json");
        for name in ["doublets", "contradiction"] {
            let entry = attack(&steward, name);
            assert!(rate(entry, "rate_before") >= rate(entry, "rate_after"));
            for worst in list(&entry["worst_victims"]) {
                assert!(
                    worst["candidates"].as_u64() >= Some(k),
                    "{algorithm} {l} {k}: {worst}"
                );
            }
        }
        // Hours of a day: home and work were tried as well.
        assert!(rate(attack(&found, "home-work"), "success_rate") <= 1.0);
        // Alone, with everything; and without knowing whose record is whose, an upper bound that holds as well.
        let alone = [
            "attack",
            "paths",
            "out",
            "--raw",
            "trips.csv",
            "--exhaustive",
        ];
        let (code, alone) = json(at, &alone);
        assert_eq!(code, 0, "{alone}");
        let public = ["attack", "paths", "out/release", "--raw", "trips.csv"];
        let (code, public) = json(at, &public);
        assert_eq!((code, &public["aligned"]), (0, &json!(false)), "{public}");
        for name in ["doublets", "contradiction"] {
            let difference =
                rate(attack(&alone, name), "rate") - rate(attack(&found, name), "success_rate");
            assert!(difference.abs() < 1e-12, "{name} {algorithm}");
            assert!(
                rate(attack(&public, name), "rate") <= bound,
                "{name} {algorithm}"
            );
        }
    }
    assert!(released >= 10, "{released}");
}

#[test]
fn every_attack_is_run_or_accounted_for_and_names_nobody_outside() {
    let directory = empty();
    let at = directory.path();
    let mut rng = Draws(5);
    write(at, "trips.csv", trips(&mut rng, 60));
    write(at, "p.toml", policy(2, 3, "consistent", "auto", ""));
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let steward = read_json(at, "out/steward/attacks.json");
    let all = json(at, &["attack", "list"]).1;
    for entry in list(&all["attacks"]) {
        let named = |part: &str| {
            let mut entries = list(&steward[part]).iter();
            entries.any(|other| other["attack"] == entry["name"])
        };
        assert!(named("attacks") != named("not_run"), "{entry}");
    }
    let report = std::fs::read_to_string(at.join("out/steward/report.html")).expect("a report");
    assert!(report.contains("contradiction") && report.contains("Not run"));
    let certificate = read_json(at, "out/release/certificate.json");
    let shown = attack(&certificate, "doublets");
    let mut keys: Vec<&String> = shown.as_object().expect("a map").keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["attack", "attempts", "coverage", "knows", "success_rate"]
    );
    for (name, bytes) in files(&at.join("out/release")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for word in ["victim", "rate_before", "worst", "knowing", "seed"] {
            assert!(!text.contains(word), "{word} in {}", name.display());
        }
    }
}

#[test]
fn coarser_places_are_understood() {
    let directory = empty();
    let at = directory.path();
    let mut rng = Draws(21);
    write(at, "trips.csv", trips(&mut rng, 80));
    write(
        at,
        "zones/places.csv",
        "a,north\nb,north\nc,south\nd,south\n",
    );
    let text = policy(
        2,
        8,
        "consistent",
        "coarsening",
        "places = \"zones/places.csv\"\n",
    );
    write(at, "p.toml", text);
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let data = std::fs::read_to_string(at.join("out/release/trips.csv")).expect("data");
    assert!(
        data.contains("north") || data.contains("south"),
        "something is coarser"
    );
    let inside = rate(attack(&found, "contradiction"), "success_rate");
    assert!(inside > 0.0 && inside <= 1.0 / 8.0);
    // The bundle is moved and the zones are gone: its own copy explains the words.
    std::fs::create_dir(at.join("elsewhere")).expect("a directory");
    std::fs::rename(at.join("out"), at.join("elsewhere/moved")).expect("moved");
    std::fs::remove_dir_all(at.join("zones")).expect("removed");
    let args = [
        "attack",
        "paths",
        "elsewhere/moved",
        "--raw",
        "trips.csv",
        "--exhaustive",
    ];
    let (code, alone) = json(at, &args);
    assert_eq!(code, 0, "{alone}");
    assert!((rate(attack(&alone, "contradiction"), "rate") - inside).abs() < 1e-12);
}

#[test]
fn source_paths_that_would_have_been_published_are_ruled_out() {
    let directory = empty();
    let at = directory.path();
    // Five at a1; two of them also at b2 and one at c3. c3 stands alone and is suppressed: of those who show a1 b2 one was there.
    write(
        at,
        "trips.csv",
        "path,status\na1>b2,well\na1>b2>c3,well\na1,well\na1,well\na1,ill\n",
    );
    let text = policy(1, 2, "covers", "global-suppression", "");
    write(at, "p.toml", text);
    let (code, found) = json(
        at,
        &["attack", "minimality", "p.toml", "--confidence", "0.4"],
    );
    assert_eq!(code, 0, "{found}");
    // Each of the two may have been at c3 or not: neither, one or the other; both would have been published.
    assert_eq!(
        (&found["originals"], &found["possible"]),
        (&json!(4), &json!(3)),
        "{found}"
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0);
    assert_eq!(
        attack(&found, "path-minimality")["success_rate"],
        0.0,
        "two thirds are not 90 %"
    );
}

#[test]
fn mistakes_are_answered() {
    let directory = empty();
    let at = directory.path();
    write(at, "trips.csv", CONTRADICTED);
    let (code, found) = json(at, &["attack", "paths", "trips.csv", "--raw", "trips.csv"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &json!("argument")),
        "{found}"
    );
    let args = [
        "attack",
        "paths",
        "trips.csv",
        "--raw",
        "trips.csv",
        "--doublets",
        "2",
    ];
    let (code, found) = json(at, &args);
    assert_eq!((code, &found["people"]), (0, &json!(3)), "{found}");
    let (code, _) = json(
        at,
        &[
            "attack",
            "paths",
            "trips.csv",
            "--raw",
            "nowhere.csv",
            "--doublets",
            "2",
        ],
    );
    assert_eq!(code, 2);
    write(at, "p.toml", policy(1, 2, "consistent", "auto", ""));
    assert_eq!(json(at, &["anonymize", "p.toml", "-o", "out"]).0, 0);
    // The steward's half names the source, which lies there unchanged; without that half nobody can be looked for.
    assert_eq!(run(at, &["attack", "out"]).status.code(), Some(0));
    std::fs::remove_dir_all(at.join("out/steward")).expect("a half");
    let output = run(at, &["attack", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("denym attack paths"));
}

#[test]
fn every_status_is_looked_for_however_many_there_are() {
    let directory = empty();
    let at = directory.path();
    // Forty pairs, each at a place and with a status of its own.
    let mut text = "path,status\n".to_owned();
    for person in 0..80 {
        text += &format!("p{}@1,status{}\n", person / 2, person / 2);
    }
    write(at, "trips.csv", text);
    let args = [
        "attack",
        "paths",
        "trips.csv",
        "--raw",
        "trips.csv",
        "--doublets",
        "1",
    ];
    let (code, found) = json(at, &[&args[..], &["--sensitive", "status"]].concat());
    assert_eq!(code, 0, "{found}");
    let mut told = found["attacks"].as_array().expect("a list").iter();
    let told = told.find(|one| one["attack"] == "doublets" && one["attribute"] == "status");
    let told = told.expect("the status is looked for");
    assert_eq!(
        (&told["successes"], &told["attempts"]),
        (&80.into(), &80.into()),
        "{found}"
    );
}
