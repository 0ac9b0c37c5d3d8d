//! The gate and `denym attack DIR` are one red team: what a certificate says of a bundle, the command finds again.

use std::path::Path;

use serde_json::Value;

use crate::support::{json, riders, write};

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Releases, attacks the bundle, and compares every attack: the command runs what the gate ran, and finds the same.
fn compare(at: &Path, wanted: &[&str]) {
    let (code, released) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{released}");
    let text = std::fs::read_to_string(at.join("out/release/certificate.json")).expect("a file");
    let certificate: Value = serde_json::from_str(&text).expect("JSON");
    let (code, found) = json(at, &["attack", "out", "--policy", "policy.toml"]);
    assert_eq!(code, 0, "{found}");
    let mut names = Vec::new();
    for certified in list(&certificate["attacks"]) {
        let same = |other: &&Value| {
            other["attack"] == certified["attack"] && other["attribute"] == certified["attribute"]
        };
        let other = list(&found["attacks"]).iter().find(same);
        let other = other.unwrap_or_else(|| panic!("run by the gate alone: {certified} {found}"));
        let number = |value: &Value| value.as_f64().expect("a number");
        let (ours, theirs) = (number(&certified["success_rate"]), number(&other["rate"]));
        assert!((ours - theirs).abs() < 1e-12, "{certified} {other}");
        assert_eq!(
            certified["attempts"], other["attempts"],
            "{certified} {other}"
        );
        names.push(certified["attack"].as_str().expect("a name").to_owned());
    }
    for name in wanted {
        assert!(
            names.iter().any(|run| run == name),
            "{name}: {names:?} {found}"
        );
    }
    for other in list(&found["attacks"]) {
        let name = other["attack"].as_str().expect("a name");
        assert!(
            names.iter().any(|run| run == name),
            "run by the command alone: {other} {certificate}"
        );
    }
}

#[test]
fn of_a_table() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "person,town,age,disease,income\n".to_owned();
    for row in 0..90_u32 {
        let disease = ["flu", "cold", "gout"][(row % 7 % 3) as usize];
        let (person, town, age) = (row / 2, row / 2 % 3, 20 + row / 2 * 7 % 40);
        text += &format!(
            "p{person},t{town},{age},{disease},{}\n",
            1000 + row * 37 % 500
        );
    }
    write(at, "people.csv", text);
    for knows in ["\"quasi-identifiers\"", "{ at-most = 1 }"] {
        for subject in ["", "person = \"subject\"\n"] {
            write(
                at,
                "policy.toml",
                format!(
                    "[data]\npath = \"people.csv\"\n[attributes]\n{subject}town = \"quasi\"\nage = {{ role = \"quasi\", hierarchy = {{ interval = [10, 20] }} }}\n\
                     disease = \"sensitive\"\nincome = \"sensitive\"\n[adversary]\nknows = {knows}\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = 0.2\n"
                ),
            );
            let _ = std::fs::remove_dir_all(at.join("out"));
            compare(
                at,
                &[
                    "linkage",
                    "homogeneity",
                    "background-knowledge",
                    "skewness",
                    "proximity",
                ],
            );
        }
    }
}

#[test]
fn of_values_in_groups() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "town,disease\n".to_owned();
    for row in 0..24 {
        text += &format!("t{},{}\n", row % 5, ["flu", "cold", "gout"][row % 3]);
    }
    write(at, "people.csv", text);
    write(
        at,
        "policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\ntown = \"quasi\"\ndisease = \"sensitive\"\n[promise]\nl-diversity = 2\n[release]\nalgorithm = \"anatomy\"\n",
    );
    compare(at, &["linkage", "homogeneity", "background-knowledge"]);
}

#[test]
fn of_numbers_and_of_clusters() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "income,age\n".to_owned();
    for row in 0..60_u64 {
        text += &format!("{},{}\n", 1000 + row * 7919 % 5000, 20 + row * 31 % 60);
    }
    write(at, "people.csv", text);
    for algorithm in ["mdav", "systematic-clustering"] {
        write(
            at,
            "policy.toml",
            format!(
                "[data]\npath = \"people.csv\"\n[attributes]\nincome = \"quasi\"\nage = \"quasi\"\n[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"{algorithm}\"\n"
            ),
        );
        let _ = std::fs::remove_dir_all(at.join("out"));
        compare(
            at,
            if algorithm == "mdav" {
                &["linkage", "distance-linkage"]
            } else {
                &["linkage"]
            },
        );
    }
}

