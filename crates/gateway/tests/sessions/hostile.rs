//! Clients that mean no good: wrong passwords, garbage bytes, silence, deafness, too many at once; and TLS that fails closed.

use crate::support::question::{client, runtime};
use crate::support::{PASSWORD, Plan, Site};
use denym_testkit::certificates::certificate;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};
use tokio_postgres::{CancelToken, NoTls};

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

fn plan(rows: usize) -> Plan {
    let mut text = "id,name,secret\n".to_owned();
    for id in 0..rows {
        text.push_str(&format!(
            "{id},name number {id} with some length to it,hidden\n"
        ));
    }
    Plan::embedded(POLICY, &[("person", text)], None)
}

fn alive(site: &Site) {
    let rows = site.ask("anna", "general", "SELECT min(id) FROM person");
    assert_eq!(rows, Ok(vec![vec!["0".into()]]));
}

fn socket(site: &Site) -> TcpStream {
    let socket = TcpStream::connect(site.address).expect("connects");
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a timeout");
    socket
}

/// A startup message.
fn startup(user: &str) -> Vec<u8> {
    let mut body = vec![0, 3, 0, 0];
    for text in [
        "user",
        user,
        "database",
        "denym",
        "options",
        "-c denym.purpose=general",
        "",
    ] {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    let mut out = u32::try_from(body.len() + 4)
        .expect("short")
        .to_be_bytes()
        .to_vec();
    out.extend(body);
    out
}

fn read_all(mut socket: TcpStream) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = socket.read_to_end(&mut out);
    out
}

#[test]
fn garbage_on_the_port() {
    let site = plan(3)
        .with_limits(|limits| limits.startup = Duration::from_secs(2))
        .run();
    let mut state = 11u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let good = startup("anna");
    for round in 0..400 {
        let mut bytes: Vec<u8> = match round % 4 {
            0 => (0..usize::from(draw())).map(|_| draw()).collect(),
            // a startup with some bytes changed
            1 => {
                let mut bytes = good.clone();
                for _ in 0..3 {
                    let place = usize::from(draw()) % bytes.len();
                    bytes[place] = draw();
                }
                bytes
            }
            // a startup, then garbage instead of a SASL answer
            2 => {
                let mut bytes = good.clone();
                bytes.extend((0..usize::from(draw())).map(|_| draw()));
                bytes
            }
            // statements before any login
            _ => {
                let mut bytes = good.clone();
                bytes.extend(b"Q\0\0\0\x0dSELECT 1\0");
                bytes
            }
        };
        bytes.truncate(2000);
        let mut socket = socket(&site);
        let _ = socket.write_all(&bytes);
        let _ = socket.shutdown(Shutdown::Write);
        let answer = read_all(socket);
        // authentication OK is R 0 0 0 8 0 0 0 0: nobody gets it
        assert!(
            !answer.windows(9).any(|part| part == b"R\0\0\0\x08\0\0\0\0"),
            "round {round}"
        );
        assert!(
            !answer.contains(&b'D') || answer.len() < 200,
            "round {round}: no rows"
        );
    }
    alive(&site);
}

