//! `denym access audit`: the gateway's log.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym_gateway::admin::log::{self, Filter, Shown};
use denym_gateway::purpose::Moment;
use serde_json::{Value, json};

use super::{Outcome, read_moment};
use crate::console::Console;

/// Arguments of `access audit`.
#[derive(Args)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    what: AuditCommand,
}

#[derive(Subcommand)]
enum AuditCommand {
    /// Walk the chain of hashes; exit 1 and the line when it breaks
    Verify(VerifyArgs),
    /// Print entries, one per line
    Show(ShowArgs),
}

#[derive(Args)]
struct VerifyArgs {
    /// The audit log
    log: PathBuf,
    /// A hash that was printed earlier: some entry must still have it, or the end was cut off
    #[arg(long, value_name = "HASH")]
    noted: Option<String>,
}

#[derive(Args)]
struct ShowArgs {
    /// The audit log
    log: PathBuf,
    /// Only this user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Only this purpose
    #[arg(long, value_name = "NAME")]
    purpose: Option<String>,
    /// Only accesses to this table
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Only from this moment on
    #[arg(long, value_name = "TIME", value_parser = read_moment)]
    since: Option<Moment>,
}

pub(super) fn run(args: &AuditArgs, console: &Console) -> Outcome {
    match &args.what {
        AuditCommand::Verify(args) => verify(args, console),
        AuditCommand::Show(args) => show(args, console),
    }
}

fn verify(args: &VerifyArgs, console: &Console) -> Outcome {
    let found = log::verify(&args.log, args.noted.as_deref())?;
    console.document(&json!({
        "holds": true,
        "entries": found.entries,
        "last_hash": found.last,
        "since_noted": found.since,
    }));
    console.say(format!("holds      {} entries", found.entries));
    console.say(format!(
        "last hash  {}  (note it down: --noted shows later that nothing before it is gone)",
        found.last
    ));
    if let Some(since) = found.since {
        console.say(format!("noted      {since} entries since"));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ShowArgs, console: &Console) -> Outcome {
    let filter = Filter {
        user: args.user.clone(),
        purpose: args.purpose.clone(),
        table: args.table.clone(),
        since: args.since,
    };
    let shown = log::show(&args.log, &filter)?;
    if log::verify(&args.log, None).is_err() {
        console.warn("the log does not hold; see `denym access audit verify`");
    }
    let entries: Vec<Value> = shown
        .iter()
        .map(|shown| {
            let mut value = json!(shown.event);
            value["entry"] = shown.entry.into();
            value
        })
        .collect();
    console.document(&json!({"entries": entries}));
    for shown in &shown {
        console.say(line(shown));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(shown: &Shown) -> String {
    let event = &shown.event;
    let mut parts = vec![
        format!("{:>6}", shown.entry),
        event.at.clone(),
        event.user.clone(),
        event.event.clone(),
    ];
    if event.decision != event.event {
        parts.push(event.decision.clone());
    }
    parts.extend(event.address.iter().map(|from| format!("from {from}")));
    parts.extend(event.count.map(|count| format!("{count} more times")));
    parts.extend(event.purpose.iter().map(|purpose| format!("for {purpose}")));
    for (table, columns) in &event.tables {
        parts.push(format!("{table}({})", columns.join(", ")));
    }
    parts.extend(event.rows.map(|rows| format!("{rows} rows")));
    if !event.obligations.is_empty() {
        parts.push(format!("obligations: {}", event.obligations.join("; ")));
    }
    if let Some(statement) = &event.statement {
        parts.push(statement.clone());
    }
    if let Some(cut) = &event.statement_cut {
        parts.push(format!("({} bytes in all)", cut.bytes));
    }
    // one entry, one line, and nothing a terminal would act upon: names of failed logins are anybody's
    let plain = |c: char| match c {
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    };
    parts.join("  ").chars().map(plain).collect()
}
