//! The worked examples of chapters 2 and 3 through psql, against both backends, cell by cell.

use denym_gateway::consent_file;
use denym_purpose::{AccessPolicy, IntendedRow, Moment};
use denym_testkit::postgres::{NULL, Server};
use std::fmt::Write as _;
use support::{NOON, Plan, Site, csv};

#[path = "../../purpose/tests/paper/mod.rs"]
mod paper;
mod support;

const POLICY: &str = include_str!("../../purpose/tests/paper/policy.toml");

/// Table 3.4 for both customer tables, with Table 2.2's one difference.
fn consents(policy: &AccessPolicy) -> Vec<IntendedRow> {
    let tree = &policy.purposes;
    let mut rows = Vec::new();
    for table in ["customer_info", "customer_22"] {
        for (customer, letters) in paper::CONSENT_3_2.iter().enumerate() {
            for (place, letters) in letters.iter().enumerate() {
                let chapter_2 = table == "customer_22" && customer == 0 && place == 1;
                let (a, c, p) = if chapter_2 {
                    paper::ALICE_AGE_2_2
                } else {
                    *letters
                };
                rows.push(IntendedRow {
                    table: table.into(),
                    record: (customer + 1).to_string(),
                    column: paper::COLUMNS[place].into(),
                    intended: paper::ip(tree, a, c, p).to_text(tree),
                });
            }
        }
    }
    rows
}

const HEADER: [&str; 9] = [
    "cus_id",
    "name",
    "age",
    "address",
    "income",
    "name_cip",
    "age_cip",
    "address_cip",
    "income_cip",
];

fn customer(place: usize) -> [String; 9] {
    let (name, age, address, income) = paper::CUSTOMERS[place];
    let [n, a, d, i] = paper::CONDITIONAL[place];
    [
        (place + 1).to_string(),
        name.into(),
        age.to_string(),
        address.into(),
        income.to_string(),
        n.into(),
        a.into(),
        d.into(),
        i.into(),
    ]
}

/// Subscribers of Table 2.3: one of each provider group.
const SUBSCRIBERS: [&str; 4] = ["1", "2", "3", "child"];

fn embedded(policy_text: &str) -> Site {
    let policy = AccessPolicy::parse(policy_text, &|_| None).expect("valid");
    let mut customers = format!("{},secret\n", HEADER.join(","));
    for place in 0..4 {
        let cells = customer(place).map(|cell| csv(&cell));
        let _ = writeln!(customers, "{},hidden-{place}", cells.join(","));
    }
    let mut subscribers = "provider_group,name,address,phone,age,income\n".to_owned();
    for group in SUBSCRIBERS {
        let _ = writeln!(subscribers, "{group},N{group},A{group},P{group},30,1000");
    }
    let files = [
        ("customer_info", customers.clone()),
        ("customer_22", customers),
        ("subscriber", subscribers),
    ];
    Plan::embedded(
        policy_text,
        &files,
        Some(consent_file::write(&consents(&policy))),
    )
    .run()
}

fn postgres(server: &Server, policy_text: &str) -> Site {
    let policy = AccessPolicy::parse(policy_text, &|_| None).expect("valid");
    let mut sql = String::from("DROP SCHEMA IF EXISTS raw CASCADE; CREATE SCHEMA raw;");
    for table in ["customer_info", "customer_22"] {
        let _ = write!(
            sql,
            "CREATE TABLE raw.{table} (cus_id int8, name text, age int8, address text, income int8, name_cip text, age_cip text, address_cip text, income_cip text, secret text);"
        );
        for place in 0..4 {
            let cells = customer(place).map(|cell| format!("'{cell}'"));
            let _ = write!(
                sql,
                "INSERT INTO raw.{table} VALUES ({}, 'hidden-{place}');",
                cells.join(", ")
            );
        }
    }
    sql.push_str("CREATE TABLE raw.subscriber (provider_group text, name text, address text, phone text, age int8, income int8);");
    for group in SUBSCRIBERS {
        let _ = write!(
            sql,
            "INSERT INTO raw.subscriber VALUES ('{group}', 'N{group}', 'A{group}', 'P{group}', 30, 1000);"
        );
    }
    sql.push_str(
        &policy
            .postgres_consent("raw", &consents(&policy))
            .expect("fits"),
    );
    server.query(&sql).expect("sets up");
    Plan::postgres(policy_text, server).run()
}

