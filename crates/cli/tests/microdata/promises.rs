//! Promises on groups of numbers: within groups, within groups of attributes, over subjects.

use std::fmt::Write as _;

use super::support::{files, json, write};
use super::{ANONYMIZE, people, people_policy, released};

#[test]
fn promises_beyond_k_hold_within_groups() {
    for promise in [
        "l-diversity = 3",
        "l-diversity = { kind = \"entropy\", l = 2 }",
        "t-closeness = 0.3",
        "confidence = { values = [\"asthma\"], at-most = 0.5 }",
        "beta-likeness = 3",
    ] {
        let (directory, text) = people_policy(promise, "");
        let plain = people_policy("", "").0;
        let alone = released(plain.path(), &ANONYMIZE);
        for algorithm in [
            "mdav",
            "best-effort",
            "auto",
            "k-member",
            "systematic-clustering",
            "oka",
            "best-effort-clustering",
            "mdav-generic",
        ] {
            write(
                directory.path(),
                "policy.toml",
                text.replace("\"mdav\"", &format!("{algorithm:?}")),
            );
            let document = released(
                directory.path(),
                &[&ANONYMIZE[..], &["--effort", "10"]].concat(),
            );
            let claims = document["claims"].as_array().expect("claims");
            assert_eq!(claims.len(), 2, "{promise} {algorithm}");
            assert!(
                claims.iter().all(|claim| claim["holds"] == true),
                "{promise} {algorithm}"
            );
            if algorithm == "mdav" {
                assert!(
                    document["information_loss_percent"].as_f64()
                        >= alone["information_loss_percent"].as_f64()
                );
            }
            let (code, _) = json(directory.path(), &["verify", "bundle/release"]);
            assert_eq!(code, 0, "{promise} {algorithm}");
        }
    }
    let (directory, _) = people_policy("l-diversity = 5", "");
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!((code, &document["status"]), (1, &"refused".into()));
    assert_eq!(document["error"]["code"], "constraint-infeasible");
    assert!(!directory.path().join("bundle").exists());
}

#[test]
fn groups_of_attributes_are_released_only_to_who_knows_one_of_them() {
    let (directory, text) = people_policy("", "attribute-groups = [[\"height\"], [\"weight\"]]\n");
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!(
        (code, &document["status"]),
        (1, &"refused".into()),
        "{document}"
    );
    write(
        directory.path(),
        "policy.toml",
        text.replace(
            "[promise]",
            "[adversary]\nknows = { at-most = 1 }\n\n[promise]",
        ),
    );
    let document = released(directory.path(), &ANONYMIZE);
    let together = people_policy("", "");
    let whole = released(together.0.path(), &ANONYMIZE);
    assert!(
        document["information_loss_percent"].as_f64() < whole["information_loss_percent"].as_f64()
    );
}

/// Groups of attributes take turns under a budget, and the rounds of all together repeat the run.
#[test]
fn groups_of_attributes_share_a_budget_that_repeats() {
    let (directory, text) = people_policy("", "attribute-groups = [[\"height\"], [\"weight\"]]\n");
    let text = text
        .replace(
            "[promise]",
            "[adversary]\nknows = { at-most = 1 }\n\n[promise]",
        )
        .replace("\"mdav\"", "\"best-effort\"");
    write(directory.path(), "policy.toml", text);
    let timed = released(
        directory.path(),
        &[&ANONYMIZE[..], &["--time-budget", "200ms"]].concat(),
    );
    let effort = timed["effort"].as_u64().expect("an effort").to_string();
    let bundle = files(&directory.path().join("bundle"));
    released(
        directory.path(),
        &[&ANONYMIZE[..], &["--effort", &effort, "--threads", "1"]].concat(),
    );
    assert!(files(&directory.path().join("bundle")) == bundle);
}

#[test]
fn k_counts_subjects() {
    let (directory, text) = people_policy("", "");
    let csv = people()
        .lines()
        .enumerate()
        .fold(String::new(), |mut csv, (i, line)| {
            let _ = if i == 0 {
                writeln!(csv, "who,{line}")
            } else {
                writeln!(csv, "p{},{line}", (i - 1) / 2)
            };
            csv
        });
    write(directory.path(), "people.csv", csv);
    write(
        directory.path(),
        "policy.toml",
        text.replace("[attributes]", "[attributes]\nwho = \"subject\""),
    );
    let document = released(directory.path(), &ANONYMIZE);
    assert!(document["claims"][0]["measured"].as_f64() >= Some(3.0));
    assert_eq!(document["claims"][0]["check"], "attested");
}
