//! Numeric records as one block of memory: n rows of p finite numbers.

use crate::Error;

/// Records by row; every cell is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    cells: Vec<f64>,
    columns: usize,
}

impl Matrix {
    /// From row-major cells.
    pub fn new(cells: Vec<f64>, columns: usize) -> Result<Self, Error> {
        if columns == 0 {
            return Err(Error::Empty { what: "columns" });
        }
        if cells.is_empty() {
            return Err(Error::Empty { what: "records" });
        }
        if !cells.len().is_multiple_of(columns) {
            return Err(Error::Ragged {
                row: cells.len() / columns,
                found: cells.len() % columns,
                expected: columns,
            });
        }
        if let Some(at) = cells.iter().position(|cell| !cell.is_finite()) {
            return Err(Error::NotFinite {
                row: at / columns,
                column: at % columns,
            });
        }
        Ok(Self { cells, columns })
    }

    /// From rows of equal length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, Error> {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        if rows.is_empty() {
            return Err(Error::Empty { what: "records" });
        }
        let mut cells = Vec::with_capacity(rows.len() * columns);
        for (at, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != columns {
                return Err(Error::Ragged {
                    row: at,
                    found: row.len(),
                    expected: columns,
                });
            }
            cells.extend_from_slice(row);
        }
        Self::new(cells, columns)
    }

    /// From columns of equal length.
    pub fn from_columns<C: AsRef<[f64]>>(columns: &[C]) -> Result<Self, Error> {
        let rows = columns.first().map_or(0, |column| column.as_ref().len());
        for (at, column) in columns.iter().enumerate() {
            if column.as_ref().len() != rows {
                return Err(Error::Mismatch {
                    what: if at == 0 {
                        "the first column"
                    } else {
                        "a column"
                    },
                    found: column.as_ref().len(),
                    expected: rows,
                });
            }
        }
        let mut cells = Vec::with_capacity(rows * columns.len());
        for row in 0..rows {
            cells.extend(columns.iter().map(|column| column.as_ref()[row]));
        }
        Self::new(cells, columns.len())
    }

    /// The number of records, n.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// The number of columns, p.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One record.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.columns..(row + 1) * self.columns]
    }

    /// All cells, row by row.
    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// One column, copied.
    pub fn column(&self, column: usize) -> Vec<f64> {
        self.cells
            .iter()
            .skip(column)
            .step_by(self.columns)
            .copied()
            .collect()
    }

    /// These columns only, in this order.
    pub fn select_columns(&self, columns: &[usize]) -> Result<Self, Error> {
        if columns.iter().any(|&column| column >= self.columns) {
            return Err(Error::Option {
                option: "columns",
                expected: "column numbers of the data",
            });
        }
        let mut cells = Vec::with_capacity(self.rows() * columns.len());
        for row in 0..self.rows() {
            let row = self.row(row);
            cells.extend(columns.iter().map(|&column| row[column]));
        }
        Self::new(cells, columns.len())
    }

    /// These records only, in this order.
    pub fn select_rows(&self, rows: &[u32]) -> Result<Self, Error> {
        let mut cells = Vec::with_capacity(rows.len() * self.columns);
        for &row in rows {
            cells.extend_from_slice(self.row(row as usize));
        }
        Self::new(cells, self.columns)
    }

    /// The mean of each column.
    pub fn means(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.columns];
        for row in self.cells.chunks_exact(self.columns) {
            for (mean, cell) in means.iter_mut().zip(row) {
                *mean += cell;
            }
        }
        let n = self.rows() as f64;
        for mean in &mut means {
            *mean /= n;
        }
        means
    }

    /// A matrix of the same shape whose cells are made from (row, column, cell). The closure must give finite numbers.
    pub(crate) fn map(&self, mut make: impl FnMut(usize, usize, f64) -> f64) -> Self {
        let columns = self.columns;
        let cells = self
            .cells
            .iter()
            .enumerate()
            .map(|(at, &cell)| make(at / columns, at % columns, cell))
            .collect();
        Self { cells, columns }
    }
}

/// The squared Euclidean distance of two records.
#[inline]
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_matrix() {
        assert_eq!(
            Matrix::new(vec![], 2),
            Err(Error::Empty { what: "records" })
        );
        assert_eq!(
            Matrix::new(vec![1.0], 0),
            Err(Error::Empty { what: "columns" })
        );
        assert_eq!(
            Matrix::new(vec![1.0; 5], 2).map_err(|e| e.code()),
            Err("data-ragged")
        );
        assert_eq!(
            Matrix::new(vec![1.0, 2.0, f64::NAN, 4.0], 2),
            Err(Error::NotFinite { row: 1, column: 0 })
        );
        assert_eq!(
            Matrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).map_err(|e| e.code()),
            Err("data-ragged")
        );
    }

    #[test]
    fn rows_and_columns_are_two_views_of_the_same_cells() {
        let by_rows = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]]).unwrap();
        let by_columns = Matrix::from_columns(&[[1.0, 3.0, 5.0], [2.0, 4.0, 9.0]]).unwrap();
        assert_eq!(by_rows, by_columns);
        assert_eq!(by_rows.column(1), [2.0, 4.0, 9.0]);
        assert_eq!(by_rows.means(), [3.0, 5.0]);
        assert_eq!(
            by_rows.select_columns(&[1]).unwrap().cells(),
            [2.0, 4.0, 9.0]
        );
        assert_eq!(by_rows.select_rows(&[2]).unwrap().cells(), [5.0, 9.0]);
    }
}
