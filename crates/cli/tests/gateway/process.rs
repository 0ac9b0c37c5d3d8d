//! `denym gateway` as a process: it listens, answers psql, stops at a signal, and does not start with anything wrong.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const POLICY: &str = r#"
[purposes]
general = {}
marketing = "general"
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["marketing"]
[tables.person]
source = "people.csv"
default = "<{general}, {}, {}>"
[tables.person.columns]
name = { default = "<{}, {general}, {}>", mask = { first-letters = 1 } }
age = { type = "integer" }
"#;

/// The verifier of the password `bench`.
const USERS: &str = "anna:SCRAM-SHA-256$4096:MDEyMzQ1Njc4OWFiY2RlZg==$qbnU56guAfsBfjUmn/x8mMeIloOz+rRbht9D8Z3DM4Y=:Kbp9MYIpdbkhD8HnNa1V6/KLlx5cE8efJ3vbHeSSYLo=\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("writes");
    write("policy.toml", POLICY);
    write("users", USERS);
    write("people.csv", "name,age,secret\nAlice,35,x\nBob,29,y\n");
    folder
}

fn gateway(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_denym"));
    command
        .current_dir(folder)
        .args([
            "gateway",
            "--policy",
            "policy.toml",
            "--users",
            "users",
            "--json",
        ])
        .args(arguments);
    command
}

/// A process that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_serves_and_stops() {
    let folder = folder();
    let mut child = gateway(folder.path(), &["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut child = Running(child);
    let mut text = String::new();
    while !text.contains("\n}") {
        assert!(lines.read_line(&mut text).expect("reads") > 0, "{text}");
    }
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(told["backend"], "embedded");
    assert_eq!(told["encrypted"], false);
    assert_eq!(told["tables"], serde_json::json!(["person"]));
    let address = told["listening"].as_str().expect("an address").to_owned();
    let port = address.rsplit(':').next().expect("a port");
    let answer = Command::new("psql")
        .args([
            "-XAtq",
            "-h",
            "127.0.0.1",
            "-p",
            port,
            "-U",
            "anna",
            "-d",
            "denym",
            "-c",
        ])
        .arg("SELECT name, age FROM person ORDER BY age FOR PURPOSE marketing")
        .env("PGPASSWORD", "bench")
        .output();
    match answer {
        Ok(answer) => assert_eq!(
            String::from_utf8_lossy(&answer.stdout),
            "B|29\nA|35\n",
            "{answer:?}"
        ),
        Err(_) => denym_testkit::skip("no psql"),
    }
    let asked = Command::new("kill")
        .args(["-TERM", &child.0.id().to_string()])
        .status();
    assert!(asked.is_ok_and(|status| status.success()));
    let ended = child.0.wait().expect("ends");
    assert_eq!(ended.code(), Some(0));
    let log = std::fs::read_to_string(folder.path().join("audit.jsonl")).expect("a log");
    assert!(!log.contains("Alice") && !log.contains("Bob"), "{log}");
}

#[test]
fn it_does_not_start_with_anything_wrong() {
    let folder = folder();
    let broken = folder.path().join("broken.csv");
    std::fs::write(&broken, "name,age\nAlice,thirty-five\n").expect("writes");
    for (arguments, code) in [
        (&["--listen", "0.0.0.0:0"][..], "clear-text"),
        (
            &["--tls-cert", "policy.toml", "--tls-key", "policy.toml"],
            "tls-unusable",
        ),
        (&["--table", "person=missing.csv"], "file-unusable"),
        (&["--table", "person=broken.csv"], "table-does-not-fit"),
        (&["--table", "nobody=people.csv"], "table-unknown"),
    ] {
        let output = gateway(folder.path(), arguments).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(told["error"]["code"], code, "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            text.starts_with("error: ") && !text.contains("thirty"),
            "{text}"
        );
    }
}
