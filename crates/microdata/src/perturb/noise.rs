//! Noise: a random number added to every cell, independent per column or with the correlations of the data.
//!
//! # Idea
//!
//! Additive noise has a share of each column's standard deviation. Correlated noise is drawn with a multiple of the data's
//! own covariance matrix, so that correlations of the published data stay as they were.
//!
//! # Guarantee
//!
//! None that holds for every record: no published record is true, and a record's true cell stays near its published
//! one. Noise is no k-anonymity. It protects only while the random numbers are secret: pass a secret source.
//!
//! # Reference
//!
//! Kim, A method for limiting disclosure in microdata based on random noise and transformation, ASA Survey Research Methods, 1986;
//! Brand, Microdata protection through noise addition, LNCS 2316, 2002, doi:10.1007/3-540-47804-3_8.
//!
//! # Cost
//!
//! O(n p) and O(n p^2).

use crate::linear::{cholesky, covariances};
use crate::{Error, Matrix, RandomSource};

/// Adds to every cell a normal number with `share` times its column's standard deviation.
pub fn additive_noise(
    matrix: &Matrix,
    share: f64,
    random: &mut dyn RandomSource,
) -> Result<Matrix, Error> {
    check(share)?;
    let spread: Vec<f64> = covariances(matrix)
        .iter()
        .enumerate()
        .map(|(i, row)| row[i].sqrt() * share)
        .collect();
    let cells = matrix
        .cells()
        .iter()
        .enumerate()
        .map(|(at, cell)| cell + spread[at % matrix.columns()] * random.normal())
        .collect();
    Matrix::new(cells, matrix.columns())
}

/// Adds to every record a normal vector with `share` squared times the covariances of the data, so correlations keep.
pub fn correlated_noise(
    matrix: &Matrix,
    share: f64,
    random: &mut dyn RandomSource,
) -> Result<Matrix, Error> {
    check(share)?;
    let lower = cholesky(&covariances(matrix))?;
    let p = matrix.columns();
    let mut cells = Vec::with_capacity(matrix.cells().len());
    for row in 0..matrix.rows() {
        let draws: Vec<f64> = (0..p).map(|_| random.normal()).collect();
        for (column, cell) in matrix.row(row).iter().enumerate() {
            let noise: f64 = lower[column]
                .iter()
                .zip(&draws)
                .take(column + 1)
                .map(|(l, z)| l * z)
                .sum();
            cells.push(cell + share * noise);
        }
    }
    Matrix::new(cells, p)
}

fn check(share: f64) -> Result<(), Error> {
    if share.is_finite() && share >= 0.0 {
        Ok(())
    } else {
        Err(Error::Option {
            option: "share",
            expected: "a number of 0 or more",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;
    use crate::linear::correlations;

    fn data() -> Matrix {
        let mut random = SplitMix64::new(1);
        let rows: Vec<[f64; 2]> = (0..20_000)
            .map(|_| {
                let x = random.normal();
                [10.0 * x, 3.0 * x + random.normal()]
            })
            .collect();
        Matrix::from_rows(&rows).unwrap()
    }

    #[test]
    fn additive_noise_weakens_correlation_and_correlated_noise_keeps_it() {
        let data = data();
        let before = correlations(&data)[0][1];
        let mut random = SplitMix64::new(4);
        let plain = additive_noise(&data, 0.5, &mut random).unwrap();
        let kept = correlated_noise(&data, 0.5, &mut random).unwrap();
        // Independent noise of half a standard deviation divides the correlation by 1.25.
        assert!((correlations(&plain)[0][1] - before / 1.25).abs() < 0.02);
        assert!((correlations(&kept)[0][1] - before).abs() < 0.01);
        // Both add a quarter of the variance.
        for noisy in [&plain, &kept] {
            let ratio = covariances(noisy)[0][0] / covariances(&data)[0][0];
            assert!((ratio - 1.25).abs() < 0.05, "{ratio}");
        }
        assert!(additive_noise(&data, f64::NAN, &mut random).is_err());
    }

    #[test]
    fn a_constant_column_cannot_have_correlated_noise() {
        let constant = Matrix::new(vec![1.0; 8], 2).unwrap();
        let found = correlated_noise(&constant, 0.1, &mut SplitMix64::new(1));
        assert_eq!(found, Err(Error::NotPositiveDefinite));
    }
}
