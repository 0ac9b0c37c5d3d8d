//! Claims about people through the binary: subjects, detail tables, pseudonyms, limits on suppression, and attacks that count people.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{json, run, write};

const KEY: &str = "a key that is long enough";

/// The cells of a CSV, without its header, and the header.
fn cells(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).expect("a file");
    let mut rows = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (rows.next().expect("a header"), rows.collect())
}

fn at(header: &[String], name: &str) -> usize {
    let found = header.iter().position(|column| column == name);
    found.unwrap_or_else(|| panic!("{name} in {header:?}"))
}

/// Makes a release of `data` in a directory of its own.
fn released(data: &str, policy: &str) -> (tempfile::TempDir, i32, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "people.csv", data);
    write(directory.path(), "policy.toml", policy);
    let (code, document) = json(directory.path(), &["anonymize", "policy.toml", "-o", "out"]);
    (directory, code, document)
}

#[test]
fn two_people_with_number_one_are_two_people() {
    let policy = |algorithm: &str| {
        format!(
            r#"[data]
path = "people.csv"
[attributes]
person = "subject"
a = {{ role = "quasi", type = "text" }}
b = {{ role = "quasi", type = "text" }}
illness = "sensitive"
[adversary]
knows = {{ at-most = 1 }}
[promise]
confidence = {{ values = ["hiv"], at-most = 0.5 }}
[release]
algorithm = "{algorithm}"
"#
        )
    };
    // On a = x two of three people have it; numbered anew in each class it looked like one of two.
    let data = "person,a,b,illness\n1,x,A,hiv\n2,x,A,ok\n2,x,B,ok\n3,x,B,hiv\n";
    for algorithm in [
        "auto",
        "full-domain",
        "mondrian",
        "k-member",
        "local-recoding",
    ] {
        let (_directory, code, document) = released(data, &policy(algorithm));
        // Some cannot judge such a promise at all and say so.
        assert!(code == 1 || code == 2, "{algorithm}: {document}");
    }
}

#[test]
fn six_people_are_not_two_because_their_numbers_repeat() {
    let policy = r#"[data]
path = "people.csv"
[attributes]
person = "subject"
a = { role = "quasi", type = "text" }
b = { role = "quasi", type = "text" }
[adversary]
knows = { at-most = 1 }
[promise]
k-anonymity = [{ k = 6, quasi = ["a"] }, { k = 2, quasi = ["b"] }]
[release]
algorithm = "full-domain"
"#;
    let data = "person,a,b\n1,x,A\n2,x,A\n3,x,B\n4,x,B\n5,x,C\n6,x,C\n";
    let (directory, code, document) = released(data, policy);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["claims"][0]["measured"], 6.0, "{document}");
    let (header, rows) = cells(&directory.path().join("out/release/people.csv"));
    let b: BTreeSet<&str> = rows
        .iter()
        .map(|row| row[at(&header, "b")].as_str())
        .collect();
    assert_eq!(
        b,
        BTreeSet::from(["A", "B", "C"]),
        "nothing had to be coarsened"
    );
}

#[test]
fn records_of_nobody_are_not_counted_as_one_person() {
    let policy = |subject: &str| {
        format!(
            "[data]\npath = \"people.csv\"\n[attributes]\nperson = {subject}\na = {{ role = \"quasi\", type = \"text\" }}\nillness = \"sensitive\"\n\
             [promise]\nconfidence = {{ values = [\"hiv\"], at-most = 0.5 }}\n[release]\nsuppress-at-most = 0.6\n"
        )
    };
    // One person with hiv, three without, and five records of nobody with it: six of nine, counted as two of five.
    let data = "person,a,illness\n1,x,hiv\n2,x,ok\n3,x,ok\n4,x,ok\n,x,hiv\n,x,hiv\n,x,hiv\n,x,hiv\n,x,hiv\n";
    let (_directory, code, document) = released(data, &policy("\"subject\""));
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-missing-subject".into()),
        "{document}"
    );
    let without = policy("{ role = \"subject\", missing = \"suppress\" }");
    let (_directory, code, document) = released(data, &without);
    assert_eq!(
        (code, &document["suppressed_records"]),
        (0, &5.into()),
        "{document}"
    );
}

