//! The SQL text against a real PostgreSQL: the paper's tables, and random policies cell by cell against the in-process view.

use denym_purpose::{
    Access, AccessPolicy, ConsentBook, IntendedRow, MaskKey, Moment, RawRecord, Value, identifier,
    views_schema, write_companion,
};
use denym_testkit::postgres::{NULL, Server};
use random::{
    Draws, PURPOSES, Reach, Row, own_consent, psql_text, random_consents, random_policy,
    random_rows,
};
use std::fmt::Write as _;

mod paper;
mod random;

const NOON: Moment = Moment {
    day: 20_000,
    minute: 720,
};

/// The views of a table for a purpose, as a steward makes them: for everybody who is granted anything.
fn views(policy: &AccessPolicy, table: &str, purpose: &str, raw: &str) -> String {
    let granted = |place: usize| {
        let column = &policy.tables[table].columns[place].name;
        policy
            .any_grant_permits(table, column, purpose)
            .expect("declared")
    };
    let written = policy
        .postgres(table, purpose, raw, &granted)
        .expect("in SQL");
    let schema = views_schema(purpose);
    let mut sql = format!("CREATE SCHEMA IF NOT EXISTS {schema};");
    for view in written.views().expect("in SQL") {
        let _ = write!(
            sql,
            "CREATE VIEW {schema}.{} WITH (security_barrier) AS {};",
            identifier(&view.name),
            view.query
        );
    }
    sql
}

fn paper_setup(policy: &AccessPolicy) -> String {
    let mut sql = String::from("CREATE SCHEMA raw;");
    for table in ["customer_info", "customer_22"] {
        let _ = write!(
            sql,
            "CREATE TABLE raw.{table} (cus_id int, name text, age int8, address text, income int8, name_cip text, age_cip text, \
             address_cip text, income_cip text);"
        );
        for (place, (name, age, address, income)) in paper::CUSTOMERS.iter().enumerate() {
            let [a, b, c, d] = paper::CONDITIONAL[place];
            let id = place + 1;
            let _ = write!(
                sql,
                "INSERT INTO raw.{table} VALUES ({id}, '{name}', {age}, '{address}', {income}, '{a}', '{b}', '{c}', '{d}');"
            );
        }
    }
    let mut rows = Vec::new();
    for table in ["customer_info", "customer_22"] {
        for (customer, consents) in paper::CONSENT_3_2.iter().enumerate() {
            for (place, (a, c, p)) in consents.iter().enumerate() {
                rows.push(IntendedRow {
                    table: table.into(),
                    record: (customer + 1).to_string(),
                    column: paper::COLUMNS[place].into(),
                    intended: paper::ip(&policy.purposes, a, c, p).to_text(&policy.purposes),
                });
            }
        }
    }
    sql + &policy
        .postgres_consent("raw", &rows)
        .expect("15 purposes fit")
}

#[test]
fn tables_2_6_and_3_5_in_postgresql() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(include_str!("paper/policy.toml"), &|_| None).expect("valid");
    server.query(&paper_setup(&policy)).expect("sets up");
    let permitted = |table: &'static str| {
        let policy = &policy;
        move |place: usize| {
            let column = &policy.tables[table].columns[place].name;
            policy
                .any_grant_permits(table, column, "marketing")
                .expect("declared")
        }
    };
    for table in ["customer_info", "customer_22"] {
        for purpose in ["marketing", "admin"] {
            server
                .query(&views(&policy, table, purpose, "raw"))
                .expect("creates the views");
        }
    }
    let rows = server
        .query("SELECT * FROM purpose_marketing.customer_info ORDER BY name;")
        .expect("reads");
    let expected = [
        ["Alice", "30-40", "21, West St., TBA, QLD 4350", NULL],
        ["Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"],
        ["Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"],
        ["Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"],
    ];
    assert_eq!(rows, expected);
    let filtered = policy
        .postgres("customer_22", "marketing", "raw", &permitted("customer_22"))
        .expect("in SQL");
    let rows = server
        .query(&format!(
            "{} ORDER BY 1;",
            filtered.select(&[0, 3]).expect("in SQL")
        ))
        .expect("reads");
    assert_eq!(
        rows,
        [
            ["Bob", "20000-30000"],
            ["Jak", "40000-50000"],
            ["Ron", "56000"]
        ]
    );
    // nobody is granted this table for admin, so nothing of it is shown
    let admin = policy
        .postgres("customer_info", "admin", "raw", &|place| {
            let column = &policy.tables["customer_info"].columns[place].name;
            policy
                .any_grant_permits("customer_info", column, "admin")
                .expect("declared")
        })
        .expect("in SQL");
    let rows = server
        .query(&format!("{};", admin.select(&[0, 1]).expect("in SQL")))
        .expect("reads");
    assert_eq!(rows, vec![vec![NULL, NULL]; 4]);
}

