//! Several quasi-identifier sets, populations, guarding nodes, detail tables and wildcards: from the policy to the verified bundle.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use support::{json, write};

const RECORDS: usize = 240;

/// One record of the test data: zip, age, sex, disease.
fn person(row: usize) -> [String; 4] {
    let diseases = ["flu", "cancer", "asthma", "hiv", "flu", "gastritis"];
    [
        (10_000 + (row * 31) % 24).to_string(),
        (20 + (row * 7) % 40).to_string(),
        ["f", "m"][(row / 3) % 2].to_owned(),
        diseases[(row * 5 + row / 7) % 6].to_owned(),
    ]
}

fn table(rows: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("zip,age,sex,disease,guard\n");
    for row in rows {
        let guard = ["", "infection", "tumor", "", "any"][row % 5];
        text += &format!("{},{guard}\n", person(row).join(","));
    }
    text
}

fn policy(data: &str, promise: &str, release: &str) -> String {
    format!(
        r#"[data]
path = "people.csv"
{data}
[attributes]
zip = {{ role = "quasi", hierarchy = {{ redact = "right" }} }}
age = {{ role = "quasi", hierarchy = {{ interval = [5, 10, 20] }} }}
sex = "quasi"
disease = {{ role = "sensitive", taxonomy = "disease.csv" }}
[promise]
{promise}
[release]
{release}
"#
    )
}

fn files(directory: &Path) {
    write(directory, "people.csv", table(0..RECORDS));
    // Everybody of the data and three times as many others, some with values that the data does not show.
    write(directory, "voters.csv", {
        let mut text = String::from("sex;age;zip;name\n");
        for row in 0..4 * RECORDS {
            let [zip, age, sex, _] = person(row);
            let zip = if row >= RECORDS && row % 4 == 0 {
                "10099".to_owned()
            } else {
                zip
            };
            text += &format!("{sex};{age};{zip};p{row}\n");
        }
        text
    });
    write(
        directory,
        "disease.csv",
        "flu,infection,any\nhiv,infection,any\ncancer,tumor,any\nasthma,lung,any\ngastritis,stomach,any\n",
    );
}

/// Runs one policy; returns exit code, document, the released rows, and what `verify` says.
fn run(data: &str, promise: &str, release: &str) -> (i32, Value, Vec<Vec<String>>, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    files(directory.path());
    write(
        directory.path(),
        "policy.toml",
        policy(data, promise, release),
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    if code != 0 {
        return (code, document, Vec::new(), Value::Null);
    }
    let (verified, verification) = json(directory.path(), &["verify", "bundle/release"]);
    assert_eq!(verified, 0, "{promise}: {verification}");
    let text = std::fs::read_to_string(directory.path().join("bundle/release/people.csv"))
        .expect("the released data");
    let rows = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    (code, document, rows, verification)
}

/// The groups of the released rows under some columns.
fn groups<'a>(rows: &'a [Vec<String>], names: &[&str]) -> Vec<Vec<&'a Vec<String>>> {
    let at: Vec<usize> = names
        .iter()
        .map(|name| {
            rows[0]
                .iter()
                .position(|column| column == name)
                .expect("a column")
        })
        .collect();
    let mut groups: BTreeMap<Vec<&str>, Vec<&Vec<String>>> = BTreeMap::new();
    for row in &rows[1..] {
        groups
            .entry(at.iter().map(|&column| row[column].as_str()).collect())
            .or_default()
            .push(row);
    }
    groups.into_values().collect()
}

fn smallest(rows: &[Vec<String>], names: &[&str]) -> usize {
    groups(rows, names)
        .iter()
        .map(Vec::len)
        .min()
        .expect("a group")
}

