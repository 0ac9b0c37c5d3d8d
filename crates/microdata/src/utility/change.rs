//! How far published numbers moved: IL1s, and the change of means, covariances, correlations and eigenvalues.
//!
//! # Reference
//!
//! Mateo-Sanz, Domingo-Ferrer and Sebe, Probabilistic information loss measures in confidentiality protection of continuous microdata,
//! Data Mining and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0011-9 (mean variation of moments); IL1s: Yancey, Winkler and
//! Creecy, Disclosure risk assessment in perturbative microdata protection, LNCS 2316, 2002, doi:10.1007/3-540-47804-3_11.

use crate::linear::{Square, correlations, covariances, eigenvalues};
use crate::{Error, Matrix};

/// Differences between original and published data. Relative changes are |after - before| / |before| on average, over
/// entries that were not 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// IL1s: mean over all cells of |x - x'| / (sqrt(2) * standard deviation of the column); constant columns are skipped.
    pub il1s: f64,
    /// The mean relative change of the column means.
    pub means: f64,
    /// The mean relative change of variances and covariances.
    pub covariances: f64,
    /// The mean absolute change of the correlations of different columns.
    pub correlations: f64,
    /// The mean relative change of the eigenvalues of the covariance matrix.
    pub eigenvalues: f64,
}

/// Differences of moments alone: they need no pairs of records, so a release that lost or reordered records can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct MomentChange {
    /// The mean relative change of the column means.
    pub means: f64,
    /// The mean relative change of variances and covariances.
    pub covariances: f64,
    /// The mean absolute change of the correlations of different columns.
    pub correlations: f64,
    /// The mean relative change of the eigenvalues of the covariance matrix.
    pub eigenvalues: f64,
}

/// Compares published data with the original, record by record.
pub fn change(original: &Matrix, published: &Matrix) -> Result<Change, Error> {
    super::same_shape(original, published)?;
    let before = covariances(original);
    let (mut sum, mut cells) = (0.0, 0_usize);
    for row in 0..original.rows() {
        for (column, (x, y)) in original.row(row).iter().zip(published.row(row)).enumerate() {
            let spread = before[column][column].sqrt();
            if spread > 0.0 {
                sum += (x - y).abs() / (std::f64::consts::SQRT_2 * spread);
                cells += 1;
            }
        }
    }
    let moments = moment_change(original, published)?;
    Ok(Change {
        il1s: sum / cells.max(1) as f64,
        means: moments.means,
        covariances: moments.covariances,
        correlations: moments.correlations,
        eigenvalues: moments.eigenvalues,
    })
}

/// Compares the moments of published data with the original's; the numbers of records may differ.
pub fn moment_change(original: &Matrix, published: &Matrix) -> Result<MomentChange, Error> {
    let p = original.columns();
    if published.columns() != p {
        return Err(Error::Mismatch {
            what: "a published record",
            found: published.columns(),
            expected: p,
        });
    }
    let (before, after) = (covariances(original), covariances(published));
    let lower =
        |square: &Square| -> Vec<f64> { (0..p).flat_map(|i| square[i][..=i].to_vec()).collect() };
    let off =
        |square: &Square| -> Vec<f64> { (0..p).flat_map(|i| square[i][..i].to_vec()).collect() };
    let (one, two) = (off(&correlations(original)), off(&correlations(published)));
    let correlation = one
        .iter()
        .zip(&two)
        .map(|(a, b)| (a - b).abs())
        .sum::<f64>()
        / one.len().max(1) as f64;
    Ok(MomentChange {
        means: relative(&original.means(), &published.means()),
        covariances: relative(&lower(&before), &lower(&after)),
        // A sum of nothing is -0.
        correlations: correlation + 0.0,
        eigenvalues: relative(&eigenvalues(&before), &eigenvalues(&after)),
    })
}

fn relative(before: &[f64], after: &[f64]) -> f64 {
    let changes: Vec<f64> = before
        .iter()
        .zip(after)
        .filter(|(before, _)| before.abs() > 0.0)
        .map(|(before, after)| ((after - before) / before).abs())
        .collect();
    changes.iter().sum::<f64>() / changes.len().max(1) as f64 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubling_a_column_changes_what_it_must() {
        let original =
            Matrix::from_rows(&[[1.0, 4.0], [2.0, 6.0], [3.0, 5.0], [6.0, 9.0]]).unwrap();
        let same = change(&original, &original).unwrap();
        assert!(
            same.il1s.abs() + same.means + same.covariances + same.correlations + same.eigenvalues
                < 1e-12
        );
        let doubled = original.map(|_, _, cell| 2.0 * cell);
        let found = change(&original, &doubled).unwrap();
        assert!((found.means - 1.0).abs() < 1e-12);
        assert!((found.covariances - 3.0).abs() < 1e-12 && (found.eigenvalues - 3.0).abs() < 1e-9);
        assert!(found.correlations.abs() < 1e-12);
        // Mean |x| over sqrt(2) s: column 1 has mean 3, column 2 mean 6; variances 14/3 and 14/3.
        let expected = 4.5 / (2.0_f64 * 14.0 / 3.0).sqrt();
        assert!((found.il1s - expected).abs() < 1e-12);
    }
}
