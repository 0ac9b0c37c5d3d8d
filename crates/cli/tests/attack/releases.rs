//! Attacks on several releases and on answered queries through the binary: Examples 6.1, 6.3, 6.4 and 8.1 of the survey.

use crate::support;

use serde_json::json;
use support::{attack, counts, empty, json, list, write};

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
    assert!(
        found["knows"]
            .as_str()
            .is_some_and(|knows| knows.contains("`university`"))
    );
    // In whatever order the later state was written, the newcomer is the newcomer.
    let sorted = before.replacen("score\n", "score\nIllinois,CS,99\n", 1);
    write(at, "after.csv", sorted);
    let (_, found) = json(
        at,
        &[
            &["attack", "queries", "after.csv", "--before", "before.csv"],
            &known[..],
        ]
        .concat(),
    );
    assert_eq!(found["added"], json!([{"record": 1, "value": 99.0}]));
    assert_eq!(counts(attack(&found, "query-difference")), (1, 1));
    write(at, "after.csv", before.to_owned() + "Illinois,CS,99\n");
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
fn a_join_counts_people_and_not_their_records() {
    let directory = empty();
    let at = directory.path();
    // Three records of one clerk of 40, and three of two bankers of 30; numbers start anew in every class.
    write(
        at,
        "t1.csv",
        "person,age,job\n1,40,Clerk\n1,40,Clerk\n1,40,Clerk\n1,30,Banker\n2,30,Banker\n2,30,Banker\n",
    );
    write(
        at,
        "t2.csv",
        "person,job,birthplace,disease\n1,Clerk,France,HIV\n1,Clerk,France,Flu\n1,Banker,US,Cancer\n2,Banker,US,Flu\n",
    );
    let both = ["attack", "releases", "t1.csv", "t2.csv"];
    let asked = ["--sensitive", "disease", "--subject", "person", "--victims"];
    let (code, found) = json(at, &[&both[..], &asked].concat());
    assert_eq!(code, 0, "{found}");
    assert_eq!(counts(attack(&found, "join")), (1, 2), "{found}");
    let clerk = json!({"group": ["40", "France"], "matches": 1, "values": ["Flu", "HIV"]});
    assert_eq!(
        found["joined"],
        json!([clerk]),
        "one clerk, however many records"
    );
}

#[test]
fn what_cannot_be_tried_on_releases_says_why() {
    let directory = empty();
    let at = directory.path();
    let table = "job,disease\nClerk,Flu\nClerk,HIV\n";
    write(at, "a.csv", table);
    write(at, "b.csv", table);
    let (code, found) = json(
        at,
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "disease",
        ],
    );
    assert_eq!(code, 0, "{found}");
    let left = |name: &str| {
        let mut left = list(&found["not_run"]).iter();
        left.find(|one| one["attack"] == name)
            .map(|one| one["why"].clone())
    };
    assert!(
        left("join").is_some_and(|why| why.as_str().is_some_and(|why| why.contains("neither")))
    );
    assert!(left("correspondence").is_some(), "nobody came: {found}");
    assert!(left("intersection").is_none());
    // Who is known from one release alone is said not to be counted.
    write(at, "b.csv", table.replace("HIV", "Flu"));
    let (_, found) = json(
        at,
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "disease",
        ],
    );
    let note = attack(&found, "intersection")["note"]
        .as_str()
        .unwrap_or_default();
    assert!(note.starts_with("2 people"), "{found}");
}
