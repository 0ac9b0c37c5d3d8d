//! Precision: how many of the possible generalization steps were not taken.
//!
//! # Idea
//!
//! A cell at level i of a hierarchy with h levels above the original lost i / h; a suppressed one lost everything. Precision is 1 minus
//! the mean over all cells: 1 for the raw table, 0 for a fully generalized one.
//!
//! # Reference
//!
//! L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002 (Prec).
//!
//! # Departures
//!
//! A label that is no node of its hierarchy (a numeric cut) counts by the share of the domain it covers.

use super::Cells;

/// 1 minus the mean lost share of levels over all cells; 1 when there are no cells.
pub fn precision(cells: &Cells) -> f64 {
    let n = cells.attributes.len();
    if n == 0 || cells.total == 0 {
        return 1.0;
    }
    let lost: f64 = cells
        .attributes
        .iter()
        .map(|attribute| {
            let steps = attribute.height.saturating_sub(1);
            let kept: f64 = attribute
                .labels
                .iter()
                .map(|label| {
                    let share = match label.level {
                        Some(_) if steps == 0 => 0.0,
                        Some(level) => level as f64 / steps as f64,
                        None => label.leaves / attribute.leaves as f64,
                    };
                    share * label.records as f64
                })
                .sum();
            kept + cells.suppressed as f64
        })
        .sum();
    1.0 - lost / (cells.total as f64 * n as f64)
}
