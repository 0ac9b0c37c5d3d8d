//! TFRP (two fixed reference points), first stage: groups of k seen from two corners of the data.
//!
//! # Idea
//!
//! One reference point has the least value of all columns in every column, the other the greatest. In turn, the record
//! farthest from the one and from the other is taken with its k - 1 nearest records. The points never move, so no mean
//! has to be renewed.
//!
//! # Guarantee
//!
//! Every group has at least k records; fewer than k leftovers join their nearest groups.
//!
//! # Reference
//!
//! Chang, Li and Huang, TFRP: an efficient microaggregation algorithm for statistical disclosure control, Journal of Systems and
//! Software 80(11), 2007, doi:10.1016/j.jss.2007.02.014.
//!
//! # Departures
//!
//! One number for all columns, as the thesis describes it; a corner per column gives other groups, on average no better. The second
//! stage (dissolving groups) is left to `best-effort`, which also re-forms them.
//!
//! # Cost
//!
//! O(n^2 p / k) time.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;

pub(crate) fn tfrp(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let least = matrix.cells().iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = matrix
        .cells()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let corners = [
        vec![least; matrix.columns()],
        vec![greatest; matrix.columns()],
    ];
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    for corner in corners.iter().cycle() {
        if remaining.len() < k {
            break;
        }
        let seed = remaining.farthest_from(corner);
        groups.push(remaining.take_with_nearest(seed, k));
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}
