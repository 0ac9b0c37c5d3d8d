//! One golden per way out that was tried: each ends in a refusal, or in masked cells.

use crate::support::generated::both;
use crate::support::question::{client, runtime};
use crate::support::{NOON, Site, run};
use denym_purpose::Moment;
use denym_testkit::postgres::NULL;
use tokio_postgres::Client;

/// No raw value of the generated tables, no path, no plan.
fn tells_nothing(text: &str) {
    for raw in [
        "secret-",
        "Toowoomba",
        "Brisbane",
        "Sydney",
        ".csv",
        "raw.",
        "denym_decide",
        "CASE",
    ] {
        assert!(!text.contains(raw), "{raw} in {text}");
    }
}

fn refused(site: &Site, sql: &str) -> String {
    let error = site
        .ask("anna", "marketing", sql)
        .map(|rows| panic!("{sql} answers {rows:?}"))
        .unwrap_err();
    tells_nothing(&error);
    error
}

#[test]
fn statements_that_are_not_on_the_list() {
    both(|backend, site| {
        for sql in [
            "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
            "COPY person TO '/tmp/x.csv'",
            "COPY (SELECT * FROM person) TO STDOUT",
            "DROP TABLE person",
            "EXPLAIN SELECT * FROM person",
            "EXPLAIN ANALYZE SELECT * FROM person",
            "EXPLAIN VERBOSE SELECT name FROM person",
            "CREATE TABLE copy AS SELECT * FROM person",
            "CREATE VIEW v AS SELECT * FROM person",
            "SELECT * INTO copy FROM person",
            "INSERT INTO person (id) VALUES (1)",
            "UPDATE person SET name = 'x'",
            "DELETE FROM person",
            "PREPARE p AS SELECT * FROM person",
            "DO $$ BEGIN END $$",
            "SELECT * FROM person FOR UPDATE",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM pg_ls_dir('.')",
            "SET ROLE postgres",
            "SET SESSION AUTHORIZATION postgres",
            "SET datafusion.execution.batch_size = 1",
            "SET unknown.setting = 1",
            "SHOW ALL",
            "SHOW datafusion.catalog.default_catalog",
            "SELECT * FROM raw.person",
            "SELECT * FROM \"#raw\"",
            "SELECT denym_decide(1)",
            "SELECT denym_conditional('x')",
            "SELECT pg_read_file('/etc/passwd')",
            "SELECT current_setting('data_directory')",
        ] {
            let error = refused(site, sql);
            assert!(error.contains("ERROR"), "{backend} {sql}: {error}");
        }
        // still alive, still the same session rules
        assert_eq!(
            site.ask("anna", "marketing", "SELECT count(*) FROM person")
                .expect("permitted"),
            [["120"]]
        );
    });
}

#[test]
fn a_with_name_elsewhere_opens_no_catalogue() {
    both(|_, site| {
        for sql in [
            "SELECT most_common_vals FROM pg_stats, person WHERE EXISTS (WITH pg_stats AS (SELECT 1) SELECT 1 FROM pg_stats)",
            "WITH pg_authid AS (SELECT rolname FROM pg_authid) SELECT rolname FROM pg_authid, person",
            "SELECT id FROM person UNION ALL TABLE pg_stats",
        ] {
            let error = refused(site, sql);
            assert!(error.contains("ERROR"), "{sql}: {error}");
        }
    });
}

