//! MHM: line all records up by some heuristic, then cut the line optimally.
//!
//! # Idea
//!
//! An order of the records turns many dimensions into one: the optimal cut of `univariate.rs` then gives groups of
//! variable size. The order decides the quality, so several are tried: a path through the groups of MDAV, MD or CBFS, and
//! the path that always goes on to the nearest record (NPN).
//!
//! # Guarantee
//!
//! Every group has k to 2k - 1 records. Never worse than the heuristic whose groups gave the order when those have at
//! most 2k - 1 records: they are runs of that order.
//!
//! # Reference
//!
//! Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe, Efficient multivariate data-oriented microaggregation, VLDB Journal 15(4),
//! 2006, doi:10.1007/s00778-006-0007-0.
//!
//! # Departures
//!
//! The paper leaves open how records are lined up within a group: ours go from the far side to the near side of the next group.
//!
//! # Cost
//!
//! The order's cost plus O(n k p).

use super::remaining::Remaining;
use super::univariate::cut;
use crate::matrix::squared_distance;
use crate::{Centroid, Matrix, centroid_of};

/// How MHM lines the records up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The groups of MDAV.
    Mdav,
    /// The groups of MD.
    Md,
    /// The groups of CBFS.
    Cbfs,
    /// Nearest point next, from the record farthest from the mean.
    NearestPointNext,
}

pub(crate) fn mhm(matrix: &Matrix, k: usize, order: Order) -> Vec<Vec<u32>> {
    let order = match order {
        Order::Mdav => along(matrix, &super::mdav::mdav_by_scan(matrix, k)),
        Order::Md => along(matrix, &super::md::md(matrix, k)),
        Order::Cbfs => along(matrix, &super::cbfs::cbfs(matrix, k)),
        Order::NearestPointNext => nearest_point_next(matrix),
    };
    cut(matrix, &order, k)
}

/// The best of the four orders.
pub(crate) fn best_order(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let orders = [Order::Mdav, Order::Md, Order::Cbfs, Order::NearestPointNext];
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    for order in orders {
        let groups = mhm(matrix, k, order);
        let sse = super::sse_of_groups(matrix, &groups);
        if best.as_ref().is_none_or(|(least, _)| sse < *least) {
            best = Some((sse, groups));
        }
    }
    best.map_or_else(Vec::new, |(_, groups)| groups)
}

/// A path through all records that visits one group after the other, always on to the group with the nearest mean, and
/// within a group goes from the records far from the next group's mean to those near it.
fn along(matrix: &Matrix, groups: &[Vec<u32>]) -> Vec<u32> {
    let means: Vec<f64> = groups
        .iter()
        .flat_map(|group| centroid_of(matrix, group, Centroid::Mean))
        .collect();
    let Ok(means) = Matrix::new(means, matrix.columns()) else {
        return groups.concat();
    };
    let path = nearest_point_next(&means);
    let mut order = Vec::with_capacity(matrix.rows());
    for (at, &here) in path.iter().enumerate() {
        let mut group = groups[here as usize].clone();
        group.sort_unstable();
        if let Some(&next) = path.get(at + 1) {
            let next = means.row(next as usize);
            let distance = |row: u32| squared_distance(matrix.row(row as usize), next);
            group.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
        }
        order.extend(group);
    }
    order
}

fn nearest_point_next(matrix: &Matrix) -> Vec<u32> {
    let mut remaining = Remaining::all(matrix);
    let mut here = remaining.farthest_from(&remaining.centroid());
    let mut order = vec![here];
    remaining.remove(&[here]);
    while let Some((_, next)) = remaining.nearest_to(matrix.row(here as usize), u32::MAX) {
        order.push(next);
        remaining.remove(&[next]);
        here = next;
    }
    order
}
