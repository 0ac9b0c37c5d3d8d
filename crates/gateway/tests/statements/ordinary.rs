//! Statements that anybody writes, with their answers: a gateway that refuses everything is no gateway.

use crate::support::question::{client, runtime};
use crate::world::both_as_set_up;
use tokio_postgres::SimpleQueryMessage;

/// A query without its `FROM person WHERE id = 1`, and the one cell of its answer.
const CELLS: &[(&str, &str)] = &[
    // texts
    ("'O''Brien'", "O'Brien"),
    ("'it''s'", "it's"),
    ("''''", "'"),
    ("''''''", "''"),
    ("''", ""),
    ("' '", " "),
    ("'\\'", "\\"),
    ("'a\\b'", "a\\b"),
    ("'\\''x'", "\\'x"),
    ("'--'", "--"),
    ("'/* no comment */'", "/* no comment */"),
    ("';'", ";"),
    ("'\"'", "\""),
    ("'$1'", "$1"),
    ("'$$'", "$$"),
    ("'100%'", "100%"),
    ("'é漢😀'", "é漢😀"),
    ("E'a\\nb'", "a\nb"),
    ("E'\\''", "'"),
    ("E'\\\\'", "\\"),
    ("E'\\x41\\u00e9'", "Aé"),
    ("e'tab\\t'", "tab\t"),
    ("$$it's$$", "it's"),
    ("$q$a $$ b$q$", "a $$ b"),
    ("U&'\\0041\\00e9'", "Aé"),
    ("N'plain'", "plain"),
    (
        "'SELECT secret FROM raw.person'",
        "SELECT secret FROM raw.person",
    ),
    ("'x'' OR ''1''=''1'", "x' OR '1'='1"),
    ("'FOR PURPOSE care'", "FOR PURPOSE care"),
    // numbers
    ("1", "1"),
    ("- -5", "5"),
    ("- - -5", "-5"),
    ("-(-5)", "5"),
    ("+5", "5"),
    ("1 - -1", "2"),
    ("2 + 3 * 4", "14"),
    ("(2 + 3) * 4", "20"),
    ("10 - 4 - 3", "3"),
    ("10 - (4 - 3)", "9"),
    ("100 / 7", "14"),
    ("100 % 7", "2"),
    ("-7 % 3", "-1"),
    ("2 * 3 + 4 * 5 - 6 / 2", "23"),
    ("9223372036854775807", "9223372036854775807"),
    ("1.5 + 1.5 = 3", "t"),
    ("1e3 = 1000", "t"),
    (".5 < 1", "t"),
    ("7 & 3", "3"),
    ("4 | 1", "5"),
    ("1 << 4", "16"),
    ("abs(-7)", "7"),
    ("CAST(round(2.6) AS int)", "3"),
    ("CAST(floor(2.6) AS int)", "2"),
    ("CAST(ceil(2.1) AS int)", "3"),
    ("CAST(power(2, 10) AS int)", "1024"),
    ("CAST(sqrt(81) AS int)", "9"),
    ("greatest(1, 5, 3)", "5"),
    ("least(4, 2, 8)", "2"),
    ("'5'::int + 1", "6"),
    ("CAST('12' AS bigint)", "12"),
    ("CAST(3.7 AS int) > 2", "t"),
    ("12::text", "12"),
    ("CAST(12 AS varchar)", "12"),
    // truth
    ("true AND NOT false", "t"),
    ("1 = 1 OR 1 / 1 = 2", "t"),
    ("NOT 1 = 2", "t"),
    ("NULL IS NULL", "t"),
    ("1 IS NOT NULL", "t"),
    ("(1 = 1) IS TRUE", "t"),
    ("(1 = 2) IS NOT TRUE", "t"),
    ("1 IS DISTINCT FROM 2", "t"),
    ("NULL IS NOT DISTINCT FROM NULL", "t"),
    ("1 <> 2", "t"),
    ("1 != 2", "t"),
    ("3 BETWEEN 1 AND 5", "t"),
    ("3 NOT BETWEEN 4 AND 5", "t"),
    ("3 IN (1, 2, 3)", "t"),
    ("'a' NOT IN ('b', 'c')", "t"),
    ("1 + 1 = 2 AND 2 * 2 = 4 AND 3 > 2", "t"),
    ("true OR false AND false", "t"),
    // text functions
    ("lower('ABC')", "abc"),
    ("upper('abc')", "ABC"),
    ("length('O''Brien')", "7"),
    ("char_length('漢字')", "2"),
    ("'a' || 'b' || 'c'", "abc"),
    ("'n' || 1", "n1"),
    ("concat('a', 'b', 'c')", "abc"),
    ("concat_ws('-', 'a', 'b')", "a-b"),
    ("substring('hello' FROM 2 FOR 3)", "ell"),
    ("substring('hello', 2)", "ello"),
    ("substr('hello', 2, 2)", "el"),
    ("left('hello', 2)", "he"),
    ("right('hello', 2)", "lo"),
    ("trim('  x  ')", "x"),
    ("trim(BOTH 'x' FROM 'xxaxx')", "a"),
    ("trim(LEADING 'x' FROM 'xxa')", "a"),
    ("trim(TRAILING 'x' FROM 'axx')", "a"),
    ("ltrim('  a')", "a"),
    ("rtrim('a  ')", "a"),
    ("btrim('  a  ')", "a"),
    ("position('l' IN 'hello')", "3"),
    ("strpos('hello', 'lo')", "4"),
    ("replace('a-b-c', '-', '+')", "a+b+c"),
    ("reverse('abc')", "cba"),
    ("lpad('7', 3, '0')", "007"),
    ("rpad('ab', 4, '.')", "ab.."),
    ("split_part('a,b,c', ',', 2)", "b"),
    ("initcap('hello world')", "Hello World"),
    ("translate('abc', 'ab', 'xy')", "xyc"),
    ("ascii('A')", "65"),
    ("chr(66)", "B"),
    ("starts_with('hello', 'he')", "t"),
    ("coalesce(NULL, 'x')", "x"),
    ("nullif('a', 'b')", "a"),
    ("regexp_replace('a1b2', '[0-9]', '#', 'g')", "a#b#"),
    // patterns
    ("'hello' LIKE 'h%'", "t"),
    ("'hello' LIKE 'h_llo'", "t"),
    ("'hello' NOT LIKE 'x%'", "t"),
    ("'HELLO' ILIKE 'h%'", "t"),
    ("'50%' LIKE '50!%' ESCAPE '!'", "t"),
    ("'50x' LIKE '50!%' ESCAPE '!'", "f"),
    ("'50%' LIKE '50\\%'", "t"),
    ("'a_b' LIKE 'a\\_b' ESCAPE '\\'", "t"),
    ("'axb' LIKE 'a#_b' ESCAPE '#'", "f"),
    ("'hello' ~ '^h.*o$'", "t"),
    ("'hello' !~ 'x'", "t"),
    ("'HELLO' ~* 'hello'", "t"),
    // days
    ("date '2024-02-29'", "2024-02-29"),
    ("CAST('2024-02-29' AS date)", "2024-02-29"),
    ("'2024-02-29'::date = day", "f"),
    ("day = date '2024-01-15'", "t"),
    ("day < '2024-02-01'", "t"),
    ("day BETWEEN '2024-01-01' AND '2024-12-31'", "t"),
    ("to_char(day, 'YYYY-MM')", "2024-01"),
    ("to_char(day, 'DD.MM.YYYY')", "15.01.2024"),
    ("to_char(day, 'YYYY')", "2024"),
    ("CAST(EXTRACT(YEAR FROM day) AS int)", "2024"),
    ("CAST(EXTRACT(month FROM day) AS int)", "1"),
    ("CAST(date_part('day', day) AS int)", "15"),
    ("CAST(date_trunc('month', day) AS date)", "2024-01-01"),
    ("CAST(day + INTERVAL '1 day' AS date)", "2024-01-16"),
    ("CAST(day + INTERVAL '1' DAY AS date)", "2024-01-16"),
    ("CAST(day - INTERVAL '1 month' AS date)", "2023-12-15"),
    // cases
    ("CASE WHEN age > 7000 THEN 'old' ELSE 'young' END", "old"),
    (
        "CASE name WHEN 'O''Brien' THEN 'he' WHEN 'x' THEN 'she' END",
        "he",
    ),
    ("CASE WHEN false THEN 1 WHEN true THEN 2 ELSE 3 END", "2"),
    ("(SELECT max(price) FROM orders)", "7"),
    ("age + 1", "7772"),
    ("person.age - id", "7770"),
    ("name || ' of ' || city", "O'Brien of Cork"),
    ("length(name) = char_length(name)", "t"),
];

