//! Views of a session: what they answer, where they end, and that nothing is carried from one purpose to another in them.

use crate::support::generated::both;
use crate::support::question::{client, runtime};
use crate::support::{Plan, Site};
use denym_testkit::postgres::NULL;

fn refused(site: &Site, sql: &str) -> String {
    site.ask("anna", "marketing", sql)
        .map(|rows| panic!("{sql} answers {rows:?}"))
        .unwrap_err()
}

fn same(backend: &str, site: &Site, over_views: &str, plain: &str) {
    let sorted = |sql: &str| {
        let mut rows = site
            .ask("anna", "marketing", sql)
            .unwrap_or_else(|error| panic!("{backend} {sql}: {error}"));
        rows.sort();
        rows
    };
    let expected = sorted(plain);
    assert!(!expected.is_empty(), "{plain}");
    assert_eq!(sorted(over_views), expected, "{backend} {over_views}");
}

#[test]
fn a_view_answers_as_its_query_would() {
    both(|backend, site| {
        let v = "CREATE TEMP VIEW v AS SELECT id, name FROM person WHERE age > 30";
        for (over_views, plain) in [
            (
                format!("{v}; SELECT * FROM v"),
                "SELECT id, name FROM person WHERE age > 30",
            ),
            (
                format!("{v}; SELECT V.name FROM V"),
                "SELECT name FROM person WHERE age > 30",
            ),
            (
                format!("{v}; SELECT count(*) FROM pg_temp.v AS w (a, b) WHERE b IS NOT NULL"),
                "SELECT count(*) FROM person WHERE age > 30 AND name IS NOT NULL",
            ),
            (
                "CREATE TEMPORARY VIEW \"Odd Name\" (key, \"Letter\") AS SELECT id, name FROM person; SELECT \"Letter\", key FROM \"Odd Name\"".into(),
                "SELECT name, id FROM person",
            ),
            (
                // fewer names than columns: the rest keep theirs
                "CREATE TEMP VIEW v (key) AS SELECT id, city FROM person; SELECT key, city FROM v".into(),
                "SELECT id, city FROM person",
            ),
            (
                format!("{v}; CREATE OR REPLACE TEMP VIEW v AS SELECT city FROM person; SELECT * FROM v"),
                "SELECT city FROM person",
            ),
            (
                format!("{v}; CREATE TEMP VIEW w AS SELECT name, count(*) AS n FROM v GROUP BY name; SELECT n, name FROM w"),
                "SELECT count(*), name FROM person WHERE age > 30 GROUP BY name",
            ),
            (
                // the view inside the WITH, the WITH outside
                format!("{v}; WITH v AS (SELECT id FROM v WHERE name = 'A') SELECT id FROM v"),
                "SELECT id FROM person WHERE age > 30 AND name = 'A'",
            ),
            (
                format!("{v}; BEGIN; DECLARE c CURSOR FOR SELECT name FROM v; DROP VIEW v; FETCH ALL FROM c; COMMIT"),
                "SELECT name FROM person WHERE age > 30",
            ),
        ] {
            same(backend, site, &over_views, plain);
        }
        // a view of the catalogue needs no purpose
        let rows = site.query(
            "anna",
            "CREATE TEMP VIEW t AS SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'; SELECT * FROM t ORDER BY table_name;",
        );
        assert_eq!(
            rows.expect("the catalogue").concat(),
            ["member", "person", "visit"]
        );
    });
}

