//! Optimal microaggregation along an ordering: exact for one column, the last step of MHM for many.
//!
//! # Idea
//!
//! In one dimension some optimal partition cuts the sorted records into runs of k to 2k - 1. The cheapest cut is a
//! shortest path: the best partition of the first i records ends with a run of some size after a best partition of the rest.
//!
//! # Guarantee
//!
//! Least SSE among all partitions into runs of k or more of the given order; for one sorted column least of all
//! partitions with groups of k or more (tested against brute force).
//!
//! # Reference
//!
//! Hansen and Mukherjee, A polynomial algorithm for optimal univariate microaggregation, IEEE TKDE 15(4), 2003,
//! doi:10.1109/TKDE.2003.1209020.
//!
//! # Departures
//!
//! Costs come from running sums of centered values rather than from prefix sums of raw squares, which cancel.
//!
//! # Cost
//!
//! O(n k p) time, O(n) memory.

use crate::Matrix;

/// The records of a one-column matrix in ascending order, cut optimally.
pub(crate) fn univariate(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..matrix.rows() as u32).collect();
    order.sort_by(|&a, &b| {
        matrix.row(a as usize)[0]
            .total_cmp(&matrix.row(b as usize)[0])
            .then(a.cmp(&b))
    });
    cut(matrix, &order, k)
}

/// The cheapest cut of an order of all records into runs of k to 2k - 1 (one run when there are fewer than 2k).
pub(crate) fn cut(matrix: &Matrix, order: &[u32], k: usize) -> Vec<Vec<u32>> {
    let n = order.len();
    let p = matrix.columns();
    if n < 2 * k {
        return vec![order.to_vec()];
    }
    let mut least = vec![f64::INFINITY; n + 1];
    let mut from = vec![0_usize; n + 1];
    least[0] = 0.0;
    let mut mean = vec![0.0; p];
    for end in k..=n {
        // Grow the run backwards from `end`, keeping its SSE by Welford's update.
        let mut sse = 0.0;
        mean.fill(0.0);
        for size in 1..=(2 * k - 1).min(end) {
            let row = matrix.row(order[end - size] as usize);
            for (mean, x) in mean.iter_mut().zip(row) {
                let before = x - *mean;
                *mean += before / size as f64;
                sse += before * (x - *mean);
            }
            let total = least[end - size] + sse;
            if size >= k && total < least[end] {
                least[end] = total;
                from[end] = end - size;
            }
        }
    }
    let mut groups = Vec::new();
    let mut end = n;
    while end > 0 {
        groups.push(order[from[end]..end].to_vec());
        end = from[end];
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Partition, RandomSource, SplitMix64, sse};

    /// The least SSE over all set partitions with blocks of k or more.
    fn brute_force(matrix: &Matrix, k: usize) -> f64 {
        fn place(matrix: &Matrix, k: usize, row: u32, groups: &mut Vec<Vec<u32>>, best: &mut f64) {
            let n = matrix.rows();
            if row as usize == n {
                if groups.iter().all(|group| group.len() >= k) {
                    let partition = Partition::new(groups.clone(), n).expect("a partition");
                    *best = best.min(sse(matrix, &partition));
                }
                return;
            }
            for at in 0..groups.len() {
                groups[at].push(row);
                place(matrix, k, row + 1, groups, best);
                groups[at].pop();
            }
            groups.push(vec![row]);
            place(matrix, k, row + 1, groups, best);
            groups.pop();
        }
        let mut best = f64::INFINITY;
        place(matrix, k, 0, &mut Vec::new(), &mut best);
        best
    }

    #[test]
    fn one_column_agrees_with_brute_force() {
        let mut random = SplitMix64::new(3);
        for case in 0..60 {
            let n = 4 + case % 5;
            let values: Vec<f64> = (0..n).map(|_| random.below(12) as f64).collect();
            let matrix = Matrix::new(values, 1).unwrap();
            for k in 2..=3 {
                let found = Partition::new(univariate(&matrix, k), n).unwrap();
                assert!(found.smallest() >= k);
                assert!((sse(&matrix, &found) - brute_force(&matrix, k)).abs() < 1e-9);
            }
        }
    }
}
