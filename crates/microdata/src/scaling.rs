//! Brings columns to a common scale before distances are taken.

use crate::{Matrix, Scaling};

impl Matrix {
    /// The scaled copy.
    #[must_use]
    pub fn scaled(&self, scaling: Scaling) -> Matrix {
        let matrix = self;
        let (origin, unit) = match scaling {
            Scaling::Raw => return matrix.clone(),
            Scaling::Standardize => {
                let means = matrix.means();
                let mut spread = vec![0.0; matrix.columns()];
                for row in 0..matrix.rows() {
                    for ((sum, cell), mean) in spread.iter_mut().zip(matrix.row(row)).zip(&means) {
                        *sum += (cell - mean) * (cell - mean);
                    }
                }
                let n = matrix.rows() as f64;
                for sum in &mut spread {
                    *sum = (*sum / n).sqrt();
                }
                (means, spread)
            }
            Scaling::MinMax => {
                let mut low = matrix.row(0).to_vec();
                let mut high = low.clone();
                for row in 0..matrix.rows() {
                    for (column, &cell) in matrix.row(row).iter().enumerate() {
                        low[column] = low[column].min(cell);
                        high[column] = high[column].max(cell);
                    }
                }
                let range = low
                    .iter()
                    .zip(&high)
                    .map(|(low, high)| high - low)
                    .collect();
                (low, range)
            }
        };
        matrix.map(|_, column, cell| {
            if unit[column] > 0.0 {
                (cell - origin[column]) / unit[column]
            } else {
                0.0
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scaling_does_what_it_says() {
        let matrix = Matrix::from_rows(&[[1.0, 7.0], [3.0, 7.0], [5.0, 7.0], [7.0, 7.0]]).unwrap();
        let z = matrix.scaled(Scaling::Standardize);
        let sum: f64 = z.column(0).iter().sum();
        let squares: f64 = z.column(0).iter().map(|x| x * x).sum();
        assert!(sum.abs() < 1e-12 && (squares - 4.0).abs() < 1e-12);
        assert_eq!(z.column(1), [0.0; 4]);
        assert_eq!(
            matrix.scaled(Scaling::MinMax).column(0),
            [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]
        );
        assert_eq!(matrix.scaled(Scaling::Raw), matrix);
    }
}
