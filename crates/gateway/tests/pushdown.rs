//! Rewritten queries on raw tables in a real PostgreSQL equal the same queries on tables masked beforehand; and one golden per escape.

use denym_gateway::statement::{Command, parse};
use denym_gateway::{Error, Pushdown};
use denym_purpose::{AccessPolicy, AccessPurpose, Moment};
use denym_testkit::postgres::{NULL, Server};
use std::fmt::Write as _;

const NOON: Moment = Moment {
    day: 20_000,
    minute: 720,
};

const POLICY: &str = r#"
[purposes]
general = {}
admin = "general"
marketing = "general"
research = "general"
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["marketing"]
[[grants]]
role = "analyst"
purposes = ["research"]
tables = { person = ["id", "age", "city"], visit = "all" }

[tables.person]
key = "id"
consent = "companion"
default = "<{general}, {}, {admin}>"
[tables.person.columns]
id = { type = "integer", mask = "value" }
name = { mask = { first-letters = 1 } }
age = { type = "integer", mask = { interval = { width = 10, show = "lower" } } }
city = { mask = { characters = { keep-first = 1 } } }
income = { type = "integer", mask = { where-hidden = { columns = ["name"], then = { interval = { width = 1000, show = "midpoint" } } } } }

[tables.visit]
consent = "none"
default = "<{general}, {}, {}>"
[tables.visit.columns]
person = { type = "integer" }
cost = { type = "integer", default = "<{admin}, {marketing}, {}>", mask = { interval = { width = 50, show = "lower" } } }
ward = { mask = { first-letters = 1 }, default = "<{}, {general}, {}>" }

[tables.member]
key = "id"
mode = "filter"
consent = "companion"
[tables.member.columns]
id = { type = "integer", default = "<{general}, {}, {}>" }
name = { default = "<{general}, {}, {}>" }
income = { type = "integer", mask = { interval = 10 }, default = "<{general}, {}, {}>" }
"#;

/// The `SplitMix64` generator.
struct Draws(u64);

impl Draws {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.next(list.len() as u64) as usize]
    }
}

fn policy() -> AccessPolicy {
    AccessPolicy::parse(POLICY, &|_| None).expect("valid")
}

fn rewrite(policy: &AccessPolicy, purpose: &str, sql: &str) -> Result<String, Error> {
    let mut commands = parse(sql)?;
    let Some(Command::Query { statement, .. }) = commands.pop() else {
        return Err(Error::Syntax);
    };
    let activation = policy.activate("anna", NOON)?;
    let id = policy.state_purpose(&activation, purpose)?;
    let purpose = AccessPurpose::new(&policy.purposes, id);
    Ok(Pushdown::new(policy, &activation, purpose, "raw")
        .rewrite(&statement)?
        .sql)
}

/// Raw tables in `raw`, and in one schema per purpose the tables as they look masked beforehand.
fn set_up(server: &Server, policy: &AccessPolicy) {
    let mut draws = Draws(3);
    let mut sql = String::from(
        "CREATE SCHEMA raw; CREATE TABLE raw.person (id int8, name text, age int8, city text, income int8, secret text",
    );
    for column in ["id", "name", "age", "city", "income"] {
        for suffix in ["aip", "cip", "pip"] {
            let _ = write!(sql, ", {column}_{suffix} int8");
        }
    }
    sql.push_str("); CREATE TABLE raw.visit (person int8, cost int8, ward text); CREATE TABLE raw.member (id int8, name text, income int8");
    for column in ["id", "name", "income"] {
        for suffix in ["aip", "cip", "pip"] {
            let _ = write!(sql, ", {column}_{suffix} int8");
        }
    }
    sql.push_str(");");
    // general 8, admin 4, marketing 2, research 1
    let mut consent = |columns: usize| {
        let mut out = String::new();
        for _ in 0..columns {
            let codes = match draws.next(6) {
                0 | 1 => "NULL, NULL, NULL",
                2 => "8, 2, 0",
                3 => "8, 0, 2",
                4 => "0, 3, 4",
                _ => "8, 0, 0",
            };
            let _ = write!(out, ", {codes}");
        }
        out
    };
    let mut values = Draws(4);
    for id in 0..120 {
        let name = values.pick(&["Alice", "Bob", "Ron", "Jak", "Zoë"]);
        let city = values.pick(&["Toowoomba", "Brisbane", "Sydney"]);
        let (age, income) = (values.next(90), 1000 + values.next(90_000));
        let _ = write!(
            sql,
            "INSERT INTO raw.person VALUES ({id}, '{name}', {age}, '{city}', {income}, 'secret-{id}'{});",
            consent(5)
        );
        let _ = write!(
            sql,
            "INSERT INTO raw.member VALUES ({id}, '{name}', {income}{});",
            consent(3)
        );
        for _ in 0..values.next(4) {
            let (cost, ward) = (values.next(900), values.pick(&["surgery", "eye", "heart"]));
            let _ = write!(
                sql,
                "INSERT INTO raw.visit VALUES ({id}, {cost}, '{ward}');"
            );
        }
    }
    for purpose in ["marketing", "research"] {
        let _ = write!(sql, "CREATE SCHEMA {purpose};");
        let activation = policy.activate("anna", NOON).expect("known");
        let id = policy
            .state_purpose(&activation, purpose)
            .expect("permitted");
        for name in ["person", "visit"] {
            let access = AccessPurpose::new(&policy.purposes, id);
            let access = policy
                .access(activation.clone(), access, name)
                .expect("governed");
            let table = policy
                .postgres(name, purpose, "raw", &|place| access.is_permitted(place))
                .expect("in SQL");
            let all: Vec<usize> = (0..policy.tables[name].columns.len()).collect();
            let select = table.select(&all).expect("in SQL");
            let _ = write!(sql, "CREATE TABLE {purpose}.{name} AS {select};");
        }
    }
    server.query(&sql).expect("sets up");
}

