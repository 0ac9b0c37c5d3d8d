//! Perturbed columns.

use std::path::Path;

use serde_json::Value;

use super::support::files;
use super::{ANONYMIZE, people, people_policy, released, split};

#[test]
fn perturbed_columns_are_never_the_same_twice_and_say_so() {
    let noise =
        "perturb = [{ columns = [\"income\"], method = \"additive-noise\", share = 0.2 }]\n";
    let (directory, _) = people_policy("", noise);
    let incomes = |directory: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(directory.join("bundle/release/people.csv"))
            .expect("the release");
        text.lines()
            .skip(1)
            .map(|line| split(line)[3].to_owned())
            .collect()
    };
    let first = released(directory.path(), &ANONYMIZE);
    let one = incomes(directory.path());
    released(directory.path(), &ANONYMIZE);
    assert!(one != incomes(directory.path()), "noise is drawn anew");
    // Digits as the source has them, or every noisy cell would be marked.
    assert!(one.iter().all(|income| !income.contains('.')));
    let moved = first["measures"]["columns"]["income"]["signs"]["ties"]
        .as_u64()
        .expect("a count");
    assert!(moved < 10, "{moved} of 50 did not move");
    let readme =
        std::fs::read_to_string(directory.path().join("bundle/release/README.md")).expect("a file");
    assert!(
        readme.contains("no single record is true") && readme.contains("cannot be reproduced"),
        "{readme}"
    );
    let certificate: Value = serde_json::from_slice(
        &std::fs::read(directory.path().join("bundle/release/certificate.json")).expect("a file"),
    )
    .expect("JSON");
    assert_eq!(certificate["altered"][0]["method"], "additive-noise");
    assert_eq!(certificate["altered"][0]["reproducible"], false);
    assert!(
        certificate["altered"][0].get("share").is_none(),
        "the recipient needs no parameters"
    );

    let seeded = [&ANONYMIZE[..], &["--perturbation-seed", "7"]].concat();
    let warned = released(directory.path(), &seeded);
    assert!(
        warned["warnings"].to_string().contains("never publish"),
        "{}",
        warned["warnings"]
    );
    let two = files(&directory.path().join("bundle"));
    released(directory.path(), &seeded);
    assert!(
        files(&directory.path().join("bundle")) == two,
        "a seed repeats it"
    );
}

#[test]
fn every_perturbation_does_what_it_says() {
    let column = |directory: &Path, at: usize| -> Vec<f64> {
        let text = std::fs::read_to_string(directory.join("bundle/release/people.csv"))
            .expect("the release");
        let mut numbers: Vec<f64> = text
            .lines()
            .skip(1)
            .map(|line| split(line)[at].parse().expect("a number"))
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let mut source: Vec<f64> = people()
        .lines()
        .skip(1)
        .map(|line| {
            line.rsplit(',')
                .next()
                .expect("a cell")
                .parse()
                .expect("a number")
        })
        .collect();
    source.sort_by(f64::total_cmp);
    let with = |method: &str| {
        people_policy(
            "",
            &format!("perturb = {{ columns = [\"income\"], {method} }}\n"),
        )
        .0
    };
    let swapped = with("method = \"rank-swap\", share = 0.1");
    let document = released(swapped.path(), &ANONYMIZE);
    assert_eq!(
        column(swapped.path(), 3),
        source,
        "swapping keeps the values"
    );
    assert!(document["measures"]["columns"]["income"]["signs"]["ties"].as_u64() < Some(25));
    for method in ["round", "random-round"] {
        let rounded = with(&format!("method = {method:?}, base = 250"));
        released(rounded.path(), &ANONYMIZE);
        assert!(
            column(rounded.path(), 3).iter().all(|x| x % 250.0 == 0.0),
            "{method}"
        );
    }
    // Quasi-identifiers may be perturbed too; what is grouped is then the perturbed number.
    let correlated = people_policy("", "perturb = { columns = [\"height\", \"weight\", \"income\"], method = \"correlated-noise\", share = 0.3 }\n").0;
    let document = released(correlated.path(), &ANONYMIZE);
    assert!(
        document["claims"][0]["holds"] == true
            && document["measures"]["columns"]["income"].is_object()
    );
}

/// Certificate, recipient's README and steward's report all say that single records are no longer true.
#[test]
fn every_method_says_that_no_single_record_is_true() {
    for (method, parameter, reproducible) in [
        ("additive-noise", "share = 0.2", false),
        ("correlated-noise", "share = 0.2", false),
        ("rank-swap", "share = 0.2", false),
        ("round", "base = 100", true),
        ("random-round", "base = 100", false),
    ] {
        let release =
            format!("perturb = {{ columns = [\"income\"], method = \"{method}\", {parameter} }}\n");
        let (directory, _) = people_policy("", &release);
        released(directory.path(), &ANONYMIZE);
        let read = |file: &str| {
            std::fs::read_to_string(directory.path().join("bundle").join(file)).expect("a file")
        };
        let certificate: Value =
            serde_json::from_str(&read("release/certificate.json")).expect("JSON");
        let altered = certificate["altered"].as_array().expect("a list");
        let said = altered
            .iter()
            .find(|altered| altered["columns"][0] == "income")
            .expect("the column");
        assert_eq!(said["method"], method);
        assert_eq!(said["true_of_records"], false, "{method}");
        assert_eq!(said["reproducible"], reproducible, "{method}");
        let readme = read("release/README.md");
        assert!(
            readme.contains(&format!("`{method}`: no single record is true")),
            "{readme}"
        );
        assert_eq!(
            readme.contains("cannot be reproduced"),
            !reproducible,
            "{readme}"
        );
        let report = read("steward/report.html");
        assert!(
            report.contains("no published record is true in these columns"),
            "{method}"
        );
    }
}
