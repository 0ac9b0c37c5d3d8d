//! `denym attack releases`, `numbers`, `queries` and `minimality`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use denym::attack::{CATALOGUE, NotRun, QueriesRequest, ReleasesRequest, Shape};
use denym::{Error, documents, read_policy};
use serde_json::{Value, json};

use super::super::audit::read_options;
use super::super::claims::number;
use super::evidence::{self, joined, text};
use super::searched::print_not_run;
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

/// Attacks all releases of a ledger together.
pub(super) fn ledger(directory: &Path, console: &Console) -> Result<ExitCode, Error> {
    let (releases, sensitive) = denym::ledger::bundles(directory)?;
    let [sensitive] = sensitive.as_slice() else {
        return Err(Error::Argument {
            what: "the releases of this ledger have not exactly one sensitive attribute".into(),
            help: "attack them with `denym attack releases BUNDLE BUNDLE ... --sensitive COLUMN`"
                .into(),
        });
    };
    let args = ReleasesArgs {
        releases,
        sensitive: sensitive.clone(),
        quasi: Vec::new(),
        subject: None,
        external: None,
        id: None,
        least: 2,
        hierarchies: None,
        policy: None,
        victims: false,
        read: ReadArgs::default(),
    };
    self::releases(&args, console)
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
    let team = &found.team;
    let of = |attack: &str| {
        let worst = team.found(attack).map(|found| found.worst.as_slice());
        worst.unwrap_or_default()
    };
    // That two releases are no two parts of one table is nothing to be told.
    let of_releases = |left: &&NotRun| left.attack != "join" && is_on(left.attack, Shape::Releases);
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for left in team.not_run.iter().filter(of_releases) {
        match reasons.iter_mut().find(|(why, _)| *why == left.why) {
            Some((_, names)) => names.push(left.attack),
            None => reasons.push((&left.why, vec![left.attack])),
        }
    }
    let notes = reasons.iter().map(|(why, names)| match names.split_last() {
        Some((last, [])) => format!("{last} was not tried: {why}"),
        Some((last, others)) => format!("{} and {last} were not tried: {why}", others.join(", ")),
        None => String::new(),
    });
    let notes: Vec<String> = notes.collect();
    let mut document = json!({
        "attacks": team.findings.iter().map(documents::finding).collect::<Vec<_>>(),
        "remaining_values": found.remaining.iter().map(|(count, people)| (count.to_string(), json!(people))).collect::<serde_json::Map<String, Value>>(),
        "notes": notes,
        "not_run": documents::not_run(&team.not_run),
        "knows": found.knows,
    });
    if args.victims {
        for (key, attack) in [
            ("victims", "intersection"),
            ("newcomers", "correspondence"),
            ("joined", "join"),
        ] {
            document[key] = json!(of(attack));
        }
    }
    console.document(&document);
    console.say(format!("knows      {}", found.knows));
    for found in &team.findings {
        console.say(evidence::line(None, &found.after));
        if !found.note.is_empty() {
            console.say(format!("note       {}", found.note));
        }
    }
    for note in &notes {
        console.say(format!("note       {note}"));
    }
    if args.victims {
        for one in of("intersection") {
            let values = joined(&one["values"], " or ");
            console.say(format!("victim     {}: {values}", text(&one["person"])));
        }
        for one in of("correspondence") {
            let (group, values) = (joined(&one["group"], " "), joined(&one["values"], " or "));
            console.say(format!("newcomer   in {group}: {values}"));
        }
        for one in of("join") {
            let (group, values) = (joined(&one["group"], " "), joined(&one["values"], " or "));
            console.say(format!(
                "joined     {group}: {} matches, {values}",
                one["matches"]
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether an attack works on this kind of data.
fn is_on(attack: &str, shape: Shape) -> bool {
    let mut entries = CATALOGUE.iter();
    entries.any(|entry| entry.name == attack && entry.shape == shape)
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
    let shown = found.team.findings.first();
    let knows = shown.map(|found| found.knows.as_str()).unwrap_or_default();
    console.document(&json!({
        "columns": found.columns,
        "knows": knows,
        "paired": args.key.is_some(),
        "expected": found.expected,
        "attacks": found.team.findings.iter().map(|found| documents::evidence(None, &found.after)).collect::<Vec<_>>(),
        "not_run": documents::not_run(&found.team.not_run),
    }));
    for found in &found.team.findings {
        console.say(format!("knows      {}", found.knows));
        console.say(evidence::line(None, &found.after));
    }
    print_not_run(&found.team.not_run, Shape::Microdata, console);
    console.say(format!(
        "guesses    {} right ones expected",
        number(found.expected)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Arguments of `attack queries`.
#[derive(Args)]
pub(super) struct QueriesArgs {
    /// The table that the system answers about; `-` for standard input
    #[arg(value_parser = crate::stdin::data)]
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
    let (team, knows) = denym::attack::queries(&request, console)?;
    console.clear();
    let of = |attack: &str| {
        let worst = team.found(attack).map(|found| found.worst.as_slice());
        worst.unwrap_or_default()
    };
    let about = Some(args.number.as_str());
    console.document(&json!({
        "attacks": team.findings.iter().map(|found| documents::evidence(about, &found.after)).collect::<Vec<_>>(),
        "not_run": documents::not_run(&team.not_run),
        "learned": of("query-tracker"),
        "added": of("query-difference"),
        "knows": knows,
    }));
    console.say(format!("knows      {knows}"));
    for found in &team.findings {
        console.say(evidence::line(about, &found.after));
    }
    print_not_run(&team.not_run, Shape::Queries, console);
    for one in of("query-difference") {
        let value = one["value"].as_f64().unwrap_or_default();
        console.say(format!(
            "added      record {}: {}",
            one["record"],
            number(value)
        ));
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
    let found = denym::attack::minimality(
        &policy,
        args.confidence,
        args.limit,
        console.threads,
        console,
    )?;
    console.clear();
    let (all, possible) = found.worlds;
    let attribute = found.attribute.as_deref();
    let knows = knows(found.evidence.attack);
    let mut document = json!({
        "originals": all,
        "possible": possible,
        "knows": knows,
        "attacks": [documents::evidence(attribute, &found.evidence)],
    });
    if let Some(attribute) = attribute {
        let beliefs = found.beliefs.iter().enumerate();
        let beliefs = beliefs.map(|(record, (value, before, after))| {
            json!({"record": record + 1, "value": value, "before": before, "after": after})
        });
        document["attribute"] = json!(attribute);
        document["beliefs"] = beliefs.collect();
    }
    console.document(&document);
    console.say(format!("knows      {knows}"));
    console.say(format!(
        "originals  {all} agree with the release; {possible} would have been published like this"
    ));
    console.say(evidence::line(attribute, &found.evidence));
    Ok(ExitCode::SUCCESS)
}

/// What the adversary of an attack is taken to know.
fn knows(attack: &str) -> &'static str {
    let mut entries = CATALOGUE.iter();
    let entry = entries.find(|entry| entry.name == attack);
    entry.map_or("", |entry| entry.knows)
}