fn sql_value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Text(text) => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
        Value::Integer(number) => format!("'{number}'"),
        Value::Float(number) => format!("'{number:?}'"),
        other => other.to_string(),
    }
}

fn view(
    access: &Access<'_>,
    rows: &[Row],
    book: &ConsentBook,
    requested: &[usize],
) -> Vec<Vec<String>> {
    let key = MaskKey::new(vec![1]);
    rows.iter()
        .filter_map(|row| {
            let raw = |column: &str| row.cells.get(column).cloned().unwrap_or(Value::Null);
            let id = row.cells["id"].to_text();
            let own = own_consent(access, row, book);
            // a record without key is nobody's: only SQL and the gateway see such records
            let record = RawRecord {
                key: id.unwrap_or_default(),
                group: row.cells["grp"].to_text(),
                collected: None,
                consent: own.as_ref(),
                raw: &raw,
            };
            access.view(&record, requested, &key, NOON.day)
        })
        .map(|row| row.iter().map(psql_text).collect())
        .collect()
}

#[test]
fn random_policies_equal_the_view() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut draws = Draws(20);
    let mut served = [0usize; 2];
    for round in 0..60 {
        let text = random_policy(&mut draws, Reach::Sql);
        let policy =
            AccessPolicy::parse(&text, &|_| None).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let rows = random_rows(&mut draws, &policy, Reach::Sql, 20, NOON.day);
        let consents = random_consents(&mut draws, Reach::Sql, 20);
        let (book, errors) = policy.read_consent(&consents);
        assert_eq!(errors, []);
        let schema = format!("s{round}");
        let mut sql = format!(
            "CREATE SCHEMA {schema}; CREATE TABLE {schema}.t (place int, id text, grp text, name text, age int8, rate float8, ok bool, alt text"
        );
        for column in Reach::Sql.columns() {
            for suffix in ["aip", "cip", "pip"] {
                let _ = write!(sql, ", {column}_{suffix} int8");
            }
        }
        sql.push_str(");");
        for (place, row) in rows.iter().enumerate() {
            let mut cells: Vec<String> = ["id", "grp", "name", "age", "rate", "ok", "alt"]
                .iter()
                .map(|c| sql_value(&row.cells[c]))
                .collect();
            for ip in &row.own {
                let code = write_companion(ip.as_ref()).expect("six purposes fit");
                cells.extend(
                    code.iter()
                        .map(|c| c.map_or("NULL".into(), |c| c.to_string())),
                );
            }
            let _ = write!(
                sql,
                "INSERT INTO {schema}.t VALUES ({place}, {});",
                cells.join(", ")
            );
        }
        sql.push_str(&policy.postgres_consent(&schema, &consents).expect("fits"));
        server.query(&sql).expect("sets up");
        let purpose = draws.pick(&PURPOSES);
        let access = policy
            .open("anna", Some(purpose), "t", NOON)
            .expect("granted");
        let table = policy
            .postgres("t", purpose, &schema, &|place| access.is_permitted(place))
            .expect("in SQL");
        let made = views(&policy, "t", purpose, &schema);
        server
            .query(&format!(
                "DROP SCHEMA IF EXISTS {} CASCADE; {made}",
                views_schema(purpose)
            ))
            .unwrap_or_else(|error| panic!("{error}\n{made}"));
        for requested in [vec![0, 1, 2, 3], vec![1], vec![3, 0]] {
            let select = table.select(&requested).expect("in SQL");
            let found = server
                .query(&format!("SET extra_float_digits = 1; {select};"))
                .expect("reads");
            let mut found = found;
            found.sort();
            let mut expected = view(&access, &rows, &book, &requested);
            expected.sort();
            assert_eq!(found, expected, "{purpose}\n{text}\n{select}");
            for cell in found.iter().flatten() {
                served[usize::from(cell != NULL)] += 1;
            }
        }
        for place in 0..4 {
            if let Some(index) = table.index(place).expect("in SQL") {
                server
                    .query(&index)
                    .unwrap_or_else(|error| panic!("{error}\n{index}"));
            }
        }
    }
    assert!(
        served[0] > 500 && served[1] > 500,
        "both kinds of cells occur: {served:?}"
    );
}

