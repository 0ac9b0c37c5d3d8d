//! Attributes dealt into groups, each solved as if the others did not exist: a bound on everything, and levels to start from.
//!
//! # Idea
//!
//! Whatever the best node of the whole lattice is, its levels on one group of attributes are valid for that group alone, and
//! lose at least what the group's optimum loses. Added up over the groups that is a bound nothing can beat:
//!
//! ```text
//!   all attributes   a b c d e f g h i      at least
//!   groups          [a d g] [b e h] [c f i]  loss(a d g) + loss(b e h) + loss(c f i)
//! ```
//!
//! # Guarantee
//!
//! No valid node scores below the bound. It speaks only where promises last under suppression and where the score is put together
//! from the attributes; elsewhere it is what the marginal distributions alone give.
//!
//! # Reference
//!
//! Ours; the subset property is K. `LeFevre` et al., "Incognito", SIGMOD 2005.
//!
//! # Departures
//!
//! None.
//!
//! # Cost
//!
//! One exact search per group, over the distinct tuples of the group alone; a quota of questions ends it early, with a bound that is
//! lower but still sound.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::frequency::project;
use crate::lattice::Lattice;
use crate::objective::Scale;
use crate::{Context, FullDomain, Objective, Request, Solver};

/// How large groups may be, and how long each may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grain {
    /// Most nodes in the lattice of one group.
    pub(crate) nodes: u128,
    /// Most questions whether to go on that a group may ask.
    pub(crate) quota: u64,
}

/// The joined levels of the groups' optima, and a bound on every score.
pub(crate) fn relax(
    request: &Request<'_>,
    lattice: &Lattice,
    scale: &Scale,
    grain: Grain,
    context: &Context<'_>,
) -> (Vec<u8>, f64) {
    let mut start = lattice.low.clone();
    let trivial = scale.first_bound(&lattice.low);
    // Promises that do not last say nothing about subsets of the attributes.
    let lasting = request
        .promises
        .iter()
        .all(|promise| request.is_monotone_with_suppression(promise.as_ref()));
    if request.objective.grows_with_classes() || !lasting || request.apart().is_some() {
        return (start, trivial);
    }
    let mut parts = Vec::new();
    for members in groups(lattice, scale, grain.nodes) {
        let summary = project(request.summary, &members);
        let hierarchies: Vec<_> = members
            .iter()
            .map(|&d| request.hierarchies[d].clone())
            .collect();
        let limits: Vec<_> = members.iter().map(|&d| request.range(d)).collect();
        let weights = request.weights_of(&members);
        let narrowed = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            limits: Some(&limits),
            weights: Some(&weights),
            ..*request
        };
        let left = AtomicU64::new(grain.quota);
        let keep_going = || {
            let more = left.load(Ordering::Relaxed) > 0;
            left.fetch_sub(u64::from(more), Ordering::Relaxed);
            more && (context.keep_going)()
        };
        let mut alone = Context {
            seed: context.seed,
            keep_going: &keep_going,
            progress: &mut |_| {},
        };
        // Nothing loses less than nothing.
        let mut least = 0.0;
        match FullDomain::default().solve(&narrowed, &mut alone) {
            Ok(solution) => {
                least = solution.bound.unwrap_or(0.0);
                let levels = solution.recoding.levels.unwrap_or_default();
                for (&d, level) in members.iter().zip(levels) {
                    start[d] = level as u8;
                }
            }
            Err(_) => {
                for &d in &members {
                    start[d] = lattice.high[d];
                }
            }
        }
        parts.push((members.len() as f64, least));
    }
    let q = lattice.low.len() as f64;
    let bound = match request.objective {
        Objective::Loss => {
            let logs: f64 = parts.iter().map(|(size, least)| size * least.ln_1p()).sum();
            (logs / q).exp_m1()
        }
        Objective::LossArithmetic | Objective::Precision => {
            parts.iter().map(|(size, least)| size * least).sum::<f64>() / q
        }
        _ => parts.iter().map(|(_, least)| least).sum(),
    };
    // A hair below, so that rounding in the logarithms cannot lift it over the true optimum.
    (start, (bound - 1e-9 * (1.0 + bound.abs())).max(trivial))
}

/// Attributes dealt into groups, the most varied together, so that each group's optimum says much.
fn groups(lattice: &Lattice, scale: &Scale, nodes: u128) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lattice.low.len()).collect();
    order.sort_by_key(|&d| {
        std::cmp::Reverse((scale.distinct(d, lattice.low[d]), std::cmp::Reverse(d)))
    });
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for d in order {
        match groups.last_mut() {
            Some(group) if lattice.of(&[group.as_slice(), &[d]].concat()).nodes() <= nodes => {
                group.push(d);
            }
            _ => groups.push(vec![d]),
        }
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}
