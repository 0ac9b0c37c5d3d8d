//! Guards against a steward's own mistakes, through the binary: what each says, where, what it stops, and how it is accepted.

use crate::support;

use std::path::Path;

use serde_json::Value;
use support::{empty, files, json, list, patients, run, write};

/// The names of what was found, with columns.
fn found(document: &Value) -> Vec<(String, Option<String>)> {
    let findings = list(&document["findings"]).iter();
    findings
        .map(|one| {
            let name = one["finding"].as_str().expect("a name").to_owned();
            (name, one["column"].as_str().map(str::to_owned))
        })
        .collect()
}

fn on(name: &str, column: &str) -> (String, Option<String>) {
    (name.to_owned(), Some(column.to_owned()))
}

fn whole(name: &str) -> (String, Option<String>) {
    (name.to_owned(), None)
}

/// The release of `policy.toml` in `directory`.
fn released(directory: &Path) -> (i32, Value) {
    let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
    json(directory, &args)
}

fn text(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).expect("a file")
}

/// Changes the policy of `directory`.
fn change(directory: &Path, from: &str, to: &str) {
    let policy = text(directory, "policy.toml");
    assert!(policy.contains(from), "{policy}");
    write(directory, "policy.toml", policy.replace(from, to));
}

#[test]
fn a_name_called_insensitive_is_refused_and_accepted_only_with_a_reason() {
    let directory = patients();
    let directory = directory.path();
    change(directory, "name = \"identifier\"", "name = \"insensitive\"");
    let (code, refused) = released(directory);
    assert_eq!(code, 1, "{refused}");
    assert_eq!(refused["status"], "refused");
    assert_eq!(refused["error"]["code"], "grave-finding");
    assert_eq!(found(&refused), [on("identifier-released", "name")]);
    assert_eq!(refused["findings"][0]["severity"], "grave");
    assert!(refused["findings"][0]["accepted"].is_null());
    assert!(!directory.join("out").exists(), "nothing is written");
    // People read the same, and no name of anybody.
    let output = run(directory, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(
        said.contains("grave: identifier-released in `name`"),
        "{said}"
    );
    assert!(said.contains("[accept]"), "{said}");
    for name in ["Ann", "Bea", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal"] {
        assert!(!said.contains(name), "{said}");
    }
    // What a plan finds needs no search, and a plan refuses nothing.
    let (code, plan) = json(directory, &["plan", "policy.toml"]);
    assert_eq!(
        (code, found(&plan)),
        (0, vec![on("identifier-released", "name")])
    );

    // Another column is not this one.
    let policy = text(directory, "policy.toml");
    let accepting = |column: &str| {
        format!(
            "{policy}\n[accept]\nidentifier-released = {{ column = \"{column}\", reason = \"stage names\" }}\n"
        )
    };
    write(directory, "policy.toml", accepting("zip"));
    assert_eq!(released(directory).0, 1);
    write(directory, "policy.toml", accepting("name"));
    let (code, accepted) = released(directory);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(accepted["findings"][0]["accepted"], "stage names");
    let report = text(directory, "out/steward/report.html");
    assert!(report.contains("<div class=\"verdict bad\">"));
    assert!(!report.contains("verdict good"));
    assert!(report.contains("stage names"));
    assert!(text(directory, "out/steward/findings.json").contains("stage names"));
    // The recipient learns of it, not why, and no number.
    let certificate: Value =
        serde_json::from_str(&text(directory, "out/release/certificate.json")).expect("JSON");
    let told = &certificate["findings"][0];
    assert_eq!(
        (&told["finding"], &told["column"]),
        (&"identifier-released".into(), &"name".into())
    );
    let means = told["means"].as_str().expect("words");
    assert!(!means.chars().any(|c| c.is_ascii_digit()), "{means}");
    for (name, bytes) in files(&directory.join("out/release")) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.contains("stage names"), "{}", name.display());
    }
    assert!(text(directory, "out/release/README.md").contains("looks like an identifier"));
    assert_eq!(run(directory, &["verify", "out"]).status.code(), Some(0));
}

