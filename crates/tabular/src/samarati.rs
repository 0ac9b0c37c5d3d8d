//! Samarati's binary search: the lowest height of the lattice at which some node is valid.
//!
//! # Idea
//!
//! Generalizing a valid node keeps it valid, so if no node of some height is valid none below is either. Halve the range
//! of heights until the lowest with a valid node is found, and publish the best node of that height.
//!
//! # Guarantee
//!
//! The result has minimal height; among the valid nodes of that height it has the least score (ties as in
//! `full-domain`). Needs promises that stay kept by generalizing: with suppression those that last under it.
//!
//! # Reference
//!
//! P. Samarati, "Protecting respondents' identities in microdata release", TKDE 2001, section 4. Survey section 5.1.1.
//!
//! # Departures
//!
//! Frequency sets instead of a matrix of distance vectors between tuples, which needs memory quadratic in the tuples.
//! Where several nodes of the least height are valid the paper lets a preference decide; here the objective does.
//!
//! # Cost
//!
//! All nodes of about log2(height) heights.

use crate::lattice::Lattice;
use crate::nearest::refused;
use crate::node::Best;
use crate::objective::Scale;
use crate::tally::nodes;
use crate::{Context, Error, Request, Solution, Solver};

/// Binary search over heights.
#[derive(Debug, Clone)]
pub struct Samarati {
    /// Lattices with more nodes are refused.
    pub most_nodes: u64,
}

impl Default for Samarati {
    /// A million nodes: the widest height has about a tenth of them.
    fn default() -> Self {
        Samarati {
            most_nodes: 1 << 20,
        }
    }
}

impl Solver for Samarati {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        request.only_upward_closed()?;
        let lattice = Lattice::new(request);
        lattice.at_most(self.most_nodes)?;
        let mut sets = nodes(*request, &lattice)?;
        let scale = Scale::new(request);
        let height = |levels: &[u8]| {
            levels
                .iter()
                .map(|&level| usize::from(level))
                .sum::<usize>()
        };
        let base = height(&lattice.low);
        let mut by_height: Vec<Vec<Vec<u8>>> = vec![Vec::new(); height(&lattice.high) - base + 1];
        for index in 0..lattice.nodes() as u64 {
            let levels = lattice.node(index);
            by_height[height(&levels) - base].push(levels);
        }
        let (mut low, mut high) = (0, by_height.len());
        let (mut best, mut evaluated) = (None, 0);
        while low < high {
            if !(context.keep_going)() {
                break;
            }
            let middle = usize::midpoint(low, high);
            let level = &by_height[middle];
            evaluated += level.len() as u64;
            let mut found = None;
            for (levels, tally) in level.iter().zip(sets.tally_all(level)) {
                if let Some(node) = Best::if_valid(&scale, request.budget(), levels, tally) {
                    node.improve(&mut found);
                }
            }
            if found.is_some() {
                best = found;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let Some(best) = best else {
            if low < high {
                return Err(Error::Stopped);
            }
            return Err(refused(request, &lattice, sets.as_mut(), context));
        };
        let mut solution = best.solution(request);
        solution.statistics.space = lattice.nodes() as u64;
        solution.statistics.evaluated = evaluated;
        Ok(solution)
    }
}
