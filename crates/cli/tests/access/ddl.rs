//! `denym access ddl`, run by a real PostgreSQL: the views are the masked table, cell by cell.

use std::collections::BTreeMap;
use std::path::Path;

use denym_gateway::admin::{ConsentStore, PolicyFile};
use denym_gateway::purpose::{AccessPurpose, Activation, Kind, MaskKey, Moment, RawRecord, Value};
use denym_testkit::postgres::{NULL, Server};

use crate::support::{json, run, write};
use crate::{both, done, example, read, thesis, words};

/// The records of a CSV file of the example, by column.
fn records(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = read(path.to_owned());
    let cells = |line: &str| -> Vec<String> {
        let (mut out, mut cell, mut inside) = (Vec::new(), String::new(), false);
        for c in line.replace("\"\"", "\u{1}").chars() {
            match c {
                '"' => inside = !inside,
                ',' if !inside => out.push(std::mem::take(&mut cell)),
                '\u{1}' => cell.push('"'),
                c => cell.push(c),
            }
        }
        out.push(cell);
        out
    };
    let mut lines = text.lines();
    let header = cells(lines.next().expect("a header"));
    lines
        .map(|line| header.iter().cloned().zip(cells(line)).collect())
        .collect()
}

/// What a table of the policy shows for a purpose, computed in process from the files.
fn masked(file: &PolicyFile, table: &str, purpose: &str, today: i64) -> Vec<Vec<String>> {
    let policy = &file.policy;
    let kept = ConsentStore::new(file, None)
        .read(Some(table))
        .expect("reads");
    // a view asks nobody: every grant counts as active
    let activation = Activation {
        user: "view".into(),
        roles: BTreeMap::new(),
        active: (0..policy.grants.len()).collect(),
        inactive: Vec::new(),
        values: Vec::new(),
    };
    let purpose = AccessPurpose::new(
        &policy.purposes,
        policy.purposes.find(purpose).expect("declared"),
    );
    let access = policy.access(activation, purpose, table).expect("governed");
    let table = access.table();
    let kinds: BTreeMap<&str, Kind> = table
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.kind))
        .collect();
    let all: Vec<usize> = (0..table.columns.len()).collect();
    let mut out = Vec::new();
    for record in records(&file.data(table).expect("a file")) {
        let text = |name: &Option<String>| {
            name.as_ref()
                .map(|name| record[name].clone())
                .filter(|t| !t.is_empty())
        };
        let raw = |name: &str| match (record.get(name).map(String::as_str), kinds.get(name)) {
            (None | Some(""), _) => Value::Null,
            (Some(cell), Some(Kind::Integer)) => Value::Integer(cell.parse().expect("a number")),
            (Some(cell), _) => Value::Text(cell.to_owned()),
        };
        let key = text(&table.key).expect("a key");
        let collected = text(&table.collected)
            .and_then(|day| Moment::from_text(&day))
            .map(|then| then.day);
        let record = RawRecord {
            consent: kept.book.record(&table.name, &key),
            group: text(&table.group),
            collected,
            key,
            raw: &raw,
        };
        let Some(cells) = access.view(&record, &all, &MaskKey::new(vec![1]), today) else {
            continue;
        };
        out.push(
            cells
                .iter()
                .map(|cell| cell.to_text().unwrap_or_else(|| NULL.into()))
                .collect(),
        );
    }
    out.sort();
    out
}

/// Loads a CSV file of the example as a raw table; empty cells are NULL.
fn load(server: &Server, path: &Path, table: &str, columns: &str) {
    let mut sql =
        format!("CREATE SCHEMA IF NOT EXISTS raw; CREATE TABLE raw.{table} ({columns});\n");
    let header = read(path.to_owned());
    let header: Vec<&str> = header
        .lines()
        .next()
        .expect("a header")
        .split(',')
        .collect();
    for record in records(path) {
        let cells: Vec<String> = header
            .iter()
            .map(|name| match record[*name].as_str() {
                "" => "NULL".to_owned(),
                cell => format!("'{}'", cell.replace('\'', "''")),
            })
            .collect();
        sql.push_str(&format!(
            "INSERT INTO raw.{table} VALUES ({});\n",
            cells.join(", ")
        ));
    }
    server.query(&sql).expect("loads");
}

pub(crate) fn load_example(server: &Server, here: &Path) {
    load(
        server,
        &here.join("customers.csv"),
        "customer_info",
        "customer bigint, name text, age bigint, town text, email text, income bigint, segment text, collected date",
    );
    let mut columns =
        String::from("order_no bigint, customer bigint, item text, amount bigint, ordered date");
    for column in ["order_no", "customer", "item", "amount"] {
        for suffix in ["aip", "cip", "pip"] {
            columns.push_str(&format!(", {column}_{suffix} bigint"));
        }
    }
    load(server, &here.join("orders.csv"), "orders", &columns);
}

