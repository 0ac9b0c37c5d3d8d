//! Trails through the binary: verified vectors, real visitors, linking attributes, several identities, and the defence.

use crate::support;

use std::process::Command;

use denym_testkit::shared;
use serde_json::{Value, json};
use support::{attack, empty, json, list, run, write};

/// Rows of bits as a trail file; a subject without entries has a row without an institution.
fn trail_file(rows: &Value, prefix: &str) -> String {
    let mut text = String::from("id,institution\n");
    for (row, bits) in list(rows).iter().enumerate() {
        let bits = bits.as_str().expect("bits");
        if !bits.contains('1') {
            text += &format!("{prefix}{row},\n");
        }
        for (at, bit) in bits.chars().enumerate() {
            if bit == '1' {
                text += &format!("{prefix}{row},hospital-{at}\n");
            }
        }
    }
    text
}

#[test]
fn every_reidit_vector() {
    let vectors = denym_testkit::vectors("paths-and-trails");
    let directory = empty();
    let mut cases = 0;
    for case in ["worked", "random"]
        .iter()
        .flat_map(|part| list(&vectors[part]))
        .filter(|case| case["kind"] == "reidit")
    {
        cases += 1;
        let id = &case["id"];
        write(directory.path(), "n.csv", trail_file(&case["N"], "n"));
        write(directory.path(), "p.csv", trail_file(&case["P"], "p"));
        let args = [
            "attack",
            "trails",
            "--identified",
            "p.csv",
            "--anonymous",
            "n.csv",
        ];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(code, 0, "{id}");
        for (method, key) in [
            ("reidit-c", "reidit_c"),
            ("reidit-i", "reidit_i"),
            ("reidit-m", "reidit_m"),
            ("forced", "forced"),
        ] {
            let expected = case[key].as_object().map(|pairs| {
                let mut pairs: Vec<(u64, u64)> = pairs
                    .iter()
                    .map(|(n, p)| (n.parse().expect("a row"), p.as_u64().expect("a row")))
                    .collect();
                pairs.sort_unstable();
                let named = pairs
                    .iter()
                    .map(|(n, p)| json!([format!("n{n}"), format!("p{p}")]));
                named.collect::<Value>()
            });
            let expected = expected.unwrap_or(Value::Null);
            assert_eq!(found["pairs"][method], expected, "{id} {method}");
            let count = expected.as_array().map(Vec::len);
            assert_eq!(found["counts"][method], json!(count), "{id} {method}");
        }
        let sizes = case["allowed"].as_object().map(|sets| {
            (0..sets.len())
                .map(|n| list(&sets[&n.to_string()]).len())
                .collect::<Vec<_>>()
        });
        assert_eq!(found["allowed_set_sizes"], json!(sizes), "{id}");
        assert_eq!(found["saturable"], json!(sizes.is_some()), "{id}");
        assert_eq!(
            list(&found["warnings"]).is_empty(),
            sizes.is_some() && !shares(case),
            "{id}"
        );
    }
    assert_eq!(cases, 54);
}

/// Whether REIDIT-C gives one person several trails, which is worth a warning of its own.
fn shares(case: &Value) -> bool {
    let mut owners: Vec<&Value> = case["reidit_c"]
        .as_object()
        .expect("pairs")
        .values()
        .collect();
    let all = owners.len();
    owners.sort_by_key(|owner| owner.as_u64());
    owners.dedup();
    owners.len() < all
}

/// The visitors of a web site as a trail file; the first `most` of them.
fn web_trails(most: usize) -> Option<String> {
    let path = shared::path("data/trails/anonymous-msweb.data.gz")?;
    let unpacked = Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("gzip");
    let mut text = String::from("id,institution\n");
    let (mut user, mut users) = (String::new(), 0);
    for line in String::from_utf8_lossy(&unpacked.stdout).lines() {
        let mut parts = line.split(',');
        match parts.next() {
            Some("C") => {
                users += 1;
                parts.nth(1).expect("a user").clone_into(&mut user);
            }
            Some("V") if users <= most => {
                text += &format!("{user},area-{}\n", parts.next().expect("an area"));
            }
            _ => {}
        }
    }
    Some(text)
}

#[test]
fn nine_thousand_five_hundred_web_visitors() {
    let Some(text) = web_trails(usize::MAX) else {
        return;
    };
    let directory = empty();
    write(directory.path(), "web.csv", text);
    for incomplete in ["anonymous", "none"] {
        let args = [
            "attack",
            "trails",
            "--identified",
            "web.csv",
            "--anonymous",
            "web.csv",
            "--incomplete",
            incomplete,
            "--theory",
        ];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(code, 0);
        assert_eq!(found["anonymous"], 32_711);
        assert_eq!(found["counts"]["reidit-c"], 9_500, "{incomplete}");
        assert_eq!(found["counts"]["forced"], 9_500, "{incomplete}");
        assert_eq!(found["theory"]["unique"], 9_500);
        let pairs = list(&found["pairs"]["reidit-c"]);
        assert!(pairs.iter().all(|pair| pair[0] == pair[1]), "all correct");
    }
}