/// Runs a check against both backends.
fn both(policy: &str, check: impl Fn(&Site)) {
    check(&embedded(policy));
    if let Some(server) = Server::start() {
        check(&postgres(&server, policy));
    }
}

#[test]
fn tables_of_chapters_2_and_3() {
    both(POLICY, |site| {
        // Table 3.5
        let rows = site.ask(
            "russell",
            "marketing",
            "SELECT name, age, address, income FROM customer_info ORDER BY name",
        );
        let expected = [
            ["Alice", "30-40", "21, West St., TBA, QLD 4350", NULL],
            ["Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"],
            ["Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"],
            ["Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"],
        ];
        assert_eq!(rows.expect("permitted"), expected);
        // Tables 2.5 to 2.6: records with a prohibited cell among the requested are dropped
        let rows = site.ask(
            "russell",
            "marketing",
            "SELECT name, income FROM customer_22 ORDER BY name",
        );
        assert_eq!(
            rows.expect("permitted"),
            [
                ["Bob", "20000-30000"],
                ["Jak", "40000-50000"],
                ["Ron", "56000"]
            ]
        );
        let rows = site.ask(
            "russell",
            "marketing",
            "SELECT name, income, address FROM customer_22 ORDER BY name",
        );
        assert_eq!(
            rows.expect("permitted")[0],
            ["Bob", "20000-30000", "Fay CT., TBA, QLD 4350"]
        );
        let rows = site.ask(
            "russell",
            "marketing",
            "SELECT name FROM customer_22 ORDER BY name",
        );
        assert_eq!(
            rows.expect("permitted"),
            [["Alice"], ["Bob"], ["Jak"], ["Ron"]]
        );
        // the purpose at the end of the query
        let rows = site.query(
            "russell",
            "SELECT count(*) FROM customer_info WHERE income IS NULL FOR PURPOSE marketing;",
        );
        assert_eq!(rows.expect("permitted"), [["1"]]);
    });
}

#[test]
fn office_hours_of_section_3_3_2() {
    both(POLICY, |site| {
        let ask = |user: &str, purpose: &str| {
            site.ask(
                user,
                purpose,
                "SELECT name FROM customer_info ORDER BY name",
            )
        };
        for hour in [8, 9, 17, 18] {
            site.set_clock(Moment {
                day: 20_000,
                minute: hour * 60,
            });
            let found = ask("russell", "marketing");
            if (9..=17).contains(&hour) {
                assert_eq!(found.expect("office hours").len(), 4, "at {hour}");
            } else {
                let error = found.expect_err("not in office hours");
                assert!(error.contains("marketing"), "{error}");
            }
        }
        site.set_clock(NOON);
        assert!(ask("anna", "service-updates").is_ok());
        assert!(
            ask("ben", "service-updates").is_err(),
            "10 years are not more than 10"
        );
        assert!(
            ask("cora", "service-updates").is_err(),
            "a missing attribute is false"
        );
        assert!(ask("hugo", "service-updates").is_ok());
        // without a purpose: the error lists what may be stated
        let error = site
            .query("anna", "SELECT name FROM customer_info;")
            .expect_err("no purpose");
        assert!(
            error.contains("service-updates") && !error.contains("marketing"),
            "{error}"
        );
    });
}

#[test]
fn cpac_infers_the_purpose() {
    both(&format!("purpose = \"inferred\"\n{POLICY}"), |site| {
        let count = |user: &str, table: &str| {
            site.query(user, &format!("SELECT count(name) FROM {table};"))
        };
        assert_eq!(
            count("russell", "customer_info"),
            Ok(vec![vec!["4".into()]])
        );
        assert!(count("anna", "customer_info").is_ok());
        assert!(count("hugo", "customer_info").is_err(), "two purposes fit");
        assert!(count("hugo", "customer_22").is_ok(), "one purpose fits");
        assert!(count("russell", "subscriber").is_err());
    });
}
