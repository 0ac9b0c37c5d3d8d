//! `denym access explain`.

use crate::support::{json, run, write};
use crate::{both, done, example, thesis, words};

const NOON: &str = "2024-10-04T12:00";

#[test]
fn table_3_5_cell_by_cell() {
    let directory = thesis::customers();
    let here = directory.path();
    done(
        here,
        &words("access consent import --policy policy.toml ipt.csv"),
    );
    for (customer, decisions) in thesis::DECISIONS.iter().enumerate() {
        let row = (customer + 1).to_string();
        for (column, expect) in ["name", "age", "address", "income"].iter().zip(decisions) {
            let args = [
                "access",
                "explain",
                "--policy",
                "policy.toml",
                "--user",
                "russell",
                "--purpose",
                "marketing",
                "--table",
                "customer_info",
                "--column",
                column,
                "--row",
                &row,
                "--at",
                NOON,
            ];
            let (code, document) = json(here, &args);
            assert_eq!(code, 0);
            assert_eq!(
                document["decision"], *expect,
                "{column} of {row}: {document:#}"
            );
            assert_eq!(document["cells"][0]["consent"]["level"], "cell");
            let text = done(here, &args);
            assert!(text.contains(&format!("\ndecision   {expect}: ")), "{text}");
        }
    }
}

#[test]
fn the_chain_of_one_cell() {
    let directory = thesis::customers();
    let here = directory.path();
    done(
        here,
        &words("access consent import --policy policy.toml ipt.csv"),
    );
    let args = [
        "access",
        "explain",
        "--policy",
        "policy.toml",
        "--user",
        "anna",
        "--purpose",
        "service-updates",
        "--table",
        "customer_info",
        "--column",
        "income",
        "--row",
        "1",
        "--at",
        NOON,
    ];
    assert_eq!(
        done(here, &args),
        "\
user       anna at 2024-10-04 12:00 UTC
role       e-analyst
role       e-marketing, through e-analyst
active     updates for role e-marketing: explevel > 10 and timeofday >= 9 and timeofday <= 17 (until 2024-10-04 18:00)
purpose    service-updates: permitted
table      customer_info: prohibited cells are NULL
record     with consent of its own
column     income
        1. user anna has role e-analyst
        2. role e-analyst has the permissions of its junior e-marketing
        3. updates is active for role e-marketing: explevel > 10 and timeofday >= 9 and timeofday <= 17
        4. updates permits the purpose service-updates
        5. consent is from the provider, for this cell: <{general}, {admin}, {marketing}>
        6. the consent prohibits marketing
decision   nothing: NULL
"
    );
}

#[test]
fn office_hours_of_section_3_3_2() {
    let directory = thesis::customers();
    let here = directory.path();
    done(
        here,
        &words("access consent import --policy policy.toml ipt.csv"),
    );
    for hour in 0..24 {
        let at = format!("2024-10-04T{hour:02}:30");
        let args = [
            "access",
            "explain",
            "--policy",
            "policy.toml",
            "--user",
            "russell",
            "--purpose",
            "marketing",
            "--table",
            "customer_info",
            "--column",
            "name",
            "--row",
            "1",
            "--at",
            &at,
        ];
        let (_, document) = json(here, &args);
        let open = (9..=17).contains(&hour);
        assert_eq!(document["may_state"], open, "at {hour}");
        assert_eq!(
            document["decision"],
            if open { "full" } else { "nothing" },
            "at {hour}"
        );
        if !open {
            let failing = if hour < 9 {
                "timeofday >= 9"
            } else {
                "timeofday <= 17"
            };
            assert_eq!(document["grants"][0]["failing"][0], failing);
        }
    }
    let text = done(
        here,
        &[
            "access",
            "explain",
            "--policy",
            "policy.toml",
            "--user",
            "ben",
            "--purpose",
            "service-updates",
            "--table",
            "customer_info",
            "--at",
            NOON,
        ],
    );
    assert!(
        text.contains("inactive   updates for role e-marketing: does not hold: explevel > 10"),
        "{text}"
    );
    assert!(
        text.contains(
            "purpose    service-updates: NOT permitted: this user may state no purpose now"
        ),
        "{text}"
    );
}

