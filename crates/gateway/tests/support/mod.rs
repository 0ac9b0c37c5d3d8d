//! A gateway of the test's own, on a free port, with psql to ask it; the same for both backends.
#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod generated;
pub(crate) mod guess;
pub(crate) mod process;
pub(crate) mod question;
#[path = "../../../purpose/tests/random/mod.rs"]
pub(crate) mod random;

use denym_gateway::admin::PolicyFile;
use denym_gateway::admin::ddl::{Wanted, script};
use denym_gateway::scram::Verifier;
use denym_gateway::{Backend, Config, Error, Gateway, Limits, Logins, Protection, Tls, Users};
use denym_purpose::{AccessPolicy, Moment};
use denym_testkit::postgres::{NULL, Server, feed, rows};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// A moment in office hours.
pub(crate) const NOON: Moment = Moment {
    day: 20_000,
    minute: 720,
};

/// Every test user's password.
pub(crate) const PASSWORD: &str = "correct horse";

/// Sets a server up for all purposes of a policy, or for one table only.
pub(crate) fn install(server: &Server, policy: &AccessPolicy, table: Option<&str>) {
    let sql = ddl(policy, table, &[]);
    server
        .query(&sql)
        .unwrap_or_else(|error| panic!("{error}\n{sql}"));
}

/// The script that does it.
pub(crate) fn ddl(policy: &AccessPolicy, table: Option<&str>, readers: &[String]) -> String {
    let wanted = Wanted {
        purpose: None,
        table,
        schema: "raw",
        owner: "denym_views",
        logins: "denym",
        verifiers: &BTreeMap::new(),
        readers,
        indexes: true,
        unconditional: false,
    };
    let script = script(policy, &wanted).unwrap_or_else(|error| panic!("{error}"));
    // nobody reads notices here
    format!("SET client_min_messages = warning;\n{}", script.sql)
}

/// What a gateway is made from.
pub(crate) struct Plan {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) config: Config,
    pub(crate) clock: Arc<Mutex<Moment>>,
}

/// A running gateway.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: Arc<Mutex<Moment>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    psql: PathBuf,
}

impl Plan {
    /// An embedded gateway: a policy, and files by table name with their text.
    pub(crate) fn embedded(
        policy: &str,
        files: &[(&str, String)],
        consent: Option<String>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self::embedded_in(folder, policy, files, consent)
    }

    /// The same in a folder where another may have been before.
    pub(crate) fn embedded_in(
        folder: tempfile::TempDir,
        policy: &str,
        files: &[(&str, String)],
        consent: Option<String>,
    ) -> Self {
        let mut tables = BTreeMap::new();
        for (name, text) in files {
            let path = folder.path().join(format!("{name}.csv"));
            std::fs::write(&path, text).expect("writes");
            tables.insert((*name).to_owned(), path);
        }
        Self::new(folder, policy, Backend::Embedded { tables }, consent)
    }

    /// A gateway in front of a PostgreSQL server with raw tables in the schema `raw`, set up as a steward does: one login for each purpose.
    pub(crate) fn postgres(policy: &str, server: &Server) -> Self {
        Self::before(policy, server, "", Logins::default())
    }

    /// The same with a superuser's login for everything, which only a test can say: the gateway's own refusals stand alone.
    pub(crate) fn unlocked(policy: &str, server: &Server) -> Self {
        Self::before(policy, server, " user=postgres", Logins::UncheckedForTests)
    }

    fn before(policy: &str, server: &Server, user: &str, logins: Logins) -> Self {
        let connection = format!("host={}{user} dbname=postgres", server.socket().display());
        let plan = Self::reached(policy, &connection, Protection::Local, logins);
        let file = PolicyFile::read(&plan.config.policy).unwrap_or_else(|error| panic!("{error}"));
        install(server, &file.policy, None);
        plan
    }

    /// In front of a server that is set up, and reached so.
    pub(crate) fn reached(
        policy: &str,
        connection: &str,
        protection: Protection,
        logins: Logins,
    ) -> Self {
        let backend = Backend::Postgres {
            connection: connection.to_owned(),
            schema: "raw".to_owned(),
            protection,
            logins,
        };
        let folder = tempfile::tempdir().expect("a folder");
        Self::new(folder, policy, backend, None)
    }