/// Three people in two of three wards each, one illness each.
fn wards(more: &str) -> (tempfile::TempDir, i32, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    write(path, "people.csv", "id,disease\np1,flu\np2,hiv\np3,gout\n");
    write(
        path,
        "visits.csv",
        "who,ward\np1,a\np1,b\np2,a\np2,c\np3,b\np3,c\n",
    );
    let policy = format!(
        r#"[data]
path = "people.csv"
[[data.detail]]
path = "visits.csv"
foreign-key = "who"
[attributes]
id = "subject"
"visits.ward" = "quasi"
disease = "sensitive"
{more}
[promise]
k-anonymity = 2
l-diversity = {{ kind = "distinct", l = 2 }}
"#
    );
    write(path, "policy.toml", policy);
    let (code, document) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    (directory, code, document)
}

#[test]
fn two_known_wards_do_not_tell_the_illness() {
    for more in [
        "",
        "[adversary]\nrecords = 2",
        "[adversary]\nrecords = \"all\"",
    ] {
        let (directory, code, document) = wards(more);
        assert_eq!(code, 0, "{more}: {document}");
        let (header, rows) = cells(&directory.path().join("out/release/people.csv"));
        let ward = at(&header, "visits.ward");
        assert!(rows.iter().all(|row| row[ward] == "*"), "{more}: {rows:?}");
        let certificate =
            std::fs::read_to_string(directory.path().join("out/release/certificate.json"));
        let certificate: Value =
            serde_json::from_str(&certificate.expect("a certificate")).expect("JSON");
        assert_eq!(
            certificate["known_together"][0]["column"], "id",
            "{certificate}"
        );
        let expected = if more.ends_with('2') {
            2.into()
        } else {
            Value::Null
        };
        assert_eq!(certificate["known_together"][0]["records"], expected);
    }
    // Whoever says that one record is known gets what that needs, and the plan says what it means.
    let (directory, code, document) = wards("[adversary]\nrecords = \"one\"");
    assert_eq!(code, 0, "{document}");
    let (header, rows) = cells(&directory.path().join("out/release/people.csv"));
    let shown: BTreeSet<&str> = rows
        .iter()
        .map(|row| row[at(&header, "visits.ward")].as_str())
        .collect();
    assert_eq!(shown, BTreeSet::from(["a", "b", "c"]));
    let plan = std::fs::read_to_string(directory.path().join("out/steward/plan.json"));
    assert!(plan.expect("a plan").contains("one record of each person"));
}

fn hospital() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital")
}

/// The hospital with `name` as the policy line.
fn hospital_with(name: &str, release: &[(&str, &str)]) -> (tempfile::TempDir, i32, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let data = std::fs::read(hospital().join("patients.csv")).expect("data");
    write(path, "patients.csv", data);
    for file in ["zip.csv", "diagnosis.csv"] {
        let text = std::fs::read(hospital().join("hierarchies").join(file)).expect("a hierarchy");
        write(path, &format!("hierarchies/{file}"), text);
    }
    write(path, "secret.key", KEY);
    let mut policy = std::fs::read_to_string(hospital().join("policy.toml")).expect("a policy");
    let line = "name      = \"identifier\"";
    assert!(policy.contains(line));
    policy = policy.replace(line, name);
    for (from, to) in release {
        assert!(policy.contains(from), "{from}");
        policy = policy.replace(from, to);
    }
    write(path, "policy.toml", policy);
    let (code, document) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    (directory, code, document)
}

/// The classes that each token stands in.
fn classes_of_tokens(directory: &Path) -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let (header, rows) = cells(&directory.join("out/release/patients.csv"));
    let quasi = ["zip", "age", "sex", "admission"].map(|name| at(&header, name));
    let token = at(&header, "name");
    let mut found: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    for row in rows {
        let class = quasi.iter().map(|&column| row[column].clone()).collect();
        found.entry(row[token].clone()).or_default().insert(class);
    }
    found
}

#[test]
fn tokens_single_nobody_out_by_the_classes_they_stand_in() {
    let token = "name = { role = \"identifier\", pseudonym = { key-file = \"secret.key\" } }";
    let (directory, code, document) = hospital_with(token, &[]);
    if code == 0 {
        let mut people: BTreeMap<BTreeSet<Vec<String>>, usize> = BTreeMap::new();
        for classes in classes_of_tokens(directory.path()).into_values() {
            *people.entry(classes).or_default() += 1;
        }
        let rarest = people.values().min().copied();
        assert!(rarest >= Some(5), "a combination of {rarest:?}: {document}");
        let claim = &document["claims"][0];
        assert_eq!(
            claim["measured"].as_f64(),
            rarest.map(|k| k as f64),
            "{claim}"
        );
    } else {
        assert_eq!(code, 1, "{document}");
        assert!(document.to_string().contains("per = "), "{document}");
    }
    // An algorithm that knows nothing of combinations is refused by the proof, with a way out.
    let (_directory, code, document) = hospital_with(token, &[("\"full-domain\"", "\"mondrian\"")]);
    assert_eq!(code, 1, "{document}");
    assert_eq!(
        document["error"]["code"], "combination-too-rare",
        "{document}"
    );
    assert!(
        document["error"]["help"]
            .as_str()
            .is_some_and(|help| help.contains("per = \"class\"")),
        "{document}"
    );
}

