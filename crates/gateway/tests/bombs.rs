//! Statements over files that mean to take all memory or all time: each is refused or ends soon, the memory stays flat, and others are
//! answered meanwhile.

use futures::StreamExt as _;
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::process::{Peak, memory, ticks};
use support::question::{client, runtime};
use support::{PASSWORD, Plan, Site};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

mod support;

const POLICY: &str = r#"
[purposes]
general = {}
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
ben = { roles = ["analyst"] }
cora = { roles = ["analyst"] }
hugo = { roles = ["analyst"] }
russell = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["general"]
[tables.person]
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = {}
city = {}
"#;

fn plan(rows: usize) -> Plan {
    let mut text = "id,name,city,secret\n".to_owned();
    for id in 0..rows {
        let _ = writeln!(text, "{id},name number {id},city {},hidden", id % 7);
    }
    Plan::embedded(POLICY, &[("person", text)], None)
}

/// One statement; its first rows, or the SQLSTATE and text of its error. The others are read and forgotten.
async fn outcome(client: &Client, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
    let told = |error: tokio_postgres::Error| match error.as_db_error() {
        Some(error) => format!("{}: {}", error.code().code(), error.message()),
        None => format!("gone: {error}"),
    };
    let messages = client.simple_query_raw(sql).await.map_err(told)?;
    let mut messages = std::pin::pin!(messages);
    let mut rows = Vec::new();
    while let Some(message) = messages.next().await {
        if let SimpleQueryMessage::Row(row) = message.map_err(told)?
            && rows.len() < 100
        {
            let cells = (0..row.len()).map(|place| row.get(place).map(str::to_owned));
            rows.push(cells.collect());
        }
    }
    Ok(rows)
}

fn alive(site: &Site) {
    let rows = site.ask("anna", "general", "SELECT min(id) FROM person");
    assert_eq!(rows, Ok(vec![vec!["0".into()]]));
}

