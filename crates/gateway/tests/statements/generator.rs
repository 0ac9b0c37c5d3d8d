//! Statements made by a grammar of mischief: every literal form, every kind of expression that the parser knows, every function and type of
//! both engines by name, field notation, casts, odd parameters, in every place of a query. Whatever comes back is searched for marked cells.
//! All of it runs in a process that may hold four gigabytes, while somebody else keeps asking and is answered rightly.

use crate::support::Site;
use crate::support::process::capped;
use crate::support::random::Draws;
use crate::world::{Asker, Others, both, leaked};
use denym_testkit::postgres::{Server, feed};
use tokio_postgres::types::Type;

/// What would read raw cells if it ever became SQL.
const PAYLOADS: [&str; 14] = [
    "x' , secret, name FROM raw.person --",
    "x'' , secret, name FROM raw.person --",
    "x\\' , secret, name FROM raw.person --",
    "x\\'' UNION SELECT secret FROM raw.person --",
    "x\" , secret FROM raw.person --",
    "x\\\" , secret FROM raw.person --",
    "x'; SELECT secret FROM raw.person; --",
    "x') UNION ALL SELECT secret FROM raw.person --",
    "*/ , secret FROM raw.person /*",
    "$$ , secret FROM raw.person --",
    "\n , secret FROM raw.person --",
    "\u{2019} , secret FROM raw.person --",
    "SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person",
    "\\",
];

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn double(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A literal in one of the ways of writing one; not all of them end where they should.
fn literal(draws: &mut Draws) -> String {
    let body = draws.pick(&PAYLOADS);
    let quoted = single(body);
    match draws.next(20) {
        0 => format!("N{quoted}"),
        1 => format!("X{quoted}"),
        2 => format!("B{quoted}"),
        3 => format!("E{quoted}"),
        4 => format!("E'{}'", body.replace('\'', "\\'")),
        5 => format!("E'{}'", body.replace('\\', "\\\\").replace('\'', "''")),
        6 => format!("U&{quoted}"),
        7 => format!("U&{quoted} UESCAPE '!'"),
        8 => format!("$${body}$$"),
        9 => format!("$q${body}$q$"),
        10 => format!("{quoted} {quoted}"),
        11 => format!("{quoted}\n{quoted}"),
        12 => format!("n{quoted}"),
        13 => format!("e{quoted}"),
        14 => format!("'{body}'"),
        15 => format!("q'[{body}]'"),
        16 => format!("r{quoted}"),
        17 => format!("_utf8{quoted}"),
        _ => quoted,
    }
}

fn name(draws: &mut Draws) -> String {
    match draws.next(6) {
        0 => draws
            .pick(&["q", "p", "r~1", "secret", "ts_stat", "\"\"", "ctid"])
            .to_owned(),
        1 => double(draws.pick(&["r~1", "w~1", "n~2", "R", "secret", "person"])),
        2 => format!("U&{}", double(draws.pick(&PAYLOADS))),
        3 => format!("`{}`", draws.pick(&PAYLOADS)),
        4 => format!("\"{}\"", draws.pick(&PAYLOADS)),
        _ => double(draws.pick(&PAYLOADS)),
    }
}

/// Kinds of expressions; `@` stands for another expression, `#` for a name, `%` for a literal.
const FORMS: [&str; 127] = [
    "@",
    "%",
    "p.name",
    "name",
    "city",
    "p.age",
    "1",
    "1.5e3",
    ".5",
    "NULL",
    "true",
    "$1",
    "?",
    ":x",
    "- -@",
    "-@",
    "- - -1",
    "+ +@",
    "~@",
    "|/ 4",
    "||/ 8",
    "@ -1",
    "!! 3",
    "NOT @",
    "--1\n",
    "-/**/-1",
    "(@)",
    "(@, @)",
    "ROW(@, @)",
    "(@).ts_stat",
    "(@).#",
    "(p).name",
    "p.*",
    "(p.*)",
    "p",
    "person",
    "@ + @",
    "@ - @",
    "@ * @",
    "@ / 0",
    "@ % @",
    "@ ^ @",
    "@ || @",
    "@ = @",
    "@ <> @",
    "@ == @",
    "@ <=> @",
    "@ AND @",
    "@ OR @",
    "@ XOR @",
    "@ & @",
    "@ # @",
    "@ << @",
    "@ ~ @",
    "@ !~* @",
    "@ ~~ @",
    "@ ^@ @",
    "@ -> @",
    "@ ->> @",
    "@ #> @",
    "@ @> @",
    "@ <@ @",
    "@ && @",
    "@ @@ @",
    "@ <-> @",
    "@ ?| @",
    "@ OPERATOR(pg_catalog.+) @",
    "@ IS NULL",
    "@ IS NOT TRUE",
    "@ IS UNKNOWN",
    "@ IS DISTINCT FROM @",
    "@ IS NORMALIZED",
    "@ IS JSON",
    "@ IN (@, @)",
    "@ IN (SELECT secret FROM raw.person)",
    "@ NOT IN (SELECT @ FROM person)",
    "@ IN UNNEST(ARRAY[@])",
    "@ BETWEEN @ AND @",
    "@ LIKE @",
    "@ LIKE @ ESCAPE %",
    "@ ILIKE % ESCAPE '!'",
    "@ SIMILAR TO @ ESCAPE %",
    "@ RLIKE @",
    "@ LIKE ANY (ARRAY[@])",
    "@ = ANY (ARRAY[@, @])",
    "@ = ANY (SELECT secret FROM raw.person)",
    "@ > ALL (SELECT @)",
    "@ = SOME (@)",
    "CAST(@ AS text)",
    "@::text",
    "@::regclass",
    "TRY_CAST(@ AS int)",
    "CAST(@ AS text FORMAT %)",
    "text %",
    "regclass %",
    "date %",
    "interval %",
    "INTERVAL '1' DAY",
    "INTERVAL % HOUR TO SECOND",
    "@ AT TIME ZONE %",
    "EXTRACT(YEAR FROM @)",
    "EXTRACT(% FROM @)",
    "CEIL(@ TO DAY)",
    "FLOOR(@, 2)",
    "POSITION(@ IN @)",
    "SUBSTRING(@ FROM @ FOR 2)",
    "SUBSTRING(@ SIMILAR % ESCAPE %)",
    "TRIM(BOTH @ FROM @)",
    "OVERLAY(@ PLACING @ FROM 1)",
    "@ COLLATE \"C\"",
    "@ COLLATE #",
    "CASE WHEN @ THEN @ ELSE @ END",
    "CASE @ WHEN @ THEN @ END",
    "EXISTS (SELECT @ FROM raw.person)",
    "(SELECT @ FROM person LIMIT 1)",
    "(SELECT secret FROM raw.person LIMIT 1)",
    "ARRAY[@, @]",
    "ARRAY(SELECT secret FROM raw.person)",
    "(ARRAY[@])[1]",
    "p.name[1:2]",
    "{fn lower(@)}",
    "{'a': @}",
    "STRUCT(@ AS a)",
    "MAP {@: @}",
    "x -> x",
    "MATCH (name) AGAINST (%)",
    "GROUPING(@)",
];

/// Places of a query for an expression, a name and a literal.
const PLACES: [&str; 44] = [
    "SELECT @ FROM person p",
    "SELECT @ AS # FROM person p",
    "SELECT @ # FROM person p",
    "SELECT DISTINCT @ FROM person p",
    "SELECT DISTINCT ON (@) city FROM person p",
    "SELECT city FROM person p WHERE @",
    "SELECT city FROM person p WHERE city = %",
    "SELECT city FROM person p WHERE @ = %",
    "SELECT city FROM person p GROUP BY city HAVING @",
    "SELECT count(*) FROM person p GROUP BY @",
    "SELECT count(*) FROM person p GROUP BY GROUPING SETS ((@), ())",
    "SELECT city FROM person p ORDER BY @",
    "SELECT city FROM person p ORDER BY @ NULLS FIRST LIMIT @",
    "SELECT city FROM person p OFFSET @",
    "SELECT city FROM person p FETCH FIRST @ ROWS ONLY",
    "SELECT p.city FROM person p JOIN orders o ON @",
    "SELECT p.city FROM person p LEFT JOIN orders # ON true",
    "SELECT city FROM person p JOIN orders o USING (#)",
    "SELECT # FROM person p",
    "SELECT p.# FROM person p",
    "SELECT #.city FROM person #",
    "SELECT #.# FROM person #",
    "SELECT #.# FROM person p, (SELECT @ AS #) #",
    "SELECT #.ts_stat FROM person p, unnest(ARRAY[@]) AS #",
    "SELECT # FROM person p, generate_series(1, 2) AS #(#)",
    "SELECT # FROM person AS p (#, b, c)",
    "WITH # AS (SELECT @ AS # FROM person p) SELECT * FROM #",
    "WITH #(#) AS (SELECT @ FROM person p) SELECT # FROM #",
    "WITH RECURSIVE w(a) AS (SELECT @ FROM person p UNION SELECT a FROM w WHERE false) SELECT a FROM w",
    "SELECT city FROM person p UNION SELECT @",
    "SELECT city FROM person p UNION ALL SELECT @ FROM raw.person",
    "(SELECT city FROM person p) EXCEPT (SELECT @)",
    "VALUES (@), ((SELECT max(city) FROM person))",
    "SELECT count(*) OVER (PARTITION BY @ ORDER BY @) FROM person p",
    "SELECT count(*) OVER # FROM person p WINDOW # AS (ORDER BY @)",
    "SELECT count(*) FILTER (WHERE @) FROM person p",
    "SELECT string_agg(city, % ORDER BY @) FROM person p",
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY @) FROM person p",
    "SELECT lower(@), upper(%) FROM person p",
    "SELECT coalesce(@, %), nullif(%, @) FROM person p",
    "SELECT (SELECT @ FROM orders o WHERE o.person = p.id LIMIT 1) FROM person p",
    "SELECT l.x FROM person p, LATERAL (SELECT @ AS x) l",
    "DECLARE # CURSOR FOR SELECT @ FROM person p",
    "CREATE OR REPLACE TEMP VIEW # AS SELECT @ AS # FROM person p",
];

