//! `denym serve`: the web application and the HTTP API.

use std::net::SocketAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use denym::{Error, Listener as _};
use denym_server::{Config, Server};
use serde_json::json;

use crate::console::Console;

/// Arguments of `serve`.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The directory of the projects; nothing outside of it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Where to listen: an address of this machine; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// Jobs that run at one time
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) jobs: NonZeroUsize,
    /// The largest file that may be sent
    #[arg(long, value_name = "MIB", default_value = "1024")]
    pub(crate) upload_limit: NonZeroU64,
}

/// Serves until a signal asks to stop.
pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<ExitCode, Error> {
    let server = Server::bind(Config {
        dir: args.dir.clone(),
        listen: args.listen,
        jobs: args.jobs.get(),
        threads: console.threads,
        upload_limit: args.upload_limit.get().saturating_mul(1 << 20),
        clock: now,
        environment: Some(|name| std::env::var(name).ok()),
    })?;
    let url = server.url();
    console.document(&json!({"url": url, "dir": args.dir}));
    console.say(format!("open       {url}"));
    console
        .say("           whoever has this address can do all that you can; Ctrl-C ends the server");
    server.run(|| !console.keep_going())?;
    Ok(ExitCode::SUCCESS)
}

/// Seconds since 1970, for the audit log.
#[expect(
    clippy::disallowed_methods,
    reason = "an audit log says when, and the command is where clocks are read"
)]
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
