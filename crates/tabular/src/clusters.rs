//! Clusters of the original tuples: the structure that a release for cluster analysis should keep.
//!
//! # Idea
//!
//! Centers start far apart: the tuple with most records, then always the one farthest from all centers. Tuples go to
//! the nearest center, a center becomes the most frequent value of each attribute, and so on until nothing moves. Two values are as
//! far apart as the share of the domain under the lowest node above both.
//!
//! # Reference
//!
//! Z. Huang, "Extensions to the k-means algorithm for clustering large data sets with categorical values", 1998; T. Gonzalez, 1985,
//! for the start.

use rayon::prelude::*;

use crate::Request;
use crate::cover::Covers;

/// Rounds after which clusters count as settled; they rarely move after ten.
const ROUNDS: usize = 20;

/// The cluster of each tuple; at most `count` clusters, at least one.
pub(crate) fn clusters(request: &Request<'_>, count: usize) -> Vec<u32> {
    let summary = request.summary;
    let covers = Covers::new(request);
    let q = summary.quasi.len();
    let tuple = |t: usize| -> Vec<u32> { summary.quasi.iter().map(|codes| codes[t]).collect() };
    let distance = |center: &[u32], t: usize| -> f64 {
        (0..q)
            .map(|d| {
                let code = summary.quasi[d][t];
                covers.cost(d, covers.meet(d, center[d], code), code)
            })
            .sum()
    };
    let tuples = summary.tuples();
    let heaviest = (0..tuples)
        .max_by_key(|&t| (summary.records[t], std::cmp::Reverse(t)))
        .unwrap_or(0);
    let mut centers = vec![tuple(heaviest)];
    let mut far: Vec<f64> = vec![f64::INFINITY; tuples];
    while centers.len() < count.max(1) {
        let last = &centers[centers.len() - 1];
        far.par_iter_mut()
            .enumerate()
            .for_each(|(t, far)| *far = far.min(distance(last, t)));
        let next = (0..tuples).max_by(|&a, &b| far[a].total_cmp(&far[b]).then(b.cmp(&a)));
        match next {
            Some(next) if far[next] > 0.0 => centers.push(tuple(next)),
            _ => break,
        }
    }
    let mut cluster_of = vec![0_u32; tuples];
    for _ in 0..ROUNDS {
        let nearest: Vec<u32> = (0..tuples)
            .into_par_iter()
            .map(|t| {
                let mut best = (f64::INFINITY, 0);
                for (c, center) in centers.iter().enumerate() {
                    let distance = distance(center, t);
                    if distance < best.0 {
                        best = (distance, c as u32);
                    }
                }
                best.1
            })
            .collect();
        let settled = nearest == cluster_of;
        cluster_of = nearest;
        if settled {
            break;
        }
        for d in 0..q {
            let mut counts = vec![vec![0_u64; summary.cardinalities[d]]; centers.len()];
            for (t, &cluster) in cluster_of.iter().enumerate() {
                counts[cluster as usize][summary.quasi[d][t] as usize] += summary.records[t];
            }
            for (center, counts) in centers.iter_mut().zip(counts) {
                let most = counts.iter().copied().max().unwrap_or(0);
                if most > 0 {
                    center[d] = counts.iter().position(|&c| c == most).unwrap_or(0) as u32;
                }
            }
        }
    }
    cluster_of
}
