//! Algorithms on the sensitive side through the binary: released, verified, audited again by plain counting, and refused where
//! they cannot promise what is asked.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;

use support::{attack, files, json, list, patients, write};

/// The cells of a CSV file by column.
fn columns(file: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(file).expect("a file");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().expect("a header").collect();
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        for (name, cell) in names.iter().zip(line) {
            columns.entry(name.clone()).or_default().push(cell);
        }
    }
    columns
}

const ATTRIBUTES: &str = r#"[data]
path = "patients.csv"

[attributes]
name = "identifier"
zip = { role = "quasi", hierarchy = { redact = "right" } }
age = { role = "quasi", hierarchy = { interval = [5, 10, 20] } }
sex = "quasi"
"#;

/// Releases under a policy and verifies the public half alone.
fn released(directory: &Path, policy: &str) -> serde_json::Value {
    write(directory, "policy.toml", policy);
    let (code, found) = json(
        directory,
        &["anonymize", "policy.toml", "-o", "out", "--force"],
    );
    assert_eq!((code, &found["status"]), (0, &"released".into()), "{found}");
    let (code, verified) = json(directory, &["verify", "out/release"]);
    // That values were shuffled within groups, and what guards whom, and who is in a register, only the publisher knows.
    let claims = verified["claims"].as_array().expect("claims");
    for claim in claims {
        let word = claim["rests_on"].as_str();
        let word = word.is_some_and(|word| ["shuffle", "guards", "register"].contains(&word));
        assert_eq!(claim["holds"].is_null(), word, "{verified}");
    }
    assert_eq!(code, 0, "{verified}");
    assert_ne!(verified["holds"], false, "{verified}");
    for (file, bytes) in files(&directory.join("out/release")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("Ann"), "a name is in {}", file.display());
    }
    found
}

/// The refusal of a policy: its code and message.
fn refused(directory: &Path, policy: &str) -> (i32, String) {
    write(directory, "policy.toml", policy);
    let (code, found) = json(
        directory,
        &["anonymize", "policy.toml", "-o", "no", "--force"],
    );
    assert!(!directory.join("no").exists());
    (code, found.to_string())
}

#[test]
fn anatomy_publishes_two_tables_that_meet_in_groups() {
    let directory = patients();
    let path = directory.path();
    let policy = format!(
        "{ATTRIBUTES}disease = \"sensitive\"\n[promise]\nl-diversity = 2\n[release]\nalgorithm = \"anatomy\"\n"
    );
    let found = released(path, &policy);
    assert_eq!(found["algorithm"], "anatomy");
    let release = path.join("out/release");
    let first = columns(&release.join("patients.csv"));
    let second = columns(&release.join("patients-sensitive.csv"));
    assert!(!first.contains_key("disease") && !first.contains_key("name"));
    // Quasi-identifiers are as they were.
    let mut ages = first["age"].clone();
    ages.sort();
    assert_eq!(ages, ["31", "34", "35", "36", "52", "55", "57", "59"]);
    // Every group has two values, none more often than half.
    let mut groups: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (group, records) in second["group"].iter().zip(&second["records"]) {
        let records = records.parse().expect("a count");
        groups.entry(group).or_default().push(records);
    }
    for (group, counts) in &groups {
        let (most, all) = (counts.iter().max(), counts.iter().sum::<u64>());
        assert!(
            counts.len() >= 2 && 2 * most.expect("one") <= all,
            "{counts:?}"
        );
        let rows = first["group"].iter().filter(|g| g == group).count();
        assert_eq!(rows as u64, all, "the tables agree on group {group}");
    }
    // The true disease of every record is among those of its group.
    let truth: BTreeMap<&str, &str> = support::PATIENTS
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[2], cells[4]))
        .collect();
    for (age, group) in first["age"].iter().zip(&first["group"]) {
        let among = second["group"].iter().zip(&second["disease"]);
        assert!(
            among
                .filter(|(g, _)| *g == group)
                .any(|(_, disease)| disease == truth[age.as_str()]),
            "{age}"
        );
    }
    // The steward is told what this does not hide.
    let plan = std::fs::read_to_string(path.join("out/steward/plan.json")).expect("a plan");
    assert!(plan.contains("published as they are"), "{plan}");

    // A table that was touched does not verify.
    let file = release.join("patients-sensitive.csv");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replacen("flu", "cancer", 1)).expect("written");
    let (code, verified) = json(path, &["verify", "out/release"]);
    assert_eq!(
        (code, &verified["data_intact"]),
        (1, &false.into()),
        "{verified}"
    );

    // It cannot hide who is there, nor deal records into more values than there are.
    let (code, text) = refused(path, &policy.replace("l-diversity = 2", "k-anonymity = 2"));
    assert!(
        code == 2 && text.contains("cannot promise `k-anonymity`"),
        "{text}"
    );
    let (code, text) = refused(path, &policy.replace("l-diversity = 2", "l-diversity = 3"));
    assert!(
        code == 1 && text.contains("l-diversity 2 is reachable"),
        "{text}"
    );
}

