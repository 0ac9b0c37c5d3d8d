//! Two worlds with the same visible data and other hidden data answer the same to every question, errors and counts of rows included.
//!
//! Hidden are: records past retention (other ones, or none at all), cells without consent, the rest of a masked cell, columns without a
//! grant, columns that are not in the policy, and records that `filter` mode drops. Expressions that can fail, by cast, overflow, division,
//! regular expression, root, date or length, are put over each of them at every place of a query.

use crate::support::question::{client, runtime};
use crate::support::{NOON, Plan, Site};
use futures::future::join_all;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tokio_postgres::{Client, SimpleQueryMessage};

const POLICY: &str = r#"
[purposes]
general = {}
marketing = { parent = "general", retention-days = 100 }
research = { parent = "general", retention-days = 100 }
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
tables = { person = ["id", "city"], member = ["id", "amount"] }

[tables.person]
key = "id"
consent = "table"
collected = "day"
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = { mask = { first-letters = 1 }, default = "<{}, {general}, {}>" }
age = { type = "integer", mask = { interval = { width = 10, show = "lower" } } }
city = {}
score = { type = "float" }
born = { type = "date" }

[tables.member]
key = "id"
mode = "filter"
consent = "table"
collected = "day"
default = "<{general}, {}, {}>"
[tables.member.columns]
id = { type = "integer" }
amount = { type = "integer" }
note = {}
"#;

/// What nobody may see, in one of the worlds.
struct Hidden {
    /// Records past retention.
    expired: &'static [(i64, &'static str, i64, &'static str, f64, &'static str)],
    /// Cells without consent: age, city, score and day of birth of record 3.
    withheld: (i64, &'static str, f64, &'static str),
    /// What follows the first letter of names.
    rest: &'static str,
    /// What is added to an age without leaving its step of ten.
    within: i64,
    /// Amounts and notes of dropped members.
    dropped: &'static [(i64, i64, &'static str)],
    secret: &'static str,
}

const WORLDS: [Hidden; 3] = [
    Hidden {
        expired: &[
            (5, "Eve", 25, "City1", -4.0, "1980-02-29"),
            (6, "Flo", 0, "12", 0.0, "2000-01-01"),
        ],
        withheld: (0, "17", -1.0, "1970-01-01"),
        rest: "lice",
        within: 1,
        dropped: &[(8, 0, "7"), (9, 9_223_372_036_854_775_807, "(")],
        secret: "1",
    },
    Hidden {
        expired: &[(
            5,
            "9",
            9_223_372_036_854_775_807,
            "(((",
            1e308,
            "1900-12-31",
        )],
        withheld: (9_223_372_036_854_775_000, "not a number", 4.0, "2024-02-29"),
        rest: "",
        within: 9,
        dropped: &[(8, 5, "x"), (9, -3, "{\"a\":")],
        secret: "zzz",
    },
    // nothing at all where something was
    Hidden {
        expired: &[],
        withheld: (1, "", 0.5, "1999-09-09"),
        rest: "1",
        within: 0,
        dropped: &[],
        secret: "",
    },
];

