//! Cells that a spreadsheet would run: escaped, refused or kept, and judged the same.

use super::run;
use super::support::{json, patients, write};

/// Two diagnoses that would run, one that only looks escaped, and negative numbers.
fn hostile(directory: &std::path::Path, formulas: &str) {
    let data = super::support::PATIENTS
        .replace("flu", "\"=cmd|' /C calc'!A0\"")
        .replace("cancer", "'=cmd|' /C calc'!A0")
        .replace("disease", "=disease")
        .replace(",34,", ",-34,");
    write(directory, "patients.csv", data);
    let policy = super::support::POLICY
        .replace("disease = ", "\"=disease\" = ")
        .replace(
            "age = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }",
            "age = \"insensitive\"",
        )
        .replace("[release]\n", &format!("[release]\n{formulas}"));
    write(directory, "policy.toml", policy);
}

fn released(directory: &std::path::Path) -> String {
    std::fs::read_to_string(directory.join("out/release/patients.csv")).expect("data")
}

#[test]
fn what_would_run_is_text_and_verifies() {
    let directory = patients();
    let at = directory.path();
    hostile(at, "");
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let text = released(at);
    assert!(
        text.lines()
            .next()
            .is_some_and(|header| header.contains("'=disease")),
        "{text}"
    );
    for line in text.lines() {
        for cell in line.split(',') {
            let cell = cell.trim_matches('"');
            assert!(!cell.starts_with('=') && !cell.starts_with('@'), "{text}");
        }
    }
    // Two values stay two, and a number stays one.
    assert!(
        text.contains("'=cmd") && text.contains("''=cmd") && text.contains(",-34,"),
        "{text}"
    );
    let (code, found) = json(at, &["verify", "out"]);
    assert_eq!(code, 0, "{found}");
    let (code, found) = json(at, &["attack", "table", "out"]);
    assert!(code <= 1, "{found}");
}

#[test]
fn a_policy_may_refuse_or_keep_them() {
    let directory = patients();
    let at = directory.path();
    hostile(at, "formulas = \"refuse\"\n");
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (1, &"formula-cells".into()),
        "{found}"
    );
    assert!(
        !found.to_string().contains("cmd") && !at.join("out").exists(),
        "{found}"
    );
    hostile(at, "formulas = \"keep\"\n");
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert!(released(at).contains(",=cmd") || released(at).contains("\"=cmd"));
    assert_eq!(run(at, &["verify", "out"]).0, 0);
    hostile(at, "formulas = \"run\"\n");
    assert_eq!(
        json(at, &["anonymize", "policy.toml", "-o", "out"]).1["error"]["code"],
        "policy-unknown-value"
    );
}

/// Only CSV is opened by spreadsheets; other formats carry what was judged.
#[test]
fn other_formats_are_left_alone() {
    let directory = patients();
    let at = directory.path();
    hostile(at, "format = \"json\"\n");
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let text = std::fs::read_to_string(at.join("out/release/patients.json")).expect("data");
    assert!(
        text.contains("\"=cmd") && text.contains("\"'=cmd") && !text.contains("''=cmd"),
        "{text}"
    );
    assert_eq!(run(at, &["verify", "out"]).0, 0);
}
