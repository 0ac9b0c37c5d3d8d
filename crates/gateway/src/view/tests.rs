//! What statements become with their views written out.

use super::{LONGEST_NAME, MOST_NESTED, ViewMistake, Views};
use crate::error::Error;
use crate::statement::{Command, parse};

/// Makes views from a text of `CREATE TEMP VIEW` statements.
fn make(views: &mut Views, text: &str) -> Result<(), Error> {
    for command in parse(text).expect(text) {
        match command {
            Command::CreateView(new) => {
                *views = views.with(&new.name, new.view.clone(), new.replaces)?;
            }
            Command::DropView {
                names,
                missing_ok,
                cascades,
            } => views.drop(&names, missing_ok, cascades)?,
            other => panic!("{other:?}"),
        }
    }
    Ok(())
}

fn views(text: &str) -> Views {
    let mut views = Views::default();
    make(&mut views, text).expect(text);
    views
}

fn expand(views: &Views, sql: &str) -> Result<Option<String>, Error> {
    let Ok([Command::Query { statement, sql, .. }]) =
        <[Command; 1]>::try_from(parse(sql).expect(sql))
    else {
        panic!("{sql}");
    };
    Ok(views.expand(&statement, &sql)?.map(|(_, sql)| sql))
}

fn mistake<T: std::fmt::Debug>(result: Result<T, Error>) -> ViewMistake {
    match result {
        Err(Error::View { mistake, .. }) => mistake,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_name_becomes_its_query() {
    let views = views(
        "CREATE TEMP VIEW v AS SELECT a, b FROM t;
         CREATE TEMP VIEW \"V\" (x, y) AS SELECT a FROM v;",
    );
    for (sql, expected) in [
        (
            "SELECT a FROM v",
            "SELECT a FROM (SELECT a, b FROM t) AS \"v\"",
        ),
        (
            "SELECT a FROM V AS w",
            "SELECT a FROM (SELECT a, b FROM t) AS w",
        ),
        (
            "SELECT a FROM pg_temp.v",
            "SELECT a FROM (SELECT a, b FROM t) AS \"v\"",
        ),
        (
            "SELECT 1 FROM \"V\"",
            "SELECT 1 FROM (SELECT a FROM (SELECT a, b FROM t) AS \"v\") AS \"V\" (x, y)",
        ),
        (
            "SELECT 1 FROM \"V\" AS z (p)",
            "SELECT 1 FROM (SELECT a FROM (SELECT a, b FROM t) AS \"v\") AS z (p, y)",
        ),
        (
            "SELECT 1 FROM t JOIN v ON v.a = t.a WHERE EXISTS (SELECT 1 FROM v)",
            "SELECT 1 FROM t JOIN (SELECT a, b FROM t) AS \"v\" ON v.a = t.a WHERE EXISTS (SELECT 1 FROM (SELECT a, b FROM t) AS \"v\")",
        ),
    ] {
        assert_eq!(
            expand(&views, sql).expect(sql).as_deref(),
            Some(expected),
            "{sql}"
        );
    }
    for sql in [
        "SELECT v FROM t",
        "SELECT * FROM public.v",
        "SELECT * FROM raw.v",
        "SELECT 'v'",
    ] {
        assert_eq!(expand(&views, sql).expect(sql), None, "{sql}");
    }
    assert_eq!(
        expand(&Views::default(), "SELECT * FROM v").expect("none"),
        None
    );
}

#[test]
fn a_with_name_hides_a_view_where_it_is_seen() {
    let views = views("CREATE TEMP VIEW v AS SELECT a FROM t");
    for sql in [
        "WITH v AS (SELECT 1) SELECT * FROM v",
        "WITH RECURSIVE v AS (SELECT 1 UNION SELECT * FROM v) SELECT * FROM v",
    ] {
        assert_eq!(expand(&views, sql).expect(sql), None, "{sql}");
    }
    for (sql, expected) in [
        (
            "WITH v AS (SELECT * FROM v) SELECT * FROM v",
            "WITH v AS (SELECT * FROM (SELECT a FROM t) AS \"v\") SELECT * FROM v",
        ),
        (
            "SELECT * FROM v WHERE EXISTS (WITH v AS (SELECT 1) SELECT * FROM v)",
            "SELECT * FROM (SELECT a FROM t) AS \"v\" WHERE EXISTS (WITH v AS (SELECT 1) SELECT * FROM v)",
        ),
    ] {
        assert_eq!(
            expand(&views, sql).expect(sql).as_deref(),
            Some(expected),
            "{sql}"
        );
    }
    // `t` of the view is not the `t` of the statement
    let caught = expand(&views, "WITH t AS (SELECT 1 AS a) SELECT * FROM v");
    assert_eq!(mistake(caught), ViewMistake::Caught);
    let deep = expand(
        &views,
        "WITH t AS (SELECT 1 AS a) SELECT (SELECT max(a) FROM v) FROM t",
    );
    assert_eq!(mistake(deep), ViewMistake::Caught);
}

#[test]
fn names_stay_apart() {
    let mut all = views("CREATE TEMP VIEW v AS SELECT 1 AS a");
    for (text, expected) in [
        ("CREATE TEMP VIEW V AS SELECT 2", ViewMistake::Exists),
        ("CREATE TEMP VIEW pg_class AS SELECT 2", ViewMistake::Name),
        ("DROP VIEW w", ViewMistake::Missing),
        ("DROP VIEW v, w", ViewMistake::Missing),
        ("DROP VIEW \"V\"", ViewMistake::Missing),
    ] {
        assert_eq!(mistake(make(&mut all, text)), expected, "{text}");
    }
    let long = format!(
        "CREATE TEMP VIEW {} AS SELECT 1",
        "x".repeat(LONGEST_NAME + 1)
    );
    assert_eq!(mistake(make(&mut all, &long)), ViewMistake::Name);
    make(
        &mut all,
        "CREATE TEMP VIEW \"V\" AS SELECT 2; DROP VIEW IF EXISTS w; DROP VIEW v;",
    )
    .expect("possible");
    assert!(all.contains("V") && !all.contains("v"));
}

#[test]
fn a_view_that_is_read_is_dropped_with_its_readers_or_not_at_all() {
    let mut all = views(
        "CREATE TEMP VIEW a AS SELECT 1 AS x; CREATE TEMP VIEW b AS SELECT * FROM a; CREATE TEMP VIEW c AS SELECT * FROM b;
         CREATE TEMP VIEW d AS SELECT 1;",
    );
    for text in ["DROP VIEW a", "DROP VIEW a, b"] {
        assert_eq!(mistake(make(&mut all, text)), ViewMistake::Needed, "{text}");
    }
    assert_eq!(all.len(), 4);
    make(&mut all, "DROP VIEW a, b, c").expect("nobody reads them");
    assert_eq!(all.len(), 1);
    let mut all = views(
        "CREATE TEMP VIEW a AS SELECT 1 AS x; CREATE TEMP VIEW b AS SELECT * FROM a; CREATE TEMP VIEW c AS SELECT * FROM b;
         CREATE TEMP VIEW d AS SELECT 1;",
    );
    make(&mut all, "DROP VIEW a CASCADE").expect("with its readers");
    assert!(all.len() == 1 && all.contains("d"));
}

#[test]
fn no_view_reads_itself() {
    let mut all = Views::default();
    let own = make(&mut all, "CREATE TEMP VIEW a AS SELECT * FROM a");
    assert_eq!(mistake(own), ViewMistake::Recursive);
    make(&mut all, "CREATE TEMP VIEW a AS SELECT 1 AS x; CREATE TEMP VIEW b AS SELECT * FROM a; CREATE TEMP VIEW c AS SELECT * FROM b WHERE x IN (SELECT x FROM a)")
        .expect("possible");
    for text in [
        "CREATE OR REPLACE TEMP VIEW a AS SELECT * FROM a",
        "CREATE OR REPLACE TEMP VIEW a AS SELECT * FROM b",
        "CREATE OR REPLACE TEMP VIEW a AS SELECT 1 WHERE EXISTS (SELECT 1 FROM c)",
    ] {
        assert_eq!(
            mistake(make(&mut all, text)),
            ViewMistake::Recursive,
            "{text}"
        );
    }
    assert_eq!(
        expand(&all, "SELECT * FROM b")
            .expect("as it was")
            .as_deref(),
        Some("SELECT * FROM (SELECT * FROM (SELECT 1 AS x) AS \"a\") AS \"b\"")
    );
    // replacing one changes those that read it
    make(&mut all, "CREATE OR REPLACE TEMP VIEW a AS SELECT 2 AS x").expect("possible");
    assert_eq!(
        expand(&all, "SELECT * FROM b").expect("anew").as_deref(),
        Some("SELECT * FROM (SELECT * FROM (SELECT 2 AS x) AS \"a\") AS \"b\"")
    );
}

#[test]
fn towers_of_views_are_bounded() {
    // each reads the one before twice: 2^n without a bound
    let mut all = views("CREATE TEMP VIEW v0 AS SELECT 1 AS x");
    let refused = (1..64).find_map(|level| {
        let below = level - 1;
        let text = format!("CREATE TEMP VIEW v{level} AS SELECT a.x FROM v{below} a, v{below} b");
        make(&mut all, &text).err().map(|error| (level, error))
    });
    let (level, error) = refused.expect("a bound");
    assert!((5..12).contains(&level), "{level}");
    assert_eq!(mistake::<()>(Err(error)), ViewMistake::Long);
    // one after the other: deep
    let mut all = views("CREATE TEMP VIEW v0 AS SELECT 1 AS x");
    for level in 1..MOST_NESTED {
        let text = format!("CREATE TEMP VIEW v{level} AS SELECT x FROM v{}", level - 1);
        make(&mut all, &text).expect("not too deep");
    }
    let text = format!(
        "CREATE TEMP VIEW deep AS SELECT x FROM v{}",
        MOST_NESTED - 1
    );
    assert_eq!(mistake(make(&mut all, &text)), ViewMistake::Nested);
    // the statement's own words count too
    let list = format!("SELECT 1 IN ({}1) AS x", "1, ".repeat(1_500));
    let mut all = views(&format!("CREATE TEMP VIEW v AS {list}"));
    let twice = format!("{list} FROM v");
    assert_eq!(mistake(expand(&all, &twice)), ViewMistake::Long);
    make(&mut all, "DROP VIEW v").expect("there");
    assert_eq!(all.len(), 0);
}
