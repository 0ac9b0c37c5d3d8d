//! V-MDAV: groups of variable size, grown while a neighbor is nearer to the group than to what is left.
//!
//! # Idea
//!
//! Take the record farthest from the grand mean with its k - 1 nearest ones. Then, up to 2k - 1 records, look at the
//! unassigned record nearest to any member: when its distance to the group is less than gamma times its distance to its
//! nearest unassigned neighbor, it joins.
//!
//! # Guarantee
//!
//! Groups have k to 2k - 1 records before leftovers; fewer than k leftovers join their nearest groups.
//!
//! # Reference
//!
//! Solanas and Martinez-Balleste, V-MDAV: a multivariate microaggregation with variable group size, COMPSTAT 2006.
//!
//! # Departures
//!
//! The grand mean is computed once, as the paper has it; gamma is 0.2 unless set (its figure for scattered data).
//!
//! # Cost
//!
//! O(n^2 p) time.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;

pub(crate) fn vmdav(matrix: &Matrix, k: usize, gamma: f64) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let centroid = remaining.centroid();
    let mut groups = Vec::new();
    while remaining.len() >= k {
        let seed = remaining.farthest_from(&centroid);
        let mut group = remaining.take_with_nearest(seed, k);
        while group.len() < 2 * k - 1 {
            let mut inward: Option<(f64, u32)> = None;
            for &member in &group {
                if let Some((distance, row)) =
                    remaining.nearest_to(matrix.row(member as usize), u32::MAX)
                    && inward.is_none_or(|best| (distance, row) < best)
                {
                    inward = Some((distance, row));
                }
            }
            let Some((inward, candidate)) = inward else {
                break;
            };
            // The last unassigned record has no neighbor outside, so the group is nearer.
            let outward = remaining
                .nearest_to(matrix.row(candidate as usize), candidate)
                .map_or(f64::INFINITY, |(distance, _)| distance);
            if inward.sqrt() >= gamma * outward.sqrt() {
                break;
            }
            remaining.remove(&[candidate]);
            group.push(candidate);
        }
        groups.push(group);
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}
