//! Every promise a policy can make, from the policy to the verified bundle, and what each refuses.

use crate::support;

use support::{json, write};

/// Patients with a number and a category to protect.
fn table() -> String {
    let mut text = String::from("zip,age,sex,disease,salary,ward\n");
    let diseases = ["flu", "cancer", "asthma", "hiv", "flu", "gastritis"];
    for row in 0..120_usize {
        text += &format!(
            "{},{},{},{},{},{}\n",
            10_000 + row % 12,
            20 + (row * 7) % 40,
            ["f", "m"][row % 2],
            diseases[(row * 5 + row / 7) % 6],
            1000 + (row * 379) % 4000,
            ["a", "b", "c"][(row / 2) % 3],
        );
    }
    text
}

fn policy(adversary: &str, promise: &str) -> String {
    format!(
        r#"[data]
path = "people.csv"
[attributes]
zip = {{ role = "quasi", hierarchy = {{ redact = "right" }} }}
age = {{ role = "quasi", hierarchy = {{ interval = [5, 10, 20] }} }}
sex = "quasi"
disease = {{ role = "sensitive", taxonomy = "disease.csv" }}
salary = "sensitive"
ward = "insensitive"
{adversary}
[promise]
{promise}
[release]
algorithm = "full-domain"
suppress-at-most = 0.2
"#
    )
}

/// Runs one policy and returns exit code and document; verifies what was released.
fn run(adversary: &str, promise: &str) -> (i32, serde_json::Value) {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "people.csv", table());
    write(
        directory.path(),
        "disease.csv",
        "flu,infection,any\nhiv,infection,any\ncancer,tumor,any\nasthma,lung,any\ngastritis,stomach,any\n",
    );
    write(directory.path(), "policy.toml", policy(adversary, promise));
    let (code, document) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    if code == 0 {
        let (code, verified) = json(directory.path(), &["verify", "bundle/release"]);
        assert_eq!(code, 0, "{promise}: {verified}");
        let found = verified["claims"].as_array().expect("claims");
        let made = document["claims"].as_array().expect("claims");
        assert_eq!(found.len(), made.len(), "{promise}: {verified}");
        for (found, made) in found.iter().zip(made) {
            for key in [
                "promise",
                "attribute",
                "quasi_identifiers",
                "asked",
                "check",
            ] {
                assert_eq!(found[key], made[key], "{promise}: {verified}");
            }
            assert_eq!(found["stated"], made["measured"], "{promise}: {verified}");
            // Measured again, or counted against a reference of which a part was removed with its records.
            let alone = found["check"] == "recheckable";
            let (value, holds) = if alone {
                ("measured", true.into())
            } else {
                assert_eq!(found["rests_on"], "reference", "{promise}: {verified}");
                ("counted", serde_json::Value::Null)
            };
            assert_eq!(found[value], made["measured"], "{promise}: {verified}");
            assert_eq!(found["holds"], holds, "{promise}: {verified}");
        }
    }
    (code, document)
}

#[test]
fn every_promise_is_kept_measured_and_verified() {
    for promise in [
        "k-anonymity = 5",
        "l-diversity = { attribute = \"disease\", l = 3 }",
        "l-diversity = { attribute = \"disease\", kind = \"entropy\", l = 2.5 }",
        "l-diversity = { attribute = \"disease\", kind = \"recursive\", c = 2, l = 2 }",
        "l-diversity = { attribute = \"disease\", kind = \"recursive\", c = 2, l = 2, allowed = [\"flu\"] }",
        "l-diversity = { attribute = \"disease\", kind = \"recursive\", c = 3, l = 2, allowed = [\"flu\"], floor = [\"hiv\"], least = 0.05 }",
        "t-closeness = { attribute = \"disease\", t = 0.3 }",
        "t-closeness = { attribute = \"salary\", t = 0.3, distance = \"ordered\" }",
        "t-closeness = { attribute = \"disease\", t = 0.3, distance = \"hierarchical\" }",
        "confidence = [{ attribute = \"disease\", values = [\"hiv\"], at-most = 0.3 }, { attribute = \"disease\", values = [\"cancer\"], at-most = 0.4 }]",
        "xy-anonymity = { y = [\"ward\", \"disease\"], k = 4 }",
        "xy-anonymity = { y = [\"disease\"], k = 3 }",
        "xy-privacy = { attribute = \"disease\", values = [\"hiv\"], at-most = 0.3, k = 4 }",
        "alpha-k-anonymity = { attribute = \"disease\", alpha = 0.6, k = 4 }",
        "k-e-anonymity = { attribute = \"salary\", k = 4, e = 1500 }",
        "epsilon-m-anonymity = { attribute = \"salary\", epsilon = 50, m = 3 }",
        "beta-likeness = { attribute = \"disease\", beta = 2 }",
        "beta-likeness = { attribute = \"disease\", beta = 1.5, kind = \"basic\" }",
        "delta-disclosure = { attribute = \"disease\", delta = 2 }",
    ] {
        let (code, document) = run("", promise);
        assert_eq!(code, 0, "{promise}: {document}");
        assert!(
            document["claims"]
                .as_array()
                .is_some_and(|claims| claims.iter().all(|claim| claim["holds"] == true))
        );
        assert!(
            document["classes"]
                .as_u64()
                .is_some_and(|classes| classes >= 1),
            "{promise}"
        );
    }
}