#[test]
fn a_view_carries_nothing_from_one_purpose_to_another() {
    both(|backend, site| {
        // under research nobody may see names; the view was made where they are seen
        let rows = site
            .query(
                "anna",
                "SET denym.purpose = 'marketing'; CREATE TEMP VIEW v AS SELECT name, age FROM person; CREATE TEMP VIEW w AS SELECT * FROM v WHERE name IS NOT NULL;
                 SELECT count(*) > 0 FROM w; SET denym.purpose = 'research'; SELECT count(*) FROM w; SELECT DISTINCT name FROM v; SELECT count(*) > 0 FROM w FOR PURPOSE marketing;",
            )
            .unwrap_or_else(|error| panic!("{backend}: {error}"));
        assert_eq!(
            rows,
            [vec!["t"], vec!["0"], vec![NULL], vec!["t"]],
            "{backend}"
        );
        // without a purpose it can be made and not read
        let error = site
            .query(
                "anna",
                "CREATE TEMP VIEW v AS SELECT name FROM person; SELECT count(*) FROM v;",
            )
            .expect_err("no purpose");
        assert!(error.contains("marketing"), "{backend}: {error}");
        // what a role may not see it does not see through a view
        let error = site.query(
            "mallory",
            "CREATE TEMP VIEW v AS SELECT name FROM person; SET denym.purpose = 'marketing'; SELECT * FROM v;",
        );
        assert!(error.is_err(), "{backend}");
        // a cursor over a view ends with its purpose, as any other
        let error = site
            .ask("anna", "marketing", "CREATE TEMP VIEW v AS SELECT name FROM person; BEGIN; DECLARE c CURSOR FOR SELECT * FROM v; SET denym.purpose = 'research'; FETCH 1 FROM c")
            .expect_err("closed");
        assert!(error.contains("no cursor"), "{error}");
        // prepared over a view under one purpose, run under another
        let runtime = runtime();
        let client = client(&runtime, site, "anna");
        runtime.block_on(async {
            let run = |sql: &'static str| client.batch_execute(sql);
            run("SET denym.purpose = 'marketing'; CREATE TEMP VIEW v AS SELECT id, name FROM person").await.expect("permitted");
            let statement = client.prepare("SELECT name FROM v WHERE id >= $1").await.expect("prepares");
            let named = |rows: Vec<tokio_postgres::Row>| rows.iter().filter(|row| row.get::<_, Option<&str>>(0).is_some()).count();
            let rows = client.query(&statement, &[&0i64]).await.expect("runs");
            assert!(named(rows) > 10, "{backend}");
            run("SET denym.purpose = 'research'").await.expect("permitted");
            let rows = client.query(&statement, &[&0i64]).await.expect("runs");
            assert!(rows.len() > 100, "{backend}");
            assert_eq!(named(rows), 0, "{backend}");
        });
        // in filter mode what a view asks for counts as asked for
        let count = |sql: &str| site.ask("anna", "marketing", sql).expect("permitted").len();
        let all = count("SELECT name FROM member");
        let kept = count("SELECT name, income FROM member");
        assert!(kept < all);
        assert_eq!(
            count("CREATE TEMP VIEW v AS SELECT name, income FROM member; SELECT name FROM v"),
            kept,
            "{backend}"
        );
    });
}

#[test]
fn the_log_has_the_query_behind_a_view() {
    both(|backend, site| {
        site.ask(
            "anna",
            "marketing",
            "CREATE TEMP VIEW v AS SELECT name, city FROM person; SELECT name FROM v WHERE city IS NULL",
        )
        .expect("permitted");
        let log = site.audit();
        denym_gateway::audit::verify(log.as_bytes()).expect("the chain holds");
        let access = log
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .find(|event| event["event"] == "access")
            .expect("an access");
        assert_eq!(access["statement"], "SELECT name FROM v WHERE city IS NULL");
        assert_eq!(
            access["expanded"],
            "SELECT name FROM (SELECT name, city FROM person) AS \"v\" WHERE city IS NULL"
        );
        assert_eq!(
            access["tables"],
            serde_json::json!({"person": ["name", "city"]}),
            "{backend}"
        );
    });
}

