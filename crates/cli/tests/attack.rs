//! The red team through the binary: the papers' examples, real data, the gate, and what never leaves the steward.

mod support;

use std::path::Path;
use std::process::Command;

use denym_testkit::shared;
use serde_json::{Value, json};
use support::{json, patients, run, write};

fn empty() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The evidence of `attack` in a document.
fn attack<'a>(document: &'a Value, name: &str) -> &'a Value {
    list(&document["attacks"])
        .iter()
        .find(|entry| entry["attack"] == name)
        .unwrap_or_else(|| panic!("no `{name}` in {document}"))
}

fn counts(entry: &Value) -> (u64, u64) {
    let of = |key: &str| entry[key].as_u64().expect("a count");
    (of("successes"), of("attempts"))
}

/// Rows of bits as a trail file; a subject without entries has a row without an institution.
fn trail_file(rows: &Value, prefix: &str) -> String {
    let mut text = String::from("id,institution\n");
    for (row, bits) in list(rows).iter().enumerate() {
        let bits = bits.as_str().expect("bits");
        if !bits.contains('1') {
            text += &format!("{prefix}{row},\n");
        }
        for (at, bit) in bits.chars().enumerate() {
            if bit == '1' {
                text += &format!("{prefix}{row},hospital-{at}\n");
            }
        }
    }
    text
}

#[test]
fn every_reidit_vector() {
    let Some(vectors) = shared::vectors("paths-and-trails") else {
        return;
    };
    let directory = empty();
    let mut cases = 0;
    for case in ["worked", "random"]
        .iter()
        .flat_map(|part| list(&vectors[part]))
        .filter(|case| case["kind"] == "reidit")
    {
        cases += 1;
        let id = &case["id"];
        write(directory.path(), "n.csv", trail_file(&case["N"], "n"));
        write(directory.path(), "p.csv", trail_file(&case["P"], "p"));
        let args = [
            "attack",
            "trails",
            "--identified",
            "p.csv",
            "--anonymous",
            "n.csv",
        ];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(code, 0, "{id}");
        for (method, key) in [
            ("reidit-c", "reidit_c"),
            ("reidit-i", "reidit_i"),
            ("reidit-m", "reidit_m"),
            ("forced", "forced"),
        ] {
            let expected = case[key].as_object().map(|pairs| {
                let mut pairs: Vec<(u64, u64)> = pairs
                    .iter()
                    .map(|(n, p)| (n.parse().expect("a row"), p.as_u64().expect("a row")))
                    .collect();
                pairs.sort_unstable();
                let named = pairs
                    .iter()
                    .map(|(n, p)| json!([format!("n{n}"), format!("p{p}")]));
                named.collect::<Value>()
            });
            let expected = expected.unwrap_or(Value::Null);
            assert_eq!(found["pairs"][method], expected, "{id} {method}");
            let count = expected.as_array().map(Vec::len);
            assert_eq!(found["counts"][method], json!(count), "{id} {method}");
        }
        let sizes = case["allowed"].as_object().map(|sets| {
            (0..sets.len())
                .map(|n| list(&sets[&n.to_string()]).len())
                .collect::<Vec<_>>()
        });
        assert_eq!(found["allowed_set_sizes"], json!(sizes), "{id}");
        assert_eq!(found["saturable"], json!(sizes.is_some()), "{id}");
        assert_eq!(
            list(&found["warnings"]).is_empty(),
            sizes.is_some() && !shares(case),
            "{id}"
        );
    }
    assert_eq!(cases, 54);
}

/// Whether REIDIT-C gives one person several trails, which is worth a warning of its own.
fn shares(case: &Value) -> bool {
    let mut owners: Vec<&Value> = case["reidit_c"]
        .as_object()
        .expect("pairs")
        .values()
        .collect();
    let all = owners.len();
    owners.sort_by_key(|owner| owner.as_u64());
    owners.dedup();
    owners.len() < all
}

/// The visitors of a web site as a trail file; the first `most` of them.
fn web_trails(most: usize) -> Option<String> {
    let path = shared::path("data/trails/anonymous-msweb.data.gz")?;
    let unpacked = Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("gzip");
    let mut text = String::from("id,institution\n");
    let (mut user, mut users) = (String::new(), 0);
    for line in String::from_utf8_lossy(&unpacked.stdout).lines() {
        let mut parts = line.split(',');
        match parts.next() {
            Some("C") => {
                users += 1;
                parts.nth(1).expect("a user").clone_into(&mut user);
            }
            Some("V") if users <= most => {
                text += &format!("{user},area-{}\n", parts.next().expect("an area"));
            }
            _ => {}
        }
    }
    Some(text)
}

