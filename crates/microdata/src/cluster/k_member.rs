//! k-member: one cluster after the other, each grown greedily from the record farthest from the last seed.
//!
//! # Idea
//!
//! Take the record farthest from the previous seed, and k - 1 times the record that raises the cluster's loss least. Fewer
//! than k leftovers join the clusters they cost least.
//!
//! # Guarantee
//!
//! Every cluster has at least k records.
//!
//! # Reference
//!
//! Byun, Kamra, Bertino and Li, Efficient k-anonymization using clustering techniques, DASFAA 2007, doi:10.1007/978-3-540-71703-4_18.
//!
//! # Departures
//!
//! The first record replaces the random start; ties go to the smaller record number.
//!
//! # Cost
//!
//! O(n^2) loss evaluations.

use super::records::{Extent, Records};
use super::systematic::least;
use crate::{Error, Partition};

/// Clusters of k or more records by the greedy k-member algorithm.
pub fn k_member(records: &Records, k: usize) -> Result<Partition, Error> {
    super::check(records, k, 0)?;
    let mut rest: Vec<u32> = (0..records.len() as u32).collect();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut extents: Vec<Extent> = Vec::new();
    let mut seed = 0;
    while rest.len() >= k {
        let mut best = (-1.0, 0);
        for (at, &row) in rest.iter().enumerate() {
            let distance = records.distance(seed, row);
            if distance > best.0 {
                best = (distance, at);
            }
        }
        seed = rest.remove(best.1);
        let mut cluster = vec![seed];
        let mut extent = records.extent_of(seed);
        while cluster.len() < k {
            let now = records.spread(&extent);
            let mut best = (f64::INFINITY, 0);
            for (at, &row) in rest.iter().enumerate() {
                let spread = records.spread_with(&extent, row);
                if spread < best.0 {
                    best = (spread, at);
                    if spread <= now {
                        break;
                    }
                }
            }
            let row = rest.remove(best.1);
            records.grow(&mut extent, row);
            cluster.push(row);
        }
        members.push(cluster);
        extents.push(extent);
    }
    for row in rest {
        if let Some(best) = least(records, row, &extents, |_| true) {
            records.grow(&mut extents[best], row);
            members[best].push(row);
        }
    }
    Partition::new(members, records.len())
}
