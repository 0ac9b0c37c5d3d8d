//! Data that grows, and people who do not mind.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::support::{json, write};
use super::{ANONYMIZE, people, people_policy, released};

#[test]
fn newcomers_join_in_company_or_wait() {
    for algorithm in ["k-member", "mdav"] {
        let (directory, text) = people_policy("l-diversity = 2", "");
        let all = people();
        let lines: Vec<&str> = all.lines().collect();
        let first = lines[..31].join("\n") + "\n";
        write(directory.path(), "people.csv", &first);
        write(
            directory.path(),
            "policy.toml",
            text.replace("\"mdav\"", &format!("{algorithm:?}")),
        );
        released(directory.path(), &["anonymize", "policy.toml", "-o", "one"]);
        write(directory.path(), "people.csv", &all);
        let document = released(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "two", "--onto", "one"],
        );
        let waiting = document["waiting"].as_u64().expect("a count");
        assert_eq!(document["suppressed_records"], waiting, "{algorithm}");
        assert!(
            waiting < 20,
            "{algorithm}: somebody finds company, {waiting} wait"
        );
        let groups = |bundle: &str| -> Vec<Option<u64>> {
            let text = std::fs::read(directory.path().join(bundle).join("steward/groups.json"))
                .expect("a file");
            let value: Value = serde_json::from_slice(&text).expect("JSON");
            value["group_of"]
                .as_array()
                .expect("groups")
                .iter()
                .map(Value::as_u64)
                .collect()
        };
        let (before, after) = (groups("one"), groups("two"));
        assert_eq!(before, after[..30], "{algorithm}: nobody moves");
        let disease: Vec<&str> = lines[1..]
            .iter()
            .map(|line| line.split(',').nth(4).expect("a cell"))
            .collect();
        for group in 0..document["groups"].as_u64().expect("a count") {
            let came: Vec<usize> = (30..50).filter(|&row| after[row] == Some(group)).collect();
            let mut values: Vec<&str> = came.iter().map(|&row| disease[row]).collect();
            values.sort_unstable();
            values.dedup();
            assert!(
                came.is_empty() || (came.len() >= 3 && values.len() >= 2),
                "{algorithm}: the difference of the releases shows {came:?}"
            );
        }
        // Those who wait are taken up when they have company.
        let third = released(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "three", "--onto", "two"],
        );
        assert_eq!(third["waiting"], waiting);
        // Changed or reordered records are no earlier release.
        write(
            directory.path(),
            "people.csv",
            all.replacen("150,", "151,", 1),
        );
        let (code, refused) = json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "four", "--onto", "one"],
        );
        assert_eq!((code, &refused["error"]["code"]), (2, &"argument".into()));
    }
}

/// The group of each record, as the steward's half has it.
fn groups(directory: &Path, bundle: &str) -> Vec<Option<u64>> {
    let path = directory.join(bundle).join("steward/groups.json");
    let value: Value = serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON");
    let groups = value["group_of"].as_array().expect("groups");
    groups.iter().map(Value::as_u64).collect()
}

/// Equation (4.7) is the same for every newcomer, so by that rule they all come to one cluster, or wait; by the loss they spread.
#[test]
fn by_the_posterior_rule_all_newcomers_choose_one_cluster() {
    let mut gained = Vec::new();
    for rule in ["posterior", "least-loss"] {
        let release = format!("insertion = {rule:?}\n");
        let (directory, text) = people_policy("l-diversity = 2", &release);
        let all = people();
        let lines: Vec<&str> = all.lines().collect();
        write(
            directory.path(),
            "people.csv",
            lines[..31].join("\n") + "\n",
        );
        let text = text.replace("\"mdav\"", "\"best-effort-clustering\"");
        write(directory.path(), "policy.toml", text);
        released(directory.path(), &["anonymize", "policy.toml", "-o", "one"]);
        write(directory.path(), "people.csv", &all);
        let onto = ["anonymize", "policy.toml", "-o", "two", "--onto", "one"];
        released(directory.path(), &onto);
        let (before, after) = (
            groups(directory.path(), "one"),
            groups(directory.path(), "two"),
        );
        assert_eq!(before, after[..30], "{rule}: nobody moves");
        let mut came: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for row in 30..50 {
            if let Some(group) = after[row] {
                let disease = lines[row + 1].split(',').nth(4).expect("a cell");
                came.entry(group).or_default().push(disease);
            }
        }
        for diseases in came.values_mut() {
            assert!(diseases.len() >= 3, "{rule}: the difference shows a few");
            diseases.sort_unstable();
            diseases.dedup();
            assert!(
                diseases.len() >= 2,
                "{rule}: the difference shows a disease"
            );
        }
        gained.push(came.len());
    }
    assert_eq!(gained[0], 1);
    assert!(gained[1] > 1, "{gained:?}");
}