fn site(hidden: &Hidden) -> Site {
    let day = |offset: i64| {
        // days since 1970-01-01 as a date, by the calendar of 400 years
        let days = NOON.day - offset;
        let (era_days, shifted) = (146_097, days + 719_468);
        let (era, rest) = (shifted.div_euclid(era_days), shifted.rem_euclid(era_days));
        let year = (rest - rest / 1460 + rest / 36_524 - rest / 146_096) / 365;
        let of_year = rest - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let of_month = of_year - (153 * month + 2) / 5 + 1;
        let (month, carry) = if month < 10 {
            (month + 3, 0)
        } else {
            (month - 9, 1)
        };
        format!("{:04}-{month:02}-{of_month:02}", year + era * 400 + carry)
    };
    let mut person = "id,name,age,city,score,born,day,secret\n".to_owned();
    let (recent, old) = (day(10), day(1000));
    for (id, letter, step, city, score, born) in [
        (1, "A", 30, "Ulm", 2.25, "1985-05-05"),
        (2, "B", 40, "8", 9.0, "1975-01-31"),
        (4, "D", 50, "Bern", 16.0, "1965-12-24"),
    ] {
        let rest = hidden.rest;
        let _ = writeln!(
            person,
            "{id},{letter}{rest},{},{city},{score},{born},{recent},{}",
            step + hidden.within,
            hidden.secret
        );
    }
    let (age, city, score, born) = hidden.withheld;
    let _ = writeln!(
        person,
        "3,C{},{age},{city},{score},{born},{recent},{}",
        hidden.rest, hidden.secret
    );
    for (id, name, age, city, score, born) in hidden.expired {
        let _ = writeln!(
            person,
            "{id},{name},{age},\"{city}\",{score:e},{born},{old},{}",
            hidden.secret
        );
    }
    let mut member = format!("id,amount,note,day\n1,10,one,{recent}\n2,0,2,{recent}\n");
    for (id, amount, note) in hidden.dropped {
        let _ = writeln!(
            member,
            "{id},{amount},{},{recent}",
            crate::support::csv(note)
        );
    }
    let mut consent = "table,record,column,intended\n".to_owned();
    for column in ["age", "city", "score", "born"] {
        let _ = writeln!(consent, "person,3,{column},\"<{{}}, {{}}, {{general}}>\"");
    }
    for id in [1, 2, 4] {
        let _ = writeln!(consent, "person,{id},age,\"<{{}}, {{general}}, {{}}>\"");
    }
    for (id, ..) in hidden.dropped {
        let _ = writeln!(consent, "member,{id},*,\"<{{}}, {{}}, {{general}}>\"");
    }
    Plan::embedded(
        POLICY,
        &[("person", person), ("member", member)],
        Some(consent),
    )
    .run()
}

/// Expressions that are true, false, unknown or an error, by what a cell is.
fn oracles(text: &str, number: &str, float: &str, date: &str) -> Vec<String> {
    let mut out = Vec::new();
    {
        let cell = text;
        out.extend([
            format!("CAST({cell} AS int) > 5"),
            format!("CAST({cell} AS double) > 5"),
            format!("CAST({cell} AS date) > DATE '2000-01-01'"),
            format!("CAST({cell} AS boolean)"),
            format!("10 / (length({cell}) - 3) > 0"),
            format!("10 / (ascii({cell}) - ascii('C')) > 0"),
            format!("repeat({cell}, 1000000) <> ''"),
            format!("substr({cell}, 2, length({cell}) - 4) <> ''"),
            format!("left({cell}, -2) <> 'x'"),
            format!("{cell} ~ '^[0-9]+$'"),
            format!("regexp_replace({cell}, '[0-9]', 'x', 'g') <> ''"),
            format!("to_timestamp({cell}) > TIMESTAMP '2000-01-01'"),
            format!("to_date({cell}) > DATE '2000-01-01'"),
            format!("CASE WHEN {cell} = '17' THEN 1 / 0 ELSE 1 END = 1"),
            format!("CASE WHEN {cell} IS NULL THEN 1 / 0 ELSE 1 END = 1"),
            format!("CASE WHEN {cell} LIKE 'C%' THEN CAST('x' AS int) ELSE 1 END = 1"),
            format!("chr(length({cell}) - 3) <> 'x'"),
        ]);
    }
    {
        let cell = number;
        out.extend([
            format!("{cell} + 9223372036854775783 > 0"),
            format!("{cell} * 9223372036854775807 > 0"),
            format!("1 / {cell} >= 0"),
            format!("1 % {cell} >= 0"),
            format!("10 / ({cell} - 5) > 0"),
            format!("CAST({cell} AS smallint) > 0"),
            format!("sqrt({cell} - 3) > 0"),
            format!("factorial({cell}) > 0"),
            format!("power({cell}, 100) > 0"),
            format!("chr({cell}) <> 'x'"),
            format!("repeat('x', {cell}) <> ''"),
            format!("make_date(2024, 2, {cell}) > DATE '2000-01-01'"),
            format!("CASE WHEN {cell} > 24 THEN 1 / 0 ELSE 1 END = 1"),
            format!("CASE WHEN {cell} IS NULL THEN 1 / 0 ELSE 1 END = 1"),
        ]);
    }
    {
        let cell = float;
        out.extend([
            format!("CAST({cell} AS int) > 0"),
            format!("CAST({cell} AS numeric(5, 2)) > 0"),
            format!("ln({cell}) > 0"),
            format!("sqrt({cell}) > 0"),
            format!("{cell} * 1e308 > 0"),
            format!("1 / CAST({cell} AS int) >= 0"),
        ]);
    }
    {
        let cell = date;
        out.extend([
            format!("{cell} + INTERVAL '9000 years' > DATE '2000-01-01'"),
            format!("date_part('year', {cell}) > 1980"),
            format!("10 / (CAST(date_part('day', {cell}) AS int) - 29) > 0"),
            format!("to_char({cell}, '%Y') > '1980'"),
            format!("CAST(CAST({cell} AS text) AS int) > 0"),
        ]);
    }
    out
}

