//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

use crate::anonymize::CLUSTERING;

/// One algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    /// The name in policies.
    pub name: &'static str,
    /// What it works on.
    pub data: &'static str,
    /// One line that says what it does.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
}

/// Every algorithm a policy can name.
pub fn algorithms() -> Vec<Algorithm> {
    let tables = denym_tabular::CATALOGUE.iter().map(|entry| Algorithm {
        name: entry.name,
        data: "table",
        summary: entry.summary,
        reference: entry.paper,
    });
    let numbers = denym_microdata::CATALOGUE.iter().map(|entry| Algorithm {
        name: entry.name,
        data: if entry.name == "mdav-generic" {
            "mixed"
        } else {
            "numbers"
        },
        summary: entry.about,
        reference: entry.reference,
    });
    tables.chain(numbers).chain(CLUSTERING).collect()
}
