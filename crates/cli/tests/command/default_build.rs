//! The default build: what it leaves out says how to get it, and what it has needs neither a query engine nor a broker's protocol.
#![cfg(not(any(feature = "gateway", feature = "brokers")))]

use crate::support;

use support::{run, write};

#[test]
fn a_command_that_is_not_built_in_says_how_to_get_it() {
    let directory = tempfile::tempdir().expect("a directory");
    for arguments in [
        &["gateway"][..],
        &["gateway", "--policy", "p.toml", "--users", "u", "--json"],
        &["gateway", "--listen", "0.0.0.0:1", "-x"],
    ] {
        let output = run(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said =
            String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        for words in ["not part of this build", "make full", "--features gateway"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}

#[test]
fn a_policy_that_names_a_broker_is_told_how_to_reach_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let events = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/stream/policy.toml"
    ));
    let policy = events.expect("the example's policy");
    let line = policy
        .lines()
        .find(|line| line.starts_with("path") || line.starts_with("source"));
    let line = line.expect("a source").to_owned();
    for address in [
        "nats://127.0.0.1:4222/RIDES",
        "kafka://127.0.0.1:9092/rides",
    ] {
        let text = policy
            .replace(&line, &format!("source = \"{address}\""))
            .replace("format = \"csv\"", "");
        write(directory.path(), "policy.toml", text);
        let output = run(
            directory.path(),
            &["stream", "policy.toml", "-o", "windows"],
        );
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        for words in ["make full", "--features brokers"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}
