//! Progressive local recoding: specializes class by class; what cannot go down with the others stays behind together.
//!
//! # Idea
//!
//! All tuples start as one class at the top of every hierarchy. A class is specialized in one attribute: its tuples go to the
//! children of its node there. Children that fail a promise come back and stay as a class at the old node; if these few
//! fail too, the smallest child that is safe comes back as well, and so on. The attribute that saves most is taken, and
//! the classes that went down are specialized in turn.
//!
//! # Guarantee
//!
//! Every class meets every promise, judged on the class itself, so all promises are honoured; made for (alpha, k)-anonymity.
//! Nothing is suppressed; a request that fails with everything at the top is infeasible here. Minimal, not optimal.
//!
//! # Reference
//!
//! R. Wong, J. Li, A. Fu, K. Wang, "(alpha, k)-anonymity", KDD 2006: the top-down local-recoding algorithm. Survey section 5.2.
//!
//! # Departures
//!
//! Equal tuples stay together. The attribute is chosen by what it saves, over all attributes, instead of by an order. Classes
//! are published at the lowest nodes above their values. Limits on levels are refused.
//!
//! # Cost
//!
//! O(q x tuples) per level of specialization; classes go on independently on all cores.

use rayon::prelude::*;

use crate::cut::refusal;
use crate::grouped::{Tuples, refuse_limits, solution_of};
use crate::partition::{Axis, common_node};
use crate::{Context, Error, Request, Solution, Solver};

/// Top-down local recoding with leftovers.
#[derive(Debug, Clone, Default)]
pub struct ProgressiveLocalRecoding;

impl Solver for ProgressiveLocalRecoding {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        refuse_limits(request)?;
        let tuples = Tuples::new(request);
        let all: Vec<u32> = (0..tuples.len() as u32).collect();
        if !tuples.admits(&all) {
            return Err(refusal(request, context));
        }
        let classes = specialize(&tuples, all, context.keep_going);
        let axes = vec![Axis::Tree; tuples.q];
        solution_of(request, classes, &axes).ok_or_else(|| refusal(request, context))
    }
}

/// The classes that a class falls into.
fn specialize(
    tuples: &Tuples<'_>,
    class: Vec<u32>,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<u32>> {
    if class.len() < 2 || !keep_going() {
        return vec![class];
    }
    let before = loss(tuples, &class);
    let best = (0..tuples.q)
        .filter_map(|d| {
            let (down, behind) = step(tuples, &class, d)?;
            let after: f64 = down
                .iter()
                .chain((!behind.is_empty()).then_some(&behind))
                .map(|part| loss(tuples, part))
                .sum();
            Some((after, down, behind))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, down, behind)) = best.filter(|(after, _, _)| *after < before) else {
        return vec![class];
    };
    let mut classes: Vec<Vec<u32>> = down
        .into_par_iter()
        .flat_map_iter(|part| specialize(tuples, part, keep_going))
        .collect();
    if !behind.is_empty() {
        classes.push(behind);
    }
    classes
}

/// Specializes a class in one attribute: the parts that go down, and what stays behind. `None` when nothing can go.
fn step(tuples: &Tuples<'_>, class: &[u32], d: usize) -> Option<(Vec<Vec<u32>>, Vec<u32>)> {
    let hierarchy = &tuples.request.hierarchies[d];
    let codes = class.iter().map(|&tuple| tuples.codes(tuple)[d]);
    let below = match common_node(hierarchy, &codes) {
        Some((0, _)) => return None,
        Some((level, _)) => level as usize - 1,
        None => hierarchy.height() - 1,
    };
    let nodes = &hierarchy.levels()[below].nodes;
    let mut keyed: Vec<(u32, u32)> = class
        .iter()
        .map(|&tuple| (nodes[tuples.codes(tuple)[d] as usize], tuple))
        .collect();
    keyed.sort_unstable();
    let parts = keyed.chunk_by(|a, b| a.0 == b.0);
    let parts = parts.map(|part| part.iter().map(|&(_, tuple)| tuple).collect::<Vec<u32>>());
    let (mut down, failed): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
        parts.partition(|part| tuples.admits(part));
    let mut behind: Vec<u32> = failed.concat();
    while !behind.is_empty() && !tuples.admits(&behind) {
        let smallest = (0..down.len()).min_by_key(|&part| (tuples.weight(&down[part]), part))?;
        behind.extend(down.remove(smallest));
    }
    (!down.is_empty()).then_some((down, behind))
}

fn loss(tuples: &Tuples<'_>, class: &[u32]) -> f64 {
    tuples.covers.total(&tuples.cover(class)) * tuples.weight(class) as f64
}
