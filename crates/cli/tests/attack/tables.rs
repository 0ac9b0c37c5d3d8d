//! Attacks on one table through the binary: the survey's examples, numbers, Adult, a control group.

use crate::support;

use std::path::Path;

use denym_testkit::shared;
use serde_json::{Value, json};
use support::{attack, counts, empty, json, list, run, write};

/// Tables II(a) to (c) of the survey.
const SURVEY: [(&str, &str); 3] = [
    (
        "patients.csv",
        "job,sex,age,disease\nEngineer,Male,35,Hepatitis\nEngineer,Male,38,Hepatitis\nLawyer,Male,38,HIV\nWriter,Female,30,Flu\nWriter,Female,30,HIV\nDancer,Female,30,HIV\nDancer,Female,30,HIV\n",
    ),
    (
        "people.csv",
        "name,job,sex,age\nAlice,Writer,Female,30\nBob,Engineer,Male,35\nCathy,Writer,Female,30\nDoug,Lawyer,Male,38\nEmily,Dancer,Female,30\nFred,Engineer,Male,38\nGladys,Dancer,Female,30\nHenry,Lawyer,Male,39\nIrene,Dancer,Female,32\n",
    ),
    (
        "anonymous.csv",
        "job,sex,age,disease\nProfessional,Male,35-39,Hepatitis\nProfessional,Male,35-39,Hepatitis\nProfessional,Male,35-39,HIV\nArtist,Female,30-34,Flu\nArtist,Female,30-34,HIV\nArtist,Female,30-34,HIV\nArtist,Female,30-34,HIV\n",
    ),
];

fn survey() -> tempfile::TempDir {
    let directory = empty();
    for (name, text) in SURVEY {
        write(directory.path(), name, text);
    }
    write(
        directory.path(),
        "hierarchies/job.csv",
        "Engineer,Professional,*\nLawyer,Professional,*\nWriter,Artist,*\nDancer,Artist,*\n",
    );
    directory
}

fn victim<'a>(document: &'a Value, name: &str) -> &'a Value {
    list(&document["victims"])
        .iter()
        .find(|victim| victim["person"] == name)
        .unwrap_or_else(|| panic!("{name} in {document}"))
}

#[test]
fn examples_2_1_2_6_and_2_8() {
    let directory = survey();
    let with = [
        "--external",
        "people.csv",
        "--id",
        "name",
        "--sensitive",
        "disease",
        "--victims",
    ];
    let raw = [&["attack", "table", "patients.csv"], &with[..]].concat();
    let (code, found) = json(directory.path(), &raw);
    assert_eq!(code, 0, "{found}");
    // 2.1: the male lawyer of 38 is Doug, and he has HIV.
    assert_eq!(victim(&found, "Doug")["candidates"], json!([3]));
    assert_eq!(victim(&found, "Doug")["inferred"][0]["value"], "HIV");
    assert_eq!(
        (&found["certain"], &found["matched"], &found["people"]),
        (&json!(3), &json!(7), &json!(9))
    );
    // 2.6: all female dancers of 30 have HIV, so Emily has.
    let emily = &victim(&found, "Emily")["inferred"][0];
    assert_eq!(
        (&emily["value"], &emily["confidence"]),
        (&json!("HIV"), &json!(1.0))
    );
    assert_eq!(counts(attack(&found, "homogeneity")), (5, 7));
    // The 3-anonymous table, with intervals and taxonomy nodes understood.
    let general = [
        &[
            "attack",
            "table",
            "anonymous.csv",
            "--hierarchies",
            "hierarchies",
        ],
        &with[..],
    ]
    .concat();
    let (_, found) = json(directory.path(), &general);
    assert_eq!(found["candidates"], json!({"3": 4, "4": 5}));
    assert_eq!(
        (&found["certain"], &found["fewest_candidates"]),
        (&json!(0), &json!(3))
    );
    assert_eq!(counts(attack(&found, "homogeneity")).0, 0);
    assert_eq!(counts(attack(&found, "background-knowledge")), (9, 9));
    // 2.8: four of five who look like Alice are in it.
    let near =
        |value: &Value, wanted: f64| (value.as_f64().expect("a number") - wanted).abs() < 1e-12;
    assert!(near(&victim(&found, "Alice")["presence"], 0.8));
    assert!(near(&victim(&found, "Bob")["presence"], 0.75));
    // Without hierarchies a node is a word nobody has.
    let (_, found) = json(
        directory.path(),
        &[&["attack", "table", "anonymous.csv"], &with[..]].concat(),
    );
    assert_eq!(found["matched"], 0);
}

