//! Rights that end: a removed user, a new password, an ended role, withdrawn consent, each under an open session, cursor or answer.

use crate::support::question::{client, direct, runtime};
use crate::support::{NOON, Plan, Site};
use denym_purpose::Moment;
use denym_testkit::postgres::Server;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, SimpleQueryMessage};

const POLICY: &str = r#"
[purposes]
general = {}
[roles]
analyst = []
clerk = []
[users]
anna = { roles = ["analyst"] }
ben = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["general"]
[tables.person]
key = "id"
consent = "table"
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = {}
"#;

const CONSENT: &str = "table,record,column,intended\n";

fn people(count: usize) -> String {
    let rows = (1..=count).map(|id| format!("{id},Name{id}\n"));
    format!("id,name\n{}", rows.collect::<String>())
}

fn plan(rows: usize) -> Plan {
    let files = [("person", people(rows))];
    Plan::embedded(POLICY, &files, Some(CONSENT.to_owned()))
}

/// Rows of the statements, or the code of the refusal.
fn ask(runtime: &Runtime, client: &Client, sql: &str) -> Result<usize, String> {
    let asked = async {
        let asked = client.simple_query(sql);
        tokio::time::timeout(Duration::from_secs(30), asked).await
    };
    match runtime.block_on(asked).expect("an answer in time") {
        Ok(messages) => Ok(messages
            .iter()
            .filter(|message| matches!(message, SimpleQueryMessage::Row(_)))
            .count()),
        Err(error) => Err(error
            .code()
            .map_or_else(|| "closed".to_owned(), |code| code.code().to_owned())),
    }
}

fn open_session(runtime: &Runtime, site: &Site, user: &str) -> Client {
    let client = client(runtime, site, user);
    assert_eq!(
        ask(runtime, &client, "SET denym.purpose = 'general'"),
        Ok(0)
    );
    client
}

fn replace(site: &Site, name: &str, change: impl Fn(&str) -> String) {
    let path = site.folder.path().join(name);
    let text = std::fs::read_to_string(&path).expect("reads");
    let changed = change(&text);
    assert_ne!(text, changed);
    let draft = site.folder.path().join("draft");
    std::fs::write(&draft, changed).expect("writes");
    std::fs::rename(draft, path).expect("replaces");
}

fn without_anna(users: &str) -> String {
    let kept = users.lines().filter(|line| !line.starts_with("anna:"));
    kept.map(|line| format!("{line}\n")).collect()
}

fn waits_for_end(client: &Client) {
    let start = Instant::now();
    while !client.is_closed() {
        assert!(start.elapsed() < Duration::from_secs(5), "still open");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_removed_user_s_sessions_end_also_silent_ones() {
    let (site, runtime) = (plan(10).run(), runtime());
    let [silent, busy] = [0, 1].map(|_| open_session(&runtime, &site, "anna"));
    let other = open_session(&runtime, &site, "ben");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &busy, declared), Ok(2));
    replace(&site, "users", without_anna);
    assert_eq!(ask(&runtime, &busy, "FETCH 2 FROM c"), Err("57P01".into()));
    waits_for_end(&silent);
    waits_for_end(&busy);
    assert_eq!(ask(&runtime, &other, "SELECT * FROM person"), Ok(10));
    let ended = site.entries();
    let ended = ended.iter().filter(|event| event.event == "session-ended");
    assert!(ended.clone().all(|event| event.decision == "login-ended"));
    assert_eq!(ended.count(), 2);
}

#[test]
fn a_removed_user_s_running_statement_ends() {
    let (site, runtime) = (plan(1200).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let start = Instant::now();
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            ask(
                &runtime,
                &client,
                "SELECT count(*) FROM person a, person b, person c WHERE a.id + b.id + c.id = -1",
            )
        });
        std::thread::sleep(Duration::from_secs(1));
        replace(&site, "users", without_anna);
        asked.join().expect("ends")
    });
    assert_eq!(asked, Err("57P01".into()));
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    waits_for_end(&client);
}

