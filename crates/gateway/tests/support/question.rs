//! Questions of the 200: a plain query, one over views of the session, or one with parameters; and how each is asked.

use super::generated::{Draws, generated};
use super::{PASSWORD, Site};
use denym_testkit::postgres::{NULL, Server};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Text(String),
}

/// A query under a purpose.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) purpose: &'static str,
    /// Statements that make the views it reads.
    pub(crate) views: Vec<String>,
    pub(crate) query: String,
    /// Values of `$1`, `$2`.
    pub(crate) values: Vec<Value>,
}

/// A question: three of five plain, one of five over views, one of five with parameters.
pub(crate) fn question(draws: &mut Draws) -> Question {
    let purpose = draws.pick(&["marketing", "research"]);
    let (views, query, values) = match draws.next(5) {
        0 => {
            let (views, query) = over_views(draws);
            (views, query, Vec::new())
        }
        1 => {
            let (query, values) = with_parameters(draws);
            (Vec::new(), query, values)
        }
        _ => (Vec::new(), generated(draws), Vec::new()),
    };
    Question {
        purpose,
        views,
        query,
        values,
    }
}

fn over_views(draws: &mut Draws) -> (Vec<String>, String) {
    let (bound, other) = (draws.next(80), draws.next(80));
    let chosen = format!(
        "CREATE TEMP VIEW chosen AS SELECT * FROM person p WHERE p.age > {bound} OR p.name IS NULL"
    );
    let spent = "CREATE TEMP VIEW \"Spent\" (who, total, places) AS SELECT v.person, sum(v.cost), count(DISTINCT v.ward) FROM visit v GROUP BY v.person".to_owned();
    let rich = format!(
        "CREATE TEMP VIEW rich AS SELECT id, name, income FROM chosen WHERE income > {other}00"
    );
    let query = match draws.next(9) {
        0 => "SELECT name, count(*) FROM chosen GROUP BY name".to_owned(),
        1 => "SELECT p.name, s.total FROM person p LEFT JOIN \"Spent\" s ON s.who = p.id".to_owned(),
        2 => format!("SELECT r.id, r.income FROM rich AS r WHERE EXISTS (SELECT 1 FROM \"Spent\" WHERE who = r.id AND total > {other})"),
        3 => format!("WITH chosen AS (SELECT id FROM person WHERE age > {other}) SELECT count(*), max(id) FROM chosen"),
        4 => format!("WITH chosen AS (SELECT id, age FROM chosen WHERE id > {other}) SELECT id, age FROM chosen"),
        5 => "SELECT id FROM rich UNION SELECT who FROM \"Spent\" WHERE places = 2".to_owned(),
        6 => "SELECT s.who, rank() OVER (ORDER BY s.total, s.who) FROM \"Spent\" s WHERE s.who IN (SELECT id FROM chosen)".to_owned(),
        7 => format!("SELECT s.a, t.total FROM chosen AS s (a, b, c, d, e), LATERAL (SELECT total FROM \"Spent\" WHERE who = s.a AND total > {other}) t"),
        _ => format!("SELECT r.name, (SELECT max(s.total) FROM \"Spent\" s WHERE s.who = r.id) FROM rich r WHERE r.id > {other}"),
    };
    (vec![chosen, spent, rich], query)
}

fn with_parameters(draws: &mut Draws) -> (String, Vec<Value>) {
    let number = |draws: &mut Draws| Value::Integer(i64::try_from(draws.next(80)).expect("small"));
    let text =
        |draws: &mut Draws| Value::Text(draws.pick(&["A", "Bob", "Brisbane", "T********"]).into());
    let (one, other, word) = (number(draws), number(draws), text(draws));
    match draws.next(8) {
        0 => ("SELECT id, name, age FROM person WHERE age >= $1".into(), vec![one]),
        1 => ("SELECT id, city FROM person WHERE name = $1 OR city = $1".into(), vec![word]),
        2 => (
            "SELECT p.id, v.cost FROM person p JOIN visit v ON v.person = p.id WHERE v.cost > $1 AND p.age < $2".into(),
            vec![one, other],
        ),
        3 => ("SELECT city, count(*) FROM person WHERE income > $1 GROUP BY city HAVING count(*) > 1".into(), vec![one]),
        4 => (
            "SELECT id FROM person p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id AND v.cost > $1) AND (name = $2 OR age > $3)".into(),
            vec![one, word, other],
        ),
        5 => (
            "WITH young AS (SELECT id, name FROM person WHERE age BETWEEN $1 AND $2) SELECT name, count(id) FROM young GROUP BY name".into(),
            vec![one, other],
        ),
        6 => ("SELECT id FROM person WHERE age = $1 UNION SELECT person FROM visit WHERE cost < $2".into(), vec![one, other]),
        _ => (
            "SELECT p.id, l.cost FROM person p, LATERAL (SELECT v.cost FROM visit v WHERE v.person = p.id AND v.cost > $1) l WHERE p.city <> $2".into(),
            vec![one, word],
        ),
    }
}

impl Question {
    /// The same as a script without a purpose.
    pub(crate) fn script(&self) -> String {
        let mut sql = String::new();
        for view in &self.views {
            sql.push_str(view);
            sql.push_str(";\n");
        }
        sql.push_str(&self.query);
        sql.push_str(";\n");
        sql
    }
}

/// Prepares and runs a query with parameters; its rows as text, sorted.
pub(crate) fn prepared(
    runtime: &tokio::runtime::Runtime,
    client: &Client,
    question: &Question,
) -> Result<Vec<Vec<String>>, String> {
    runtime.block_on(async {
        let failed = |error: tokio_postgres::Error| format!("{error:?}");
        let statement = client.prepare(&question.query).await.map_err(failed)?;
        let values: Vec<&(dyn ToSql + Sync)> = question
            .values
            .iter()
            .map(|value| match value {
                Value::Integer(number) => number as &(dyn ToSql + Sync),
                Value::Text(text) => text,
            })
            .collect();
        let rows = client.query(&statement, &values).await.map_err(failed)?;
        let mut rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        rows.sort();
        Ok(rows)
    })
}

fn cells(row: &Row) -> Vec<String> {
    row.columns()
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let text = if *column.type_() == Type::INT8 {
                row.get::<_, Option<i64>>(place)
                    .map(|number| number.to_string())
            } else {
                row.get::<_, Option<String>>(place)
            };
            text.unwrap_or_else(|| NULL.to_owned())
        })
        .collect()
}

/// A small runtime for clients.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// A client of a gateway.
pub(crate) fn client(runtime: &tokio::runtime::Runtime, site: &Site, user: &str) -> Client {
    connect(
        runtime,
        &format!(
            "host=127.0.0.1 port={} user={user} password='{PASSWORD}' dbname=denym",
            site.address.port()
        ),
    )
}

/// A client of the server itself.
pub(crate) fn direct(runtime: &tokio::runtime::Runtime, server: &Server) -> Client {
    connect(
        runtime,
        &format!(
            "host={} user=postgres dbname=postgres",
            server.socket().display()
        ),
    )
}

/// A client by its connection string.
pub(crate) fn connect(runtime: &tokio::runtime::Runtime, text: &str) -> Client {
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(text, NoTls).await.expect("logs in");
        tokio::spawn(connection);
        client
    })
}
