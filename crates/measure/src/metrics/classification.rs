//! Classification metric (CM): records that a majority vote in their class would get wrong.
//!
//! # Idea
//!
//! A record pays 1 when it is suppressed or when its value of the target attribute is not the majority value of its class.
//!
//! # Reference
//!
//! V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002. Survey section 4.2.
//!
//! # Departures
//!
//! When several values tie, one of them is the majority; a known tool counts all of them as majority and so finds fewer errors.

use crate::Classes;

/// The share of records that are suppressed or not of their class's majority value, 0 to 1.
///
/// # Panics
///
/// When the classes have no sensitive attribute at position `target`.
pub fn classification_metric(classes: &Classes, target: usize, suppressed: u64) -> f64 {
    let (wrong, all) = (0..classes.len()).fold((0, 0), |(wrong, all), class| {
        let histogram = classes.histogram(target, class);
        (
            wrong + histogram.total - histogram.largest(),
            all + histogram.total,
        )
    });
    crate::survey::ratio(wrong + suppressed, all + suppressed)
}