#[test]
fn each_set_has_its_own_k() {
    let promise =
        "k-anonymity = [{ k = 6, quasi = [\"age\", \"sex\"] }, { k = 5, quasi = [\"zip\"] }]";
    for algorithm in [
        "full-domain",
        "auto",
        "mondrian",
        "best-effort",
        "local-recoding",
        "datafly",
    ] {
        let release = format!("algorithm = \"{algorithm}\"\nsuppress-at-most = 0.1");
        let (code, document, rows, verified) = run("", promise, &release);
        assert_eq!(code, 0, "{algorithm}: {document}");
        let found = (smallest(&rows, &["age", "sex"]), smallest(&rows, &["zip"]));
        assert!(found.0 >= 6 && found.1 >= 5, "{algorithm}: {found:?}");
        let claims = &document["claims"];
        assert_eq!(claims[0]["measured"], found.0 as f64, "{algorithm}");
        assert_eq!(claims[1]["measured"], found.1 as f64, "{algorithm}");
        assert_eq!(
            claims[0]["quasi_identifiers"],
            serde_json::json!(["age", "sex"])
        );
        assert_eq!(claims[0]["violating_records"], 0);
        // The public half is judged on the same sets.
        for (found, made) in verified["claims"]
            .as_array()
            .expect("claims")
            .iter()
            .zip(claims.as_array().expect("claims"))
        {
            assert_eq!(found["measured"], made["measured"], "{verified}");
            assert_eq!(
                found["quasi_identifiers"], made["quasi_identifiers"],
                "{verified}"
            );
            assert_eq!(found["holds"], true, "{verified}");
        }
    }
}

#[test]
fn sets_cost_less_than_their_union() {
    let release = "algorithm = \"full-domain\"\nsuppress-at-most = 0";
    let apart =
        "k-anonymity = [{ k = 6, quasi = [\"age\", \"sex\"] }, { k = 6, quasi = [\"zip\"] }]";
    let (_, apart, rows, _) = run("", apart, release);
    let (_, together, _, _) = run("", "k-anonymity = 6", release);
    let loss = |document: &Value| document["metric"]["value"].as_f64().expect("a loss");
    assert!(loss(&apart) < loss(&together), "{apart} {together}");
    // Whoever knew all three would find smaller groups: that is what the policy says nobody does.
    assert!(smallest(&rows, &["zip", "age", "sex"]) < 6);
}

#[test]
fn templates_have_their_own_threshold() {
    let promise = "confidence = [\
        { attribute = \"disease\", values = [\"hiv\"], at-most = 0.25, quasi = [\"zip\"] },\
        { attribute = \"disease\", values = [\"cancer\"], at-most = 0.4, quasi = [\"age\", \"sex\"] }]";
    let (code, document, rows, _) = run(
        "",
        promise,
        "algorithm = \"full-domain\"\nsuppress-at-most = 0.2",
    );
    assert_eq!(code, 0, "{document}");
    let most = |names: &[&str], value: &str| {
        groups(&rows, names)
            .iter()
            .map(|group| {
                let hits = group
                    .iter()
                    .filter(|row| row.iter().any(|cell| cell == value));
                hits.count() as f64 / group.len() as f64
            })
            .fold(0.0, f64::max)
    };
    let found = (most(&["zip"], "hiv"), most(&["age", "sex"], "cancer"));
    assert!(found.0 <= 0.25 && found.1 <= 0.4, "{found:?}");
    assert_eq!(document["claims"][0]["measured"].as_f64(), Some(found.0));
    assert_eq!(document["claims"][1]["measured"].as_f64(), Some(found.1));
}

#[test]
fn a_set_must_be_of_quasi_identifiers() {
    let (code, document, ..) = run("", "k-anonymity = { k = 5, quasi = [\"disease\"] }", "");
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-not-quasi".into()),
        "{document}"
    );
}

