//! `denym attack transactions`: released sets of items against source sets that an adversary has.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::Error;
use denym::attack::{SequencesRequest, Shape};

use super::super::audit::read_options;
use super::super::audit_sequences::sensitive_items;
use super::searched;
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `attack transactions`.
#[derive(Args)]
pub(super) struct TransactionsArgs {
    /// A bundle, its `release` half, or a file of transactions
    release: PathBuf,
    /// The source sets that the adversary has
    #[arg(long, value_name = "FILE")]
    raw: PathBuf,
    /// How many items the adversary knows; a bundle says it itself
    #[arg(long, value_name = "M")]
    items: Option<usize>,
    /// A sensitive item and how sure one may become of it, such as 'pregnancy test:0.4'; a bundle says it itself
    #[arg(long, value_name = "ITEM:BOUND")]
    sensitive_item: Vec<String>,
    /// The column of subjects
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    /// The column of one item each
    #[arg(long, value_name = "COLUMN")]
    item: Option<String>,
    /// The column of all items of a person
    #[arg(long, value_name = "COLUMN")]
    items_column: Option<String>,
    /// What stands between the items of a cell; a semicolon when not given
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<char>,
    /// A policy that says how the source is read and how items were generalized
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Try everything on everybody, however long that takes
    #[arg(long)]
    exhaustive: bool,
    /// Name the people found, worst first
    #[arg(long)]
    victims: bool,
    /// Seed of the draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    read: ReadArgs,
}

/// Attacks the release.
pub(super) fn run(args: &TransactionsArgs, console: &Console) -> Result<ExitCode, Error> {
    let request = SequencesRequest {
        release: args.release.clone(),
        raw: args.raw.clone(),
        known: args.items,
        items: sensitive_items(&args.sensitive_item)?,
        columns: [&args.items_column, &args.subject, &args.item, &None].map(Clone::clone),
        separator: args.separator,
        policy: args.policy.clone(),
        exhaustive: args.exhaustive,
        seed: args.seed,
        read: read_options(&args.read)?,
        threads: console.threads,
        ..SequencesRequest::default()
    };
    let found = denym::attack::transactions(&request, console)?;
    searched::show(&found, "items", Shape::Transactions, args.victims, console);
    Ok(ExitCode::SUCCESS)
}
