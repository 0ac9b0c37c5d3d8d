//! Runs: the records in sorted order, cut into runs of k to 2k - 1 with the least total loss.
//!
//! # Idea
//!
//! Sorted by their quasi-identifiers, equal records stand together and similar ones near each other. The cheapest cut of
//! that line is a shortest path, as in optimal univariate microaggregation. Several orders are tried (each attribute in
//! turn last), and the cheapest cut is taken; `refine` then improves it.
//!
//! # Guarantee
//!
//! Clusters of k to 2k - 1 records; the least loss (4.1) of all cuts of the orders tried.
//!
//! # Reference
//!
//! The shortest path: Hansen and Mukherjee, IEEE TKDE 15(4), 2003, doi:10.1109/TKDE.2003.1209020; here for equation (4.1).
//!
//! # Departures
//!
//! Ours. On Adult it loses about half of what k-member loses.
//!
//! # Cost
//!
//! O(n k) additions per order, and for each distinct point the spreads of the points up to 2k records before it; orders in parallel.

use rayon::prelude::*;

use super::points::Points;
use super::records::Records;
use crate::{Error, Partition};

/// Clusters of k to 2k - 1 records: the best cut over all orders.
pub fn runs(records: &Records, k: usize) -> Result<Partition, Error> {
    super::check(records, k, 0)?;
    let points = Points::new(records);
    let best = points
        .orders()
        .par_iter()
        .map(|order| cut(&points, order, k))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, groups)| groups)
        .unwrap_or_default();
    Partition::new(best, records.len())
}

/// The cheapest cut of one order of points, with its loss.
fn cut(points: &Points, order: &[u32], k: usize) -> (f64, Vec<Vec<u32>>) {
    let rows: Vec<u32> = order
        .iter()
        .flat_map(|&point| points.rows[point as usize].iter().copied())
        .collect();
    let n = rows.len();
    let most = if n < 2 * k { n } else { 2 * k - 1 };
    let mut least = vec![f64::INFINITY; n + 1];
    let mut from = vec![0; n + 1];
    least[0] = 0.0;
    let mut starts = Vec::with_capacity(order.len() + 1);
    let mut start = 0;
    for &point in order {
        starts.push(start);
        start += points.count(point);
    }
    starts.push(n);
    // Runs that end in one point share their spreads: (first row of the point, spread of everything from there).
    let mut spreads: Vec<(usize, f64)> = Vec::new();
    for (at, &point) in order.iter().enumerate() {
        let (first, last) = (starts[at], starts[at + 1]);
        spreads.clear();
        spreads.push((first, 0.0));
        let mut extent = points.records.extent_of(point);
        for before in (0..at).rev() {
            if first + 1 - starts[before + 1] >= most {
                break;
            }
            points.records.grow(&mut extent, order[before]);
            spreads.push((starts[before], points.records.spread(&extent)));
        }
        for end in (first + 1).max(k)..=last {
            let mut best = (f64::INFINITY, 0);
            let mut stop = end + 1 - k;
            let lowest = end.saturating_sub(most);
            for &(start, spread) in &spreads {
                let begins = least.iter().enumerate().take(stop);
                for (begin, before) in begins.skip(start.max(lowest)) {
                    let total = before + (end - begin) as f64 * spread;
                    if total < best.0 {
                        best = (total, begin);
                    }
                }
                stop = stop.min(start);
                if start <= lowest {
                    break;
                }
            }
            (least[end], from[end]) = best;
        }
    }
    let mut groups = Vec::new();
    let mut end = n;
    while end > 0 {
        groups.push(rows[from[end]..end].to_vec());
        end = from[end];
    }
    (least[n], groups)
}

#[cfg(test)]
mod tests {
    use super::super::CategoryTree;
    use super::*;
    use crate::random::{RandomSource, SplitMix64};

    /// The cheapest cut of a line by trying every last run.
    fn by_recursion(records: &Records, line: &[u32], k: usize) -> f64 {
        if line.is_empty() {
            return 0.0;
        }
        let most = if line.len() < 2 * k {
            line.len()
        } else {
            2 * k - 1
        };
        (k..=most.min(line.len()))
            .map(|size| {
                let (rest, run) = line.split_at(line.len() - size);
                by_recursion(records, rest, k) + records.total_loss(std::iter::once(run))
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_cut_is_the_cheapest_of_all_cuts() {
        let mut random = SplitMix64::new(3);
        for case in 0..60 {
            let n = 4 + case % 13;
            let k = 2 + case % 3;
            let ages = (0..n).map(|_| random.below(6) as f64).collect();
            let codes = (0..n).map(|_| random.below(3) as u32).collect();
            let tree = CategoryTree::from_paths(&[[0, 2], [0, 2], [1, 2]]).unwrap();
            let records = Records::new(vec![ages], vec![(codes, tree)]).unwrap();
            let points = Points::new(&records);
            for order in points.orders() {
                let line: Vec<u32> = order
                    .iter()
                    .flat_map(|&point| points.rows[point as usize].clone())
                    .collect();
                let (loss, groups) = cut(&points, &order, k);
                let expected = by_recursion(&records, &line, k);
                assert!((loss - expected).abs() < 1e-9, "{loss} {expected}");
                let again = records.total_loss(groups.iter().map(Vec::as_slice));
                assert!((loss - again).abs() < 1e-9);
            }
        }
    }
}
