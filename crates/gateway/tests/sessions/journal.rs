//! The audit log under a running gateway: every statement is in it, on the disk, in bounded entries, by one writer, and half a line does no harm.

use crate::support::question::{client, runtime};
use crate::support::{Plan, Site, run_raw};
use denym_gateway::audit::Event;
use denym_testkit::postgres::Server;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;

const POLICY: &str = r#"
[purposes]
general = {}
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["general"]
[tables.person]
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = {}
"#;

fn files() -> [(&'static str, String); 1] {
    [("person", "id,name\n1,Ada\n2,Ben\n".to_owned())]
}

fn plan() -> Plan {
    Plan::embedded(POLICY, &files(), None)
}

fn has(entries: &[Event], kind: &str, text: &str, decision: &str) -> bool {
    entries.iter().any(|event| {
        event.event == kind
            && event.decision == decision
            && event
                .statement
                .as_deref()
                .is_some_and(|one| one.contains(text))
    })
}

fn every_statement(backend: &str, site: &Site) {
    let mut psql = site.psql("anna");
    psql.args(["-v", "ON_ERROR_STOP=0"]);
    let shown = run_raw(
        psql,
        "SET denym.purpose = 'general';\nBEGIN;\nSHOW denym.purpose;\nCOMMIT;\n\
         SELECT 'catalogue', count(*) FROM pg_catalog.pg_class;\n\
         SELECT 'no table at all';\n\
         SELECT 'governed', id FROM person;\n\
         SELECT 'division', 1 / (id - id) FROM person;\n\
         SELECT 'unknown', no_such_column FROM person;\n\
         DROP TABLE person;\n\
         SELEC no language;\n\
         SELECT 'unclosed;\n';\n\
         CREATE TEMP VIEW v AS SELECT id FROM person;\nDROP VIEW v;\n",
    );
    assert!(
        shown.contains("catalogue") && shown.contains("governed"),
        "{shown}"
    );
    let runtime = runtime();
    let client = client(&runtime, site, "anna");
    runtime.block_on(async {
        client
            .query("SELECT 'prepared on no table', $1::text", &[&"a parameter"])
            .await
            .expect("answers");
        client
            .query(
                "SELECT id FROM person WHERE name = $1 FOR PURPOSE general",
                &[&"O'Brien"],
            )
            .await
            .expect("answers");
        client
            .prepare("SELECT 'never executed'")
            .await
            .expect("fits");
        client
            .prepare("SELECT 'refused', secret FROM person FOR PURPOSE general")
            .await
            .expect_err("no such column");
        client
            .batch_execute("DISCARD ALL")
            .await
            .expect("permitted");
    });
    let log = site.entries();
    for text in [
        "SET denym.purpose",
        "BEGIN",
        "SHOW denym.purpose",
        "COMMIT",
        "catalogue",
        "no table at all",
        "governed",
        "division",
        "unknown",
        "DROP TABLE person",
        "SELEC no language",
        "unclosed",
        "CREATE TEMP VIEW",
        "DROP VIEW",
        "DISCARD ALL",
    ] {
        assert!(
            has(&log, "statement", text, "received"),
            "{backend}: {text}"
        );
    }
    for text in [
        "prepared on no table",
        "person WHERE name = $1",
        "never executed",
        "refused",
    ] {
        assert!(
            has(&log, "statement", text, "prepared"),
            "{backend}: {text}"
        );
    }
    assert!(
        has(&log, "statement", "prepared on no table", "executed"),
        "{backend}"
    );
    assert!(
        !has(&log, "statement", "never executed", "executed"),
        "{backend}"
    );
    for text in [
        "division",
        "unknown",
        "DROP TABLE person",
        "SELEC",
        "refused",
    ] {
        let refused = log.iter().any(|event| {
            event.event == "refused"
                && event
                    .statement
                    .as_deref()
                    .is_some_and(|one| one.contains(text))
        });
        assert!(refused, "{backend}: {text}: {shown}");
    }
    let access = log
        .iter()
        .find(|event| event.event == "access" && !event.parameters.is_empty())
        .expect("an access with parameters");
    assert_eq!(access.parameters, [Some("O'Brien".to_owned())], "{backend}");
}

#[test]
fn every_statement_is_in_the_log() {
    every_statement("files", &plan().run());
    if let Some(server) = Server::start() {
        server
            .query("CREATE SCHEMA raw; CREATE TABLE raw.person AS SELECT 1::int8 AS id, 'Ada'::text AS name;")
            .expect("sets up");
        every_statement("postgres", &Plan::postgres(POLICY, &server).run());
    }
}

#[test]
fn an_entry_of_a_huge_statement_is_small_and_tells_which_it_was() {
    let site = plan().run();
    let runtime = runtime();
    let client = client(&runtime, &site, "anna");
    let long = format!("SELECT '{}'", "ab".repeat(7 << 20));
    let value = "v".repeat(100_000);
    runtime.block_on(async {
        let _ = client.batch_execute(&long).await;
        let _ = client.prepare(&long).await;
        let sql = "SELECT id FROM person WHERE name = $1 FOR PURPOSE general";
        client.query(sql, &[&value]).await.expect("answers");
    });
    drop(client);
    let mut hash = String::new();
    for byte in Sha256::digest(&long) {
        let _ = write!(hash, "{byte:02x}");
    }
    let log = site.entries();
    let cut: Vec<_> = log
        .iter()
        .filter_map(|one| one.statement_cut.as_ref())
        .collect();
    assert!(cut.len() >= 2);
    for cut in cut {
        assert_eq!((cut.bytes, &cut.sha256), (long.len() as u64, &hash));
    }
    let access = log
        .iter()
        .find(|event| event.event == "access")
        .expect("one");
    assert!(access.parameters_cut.is_some());
    let size = site.audit().lines().map(str::len).max().expect("lines");
    assert!(size < 40_000, "{size}");
}

#[test]
fn one_gateway_writes_a_log() {
    let site = plan().run();
    let mut second = plan();
    second.config.audit = Some(site.folder.path().join("audit.jsonl"));
    let error = second.start().map(|_| ()).expect_err("does not start");
    assert_eq!(error.code(), "audit-locked");
    assert!(error.help().contains("--audit"));
    let folder = site.stop();
    // and once it has stopped, the next goes on
    Plan::embedded_in(folder, POLICY, &files(), None).run();
}

#[test]
fn half_a_last_entry_is_moved_aside_and_the_chain_goes_on() {
    let site = plan().run();
    assert!(site.ask("anna", "general", "SELECT * FROM person").is_ok());
    let folder = site.stop();
    let path = folder.path().join("audit.jsonl");
    let whole = std::fs::read(&path).expect("reads");
    let start = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .expect("several lines")
        + 1;
    let mut folder = Some(folder);
    // cut at any byte of the last line; blocks that were never written; both
    let mut cuts: Vec<Vec<u8>> = [1, 9, 60, 100, whole.len() - start - 2]
        .iter()
        .map(|kept| whole[..start + kept].to_vec())
        .collect();
    cuts.push([&whole[..], &[0; 4096]].concat());
    cuts.push([&whole[..start + 30], &[0; 100], &b"\nmore\n"[..]].concat());
    for (round, cut) in cuts.into_iter().enumerate() {
        std::fs::write(&path, &cut).expect("writes");
        let plan = Plan::embedded_in(folder.take().expect("there"), POLICY, &files(), None);
        let site = plan.run();
        assert!(site.ask("anna", "general", "SELECT * FROM person").is_ok());
        let recovered = site.entries();
        let recovered: Vec<_> = recovered
            .iter()
            .filter(|event| event.event == "recovered")
            .collect();
        assert_eq!(recovered.len(), 1, "round {round}");
        assert!(!recovered[0].at.is_empty());
        let aside: Vec<_> = std::fs::read_dir(site.folder.path())
            .expect("lists")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.to_string_lossy().contains(".jsonl.half-"))
            .collect();
        assert_eq!(aside.len(), 1, "round {round}");
        let piece = std::fs::read(&aside[0]).expect("reads");
        assert!(cut.ends_with(&piece), "round {round}");
        std::fs::remove_file(&aside[0]).expect("removes");
        folder = Some(site.stop());
    }
    // an entry without its end of line is whole
    std::fs::write(&path, &whole[..whole.len() - 1]).expect("writes");
    let site = Plan::embedded_in(folder.take().expect("there"), POLICY, &files(), None).run();
    assert!(
        site.entries()
            .iter()
            .all(|event| event.event != "recovered")
    );
    let folder = site.stop();
    // a log that was changed is not touched, nor is a file that is no log
    let mut changed = whole.clone();
    changed[start + 20] ^= 1;
    for bytes in [changed, b"name,age\nAda,3".to_vec(), b"x".to_vec()] {
        std::fs::write(&path, &bytes).expect("writes");
        let mut plan = plan();
        plan.config.audit = Some(path.clone());
        let error = plan.start().map(|_| ()).expect_err("does not start");
        assert_eq!(error.code(), "audit-broken");
        assert_eq!(std::fs::read(&path).expect("reads"), bytes);
    }
    drop(folder);
}

#[cfg(unix)]
#[test]
fn a_log_that_others_may_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let plan = plan();
    let path = plan.folder.path().join("audit.jsonl");
    let mut file = std::fs::File::create(&path).expect("makes");
    file.write_all(b"").expect("writes");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).expect("widens");
    let site = plan.run();
    let mode = std::fs::metadata(&path)
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(site);
}
