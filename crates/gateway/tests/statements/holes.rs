//! Every statement that once brought raw cells out, or ended the gateway; through psql and by both protocols.

use crate::support::{Site, run_raw};
use crate::world::{Asker, PEOPLE, both, leaked};

/// Each showed raw cells, names of the server, or what a condition must not depend on.
const HOLES: [&str; 52] = [
    // literals that were written raw
    "SELECT N'x'''' , secret, name FROM raw.person --' FROM person",
    "SELECT '\\'''' , secret, name FROM raw.person --' FROM person",
    "SELECT B'1'''' , secret, name FROM raw.person --' FROM person",
    "SELECT X'1'''' , secret, name FROM raw.person --' FROM person",
    "SELECT 1 AS \"a\\\"\"\"\" , secret, name FROM raw.person --\" FROM person",
    "SELECT 1 AS \"a\\\\\"\"\"\" , secret, name FROM raw.person --\" FROM person",
    "SELECT 'a\\'' UNION SELECT secret FROM raw.person --' FROM person",
    "SELECT U&'\\0027 , secret FROM raw.person --' FROM person",
    "SELECT E'\\' , secret FROM raw.person --' FROM person",
    "SELECT $x$' , secret FROM raw.person --$x$ FROM person",
    "SELECT id FROM person WHERE city = N'x'' OR true) UNION SELECT secret FROM raw.person --'",
    "SELECT id FROM person \"p\\\"\" , raw.person --\"",
    "WITH \"w\\\"\"\" AS (SELECT 1 AS a) SELECT a FROM \"w\\\"\"\", person",
    "SELECT count(*) OVER \"w\\\"\"\" FROM person WINDOW \"w\\\"\"\" AS ()",
    // functions by field notation
    "SELECT ('SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person').ts_stat FROM person LIMIT 25",
    "SELECT (1.5).pg_sleep FROM person",
    "SELECT (NULL::int).pg_stat_get_activity FROM person",
    "SELECT q.ts_stat FROM person, unnest(ARRAY['SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person']) AS q",
    "SELECT q.ts_stat FROM (SELECT 'SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person' AS q) AS q, person",
    "SELECT g.pg_get_userbyid FROM person, generate_series(10, 10) AS g",
    "SELECT q.current_setting FROM person, unnest(ARRAY['data_directory']) AS q",
    "SELECT g.pg_cancel_backend FROM person, generate_series(1, 3) AS g",
    "SELECT p.pg_column_size FROM person p",
    "SELECT p.row_to_json FROM person p",
    "SELECT (p).name FROM person p",
    "SELECT (SELECT p).secret FROM person p",
    "SELECT city FROM person p ORDER BY p.to_json",
    "SELECT count(*) FROM person p GROUP BY p.hash_record",
    "SELECT o.item FROM person p JOIN orders o ON p.record_out IS NOT NULL",
    // an inner relation of the same name as an outer one
    "SELECT (SELECT p.ts_stat FROM (SELECT 1 AS a) p) FROM (SELECT 'x' AS ts_stat) p, person",
    "SELECT l.x FROM (SELECT 1 AS ts_stat) p, LATERAL (SELECT p.ts_stat AS x FROM unnest(ARRAY['SELECT 1']) AS p) l, person",
    // keywords that are calls
    "SELECT current_role FROM person",
    "SELECT current_user, session_user FROM person",
    "SELECT user FROM person",
    "SELECT current_catalog FROM person",
    "SELECT current_schema FROM person",
    "SELECT id FROM person WHERE current_role = 'x' OR true",
    // types that read the catalogue
    "SELECT '{raw.person}'::_regclass FROM person",
    "SELECT _regclass '{raw.person}' FROM person",
    "SELECT _regrole '{postgres}' FROM person WHERE false",
    "SELECT CAST('{10}' AS regrole[]) FROM person",
    "SELECT regtype '16' FROM person",
    // a comment that the printer made
    "SELECT - -1, ' , secret FROM raw.person --' FROM person",
    "SELECT - - -1, '\n , secret FROM raw.person --' FROM person",
    "SELECT 1 - -1 AS \"\n , secret FROM raw.person --\" FROM person",
    // names of three parts, system columns, whole rows
    "SELECT o.item FROM person c JOIN denym.public.orders o ON o.person = c.id",
    "SELECT raw.person.secret FROM person",
    "SELECT ctid, xmin, tableoid FROM person",
    "SELECT p.tableoid FROM person p",
    "SELECT person FROM person",
    "SELECT p FROM person p",
    "SELECT row_to_json(p), p::text FROM person p",
];

/// The marks of what a hole showed are in the statements themselves: only what comes back counts.
fn heard_by_psql(site: &Site, purpose: &str, sql: &str) -> String {
    let mut command = site.psql("anna");
    command.args(["-v", "ON_ERROR_STOP=0", "-v", "VERBOSITY=verbose"]);
    run_raw(
        command,
        &format!("SET denym.purpose = '{purpose}';\n{sql};\n"),
    )
}

