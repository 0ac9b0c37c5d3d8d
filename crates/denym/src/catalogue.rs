//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

use denym_data::AlgorithmEntry;
use denym_policy::{Vocabulary, Words};

/// Every algorithm: those that a policy names, the one for trails, and the rules of streams.
pub fn algorithms() -> Vec<&'static AlgorithmEntry> {
    let tables = denym_tabular::CATALOGUE.iter().map(|one| &one.entry);
    let special = denym_tabular::SPECIAL_ALGORITHMS.iter();
    let numbers = denym_microdata::CATALOGUE.iter().map(|one| &one.entry);
    let sequences = denym_sequences::CATALOGUE.iter().map(|one| &one.entry);
    tables
        .chain(special.map(|one| &one.entry))
        .chain(numbers)
        .chain(denym_microdata::CLUSTERING)
        .chain(sequences)
        .collect()
}

/// The algorithms that a policy about this kind of data can mean; numbers and mixed data are tables.
pub fn algorithms_for(kind: &str) -> impl Iterator<Item = &'static AlgorithmEntry> {
    let all = algorithms().into_iter();
    all.filter(move |one| {
        one.data == kind || kind == "table" && ["numbers", "mixed"].contains(&one.data)
    })
}

/// What policies may name.
pub(crate) fn vocabulary() -> Vocabulary {
    Vocabulary::new(|kind| Words {
        algorithms: algorithms_for(kind).collect(),
        attacks: denym_attack::gated_on(kind),
        findings: crate::guard::acceptable(),
    })
}
