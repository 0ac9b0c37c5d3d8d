//! `denym hierarchy`: drafts one from a column, finds values that one does not cover, lists those that are ready-made.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym::{Error, Form, HierarchySource, ReadyMade};
use serde_json::json;

use super::audit::read_options;
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `hierarchy`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct HierarchyArgs {
    #[command(subcommand)]
    what: HierarchyCommand,
}

/// What is done with hierarchies.
#[derive(Subcommand)]
enum HierarchyCommand {
    /// Draft a hierarchy from the values of a column
    #[command(after_help = "\
Examples:
  denym hierarchy draft patients.csv --column age
  denym hierarchy draft patients.csv --column job --form order -o job.csv
  denym hierarchy draft patients.csv --column country --form countries -o country.csv")]
    Draft(DraftArgs),
    /// Find the values of a column that a hierarchy does not cover; exit 1 when there are some
    #[command(after_help = "\
Examples:
  denym hierarchy check patients.csv --column zip --hierarchy zip.csv
  denym hierarchy check patients.csv --column diagnosis --hierarchy icd-10 -o uncovered.csv

The values go to the file and never to the terminal.")]
    Check(CheckArgs),
    /// List the ready-made hierarchies that a policy can name
    #[command(after_help = "\
Examples:
  denym hierarchy list

In a policy: country = { role = \"quasi\", hierarchy = { ready-made = \"countries\" } }")]
    List,
}

/// Arguments of `hierarchy draft`.
#[derive(Args)]
struct DraftArgs {
    /// File, directory or glob
    data: PathBuf,
    /// The column
    #[arg(long, value_name = "COLUMN")]
    column: String,
    /// auto, interval, date, redact, order, plain, or the name of a ready-made hierarchy
    #[arg(long, value_name = "FORM", default_value = "auto")]
    form: String,
    /// Write the hierarchy to this file: one row per value, a column per level
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Arguments of `hierarchy check`.
#[derive(Args)]
struct CheckArgs {
    /// File, directory or glob
    data: PathBuf,
    /// The column
    #[arg(long, value_name = "COLUMN")]
    column: String,
    /// A hierarchy file, or the name of a ready-made hierarchy
    #[arg(long, value_name = "FILE")]
    hierarchy: String,
    /// Write the values that are not covered to this file, which only you may read
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Drafts, checks or lists.
pub(crate) fn run(args: &HierarchyArgs, console: &Console) -> Result<ExitCode, Error> {
    match &args.what {
        HierarchyCommand::Draft(args) => draft(args, console),
        HierarchyCommand::Check(args) => check(args, console),
        HierarchyCommand::List => Ok(list(console)),
    }
}

fn draft(args: &DraftArgs, console: &Console) -> Result<ExitCode, Error> {
    let form = Form::parse(&args.form)?;
    may_write(args.output.as_deref(), args.force)?;
    let options = read_options(&args.read)?;
    let drafted = denym::draft_hierarchy(
        &args.data,
        &options,
        &args.column,
        form,
        console.threads,
        console,
    )?;
    console.clear();
    if let Some(file) = &args.output {
        drafted.write(file)?;
    }
    console.document(&json!({
        "column": args.column,
        "values": drafted.values,
        "nodes": drafted.nodes,
        "policy": drafted.line,
        "file": args.output,
    }));
    let nodes: Vec<String> = drafted.nodes.iter().map(usize::to_string).collect();
    console.say(format!(
        "{}: {} distinct values, then {} at each level",
        args.column,
        drafted.values,
        nodes.join(", ")
    ));
    if let Some(line) = &drafted.line {
        console.say(format!("in a policy: {line}"));
    }
    match &args.output {
        Some(file) => console.say(format!(
            "wrote {}: correct it, then name it as `hierarchy` of the column",
            file.display()
        )),
        None => console.say("with -o FILE it is written as a file to correct by hand"),
    }
    Ok(ExitCode::SUCCESS)
}

fn check(args: &CheckArgs, console: &Console) -> Result<ExitCode, Error> {
    let hierarchy = HierarchySource::parse(&args.hierarchy)?;
    may_write(args.output.as_deref(), args.force)?;
    let options = read_options(&args.read)?;
    let found = denym::check_hierarchy(
        &args.data,
        &options,
        &args.column,
        &hierarchy,
        console.threads,
        console,
    )?;
    console.clear();
    if let Some(file) = &args.output {
        found.write_uncovered(file)?;
    }
    console.document(&json!({
        "column": args.column,
        "distinct": found.distinct,
        "records": found.records,
        "levels": found.levels,
        "uncovered": found.uncovered.len(),
        "uncovered_records": found.uncovered_records(),
        "file": args.output,
    }));
    if found.uncovered.is_empty() {
        console.say(format!(
            "{}: all {} distinct values are covered, by {} levels",
            args.column, found.distinct, found.levels
        ));
        return Ok(ExitCode::SUCCESS);
    }
    console.say(format!(
        "{}: {} of {} distinct values are not covered, in {} of {} records",
        args.column,
        found.uncovered.len(),
        found.distinct,
        found.uncovered_records(),
        found.records
    ));
    match &args.output {
        Some(file) => console.say(format!("they are listed in {}", file.display())),
        None => console.say("with -o FILE they are listed in a file that only you may read"),
    }
    Ok(Console::refused())
}

fn list(console: &Console) -> ExitCode {
    console.document(&json!({
        "hierarchies": ReadyMade::all().iter().map(|ready| json!({
            "name": ready.name,
            "summary": ready.summary,
            "levels": ready.levels,
            "example": ready.example,
            "source": ready.source,
        })).collect::<Vec<_>>(),
    }));
    for ready in ReadyMade::all() {
        console.say(format!("{:17} {}", ready.name, ready.summary));
        console.say(format!("{:17} {}", "", ready.example));
        console.say(format!("{:17} source: {}", "", ready.source));
    }
    console.say(
        "\nIn a policy: country = { role = \"quasi\", hierarchy = { ready-made = \"countries\" } }",
    );
    ExitCode::SUCCESS
}

/// A file that somebody may have corrected by hand is replaced only when that is asked for.
fn may_write(file: Option<&Path>, force: bool) -> Result<(), Error> {
    match file.filter(|file| !force && file.exists()) {
        None => Ok(()),
        Some(file) => Err(Error::Argument {
            what: format!("`{}` exists already", file.display()),
            help: "choose another name with -o, or replace it with --force".into(),
        }),
    }
}
