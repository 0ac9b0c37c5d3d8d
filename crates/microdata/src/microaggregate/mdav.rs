//! MDAV: groups of k around the two most distant records, again and again.
//!
//! # Idea
//!
//! Find the record r farthest from the mean of what is left, and the record s farthest from r. Take r with its k - 1
//! nearest records as one group, then s with its k - 1 nearest as another. Groups are thus peeled off from the outside,
//! where records are sparse, inward.
//!
//! # Guarantee
//!
//! Every group has k to 2k - 1 records (at most one of them more than k). Publishing centroids makes the records of a
//! group equal in the columns used; other columns are not protected, nor is a value that all records of a group share.
//!
//! # Reference
//!
//! Hundepool et al., mu-ARGUS manual, 2003; Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through
//! microaggregation, Data Mining and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5, algorithm MDAV-generic; the
//! threshold 2k variant with leftovers as section 6.2 of the thesis tells it. MDAV-1: Lin, Wen, Hsieh and Chang, Density-based
//! microaggregation for statistical disclosure control, Expert Systems with Applications 37(4), 2010, doi:10.1016/j.eswa.2009.09.054.
//!
//! # Departures
//!
//! Ties go to the smaller record number. `mdav` uses a spatial index and finds the very groups that a full scan finds
//! (`mdav_by_scan` is kept as the oracle).
//!
//! # Cost
//!
//! Full scan: O(n^2 p / k) time. With the index: see `index.rs`.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;

/// MDAV with threshold 3k, every query a scan of what is left.
pub(crate) fn mdav_by_scan(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    while remaining.len() >= 3 * k {
        take_a_pair(&mut remaining, k, &mut groups);
    }
    if remaining.len() >= 2 * k {
        let r = remaining.farthest_from(&remaining.centroid());
        groups.push(remaining.take_with_nearest(r, k));
    }
    groups.push(remaining.take_all());
    groups
}

/// MDAV with threshold 2k: fewer than k leftovers join their nearest groups.
pub(crate) fn mdav_two_k(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    while remaining.len() >= 2 * k {
        take_a_pair(&mut remaining, k, &mut groups);
    }
    let rest = remaining.take_all();
    if rest.len() >= k || groups.is_empty() {
        groups.push(rest);
    } else {
        add_to_nearest_groups(matrix, &mut groups, &rest);
    }
    groups
}

/// MDAV-1: threshold 2k; of k to 2k - 1 records left, one more group of k is formed, and every leftover joins its nearest group.
pub(crate) fn mdav_one(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    while remaining.len() >= 2 * k {
        take_a_pair(&mut remaining, k, &mut groups);
    }
    if remaining.len() >= k {
        let r = remaining.farthest_from(&remaining.centroid());
        groups.push(remaining.take_with_nearest(r, k));
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}

fn take_a_pair(remaining: &mut Remaining<'_>, k: usize, groups: &mut Vec<Vec<u32>>) {
    let r = remaining.farthest_from(&remaining.centroid());
    let s = remaining.farthest_from(remaining.row(r));
    let around_r = remaining.take_with_nearest(r, k);
    // When all distances are zero, s may be r or among its nearest: then any record left will do, the first for order's sake.
    let s = if around_r.contains(&s) {
        remaining.farthest_from(remaining.row(r))
    } else {
        s
    };
    groups.push(around_r);
    groups.push(remaining.take_with_nearest(s, k));
}
