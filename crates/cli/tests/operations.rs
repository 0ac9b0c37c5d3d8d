//! Operations on single columns through the binary: coding, numbers averaged within classes, pseudonyms, the mapping.

mod support;

use support::{denym, files, json, patients, write};

const KEY: &str = "a key that is long enough";

/// The cells of a released CSV, without its header.
fn cells(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut rows = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (rows.next().expect("a header"), rows.collect())
}

/// Releases the patients with these lines of the policy replaced.
fn released(directory: &std::path::Path, edits: &[(&str, &str)], more: &[&str]) -> String {
    let mut text = support::POLICY.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    write(directory, "policy.toml", text);
    let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
    let (code, found) = json(directory, &[&args, more].concat());
    assert_eq!(code, 0, "{found}");
    let (code, verified) = json(directory, &["verify", "out/release"]);
    assert_eq!((code, &verified["holds"]), (0, &true.into()), "{verified}");
    std::fs::read_to_string(directory.join("out/release/patients.csv")).expect("data")
}

#[test]
fn top_and_bottom_coding_bounds_what_is_published() {
    let directory = patients();
    let age = "age = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }";
    let plain = "age = { role = \"insensitive\", top = 55, bottom = 35 }";
    let text = released(directory.path(), &[(age, plain)], &[]);
    let (header, rows) = cells(&text);
    let at = header.iter().position(|name| name == "age").expect("age");
    let mut ages: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
    ages.sort_unstable();
    assert_eq!(ages, ["35", "35", "35", "36", "52", "55", "55", "55"]);
    let readme =
        std::fs::read_to_string(directory.path().join("out/release/README.md")).expect("it");
    assert!(
        readme.contains("show 55 where the number is 55 or more"),
        "{readme}"
    );

    let wrong = support::POLICY.replace("sex = \"quasi\"", "sex = { role = \"quasi\", top = 5 }");
    write(directory.path(), "policy.toml", wrong);
    let (code, found) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "other"],
    );
    assert_eq!(
        (code, found["error"]["code"].as_str()),
        (2, Some("policy-not-numeric"))
    );
}

#[test]
fn each_class_shows_the_mean_of_its_ages() {
    let directory = patients();
    let interval = "hierarchy = { interval = [5, 10, 20] } }";
    for (middle, expected) in [("mean", ["34", "55.75"]), ("median", ["34", "55"])] {
        let with =
            format!("hierarchy = {{ interval = [5, 10, 20] }}, microaggregate = \"{middle}\" }}");
        let edits = [
            (interval, with.as_str()),
            ("k-anonymity = 2", "k-anonymity = 4"),
        ];
        let (header, rows) = cells(&released(directory.path(), &edits, &[]));
        let at = header.iter().position(|name| name == "age").expect("age");
        let mut ages: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        ages.dedup();
        assert_eq!(ages, expected, "{middle}");
        assert_eq!(rows.len(), 8);
    }
}

#[test]
fn pseudonyms_need_their_key_and_never_show_it() {
    let directory = patients();
    let path = directory.path();
    let edit =
        |source: &str| format!("name = {{ role = \"identifier\", pseudonym = {{ {source} }} }}");
    write(path, "secret.key", format!("{KEY}\n"));
    let from_file = edit("key-file = \"secret.key\"");
    let first = released(path, &[("name = \"identifier\"", &from_file)], &[]);
    let (header, rows) = cells(&first);
    let at = header.iter().position(|name| name == "name").expect("name");
    let mut tokens: Vec<&String> = rows.iter().map(|row| &row[at]).collect();
    assert!(
        tokens
            .iter()
            .all(|t| t.len() == 32 && t.bytes().all(|b| b.is_ascii_hexdigit()))
    );
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 8);
    for (file, bytes) in files(&path.join("out")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY), "the key is in {}", file.display());
        let public = file.starts_with("release");
        assert!(
            !(public && text.contains("Ann")),
            "a name is in {}",
            file.display()
        );
    }
    // The same key from the environment gives the same tokens; another key gives others.
    let text = support::POLICY.replace(
        "name = \"identifier\"",
        &edit("key-env = \"DENYM_TEST_KEY\""),
    );
    write(path, "policy.toml", text);
    let with = |key: Option<&str>| {
        let mut command = denym();
        command.current_dir(path).args([
            "anonymize",
            "policy.toml",
            "-o",
            "env",
            "--force",
            "--json",
        ]);
        command.env_remove("DENYM_TEST_KEY");
        if let Some(key) = key {
            command.env("DENYM_TEST_KEY", key);
        }
        let output = command.output().expect("denym runs");
        let data =
            std::fs::read_to_string(path.join("env/release/patients.csv")).unwrap_or_default();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            data,
        )
    };
    let (code, said, _) = with(None);
    assert!(code == Some(2) && said.contains("DENYM_TEST_KEY"), "{said}");
    let (code, said, _) = with(Some("short"));
    assert!(code == Some(2) && !said.contains("short\""), "{said}");
    assert_eq!(with(Some(KEY)).2, first);
    assert_ne!(with(Some("another key, long enough too")).2, first);
}

#[test]
fn the_mapping_adds_up() {
    let directory = patients();
    released(directory.path(), &[], &["--mapping"]);
    let file = directory.path().join("out/steward/mapping.csv");
    let (header, rows) = cells(&std::fs::read_to_string(file).expect("a mapping"));
    assert_eq!(
        header,
        ["attribute", "value", "fate", "published", "records"]
    );
    for attribute in ["zip", "age", "sex"] {
        let records = rows.iter().filter(|row| row[0] == attribute);
        let records: u64 = records
            .map(|row| row[4].parse::<u64>().expect("a count"))
            .sum();
        assert_eq!(records, 8, "{attribute}");
    }
    assert!(rows.iter().any(|row| row[0] == "age" && row[1] == "34"));
    released(directory.path(), &[], &[]);
    assert!(!directory.path().join("out/steward/mapping.csv").exists());
}