/// One condition at every place of a query.
fn places(table: &str, condition: &str) -> Vec<String> {
    vec![
        format!("SELECT count(*) FROM {table} t WHERE {condition}"),
        format!("SELECT t.id FROM {table} t WHERE t.id = 5 AND {condition}"),
        format!("SELECT t.id FROM {table} t WHERE {condition} AND t.id <> 5"),
        format!("SELECT {condition} FROM {table} t ORDER BY t.id"),
        format!(
            "SELECT t.id FROM {table} t WHERE t.id IN (SELECT t.id FROM {table} t WHERE {condition})"
        ),
        format!("SELECT t.id FROM {table} t JOIN {table} u ON t.id = u.id AND {condition}"),
        format!("SELECT t.id FROM {table} u LEFT JOIN {table} t ON {condition}"),
        format!("SELECT t.id FROM {table} t GROUP BY t.id HAVING bool_and({condition})"),
        format!("SELECT DISTINCT {condition} FROM {table} t"),
        format!("SELECT t.id FROM {table} t WHERE {condition} UNION SELECT 1"),
        format!(
            "SELECT t.id, row_number() OVER (PARTITION BY {condition} ORDER BY t.id) FROM {table} t"
        ),
        format!("SELECT t.id FROM {table} t ORDER BY {condition}, t.id LIMIT 2"),
        format!("SELECT sum(CASE WHEN {condition} THEN 1 ELSE 0 END) FROM {table} t"),
        format!(
            "SELECT t.id FROM {table} t WHERE EXISTS (SELECT 1 FROM {table} u WHERE u.id = t.id AND {condition})"
        ),
        format!("WITH q AS (SELECT * FROM {table} t WHERE {condition}) SELECT count(*) FROM q"),
        format!("SELECT count(*) FILTER (WHERE {condition}) FROM {table} t"),
    ]
}

async fn outcome(client: &Client, sql: &str) -> String {
    match client.simple_query(sql).await {
        Ok(messages) => {
            let mut rows: Vec<String> = messages
                .iter()
                .filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => {
                        let cells: Vec<Option<&str>> =
                            (0..row.len()).map(|place| row.get(place)).collect();
                        Some(format!("{cells:?}"))
                    }
                    _ => None,
                })
                .collect();
            rows.sort();
            rows.join("\n")
        }
        Err(error) => match error.as_db_error() {
            Some(error) => format!("ERROR {} {}", error.code().code(), error.message()),
            None => panic!("{sql}: {error}"),
        },
    }
}

/// What came back to the statements of one lane.
#[derive(Default)]
struct Told {
    errors: usize,
    answers: usize,
    different: Vec<String>,
}

