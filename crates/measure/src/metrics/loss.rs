//! Loss: the share of each attribute's domain that a published cell leaves open, and the geometric mean over attributes.
//!
//! # Idea
//!
//! A label that stands for m of the D leaves of its hierarchy has the share m / D; a suppressed record has share 1 everywhere. The
//! shares of all N records are summed and scaled so that the raw table has loss 0 and a fully suppressed one loss 1:
//! v = (sum - N/D) / (N - N/D), never below 0. Over n attributes with weights w the score is the n-th root of the product of (v w + 1),
//! minus 1.
//!
//! # Reference
//!
//! V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002 (LM); the geometric mean and the flooring of v to ten
//! decimals follow the best-known tool, so that scores compare.
//!
//! # Departures
//!
//! Where every label is a node of a hierarchy, v is computed in whole numbers before it is floored; no rounding can move it
//! across a decimal.

use super::{AttributeCells, Cells};
use crate::Error;

/// Loss per attribute, 0 to 1, and its means.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// One value per quasi-identifier, floored to ten decimals.
    pub per_attribute: Vec<f64>,
    /// Geometric mean of (value * weight + 1), minus 1: the score that solvers compare.
    pub geometric: f64,
    /// Arithmetic mean of value * weight.
    pub arithmetic: f64,
}

/// The loss of a publication; `weights` has one entry per attribute, or none for all ones.
pub fn loss(cells: &Cells, weights: &[f64]) -> Result<Loss, Error> {
    let n = cells.attributes.len();
    if !weights.is_empty() {
        super::cells::uneven("weights", n, weights.len())?;
    }
    let per_attribute: Vec<f64> = cells
        .attributes
        .iter()
        .map(|attribute| attribute_loss(attribute, cells.suppressed, cells.total))
        .collect();
    let weight = |d: usize| weights.get(d).copied().unwrap_or(1.0);
    let product: f64 = per_attribute
        .iter()
        .enumerate()
        .map(|(d, value)| (value * weight(d) + 1.0).powf(1.0 / n as f64))
        .product();
    Ok(Loss {
        geometric: if n == 0 { 0.0 } else { product - 1.0 },
        arithmetic: if n == 0 {
            0.0
        } else {
            let weighted = per_attribute.iter().enumerate();
            weighted.map(|(d, v)| v * weight(d)).sum::<f64>() / n as f64
        },
        per_attribute,
    })
}

/// Ten decimals, the resolution of the scores we compare with.
const UNIT: u128 = 10_000_000_000;

fn attribute_loss(attribute: &AttributeCells, suppressed: u64, total: u64) -> f64 {
    let domain = attribute.leaves;
    if domain <= 1 || total == 0 {
        // Nothing can be lost where there is one value. A suppressed record is lost in the other attributes.
        return 0.0;
    }
    let whole = attribute
        .labels
        .iter()
        .all(|label| (label.leaves - label.leaves.round()).abs() < 1e-6);
    if whole {
        #[expect(clippy::cast_sign_loss, reason = "leaves are never negative")]
        let leaves = |label: &super::LabelUse| label.leaves.round() as u128;
        let (domain, total) = (u128::from(domain), u128::from(total));
        let covered: u128 = attribute
            .labels
            .iter()
            .map(|label| leaves(label) * u128::from(label.records))
            .sum::<u128>()
            + domain * u128::from(suppressed);
        let v = covered.saturating_sub(total) * UNIT / (total * (domain - 1));
        return v as f64 / UNIT as f64;
    }
    let (domain, total) = (domain as f64, total as f64);
    let sum: f64 = attribute
        .labels
        .iter()
        .map(|label| label.leaves / domain * label.records as f64)
        .sum::<f64>()
        + suppressed as f64;
    let v = ((sum - total / domain) / (total - total / domain)).max(0.0);
    (v * UNIT as f64).floor() / UNIT as f64
}