#[test]
fn an_adversary_who_knows_a_few_is_judged_on_every_few() {
    let (code, document) = run("[adversary]\nknows = { at-most = 2 }", "k-anonymity = 5");
    assert_eq!(code, 0, "{document}");
    // Who knows less is kept out at less loss, and the search knows it.
    let loss = |document: &serde_json::Value| document["metric"]["value"].as_f64().expect("a loss");
    let (_, one) = run("[adversary]\nknows = { at-most = 1 }", "k-anonymity = 5");
    let (_, all) = run("", "k-anonymity = 5");
    assert!(loss(&document) <= loss(&all), "{document}");
    assert!(loss(&one) < loss(&document), "{document}");
}

#[test]
fn impossible_promises_name_what_is_possible() {
    let (code, document) = run("", "xy-anonymity = { y = [\"ward\"], k = 4 }");
    assert_eq!(
        (code, &document["error"]["code"]),
        (1, &"infeasible".into()),
        "{document}"
    );
    assert!(
        document["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("3 is reachable")),
        "{document}"
    );
    let (code, document) = run(
        "",
        "k-e-anonymity = { attribute = \"disease\", k = 2, e = 1 }",
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-promise".into()),
        "{document}"
    );
    let (code, _) = run("", "xy-anonymity = { y = [\"name\"], k = 4 }");
    assert_eq!(code, 2);
}

/// Records of the table in groups (of the given columns) with fewer than `k` records.
fn records_below(columns: &[usize], k: usize) -> u64 {
    let text = table();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let alike = |a: &[&str], b: &[&str]| columns.iter().all(|&column| a[column] == b[column]);
    let size = |row: &Vec<&str>| rows.iter().filter(|other| alike(row, other)).count();
    rows.iter().filter(|row| size(row) < k).count() as u64
}

#[test]
fn any_table_is_judged_by_the_promises_of_a_policy() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "people.csv", table());
    write(
        directory.path(),
        "disease.csv",
        "flu,infection,any\nhiv,infection,any\ncancer,tumor,any\nasthma,lung,any\ngastritis,stomach,any\n",
    );
    let promises = "k-anonymity = [{ k = 5 }, { k = 9, quasi = [\"zip\"] }]\nl-diversity = { attribute = \"disease\", l = 2 }";
    write(directory.path(), "policy.toml", policy("", promises));
    let (code, document) = json(directory.path(), &["audit", "--policy", "policy.toml"]);
    assert_eq!((code, &document["status"]), (1, &"fails".into()));
    let violating = |claim: usize| document["claims"][claim]["violating_records"].as_u64();
    assert_eq!(violating(0), Some(records_below(&[0, 1, 2], 5)));
    assert_eq!(violating(1), Some(records_below(&[0], 9)));
    assert!(violating(2) > Some(0));
    // The same measures as with the roles as options.
    assert!(document["risk"]["uniques"].is_u64(), "{document}");

    let (code, _) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "bundle"],
    );
    assert_eq!(code, 0);
    let release = "bundle/release/people.csv";
    let (code, document) = json(
        directory.path(),
        &["audit", release, "--policy", "policy.toml"],
    );
    assert_eq!(
        (code, &document["status"]),
        (0, &"holds".into()),
        "{document}"
    );
}
