//! The worked examples of chapters 2 and 3 through psql, against both backends, cell by cell.

use crate::support::{NOON, Plan, Site, csv};
use denym_gateway::consent_file;
use denym_purpose::{AccessPolicy, IntendedRow, Moment};
use denym_testkit::postgres::{NULL, Server};
use std::fmt::Write as _;

#[path = "../../../purpose/tests/paper/mod.rs"]
mod paper;

const POLICY: &str = include_str!("../../../purpose/tests/paper/policy.toml");

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

#[test]
fn example_2_3_2_and_the_groups_of_table_2_3() {
    let policy = POLICY.replace(
        "[tables.subscriber.columns]\nname = {}",
        "[tables.subscriber.columns]\nname = { mask = { first-letters = 1 } }",
    ) + "\n[[grants]]\nrole = \"marketing\"\npurposes = [\"general\"]\ntables = [\"subscriber\"]\n";
    // the groups table ends the text, so the grant goes before the tables
    let (head, grant) = policy.split_at(policy.rfind("\n[[grants]]").expect("just added"));
    let place = head.find("# Chapter 3").expect("a comment");
    let policy = format!("{}{grant}\n{}", &head[..place], &head[place..]);
    both(&policy, |site| {
        let names = |purpose: &str| {
            let rows = site
                .ask("russell", purpose, "SELECT name FROM subscriber")
                .expect("permitted");
            let mut names = rows.concat();
            names.sort();
            names
        };
        // third party: group 1 in conditional form, group 2 never, group 3 in full, children never
        assert_eq!(names("t-postal"), ["N", "N3", NULL, NULL]);
        assert_eq!(names("purchase"), ["N1", "N2", "N3", NULL]);
    });
}

/// One cell per consent, `value` in full and `v` in conditional form; which purposes see it how.
fn shown(tree: &[(&str, &str)], consents: &[(&str, &str)], check: impl Fn(&str, &[&str], &[&str])) {
    let mut text = String::from("[purposes]\n");
    for (name, parent) in tree {
        let parent = if parent.is_empty() {
            "{}".to_owned()
        } else {
            format!("\"{parent}\"")
        };
        let _ = writeln!(text, "{name} = {parent}");
    }
    let root = tree[0].0;
    let _ = write!(
        text,
        "[roles]\nr = []\n[users]\nanna = {{ roles = [\"r\"] }}\n[[grants]]\nrole = \"r\"\npurposes = [\"{root}\"]\n\
         [tables.cell]\nkey = \"id\"\nconsent = \"table\"\n[tables.cell.columns]\nid = {{ default = \"<{{{root}}}, {{}}, {{}}>\" }}\nv = {{ mask = {{ first-letters = 1 }} }}\n"
    );
    let policy = AccessPolicy::parse(&text, &|_| None).expect("valid");
    let rows: Vec<IntendedRow> = consents
        .iter()
        .map(|(record, intended)| IntendedRow {
            table: "cell".into(),
            record: (*record).into(),
            column: "v".into(),
            intended: (*intended).into(),
        })
        .collect();
    let ask = |site: &Site| {
        let mut sql = String::new();
        for (name, _) in tree {
            let _ = writeln!(
                sql,
                "SELECT '{name}', id, v FROM cell ORDER BY id FOR PURPOSE \"{name}\";"
            );
        }
        let found = site.query("anna", &sql).expect("permitted");
        for (record, _) in consents {
            let seen = |wanted: &str| -> Vec<&str> {
                found
                    .iter()
                    .filter(|row| row[1] == *record && row[2] == wanted)
                    .map(|row| row[0].as_str())
                    .collect()
            };
            check(record, &seen("value"), &seen("v"));
        }
    };
    let mut csv = String::from("id,v\n");
    let mut sql = String::from("CREATE SCHEMA raw; CREATE TABLE raw.cell (id text, v text);");
    for (record, _) in consents {
        let _ = writeln!(csv, "{record},value");
        let _ = write!(sql, "INSERT INTO raw.cell VALUES ('{record}', 'value');");
    }
    ask(&Plan::embedded(&text, &[("cell", csv)], Some(consent_file::write(&rows))).run());
    if let Some(server) = Server::start() {
        sql.push_str(&policy.postgres_consent("raw", &rows).expect("fits"));
        server.query(&sql).expect("sets up");
        ask(&Plan::postgres(&text, &server).run());
    }
}