#[test]
fn the_red_team_finds_every_record_of_anatomy_and_no_value() {
    let directory = patients();
    let path = directory.path();
    let policy = format!(
        "{ATTRIBUTES}disease = \"sensitive\"\n[promise]\nl-diversity = 2\n[release]\nalgorithm = \"anatomy\"\n"
    );
    let found = released(path, &policy);
    // Quasi-identifiers are published as they are, and everybody's are different.
    assert_eq!(attack(&found, "linkage")["success_rate"], 1.0, "{found}");
    assert_eq!(
        attack(&found, "homogeneity")["success_rate"],
        0.0,
        "{found}"
    );
    let steward = std::fs::read_to_string(path.join("out/steward/attacks.json")).expect("a file");
    let steward = serde_json::from_str(&steward).expect("JSON");
    let linkage = attack(&steward, "linkage");
    assert_eq!(linkage["rate_before"], 1.0, "{steward}");
    // Who finds records may be refused.
    let gated = format!("{policy}[attack]\nrefuse-above = {{ linkage = 0.5 }}\n");
    assert_eq!(refused(path, &gated).0, 1);
    // Everybody's record is found in the release, and with it a group, but no value.
    let args = [
        "attack",
        "table",
        "out",
        "--external",
        "patients.csv",
        "--id",
        "name",
        "--victims",
    ];
    let (code, found) = json(path, &args);
    assert_eq!((code, &found["certain"]), (0, &8.into()), "{found}");
    assert_eq!(attack(&found, "homogeneity")["successes"], 0, "{found}");
    let (_, found) = json(path, &[&args[..], &["--confidence", "0.5"]].concat());
    assert_eq!(attack(&found, "homogeneity")["successes"], 8, "{found}");
    for victim in list(&found["victims"]) {
        assert_eq!(victim["inferred"][0]["confidence"], 0.5, "{victim}");
    }
    // What the release tells by itself is the same.
    let (_, found) = json(path, &["attack", "table", "out"]);
    assert_eq!(
        (
            &found["certain"],
            &attack(&found, "homogeneity")["successes"]
        ),
        (&8.into(), &0.into()),
        "{found}"
    );
}

#[test]
fn permutation_shuffles_numbers_within_wide_groups() {
    let directory = patients();
    let path = directory.path();
    let salaries = [1000, 5000, 2000, 6000, 1100, 5200, 2100, 6100];
    let mut data = "name,zip,age,sex,salary\n".to_owned();
    for (line, salary) in support::PATIENTS.lines().skip(1).zip(salaries) {
        let cells: Vec<&str> = line.split(',').collect();
        data.push_str(&format!("{},{salary}\n", cells[..4].join(",")));
    }
    write(path, "patients.csv", data);
    let policy = format!(
        "{ATTRIBUTES}salary = \"sensitive\"\n[promise]\nk-e-anonymity = {{ k = 3, e = 1000 }}\n[release]\nalgorithm = \"k-e-permutation\"\n"
    );
    released(path, &policy);
    let table = columns(&path.join("out/release/patients.csv"));
    let mut groups: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (group, salary) in table["group"].iter().zip(&table["salary"]) {
        let salary = salary.parse().expect("a number");
        groups.entry(group).or_default().push(salary);
    }
    assert!(groups.len() >= 2, "{groups:?}");
    for salaries in groups.values() {
        let mut different = salaries.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() >= 3 && different[different.len() - 1] - different[0] >= 1000);
        assert!(salaries.is_sorted(), "no order is left of who earns what");
    }
    let mut all: Vec<i64> = groups.into_values().flatten().collect();
    all.sort_unstable();
    let mut expected = salaries.to_vec();
    expected.sort_unstable();
    assert_eq!(all, expected, "nothing is invented");
    let certificate =
        std::fs::read_to_string(path.join("out/release/certificate.json")).expect("it");
    assert!(
        certificate.contains("permutation within groups"),
        "{certificate}"
    );
}

#[test]
fn the_minimality_defence_replaces_values_of_failing_classes_only() {
    let directory = patients();
    let path = directory.path();
    // Everybody in the first half has the same disease: k-anonymous classes fail l-diversity there.
    let data = support::PATIENTS
        .replace("Bea,10117,36,f,cancer", "Bea,10117,36,f,flu")
        .replace("Dan,10115,31,m,asthma", "Dan,10115,31,m,flu");
    write(path, "patients.csv", data);
    let policy = format!(
        "{ATTRIBUTES}disease = \"sensitive\"\n[promise]\nk-anonymity = 4\nl-diversity = 2\n[release]\nalgorithm = \"minimality-defence\"\n"
    );
    let found = released(path, &policy);
    assert_eq!(found["suppressed_records"], 0);
    let table = columns(&path.join("out/release/patients.csv"));
    let mut classes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (row, disease) in table["disease"].iter().enumerate() {
        let key = ["zip", "age", "sex"].map(|name| table[name][row].as_str());
        classes.entry(key.join("/")).or_default().push(disease);
    }
    for diseases in classes.values() {
        let mut different = diseases.clone();
        different.sort_unstable();
        different.dedup();
        assert!(diseases.len() >= 4 && different.len() >= 2, "{classes:?}");
    }
    let certificate =
        std::fs::read_to_string(path.join("out/release/certificate.json")).expect("it");
    assert!(
        certificate.contains("distortion of classes that failed"),
        "{certificate}"
    );
    let (code, text) = refused(path, &policy.replace("k-anonymity = 4\n", ""));
    assert!(code == 2 && text.contains("no size is promised"), "{text}");
}

