//! `denym hierarchy`: lists what is ready-made, drafts, and finds what is not covered without showing a cell.

use crate::support;

use support::{json, run, write};

fn texts(output: &std::process::Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// People with a country, a diagnosis, an age and a job.
fn people() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let mut csv = String::from("country,icd,age,job,ill\n");
    for row in 0..60 {
        csv += &format!(
            "{},{},{},{},{}\n",
            ["DE", "France", "Österreich", "JP"][row % 4],
            ["I21.0", "E11.90", "C50.9"][row % 3],
            20 + row % 40,
            ["baker", "carver", "dyer", "farmer", "miner"][row % 5],
            ["yes", "no"][row % 2]
        );
    }
    write(directory.path(), "people.csv", csv);
    directory
}

#[test]
fn the_list_names_what_a_policy_can_name() {
    let directory = people();
    let output = run(directory.path(), &["hierarchy", "list"]);
    assert!(output.status.success());
    let text = texts(&output);
    let (code, document) = json(directory.path(), &["hierarchy", "list"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = document["hierarchies"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "ages",
            "countries",
            "dates",
            "german-postcodes",
            "icd-10",
            "isco-08",
            "iso-weeks",
            "us-zip"
        ]
    );
    for name in &names {
        assert!(text.contains(name), "{text}");
    }
    assert!(text.contains("DE > Western Europe > Europe"), "{text}");
    // A policy that misspells one is told which there are.
    let policy = "[data]\npath = \"people.csv\"\n\n[attributes]\ncountry = { role = \"quasi\", hierarchy = { ready-made = \"contries\" } }\n\n[promise]\nk-anonymity = 2\n";
    write(directory.path(), "p.toml", policy);
    let text = texts(&run(directory.path(), &["plan", "p.toml"]));
    assert!(
        text.contains("hierarchy.ready-made` cannot be `contries`"),
        "{text}"
    );
    assert!(text.contains("countries"), "{text}");
}

#[test]
fn ready_made_hierarchies_make_a_release() {
    let directory = people();
    let policy = r#"
[data]
path = "people.csv"

[attributes]
country = { role = "quasi", hierarchy = { ready-made = "countries" }, min-level = 1, max-level = 1 }
icd     = { role = "quasi", hierarchy = { ready-made = "icd-10" }, min-level = 3, max-level = 3 }
age     = { role = "quasi", hierarchy = { ready-made = "ages" }, min-level = 3, max-level = 3 }
ill     = "sensitive"

[promise]
k-anonymity = 2

[release]
algorithm = "full-domain"
suppress-at-most = 0.1
"#;
    write(directory.path(), "p.toml", policy);
    let (code, released) = json(directory.path(), &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{released}");
    let text = std::fs::read_to_string(directory.path().join("out/release/people.csv"))
        .expect("the release");
    assert!(text.contains("Western Europe"), "{text}");
    assert!(text.contains("I00-I99 circulation"), "{text}");
    assert!(text.contains("20-39"), "{text}");
    let (code, _) = json(directory.path(), &["verify", "out"]);
    assert_eq!(code, 0);
}

#[test]
fn values_that_are_not_covered_go_to_a_file_and_nowhere_else() {
    let directory = people();
    let at = directory.path();
    let more = std::fs::read_to_string(at.join("people.csv")).expect("people")
        + "Mordor,I21.0,33,baker,yes\nMordor,I21.0,34,baker,yes\nGondor,I21.0,34,baker,no\n";
    write(at, "people.csv", more);
    let args = [
        "hierarchy",
        "check",
        "people.csv",
        "--column",
        "country",
        "--hierarchy",
        "countries",
    ];
    let output = run(at, &[&args[..], &["-o", "uncovered.csv"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = texts(&output);
    assert_eq!(
        text,
        "country: 2 of 6 distinct values are not covered, in 3 of 63 records\nthey are listed in uncovered.csv\n"
    );
    let listed = std::fs::read_to_string(at.join("uncovered.csv")).expect("the list");
    assert_eq!(listed, "value,records\nMordor,2\nGondor,1\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(at.join("uncovered.csv"))
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // What is there is not lost.
    let output = run(at, &[&args[..], &["-o", "uncovered.csv"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(texts(&output).contains("--force"), "{}", texts(&output));
    // A policy says how many, where, and which command lists them; it shows none.
    write(
        at,
        "p.toml",
        "[data]\npath = \"people.csv\"\n\n[attributes]\ncountry = { role = \"quasi\", hierarchy = { ready-made = \"countries\" } }\n\n[promise]\nk-anonymity = 2\n",
    );
    let text = texts(&run(at, &["anonymize", "p.toml"]));
    for part in [
        "2 of the column's 6 distinct values are outside of `countries`",
        "3 records have one of them, the first is record 61",
        "p.toml:5",
        "denym hierarchy check",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("Mordor"), "{text}");
    // The same of a file.
    write(
        at,
        "job.csv",
        "baker,food,*\nfarmer,food,*\ncarver,craft,*\ndyer,craft,*\n",
    );
    write(
        at,
        "f.toml",
        "[data]\npath = \"people.csv\"\n\n[attributes]\njob = { role = \"quasi\", hierarchy = \"job.csv\" }\n\n[promise]\nk-anonymity = 2\n",
    );
    let text = texts(&run(at, &["anonymize", "f.toml"]));
    for part in [
        "1 of the column's 5 distinct values have no row",
        "12 records have one of them, the first is record 5",
        "denym hierarchy check",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("miner"), "{text}");
    let (code, found) = json(
        at,
        &[
            "hierarchy",
            "check",
            "people.csv",
            "--column",
            "job",
            "--hierarchy",
            "job.csv",
        ],
    );
    assert_eq!(
        (code, &found["uncovered"], &found["uncovered_records"]),
        (1, &1.into(), &12.into())
    );
    let (code, found) = json(
        at,
        &[
            "hierarchy",
            "check",
            "people.csv",
            "--column",
            "icd",
            "--hierarchy",
            "icd-10",
        ],
    );
    assert_eq!((code, &found["uncovered"]), (0, &0.into()), "{found}");
}

#[test]
fn a_drafted_file_is_a_hierarchy_of_its_column() {
    let directory = people();
    let at = directory.path();
    for (column, form, line) in [
        (
            "age",
            "auto",
            Some("age = { role = \"quasi\", hierarchy = { ready-made = \"ages\" } }"),
        ),
        (
            "age",
            "interval",
            Some("age = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }"),
        ),
        (
            "country",
            "auto",
            Some("country = { role = \"quasi\", hierarchy = { ready-made = \"countries\" } }"),
        ),
        (
            "icd",
            "redact",
            Some("icd = { role = \"quasi\", hierarchy = { redact = \"right\", step = 1 } }"),
        ),
        ("job", "order", None),
        ("job", "plain", None),
    ] {
        let (code, found) = json(
            at,
            &[
                "hierarchy",
                "draft",
                "people.csv",
                "--column",
                column,
                "--form",
                form,
                "-o",
                "h.csv",
                "--force",
            ],
        );
        assert_eq!(code, 0, "{column} {form}: {found}");
        assert_eq!(found["policy"].as_str(), line, "{column} {form}");
        let (code, checked) = json(
            at,
            &[
                "hierarchy",
                "check",
                "people.csv",
                "--column",
                column,
                "--hierarchy",
                "h.csv",
            ],
        );
        assert_eq!(
            (code, &checked["uncovered"]),
            (0, &0.into()),
            "{column} {form}: {checked}"
        );
    }
    let text = texts(&run(
        at,
        &["hierarchy", "draft", "people.csv", "--column", "job"],
    ));
    assert!(!text.contains("baker"), "{text}");
    let text = texts(&run(
        at,
        &[
            "hierarchy",
            "draft",
            "people.csv",
            "--column",
            "job",
            "--form",
            "interval",
        ],
    ));
    assert!(text.contains("needs numeric values"), "{text}");
    let text = texts(&run(
        at,
        &["hierarchy", "draft", "people.csv", "--column", "jobb"],
    ));
    assert!(
        text.contains("there is no column `jobb`") && text.contains("job"),
        "{text}"
    );
}

#[test]
fn intervals_that_do_not_nest_are_found_on_their_line() {
    let directory = people();
    let at = directory.path();
    write(
        at,
        "p.toml",
        "[data]\npath = \"people.csv\"\n\n[attributes]\nage = { role = \"quasi\", hierarchy = { interval = [5, 10, 25] } }\n\n[promise]\nk-anonymity = 2\n",
    );
    let text = texts(&run(at, &["anonymize", "p.toml"]));
    for part in ["width 3, 25, is no multiple of 10", "p.toml:5"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    write(at, "there.toml", "");
    let output = run(at, &["profile", "people.csv", "--init", "there.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let text = texts(&output);
    assert!(text.contains("`there.toml` exists already"), "{text}");
}
