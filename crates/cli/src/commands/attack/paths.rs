//! `denym attack paths`: released paths against source paths that an adversary has.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::Error;
use denym::attack::{SequencesRequest, Shape};

use super::super::audit::read_options;
use super::searched;
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `attack paths`.
#[derive(Args)]
pub(super) struct PathsArgs {
    /// A bundle, its `release` half, or a file of paths
    release: PathBuf,
    /// The source paths that the adversary has
    #[arg(long, value_name = "FILE")]
    raw: PathBuf,
    /// How many doublets the adversary knows; a bundle says it itself
    #[arg(long, value_name = "L")]
    doublets: Option<usize>,
    /// What the adversary is after; a bundle says it itself
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    sensitive: Vec<String>,
    /// Columns known beside the path; a bundle says it itself
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    quasi: Vec<String>,
    /// The column of whole paths
    #[arg(long, value_name = "COLUMN")]
    path: Option<String>,
    /// The column of subjects
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    /// The column of places
    #[arg(long, value_name = "COLUMN")]
    location: Option<String>,
    /// The column of times
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// A policy that says how the source is read and how places and times were coarsened
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Doublets were removed from every record or from none; a bundle says it itself
    #[arg(long)]
    everywhere: bool,
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
pub(super) fn run(args: &PathsArgs, console: &Console) -> Result<ExitCode, Error> {
    let request = SequencesRequest {
        release: args.release.clone(),
        raw: args.raw.clone(),
        known: args.doublets,
        sensitive: args.sensitive.clone(),
        quasi: args.quasi.clone(),
        columns: [&args.path, &args.subject, &args.location, &args.time].map(Clone::clone),
        policy: args.policy.clone(),
        everywhere: args.everywhere,
        exhaustive: args.exhaustive,
        seed: args.seed,
        read: read_options(&args.read)?,
        threads: console.threads,
        ..SequencesRequest::default()
    };
    let found = denym::attack::paths(&request, console)?;
    searched::show(&found, "doublets", Shape::Paths, args.victims, console);
    Ok(ExitCode::SUCCESS)
}
