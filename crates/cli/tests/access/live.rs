//! The example behind a running `denym gateway`, as its page says it; and consent that changes under an open session.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use denym_testkit::postgres::{Server, feed};

use crate::ddl::load_example;
use crate::support::{BINARY, denym};
use crate::{done, example};

const PASSWORD: &str = "a password for one test";

/// A gateway that is ended with the test.
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

fn start(mut command: Command) -> Running {
    let mut child = command
        .args(["--listen", "127.0.0.1:0", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("\n}") {
        assert!(lines.read_line(&mut text).expect("reads") > 0, "{text}");
    }
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let address = told["listening"].as_str().expect("an address");
    let port = address.rsplit(':').next().expect("a port").to_owned();
    Running { child, port }
}

/// Runs psql by its command line with statements; what it prints, `None` when there is no psql.
fn psql(here: &Path, line: &str, statements: &str) -> Option<String> {
    Command::new("psql").arg("--version").output().ok()?;
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("psql"));
    command
        .arg("-X")
        .args(words)
        .current_dir(here)
        .env("PGPASSWORD", PASSWORD)
        .env_remove("PGOPTIONS");
    let output = feed(command, statements);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut errors = errors.lines().filter(|line| !line.starts_with("NOTICE:  "));
    assert_eq!(errors.next(), None, "{statements}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// The blocks of code of a page, without their fences.
fn blocks(page: &str) -> Vec<String> {
    page.split("```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').expect("a language").1.to_owned())
        .collect()
}

#[test]
fn the_page_says_what_happens() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guides/gateway.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let [commands, session, answer, ..] = &blocks(&page)[..] else {
        panic!("three blocks");
    };
    let directory = example();
    let here = directory.path();
    let commands = commands.replace("\\\n", " ");
    let mut running = None;
    for line in commands.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            ["cd", "examples/access"] => {}
            ["denym", "gateway", rest @ ..] => {
                let mut command = denym();
                command.current_dir(here).arg("gateway").args(rest);
                running = Some(start(command));
            }
            ["denym", rest @ ..] => {
                let mut command = denym();
                command.current_dir(here).args(rest);
                let output = feed(command, &format!("{PASSWORD}\n"));
                assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
            }
            _ => panic!("{line}"),
        }
    }
    let running = running.expect("a gateway on the page");
    let (line, statements) = session.split_once('\n').expect("a session");
    let line = line.replace("5433", &running.port);
    if let Some(printed) = psql(here, &line, statements) {
        let plain = |text: &str| {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            lines.join("\n").trim().to_owned()
        };
        assert_eq!(plain(&printed), plain(answer));
        let log = std::fs::read_to_string(here.join("audit.jsonl")).expect("a log");
        assert!(
            log.contains("nadia") && !log.contains("Ada Brandt"),
            "{log}"
        );
        done(here, &["access", "audit", "verify", "audit.jsonl"]);
    }
}

/// Asks for two cells, changes what the provider says in the middle of the session, asks again: four times.
fn changes(here: &Path, port: &str, after_each: &str) {
    let ask = "SELECT name, income FROM customer_info WHERE customer = 4;\n";
    let set = |what: &str| {
        format!(
            "\\! {BINARY} --quiet access consent set --policy policy.toml --table customer_info --record 4 {what}{after_each}\n"
        )
    };
    let statements = [
        "SET denym.purpose = 'analysis';\n",
        ask,
        &set("--column income --allowed general --prohibited administration"),
        ask,
        &set("--column income --conditional administration"),
        ask,
        &set("--column name,income --withdraw"),
        ask,
        &set("--column name,income --clear"),
        ask,
    ];
    let line = format!("psql -Atq -h 127.0.0.1 -p {port} -U nadia denym");
    if let Some(printed) = psql(here, &line, &statements.concat()) {
        let answers: Vec<&str> = printed.lines().collect();
        assert_eq!(
            answers,
            [
                "Dan Estler|48000",
                "Dan Estler|",
                "Dan Estler|40000",
                "|",
                "Dan Estler|48000"
            ]
        );
    }
}

fn with_user() -> tempfile::TempDir {
    let directory = example();
    let mut command = denym();
    command.current_dir(directory.path()).args([
        "access",
        "user",
        "add",
        "nadia",
        "--users",
        "users.txt",
    ]);
    let output = feed(command, &format!("{PASSWORD}\n"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    directory
}

fn gateway(here: &Path, arguments: &[&str]) -> Running {
    let mut command = denym();
    command
        .current_dir(here)
        .args(["gateway", "--policy", "policy.toml", "--users", "users.txt"])
        .args(arguments);
    start(command)
}

#[test]
fn consent_counts_at_the_next_query_of_an_open_session() {
    let directory = with_user();
    let here = directory.path();
    let running = gateway(here, &["--consent", "consent.csv"]);
    changes(here, &running.port, "");
}

#[test]
fn consent_counts_at_the_next_query_in_front_of_postgresql() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = with_user();
    let here = directory.path();
    load_example(&server, here);
    let script = done(here, &["access", "ddl", "--policy", "policy.toml"]);
    server.query(&script).expect("makes the consent table");
    let export = [
        "access",
        "consent",
        "export",
        "--policy",
        "policy.toml",
        "--form",
        "sql",
    ];
    server
        .query(&done(here, &export))
        .expect("loads the consent");
    let socket = server.socket().display();
    let connection = format!("host={socket} dbname=postgres");
    let running = gateway(here, &["--postgres", &connection]);
    let export = export.join(" ");
    changes(
        here,
        &running.port,
        &format!(
            " && {BINARY} {export} | env -u PGPASSWORD PGOPTIONS=--client-min-messages=warning psql -Xq -h {socket} -U postgres -d postgres"
        ),
    );
}