#[test]
fn a_policy_as_it_should_be_has_a_green_banner_and_nothing_new_in_public() {
    let directory = patients();
    let directory = directory.path();
    let (code, document) = released(directory);
    assert_eq!((code, found(&document)), (0, vec![]), "{document}");
    assert!(text(directory, "out/steward/report.html").contains("<div class=\"verdict good\">"));
    assert!(!text(directory, "out/release/certificate.json").contains("findings"));
    assert!(!text(directory, "out/release/README.md").contains("What else to know"));
}

#[test]
fn what_no_promise_speaks_of_makes_the_banner_yellow() {
    let directory = patients();
    let directory = directory.path();
    change(directory, "l-diversity = 2\n", "");
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
    assert_eq!(
        found(&document)[0],
        on("sensitive-without-promise", "disease")
    );
    let report = text(directory, "out/steward/report.html");
    assert!(report.contains("<div class=\"verdict warn\">"), "yellow");
    assert!(!report.contains("verdict good"));
}

#[test]
fn without_quasi_identifiers_nothing_is_released() {
    let directory = patients();
    let directory = directory.path();
    write(
        directory,
        "policy.toml",
        "[data]\npath = \"patients.csv\"\n[attributes]\nage = \"insensitive\"\ndisease = \"sensitive\"\n[promise]\nk-anonymity = 2\nl-diversity = 2\n",
    );
    let (code, document) = released(directory);
    assert_eq!(code, 1, "{document}");
    assert_eq!(found(&document), [whole("no-quasi-identifier")]);
    let policy = text(directory, "policy.toml");
    write(
        directory,
        "policy.toml",
        format!("{policy}[accept]\nno-quasi-identifier = {{ reason = \"mice, not people\" }}\n"),
    );
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
}

#[test]
fn a_remark_is_free_text_whatever_its_role() {
    let directory = empty();
    let directory = directory.path();
    let mut rows = "age,remark,ill\n".to_owned();
    for person in 0..40 {
        rows += &format!(
            "{},came with neighbour number {person} of the house,{}\n",
            20 + person % 2,
            person % 4
        );
    }
    write(directory, "people.csv", rows);
    for role in ["insensitive", "sensitive"] {
        write(
            directory,
            "policy.toml",
            format!(
                "[data]\npath = \"people.csv\"\n[attributes]\nage = \"quasi\"\nremark = \"{role}\"\nill = \"sensitive\"\n[promise]\nk-anonymity = 2\nl-diversity = {{ attribute = \"ill\", l = 2 }}\n"
            ),
        );
        let (code, document) = released(directory);
        assert_eq!(code, 1, "{document}");
        assert!(
            found(&document).contains(&on("free-text", "remark")),
            "{document}"
        );
        assert!(!document.to_string().contains("neighbour"));
    }
}

#[test]
fn only_a_table_of_stars_is_told() {
    let directory = patients();
    let directory = directory.path();
    change(directory, "k-anonymity = 2", "k-anonymity = 8");
    let (code, document) = released(directory);
    assert_eq!(
        (code, found(&document)),
        (0, vec![whole("only-stars")]),
        "{document}"
    );
    assert!(text(directory, "out/steward/report.html").contains("<div class=\"verdict warn\">"));
}

#[test]
fn an_attack_that_is_certain_about_somebody_is_told() {
    let directory = patients();
    let directory = directory.path();
    // Two of the groups of two have one disease.
    let rows = text(directory, "patients.csv").replace("36,f,cancer", "36,f,flu");
    write(directory, "patients.csv", rows);
    change(
        directory,
        "l-diversity = 2",
        "confidence = { attribute = \"disease\", at-most = 1 }",
    );
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
    assert!(
        found(&document).contains(&on("certain-attack", "disease")),
        "{document}"
    );
}

