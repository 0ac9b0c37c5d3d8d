//! Adversaries who know the program, through the binary: what is drawn is never the same twice, and what is not safe says so.

use crate::support;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use support::{json, list, patients, write};

const ATTRIBUTES: &str = r#"[data]
path = "patients.csv"

[attributes]
zip = { role = "quasi", hierarchy = { redact = "right" } }
age = { role = "quasi", hierarchy = { interval = [5, 10, 20] } }
sex = "quasi"
disease = "sensitive"
"#;

fn anonymize(directory: &Path, rest: &str) -> (i32, Value) {
    write(directory, "policy.toml", format!("{ATTRIBUTES}{rest}"));
    json(
        directory,
        &["anonymize", "policy.toml", "-o", "out", "--force"],
    )
}

fn text(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join("out").join(file)).expect("a file of the bundle")
}

fn certificate(directory: &Path) -> Value {
    serde_json::from_str(&text(directory, "release/certificate.json")).expect("JSON")
}

/// Eight people in four groups of two: one release in 192 at best looks like the one before it, so twelve alike in a row are one in 10^25.
#[test]
fn anatomy_is_dealt_anew_each_time_and_says_so() {
    let directory = patients();
    let path = directory.path();
    let mut seen = BTreeSet::new();
    for _ in 0..12 {
        let (code, found) = anonymize(
            path,
            "[promise]\nl-diversity = 2\n[release]\nalgorithm = \"anatomy\"\nseed = 7\n",
        );
        assert_eq!(code, 0, "{found}");
        seen.insert(text(path, "release/patients.csv"));
    }
    assert!(seen.len() > 1, "the same policy and seed repeat the deal");
    let certificate = certificate(path);
    assert_eq!(certificate["altered"][0]["reproducible"], false);
    assert_eq!(certificate["program"]["standing"], "holds");
    let attacks = text(path, "steward/attacks.json");
    assert!(
        attacks.contains("drawn from secret randomness"),
        "{attacks}"
    );
}

#[test]
fn a_release_that_is_not_safe_against_who_knows_the_program_says_so_everywhere() {
    let directory = patients();
    let path = directory.path();
    let (code, found) = anonymize(
        path,
        "[promise]\nk-anonymity = 2\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\n",
    );
    assert_eq!(code, 0, "{found}");
    let listed = json(path, &["algorithms"]).1;
    let entry = list(&listed["algorithms"])
        .iter()
        .find(|entry| entry["name"] == "full-domain")
        .expect("it is listed");
    let rate = &entry["program"]["values"]["beyond_per_mille"];
    assert!(rate.as_u64() > Some(0), "{entry}");
    assert_eq!(entry["program"]["sizes"]["standing"], "holds");
    for told in [&found["program"], &certificate(path)["program"]] {
        assert_eq!(told["standing"], "exceeded", "{told}");
        assert_eq!(&told["beyond_per_mille"], rate);
        assert_eq!(told["demanded"], false);
    }
    for file in ["release/README.md", "steward/report.html"] {
        let text = text(path, file);
        assert!(
            text.contains("Not safe against who knows the program"),
            "{file}"
        );
    }
    assert!(text(path, "steward/plan.json").contains("not safe against who knows it"));
}

#[test]
fn a_policy_that_demands_safety_is_served_by_what_is_safe_only() {
    let directory = patients();
    let path = directory.path();
    let asked = "[adversary]\nknows = { quasi-identifiers = true, algorithm = true }\n\
                 [promise]\nk-anonymity = 2\nl-diversity = 2\n[release]\n";
    let (code, found) = anonymize(path, &format!("{asked}algorithm = \"mondrian\"\n"));
    assert_eq!(code, 2, "{found}");
    let error = found["error"].to_string();
    assert!(error.contains("policy-unsafe-algorithm"), "{error}");
    for name in ["blind-generalization", "anatomy", "auto"] {
        assert!(error.contains(name), "{error}");
    }
    let (code, found) = anonymize(path, &format!("{asked}algorithm = \"auto\"\n"));
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["algorithm"], "blind-generalization", "{found}");
    let tried = list(&found["attempts"]);
    let left_out = tried.iter().filter(|tried| {
        let outcome = tried["outcome"].as_str().unwrap_or_default();
        outcome.contains("not safe against who knows the program")
    });
    assert!(left_out.count() > 5, "{found}");
    assert_eq!(certificate(path)["program"]["demanded"], true);
    assert_eq!(certificate(path)["program"]["standing"], "holds");
    let (code, verified) = json(path, &["verify", "out/release"]);
    assert_eq!((code, &verified["holds"]), (0, &true.into()), "{verified}");
    // Sizes alone are safe with the search as it is.
    let sizes = "[adversary]\nknows = { at-most = 2, algorithm = true }\n[promise]\nk-anonymity = 2\n[release]\n\
                 algorithm = \"full-domain\"\n";
    assert_eq!(anonymize(path, sizes).0, 0);
}

