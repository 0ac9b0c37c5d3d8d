//! One node of the lattice as a candidate: its rank among others, and the solution it makes.

use crate::figures;
use crate::objective::Scale;
use crate::recode::recode;
use crate::tally::Tally;
use crate::{Request, Solution};

/// A valid node.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    pub(crate) score: f64,
    pub(crate) levels: Vec<u8>,
    pub(crate) tally: Tally,
}

impl Best {
    /// The node at `levels`, scored.
    pub(crate) fn new(scale: &Scale, levels: &[u8], tally: Tally) -> Best {
        Best {
            score: scale.score(levels, &tally.counted),
            levels: levels.to_vec(),
            tally,
        }
    }

    /// The node, if it suppresses no more than `budget` and publishes something.
    pub(crate) fn if_valid(
        scale: &Scale,
        budget: u64,
        levels: &[u8],
        tally: Tally,
    ) -> Option<Best> {
        let suppressed = tally.counted.suppressed;
        (suppressed <= budget && suppressed < scale.searched())
            .then(|| Best::new(scale, levels, tally))
    }

    /// What decides between two nodes: score, suppressed records, height, levels.
    fn rank(&self) -> (f64, u64, u32, &[u8]) {
        let height = self.levels.iter().map(|&level| u32::from(level)).sum();
        (
            self.score,
            self.tally.counted.suppressed,
            height,
            &self.levels,
        )
    }

    /// Whether this node is the better one.
    pub(crate) fn beats(&self, other: &Best) -> bool {
        let ((score, suppressed, height, levels), other) = (self.rank(), other.rank());
        score
            .total_cmp(&other.0)
            .then(suppressed.cmp(&other.1))
            .then(height.cmp(&other.2))
            .then(levels.cmp(other.3))
            .is_lt()
    }

    /// Keeps the better of this node and what is there.
    pub(crate) fn improve(self, best: &mut Option<Best>) {
        if best.as_ref().is_none_or(|old| self.beats(old)) {
            *best = Some(self);
        }
    }

    /// The solution that publishes this node.
    pub(crate) fn solution(&self, request: &Request<'_>) -> Solution {
        let mut solution = figures::solution(request, recode(request, &self.levels));
        // The same figure, from whole numbers.
        solution.score = self.score;
        debug_assert_eq!(
            solution.statistics.suppressed,
            self.tally.counted.suppressed
        );
        debug_assert_eq!(solution.statistics.smallest, self.tally.smallest);
        solution
    }
}
