//! The red team on paths: every attack of the catalogue is run, or it is said why not.

use denym_attack::Shape;
use denym_data::paths::Paths;
use denym_paths::{PathRecoding, Request};

use super::red_team::{RedTeam, SEED};
use crate::Error;
use crate::attack::{Finding, Seen, minimality_on_paths, not_run, on_paths, path_effort};

/// Records up to which possible originals are tried for the minimality attack.
const MINIMALITY_RECORDS: usize = 40;
/// The most possible originals that are tried: each is one run of the search.
const MINIMALITY_ORIGINALS: u64 = 200;
/// How sure the adversary of the minimality attack wants to be.
const SURE: f64 = 0.9;

/// Attacks the release; `source` are all source paths.
pub(super) fn red_team(
    seen: &Seen<'_>,
    source: &Paths,
    request: &Request,
    recoding: &PathRecoding,
    seed: u64,
) -> Result<RedTeam, Error> {
    let (mut findings, mut reasons) = on_paths(seen, &path_effort(SEED))?;
    match minimality(source, request, recoding, seed) {
        Ok(found) => findings.push(found),
        Err(why) => reasons.push(("path-minimality", why)),
    }
    Ok(RedTeam {
        not_run: not_run(Shape::Paths, &findings, &reasons),
        findings,
    })
}

fn minimality(
    source: &Paths,
    request: &Request,
    recoding: &PathRecoding,
    seed: u64,
) -> Result<Finding, String> {
    if recoding.stats.lost_doublets == 0 {
        return Err("nothing was removed".to_owned());
    }
    if source.len() > MINIMALITY_RECORDS {
        return Err(format!(
            "it runs the search on every possible original, on up to {MINIMALITY_RECORDS} records"
        ));
    }
    let found = minimality_on_paths(source, request, recoding, seed, SURE, MINIMALITY_ORIGINALS)
        .map_err(|error| error.to_string())?;
    Ok(Finding {
        attack: "path-minimality",
        attribute: None,
        knows: "all distinct source paths, the policy and the program".to_owned(),
        bounded: false,
        before: None,
        note: format!(
            "{} originals agree with the release; {} would have been published like this.",
            found.worlds.0, found.worlds.1
        ),
        after: found.evidence,
        worst: Vec::new(),
    })
}