/// Statements and clauses of other dialects, which the parser reads as well.
const WHOLE: [&str; 40] = [
    "SELECT TOP 1 secret FROM raw.person",
    "SELECT * EXCEPT (id) FROM person",
    "SELECT * REPLACE (1 AS id) FROM person",
    "SELECT * EXCLUDE id FROM person",
    "SELECT AS STRUCT id FROM person",
    "SELECT id FROM person QUALIFY row_number() OVER () = 1",
    "SELECT id FROM person CONNECT BY PRIOR id = age",
    "SELECT id FROM person LATERAL VIEW explode(a) t AS b",
    "SELECT id FROM person PREWHERE id = 1",
    "SELECT id FROM person TABLESAMPLE SYSTEM (10)",
    "SELECT id FROM person FOR SYSTEM_TIME AS OF 1",
    "SELECT id FROM person PIVOT (sum(id) FOR city IN ('a'))",
    "SELECT * FROM JSON_TABLE('{}', '$' COLUMNS (a INT PATH '$'))",
    "SELECT * FROM XMLTABLE('/' PASSING '<a/>' COLUMNS a text)",
    "SELECT * FROM person, ROWS FROM (generate_series(1, 2)) AS t",
    "SELECT * FROM person, generate_series(1, 2) WITH ORDINALITY AS g(a, b)",
    "SELECT * FROM person, pg_ls_dir('.') AS d",
    "SELECT * FROM person, pg_stat_activity",
    "SELECT * FROM person, pg_catalog.pg_authid",
    "SELECT * FROM person, raw.person AS r",
    "SELECT * FROM ONLY raw.person",
    "SELECT * FROM person FOR SHARE",
    "SELECT id FROM person LIMIT 1 BY id",
    "SELECT id FROM person GROUP BY ALL",
    "SELECT id FROM person ORDER BY ALL",
    "SELECT id FROM person |> WHERE id = 1",
    "FROM person SELECT id",
    "FROM raw.person",
    "TABLE raw.person",
    "SELECT id FROM person UNION TABLE raw.person",
    "SELECT id FROM person UNION BY NAME SELECT id FROM person",
    "SELECT string_agg(city, ',') WITHIN GROUP (ORDER BY id) FROM person",
    "SELECT lower(city => 'x') FROM person",
    "SELECT lower(VARIADIC ARRAY['x']) FROM person",
    "SELECT count(*) FILTER (WHERE (SELECT secret FROM raw.person LIMIT 1) = 'x') FROM person",
    "SELECT lag(city) IGNORE NULLS OVER () FROM person",
    "SELECT id FROM person NATURAL JOIN raw.person",
    "SELECT id FROM person SEMI JOIN raw.person ON true",
    "SELECT id FROM person CROSS APPLY raw.person",
    "SELECT id FROM person WHERE id = 1 SETTINGS x = 1",
];