#[test]
fn no_known_hole_is_open() {
    both(|backend, site, _| {
        for purpose in ["marketing", "care"] {
            let asker = Asker::new(site, purpose);
            for sql in HOLES {
                asker.ask_both(backend, sql);
                asker.ask_both(backend, &format!("{sql} FOR PURPOSE {purpose}"));
                let cursor =
                    format!("BEGIN; DECLARE c CURSOR FOR {sql}; FETCH ALL FROM c; ROLLBACK");
                let heard = asker.simple(&cursor);
                asker.judge(backend, &cursor, &heard);
                asker.simple("ROLLBACK");
                let view = format!("CREATE OR REPLACE TEMP VIEW v AS {sql}");
                let heard = asker.simple(&view);
                asker.judge(backend, &view, &heard);
                asker.ask_both(backend, "SELECT * FROM v");
                if purpose == "marketing" {
                    let text = heard_by_psql(site, purpose, sql);
                    assert_eq!(leaked(&text, purpose), None, "{backend} {sql}\n{text}");
                }
            }
        }
        // nothing ended, nothing hangs
        let rows = site.ask("anna", "care", "SELECT count(*) FROM person");
        assert_eq!(rows, Ok(vec![vec![PEOPLE.len().to_string()]]), "{backend}");
    });
}

#[test]
fn the_ways_out_are_refused_before_they_reach_the_server() {
    both(|backend, site, _| {
        if backend != "postgres" {
            return;
        }
        let asker = Asker::new(site, "marketing");
        // a text with quotes, backslashes or dashes is a text: these answer, with the text as it came
        let harmless = |sql: &str| {
            sql.contains(" - -")
                || (sql.contains(" --") && !sql.contains("B'1") && !sql.contains("X'1"))
                || sql.contains("WINDOW")
                || sql.starts_with("WITH")
        };
        for sql in HOLES.iter().filter(|sql| !harmless(sql)) {
            assert_eq!(asker.ask_both(backend, sql), [false, false], "{sql}");
        }
    });
}

#[test]
fn a_quote_in_a_text_stays_in_it() {
    both(|backend, site, _| {
        for (sql, expected) in [
            (
                "SELECT count(*) FROM person WHERE city = 'x'' OR ''1''=''1'",
                "0",
            ),
            ("SELECT count(*) FROM person WHERE name = 'O''Brien'", "1"),
            ("SELECT count(*) FROM person WHERE name = 'O''''Brien'", "1"),
            (
                "SELECT count(*) FROM person WHERE name = 'x'''' OR ''''1''''=''''1'",
                "1",
            ),
            (
                "SELECT count(*) FROM person WHERE name = 'back\\slash'",
                "1",
            ),
            (
                "SELECT count(*) FROM person WHERE name = E'back\\\\slash'",
                "1",
            ),
            (
                "SELECT count(\"a\"\"b\") FROM (SELECT name AS \"a\"\"b\" FROM person) q",
                "6",
            ),
            (
                "SELECT count(*) FROM person WHERE city LIKE '100!%' ESCAPE '!'",
                "1",
            ),
            (
                "SELECT count(*) FROM person WHERE city LIKE 'a!_b' ESCAPE '!'",
                "1",
            ),
            ("SELECT count(*) FROM person WHERE age > - -7800", "3"),
        ] {
            let rows = site.ask("anna", "care", sql);
            assert_eq!(rows, Ok(vec![vec![expected.into()]]), "{backend} {sql}");
        }
    });
}

#[test]
fn the_log_has_the_statement_as_it_came_and_every_table() {
    both(|backend, site, _| {
        let sql = "SELECT p.name,\n  o.item /* why */ FROM person p JOIN orders o ON o.person = p.id WHERE p.name <> 'it''s' AND p.city <> E'\\\\' -- so";
        site.ask("anna", "care", &format!("{sql}\n"))
            .expect("permitted");
        let log = site.audit();
        let access: serde_json::Value = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .find(|event: &serde_json::Value| event["event"] == "access")
            .expect("an access");
        let (kept, _) = sql.rsplit_once(" -- so").expect("a comment");
        assert_eq!(access["statement"], kept, "{backend}");
        let tables =
            serde_json::json!({"person": ["id", "name", "city"], "orders": ["person", "item"]});
        assert_eq!(access["tables"], tables, "{backend}");
        // a name of three parts is no way around the log
        let three = "SELECT o.item FROM person c JOIN denym.public.orders o ON o.person = c.id";
        let error = site.ask("anna", "care", three).expect_err("refused");
        assert!(error.contains("more than two parts"), "{backend} {error}");
    });
}