/// Sixty people, every third with several stays.
fn stays() -> String {
    let mut text = "patient,zip,age,disease\n".to_owned();
    for patient in 0..60 {
        let disease = ["flu", "gout", "ulcer"][patient % 3];
        let (zip, age) = (1000 + patient % 2 * 100, 20 + patient % 40);
        for _ in 0..=(patient % 3 / 2) * 2 {
            text += &format!("p{patient},{zip},{age},{disease}\n");
        }
    }
    text
}

const OF_PEOPLE: &str = r#"[data]
path = "stays.csv"

[attributes]
patient = "subject"
zip = { role = "quasi", hierarchy = { redact = "right" } }
age = { role = "quasi", hierarchy = { interval = [5, 10, 20, 40] } }
disease = "sensitive"

[adversary]
knows = { quasi-identifiers = true, algorithm = true }

[promise]
k-anonymity = 3
l-diversity = 2
"#;

/// How many records a person has in a class finds the person, so against who knows the program everybody publishes one.
#[test]
fn people_publish_one_record_each_where_the_program_is_known() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    write(path, "stays.csv", stays());
    let release = |allowed: &str| {
        let policy = format!("{OF_PEOPLE}[release]\nsuppress-at-most = {allowed}\n");
        write(path, "policy.toml", policy);
        json(path, &["anonymize", "policy.toml", "-o", "out", "--force"])
    };
    let (code, refused) = release("0.1");
    assert_eq!(code, 1, "40 of 100 records are further ones: {refused}");
    let words = refused.to_string();
    assert!(words.contains("further records of a person"), "{words}");
    assert!(words.contains("suppress-at-most = 0.4"), "{words}");
    let (code, found) = release("0.4");
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["algorithm"], "blind-generalization", "{found}");
    let certificate = certificate(path);
    assert_eq!(certificate["data"]["records"], 60, "one record of each");
    assert_eq!(certificate["suppressed_records"], 40);
    assert_eq!(certificate["program"]["standing"], "holds");
    let drawn = &list(&certificate["altered"])[0];
    assert_eq!(drawn["reproducible"], false, "{drawn}");
    let (code, verified) = json(path, &["verify", "out/release"]);
    assert_eq!(code, 0, "{verified}");
}

#[test]
fn what_was_not_tried_with_several_records_of_a_person_is_not_called_safe() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    write(path, "stays.csv", stays());
    let policy = OF_PEOPLE
        .replace(", algorithm = true", "")
        .replace("l-diversity = 2\n", "");
    write(path, "policy.toml", policy);
    let (code, found) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["program"]["standing"], "not-measured", "{found}");
}

#[test]
fn a_release_onto_another_is_refused_where_the_program_is_known() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let rows: String = (0..40).map(|n| format!("{},{}\n", n % 20, n)).collect();
    write(path, "numbers.csv", format!("a,b\n{rows}"));
    let policy = |knows: &str| {
        format!(
            "[data]\npath = \"numbers.csv\"\n[attributes]\na = \"quasi\"\nb = \"quasi\"\n[adversary]\nknows = {knows}\n\
             [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"mdav\"\n"
        )
    };
    write(path, "policy.toml", policy("\"quasi-identifiers\""));
    assert_eq!(json(path, &["anonymize", "policy.toml", "-o", "one"]).0, 0);
    let onto = ["anonymize", "policy.toml", "-o", "two", "--onto", "one"];
    assert_eq!(json(path, &onto).0, 0, "it can be added to");
    write(path, "policy.toml", policy("{ algorithm = true }"));
    let (code, refused) = json(
        path,
        &["anonymize", "policy.toml", "-o", "three", "--onto", "one"],
    );
    assert_eq!(code, 2, "{refused}");
    let words = refused["error"].to_string();
    assert!(
        words.contains("--onto") && words.contains("knows the program"),
        "{words}"
    );
    assert!(!path.join("three").exists());
}
