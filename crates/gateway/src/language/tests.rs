//! What is written for a statement, and that everything that can be said reads back as itself.

use super::functions::{Role, all};
use super::*;
use crate::statement::{Command, parse};
use sqlparser::ast::Statement;

fn governed() -> BTreeMap<String, Governed> {
    let table = |columns: &[&str], sql: &str| Governed {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        sql: sql.to_owned(),
    };
    BTreeMap::from([
        (
            "person".to_owned(),
            table(&["id", "name"], "SELECT t.a AS id, t.b AS name FROM s.t"),
        ),
        (
            "visit".to_owned(),
            table(&["id", "cost"], "SELECT 1 AS id, 2 AS cost"),
        ),
    ])
}

fn written(sql: &str, binds: bool) -> Result<Sent, Error> {
    match parse(sql)?.pop() {
        Some(Command::Query { statement, .. }) => match *statement {
            Statement::Query(query) => translate(&query, &governed(), binds),
            _ => Err(Error::Syntax),
        },
        _ => Err(Error::Syntax),
    }
}

const PERSON: &str = "(SELECT t.a AS id, t.b AS name FROM s.t) AS \"r~1\"(\"id\", \"name\")";

#[test]
fn names_are_resolved_and_literals_quoted() {
    for (sql, expected) in [
        (
            "SELECT name FROM person",
            format!("SELECT \"r~1\".\"name\" AS \"name\" FROM {PERSON}"),
        ),
        (
            "SELECT p.* FROM person p WHERE NOT p.name = 'O''Br\\ien' OR id - -1 > 2",
            format!(
                "SELECT \"r~1\".\"id\" AS \"id\", \"r~1\".\"name\" AS \"name\" FROM {PERSON} \
                 WHERE ((NOT (\"r~1\".\"name\" = E'O''Br\\\\ien')) OR ((\"r~1\".\"id\" - (- 1)) > 2))"
            ),
        ),
        (
            "SELECT - -1, N'x''y', $$a'b$$, 1.5::text AS \"q\"\"r\" FROM person",
            format!(
                "SELECT (- (- 1)) AS \"?column?\", 'x''y' AS \"?column?\", 'a''b' AS \"?column?\", CAST(1.5 AS text) AS \"q\"\"r\" FROM {PERSON}"
            ),
        ),
    ] {
        assert_eq!(written(sql, false).expect(sql).sql, expected, "{sql}");
    }
    let sent = written(
        "SELECT id FROM person WHERE name = 'O''Brien' AND id > 5 AND id > 1234567890",
        true,
    );
    let sent = sent.expect("plain");
    assert_eq!(sent.values, ["O'Brien", "5"]);
    assert!(sent.sql.ends_with("WHERE ((\"r~1\".\"name\" = $1) AND (\"r~1\".\"id\" > $2) AND (\"r~1\".\"id\" > 1234567890))"));
    assert_eq!(sent.tables, ["person"]);
}

#[test]
fn a_name_that_is_no_column_is_refused() {
    for sql in [
        "SELECT person FROM person",
        "SELECT p FROM person p",
        "SELECT p.secret FROM person p",
        "SELECT p.ts_stat FROM person p",
        "SELECT name.length FROM person",
        "SELECT ctid FROM person",
        "SELECT q.ts_stat FROM unnest(ARRAY['x']) AS q, person",
        "SELECT g.g.g FROM generate_series(1, 2) AS g, person",
        // only LATERAL sees its neighbours, and only a SELECT's own relations are in sight
        "SELECT q.x FROM person p, (SELECT p.id AS x) q",
        "SELECT id FROM person UNION SELECT p.id FROM visit ORDER BY cost",
        "SELECT (SELECT v.id FROM visit v), v.id FROM person p",
        // the nearest relation of a name counts, not one that happens to have the column
        "SELECT (SELECT p.name FROM visit p LIMIT 1) FROM person p",
        "SELECT id FROM person p JOIN visit v USING (name)",
    ] {
        let found = written(sql, false).map(|sent| sent.sql);
        assert!(
            matches!(found, Err(Error::Unknown { .. } | Error::NotAllowed { .. })),
            "{sql}: {found:?}"
        );
    }
    for sql in [
        "SELECT id FROM person, visit",
        "SELECT q.id FROM (SELECT id FROM person, visit) q",
    ] {
        assert!(
            matches!(written(sql, false), Err(Error::Ambiguous { .. })),
            "{sql}"
        );
    }
}

