//! `denym access consent`: what providers consented to.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use denym_gateway::admin::{
    Change, ConsentStore, Error, Form, PolicyFile, Written, key_text, read_import, write_export,
};
use denym_gateway::purpose::{IntendedPurpose, Storage, TablePolicy};
use serde_json::json;

use super::Outcome;
use crate::console::Console;

/// Arguments of `access consent`.
#[derive(Args)]
pub(super) struct ConsentArgs {
    #[command(subcommand)]
    what: ConsentCommand,
}

#[derive(Subcommand)]
enum ConsentCommand {
    /// Print the consent of single records
    Show(ShowArgs),
    /// Write down what a provider says about a record or a cell
    Set(Box<SetArgs>),
    /// Take over consent from a CSV or TOML file, all of it or nothing
    Import(ImportArgs),
    /// Print the consent as CSV or SQL
    Export(ExportArgs),
}

/// Where the consent is.
#[derive(Args)]
struct Where {
    /// The access policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The consent table; `consent.csv` beside the policy when not given
    #[arg(long, value_name = "FILE")]
    consent: Option<PathBuf>,
    /// The data of --table, for consent in companion columns or record codes; the policy's `source` when not given
    #[arg(long, value_name = "FILE", requires = "table")]
    data: Option<PathBuf>,
}

#[derive(Args)]
struct ShowArgs {
    #[command(flatten)]
    place: Where,
    /// Only this table
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Only this record, by its key
    #[arg(long, value_name = "KEY")]
    record: Option<String>,
    /// Only this column
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("said").required(true).multiple(true))]
struct SetArgs {
    #[command(flatten)]
    place: Where,
    /// The governed table
    #[arg(long, value_name = "NAME")]
    table: String,
    /// The record's key
    #[arg(long, value_name = "KEY")]
    record: String,
    /// A column; the whole record when not given, several with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    column: Vec<String>,
    /// Purposes it may serve in full (AIP)
    #[arg(long, value_name = "PURPOSES", value_delimiter = ',', group = "said")]
    allowed: Vec<String>,
    /// Purposes it may serve in conditional form (CIP)
    #[arg(long, value_name = "PURPOSES", value_delimiter = ',', group = "said")]
    conditional: Vec<String>,
    /// Purposes it must never serve (PIP)
    #[arg(long, value_name = "PURPOSES", value_delimiter = ',', group = "said")]
    prohibited: Vec<String>,
    /// No purpose at all: nothing is served; of a whole record, what was said of its cells goes too
    #[arg(long, group = "said", conflicts_with_all = ["allowed", "conditional", "prohibited"])]
    withdraw: bool,
    /// The provider's own word is taken back: group and defaults count again
    #[arg(long, group = "said", conflicts_with_all = ["allowed", "conditional", "prohibited", "withdraw"])]
    clear: bool,
    /// The record need not be in the data yet
    #[arg(long)]
    new: bool,
}

#[derive(Args)]
struct ImportArgs {
    #[command(flatten)]
    place: Where,
    /// CSV with the header table,record,column,intended (or the header of the IPT tables in M. E. Kabir, Access control management and privacy-preserving, 2010), TOML with [[consent]], or with --table the
    /// key with companion numbers or a `consent` code
    file: PathBuf,
    /// The table that companion numbers or record codes are about
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Every record must be in the data
    #[arg(long)]
    known: bool,
}

#[derive(Args)]
struct ExportArgs {
    #[command(flatten)]
    place: Where,
    /// Only this table
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// How it is written
    #[arg(long, value_enum, default_value = "rows")]
    form: FormName,
    /// The schema of the consent table, with --form sql
    #[arg(long, value_name = "SCHEMA", default_value = "raw")]
    schema: String,
}

/// The forms by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// The intended purposes table: table,record,column,intended
    Rows,
    /// The key and three numbers for each column of --table
    Companion,
    /// The key and one code for all columns of --table
    RowCode,
    /// Statements that fill the consent table of a PostgreSQL backend
    Sql,
}

pub(super) fn run(args: &ConsentArgs, console: &Console) -> Outcome {
    match &args.what {
        ConsentCommand::Show(args) => show(args, console),
        ConsentCommand::Set(args) => set(args, console),
        ConsentCommand::Import(args) => import(args, console),
        ConsentCommand::Export(args) => export(args, console),
    }
}

fn store<'a>(file: &'a PolicyFile, place: &Where, table: Option<&str>) -> ConsentStore<'a> {
    let store = ConsentStore::new(file, place.consent.as_deref());
    match (table, &place.data) {
        (Some(table), Some(data)) => store.with_data(table, data),
        _ => store,
    }
}

fn find<'a>(file: &'a PolicyFile, name: Option<&str>) -> Result<Option<&'a TablePolicy>, Error> {
    Ok(name.map(|name| file.policy.table(name)).transpose()?)
}

