//! The records far from a slowly moving center, kept in a short list.
//!
//! # Idea
//!
//! While groups are peeled off, the mean of what is left moves little from round to round. By the triangle inequality a
//! record's distance to the new mean is at most its distance to an old one plus the way the mean has gone. So a list of
//! the records farthest from an old mean, farthest first, answers until it runs out.

use rayon::prelude::*;

use crate::Matrix;
use crate::matrix::squared_distance;

/// The list, the center it was made for, and a bound on the distance of every live record that is not on it.
pub(super) struct FarthestList {
    center: Vec<f64>,
    /// (distance to `center`, record), farthest first.
    entries: Vec<(f64, u32)>,
    floor: f64,
}

/// Rounding may put a computed distance this much, relatively, on the wrong side of the inequality.
const SLACK: f64 = 1.0 + 1e-9;

impl FarthestList {
    /// An empty list that the first query fills.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            center: vec![0.0; columns],
            entries: Vec::new(),
            floor: f64::INFINITY,
        }
    }

    /// The live record farthest from a center, ties to the smaller number. There must be one.
    pub(super) fn farthest(&mut self, matrix: &Matrix, center: &[f64], gone: &[bool]) -> u32 {
        loop {
            let moved = squared_distance(&self.center, center).sqrt();
            let mut best: (f64, u32) = (-1.0, u32::MAX);
            let mut certain = false;
            for &(distance, row) in self.entries.iter().filter(|&&(_, row)| !gone[row as usize]) {
                if (distance + moved) * SLACK < f64::sqrt(best.0.max(0.0)) {
                    certain = true;
                    break;
                }
                let now = squared_distance(matrix.row(row as usize), center);
                if now > best.0 || (now >= best.0 && row < best.1) {
                    best = (now, row);
                }
            }
            if certain || (self.floor + moved) * SLACK < f64::sqrt(best.0.max(0.0)) {
                return best.1;
            }
            if self.floor < 0.0 {
                // Everything live is on the list and was looked at.
                return best.1;
            }
            self.fill(matrix, center, gone);
        }
    }

    /// Makes the list anew for a center.
    fn fill(&mut self, matrix: &Matrix, center: &[f64], gone: &[bool]) {
        let grown = 1024.max(matrix.rows() / 64);
        self.center = center.to_vec();
        let mut all: Vec<(f64, u32)> = (0..matrix.rows() as u32)
            .into_par_iter()
            .with_min_len(4096)
            .filter(|&row| !gone[row as usize])
            .map(|row| {
                (
                    squared_distance(matrix.row(row as usize), center).sqrt(),
                    row,
                )
            })
            .collect();
        self.floor = -1.0;
        if all.len() > 2 * grown {
            let (_, &mut (floor, _), _) =
                all.select_nth_unstable_by(grown, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.floor = floor;
            all.truncate(grown);
        }
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.entries = all;
    }
}
