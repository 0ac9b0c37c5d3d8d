//! The connection to the PostgreSQL server behind the gateway: encrypted and checked, or not there.

use crate::support::Plan;
use crate::support::generated::{POLICY, set_up};
use crate::support::question::{connect, runtime};
use denym_gateway::{Logins, Protection};
use denym_purpose::AccessPolicy;
use denym_testkit::certificates::signed;
use denym_testkit::postgres::Server;

#[test]
fn encrypted_and_checked_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = tempfile::tempdir().expect("a folder");
    let (Some((authority, certificate, key)), Some((stranger, ..))) = (
        signed(folder.path(), "localhost"),
        signed(other.path(), "localhost"),
    ) else {
        return;
    };
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    let port = server.encrypt(&certificate, &key);
    let plan = |connection: &str, protection: Protection| {
        Plan::reached(POLICY, connection, protection, Logins::default())
    };
    let count = |connection: &str, protection: Protection| {
        let site = plan(connection, protection).run();
        let runtime = runtime();
        let text = format!(
            "host={} port={port} user=postgres",
            server.socket().display()
        );
        let direct = connect(&runtime, &text);
        let answer = site.ask("anna", "marketing", "SELECT count(*) FROM person");
        // what the server itself says of the gateway's connections
        let rows = runtime
            .block_on(direct.query(
                "SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'denym gateway'",
                &[],
            ))
            .expect("answers");
        let encrypted: Vec<bool> = rows.iter().map(|row| row.get(0)).collect();
        (answer, encrypted)
    };
    let by_name = format!("host=localhost port={port} dbname=postgres");
    for mode in ["", " sslmode=require", " sslmode=prefer"] {
        let (answer, encrypted) = count(
            &format!("{by_name}{mode}"),
            Protection::Authority(authority.clone()),
        );
        assert_eq!(answer, Ok(vec![vec!["120".into()]]), "{mode}");
        assert!(
            !encrypted.is_empty() && encrypted.iter().all(|one| *one),
            "{encrypted:?}"
        );
    }
    // another authority's certificate, or another name: no connection, and none in clear text instead
    let by_address = format!("host=127.0.0.1 port={port} dbname=postgres");
    for (connection, authority) in [(&by_name, &stranger), (&by_address, &authority)] {
        let error = plan(connection, Protection::Authority(authority.clone()))
            .start()
            .map(|_| ())
            .expect_err("not trusted");
        assert_eq!(error.code(), "backend-unreachable", "{error}");
    }
    // on this machine clear text needs no word; the server says it is clear
    let (answer, encrypted) = count(&by_name, Protection::Local);
    assert_eq!(answer, Ok(vec![vec!["120".into()]]));
    assert!(
        !encrypted.is_empty() && !encrypted.contains(&true),
        "{encrypted:?}"
    );
    for (connection, protection) in [
        (format!("{by_name} sslmode=require"), Protection::Local),
        ("host=db.invalid".to_owned(), Protection::Local),
    ] {
        let error = plan(&connection, protection)
            .start()
            .map(|_| ())
            .expect_err("does not start");
        assert_eq!(error.code(), "backend-unprotected", "{connection}");
    }
}
