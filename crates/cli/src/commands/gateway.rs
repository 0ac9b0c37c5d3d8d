//! `denym gateway`: purpose-bound SQL over the PostgreSQL wire protocol.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use denym::Listener as _;
use denym_gateway::purpose::{Mistake, Moment};
use denym_gateway::{Backend, Config, Error, Gateway, Limits, Logins, Protection, Tls};
use serde_json::json;

use crate::console::Console;
use crate::render::{show, three_lines};

/// Arguments of `gateway`.
#[derive(Args)]
pub(crate) struct GatewayArgs {
    /// The access policy, a TOML file
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Users and their verifiers, as `denym access user add` writes them; a removed user's open sessions end
    #[arg(long, value_name = "FILE")]
    users: PathBuf,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:5433")]
    listen: SocketAddr,
    /// A governed table's CSV or Parquet file; without it, the policy's `source`
    #[arg(long = "table", value_name = "NAME=FILE", value_parser = table, conflicts_with = "postgres")]
    tables: Vec<(String, PathBuf)>,
    /// Providers' consent, a CSV file; a change counts at the next query
    #[arg(long, value_name = "FILE", conflicts_with = "postgres")]
    consent: Option<PathBuf>,
    /// A PostgreSQL server that `denym access ddl` set up, instead of files: `host=/run/postgresql dbname=crm`, without user and password
    #[arg(long, value_name = "CONNECTION")]
    postgres: Option<String>,
    /// How the logins to that server begin; there is one for each purpose
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "denym",
        requires = "postgres"
    )]
    postgres_logins: String,
    /// Their passwords, a file as libpq's .pgpass that only its owner can read; PGPASSFILE when not given
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_passwords: Option<PathBuf>,
    /// The authority of that server's certificate, PEM: the connection is encrypted and the server checked
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
    /// Reach a PostgreSQL server on another machine without encryption
    #[arg(long, requires = "postgres", conflicts_with = "postgres_ca")]
    postgres_clear_text: bool,
    /// The schema of the raw tables and of the consent table there
    #[arg(
        long,
        value_name = "NAME",
        default_value = "raw",
        requires = "postgres"
    )]
    schema: String,
    /// The audit log: append-only JSON lines, each bound to the one before; its owner's alone, one gateway's at a time
    #[arg(long, value_name = "FILE", default_value = "audit.jsonl")]
    audit: PathBuf,
    /// The certificate chain, PEM; with it every session must be encrypted
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen on other addresses than this machine's own without encryption
    #[arg(long)]
    clear_text: bool,
    /// The secret of pseudonyms and noise: a file of at least 16 random bytes
    #[arg(long, value_name = "FILE")]
    mask_key: Option<PathBuf>,
    /// Connections at one time
    #[arg(long, value_name = "N")]
    max_connections: Option<NonZeroUsize>,
    /// Longest run of a statement, until its last row is sent; 0 for no bound
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    statement_timeout: u64,
    /// Memory of all statements over files together; one of them gets a quarter at most
    #[arg(
        long,
        value_name = "MIB",
        default_value = "2048",
        conflicts_with = "postgres"
    )]
    memory: NonZeroUsize,
    /// Statements over files that one user may have open at one time, cursors among them
    #[arg(
        long,
        value_name = "N",
        default_value = "32",
        conflicts_with = "postgres"
    )]
    statements_per_user: NonZeroUsize,
    /// Longest silence of a session; 0 for no bound. Open cursors are closed after five minutes
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    idle_timeout: u64,
}

fn table(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.to_owned(), path.into()))
        }
        _ => Err("write it as NAME=FILE".into()),
    }
}