fn today(server: &Server) -> i64 {
    let day = server
        .query("SELECT CURRENT_DATE - DATE '1970-01-01';")
        .expect("a day");
    day[0][0].parse().expect("a number")
}

#[test]
fn views_are_the_masked_tables() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = example();
    let here = directory.path();
    let set = [
        "access",
        "consent",
        "set",
        "--policy",
        "policy.toml",
        "--table",
        "orders",
    ];
    done(
        here,
        &[
            &set[..],
            &words("--record 1002 --column amount --allowed general --conditional analysis"),
        ]
        .concat(),
    );
    done(
        here,
        &[
            &set[..],
            &words("--record 1003 --column item --prohibited analysis"),
        ]
        .concat(),
    );
    load_example(&server, here);
    let sql = done(
        here,
        &words("access consent export --policy policy.toml --form sql --table customer_info"),
    );
    server.query(&sql).expect("fills the consent table");
    let file = PolicyFile::read(&here.join("policy.toml")).expect("valid");
    let today = today(&server);
    let mut compared = 0;
    for purpose in [
        "general",
        "marketing",
        "direct",
        "newsletter",
        "third-party",
        "analysis",
        "billing",
        "shipping",
    ] {
        let sql = done(
            here,
            &[
                "access",
                "ddl",
                "--policy",
                "policy.toml",
                "--purpose",
                purpose,
                "--indexes",
            ],
        );
        // a script can be run again
        server
            .query(&sql)
            .unwrap_or_else(|error| panic!("{error}\n{sql}"));
        server
            .query(&sql)
            .unwrap_or_else(|error| panic!("{error}\n{sql}"));
        for table in ["customer_info", "orders"] {
            let columns: Vec<String> = file.policy.tables[table]
                .columns
                .iter()
                .map(|c| format!("\"{}\"", c.name))
                .collect();
            let schema = format!("purpose_{}", purpose.replace('-', "_"));
            let mut found = server
                .query(&format!(
                    "SELECT {} FROM {schema}.{table};",
                    columns.join(", ")
                ))
                .expect("reads");
            found.sort();
            let expected = masked(&file, table, purpose, today);
            assert_eq!(found, expected, "{purpose} {table}");
            compared += found.len() * columns.len();
        }
    }
    assert!(compared > 300, "{compared} cells");
    // consent taken back is gone from the database too
    done(
        here,
        &words(
            "access consent set --policy policy.toml --table customer_info --record 1 --column income --clear",
        ),
    );
    let sql = done(
        here,
        &words("access consent export --policy policy.toml --form sql"),
    );
    server.query(&sql).expect("fills again");
    let mut found = server
        .query("SELECT * FROM purpose_marketing.customer_info;")
        .expect("reads");
    found.sort();
    assert_eq!(found, masked(&file, "customer_info", "marketing", today));
    let income =
        server.query("SELECT income FROM purpose_marketing.customer_info WHERE customer = 1;");
    assert_eq!(income.expect("reads"), [["35000"]]);
}

#[test]
fn tables_3_5_and_2_6_by_the_script() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = thesis::customers();
    let here = directory.path();
    done(
        here,
        &words("access consent import --policy policy.toml ipt.csv"),
    );
    let chapter_2 = thesis::IPT
        .replace("customer_info", "customer_22")
        .replace("1,age,\"⟨{general}", "1,age,\"⟨{Φ}");
    write(here, "ipt-2.csv", chapter_2);
    done(
        here,
        &words("access consent import --policy policy.toml ipt-2.csv"),
    );
    load_quoted(&server);
    let sql = done(
        here,
        &words("access consent export --policy policy.toml --form sql"),
    );
    server.query(&sql).expect("fills");
    let output = run(
        here,
        &words("access ddl --policy policy.toml --purpose marketing --table customer_info"),
    );
    let text = both(&output);
    assert!(
        text.contains(
            "a view cannot check the condition of office-hours (role marketing): explevel > 10"
        ),
        "{text}"
    );
    server
        .query(&String::from_utf8(output.stdout).expect("UTF-8"))
        .expect("runs");
    let rows = server
        .query("SELECT * FROM purpose_marketing.customer_info ORDER BY name;")
        .expect("reads");
    assert_eq!(
        rows,
        [
            ["Alice", "30-40", "21, West St., TBA, QLD 4350", NULL],
            ["Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"],
            ["Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"],
            ["Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"],
        ]
    );
    // Table 2.6: records with a prohibited cell are dropped
    let sql = done(
        here,
        &words("access ddl --policy policy.toml --purpose marketing --table customer_22"),
    );
    server.query(&sql).expect("runs");
    let rows = server
        .query("SELECT name, income FROM purpose_marketing.customer_22 ORDER BY name;")
        .expect("reads");
    assert_eq!(
        rows,
        [
            ["Bob", "20000-30000"],
            ["Jak", "40000-50000"],
            ["Ron", "56000"]
        ]
    );
    // without the conditional grants nobody is left who may
    let sql = done(
        here,
        &words(
            "access ddl --policy policy.toml --purpose marketing --table customer_info --unconditional",
        ),
    );
    server.query(&sql).expect("runs");
    let rows = server
        .query("SELECT DISTINCT * FROM purpose_marketing.customer_info;")
        .expect("reads");
    assert_eq!(rows, [[NULL; 4]]);
}

