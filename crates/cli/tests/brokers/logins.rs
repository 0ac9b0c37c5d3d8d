//! Brokers that do not take everybody: passwords, certificates, and what is refused before anything is sent.

use crate::kafka;
use crate::support;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use denym_testkit::brokers::Broker;
use denym_testkit::certificates::certificate;
use denym_testkit::nats::Client;
use kafka::Kafka;
use serde_json::Value;
use support::riders::{json_events, policy};
use support::{json, write};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const ARGS: [&str; 7] = [
    "stream",
    "policy.toml",
    "-o",
    "out",
    "--until-end",
    "--patience",
    "3s",
];

/// Windows of the same events in a file.
fn from_a_file(text: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.ndjson", text);
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.ndjson\""),
    );
    let (code, found) = json(directory.path(), &ARGS);
    assert_eq!(code, 0, "{found}");
    windows(directory.path())
}

fn windows(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("out/windows.ndjson")).expect("windows")
}

/// Runs a stream from `source` with this `[broker]`, in a directory that holds only the password.
fn with_broker(source: &str, broker: &str) -> (tempfile::TempDir, i32, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "password", "s3cret:with@signs\n");
    write(
        at,
        "policy.toml",
        policy(&format!("source = \"{source}\"")) + broker,
    );
    let (code, found) = json(at, &ARGS);
    assert!(
        !found.to_string().contains("s3cret"),
        "no password in {found}"
    );
    (directory, code, found)
}

fn refused(source: &str, broker: &str, error: &str) {
    let (directory, code, found) = with_broker(source, broker);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &error.into()),
        "{broker}: {found}"
    );
    let windows = directory.path().join("out/windows.ndjson");
    assert!(
        std::fs::read_to_string(windows)
            .unwrap_or_default()
            .is_empty()
    );
}

#[test]
fn nats_with_password_and_certificate() {
    let Some(mut broker) = Broker::nats() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a directory");
    let Some((certificate, key)) = certificate(folder.path()) else {
        return;
    };
    let text = json_events(300, 12);
    let mut client = Client::connect(broker.port());
    client.make_stream("EVENTS", &["EVENTS"]);
    for line in text.lines() {
        client.publish("EVENTS", line.as_bytes());
    }
    client.flush();
    drop(client);
    let expected = from_a_file(&text);
    let source = format!("nats://localhost:{}/EVENTS", broker.port());
    let config = broker.folder().join("nats.conf");
    let plain = std::fs::read_to_string(&config).expect("a configuration");
    let guard = "authorization { user: denym, password: \"s3cret:with@signs\" }\n";
    let login = "\n[broker]\nuser = \"denym\"\npassword-file = \"password\"\n";

    // A password alone: in the clear, but only to this machine.
    broker.stop();
    std::fs::write(&config, format!("{plain}{guard}")).expect("written");
    broker.start();
    let (directory, code, found) = with_broker(&source, login);
    assert_eq!(code, 0, "{found}");
    assert_eq!(windows(directory.path()), expected);
    refused(&source, "", "broker-login");
    refused(&source, &login.replace("denym", "nobody"), "broker-login");
    refused(
        &source,
        "\n[broker]\nuser = \"denym\"\npassword-env = \"DENYM_NO_SUCH\"\n",
        "argument",
    );
    // Whoever asks for encryption does not get a plain connection.
    refused(
        &source,
        &format!("{login}tls = true\n"),
        "broker-certificate",
    );

    // Password and certificate.
    broker.stop();
    let tls = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
        certificate.display(),
        key.display()
    );
    std::fs::write(&config, format!("{plain}{guard}{tls}")).expect("written");
    broker.start();
    let encrypted = format!("{login}ca = \"{}\"\n", certificate.display());
    let (directory, code, found) = with_broker(&source, &encrypted);
    assert_eq!(code, 0, "{found}");
    assert_eq!(windows(directory.path()), expected);
    // The system does not know this certificate, and another one is not it.
    refused(
        &source,
        &format!("{login}tls = true\n"),
        "broker-certificate",
    );
    let folder = tempfile::tempdir().expect("a directory");
    let (other, key) = denym_testkit::certificates::certificate(folder.path()).expect("openssl");
    refused(
        &source,
        &format!("{login}ca = \"{}\"\n", other.display()),
        "broker-certificate",
    );
    // A file that has no certificate.
    let empty = folder.path().join("empty.pem");
    write(folder.path(), "empty.pem", "");
    for file in [empty, key] {
        let (_, code, found) =
            with_broker(&source, &format!("{login}ca = \"{}\"\n", file.display()));
        assert_eq!(code, 2, "{found}");
        let help = found["error"]["message"].as_str().unwrap_or_default();
        assert!(help.contains("certificates"), "{found}");
    }
}