fn show(args: &ShowArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.place.policy)?;
    let table = find(&file, args.table.as_deref())?;
    if let (Some(table), Some(column)) = (table, &args.column) {
        table.column(column)?;
    }
    let kept = store(&file, &args.place, args.table.as_deref()).read(args.table.as_deref())?;
    let mut rows = file.policy.write_consent(&kept.book);
    rows.retain(|row| {
        let same = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        let record = |wanted: &String| {
            let table = file.policy.tables.get(&row.table);
            table.map_or_else(|| wanted.clone(), |table| key_text(table, wanted)) == row.record
        };
        same(&args.table, &row.table)
            && args.record.as_ref().is_none_or(record)
            && (same(&args.column, &row.column) || row.column == "*")
    });
    console.document(&json!({"consent": rows, "unreadable": kept.unreadable}));
    for row in &rows {
        console.say(format!(
            "{}  {}  {}  {}",
            row.table, row.record, row.column, row.intended
        ));
    }
    if rows.is_empty() {
        console.say("no consent of single records: groups and defaults of the policy count");
    }
    if kept.unreadable > 0 {
        console.warn(&format!(
            "{} entries cannot be read; what they are about is not served",
            kept.unreadable
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn set(args: &SetArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.place.policy)?;
    let table = file.policy.table(&args.table)?;
    let names = |list: &'_ [String]| -> Vec<String> {
        let names = list.iter().map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let tree = &file.policy.purposes;
    let set = |list: &[String]| tree.set(names(list).iter().map(String::as_str));
    let consent = if args.clear {
        None
    } else {
        Some(IntendedPurpose {
            allowed: set(&args.allowed)?,
            conditional: set(&args.conditional)?,
            prohibited: set(&args.prohibited)?,
        })
    };
    let mut columns = Vec::new();
    for name in &args.column {
        columns.push(match name.as_str() {
            "*" => None,
            name => Some(table.column(name)?),
        });
    }
    if columns.is_empty() {
        columns.push(None);
    }
    let change = |column: Option<usize>, consent: Option<IntendedPurpose>| Change {
        table: args.table.clone(),
        record: args.record.clone(),
        column,
        consent,
    };
    let mut changes = Vec::new();
    if (args.withdraw || args.clear) && columns.contains(&None) {
        // Whoever withdraws a record means all of it: the word given for single cells, which would count more, goes too.
        changes.extend((0..table.columns.len()).map(|column| change(Some(column), None)));
    }
    changes.extend(
        columns
            .into_iter()
            .map(|column| change(column, consent.clone())),
    );
    let store = store(&file, &args.place, Some(&args.table));
    let written = store.apply(&changes, !args.new)?;
    let intended = consent.map(|consent| consent.to_text(tree));
    say_written(&written, intended, console);
    Ok(ExitCode::SUCCESS)
}

fn say_written(written: &Written, intended: Option<String>, console: &Console) {
    console.document(&json!({
        "changes": written.changes,
        "intended": intended,
        "files": written.files,
        "absent_records": written.absent,
    }));
    if let Some(intended) = intended {
        console.say(format!("consent    {intended}"));
    }
    console.say(format!("changes    {}", written.changes));
    for file in &written.files {
        console.say(format!("written    {}", file.display()));
    }
    if written.absent > 0 {
        console.warn(&format!(
            "changes about records that the data does not have: {}",
            written.absent
        ));
    }
}

fn import(args: &ImportArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.place.policy)?;
    let table = find(&file, args.table.as_deref())?;
    let changes = read_import(&file.policy, &args.file, table)?;
    let store = store(&file, &args.place, args.table.as_deref());
    let written = store.apply(&changes, args.known)?;
    say_written(&written, None, console);
    Ok(ExitCode::SUCCESS)
}

fn export(args: &ExportArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.place.policy)?;
    let table = find(&file, args.table.as_deref())?;
    let kept = store(&file, &args.place, args.table.as_deref()).read(args.table.as_deref())?;
    if kept.unreadable > 0 {
        console.warn(&format!(
            "{} entries cannot be read and deny; they are exported as that",
            kept.unreadable
        ));
    }
    let form = match args.form {
        FormName::Rows => Form::Rows,
        FormName::Companion => Form::Companion,
        FormName::RowCode => Form::RowCode,
        FormName::Sql => Form::Sql,
    };
    let text = write_export(&file.policy, &kept.book, form, table, &args.schema)?;
    let stored = file.policy.tables.values();
    console.document(&json!({
        "text": text,
        "unreadable": kept.unreadable,
        "tables": stored.filter(|table| table.storage != Storage::None).map(|table| &table.name).collect::<Vec<_>>(),
    }));
    if !console.json {
        console.print(text.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