fn generated(draws: &mut Draws) -> String {
    let column = |draws: &mut Draws| draws.pick(&["p.id", "p.name", "p.age", "p.city", "p.income"]);
    let number = |draws: &mut Draws| draws.pick(&["p.id", "p.age", "p.income"]);
    let bound = draws.next(80);
    let predicate = |draws: &mut Draws| {
        let bound = draws.next(80);
        match draws.next(6) {
            0 => format!("{} > {bound}", number(draws)),
            1 => "p.name = 'A'".into(),
            2 => "p.name LIKE '%o%'".into(),
            3 => "p.income IS NULL".into(),
            4 => format!("{} BETWEEN {bound} AND {}", number(draws), bound + 30),
            _ => "p.city IN ('Brisbane', 'T********')".into(),
        }
    };
    match draws.next(14) {
        0 => format!("SELECT {}, {} FROM person p WHERE {}", column(draws), column(draws), predicate(draws)),
        1 => format!("SELECT * FROM person p WHERE {} AND NOT ({})", predicate(draws), predicate(draws)),
        2 => {
            let group = column(draws);
            format!("SELECT {group}, count(*), sum({}), min({}) FROM person p GROUP BY {group}", number(draws), column(draws))
        }
        3 => format!("SELECT p.name, v.cost FROM person p JOIN visit v ON v.person = p.id WHERE v.cost > {bound}"),
        4 => format!("SELECT count(*) FROM person p LEFT JOIN visit v ON v.cost = {} WHERE {}", number(draws), predicate(draws)),
        5 => format!("SELECT p.id FROM person p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id AND v.cost > {bound})"),
        6 => format!("SELECT p.id, (SELECT max(q.income) FROM person q WHERE q.age = p.age) FROM person p WHERE {}", predicate(draws)),
        7 => format!("WITH young AS (SELECT * FROM person p WHERE {}) SELECT y.name, count(*) FROM young y GROUP BY y.name", predicate(draws)),
        8 => format!("SELECT p.id, rank() OVER (PARTITION BY {} ORDER BY {}) FROM person p", column(draws), number(draws)),
        9 => format!("SELECT {} FROM person p UNION SELECT v.cost FROM visit v", number(draws)),
        10 => format!("SELECT {0} FROM person p EXCEPT SELECT v.person FROM visit v WHERE v.ward = 'e'", "p.id"),
        11 => "SELECT p.id, l.cost FROM person p, LATERAL (SELECT v.cost FROM visit v WHERE v.person = p.id ORDER BY v.cost LIMIT 1) l".into(),
        12 => format!("SELECT name, city FROM person AS p (a, name, b, city, c) WHERE b > {bound}"),
        _ => format!("WITH RECURSIVE n(i) AS (SELECT min(age) FROM person UNION ALL SELECT i + 10 FROM n WHERE i < {bound}) SELECT n.i, count({}) FROM n LEFT JOIN person p ON p.age = n.i GROUP BY n.i", column(draws)),
    }
}

#[test]
fn two_hundred_queries_equal_those_on_masked_tables() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = policy();
    set_up(&server, &policy);
    let mut draws = Draws(8);
    let mut cells = [0, 0];
    for round in 0..200 {
        let purpose = draws.pick(&["marketing", "research"]);
        let query = generated(&mut draws);
        let rewritten =
            rewrite(&policy, purpose, &query).unwrap_or_else(|error| panic!("{error} {query}"));
        let sorted = |sql: &str, path: &str| {
            let rows = server.query(&format!("SET search_path = {path}; {sql};"));
            let mut rows = rows.unwrap_or_else(|error| panic!("{round}: {error}\n{sql}"));
            rows.sort();
            rows
        };
        // nothing but the raw schema by its full name is on the path of a rewritten query
        let found = sorted(&rewritten, "pg_catalog");
        let expected = sorted(&query, purpose);
        assert_eq!(found, expected, "{purpose}: {query}\n{rewritten}");
        for cell in found.iter().flatten() {
            cells[usize::from(cell == NULL)] += 1;
        }
    }
    assert!(
        cells[0] > 2000 && cells[1] > 200,
        "values and NULLs occur: {cells:?}"
    );
}

