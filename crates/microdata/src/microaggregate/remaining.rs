//! The records not yet in a group, scanned in full: the plain working set of the quadratic heuristics.

use crate::Matrix;
use crate::matrix::squared_distance;

/// Unassigned records in ascending order. Ties go to the smaller record number, so results do not depend on the scan.
pub(crate) struct Remaining<'a> {
    matrix: &'a Matrix,
    rows: Vec<u32>,
    /// (distance, row) buffer, reused between queries.
    near: Vec<(f64, u32)>,
}

impl<'a> Remaining<'a> {
    pub(crate) fn all(matrix: &'a Matrix) -> Self {
        Self {
            matrix,
            rows: (0..matrix.rows() as u32).collect(),
            near: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(crate) fn row(&self, row: u32) -> &'a [f64] {
        self.matrix.row(row as usize)
    }

    /// The mean of the remaining records.
    pub(crate) fn centroid(&self) -> Vec<f64> {
        crate::loss::centroid_of(self.matrix, &self.rows, crate::Centroid::Mean)
    }

    /// The remaining record most distant from a point. There must be one.
    pub(crate) fn farthest_from(&self, point: &[f64]) -> u32 {
        let mut best = (-1.0, 0);
        for &row in &self.rows {
            let distance = squared_distance(self.row(row), point);
            if distance > best.0 {
                best = (distance, row);
            }
        }
        best.1
    }

    /// The remaining record nearest to a point, and its squared distance; `None` when none is left.
    pub(crate) fn nearest_to(&self, point: &[f64], except: u32) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        for &row in self.rows.iter().filter(|&&row| row != except) {
            let distance = squared_distance(self.row(row), point);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, row));
            }
        }
        best
    }

    /// Removes and returns a remaining record and its `k - 1` nearest ones; all when fewer than k remain.
    pub(crate) fn take_with_nearest(&mut self, seed: u32, k: usize) -> Vec<u32> {
        let point = self.row(seed);
        let matrix = self.matrix;
        self.near.clear();
        self.near.extend(self.rows.iter().map(|&row| {
            let distance = if row == seed {
                -1.0
            } else {
                squared_distance(matrix.row(row as usize), point)
            };
            (distance, row)
        }));
        if k < self.near.len() {
            let _ = self
                .near
                .select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.near.truncate(k);
        }
        self.near
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let group: Vec<u32> = self.near.iter().map(|&(_, row)| row).collect();
        self.remove(&group);
        group
    }

    /// Removes these records.
    pub(crate) fn remove(&mut self, group: &[u32]) {
        let mut sorted = group.to_vec();
        sorted.sort_unstable();
        self.rows.retain(|row| sorted.binary_search(row).is_err());
    }

    /// Removes and returns everything that is left.
    pub(crate) fn take_all(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.rows)
    }
}

/// Adds each leftover record to the group whose mean is nearest; the means are those before any leftover came.
pub(crate) fn add_to_nearest_groups(matrix: &Matrix, groups: &mut [Vec<u32>], leftovers: &[u32]) {
    let means: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| crate::loss::centroid_of(matrix, group, crate::Centroid::Mean))
        .collect();
    for &row in leftovers {
        let mut best = (f64::INFINITY, 0);
        for (number, mean) in means.iter().enumerate() {
            let distance = squared_distance(matrix.row(row as usize), mean);
            if distance < best.0 {
                best = (distance, number);
            }
        }
        groups[best.1].push(row);
    }
}
