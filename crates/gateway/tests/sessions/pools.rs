//! The gateway's connections to a PostgreSQL server: nobody takes them all, and each is made with a password that stands in no argument.

use crate::support::generated::{POLICY, set_up};
use crate::support::question::{connect, runtime};
use crate::support::{PASSWORD, Plan, Site};
use denym_gateway::admin::PasswordsFile;
use denym_gateway::admin::ddl::{Wanted, script};
use denym_gateway::{Limits, Logins, Protection};
use denym_purpose::AccessPolicy;
use denym_testkit::postgres::Server;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::Client;

/// A policy with a second user.
fn policy() -> String {
    POLICY.replace(
        "anna = { roles = [\"analyst\"] }",
        "anna = { roles = [\"analyst\"] }\nben = { roles = [\"analyst\"] }",
    )
}

fn server() -> Option<Server> {
    let server = Server::start()?;
    let policy = AccessPolicy::parse(&policy(), &|_| None).expect("valid");
    set_up(&server, &policy);
    Some(server)
}

fn site(server: &Server, change: impl FnOnce(&mut Limits)) -> Site {
    Plan::postgres(&policy(), server).with_limits(change).run()
}

fn client(runtime: &Runtime, site: &Site, user: &str) -> Client {
    let text = format!(
        "host=127.0.0.1 port={} user={user} password='{PASSWORD}' dbname=denym",
        site.address.port()
    );
    let client = connect(runtime, &text);
    run(runtime, &client, "SET denym.purpose = 'marketing'").expect("a purpose");
    client
}

/// Runs a statement; what the gateway says against it.
fn run(runtime: &Runtime, client: &Client, sql: &str) -> Result<(), (String, String)> {
    runtime
        .block_on(client.batch_execute(sql))
        .map_err(|error| {
            let error = error.as_db_error().expect("the gateway says why").clone();
            (error.code().code().to_owned(), error.message().to_owned())
        })
}

fn declare(runtime: &Runtime, client: &Client, name: usize) -> Result<(), (String, String)> {
    let sql = format!("DECLARE c{name} CURSOR WITH HOLD FOR SELECT id FROM person");
    run(runtime, client, &sql)
}

