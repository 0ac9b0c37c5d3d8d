//! `denym attack table`, and `denym attack` on a bundle.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use denym::attack::{TableFound, TableRequest};
use denym::{Error, documents};

use super::super::audit::read_options;
use super::super::claims::{counted, number, percent};
use super::evidence::{self, text};
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `attack table`.
#[derive(Args)]
pub(super) struct TableArgs {
    /// The table (`-` for standard input), the bundle, or its `release` half
    #[arg(value_parser = crate::stdin::data)]
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
    console.document(&documents::attacked_table(&found));
    print(&found, console);
    Ok(ExitCode::SUCCESS)
}

fn print(found: &TableFound, console: &Console) {
    let people = &found.people;
    console.say(format!("records    {}", people.sizes.0));
    console.say(format!("knows      {}", found.knows));
    console.say(format!(
        "people     {}; {} match a record, {} exactly one, nobody fewer than {}",
        people.sizes.1, people.matched, people.certain, people.fewest
    ));
    console.say(format!(
        "guesses    {} right ones expected, one per person",
        number(people.expected)
    ));
    for found in people
        .team
        .findings
        .iter()
        .filter(|one| one.held_out.is_none())
    {
        console.say(evidence::line(found.attribute.as_deref(), &found.after));
    }
    for note in &people.notes {
        console.say(format!("note       {note}"));
    }
    for (about, shown) in people.compared() {
        console.say(evidence::controlled_line(about.as_deref(), &shown));
    }
    for victim in &people.victims {
        let inferred = victim["inferred"].as_array().into_iter().flatten();
        let inferred: Vec<String> = inferred
            .map(|one| {
                format!(
                    "{} = {} ({})",
                    text(&one["attribute"]),
                    one["value"].as_str().unwrap_or("missing"),
                    percent(one["confidence"].as_f64().unwrap_or_default())
                )
            })
            .collect();
        let candidates = victim["candidates"].as_array().map_or(0, Vec::len);
        let mut line = format!(
            "victim     {}: {}",
            text(&victim["person"]),
            counted(candidates as u64, "candidate")
        );
        if !inferred.is_empty() {
            line += &format!("; {}", inferred.join(", "));
        }
        console.say(line);
    }
}
