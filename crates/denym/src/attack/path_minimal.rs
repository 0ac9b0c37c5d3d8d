//! The minimality attack on our own search for paths: source paths that would have been published otherwise are ruled out.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and all distinct source paths, but not whose is whose. Each record may come
//! from every source path that would show as it does; each choice of one per record is a possible original, and the search
//! is run on all of them. Only small tables, and only suppression from all records: elsewhere the choices are too many.

use denym_attack::Evidence;
use denym_attack::sequences::{PathOriginals, PublishedPaths};
use denym_data::paths::Paths;
use denym_engine::Engine;
use denym_sequences::{Algorithm, Context, PathRecoding, Request};

use super::attack_error;
use crate::listener::{Listener, Phase};
use crate::paths::request as solver_request;
use crate::policy::Policy;
use crate::{Error, threads};

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
        let recoding = denym_sequences::solve(&table.paths, &request, &context)?;
        let seed = policy.release.seed;
        let originals = path_originals(&table.paths, &request, &recoding, seed, confidence, limit)?;
        originals.run().map_err(|error| attack_error(&error))
    })
}

/// The originals that agree with what the search publishes of `paths`, and the search itself.
pub(crate) fn path_originals<'a>(
    paths: &'a Paths,
    request: &'a Request,
    recoding: &PathRecoding,
    seed: u64,
    confidence: f64,
    limit: u64,
) -> Result<PathOriginals<'a>, Error> {
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
    let publish = move |world: &[&[(u32, u32)]]| -> Option<PublishedPaths> {
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
        let recoding = denym_sequences::solve(&original, request, &context).ok()?;
        Some(seen(&original, &recoding))
    };
    Ok(PathOriginals {
        possible,
        observed,
        publish: Box::new(publish),
        confidence,
        limit,
    })
}

fn seen(paths: &Paths, recoding: &PathRecoding) -> PublishedPaths {
    let mut rows: PublishedPaths = (0..paths.len())
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
