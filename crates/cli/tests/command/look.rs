//! Looking at data before there is a policy: profile, compare, and the catalogues with their pages in the book.

use crate::support;

use support::{denym, json, run, write};

#[test]
fn a_drafted_policy_is_accepted_as_it_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let csv = run(
        directory.path(),
        &["generate", "hospital", "--seed", "4", "--rows", "800"],
    )
    .stdout;
    write(directory.path(), "patients.csv", csv);
    let (code, document) = json(
        directory.path(),
        &["profile", "patients.csv", "--init", "policy.toml"],
    );
    assert_eq!(code, 0, "{document}");
    let role = |name: &str| {
        let columns = document["columns"].as_array().expect("columns");
        columns
            .iter()
            .find(|column| column["name"] == name)
            .expect("there")["role"]
            .clone()
    };
    assert_eq!(role("name"), "identifier");
    assert_eq!(role("patient"), "subject");
    assert_eq!(role("zip"), "quasi");
    assert_eq!(role("diagnosis"), "sensitive");
    let columns = document["columns"].as_array().expect("columns");
    assert!(columns.iter().all(|column| {
        column["reasons"]
            .as_array()
            .is_some_and(|reasons| !reasons.is_empty())
    }));
    let (code, released) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(
        (code, &released["status"]),
        (0, &"released".into()),
        "{released}"
    );
    // It is never overwritten.
    assert_eq!(
        run(
            directory.path(),
            &["profile", "patients.csv", "--init", "policy.toml"]
        )
        .status
        .code(),
        Some(2)
    );
}

#[test]
fn the_most_identifying_combination_comes_first() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut csv = String::from("age,sex,zip\n");
    for row in 0..60 {
        csv += &format!(
            "{},{},{}\n",
            20 + row / 2,
            ["f", "m"][row % 2],
            10_000 + row % 3
        );
    }
    write(directory.path(), "t.csv", csv);
    let (_, document) = json(directory.path(), &["profile", "t.csv"]);
    let first = &document["combinations"][0];
    assert_eq!(
        first["columns"],
        serde_json::json!(["age", "sex"]),
        "{document}"
    );
    assert_eq!(
        (&first["uniques"], &first["separation"]),
        (&60.into(), &1.0.into())
    );
}

#[test]
fn a_table_compared_with_itself_has_not_moved() {
    let directory = support::patients();
    let (code, document) = json(
        directory.path(),
        &["compare", "patients.csv", "patients.csv"],
    );
    assert_eq!(
        (
            code,
            &document["records_before"],
            &document["records_after"]
        ),
        (0, &8.into(), &8.into())
    );
    for (name, column) in document["columns"].as_object().expect("columns") {
        assert_eq!(column["total_variation"], 0.0, "{name}");
    }
    assert_eq!(
        json(directory.path(), &["anonymize", "policy.toml", "-o", "b"]).0,
        0
    );
    let (_, document) = json(
        directory.path(),
        &["compare", "patients.csv", "b/release/patients.csv"],
    );
    assert_eq!(document["dropped"], serde_json::json!(["name"]));
    assert_eq!(document["columns"]["disease"]["total_variation"], 0.0);
    assert_eq!(document["columns"]["zip"]["total_variation"], 1.0);
}

#[test]
fn the_pages_of_the_book_are_what_the_program_says() {
    for name in ["algorithms", "promises", "metrics"] {
        let output = denym().args([name, "--markdown"]).output().expect("runs");
        let page = format!(
            "{}/../../docs/src/reference/{name}.md",
            env!("CARGO_MANIFEST_DIR")
        );
        assert!(
            output.stdout == std::fs::read(&page).expect("the page"),
            "docs/src/reference/{name}.md is out of date: denym {name} --markdown > docs/src/reference/{name}.md"
        );
        let (code, document) = json(std::path::Path::new("."), &[name]);
        assert_eq!(code, 0);
        assert!(
            document[name]
                .as_array()
                .is_some_and(|list| list.len() > 10)
        );
    }
}

#[test]
fn a_wrong_role_is_pointed_out() {
    let directory = tempfile::tempdir().expect("a directory");
    // Ten people alike in age and sex; the shoe size tells each apart.
    let rows: String = (0..10)
        .map(|row| format!("30,f,{},flu\n", 35 + row))
        .collect();
    write(
        directory.path(),
        "t.csv",
        format!("age,sex,shoe,disease\n{rows}"),
    );
    let args = [
        "audit",
        "t.csv",
        "--quasi",
        "age,sex",
        "--sensitive",
        "disease",
        "--k",
        "5",
        "--background",
        "1",
    ];
    let (code, document) = json(directory.path(), &args);
    assert_eq!((code, &document["k"]), (0, &10.into()));
    let shoe = &document["what_if"][0];
    assert_eq!(shoe["added"], serde_json::json!(["shoe"]));
    assert_eq!(
        (&shoe["k"], &shoe["breaks"], &shoe["confidence"]["disease"]),
        (&1.into(), &true.into(), &1.0.into())
    );
    let both = document["what_if"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|found| {
            found["added"]
                .as_array()
                .is_some_and(|list| list.len() == 2)
        });
    assert_eq!(
        both.expect("a pair")["added"],
        serde_json::json!(["shoe", "disease"])
    );
    assert_eq!(
        document["sensitive"]["disease"]["worst_case_disclosure_by_facts"],
        serde_json::json!([1.0, 1.0])
    );
}
