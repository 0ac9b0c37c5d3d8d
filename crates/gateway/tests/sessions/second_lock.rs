//! The second lock alone: whoever has the gateway's own login to PostgreSQL and writes any SQL finds nothing that the purpose may not see.

use crate::support::{Plan, ddl, install, run_raw};
use denym_gateway::{Error, Logins, Protection};
use denym_purpose::AccessPolicy;
use denym_testkit::postgres::{Server, feed};
use std::fmt::Write as _;
use std::process::Command;

/// Cells of every kind that may not be seen: prohibited, conditional, of a column nobody is granted, of no governed column, of an expired record.
const POLICY: &str = r#"
[purposes]
general = {}
marketing = { parent = "general", retention-days = 400 }
research = "general"
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
ben = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["marketing"]
tables = { person = ["id", "name", "note", "age", "born"], member = "all" }
[[grants]]
role = "analyst"
purposes = ["research"]
tables = { person = ["id", "ward", "age"] }

[tables.person]
key = "id"
consent = "companion"
collected = "collected"
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = { mask = { first-letters = 1 } }
note = { mask = "null" }
ward = { default = "<{research}, {}, {}>" }
age = { type = "integer", mask = { interval = { width = 10, show = "lower" } } }
born = { type = "date", mask = "null" }

[tables.member]
key = "id"
mode = "filter"
consent = "companion"
collected = "collected"
default = "<{general}, {}, {}>"
[tables.member.columns]
id = { type = "integer" }
name = {}
age = { type = "integer" }
"#;

/// Raw tables. Whatever contains `RAW` or 777 may be seen by nobody, `RES` under research only, `MKT` under marketing only.
/// `world` changes what nobody may see and nothing else.
fn raw(world: usize) -> String {
    let mut sql = String::from("TRUNCATE raw.person, raw.member;");
    // general 4, marketing 2, research 1: denied, conditional and full for marketing
    let consents = ["4, 0, 2", "4, 2, 0", "4, 0, 0"];
    let hidden = |id: usize, kind: &str| {
        let texts = [
            "RAW",
            "12RAW",
            "(RAW",
            "{RAW",
            "RAW\\",
            "2020-13-77RAW",
            "",
            "0",
        ];
        format!(
            "{kind}{}-{id}-{world}",
            texts[(id + world * 3) % texts.len()]
        )
    };
    let number = |id: usize| match (id + world * 2) % 5 {
        0 => "777000777".to_owned(),
        1 => "9223372036854775777".to_owned(),
        2 => "-9223372036854775777".to_owned(),
        3 => "0".to_owned(),
        _ => "777".to_owned(),
    };
    for id in 1..=24usize {
        let consent = consents[id % 3];
        let is_old = id % 4 == 0;
        // a fourth of the records is expired for marketing; one world has records there that the other has not
        if is_old && id > 16 && world == 1 {
            continue;
        }
        let day = if is_old {
            "'2001-01-01'"
        } else {
            "current_date"
        };
        let sees = consent == "4, 0, 0" && !is_old;
        let (name, note) = if sees {
            (format!("MKT-name-{id}"), format!("MKT note {id}"))
        } else {
            (hidden(id, "n"), hidden(id, "q"))
        };
        let age = if sees { "44".to_owned() } else { number(id) };
        // the visible interval is that of the hidden number
        let age = if consent == "4, 2, 0" && !is_old {
            format!("{}", 50 + (id + world) % 10)
        } else {
            age
        };
        let born = if sees {
            "1980-05-06"
        } else if world == 0 {
            "1777-07-07"
        } else {
            "0001-01-01"
        };
        let _ = write!(
            sql,
            "INSERT INTO raw.person VALUES ({id}, E'{}', E'{}', 'RES-ward-{id}', {age}, '{born}', {day}, 'RAW-secret-{id}-{world}'",
            name.replace('\\', "\\\\"),
            note.replace('\\', "\\\\")
        );
        for column in ["id", "name", "note", "ward", "age", "born"] {
            let own = match column {
                "id" | "ward" => "NULL, NULL, NULL",
                // under research the age is nobody's
                "age" if consent == "4, 0, 0" => "4, 0, 1",
                "age" => match consent {
                    "4, 0, 2" => "4, 0, 3",
                    _ => "4, 2, 1",
                },
                _ => consent,
            };
            let _ = write!(sql, ", {own}");
        }
        sql.push_str(");");
        // filter mode: prohibited where marketing may not see
        let own = format!("4, 0, {}", if sees { 0 } else { 2 });
        let _ = write!(
            sql,
            "INSERT INTO raw.member VALUES ({id}, E'{}', {}, {day}, 4, 0, 0, {own}, {own});",
            name.replace('\\', "\\\\"),
            if sees { "44".to_owned() } else { number(id) },
        );
    }
    sql
}

