//! TFRP (two fixed reference points), first stage: groups of k seen from two corners of the data.
//!
//! # Idea
//!
//! The two reference points are the corners with the least and the greatest value of each column. In turn, the record
//! farthest from one corner and from the other is taken with its k - 1 nearest records. The corners never move, so
//! no mean has to be renewed.
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
//! The thesis reads "the least value over all attributes" (one number); the corner per column is the paper's, and gives the
//! published figures. The second stage (dissolving groups) is left to `best-effort`, which does it better.
//!
//! # Cost
//!
//! O(n^2 p / k) time.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;

pub(crate) fn tfrp(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut low = matrix.row(0).to_vec();
    let mut high = low.clone();
    for row in 1..matrix.rows() {
        for (column, &cell) in matrix.row(row).iter().enumerate() {
            low[column] = low[column].min(cell);
            high[column] = high[column].max(cell);
        }
    }
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    for corner in [&low, &high].into_iter().cycle() {
        if remaining.len() < k {
            break;
        }
        let seed = remaining.farthest_from(corner);
        groups.push(remaining.take_with_nearest(seed, k));
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}