#[test]
fn people_of_a_register_are_counted_as_the_release_shows_them() {
    let promise = "k-map = { population = \"voters.csv\", k = 12 }\n\
        delta-presence = { population = \"voters.csv\", least = 0, most = 0.5 }";
    let (code, document, rows, verified) = run("", promise, "suppress-at-most = 0.1");
    assert_eq!(code, 0, "{document}");
    // Counted again: a voter looks like a row when each cell covers the voter's value.
    let covers = |cell: &str, value: &str| {
        cell == value
            || cell == "*"
            || cell.len() == value.len()
                && cell
                    .bytes()
                    .zip(value.bytes())
                    .all(|(c, v)| c == b'*' || c == v)
            || cell
                .trim_matches(|c| "[]()".contains(c))
                .split_once([',', '-'])
                .is_some_and(|(low, high)| {
                    let number = |text: &str| text.trim().parse::<i64>().ok();
                    match (number(low), number(high), number(value)) {
                        (Some(low), Some(high), Some(value)) => {
                            low <= value
                                && if cell.ends_with(')') {
                                    value < high
                                } else {
                                    value <= high
                                }
                        }
                        _ => false,
                    }
                })
    };
    let at = |name: &str| {
        rows[0]
            .iter()
            .position(|column| column == name)
            .expect("a column")
    };
    let (zip, age, sex) = (at("zip"), at("age"), at("sex"));
    let (mut least, mut most) = (usize::MAX, 0.0_f64);
    for group in groups(&rows, &["zip", "age", "sex"]) {
        let first = group[0];
        let people = (0..4 * RECORDS)
            .filter(|&row| {
                let [own, years, gender, _] = person(row);
                let own = if row >= RECORDS && row % 4 == 0 {
                    "10099".to_owned()
                } else {
                    own
                };
                covers(&first[zip], &own)
                    && covers(&first[age], &years)
                    && covers(&first[sex], &gender)
            })
            .count();
        least = least.min(people);
        most = most.max(group.len() as f64 / people as f64);
    }
    let claims = &document["claims"];
    assert_eq!(
        claims[0]["measured"].as_f64(),
        Some(least as f64),
        "{document}"
    );
    assert_eq!(claims[1]["measured"].as_f64(), Some(most), "{document}");
    assert!(least >= 12 && most <= 0.5);
    for claim in verified["claims"].as_array().expect("claims") {
        assert_eq!(
            (&claim["holds"], &claim["check"]),
            (&Value::Null, &"attested".into())
        );
    }
}

#[test]
fn a_register_that_does_not_fit_is_refused() {
    let (code, document, ..) = run("", "k-map = { population = \"people.csv\", k = 9999 }", "");
    assert_eq!(
        (code, &document["error"]["code"]),
        (1, &"infeasible".into()),
        "{document}"
    );
    let (code, document, ..) = run("", "k-map = { population = \"disease.csv\", k = 2 }", "");
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-unknown-column".into()),
        "{document}"
    );
    let (code, document, ..) = run(
        "",
        "k-map = { population = \"voters.csv\", k = 2 }",
        "algorithm = \"mondrian\"",
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"promise-not-honoured".into()),
        "{document}"
    );
    // Somebody of the register looks like no group, so their absence is certain.
    let (code, document, ..) = run(
        "",
        "delta-presence = { population = \"voters.csv\", least = 0.9, most = 1 }",
        "",
    );
    assert_eq!(code, 1, "{document}");
}

#[test]
fn guarding_nodes_are_kept_and_not_released() {
    let promise = "personalized-privacy = { attribute = \"disease\", guards = \"guard\", at-most = 0.6 }\nk-anonymity = 2";
    // Whoever guards `any` guards everything: nothing could be published.
    let (code, document, ..) = run("", promise, "");
    assert_eq!(code, 1, "{document}");
    let directory = tempfile::tempdir().expect("a directory");
    files(directory.path());
    write(
        directory.path(),
        "people.csv",
        table(0..RECORDS).replace(",any\n", ",\n"),
    );
    write(
        directory.path(),
        "policy.toml",
        policy(
            "",
            promise,
            "algorithm = \"full-domain\"\nsuppress-at-most = 0.3",
        ),
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 0, "{document}");
    assert!(
        document["claims"][0]["measured"]
            .as_f64()
            .is_some_and(|share| share > 0.0 && share <= 0.6)
    );
    for (path, bytes) in support::files(&directory.path().join("bundle/release")) {
        let text = String::from_utf8(bytes).expect("text");
        assert!(
            !text.contains("tumor") && !text.contains("\"guard\""),
            "{}",
            path.display()
        );
    }
    let (code, verified) = json(directory.path(), &["verify", "bundle/release"]);
    assert_eq!(
        (code, &verified["claims"][0]["holds"]),
        (0, &Value::Null),
        "{verified}"
    );
    assert_eq!(verified["claims"][1]["holds"], true);
    // A node that the taxonomy does not have guards nothing, so it is refused.
    write(
        directory.path(),
        "people.csv",
        table(0..RECORDS).replace("tumor", "tumour"),
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "again"],
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-promise".into()),
        "{document}"
    );
}