#[test]
fn wrong_passwords_are_slowed_down() {
    let site = plan(3).run();
    let mut waited = 0;
    for user in ["anna", "nobody", "anna", "anna", "mallory", "anna", "anna"] {
        let mut command = site.psql(user);
        command.env("PGPASSWORD", "wrong");
        let error = crate::support::run(command, "SELECT 1;").expect_err("a wrong password");
        assert!(error.contains("password authentication failed"), "{error}");
        waited += 1;
    }
    assert_eq!(waited, 7);
    // the right password waits too, and then works
    let error = site
        .query("anna", "SELECT 1;")
        .expect_err("the brake is on");
    assert!(error.contains("password authentication failed"), "{error}");
    let start = Instant::now();
    loop {
        if site.query("anna", "SELECT 1;").is_ok() {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the brake lets go, however often the right password was tried"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    let log = site.audit();
    assert!(
        log.contains("login-failed") && log.contains("too-many-failures"),
        "{log}"
    );
    assert!(
        !log.contains("wrong\"") && !log.contains(PASSWORD),
        "no password in the log"
    );
}

#[test]
fn a_user_without_policy_or_verifier_does_not_get_in() {
    let site = plan(3).run();
    // mallory has a verifier and is no user of the policy; nobody has neither
    for user in ["mallory", "nobody"] {
        let error = site.query(user, "SELECT 1;").expect_err("not a user");
        assert!(error.contains("password authentication failed"), "{error}");
    }
    // a user removed from the file is gone at the next login
    alive(&site);
    std::fs::write(site.folder.path().join("users"), "").expect("writes");
    assert!(site.query("anna", "SELECT 1;").is_err());
}

#[test]
fn a_thousand_idle_connections() {
    let site = plan(3).run();
    let runtime = runtime();
    let text = format!(
        "host=127.0.0.1 port={} user=anna password='{PASSWORD}'",
        site.address.port()
    );
    runtime.block_on(async {
        let mut clients = Vec::new();
        for _ in 0..1000 {
            let (client, connection) = tokio_postgres::connect(&text, NoTls)
                .await
                .expect("logs in");
            tokio::spawn(connection);
            clients.push(client);
        }
        // all of them still answer
        for client in clients.iter().step_by(50) {
            client
                .batch_execute("SET denym.purpose = 'general'")
                .await
                .expect("permitted");
            let row = client
                .query_one("SELECT count(*) FROM person", &[])
                .await
                .expect("answers");
            assert_eq!(row.get::<_, i64>(0), 3);
        }
    });
    alive(&site);
}

#[test]
fn more_connections_than_places_are_told_so() {
    let site = plan(3)
        .with_limits(|limits| {
            limits.connections = 3;
            limits.startup = Duration::from_secs(2);
        })
        .run();
    // three clients that never finish their startup
    let held: Vec<TcpStream> = (0..3).map(|_| socket(&site)).collect();
    std::thread::sleep(Duration::from_millis(300));
    let error = site.query("anna", "SELECT 1;").expect_err("no place");
    assert!(error.contains("too many clients"), "{error}");
    // they lose their places
    let start = Instant::now();
    while site.query("anna", "SELECT 1;").is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "a silent client holds its place"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(held);
}

#[test]
fn a_client_that_never_reads() {
    let site = plan(300_000)
        .with_limits(|limits| limits.write = Duration::from_secs(2))
        .run();
    let text = format!(
        "host=127.0.0.1 port={} user=anna password='{PASSWORD}'",
        site.address.port()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (client, mut connection) = tokio_postgres::connect(&text, NoTls)
            .await
            .expect("logs in");
        let asked = async {
            client
                .batch_execute("SET denym.purpose = 'general'")
                .await
                .expect("permitted");
            // the answer is larger than all buffers on the way; nobody reads on
            client
                .simple_query_raw(
                    "SELECT p.id, p.name, q.name FROM person p JOIN person q ON q.id = p.id",
                )
                .await
        };
        // notices on the way do not end the conversation
        let conversation = async {
            while let Some(Ok(_)) = std::future::poll_fn(|cx| connection.poll_message(cx)).await {}
        };
        let mut conversation = std::pin::pin!(conversation);
        let rows = tokio::select! {
            rows = asked => rows,
            () = &mut conversation => panic!("the connection ended"),
        };
        // the question goes out, and as many rows come as fit on the way
        let _ = tokio::time::timeout(Duration::from_secs(1), &mut conversation).await;
        std::thread::sleep(Duration::from_secs(6));
        drop(rows);
        drop(client);
    });
    alive(&site);
    let log = site.audit();
    assert!(log.contains("broken-off"), "{log}");
}

#[test]
fn a_query_can_be_cancelled() {
    let site = plan(3000).run();
    let runtime = runtime();
    let client = client(&runtime, &site, "anna");
    runtime.block_on(async {
        client
            .batch_execute("SET denym.purpose = 'general'")
            .await
            .expect("permitted");
        let token: CancelToken = client.cancel_token();
        let canceller = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            token.cancel_query(NoTls).await.expect("sends");
        });
        let start = Instant::now();
        // 27 thousand million rows
        let error = client
            .query(
                "SELECT count(*) FROM person a, person b, person c WHERE a.id + b.id + c.id = -1",
                &[],
            )
            .await
            .expect_err("cancelled");
        assert_eq!(
            error.code().map(tokio_postgres::error::SqlState::code),
            Some("57014")
        );
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "{:?}",
            start.elapsed()
        );
        canceller.await.expect("ends");
        // the session goes on
        let row = client
            .query_one("SELECT count(*) FROM person", &[])
            .await
            .expect("answers");
        assert_eq!(row.get::<_, i64>(0), 3000);
        // a wrong secret cancels nothing: 16 bytes, process 1, secret 0
        let mut other = TcpStream::connect(site.address).expect("connects");
        other
            .write_all(&[0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 0])
            .expect("sends");
    });
    alive(&site);
}

#[test]
fn tls_fails_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((good, key)) = certificate(folder.path()) else {
        return;
    };
    let bad = folder.path().join("bad.pem");
    std::fs::write(
        &bad,
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    .expect("writes");
    let other = tempfile::tempdir().expect("a folder");
    let Some((_, other_key)) = certificate(other.path()) else {
        return;
    };
    let missing = folder.path().join("missing.pem");
    for (certificate, key) in [
        (&bad, &key),
        (&good, &bad),
        (&missing, &key),
        (&good, &missing),
        (&good, &other_key),
        (&key, &key),
    ] {
        let error = plan(3)
            .with_tls(certificate, key)
            .start()
            .map(|_| ())
            .expect_err("does not start");
        assert_eq!(error.code(), "tls-unusable");
    }
    let site = plan(3).with_tls(&good, &key).run();
    let with = |mode: &str, root: &str| {
        let mut command = site.psql("anna");
        command.env("PGSSLMODE", mode).env("PGSSLROOTCERT", root);
        crate::support::run(
            command,
            "SET denym.purpose = 'general'; SELECT min(id) FROM person;",
        )
    };
    assert_eq!(
        with("verify-full", good.to_str().expect("a path")),
        Ok(vec![vec!["0".into()]])
    );
    assert_eq!(with("require", ""), Ok(vec![vec!["0".into()]]));
    let error = with("disable", "").expect_err("clear text");
    assert!(error.contains("encrypted connections only"), "{error}");
    // statements sent ahead of the handshake are not taken
    let mut socket = socket(&site);
    let mut bytes = vec![0, 0, 0, 8, 4, 210, 22, 47];
    bytes.extend(startup("anna"));
    socket.write_all(&bytes).expect("sends");
    assert_eq!(read_all(socket), b"", "no answer to smuggled bytes");
}

#[test]
fn a_gateway_stops_in_order() {
    let site = plan(3).run();
    let runtime = runtime();
    let client = client(&runtime, &site, "anna");
    let start = Instant::now();
    let address = site.address;
    drop(site);
    assert!(
        start.elapsed() < Duration::from_secs(9),
        "an idle session does not hold it up"
    );
    runtime.block_on(async {
        assert!(client.batch_execute("SELECT 1").await.is_err());
    });
    assert!(
        TcpStream::connect(address).is_err(),
        "nobody listens any more"
    );
}
