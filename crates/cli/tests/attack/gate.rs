//! The red team inside `anonymize`: the gate, what never leaves the steward, and a bundle that was moved.

use crate::support;

use serde_json::{Value, json};
use support::{attack, empty, json, list, patients, run, write};

#[test]
fn the_gate_refuses() {
    let directory = patients();
    let at = directory.path();
    let gated = |text: &str| support::POLICY.to_owned() + text;
    write(
        at,
        "policy.toml",
        gated("\n[attack]\nrefuse-above = 0.05\n"),
    );
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!(
        (code, &found["status"], &found["bundle"]),
        (1, &json!("refused"), &Value::Null)
    );
    assert!(!at.join("bundle").exists());
    assert!(
        list(&found["claims"])
            .iter()
            .all(|claim| claim["holds"] == true),
        "the promises hold"
    );
    let output = run(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("refuse-above"));
    write(
        at,
        "policy.toml",
        gated("\n[attack]\nrefuse-above = { linkage = 1, homogeneity = 0 }\n"),
    );
    assert_eq!(json(at, &["anonymize", "policy.toml", "-o", "bundle"]).0, 0);
    // Homogeneous classes: k-anonymity alone lets them through, the gate does not.
    let alike = "name,zip,age,sex,disease\nAnn,1,30,f,flu\nBea,1,30,f,flu\nCid,2,50,m,flu\nDan,2,50,m,cancer\n";
    write(at, "patients.csv", alike);
    let only_k = support::POLICY.replace("l-diversity = 2\n", "");
    write(at, "policy.toml", &only_k);
    assert_eq!(json(at, &["anonymize", "policy.toml", "-o", "second"]).0, 0);
    write(
        at,
        "policy.toml",
        only_k + "\n[attack]\nrefuse-above = { homogeneity = 0.2 }\n",
    );
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "third"]);
    assert_eq!(
        (code, &attack(&found, "homogeneity")["success_rate"]),
        (1, &json!(0.5))
    );
    // Mistakes are all named.
    write(
        at,
        "policy.toml",
        gated("\n[attack]\nrefuse-above = { linkige = 0.2, skewness = 3 }\nrefuse-over = 1\n"),
    );
    let (code, found) = json(at, &["anonymize", "policy.toml"]);
    assert_eq!(
        (code, list(&found["error"]["mistakes"]).len()),
        (2, 3),
        "{found}"
    );
}

#[test]
fn the_public_half_names_no_victim() {
    let directory = patients();
    let at = directory.path();
    let (code, _) = json(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!(code, 0);
    let read = |name: &str| std::fs::read_to_string(at.join("bundle").join(name)).expect("a file");
    let steward: Value = serde_json::from_str(&read("steward/attacks.json")).expect("JSON");
    let linkage = attack(&steward, "linkage");
    assert_eq!(linkage["rate_before"], 1.0);
    assert!(!list(&linkage["worst_victims"]).is_empty());
    assert!(read("steward/report.html").contains("What our own attackers achieved"));
    let certificate: Value = serde_json::from_str(&read("release/certificate.json")).expect("JSON");
    let shown = attack(&certificate, "linkage");
    assert_eq!(shown["success_rate"], linkage["rate_after"]);
    let mut keys: Vec<&String> = shown.as_object().expect("a map").keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["attack", "attempts", "coverage", "knows", "success_rate"]
    );
    for (name, bytes) in support::files(&at.join("bundle/release")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for word in ["victim", "rate_before", "worst", "\"records\": ["] {
            assert!(!text.contains(word), "{word} in {}", name.display());
        }
    }
}