#[test]
fn what_plain_sql_cannot_say_is_refused() {
    let text = |column: &str, rest: &str| {
        format!(
            "[purposes]\ng = {{}}\n[tables.t]\nkey = \"id\"\ndefault = \"<{{}}, {{g}}, {{}}>\"\n{rest}\n[tables.t.columns]\nc = {column}\n"
        )
    };
    let cases = [
        (text("{ mask = { pseudonym = {} } }", ""), "not-in-sql"),
        (
            text(
                "{ type = \"integer\", mask = { noise = { spread = 1 } } }",
                "",
            ),
            "not-in-sql",
        ),
        (
            text("{ type = \"float\", mask = { interval = 1 } }", ""),
            "not-in-sql",
        ),
    ];
    for (text, code) in cases {
        let policy = AccessPolicy::parse(&text, &|_| None).expect("valid");
        let table = policy
            .postgres("t", "g", "raw", &|_| true)
            .expect("prepares");
        assert_eq!(
            table.select(&[0]).map_err(|e| e.code()),
            Err(code),
            "{text}"
        );
    }
    let policy = AccessPolicy::parse(&text("{}", "consent = { row-code = \"code\" }"), &|_| None)
        .expect("valid");
    assert_eq!(
        policy
            .postgres("t", "g", "raw", &|_| true)
            .map(|_| ())
            .map_err(|e| e.code()),
        Err("not-in-sql")
    );
    assert_eq!(
        identifier("a\"; DROP TABLE t; --"),
        "\"a\"\"; DROP TABLE t; --\""
    );
}

#[test]
fn a_day_shown_as_text_takes_no_index() {
    let text = "[purposes]\ng = {}\n[tables.t]\nkey = \"id\"\nconsent = \"companion\"\ndefault = \"<{g}, {}, {}>\"\n[tables.t.columns]\n\
                born = { type = \"date\", mask = { stored = \"decade\" } }\nseen = { type = \"date\" }\nname = { mask = { first-letters = 1 } }\n";
    let policy = AccessPolicy::parse(text, &|_| None).expect("valid");
    let table = policy.postgres("t", "g", "raw", &|_| true).expect("in SQL");
    let index = |place: usize| table.index(place).expect("in SQL");
    // PostgreSQL refuses an index on what depends on settings, and counts the text of a day among it
    assert_eq!(index(0), None);
    let Some(server) = Server::start() else {
        return;
    };
    let mut sql = String::from(
        "CREATE SCHEMA raw; CREATE TABLE raw.t (id text, born date, decade text, seen date, name text",
    );
    for column in ["born", "seen", "name"] {
        for suffix in ["aip", "cip", "pip"] {
            let _ = write!(sql, ", {column}_{suffix} int8");
        }
    }
    sql.push_str("); INSERT INTO raw.t (born, decade) VALUES ('1987-06-05', '1980s');");
    server.query(&sql).expect("sets up");
    for place in [1, 2] {
        let sql = index(place).expect("an index");
        server.query(&sql).expect("PostgreSQL takes it");
    }
    let view = table.views().expect("in SQL").remove(0);
    let rows = server
        .query(&format!("SELECT born FROM ({}) t;", view.query))
        .expect("reads");
    assert_eq!(rows, [["1987-06-05"]]);
}