#[test]
fn folders_links_and_several_identities() {
    let directory = empty();
    let at = directory.path();
    // Two institutions; Ann and Bob were at both, so only the year of birth tells their samples apart.
    write(
        at,
        "names/north.csv",
        "name,zip,born\nAnn,1,1970-05-02\nBob,1,1971-02-05\n",
    );
    write(
        at,
        "names/south.csv",
        "name,zip,born\nAnn,1,1970-05-02\nBob,1,1971-02-05\n",
    );
    write(at, "dna/north.csv", "sample,year\ns1,1971\ns2,1970\n");
    write(at, "dna/south.csv", "sample,year\ns1,1971\ns2,1970\n");
    let mut args = vec![
        "attack",
        "trails",
        "--identified",
        "names",
        "--anonymous",
        "dna",
        "--identified-id",
        "name,zip",
        "--anonymous-id",
        "sample",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(
        found["counts"],
        json!({"reidit-c": 0, "reidit-i": 0, "reidit-m": 0, "forced": 0})
    );
    args.extend(["--link", "year=born:year-of"]);
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    assert_eq!(
        found["pairs"]["forced"],
        json!([["s1", "Bob 1"], ["s2", "Ann 1"]])
    );
    // The same as one table with an institution column.
    write(
        at,
        "dna.csv",
        "sample,year,lab\ns1,1971,north\ns1,1971,south\ns2,1970,north\ns2,1970,south\n",
    );
    write(
        at,
        "names.csv",
        "name,born,lab\nAnn,1970-05-02,north\nAnn,1970-05-02,south\nBob,1971-02-05,north\nBob,1971-02-05,south\n",
    );
    let args = [
        "attack",
        "trails",
        "--identified",
        "names.csv",
        "--anonymous",
        "dna.csv",
        "--institution",
        "lab",
        "--identified-id",
        "name",
        "--anonymous-id",
        "sample",
        "--link",
        "year=born:year-of",
    ];
    assert_eq!(
        json(at, &args).1["pairs"]["forced"],
        json!([["s1", "Bob"], ["s2", "Ann"]])
    );
    // Two cards that only Eve can have: every card leaves a part of its holder's trail.
    write(
        at,
        "faces.csv",
        "id,institution\nEve,a\nEve,b\nEve,c\nFay,c\nFay,d\n",
    );
    write(at, "cards.csv", "id,institution\n1111,a\n2222,b\n3333,d\n");
    let args = [
        "attack",
        "trails",
        "--identified",
        "faces.csv",
        "--anonymous",
        "cards.csv",
        "--find-multiple",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(
        found["multiple"],
        json!([{"id": "Eve", "identities": ["1111", "2222"]}])
    );
    assert_eq!(
        (&found["saturable"], &found["counts"]["forced"]),
        (&json!(false), &Value::Null)
    );
    assert!(
        list(&found["warnings"])[0]
            .as_str()
            .expect("text")
            .contains("conditional")
    );
    let args = [
        "attack",
        "trails",
        "--identified",
        "faces.csv",
        "--anonymous",
        "cards.csv",
        "--posterior",
        "--missing-rate",
        "0.3",
        "--false-rate",
        "0.01",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(found["posteriors"][0]["candidates"][0][0], "Eve");
    assert!(
        found["posteriors"][0]["candidates"][0][1]
            .as_f64()
            .expect("a number")
            > 0.9
    );
    // Mistakes.
    let output = run(
        at,
        &[
            "attack",
            "trails",
            "--identified",
            "faces.csv",
            "--anonymous",
            "dna.csv",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no column `id`"));
    let (code, _) = json(
        at,
        &[
            "attack",
            "trails",
            "--identified",
            "faces.csv",
            "--anonymous",
            "cards.csv",
            "--posterior",
            "--missing-rate",
            "2",
        ],
    );
    assert_eq!(code, 2);
}

#[test]
fn trails_are_defended_and_audited() {
    let Some(text) = web_trails(300) else {
        return;
    };
    let directory = empty();
    let at = directory.path();
    write(at, "people.csv", &text);
    let policy = "[data]\nkind = \"trails\"\nidentified = \"people.csv\"\nanonymous = \"people.csv\"\n[promise]\nk-anonymity = 3\n";
    write(at, "policy.toml", policy);
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!((code, &found["status"]), (0, &json!("released")), "{found}");
    assert!(found["claims"][0]["measured"].as_f64().expect("a number") >= 3.0);
    let withheld = found["withheld"].as_u64().expect("a count");
    assert!(
        withheld > 0 && withheld < found["entries"].as_u64().expect("a count") / 2,
        "{found}"
    );
    for name in ["reidit-i", "reidit-m", "forced"] {
        assert_eq!(attack(&found, name)["success_rate"], 0.0);
    }
    let args = [
        "attack",
        "trails",
        "--identified",
        "people.csv",
        "--anonymous",
        "bundle/release/people.csv",
    ];
    let (_, after) = json(at, &args);
    let sizes = list(&after["allowed_set_sizes"]);
    assert!(!sizes.is_empty() && sizes.iter().all(|size| size.as_u64() >= Some(3)));
    assert_eq!(
        (&after["counts"]["forced"], &after["counts"]["reidit-i"]),
        (&json!(0), &json!(0))
    );
    // Ids that the identified side shares are numbered anew.
    let released = std::fs::read_to_string(at.join("bundle/release/people.csv")).expect("a file");
    assert!(
        released.starts_with("id,institution\n1,area-"),
        "{}",
        &released[..60]
    );
    let (code, verified) = json(at, &["verify", "bundle"]);
    assert_eq!(
        (code, &verified["holds"], &verified["claims"][0]["holds"]),
        (0, &Value::Null, &Value::Null)
    );
    // The steward's half says where the identified side is.
    assert_eq!(run(at, &["attack", "bundle"]).status.code(), Some(0));
    std::fs::rename(at.join("bundle/steward"), at.join("aside")).expect("a half");
    assert_eq!(
        run(at, &["attack", "bundle"]).status.code(),
        Some(2),
        "trails need the identified side"
    );
    std::fs::rename(at.join("aside"), at.join("bundle/steward")).expect("a half");
    // More owners than people: an answer, not a mistake.
    write(at, "policy.toml", policy.replace("= 3", "= 301"));
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "other"]);
    assert_eq!((code, &found["status"]), (1, &json!("refused")));
    // Owners from a file; their ids are published as they are.
    write(
        at,
        "few.csv",
        "id,institution\nAnn,a\nAnn,b\nBob,a\nBob,b\nBob,c\n",
    );
    write(at, "dna.csv", "id,institution\nx,a\nx,b\ny,a\ny,b\ny,c\n");
    write(at, "owners.csv", "anonymous,identified\nx,Ann\ny,Bob\n");
    write(
        at,
        "policy.toml",
        "[data]\nkind = \"trails\"\nidentified = \"few.csv\"\nanonymous = \"dna.csv\"\nowners = \"owners.csv\"\n[promise]\nk-anonymity = 2\n",
    );
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "small"]);
    assert_eq!(
        (code, &found["withheld"], &found["optimal"]),
        (0, &json!(1), &json!(true)),
        "{found}"
    );
    let released = std::fs::read_to_string(at.join("small/release/dna.csv")).expect("a file");
    assert_eq!(released, "id,institution\nx,a\nx,b\ny,a\ny,b\n");
    write(
        at,
        "policy.toml",
        "[data]\nkind = \"trails\"\nanonymous = \"dna.csv\"\n[promise]\nl-diversity = 2\n",
    );
    assert_eq!(json(at, &["anonymize", "policy.toml"]).0, 2);
}

#[test]
fn every_relation_of_linking_attributes() {
    let directory = empty();
    let at = directory.path();
    write(
        at,
        "names.csv",
        "name,phone,zip,born,lab\nAnn,15213,1,1970-05-02,north\nAnn,15213,1,1970-05-02,south\nBob,15301,2,1971-02-05,north\nBob,15301,2,1971-02-05,south\n",
    );
    write(
        at,
        "dna.csv",
        "sample,phone,region,year,zip,lab\ns1,153xx,west,1971,2,north\ns1,153xx,west,1971,2,south\ns2,152xx,east,1970,1,north\ns2,152xx,east,1970,1,south\n",
    );
    // Identified values first, then what they may be published as.
    write(at, "regions.csv", "zip,region\n1,east\n2,west\n");
    let found = |link: &str| {
        let mut args = vec![
            "attack",
            "trails",
            "--identified",
            "names.csv",
            "--anonymous",
            "dna.csv",
            "--institution",
            "lab",
            "--identified-id",
            "name",
            "--anonymous-id",
            "sample",
        ];
        if !link.is_empty() {
            args.extend(["--link", link]);
        }
        let (code, found) = json(at, &args);
        assert_eq!(code, 0, "{link}: {found}");
        found["pairs"]["forced"].clone()
    };
    assert_eq!(found(""), json!([]), "the trails alone tell nothing");
    for link in [
        "zip=zip:equal",
        "phone=phone:same-prefix:3",
        "year=born:year-of",
        "region=zip:mapping:regions.csv",
    ] {
        assert_eq!(found(link), json!([["s1", "Bob"], ["s2", "Ann"]]), "{link}");
    }
}

#[test]
fn posteriors_and_erosion_heed_what_links() {
    let directory = empty();
    let at = directory.path();
    // Both people were everywhere: only the year of birth tells them apart.
    write(
        at,
        "dna.csv",
        "id,year,institution\ns1,1971,north\ns1,1971,south\ns2,1970,north\ns2,1970,south\n",
    );
    write(
        at,
        "names.csv",
        "id,born,institution\nAnn,1970-05-02,north\nAnn,1970-05-02,south\nBob,1971-02-05,north\nBob,1971-02-05,south\n",
    );
    let sides = ["--identified", "names.csv", "--anonymous", "dna.csv"];
    let asked = ["--posterior", "--missing-rate", "0.1", "--erosion"];
    let args = [&["attack", "trails"], &sides[..], &asked].concat();
    let (code, blind) = json(at, &args);
    assert_eq!(code, 0, "{blind}");
    let (code, linked) = json(at, &[&args[..], &["--link", "year=born:year-of"]].concat());
    assert_eq!(code, 0, "{linked}");
    let surest = |found: &Value| {
        found["posteriors"][0]["candidates"][0][1]
            .as_f64()
            .expect("a number")
    };
    assert!(surest(&blind) < 0.51, "{blind}");
    assert!(surest(&linked) > 0.9, "{linked}");
    assert_eq!(linked["posteriors"][0]["candidates"][0][0], "Bob");
    let right = |found: &Value| found["erosion"][0]["methods"]["reidit-c"]["right"].clone();
    assert_eq!((right(&blind), right(&linked)), (json!(0), json!(2)));
    assert!(linked["attacks"][0]["knows"].is_string(), "{linked}");
}

#[test]
fn theory_and_erosion_are_measured() {
    let Some(text) = web_trails(300) else {
        return;
    };
    let directory = empty();
    let at = directory.path();
    write(at, "web.csv", &text);
    let args = [
        "attack",
        "trails",
        "--identified",
        "web.csv",
        "--anonymous",
        "web.csv",
        "--theory",
        "--erosion",
    ];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0);
    let theory = &found["theory"];
    assert_eq!(theory["unique"], found["counts"]["reidit-c"]);
    assert_eq!(
        theory["bound"], 300,
        "fewer people than trails over so many areas"
    );
    assert_eq!(
        list(&theory["institutions"]).len() as u64,
        found["institutions"].as_u64().expect("a count")
    );
    let rows = list(&found["erosion"]);
    assert_eq!(rows[0]["treatment"], "nothing");
    assert_eq!(
        rows[0]["methods"]["reidit-c"]["right"],
        found["counts"]["reidit-c"]
    );
    let row = |name: &str| {
        let found = rows.iter().find(|row| row["treatment"] == name);
        found.unwrap_or_else(|| panic!("{name} in {rows:?}"))
    };
    // Withholding keeps the model: everything forced matching names is right. It names fewer than before.
    for name in ["5 % withheld", "20 % withheld"] {
        let forced = &row(name)["methods"]["forced"];
        assert_eq!(forced["right"], forced["named"], "{name}");
        assert!(forced["named"].as_u64() <= found["counts"]["forced"].as_u64());
    }
    // Keys shared by two: each name is a guess among two.
    let shared = &row("keys shared by 2")["methods"]["forced"];
    let (named, expected) = (shared["named"].as_f64(), shared["expected"].as_f64());
    assert!((named.expect("a count") / 2.0 - expected.expect("a number")).abs() < 1e-9);
}

#[test]
fn two_columns_name_one_person_only_together() {
    let directory = empty();
    let at = directory.path();
    // "Ann Lee" of "Ely" and "Ann" of "Lee Ely" are two people.
    let people = "name,town,institution\nAnn Lee,Ely,shop\nAnn,Lee Ely,bank\n";
    write(at, "people.csv", people);
    write(at, "samples.csv", "id,institution\nx,shop\ny,bank\n");
    let sides = ["--identified", "people.csv", "--anonymous", "samples.csv"];
    let named = ["--identified-id", "name,town"];
    let (code, found) = json(at, &[&["attack", "trails"], &sides[..], &named].concat());
    assert_eq!((code, &found["identified"]), (0, &2.into()), "{found}");
    assert_eq!(found["counts"]["forced"], 2, "{found}");
}

#[test]
fn trails_of_nobody_have_no_rate() {
    let directory = empty();
    let at = directory.path();
    write(at, "people.csv", "id,institution\nAnn,shop\n");
    write(at, "samples.csv", "id,institution\n");
    let args = [
        "attack",
        "trails",
        "--identified",
        "people.csv",
        "--anonymous",
        "samples.csv",
    ];
    let output = crate::support::run(at, &args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains('%'), "{text}");
}