#[test]
fn groups_defaults_retention_and_masks_of_the_example() {
    let directory = example();
    let here = directory.path();
    let explain = |user: &str, purpose: &str, table: &str, more: &[&str]| {
        let mut args = vec![
            "access",
            "explain",
            "--policy",
            "policy.toml",
            "--user",
            user,
            "--purpose",
            purpose,
            "--table",
            table,
            "--at",
            "2026-03-02T10:00",
        ];
        args.extend(more);
        json(here, &args).1
    };
    let cell = |user: &str, purpose: &str, column: &str, row: &str| {
        let document = explain(
            user,
            purpose,
            "customer_info",
            &["--column", column, "--row", row],
        );
        let cell = &document["cells"][0];
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        (
            text(&cell["decision"]),
            text(&cell["consent"]["level"]),
            text(&cell["served"]),
        )
    };
    let is = |decision: &str, level: &str, served: &str| {
        (decision.to_owned(), level.to_owned(), served.to_owned())
    };
    assert_eq!(
        cell("russell", "marketing", "name", "1"),
        is("full", "group", "the value")
    );
    assert_eq!(
        cell("russell", "marketing", "income", "1"),
        is("nothing", "cell", "NULL")
    );
    assert_eq!(
        cell("russell", "direct", "town", "2"),
        is("conditional", "cell", "level 1 of the hierarchy town")
    );
    assert_eq!(
        cell("russell", "marketing", "name", "2"),
        is("nothing", "group", "NULL")
    );
    assert_eq!(
        cell("russell", "direct", "name", "2"),
        is("full", "group", "the value")
    );
    assert_eq!(
        cell("russell", "direct", "income", "6"),
        is("nothing", "record", "NULL")
    );
    assert_eq!(
        cell("russell", "marketing", "age", "3"),
        is("conditional", "table", "its interval of width 10")
    );
    assert_eq!(
        cell("otto", "shipping", "name", "5"),
        is("nothing", "group", "NULL")
    );
    assert_eq!(
        cell("otto", "billing", "income", "10"),
        is("full", "table", "the value")
    );
    // collected more than ten years ago
    assert_eq!(
        cell("russell", "marketing", "name", "9"),
        is("nothing", "group", "no record")
    );
    assert_eq!(
        cell("otto", "shipping", "name", "9"),
        is("full", "group", "the value")
    );
    // email is never for third parties, so not for marketing as a whole; the newsletter is apart from them
    assert_eq!(
        cell("russell", "marketing", "email", "4"),
        is("nothing", "table", "NULL")
    );
    assert_eq!(cell("pia", "newsletter", "email", "4").0, "conditional");
    assert_eq!(cell("pia", "newsletter", "income", "4").0, "nothing");
    let document = explain("russell", "marketing", "customer_info", &[]);
    assert_eq!(
        document["obligations"],
        serde_json::json!(["note the campaign in the register"])
    );
    assert_eq!(document["first_served_day"], "2016-03-04");
    // six columns without a group and for each of three groups
    assert_eq!(document["cells"].as_array().map(Vec::len), Some(24));
    // a filtered table drops the record
    let document = explain(
        "otto",
        "billing",
        "orders",
        &["--row", "1001", "--column", "amount"],
    );
    assert_eq!(document["decision"], "full");
    let set = [
        "access",
        "consent",
        "set",
        "--policy",
        "policy.toml",
        "--table",
        "orders",
        "--record",
        "1001",
        "--column",
        "amount",
        "--allowed",
        "general",
        "--prohibited",
        "billing",
    ];
    done(here, &set);
    let document = explain(
        "otto",
        "billing",
        "orders",
        &["--row", "1001", "--column", "amount"],
    );
    assert_eq!(document["cells"][0]["served"], "no record");
    assert_eq!(document["cells"][0]["consent"]["level"], "cell");
}