#[test]
fn filter_mode_drops_records_with_a_prohibited_requested_cell() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = policy();
    let sql = "CREATE SCHEMA raw; CREATE TABLE raw.member (id int8, name text, income int8, id_aip int8, id_cip int8, id_pip int8, name_aip int8, \
               name_cip int8, name_pip int8, income_aip int8, income_cip int8, income_pip int8);\
               INSERT INTO raw.member (id, name, income, income_aip, income_cip, income_pip) VALUES (1, 'Alice', 35, 8, 4, 2), (2, 'Bob', 23, 8, 2, 4), (3, 'Ron', 56, 8, 0, 4);";
    server.query(sql).expect("sets up");
    let run = |query: &str| {
        let sql = rewrite(&policy, "marketing", query).expect("allowed");
        server.query(&format!("{sql};")).expect("runs")
    };
    assert_eq!(
        run("SELECT name, income FROM member ORDER BY id"),
        [["Bob", "20-30"], ["Ron", "56"]]
    );
    assert_eq!(
        run("SELECT name FROM member ORDER BY id"),
        [["Alice"], ["Bob"], ["Ron"]]
    );
    assert_eq!(
        run("SELECT name FROM member WHERE income IS NULL"),
        Vec::<Vec<String>>::new(),
        "a predicate asks for the cell too"
    );
    assert_eq!(run("SELECT count(*) FROM member"), [["3"]]);
}

#[test]
fn escapes_are_refused_before_they_reach_the_server() {
    let policy = policy();
    let refused = [
        "SELECT * FROM raw.person",
        "SELECT * FROM \"raw\".\"person\"",
        "SELECT secret FROM raw.person",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM pg_class",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM denym_consent",
        "SELECT * FROM other.person",
        "TABLE person",
        "WITH person AS (SELECT 1 AS id) SELECT * FROM person",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT query_to_xml('SELECT * FROM raw.person', true, true, '')",
        "SELECT current_setting('data_directory')",
        "SELECT set_config('search_path', 'raw', false)",
        "SELECT pg_sleep(100)",
        "SELECT dblink('x', 'SELECT 1')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT 'raw.person'::regclass",
        "SELECT 1 OPERATOR(raw.+) 2",
        "SELECT * FROM pg_ls_dir('.')",
        "SELECT * FROM person TABLESAMPLE SYSTEM (1)",
        "SELECT (SELECT max(secret) FROM raw.person) FROM person",
        "SELECT id FROM person WHERE id IN (SELECT id FROM raw.person)",
        "SELECT 1 UNION SELECT income FROM raw.person",
        "SELECT row_to_json(p) FROM person p",
        "SELECT now()",
    ];
    for query in refused {
        let found = rewrite(&policy, "marketing", query);
        assert!(
            matches!(found, Err(Error::NotAllowed { .. } | Error::Syntax)),
            "{query}: {found:?}"
        );
    }
    assert_eq!(
        rewrite(&policy, "admin", "SELECT * FROM person").map_err(|e| e.code()),
        Err("purpose-not-permitted")
    );
}

#[test]
fn unnamed_and_companion_columns_do_not_exist() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = policy();
    set_up(&server, &policy);
    for query in [
        "SELECT secret FROM person",
        "SELECT p.name_aip FROM person p",
        "SELECT ctid FROM person",
        "SELECT t.secret FROM person",
        "SELECT name FROM person ORDER BY secret",
    ] {
        let sql = rewrite(&policy, "marketing", query).expect("a plain query");
        let error = server
            .query(&format!("{sql};"))
            .expect_err("there is no such column");
        assert!(
            error.contains("does not exist") || error.contains("missing FROM-clause"),
            "{error}"
        );
        assert!(
            !error.contains("secret-"),
            "no raw value in an error: {error}"
        );
    }
    // a cast error shows a masked value, never a raw one
    let sql =
        rewrite(&policy, "research", "SELECT sum(city::int) FROM person").expect("a plain query");
    let error = server.query(&format!("{sql};")).expect_err("no number");
    assert!(!error.contains("secret-"), "{error}");
    // under research nobody may see names: the predicate is no oracle
    let sql = rewrite(
        &policy,
        "research",
        "SELECT count(*) FROM person WHERE name = 'Alice'",
    )
    .expect("a plain query");
    assert_eq!(server.query(&format!("{sql};")).expect("runs"), [["0"]]);
}