#[test]
fn implied_purposes_of_example_2_3_1_and_section_3_2_2() {
    let marketing = [
        "marketing",
        "direct",
        "d-email",
        "special-offers",
        "service-updates",
        "d-phone",
        "third-party",
        "t-email",
        "t-postal",
    ];
    let consents = [
        ("e231", "<{admin, direct}, {third-party}, {d-email}>"),
        ("s1", "<{general}, {}, {}>"),
        ("s2", "<{general}, {marketing}, {admin}>"),
        ("s3", "<{general}, {}, {admin, shipping}>"),
        // Table 3.1, customers 22, 25 and 52
        ("c22", "<{general}, {admin}, {shipping}>"),
        ("c25", "<{marketing}, {admin}, {shipping}>"),
        ("c52", "<{shipping}, {admin}, {marketing}>"),
    ];
    shown(
        &paper::FIGURE_2_1,
        &consents,
        |record, full, conditional| {
            let admin = ["admin", "profiling", "analysis"];
            match record {
                "e231" => {
                    assert_eq!(full, ["admin", "profiling", "analysis", "d-phone"]);
                    assert_eq!(conditional, ["third-party", "t-email", "t-postal"]);
                }
                "s1" => {
                    // the paper leaves out general itself, which nothing prohibits
                    let all: Vec<&str> = paper::FIGURE_2_1.iter().map(|(name, _)| *name).collect();
                    assert_eq!((full, conditional), (&all[..], &[][..]));
                }
                "s2" => assert_eq!(
                    (full, conditional),
                    (&["purchase", "shipping"][..], &marketing[..])
                ),
                "s3" => assert_eq!(
                    (full, conditional),
                    (&[&["purchase"][..], &marketing].concat()[..], &[][..])
                ),
                "c22" => assert_eq!(
                    (full, conditional),
                    (&[&["purchase"][..], &marketing].concat()[..], &admin[..])
                ),
                "c25" => assert_eq!((full, conditional), (&marketing[..], &admin[..])),
                _ => assert_eq!((full, conditional), (&["shipping"][..], &admin[..])),
            }
        },
    );
}

#[test]
fn codes_of_table_2_7() {
    let tree = [
        ("A", ""),
        ("B", "A"),
        ("C", "A"),
        ("D", "A"),
        ("E", "B"),
        ("F", "B"),
        ("G", "D"),
        ("H", "D"),
        ("I", "G"),
        ("J", "G"),
    ];
    // name, code, aip_code (= cip_code), pip_code; the paper prints 04F0 for D's cip_code
    let codes = [
        ("A", 0x200, 0x3ff, 0x3ff),
        ("B", 0x100, 0x130, 0x330),
        ("C", 0x080, 0x080, 0x280),
        ("D", 0x040, 0x04f, 0x24f),
        ("E", 0x020, 0x020, 0x320),
        ("F", 0x010, 0x010, 0x310),
        ("G", 0x008, 0x00b, 0x24b),
        ("H", 0x004, 0x004, 0x244),
        ("I", 0x002, 0x002, 0x24a),
        ("J", 0x001, 0x001, 0x249),
    ];
    let texts: Vec<(String, String)> = codes
        .iter()
        .flat_map(|(name, ..)| {
            [
                (format!("a{name}"), format!("<{{{name}}}, {{}}, {{}}>")),
                (format!("c{name}"), format!("<{{}}, {{{name}}}, {{}}>")),
                (format!("p{name}"), format!("<{{A}}, {{}}, {{{name}}}>")),
            ]
        })
        .collect();
    let consents: Vec<(&str, &str)> = texts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let sum = |names: &[&str]| -> i32 {
        codes
            .iter()
            .filter(|(name, ..)| names.contains(name))
            .map(|(_, code, ..)| code)
            .sum()
    };
    shown(&tree, &consents, |record, full, conditional| {
        let (_, _, aip, pip) = codes
            .iter()
            .find(|(name, ..)| record.ends_with(name))
            .expect("listed");
        match &record[..1] {
            "a" => assert_eq!((sum(full), conditional.len()), (*aip, 0), "{record}"),
            "c" => assert_eq!((sum(conditional), full.len()), (*aip, 0), "{record}"),
            // what is not shown is what the prohibition reaches
            _ => assert_eq!(
                (0x3ff - sum(full), conditional.len()),
                (*pip, 0),
                "{record}"
            ),
        }
    });
}
