//! TFRP (two fixed reference points): groups of k seen from two corners of the data, then groups that cost too much dissolved.
//!
//! # Idea
//!
//! One reference point has the least value of all columns in every column, the other the greatest. In turn, the record
//! farthest from the one and from the other is taken with its k - 1 nearest records. The points never move, so no mean
//! has to be renewed. The second stage goes through the groups, the one with the greatest SSE first, and sends its records to
//! the groups with the nearest means; when that lowers the total SSE the group is gone.
//!
//! # Guarantee
//!
//! Every group has at least k records; fewer than k leftovers join their nearest groups. The second stage never raises SSE; it may
//! make groups of 2k records and more.
//!
//! # Reference
//!
//! Chang, Li and Huang, TFRP: an efficient microaggregation algorithm for statistical disclosure control, Journal of Systems and
//! Software 80(11), 2007, doi:10.1016/j.jss.2007.02.014.
//!
//! # Departures
//!
//! One number for all columns, as Kabir 2010 describes it (the paper's corner per column gives other groups). `tfrp` is the first
//! stage alone, as in the tables of the literature; `tfrp-2` is both. A record of a dissolved group sees the means as the
//! records before it left them.
//!
//! # Cost
//!
//! O(n^2 p / k) time for each stage.

use super::remaining::{Remaining, add_to_nearest_groups};
use crate::loss::centroid_of;
use crate::matrix::squared_distance;
use crate::{Centroid, Matrix};

pub(crate) fn tfrp(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let least = matrix.cells().iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = matrix
        .cells()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let corners = [
        vec![least; matrix.columns()],
        vec![greatest; matrix.columns()],
    ];
    let mut remaining = Remaining::all(matrix);
    let mut groups = Vec::new();
    for corner in corners.iter().cycle() {
        if remaining.len() < k {
            break;
        }
        let seed = remaining.farthest_from(corner);
        groups.push(remaining.take_with_nearest(seed, k));
    }
    add_to_nearest_groups(matrix, &mut groups, &remaining.take_all());
    groups
}

/// Both stages: the groups of `tfrp`, and those dissolved whose records fit better elsewhere.
pub(crate) fn tfrp_two_stages(matrix: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let mut groups: Vec<Option<TfrpGroup>> = tfrp(matrix, k)
        .into_iter()
        .map(|rows| Some(TfrpGroup::new(matrix, rows)))
        .collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let sse = |at: usize| groups[at].as_ref().map_or(0.0, |group| group.sse);
    order.sort_by(|&a, &b| sse(b).total_cmp(&sse(a)).then(a.cmp(&b)));
    let mut left = groups.len();
    for number in order {
        if left == 1 {
            break;
        }
        let Some(gone) = groups[number].take() else {
            continue;
        };
        let mut changed: Vec<(usize, TfrpGroup)> = Vec::new();
        let mut cost = 0.0;
        for &row in &gone.rows {
            let x = matrix.row(row as usize);
            let mut best = (f64::INFINITY, 0);
            for (at, group) in groups.iter().enumerate() {
                let Some(group) = group else { continue };
                let distance = squared_distance(x, &group.mean);
                if distance < best.0 {
                    best = (distance, at);
                }
            }
            let Some(target) = groups[best.1].as_mut() else {
                continue;
            };
            if changed.iter().all(|(at, _)| *at != best.1) {
                changed.push((best.1, target.clone()));
            }
            cost += target.join(row, x, best.0);
        }
        if cost < gone.sse {
            left -= 1;
        } else {
            for (at, before) in changed {
                groups[at] = Some(before);
            }
            groups[number] = Some(gone);
        }
    }
    groups
        .into_iter()
        .flatten()
        .map(|group| group.rows)
        .collect()
}

/// A group with its mean and SSE.
#[derive(Clone)]
struct TfrpGroup {
    rows: Vec<u32>,
    mean: Vec<f64>,
    sse: f64,
}

impl TfrpGroup {
    fn new(matrix: &Matrix, rows: Vec<u32>) -> Self {
        let mean = centroid_of(matrix, &rows, Centroid::Mean);
        let sse = rows
            .iter()
            .map(|&row| squared_distance(matrix.row(row as usize), &mean))
            .sum();
        Self { rows, mean, sse }
    }

    /// Takes a record at this squared distance from the mean; by how much SSE grows.
    fn join(&mut self, row: u32, x: &[f64], distance: f64) -> f64 {
        let size = self.rows.len() as f64;
        let more = size / (size + 1.0) * distance;
        for (mean, x) in self.mean.iter_mut().zip(x) {
            *mean += (x - *mean) / (size + 1.0);
        }
        self.rows.push(row);
        self.sse += more;
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microaggregate::sse_of_groups;
    use crate::{RandomSource, SplitMix64};

    /// Two far records and a crowd: the first stage gives the far ones companions from the crowd, whom the second sends home.
    #[test]
    fn a_group_across_a_gap_is_dissolved() {
        let line = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 5.0, 6.0];
        let matrix = Matrix::new(line.to_vec(), 1).unwrap();
        let one = tfrp(&matrix, 2);
        let two = tfrp_two_stages(&matrix, 2);
        assert!(sse_of_groups(&matrix, &two) <= sse_of_groups(&matrix, &one));
    }

    #[test]
    fn the_second_stage_never_raises_sse_and_keeps_k() {
        let mut lower = 0;
        for seed in 0..40 {
            let mut random = SplitMix64::new(seed);
            let cells = (0..120).map(|_| random.normal()).collect();
            let matrix = Matrix::new(cells, 2).unwrap();
            for k in [2, 3, 5] {
                let one = sse_of_groups(&matrix, &tfrp(&matrix, k));
                let groups = tfrp_two_stages(&matrix, k);
                let two = sse_of_groups(&matrix, &groups);
                assert!(two <= one + 1e-9);
                lower += usize::from(two < one - 1e-9);
                assert!(groups.iter().all(|group| group.len() >= k));
                assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 60);
            }
        }
        assert!(lower > 0, "the second stage finds something to dissolve");
    }
}