#[test]
fn example_5_1_minimality() {
    let directory = empty();
    let at = directory.path();
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
    write(
        at,
        "policy.toml",
        "[data]\npath = \"jobs.csv\"\n[attributes]\njob = { role = \"quasi\", hierarchy = \"job.csv\" }\ndisease = \"sensitive\"\n[promise]\nconfidence = { attribute = \"disease\", values = [\"HIV\"], at-most = 0.6 }\n[release]\nalgorithm = \"full-domain\"\n",
    );
    let (code, found) = json(at, &["attack", "minimality", "policy.toml"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(
        (&found["originals"], &found["possible"]),
        (&json!(21), &json!(1))
    );
    assert_eq!(counts(&found["attacks"][0]), (7, 7));
    let andy = &found["beliefs"][0];
    assert_eq!(
        (&andy["value"], &andy["after"]),
        (&json!("HIV"), &json!(1.0))
    );
    assert!((andy["before"].as_f64().expect("a number") - 2.0 / 7.0).abs() < 1e-12);
    let (code, found) = json(
        at,
        &["attack", "minimality", "policy.toml", "--limit", "20"],
    );
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &json!("attack-too-many-steps"))
    );
}

#[test]
fn nearest_numbers() {
    let directory = empty();
    let at = directory.path();
    write(at, "raw.csv", "a,b\n1,5\n2,4\n30,9\n31,9.5\n60,1\n61,0\n");
    write(
        at,
        "means.csv",
        "a,b\n1.5,4.5\n1.5,4.5\n30.5,9.25\n30.5,9.25\n60.5,0.5\n60.5,0.5\n",
    );
    let (_, found) = json(at, &["attack", "numbers", "raw.csv", "raw.csv"]);
    assert_eq!(counts(&found["attacks"][0]), (6, 6));
    let (code, found) = json(at, &["attack", "numbers", "raw.csv", "means.csv"]);
    assert_eq!((code, counts(&found["attacks"][0])), (0, (0, 6)));
    assert!((found["expected"].as_f64().expect("a number") - 3.0).abs() < 1e-9);
}

/// A policy for Adult: k = 5, three occupations in every class.
fn adult_policy(adult: &Path, more: &str) -> String {
    let columns = denym_testkit::adult::COLUMNS.into_iter();
    let known = columns.filter(|name| *name != "occupation");
    let text = format!(
        "[data]\npath = {:?}\n[attributes]\n{}",
        adult.display().to_string(),
        denym_testkit::adult::quasi_identifiers(adult, known)
    );
    text + "occupation = \"sensitive\"\n[promise]\nk-anonymity = 5\nl-diversity = 3\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = 0.05\n"
        + more
}

#[test]
fn adult_raw_and_released() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let directory = empty();
    let at = directory.path();
    let data = adult.display().to_string();
    let hierarchies = adult.parent().expect("a directory").display().to_string();
    let (code, found) = json(at, &["attack", "table", &data, "--external", &data]);
    assert_eq!(
        (code, counts(attack(&found, "linkage"))),
        (0, (15_512, 30_162))
    );
    // Homogeneous classes are broken: more people than the 14,021 unique ones lose their salary class.
    let (_, found) = json(at, &["attack", &data, "--sensitive", "salary-class"]);
    assert_eq!(counts(attack(&found, "linkage")).0, 14_021);
    assert!(counts(attack(&found, "homogeneity")).0 > 14_021);

    write(
        at,
        "policy.toml",
        adult_policy(&adult, "[attack]\nrefuse-above = 0.2\n"),
    );
    let (code, released) = json(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!(
        (code, &released["status"]),
        (0, &json!("released")),
        "{released}"
    );
    let rate = |name: &str| {
        attack(&released, name)["success_rate"]
            .as_f64()
            .expect("a rate")
    };
    assert!(
        rate("linkage") <= 0.2 && rate("homogeneity") == 0.0 && rate("background-knowledge") == 0.0
    );
    // No attack exceeds what was promised, with the source itself as what the adversary has.
    let args = [
        "attack",
        "bundle",
        "--external",
        &data,
        "--hierarchies",
        &hierarchies,
    ];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    assert!(found["fewest_candidates"].as_u64().expect("a count") >= 5);
    assert!(
        found["matched"].as_u64() == found["records"].as_u64(),
        "whoever is published matches: {}",
        found["matched"]
    );
    for name in ["linkage", "homogeneity", "background-knowledge"] {
        assert_eq!(counts(attack(&found, name)).0, 0, "{name}");
    }
    let expected = found["expected"].as_f64().expect("a number");
    assert!(expected <= found["matched"].as_f64().expect("a number") / 5.0);
}

