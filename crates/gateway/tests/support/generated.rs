//! Generated queries over generated tables: raw in `raw`, and as they look masked beforehand in one schema per purpose.

pub(crate) use super::random::Draws;
use super::{NOON, Plan, Site, csv, ddl};
use denym_purpose::{AccessPolicy, AccessPurpose};
use denym_testkit::postgres::{NULL, Server};
use std::fmt::Write as _;

/// Tables in both modes, with consent in companion columns and by default.
pub(crate) const POLICY: &str = r#"
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

/// Raw tables in `raw`, and in one schema per purpose the tables as they look masked beforehand.
pub(crate) fn set_up(server: &Server, policy: &AccessPolicy) {
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
    sql.push_str(&ddl(policy, None, &[]));
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

/// One query.
pub(crate) fn generated(draws: &mut Draws) -> String {
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
        0 => {
            let first = column(draws);
            // the engine wants each column of an answer to have a name of its own
            let second = draws.pick(&["p.id", "p.name", "p.age", "p.city", "p.income"].map(
                |name| {
                    if name == first {
                        "p.id + 1 AS next"
                    } else {
                        name
                    }
                },
            ));
            format!(
                "SELECT {first}, {second} FROM person p WHERE {}",
                predicate(draws)
            )
        }
        1 => format!(
            "SELECT * FROM person p WHERE {} AND NOT ({})",
            predicate(draws),
            predicate(draws)
        ),
        2 => {
            let group = column(draws);
            format!(
                "SELECT {group}, count(*), sum({}), min({}) FROM person p GROUP BY {group}",
                number(draws),
                column(draws)
            )
        }
        3 => format!(
            "SELECT p.name, v.cost FROM person p JOIN visit v ON v.person = p.id WHERE v.cost > {bound}"
        ),
        4 => format!(
            "SELECT count(*) FROM person p LEFT JOIN visit v ON v.cost = {} WHERE {}",
            number(draws),
            predicate(draws)
        ),
        5 => format!(
            "SELECT p.id FROM person p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id AND v.cost > {bound})"
        ),
        6 => format!(
            "SELECT p.id, (SELECT max(q.income) FROM person q WHERE q.age = p.age) FROM person p WHERE {}",
            predicate(draws)
        ),
        7 => format!(
            "WITH young AS (SELECT * FROM person p WHERE {}) SELECT y.name, count(*) FROM young y GROUP BY y.name",
            predicate(draws)
        ),
        8 => format!(
            "SELECT p.id, rank() OVER (PARTITION BY {} ORDER BY {}) FROM person p",
            column(draws),
            number(draws)
        ),
        9 => format!(
            "SELECT {} FROM person p UNION SELECT v.cost FROM visit v",
            number(draws)
        ),
        10 => format!(
            "SELECT {0} FROM person p EXCEPT SELECT v.person FROM visit v WHERE v.ward = 'e'",
            "p.id"
        ),
        11 => format!(
            "SELECT p.id, l.cost FROM person p, LATERAL (SELECT v.cost FROM visit v WHERE v.person = p.id AND v.cost > {bound}) l"
        ),
        12 => format!("SELECT name, city FROM person AS p (a, name, b, city, c) WHERE b > {bound}"),
        _ => format!(
            "WITH RECURSIVE n(i) AS (SELECT min(age) FROM person UNION ALL SELECT i + 10 FROM n WHERE i < {bound}) SELECT n.i, count({}) FROM n LEFT JOIN person p ON p.age = n.i GROUP BY n.i",
            column(draws)
        ),
    }
}

/// The raw tables of a server as CSV files behind an embedded gateway.
pub(crate) fn copied(server: &Server) -> Site {
    let files: Vec<(&str, String)> = ["person", "visit", "member"]
        .into_iter()
        .map(|table| {
            let columns = server
                .query(&format!(
                    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'raw' AND table_name = '{table}' ORDER BY ordinal_position;"
                ))
                .expect("reads");
            let mut text = columns.concat().join(",");
            text.push('\n');
            for row in server.query(&format!("SELECT * FROM raw.{table};")).expect("reads") {
                let cells: Vec<String> = row
                    .iter()
                    .map(|cell| if cell == NULL { String::new() } else { csv(cell) })
                    .collect();
                let _ = writeln!(text, "{}", cells.join(","));
            }
            (table, text)
        })
        .collect();
    Plan::embedded(POLICY, &files, None).run()
}

/// Both backends over the same generated tables; only the embedded one where there is no PostgreSQL.
pub(crate) fn both(check: impl Fn(&str, &Site)) {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    check("embedded", &copied(&server));
    check("postgres", &Plan::postgres(POLICY, &server).run());
}