#[test]
fn personalized_privacy_generalizes_what_each_person_guards() {
    let directory = patients();
    let path = directory.path();
    write(
        path,
        "diseases.csv",
        "flu,respiratory,any\nasthma,respiratory,any\ncancer,other,any\ngout,other,any\n",
    );
    // Ann guards everything respiratory, the others nothing or their own value.
    let guards = ["respiratory", "", "flu", "", "flu", "cancer", "", ""];
    let mut data = "name,zip,age,sex,disease,guard\n".to_owned();
    for (line, guard) in support::PATIENTS.lines().skip(1).zip(guards) {
        data.push_str(&format!("{line},{guard}\n"));
    }
    write(path, "patients.csv", data);
    let policy = format!(
        "{ATTRIBUTES}disease = {{ role = \"sensitive\", taxonomy = \"diseases.csv\" }}\n[promise]\nk-anonymity = 2\npersonalized-privacy = {{ attribute = \"disease\", guards = \"guard\", at-most = 0.5 }}\n[release]\nalgorithm = \"greedy-personalized\"\n"
    );
    let found = released(path, &policy);
    let claims = found["claims"].as_array().expect("claims");
    let guarded = claims
        .iter()
        .find(|claim| claim["promise"] == "personalized-privacy")
        .expect("the claim");
    assert!(guarded["measured"].as_f64() <= Some(0.5), "{guarded}");
    let table = columns(&path.join("out/release/patients.csv"));
    assert!(
        !table.contains_key("guard"),
        "guarding nodes are never released"
    );
    let known = [
        "flu",
        "asthma",
        "cancer",
        "gout",
        "respiratory",
        "other",
        "any",
    ];
    assert!(
        table["disease"]
            .iter()
            .all(|label| known.contains(&label.as_str()))
    );
    let (code, text) = refused(path, &policy.replace("k-anonymity = 2", "l-diversity = 2"));
    assert!(code == 2 && text.contains("several levels"), "{text}");
}

#[test]
fn mu_argus_says_what_it_does_not_give() {
    let directory = patients();
    let path = directory.path();
    let policy = format!(
        "{ATTRIBUTES}[adversary]\nknows = {{ at-most = 2 }}\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"mu-argus\"\nsuppress-at-most = 0.5\n"
    );
    let found = released(path, &policy);
    let table = columns(&path.join("out/release/patients.csv"));
    let names = ["zip", "age", "sex"];
    let records = table["sex"].len();
    assert_eq!(found["suppressed_records"], 8 - records as u64);
    for (a, b) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
        let key = |row: usize| (&table[names[a]][row], &table[names[b]][row]);
        for row in 0..records {
            let same = (0..records).filter(|&other| key(other) == key(row)).count();
            assert!(same >= 2, "{names:?} {a} {b}");
        }
    }
    let plan = std::fs::read_to_string(path.join("out/steward/plan.json")).expect("a plan");
    assert!(plan.contains("this is not k-anonymity"), "{plan}");
    let (code, text) = refused(
        path,
        &policy.replace("[adversary]\nknows = { at-most = 2 }\n", ""),
    );
    assert!(code == 2 && text.contains("gives no k-anonymity"), "{text}");
}

#[test]
fn presence_is_hidden_by_levels_or_by_cuts() {
    let directory = patients();
    let path = directory.path();
    // Everybody in the data, and as many more who look alike.
    let mut register = "zip,age,sex\n".to_owned();
    for line in support::PATIENTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let row = cells[1..4].join(",");
        register.push_str(&format!("{row}\n{row}\n"));
    }
    write(path, "register.csv", register);
    for algorithm in ["spalm", "mpalm"] {
        let policy = format!(
            "{ATTRIBUTES}disease = \"sensitive\"\n[promise]\ndelta-presence = {{ population = \"register.csv\", least = 0, most = 0.5 }}\nk-anonymity = 2\n[release]\nalgorithm = \"{algorithm}\"\n"
        );
        let found = released(path, &policy);
        let claim = &found["claims"][0];
        assert_eq!(claim["promise"], "delta-presence", "{found}");
        assert!(claim["measured"].as_f64() <= Some(0.5), "{claim}");
        // Half of those who look alike are in the data, wherever one cuts: nothing smaller can be had.
        let (code, text) = refused(path, &policy.replace("most = 0.5", "most = 0.4"));
        assert!(code == 1 && text.contains("delta-presence"), "{text}");
    }
}
