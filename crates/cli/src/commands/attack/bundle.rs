//! `denym attack DIR`: a bundle of any kind, or the windows of a stream.

use std::path::Path;
use std::process::ExitCode;

use denym::attack::{RedTeam, SequencesRequest, Shape, shape_of, source_of};
use denym::{Error, documents};
use serde_json::Value;

use super::super::audit::read_options;
use super::table::{self, WithArgs};
use super::{evidence, searched};
use crate::console::Console;

/// Runs everything that applies to the release.
pub(super) fn run(release: &Path, args: &WithArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = args.policy.as_deref();
    let shape = shape_of(release)?;
    let with_source = format!(
        "denym attack {} {} --raw FILE",
        shape.words(),
        release.display()
    );
    match shape {
        Shape::Paths | Shape::Transactions => {
            let request = SequencesRequest {
                release: release.to_owned(),
                raw: source_of(release, policy, &with_source)?,
                policy: args.policy.clone(),
                seed: args.seed,
                read: read_options(&args.read)?,
                threads: console.threads,
                ..SequencesRequest::default()
            };
            let (found, unit) = if shape == Shape::Paths {
                (denym::attack::paths(&request, console)?, "doublets")
            } else {
                (denym::attack::transactions(&request, console)?, "items")
            };
            searched::show(&found, unit, shape, args.victims, console);
        }
        Shape::Trails => {
            let team = denym::attack::trail_bundle(release, policy, console.threads, console)?;
            let document = documents::red_team(&team);
            show(&team, Shape::Trails, &document, console);
        }
        Shape::Windows => {
            let found = denym::attack::windows(release, args.seed, console.threads, console)?;
            let document = documents::attacked_windows(&found);
            show(&found.team, Shape::Windows, &document, console);
        }
        _ => return table::run(release, args, console),
    }
    Ok(ExitCode::SUCCESS)
}

/// What a red team found, as a document and as lines.
fn show(team: &RedTeam, shape: Shape, document: &Value, console: &Console) {
    console.clear();
    console.document(document);
    let mut knows = "";
    for found in &team.findings {
        if found.knows != knows {
            knows = &found.knows;
            console.say(format!("knows      {knows}"));
        }
        console.say(evidence::line(found.attribute.as_deref(), &found.after));
    }
    searched::print_not_run(&team.not_run, shape, console);
}
