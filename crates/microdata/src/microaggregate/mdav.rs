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
//! threshold 2k variant with leftovers as section 6.2 of Kabir 2010 tells it. MDAV-1: Lin, Wen, Hsieh and Chang, Density-based
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

use super::farthest_list::FarthestList;
use super::remaining::{Remaining, add_to_nearest_groups};
use crate::Matrix;
use crate::index::Index;

/// MDAV with threshold 3k by a spatial index: the groups of `mdav_by_scan`.
pub(crate) fn mdav(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut peeling = Peeling::new(matrix);
    let mut groups = Vec::with_capacity(matrix.rows() / k);
    while peeling.index.len() >= 3 * k {
        let r = peeling.farthest_from_centroid();
        let s = peeling.farthest_from(r);
        let around_r = peeling.take_with_nearest(r, k);
        let s = if around_r.contains(&s) {
            peeling.farthest_from(r)
        } else {
            s
        };
        groups.push(around_r);
        groups.push(peeling.take_with_nearest(s, k));
    }
    if peeling.index.len() >= 2 * k {
        let r = peeling.farthest_from_centroid();
        groups.push(peeling.take_with_nearest(r, k));
    }
    let gone = &peeling.gone;
    groups.push(
        (0..matrix.rows() as u32)
            .filter(|&row| !gone[row as usize])
            .collect(),
    );
    groups
}

/// The records left, in an index, with their sum.
struct Peeling<'a> {
    matrix: &'a Matrix,
    index: Index,
    gone: Vec<bool>,
    rim: FarthestList,
    /// The sum of the records left, in two parts: the second holds what rounding took from the first.
    sum: Vec<(f64, f64)>,
    stack: Vec<(f64, u32)>,
    found: Vec<(f64, u32)>,
}

impl<'a> Peeling<'a> {
    fn new(matrix: &'a Matrix) -> Self {
        let mut sum = vec![(0.0, 0.0); matrix.columns()];
        for row in 0..matrix.rows() {
            add(&mut sum, matrix.row(row), 1.0);
        }
        Self {
            matrix,
            index: Index::new(matrix),
            gone: vec![false; matrix.rows()],
            rim: FarthestList::new(matrix.columns()),
            sum,
            stack: Vec::new(),
            found: Vec::new(),
        }
    }

    fn farthest_from_centroid(&mut self) -> u32 {
        let size = self.index.len() as f64;
        let centroid: Vec<f64> = self
            .sum
            .iter()
            .map(|(high, low)| (high + low) / size)
            .collect();
        self.rim.farthest(self.matrix, &centroid, &self.gone)
    }

    fn farthest_from(&mut self, row: u32) -> u32 {
        self.index
            .farthest(self.matrix.row(row as usize), &mut self.stack)
    }

    fn take_with_nearest(&mut self, seed: u32, k: usize) -> Vec<u32> {
        let point = self.matrix.row(seed as usize);
        self.index
            .nearest(point, k - 1, seed, &mut self.stack, &mut self.found);
        let mut group = Vec::with_capacity(k);
        group.push(seed);
        group.extend(self.found.iter().map(|&(_, row)| row));
        for &row in &group {
            self.index.remove(row);
            self.gone[row as usize] = true;
            add(&mut self.sum, self.matrix.row(row as usize), -1.0);
        }
        group
    }
}

/// Adds or subtracts a record without losing what rounding takes (Neumaier's sum), so that removal does not drift.
fn add(sum: &mut [(f64, f64)], cells: &[f64], sign: f64) {
    for ((high, low), cell) in sum.iter_mut().zip(cells) {
        let x = sign * cell;
        let total = *high + x;
        *low += if high.abs() >= x.abs() {
            (*high - total) + x
        } else {
            (x - total) + *high
        };
        *high = total;
    }
}

/// MDAV with threshold 3k, every query a scan of what is left.
#[cfg_attr(not(test), allow(dead_code, reason = "the oracle of `mdav`"))]
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Small whole numbers: many ties, equal records and constant columns, and sums without rounding.
        #[test]
        fn the_index_finds_the_groups_of_the_scan(
            cells in prop::collection::vec(0_u8..5, 4..400),
            columns in 1_usize..5,
            k in 1_usize..7,
        ) {
            let rows = cells.len() / columns;
            prop_assume!(rows >= k);
            let cells = cells[..rows * columns].iter().map(|&cell| f64::from(cell)).collect();
            let matrix = Matrix::new(cells, columns).unwrap();
            let sorted = |mut groups: Vec<Vec<u32>>| {
                for group in &mut groups {
                    group.sort_unstable();
                }
                groups
            };
            prop_assert_eq!(sorted(mdav(&matrix, k)), sorted(mdav_by_scan(&matrix, k)));
        }

        /// Numbers without ties, enough of them for several levels of the index.
        #[test]
        fn and_so_on_numbers_without_ties(seed in any::<u64>(), rows in 100_usize..900, columns in 1_usize..7, k in 2_usize..12) {
            use crate::RandomSource as _;
            let mut random = crate::SplitMix64::new(seed);
            let cells = (0..rows * columns).map(|_| random.normal()).collect();
            let matrix = Matrix::new(cells, columns).unwrap();
            let (index, scan) = (mdav(&matrix, k), mdav_by_scan(&matrix, k));
            prop_assert_eq!(index.len(), scan.len());
            let one = crate::microaggregate::sse_of_groups(&matrix, &index);
            let two = crate::microaggregate::sse_of_groups(&matrix, &scan);
            prop_assert!((one - two).abs() <= 1e-9 * one.max(1.0), "{one} {two}");
        }
    }
}
