//! `denym attack releases`, `numbers`, `queries` and `minimality`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::attack::{CATALOGUE, QueriesRequest, ReleasesRequest};
use denym::{Error, read_policy};
use serde_json::{Value, json};

use super::super::audit::read_options;
use super::super::claims::number;
use super::evidence;
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `attack releases`.
#[derive(Args)]
pub(super) struct ReleasesArgs {
    /// Two or more tables, in the order they were published
    #[arg(num_args = 2.., required = true)]
    releases: Vec<PathBuf>,
    /// The sensitive attribute
    #[arg(long, value_name = "COLUMN")]
    sensitive: String,
    /// Quasi-identifiers; those of the certificates, or all other columns, when not given
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    quasi: Vec<String>,
    /// The column that numbers people within a class; a certificate beside the table says it itself
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    /// People the adversary knows to be in all releases; the records of the first release when not given
    #[arg(long, value_name = "FILE")]
    external: Option<PathBuf>,
    /// The external column that names people
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The fewest values (or records) that should remain
    #[arg(long, value_name = "N", default_value_t = 2)]
    least: usize,
    /// Directory of hierarchies that explain generalized values
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
    /// A policy whose hierarchies explain generalized values
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Name the people and groups found
    #[arg(long)]
    victims: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Attacks several releases together.
pub(super) fn releases(args: &ReleasesArgs, console: &Console) -> Result<ExitCode, Error> {
    let request = ReleasesRequest {
        releases: args.releases.clone(),
        external: args.external.clone(),
        quasi: args.quasi.clone(),
        subject: args.subject.clone(),
        sensitive: args.sensitive.clone(),
        id: args.id.clone(),
        least: args.least,
        hierarchies: args.hierarchies.clone(),
        policy: args.policy.clone(),
        victims: args.victims,
        read: read_options(&args.read)?,
        threads: console.threads,
    };
    let found = denym::attack::releases(&request, console)?;
    console.clear();
    let mut document = json!({
        "attacks": found.evidence.iter().map(|shown| evidence::document(None, shown)).collect::<Vec<_>>(),
        "remaining_values": found.remaining.iter().map(|(count, people)| (count.to_string(), json!(people))).collect::<serde_json::Map<String, Value>>(),
        "notes": found.notes,
        "knows": found.knows,
    });
    if args.victims {
        document["victims"] = found
            .victims
            .iter()
            .map(|(person, values)| json!({"person": person, "values": values}))
            .collect();
        document["newcomers"] = found
            .newcomers
            .iter()
            .map(|(group, values)| json!({"group": group, "values": values}))
            .collect();
        document["joined"] = found
            .joined
            .iter()
            .map(|(group, size, values)| json!({"group": group, "matches": size, "values": values}))
            .collect();
    }
    console.document(&document);
    console.say(format!("knows      {}", found.knows));
    for shown in &found.evidence {
        console.say(evidence::line(None, shown));
    }
    for note in &found.notes {
        console.say(format!("note       {note}"));
    }
    if args.victims {
        for (person, values) in &found.victims {
            console.say(format!("victim     {person}: {}", values.join(" or ")));
        }
        for (group, values) in &found.newcomers {
            console.say(format!(
                "newcomer   in {}: {}",
                group.join(" "),
                values.join(" or ")
            ));
        }
        for (group, size, values) in &found.joined {
            console.say(format!(
                "joined     {}: {size} matches, {}",
                group.join(" "),
                values.join(" or ")
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Arguments of `attack numbers`.
#[derive(Args)]
pub(super) struct NumbersArgs {
    /// The original table
    original: PathBuf,
    /// The release
    release: PathBuf,
    /// A column of both tables that tells people apart; without it the nearest record counts as right
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// Columns to compare; all numeric ones when not given
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    columns: Vec<String>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Links numbers by distance.
pub(super) fn numbers(args: &NumbersArgs, console: &Console) -> Result<ExitCode, Error> {
    let found = denym::attack::numbers(
        &args.original,
        &args.release,
        &args.columns,
        args.key.as_deref(),
        &read_options(&args.read)?,
        console.threads,
        console,
    )?;
    console.clear();
    console.document(&json!({
        "columns": found.columns,
        "knows": found.knows,
        "paired": args.key.is_some(),
        "expected": found.expected,
        "attacks": [evidence::document(None, &found.evidence)],
    }));
    console.say(format!("knows      {}", found.knows));
    console.say(evidence::line(None, &found.evidence));
    console.say(format!(
        "guesses    {} right ones expected",
        number(found.expected)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Arguments of `attack queries`.
#[derive(Args)]
pub(super) struct QueriesArgs {
    /// The table that the system answers about
    data: PathBuf,
    /// The same table before somebody was added
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// What the adversary knows of everybody
    #[arg(long, value_delimiter = ',', required = true, value_name = "COLUMNS")]
    known: Vec<String>,
    /// The sensitive number
    #[arg(long, value_name = "COLUMN")]
    number: String,
    /// The fewest people an answer is about
    #[arg(long, value_name = "N", default_value_t = 0)]
    least: u64,
    #[command(flatten)]
    read: ReadArgs,
}

/// Tracks everybody.
pub(super) fn queries(args: &QueriesArgs, console: &Console) -> Result<ExitCode, Error> {
    let request = QueriesRequest {
        data: args.data.clone(),
        before: args.before.clone(),
        known: args.known.clone(),
        number: args.number.clone(),
        least: args.least,
        read: read_options(&args.read)?,
        threads: console.threads,
    };
    let found = denym::attack::queries(&request, console)?;
    console.clear();
    console.document(&json!({
        "attacks": std::iter::once(&found.evidence).chain(&found.difference)
            .map(|shown| evidence::document(Some(&args.number), shown)).collect::<Vec<_>>(),
        "learned": found.learned.iter().map(|(record, value, questions)| json!({
            "record": record, "value": value, "questions": questions,
        })).collect::<Vec<_>>(),
        "added": found.added.iter().map(|(record, value)| json!({"record": record, "value": value})).collect::<Vec<_>>(),
        "knows": found.knows,
    }));
    console.say(format!("knows      {}", found.knows));
    for shown in std::iter::once(&found.evidence).chain(&found.difference) {
        console.say(evidence::line(Some(&args.number), shown));
    }
    for (record, value) in &found.added {
        console.say(format!("added      record {record}: {}", number(*value)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Arguments of `attack minimality`.
#[derive(Args)]
pub(super) struct MinimalityArgs {
    /// The policy whose release is attacked
    policy: PathBuf,
    /// How sure the adversary wants to be
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    confidence: f64,
    /// The most possible originals to try
    #[arg(long, value_name = "N", default_value_t = 2000)]
    limit: u64,
}

/// Runs the search on every possible original.
pub(super) fn minimality(args: &MinimalityArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = read_policy(&args.policy)?;
    if policy.paths.is_some() {
        let (worlds, shown) = denym::attack::path_minimality(
            &policy,
            args.confidence,
            args.limit,
            console.threads,
            console,
        )?;
        console.clear();
        console.document(&json!({
            "originals": worlds.0,
            "possible": worlds.1,
            "attacks": [evidence::document(None, &shown)],
            "knows": knows("path-minimality"),
        }));
        console.say(format!("knows      {}", knows("path-minimality")));
        originals(worlds, console);
        console.say(evidence::line(None, &shown));
        return Ok(ExitCode::SUCCESS);
    }
    let found = denym::attack::minimality(
        &policy,
        args.confidence,
        args.limit,
        console.threads,
        console,
    )?;
    console.clear();
    console.document(&json!({
        "attribute": found.attribute,
        "originals": found.worlds.0,
        "possible": found.worlds.1,
        "knows": knows("minimality"),
        "attacks": [evidence::document(Some(&found.attribute), &found.evidence)],
        "beliefs": found.beliefs.iter().enumerate().map(|(record, (value, before, after))| json!({
            "record": record + 1, "value": value, "before": before, "after": after,
        })).collect::<Vec<_>>(),
    }));
    console.say(format!("knows      {}", knows("minimality")));
    originals(found.worlds, console);
    console.say(evidence::line(Some(&found.attribute), &found.evidence));
    Ok(ExitCode::SUCCESS)
}

/// What the adversary of an attack is taken to know.
fn knows(attack: &str) -> &'static str {
    let mut entries = CATALOGUE.iter();
    let entry = entries.find(|entry| entry.name == attack);
    entry.map_or("", |entry| entry.knows)
}

fn originals((all, possible): (u64, u64), console: &Console) {
    console.say(format!(
        "originals  {all} agree with the release; {possible} would have been published like this"
    ));
}
