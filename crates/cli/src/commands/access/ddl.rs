//! `denym access ddl`: purposes enforced inside PostgreSQL, behind the gateway or without it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym_gateway::admin::ddl::{Wanted, script};
use denym_gateway::admin::{PasswordsFile, PolicyFile};
use serde_json::json;

use super::Outcome;
use crate::console::Console;

/// Arguments of `access ddl`.
#[derive(Args)]
pub(super) struct DdlArgs {
    /// The access policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// One purpose; all that somebody may state when not given
    #[arg(long, value_name = "NAME")]
    purpose: Option<String>,
    /// One governed table; all when not given
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// The schema of the raw tables and of the consent table
    #[arg(long, value_name = "SCHEMA", default_value = "raw")]
    schema: String,
    /// How the gateway's logins begin: `denym` for `denym_marketing`
    #[arg(long, value_name = "PREFIX", default_value = "denym")]
    logins: String,
    /// Draw a password for each login that has none there; the script has verifiers only
    #[arg(long, value_name = "FILE")]
    passwords: Option<PathBuf>,
    /// The role that owns the views; made when it is not there, refused when it is a superuser or can log in
    #[arg(long, value_name = "ROLE", default_value = "denym_views")]
    owner: String,
    /// A role that may read the views without the gateway; can be given several times
    #[arg(long, value_name = "ROLE")]
    grant_to: Vec<String>,
    /// Also indexes on the masked expressions, for predicates on masked values
    #[arg(long)]
    indexes: bool,
    /// Leave out what only grants with a condition permit; the gateway does not start on such views
    #[arg(long)]
    unconditional: bool,
}

pub(super) fn run(args: &DdlArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.policy)?;
    let none = BTreeMap::new();
    let verifiers;
    let mut wanted = Wanted {
        purpose: args.purpose.as_deref(),
        table: args.table.as_deref(),
        schema: &args.schema,
        owner: &args.owner,
        logins: &args.logins,
        verifiers: &none,
        readers: &args.grant_to,
        indexes: args.indexes,
        unconditional: args.unconditional,
    };
    let mut written = script(&file.policy, &wanted)?;
    if let Some(path) = &args.passwords {
        // only now: a policy that makes no script draws no password
        let logins: Vec<String> = written
            .purposes
            .iter()
            .map(|made| made.login.clone())
            .collect();
        verifiers = PasswordsFile::new(path).verifiers(&logins)?;
        wanted.verifiers = &verifiers;
        written = script(&file.policy, &wanted)?;
    }
    for left in &written.left_out {
        let column = left
            .column
            .as_ref()
            .map_or_else(String::new, |column| format!(", column {column},"));
        console.warn(&format!(
            "table {}{column} is left out: {}",
            left.table, left.why
        ));
    }
    for line in &written.unchecked {
        console.warn(&format!("a view cannot check the condition of {line}"));
    }
    console.document(&json!({
        "purposes": written.purposes.iter().map(|made| json!({
            "purpose": made.purpose, "views": made.views, "login": made.login, "tables": made.tables,
        })).collect::<Vec<_>>(),
        "owner": args.owner,
        "tables": written.tables,
        "indexes": written.indexes,
        "left_out": written.left_out.iter().map(|left| json!({"table": left.table, "column": left.column, "why": left.why})).collect::<Vec<_>>(),
        "unchecked_conditions": written.unchecked,
        "sql": written.sql,
    }));
    if !console.json {
        console.print(written.sql.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