#[test]
fn tokens_per_class_tie_no_classes_together() {
    let token = "name = { role = \"identifier\", pseudonym = { key-file = \"secret.key\", per = \"class\" } }";
    let (directory, code, document) = hospital_with(token, &[]);
    assert_eq!(code, 0, "{document}");
    let tokens = classes_of_tokens(directory.path());
    assert!(tokens.values().all(|classes| classes.len() == 1));
    // Within a class a token is still one person: as many as the class has subjects.
    assert_eq!(tokens.len(), 883, "{document}");
    let (plain, code, _) = hospital_with("name = \"identifier\"", &[]);
    assert_eq!(code, 0);
    let size = |directory: &Path| cells(&directory.join("out/release/patients.csv")).1.len();
    assert_eq!(
        size(directory.path()),
        size(plain.path()),
        "tokens cost no record"
    );
    let (code, _) = json(directory.path(), &["verify", "out/release"]);
    assert_eq!(code, 0);
}

#[test]
fn tokens_that_repeat_need_a_subject() {
    let policy = "[data]\npath = \"people.csv\"\n[attributes]\nname = { role = \"identifier\", pseudonym = { key-file = \"secret.key\" } }\n\
                  age = { role = \"quasi\", type = \"text\" }\n[promise]\nk-anonymity = 3\n";
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    write(path, "secret.key", KEY);
    // Three records and one person: k counts records here, and the token shows that they are hers.
    write(path, "people.csv", "name,age\nAnn,30\nAnn,30\nAnn,30\n");
    write(path, "policy.toml", policy);
    let (code, document) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"policy-tokens-without-subject".into()),
        "{document}"
    );
    write(path, "people.csv", "name,age\nAnn,30\nBea,30\nCid,30\n");
    let (code, document) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{document}");
}

#[test]
fn a_limit_on_suppression_counts_every_record_that_is_missing() {
    let policy = |share: &str, k: u64| {
        format!(
            "[data]\npath = \"people.csv\"\n[attributes]\na = {{ role = \"quasi\", type = \"text\", missing = \"suppress\" }}\nb = {{ role = \"quasi\", type = \"text\" }}\n\
             [promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = {share}\n"
        )
    };
    let data = "a,b\n,1\n,1\n,2\nx,1\nx,1\nx,1\n";
    // Three of six must go and three may.
    let (directory, code, document) = released(data, &policy("0.5", 3));
    assert_eq!(
        (code, &document["suppressed_records"]),
        (0, &3.into()),
        "{document}"
    );
    // They are lost like others that are suppressed: half of the cells of both columns, which have two values each, missing being one.
    let expected = (1.5_f64 * 1.5).sqrt() - 1.0;
    let loss = document["metric"]["value"].as_f64().expect("a loss");
    assert!((loss - expected).abs() < 1e-9, "{loss} {expected}");
    let same = document["metrics"]["loss"].as_f64().expect("a loss");
    assert!((loss - same).abs() < 1e-9, "{document}");
    let (code, explored) = json(
        directory.path(),
        &[
            "explore",
            "policy.toml",
            "--k",
            "3,4",
            "--algorithm",
            "full-domain",
        ],
    );
    assert_eq!(code, 0, "{explored}");
    assert!(explored["trials"][0]["value"].is_number(), "{explored}");
    assert!(explored["trials"][1]["value"].is_null(), "{explored}");
    // Fewer may go: refused, and the share that is named suffices and is the least.
    for (share, k, least) in [("0", 3, "0.5"), ("0.3", 3, "0.5"), ("0.49", 2, "0.5")] {
        let (_directory, code, document) = released(data, &policy(share, k));
        assert_eq!(code, 1, "{share}: {document}");
        let help = document["error"]["help"].as_str().unwrap_or_default();
        assert!(
            help.contains(&format!("suppress-at-most = {least}")),
            "{share}: {document}"
        );
    }
    // One more has to go, for nobody else is like it.
    let data = "a,b\n,1\n,1\n,2\nx,1\nx,1\nx,1\ny,2\n";
    let text = policy("0.5", 3).replace(
        "b = { role = \"quasi\", type = \"text\" }",
        "b = { role = \"quasi\", type = \"text\", max-level = 0 }",
    );
    let (_directory, code, document) = released(data, &text);
    assert_eq!(code, 1, "{document}");
    let help = document["error"]["help"].as_str().unwrap_or_default();
    let named: f64 = help
        .split("suppress-at-most = ")
        .nth(1)
        .and_then(|rest| rest.split([',', ' ', ';']).next()?.parse().ok())
        .unwrap_or_else(|| panic!("{document}"));
    assert!(
        (4.0 / 7.0..4.0 / 7.0 + 1e-5).contains(&named),
        "{named}: {document}"
    );
    let (_directory, code, document) =
        released(data, &text.replace("= 0.5", &format!("= {named}")));
    assert_eq!(
        (code, &document["suppressed_records"]),
        (0, &4.into()),
        "{document}"
    );
}

