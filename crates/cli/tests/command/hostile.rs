//! Hostile input: a clear error and exit 2 (or it is handled), never a panic, never a cell in a message, nothing written.

use crate::support;

use std::path::Path;

use support::{POLICY, json, patients, run, write};

/// A text that no message may ever contain.
const SECRET: &str = "Sekretna-Wartosc";

/// Runs the policy of `directory`; asserts exit 2 with this code, and that nothing was written or told.
fn refuses(directory: &Path, code: &str) {
    let output = run(directory, &["anonymize", "policy.toml", "-o", "bundle"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{code}: {stderr}");
    assert!(
        stderr.starts_with("error:") && stderr.contains("help:"),
        "{code}: {stderr}"
    );
    assert!(!stderr.contains("panicked"), "{code}: {stderr}");
    for text in [&stderr, &stdout] {
        assert!(!text.contains(SECRET), "{code}: {text}");
    }
    let left: Vec<_> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.to_string_lossy().contains("bundle")
                || name.to_string_lossy().starts_with(".denym")),
        "{left:?}"
    );
    let (exit, document) = json(directory, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!(exit, 2);
    assert_eq!(document["error"]["code"], code, "{document}");
    for key in ["message", "location", "help"] {
        assert!(
            !document["error"][key].is_null() || key == "location",
            "{document}"
        );
    }
    assert!(!document.to_string().contains(SECRET), "{document}");
}

fn with_data(content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let directory = patients();
    write(directory.path(), "patients.csv", content);
    directory
}

/// Runs the policy on `content`, which must be accepted.
fn accepts(content: impl AsRef<[u8]>) -> serde_json::Value {
    let directory = with_data(content);
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 0, "{document}");
    document
}

