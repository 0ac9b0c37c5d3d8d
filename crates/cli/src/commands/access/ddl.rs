//! `denym access ddl`: a purpose for those who enforce it inside PostgreSQL.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym_gateway::admin::PolicyFile;
use denym_gateway::admin::ddl::{Wanted, script};
use serde_json::json;

use super::Outcome;
use crate::console::Console;

/// Arguments of `access ddl`.
#[derive(Args)]
pub(super) struct DdlArgs {
    /// The access policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The purpose
    #[arg(long, value_name = "NAME")]
    purpose: String,
    /// One governed table; all when not given
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// The schema of the raw tables and of the consent table
    #[arg(long, value_name = "SCHEMA", default_value = "raw")]
    schema: String,
    /// The schema of the views; `purpose_NAME` when not given
    #[arg(long, value_name = "SCHEMA")]
    views: Option<String>,
    /// The role that owns the views; made when it is not there, refused when it is a superuser
    #[arg(long, value_name = "ROLE", default_value = "denym_views")]
    owner: String,
    /// A role that may read the views; can be given several times
    #[arg(long, value_name = "ROLE")]
    grant_to: Vec<String>,
    /// Also indexes on the masked expressions, for predicates on masked values
    #[arg(long)]
    indexes: bool,
    /// Leave out what only grants with a condition permit
    #[arg(long)]
    unconditional: bool,
}

pub(super) fn run(args: &DdlArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.policy)?;
    let written = script(
        &file.policy,
        &Wanted {
            purpose: &args.purpose,
            table: args.table.as_deref(),
            schema: &args.schema,
            views: args.views.as_deref(),
            owner: &args.owner,
            readers: &args.grant_to,
            indexes: args.indexes,
            unconditional: args.unconditional,
        },
    )?;
    for (table, why) in &written.left_out {
        console.warn(&format!("table {table} is left out: {why}"));
    }
    for line in &written.unchecked {
        console.warn(&format!("a view cannot check the condition of {line}"));
    }
    console.document(&json!({
        "purpose": args.purpose,
        "views": written.views,
        "owner": args.owner,
        "tables": written.tables,
        "indexes": written.indexes,
        "left_out": written.left_out.iter().map(|(table, why)| json!({"table": table, "why": why})).collect::<Vec<_>>(),
        "unchecked_conditions": written.unchecked,
        "sql": written.sql,
    }));
    if !console.json {
        console.print(written.sql.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