#[test]
fn numbers_in_the_place_of_labels_do_not_end_in_a_panic() {
    let policy = |algorithm: &str| {
        format!(
            "[data]\npath = \"people.csv\"\n[attributes]\nage = {{ role = \"quasi\", hierarchy = {{ interval = [5, 10, 20] }}, microaggregate = \"median\" }}\n\
             sex = \"quasi\"\nillness = \"sensitive\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"{algorithm}\"\nsuppress-at-most = 0.2\n"
        )
    };
    let data = "age,sex,illness\n21,f,a\n23,f,b\n34,m,a\n36,m,c\n47,f,a\n48,f,b\n49,m,a\n";
    for algorithm in [
        "full-domain",
        "best-effort",
        "datafly",
        "mingen",
        "samarati",
        "incognito",
        "auto",
    ] {
        let (_directory, code, document) = released(data, &policy(algorithm));
        assert_eq!(code, 0, "{algorithm}: {document}");
        assert!(
            document["metrics"]["workload-error"].is_number(),
            "{algorithm}: {document}"
        );
    }
}

#[test]
fn spalm_with_records_that_miss_a_value_does_not_end_in_a_panic() {
    let policy = "[data]\npath = \"people.csv\"\n[attributes]\na = { role = \"quasi\", type = \"text\", missing = \"suppress\" }\n\
                  [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"spalm\"\nsuppress-at-most = 0.5\n";
    let (_directory, code, document) = released("a\nx\nx\n\n", policy);
    assert!(code == 0 || code == 1, "{code} {document}");
    let (_directory, code, document) = released("a,b\nx,1\nx,1\n,1\n", policy);
    assert_eq!(code, 0, "{document}");
}

#[test]
fn a_value_that_nobody_has_is_named_and_no_cell_is() {
    let policy = "[data]\npath = \"people.csv\"\n[attributes]\nage = { role = \"quasi\", type = \"text\" }\nillness = \"sensitive\"\n[promise]\n\
                  l-diversity = { kind = \"recursive\", l = 2, c = 3, floor = [\"cancre\"], least = 0.1 }\n";
    let data = "age,illness\n1,cancer\n1,flu\n1,flu\n1,cancer\n";
    let (directory, code, document) = released(data, policy);
    assert_eq!(code, 0, "{document}");
    let warnings = document["warnings"].to_string();
    assert!(
        warnings.contains("`cancre` in `floor`") && warnings.contains("typo"),
        "{warnings}"
    );
    assert!(!warnings.contains("cancer"), "{warnings}");
    let report = std::fs::read_to_string(directory.path().join("out/steward/report.html"));
    assert!(report.expect("a report").contains("cancre"));
    let plain = run(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "again"],
    );
    let shown = [plain.stdout, plain.stderr].concat();
    assert!(String::from_utf8_lossy(&shown).contains("cancre"));
}

#[test]
fn attacks_on_a_bundle_count_people() {
    let (directory, code, document) = hospital_with("name = \"identifier\"", &[]);
    assert_eq!(code, 0, "{document}");
    for release in ["out", "out/release", "out/release/patients.csv"] {
        let (code, found) = json(directory.path(), &["attack", release]);
        assert_eq!(code, 0, "{found}");
        assert_eq!(
            (
                &found["people"],
                &found["fewest_candidates"],
                &found["records"]
            ),
            (&883.into(), &6.into(), &962.into()),
            "{release}: {found}"
        );
        let knows = found["knows"].as_str().expect("what is known");
        assert!(
            knows.contains("`zip`") && !knows.contains("`patient`"),
            "{knows}"
        );
    }
    // The certificate counts the same people.
    let certificate =
        std::fs::read_to_string(directory.path().join("out/release/certificate.json"));
    let certificate: Value = serde_json::from_str(&certificate.expect("a file")).expect("JSON");
    assert_eq!(certificate["attacks"][0]["attempts"], 883, "{certificate}");
}

