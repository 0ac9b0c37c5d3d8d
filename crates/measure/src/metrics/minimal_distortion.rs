//! Minimal distortion (MD): one unit per cell and generalization step.
//!
//! # Idea
//!
//! Generalizing ten instances of `Engineer` to `Professional` costs 10, generalizing them further to `ANY` another 10. A
//! suppressed record pays every step of every hierarchy.
//!
//! # Reference
//!
//! P. Samarati, "Protecting respondents' identities in microdata release", 2001; survey section 4.1.
//!
//! # Departures
//!
//! A label that is no node of its hierarchy pays all steps.

use super::Cells;

/// Units of distortion over all cells.
pub fn minimal_distortion(cells: &Cells) -> u64 {
    cells
        .attributes
        .iter()
        .map(|attribute| {
            let steps = attribute.height.saturating_sub(1) as u64;
            attribute
                .labels
                .iter()
                .map(|label| label.level.map_or(steps, |level| level as u64) * label.records)
                .sum::<u64>()
                + steps * cells.suppressed
        })
        .sum()
}
