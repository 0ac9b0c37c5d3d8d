//! A PostgreSQL server of the test's own: in a temporary directory, on a socket there, stopped when the test ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A running server.
pub struct Server {
    binaries: PathBuf,
    folder: PathBuf,
}

/// Servers this process started: each has its own directory.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// What stands for NULL in answers of [`Server::query`].
pub const NULL: &str = "\u{2400}";

impl Server {
    /// Starts a server, or says why the test is skipped.
    ///
    /// # Panics
    ///
    /// When PostgreSQL is there but does not start.
    pub fn start() -> Option<Self> {
        let Some(binaries) = binaries() else {
            crate::skip("no PostgreSQL server");
            return None;
        };
        let folder = std::env::temp_dir().join(format!(
            "denym-postgres-{}-{}",
            std::process::id(),
            STARTED.fetch_add(1, Ordering::Relaxed)
        ));
        let server = Self { binaries, folder };
        std::fs::create_dir_all(&server.folder).expect("a temporary directory");
        if is_root() {
            // initdb refuses root
            let owner = Command::new("chown")
                .arg("postgres")
                .arg(&server.folder)
                .status();
            assert!(
                owner.is_ok_and(|status| status.success()),
                "the folder can be given away"
            );
        }
        let data = server.folder.join("data");
        let data = data.to_str().expect("a plain path");
        let made = server.run(
            "initdb",
            &[
                "-D",
                data,
                "-U",
                "postgres",
                "--auth=trust",
                "--no-sync",
                "--no-locale",
                "-E",
                "UTF8",
            ],
        );
        assert!(made, "initdb makes a cluster");
        server.serve("-c listen_addresses=");
        Some(server)
    }

    /// Starts the cluster with options.
    fn serve(&self, options: &str) {
        let folder = self.folder.to_str().expect("a plain path");
        let options = format!("{options} -c fsync=off -c unix_socket_directories={folder}");
        let (data, log) = (format!("{folder}/data"), format!("{folder}/log"));
        let started = self.run(
            "pg_ctl",
            &["-D", &data, "-l", &log, "-o", &options, "-w", "start"],
        );
        assert!(started, "PostgreSQL starts");
    }

    /// Starts it again on a TCP port of this machine with that certificate and key; the port, which its socket has from now on too.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn encrypt(&self, certificate: &Path, key: &Path) -> u16 {
        let data = self.folder.join("data");
        let data = data.to_str().expect("a plain path");
        assert!(self.run("pg_ctl", &["-D", data, "-m", "fast", "-w", "stop"]));
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let mut command = Command::new("install");
            command.args(["-m", "600"]);
            if is_root() {
                command.args(["-o", "postgres"]);
            }
            let put = command.arg(from).arg(format!("{data}/{name}")).status();
            assert!(
                put.is_ok_and(|status| status.success()),
                "the key is put in its place"
            );
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        self.serve(&format!(
            "-c listen_addresses=localhost -c port={port} -c ssl=on"
        ));
        port
    }

    /// The directory of the server's socket.
    pub fn socket(&self) -> &Path {
        &self.folder
    }

    /// Runs statements; the rows of all queries among them, as text, [`NULL`] for NULL.
    ///
    /// # Errors
    ///
    /// PostgreSQL's message.
    ///
    /// # Panics
    ///
    /// When psql cannot be run.
    pub fn query(&self, sql: &str) -> Result<Vec<Vec<String>>, String> {
        let mut command = Command::new(self.binaries.join("psql"));
        command
            .args([
                "-XAtq",
                "-v",
                "ON_ERROR_STOP=1",
                "-F",
                "\u{1f}",
                "-R",
                "\u{1e}",
                "-U",
                "postgres",
                "-d",
                "postgres",
            ])
            .args(["-P", &format!("null={NULL}"), "-h"])
            .arg(&self.folder);
        let output = feed(command, sql);
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(rows(&String::from_utf8(output.stdout).expect("UTF-8")))
    }

    /// Runs one of PostgreSQL's programs; whether it succeeded.
    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let program = self.binaries.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let status = command
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.join("data");
        if let Some(data) = data.to_str() {
            self.run("pg_ctl", &["-D", data, "-m", "immediate", "-w", "stop"]);
        }
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// Runs a program with a text on its standard input.
///
/// # Panics
///
/// When it cannot be run.
pub fn feed(mut command: Command, text: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    drop(writer.join());
    output
}

/// What psql printed as rows of cells: cells end in a unit separator, records in a record separator, each query in a newline.
pub fn rows(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        return Vec::new();
    }
    text.split(['\u{1e}', '\n'])
        .map(|record| record.split('\u{1f}').map(str::to_owned).collect())
        .collect()
}

/// The newest installed server's programs.
fn binaries() -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|path| path.join("initdb").exists() && path.join("psql").exists())
        .collect();
    versions.sort();
    versions.pop()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}