/// The same where only PostgreSQL answers: the engine of files has no such function, or no subquery in this place.
const CELLS_OF_POSTGRES: &[(&str, &str)] = &[
    ("EXISTS (SELECT 1 FROM orders WHERE price > 6)", "t"),
    ("5 IN (SELECT price FROM orders)", "t"),
    ("50 NOT IN (SELECT price FROM orders)", "t"),
    ("mod(17, 5)", "2"),
    ("NOT EXISTS (SELECT 1 FROM orders WHERE price > 60)", "t"),
    ("position('x' IN 'hello') + ceiling(1.5)::int", "2"),
    ("id = ANY (ARRAY[1, 2])", "t"),
    ("(id, city) = (1, 'Cork')", "t"),
    ("'abc' SIMILAR TO 'a(b|x)c'", "t"),
    ("array_to_string(string_to_array('a,b', ','), '+')", "a+b"),
];

/// Whole queries; cells are parted by `|`, rows by a line end.
const QUERIES: &[(&str, &str)] = &[
    ("SELECT count(*) FROM person", "6"),
    ("SELECT id FROM person WHERE name = 'O''Brien'", "1"),
    ("SELECT id FROM person WHERE name = 'O''''Brien'", "6"),
    ("SELECT id FROM person WHERE name = 'say \"hi\"'", "4"),
    ("SELECT id FROM person WHERE name = 'back\\slash'", "3"),
    ("SELECT id FROM person WHERE name = E'back\\\\slash'", "3"),
    ("SELECT id FROM person WHERE name = $$O'Brien$$", "1"),
    (
        "SELECT id FROM person WHERE name LIKE 'O''%' ORDER BY id",
        "1\n6",
    ),
    (
        "SELECT id FROM person WHERE name IN ('O''Brien', 'Zoë') ORDER BY id",
        "1\n2",
    ),
    ("SELECT id FROM person WHERE city = 'O''Fallon'", "3"),
    ("SELECT id FROM person WHERE city = '100%'", "4"),
    ("SELECT id FROM person WHERE city LIKE 'a\\_b'", "5"),
    (
        "SELECT id FROM person WHERE city LIKE '100!%' ESCAPE '!'",
        "4",
    ),
    ("SELECT name FROM person WHERE id = 5", "x'' OR ''1''=''1"),
    ("SELECT name FROM person WHERE id = 3", "back\\slash"),
    ("SELECT id FROM person WHERE id > 4 ORDER BY id", "5\n6"),
    (
        "SELECT id FROM person WHERE id <= 2 ORDER BY id DESC",
        "2\n1",
    ),
    ("SELECT id FROM person ORDER BY age DESC LIMIT 2", "6\n5"),
    ("SELECT id FROM person ORDER BY id LIMIT 2 OFFSET 1", "2\n3"),
    ("SELECT id FROM person ORDER BY id OFFSET 4", "5\n6"),
    (
        "SELECT id FROM person ORDER BY id FETCH FIRST 2 ROWS ONLY",
        "1\n2",
    ),
    (
        "SELECT DISTINCT city FROM person WHERE city = 'Cork'",
        "Cork",
    ),
    ("SELECT count(DISTINCT city) FROM person", "5"),
    (
        "SELECT city, count(*) FROM person GROUP BY city HAVING count(*) > 1",
        "Cork|2",
    ),
    (
        "SELECT city, count(*) AS n FROM person GROUP BY city ORDER BY n DESC, city LIMIT 1",
        "Cork|2",
    ),
    (
        "SELECT upper(city) AS up, count(*) FROM person GROUP BY up ORDER BY 2 DESC LIMIT 1",
        "CORK|2",
    ),
    (
        "SELECT to_char(day, 'YYYY-MM') AS m, count(*) FROM person GROUP BY to_char(day, 'YYYY-MM') ORDER BY m",
        "2023-12|1\n2024-01|1\n2024-02|3\n2024-03|1",
    ),
    (
        "SELECT to_char(day, 'YYYY-MM'), count(*) FROM person GROUP BY 1 ORDER BY 1 LIMIT 1",
        "2023-12|1",
    ),
    ("SELECT min(id), max(id), sum(id) FROM person", "1|6|21"),
    ("SELECT sum(price) FROM orders", "18"),
    (
        "SELECT item, sum(price) FROM orders GROUP BY item ORDER BY item",
        "cup|7\ntea|11",
    ),
    (
        "SELECT string_agg(item, ',' ORDER BY item) FROM orders",
        "cup,tea,tea",
    ),
    (
        "SELECT string_agg(DISTINCT item, ',' ORDER BY item) FROM orders",
        "cup,tea",
    ),
    ("SELECT count(*) FILTER (WHERE price > 5) FROM orders", "2"),
    (
        "SELECT bool_and(price > 4), bool_or(price > 6) FROM orders",
        "t|t",
    ),
    ("SELECT CAST(avg(price) AS int) FROM orders", "6"),
    (
        "SELECT p.name, o.item FROM person p JOIN orders o ON o.person = p.id ORDER BY o.price",
        "O'Brien|tea\nZoë|tea\nO'Brien|cup",
    ),
    (
        "SELECT p.id FROM person p LEFT JOIN orders o ON o.person = p.id WHERE o.item IS NULL ORDER BY p.id",
        "3\n4\n5\n6",
    ),
    (
        "SELECT p.id, o.item FROM orders o RIGHT JOIN person p ON o.person = p.id AND o.item = 'cup' ORDER BY p.id LIMIT 2",
        "1|cup\n2|\u{2400}",
    ),
    (
        "SELECT count(*) FROM person p FULL JOIN orders o ON o.person = p.id",
        "7",
    ),
    ("SELECT count(*) FROM person CROSS JOIN orders", "18"),
    ("SELECT count(*) FROM person, orders", "18"),
    (
        "SELECT count(*) FROM person p, orders o WHERE o.person = p.id",
        "3",
    ),
    (
        "SELECT count(*) FROM person p INNER JOIN person q ON p.city = q.city",
        "8",
    ),
    (
        "SELECT q.id FROM (SELECT id FROM person WHERE id < 3) q ORDER BY q.id",
        "1\n2",
    ),
    (
        "SELECT q.n FROM (SELECT city, count(*) AS n FROM person GROUP BY city) AS q WHERE q.n = 2",
        "2",
    ),
    (
        "SELECT a FROM (SELECT id, name FROM person) AS q (a, b) WHERE b = 'Zoë'",
        "2",
    ),
    (
        "WITH w AS (SELECT id, name FROM person) SELECT name FROM w WHERE id = 2",
        "Zoë",
    ),
    (
        "WITH w (a, b) AS (SELECT id, name FROM person) SELECT b FROM w WHERE a = 2",
        "Zoë",
    ),
    (
        "WITH a AS (SELECT id FROM person), b AS (SELECT id FROM a WHERE id > 4) SELECT count(*) FROM b",
        "2",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n, person WHERE person.id = 1",
        "15",
    ),
    (
        "SELECT id FROM person WHERE id < 3 UNION SELECT price FROM orders WHERE price > 6 ORDER BY id",
        "1\n2\n7",
    ),
    (
        "SELECT id FROM person UNION ALL SELECT person FROM orders ORDER BY 1 LIMIT 3",
        "1\n1\n1",
    ),
    (
        "SELECT id FROM person EXCEPT SELECT person FROM orders ORDER BY id LIMIT 2",
        "3\n4",
    ),
    (
        "SELECT id FROM person INTERSECT SELECT person FROM orders ORDER BY id",
        "1\n2",
    ),
    (
        "(SELECT id FROM person WHERE id = 1) UNION (SELECT id FROM person WHERE id = 2) ORDER BY id",
        "1\n2",
    ),
    (
        "SELECT id, row_number() OVER (ORDER BY age DESC) AS r FROM person ORDER BY id LIMIT 2",
        "1|6\n2|5",
    ),
    (
        "SELECT id, rank() OVER (PARTITION BY city ORDER BY id) FROM person WHERE city = 'Cork' ORDER BY id",
        "1|1\n6|2",
    ),
    (
        "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person ORDER BY id LIMIT 3",
        "1|1\n2|3\n3|5",
    ),
    (
        "SELECT id, lag(id) OVER (ORDER BY id) FROM person ORDER BY id LIMIT 2",
        "1|\u{2400}\n2|1",
    ),
    (
        "SELECT id, lead(name, 1) OVER w FROM person WINDOW w AS (ORDER BY id) ORDER BY id LIMIT 1",
        "1|Zoë",
    ),
    (
        "SELECT first_value(id) OVER (ORDER BY id DESC) FROM person LIMIT 1",
        "6",
    ),
    (
        "SELECT ntile(2) OVER (ORDER BY id) FROM person ORDER BY id LIMIT 1",
        "1",
    ),
    (
        "SELECT id FROM person p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.person = p.id AND o.price > 5) ORDER BY id",
        "1\n2",
    ),
    (
        "SELECT id FROM person WHERE id IN (SELECT person FROM orders WHERE item = 'cup')",
        "1",
    ),
    (
        "SELECT p.id, (SELECT count(*) FROM orders o WHERE o.person = p.id) FROM person p ORDER BY p.id LIMIT 3",
        "1|2\n2|1\n3|0",
    ),
    ("SELECT * FROM orders WHERE price = 7", "1|cup|7"),
    ("SELECT o.* FROM orders o WHERE o.price = 7", "1|cup|7"),
    ("SELECT id AS \"Odd Name\" FROM person WHERE id = 1", "1"),
    (
        "SELECT q.\"a\"\"b\" FROM (SELECT id AS \"a\"\"b\" FROM person) q WHERE q.\"a\"\"b\" = 3",
        "3",
    ),
    ("SELECT NAME FROM PERSON WHERE ID = 2", "Zoë"),
    ("SELECT \"name\" FROM \"person\" WHERE \"id\" = 2", "Zoë"),
    ("SELECT name FROM public.person WHERE id = 2", "Zoë"),
    ("select p.name from person as p where p.id = 2", "Zoë"),
    ("SELECT count(*) FROM person -- a comment", "6"),
    ("SELECT /* within */ count(*) FROM person", "6"),
    (
        "SELECT count(*)\nFROM person\nWHERE id > 1\n  AND id < 4",
        "2",
    ),
    (
        "SELECT count(*) FROM person WHERE day >= '2024-02-01' AND day < '2024-03-01'",
        "3",
    ),
    (
        "SELECT count(*) FROM person WHERE day > date '2024-02-20'",
        "3",
    ),
    (
        "SELECT count(*) FROM person WHERE day IS NOT NULL AND name IS NOT NULL",
        "6",
    ),
    (
        "SELECT count(*) FROM person WHERE (age > 7800 OR city = 'Bern') AND NOT id = 6",
        "3",
    ),
    ("SELECT count(*) FROM person WHERE age > - -7800", "3"),
    (
        "SELECT coalesce(max(id), 0) FROM person WHERE id > 100",
        "0",
    ),
    (
        "SELECT id FROM person WHERE id = 1 AND name = 'O''Brien' AND city = 'Cork' AND age = 7771 AND day = '2024-01-15'",
        "1",
    ),
    (
        "SELECT sum(CASE WHEN city = 'Cork' THEN 1 ELSE 0 END) FROM person",
        "2",
    ),
    (
        "SELECT DISTINCT ON (city) city, id FROM person WHERE city = 'Cork' ORDER BY city, id",
        "Cork|1",
    ),
    (
        "SELECT city, item, count(*) FROM person p JOIN orders o ON o.person = p.id GROUP BY city, item ORDER BY city, item",
        "Bern|tea|1\nCork|cup|1\nCork|tea|1",
    ),
    (
        "SELECT count(*) FROM generate_series(1, 5) AS g, person WHERE person.id = 1",
        "5",
    ),
    (
        "SELECT l.item FROM person p, LATERAL (SELECT item FROM orders o WHERE o.person = p.id AND o.price = 7) l",
        "cup",
    ),
    (
        "SELECT name FROM person WHERE id = 2 FOR PURPOSE care",
        "Zoë",
    ),
    (
        "SELECT name FROM person WHERE id = 1 FOR PURPOSE marketing",
        "O",
    ),
    (
        "SELECT age FROM person WHERE id = 1 FOR PURPOSE 'marketing'",
        "7770",
    ),
];