#[test]
fn numbers_of_subjects_are_no_quasi_identifier_of_several_releases() {
    let (one, code, _) = hospital_with("name = \"identifier\"", &[]);
    assert_eq!(code, 0);
    let (other, code, _) = hospital_with(
        "name = \"identifier\"",
        &[("k-anonymity = 5", "k-anonymity = 8")],
    );
    assert_eq!(code, 0);
    let second = other.path().join("out").display().to_string();
    let (code, found) = json(
        one.path(),
        &[
            "attack",
            "releases",
            "out",
            &second,
            "--sensitive",
            "diagnosis",
        ],
    );
    assert_eq!(code, 0, "{found}");
    let knows = found["knows"].as_str().expect("what is known");
    assert!(
        knows.contains("`zip`") && !knows.contains("`patient`"),
        "{knows}"
    );
    let intersection = &found["attacks"][0];
    assert!(intersection["attempts"].as_u64() > Some(800), "{found}");
    // Plain files without a certificate: the column can be named.
    for (from, to) in [
        ("out/release/patients.csv", "a.csv"),
        (&format!("{second}/release/patients.csv"), "b.csv"),
    ] {
        let text = std::fs::read(one.path().join(from)).expect("data");
        write(one.path(), to, text);
    }
    let (code, named) = json(
        one.path(),
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "diagnosis",
            "--subject",
            "patient",
            "--quasi",
            "zip,age,sex,admission",
        ],
    );
    assert_eq!(code, 0, "{named}");
    // The same figures; only where the columns were named differs.
    let mut same = named["attacks"][0].clone();
    assert!(
        same["knows"]
            .as_str()
            .is_some_and(|knows| knows.contains("as asked")),
        "{same}"
    );
    same["knows"] = intersection["knows"].clone();
    assert_eq!(same, *intersection);
    // What cannot be tried has no rate.
    let (_, nothing) = json(
        one.path(),
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "diagnosis",
            "--quasi",
            "ward",
        ],
    );
    let rates = nothing["attacks"].as_array().cloned().unwrap_or_default();
    assert!(
        rates
            .iter()
            .all(|attack| attack["attempts"] != 0 || attack["rate"].is_null()),
        "{nothing}"
    );
}

#[test]
fn numbers_are_linked_by_distance_and_not_by_row() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let mut data = String::from("id,income,age\n");
    for row in 0..60_u64 {
        data += &format!(
            "{row},{},{}\n",
            1000 + row * 7919 % 5000,
            20 + row * 31 % 60
        );
    }
    write(path, "people.csv", &data);
    let policy = "[data]\npath = \"people.csv\"\n[attributes]\nincome = \"quasi\"\nage = \"quasi\"\n[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"mdav\"\n";
    write(path, "policy.toml", policy);
    let (code, document) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{document}");
    let measured = document["measures"]["linkage"]["distance"]
        .as_f64()
        .expect("a rate");
    assert!(measured > 0.05, "{document}");
    let args = ["attack", "numbers", "people.csv", "out/release/people.csv"];
    let (code, found) = json(path, &args);
    assert_eq!(code, 0, "{found}");
    let rate = found["expected"].as_f64().expect("guesses") / 60.0;
    assert!(
        rate + 1e-9 >= measured && rate <= 0.2 + 1e-9,
        "{rate} {measured}"
    );
    assert!(
        found["knows"]
            .as_str()
            .is_some_and(|knows| knows.contains("counts as right"))
    );
    // A key pairs people, whatever the order; a key that the release does not have is refused.
    let policy = policy.replace(
        "income =",
        "id = { role = \"insensitive\", type = \"text\" }\nincome =",
    );
    let accept = "[accept]\nidentifier-released = { column = \"id\", reason = \"to pair\" }\n";
    let policy = format!("{policy}\n{accept}");
    write(path, "policy.toml", policy);
    let (code, _) = json(path, &["anonymize", "policy.toml", "-o", "keyed"]);
    assert_eq!(code, 0);
    let (code, paired) = json(
        path,
        &[
            "attack",
            "numbers",
            "people.csv",
            "keyed/release/people.csv",
            "--key",
            "id",
        ],
    );
    assert_eq!(code, 0, "{paired}");
    let rate = paired["expected"].as_f64().expect("guesses") / 60.0;
    assert!((rate - measured).abs() < 1e-9, "{rate} {measured}");
    let (code, refused) = json(path, &[&args[..], &["--key", "id"]].concat());
    assert_eq!(code, 2, "{refused}");
}