#[test]
fn one_session_with_forty_cursors_stops_nobody() {
    let Some(server) = server() else {
        return;
    };
    let site = site(&server, |_| {});
    let runtime = runtime();
    let greedy = client(&runtime, &site, "anna");
    let mut refused = 0;
    for name in 0..40 {
        match declare(&runtime, &greedy, name) {
            Ok(()) => assert!(name < 8, "{name}"),
            Err((code, message)) => {
                assert_eq!(code, "53400", "{message}");
                assert!(message.contains("too many open portals"), "{message}");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 32);
    // others are served at once, of the same user and of another
    let start = Instant::now();
    for user in ["anna", "ben"] {
        let other = client(&runtime, &site, user);
        run(&runtime, &other, "SELECT count(*) FROM person").expect("served");
    }
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    // who closes one may open another; and what is open still answers
    run(&runtime, &greedy, "CLOSE c0").expect("closed");
    declare(&runtime, &greedy, 50).expect("room again");
    run(&runtime, &greedy, "FETCH 5 FROM c1").expect("still there");
}

#[test]
fn a_cursor_that_nobody_fetches_from_gives_way_to_those_who_wait() {
    let Some(server) = server() else {
        return;
    };
    let site = site(&server, |limits| limits.backend_connections = 4);
    let runtime = runtime();
    // one user has at most half of the four
    let anna = client(&runtime, &site, "anna");
    for name in 0..2 {
        declare(&runtime, &anna, name).expect("room");
    }
    let ben = client(&runtime, &site, "ben");
    let start = Instant::now();
    run(&runtime, &ben, "SELECT count(*) FROM person").expect("ben has his own share");
    assert!(
        start.elapsed() < Duration::from_millis(1900),
        "without waiting"
    );
    let again = client(&runtime, &site, "anna");
    run(&runtime, &again, "SELECT count(*) FROM person").expect("after a short wait");
    let (code, message) = run(&runtime, &anna, "FETCH 1 FROM c0").expect_err("was closed");
    assert_eq!(code, "57P05", "{message}");
    assert!(message.contains("nothing was fetched"), "{message}");
}

#[test]
fn waiting_ends_with_a_clear_refusal() {
    let Some(server) = server() else {
        return;
    };
    let site = site(&server, |limits| {
        limits.backend_connections = 2;
        limits.backend_wait = Duration::from_millis(700);
    });
    let runtime = runtime();
    let anna = client(&runtime, &site, "anna");
    declare(&runtime, &anna, 0).expect("room");
    let other = client(&runtime, &site, "anna");
    let start = Instant::now();
    let (code, message) = run(&runtime, &other, "SELECT count(*) FROM person").expect_err("busy");
    assert_eq!(code, "53300", "{message}");
    assert!(message.contains("are in use"), "{message}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_long_pause_ends_a_cursor_and_its_statement() {
    let Some(server) = server() else {
        return;
    };
    let site = site(&server, |limits| {
        limits.backend_idle = Duration::from_millis(500);
    });
    let runtime = runtime();
    let anna = client(&runtime, &site, "anna");
    // never fetched, and fetched once
    declare(&runtime, &anna, 0).expect("room");
    declare(&runtime, &anna, 1).expect("room");
    run(&runtime, &anna, "FETCH 1 FROM c1").expect("a row");
    std::thread::sleep(Duration::from_secs(2));
    for name in [0, 1] {
        let (code, _) = run(&runtime, &anna, &format!("FETCH 1 FROM c{name}")).expect_err("closed");
        assert_eq!(code, "57P05");
    }
    // the session lives, and its places are free again
    for name in 2..10 {
        declare(&runtime, &anna, name).expect("room");
    }
}

#[test]
fn the_logins_have_passwords_that_only_a_file_holds() {
    let Some(server) = server() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("logins.pgpass");
    let text = policy();
    let parsed = AccessPolicy::parse(&text, &|_| None).expect("valid");
    let names = parsed.postgres_names("denym", &["raw"]).expect("fit");
    let logins: Vec<String> = names.into_iter().map(|names| names.login).collect();
    let verifiers = PasswordsFile::new(&path).verifiers(&logins).expect("draws");
    let wanted = Wanted {
        purpose: None,
        table: None,
        schema: "raw",
        owner: "denym_views",
        logins: "denym",
        verifiers: &verifiers,
        readers: &[],
        indexes: false,
        unconditional: false,
    };
    let sql = script(&parsed, &wanted).expect("in SQL").sql;
    let kept = std::fs::read_to_string(&path).expect("reads");
    for line in kept.lines() {
        let password = line.rsplit(':').next().expect("a password");
        assert!(password.len() == 64 && !sql.contains(password));
    }
    server.query(&sql).expect("sets up");
    // from now on everybody but the administrator must have a password
    server
        .query("DO $$ BEGIN EXECUTE format('COPY (VALUES (%L), (%L)) TO %L', 'local all postgres trust', 'local all all scram-sha-256', current_setting('hba_file')); END $$; SELECT pg_reload_conf();")
        .expect("sets pg_hba.conf");
    std::thread::sleep(Duration::from_millis(300));
    let connection = format!("host={} dbname=postgres", server.socket().display());
    let start = |passwords: Option<&std::path::Path>| {
        let logins = Logins::PerPurpose {
            prefix: "denym".into(),
            passwords: passwords.map(std::path::Path::to_owned),
        };
        Plan::reached(&text, &connection, Protection::Local, logins).start()
    };
    let site = start(Some(&path)).unwrap_or_else(|error| panic!("{error}"));
    let count = site.ask("anna", "marketing", "SELECT count(*) FROM person");
    assert_eq!(count, Ok(vec![vec!["120".into()]]));
    let without = start(None).map(|_| ()).expect_err("no password");
    assert_eq!(without.code(), "backend-unreachable", "{without}");
    let wrong = folder.path().join("wrong.pgpass");
    PasswordsFile::new(&wrong)
        .verifiers(&logins)
        .expect("draws others");
    let refused = start(Some(&wrong))
        .map(|_| ())
        .expect_err("other passwords");
    assert!(
        refused
            .to_string()
            .contains("refuses the login or its password"),
        "{refused}"
    );
}
