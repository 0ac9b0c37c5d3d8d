//! The audit log of `denym gateway` as a process: made for its owner alone, through a full disk, a kill and a second gateway.
#![cfg(target_os = "linux")]

use denym_testkit::lacks;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
source = "people.csv"
default = "<{general}, {}, {}>"
[tables.person.columns]
name = {}
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
    write("people.csv", "name,age\nAlice,35\nBob,29\n");
    folder
}

/// A gateway, its port, and what it says on standard error.
struct Running {
    child: Child,
    port: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a gateway after some lines of shell.
fn start(folder: &Path, before: &str) -> Running {
    let script = format!(
        "{before}\nexec {} gateway --policy policy.toml --users users --json --listen 127.0.0.1:0",
        env!("CARGO_BIN_EXE_denym")
    );
    let mut child = Command::new("sh")
        .current_dir(folder)
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("\n}") {
        if lines.read_line(&mut text).expect("reads") == 0 {
            let mut errors = String::new();
            let _ = child
                .stderr
                .take()
                .map(|mut e| e.read_to_string(&mut errors));
            panic!("{text}{errors}");
        }
    }
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let address = told["listening"].as_str().expect("an address");
    let port = address.rsplit(':').next().expect("a port").to_owned();
    Running { child, port }
}

impl Running {
    fn psql(&self) -> Command {
        let mut command = Command::new("psql");
        command
            .args([
                "-XAtq",
                "-h",
                "127.0.0.1",
                "-U",
                "anna",
                "-d",
                "denym",
                "-p",
            ])
            .arg(&self.port)
            .env("PGPASSWORD", "bench");
        command
    }

    fn ask(&self, sql: &str) -> (String, String) {
        let answer = self.psql().args(["-c", sql]).output().expect("psql runs");
        (
            String::from_utf8_lossy(&answer.stdout).into_owned(),
            String::from_utf8_lossy(&answer.stderr).into_owned(),
        )
    }
}

fn entries(folder: &Path) -> u64 {
    let log = std::fs::File::open(folder.join("audit.jsonl")).expect("a log");
    let (count, _) = denym_gateway::audit::verify(log).expect("the chain holds");
    count
}

const QUERY: &str = "SELECT name FROM person ORDER BY age FOR PURPOSE general";
const ROWS: &str = "Bob\nAlice\n";

#[test]
fn files_are_their_owner_s_alone_whatever_the_umask() {
    let folder = folder();
    let _running = start(folder.path(), "umask 000");
    for name in ["audit.jsonl", "users.decoys"] {
        let meta = std::fs::metadata(folder.path().join(name)).expect("made");
        assert_eq!(meta.permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_second_gateway_on_the_same_log_does_not_start() {
    let folder = folder();
    let _running = start(folder.path(), "");
    let output = Command::new(env!("CARGO_BIN_EXE_denym"))
        .current_dir(folder.path())
        .args(["gateway", "--policy", "policy.toml", "--users", "users"])
        .args(["--json", "--listen", "127.0.0.1:0"])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["error"]["code"], "audit-locked");
}

/// A limit on the size of files stands for a full disk: writes fail in the middle of a line.
#[test]
fn a_full_disk_stops_answers_not_the_gateway() {
    if lacks(&["psql", "prlimit"]) {
        return;
    }
    let folder = folder();
    // without the signal a write past the limit is an error, as on a full disk; the unit is 512 bytes or 1 KiB
    let running = start(folder.path(), "trap '' XFSZ\nulimit -S -f 64");
    let start = Instant::now();
    let mut answered = 0;
    let refused = loop {
        let (rows, errors) = running.ask(QUERY);
        if rows != ROWS {
            assert_eq!(rows, "", "no part of an answer");
            break errors;
        }
        answered += 1;
        assert!(start.elapsed() < Duration::from_mins(1), "never full");
    };
    assert!(answered > 3, "{answered}");
    assert!(
        refused.contains("the audit log cannot be written"),
        "{refused}"
    );
    // still full: still refused, and no half line
    for _ in 0..5 {
        let (rows, errors) = running.ask(QUERY);
        assert_eq!(rows, "");
        assert!(
            errors.contains("the audit log cannot be written"),
            "{errors}"
        );
    }
    let log = std::fs::read_to_string(folder.path().join("audit.jsonl")).expect("reads");
    assert!(log.ends_with("}\n"), "a half line stays");
    let before = entries(folder.path());
    // room again
    let more = Command::new("prlimit")
        .args([
            "--fsize=unlimited:",
            "--pid",
            &running.child.id().to_string(),
        ])
        .status();
    assert!(more.is_ok_and(|status| status.success()));
    let start = Instant::now();
    while running.ask(QUERY).0 != ROWS {
        assert!(start.elapsed() < Duration::from_secs(10), "does not go on");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(entries(folder.path()) > before);
}

#[test]
fn a_kill_in_the_middle_loses_no_answer_s_entry() {
    if lacks(&["psql"]) {
        return;
    }
    let folder = folder();
    let mut told = 0;
    for round in 0..4 {
        let mut running = start(folder.path(), "");
        let script = format!("{QUERY};\n").repeat(3000);
        std::fs::write(folder.path().join("script.sql"), script).expect("writes");
        let clients: Vec<Child> = (0..3)
            .map(|_| {
                running
                    .psql()
                    .current_dir(folder.path())
                    .args(["-f", "script.sql"])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("psql runs")
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300 + 170 * round));
        running.child.kill().expect("kills");
        running.child.wait().expect("is gone");
        for client in clients {
            let output = client.wait_with_output().expect("psql ends");
            let rows = String::from_utf8_lossy(&output.stdout);
            told += rows.matches("Bob\n").count();
        }
        let running = start(folder.path(), "");
        let log = std::fs::read_to_string(folder.path().join("audit.jsonl")).expect("reads");
        entries(folder.path());
        let entered = log.matches("\"event\":\"access\"").count();
        assert!(
            entered >= told,
            "{entered} accesses entered, {told} answered"
        );
        drop(running);
    }
    assert!(told > 20, "{told}");
}