#[test]
fn kafka_behind_a_certificate() {
    let folder = tempfile::tempdir().expect("a directory");
    let Some((certificate, key)) = certificate(folder.path()) else {
        return;
    };
    let Some(kafka) = Kafka::start() else {
        return;
    };
    if !kafka.keeps_everything() {
        // The cluster of librdkafka names its own port, which speaks no TLS.
        return denym_testkit::skip("no Kafka broker that sends its clients to a port of ours");
    }
    let text = json_events(300, 12);
    let messages: Vec<String> = text.lines().map(str::to_owned).collect();
    kafka.make("EVENTS");
    kafka.send("EVENTS", &messages);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    // From here on whoever comes over the wire must speak TLS.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    kafka.reroute(listener.local_addr().expect("its number").port());
    let acceptor = acceptor(&certificate, &key);
    runtime.spawn(relay(listener, kafka.broker_port(), acceptor));
    let source = format!("kafka://localhost:{}/EVENTS", kafka.port());
    let encrypted = format!(
        "\n[broker]\ntls = true\nca = \"{}\"\n",
        certificate.display()
    );
    let (directory, code, found) = with_broker(&source, &encrypted);
    assert_eq!(code, 0, "{found}");
    assert_eq!(windows(directory.path()), from_a_file(&text));
    refused(&source, "\n[broker]\ntls = true\n", "broker-certificate");
    refused(&source, "", "broker-no-answer");
}

#[test]
fn a_kafka_login_that_is_not_accepted() {
    let Some(broker) = Broker::guarded_kafka() else {
        return;
    };
    let source = format!("kafka://127.0.0.1:{}/EVENTS", broker.port());
    for mechanism in ["scram-sha-256", "scram-sha-512"] {
        let login = format!(
            "\n[broker]\nuser = \"denym\"\npassword-file = \"password\"\nmechanism = \"{mechanism}\"\n"
        );
        refused(&source, &login, "broker-login");
    }
}

#[test]
fn mistakes_are_found_before_anything_is_sent() {
    let user = "user = \"denym\"\npassword-file = \"password\"\n";
    for (source, broker, code) in [
        (
            "nats://broker.example/E",
            format!("\n[broker]\n{user}"),
            "argument",
        ),
        (
            "kafka://broker.example/E",
            format!("\n[broker]\n{user}mechanism = \"plain\"\n"),
            "argument",
        ),
        (
            "nats://localhost/E",
            "\n[broker]\nuser = \"denym\"\n".to_owned(),
            "policy-broker",
        ),
        (
            "nats://localhost/E",
            format!("\n[broker]\n{user}password-env = \"X\"\n"),
            "policy-broker",
        ),
        (
            "nats://localhost/E",
            format!("\n[broker]\n{user}tls = false\nca = \"x\"\n"),
            "policy-broker",
        ),
        (
            "nats://localhost/E",
            format!("\n[broker]\n{user}mechanism = \"md5\"\n"),
            "policy-unknown-value",
        ),
        (
            "nats://localhost/E",
            "\n[broker]\npassword = \"x\"\n".to_owned(),
            "policy-unknown-key",
        ),
    ] {
        refused(source, &broker, code);
    }
}

fn acceptor(certificate: &Path, key: &Path) -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(key).expect("a key");
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}

/// Takes encrypted connections and passes what they say to a plain port.
async fn relay(listener: TcpListener, port: u16, acceptor: TlsAcceptor) {
    listener.set_nonblocking(true).expect("nonblocking");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    while let Ok((plain, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let Ok(mut outer) = acceptor.accept(plain).await else {
                return;
            };
            let inner = tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
            let mut inner = inner.expect("the broker");
            let _ = tokio::io::copy_bidirectional(&mut outer, &mut inner).await;
        });
    }
}