/// Statements that would allocate without end, with and without governed tables.
fn bombs() -> Vec<String> {
    let mut out: Vec<String> = [
        "SELECT length(repeat('x', 2000000000)) FROM generate_series(1,2)",
        "SELECT length(repeat('x', 2147483647))",
        "SELECT length(repeat(repeat('x', 100000), 100000))",
        "SELECT length(repeat(name, 1000000 + id)) FROM person",
        "SELECT array_resize([1], 2000000000)",
        "SELECT array_repeat(1, 2000000000)",
        "SELECT cardinality(range(0, 2000000000))",
        "SELECT generate_series(0, 2000000000)",
        "SELECT length(lpad('x', 2000000000))",
        "SELECT length(rpad(name, 2000000000, 'ab')) FROM person",
        "SELECT length(replace(repeat('a', 100000), 'a', repeat('b', 100000)))",
        "SELECT length(regexp_replace(repeat('a', 100000), 'a', repeat('b', 100000), 'g'))",
        "SELECT length(regexp_replace(repeat('a', 100000), '(.*)', '\\1\\1\\1\\1\\1\\1\\1\\1', 'g'))",
        "SELECT length(string_agg(p.name || q.name || r.name, ',')) FROM person p, person q, person r",
        "SELECT cardinality(array_agg(p.name)) FROM person p, person q, person r",
        "SELECT length(translate(repeat('a', 130000), 'a', '\u{1F600}'))",
        "SELECT length(overlay(repeat('a', 130000) placing repeat('b', 130000) from 2))",
        "SELECT length(concat_ws(repeat('x', 120000), name, name, name, name)) FROM person",
        "SELECT to_char(DATE '2024-01-01', repeat('%c', 60000))",
        "SELECT CAST(NULL AS int[2000000000])",
        "SELECT count(*) OVER () FROM person a, person b, person c",
        "SELECT max(repeat('x', 100000)) OVER (PARTITION BY a.id ORDER BY b.id) FROM person a, person b, person c",
        "SELECT string_agg(a.name, ',') OVER (ORDER BY a.id) FROM person a, person b",
        "SELECT repeat('x', 100000) FROM (SELECT count(*) OVER () AS c FROM generate_series(1, 3000000)) q",
        "SELECT count(*) FROM (SELECT DISTINCT a.name || b.name || c.name FROM person a, person b, person c) q",
        "SELECT a.name || b.name || c.name AS n FROM person a, person b, person c ORDER BY n",
        "SELECT unnest(a) FROM (SELECT array_agg(x.id) AS a FROM person x, person y) q",
        "SELECT t, unnest(a) FROM (SELECT repeat('x', 100000) AS t, array_agg(id) AS a FROM person) q",
        "WITH RECURSIVE r(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM r) SELECT max(length(t)) FROM r",
        "SELECT regexp_count(repeat('a', 100000), '(a{1,1000}){1,1000}')",
        "SELECT count(*) FROM person WHERE name ~ '((((a{1,100}){1,100}){1,100}){1,100})'",
        "SELECT count(*) FROM person WHERE name ~ repeat('(a?){50}', 20)",
        "SELECT count(*) FROM person WHERE regexp_like(name, name)",
        "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))",
        "SELECT factorial(170), power(10, 308) * 10, gcd(9223372036854775807, 2)",
    ]
    .map(str::to_owned)
    .to_vec();
    // text that doubles from one subquery to the next
    let mut doubled = "WITH c0 AS (SELECT 'xxxxxxxxxxxxxxxx' AS t)".to_owned();
    for level in 1..60 {
        let before = level - 1;
        let _ = write!(doubled, ", c{level} AS (SELECT t || t AS t FROM c{before})");
    }
    out.push(format!("{doubled} SELECT length(t) FROM c59"));
    // many columns, each at the bound
    let columns: Vec<String> = (0..400)
        .map(|place| format!("repeat('x', 130000) c{place}"))
        .collect();
    out.push(format!(
        "SELECT {} FROM generate_series(1, 100000)",
        columns.join(", ")
    ));
    let columns: Vec<String> = (0..300)
        .map(|place| format!("p.name || q.name AS c{place}"))
        .collect();
    out.push(format!(
        "SELECT {} FROM person p, person q",
        columns.join(", ")
    ));
    // a constant as long as a message, in every row
    let long = "y".repeat(4 << 20);
    out.push(format!("SELECT '{long}' FROM generate_series(1, 100000)"));
    out.push(format!(
        "SELECT '{}' FROM generate_series(1, 100000)",
        &long[..100_000]
    ));
    out.push(format!(
        "SELECT CASE WHEN id % 2 = 0 THEN '{}' ELSE name END FROM person",
        &long[..100_000]
    ));
    // WITH queries that double, predicates that double when they are moved down, sets of sets
    let mut with = "WITH c0 AS (SELECT id AS x FROM person)".to_owned();
    for level in 1..60 {
        let _ = write!(
            with,
            ", c{level} AS (SELECT a.x FROM c{0} a, c{0} b)",
            level - 1
        );
    }
    out.push(format!("{with} SELECT count(*) FROM c59"));
    let mut moved = "WITH c0 AS (SELECT id + id AS x FROM person)".to_owned();
    for level in 1..60 {
        let before = level - 1;
        let _ = write!(moved, ", c{level} AS (SELECT x + x AS x FROM c{before})");
    }
    out.push(format!("{moved} SELECT count(*) FROM c59 WHERE x > 5"));
    let cube: Vec<String> = (0..14).map(|place| format!("id + {place}")).collect();
    out.push(format!(
        "SELECT count(*) FROM person GROUP BY CUBE ({})",
        cube.join(", ")
    ));
    out
}

