//! No message repeats a record, whatever was taken for what.

use super::run;
use super::support::{empty, patients, write};

/// A thousand people; no word of them may be printed.
fn people() -> String {
    "name,city,diagnosis\n".to_owned() + &"Alice Archer,Boston,flu\n".repeat(1000)
}

fn tells_nothing(text: &str) {
    for cell in ["Alice", "Archer", "Boston", "flu"] {
        assert!(!text.contains(cell), "{cell}: {text}");
    }
}

#[test]
fn data_in_place_of_a_policy_is_one_message() {
    let directory = empty();
    let at = directory.path();
    write(at, "people.csv", people());
    write(
        at,
        "people.json",
        "{\"name\":\"Alice Archer\",\"diagnosis\":\"flu\"}\n".repeat(100),
    );
    write(
        at,
        "people.toml",
        "[[patient]]\nname = \"Alice Archer\"\ndiagnosis = \"flu\"\n".repeat(100),
    );
    for file in ["people.csv", "people.json", "people.toml"] {
        for command in [
            vec!["anonymize", file],
            vec!["stream", file],
            vec!["explore", file],
            vec!["access", "check", file],
            vec!["audit", "people.csv", "--policy", file],
        ] {
            for extra in [&[][..], &["--json"]] {
                let args = [command.as_slice(), extra].concat();
                let (code, text) = run(at, &args);
                assert_eq!(code, 2, "{args:?}: {text}");
                // A mistake on the command line would exit with 2 as well.
                assert!(text.contains("this file is no"), "{args:?}: {text}");
                tells_nothing(&text);
                assert!(text.matches("error:").count() <= 1, "{args:?}: {text}");
                assert!(text.len() < 2000, "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn a_broken_policy_shows_its_keys_and_nothing_else() {
    let directory = empty();
    let policy =
        "[data]\npath = \"people.csv\nAlice Archer,Boston,flu\n[promise]\nk-anonymity = = 5\n";
    write(directory.path(), "policy.toml", policy);
    let (code, text) = run(directory.path(), &["anonymize", "policy.toml"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("k-anonymity = = 5"), "{text}");
    tells_nothing(&text);
}

/// A file of texts without a header looks as if it had one: its first record is never listed as names.
#[test]
fn a_first_record_is_not_listed_as_names_of_columns() {
    let directory = patients();
    let at = directory.path();
    let people = "Alice Archer,Boston,flu\nBob Baker,Salem,cough\nCarl Cook,Boston,flu\n";
    write(at, "patients.csv", people);
    write(at, "second.csv", people);
    for args in [
        &["anonymize", "policy.toml"][..],
        &[
            "audit",
            "patients.csv",
            "--quasi",
            "age",
            "--sensitive",
            "disease",
        ],
        &["audit", "patients.csv", "--quasi", "bostom"],
        &[
            "attack",
            "table",
            "patients.csv",
            "--external",
            "second.csv",
            "--sensitive",
            "disease",
        ],
        &[
            "attack",
            "queries",
            "patients.csv",
            "--known",
            "zip",
            "--number",
            "age",
        ],
        &["explore", "policy.toml"],
    ] {
        for extra in [&[][..], &["--json"]] {
            let (code, text) = run(at, &[args, extra].concat());
            assert_eq!(code, 2, "{args:?}: {text}");
            assert!(text.contains("no column"), "{args:?}: {text}");
            tells_nothing(&text);
        }
    }
    let (_, text) = run(at, &["anonymize", "policy.toml"]);
    assert!(text.contains("header = false"), "{text}");
}

/// Where the header is one for sure, the nearest name still helps.
#[test]
fn a_real_header_is_still_listed() {
    let directory = patients();
    let policy = super::support::POLICY.replace("zip = {", "zipp = {");
    write(directory.path(), "policy.toml", policy);
    let (code, text) = run(directory.path(), &["anonymize", "policy.toml"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("did you mean `zip`"), "{text}");
}