#[test]
fn everybody_under_25_vanished() {
    let directory = empty();
    let directory = directory.path();
    let mut rows = "age,town,ill\n".to_owned();
    for person in 0..400 {
        // Four young people in towns of their own; everybody else is many.
        let (age, town) = if person % 100 == 0 {
            (18 + person / 100, format!("far{person}"))
        } else {
            (
                30 + person % 5 * 10,
                ["north", "south"][person % 2].to_owned(),
            )
        };
        rows += &format!("{age},{town},{}\n", ["flu", "gout", "cold"][person % 3]);
    }
    write(directory, "people.csv", rows);
    write(
        directory,
        "policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\nage = { role = \"quasi\", max-level = 1, hierarchy = { interval = [5, 10] } }\ntown = { role = \"quasi\", max-level = 0 }\nill = \"sensitive\"\n[promise]\nk-anonymity = 5\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = 0.05\n",
    );
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["suppressed_records"], 4);
    assert_eq!(
        found(&document),
        [on("vanished-group", "age")],
        "{document}"
    );
    let reason = document["findings"][0]["reason"].as_str().expect("words");
    assert!(
        reason.contains("4 records with the lowest `age`, 1.0 % of all"),
        "{reason}"
    );
    // No cell: neither an age of theirs nor a town.
    let report = text(directory, "out/release/certificate.json");
    assert!(!report.contains("far100"));
    assert!(!reason.contains("18") && !reason.contains("21"), "{reason}");
}

/// The old of the south vanish; the old, and the south, do not.
#[test]
fn a_group_that_only_two_columns_show_vanished() {
    let directory = empty();
    let directory = directory.path();
    let mut rows = "age,district,job,ill\n".to_owned();
    for person in 0..400 {
        let apart = person % 20 == 0;
        let age = if apart || person % 4 == 1 {
            "old"
        } else {
            "young"
        };
        let district = if apart || person % 4 == 2 {
            "south"
        } else {
            "north"
        };
        let job = if apart {
            format!("job{person}")
        } else {
            "clerk".to_owned()
        };
        rows += &format!(
            "{age},{district},{job},{}\n",
            ["flu", "gout", "cold"][person % 3]
        );
    }
    write(directory, "people.csv", rows);
    write(
        directory,
        "policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\nage = { role = \"quasi\", max-level = 0 }\ndistrict = { role = \"quasi\", max-level = 0 }\njob = { role = \"quasi\", max-level = 0 }\nill = \"sensitive\"\n[promise]\nk-anonymity = 5\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = 0.05\n",
    );
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["suppressed_records"], 20);
    assert_eq!(found(&document), [on("vanished-group", "age")]);
    let reason = document["findings"][0]["reason"].as_str().expect("words");
    assert!(
        reason.contains(
            "20 records that one value or stretch of `age` has in common with one of `district`"
        ),
        "{reason}"
    );
    assert!(
        !reason.contains("old") && !reason.contains("south"),
        "{reason}"
    );
    // In German where the report is.
    let args = [
        "anonymize",
        "policy.toml",
        "-o",
        "german",
        "--language",
        "de",
    ];
    let (code, _) = json(directory, &args);
    assert_eq!(code, 0);
    for file in [
        "german/steward/report.html",
        "german/steward/report-external.html",
        "german/release/README.md",
    ] {
        let page = text(directory, file);
        assert!(
            page.contains("fast vollständig entfernt") || page.contains("Eine Gruppe von 20"),
            "{file}"
        );
        for english in ["were removed all but completely", "What to do", "Warning:"] {
            assert!(!page.contains(english), "{file}: {english}");
        }
    }
}

#[test]
fn what_is_accepted_for_nothing_is_told() {
    let directory = patients();
    let directory = directory.path();
    let policy = text(directory, "policy.toml");
    write(
        directory,
        "policy.toml",
        format!(
            "{policy}\n[accept]\nfree-text = {{ column = \"disease\", reason = \"none of it\" }}\nonly-stars = {{ reason = \"fine\" }}\n"
        ),
    );
    let (code, document) = released(directory);
    assert_eq!(code, 0, "{document}");
    let expected = [
        on("unused-acceptance", "disease"),
        whole("unused-acceptance"),
    ];
    assert_eq!(found(&document), expected);
    assert!(text(directory, "out/steward/report.html").contains("<div class=\"verdict good\">"));
    // A plan cannot know of what only a search shows.
    let (_, plan) = json(directory, &["plan", "policy.toml"]);
    assert_eq!(found(&plan), [on("unused-acceptance", "disease")]);
}

