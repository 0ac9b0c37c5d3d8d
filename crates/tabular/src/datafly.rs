//! Datafly: generalizes the attribute with the most distinct values until few enough records are left to suppress.
//!
//! # Idea
//!
//! A greedy walk up the lattice from the original data. While the records of failing classes exceed what may be
//! suppressed, the quasi-identifier that still shows the most distinct values goes one level up.
//!
//! # Guarantee
//!
//! Every published class meets every promise and the suppression stays within the budget. Neither optimal nor minimal.
//!
//! # Reference
//!
//! L. Sweeney, "Datafly: a system for providing anonymity in medical data", 1998. Survey sections 4.1 (DA) and 5.1.2.
//!
//! # Departures
//!
//! Sweeney allows k records to be suppressed; here the policy's share is allowed. When the walk ends at the top without
//! success the request is infeasible for this solver, even if a promise that is not monotone holds at some other node.
//!
//! # Cost
//!
//! One evaluation per step, at most the height of the lattice.

use crate::lattice::Lattice;
use crate::nearest::refused;
use crate::node::Best;
use crate::objective::Scale;
use crate::tally::nodes;
use crate::{Context, Error, Request, Solution, Solver};

/// Greedy generalization by the number of distinct values.
#[derive(Debug, Clone, Default)]
pub struct Datafly;

impl Solver for Datafly {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let lattice = Lattice::new(request);
        let mut sets = nodes(*request, &lattice)?;
        let scale = Scale::new(request);
        let mut levels = lattice.low.clone();
        let mut evaluated = 0;
        loop {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            evaluated += 1;
            let tally = sets.tally(&levels);
            if let Some(best) = Best::if_valid(&scale, request.budget(), &levels, tally) {
                let mut solution = best.solution(request);
                solution.statistics.space = lattice.nodes().min(u128::from(u64::MAX)) as u64;
                solution.statistics.evaluated = evaluated;
                return Ok(solution);
            }
            let widest = (0..levels.len())
                .filter(|&d| levels[d] < lattice.high[d])
                .max_by_key(|&d| (scale.distinct(d, levels[d]), std::cmp::Reverse(d)));
            let Some(d) = widest else {
                return Err(refused(request, &lattice, sets.as_mut(), context));
            };
            levels[d] += 1;
        }
    }
}
