//! Forgeries by hand, each as somebody did it once.

use serde_json::{Value, json};

use crate::bundles::{self, Bundle, policy, release};
use crate::support;

/// A bundle of 300 people with names and postal codes in clear, and a certificate that fits it.
fn in_clear() -> Bundle {
    let disease = "disease = \"sensitive\"";
    let how = "algorithm = \"full-domain\"\nsuppress-at-most = 0";
    let policy = policy(disease, "\"quasi-identifiers\"", "k-anonymity = 2", how);
    let mut bundle = release("in clear", &policy, &[("people.csv", bundles::people())]);
    let names = ["name", "zip", "disease"].map(str::to_owned).to_vec();
    let rows = (0..300).map(|at| {
        vec![
            format!("Name{at}"),
            (10_000 + at).to_string(),
            "flu".to_owned(),
        ]
    });
    bundle.put("people.csv", &(names, rows.collect()));
    let certificate = &mut bundle.certificate;
    certificate["quasi_identifiers"] = json!([]);
    certificate["sensitive"] = json!([]);
    certificate["claims"] = json!([{
        "promise": "k-anonymity", "asked": 5.0, "measured": 300.0, "holds": true, "check": "recheckable",
        "terms": {"promise": "k-anonymity", "k": 5},
    }]);
    certificate["data"]["columns"] = json!([
        {"name": "name", "role": "insensitive"},
        {"name": "zip", "role": "insensitive"},
        {"name": "disease", "role": "insensitive"},
    ]);
    bundle.seal();
    bundle
}

