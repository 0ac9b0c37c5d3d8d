//! Ambiguity (AM): how many tuples of the domain each published record could have been.
//!
//! # Reference
//!
//! M. Nergiz and C. Clifton, "Thoughts on k-anonymization", Data & Knowledge Engineering 2007.
//!
//! # Departures
//!
//! A suppressed record could have been any tuple of the domain.

use super::Publication;

/// Mean over records of the number of tuples its published cells stand for; 1 for the raw table, 0 without records.
pub fn ambiguity(publication: &Publication<'_>) -> f64 {
    if publication.total == 0 {
        return 0.0;
    }
    let kept: f64 = (0..)
        .zip(&publication.sizes)
        .map(|(class, &size)| size as f64 * publication.volume(class))
        .sum();
    (kept + publication.suppressed as f64 * publication.domain()) / publication.total as f64
}
