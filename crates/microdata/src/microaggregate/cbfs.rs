//! CBFS (centroid-based fixed size): one group of k at a time, around the record farthest from the mean.
//!
//! # Idea
//!
//! As MDAV with one group per round, so the mean of what is left is renewed twice as often.
//!
//! # Guarantee
//!
//! Every group has at least k records; fewer than k leftovers join their nearest groups one by one.
//!
//! # Reference
//!
//! Laszlo and Mukherjee, Minimum spanning tree partitioning algorithm for microaggregation, IEEE TKDE 17(7), 2005,
//! doi:10.1109/TKDE.2005.112; section 6.2 of Kabir 2010.
//!
//! # Departures
//!
//! None; ties go to the smaller record number.
//!
//! # Cost
//!
//! O(n^2 p / k) time.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;

pub(crate) fn cbfs(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    while remaining.len() >= k {
        let r = remaining.farthest_from(&remaining.centroid());
        groups.push(remaining.take_with_nearest(r, k));
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}
