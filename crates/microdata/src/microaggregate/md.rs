//! MD (maximum distance): groups of k around the two records that are most distant from each other.
//!
//! # Idea
//!
//! As MDAV, but the pair of seeds is the exact diameter of what is left.
//!
//! # Guarantee
//!
//! Every group has at least k records; fewer than k leftovers join their nearest groups one by one.
//!
//! # Reference
//!
//! Domingo-Ferrer and Mateo-Sanz, Practical data-oriented microaggregation for statistical disclosure control, IEEE TKDE 14(1), 2002,
//! doi:10.1109/69.979982; section 6.2 of Kabir 2010.
//!
//! # Departures
//!
//! The farthest partner of each record is remembered and looked up again only when that partner is taken: the same
//! pairs, in about O(n^2) instead of O(n^3 / k).
//!
//! # Cost
//!
//! O(n^2 p) to start, then about n / 2k rounds, each repairing the records whose partner went away.

use rayon::prelude::*;

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;
use crate::matrix::squared_distance;

pub(crate) fn md(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    // farthest[row] = (distance, partner) among the remaining records with a larger number.
    let mut farthest: Vec<(f64, u32)> = vec![(-1.0, 0); matrix.rows()];
    look_up(matrix, remaining.rows(), |_| true, &mut farthest);
    while remaining.len() >= 2 * k {
        let mut pair = (-1.0, 0, 0);
        for &row in remaining.rows() {
            let (distance, partner) = farthest[row as usize];
            if distance > pair.0 {
                pair = (distance, row, partner);
            }
        }
        let (_, r, s) = pair;
        let around_r = remaining.take_with_nearest(r, k);
        let s = if around_r.contains(&s) {
            remaining.farthest_from(matrix.row(r as usize))
        } else {
            s
        };
        let around_s = remaining.take_with_nearest(s, k);
        let mut gone = vec![false; matrix.rows()];
        for &row in around_r.iter().chain(&around_s) {
            gone[row as usize] = true;
        }
        groups.push(around_r);
        groups.push(around_s);
        look_up(
            matrix,
            remaining.rows(),
            |partner| gone[partner as usize],
            &mut farthest,
        );
    }
    let rest = remaining.take_all();
    if rest.len() >= k || groups.is_empty() {
        groups.push(rest);
    } else {
        add_to_nearest_groups(matrix, &mut groups, &rest);
    }
    groups
}

/// Renews the farthest partner of the rows whose old partner is stale.
fn look_up(
    matrix: &Matrix,
    rows: &[u32],
    stale: impl Fn(u32) -> bool + Sync,
    farthest: &mut [(f64, u32)],
) {
    let renewed: Vec<(u32, (f64, u32))> = rows
        .par_iter()
        .enumerate()
        .filter(|&(_, &row)| farthest[row as usize].0 < 0.0 || stale(farthest[row as usize].1))
        .map(|(at, &row)| {
            let point = matrix.row(row as usize);
            let mut best = (-1.0, 0);
            for &other in &rows[at + 1..] {
                let distance = squared_distance(matrix.row(other as usize), point);
                if distance > best.0 {
                    best = (distance, other);
                }
            }
            (row, best)
        })
        .collect();
    for (row, best) in renewed {
        farthest[row as usize] = best;
    }
}