#[test]
fn k_counts_people_in_the_join_with_details() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut people, mut visits) = (String::from("id,age,sex\n"), String::from("who,ward,day\n"));
    for row in 0..60_usize {
        people += &format!("p{row},{},{}\n", 20 + row % 20, ["f", "m"][row % 2]);
        for visit in 0..row % 4 {
            visits += &format!("p{row},{},{}\n", ["a", "b", "c"][(row + visit) % 3], visit);
        }
    }
    write(directory.path(), "people.csv", people);
    write(directory.path(), "visits.csv", &visits);
    let policy = r#"[data]
path = "people.csv"
[[data.detail]]
path = "visits.csv"
foreign-key = "who"
[attributes]
id = "subject"
age = { role = "quasi", hierarchy = { interval = [5, 10, 20] } }
sex = "quasi"
"visits.ward" = "quasi"
[promise]
k-anonymity = 4
[release]
algorithm = "full-domain"
suppress-at-most = 0.1
"#;
    write(directory.path(), "policy.toml", policy);
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 0, "{document}");
    // Sixty people with 0, 1, 2 or 3 visits: fifteen each; those without a visit stay.
    assert_eq!(document["records"], 15 + 15 + 30 + 45);
    let text =
        std::fs::read_to_string(directory.path().join("bundle/release/people.csv")).expect("data");
    let rows: Vec<Vec<String>> = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let id = rows[0]
        .iter()
        .position(|name| name == "id")
        .expect("the subject");
    let people = groups(&rows, &["age", "sex", "visits.ward"])
        .iter()
        .map(|group| {
            let mut ids: Vec<&String> = group.iter().map(|row| &row[id]).collect();
            ids.sort_unstable();
            ids.dedup();
            ids.len()
        })
        .min();
    // The adversary knows all visits of a person, so combinations of classes are counted: they have no more people than a class.
    let measured = document["claims"][0]["measured"].as_f64();
    assert!(measured >= Some(4.0) && measured <= people.map(|k| k as f64));
    assert!(people >= Some(4));
    // A visit of somebody who is not there.
    write(directory.path(), "visits.csv", visits + "stranger,a,1\n");
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "again"],
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-detail".into()),
        "{document}"
    );
}

#[test]
fn missing_values_may_stand_for_any() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut text = String::from("zip,sex\n");
    for row in 0..60_usize {
        text += &format!(
            "{},{}\n",
            if row % 10 == 0 {
                ""
            } else {
                ["a", "b"][row % 2]
            },
            ["f", "m"][row / 30]
        );
    }
    write(directory.path(), "people.csv", text);
    write(
        directory.path(),
        "policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\nzip = { role = \"quasi\", missing = \"wildcard\" }\nsex = \"quasi\"\n[promise]\nk-anonymity = 3\n",
    );
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 0, "{document}");
    // Three of each sex miss the zip; twelve or fifteen show each zip and might be any of those as well.
    assert_eq!(document["claims"][0]["measured"], 3.0);
    assert_eq!(document["wildcard_k"], 15, "{document}");
    let plan = std::fs::read_to_string(directory.path().join("bundle/steward/plan.json"))
        .expect("the plan");
    assert!(plan.contains("missing `zip` as any value"), "{plan}");
}

