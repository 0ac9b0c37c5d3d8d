//! Paths through the command: hostile files, policies full of mistakes, and what the public half must not show.

use crate::support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::paths::{GLOBAL, TABLE_1, WELFARE, policy};
use support::{files, json, run, write};

/// The public half shows no doublet, value or name that the release does not publish.
#[test]
fn the_public_half_keeps_what_is_suppressed() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut csv = "card,station,hour,name,kind,work\n".to_owned();
    for person in 0..40 {
        for (station, hour) in [("Harbor", 7), ("Central", 8 + person % 2)] {
            csv += &format!(
                "card{person},{station},{hour},name{person},kind{},{}\n",
                person % 2,
                person % 4
            );
        }
    }
    csv += "cardX,Lighthouse,77,nameX,kind0,9\n";
    csv += "cardY,Lighthouse,78,nameY,kindY,9\n";
    write(at, "trips.csv", csv);
    for format in ["csv", "parquet", "json"] {
        let text = format!(
            "[data]\npath = \"trips.csv\"\nkind = \"paths\"\nsubject = \"card\"\nlocation = \"station\"\ntime = \"hour\"\n\
             [attributes]\nname = \"identifier\"\nkind = \"quasi\"\nwork = \"sensitive\"\n\
             [adversary]\nknows = {{ doublets = 2 }}\n[promise]\nk-anonymity = 3\n\
             [release]\nsuppress-at-most = 0.1\nformat = \"{format}\"\n"
        );
        write(at, "p.toml", text);
        let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        assert_eq!(code, 0, "{found}");
        assert_eq!(found["suppressed_records"], 1, "the only one of kindY");
        for (name, bytes) in files(&at.join("out/release")) {
            let text = String::from_utf8_lossy(&bytes);
            for secret in [
                "Lighthouse",
                "kindY",
                "nameX",
                "name1",
                "cardX",
                "card1",
                "77",
                "78",
            ] {
                let cells = text.split(|c: char| !c.is_alphanumeric());
                let hit = cells.into_iter().any(|word| word == secret);
                let digest = name.ends_with("certificate.json") && secret.starts_with('7');
                assert!(!hit || digest, "{secret} in {}", name.display());
            }
        }
        let table = denym::table(
            &at.join(format!("out/release/trips.{format}")),
            &denym::ReadOptions::default(),
        )
        .expect("a table");
        let columns: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(columns, ["card", "station", "hour", "kind", "work"]);
        let cards: BTreeSet<&str> = table
            .column("card")
            .expect("cards")
            .dictionary
            .values()
            .collect();
        assert!(cards.contains("1") && cards.contains("41") && cards.len() == 41);
    }
}

#[test]
fn hostile_files_get_a_clear_error_and_no_cell_is_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let check = |data: &[u8], columns: &str, code: &str, place: &str| {
        write(at, "t.csv", data);
        let text = policy("t.csv", 2, 2, "", "covers", GLOBAL)
            .replace("kind = \"paths\"", &format!("kind = \"paths\"\n{columns}"));
        write(at, "p.toml", text);
        let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        assert_eq!(
            (exit, &found["error"]["code"]),
            (2, &Value::from(code)),
            "{found}"
        );
        assert!(!found.to_string().contains("SECRET"), "{found}");
        let location = found["error"]["location"].as_str().unwrap_or("");
        assert!(location.contains(place), "{location}");
        assert!(
            found["error"]["help"]
                .as_str()
                .is_some_and(|help| !help.is_empty())
        );
    };
    check(
        b"path\na1>SECRET\n",
        "",
        "path-doublet-without-time",
        "row 1",
    );
    check(
        b"path\na1\nb2\nSECRET3>b3\n",
        "",
        "path-two-places-at-one-time",
        "row 3",
    );
    check(b"path\na1>>b2\n", "", "path-doublet-without-time", "row 1");
    let long = |rows: &str| format!("subject,location,time\n{rows}").into_bytes();
    check(
        &long("x,a,1\ny,a,1\nx,SECRET,1\n"),
        "",
        "path-two-places-at-one-time",
        "row 3",
    );
    check(&long("x,a,1\n,SECRET,1\n"), "", "path-cell", "row 2");
    check(&long("x,a,1\nx,SECRET,\n"), "", "path-cell", "row 2");
    check(
        &long("x,a,SECRET\n"),
        "slot = { minutes = 5 }",
        "path-cell",
        "row 1",
    );
    check(b"who,SECRET\n1,2\n", "", "policy-unknown-column", "p.toml");
    check(
        b"id,path\nSECRET,a1\nSECRET,b2\n",
        "subject = \"id\"",
        "path-cell",
        "row 2",
    );
    check(
        b"subject,lat,lon,time\nx,95,SECRET,1\n",
        "latitude = \"lat\"\nlongitude = \"lon\"\ngrid = 100\nslot = 60",
        "path-cell",
        "row 1",
    );
    check(
        b"subject,lat,lon,time\nx,95,1,1\n",
        "latitude = \"lat\"\nlongitude = \"lon\"\ngrid = 100\nslot = 60",
        "path-point-off-globe",
        "row 1",
    );

    // Attributes belong to the subject.
    write(
        at,
        "t.csv",
        "subject,location,time,status\nx,a,1,SECRET\nx,b,2,other\n",
    );
    write(
        at,
        "p.toml",
        policy("t.csv", 2, 2, WELFARE, "covers", GLOBAL),
    );
    let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!(
        (exit, &found["error"]["code"]),
        (2, &"path-attribute-changes".into())
    );
    assert!(!found.to_string().contains("SECRET"));

    // K above the number of people is an answer, with the source's violations.
    write(at, "t.csv", TABLE_1);
    write(at, "p.toml", policy("t.csv", 2, 100, "", "covers", GLOBAL));
    let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!((exit, &found["status"]), (1, &"refused".into()));
    assert!(found["critical_violations"].as_u64().expect("a number") > 0);
    assert!(
        found["error"]["help"]
            .as_str()
            .expect("help")
            .contains("k = 8")
    );
    assert!(!at.join("out").exists());
}

#[test]
fn every_mistake_of_a_policy_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "t.csv", TABLE_1);
    let text = "\
[data]
path = \"t.csv\"
kind = \"paths\"
collapse = true
slot = { minutes = 5, hours = 1 }

[attributes]
status = \"insensitive\"

[adversary]
knows = { doublets = 0 }
matching = \"cover\"

[promise]
k-anonymity = 0
k-map = 3
confidence = { attribute = \"status\", at-most = 1.5 }

[release]
algorithm = \"local\"
slots = [2, 3]
";
    write(at, "p.toml", text);
    let output = run(at, &["anonymize", "p.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8(output.stderr).expect("text");
    for (line, words) in [
        (4, "unknown key `collapse`"),
        (5, "exactly one of `seconds`"),
        (11, "at least 1"),
        (12, "did you mean `covers`"),
        (15, "at least 1"),
        (16, "is not judged on paths"),
        (17, "between 0 and 1"),
        (20, "local-suppression"),
        (21, "whole slots"),
    ] {
        assert!(
            shown.contains(&format!("p.toml:{line}")),
            "line {line} in {shown}"
        );
        assert!(shown.contains(words), "{words} in {shown}");
    }
}
