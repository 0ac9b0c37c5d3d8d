//! The little linear algebra that noise and measures need: covariances, Cholesky factors, eigenvalues.

use crate::{Error, Matrix};

/// A square symmetric matrix, row by row.
pub type Square = Vec<Vec<f64>>;

/// The covariances of the columns, with divisor n - 1 (0 for a single record).
pub fn covariances(matrix: &Matrix) -> Square {
    let means = matrix.means();
    let p = matrix.columns();
    let mut sums = vec![vec![0.0; p]; p];
    for row in 0..matrix.rows() {
        let cells = matrix.row(row);
        for (i, sums) in sums.iter_mut().enumerate() {
            for (j, sum) in sums.iter_mut().enumerate().take(i + 1) {
                *sum += (cells[i] - means[i]) * (cells[j] - means[j]);
            }
        }
    }
    let divisor = (matrix.rows().max(2) - 1) as f64;
    let at = |i: usize, j: usize| sums[i.max(j)][i.min(j)] / divisor;
    (0..p).map(|i| (0..p).map(|j| at(i, j)).collect()).collect()
}

/// The correlations of the columns; 0 where a column is constant, 1 on the diagonal.
pub fn correlations(matrix: &Matrix) -> Square {
    let covariances = covariances(matrix);
    let p = covariances.len();
    let mut out = vec![vec![0.0; p]; p];
    for i in 0..p {
        for j in 0..p {
            let scale = (covariances[i][i] * covariances[j][j]).sqrt();
            out[i][j] = if i == j {
                1.0
            } else if scale > 0.0 {
                covariances[i][j] / scale
            } else {
                0.0
            };
        }
    }
    out
}

/// The lower triangular factor L with L L' = the matrix; refuses what is not positive definite.
pub(crate) fn cholesky(square: &Square) -> Result<Square, Error> {
    let p = square.len();
    let mut lower = vec![vec![0.0; p]; p];
    for i in 0..p {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = square[i][j] - sum;
            if i == j {
                if rest <= square[i][i].abs() * 1e-14 {
                    return Err(Error::NotPositiveDefinite);
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    Ok(lower)
}

/// The eigenvalues of a symmetric matrix, greatest first (Jacobi's rotations).
pub fn eigenvalues(square: &Square) -> Vec<f64> {
    let mut a = square.clone();
    let p = a.len();
    let size: f64 = a.iter().flatten().map(|x| x * x).sum();
    for _ in 0..60 {
        let off: f64 = (0..p)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j] * a[i][j])
            .sum();
        if off <= size * 1e-28 {
            break;
        }
        for i in 0..p {
            for j in 0..i {
                if a[i][j].abs() < f64::MIN_POSITIVE {
                    continue;
                }
                let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    let (x, y) = (row[i], row[j]);
                    row[i] = c * x - s * y;
                    row[j] = s * x + c * y;
                }
                // j < i: the two rows as disjoint borrows.
                let (above, below) = a.split_at_mut(i);
                for (x, y) in below[0].iter_mut().zip(&mut above[j]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..p).map(|i| a[i][i]).collect();
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_eigenvalues_and_factors() {
        let square = vec![
            vec![2.0, 1.0, 0.0],
            vec![1.0, 2.0, 0.0],
            vec![0.0, 0.0, 5.0],
        ];
        let values = eigenvalues(&square);
        for (found, expected) in values.iter().zip([5.0, 3.0, 1.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
        let lower = cholesky(&square).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| lower[i][k] * lower[j][k]).sum();
                assert!((product - square[i][j]).abs() < 1e-12);
            }
        }
        assert_eq!(
            cholesky(&vec![vec![1.0, 1.0], vec![1.0, 1.0]]),
            Err(Error::NotPositiveDefinite)
        );
    }
}
