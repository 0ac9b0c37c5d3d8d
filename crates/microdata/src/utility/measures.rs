//! How far published numbers moved, what tests can see of it, and how many records can be linked: all measures in one value.

use super::{change, kolmogorov_smirnov, probabilistic_linkage, sign_test};
use crate::tables::ChangedColumn;
use crate::{Error, Matrix};

/// Above this many records linkage, which compares every pair, is left out.
pub const LINKAGE_RECORDS: usize = 10_000;
/// Probabilistic linkage tells two to the power of columns apart.
const LINKAGE_COLUMNS: usize = 16;
/// Values this many standard deviations apart agree, for probabilistic linkage.
const TOLERANCE: f64 = 0.1;

/// What was done to numbers, measured on the values as they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Squared differences over all cells, on standardized columns.
    pub sse: f64,
    /// Squared distances to the mean, on standardized columns.
    pub sst: f64,
    /// Absolute deviations from the group medians (7.1), where records were grouped.
    pub adm: Option<f64>,
    /// Mean |x - x'| over sqrt(2) standard deviations.
    pub il1s: f64,
    /// Mean relative change of the column means.
    pub means: f64,
    /// Mean relative change of variances and covariances.
    pub covariances: f64,
    /// Mean absolute change of correlations.
    pub correlations: f64,
    /// Mean relative change of the eigenvalues of the covariance matrix.
    pub eigenvalues: f64,
    /// Tests of each column.
    pub columns: Vec<ColumnTests>,
    /// The share of records found by linking each to the nearest published one; `None` when there are too many to try.
    pub distance_linkage: Option<f64>,
    /// The share of records found by Fellegi-Sunter linkage; `None` when there are too many records or columns to try.
    pub probabilistic_linkage: Option<f64>,
}

/// Tests of one published column against the original.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnTests {
    /// The column.
    pub name: String,
    /// Records above, below and at their published value.
    pub signs: [u64; 3],
    /// The two-sided p-value of the sign test.
    pub sign_p: f64,
    /// The largest gap of the distribution functions.
    pub ks: f64,
    /// Its approximate p-value.
    pub ks_p: f64,
}

impl Measures {
    /// What the tests cannot tell.
    pub const LIMITS: &'static str = "a passed sign test does not prove equal distributions: publishing medians passes it by construction; the records are paired, so the p-value of Kolmogorov-Smirnov is a rough guide";

    /// Measures these columns; linking by distance is for those who attack.
    pub fn of(changed: &[ChangedColumn], adm: Option<f64>) -> Result<Option<Measures>, Error> {
        if changed
            .first()
            .is_none_or(|column| column.before.is_empty())
        {
            return Ok(None);
        }
        let side = |of: fn(&ChangedColumn) -> &Vec<f64>| {
            Matrix::from_columns(&changed.iter().map(of).collect::<Vec<_>>())
        };
        let (before, after) = (
            side(|column| &column.before)?,
            side(|column| &column.after)?,
        );
        let moved = change(&before, &after)?;
        let (mut sse, mut sst) = (0.0, 0.0);
        let mut columns = Vec::new();
        for column in changed {
            let n = column.before.len() as f64;
            let mean = column.before.iter().sum::<f64>() / n;
            let variance = column
                .before
                .iter()
                .map(|x| (x - mean).powi(2))
                .sum::<f64>()
                / n;
            if variance > 0.0 {
                sst += n;
                let pairs = column.before.iter().zip(&column.after);
                sse += pairs.map(|(x, y)| (x - y).powi(2)).sum::<f64>() / variance;
            }
            let signs = sign_test(&column.before, &column.after)?;
            let (ks, ks_p) = kolmogorov_smirnov(&column.before, &column.after)?;
            columns.push(ColumnTests {
                name: column.name.clone(),
                signs: [
                    signs.positive as u64,
                    signs.negative as u64,
                    signs.ties as u64,
                ],
                sign_p: signs.p_value,
                ks,
                ks_p,
            });
        }
        let few = before.rows() <= LINKAGE_RECORDS;
        let narrow = before.columns() <= LINKAGE_COLUMNS;
        Ok(Some(Measures {
            sse,
            sst,
            adm,
            il1s: moved.il1s,
            means: moved.means,
            covariances: moved.covariances,
            correlations: moved.correlations,
            eigenvalues: moved.eigenvalues,
            columns,
            distance_linkage: None,
            probabilistic_linkage: (few && narrow)
                .then(|| probabilistic_linkage(&before, &after, TOLERANCE))
                .transpose()?
                .map(|linkage| linkage.found),
        }))
    }
}
