//! What people read: errors, summaries, help. Snapshots with paths and times filtered.

use crate::support;

use support::{patients, run, write};

/// Runs and returns exit code, standard output and standard error in one text.
fn transcript(directory: &std::path::Path, args: &[&str]) -> String {
    let output = run(directory, args);
    format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn every_mistake_of_a_policy_at_once() {
    let directory = patients();
    let policy = r#"[data]
path = "patients.csv"
delimeter = ";"

[attributes]
name = "identifer"
zip = { role = "quasi", hierarchy = { redact = "right", interval = [5] } }
age = { role = "quasi", hierarchy = { interval = [0] } }
sex = "quasi"
disease = { role = "sensitive", hierarchy = "x.csv" }

[promise]
k-anonymity = 0
l-diversity = { attribute = "diseese", kind = "entropie", l = 3 }
t-closeness = { attribute = "sex", t = 1.5 }

[release]
algorithm = "full-domian"
suppress-at-most = "5%"
"#;
    write(directory.path(), "policy.toml", policy);
    insta::assert_snapshot!(transcript(directory.path(), &["anonymize", "policy.toml"]));
}

#[test]
fn a_policy_that_is_no_toml() {
    let directory = patients();
    write(
        directory.path(),
        "policy.toml",
        "[data\npath = \"patients.csv\"\n[promise]\nk-anonymity = 5\n",
    );
    insta::assert_snapshot!(transcript(directory.path(), &["anonymize", "policy.toml"]));
}

#[test]
fn columns_the_data_does_not_have() {
    let directory = patients();
    write(
        directory.path(),
        "policy.toml",
        support::POLICY
            .replace("zip =", "zipp =")
            .replace("name =", "names ="),
    );
    insta::assert_snapshot!(transcript(directory.path(), &["anonymize", "policy.toml"]));
}

#[test]
fn the_summary_of_a_release() {
    let directory = patients();
    insta::assert_snapshot!(transcript(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"]
    ));
    insta::assert_snapshot!(transcript(directory.path(), &["verify", "bundle"]));
    let readme =
        std::fs::read_to_string(directory.path().join("bundle/release/README.md")).expect("a file");
    insta::assert_snapshot!(readme);
    let data = std::fs::read_to_string(directory.path().join("bundle/release/patients.csv"))
        .expect("a file");
    insta::assert_snapshot!(data);
    let certificate =
        std::fs::read_to_string(directory.path().join("bundle/release/certificate.json"))
            .expect("a file");
    insta::assert_snapshot!(certificate);
}

#[test]
fn an_infeasible_wish() {
    let directory = patients();
    write(
        directory.path(),
        "policy.toml",
        support::POLICY.replace("k-anonymity = 2", "k-anonymity = 9"),
    );
    insta::assert_snapshot!(transcript(directory.path(), &["anonymize", "policy.toml"]));
}

#[test]
fn an_audit() {
    let directory = patients();
    let args = [
        "audit",
        "patients.csv",
        "--quasi",
        "zip,age,sex",
        "--sensitive",
        "disease",
    ];
    insta::assert_snapshot!(transcript(directory.path(), &args));
    insta::assert_snapshot!(transcript(
        directory.path(),
        &["audit", "patients.csv", "--quasi", "zip,aeg"]
    ));
    insta::assert_snapshot!(transcript(
        directory.path(),
        &["audit", "absent.csv", "--quasi", "zip"]
    ));
}

#[test]
fn help_has_examples() {
    let directory = patients();
    for command in ["audit", "anonymize", "verify", "explore", "generate"] {
        let text = transcript(directory.path(), &[command, "--help"]);
        assert!(
            text.starts_with("exit 0") && text.contains("Examples:"),
            "{command}: {text}"
        );
    }
    insta::assert_snapshot!(transcript(directory.path(), &["--help"]));
    insta::assert_snapshot!(transcript(directory.path(), &["algorithms"]));
}

#[test]
fn a_hospital_is_always_the_same() {
    let directory = patients();
    let output = run(
        directory.path(),
        &["generate", "hospital", "--seed", "1", "--rows", "1000"],
    );
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/hospital/patients.csv"
    );
    assert!(
        output.stdout == std::fs::read(example).expect("the example"),
        "the committed example is what the generator makes"
    );
    assert_eq!(
        run(directory.path(), &["generate", "hospitul"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_slip_on_the_command_line_is_json_too() {
    let directory = patients();
    let (code, document) = support::json(
        directory.path(),
        &["audit", "patients.csv", "--quazi", "zip"],
    );
    assert_eq!((code, &document["error"]["code"]), (2, &"usage".into()));
    assert!(
        document["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("--quazi"))
    );
}