fn load_quoted(server: &Server) {
    let directory = thesis::customers();
    load(
        server,
        &directory.path().join("customers.csv"),
        "customer_info",
        "cus_id int, name text, age bigint, address text, income bigint, address_cip text",
    );
    // chapter 2 stores all conditional values (Table 2.5, Jak's corrected)
    server
        .query(
            "CREATE TABLE raw.customer_22 AS SELECT *, left(name, 1) AS name_cip,
             (age / 10 * 10) || '-' || (age / 10 * 10 + 10) AS age_cip,
             (income / 10000 * 10000) || '-' || (income / 10000 * 10000 + 10000) AS income_cip FROM raw.customer_info;",
        )
        .expect("stores");
}

#[test]
fn readers_reach_the_views_and_nothing_else() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = example();
    let here = directory.path();
    load_example(&server, here);
    // the raw table has row security of its own: the shop's record 4 is for nobody
    server
        .query(
            "CREATE ROLE team; ALTER TABLE raw.customer_info ENABLE ROW LEVEL SECURITY;
             CREATE POLICY most ON raw.customer_info USING (customer <> 4);",
        )
        .expect("sets up");
    let ddl = [
        "access",
        "ddl",
        "--policy",
        "policy.toml",
        "--purpose",
        "direct",
    ];
    let sql = done(here, &[&ddl[..], &["--grant-to", "team"]].concat());
    server.query(&sql).expect("runs");
    let count = |role: &str| {
        server.query(&format!(
            "SET ROLE {role}; SELECT count(*) FROM purpose_direct.customer_info WHERE customer = 4;"
        ))
    };
    assert_eq!(
        count("team").expect("reads"),
        [["0"]],
        "row security holds behind the view"
    );
    for forbidden in [
        "SELECT * FROM raw.customer_info",
        "SELECT * FROM raw.denym_consent",
        "SELECT * FROM raw.orders",
        "CREATE VIEW purpose_direct.own AS SELECT 1",
    ] {
        let refused = server
            .query(&format!("SET ROLE team; {forbidden};"))
            .expect_err(forbidden);
        assert!(refused.contains("permission denied"), "{refused}");
    }
    // an owner who bypasses row security is refused, and nothing is changed
    let other = ["access", "ddl", "--policy", "policy.toml", "--purpose"];
    let sql = done(
        here,
        &[&other[..], &["newsletter", "--owner", "postgres"]].concat(),
    );
    let refused = server.query(&sql).expect_err("a superuser");
    assert!(
        refused.contains("must be neither superuser nor exempt from row security"),
        "{refused}"
    );
    let left = server
        .query("SELECT count(*) FROM pg_namespace WHERE nspname = 'purpose_newsletter';")
        .expect("reads");
    assert_eq!(left, [["0"]]);
}

#[test]
fn an_index_serves_a_masked_predicate() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = example();
    let here = directory.path();
    load_example(&server, here);
    server
        .query("INSERT INTO raw.orders (order_no, customer, item, amount, ordered) SELECT n, n % 97, 'item ' || n, n % 5000, CURRENT_DATE FROM generate_series(2000, 60000) n;")
        .expect("fills");
    let (_, document) = json(
        here,
        &words("access ddl --policy policy.toml --purpose analysis --table orders --indexes"),
    );
    assert_eq!(document["indexes"], 4);
    server
        .query(document["sql"].as_str().expect("a script"))
        .expect("runs");
    server.query("ANALYZE raw.orders;").expect("analyzes");
    let plan = server
        .query("EXPLAIN SELECT order_no FROM purpose_analysis.orders WHERE item = 'item 4711';")
        .expect("plans");
    let plan: Vec<String> = plan.into_iter().flatten().collect();
    assert!(
        plan.iter()
            .any(|line| line.contains("denym_orders_item_analysis")),
        "{plan:#?}"
    );
    let rows = server
        .query("SELECT order_no FROM purpose_analysis.orders WHERE item = 'item 4711';")
        .expect("reads");
    assert_eq!(rows, [["4711"]]);
}

