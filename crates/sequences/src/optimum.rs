//! The global suppression of least loss, by branch and bound; small tables only.
//!
//! # Idea
//!
//! A set of suppressed doublets is safe exactly when it hits every critical violation, so the
//! optimum is a hitting set of least weight. Branch on the shortest violation that is not hit:
//! one of its doublets must go. Doublets already refused on this branch are not tried again.
//!
//! # Cost
//!
//! Exponential. Refuses tables with more than [`MOST_DOUBLETS`] doublets in violations.

use crate::error::Error;
use crate::recoding::PathRecoding;
use crate::request::{Algorithm, Context, Matching};
use crate::solve::{Problem, finish_global};
use crate::violations::Violations;

/// Doublets in violations beyond which the search is refused.
pub const MOST_DOUBLETS: usize = 40;

pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    if problem.request.matching == Matching::Consistent {
        return Err(Error::BadOption {
            what: "the optimum is defined for the matching `covers` only",
        });
    }
    let cost = problem.summary.instances();
    let mut chosen = least(&problem.violations, &cost, context)?;
    problem.with_removed(&mut chosen);
    Ok(finish_global(problem, Algorithm::Optimum, chosen, 0))
}

/// A hitting set of least cost, sorted; the first found in order of items among equals.
pub fn least(violations: &Violations, cost: &[u64], context: &Context) -> Result<Vec<u32>, Error> {
    let mut items: Vec<u32> = violations.iter().flatten().copied().collect();
    items.sort_unstable();
    items.dedup();
    if items.len() > MOST_DOUBLETS {
        return Err(Error::BadOption {
            what: "the optimum is for tables with at most 40 doublets in violations",
        });
    }
    context.check()?;
    let mut sets: Vec<u64> = violations
        .iter()
        .map(|violation| {
            violation
                .iter()
                .map(|item| 1u64 << items.partition_point(|known| known < item))
                .fold(0, |set, bit| set | bit)
        })
        .collect();
    sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
    sets.dedup();
    let price: Vec<u64> = items.iter().map(|&item| cost[item as usize]).collect();
    let mut best = (price.iter().sum::<u64>() + 1, 0u64);
    branch(&sets, &price, 0, 0, 0, &mut best);
    let chosen = (0..items.len()).filter(|at| best.1 >> at & 1 == 1);
    Ok(chosen.map(|at| items[at]).collect())
}

fn branch(sets: &[u64], price: &[u64], taken: u64, refused: u64, paid: u64, best: &mut (u64, u64)) {
    if paid >= best.0 {
        return;
    }
    let Some(&open) = sets.iter().find(|&&set| set & taken == 0) else {
        *best = (paid, taken);
        return;
    };
    let mut refused = refused;
    for (at, cost) in price.iter().enumerate() {
        let bit = 1u64 << at;
        if open & bit != 0 && refused & bit == 0 {
            branch(sets, price, taken | bit, refused, paid + cost, best);
            refused |= bit;
        }
    }
}
