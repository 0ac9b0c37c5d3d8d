//! What a solver found, and figures about it.

use denym_data::Recoding;

/// A recoding with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// What is published.
    pub recoding: Recoding,
    /// The value of the request's objective; smaller is better.
    pub score: f64,
    /// No recoding of this solver's kind scores lower than this. Equals `score` when the solution is proven optimal;
    /// `None` when the solver proves nothing.
    pub bound: Option<f64>,
    /// Figures about the recoding and the search.
    pub statistics: Statistics,
}

/// Figures about a recoding and the search that found it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// Nodes of the lattice, or points of whatever space was searched, as far as it can be counted.
    pub space: u64,
    /// How many of them were evaluated.
    pub evaluated: u64,
    /// Records that are not published.
    pub suppressed: u64,
    /// Published classes.
    pub classes: u64,
    /// Subjects of the smallest published class.
    pub smallest: u64,
    /// Subjects of the largest published class.
    pub largest: u64,
    /// The loss of each quasi-identifier, 0 to 1.
    pub attribute_loss: Vec<f64>,
}
