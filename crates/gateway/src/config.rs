//! What a gateway is started with.

use denym_purpose::Moment;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The clock that conditions, retention and the audit log follow. Libraries do not read it, so the caller brings it.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// A gateway's settings. Nothing has a default that opens a door: without users nobody logs in.
#[derive(Clone)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The access policy.
    pub policy: PathBuf,
    /// Users and their verifiers; a change counts at once, also for sessions that are open.
    pub users: PathBuf,
    /// The intended purposes table of the embedded backend, read again when it changed.
    pub consent: Option<PathBuf>,
    /// The audit log; `None` keeps none, for trying out.
    pub audit: Option<PathBuf>,
    /// Where the data is.
    pub backend: Backend,
    /// Certificate chain and key. With them every session must be encrypted.
    pub tls: Option<Tls>,
    /// The secret key of pseudonyms and noise; needed when the policy has such masks.
    pub mask_key: Option<PathBuf>,
    /// Bounds.
    pub limits: Limits,
    /// The clock.
    pub clock: Clock,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("listen", &self.listen)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// Where the data is.
#[derive(Clone)]
pub enum Backend {
    /// CSV or Parquet files by governed table; a table without entry uses its `source` in the policy, relative to the policy's file.
    Embedded {
        /// Table name to file.
        tables: BTreeMap<String, PathBuf>,
    },
    /// A PostgreSQL server, set up by `denym access ddl`.
    Postgres {
        /// A connection string, `host=.. dbname=..`: neither a user nor a password.
        connection: String,
        /// The schema of the raw tables and of the consent table.
        schema: String,
        /// How the connection is protected.
        protection: Protection,
        /// As whom the gateway logs in.
        logins: Logins,
    },
}

/// As whom the gateway logs in to a PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logins {
    /// One login for each purpose, `<prefix>_<purpose>`. It does not start when one of them can see more than the views of its purpose.
    PerPurpose {
        /// How they begin.
        prefix: String,
        /// Their passwords, a file as libpq's `.pgpass`, its owner's alone; without it the server must let them in by other means.
        passwords: Option<PathBuf>,
    },
    /// One login for all purposes, the user of the connection string, and nothing is asked about it. Only for tests of what the gateway
    /// refuses to send; no command line says this.
    #[doc(hidden)]
    UncheckedForTests,
}

impl Default for Logins {
    fn default() -> Self {
        Self::PerPurpose {
            prefix: "denym".into(),
            passwords: None,
        }
    }
}

/// How the connection to a PostgreSQL server is protected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Protection {
    /// It does not leave this machine.
    #[default]
    Local,
    /// By TLS; the server's certificate must be of this authority (a PEM file) and of the server's name.
    Authority(PathBuf),
    /// By nothing that the gateway knows of: an encrypted tunnel.
    ClearText,
}

/// Files of a certificate chain and its key, PEM.
#[derive(Debug, Clone)]
pub struct Tls {
    /// The chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Bounds on what clients can take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at one time; more are told so and closed.
    pub connections: usize,
    /// From the first byte to the end of the login.
    pub startup: Duration,
    /// Longest wait for a client that does not read what it asked for.
    pub write: Duration,
    /// Longest silence of a session; `None` for no bound.
    pub idle: Option<Duration>,
    /// Longest run of one statement until its last row; `None` for no bound. Five minutes unless said otherwise.
    pub statement: Option<Duration>,
    /// Longest silence of a session with open cursors; then they are closed, since each keeps a running query.
    pub open_idle: Duration,
    /// Statements, portals and views a session may keep.
    pub objects: usize,
    /// Bytes of their texts and parameters.
    pub object_bytes: usize,
    /// Cursors and portals a session may have running.
    pub open: usize,
    /// Memory of all queries of the embedded backend, in bytes; one statement has a quarter of it at most.
    pub memory: usize,
    /// Statements of one user that may be open at one time in the embedded backend, cursors among them.
    pub statements_per_user: usize,
    /// Connections to a PostgreSQL backend that are in use at one time; one user has at most half of them.
    pub backend_connections: usize,
    /// Those that one session may hold by statements, portals and cursors that have not ended.
    pub backend_per_session: usize,
    /// Longest wait for one of them.
    pub backend_wait: Duration,
    /// Longest pause between two fetches from a portal or cursor that holds one; a few seconds when others wait.
    pub backend_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 2000,
            startup: Duration::from_secs(10),
            write: Duration::from_secs(30),
            idle: Some(Duration::from_hours(1)),
            open_idle: Duration::from_mins(5),
            statement: Some(Duration::from_mins(5)),
            objects: 1000,
            // twice the longest message
            object_bytes: 32 << 20,
            open: 16,
            memory: 2 << 30,
            statements_per_user: 32,
            backend_connections: 32,
            backend_per_session: 8,
            backend_wait: Duration::from_secs(15),
            backend_idle: Duration::from_mins(10),
        }
    }
}

impl Limits {
    /// What one statement of the embedded backend may hold, in bytes.
    pub(crate) fn statement_memory(&self) -> usize {
        self.memory / 4
    }
}