#[test]
fn a_control_group_tells_a_leak_from_statistics() {
    let directory = empty();
    let at = directory.path();
    let hospital = |seed: &str| {
        run(
            at,
            &["generate", "hospital", "--seed", seed, "--rows", "600"],
        )
        .stdout
    };
    write(at, "members.csv", hospital("5"));
    write(at, "heldout.csv", hospital("6"));
    let with = [
        "--external",
        "members.csv",
        "--control",
        "heldout.csv",
        "--sensitive",
        "diagnosis",
        "--link",
        "zip,age,sex,admission",
        "--attempts",
        "400",
    ];
    let (code, found) = json(
        at,
        &[&["attack", "table", "members.csv"], &with[..]].concat(),
    );
    assert_eq!(code, 0, "{found}");
    let controlled = |name: &str| {
        list(&found["controlled"])
            .iter()
            .find(|entry| entry["attack"] == name)
            .expect(name)
    };
    for name in ["singling-out", "linkability", "inference"] {
        let entry = controlled(name);
        assert_eq!(entry["members"]["coverage"], "sampled");
        assert!(
            entry["members"]["rate"].as_f64() >= entry["held_out"]["rate"].as_f64(),
            "{entry}"
        );
    }
    assert_eq!(
        controlled("inference")["leaks"],
        true,
        "raw records give the diagnosis away"
    );
}

#[test]
fn skewness_and_proximity() {
    let directory = empty();
    let at = directory.path();
    // 95 % of all have flu; in the south half have HIV: ten times as likely as overall. Incomes in the north are alike.
    let mut text = "town,disease,income\n".to_owned();
    for row in 0..95 {
        text += &format!("north,flu,{}\n", 30_000 + row);
    }
    for row in 0..10 {
        let disease = if row < 5 { "HIV" } else { "flu" };
        text += &format!("south,{disease},{}\n", 20_000 + row * 9_000);
    }
    write(at, "release.csv", text);
    let args = [
        "attack",
        "table",
        "release.csv",
        "--sensitive",
        "disease,income",
        "--within",
        "100",
    ];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    let about = |name: &str, attribute: &str| {
        list(&found["attacks"])
            .iter()
            .find(|entry| entry["attack"] == name && entry["attribute"] == attribute)
            .map(counts)
    };
    assert_eq!(about("skewness", "disease"), Some((10, 105)));
    assert_eq!(about("homogeneity", "disease"), Some((95, 105)));
    assert_eq!(about("proximity", "income"), Some((95, 105)));
    assert_eq!(
        about("proximity", "disease"),
        None,
        "diseases are no numbers"
    );
}

#[test]
fn singling_out_is_not_compared_with_a_crowd_of_another_size() {
    let directory = empty();
    let at = directory.path();
    let mut members = "age,disease\n".to_owned();
    for person in 0..40 {
        members += &format!("{person},flu\n");
    }
    write(at, "members.csv", &members);
    // Among three others hardly any age is there once: the members would seem to lose more than they do, or less.
    write(at, "few.csv", "age,disease\n1,flu\n2,flu\n3,flu\n");
    let args = [
        "attack",
        "table",
        "members.csv",
        "--external",
        "members.csv",
    ];
    let with = [
        "--control",
        "few.csv",
        "--sensitive",
        "disease",
        "--link",
        "age",
    ];
    let (code, found) = json(at, &[&args[..], &with].concat());
    assert_eq!(code, 0, "{found}");
    let controlled = list(&found["controlled"]).iter();
    let names: Vec<&Value> = controlled.map(|one| &one["attack"]).collect();
    assert!(!names.contains(&&json!("singling-out")), "{found}");
    let mut left = list(&found["not_run"]).iter();
    let why = left
        .find(|one| one["attack"] == "singling-out")
        .expect("a reason");
    assert!(
        why["why"]
            .as_str()
            .is_some_and(|why| why.contains("as many")),
        "{why}"
    );
}
