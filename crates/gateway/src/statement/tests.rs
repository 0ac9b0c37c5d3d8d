//! Which statements are let in.

use super::*;

fn one(text: &str) -> Result<Command, Error> {
    parse(text).map(|mut commands| {
        assert_eq!(commands.len(), 1, "{text}");
        commands.remove(0)
    })
}

fn purpose(text: &str) -> Option<String> {
    match one(text).expect(text) {
        Command::Query { purpose, .. } | Command::SetPurpose(purpose) => purpose,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_purpose_is_taken_off_the_end() {
    assert_eq!(
        purpose("SELECT 1 FOR PURPOSE marketing"),
        Some("marketing".into())
    );
    assert_eq!(
        purpose("select 1 for purpose t-email ;"),
        Some("t-email".into())
    );
    assert_eq!(
        purpose("SELECT 1 FOR PURPOSE 't-email'"),
        Some("t-email".into())
    );
    assert_eq!(
        purpose("SELECT 1 FOR PURPOSE \"Odd Name\" -- why"),
        Some("Odd Name".into())
    );
    assert_eq!(purpose("SELECT 'x FOR PURPOSE y'"), None);
    assert_eq!(purpose("SELECT substring('abc' FROM 1 FOR 2)"), None);
    for broken in [
        "SELECT 1 FOR PURPOSE",
        "SELECT 1 FOR PURPOSE a b",
        "SELECT 1 FOR PURPOSE a-",
        "SELECT 1 FOR PURPOSE a) + 1",
    ] {
        assert!(one(broken).is_err(), "{broken}");
    }
}

#[test]
fn every_spelling_of_set_is_the_same_setting() {
    for text in [
        "SET denym.purpose = 'marketing'",
        "set DENYM.Purpose to marketing",
        "SET \"denym\".\"purpose\" = 'marketing'",
        "SET SESSION denym.purpose = \"marketing\"",
    ] {
        assert_eq!(purpose(text), Some("marketing".into()), "{text}");
    }
    assert_eq!(purpose("SET denym.purpose = ''"), None);
}

#[test]
fn everything_else_is_refused_by_name() {
    let refused = [
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "CREATE TABLE copy AS SELECT * FROM t",
        "CREATE VIEW v AS SELECT 1",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
        "CREATE TEMP VIEW IF NOT EXISTS v AS SELECT 1",
        "CREATE TEMP VIEW raw.v AS SELECT 1",
        "CREATE TEMP VIEW v WITH (security_barrier) AS SELECT 1",
        "CREATE TEMP VIEW v AS SELECT $1",
        "CREATE TEMP VIEW v AS SELECT 1 FOR PURPOSE marketing",
        "CREATE TEMP VIEW v AS SELECT * INTO other FROM t",
        "CREATE TEMP VIEW v AS SELECT * FROM read_csv('/etc/passwd')",
        "CREATE TEMP TABLE t AS SELECT 1",
        "DROP VIEW raw.v",
        "DROP MATERIALIZED VIEW v",
        "DROP SCHEMA pg_temp",
        "COPY t TO '/tmp/x.csv'",
        "COPY (SELECT 1) TO STDOUT",
        "DROP TABLE t",
        "EXPLAIN SELECT * FROM t",
        "EXPLAIN ANALYZE SELECT * FROM t",
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "TRUNCATE t",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "SELECT * INTO other FROM t",
        "SELECT * FROM t FOR UPDATE",
        "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM t WHERE a IN (SELECT a FROM read_parquet('x'))",
        "SET ROLE admin",
        "SET SESSION AUTHORIZATION admin",
        "SET datafusion.execution.batch_size = 1",
        "SET denym.user = 'admin'",
        "SHOW ALL",
        "SHOW datafusion.catalog.location",
        "DO $$ BEGIN END $$",
        "CALL f()",
        "LISTEN x",
        "DECLARE c CURSOR FOR INSERT INTO t VALUES (1)",
        "DECLARE c SCROLL CURSOR FOR SELECT 1",
        "FETCH BACKWARD 1 FROM c",
        "FETCH ALL FROM c FOR PURPOSE marketing",
        "BEGIN FOR PURPOSE marketing",
    ];
    for text in refused {
        assert!(one(text).is_err(), "{text}");
    }
}

#[test]
fn clients_may_say_what_they_always_say() {
    for text in [
        "BEGIN",
        "START TRANSACTION READ ONLY",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT \"_pg3_1\"",
        "ROLLBACK TO \"_pg3_1\"",
        "RELEASE \"_pg3_1\"",
        "SET extra_float_digits = 3",
        "SET TIME ZONE 'UTC'",
        "DISCARD ALL",
        "SHOW denym.purpose",
        "SHOW standard_conforming_strings",
        "DECLARE c CURSOR WITHOUT HOLD FOR SELECT 1 FOR PURPOSE marketing",
        "FETCH FORWARD 10 FROM c",
        "FETCH ALL IN \"c\"",
        "CLOSE c",
        "CLOSE ALL",
        "DEALLOCATE ALL",
        "RESET denym.purpose",
        "RESET ALL",
        "DISCARD TEMP",
        "DISCARD PLANS",
        "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE OR REPLACE TEMPORARY VIEW \"V\" (a, b) AS SELECT 1, 2",
        "CREATE TEMP VIEW pg_temp.v AS WITH x AS (SELECT 1) SELECT * FROM x",
        "DROP VIEW v",
        "DROP VIEW IF EXISTS v, \"V\", pg_temp.w CASCADE",
    ] {
        assert!(one(text).is_ok(), "{text}");
    }
    assert_eq!(
        parse("SELECT 1; SELECT 2 FOR PURPOSE a;; ")
            .expect("two")
            .len(),
        2
    );
    assert!(
        parse("SELECT 1; DROP TABLE t").is_err(),
        "one bad statement refuses the text"
    );
    assert!(parse("SELECT 'unclosed").is_err());
    let long = format!("SELECT {}1", "1 + ".repeat(1_000_000));
    assert!(parse(&long).is_err(), "a deep tree is not built");
}

#[test]
fn what_would_take_for_ever_is_refused_at_once() {
    // with the stack that the gateway's own threads have
    let thread = std::thread::Builder::new().stack_size(crate::server::STACK);
    let done = thread.spawn(refuses_at_once).expect("a thread").join();
    assert!(done.is_ok());
}

fn refuses_at_once() {
    let start = std::time::Instant::now();
    for text in [
        format!("SELECT {} ) FROM t", "NOT ".repeat(49)),
        format!("SELECT {}1{}", "lower(".repeat(38), ")".repeat(38)),
        format!("SELECT {}1{}", "not (".repeat(40), ")".repeat(40)),
        format!("SELECT {}", "CASE WHEN ".repeat(300)),
        format!("SELECT {}", "interval ".repeat(300)),
        format!(
            "{}SELECT 1{}",
            "WITH w AS (".repeat(38),
            ") SELECT 1".repeat(38)
        ),
        format!("SELECT 1 FROM {}t{}", "(".repeat(40), ")".repeat(40)),
        format!("SELECT {}1{}", "(".repeat(41), ")".repeat(41)),
        format!("SELECT 1 {}", "+ 1 ".repeat(700)),
        format!("SELECT 1 {}", "UNION SELECT 1 ".repeat(700)),
    ] {
        let _ = parse(&text);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
    for text in [
        format!(
            "{}SELECT 1{}",
            "WITH w AS (".repeat(9),
            ") SELECT 1".repeat(9)
        ),
        format!("SELECT {}1{}", "(".repeat(41), ")".repeat(41)),
        format!("SELECT 1 {}", "+ 1 ".repeat(700)),
        format!("SELECT 1 {}", "UNION SELECT 1 ".repeat(700)),
    ] {
        assert!(
            matches!(parse(&text), Err(Error::NotAllowed { .. })),
            "{text}"
        );
    }
    let deep = format!(
        "{}SELECT 1{}",
        "WITH w AS (".repeat(8),
        ") SELECT 1".repeat(8)
    );
    assert!(parse(&deep).is_ok());
    // what stands in a quote is no word, however it is doubled
    let quoted = format!("SELECT 'x'' , {}1 --'", "1 + ".repeat(150_000));
    assert!(parse(&quoted).is_ok());
}

#[test]
fn what_is_recorded_is_cut_out_of_what_came() {
    let came = "  SELECT 'é',\n 'it''s', E'\\'' /* c */ FROM \"a\"\"b\"  FOR PURPOSE t-email ; SELECT 2 -- end\n";
    let texts: Vec<(String, String)> = parse(came)
        .expect("two")
        .into_iter()
        .map(|command| match command {
            Command::Query { text, sql, .. } => (text, sql),
            other => panic!("{other:?}"),
        })
        .collect();
    let sql = "SELECT 'é',\n 'it''s', E'\\'' /* c */ FROM \"a\"\"b\"";
    assert_eq!(
        texts,
        [
            (format!("{sql}  FOR PURPOSE t-email"), sql.to_owned()),
            ("SELECT 2".to_owned(), "SELECT 2".to_owned()),
        ]
    );
}