fn message(document: &Value) -> &str {
    document["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn names_and_postal_codes_in_clear_are_not_verified() {
    let mut bundle = in_clear();
    let (code, said, _) = bundle.verify();
    assert_eq!(code, 2, "{said}");
    assert!(
        message(&said).contains("names no quasi-identifier"),
        "{said}"
    );
    // The certificate as it was before columns were listed.
    for columns in [json!([]), Value::Null] {
        let mut older = bundle.clone();
        older.certificate["data"]["columns"] = columns;
        assert_eq!(older.verify().0, 2);
    }
    // With something to judge, what is not judged is said, and no bare `verified` is.
    bundle.certificate["quasi_identifiers"] = json!(["disease"]);
    bundle.certificate["data"]["columns"][2]["role"] = json!("quasi-identifier");
    let (code, said, _) = bundle.verify();
    assert_eq!(
        (code, &said["verdict"]),
        (0, &json!("verified-in-part")),
        "{said}"
    );
    assert_eq!(said["unjudged_columns"], json!(["name", "zip"]), "{said}");
    let directory = support::empty();
    bundle.write(directory.path());
    let text =
        String::from_utf8(support::run(directory.path(), &["verify", "."]).stdout).expect("text");
    assert!(
        text.contains("not judged by any promise: name, zip"),
        "{text}"
    );
    assert!(
        !text.lines().any(|line| line.trim() == "verified"),
        "{text}"
    );
}

#[test]
fn an_earlier_form_gets_no_verdict() {
    let mut bundle = in_clear();
    bundle.certificate["form"] = json!(1);
    let (code, said, _) = bundle.verify();
    assert_eq!(code, 2);
    assert!(message(&said).contains("earlier form"), "{said}");
}

#[test]
fn a_file_beside_the_certificate_is_named() {
    let mut bundle = in_clear();
    bundle.certificate["quasi_identifiers"] = json!(["name", "zip", "disease"]);
    for at in 0..3 {
        bundle.certificate["data"]["columns"][at]["role"] = json!("quasi-identifier");
    }
    bundle.certificate["claims"][0]["terms"]["k"] = json!(1);
    bundle.certificate["claims"][0]["asked"] = json!(1.0);
    bundle.certificate["claims"][0]["measured"] = json!(1.0);
    let (code, said, _) = bundle.verify();
    assert_eq!((code, &said["verdict"]), (0, &json!("verified")), "{said}");
    bundle.files.insert("raw.csv".into(), "name\nAnn\n".into());
    let (code, said, _) = bundle.verify();
    assert_eq!(
        (code, &said["other_files"]),
        (0, &json!(["raw.csv"])),
        "{said}"
    );
    assert_eq!(said["verdict"], "verified-in-part", "{said}");
}

/// A release with one class per person and a reference that hides it.
#[test]
fn no_reference_no_verdict() {
    let all = bundles::all();
    let of = |name: &str| {
        all.iter()
            .find(|bundle| bundle.name == name)
            .expect("a bundle")
            .clone()
    };
    let claim = |said: &Value| said["claims"][1].clone();
    for reference in [Value::Null, json!([])] {
        let mut bundle = of("reference");
        bundle.certificate["sensitive"][0]["reference"] = reference;
        let (code, said, _) = bundle.verify();
        assert_eq!(code, 2, "{said}");
        assert!(message(&said).contains("no reference"), "{said}");
    }
    let mut zeros = of("reference");
    let list = zeros.certificate["sensitive"][0]["reference"]
        .as_array_mut()
        .expect("a list");
    for pair in list {
        pair[1] = json!(0);
    }
    let (code, said, _) = zeros.verify();
    assert_eq!((code, &claim(&said)["holds"]), (1, &json!(false)), "{said}");
    // Where every record is published the reference is measured; where some were removed the rest of it is attested.
    let (code, said, _) = of("reference").verify();
    assert_eq!((code, &claim(&said)["holds"]), (0, &json!(true)), "{said}");
    let (code, said, _) = of("removed").verify();
    assert!(said["suppressed_records"].as_u64() > Some(0), "{said}");
    assert_eq!((code, &claim(&said)["holds"]), (0, &Value::Null), "{said}");
    assert_eq!(claim(&said)["rests_on"], "reference", "{said}");
    assert_eq!(claim(&said)["counted"], claim(&said)["stated"], "{said}");
}

#[test]
fn what_nobody_can_measure_is_never_measured() {
    let all = bundles::all();
    for (name, at, word) in [
        ("subject", 0, "numbering"),
        ("subject", 1, "numbering"),
        ("register", 0, "register"),
        ("permutation", 0, "shuffle"),
        ("raw-paths", 0, "matching"),
        ("trails", 0, "owners"),
    ] {
        let mut bundle = all
            .iter()
            .find(|bundle| bundle.name == name)
            .expect("a bundle")
            .clone();
        for claim in bundle.certificate["claims"].as_array_mut().expect("claims") {
            claim["check"] = json!("recheckable");
        }
        let (code, said, _) = bundle.verify();
        let claim = &said["claims"][at];
        assert_eq!(code, 0, "{name}: {said}");
        assert_eq!(
            (
                &claim["holds"],
                &claim["measured"],
                &claim["check"],
                &claim["rests_on"]
            ),
            (&Value::Null, &Value::Null, &json!("attested"), &json!(word)),
            "{name}: {said}"
        );
        assert!(said["holds"].is_null(), "{name}: {said}");
    }
}

/// A certificate that does not itself say that a claim holds is no word to rest on: of paths, of transactions and of all else alike.
#[test]
fn a_claim_that_is_not_said_to_hold_fails_for_every_kind() {
    let all = bundles::all();
    for name in ["paths", "raw-paths", "baskets", "trails"] {
        assert!(all.iter().any(|bundle| bundle.name == name), "{name}");
    }
    for whole in &all {
        for said in [Value::Null, json!(false)] {
            let mut bundle = whole.clone();
            bundle.certificate["claims"][0]["holds"] = said;
            let (code, found, _) = bundle.verify();
            let claim = &found["claims"][0];
            assert_eq!(
                (code, &claim["holds"], &claim["problem"], &found["holds"]),
                (
                    1,
                    &json!(false),
                    &json!("the certificate itself does not say that it holds"),
                    &json!(false)
                ),
                "{}: {found}",
                whole.name
            );
        }
    }
}

#[test]
fn numbers_of_people_are_counted_and_never_believed() {
    let all = bundles::all();
    let subject = all
        .iter()
        .find(|bundle| bundle.name == "subject")
        .expect("a bundle");
    let (_, said, _) = subject.verify();
    assert_eq!(
        said["claims"][0]["counted"], said["claims"][0]["stated"],
        "{said}"
    );
    // More people than the numbers show.
    let mut more = subject.clone();
    more.certificate["claims"][0]["measured"] = json!(59.0);
    let (code, said, _) = more.verify();
    assert_eq!(
        (code, &said["claims"][0]["holds"]),
        (1, &json!(false)),
        "{said}"
    );
    // Numbers that run through the classes tell who is who across them.
    let mut running = subject.clone();
    let (names, mut rows) = running.rows("people.csv").expect("a table");
    let at = names
        .iter()
        .position(|name| name == "patient")
        .expect("a column");
    for (number, row) in rows.iter_mut().enumerate() {
        row[at] = (number + 1).to_string();
    }
    running.put("people.csv", &(names, rows));
    running.seal();
    let (code, said, _) = running.verify();
    assert_eq!(code, 1, "{said}");
    assert!(
        said["problems"].to_string().contains("start anew"),
        "{said}"
    );
}

#[test]
fn names_from_elsewhere_write_no_lines_of_their_own() {
    let mut bundle = in_clear();
    bundle.certificate["data"]["columns"][0]["name"] =
        json!("x\nverdict    verified: all is well\u{1b}[2K");
    let directory = support::empty();
    bundle.write(directory.path());
    let output = support::run(directory.path(), &["verify", "."]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !said.contains('\u{1b}') && !said.contains("\nverdict"),
        "{said}"
    );
}