fn tables() -> String {
    let mut sql = String::from(
        "CREATE SCHEMA raw; CREATE TABLE raw.person (id int8, name text, note text, ward text, age int8, born date, collected date, secret text",
    );
    for column in ["id", "name", "note", "ward", "age", "born"] {
        let _ = write!(
            sql,
            ", {column}_aip int8, {column}_cip int8, {column}_pip int8"
        );
    }
    sql.push_str("); CREATE TABLE raw.member (id int8, name text, age int8, collected date");
    for column in ["id", "name", "age"] {
        let _ = write!(
            sql,
            ", {column}_aip int8, {column}_cip int8, {column}_pip int8"
        );
    }
    sql + ");"
}

fn policy() -> AccessPolicy {
    AccessPolicy::parse(POLICY, &|_| None).expect("valid")
}

fn server() -> Option<Server> {
    let server = Server::start()?;
    server.query(&tables()).expect("makes the tables");
    server.query(&raw(0)).expect("fills them");
    server.query("ANALYZE;").expect("has statistics");
    install(&server, &policy(), None);
    Some(server)
}

/// Everything that psql says to statements of a login, errors and notices included.
fn free(server: &Server, login: &str, sql: &str) -> String {
    let mut command = Command::new(crate::support::psql());
    command
        .args(["-XAt", "-d", "postgres", "-U", login, "-h"])
        .arg(server.socket())
        .env_remove("PGOPTIONS");
    let output = feed(command, sql);
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What an attacker with the login writes. `V` is the schema of the views.
const FREE: &[&str] = &[
    // raw tables by every road
    "SELECT * FROM raw.person;",
    "TABLE raw.member;",
    "COPY raw.person TO STDOUT;",
    "COPY (SELECT * FROM raw.person) TO STDOUT;",
    "SELECT N'x', secret, name FROM raw.person;",
    "SELECT ('SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person').ts_stat;",
    "SELECT q.ts_stat FROM unnest(ARRAY['SELECT array_to_tsvector(ARRAY[name,secret]) FROM raw.person']) AS q;",
    "SELECT * FROM ts_stat('SELECT array_to_tsvector(ARRAY[name,note]) FROM V.person');",
    "SELECT query_to_xml('SELECT * FROM raw.person', true, true, '');",
    "SELECT table_to_xml('raw.person', true, true, '');",
    "SELECT schema_to_xml('raw', true, true, '');",
    "SELECT database_to_xml(true, true, '');",
    "SELECT schema_to_xml('V', true, true, '');",
    "SELECT query_to_xml('SELECT * FROM V.person', true, true, '');",
    "DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM raw.person LOOP RAISE NOTICE '%', r; END LOOP; END $$;",
    "DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM V.person LOOP RAISE NOTICE '%', r; END LOOP; END $$;",
    "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM raw.person;",
    "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM V.person WHERE name < 'z';",
    "EXPLAIN SELECT * FROM V.person WHERE age = 4242;",
    // other roles and other purposes
    "RESET ROLE; SELECT * FROM raw.person;",
    "SET ROLE denym_views; SELECT * FROM raw.person;",
    "SET ROLE postgres; SELECT * FROM raw.person;",
    "SET SESSION AUTHORIZATION postgres; SELECT * FROM raw.person;",
    "SET ROLE denym_marketing; SELECT * FROM purpose_marketing.person;",
    "SET ROLE denym_research; SELECT * FROM purpose_research.person;",
    "SET search_path = raw, V; SELECT * FROM person;",
    "SELECT set_config('role', 'postgres', false); SELECT * FROM raw.person;",
    // what the catalogue keeps of cells
    "SELECT * FROM pg_stats WHERE schemaname = 'raw';",
    "SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename LIKE '%person%' OR tablename LIKE 'denym%';",
    "SELECT * FROM pg_statistic;",
    "SELECT stavalues1 FROM pg_catalog.pg_statistic;",
    "SELECT * FROM pg_stats_ext; SELECT * FROM pg_stats_ext_exprs;",
    "SELECT query FROM pg_stat_activity;",
    "SELECT rolpassword FROM pg_authid;",
    "SELECT passwd FROM pg_shadow;",
    "SELECT * FROM pg_largeobject;",
    // making things
    "CREATE TABLE V.mine AS SELECT * FROM V.person;",
    "CREATE TEMP TABLE mine AS SELECT * FROM V.person; SELECT * FROM mine;",
    "CREATE TABLE public.mine (a int);",
    "CREATE SCHEMA mine;",
    "CREATE VIEW V.more AS SELECT * FROM raw.person;",
    "CREATE OR REPLACE VIEW V.person AS SELECT * FROM raw.person;",
    "ALTER VIEW V.person SET (security_barrier = false);",
    "ALTER VIEW V.person OWNER TO CURRENT_USER;",
    "CREATE FUNCTION pg_temp.leak(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END'; SELECT * FROM V.person WHERE pg_temp.leak(name);",
    "CREATE FUNCTION public.leak(text) RETURNS bool LANGUAGE sql COST 0.0000001 AS 'SELECT true'; SELECT 1;",
    "CREATE FUNCTION V.leak(text) RETURNS bool LANGUAGE sql AS 'SELECT true';",
    "ALTER FUNCTION pg_catalog.texteq(text, text) LEAKPROOF;",
    "CREATE EXTENSION dblink;",
    "CREATE STATISTICS V.s ON name, note FROM V.person;",
    "GRANT SELECT ON raw.person TO CURRENT_USER;",
    "ALTER ROLE CURRENT_USER SUPERUSER;",
    "ALTER ROLE denym_views LOGIN;",
    "INSERT INTO V.person (id) VALUES (1);",
    "DELETE FROM V.person;",
    "UPDATE V.person SET name = 'x' RETURNING *;",
    "LOCK TABLE raw.person;",
    "SET default_transaction_read_only = off; UPDATE V.person SET name = 'x' RETURNING *;",
    "SET default_transaction_read_only = off; CREATE TABLE public.mine2 AS SELECT * FROM V.person;",
    "SET default_transaction_read_only = off; SELECT lo_import('/etc/passwd');",
    // files and programs
    "SELECT pg_read_file('PG_VERSION');",
    "SELECT pg_ls_dir('base');",
    "SELECT pg_read_binary_file('global/pg_control');",
    "COPY V.person TO '/tmp/denym-stolen';",
    "COPY V.person TO PROGRAM 'cat';",
    "SELECT * FROM pg_hba_file_rules;",
    // leaky predicates against the barrier: the cheapest come first, and errors quote what they fail on
    "SELECT count(*) FROM V.person WHERE name::int > 0;",
    "SELECT count(*) FROM V.person WHERE note::date IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE note::json IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE note::inet IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE 'x' ~ note;",
    "SELECT count(*) FROM V.person WHERE name::xml IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE name::regclass IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE name::regrole IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE current_setting(name) IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE set_config('denym.x', name, false) IS NOT NULL; SHOW denym.x;",
    "SELECT count(*) FROM V.person WHERE pg_advisory_lock(age) IS NOT NULL; SELECT objid, classid FROM pg_locks WHERE locktype = 'advisory';",
    "SELECT count(*) FROM V.person WHERE setseed(age) IS NOT NULL;",
    "SELECT count(*) FROM V.person WHERE id = 4 AND age + 9223372036854775783 > 0;",
    "SELECT count(*) FROM V.person WHERE id = 4 AND 1 / (age - 777) > 0;",
    "SET timezone = 'Pacific/Kiritimati'; SELECT count(*) FROM V.person; SET timezone = 'Etc/GMT+12'; SELECT * FROM V.person;",
    "SET session_replication_role = replica; SELECT * FROM V.person;",
    "SET row_security = off; SELECT * FROM V.person;",
    "SELECT ctid, xmin, tableoid FROM V.person;",
    "SELECT p FROM V.person p; SELECT row_to_json(p) FROM V.person p; SELECT p.* FROM V.person p;",
    "SELECT * FROM V.person JOIN V.person q ON q.name::int = 1;",
    "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM V.person; FETCH ALL c;",
    "PREPARE p AS SELECT * FROM V.person; EXECUTE p;",
];

#[test]
fn free_sql_of_a_login_finds_no_hidden_cell() {
    let Some(server) = server() else {
        return;
    };
    for (login, schema, own, other) in [
        ("denym_marketing", "purpose_marketing", "MKT-name", "RES-"),
        ("denym_research", "purpose_research", "RES-ward", "MKT"),
    ] {
        let plain = free(&server, login, &format!("SELECT * FROM {schema}.person;"));
        assert!(
            plain.contains(own),
            "the purpose's own cells are there: {plain}"
        );
        for sql in FREE {
            let sql = sql
                .replace("V.", &format!("{schema}."))
                .replace("'V'", &format!("'{schema}'"));
            let said = free(&server, login, &sql);
            // what the statement itself says does not count
            let said = said.replace(&sql, "");
            for marker in ["RAW", "777000", "75777", "1777-07-07", "0001-01-01", other] {
                assert!(!said.contains(marker), "{login}: {sql}\n{marker}: {said}");
            }
        }
        // expired records are not counted either, whatever the session says about time
        let count = free(
            &server,
            "denym_marketing",
            "SET timezone = 'Etc/GMT+12'; SELECT count(*) FROM purpose_marketing.person;",
        );
        assert!(count.contains("18"), "{count}");
    }
    assert!(!std::path::Path::new("/tmp/denym-stolen").exists());
}

/// Statements whose errors would tell of a hidden cell, on every column: each kind of error in each place of a query.
fn oracles(person: &str, member: &str) -> Vec<String> {
    let mut out = Vec::new();
    let texts = [
        "{c}::int8 > 0",
        "{c}::numeric > 0",
        "{c}::date IS NOT NULL",
        "{c}::json IS NOT NULL",
        "{c}::jsonb -> 'a' IS NULL",
        "'x' ~ {c}",
        "'x' LIKE {c}",
        "{c} LIKE '%' ESCAPE substr({c}, 1, 2)",
        "to_date({c}, 'YYYY-MM-DD') IS NOT NULL",
        "left(repeat({c}, 3), length({c})) IS NULL",
        "sqrt(length({c}) - 1) > 0",
        "1 / (length(coalesce({c}, '')) - 5) > 0",
        "('a' || chr(length({c}) - 4)) IS NOT NULL",
        "coalesce({c}, 'x')::int8 > 0",
    ];
    let numbers = [
        "{c} + 9223372036854775000 > 0",
        "{c} - 9223372036854775000 > 0",
        "-{c} > 0",
        "abs({c}) > 0",
        "{c} * 2 > 0",
        "1 / {c} > 0",
        "1 / ({c} - 777) > 0",
        "1 / coalesce({c}, 0) > 0",
        "{c}::int4 > 0",
        "sqrt({c}) > 0",
        "ln({c}) > 0",
        "date '2020-01-01' + {c}::int4 IS NOT NULL",
        "chr({c}::int4) IS NOT NULL",
        "power({c}, 99) > 0",
    ];
    let places = [
        "SELECT count(*) FROM {t} WHERE {e}",
        "SELECT id FROM {t} WHERE id = 4 AND {e}",
        "SELECT {e} FROM {t} ORDER BY id",
        "SELECT id FROM {t} ORDER BY {e}, id",
        "SELECT count(*) FROM {t} GROUP BY {e} ORDER BY 1",
        "SELECT count(*) FROM {t} HAVING bool_or({e})",
        "SELECT count(*) FROM {t} a JOIN (SELECT id FROM {t} WHERE {e}) b ON a.id = b.id",
        "SELECT count(*) FROM {t} WHERE id IN (SELECT id FROM {t} WHERE {e})",
        "SELECT count(*) FILTER (WHERE {e}) FROM {t}",
        "SELECT DISTINCT {e} FROM {t} ORDER BY 1",
    ];
    let mut place = 0;
    for (table, columns, forms) in [
        (person, &["name", "note", "born::text"][..], &texts[..]),
        (person, &["age", "id"], &numbers),
        (member, &["name"], &texts),
        (member, &["age"], &numbers),
    ] {
        for column in columns {
            for form in forms {
                // every form meets the two plainest places, and the others in turn
                for which in [0, 2, 1 + place % (places.len() - 1)] {
                    let expr = form.replace("{c}", column);
                    out.push(places[which].replace("{t}", table).replace("{e}", &expr));
                }
                place += 1;
            }
        }
    }
    out
}

#[test]
fn no_error_depends_on_a_hidden_cell() {
    let Some(server) = server() else {
        return;
    };
    // the gateway's own texts have the table's name; a login's have the view's
    let direct = oracles(
        "purpose_marketing.person",
        "purpose_marketing.denym_cells_member",
    );
    let through = oracles("person", "member");
    let script = |asked: &[String]| {
        asked.iter().fold(String::new(), |mut script, sql| {
            let _ = write!(script, "\\echo ask\n\\warn ask\n{sql};\n");
            script
        })
    };
    let asked = |server: &Server| {
        let site = Plan::postgres(POLICY, server).run();
        let begin = "\\set ON_ERROR_STOP 0\nSET denym.purpose = 'marketing';\n";
        let said = [
            free(server, "denym_marketing", &script(&direct)),
            run_raw(site.psql("anna"), &format!("{begin}{}", script(&through))),
        ];
        said.map(|said| said.split("ask\n").map(str::to_owned).collect::<Vec<_>>())
    };
    let first = asked(&server);
    server.query(&raw(1)).expect("another world");
    let second = asked(&server);
    for ((sql, one), other) in [&direct, &through].into_iter().zip(&first).zip(&second) {
        // what was printed, then what was said of errors
        assert_eq!(one.len(), 2 * sql.len() + 1);
        assert_eq!(one.len(), other.len());
        for (place, (one, other)) in one.iter().zip(other).enumerate() {
            let asked = &sql[(place + sql.len() - 1) % sql.len()];
            assert_eq!(one, other, "{asked}");
        }
        let failed = one.iter().filter(|said| said.contains("ERROR")).count();
        assert!(
            failed > 30 && failed < sql.len(),
            "{failed} of {} fail",
            sql.len()
        );
    }
}

#[test]
fn each_right_beyond_the_purpose_stops_the_start() {
    let Some(server) = server() else {
        return;
    };
    let start = || {
        Plan::reached(
            POLICY,
            &format!("host={} dbname=postgres", server.socket().display()),
            Protection::Local,
            Logins::default(),
        )
        .start()
        .map(|_| ())
    };
    start().expect("as the script made it");
    let me = "denym_marketing";
    for (given, said) in [
        (format!("ALTER ROLE {me} SUPERUSER"), "is a superuser"),
        (format!("ALTER ROLE {me} BYPASSRLS"), "exempt from row security"),
        (format!("ALTER ROLE {me} CREATEROLE"), "make roles"),
        (format!("ALTER ROLE {me} CREATEDB"), "make databases"),
        (format!("ALTER ROLE {me} REPLICATION"), "replicate"),
        (format!("GRANT pg_read_all_data TO {me}"), "member of pg_read_all_data"),
        (format!("GRANT denym_views TO {me}"), "member of denym_views"),
        (format!("GRANT denym_research TO {me}"), "member of denym_research"),
        (format!("GRANT SELECT ON raw.person TO {me}"), "raw.person"),
        ("GRANT SELECT ON raw.member TO PUBLIC".into(), "raw.member"),
        (format!("GRANT SELECT (secret) ON raw.person TO {me}"), "raw.person"),
        (format!("GRANT USAGE ON SCHEMA raw TO {me}"), "enter the schema raw"),
        (format!("GRANT USAGE ON SCHEMA purpose_research TO {me}; GRANT SELECT ON purpose_research.person TO {me}"), "purpose_research.person"),
        (format!("GRANT UPDATE ON purpose_marketing.person TO {me}"), "purpose_marketing.person"),
        (format!("GRANT SELECT ON purpose_marketing.member TO {me}"), "purpose_marketing.member"),
        ("CREATE TABLE public.loose AS SELECT * FROM raw.person; GRANT SELECT ON public.loose TO PUBLIC".into(), "public.loose"),
        ("GRANT SELECT ON pg_authid TO PUBLIC".into(), "pg_authid"),
        (format!("GRANT SELECT ON pg_statistic TO {me}"), "pg_statistic"),
        (format!("GRANT CREATE ON SCHEMA purpose_marketing TO {me}"), "schema purpose_marketing"),
        ("GRANT CREATE ON SCHEMA public TO PUBLIC".into(), "schema public"),
        (format!("GRANT CREATE ON DATABASE postgres TO {me}"), "make schemas"),
        ("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC".into(), "temporary"),
        ("CREATE FUNCTION public.peek() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT max(secret) FROM raw.person'".into(), "public.peek()"),
        ("CREATE PROCEDURE public.poke() LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'".into(), "public.poke()"),
        (format!("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {me}"), "pg_read_file(text)"),
        ("SELECT lo_from_bytea(4711, 'RAW'); GRANT SELECT ON LARGE OBJECT 4711 TO PUBLIC".into(), "large object 4711"),
        ("CREATE FOREIGN DATA WRAPPER other; GRANT USAGE ON FOREIGN DATA WRAPPER other TO PUBLIC".into(), "foreign-data wrapper other"),
    ] {
        server.query(&format!("{given};")).unwrap_or_else(|error| panic!("{given}: {error}"));
        let mut mended = 0;
        loop {
            match start() {
                Ok(()) => break,
                Err(Error::SeesTooMuch { login, findings }) => {
                    if mended == 0 {
                        assert_eq!(login, me);
                        assert!(findings.iter().any(|one| one.what.contains(said)), "{given}: {findings:?}");
                    }
                    mended += 1;
                    assert!(mended < 4, "{given}: the statements do not mend it: {findings:?}");
                    for one in findings {
                        server.query(&format!("{};", one.mend)).unwrap_or_else(|error| panic!("{}: {error}", one.mend));
                    }
                }
                Err(error) => panic!("{given}: {error}"),
            }
        }
        assert!(mended > 0, "{given}");
    }
    // views that are not those of the policy
    for (given, said) in [
        (
            "COMMENT ON VIEW purpose_marketing.person IS 'denym of old'",
            "another policy",
        ),
        (
            "ALTER VIEW purpose_marketing.person SET (security_barrier = false)",
            "no security barrier",
        ),
        (
            "ALTER VIEW purpose_marketing.person OWNER TO postgres",
            "belongs to a role",
        ),
        (
            "REVOKE ALL ON purpose_marketing.person FROM denym_marketing",
            "not open to its login",
        ),
        ("DROP VIEW purpose_research.person", "there is no view"),
    ] {
        server.query(&format!("{given};")).expect(given);
        let error = start().expect_err(given);
        assert_eq!(error.code(), "views-differ", "{given}: {error}");
        assert!(error.to_string().contains(said), "{error}");
        install(&server, &policy(), None);
        start().unwrap_or_else(|error| panic!("the script mends it: {given}: {error}"));
    }
    // a name and a password in the connection are refused; so is a superuser by another name
    for (connection, code) in [
        (
            "host=localhost user=postgres dbname=postgres",
            "backend-unprotected",
        ),
        (
            "host=localhost password=hunter2 dbname=postgres",
            "password-in-arguments",
        ),
        (
            "postgresql://anna:hunter2@localhost/postgres",
            "password-in-arguments",
        ),
    ] {
        let error = Plan::reached(POLICY, connection, Protection::Local, Logins::default())
            .start()
            .map(|_| ())
            .expect_err(connection);
        assert_eq!(error.code(), code, "{connection}");
        assert!(!error.to_string().contains("hunter2") && !error.help().contains("hunter2"));
    }
}

#[test]
fn rights_that_grow_while_it_runs_stop_the_purpose() {
    let Some(server) = server() else {
        return;
    };
    let site = Plan::postgres(POLICY, &server).run();
    assert!(
        site.ask("anna", "marketing", "SELECT count(*) FROM person")
            .is_ok()
    );
    server
        .query("GRANT pg_read_all_data TO denym_marketing; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'denym_marketing';")
        .expect("more rights, and a new connection");
    let error = site
        .ask("anna", "marketing", "SELECT count(*) FROM person")
        .expect_err("not served");
    assert!(
        error.contains("nothing is served for this purpose"),
        "{error}"
    );
    assert!(
        site.ask("anna", "research", "SELECT count(*) FROM person")
            .is_ok()
    );
    install(&server, &policy(), None);
    assert!(
        site.ask("anna", "marketing", "SELECT count(*) FROM person")
            .is_ok(),
        "the script takes it back"
    );
}

#[test]
fn what_the_policy_no_longer_has_is_gone() {
    let Some(server) = server() else {
        return;
    };
    let marketing = "SELECT count(*) FROM purpose_marketing.person;";
    assert!(free(&server, "denym_marketing", marketing).contains("18"));
    let smaller = POLICY
        .replace("marketing = { parent = \"general\", retention-days = 400 }\n", "")
        .replace("purposes = [\"marketing\"]", "purposes = [\"research\"]")
        .replace("tables = { person = [\"id\", \"name\", \"note\", \"age\", \"born\"], member = \"all\" }", "tables = { person = [\"id\"] }");
    let smaller = AccessPolicy::parse(&smaller, &|_| None).expect("valid");
    install(&server, &smaller, None);
    let said = free(&server, "denym_marketing", marketing);
    assert!(said.contains("not permitted to log in"), "{said}");
    let left = server
        .query("SELECT count(*) FROM pg_views WHERE schemaname = 'purpose_marketing';")
        .expect("reads");
    assert_eq!(left, [["0"]]);
    // and it comes back with the policy
    install(&server, &policy(), None);
    assert!(free(&server, "denym_marketing", marketing).contains("18"));
    let twice = ddl(&policy(), None, &[]);
    assert_eq!(
        twice,
        ddl(&policy(), None, &[]),
        "the same script every time"
    );
}

#[test]
fn names_that_postgresql_would_cut_or_confuse_are_refused() {
    let with = |purposes: &str| {
        let text = POLICY.replace("[purposes]\n", &format!("[purposes]\n{purposes}"));
        AccessPolicy::parse(&text, &|_| None).expect("valid")
    };
    let code = |policy: &AccessPolicy| {
        policy
            .postgres_names("denym", &["denym_views", "raw"])
            .map(|_| ())
            .map_err(|error| (error.code(), error.to_string()))
    };
    assert_eq!(code(&policy()), Ok(()));
    let long = "p".repeat(60);
    for (purposes, kind, named) in [
        (
            "third-party = \"general\"\nthird_party = \"general\"\n".to_owned(),
            "names-collide",
            "third_party",
        ),
        (
            "views = \"general\"\n".to_owned(),
            "names-collide",
            "denym_views",
        ),
        (format!("{long} = \"general\"\n"), "name-too-long", &*long),
    ] {
        let (found, message) = code(&with(&purposes)).expect_err(&purposes);
        assert_eq!(found, kind);
        assert!(message.contains(named), "{message}");
    }
    let table = AccessPolicy::parse(
        &POLICY
            .replace("note = ", "denym_note = ")
            .replace("\"note\"", "\"denym_note\""),
        &|_| None,
    )
    .expect("valid");
    assert_eq!(code(&table).map_err(|(code, _)| code), Err("name-reserved"));
}
