//! `MinGen`: looks at every node of the lattice and keeps the best.
//!
//! # Idea
//!
//! The plainest optimal search: generalize in every possible way, drop what fails, take the least distorted.
//!
//! # Guarantee
//!
//! Optimal under any objective and any promise, monotone or not; ties as in `full-domain`. Refuses lattices that are too
//! large to look at completely.
//!
//! # Reference
//!
//! L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002. Survey section 5.1.1.
//!
//! # Departures
//!
//! Sweeney's preferred distortion measure is one objective among others here.
//!
//! # Cost
//!
//! One evaluation per node, on all cores, rolled up from finer sets.

use crate::lattice::Lattice;
use crate::nearest::refused;
use crate::node::Best;
use crate::objective::Scale;
use crate::tally::nodes;
use crate::{Context, Error, Request, Solution, Solver};

/// Nodes evaluated between two looks at the clock.
const BATCH: u64 = 64;

/// Exhaustive search over all nodes.
#[derive(Debug, Clone)]
pub struct MinGen {
    /// Lattices with more nodes are refused.
    pub most_nodes: u64,
}

impl Default for MinGen {
    /// A hundred thousand nodes: about a minute on a table of Adult's size.
    fn default() -> Self {
        MinGen {
            most_nodes: 100_000,
        }
    }
}

impl Solver for MinGen {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let lattice = Lattice::new(request);
        lattice.at_most(self.most_nodes)?;
        let mut sets = nodes(*request, &lattice)?;
        let scale = Scale::new(request);
        let total = lattice.nodes() as u64;
        let mut best = None;
        for start in (0..total).step_by(BATCH as usize) {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            let batch: Vec<Vec<u8>> = (start..total.min(start + BATCH))
                .map(|index| lattice.node(index))
                .collect();
            for (levels, tally) in batch.iter().zip(sets.tally_all(&batch)) {
                if let Some(node) = Best::if_valid(&scale, request.budget(), levels, tally) {
                    node.improve(&mut best);
                }
            }
        }
        let Some(best) = best else {
            return Err(refused(request, &lattice, sets.as_mut(), context));
        };
        let mut solution = best.solution(request);
        solution.bound = Some(best.score);
        solution.statistics.space = total;
        solution.statistics.evaluated = total;
        Ok(solution)
    }
}