#[test]
fn questions_without_an_answer() {
    let directory = example();
    let here = directory.path();
    let ask = |more: &[&str]| {
        let mut args = vec!["access", "explain", "--policy", "policy.toml"];
        args.extend(more);
        let (code, document) = json(here, &args);
        (
            code,
            document["error"]["code"].as_str().unwrap_or("-").to_owned(),
        )
    };
    let code = |text: &str| (2, text.to_owned());
    assert_eq!(
        ask(&words(
            "--user nobody --purpose marketing --table customer_info"
        )),
        code("user-unknown")
    );
    assert_eq!(
        ask(&words(
            "--user pia --purpose marketin --table customer_info"
        )),
        code("purpose-unknown")
    );
    assert_eq!(
        ask(&words("--user pia --purpose marketing --table customers")),
        code("table-unknown")
    );
    assert_eq!(
        ask(&["--user", "pia", "--table", "customer_info"]),
        code("purpose-missing")
    );
    let cell = [
        "--user",
        "pia",
        "--purpose",
        "newsletter",
        "--table",
        "customer_info",
        "--column",
    ];
    assert_eq!(
        ask(&[&cell[..], &["phone"]].concat()),
        code("column-unknown")
    );
    assert_eq!(
        ask(&[&cell[..], &["name", "--row", "99"]].concat()),
        code("record-unknown")
    );
    assert_eq!(
        ask(&[&cell[..], &["name", "--at", "noon"]].concat()),
        code("usage")
    );
    // not even an error shows a cell
    let customers = std::fs::read_to_string(here.join("customers.csv")).expect("a file");
    write(here, "customers.csv", customers.replace("2,Ben", "1,Ben"));
    let output = run(
        here,
        &words(
            "access explain --policy policy.toml --user pia --purpose newsletter --table customer_info --row 1",
        ),
    );
    let text = both(&output);
    assert!(
        text.contains("has 2 records with this key") && !text.contains("Ben"),
        "{text}"
    );
}

#[test]
fn more_than_64_purposes_by_the_definition() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let mut purposes = String::from("[purposes]\np0 = {}\n");
    for number in 1..150 {
        purposes.push_str(&format!("p{number} = \"p{}\"\n", (number - 1) / 2));
    }
    let up = |mut at: usize| {
        let mut out = vec![at];
        while at > 0 {
            at = (at - 1) / 2;
            out.push(at);
        }
        out
    };
    // Definitions 2.3.3 to 2.3.5 with AIP = p1, CIP = p3, PIP = p36 and p140
    let decision = |purpose: usize| {
        let above = up(purpose);
        let related = |other: usize| above.contains(&other) || up(other).contains(&purpose);
        if related(36) || related(140) {
            "nothing"
        } else if above.contains(&3) {
            "conditional"
        } else if above.contains(&1) {
            "full"
        } else {
            "nothing"
        }
    };
    write(here, "data.csv", "id,c,said\n1,x,\n");
    let mut seen = std::collections::BTreeSet::new();
    for storage in ["\"table\"", "{ row-code = \"said\" }"] {
        let policy = format!(
            "{purposes}[roles]\nr = []\n[users]\nu = {{ roles = [\"r\"] }}\n[[grants]]\nrole = \"r\"\npurposes = [\"p0\"]\n\
             [tables.t]\nsource = \"data.csv\"\nkey = \"id\"\nconsent = {storage}\ncolumns = {{ c = {{ mask = \"value\" }} }}\n"
        );
        write(here, "policy.toml", policy);
        let set = [
            "access",
            "consent",
            "set",
            "--policy",
            "policy.toml",
            "--table",
            "t",
            "--record",
            "1",
            "--column",
            "c",
            "--allowed",
            "p1",
            "--conditional",
            "p3",
            "--prohibited",
            "p36,p140",
        ];
        done(here, &set);
        for purpose in [
            0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 18, 34, 35, 36, 64, 69, 73, 74, 79, 139, 140,
            147, 149,
        ] {
            let name = format!("p{purpose}");
            let args = [
                "access",
                "explain",
                "--policy",
                "policy.toml",
                "--user",
                "u",
                "--purpose",
                &name,
                "--table",
                "t",
                "--column",
                "c",
                "--row",
                "1",
            ];
            let (_, document) = json(here, &args);
            assert_eq!(
                document["decision"],
                decision(purpose),
                "{name} with {storage}"
            );
            seen.insert(decision(purpose));
        }
        let (code, document) = json(here, &words("access ddl --policy policy.toml --purpose p1"));
        assert_eq!(
            (code, &document["error"]["code"]),
            (2, &"not-in-sql".into())
        );
    }
    assert_eq!(seen.len(), 3);
}
