//! The gateway beside the same data without it: masked and unmasked scans of files, PostgreSQL through the gateway and directly, 1,000 clients
//! at once, and the decision for one cell.
//!
//! `DENYM_BENCH_ROWS` makes it smaller; the published figures have a million rows.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use denym_purpose::{AccessPolicy, Compliance, Moment, RecordConsent, read_code, write_code};
use denym_testkit::postgres::Server;

use crate::process::{denym, output, seconds};

/// The verifier of the password `bench`.
const USERS: &str = "anna:SCRAM-SHA-256$4096:MDEyMzQ1Njc4OWFiY2RlZg==$qbnU56guAfsBfjUmn/x8mMeIloOz+rRbht9D8Z3DM4Y=:Kbp9MYIpdbkhD8HnNa1V6/KLlx5cE8efJ3vbHeSSYLo=\n";

const HEAD: &str = r#"
[purposes]
general = {}
admin = "general"
marketing = "general"
research = "general"
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["marketing"]
"#;

const COLUMNS: &str = r#"
id = { type = "integer", mask = "value" }
name = { mask = { first-letters = 1 } }
age = { type = "integer", mask = { interval = { width = 10, show = "lower" } } }
income = { type = "integer", mask = { interval = { width = 1000, show = "lower" } } }
"#;

/// A gateway in a process of its own.
struct Gateway {
    child: Child,
    port: String,
}

