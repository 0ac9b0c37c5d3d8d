//! `denym attack paths`: released paths against source paths that an adversary has.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::Error;
use denym::attack::{Finding, PathsAttacked, PathsRequest};
use serde_json::{Value, json};

use super::super::audit::read_options;
use super::super::claims::number;
use super::evidence;
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
    let request = PathsRequest {
        release: args.release.clone(),
        raw: args.raw.clone(),
        doublets: args.doublets,
        sensitive: args.sensitive.clone(),
        quasi: args.quasi.clone(),
        columns: [&args.path, &args.subject, &args.location, &args.time].map(Clone::clone),
        policy: args.policy.clone(),
        everywhere: args.everywhere,
        exhaustive: args.exhaustive,
        seed: args.seed,
        read: read_options(&args.read)?,
        threads: console.threads,
    };
    let found = denym::attack::paths(&request, console)?;
    console.clear();
    console.document(&document(&found, args.victims));
    print(&found, args.victims, console);
    Ok(ExitCode::SUCCESS)
}

fn document(found: &PathsAttacked, victims: bool) -> Value {
    let attack = |finding: &Finding| {
        let mut shown = evidence::document(finding.attribute.as_deref(), &finding.after);
        shown["knows"] = json!(finding.knows);
        shown["rate_before"] = json!(finding.before.as_ref().map(|before| before.rate));
        shown["note"] = json!(finding.note);
        if victims {
            shown["worst_victims"] = json!(finding.worst);
        }
        shown
    };
    json!({
        "records": found.records,
        "people": found.people,
        "aligned": found.aligned,
        "doublets": found.doublets,
        "promised": found.promised,
        "attacks": found.findings.iter().map(attack).collect::<Vec<_>>(),
        "not_run": found.not_run.iter().map(|left| json!({
            "attack": left.attack, "why": left.why,
        })).collect::<Vec<_>>(),
    })
}

fn print(found: &PathsAttacked, victims: bool, console: &Console) {
    console.say(format!(
        "records    {}; {} people looked for with {} doublets",
        found.records, found.people, found.doublets
    ));
    if !found.aligned {
        console.say(
            "note       it is not known which record is whose: every record that fits counts as right",
        );
    }
    if let Some(promised) = found.promised {
        console.say(format!(
            "promised   a chance of at most {} % of picking the right record",
            number(promised * 100.0)
        ));
    }
    for finding in &found.findings {
        console.say(chance_line(finding));
        if victims {
            for worst in &finding.worst {
                console.say(format!("victim     {worst}"));
            }
        }
    }
    for left in found.not_run.iter().filter(|left| of_paths(left.attack)) {
        console.say(format!("not run    {}: {}", left.attack, left.why));
    }
}

/// Whether an attack of the catalogue works on paths.
fn of_paths(name: &str) -> bool {
    denym::attack::CATALOGUE
        .iter()
        .any(|entry| entry.name == name && entry.shape == denym::attack::Shape::Paths)
}

/// The mean chance, before and after, and how many fall for certain.
fn chance_line(finding: &Finding) -> String {
    let about = finding.attribute.as_ref();
    let about = about.map(|name| format!(" on {name}")).unwrap_or_default();
    let before = finding.before.as_ref();
    let before = before.map_or_else(
        || "n/a".to_owned(),
        |before| format!("{} %", number(before.rate * 100.0)),
    );
    let after = &finding.after;
    let sure = if after.interval.0 < after.interval.1 {
        format!(
            " (sampled; 95 %: {} to {} %)",
            number(after.interval.0 * 100.0),
            number(after.interval.1 * 100.0)
        )
    } else {
        String::new()
    };
    format!(
        "{:36} before {before}, after {} %{sure}; {} of {} for certain",
        format!("{}{about}", finding.attack),
        number(after.rate * 100.0),
        after.successes,
        after.attempts
    )
}