#[test]
fn audit_counts_people_of_a_register_and_wildcards() {
    let directory = tempfile::tempdir().expect("a directory");
    // The survey's tables II(c) and II(d): four artists, three of five and so on; Alice is present with chance 4/5.
    let table = "job,sex,age\nProfessional,Male,[35-40)\nProfessional,Male,[35-40)\nProfessional,Male,[35-40)\nArtist,Female,[30-35)\nArtist,Female,[30-35)\nArtist,Female,[30-35)\nArtist,Female,[30-35)\n";
    let register = "name,job,sex,age\nAlice,Artist,Female,[30-35)\nBob,Professional,Male,[35-40)\nCathy,Artist,Female,[30-35)\nDoug,Professional,Male,[35-40)\nEmily,Artist,Female,[30-35)\nFred,Professional,Male,[35-40)\nGladys,Artist,Female,[30-35)\nHenry,Professional,Male,[35-40)\nIrene,Artist,Female,[30-35)\n";
    write(directory.path(), "table.csv", table);
    write(directory.path(), "register.csv", register);
    let (code, document) = json(
        directory.path(),
        &[
            "audit",
            "table.csv",
            "--quasi",
            "job,sex,age",
            "--population-file",
            "register.csv",
            "--k",
            "4",
        ],
    );
    assert_eq!(code, 0, "{document}");
    let population = &document["population"];
    assert_eq!(
        (&population["k_map"], &population["outside"]),
        (&4.into(), &0.into())
    );
    assert_eq!(population["delta_presence"]["most"], 0.8);
    assert_eq!(population["delta_presence"]["least"], 0.75);
    assert_eq!(document["violating_records"]["k-anonymity"], 3);

    // a,* could be a,x or a,y: two each; a,x and a,y could be themselves or the wildcard.
    write(
        directory.path(),
        "holes.csv",
        "one,two\na,x\na,y\na,*\nb,x\n",
    );
    let (code, document) = json(
        directory.path(),
        &[
            "audit",
            "holes.csv",
            "--quasi",
            "one,two",
            "--wildcard",
            "*",
            "--k",
            "2",
        ],
    );
    assert_eq!(code, 0, "{document}");
    assert_eq!(
        document["wildcard"],
        serde_json::json!({"k": 1, "uniques": 1, "records_below_k": 1})
    );
    assert_eq!(document["violating_records"]["k-anonymity"], 4);
}

#[test]
fn compare_with_the_policy_measures_what_the_run_did() {
    let directory = tempfile::tempdir().expect("a directory");
    files(directory.path());
    for (algorithm, whole) in [("full-domain", true), ("mondrian", false)] {
        let release = format!("algorithm = \"{algorithm}\"\nsuppress-at-most = 0.05");
        write(
            directory.path(),
            "policy.toml",
            policy("", "k-anonymity = 4", &release),
        );
        let (code, made) = json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle", "--force"],
        );
        assert_eq!(code, 0, "{made}");
        let (code, compared) = json(
            directory.path(),
            &[
                "compare",
                "people.csv",
                "bundle/release/people.csv",
                "--policy",
                "policy.toml",
            ],
        );
        assert_eq!(code, 0, "{compared}");
        let (made, compared) = (&made["metrics"], &compared["metrics"]);
        assert_eq!(
            made["discernibility"], compared["discernibility"],
            "{algorithm}"
        );
        assert!(made["kl-divergence"].is_number() && made["workload-error"].is_number());
        if whole {
            // The release alone tells which tuple went where.
            assert_eq!(made, compared);
            for name in [
                "loss",
                "discernibility-star",
                "average-class-size",
                "normalized-average-class-size",
                "precision",
                "minimal-distortion",
                "height",
                "iloss",
                "ncp",
                "classification",
                "ambiguity",
                "non-uniform-entropy",
            ] {
                assert!(made[name].is_number(), "{name}: {made}");
            }
        } else {
            assert!(compared["kl-divergence"].is_null(), "{compared}");
        }
    }
}

#[test]
fn what_the_catalogue_says_a_policy_accepts() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, document) = json(directory.path(), &["promises"]);
    let mut seen = 0;
    for entry in document["promises"].as_array().expect("promises") {
        let Some(text) = entry["policy"].as_str() else {
            continue;
        };
        seen += 1;
        let (key, rest) = text.split_once(" = ").expect("a key");
        // Only keys that this promise does not know count here: with all its parameters it must have none.
        let mut keys: Vec<String> = entry["parameters"]
            .as_object()
            .expect("parameters")
            .keys()
            .filter(|name| *name != "taxonomy" && *name != "distance")
            .map(|name| format!("{name} = 1"))
            .collect();
        for fixed in ["kind", "distance"] {
            if let Some(at) = rest.find(fixed) {
                keys.push(
                    rest[at..]
                        .split([',', '}'])
                        .next()
                        .expect("a pair")
                        .trim()
                        .to_owned(),
                );
            }
        }
        keys.push("quasi = [\"zip\"]".to_owned());
        let promise = format!("{key} = {{ {} }}", keys.join(", "));
        write(directory.path(), "policy.toml", policy("", &promise, ""));
        let output = support::run(directory.path(), &["anonymize", "policy.toml"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("unknown key"), "{promise}\n{errors}");
        assert!(!errors.contains("has no `"), "{promise}\n{errors}");
    }
    assert!(seen >= 20, "{seen}");
}
