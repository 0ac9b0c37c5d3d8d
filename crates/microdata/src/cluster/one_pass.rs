//! OKA (one-pass k-means): every record to its nearest centroid once, then sizes are evened out.
//!
//! # Idea
//!
//! n / k records spread over the sorted list seed the clusters. Each record joins the cluster with the nearest
//! centroid (mean of numbers, common ancestor of categories), which moves at once. Then clusters above k give up their
//! farthest records, and those fill the clusters below k; what is left goes to the nearest clusters.
//!
//! # Guarantee
//!
//! Every cluster has at least k records.
//!
//! # Reference
//!
//! Lin and Wei, An efficient clustering method for k-anonymization, PAIS 2008, doi:10.1145/1379287.1379297.
//!
//! # Departures
//!
//! Seeds at every k-th place of the sorted list instead of random ones: the result does not change from run to run.
//!
//! # Cost
//!
//! O(n^2 / k) loss evaluations.

use super::records::{Extent, Records};
use super::systematic::least;
use crate::{Error, Partition};

/// Clusters of k or more records by one-pass k-means.
pub fn one_pass(records: &Records, k: usize) -> Result<Partition, Error> {
    super::check(records, k, 0)?;
    let mut order: Vec<u32> = (0..records.len() as u32).collect();
    order.sort_by(|&a, &b| records.compare(a, b));
    let count = order.len() / k;
    let mut members: Vec<Vec<u32>> = (0..count)
        .map(|cluster| vec![order[cluster * k + k / 2]])
        .collect();
    let mut centroids: Vec<Extent> = members
        .iter()
        .map(|cluster| records.extent_of(cluster[0]))
        .collect();
    for (place, &row) in order.iter().enumerate() {
        if place % k == k / 2 && place / k < count {
            continue;
        }
        let best = nearest(records, row, &centroids, |_| true);
        members[best].push(row);
        move_centroid(records, &mut centroids[best], row);
    }
    // Adjustment: the farthest records of large clusters fill the small ones.
    let mut spare: Vec<u32> = Vec::new();
    for (cluster, centroid) in members.iter_mut().zip(&centroids) {
        if cluster.len() > k {
            cluster.sort_by(|&a, &b| {
                let distance = |row| records.spread_with(centroid, row);
                distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
            });
            spare.extend(cluster.drain(k..));
        }
    }
    let mut extents: Vec<Extent> = members
        .iter()
        .filter_map(|cluster| records.extent(cluster))
        .collect();
    let mut missing: usize = members.iter().map(|cluster| k - cluster.len()).sum();
    spare.sort_by(|&a, &b| records.compare(a, b));
    for row in spare {
        let must = missing > 0;
        let best = least(records, row, &extents, |extent| !must || extent.size < k).unwrap_or(0);
        missing -= usize::from(must);
        members[best].push(row);
        records.grow(&mut extents[best], row);
    }
    Partition::new(members, records.len())
}

fn nearest(
    records: &Records,
    row: u32,
    centroids: &[Extent],
    may: impl Fn(&Extent) -> bool,
) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (number, centroid) in centroids
        .iter()
        .enumerate()
        .filter(|(_, centroid)| may(centroid))
    {
        let distance = records.spread_with(centroid, row);
        if distance < best.0 {
            best = (distance, number);
        }
    }
    best.1
}

/// Moves the numbers toward the new record and the categories up to the common ancestor; a centroid has ranges of length 0.
fn move_centroid(records: &Records, centroid: &mut Extent, row: u32) {
    let point = records.extent_of(row);
    centroid.size += 1;
    for (mean, x) in centroid.ranges.iter_mut().zip(&point.ranges) {
        let moved = mean.0 + (x.0 - mean.0) / centroid.size as f64;
        *mean = (moved, moved);
    }
    let mut with = centroid.clone();
    records.grow(&mut with, row);
    centroid.nodes = with.nodes;
}
