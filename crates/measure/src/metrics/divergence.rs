//! KL divergence: how far the distribution that a release describes is from the original one.
//!
//! # Idea
//!
//! A recipient who knows nothing else spreads each published class evenly over the tuples it could have been. The divergence
//! is the expected number of nats by which that makes the original tuples more surprising than they were.
//!
//! # Reference
//!
//! D. Kifer and J. Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006.
//!
//! # Departures
//!
//! Suppressed records are spread over the whole domain, so that the figure stays finite. Classes are taken to be disjoint
//! regions, as they are under global recoding; where local recoding makes them overlap, only a tuple's own class counts, and
//! the figure is an upper bound.

use super::Publication;

/// Nats; 0 for the raw table when every leaf is seen once, and without records.
pub fn kl_divergence(publication: &Publication<'_>) -> f64 {
    let total = publication.total as f64;
    if publication.total == 0 {
        return 0.0;
    }
    let spread = publication.suppressed as f64 / publication.domain();
    publication
        .summary
        .records
        .iter()
        .zip(&publication.recoding.class_of)
        .filter(|&(&records, _)| records > 0)
        .map(|(&records, class)| {
            let density = spread
                + class.map_or(0.0, |class| {
                    publication.sizes[class as usize] as f64 / publication.volume(class)
                });
            let share = records as f64 / total;
            share * (records as f64 / density).ln()
        })
        .sum::<f64>()
        .max(0.0)
}
