//! ILoss and NCP: the share of domain values that a label makes indistinguishable, with weights per attribute.
//!
//! # Idea
//!
//! A label over m of D leaves loses (m - 1) / D in ILoss, and m / D (0 for a single leaf) in the normalized certainty penalty. A
//! record pays the weighted sum over its attributes, a table the sum over its records.
//!
//! # Reference
//!
//! X. Xiao and Y. Tao, "Personalized privacy preservation", SIGMOD 2006 (ILoss); J. Xu et al., "Utility-based anonymization using
//! local recoding", KDD 2006 (NCP). Survey section 4.1, formulas (2) and (3).
//!
//! # Departures
//!
//! A suppressed record pays like one that is published with the root everywhere. Weights of zero are allowed.

use super::Cells;
use crate::Error;

/// A total and its value per attribute, before weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// Weighted sum over all records and attributes.
    pub total: f64,
    /// `total` over records and the sum of weights: 0 to 1. 0 when all weights or all records are missing.
    pub mean: f64,
    /// Unweighted sum over records, per attribute.
    pub per_attribute: Vec<f64>,
}

/// ILoss; `weights` has one entry per attribute, or none for all ones.
pub fn iloss(cells: &Cells, weights: &[f64]) -> Result<Penalty, Error> {
    penalty(cells, weights, |leaves, domain| {
        (leaves - 1.0).max(0.0) / domain
    })
}

/// The normalized certainty penalty; `weights` has one entry per attribute, or none for all ones.
pub fn ncp(cells: &Cells, weights: &[f64]) -> Result<Penalty, Error> {
    penalty(cells, weights, |leaves, domain| {
        if leaves <= 1.0 { 0.0 } else { leaves / domain }
    })
}

fn penalty(
    cells: &Cells,
    weights: &[f64],
    charge: impl Fn(f64, f64) -> f64,
) -> Result<Penalty, Error> {
    let n = cells.attributes.len();
    if !weights.is_empty() {
        super::cells::uneven("weights", n, weights.len())?;
    }
    let per_attribute: Vec<f64> = cells
        .attributes
        .iter()
        .map(|attribute| {
            let domain = attribute.leaves.max(1) as f64;
            let kept: f64 = attribute
                .labels
                .iter()
                .map(|label| charge(label.leaves, domain) * label.records as f64)
                .sum();
            kept + charge(domain, domain) * cells.suppressed as f64
        })
        .collect();
    let weight = |position: usize| weights.get(position).copied().unwrap_or(1.0);
    let total: f64 = per_attribute
        .iter()
        .enumerate()
        .map(|(position, sum)| weight(position) * sum)
        .sum();
    let scale = (0..n).map(weight).sum::<f64>() * cells.total as f64;
    Ok(Penalty {
        total,
        mean: if scale > 0.0 { total / scale } else { 0.0 },
        per_attribute,
    })
}
