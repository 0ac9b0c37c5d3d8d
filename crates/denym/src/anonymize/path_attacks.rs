//! The red team on paths before they are released: the scene as the gate has it.

use denym_attack::sequences::{PathOriginals, Seen, SequenceScene};
use denym_attack::{Scene, red_team as run};
use denym_data::paths::Paths;
use denym_sequences::{PathRecoding, Request};

use crate::Error;
use crate::anonymize::red_team::{RedTeam, SEED};
use crate::attack::{attack_error, path_effort, path_originals};

/// Records up to which possible originals are tried for the minimality attack.
const MINIMALITY_RECORDS: usize = 40;
/// The most possible originals that are tried: each is one run of the search.
const MINIMALITY_ORIGINALS: u64 = 200;
/// How sure the adversary of the minimality attack wants to be.
const SURE: f64 = 0.9;

/// Attacks the release; `source` are all source paths.
pub(crate) fn red_team(
    seen: Seen<'_>,
    source: &Paths,
    request: &Request,
    recoding: &PathRecoding,
    seed: u64,
) -> Result<RedTeam, Error> {
    let originals = minimality(source, request, recoding, seed);
    let scene = SequenceScene::new(seen, path_effort(SEED), originals);
    let found = run(&Scene::Paths(&scene)).map_err(|error| attack_error(&error))?;
    Ok(found.into())
}

fn minimality<'a>(
    source: &'a Paths,
    request: &'a Request,
    recoding: &PathRecoding,
    seed: u64,
) -> Result<PathOriginals<'a>, String> {
    if recoding.stats.lost_doublets == 0 {
        return Err("nothing was removed".to_owned());
    }
    if source.len() > MINIMALITY_RECORDS {
        return Err(format!(
            "it runs the search on every possible original, on up to {MINIMALITY_RECORDS} records"
        ));
    }
    path_originals(source, request, recoding, seed, SURE, MINIMALITY_ORIGINALS)
        .map_err(|error| error.to_string())
}