impl Gateway {
    fn start(folder: &Path, policy: &str, arguments: &[String]) -> Self {
        std::fs::write(folder.join("policy.toml"), policy).expect("written");
        std::fs::write(folder.join("users"), USERS).expect("written");
        let mut child = Command::new(denym())
            .current_dir(folder)
            .args([
                "gateway",
                "--policy",
                "policy.toml",
                "--users",
                "users",
                "--listen",
                "127.0.0.1:0",
                "--json",
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gateway starts");
        let mut text = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        while !text.contains("\n}") {
            let read = lines.read_line(&mut text).expect("its first words");
            assert!(read > 0, "the gateway listens: {text}");
        }
        let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let port = told["listening"]
            .as_str()
            .expect("an address")
            .rsplit(':')
            .next()
            .expect("a port");
        Self {
            child,
            port: port.to_owned(),
        }
    }

    fn psql(&self) -> Command {
        let mut command = Command::new(program("psql"));
        command
            .args([
                "-XAtq",
                "-h",
                "127.0.0.1",
                "-p",
                &self.port,
                "-U",
                "anna",
                "-d",
                "denym",
                "-c",
            ])
            .env("PGPASSWORD", "bench");
        command
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program of the newest installed PostgreSQL.
fn program(name: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin").join(name)))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found.pop().unwrap_or_else(|| name.into())
}

/// The fastest of five runs of a statement.
fn fastest(run: impl Fn() -> Command) -> Duration {
    (0..5)
        .map(|_| {
            let start = Instant::now();
            let status = run().stdout(Stdio::null()).status().expect("psql runs");
            assert!(status.success());
            start.elapsed()
        })
        .min()
        .expect("five runs")
}

pub(crate) fn run() {
    let rows: usize = std::env::var("DENYM_BENCH_ROWS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000);
    println!("| what | time | beside | ratio | bound |");
    println!("|---|---|---|---|---|");
    decision();
    embedded(rows);
    postgres(rows);
}

/// One cell's decision.
fn decision() {
    let policy = format!(
        "{HEAD}[tables.t]\nkey = \"id\"\nconsent = {{ row-code = \"code\" }}\n[tables.t.columns]{COLUMNS}"
    );
    let policy = AccessPolicy::parse(&policy, &|_| None).expect("valid");
    let access = policy
        .open(
            "anna",
            Some("marketing"),
            "t",
            Moment {
                day: 20_000,
                minute: 720,
            },
        )
        .expect("permitted");
    let consents: Vec<RecordConsent> = CODES
        .iter()
        .map(|code| read_code(&policy.tables["t"], &policy.purposes, code).0)
        .collect();
    for (code, consent) in CODES.iter().zip(&consents) {
        assert_eq!(write_code(consent), *code, "a code reads back");
    }
    let rounds = 4_000_000usize;
    let start = Instant::now();
    let mut full = 0usize;
    for round in 0..rounds {
        let consent = &consents[round % consents.len()];
        full += usize::from(access.compliance(round & 3, None, Some(consent)) == Compliance::Full);
    }
    let each = start.elapsed().as_nanos() as f64 / rounds as f64;
    assert!(full > 0 && full < rounds);
    println!("| decision for one cell | {each:.1} ns | | | 100 ns |");
}

/// Consents of records, as compact codes: general 8, admin 4, marketing 2, research 1.
const CODES: [&str; 4] = ["8.0.0", "8.2.0", "8.0.4", "8.0.0//8.2.0//8.0.2"];

fn embedded(rows: usize) {
    let work = tempfile::tempdir().expect("a directory");
    let mut text = String::from("id,name,age,income,code\n");
    let mut consent = String::from("table,record,column,intended\n");
    let said = [
        "<{general}, {}, {}>",
        "<{general}, {marketing}, {}>",
        "<{general}, {}, {admin}>",
        "<{general}, {}, {marketing}>",
    ];
    for id in 0..rows {
        let _ = writeln!(
            text,
            "{id},Person number {},{},{},{}",
            id % 5000,
            id % 90,
            id * 7 % 90_000,
            CODES[id % 4]
        );
        let _ = writeln!(consent, "listed,{id},*,\"{}\"", said[id % 4]);
    }
    std::fs::write(work.path().join("people.csv"), text).expect("written");
    std::fs::write(work.path().join("consent.csv"), consent).expect("written");
    let open = "default = \"<{general}, {}, {}>\"";
    let policy = format!(
        "{HEAD}[tables.plain]\n{open}\n[tables.plain.columns]{COLUMNS}\n[tables.coded]\nkey = \"id\"\nconsent = {{ row-code = \"code\" }}\n{open}\n[tables.coded.columns]{COLUMNS}\n[tables.listed]\nkey = \"id\"\nconsent = \"table\"\n{open}\n[tables.listed.columns]{COLUMNS}"
    );
    let arguments: Vec<String> = [
        "--table",
        "plain=people.csv",
        "--table",
        "coded=people.csv",
        "--table",
        "listed=people.csv",
        "--consent",
        "consent.csv",
    ]
    .iter()
    .map(|text| (*text).to_owned())
    .collect();
    let gateway = Gateway::start(work.path(), &policy, &arguments);
    let ask = |sql: String| {
        let mut command = gateway.psql();
        command.arg(sql);
        command
    };
    let scan = |table: &str| {
        ask(format!(
            "SELECT id, name, age, income FROM {table} FOR PURPOSE marketing"
        ))
    };
    // equal answers first: all rows come, and a quarter of the names is one letter
    for table in ["plain", "coded", "listed"] {
        let count = output(&mut ask(format!(
            "SELECT count(*), count(name), sum(CASE WHEN length(name) = 1 THEN 1 ELSE 0 END) FROM {table} FOR PURPOSE marketing"
        )));
        let (full, masked, listed) = (rows, rows / 4, rows - rows / 4);
        let expected = match table {
            "plain" => format!("{full}|{full}|0"),
            // two of the four codes say so
            "coded" => format!("{full}|{full}|{}", 2 * masked),
            _ => format!("{full}|{listed}|{masked}"),
        };
        assert_eq!(count.trim(), expected, "{table}");
    }
    let plain = fastest(|| scan("plain"));
    for (table, what) in [
        ("coded", "a code per record"),
        ("listed", "a consent file by key"),
    ] {
        let masked = fastest(|| scan(table));
        println!(
            "| files: masked scan of 4 columns, {rows} rows, {what} | {} | unmasked {} | {:.2}x | 2.5x |",
            seconds(masked),
            seconds(plain),
            masked.as_secs_f64() / plain.as_secs_f64()
        );
    }
    // 1,000 clients at once, each with a login and two queries
    let script = work.path().join("small.sql");
    std::fs::write(&script, "SELECT 1;\n").expect("written");
    let start = Instant::now();
    let told = output(
        Command::new(program("pgbench"))
            .args([
                "-n",
                "-c",
                "1000",
                "-j",
                "2",
                "-t",
                "2",
                "-h",
                "127.0.0.1",
                "-p",
                &gateway.port,
                "-U",
                "anna",
                "-f",
            ])
            .arg(&script)
            .arg("denym")
            .env("PGPASSWORD", "bench"),
    );
    assert!(told.contains("2000/2000"), "{told}");
    println!(
        "| 1,000 clients at once, login and two queries each | {} | | | served |",
        seconds(start.elapsed())
    );
}

fn postgres(rows: usize) {
    let Some(server) = Server::start() else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    let policy_text = format!(
        "{HEAD}[tables.person]\nkey = \"id\"\nconsent = \"companion\"\ndefault = \"<{{general}}, {{}}, {{}}>\"\n[tables.person.columns]{COLUMNS}"
    );
    let policy = AccessPolicy::parse(&policy_text, &|_| None).expect("valid");
    let mut sql = String::from(
        "CREATE SCHEMA raw; CREATE TABLE raw.person (id int8 PRIMARY KEY, name text, age int8, income int8",
    );
    for column in ["id", "name", "age", "income"] {
        let _ = write!(
            sql,
            ", {column}_aip int8, {column}_cip int8, {column}_pip int8"
        );
    }
    let _ = write!(
        sql,
        "); INSERT INTO raw.person SELECT i, 'Person number ' || i % 5000, i % 90, i * 7 % 90000, 8, 0, 0, 8, CASE i % 4 WHEN 1 THEN 2 ELSE 0 END, 0, 8, 0, CASE i % 4 WHEN 2 THEN 2 ELSE 0 END, 8, CASE i % 4 WHEN 3 THEN 2 ELSE 0 END, 0 \
         FROM generate_series(0, {rows} - 1) i; CREATE INDEX ON raw.person (income);"
    );
    server.query(&sql).expect("sets up");
    // roles, views and indexes as a steward makes them
    std::fs::write(work.path().join("policy.toml"), &policy_text).expect("written");
    let script = output(Command::new(denym()).current_dir(work.path()).args([
        "access",
        "ddl",
        "--policy",
        "policy.toml",
        "--indexes",
    ]));
    server.query(&script).expect("sets up");
    server.query("ANALYZE raw.person;").expect("analyzes");
    let table = policy
        .postgres("person", "marketing", "raw", &|_| true)
        .expect("in SQL");
    let connection = format!("host={} dbname=postgres", server.socket().display());
    let gateway = Gateway::start(
        work.path(),
        &policy_text,
        &["--postgres".into(), connection],
    );
    let direct = |sql: &str| {
        let mut command = Command::new(program("psql"));
        command
            .args(["-XAtq", "-U", "postgres", "-d", "postgres", "-h"])
            .arg(server.socket())
            .args(["-c", sql]);
        command
    };
    let through = |sql: &str| {
        let mut command = gateway.psql();
        command.arg(format!("{sql} FOR PURPOSE marketing"));
        command
    };
    let expected = server.query(&format!(
        "SELECT count(*), count(name), count(income) FROM ({}) q;",
        table.select(&[0, 1, 2, 3]).expect("in SQL")
    ));
    let found = output(&mut through(
        "SELECT count(*), count(name), count(income) FROM person",
    ));
    assert_eq!(
        found.trim(),
        expected.expect("reads")[0].join("|"),
        "the answer of the masked query itself"
    );
    let (masked, raw) = (
        fastest(|| through("SELECT id, name, age, income FROM person")),
        fastest(|| direct("SELECT id, name, age, income FROM raw.person")),
    );
    println!(
        "| PostgreSQL: scan of 4 columns, {rows} rows | {} | direct {} | {:.2}x | 3.5x |",
        seconds(masked),
        seconds(raw),
        masked.as_secs_f64() / raw.as_secs_f64()
    );
    let key = format!("random(0, {})", rows - 1);
    let income = format!("(random(0, {}) * 7) % 90000", rows - 1);
    for (what, draw, masked, raw, bound) in [
        (
            "lookup by key",
            &key,
            "SELECT id, name, age, income FROM person WHERE id = :k FOR PURPOSE marketing;",
            "SELECT id, name, age, income FROM raw.person WHERE id = :k;",
            "1.6x + 0.3 ms",
        ),
        (
            "predicate on a masked column with its index",
            &income,
            "SELECT id FROM person WHERE income = :k FOR PURPOSE marketing;",
            "SELECT id FROM raw.person WHERE income = :k;",
            "3x",
        ),
    ] {
        let through = latency(
            work.path(),
            masked,
            draw,
            &[
                "-h",
                "127.0.0.1",
                "-p",
                &gateway.port,
                "-U",
                "anna",
                "denym",
            ],
        );
        let socket = server.socket().to_str().expect("a path").to_owned();
        let direct = latency(
            work.path(),
            raw,
            draw,
            &["-h", &socket, "-U", "postgres", "postgres"],
        );
        println!(
            "| PostgreSQL: {what} | {through:.3} ms | direct {direct:.3} ms | {:.2}x | {bound} |",
            through / direct
        );
    }
    std::io::stdout().flush().expect("prints");
}

/// The average time of a statement in milliseconds, by pgbench: the fastest of three runs.
fn latency(folder: &Path, sql: &str, draw: &str, to: &[&str]) -> f64 {
    let script = folder.join("one.sql");
    std::fs::write(&script, format!("\\set k {draw}\n{sql}\n")).expect("written");
    (0..3)
        .map(|_| {
            let told = output(
                Command::new(program("pgbench"))
                    .args(["-n", "-c", "1", "-t", "500", "-f"])
                    .arg(&script)
                    .args(to)
                    .env("PGPASSWORD", "bench"),
            );
            told.lines()
                .find_map(|line| {
                    line.strip_prefix("latency average = ")?
                        .strip_suffix(" ms")?
                        .parse::<f64>()
                        .ok()
                })
                .unwrap_or_else(|| panic!("{told}"))
        })
        .fold(f64::INFINITY, f64::min)
}