#[test]
fn hidden_columns_do_not_exist() {
    both(|backend, site| {
        for sql in [
            "SELECT secret FROM person",
            "SELECT name_aip FROM person",
            "SELECT p.secret FROM person p",
            "SELECT name FROM person ORDER BY secret",
            "SELECT r0 FROM person",
            "SELECT d1 FROM person",
            "SELECT w0 FROM person",
            "SELECT \"#raw\".secret FROM person",
        ] {
            refused(site, sql);
        }
        let columns = site
            .query(
                "anna",
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'person' ORDER BY ordinal_position;",
            )
            .expect("the catalogue needs no purpose");
        assert_eq!(
            columns.concat(),
            ["id", "name", "age", "city", "income"],
            "{backend}"
        );
        let columns = site
            .query(
                "anna",
                "SELECT a.attname FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE c.relname = 'person' AND a.attnum > 0 ORDER BY a.attnum;",
            )
            .expect("the catalogue needs no purpose");
        assert_eq!(
            columns.concat(),
            ["id", "name", "age", "city", "income"],
            "{backend}"
        );
        let tables = site
            .query("anna", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name;")
            .expect("the catalogue needs no purpose");
        assert_eq!(tables.concat(), ["member", "person", "visit"], "{backend}");
        // types are those of masked cells: a range is text
        let kind = site
            .query("anna", "SELECT data_type FROM information_schema.columns WHERE table_name = 'member' AND column_name = 'income';")
            .expect("the catalogue needs no purpose");
        assert!(!kind.concat()[0].to_lowercase().contains("int"), "{kind:?}");
    });
}

#[test]
fn errors_quote_no_value() {
    both(|backend, site| {
        for (sql, told) in [
            (
                "SELECT sum(CAST(city AS int)) FROM person",
                "cannot be read",
            ),
            (
                "SELECT count(*) FROM person WHERE CAST(name AS int) = 1",
                "cannot be read",
            ),
            (
                "SELECT count(*) FROM person WHERE 10 / (age - age) = 1",
                "division by zero",
            ),
            ("SELECT CAST(name AS date) FROM person", "cannot be read"),
        ] {
            let error = refused(site, sql);
            for name in ["Alice", "Bob", "Ron", "Jak", "Zoë"] {
                assert!(!error.contains(name), "{backend}: {error}");
            }
            assert!(error.contains(told), "{backend} {sql}: {error}");
        }
    });
}

#[test]
fn predicates_see_masked_cells_only() {
    both(|backend, site| {
        // under research nobody may see names
        for (sql, expected) in [
            ("SELECT count(*) FROM person WHERE name = 'Alice'", "0"),
            ("SELECT count(*) FROM person WHERE name LIKE '%'", "0"),
            ("SELECT count(*) FROM person WHERE length(name) > 0", "0"),
            ("SELECT count(DISTINCT name) FROM person", "0"),
            (
                "SELECT count(*) FROM person p JOIN person q ON p.name = q.name",
                "0",
            ),
            (
                "SELECT count(*) FROM (SELECT name FROM person GROUP BY name) g",
                "1",
            ),
            (
                "SELECT count(*) FROM person WHERE name IN (SELECT name FROM person)",
                "0",
            ),
            (
                "SELECT count(*) FROM (SELECT name FROM person UNION SELECT 'Alice') u WHERE name = 'Alice'",
                "1",
            ),
            (
                "WITH RECURSIVE r(n) AS (SELECT name FROM person UNION SELECT n FROM r WHERE n = 'Alice') SELECT count(n) FROM r",
                "0",
            ),
            (
                "SELECT count(*) FROM person WHERE EXISTS (SELECT 1 FROM person q WHERE q.name >= 'A')",
                "0",
            ),
            (
                "SELECT count(*) FROM person WHERE CASE WHEN name = 'Alice' THEN 1 / 0 ELSE 1 END = 0",
                "0",
            ),
        ] {
            let rows = site
                .ask("anna", "research", sql)
                .unwrap_or_else(|error| panic!("{backend} {sql}: {error}"));
            assert_eq!(rows, [[expected]], "{backend} {sql}");
        }
        let ages = site
            .ask("anna", "research", "SELECT DISTINCT name FROM person")
            .expect("permitted");
        assert_eq!(ages, [[NULL]], "{backend}");
    });
}

#[test]
fn a_purpose_is_stated_in_every_spelling_and_by_no_other_way() {
    both(|backend, site| {
        for set in [
            "SET DENYM.Purpose TO research",
            "SET \"denym\".\"purpose\" = 'research'",
            "SET SESSION denym.purpose = \"research\"",
        ] {
            let rows = site.query(
                "anna",
                &format!("{set}; SELECT count(name) FROM person; SHOW denym.purpose;"),
            );
            assert_eq!(
                rows.expect("permitted"),
                [["0"], ["research"]],
                "{backend} {set}"
            );
        }
        let error = site
            .ask("anna", "admin", "SELECT 1")
            .expect_err("not permitted");
        assert!(
            error.contains("marketing") && error.contains("research"),
            "{error}"
        );
        // options of the startup message set nothing
        let mut command = site.psql("anna");
        command.env("PGOPTIONS", "-c denym.purpose=marketing -c role=admin");
        let error =
            run(command, "SELECT count(*) FROM person;").expect_err("no purpose was stated");
        assert!(error.contains("marketing"), "{error}");
        // a purpose of one statement does not stay, and wins over the session's for that one
        let rows = site.query(
            "anna",
            "SET denym.purpose = 'research'; SELECT count(name) > 0 FROM person FOR PURPOSE marketing; SELECT count(name) FROM person;",
        );
        assert_eq!(rows.expect("permitted"), [["t"], ["0"]], "{backend}");
        // one bad statement refuses the whole text
        let error = site.query("anna", "SET denym.purpose = 'marketing' \\; SELECT count(*) FROM person \\; DROP TABLE person;");
        assert!(error.expect_err("refused").contains("DROP"));
    });
}

#[test]
fn prepared_statements_take_parameters_and_the_purpose_of_their_run() {
    both(|backend, site| {
        let runtime = runtime();
        let client = client(&runtime, site, "anna");
        runtime.block_on(async {
            client.batch_execute("SET denym.purpose = 'marketing'").await.expect("permitted");
            let query = "SELECT id, name, age, income FROM person WHERE age >= $1 AND (name = $2 OR $2 = 'any') ORDER BY id";
            let statement = client.prepare(query).await.expect("prepares");
            let rows = client.query(&statement, &[&30i64, &"any"]).await.expect("runs");
            assert!(rows.len() > 20, "{backend}");
            assert!(rows.iter().all(|row| row.get::<_, Option<i64>>(2) >= Some(30)));
            let named = rows.iter().filter(|row| row.get::<_, Option<&str>>(1).is_some()).count();
            assert!(named > 10, "{backend}");
            let one = client.query(&statement, &[&0i64, &"A"]).await.expect("runs");
            assert!(one.iter().all(|row| row.get::<_, &str>(1) == "A"), "{backend}");
            // prepared under one purpose, run under another: the other's cells
            client.batch_execute("SET denym.purpose = 'research'").await.expect("permitted");
            let rows = client.query(&statement, &[&0i64, &"any"]).await.expect("runs");
            assert!(!rows.is_empty() && rows.iter().all(|row| row.get::<_, Option<&str>>(1).is_none()), "{backend}");
            client.batch_execute("RESET denym.purpose").await.expect("permitted");
            let error = client.query(&statement, &[&0i64, &"any"]).await.expect_err("no purpose");
            assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("42501"));
        });
    });
}