#[test]
fn ragged_rows_name_the_line() {
    let directory = with_data(format!("{}{SECRET},1,2\n", support::PATIENTS));
    refuses(directory.path(), "csv-ragged");
    let (_, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert!(
        document["error"]["location"]
            .as_str()
            .is_some_and(|place| place.ends_with("patients.csv:10")),
        "{document}"
    );
}

#[test]
fn an_open_quote_is_found() {
    refuses(
        with_data(format!("{}\"{SECRET},10115,34,f,flu\n", support::PATIENTS)).path(),
        "csv-unclosed-quote",
    );
}

#[test]
fn nul_bytes_are_refused() {
    refuses(
        with_data(format!("{}{SECRET}\0,10115,34,f,flu\n", support::PATIENTS)).path(),
        "csv-nul-byte",
    );
}

#[test]
fn empty_files_are_refused() {
    refuses(with_data("").path(), "empty-file");
    refuses(with_data("name,zip,age,sex,disease\n").path(), "no-records");
}

#[test]
fn duplicate_headers_are_refused() {
    refuses(
        with_data("name,zip,age,sex,disease,zip\nAnn,1,2,f,flu,3\n").path(),
        "csv-duplicate-column",
    );
}

#[test]
fn a_missing_file_is_named() {
    let directory = patients();
    std::fs::remove_file(directory.path().join("patients.csv")).expect("removed");
    refuses(directory.path(), "file-not-found");
}

#[test]
fn numbers_as_text_do_not_fit_intervals() {
    let text = support::PATIENTS.replace(",34,", &format!(",{SECRET},"));
    refuses(with_data(text).path(), "hierarchy-wrong-kind");
    let text = support::PATIENTS.replace(",34,", ",NaN,");
    refuses(with_data(text).path(), "hierarchy-wrong-kind");
}

#[test]
fn a_declared_type_is_checked() {
    let directory = with_data(support::PATIENTS.replace(",34,", &format!(",{SECRET},")));
    let policy = POLICY.replace(
        "age = { role = \"quasi\",",
        "age = { role = \"quasi\", type = \"integer\",",
    );
    write(directory.path(), "policy.toml", policy);
    refuses(directory.path(), "wrong-kind");
}

#[test]
fn byte_order_marks_and_mixed_line_ends_are_handled() {
    let plain = accepts(support::PATIENTS);
    let mixed = support::PATIENTS.replacen('\n', "\r\n", 3);
    for content in [
        format!("\u{feff}{}", support::PATIENTS),
        mixed,
        support::PATIENTS.replace('\n', "\r\n"),
    ] {
        let found = accepts(content);
        assert_eq!(found["metric"], plain["metric"]);
        assert_eq!(found["classes"], plain["classes"]);
    }
    let utf16: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(support::PATIENTS.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(accepts(utf16)["metric"], plain["metric"]);
    assert_eq!(
        accepts(support::PATIENTS.replace(',', ";"))["metric"],
        plain["metric"]
    );
}

#[test]
fn a_huge_cell_is_handled() {
    let name = "x".repeat(10 << 20);
    accepts(support::PATIENTS.replace("Ann", &name));
}

#[test]
fn hierarchies_name_file_and_line() {
    let directory = patients();
    let policy = POLICY.replace(
        "sex = \"quasi\"",
        "sex = { role = \"quasi\", hierarchy = \"sex.csv\" }",
    );
    write(directory.path(), "policy.toml", policy);
    for (content, code, place) in [
        ("f;*\n", "hierarchy-missing-value", "sex.csv"),
        ("f;*\nm;*;*\n", "hierarchy-ragged", "sex.csv:2"),
        ("f;x;f\nm;x;f\n", "hierarchy-cycle", "sex.csv:1"),
        ("f;x;a\nm;x;b\n", "hierarchy-does-not-nest", "sex.csv:2"),
        (
            "f;*\nm;*\nf;other\n",
            "hierarchy-contradiction",
            "sex.csv:3",
        ),
    ] {
        write(directory.path(), "sex.csv", content);
        refuses(directory.path(), code);
        let (_, document) = json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle"],
        );
        assert!(
            document["error"]["location"]
                .as_str()
                .is_some_and(|found| found.ends_with(place)),
            "{document}"
        );
    }
}

#[test]
fn k_larger_than_n_names_the_nearest_point() {
    let directory = patients();
    write(
        directory.path(),
        "policy.toml",
        POLICY.replace("k-anonymity = 2", "k-anonymity = 9"),
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 1, "{document}");
    assert_eq!(document["status"], "refused");
    assert_eq!(document["error"]["code"], "infeasible");
    let message = document["error"]["message"].as_str().expect("a message");
    assert!(message.contains("k-anonymity 8"), "{message}");
    assert!(!directory.path().join("bundle").exists());
}

#[test]
fn missing_values_are_a_value_of_their_own() {
    let content =
        "name,zip,age,sex,disease\nA,,34,f,flu\nB,,34,f,cancer\nC,1,34,f,flu\nD,1,34,f,asthma\n";
    let document = accepts(content);
    assert_eq!(document["classes"], 2, "{document}");
    assert_eq!(document["levels"]["zip"], 0, "{document}");
}

#[test]
fn incomplete_records_go_when_the_policy_says_so() {
    let content =
        "name,zip,age,sex,disease\nA,,34,f,flu\nB,1,34,f,cancer\nC,1,34,f,flu\nD,1,34,f,asthma\n";
    let directory = with_data(content);
    let policy = POLICY
        .replace(
            "zip = { role = \"quasi\",",
            "zip = { role = \"quasi\", missing = \"suppress\",",
        )
        .replace("suppress-at-most = 0", "suppress-at-most = 0.25");
    write(directory.path(), "policy.toml", policy);
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(
        (code, &document["suppressed_records"], &document["classes"]),
        (0, &1.into(), &1.into()),
        "{document}"
    );
}

#[test]
fn one_column_with_a_missing_cell_survives() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "one.csv", "zip\n1\n1\n\"\"\n\"\"\n");
    write(
        directory.path(),
        "policy.toml",
        "[data]\npath = \"one.csv\"\n[attributes]\nzip = \"quasi\"\n[promise]\nk-anonymity = 2\n",
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(
        (code, &document["classes"], &document["suppressed_records"]),
        (0, &2.into(), &0.into()),
        "{document}"
    );
}