#[test]
fn of_paths() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "subject,location,time,status\n".to_owned();
    for person in 0..40_u32 {
        for time in 1..4 {
            let place = ["a", "b", "c"][((person / 4 + time * (person % 3)) % 3) as usize];
            text += &format!(
                "p{person},{place},{time},{}\n",
                ["x", "y"][(person % 2) as usize]
            );
        }
    }
    write(at, "trips.csv", text);
    write(
        at,
        "policy.toml",
        "[data]\npath = \"trips.csv\"\nkind = \"paths\"\n[attributes]\nstatus = \"sensitive\"\n[adversary]\nknows = { doublets = 2 }\n[promise]\nk-anonymity = 4\n[release]\nalgorithm = \"global-suppression\"\n",
    );
    compare(at, &["doublets", "contradiction", "top-locations"]);
}

#[test]
fn of_searches_that_are_run_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(
        at,
        "jobs.csv",
        "job,disease\nEngineer,HIV\nLawyer,Flu\nEngineer,HIV\nLawyer,Flu\nLawyer,Flu\nLawyer,Flu\nLawyer,Flu\n",
    );
    write(
        at,
        "job.csv",
        "Engineer,Professional\nLawyer,Professional\n",
    );
    write(
        at,
        "policy.toml",
        "[data]\npath = \"jobs.csv\"\n[attributes]\njob = { role = \"quasi\", hierarchy = \"job.csv\" }\ndisease = \"sensitive\"\n[promise]\nconfidence = { attribute = \"disease\", values = [\"HIV\"], at-most = 0.6 }\n[release]\nalgorithm = \"full-domain\"\n",
    );
    compare(at, &["linkage", "minimality"]);
    write(
        at,
        "trips.csv",
        "path,status\na1>b2,well\na1>b2>c3,well\na1,well\na1,well\na1,ill\n",
    );
    write(
        at,
        "policy.toml",
        "[data]\npath = \"trips.csv\"\nkind = \"paths\"\n[attributes]\nstatus = \"sensitive\"\n[adversary]\nknows = { doublets = 1 }\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"global-suppression\"\n",
    );
    std::fs::remove_dir_all(at.join("out")).expect("the bundle");
    let (code, released) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{released}");
    let rate = |answer: &Value, key: &str| {
        let attacks = list(&answer["attacks"]).iter();
        let mut own = attacks.filter(|one| one["attack"] == "path-minimality");
        own.next().and_then(|one| one[key].as_f64())
    };
    let (code, found) = json(at, &["attack", "out", "--policy", "policy.toml"]);
    assert_eq!(code, 0, "{found}");
    let stated = rate(&released, "success_rate");
    assert!(stated.is_some(), "{released}");
    assert_eq!(stated, rate(&found, "rate"), "{found}");
}

#[test]
fn of_transactions() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "items\n".to_owned();
    for person in 0..40_u32 {
        text += &format!("i{};j{};k{}\n", person % 3, person % 4, person % 17);
    }
    write(at, "baskets.csv", text);
    write(
        at,
        "policy.toml",
        "[data]\npath = \"baskets.csv\"\nkind = \"transactions\"\nitems-column = \"items\"\n[adversary]\nknows = { items = 2 }\n[promise]\nk-anonymity = 3\n",
    );
    compare(at, &["items"]);
}

#[test]
fn of_trails() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/trails");
    for name in ["samples.csv", "discharges.csv", "owners.csv", "policy.toml"] {
        let text = std::fs::read(examples.join(name)).expect("the example");
        write(at, name, text);
    }
    compare(at, &["reidit-c", "reidit-i", "reidit-m", "forced"]);
}

#[test]
fn of_trails_that_are_numbered_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let policy = "[data]\nkind = \"trails\"\nanonymous = \"samples.csv\"\nidentified = \"people.csv\"\n[promise]\nk-anonymity = 2\n";
    write(at, "policy.toml", policy);
    let mut seed = 7_u64;
    let mut named_wrongly = false;
    for _ in 0..8 {
        let (mut people, mut samples) =
            ("id,institution\n".to_owned(), "id,institution\n".to_owned());
        for person in 0..10 {
            people += &format!("p{person},h0\n");
            for place in 1..4 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (there, kept) = (seed >> 40 & 1 == 1, seed >> 50 & 3 > 0);
                if there {
                    people += &format!("p{person},h{place}\n");
                }
                if there && kept {
                    samples += &format!("p{person},h{place}\n");
                }
            }
            samples += &format!("p{person},h0\n");
        }
        write(at, "people.csv", people);
        write(at, "samples.csv", samples);
        let _ = std::fs::remove_dir_all(at.join("out"));
        compare(at, &["reidit-c", "forced"]);
        // Who has the public half alone sees whom a method names, and not whether rightly: never less.
        let rate = |from: &str| {
            let (code, found) = json(at, &["attack", from, "--policy", "policy.toml"]);
            assert_eq!(code, 0, "{found}");
            let attacks = list(&found["attacks"]).iter();
            let mut named = attacks.filter(|one| one["attack"] == "reidit-c");
            named
                .next()
                .and_then(|one| one["rate"].as_f64())
                .expect("a rate")
        };
        let (right, named) = (rate("out"), rate("out/release"));
        assert!(right <= named);
        named_wrongly |= right < named;
    }
    assert!(
        named_wrongly,
        "some sample of these looks like somebody else's"
    );
}