/// The memory of the whole process is measured: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn no_statement_takes_the_memory_of_all() {
    let _alone = alone();
    let site = plan(1000)
        .with_limits(|limits| limits.statement = Some(Duration::from_secs(5)))
        .run();
    let runtime = runtime();
    let (attacker, other) = (
        client(&runtime, &site, "ben"),
        client(&runtime, &site, "anna"),
    );
    runtime.block_on(async {
        for client in [&attacker, &other] {
            client
                .batch_execute("SET denym.purpose = 'general'")
                .await
                .expect("permitted");
        }
        let before = memory();
        let peak = Peak::watch();
        for sql in bombs() {
            let start = Instant::now();
            let is_over = Cell::new(false);
            let attack = async {
                let answer = outcome(&attacker, &sql).await;
                is_over.set(true);
                (answer, start.elapsed())
            };
            // somebody else asks all the while
            let others = async {
                let mut slowest = Duration::ZERO;
                loop {
                    let asked = Instant::now();
                    let answer = outcome(&other, "SELECT count(*) FROM person WHERE id < 10").await;
                    assert_eq!(
                        answer,
                        Ok(vec![vec![Some("10".into())]]),
                        "during {sql:.100}"
                    );
                    slowest = slowest.max(asked.elapsed());
                    if is_over.get() {
                        break slowest;
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            let ((answer, took), slowest) = tokio::join!(attack, others);
            let shown = match &answer {
                Ok(rows) => format!("{} rows", rows.len()),
                Err(error) => error.clone(),
            };
            println!(
                "{:>6} ms, others {:>5} ms, {:>5} MiB: {shown:.90} <- {sql:.90}",
                took.as_millis(),
                slowest.as_millis(),
                peak.most()
            );
            assert!(took < Duration::from_secs(20), "{sql:.100}: {took:?}");
            assert!(slowest < Duration::from_secs(4), "{sql:.100}: {slowest:?}");
            if let Err(error) = &answer {
                assert!(!error.starts_with("gone"), "{sql:.100}: {error}");
                assert!(
                    !error.contains("number") && !error.contains("hidden"),
                    "{error}"
                );
            }
            assert!(
                peak.most() < before + 1500,
                "{sql:.100}: {} MiB",
                peak.most()
            );
        }
    });
    alive(&site);
}

#[test]
fn lengths_are_refused_before_they_are_made() {
    let _alone = alone();
    let site = plan(10).run();
    let before = memory();
    let peak = Peak::watch();
    let start = Instant::now();
    for sql in [
        "SELECT length(repeat('x', 2000000000)) FROM generate_series(1,2)",
        "SELECT array_resize([1], 2000000000)",
        "SELECT length(lpad('x', 2000000000))",
        "SELECT length(repeat(name, 100000000)) FROM person",
    ] {
        let error = site.ask("anna", "general", sql).expect_err(sql);
        assert!(error.contains("ERROR"), "{error}");
    }
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert!(peak.most() < before + 200, "{} MiB", peak.most());
    // and what is not long is answered
    let rows = site.ask(
        "anna",
        "general",
        "SELECT length(repeat(name, 100)), lpad('x', 3, '-'), 'a' || id || 'b', concat(name, '!'), replace(name, 'name', 'nom'), \
         string_agg(city, ',') OVER () IS NULL FROM person WHERE id = 1",
    );
    // a running string_agg is not possible
    assert!(rows.is_err());
    let rows = site.ask(
        "anna",
        "general",
        "SELECT length(repeat(name, 100)), lpad('x', 3, '-'), 'a' || id || 'b', concat(name, '!'), replace(name, 'name', 'nom') FROM person WHERE id = 1",
    );
    assert_eq!(
        rows,
        Ok(vec![
            ["1300", "--x", "a1b", "name number 1!", "nom number 1"]
                .map(String::from)
                .to_vec()
        ])
    );
    let rows = site.ask(
        "anna",
        "general",
        "SELECT length(string_agg(name, ', ')), cardinality(array_agg(id)), NULL || 'x' IS NULL FROM person",
    );
    assert_eq!(
        rows,
        Ok(vec![["148", "10", "t"].map(String::from).to_vec()])
    );
}

#[test]
fn statements_have_a_time_limit_unless_told_otherwise() {
    let _alone = alone();
    let limits = denym_gateway::Limits::default();
    assert_eq!(limits.statement, Some(Duration::from_mins(5)));
    let site = plan(3000)
        .with_limits(|limits| limits.statement = Some(Duration::from_secs(1)))
        .run();
    let start = Instant::now();
    let error = site
        .ask(
            "anna",
            "general",
            "SELECT count(*) FROM person a, person b, person c WHERE a.id + b.id + c.id = -1",
        )
        .expect_err("too long");
    assert!(error.contains("statement timeout"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30));
    rests();
    alive(&site);
}

/// The process does (nearly) nothing within a few seconds.
fn rests() {
    let start = Instant::now();
    loop {
        let before = ticks();
        std::thread::sleep(Duration::from_millis(500));
        if ticks() - before < 10 {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "work goes on for nobody"
        );
    }
}

#[test]
fn work_stops_when_its_client_is_gone() {
    let _alone = alone();
    let site = plan(3000).run();
    let text = format!(
        "host=127.0.0.1 port={} user=anna password='{PASSWORD}'",
        site.address.port()
    );
    for sql in [
        "SELECT count(*) FROM person a, person b, person c WHERE a.id + b.id + c.id = -1",
        "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
        "SELECT max(length(repeat(a.name, 1000))) FROM person a, person b, person c",
    ] {
        let runtime = runtime();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&text, NoTls)
                .await
                .expect("logs in");
            let conversation = tokio::spawn(connection);
            client
                .batch_execute("SET denym.purpose = 'general'")
                .await
                .expect("permitted");
            let asked =
                tokio::time::timeout(Duration::from_secs(1), client.simple_query(sql)).await;
            assert!(asked.is_err(), "it takes long: {sql}");
            conversation.abort();
            let _ = conversation.await;
        });
        drop(runtime);
        rests();
    }
    alive(&site);
}