#[test]
fn nine_thousand_five_hundred_web_visitors() {
    let Some(text) = web_trails(usize::MAX) else {
        return;
    };
    let directory = empty();
    write(directory.path(), "web.csv", text);
    for incomplete in ["anonymous", "none"] {
        let args = [
            "attack",
            "trails",
            "--identified",
            "web.csv",
            "--anonymous",
            "web.csv",
            "--incomplete",
            incomplete,
            "--theory",
        ];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(code, 0);
        assert_eq!(found["anonymous"], 32_711);
        assert_eq!(found["counts"]["reidit-c"], 9_500, "{incomplete}");
        assert_eq!(found["counts"]["forced"], 9_500, "{incomplete}");
        assert_eq!(found["theory"]["unique"], 9_500);
        let pairs = list(&found["pairs"]["reidit-c"]);
        assert!(pairs.iter().all(|pair| pair[0] == pair[1]), "all correct");
    }
}

#[test]
fn folders_links_and_several_identities() {
    let directory = empty();
    let at = directory.path();
    // Two institutions; Ann and Bob were at both, so only the year of birth tells their samples apart.
    write(
        at,
        "names/north.csv",
        "name,zip,born\nAnn,1,1970-05-02\nBob,1,1971-02-05\n",
    );
    write(
        at,
        "names/south.csv",
        "name,zip,born\nAnn,1,1970-05-02\nBob,1,1971-02-05\n",
    );
    write(at, "dna/north.csv", "sample,year\ns1,1971\ns2,1970\n");
    write(at, "dna/south.csv", "sample,year\ns1,1971\ns2,1970\n");
    let mut args = vec![
        "attack",
        "trails",
        "--identified",
        "names",
        "--anonymous",
        "dna",
        "--identified-id",
        "name,zip",
        "--anonymous-id",
        "sample",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(
        found["counts"],
        json!({"reidit-c": 0, "reidit-i": 0, "reidit-m": 0, "forced": 0})
    );
    args.extend(["--link", "year=born:year-of"]);
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    assert_eq!(
        found["pairs"]["forced"],
        json!([["s1", "Bob 1"], ["s2", "Ann 1"]])
    );
    // The same as one table with an institution column.
    write(
        at,
        "dna.csv",
        "sample,year,lab\ns1,1971,north\ns1,1971,south\ns2,1970,north\ns2,1970,south\n",
    );
    write(
        at,
        "names.csv",
        "name,born,lab\nAnn,1970-05-02,north\nAnn,1970-05-02,south\nBob,1971-02-05,north\nBob,1971-02-05,south\n",
    );
    let args = [
        "attack",
        "trails",
        "--identified",
        "names.csv",
        "--anonymous",
        "dna.csv",
        "--institution",
        "lab",
        "--identified-id",
        "name",
        "--anonymous-id",
        "sample",
        "--link",
        "year=born:year-of",
    ];
    assert_eq!(
        json(at, &args).1["pairs"]["forced"],
        json!([["s1", "Bob"], ["s2", "Ann"]])
    );
    // Two cards that only Eve can have: every card leaves a part of its holder's trail.
    write(
        at,
        "faces.csv",
        "id,institution\nEve,a\nEve,b\nEve,c\nFay,c\nFay,d\n",
    );
    write(at, "cards.csv", "id,institution\n1111,a\n2222,b\n3333,d\n");
    let args = [
        "attack",
        "trails",
        "--identified",
        "faces.csv",
        "--anonymous",
        "cards.csv",
        "--find-multiple",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(
        found["multiple"],
        json!([{"id": "Eve", "identities": ["1111", "2222"]}])
    );
    assert_eq!(
        (&found["saturable"], &found["counts"]["forced"]),
        (&json!(false), &Value::Null)
    );
    assert!(
        list(&found["warnings"])[0]
            .as_str()
            .expect("text")
            .contains("conditional")
    );
    let args = [
        "attack",
        "trails",
        "--identified",
        "faces.csv",
        "--anonymous",
        "cards.csv",
        "--posterior",
        "--missing-rate",
        "0.3",
        "--false-rate",
        "0.01",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(found["posteriors"][0]["candidates"][0][0], "Eve");
    assert!(
        found["posteriors"][0]["candidates"][0][1]
            .as_f64()
            .expect("a number")
            > 0.9
    );
    // Mistakes.
    let output = run(
        at,
        &[
            "attack",
            "trails",
            "--identified",
            "faces.csv",
            "--anonymous",
            "dna.csv",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no column `id`"));
    let (code, _) = json(
        at,
        &[
            "attack",
            "trails",
            "--identified",
            "faces.csv",
            "--anonymous",
            "cards.csv",
            "--posterior",
            "--missing-rate",
            "2",
        ],
    );
    assert_eq!(code, 2);
}

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
fn examples_6_1_6_3_and_6_4() {
    let directory = empty();
    let at = directory.path();
    write(
        at,
        "t1.csv",
        "age,job\n30,Banker\n30,Banker\n40,Clerk\n40,Driver\n50,Engineer\n50,Lawyer\n",
    );
    write(
        at,
        "t2.csv",
        "job,birthplace,disease\nBanker,US,Cancer\nBanker,US,Cancer\nClerk,France,HIV\nDriver,UK,Cancer\nEngineer,France,HIV\nLawyer,US,HIV\n",
    );
    let (code, found) = json(
        at,
        &[
            "attack",
            "releases",
            "t1.csv",
            "t2.csv",
            "--sensitive",
            "disease",
            "--victims",
        ],
    );
    assert_eq!(code, 0, "{found}");
    assert_eq!(counts(attack(&found, "join")), (5, 5));
    let hidden = json!({"group": ["40", "France"], "matches": 1, "values": ["HIV"]});
    assert!(list(&found["joined"]).contains(&hidden), "{found}");
    let lossy = json!({"group": ["30", "US"], "matches": 4, "values": ["Cancer"]});
    assert!(list(&found["joined"]).contains(&lossy), "{found}");

    // Table VIII; the survey's text lists other diseases than its table, and calls (c) by the name of (b).
    write(
        at,
        "a.csv",
        "job,sex,disease\nProfessional,Female,Cancer\nProfessional,Female,Diabetes\nArtist,Male,Fever\nArtist,Male,Cancer\n",
    );
    write(
        at,
        "b.csv",
        "job,sex,disease\nProfessional,Female,Cancer\nProfessional,Female,Diabetes\nProfessional,Female,HIV\nArtist,Male,Fever\nArtist,Male,Cancer\n",
    );
    write(
        at,
        "c.csv",
        "job,sex,disease\nProfessional,Female,Cancer\nProfessional,Female,Fever\nArtist,Male,Fever\nArtist,Male,Cancer\n",
    );
    write(
        at,
        "people.csv",
        "name,job,sex\nBeth,Professional,Female\nCarl,Artist,Male\n",
    );
    let (_, found) = json(
        at,
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "disease",
            "--victims",
        ],
    );
    assert_eq!(
        found["newcomers"],
        json!([{"group": ["Professional", "Female"], "values": ["HIV"]}])
    );
    assert_eq!(counts(attack(&found, "correspondence")), (1, 1));
    let args = [
        "attack",
        "releases",
        "a.csv",
        "c.csv",
        "--sensitive",
        "disease",
        "--external",
        "people.csv",
        "--id",
        "name",
        "--victims",
    ];
    let (_, found) = json(at, &args);
    assert_eq!(
        found["victims"],
        json!([{"person": "Beth", "values": ["Cancer"]}])
    );
    assert_eq!(counts(attack(&found, "intersection")), (1, 2));
    assert_eq!(counts(attack(&found, "m-invariance")), (1, 2));
    assert_eq!(list(&found["notes"]).len(), 1, "a record was deleted");
}

#[test]
fn example_8_1_queries() {
    let directory = empty();
    let at = directory.path();
    let before = "university,department,score\nConcordia,CS,92\nSimon Fraser,EE,91\nConcordia,CS,97\nIllinois,CS,96\n";
    write(at, "before.csv", before);
    write(at, "after.csv", before.to_owned() + "Illinois,CS,99\n");
    let known = ["--known", "university,department", "--number", "score"];
    let (code, found) = json(
        at,
        &[&["attack", "queries", "before.csv"], &known[..]].concat(),
    );
    assert_eq!(code, 0, "{found}");
    assert!(list(&found["learned"]).contains(&json!({"record": 4, "value": 96.0, "questions": 2})));
    let (_, found) = json(
        at,
        &[
            &["attack", "queries", "after.csv", "--before", "before.csv"],
            &known[..],
        ]
        .concat(),
    );
    assert_eq!(found["added"], json!([{"record": 5, "value": 99.0}]));
    // The electrical engineer is refused directly, and falls to a tracker.
    let (_, found) = json(
        at,
        &[
            &["attack", "queries", "after.csv", "--least", "2"],
            &known[..],
        ]
        .concat(),
    );
    let engineer = &list(&found["learned"])[0];
    assert_eq!(
        (&engineer["record"], &engineer["value"]),
        (&json!(2), &json!(91.0))
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
    let directory = adult.parent().expect("a directory").display().to_string();
    let mut text = format!(
        "[data]\npath = {:?}\n[attributes]\n",
        adult.display().to_string()
    );
    for name in [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "salary-class",
    ] {
        text += &format!(
            "{name} = {{ role = \"quasi\", hierarchy = \"{directory}/adult_hierarchy_{name}.csv\" }}\n"
        );
    }
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
    let keys: Vec<&String> = shown.as_object().expect("a map").keys().collect();
    assert_eq!(keys, ["attack", "knows", "success_rate"]);
    for (name, bytes) in support::files(&at.join("bundle/release")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for word in ["victim", "rate_before", "worst", "\"records\": ["] {
            assert!(!text.contains(word), "{word} in {}", name.display());
        }
    }
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
fn trails_are_defended_and_audited() {
    let Some(text) = web_trails(300) else {
        return;
    };
    let directory = empty();
    let at = directory.path();
    write(at, "people.csv", &text);
    let policy = "[data]\nkind = \"trails\"\nidentified = \"people.csv\"\nanonymous = \"people.csv\"\n[promise]\nk-anonymity = 3\n";
    write(at, "policy.toml", policy);
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "bundle"]);
    assert_eq!((code, &found["status"]), (0, &json!("released")), "{found}");
    assert!(found["claims"][0]["measured"].as_f64().expect("a number") >= 3.0);
    let withheld = found["withheld"].as_u64().expect("a count");
    assert!(
        withheld > 0 && withheld < found["entries"].as_u64().expect("a count") / 2,
        "{found}"
    );
    for name in ["reidit-i", "reidit-m", "forced"] {
        assert_eq!(attack(&found, name)["success_rate"], 0.0);
    }
    let args = [
        "attack",
        "trails",
        "--identified",
        "people.csv",
        "--anonymous",
        "bundle/release/people.csv",
    ];
    let (_, after) = json(at, &args);
    let sizes = list(&after["allowed_set_sizes"]);
    assert!(!sizes.is_empty() && sizes.iter().all(|size| size.as_u64() >= Some(3)));
    assert_eq!(
        (&after["counts"]["forced"], &after["counts"]["reidit-i"]),
        (&json!(0), &json!(0))
    );
    // Ids that the identified side shares are numbered anew.
    let released = std::fs::read_to_string(at.join("bundle/release/people.csv")).expect("a file");
    assert!(
        released.starts_with("id,institution\n1,area-"),
        "{}",
        &released[..60]
    );
    let (code, verified) = json(at, &["verify", "bundle"]);
    assert_eq!(
        (code, &verified["holds"], &verified["claims"][0]["holds"]),
        (0, &json!(true), &Value::Null)
    );
    assert_eq!(
        run(at, &["attack", "bundle"]).status.code(),
        Some(2),
        "trails need the identified side"
    );
    // More owners than people: an answer, not a mistake.
    write(at, "policy.toml", policy.replace("= 3", "= 301"));
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "other"]);
    assert_eq!((code, &found["status"]), (1, &json!("refused")));
    // Owners from a file; their ids are published as they are.
    write(
        at,
        "few.csv",
        "id,institution\nAnn,a\nAnn,b\nBob,a\nBob,b\nBob,c\n",
    );
    write(at, "dna.csv", "id,institution\nx,a\nx,b\ny,a\ny,b\ny,c\n");
    write(at, "owners.csv", "anonymous,identified\nx,Ann\ny,Bob\n");
    write(
        at,
        "policy.toml",
        "[data]\nkind = \"trails\"\nidentified = \"few.csv\"\nanonymous = \"dna.csv\"\nowners = \"owners.csv\"\n[promise]\nk-anonymity = 2\n",
    );
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "small"]);
    assert_eq!(
        (code, &found["withheld"], &found["optimal"]),
        (0, &json!(1), &json!(true)),
        "{found}"
    );
    let released = std::fs::read_to_string(at.join("small/release/dna.csv")).expect("a file");
    assert_eq!(released, "id,institution\nx,a\nx,b\ny,a\ny,b\n");
    write(
        at,
        "policy.toml",
        "[data]\nkind = \"trails\"\nanonymous = \"dna.csv\"\n[promise]\nl-diversity = 2\n",
    );
    assert_eq!(json(at, &["anonymize", "policy.toml"]).0, 2);
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