#[test]
fn labels_of_several_levels_are_told() {
    let directory = empty();
    let directory = directory.path();
    let mut rows = "age,ill\n".to_owned();
    for person in 0..60 {
        let age = if person < 50 { 30 } else { 40 + person - 50 };
        rows += &format!("{age},{}\n", person % 4);
    }
    write(directory, "people.csv", rows);
    let policy = |algorithm: &str| {
        format!(
            "[data]\npath = \"people.csv\"\n[attributes]\nage = {{ role = \"quasi\", hierarchy = {{ interval = [5, 10] }} }}\nill = \"sensitive\"\n[promise]\nk-anonymity = 5\nl-diversity = 2\n[release]\nalgorithm = \"{algorithm}\"\n"
        )
    };
    write(directory, "policy.toml", policy("local-recoding"));
    let (code, document) = released(directory);
    assert_eq!(
        (code, found(&document)),
        (0, vec![on("mixed-grain", "age")]),
        "{document}"
    );
    write(directory, "policy.toml", policy("full-domain"));
    let (code, document) = released(directory);
    assert_eq!((code, found(&document)), (0, vec![]), "{document}");
}

#[test]
fn tokens_that_tie_classes_together_are_grave_where_nothing_else_judges_them() {
    let directory = empty();
    let directory = directory.path();
    let mut rows = "patient,card,zip,ill\n".to_owned();
    for patient in 0..40 {
        for stay in 0..2 {
            // Patient 0 alone was in the north and in the south.
            let zip = if patient == 0 { stay } else { patient % 2 };
            rows += &format!(
                "{patient},c{patient},{zip},{}\n",
                ["flu", "gout", "cold"][(patient + stay) % 3]
            );
        }
    }
    write(directory, "stays.csv", rows);
    write(directory, "key", "0123456789abcdef0123456789abcdef");
    let policy = |per: &str| {
        format!(
            "[data]\npath = \"stays.csv\"\n[attributes]\npatient = \"subject\"\ncard = {{ role = \"identifier\", pseudonym = {{ key-file = \"key\"{per} }} }}\nzip = \"quasi\"\nill = \"sensitive\"\n[adversary]\nknows = \"quasi-identifiers\"\nrecords = \"one\"\n[promise]\nk-anonymity = 5\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\n"
        )
    };
    write(directory, "policy.toml", policy(""));
    let (code, document) = released(directory);
    assert_eq!(code, 1, "{document}");
    assert_eq!(
        found(&document),
        [on("pseudonym-across-classes", "card")],
        "{document}"
    );
    assert!(!directory.join("out").exists());
    // Tokens that differ from class to class tie nothing.
    write(directory, "policy.toml", policy(", per = \"class\""));
    let (code, document) = released(directory);
    assert_eq!((code, found(&document)), (0, vec![]), "{document}");
}

#[test]
fn the_list_has_what_the_guide_explains() {
    let directory = empty();
    let (code, document) = json(directory.path(), &["findings"]);
    assert_eq!(code, 0);
    let page = include_str!("../../../../docs/src/guides/findings.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let explained: Vec<(&str, &str)> = rows
        .filter_map(|row| row.split_once("` | "))
        .map(|(name, rest)| (name, rest.split(" |").next().unwrap_or_default()))
        .collect();
    let listed = list(&document["findings"]);
    let listed: Vec<(&str, &str)> = listed
        .iter()
        .map(|one| {
            (
                one["name"].as_str().expect("a name"),
                one["severity"].as_str().expect("a word"),
            )
        })
        .collect();
    assert_eq!(explained, listed);
}
