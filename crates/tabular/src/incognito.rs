//! Incognito: finds every valid node by growing subsets of the quasi-identifiers, and publishes the best.
//!
//! # Idea
//!
//! If a table is safe on all quasi-identifiers it is safe on every subset of them, and if it is safe at a node it is
//! safe at every coarser one. So single attributes come first, then pairs, and so on: a node of a subset is looked at
//! only if its projections on all subsets that are one smaller were valid, and nodes above a valid node need no look.
//!
//! # Guarantee
//!
//! All valid nodes are found; the one with the least score is published (ties as in `full-domain`). Needs promises that
//! stay kept by generalizing: with suppression those that last under it.
//!
//! # Reference
//!
//! K. `LeFevre`, D. `DeWitt`, R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005. l-diversity
//! through the same search: A. Machanavajjhala et al., 2006. Survey sections 5.1.1 and 5.2.
//!
//! # Departures
//!
//! Candidates are enumerated from the lattice of each subset and filtered, instead of joined as strings; super-roots
//! become the sets that evaluations keep anyway. Valid nodes are scored at the end, so any objective can decide.
//!
//! # Cost
//!
//! Up to the product of (levels + 1) over all quasi-identifiers; practical to about ten.

use std::collections::BTreeMap;

use denym_data::{Hierarchy, Summary};

use crate::frequency::project;
use crate::lattice::Lattice;
use crate::nearest::refused;
use crate::node::Best;
use crate::objective::Scale;
use crate::tally::nodes;
use crate::{Context, Error, Request, Solution, Solver};

/// A-priori search over subsets of the quasi-identifiers.
#[derive(Debug, Clone)]
pub struct Incognito {
    /// Requests with more nodes over all subsets are refused.
    pub most_nodes: u64,
}

impl Default for Incognito {
    /// Half a million nodes over all subsets; Adult with nine attributes has 207,360.
    fn default() -> Self {
        Incognito {
            most_nodes: 500_000,
        }
    }
}

impl Solver for Incognito {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        request.only_upward_closed()?;
        if request.apart().is_some() {
            // Subsets of the attributes are searched on their own; what is judged on some of them would not fit.
            return Err(Error::PromiseNotHonoured {
                name: request
                    .promises
                    .first()
                    .map_or("", |promise| promise.terms().name),
            });
        }
        let lattice = Lattice::new(request);
        let q = lattice.low.len();
        let all: u128 = (0..q).fold(1, |all: u128, d| {
            all.saturating_mul(u128::from(lattice.high[d] - lattice.low[d]) + 2)
        });
        if all > u128::from(self.most_nodes) || q >= 32 {
            return Err(Error::TooLarge {
                nodes: all,
                limit: self.most_nodes,
            });
        }
        // For each subset, as bits, which nodes of its lattice are valid.
        let mut valid: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
        let mut subsets: Vec<u32> = (1..1_u32 << q).collect();
        subsets.sort_by_key(|subset| (subset.count_ones(), *subset));
        let mut evaluated = 0;
        for &subset in &subsets {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            let members: Vec<usize> = (0..q).filter(|&d| subset >> d & 1 == 1).collect();
            let found = examine(request, &lattice, &members, &valid, &mut evaluated)?;
            valid.insert(subset, found);
        }
        let scale = Scale::new(request);
        let mut sets = nodes(*request, &lattice)?;
        let mut best = None;
        // No quasi-identifiers: the one node there is stands for itself.
        let whole = valid
            .remove(&(((1_u64 << q) - 1) as u32))
            .unwrap_or_else(|| vec![true]);
        for index in (0..whole.len()).filter(|&index| whole[index]) {
            let levels = lattice.node(index as u64);
            let tally = sets.tally(&levels);
            evaluated += 1;
            if let Some(node) = Best::if_valid(&scale, request.budget(), &levels, tally) {
                node.improve(&mut best);
            }
        }
        let Some(best) = best else {
            return Err(refused(request, &lattice, sets.as_mut(), context));
        };
        let mut solution = best.solution(request);
        solution.bound = Some(best.score);
        solution.statistics.space = lattice.nodes() as u64;
        solution.statistics.evaluated = evaluated;
        Ok(solution)
    }
}

/// Which nodes of the lattice over `members` are valid.
fn examine(
    request: &Request<'_>,
    lattice: &Lattice,
    members: &[usize],
    valid: &BTreeMap<u32, Vec<bool>>,
    evaluated: &mut u64,
) -> Result<Vec<bool>, Error> {
    let part = lattice.of(members);
    let summary: Summary = project(request.summary, members);
    let hierarchies: Vec<Hierarchy> = members
        .iter()
        .map(|&d| request.hierarchies[d].clone())
        .collect();
    let limits: Vec<(usize, usize)> = members.iter().map(|&d| request.range(d)).collect();
    let weights = request.weights_of(members);
    let narrowed = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        limits: Some(&limits),
        weights: Some(&weights),
        ..*request
    };
    let mut sets = nodes(narrowed, &part)?;
    let count = part.nodes() as usize;
    let mut result = vec![false; count];
    // Indices grow with levels, so every finer neighbor is settled before a node is reached.
    for index in 0..count {
        let levels = part.node(index as u64);
        let tagged = (0..levels.len())
            .any(|d| levels[d] > part.low[d] && result[index - part.stride(d) as usize]);
        if tagged {
            result[index] = true;
            continue;
        }
        let hopeful = members.len() == 1
            || (0..members.len()).all(|left_out| {
                let rest: Vec<usize> = without(members, left_out);
                let bits = rest.iter().fold(0_u32, |bits, &d| bits | 1 << d);
                let levels = without(&levels, left_out);
                valid
                    .get(&bits)
                    .is_none_or(|valid| valid[lattice.of(&rest).index(&levels) as usize])
            });
        if hopeful {
            *evaluated += 1;
            let tally = sets.tally(&levels);
            result[index] = tally.counted.suppressed <= request.budget();
        }
    }
    Ok(result)
}

fn without<T: Copy>(items: &[T], left_out: usize) -> Vec<T> {
    let mut rest = items.to_vec();
    rest.remove(left_out);
    rest
}
