//! How the algorithms for numbers and mixed records stand against somebody who knows the program, and those of clusters by name.
//!
//! Groups are made from quasi-identifiers alone, so sizes hold for every one of them. Promises on sensitive values are kept by
//! merging or swapping until they hold, and how far that went tells what made it necessary. `tests/worlds.rs` compares every mark with what
//! running the program backwards measures.

use denym_data::{AlgorithmEntry, Verdict};

/// The portfolio for numbers, which policies call `auto` as they do that for tables.
pub const AUTO: Verdict = Verdict::values_exceeded(167);

/// Every algorithm that makes clusters of numbers and categories.
pub const CLUSTERING: &[AlgorithmEntry] = &[
    AlgorithmEntry::new(
        "best-effort-clustering",
        "mixed",
        Verdict::values_exceeded(74),
        "sorted runs cut optimally, then improved by moves and swaps for `effort` rounds",
        "denym; annealing: Kirkpatrick, Gelatt and Vecchi 1983",
    ),
    AlgorithmEntry::new(
        "systematic-clustering",
        "mixed",
        Verdict::values_exceeded(74),
        "all clusters at once from every k-th record of a sorted list",
        "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Table 4.3; its l-diverse step, Table 4.7",
    ),
    AlgorithmEntry::new(
        "k-member",
        "mixed",
        Verdict::values_exceeded(121),
        "one cluster after the other, each grown by the record that costs least",
        "Byun, Kamra, Bertino and Li 2007",
    ),
    AlgorithmEntry::new(
        "oka",
        "mixed",
        Verdict::values_exceeded(74),
        "one pass of k-means, then sizes evened out",
        "Lin and Wei 2008",
    ),
    AlgorithmEntry::new(
        "sorted-runs",
        "mixed",
        Verdict::values_exceeded(74),
        "the best of several sorted lists, each cut optimally into clusters",
        "denym; Hansen and Mukherjee 2003",
    ),
];

/// The verdict on an algorithm for numbers or mixed records.
pub fn verdict(name: &str) -> Option<Verdict> {
    if name == "auto" {
        return Some(AUTO);
    }
    let numbers = crate::CATALOGUE.iter().map(|one| &one.entry);
    let mut entries = numbers.chain(CLUSTERING);
    let found = entries.find(|entry| entry.name == name);
    found.map(|entry| entry.verdict)
}