#[test]
fn views_that_cannot_be() {
    both(|backend, site| {
        let v = "CREATE TEMP VIEW v AS SELECT id FROM person";
        for (sql, told) in [
            ("CREATE VIEW v AS SELECT 1".to_owned(), "CREATE TEMP VIEW"),
            (
                "CREATE TEMP VIEW person AS SELECT 1".into(),
                "governed table",
            ),
            (
                "CREATE OR REPLACE TEMP VIEW \"person\" AS SELECT 1".into(),
                "governed table",
            ),
            ("CREATE TEMP VIEW pg_class AS SELECT 1".into(), "this name"),
            ("CREATE TEMP VIEW raw.v AS SELECT 1".into(), "schema"),
            (format!("{v}; {v}"), "exists already"),
            (
                format!("{v}; CREATE OR REPLACE TEMP VIEW v AS SELECT id FROM v"),
                "read itself",
            ),
            (
                format!(
                    "{v}; CREATE TEMP VIEW w AS SELECT id FROM v; CREATE OR REPLACE TEMP VIEW v AS SELECT id FROM w"
                ),
                "read itself",
            ),
            (
                format!("{v}; CREATE TEMP VIEW w AS SELECT id FROM v; DROP VIEW v"),
                "another view reads it",
            ),
            (format!("{v}; DROP VIEW \"V\""), "no view of this name"),
            ("DROP VIEW person".into(), "no view of this name"),
            ("DROP TABLE person".into(), "DROP"),
            (
                "CREATE TEMP VIEW v AS SELECT secret FROM person".into(),
                "secret",
            ),
            (
                "CREATE TEMP VIEW v (a, b) AS SELECT id FROM person".into(),
                "more columns",
            ),
            (
                "CREATE TEMP VIEW v AS SELECT * FROM raw.person".into(),
                "ERROR",
            ),
            (
                "CREATE TEMP VIEW v AS SELECT pg_read_file('/etc/passwd') FROM person".into(),
                "ERROR",
            ),
            (
                "CREATE TEMP VIEW v AS SELECT 1 FOR PURPOSE research".into(),
                "FOR PURPOSE",
            ),
            (
                format!("{v}; DISCARD ALL; SET denym.purpose = 'marketing'; SELECT * FROM v"),
                "ERROR",
            ),
            (format!("{v}; DISCARD TEMP; SELECT * FROM v"), "ERROR"),
            (format!("{v}; DROP VIEW v; SELECT * FROM v"), "ERROR"),
            (
                format!("{v}; WITH person AS (SELECT 1 AS id) SELECT * FROM v"),
                "WITH query",
            ),
        ] {
            let error = refused(site, &sql);
            assert!(error.contains(told), "{backend} {sql}: {error}");
            assert!(!error.contains("secret-"), "{error}");
        }
        // RESET ALL forgets the purpose and keeps the view, as PostgreSQL does
        let rows = site.ask(
            "anna",
            "marketing",
            &format!("{v}; RESET ALL; SELECT count(*) FROM v FOR PURPOSE research"),
        );
        assert_eq!(rows, Ok(vec![vec!["120".into()]]), "{backend}");
        // one session's view is nobody else's
        site.ask("anna", "marketing", v).expect("made");
        refused(site, "SELECT * FROM v");
    });
}

#[test]
fn a_session_has_so_many_views() {
    let site = Plan::embedded(
        "[purposes]\ngeneral = {}\n[roles]\nr = []\n[users]\nanna = { roles = [\"r\"] }\n[[grants]]\nrole = \"r\"\npurposes = [\"general\"]\n\
         [tables.t]\ndefault = \"<{general}, {}, {}>\"\n[tables.t.columns]\nid = {}\n",
        &[("t", "id\n1\n".to_owned())],
        None,
    )
    .with_limits(|limits| limits.objects = 20)
    .run();
    let make = |count: usize| {
        let views: Vec<String> = (0..count)
            .map(|place| format!("CREATE TEMP VIEW v{place} AS SELECT id FROM t;"))
            .collect();
        site.query("anna", &views.concat())
    };
    make(20).expect("as many as there may be");
    let error = make(21).expect_err("one too many");
    assert!(error.contains("too many"), "{error}");
}