#[test]
fn readers_that_do_not_read_take_little_and_have_a_limit() {
    let _alone = alone();
    let site = plan(10).run();
    let text = |user: &str| {
        format!(
            "host=127.0.0.1 port={} user={user} password='{PASSWORD}'",
            site.address.port()
        )
    };
    let runtime = runtime();
    let before = memory();
    runtime.block_on(async {
        let sql = "DECLARE c CURSOR WITH HOLD FOR SELECT a.name, b.name AS n2, c.name AS n3, d.name AS n4, e.name AS n5, f.name AS n6 \
                   FROM person a, person b, person c, person d, person e, person f";
        let mut held = Vec::new();
        for user in ["anna", "ben", "cora", "hugo", "russell"] {
            for place in 0..32 {
                let (client, connection) = tokio_postgres::connect(&text(user), NoTls).await.expect("logs in");
                tokio::spawn(connection);
                client.batch_execute("SET denym.purpose = 'general'; BEGIN").await.expect("permitted");
                if let Err(error) = client.batch_execute(sql).await {
                    // the memory of all is the other bound
                    let code = error.code().map(tokio_postgres::error::SqlState::code);
                    assert_eq!(code, Some("53200"), "{user} {place}: {error:?}");
                    continue;
                }
                let rows = client.simple_query("FETCH 10 FROM c").await.expect("fetches");
                assert_eq!(rows.iter().filter(|row| matches!(row, SimpleQueryMessage::Row(_))).count(), 10);
                held.push(client);
            }
        }
        let taken = memory().saturating_sub(before);
        println!("{} readers: {taken} MiB", held.len());
        assert!(held.len() > 32, "more than one user: {}", held.len());
        assert!(taken < 12 * held.len(), "{taken} MiB for {} readers", held.len());
        // one more of the same user
        let (client, connection) = tokio_postgres::connect(&text("anna"), NoTls).await.expect("logs in");
        tokio::spawn(connection);
        client.batch_execute("SET denym.purpose = 'general'").await.expect("permitted");
        let error = client.simple_query("SELECT count(*) FROM person").await.expect_err("too many");
        assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("53300"));
        drop(held);
        // their places are free again
        let start = Instant::now();
        while client.simple_query("SELECT count(*) FROM person").await.is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "places are kept");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    alive(&site);
}