/// Serves until a signal asks to stop.
pub(crate) fn run(args: &GatewayArgs, console: &Console) -> ExitCode {
    if !args.listen.ip().is_loopback() && args.tls_cert.is_none() && !args.clear_text {
        return refuse(
            console,
            "clear-text",
            "other machines could read every answer on its way",
            "give --tls-cert and --tls-key; or, behind an encrypted tunnel, --clear-text",
        );
    }
    let mut limits = Limits::default();
    if let Some(most) = args.max_connections {
        limits.connections = most.get();
    }
    limits.statement =
        (args.statement_timeout > 0).then(|| Duration::from_secs(args.statement_timeout));
    limits.memory = args.memory.get().saturating_mul(1 << 20);
    limits.statements_per_user = args.statements_per_user.get();
    limits.idle = (args.idle_timeout > 0).then(|| Duration::from_secs(args.idle_timeout));
    let backend = match &args.postgres {
        Some(connection) => Backend::Postgres {
            connection: connection.clone(),
            schema: args.schema.clone(),
            protection: match &args.postgres_ca {
                Some(authority) => Protection::Authority(authority.clone()),
                None if args.postgres_clear_text => Protection::ClearText,
                None => Protection::Local,
            },
            logins: Logins::PerPurpose {
                prefix: args.postgres_logins.clone(),
                passwords: args
                    .postgres_passwords
                    .clone()
                    .or_else(|| std::env::var_os("PGPASSFILE").map(PathBuf::from)),
            },
        },
        None => Backend::Embedded {
            tables: args.tables.iter().cloned().collect::<BTreeMap<_, _>>(),
        },
    };
    let config = Config {
        listen: args.listen,
        policy: args.policy.clone(),
        users: args.users.clone(),
        consent: args.consent.clone(),
        audit: Some(args.audit.clone()),
        backend,
        tls: args
            .tls_cert
            .clone()
            .zip(args.tls_key.clone())
            .map(|(certificate, key)| Tls { certificate, key }),
        mask_key: args.mask_key.clone(),
        limits,
        clock: Arc::new(now),
    };
    let ready = |gateway: &Gateway| {
        for notice in gateway.notices() {
            console.warn(&notice);
        }
        let tables: Vec<&str> = gateway.tables().collect();
        console.document(&json!({
            "listening": gateway.address().to_string(),
            "backend": if args.postgres.is_some() { "postgres" } else { "embedded" },
            "encrypted": gateway.is_encrypted(),
            "tables": tables,
        }));
        console.say(format!(
            "listening on {} ({}), tables {}",
            gateway.address(),
            if gateway.is_encrypted() {
                "encrypted"
            } else {
                "clear text"
            },
            tables.join(", ")
        ));
    };
    match denym_gateway::run(config, console.threads, ready, || console.keep_going()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, args, console),
    }
}

fn failed(error: &Error, args: &GatewayArgs, console: &Console) -> ExitCode {
    if let Error::Policy { text, mistakes } = error {
        let file = args.policy.display();
        let place = |mistake: &Mistake| format!("{file}:{} {}", mistake.line(text), mistake.path);
        let list: Vec<serde_json::Value> = mistakes
            .iter()
            .map(|mistake| json!({"code": mistake.code, "message": mistake.message, "location": place(mistake), "help": mistake.help}))
            .collect();
        console.document(&json!({"error": {
            "code": error.code(), "message": error.to_string(), "location": args.policy.display().to_string(), "help": error.help(), "mistakes": list,
        }}));
        for mistake in mistakes {
            let place = place(mistake);
            show(&three_lines(&mistake.message, Some(&place), &mistake.help));
        }
        return ExitCode::from(2);
    }
    refuse(console, error.code(), &error.to_string(), &error.help())
}

fn refuse(console: &Console, code: &str, message: &str, help: &str) -> ExitCode {
    console.document(
        &json!({"error": {"code": code, "message": message, "location": null, "help": help}}),
    );
    show(&three_lines(message, None, help));
    ExitCode::from(2)
}

/// The clock that conditions and retention follow, in UTC.
fn now() -> Moment {
    #[expect(
        clippy::disallowed_methods,
        reason = "office hours and retention follow the clock"
    )]
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let minutes = i64::try_from(seconds / 60).unwrap_or(i64::MAX);
    Moment {
        day: minutes.div_euclid(1440),
        minute: minutes.rem_euclid(1440),
    }
}
