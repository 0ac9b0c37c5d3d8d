//! `denym access`: purposes, roles, consent, logins and the audit log, for the steward.

mod audit;
mod check;
mod consent;
mod ddl;
mod explain;
mod password;
mod user;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym_gateway::admin::Error;
use denym_gateway::purpose::Moment;

use crate::console::Console;
use crate::render;

/// Arguments of `access`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct AccessArgs {
    #[command(subcommand)]
    what: AccessCommand,
}

/// What the steward does.
#[derive(Subcommand)]
enum AccessCommand {
    /// Check a policy: mistakes, what nobody can ever use, the tree of purposes, who may state what now
    #[command(after_help = "\
Examples:
  denym access check policy.toml
  denym access check policy.toml --at 2026-03-02T09:30
  denym access check policy.toml --strict --json

Times are UTC, as the gateway's are. With --strict a finding exits with 1.")]
    Check(check::CheckArgs),
    /// Say what a user sees for a purpose, and why
    #[command(after_help = "\
Examples:
  denym access explain --policy policy.toml --user russell --purpose marketing --table customer_info
  denym access explain --policy policy.toml --user russell --purpose marketing --table customer_info --column income --row 1
  denym access explain --policy policy.toml --user russell --table customer_info --at 2026-03-02T20:00 --json

The decision for a cell is full, conditional or nothing. No cell of the data is printed.")]
    Explain(Box<explain::ExplainArgs>),
    /// Add, remove and list the logins of the gateway
    #[command(after_help = "\
Examples:
  denym access user add russell --users users.txt
  denym access user add russell --users users.txt --replace --password-file secret.txt
  denym access user list --users users.txt --policy policy.toml
  denym access user remove russell --users users.txt

The file holds salted SCRAM-SHA-256 verifiers, never passwords, and is its owner's alone (mode 0600).")]
    User(user::UserArgs),
    /// Show and change what providers consented to; a running gateway follows at its next query
    #[command(after_help = "\
Examples:
  denym access consent show --policy policy.toml --table customer_info --record 1
  denym access consent set --policy policy.toml --table customer_info --record 1 --column income --allowed general --prohibited marketing
  denym access consent set --policy policy.toml --table customer_info --record 1 --clear
  denym access consent import --policy policy.toml ipt.csv
  denym access consent export --policy policy.toml --form sql --schema raw

The consent table is `consent.csv` beside the policy unless --consent names another file.")]
    Consent(consent::ConsentArgs),
    /// Check and read the gateway's audit log
    #[command(after_help = "\
Examples:
  denym access audit verify audit.jsonl
  denym access audit verify audit.jsonl --noted 3f1c...
  denym access audit show audit.jsonl --user russell --purpose marketing --since 2026-03-01")]
    Audit(audit::AuditArgs),
    /// Print the roles, views, indexes and grants with which PostgreSQL enforces purposes itself
    #[command(after_help = "\
Examples:
  denym access ddl --policy policy.toml --passwords logins.pgpass --indexes | psql
  denym access ddl --policy policy.toml --purpose marketing --grant-to marketing_team | psql

Each purpose has a login that reads the masked views of that purpose and nothing else; `denym gateway --postgres` uses them. Run it again when the policy changes.
A view cannot check who asks when: conditions of roles are named in the script. The gateway checks them; without it GRANT decides who may use a view.")]
    Ddl(ddl::DdlArgs),
}

/// Does it; errors are rendered here, because they are not those of a release.
pub(crate) fn run(args: &AccessArgs, console: &Console) -> ExitCode {
    let outcome = match &args.what {
        AccessCommand::Check(args) => check::run(args, console),
        AccessCommand::Explain(args) => explain::run(args, console),
        AccessCommand::User(args) => user::run(args, console),
        AccessCommand::Consent(args) => consent::run(args, console),
        AccessCommand::Audit(args) => audit::run(args, console),
        AccessCommand::Ddl(args) => ddl::run(args, console),
    };
    outcome.unwrap_or_else(|error| render::access(&error, console))
}

/// What a command ends with.
type Outcome = Result<ExitCode, Error>;

/// The moment that `--at` names, or now; the gateway's clock is UTC.
fn moment(at: Option<Moment>) -> Moment {
    at.unwrap_or_else(now)
}

#[expect(
    clippy::disallowed_methods,
    reason = "conditions are about the time of the request"
)]
fn now() -> Moment {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let minutes = since.map_or(0, |since| since.as_secs() / 60);
    Moment { day: 0, minute: 0 }.plus(i64::try_from(minutes).unwrap_or(0))
}

/// Reads a moment from the command line: a day, a day and a time, or a time of today.
fn read_moment(text: &str) -> Result<Moment, String> {
    let today = || {
        let minute = Moment::minute_from_text(text)?;
        Some(Moment { minute, ..now() })
    };
    Moment::from_text(text)
        .or_else(today)
        .ok_or_else(|| "write it like 2026-03-02T09:30, 2026-03-02 or 09:30 (UTC)".into())
}