/// A statement: a place with its holes filled, a few levels deep.
fn statement(draws: &mut Draws) -> String {
    let places = PLACES;
    let mut out =
        places[usize::try_from(draws.next(places.len() as u64)).expect("small")].to_owned();
    for depth in 0..4 {
        out = filled(&out, draws, depth);
    }
    out
}

fn filled(text: &str, draws: &mut Draws, depth: u32) -> String {
    let mut out = String::new();
    let mut quote = None;
    for sign in text.chars() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => {
                quote = None;
                out.push(sign);
            }
            (None, '\'' | '"') => {
                quote = Some(sign);
                out.push(sign);
            }
            (None, '@') if depth < 3 => {
                out.push_str(
                    FORMS[usize::try_from(draws.next(FORMS.len() as u64)).expect("small")],
                );
            }
            (None, '@') => out.push_str(draws.pick(&["p.city", "1", "city", "NULL"])),
            (None, '%') => out.push_str(&literal(draws)),
            (None, '#') => out.push_str(&name(draws)),
            (_, sign) => out.push(sign),
        }
    }
    out
}

/// What the grammar makes: statements of other dialects, every form at three places, and forms within forms at every place.
fn from_the_grammar() -> Vec<String> {
    let mut draws = Draws(14);
    let mut made: Vec<String> = WHOLE.iter().map(|sql| (*sql).to_owned()).collect();
    for form in FORMS {
        for place in [
            "SELECT @ FROM person p",
            "SELECT city FROM person p WHERE @",
            "SELECT count(*) FROM person p GROUP BY @",
        ] {
            made.push(filled(&place.replacen('@', form, 1), &mut draws, 3));
        }
    }
    made.extend((0..3_000).map(|_| statement(&mut draws)));
    made
}

