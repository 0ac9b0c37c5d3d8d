//! MHM: line all records up by some heuristic, then cut the line optimally.
//!
//! # Idea
//!
//! An order of the records turns many dimensions into one: the optimal cut of `univariate.rs` then gives groups of
//! variable size. The order decides the quality, so several are tried: the groups of MDAV, MD and CBFS in the order they
//! were formed, and the path that always goes on to the nearest record (NPN).
//!
//! # Guarantee
//!
//! Every group has k to 2k - 1 records; never worse than the heuristic whose groups gave the order, when those are runs
//! of at most 2k - 1.
//!
//! # Reference
//!
//! Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe, Efficient multivariate data-oriented microaggregation, VLDB Journal 15(4),
//! 2006, doi:10.1007/s00778-006-0007-0.
//!
//! # Departures
//!
//! See `Order` for how each order is made.
//!
//! # Cost
//!
//! The order's cost plus O(n k p).

use super::remaining::Remaining;
use super::univariate::cut;
use crate::Matrix;

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
        Order::Mdav => super::mdav::mdav_by_scan(matrix, k).concat(),
        Order::Md => super::md::md(matrix, k).concat(),
        Order::Cbfs => super::cbfs::cbfs(matrix, k).concat(),
        Order::NearestPointNext => nearest_point_next(matrix),
    };
    cut(matrix, &order, k)
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