#[test]
fn of_every_window_of_a_stream() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "events.csv", riders::events(300, 12));
    for form in ["full", "delta"] {
        let source = "path = \"events.csv\"";
        let policy = riders::policy(source) + &format!("[release]\nform = \"{form}\"\n");
        write(at, "policy.toml", policy);
        let (code, done) = json(at, &["stream", "policy.toml", "-o", form]);
        assert_eq!(code, 0, "{done}");
        let (code, found) = json(at, &["attack", form]);
        assert_eq!(code, 0, "{found}");
        let chain = std::fs::read_to_string(at.join(form).join("certificates.ndjson"));
        let chain = chain.expect("the chain");
        let chain: Vec<Value> = chain
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(list(&found["windows"]).len(), chain.len());
        let (mut pairs, mut right, mut people) = (0, 0.0, 0);
        for (certificate, window) in chain.iter().zip(list(&found["windows"])) {
            assert_eq!(certificate["window"], window["window"]);
            let (stated, seen) = (list(&certificate["attacks"]), list(&window["attacks"]));
            assert_eq!(stated.len(), seen.len(), "{certificate} {window}");
            for (stated, seen) in stated.iter().zip(seen) {
                assert_eq!(stated["attack"], seen["attack"]);
                assert_eq!(stated["attempts"], seen["attempts"]);
                let number = |value: &Value| value.as_f64().expect("a number");
                let (ours, theirs) = (number(&stated["success_rate"]), number(&seen["rate"]));
                assert!((ours - theirs).abs() < 1e-6, "{stated} {seen}");
                assert!(
                    ours <= 0.2,
                    "five people share what anybody knows: {stated}"
                );
                if stated["attack"] == "window-difference" {
                    pairs += 1;
                    let of = seen["attempts"].as_u64().expect("a number");
                    (right, people) = (right + theirs * of as f64, people + of);
                }
            }
        }
        assert_eq!(
            pairs,
            chain.len() - 1,
            "every window but the first has one before it"
        );
        let over_all = list(&found["attacks"]).iter();
        let over_all = over_all.filter(|one| one["attack"] == "window-difference");
        let over_all: Vec<&Value> = over_all.collect();
        let rate = over_all[0]["rate"].as_f64().expect("a number");
        assert!((rate - right / people as f64).abs() < 1e-9, "{over_all:?}");
    }
}

#[test]
fn a_window_that_the_red_team_breaks_is_withheld() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "events.csv", riders::events(300, 8));
    let policy = |bound: &str| {
        let source = "path = \"events.csv\"";
        riders::policy(source) + &format!("[attack]\nrefuse-above = {bound}\n")
    };
    write(at, "policy.toml", policy("{ window-doublets = 0.001 }"));
    let (code, done) = json(at, &["stream", "policy.toml", "-o", "out"]);
    assert_eq!((code, &done["published"]), (0, &0.into()), "{done}");
    let (code, verified) = json(at, &["verify", "out"]);
    assert_eq!(code, 0, "nothing left, and the chain says so: {verified}");
    write(at, "policy.toml", policy("0.2"));
    let (code, done) = json(at, &["stream", "policy.toml", "-o", "let-out"]);
    assert_eq!((code, &done["withheld"]), (0, &0.into()), "{done}");
    // A bound that has no effect on a stream is a mistake.
    write(at, "policy.toml", policy("{ linkage = 0.2 }"));
    let (code, mistaken) = json(at, &["stream", "policy.toml", "-o", "never"]);
    assert_eq!(
        (code, &mistaken["error"]["code"]),
        (2, &"policy-unknown-key".into())
    );
    // A chain whose last line states more than its bound is broken; nothing else speaks of that line.
    let path = "let-out/certificates.ndjson";
    let chain = std::fs::read_to_string(at.join(path)).expect("the chain");
    let last = chain.rfind("\"refuse_above\":0.2").expect("a bound");
    let changed = chain[last..].replacen("0.2", "0.001", 1);
    write(at, path, chain[..last].to_owned() + &changed);
    let (code, verified) = json(at, &["verify", "let-out"]);
    assert_eq!(code, 1, "{verified}");
}