#[test]
fn what_sql_cannot_say_is_named() {
    let directory = example();
    let here = directory.path();
    let policy = read(here.join("policy.toml")).replace(
        "name = { mask = { first-letters = 1 } }",
        "name = { mask = { pseudonym = {} } }",
    );
    write(here, "keyed.toml", policy);
    let ddl = [
        "access",
        "ddl",
        "--policy",
        "keyed.toml",
        "--purpose",
        "marketing",
    ];
    let (code, document) = json(here, &ddl);
    assert_eq!(
        (code, &document["tables"]),
        (0, &serde_json::json!(["customer_info", "orders"]))
    );
    let left = &document["left_out"][0];
    assert_eq!(
        (&left["table"], &left["column"]),
        (&"customer_info".into(), &"name".into())
    );
    let sql = document["sql"].as_str().expect("a script");
    assert!(!sql.contains("AS \"name\""), "the column is in no view");
    // a code for the whole record is the gateway's before files alone
    let coded = read(here.join("policy.toml")).replace(
        "mode = \"mask\"\nconsent = \"table\"",
        "mode = \"mask\"\nconsent = { row-code = \"code\" }",
    );
    write(here, "coded.toml", coded);
    let ddl = words("access ddl --policy coded.toml --purpose marketing");
    let (code, document) = json(here, &ddl);
    assert_eq!(
        (code, &document["tables"]),
        (0, &serde_json::json!(["orders"]))
    );
    assert_eq!(document["left_out"][0]["table"], "customer_info");
    let (code, document) = json(here, &[&ddl[..], &["--table", "customer_info"]].concat());
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"not-in-sql".into())
    );
    let (code, document) = json(
        here,
        &words("access ddl --policy policy.toml --purpose nothing"),
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"purpose-unknown".into())
    );
}

#[test]
fn one_script_makes_a_login_for_each_purpose_and_no_password_leaves() {
    let directory = example();
    let here = directory.path();
    let ddl = words("access ddl --policy policy.toml --passwords logins.pgpass");
    let (code, document) = json(here, &ddl);
    assert_eq!(code, 0, "{document}");
    let purposes = document["purposes"].as_array().expect("a list");
    let logins: Vec<&str> = purposes
        .iter()
        .map(|made| made["login"].as_str().expect("a login"))
        .collect();
    // phone is below marketing, and nobody may state general
    assert!(logins.contains(&"denym_marketing") && logins.contains(&"denym_third_party"));
    assert!(!logins.contains(&"denym_general"), "{logins:?}");
    let kept = read(here.join("logins.pgpass"));
    assert_eq!(kept.lines().count(), logins.len());
    let sql = document["sql"].as_str().expect("a script");
    for line in kept.lines() {
        let (login, password) = line
            .strip_prefix("*:*:*:")
            .and_then(|line| line.split_once(':'))
            .expect("a line of libpq's");
        assert!(logins.contains(&login));
        assert!(!sql.contains(password), "only verifiers");
        assert!(sql.contains(&format!("ALTER ROLE \"{login}\" PASSWORD 'SCRAM-SHA-256$")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| {
            let meta = std::fs::metadata(here.join(path)).expect("is there");
            meta.permissions().mode() & 0o777
        };
        assert_eq!(mode("logins.pgpass"), 0o600);
        std::fs::set_permissions(
            here.join("logins.pgpass"),
            std::fs::Permissions::from_mode(0o644),
        )
        .expect("opens it");
        let (code, document) = json(here, &ddl);
        assert_eq!(
            (code, &document["error"]["code"]),
            (2, &"passwords-unusable".into()),
            "{document}"
        );
    }
}

#[cfg(feature = "gateway")]
#[test]
fn a_password_on_the_command_line_is_refused_and_not_repeated() {
    let directory = example();
    let here = directory.path();
    write(here, "users.txt", "");
    for connection in [
        "host=localhost dbname=crm password=hunter2",
        "postgresql://steward:hunter2@localhost/crm",
        "host=localhost dbname=crm user=denym_marketing password='hunter2'",
    ] {
        let output = run(
            here,
            &[
                "gateway",
                "--policy",
                "policy.toml",
                "--users",
                "users.txt",
                "--postgres",
                connection,
                "--json",
            ],
        );
        let said = both(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("password-in-arguments"), "{said}");
        assert!(
            said.contains("--postgres-passwords") && said.contains("chmod 600"),
            "{said}"
        );
        assert!(!said.contains("hunter2"), "{said}");
    }
}
