//! The nearest records of every record, as a table.

use rayon::prelude::*;

use crate::Matrix;
use crate::index::Index;

/// For each record its nearest others, nearest first.
pub(crate) struct Neighbors {
    rows: Vec<u32>,
    width: usize,
}

impl Neighbors {
    /// Up to `width` neighbors of every record; ties go to the smaller record number.
    pub(crate) fn new(matrix: &Matrix, width: usize) -> Self {
        let n = matrix.rows();
        let width = width.min(n - 1);
        let index = Index::new(matrix);
        let rows = (0..n as u32)
            .into_par_iter()
            .map_init(
                || (Vec::new(), Vec::new()),
                |(stack, found), row| {
                    index.nearest(matrix.row(row as usize), width, row, stack, found);
                    found.iter().map(|&(_, other)| other).collect::<Vec<u32>>()
                },
            )
            .flatten_iter()
            .collect();
        Self { rows, width }
    }

    /// The number of neighbors each record has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub(crate) fn of(&self, row: u32) -> &[u32] {
        &self.rows[row as usize * self.width..(row as usize + 1) * self.width]
    }
}