/// Table 4.3 with a share q of people who do not mind: every class has k of the others, who stay hidden when those speak up.
#[test]
fn people_who_do_not_mind_are_no_company_for_the_others() {
    let algorithms = [
        "systematic-clustering",
        "k-member",
        "best-effort-clustering",
    ];
    for (algorithm, promise) in algorithms.into_iter().zip(["", "l-diversity = 2", ""]) {
        let release = "unconcerned = { attribute = \"open\", values = [\"yes\"] }\n";
        let (directory, text) = people_policy(promise, release);
        let mut csv = String::new();
        for (row, line) in people().lines().enumerate() {
            let open = match row {
                0 => "open",
                _ if row % 5 == 0 => "yes",
                _ => "no",
            };
            csv.extend([line, ",", open, "\n"]);
        }
        write(directory.path(), "people.csv", &csv);
        // Published here so that the test can see who is who; without a role the column is read and not published.
        let shown = text.replace("income =", "open = \"insensitive\"\nincome =");
        let shown = shown.replace("\"mdav\"", &format!("{algorithm:?}"));
        write(directory.path(), "policy.toml", &shown);
        let document = released(directory.path(), &ANONYMIZE);
        assert_eq!(document["unconcerned"]["records"], 10, "{algorithm}");
        assert_eq!(
            document["records"], 50,
            "{algorithm}: they are published too"
        );
        let text = std::fs::read_to_string(directory.path().join("bundle/release/people.csv"))
            .expect("the release");
        let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
        let at = |name: &str| header.iter().position(|cell| *cell == name).expect("there");
        let mut classes: BTreeMap<(String, String), Vec<(String, String)>> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let cells = super::split(line);
            let cell = |name: &str| cells[at(name)].to_owned();
            classes
                .entry((cell("height"), cell("weight")))
                .or_default()
                .push((cell("open"), cell("disease")));
        }
        let mut smallest = usize::MAX;
        for members in classes.values() {
            let others: Vec<&(String, String)> =
                members.iter().filter(|(open, _)| open == "no").collect();
            let mut diseases: Vec<&str> = others.iter().map(|(_, d)| d.as_str()).collect();
            diseases.sort_unstable();
            diseases.dedup();
            assert!(others.len() >= 3, "{algorithm}");
            assert!(promise.is_empty() || diseases.len() >= 2, "{algorithm}");
            smallest = smallest.min(others.len());
        }
        let said = document["unconcerned"]["smallest_group_of_others"].as_u64();
        assert!(said.is_some_and(|said| said as usize <= smallest && said >= 3));
        // Without a role the column stays at home.
        write(
            directory.path(),
            "policy.toml",
            shown.replace("open = \"insensitive\"\n", ""),
        );
        released(directory.path(), &ANONYMIZE);
        let text = std::fs::read_to_string(directory.path().join("bundle/release/people.csv"))
            .expect("the release");
        assert!(!text.contains("open") && !text.contains("yes"));
        // Newcomers who do not mind join only groups that gain others.
        let first = csv.lines().take(31).collect::<Vec<_>>().join("\n") + "\n";
        write(directory.path(), "people.csv", first);
        released(directory.path(), &["anonymize", "policy.toml", "-o", "one"]);
        write(directory.path(), "people.csv", &csv);
        let onto = ["anonymize", "policy.toml", "-o", "two", "--onto", "one"];
        released(directory.path(), &onto);
        let after = groups(directory.path(), "two");
        for group in after.iter().flatten() {
            let came = |minds: bool| {
                let rows = (30..50).filter(|row| after[*row] == Some(*group));
                rows.filter(|row| ((row + 1) % 5 != 0) == minds).count()
            };
            assert!(
                came(true) >= 3 || came(true) + came(false) == 0,
                "{algorithm}"
            );
        }
    }
}

#[test]
fn only_clusters_keep_people_out() {
    let release = "unconcerned = { attribute = \"income\", values = [\"1000\"] }\n";
    let (directory, text) = people_policy("", release);
    let check = |text: &str, code: &str| {
        write(directory.path(), "policy.toml", text);
        let (exit, document) = json(directory.path(), &ANONYMIZE);
        assert_eq!((exit, &document["error"]["code"]), (2, &code.into()));
    };
    check(&text, "policy-unused-key");
    check(
        &text.replace("\"mdav\"", "\"mondrian\""),
        "policy-unused-key",
    );
    let clusters = text.replace("\"mdav\"", "\"k-member\"");
    check(
        &clusters.replace("\"income\"", "\"nobody\""),
        "policy-unknown-column",
    );
    check(
        &clusters.replace(", values = [\"1000\"]", ""),
        "policy-missing-key",
    );
    check(
        &clusters.replace("unconcerned", "insertion = \"best\"\nunconcerned"),
        "policy-unknown-value",
    );
}