#[test]
fn generated_statements_bring_nothing_out() {
    capped("generator::generated_statements_bring_nothing_out", || {
        both(|backend, site, _| {
            let others = Others::ask(site);
            let asker = Asker::new(site, "marketing");
            let mut answered = 0;
            for sql in from_the_grammar() {
                let both = asker.ask_both(backend, &sql).into_iter();
                answered += both.filter(|yes| *yes).count();
            }
            assert!(answered > 300, "{backend}: only {answered} were answered");
            others.were_served(backend);
        });
    });
}

/// Names of functions and types: PostgreSQL's from its catalogue, the other engine's from its registry.
fn names(server: Option<&Server>) -> (Vec<String>, Vec<String>) {
    let mut functions: Vec<String> = Vec::new();
    let mut types: Vec<String> = Vec::new();
    if let Some(server) = server {
        let column = |sql: &str| -> Vec<String> { server.query(sql).expect("reads").concat() };
        functions = column(
            "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace ORDER BY 1;",
        );
        types = column(
            "SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typrelid = 0 ORDER BY 1;",
        );
    }
    let state = datafusion::prelude::SessionContext::new().state();
    functions.extend(state.scalar_functions().keys().cloned());
    functions.extend(state.aggregate_functions().keys().cloned());
    functions.extend(state.window_functions().keys().cloned());
    functions.extend(state.table_functions().keys().cloned());
    functions.sort();
    functions.dedup();
    (functions, types)
}

/// Every function by every notation.
fn calls(functions: &[String]) -> Vec<String> {
    let run = single("SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person");
    let of = |function: &String| {
        let quoted = double(function);
        [
            format!("SELECT {quoted}({run}) FROM person LIMIT 3"),
            format!("SELECT {quoted}() FROM person LIMIT 3"),
            format!("SELECT {quoted}(p.city, 1) FROM person p LIMIT 3"),
            format!("SELECT ({run}).{quoted} FROM person LIMIT 3"),
            format!("SELECT q.{quoted} FROM person, unnest(ARRAY[{run}]) AS q LIMIT 3"),
            format!("SELECT p.{quoted} FROM person p LIMIT 3"),
            format!("SELECT g.{quoted} FROM person, generate_series(10, 11) AS g LIMIT 3"),
            format!("SELECT * FROM person, {quoted}({run}) AS f LIMIT 3"),
        ]
    };
    functions.iter().flat_map(of).collect()
}

/// Every type by every notation.
fn casts(types: &[String]) -> Vec<String> {
    let of = |kind: &String| {
        let quoted = double(kind);
        [
            format!("SELECT 'raw.person'::{quoted} FROM person"),
            format!("SELECT CAST('{{raw.person}}' AS {kind}[]) FROM person"),
            format!("SELECT {kind} '10' FROM person"),
            format!("SELECT {kind}('10') FROM person"),
            format!("SELECT q.{quoted} FROM person, unnest(ARRAY['10']) AS q"),
        ]
    };
    types.iter().flat_map(of).collect()
}

#[test]
fn no_function_or_type_by_any_notation_brings_anything_out() {
    capped(
        "generator::no_function_or_type_by_any_notation_brings_anything_out",
        || {
            both(|backend, site, server| {
                let (functions, types) = names(server);
                assert!(functions.len() > 300, "{backend}: {}", functions.len());
                let others = Others::ask(site);
                let asker = Asker::new(site, "marketing");
                for (turn, sql) in calls(&functions).iter().enumerate() {
                    // eight notations each: every notation by either protocol, in turns
                    let heard = if (turn / 8 + turn) % 2 == 0 {
                        asker.simple(sql)
                    } else {
                        asker.extended(sql, &[])
                    };
                    asker.judge(backend, sql, &heard);
                }
                for sql in casts(&types) {
                    asker.ask_both(backend, &sql);
                }
                others.were_served(backend);
            });
        },
    );
}

