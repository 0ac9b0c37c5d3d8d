//! Statements that are tall, long or wound up: refused or answered in good time, and the gateway stays for everybody.

use crate::support::Site;
use crate::world::{Asker, PEOPLE, both};
use std::time::{Duration, Instant};

fn towers() -> Vec<String> {
    let mut out = Vec::new();
    for (count, part) in [
        (150_000, "1 + "),
        (5_000, "- "),
        (5_000, "NOT "),
        (5_000, "("),
        (2_000, "1 || "),
        (1_900, "- "),
        (1_900, "NOT "),
        (1_000, "1 - "),
        (59, "("),
        (30, "(("),
    ] {
        let body = part.repeat(count);
        let closing = if part.starts_with('(') {
            ")".repeat(count * part.len())
        } else {
            String::new()
        };
        out.push(format!("SELECT {body}1{closing} FROM person"));
        // the same inside of a quote, once and twice doubled, in each way of quoting
        for quote in ["''", "''''"] {
            for mark in ["", "N", "E", "X", "B", "U&"] {
                out.push(format!(
                    "SELECT {mark}'x{quote} , {body}1{closing} --' FROM person"
                ));
                out.push(format!("SELECT {mark}'x{quote} , {body}1{closing} --'"));
            }
        }
        out.push(format!("SELECT $$x' , {body}1{closing} --$$"));
        out.push(format!(
            "SELECT 1 AS \"x\\\"\" , {body}1{closing} --\" FROM person"
        ));
    }
    for count in [12, 38, 1_500] {
        let wrap = |open: &str, core: &str, close: &str| {
            format!("{}{core}{}", open.repeat(count), close.repeat(count))
        };
        out.push(format!(
            "SELECT {} FROM person",
            wrap("lower(", "city", ")")
        ));
        out.push(format!(
            "SELECT {} FROM person",
            wrap("CASE WHEN true THEN ", "1", " END")
        ));
        out.push(format!("SELECT {} FROM person", wrap("(SELECT ", "1", ")")));
        out.push(format!(
            "SELECT {} FROM person",
            wrap("CAST(", "1", " AS int)")
        ));
        out.push(format!("SELECT {} FROM person", wrap("ARRAY[", "1", "]")));
        out.push(format!(
            "SELECT {} FROM person",
            wrap("coalesce((", "1", "))")
        ));
        out.push(format!("SELECT 1{} FROM person", "::int".repeat(count)));
        out.push(format!(
            "SELECT city{} FROM person",
            " IS NULL".repeat(count)
        ));
        out.push(format!("SELECT city{} FROM person", "[1]".repeat(count)));
        out.push(format!("SELECT city{} FROM person", ".x".repeat(count)));
        out.push(format!(
            "SELECT id FROM {}",
            wrap("(SELECT id FROM ", "person", ") q")
        ));
        out.push(format!("SELECT id FROM {}", wrap("(", "person", ")")));
        out.push(format!(
            "SELECT id FROM {}",
            wrap("((person CROSS JOIN orders) CROSS JOIN ", "orders", ")")
        ));
        out.push(wrap("(", "SELECT id FROM person", ")"));
        out.push(wrap("(SELECT id FROM person UNION ", "SELECT 1", ")"));
        out.push(format!(
            "SELECT id FROM person{}",
            " UNION SELECT 1".repeat(count)
        ));
        out.push(format!(
            "SELECT id FROM person WHERE id = 0{}",
            " OR id = 1".repeat(count)
        ));
        out.push(format!(
            "SELECT id FROM person WHERE {}",
            wrap("id IN (SELECT id FROM person WHERE ", "true", ")")
        ));
        out.push(format!(
            "SELECT id FROM person WHERE {}",
            wrap("EXISTS (SELECT 1 WHERE ", "true", ")")
        ));
        out.push(format!(
            "SELECT id FROM person WHERE id IN ({}1)",
            "1, ".repeat(count)
        ));
        out.push(wrap("WITH w AS (", "SELECT 1", ") SELECT id FROM person"));
        out.push(format!(
            "SELECT id FROM person {}",
            "JOIN orders ON true ".repeat(count.min(60))
        ));
        out.push(format!(
            "SELECT interval {}",
            "'1' + interval ".repeat(count)
        ));
    }
    out
}

fn lives(backend: &str, site: &Site) {
    let rows = site.ask("anna", "care", "SELECT count(*) FROM person");
    assert_eq!(rows, Ok(vec![vec![PEOPLE.len().to_string()]]), "{backend}");
}

#[test]
fn no_tower_brings_the_gateway_down_or_holds_it_up() {
    both(|backend, site, _| {
        let asker = Asker::new(site, "marketing");
        for (place, sql) in towers().iter().enumerate() {
            let start = Instant::now();
            asker.ask_both(backend, sql);
            // what a view or a cursor holds is written out and read by others too
            if place % 3 == 0 {
                let view = format!("CREATE OR REPLACE TEMP VIEW v AS {sql}");
                let heard = asker.simple(&view);
                asker.judge(backend, &view, &heard);
                asker.ask_both(backend, "SELECT * FROM v");
            }
            let head: String = sql.chars().take(120).collect();
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{backend} {place}: {head} takes {:?}",
                start.elapsed()
            );
        }
        lives(backend, site);
    });
}