#[test]
fn the_catalogue_is_listed() {
    let directory = empty();
    let (code, found) = json(directory.path(), &["attack", "list"]);
    assert_eq!(code, 0);
    assert!(list(&found["attacks"]).len() >= 29);
    let output = run(directory.path(), &["attack", "list"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("reidit-c"));
    assert_eq!(run(directory.path(), &["attack"]).status.code(), Some(2));
}

/// Ten people of whom no two agree on both columns, and each single value is shared by at least two.
fn pairs() -> String {
    let mut text = "town,job,disease\n".to_owned();
    for (town, job) in [
        (0, 0),
        (0, 1),
        (1, 1),
        (1, 2),
        (2, 2),
        (2, 3),
        (3, 3),
        (3, 4),
        (4, 4),
        (4, 0),
    ] {
        let disease = ["flu", "cold", "gout"][(town + job) % 3];
        text += &format!("t{town},j{job},{disease}\n");
    }
    text
}

#[test]
fn attacks_know_no_more_than_the_adversary() {
    let directory = empty();
    let at = directory.path();
    write(at, "people.csv", pairs());
    let policy = |knows: &str| {
        format!(
            "[data]\npath = \"people.csv\"\n[attributes]\ntown = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n\
             [adversary]\nknows = {knows}\n[promise]\nk-anonymity = 1\n[release]\nalgorithm = \"full-domain\"\n[attack]\nrefuse-above = {{ linkage = 0.5 }}\n"
        )
    };
    write(at, "one.toml", policy("{ at-most = 1 }"));
    let (code, found) = json(at, &["anonymize", "one.toml", "-o", "one"]);
    // Everything stays as it is: through one column everybody is one of two.
    assert_eq!(
        (code, &found["levels"]),
        (0, &json!({"town": 0, "job": 0})),
        "{found}"
    );
    let linkage = attack(&found, "linkage");
    assert_eq!(
        (&linkage["success_rate"], &linkage["coverage"]),
        (&json!(0.5), &json!("exhaustive")),
        "{linkage}"
    );
    let knows = linkage["knows"].as_str().expect("text");
    assert!(knows.starts_with("any 1 of"), "{knows}");
    // The worst victims are named with what is known of them only.
    let steward: Value = serde_json::from_slice(
        &std::fs::read(at.join("one/steward/attacks.json")).expect("a file"),
    )
    .expect("JSON");
    let worst = &attack(&steward, "linkage")["worst_victims"][0];
    assert_eq!(
        worst["quasi_identifiers"].as_object().expect("a map").len(),
        1
    );
    assert_eq!(
        (&worst["people"], &worst["chance"]),
        (&json!(2), &json!(0.5))
    );
    // Who knows both columns finds everybody in that release, and the gate says so when such a one is to be feared.
    let (_, all) = json(
        at,
        &[
            "attack",
            "table",
            "one/release/people.csv",
            "--sensitive",
            "disease",
        ],
    );
    assert_eq!(all["certain"], 10);
    write(at, "both.toml", policy("\"quasi-identifiers\""));
    let (code, found) = json(at, &["anonymize", "both.toml", "-o", "both"]);
    assert_eq!(
        (code, &attack(&found, "linkage")["success_rate"]),
        (1, &json!(1.0))
    );
}

#[test]
fn numbers_that_are_close_and_searches_that_are_minimal() {
    let directory = empty();
    let at = directory.path();
    // Incomes: all different, yet in the first group within a few hundred of each other.
    write(
        at,
        "income.csv",
        "job,income\nnurse,30000\nnurse,30200\nnurse,30400\nlawyer,20000\nlawyer,60000\nlawyer,90000\n",
    );
    let policy = "[data]\npath = \"income.csv\"\n[attributes]\njob = \"quasi\"\nincome = \"sensitive\"\n[promise]\nk-anonymity = 3\nl-diversity = 3\n[release]\nalgorithm = \"full-domain\"\n";
    write(at, "p.toml", policy);
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "income"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(attack(&found, "proximity")["success_rate"], 0.5);
    assert_eq!(attack(&found, "homogeneity")["success_rate"], 0.0);
    write(
        at,
        "p.toml",
        policy.to_owned() + "[attack]\nrefuse-above = { proximity = 0.4 }\n",
    );
    assert_eq!(json(at, &["anonymize", "p.toml", "-o", "gated"]).0, 1);
    // Example 5.1: the coarser release gives away that both engineers have HIV.
    write(
        at,
        "jobs.csv",
        "job,disease\nEngineer,HIV\nLawyer,Flu\nEngineer,HIV\nLawyer,Flu\nLawyer,Flu\nLawyer,Flu\nLawyer,Flu\n",
    );
    write(
        at,
        "job.csv",
        "Engineer,Professional\nLawyer,Professional\n",
    );
    let policy = "[data]\npath = \"jobs.csv\"\n[attributes]\njob = { role = \"quasi\", hierarchy = \"job.csv\" }\ndisease = \"sensitive\"\n[promise]\nconfidence = { attribute = \"disease\", values = [\"HIV\"], at-most = 0.6 }\n[release]\nalgorithm = \"full-domain\"\n";
    write(at, "p.toml", policy);
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "jobs"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(attack(&found, "minimality")["success_rate"], 1.0);
    assert_eq!(attack(&found, "homogeneity")["success_rate"], 0.0);
    write(
        at,
        "p.toml",
        policy.to_owned() + "[attack]\nrefuse-above = { minimality = 0.5 }\n",
    );
    assert_eq!(json(at, &["anonymize", "p.toml", "-o", "refused"]).0, 1);
}

#[test]
fn every_attack_is_run_or_accounted_for() {
    let directory = patients();
    let at = directory.path();
    assert_eq!(json(at, &["anonymize", "policy.toml", "-o", "bundle"]).0, 0);
    let document = std::fs::read(at.join("bundle/steward/attacks.json")).expect("a file");
    let document: Value = serde_json::from_slice(&document).expect("JSON");
    let all = json(at, &["attack", "list"]).1;
    for entry in list(&all["attacks"]) {
        let named = |part: &str| {
            let mut entries = list(&document[part]).iter();
            entries.any(|other| other["attack"] == entry["name"])
        };
        assert!(named("attacks") != named("not_run"), "{entry}");
    }
    let why = list(&document["not_run"])
        .iter()
        .find(|left| left["attack"] == "proximity")
        .expect("a reason");
    assert_eq!(why["why"], "no sensitive attribute is a number");
}

#[test]
fn a_moved_bundle_explains_itself() {
    let directory = empty();
    let at = directory.path();
    write(
        at,
        "work/people.csv",
        "job,disease\nEngineer,flu\nLawyer,gout\nWriter,flu\nDancer,cold\n",
    );
    write(
        at,
        "trees/job.csv",
        "Engineer,Professional,*\nLawyer,Professional,*\nWriter,Artist,*\nDancer,Artist,*\n",
    );
    // One step up and down again: the copy must not leave the bundle.
    write(
        at,
        "work/policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\njob = { role = \"quasi\", hierarchy = \"../trees/job.csv\" }\ndisease = \"sensitive\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\n",
    );
    let (code, found) = json(at, &["anonymize", "work/policy.toml", "-o", "bundle"]);
    assert_eq!((code, &found["levels"]["job"]), (0, &json!(1)), "{found}");
    write(
        at,
        "voters.csv",
        "name,job\nAnn,Engineer\nBob,Writer\nCid,Plumber\n",
    );
    std::fs::rename(at.join("bundle"), at.join("moved")).expect("moved");
    std::fs::remove_dir_all(at.join("trees")).expect("removed");
    std::fs::remove_dir_all(at.join("work")).expect("removed");
    let (code, found) = json(
        at,
        &[
            "attack",
            "moved",
            "--external",
            "voters.csv",
            "--id",
            "name",
        ],
    );
    assert_eq!(code, 0, "{found}");
    assert_eq!(
        (&found["matched"], &found["candidates"]["2"]),
        (&json!(2), &json!(2)),
        "{found}"
    );
    assert_eq!(json(at, &["verify", "moved"]).0, 0);
}
