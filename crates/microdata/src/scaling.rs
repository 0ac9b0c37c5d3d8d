//! Brings columns to a common scale before distances are taken.

use crate::Matrix;

/// How columns are scaled before grouping. Groups are found on the scaled copy; centroids are taken on the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// Mean 0, population standard deviation 1 (divisor n): the convention of the literature. A constant column becomes 0.
    #[default]
    Standardize,
    /// As they are: the column with the largest numbers decides.
    Raw,
    /// Minimum 0, maximum 1. A constant column becomes 0.
    MinMax,
}

impl Scaling {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standardize => "standardize",
            Self::Raw => "raw",
            Self::MinMax => "min-max",
        }
    }

    /// The scaling of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Standardize, Self::Raw, Self::MinMax]
            .into_iter()
            .find(|scaling| scaling.name() == name)
    }

    /// The scaled copy.
    pub fn apply(self, matrix: &Matrix) -> Matrix {
        let (origin, unit) = match self {
            Self::Raw => return matrix.clone(),
            Self::Standardize => {
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
            Self::MinMax => {
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
        let z = Scaling::Standardize.apply(&matrix);
        let sum: f64 = z.column(0).iter().sum();
        let squares: f64 = z.column(0).iter().map(|x| x * x).sum();
        assert!(sum.abs() < 1e-12 && (squares - 4.0).abs() < 1e-12);
        assert_eq!(z.column(1), [0.0; 4]);
        assert_eq!(
            Scaling::MinMax.apply(&matrix).column(0),
            [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]
        );
        assert_eq!(Scaling::Raw.apply(&matrix), matrix);
        assert_eq!(Scaling::named("min-max"), Some(Scaling::MinMax));
        assert_eq!(Scaling::named("z"), None);
    }
}
