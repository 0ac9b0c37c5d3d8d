//! The minimality attack on our own search for paths: source paths that would have been published otherwise are ruled out.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and all distinct source paths, but not whose is whose. Each record may come
//! from every source path that would show as it does; each choice of one per record is a possible original, and the search
//! is run on all of them. Only small tables, and only suppression from all records: elsewhere the choices are too many.

use denym_attack::Evidence;
use denym_attack::paths::path_minimality as attack;
use denym_data::paths::Paths;
use denym_engine::Engine;
use denym_paths::{Algorithm, Context, PathRecoding, Request};

use super::attack_error;
use crate::listener::{Listener, Phase};
use crate::paths::request as solver_request;
use crate::policy::Policy;
use crate::{Error, threads};

/// Originals tried, those that would have been published like this, and the records of which one source path remains.
pub(crate) struct PathMinimality {
    pub(crate) worlds: (u64, u64),
    pub(crate) evidence: Evidence,
}

/// Runs the search of `policy` on every original that agrees with its release; an error when there are more than `limit`.
pub fn path_minimality(
    policy: &Policy,
    confidence: f64,
    limit: u64,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<((u64, u64), Evidence), Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = crate::paths::read(policy, &engine)?;
    let (request, _) = solver_request(policy, &table, &engine)?;
    listener.phase(Phase::Attacking);
    threads::pool(threads)?.install(|| {
        let context = Context {
            seed: policy.release.seed,
            keep_going: &|| true,
        };
        let recoding = denym_paths::solve(&table.paths, &request, &context)?;
        let found = on_paths(
            &table.paths,
            &request,
            &recoding,
            policy.release.seed,
            confidence,
            limit,
        )?;
        Ok((found.worlds, found.evidence))
    })
}

/// The same on paths and a recoding that are at hand.
pub(crate) fn on_paths(
    paths: &Paths,
    request: &Request,
    recoding: &PathRecoding,
    seed: u64,
    confidence: f64,
    limit: u64,
) -> Result<PathMinimality, Error> {
    let everywhere = matches!(
        recoding.algorithm,
        Algorithm::GlobalSuppression | Algorithm::Optimum
    );
    if !everywhere || request.ladder.is_some() || !recoding.dropped_records.is_empty() {
        return Err(refused(
            "doublets were removed from single records, or made coarser",
        ));
    }
    let mut distinct: Vec<&[u32]> = paths.records().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let shown = |path: &[u32]| -> Vec<u32> {
        let kept = path.iter().filter(|id| !recoding.suppressed.contains(id));
        kept.copied().collect()
    };
    // Doublets are numbers in the attack's eyes: (number, place in the path).
    let as_doublets = |path: &[u32]| path.iter().zip(0..).map(|(&id, at)| (id, at)).collect();
    let possible: Vec<Vec<Vec<(u32, u32)>>> = paths
        .records()
        .map(|path| {
            let seen = shown(path);
            let may = distinct.iter().filter(|other| shown(other) == seen);
            may.map(|other| as_doublets(other)).collect()
        })
        .collect();
    let observed = seen(paths, recoding);
    let publish = |world: &[&[(u32, u32)]]| -> Option<Seen> {
        let mut starts = vec![0_u32];
        let mut items: Vec<u32> = Vec::new();
        for path in world {
            items.extend(path.iter().map(|&(id, _)| id));
            starts.push(items.len() as u32);
        }
        let mut original = Paths::from_codes(
            paths.locations().to_vec(),
            paths.times().to_vec(),
            paths.doublets().to_vec(),
            starts,
            items,
        )
        .ok()?;
        for attribute in paths.sensitive() {
            original = original.with_sensitive(attribute.clone()).ok()?;
        }
        for attribute in paths.quasi() {
            original = original.with_quasi(attribute.clone()).ok()?;
        }
        let context = Context {
            seed,
            keep_going: &|| true,
        };
        let recoding = denym_paths::solve(&original, request, &context).ok()?;
        Some(seen(&original, &recoding))
    };
    let beliefs = attack(&possible, &Some(observed), &publish, limit)
        .map_err(|error| attack_error(&error))?;
    Ok(PathMinimality {
        worlds: (beliefs.worlds, beliefs.possible),
        evidence: beliefs.evidence(confidence),
    })
}

/// What a recipient sees: what each record shows with its attributes, in no order.
type Seen = Vec<(Vec<u32>, Vec<u32>)>;

fn seen(paths: &Paths, recoding: &PathRecoding) -> Seen {
    let mut rows: Seen = (0..paths.len())
        .map(|record| {
            let attributes = paths.sensitive().iter().chain(paths.quasi());
            (
                recoding.published(record).to_vec(),
                attributes
                    .map(|attribute| attribute.codes[record])
                    .collect(),
            )
        })
        .collect();
    rows.sort_unstable();
    rows
}

fn refused(what: &str) -> Error {
    Error::Argument {
        what: format!("the minimality attack does not apply: {what}"),
        help: "it needs a small table of paths and suppression from all records".into(),
    }
}
