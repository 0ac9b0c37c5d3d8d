//! `denym attack table`, and `denym attack` on a bundle.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use denym::Error;
use denym::attack::{TableFound, TableRequest};
use serde_json::{Value, json};

use super::super::audit::read_options;
use super::super::claims::number;
use super::evidence;
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `attack table`.
#[derive(Args)]
pub(super) struct TableArgs {
    /// The table, the bundle, or its `release` half
    pub(super) release: PathBuf,
    #[command(flatten)]
    pub(super) with: WithArgs,
}

/// What the adversary has and wants.
#[derive(Args)]
pub(crate) struct WithArgs {
    /// A table of people; without it everybody's published quasi-identifiers are known
    #[arg(long, value_name = "FILE")]
    external: Option<PathBuf>,
    /// Columns that mean the same; those of one name when not given
    #[arg(long, value_delimiter = ',', value_name = "RELEASE=EXTERNAL")]
    link: Vec<String>,
    /// What the adversary is after; a bundle says it itself
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    sensitive: Vec<String>,
    /// The external column that names people
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The column of the release that numbers people within a class; a bundle says it itself
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    /// Directory of hierarchies that explain generalized values
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
    /// The release's policy: its hierarchies explain generalized values, and attacks that need the source read it
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// People of the same kind who are not in the data
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
    /// How sure the adversary wants to be
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    confidence: f64,
    /// How many other sensitive values the adversary can rule out
    #[arg(long, value_name = "N", default_value_t = 1)]
    rule_out: usize,
    /// How many times likelier than overall a value must be
    #[arg(long, value_name = "TIMES", default_value_t = 5.0)]
    gain: f64,
    /// How close sensitive numbers must be
    #[arg(long, value_name = "NUMBER")]
    within: Option<f64>,
    /// Name the people found, worst first
    #[arg(long)]
    pub(super) victims: bool,
    /// Attempts of the attacks that draw
    #[arg(long, value_name = "N", default_value_t = 1000)]
    attempts: u64,
    /// Seed of the draws
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

/// Attacks the release.
pub(super) fn run(release: &Path, args: &WithArgs, console: &Console) -> Result<ExitCode, Error> {
    let links = args
        .link
        .iter()
        .map(|text| {
            let (ours, theirs) = text.split_once('=').unwrap_or((text, text));
            (ours.to_owned(), theirs.to_owned())
        })
        .collect();
    let request = TableRequest {
        release: release.to_owned(),
        external: args.external.clone(),
        links,
        sensitive: args.sensitive.clone(),
        id: args.id.clone(),
        subject: args.subject.clone(),
        hierarchies: args.hierarchies.clone(),
        policy: args.policy.clone(),
        control: args.control.clone(),
        confidence: Some(args.confidence),
        rule_out: args.rule_out,
        gain: args.gain,
        within: args.within,
        victims: args.victims,
        attempts: args.attempts,
        seed: args.seed,
        read: read_options(&args.read)?,
        threads: console.threads,
    };
    let found = denym::attack::table(&request, console)?;
    console.clear();
    console.document(&document(&found));
    print(&found, console);
    Ok(ExitCode::SUCCESS)
}

fn document(found: &TableFound) -> Value {
    let candidates: serde_json::Map<String, Value> = found
        .candidates
        .iter()
        .map(|(count, people)| (count.to_string(), json!(people)))
        .collect();
    json!({
        "records": found.sizes.0,
        "people": found.sizes.1,
        "links": found.links,
        "knows": found.knows,
        "notes": found.notes,
        "matched": found.matched,
        "certain": found.certain,
        "expected": found.expected,
        "fewest_candidates": found.fewest,
        "candidates": candidates,
        "attacks": found.evidence.iter().map(|(about, shown)| evidence::document(about.as_deref(), shown)).collect::<Vec<_>>(),
        "controlled": found.controlled.iter().map(|(about, shown)| evidence::controlled(about.as_deref(), shown)).collect::<Vec<_>>(),
        "not_run": evidence::not_run(&found.not_run),
        "victims": found.victims.iter().map(|victim| json!({
            "person": victim.person,
            "candidates": victim.candidates,
            "presence": victim.presence,
            "inferred": victim.inferred.iter().map(|one| json!({
                "attribute": one.attribute, "value": one.value, "confidence": one.confidence,
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn print(found: &TableFound, console: &Console) {
    console.say(format!("records    {}", found.sizes.0));
    console.say(format!("knows      {}", found.knows));
    console.say(format!(
        "people     {}; {} match a record, {} exactly one, nobody fewer than {}",
        found.sizes.1, found.matched, found.certain, found.fewest
    ));
    console.say(format!(
        "guesses    {} right ones expected, one per person",
        number(found.expected)
    ));
    for (about, shown) in &found.evidence {
        console.say(evidence::line(about.as_deref(), shown));
    }
    for note in &found.notes {
        console.say(format!("note       {note}"));
    }
    for (about, shown) in &found.controlled {
        console.say(evidence::controlled_line(about.as_deref(), shown));
    }
    for victim in &found.victims {
        let inferred: Vec<String> = victim
            .inferred
            .iter()
            .map(|one| {
                format!(
                    "{} = {} ({} %)",
                    one.attribute,
                    one.value.as_deref().unwrap_or("missing"),
                    number(one.confidence * 100.0)
                )
            })
            .collect();
        console.say(format!(
            "victim     {}: {} candidates; {}",
            victim.person,
            victim.candidates.len(),
            inferred.join(", ")
        ));
    }
}
