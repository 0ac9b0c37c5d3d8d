//! Rewritten queries on raw tables in a real PostgreSQL equal the same queries on tables masked beforehand; and one golden per escape.

use crate::support::generated::{Draws, POLICY, generated, set_up};
use crate::support::{NOON, install};
use denym_gateway::statement::{Command, parse};
use denym_gateway::{Error, Pushdown};
use denym_purpose::{AccessPolicy, AccessPurpose};
use denym_testkit::postgres::{NULL, Server};

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
    install(&server, &policy, Some("member"));
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
        // a WITH elsewhere in the statement has the name of a relation of the server's catalogue
        "WITH pg_stats AS (SELECT * FROM pg_stats) SELECT most_common_vals FROM pg_stats, person",
        "SELECT most_common_vals FROM person, pg_stats WHERE EXISTS (WITH pg_stats AS (SELECT 1) SELECT 1 FROM pg_stats)",
        "SELECT relname FROM (WITH pg_class AS (SELECT 1) SELECT id FROM person) p, pg_class",
        "WITH a AS (SELECT * FROM pg_class), pg_class AS (SELECT id FROM person) SELECT * FROM a",
        "(WITH pg_class AS (SELECT id FROM person) SELECT id FROM pg_class) UNION SELECT oid FROM pg_class",
        "WITH pg_class AS (SELECT id FROM person) SELECT * FROM pg_catalog.pg_class",
        "WITH person_ids AS (SELECT id FROM person) SELECT * FROM public.person_ids",
        "SELECT id FROM person UNION ALL TABLE pg_class",
        "SELECT id FROM person EXCEPT (SELECT 1 UNION TABLE pg_catalog.pg_class)",
        "WITH x AS (TABLE pg_class) SELECT * FROM x, person",
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
        let found = rewrite(&policy, "marketing", query);
        assert!(
            matches!(found, Err(Error::Unknown { .. })),
            "{query}: {found:?}"
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
