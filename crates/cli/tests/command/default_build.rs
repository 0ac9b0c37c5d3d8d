//! The default build: what it leaves out says how to get it, and what it has needs neither a query engine nor a broker's protocol.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::write;

/// Names a default build where the tests drive another.
const DEFAULT_BINARY: &str = "DENYM_DEFAULT_BINARY";

/// Runs the default build: that of these tests, or the one that `make run` made; nothing where there is none.
fn run(directory: &Path, arguments: &[&str]) -> Option<Output> {
    let binary = if cfg!(any(feature = "gateway", feature = "brokers")) {
        std::env::var_os(DEFAULT_BINARY)
    } else {
        Some(env!("CARGO_BIN_EXE_denym").into())
    };
    let Some(binary) = binary else {
        denym_testkit::skip(&format!("no default build in {DEFAULT_BINARY}"));
        return None;
    };
    let mut command = Command::new(binary);
    let output = command.current_dir(directory).args(arguments).output();
    Some(output.expect("the default build runs"))
}

#[test]
fn a_command_that_is_not_built_in_says_how_to_get_it() {
    let directory = tempfile::tempdir().expect("a directory");
    for arguments in [
        &["gateway"][..],
        &["gateway", "--policy", "p.toml", "--users", "u", "--json"],
        &["gateway", "--listen", "0.0.0.0:1", "-x"],
    ] {
        let Some(output) = run(directory.path(), arguments) else {
            return;
        };
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
        let arguments = ["stream", "policy.toml", "-o", "windows"];
        let Some(output) = run(directory.path(), &arguments) else {
            return;
        };
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        for words in ["make full", "--features brokers"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}