#[test]
fn portals_and_cursors_end_with_their_purpose_and_roles() {
    both(|backend, site| {
        let rows = |sql: &str| site.query("anna", sql);
        let begin = "SET denym.purpose = 'marketing'; BEGIN; DECLARE c CURSOR FOR SELECT id FROM person ORDER BY id;";
        let fetched = rows(&format!(
            "{begin} FETCH 3 FROM c; FETCH 2 FROM c; CLOSE c; COMMIT;"
        ))
        .expect("permitted");
        assert_eq!(fetched.len(), 5, "{backend}");
        let error = rows(&format!(
            "{begin} FETCH 3 FROM c; SET denym.purpose = 'research'; FETCH 2 FROM c;"
        ))
        .expect_err("closed");
        assert!(error.contains("no cursor"), "{error}");
        let error = rows(&format!("{begin} COMMIT; FETCH 2 FROM c;")).expect_err("closed");
        assert!(error.contains("no cursor"), "{error}");
        let error = rows("SET denym.purpose = 'marketing'; DECLARE c CURSOR FOR SELECT 1;")
            .expect_err("no transaction");
        assert!(error.contains("transaction"), "{error}");
        // batches of a portal
        let runtime = runtime();
        let mut client = client(&runtime, site, "anna");
        runtime.block_on(async {
            client
                .batch_execute("SET denym.purpose = 'marketing'")
                .await
                .expect("permitted");
            let transaction = client.transaction().await.expect("begins");
            let portal = transaction
                .bind("SELECT id, city FROM person ORDER BY id", &[])
                .await
                .expect("binds");
            let mut sizes = Vec::new();
            loop {
                let batch = transaction
                    .query_portal(&portal, 50)
                    .await
                    .expect("fetches");
                sizes.push(batch.len());
                if batch.len() < 50 {
                    break;
                }
            }
            assert_eq!(sizes, [50, 50, 20], "{backend}");
            let portal = transaction
                .bind("SELECT id, city FROM person ORDER BY id", &[])
                .await
                .expect("binds");
            transaction.query_portal(&portal, 5).await.expect("fetches");
            transaction
                .batch_execute("SET denym.purpose = 'research'")
                .await
                .expect("permitted");
            let error = transaction
                .query_portal(&portal, 5)
                .await
                .expect_err("closed");
            assert_eq!(
                error.code().map(tokio_postgres::error::SqlState::code),
                Some("34000"),
                "{backend}"
            );
        });
    });
}