#[test]
fn a_new_password_ends_the_sessions_of_the_old_one() {
    let (site, runtime) = (plan(3).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let other = open_session(&runtime, &site, "ben");
    let verifier = denym_gateway::scram::Verifier::new("another one", b"fedcba9876543210", 16);
    replace(&site, "users", |users| {
        format!("{}anna:{}\n", without_anna(users), verifier.to_text())
    });
    waits_for_end(&client);
    assert_eq!(ask(&runtime, &other, "SELECT * FROM person"), Ok(3));
}

#[test]
fn an_ended_role_ends_cursors_and_the_purpose() {
    let (site, runtime) = (plan(10).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let other = open_session(&runtime, &site, "ben");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    assert_eq!(ask(&runtime, &other, declared), Ok(2));
    replace(&site, "policy.toml", |policy| {
        policy.replace(
            "anna = { roles = [\"analyst\"] }",
            "anna = { roles = [\"clerk\"] }",
        )
    });
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Err("34000".into())
    );
    assert_eq!(
        ask(&runtime, &client, "SELECT * FROM person"),
        Err("42501".into())
    );
    assert_eq!(
        ask(&runtime, &other, "FETCH 2 FROM c"),
        Ok(2),
        "others keep theirs"
    );
    // a grant that goes ends everybody's
    replace(&site, "policy.toml", |policy| {
        policy.replace("role = \"analyst\"", "role = \"clerk\"")
    });
    assert_eq!(ask(&runtime, &other, "FETCH 2 FROM c"), Err("34000".into()));
    assert_eq!(
        ask(&runtime, &client, "SELECT * FROM person"),
        Ok(10),
        "a clerk may now"
    );
    // removed from the policy, a user is gone
    replace(&site, "policy.toml", |policy| {
        policy.replace("ben = { roles = [\"analyst\"] }\n", "")
    });
    waits_for_end(&other);
}

#[test]
fn a_policy_that_is_not_the_one_served_serves_nothing() {
    let (site, runtime) = (plan(10).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    for broken in [
        POLICY.replace("name = {}\n", "name = { mask = { first-letters = 1 } }\n"),
        "[purposes\n".to_owned(),
    ] {
        let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
        assert_eq!(ask(&runtime, &client, declared), Ok(2));
        replace(&site, "policy.toml", |_| broken.clone());
        for sql in ["FETCH 2 FROM c", "SELECT * FROM person"] {
            assert_eq!(ask(&runtime, &client, sql), Err("58000".into()), "{sql}");
        }
        replace(&site, "policy.toml", |_| POLICY.to_owned());
        assert_eq!(
            ask(&runtime, &client, "FETCH 2 FROM c"),
            Err("34000".into())
        );
        assert_eq!(ask(&runtime, &client, "SELECT * FROM person"), Ok(10));
    }
}

#[test]
fn without_a_users_file_nothing_is_answered() {
    let (site, runtime) = (plan(10).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let users = std::fs::read_to_string(site.folder.path().join("users")).expect("reads");
    replace(&site, "users", |_| "no user at all\n".to_owned());
    assert_eq!(
        ask(&runtime, &client, "SELECT * FROM person"),
        Err("58000".into())
    );
    std::thread::sleep(Duration::from_millis(1500));
    replace(&site, "users", |_| users.clone());
    assert_eq!(ask(&runtime, &client, "SELECT * FROM person"), Ok(10));
}

#[test]
fn withdrawn_consent_ends_open_cursors_and_portals() {
    let (site, runtime) = (plan(10).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Ok(2),
        "nothing changed"
    );
    let withdraw = |record: usize| {
        replace(&site, "consent.csv", |text| {
            format!("{text}person,{record},*,\"<{{}}, {{}}, {{general}}>\"\n")
        });
    };
    withdraw(7);
    assert_eq!(
        ask(&runtime, &client, "FETCH ALL FROM c"),
        Err("40001".into())
    );
    assert_eq!(
        ask(&runtime, &client, "FETCH ALL FROM c"),
        Err("34000".into()),
        "it is closed"
    );
    // asked again, the record is gone
    assert_eq!(
        ask(
            &runtime,
            &client,
            "SELECT * FROM person WHERE name = 'Name7'"
        ),
        Ok(0)
    );
    let mut client = client;
    runtime.block_on(async {
        let transaction = client.transaction().await.expect("begins");
        let portal = transaction
            .bind("SELECT * FROM person", &[])
            .await
            .expect("binds");
        let rows = transaction.query_portal(&portal, 2).await.expect("two");
        assert_eq!(rows.len(), 2);
        withdraw(8);
        let error = transaction
            .query_portal(&portal, 2)
            .await
            .expect_err("ends");
        assert_eq!(
            error.code().map(tokio_postgres::error::SqlState::code),
            Some("40001")
        );
    });
    let log = site.entries();
    let refused = log
        .iter()
        .filter(|event| event.decision == "consent-changed");
    assert_eq!(refused.count(), 2);
}

#[test]
fn withdrawn_consent_breaks_a_long_answer_off() {
    let (site, runtime) = (plan(2000).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            ask(
                &runtime,
                &client,
                "SELECT a.name, b.name FROM person a, person b, generate_series(1, 20) g",
            )
        });
        std::thread::sleep(Duration::from_millis(300));
        replace(&site, "consent.csv", |text| {
            format!("{text}person,7,*,\"<{{}}, {{}}, {{general}}>\"\n")
        });
        asked.join().expect("ends")
    });
    assert_eq!(asked, Err("40001".into()));
}