#[test]
fn every_function_reads_back_as_itself() {
    let mut wrong = Vec::new();
    for (function, counts) in all() {
        for count in counts {
            let args: Vec<&str> = ["name", "5", "'x'", "id"].into_iter().take(count).collect();
            let rest = match function.role {
                Role::Scalar | Role::Aggregate | Role::Word => "",
                Role::Ordered => " WITHIN GROUP (ORDER BY id)",
                Role::Window => " OVER (ORDER BY id)",
            };
            let sql = format!(
                "SELECT {}({}){rest} FROM person",
                function.name,
                args.join(", ")
            );
            if let Err(error) = written(&sql, false) {
                wrong.push(format!("{sql}: {error}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_clause_reads_back_as_itself() {
    for sql in [
        "SELECT DISTINCT ON (name, 1) name FROM person ORDER BY name DESC NULLS LAST, 2 LIMIT 3 OFFSET 1",
        "SELECT name FROM person ORDER BY name FETCH FIRST 3 ROWS WITH TIES",
        "SELECT name AS n FROM person GROUP BY n, id + 1 HAVING count(*) > 1 ORDER BY n",
        "SELECT name, count(*) FROM person GROUP BY GROUPING SETS ((name), (name, id), ())",
        "SELECT name, count(*) FROM person GROUP BY CUBE (name, id)",
        "SELECT name, count(*) FROM person GROUP BY ROLLUP (name, id)",
        "SELECT sum(id) OVER w, rank() OVER (w ORDER BY name) FROM person WINDOW w AS (PARTITION BY name)",
        "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM person",
        "SELECT sum(id) OVER (ORDER BY id RANGE 5 PRECEDING), max(id) OVER (ORDER BY id GROUPS CURRENT ROW) FROM person",
        "SELECT string_agg(DISTINCT name, ',' ORDER BY name) FILTER (WHERE id > 1) FROM person",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id DESC) FROM person",
        "SELECT * FROM person JOIN visit USING (id)",
        "SELECT * FROM person NATURAL LEFT JOIN visit",
        "SELECT id FROM person p NATURAL JOIN visit",
        "SELECT p.id FROM person p JOIN (visit v CROSS JOIN visit w) ON v.id = p.id AND w.id = p.id FULL JOIN visit x ON true RIGHT JOIN visit y ON x.id = y.id",
        "SELECT q.a FROM person p, LATERAL (SELECT p.id AS a UNION SELECT p.id + 1) q",
        "SELECT q.a, q.name FROM (SELECT * FROM person) AS q (a)",
        "WITH a AS (SELECT 1 AS x), b (y) AS MATERIALIZED (SELECT x FROM a) SELECT y FROM b, person",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n, person",
        "WITH RECURSIVE n(i) AS (WITH m AS (SELECT 2 AS z) SELECT z FROM m UNION SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n, person",
        "SELECT id FROM person UNION ALL SELECT cost FROM visit EXCEPT SELECT 1 INTERSECT SELECT 2 ORDER BY id",
        "(SELECT id FROM person ORDER BY id LIMIT 1) UNION (SELECT 2 ORDER BY 1) ORDER BY 1",
        "VALUES (1, 'a'), ((SELECT max(id) FROM person), NULL)",
        "SELECT column1 FROM (VALUES (1), (2)) v, person",
        "SELECT g, h.x FROM person, generate_series(1, 3) g, generate_series(1, 3, 1) AS h (x)",
        "SELECT u FROM person, unnest(ARRAY[1, 2]) AS u",
        "SELECT (id, name) IN ((1, 'a'), (2, 'b')), (id, 1) = (1, 1), id = ANY (ARRAY[1, 2]), id > ALL (SELECT cost FROM visit) FROM person",
        "SELECT id IN (SELECT id FROM visit), NOT EXISTS (SELECT 1 FROM visit v WHERE v.id = person.id), (SELECT max(cost) FROM visit) FROM person",
        "SELECT CASE WHEN id > 1 AND id < 5 OR id = 7 THEN 'a' ELSE name END, CASE id WHEN 1 THEN 2 END FROM person",
        "SELECT name LIKE 'a!%' ESCAPE '!', name NOT ILIKE name, name LIKE name ESCAPE 'x', name SIMILAR TO 'a|b', name NOT SIMILAR TO 'a' ESCAPE 'x' FROM person",
        "SELECT id BETWEEN 1 AND 2 + 3, id NOT BETWEEN -1 AND 1, id IS NULL, id IS NOT NULL, (id = 1) IS NOT FALSE, id IS NOT DISTINCT FROM 2 FROM person",
        "SELECT 1 + 2 * 3 - 4 / 5 % 6, (1 + 2) * 3, 1 - (2 - 3), - (- 1), + 1, 2 ^ 3 ^ 2, 1 << 2 | 3 & 4 # 5, 'a' || 'b' || 1 FROM person",
        "SELECT true AND NOT false OR NOT (true OR false) AND NULL, name ~ 'a', name !~* 'b' FROM person",
        "SELECT CAST(id AS numeric(10, 2)), id::double precision, '{1}'::int[], name::varchar(5), id::char, '1 day'::interval, now.x FROM person, (SELECT 1 AS x) AS now",
        "SELECT date '2024-01-01' + interval '1 day', timestamp '2024-01-01 00:00', INTERVAL '2' HOUR, timestamptz '2024-01-01' AT TIME ZONE 'UTC' FROM person",
        "SELECT extract(year FROM date '2024-01-01'), position('a' IN name), substring(name FROM 2 FOR 1), substring(name, 2), substring(name FOR 2), trim(BOTH 'x' FROM name), ceil(1.5), floor(id) FROM person",
        "SELECT \"substr\"(name, 2), substr(name, 2), \"ceil\"(id), \"lower\"(name) FROM person",
        "SELECT $1, $2::text FROM person WHERE id = $3 LIMIT $4",
        "SELECT 1e10, 1.5E-3, .5, 0.0, 12345678901234567890 FROM person",
        "SELECT count(*), count(id), count(DISTINCT id), coalesce(NULL, 1), greatest(1, 2), nullif(1, 2) FROM person",
    ] {
        let found = written(sql, false);
        assert!(found.is_ok(), "{sql}: {found:?}");
    }
}

#[test]
fn a_text_that_says_something_else_is_not_sent() {
    let sql = "SELECT id FROM person WHERE name = 'x'";
    let Some(Command::Query { statement, .. }) = parse(sql).expect("plain").pop() else {
        panic!("a query");
    };
    let Statement::Query(query) = *statement else {
        panic!("a query");
    };
    let tree = lift::of_client(&query, &governed(), false)
        .expect("plain")
        .query;
    let text = print::print(&tree, &governed());
    assert!(check::same(&text, &tree, &governed()).is_ok());
    for (from, to) in [
        ("'x'", "'y'"),
        ("'x'", "'x' OR true"),
        ("'x'", "N'x'"),
        ("\"id\"", "\"secret\""),
        ("s.t)", "s.u)"),
        ("\"r~1\".\"name\"", "\"r~1\".\"lower\""),
        ("SELECT \"r~1\"", "SELECT pg_sleep(1), \"r~1\""),
        ("'x'", "'x' -- "),
        ("'x'", "'x'; SELECT 1"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let found = check::same(&changed, &tree, &governed());
        assert!(matches!(found, Err(Error::Mistrusted)), "{changed}");
    }
}

#[test]
fn a_servers_message_speaks_of_the_clients_columns() {
    for (message, expected) in [
        (
            "column \"r~12.name\" must appear in the GROUP BY clause",
            "column \"name\" must appear in the GROUP BY clause",
        ),
        ("column r~ is odd, r~1 too", "column r~ is odd, r~1 too"),
    ] {
        assert_eq!(without_marks(message), expected);
    }
}
