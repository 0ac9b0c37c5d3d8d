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
    /// Users and their verifiers, read at every login.
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
    /// A PostgreSQL server.
    Postgres {
        /// A connection string, `host=.. user=.. dbname=..`.
        connection: String,
        /// The schema of the raw tables and of the consent table.
        schema: String,
        /// How the connection is protected.
        protection: Protection,
    },
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
    /// Longest run of one statement until its last row; `None` for no bound.
    pub statement: Option<Duration>,
    /// Statements and portals a session may keep.
    pub objects: usize,
    /// Memory of all queries of the embedded backend, in bytes.
    pub memory: usize,
    /// Connections to a PostgreSQL backend.
    pub backend_connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 2000,
            startup: Duration::from_secs(10),
            write: Duration::from_secs(30),
            idle: None,
            statement: None,
            objects: 1000,
            memory: 2 << 30,
            backend_connections: 32,
        }
    }
}