#[test]
fn withdrawn_consent_in_the_data_itself_ends_cursors() {
    let policy = POLICY.replace("consent = \"table\"", "consent = \"companion\"");
    // general is the only purpose: its bit is 8000 in hexadecimal
    let rows = |seventh: &str| {
        let rows = (1..=10).map(|id| {
            let allowed = if id == 7 { seventh } else { "" };
            format!("{id},,,,Name{id},{allowed},,\n")
        });
        format!(
            "id,id_aip,id_cip,id_pip,name,name_aip,name_cip,name_pip\n{}",
            rows.collect::<String>()
        )
    };
    let site = Plan::embedded(&policy, &[("person", rows(""))], None).run();
    let runtime = runtime();
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    replace(&site, "person.csv", |_| rows("0"));
    assert_eq!(
        ask(&runtime, &client, "FETCH ALL FROM c"),
        Err("40001".into())
    );
}

#[test]
fn withdrawn_consent_ends_cursors_of_a_postgresql_server_too() {
    let Some(server) = Server::start() else {
        return;
    };
    server
        .query(
            "CREATE SCHEMA raw; CREATE TABLE raw.person AS SELECT g::int8 AS id, 'Name' || g AS name FROM generate_series(1, 5000) g;",
        )
        .expect("sets up");
    let runtime = runtime();
    let steward = direct(&runtime, &server);
    let site = Plan::postgres(POLICY, &server).run();
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT id, name FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Ok(2),
        "nothing changed"
    );
    runtime.block_on(async {
        steward
            .batch_execute("INSERT INTO raw.denym_consent VALUES ('person', '7', '*', 0, 0, -1)")
            .await
            .expect("withdraws");
    });
    // the server tells within ten seconds
    let start = Instant::now();
    loop {
        match ask(&runtime, &client, "FETCH 2 FROM c") {
            Ok(_) => assert!(start.elapsed() < Duration::from_secs(15), "still open"),
            Err(code) => {
                assert_eq!(code, "40001");
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Records of the last ten days may be seen, and the oldest of them is ten days old.
fn with_retention() -> (String, String) {
    let policy = POLICY
        .replace("general = {}", "general = { retention-days = 10 }")
        .replace("key = \"id\"", "key = \"id\"\ncollected = \"day\"")
        .replace("name = {}", "name = {}\nday = { type = \"date\" }");
    // 1 to 30 September 2024; the clock of these tests begins on 4 October
    let rows = (1..=30).map(|id| format!("{id},Name{id},2024-09-{id:02}\n"));
    let people = format!("id,name,day\n{}", rows.collect::<String>());
    (policy, people)
}

#[test]
fn records_that_become_too_old_at_midnight_end_open_answers() {
    let (policy, people) = with_retention();
    let plan = Plan::embedded(&policy, &[("person", people)], Some(CONSENT.to_owned()));
    let (site, runtime) = (plan.run(), runtime());
    let mut client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM person; FETCH 2 FROM c";
    assert_eq!(
        ask(&runtime, &client, "SELECT * FROM person"),
        Ok(7),
        "24 to 30"
    );
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    let day = NOON.day;
    site.set_clock(Moment { day, minute: 1439 });
    assert_eq!(
        ask(&runtime, &client, "FETCH 1 FROM c"),
        Ok(1),
        "still today"
    );
    runtime.block_on(async {
        let transaction = client.transaction().await.expect("begins");
        let portal = transaction.bind("SELECT * FROM person", &[]).await;
        let portal = portal.expect("binds");
        let rows = transaction.query_portal(&portal, 2).await.expect("two");
        assert_eq!(rows.len(), 2);
        let midnight = Moment {
            day: day + 1,
            minute: 0,
        };
        site.set_clock(midnight);
        let error = transaction.query_portal(&portal, 2).await;
        let error = error.expect_err("ends");
        let code = error.code().map(tokio_postgres::error::SqlState::code);
        assert_eq!(code, Some("40001"));
    });
    assert_eq!(
        ask(&runtime, &client, "FETCH 1 FROM c"),
        Err("40001".into())
    );
    assert_eq!(
        ask(&runtime, &client, "FETCH 1 FROM c"),
        Err("34000".into()),
        "it is closed"
    );
    assert_eq!(
        ask(&runtime, &client, "SELECT * FROM person"),
        Ok(6),
        "25 to 30"
    );
    let log = site.entries();
    let ended = log.iter().filter(|event| event.decision == "day-ended");
    assert_eq!(ended.count(), 2);
}

#[test]
fn midnight_ends_no_answer_whose_records_may_always_be_seen() {
    let (site, runtime) = (plan(10).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    let day = NOON.day + 1;
    site.set_clock(Moment { day, minute: 0 });
    assert_eq!(ask(&runtime, &client, "FETCH ALL FROM c"), Ok(8));
}

#[test]
fn records_of_a_postgresql_server_that_become_too_old_end_open_answers_too() {
    let Some(server) = Server::start() else {
        return;
    };
    // the server's day is the real one: all of its records are of today
    server
        .query(
            "CREATE SCHEMA raw; CREATE TABLE raw.person AS SELECT g::int8 AS id, 'Name' || g AS name, \
             (statement_timestamp() AT TIME ZONE 'UTC')::date AS day FROM generate_series(1, 50) g;",
        )
        .expect("sets up");
    let (policy, _) = with_retention();
    let (site, runtime) = (Plan::postgres(&policy, &server).run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    assert_eq!(ask(&runtime, &client, "FETCH 2 FROM c"), Ok(2));
    let day = NOON.day + 1;
    site.set_clock(Moment { day, minute: 0 });
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Err("40001".into())
    );
}

/// Whatever a cursor rests on and nobody notices, it does not rest on it for long.
#[test]
fn a_cursor_lives_no_longer_than_a_statement_may_run() {
    let plan = plan(10).with_limits(|limits| limits.statement = Some(Duration::from_secs(2)));
    let (site, runtime) = (plan.run(), runtime());
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    std::thread::sleep(Duration::from_millis(2100));
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Err("57014".into())
    );
}

#[test]
fn a_session_leaves_few_queries_running() {
    let (site, runtime) = (
        plan(10).with_limits(|limits| limits.open = 3).run(),
        runtime(),
    );
    let client = open_session(&runtime, &site, "anna");
    let declare =
        |name: usize| format!("DECLARE c{name} CURSOR WITH HOLD FOR SELECT * FROM person");
    for name in 0..3 {
        assert_eq!(ask(&runtime, &client, &declare(name)), Ok(0));
    }
    assert_eq!(ask(&runtime, &client, &declare(3)), Err("54000".into()));
    assert_eq!(ask(&runtime, &client, "CLOSE c1"), Ok(0));
    assert_eq!(ask(&runtime, &client, &declare(3)), Ok(0));
    assert_eq!(ask(&runtime, &client, "SELECT * FROM person"), Ok(10));
}

#[test]
fn prepared_statements_have_a_size() {
    let site = plan(3)
        .with_limits(|limits| limits.object_bytes = 1 << 20)
        .run();
    let runtime = runtime();
    let client = open_session(&runtime, &site, "anna");
    runtime.block_on(async {
        let mut kept = Vec::new();
        for round in 0..20 {
            let sql = format!("SELECT {round}, '{}'", "x".repeat(100_000));
            match client.prepare(&sql).await {
                Ok(statement) => kept.push(statement),
                Err(error) => {
                    assert_eq!(
                        error.code().map(tokio_postgres::error::SqlState::code),
                        Some("54000")
                    );
                    break;
                }
            }
        }
        assert_eq!(kept.len(), 10);
    });
}

#[test]
fn silence_closes_cursors_and_then_the_session() {
    let site = plan(10)
        .with_limits(|limits| {
            limits.open_idle = Duration::from_millis(300);
            limits.idle = Some(Duration::from_secs(2));
        })
        .run();
    let runtime = runtime();
    let client = open_session(&runtime, &site, "anna");
    let declared = "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM person; FETCH 2 FROM c";
    assert_eq!(ask(&runtime, &client, declared), Ok(2));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(
        ask(&runtime, &client, "FETCH 2 FROM c"),
        Err("34000".into())
    );
    assert_eq!(ask(&runtime, &client, "SELECT * FROM person"), Ok(10));
    waits_for_end(&client);
}