#[test]
fn what_is_open_ends_when_a_role_expires() {
    // russell's role holds from 9 to 17
    let policy = include_str!("../../../purpose/tests/paper/policy.toml");
    let mut table =
        "cus_id,name,age,address,income,address_cip,name_cip,age_cip,income_cip\n".to_owned();
    for id in 0..5000 {
        table.push_str(&format!(
            "{id},N{id},{},A{id},{},x,x,x,x\n",
            id % 90,
            id * 10
        ));
    }
    let mut consent = "table,record,column,intended\n".to_owned();
    for id in 0..5000 {
        consent.push_str(&format!(
            "customer_info,{id},*,\"<{{general}}, {{}}, {{}}>\"\n"
        ));
    }
    let files = [
        ("customer_info", table.clone()),
        ("customer_22", table),
        (
            "subscriber",
            "provider_group,name,address,phone,age,income\n".to_owned(),
        ),
    ];
    let site = crate::support::Plan::embedded(policy, &files, Some(consent)).run();
    let runtime = runtime();
    let mut client = client(&runtime, &site, "russell");
    runtime.block_on(async {
        client.batch_execute("SET denym.purpose = 'marketing'").await.expect("permitted");
        let transaction = client.transaction().await.expect("begins");
        transaction
            .batch_execute("DECLARE c CURSOR FOR SELECT cus_id FROM (SELECT name AS cus_id FROM customer_info) q")
            .await
            .expect("declares");
        let portal = transaction.bind("SELECT name FROM customer_info", &[]).await.expect("binds");
        assert_eq!(transaction.query_portal(&portal, 10).await.expect("office hours").len(), 10);
        assert_eq!(transaction.query("FETCH 10 FROM c", &[]).await.expect("office hours").len(), 10);
        site.set_clock(Moment {
            day: NOON.day,
            minute: 18 * 60,
        });
        let error = transaction.query_portal(&portal, 10).await.expect_err("after hours");
        assert!(error.as_db_error().is_some());
        let error = transaction.query("FETCH 10 FROM c", &[]).await.expect_err("after hours");
        assert!(error.as_db_error().is_some());
    });
}

#[test]
fn transactions_have_their_status_and_no_effect() {
    both(|backend, site| {
        let rows = site.query(
            "anna",
            "BEGIN; SET denym.purpose = 'marketing'; SELECT count(*) FROM person; COMMIT; BEGIN; ROLLBACK; SELECT 1;",
        );
        assert_eq!(rows.expect("permitted"), [["120"], ["1"]], "{backend}");
        let mut command = site.psql("anna");
        command.args(["-v", "ON_ERROR_STOP=0"]);
        let text = crate::support::run_raw(
            command,
            "BEGIN;\nSELECT nonsense;\nSELECT 1;\nROLLBACK;\nSELECT 2;\n",
        );
        assert!(text.contains("aborted"), "{backend} {text}");
        assert!(
            text.lines().any(|line| line == "2") && !text.lines().any(|line| line == "1"),
            "{backend} {text}"
        );
    });
}

#[test]
fn sessions_do_not_share_a_purpose() {
    both(|backend, site| {
        let runtime = runtime();
        let (a, b) = (
            client(&runtime, site, "anna"),
            client(&runtime, site, "anna"),
        );
        runtime.block_on(async {
            a.batch_execute("SET denym.purpose = 'marketing'")
                .await
                .expect("permitted");
            b.batch_execute("SET denym.purpose = 'research'")
                .await
                .expect("permitted");
            let count = |client: Client| async move {
                let row = client
                    .query_one("SELECT count(name) FROM person", &[])
                    .await
                    .expect("permitted");
                row.get::<_, i64>(0)
            };
            assert!(count(a).await > 0, "{backend}");
            assert_eq!(count(b).await, 0, "{backend}");
        });
    });
}

#[test]
fn every_access_is_in_the_log_and_no_value() {
    both(|backend, site| {
        let sql = "SELECT name, city FROM person WHERE age > 30";
        let rows = site.ask("anna", "marketing", sql).expect("permitted").len();
        refused(site, "DROP TABLE person");
        let log = site.audit();
        denym_gateway::audit::verify(log.as_bytes()).expect("the chain holds");
        let events: Vec<serde_json::Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let access = events
            .iter()
            .find(|event| event["event"] == "access")
            .expect("an access");
        assert_eq!(access["user"], "anna");
        assert_eq!(access["purpose"], "marketing");
        assert_eq!(access["statement"], sql);
        assert_eq!(
            access["tables"]["person"],
            serde_json::json!(["name", "age", "city"]),
            "{backend}"
        );
        assert!(!access["roles"].as_array().expect("a list").is_empty());
        let served = events
            .iter()
            .find(|event| event["event"] == "served")
            .expect("rows");
        assert_eq!(served["rows"], rows, "{backend}");
        let refusal = events
            .iter()
            .find(|event| event["event"] == "refused")
            .expect("a refusal");
        assert_eq!(refusal["decision"], "statement-not-allowed");
        tells_nothing(&log);
    });
}

#[test]
fn a_statement_like_a_tower_brings_nothing_down() {
    both(|backend, site| {
        let sum = |terms: usize| format!("SELECT {}1 FROM visit LIMIT 1", "1 + ".repeat(terms));
        // refused or answered, the gateway lives
        for sql in [
            sum(500),
            sum(200_000),
            format!("SELECT {}1{}", "(".repeat(1_900), ")".repeat(1_900)),
        ] {
            let _ = site.ask("anna", "marketing", &sql);
            let rows = site.ask("anna", "marketing", "SELECT count(*) FROM person");
            assert_eq!(rows, Ok(vec![vec!["120".into()]]), "{backend}");
        }
    });
}