/// Every function of the engine by name, with arguments of every kind: those that are not listed are refused, and none tells a path,
/// a hidden cell, or stops the gateway.
#[test]
fn every_function_of_the_engine_by_name() {
    let _alone = alone();
    let state = datafusion::prelude::SessionContext::new().state();
    let mut names: Vec<String> = state.scalar_functions().keys().cloned().collect();
    names.extend(state.aggregate_functions().keys().cloned());
    names.extend(state.window_functions().keys().cloned());
    names.extend(state.table_functions().keys().cloned());
    names.extend(state.higher_order_functions().keys().cloned());
    names.sort();
    names.dedup();
    assert!(names.len() > 250, "{}", names.len());
    let site = plan(20)
        .with_limits(|limits| limits.statement = Some(Duration::from_secs(5)))
        .run();
    let folder = site.folder.path().to_string_lossy().into_owned();
    let runtime = runtime();
    let client = client(&runtime, &site, "anna");
    let before = memory();
    let peak = Peak::watch();
    let mut answered = Vec::new();
    runtime.block_on(async {
        client
            .batch_execute("SET denym.purpose = 'general'")
            .await
            .expect("permitted");
        for name in &names {
            let mut is_answered = false;
            for args in [
                "",
                "name",
                "id",
                "2000000000",
                "'x', 2000000000",
                "name, id",
                "name, 'n'",
                "name, 'n', 'm'",
                "id, 2",
                "[id], 2000000000",
                "[id]",
                "name, 1, 2",
                "id ORDER BY id",
                "name, ',' ORDER BY id",
                "DATE '2024-01-01', '%Y'",
                "'year', DATE '2024-01-01'",
                "1, 3",
            ] {
                for sql in [
                    format!("SELECT \"{name}\"({args}) FROM person"),
                    format!("SELECT \"{name}\"({args}) OVER (ORDER BY id) FROM person"),
                    format!("SELECT * FROM {name}({args}) LIMIT 3"),
                ] {
                    match outcome(&client, &sql).await {
                        Ok(rows) => {
                            is_answered = true;
                            let text = format!("{rows:?}");
                            assert!(
                                !text.contains("hidden") && !text.contains(&folder),
                                "{sql}: {text:.200}"
                            );
                        }
                        Err(error) => {
                            assert!(!error.starts_with("gone"), "{sql}: {error}");
                            assert!(
                                !error.contains("hidden")
                                    && !error.contains(&folder)
                                    && !error.contains("name number"),
                                "{sql}: {error}"
                            );
                        }
                    }
                }
            }
            if is_answered {
                answered.push(name.as_str());
            }
        }
    });
    assert!(peak.most() < before + 1000, "{} MiB", peak.most());
    for name in [
        "input_file_name",
        "file_row_index",
        "array_resize",
        "array_repeat",
        "arrow_cast",
        "arrow_typeof",
        "random",
        "uuid",
        "get_field",
        "struct",
        "named_struct",
        "map",
        "string_to_array",
        "levenshtein",
        "encode",
        "decode",
        "array_transform",
        "flatten",
        "with_metadata",
        "version",
    ] {
        assert!(!answered.contains(&name), "{name}");
    }
    for name in [
        "abs",
        "lower",
        "upper",
        "substr",
        "length",
        "concat",
        "replace",
        "round",
        "coalesce",
        "date_part",
        "count",
        "sum",
        "min",
        "max",
        "avg",
        "row_number",
        "rank",
        "lag",
        "string_agg",
        "array_agg",
        "lpad",
        "repeat",
        "strpos",
        "reverse",
        "left",
        "right",
        "trim",
        "stddev",
        "generate_series",
    ] {
        assert!(answered.contains(&name), "{name} of {answered:?}");
    }
    alive(&site);
}