/// Asks every statement in all worlds at once, under one purpose.
async fn compared(clients: Vec<Client>, purpose: &str, statements: &[&String]) -> Told {
    let set = format!("SET denym.purpose = '{purpose}'");
    for client in &clients {
        client.batch_execute(&set).await.expect("permitted");
    }
    let mut told = Told::default();
    for sql in statements {
        let outcomes = join_all(clients.iter().map(|client| outcome(client, sql))).await;
        let first = &outcomes[0];
        for other in outcomes.iter().filter(|other| *other != first) {
            let line = format!("{purpose}: {sql}\n  {first:.120}\n  {other:.120}");
            told.different.push(line);
        }
        for marker in ["Eve", "lice", "City1", "not a number", "zzz", "1980-02-29"] {
            assert!(!first.contains(marker), "{sql}: {first}");
        }
        if first.starts_with("ERROR") {
            told.errors += 1;
        } else {
            told.answers += 1;
        }
    }
    told
}

/// Sessions of one purpose: while one waits for the audit log's disk, another computes.
const LANES: usize = 4;

#[test]
fn no_error_answer_or_count_depends_on_what_is_hidden() {
    let sites = WORLDS.each_ref().map(site);
    let mut statements = BTreeSet::new();
    for text in ["t.name", "t.city"] {
        for condition in oracles(text, "t.age", "t.score", "t.born") {
            statements.extend(places("person", &condition));
        }
    }
    for condition in oracles("t.note", "t.amount", "t.amount", "CAST(t.note AS date)") {
        statements.extend(places("member", &condition));
    }
    for condition in oracles("t.secret", "t.id", "t.id", "t.day") {
        statements.insert(format!("SELECT count(*) FROM person t WHERE {condition}"));
    }
    let lanes: Vec<Vec<&String>> = (0..LANES)
        .map(|lane| statements.iter().skip(lane).step_by(LANES).collect())
        .collect();
    let runtime = runtime();
    let clients = || sites.iter().map(|site| client(&runtime, site, "anna"));
    let asked = lanes.iter().flat_map(|lane| {
        ["marketing", "research"].map(|purpose| compared(clients().collect(), purpose, lane))
    });
    let told = runtime.block_on(join_all(asked.collect::<Vec<_>>()));
    let errors: usize = told.iter().map(|told| told.errors).sum();
    let answers: usize = told.iter().map(|told| told.answers).sum();
    println!(
        "{} statements in {} worlds: {answers} answers, {errors} errors",
        statements.len() * 2,
        WORLDS.len()
    );
    assert_eq!(errors + answers, statements.len() * 2, "none was left out");
    assert!(statements.len() > 1600, "{}", statements.len());
    let different: Vec<String> = told.into_iter().flat_map(|told| told.different).collect();
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different[..different.len().min(20)].join("\n")
    );
    assert!(
        errors > 300 && answers > 300,
        "{errors} errors, {answers} answers"
    );
}

#[test]
fn the_statements_that_told_a_retired_record() {
    let site = site(&WORLDS[0]);
    for (sql, expected) in [
        ("SELECT count(*) FROM person WHERE id = 5", "0"),
        (
            "SELECT count(*) FROM person WHERE CASE WHEN id = 5 AND city = 'City1' THEN 1/(id-5) ELSE 1 END = 1",
            "4",
        ),
        (
            "SELECT count(*) FROM person WHERE CASE WHEN id = 5 AND city = 'City2' THEN 1/(id-5) ELSE 1 END = 1",
            "4",
        ),
        (
            "SELECT count(*) FROM person WHERE id = 5 AND age + 9223372036854775783 > 0",
            "0",
        ),
        (
            "SELECT count(*) FROM person WHERE id = 5 AND CAST(name AS int) = 1",
            "0",
        ),
    ] {
        let rows = site.ask("anna", "marketing", sql);
        assert_eq!(rows, Ok(vec![vec![expected.to_owned()]]), "{sql}");
    }
}