/// Statements that one psql is given: each as an argument, so that psql sends it as it is and goes on after its error.
const SESSION: usize = 400;
/// Sessions at a time.
const LANES: usize = 6;

#[test]
fn psql_shows_nothing_of_what_is_hidden_whatever_it_is_given() {
    capped(
        "generator::psql_shows_nothing_of_what_is_hidden_whatever_it_is_given",
        || {
            both(|backend, site, server| {
                let (functions, types) = names(server);
                let mut statements = from_the_grammar();
                statements.extend(calls(&functions));
                statements.extend(casts(&types));
                let others = Others::ask(site);
                // some at a time: each waits for the audit log's disk most of its life
                let sessions: Vec<&[String]> = statements.chunks(SESSION).collect();
                let shown: Vec<String> = std::thread::scope(|scope| {
                    let lanes = (0..LANES).map(|lane| {
                        let own = sessions.iter().skip(lane).step_by(LANES);
                        let ask = |session: &&[String]| shown_by_psql(site, "marketing", session);
                        scope.spawn(move || own.map(ask).collect::<Vec<_>>())
                    });
                    let lanes: Vec<_> = lanes.collect();
                    let joined = lanes.into_iter().map(|lane| lane.join().expect("asks"));
                    joined.flatten().collect()
                });
                assert_eq!(shown.len(), sessions.len());
                for shown in &shown {
                    if let Some(mark) = leaked(shown, "marketing") {
                        panic!("{backend}: psql shows {mark}:\n{}", around(shown, mark));
                    }
                }
                let errors: usize = shown.iter().map(|one| one.matches("ERROR:").count()).sum();
                assert!(statements.len() > 5_000, "{}", statements.len());
                // each is counted once here, where both protocols count above
                let answered = statements.len() - errors;
                assert!(answered > 200, "{backend}: only {answered} were answered");
                others.were_served(backend);
            });
        },
    );
}

/// All that a psql prints, notices and errors in full, for statements of one session; the session must live to its end.
fn shown_by_psql(site: &Site, purpose: &str, statements: &[String]) -> String {
    let mut command = site.psql("anna");
    command
        .args(["-v", "ON_ERROR_STOP=0", "-v", "VERBOSITY=verbose"])
        .args([
            "-R",
            "\n",
            "-c",
            &format!("SET denym.purpose = '{purpose}'"),
        ]);
    for sql in statements {
        command.args(["-c", sql]);
    }
    command.args(["-c", "SELECT 'the end' FROM person LIMIT 1"]);
    let output = feed(command, "");
    let [shown, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        shown.ends_with("the end\n"),
        "the session ended early: {shown}\n{errors}"
    );
    shown + &errors
}

/// A mark with what stands about it.
fn around(text: &str, mark: &str) -> String {
    let place = text.find(mark).unwrap_or_default();
    let start = text[..place].char_indices().rev().nth(1_000);
    let rest = &text[start.map_or(0, |(start, _)| start)..];
    rest.chars().take(1_500).collect()
}

#[test]
fn parameters_of_odd_types_are_refused() {
    capped(
        "generator::parameters_of_odd_types_are_refused",
        odd_parameters,
    );
}

fn odd_parameters() {
    both(|backend, site, _| {
        let others = Others::ask(site);
        let asker = Asker::new(site, "marketing");
        let mut passed = Vec::new();
        for oid in 1..6_000 {
            let Some(kind) = Type::from_oid(oid) else {
                continue;
            };
            for sql in [
                "SELECT $1 FROM person",
                "SELECT city FROM person WHERE $1 IS NULL",
                "SELECT $1::text FROM person",
            ] {
                let heard = asker.extended(sql, std::slice::from_ref(&kind));
                asker.judge(backend, sql, &heard);
                if heard.is_answered {
                    passed.push(kind.name().to_owned());
                }
            }
        }
        if backend == "postgres" {
            for name in [
                "regclass",
                "_regclass",
                "regrole",
                "_regtype",
                "oid",
                "xml",
                "json",
                "record",
                "refcursor",
            ] {
                assert!(!passed.iter().any(|kind| kind == name), "{name} passes");
            }
        }
        for name in ["int8", "text", "date", "bool"] {
            assert!(
                passed.iter().any(|kind| kind == name),
                "{backend}: {name} is refused"
            );
        }
        others.were_served(backend);
    });
}