fn questions(backend: &str) -> Vec<(String, String)> {
    let more = if backend == "postgres" {
        CELLS_OF_POSTGRES
    } else {
        &[]
    };
    let cells = CELLS.iter().chain(more).map(|(expr, answer)| {
        (
            format!("SELECT {expr} FROM person WHERE id = 1"),
            (*answer).to_owned(),
        )
    });
    let queries = QUERIES
        .iter()
        .map(|(sql, answer)| ((*sql).to_owned(), (*answer).to_owned()));
    cells.chain(queries).collect()
}

#[test]
fn two_hundred_ordinary_statements_have_their_answers() {
    both_as_set_up(|backend, site, _| {
        let questions = questions(backend);
        assert!(questions.len() >= 200, "{}", questions.len());
        let runtime = runtime();
        let client = client(&runtime, site, "anna");
        let mut wrong = Vec::new();
        runtime.block_on(async {
            client
                .batch_execute("SET denym.purpose = 'care'")
                .await
                .expect("permitted");
            for (sql, expected) in &questions {
                let found = match client.simple_query(sql).await {
                    Ok(messages) => messages
                        .iter()
                        .filter_map(|message| match message {
                            SimpleQueryMessage::Row(row) => Some(
                                (0..row.len())
                                    .map(|place| row.get(place).unwrap_or("\u{2400}"))
                                    .collect::<Vec<_>>()
                                    .join("|"),
                            ),
                            _ => None,
                        })
                        .collect::<Vec<_>>()
                        .join("\n"),
                    Err(error) => format!("{error:?}"),
                };
                if found != *expected {
                    wrong.push(format!("{sql}\n  simple: {found}\n  wanted: {expected}"));
                }
                match client.query(sql, &[]).await {
                    Ok(rows)
                        if rows.len() == expected.split('\n').count()
                            || expected.contains('\n') => {}
                    Ok(rows) => wrong.push(format!("{sql}\n  extended: {} rows", rows.len())),
                    Err(error) => wrong.push(format!("{sql}\n  extended: {error:?}")),
                }
            }
        });
        assert!(
            wrong.is_empty(),
            "{backend}: {} of {}\n{}",
            wrong.len(),
            questions.len(),
            wrong.join("\n")
        );
        // through psql, which sends what is typed
        let script: String = QUERIES
            .iter()
            .map(|(sql, _)| format!("{sql}\n;\n"))
            .collect();
        let rows = site
            .query("anna", &format!("SET denym.purpose = 'care';\n{script}"))
            .expect("all are answered");
        let wanted: usize = QUERIES
            .iter()
            .map(|(_, answer)| answer.split('\n').count())
            .sum();
        assert_eq!(rows.len(), wanted, "{backend}");
    });
}

#[test]
fn parameters_are_values_whatever_they_hold() {
    both_as_set_up(|backend, site, _| {
        let runtime = runtime();
        let client = client(&runtime, site, "anna");
        runtime.block_on(async {
            client
                .batch_execute("SET denym.purpose = 'care'")
                .await
                .expect("permitted");
            for (name, expected) in [
                ("O'Brien", 1),
                ("O''Brien", 1),
                ("x'' OR ''1''=''1", 1),
                ("x' OR '1'='1", 0),
                ("back\\slash", 1),
                ("say \"hi\"", 1),
                ("'; --", 0),
            ] {
                let rows = client
                    .query(
                        "SELECT id, $1 AS given FROM person WHERE name = $1",
                        &[&name],
                    )
                    .await
                    .unwrap_or_else(|error| panic!("{backend}: {error:?}"));
                assert_eq!(rows.len(), expected, "{backend} {name}");
            }
            let rows = client
                .query(
                    "SELECT id FROM person WHERE id > $1 AND city <> $2 ORDER BY id",
                    &[&1i64, &"a_b"],
                )
                .await
                .expect("answers");
            let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
            assert_eq!(ids, [2, 3, 4, 6], "{backend}");
        });
    });
}