    fn new(
        folder: tempfile::TempDir,
        policy: &str,
        backend: Backend,
        consent: Option<String>,
    ) -> Self {
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writes");
            path
        };
        let mut users = Users::default();
        for name in ["anna", "ben", "cora", "hugo", "russell", "mallory"] {
            // few iterations: the tests log in often
            users.set(name, Verifier::new(PASSWORD, b"0123456789abcdef", 16));
        }
        let clock = Arc::new(Mutex::new(NOON));
        let reads = clock.clone();
        let config = Config {
            listen: ([127, 0, 0, 1], 0).into(),
            policy: write("policy.toml", policy),
            users: write("users", &users.to_text()),
            consent: consent.map(|text| write("consent.csv", &text)),
            audit: Some(folder.path().join("audit.jsonl")),
            backend,
            tls: None,
            mask_key: Some(write("mask.key", "0123456789abcdef0123456789abcdef")),
            limits: Limits::default(),
            clock: Arc::new(move || *reads.lock().expect("never poisoned")),
        };
        Self {
            folder,
            config,
            clock,
        }
    }

    pub(crate) fn with_tls(mut self, certificate: &Path, key: &Path) -> Self {
        self.config.tls = Some(Tls {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        });
        self
    }

    pub(crate) fn with_limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.config.limits);
        self
    }

    /// Starts it.
    pub(crate) fn start(self) -> Result<Site, Error> {
        let (stop, stopped) = oneshot::channel();
        let (opened, address) = std::sync::mpsc::channel();
        let config = self.config;
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .thread_stack_size(64 << 20)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                match Gateway::open(config).await {
                    Ok(gateway) => {
                        opened.send(Ok(gateway.address())).expect("the test waits");
                        gateway
                            .serve(async {
                                let _ = stopped.await;
                            })
                            .await;
                    }
                    Err(error) => opened.send(Err(error)).expect("the test waits"),
                }
            });
        });
        let address = address.recv().expect("the gateway answers")?;
        Ok(Site {
            address,
            folder: self.folder,
            clock: self.clock,
            stop: Some(stop),
            thread: Some(thread),
            psql: psql(),
        })
    }

    pub(crate) fn run(self) -> Site {
        self.start().unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Site {
    /// A psql command for a user.
    pub(crate) fn psql(&self, user: &str) -> Command {
        let mut command = Command::new(&self.psql);
        command
            .args([
                "-XAtq",
                "-v",
                "ON_ERROR_STOP=1",
                "-F",
                "\u{1f}",
                "-R",
                "\u{1e}",
                "-P",
            ])
            .arg(format!("null={NULL}"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &self.address.port().to_string(),
                "-d",
                "denym",
                "-U",
                user,
            ])
            .env("PGPASSWORD", PASSWORD)
            .env("PGCONNECT_TIMEOUT", "20")
            .env_remove("PGOPTIONS");
        command
    }

    /// Runs statements as a user; the rows of all queries among them.
    pub(crate) fn query(&self, user: &str, sql: &str) -> Result<Vec<Vec<String>>, String> {
        run(self.psql(user), sql)
    }

    /// The same under a purpose.
    pub(crate) fn ask(
        &self,
        user: &str,
        purpose: &str,
        sql: &str,
    ) -> Result<Vec<Vec<String>>, String> {
        self.query(user, &format!("SET denym.purpose = '{purpose}'; {sql};"))
    }

    /// The audit log.
    pub(crate) fn audit(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("audit.jsonl")).expect("a log")
    }

    /// Stops it; its folder.
    pub(crate) fn stop(mut self) -> tempfile::TempDir {
        let other = tempfile::tempdir().expect("a folder");
        std::mem::replace(&mut self.folder, other)
    }

    /// The entries of the audit log, which must hold.
    pub(crate) fn entries(&self) -> Vec<denym_gateway::audit::Event> {
        entries(self.folder.path())
    }

    pub(crate) fn set_clock(&self, now: Moment) {
        *self.clock.lock().expect("never poisoned") = now;
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The entries of the audit log in a folder, which must hold.
pub(crate) fn entries(folder: &Path) -> Vec<denym_gateway::audit::Event> {
    let log = std::fs::read_to_string(folder.join("audit.jsonl")).expect("a log");
    denym_gateway::audit::verify(log.as_bytes()).expect("the chain holds");
    log.lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect()
}

/// Runs psql with statements on its standard input.
pub(crate) fn run(command: Command, sql: &str) -> Result<Vec<Vec<String>>, String> {
    let output = feed(command, sql);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(rows(&String::from_utf8(output.stdout).expect("UTF-8")))
}

/// The newest psql.
pub(crate) fn psql() -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin/psql")))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found.pop().unwrap_or_else(|| "psql".into())
}

/// Runs psql and gives everything it prints, its errors last.
pub(crate) fn run_raw(command: Command, sql: &str) -> String {
    let output = feed(command, sql);
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A cell of CSV.
pub(crate) fn csv(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}
