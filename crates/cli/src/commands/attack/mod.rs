//! `denym attack`: the red team, on its own.

mod bundle;
mod composition;
mod evidence;
mod paths;
mod searched;
mod table;
mod trails;
mod transactions;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym::Error;
use denym::attack::CATALOGUE;
use serde_json::json;

use crate::console::Console;

/// Arguments of `attack`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct AttackArgs {
    #[command(subcommand)]
    what: Option<AttackCommand>,
    /// A bundle of any kind, its `release` half, the directory of a stream, a ledger, or a table: everything that applies is run
    release: Option<PathBuf>,
    #[command(flatten)]
    with: table::WithArgs,
}

/// The attacks by what they work on.
#[derive(Subcommand)]
enum AttackCommand {
    /// Who left which anonymous trail over many institutions
    #[command(after_help = "\
Examples:
  denym attack trails --identified people.csv --anonymous samples.csv
  denym attack trails --identified names/ --anonymous dna/ --identified-id name,zip --anonymous-id sample
  denym attack trails --identified people.csv --anonymous samples.csv --link birthyear=birthdate:year-of
  denym attack trails --identified people.csv --anonymous cards.csv --find-multiple --theory --erosion

Files have the columns id,institution; a folder has one file per institution, named for it.
Relations of --link ANONYMOUS=IDENTIFIED:RELATION are equal, year-of, same-prefix:N and mapping:FILE
(a CSV file of identified values, then the anonymous values they may stand behind).")]
    Trails(Box<trails::TrailsArgs>),
    /// Whose record is whose, given a table of people; what their candidates have in common
    #[command(after_help = "\
Examples:
  denym attack table out/patients --external voters.csv --id name --victims
  denym attack table release.csv --external voters.csv --link job=profession --sensitive disease --hierarchies hierarchies/
  denym attack table release.csv --external members.csv --control heldout.csv --sensitive disease")]
    Table(Box<table::TableArgs>),
    /// Whose published path is whose, given source paths: doublets, contradictions, habits, neighbors
    #[command(after_help = "\
Examples:
  denym attack paths out/trips --raw trips.csv
  denym attack paths out/trips --raw trips.csv --doublets 4 --exhaustive --victims
  denym attack paths published.csv --raw trips.csv --doublets 2 --sensitive status

A bundle says itself how many doublets the adversary knows, what is sensitive, and how places and times were coarsened.
Without the list of subjects in its steward half nobody can tell which record is whose: every record that fits counts as right.")]
    Paths(Box<paths::PathsArgs>),
    /// Whose published set of items is whose, given source sets: any m items, and the sensitive items that follow
    #[command(after_help = "\
Examples:
  denym attack transactions out/baskets --raw baskets.csv
  denym attack transactions out/baskets --raw baskets.csv --items 3 --exhaustive --victims
  denym attack transactions published.csv --raw baskets.csv --items 2 --sensitive-item 'pregnancy test:0.4'

A bundle says itself how many items the adversary knows, which are sensitive, and, in its steward half, the groups of items.
Nobody can tell which record is whose here: every record that fits counts as right. `anonymize` knows it, and tries the same.")]
    Transactions(Box<transactions::TransactionsArgs>),
    /// What several releases of the same people show together
    #[command(after_help = "\
Examples:
  denym attack releases may.csv june.csv --sensitive disease --external people.csv --id name --victims
  denym attack releases ages.csv births.csv --sensitive disease

All releases of a ledger: denym attack LEDGER")]
    Releases(Box<composition::ReleasesArgs>),
    /// Which published numbers are nearest to whose
    #[command(after_help = "\
Examples:
  denym attack numbers income.csv income-microaggregated.csv")]
    Numbers(Box<composition::NumbersArgs>),
    /// What counts and sums give away: trackers against a size restriction
    #[command(after_help = "\
Examples:
  denym attack queries scores.csv --known university,department --number score --least 2
  denym attack queries after.csv --before before.csv --known university,department --number score")]
    Queries(Box<composition::QueriesArgs>),
    /// What follows from a release being no coarser than needed; runs the search on every possible original
    #[command(after_help = "\
Examples:
  denym attack minimality policy.toml --confidence 0.9")]
    Minimality(Box<composition::MinimalityArgs>),
    /// List the attacks
    List,
}

/// Attacks.
pub(crate) fn run(args: &AttackArgs, console: &Console) -> Result<ExitCode, Error> {
    match (&args.what, &args.release) {
        (Some(AttackCommand::Trails(args)), _) => trails::run(args, console),
        (Some(AttackCommand::Table(args)), _) => table::run(&args.release, &args.with, console),
        (Some(AttackCommand::Paths(args)), _) => paths::run(args, console),
        (Some(AttackCommand::Transactions(args)), _) => transactions::run(args, console),
        (Some(AttackCommand::Releases(args)), _) => composition::releases(args, console),
        (Some(AttackCommand::Numbers(args)), _) => composition::numbers(args, console),
        (Some(AttackCommand::Queries(args)), _) => composition::queries(args, console),
        (Some(AttackCommand::Minimality(args)), _) => composition::minimality(args, console),
        (Some(AttackCommand::List), _) => Ok(list(console)),
        (None, Some(ledger)) if denym::ledger::is_ledger(ledger) => {
            composition::ledger(ledger, console)
        }
        (None, Some(release)) => bundle::run(release, &args.with, console),
        (None, None) => Err(Error::Argument {
            what: "nothing to attack".into(),
            help: "name a bundle, or see `denym attack --help`".into(),
        }),
    }
}

fn list(console: &Console) -> ExitCode {
    console.document(&json!({"attacks": CATALOGUE.iter().map(|entry| json!({
        "name": entry.name, "threat": entry.threat.words(), "data": entry.shape.words(),
        "summary": entry.summary, "reference": entry.reference, "knows": entry.knows, "limits": entry.limits,
        "command": entry.command(),
    })).collect::<Vec<_>>()}));
    for entry in CATALOGUE.iter() {
        console.say(format!(
            "{:20}  {:12}  {:17}  {}",
            entry.name,
            entry.shape.words(),
            entry.threat.words(),
            entry.summary
        ));
        console.say(format!(
            "{:20}  knows {}; run by `{}`",
            "",
            entry.knows,
            entry.command()
        ));
        console.say(format!("{:20}  {}", "", entry.reference));
    }
    ExitCode::SUCCESS
}
