//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

use denym_tabular::Honours;

use crate::anonymize::{CLUSTERING, SIDES};

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
    tables
        .chain(SIDES.into_iter().map(|(_, algorithm)| algorithm))
        .chain(numbers)
        .chain(CLUSTERING)
        .chain(PATHS)
        .chain(TRANSACTIONS)
        .collect()
}

/// What an algorithm for tables cannot promise, in words; nothing when it honours everything.
pub(crate) fn cannot(algorithm: &str) -> Option<String> {
    let what = match algorithm {
        "anatomy" | "k-e-permutation" => {
            "publishes quasi-identifiers as they are: it can promise nothing but what is judged on the sensitive attribute"
        }
        "minimality-defence" => {
            "cannot honour promises with a population, guarding nodes or a set of columns of their own"
        }
        "greedy-personalized" => {
            "cannot honour promises about sensitive values other than `personalized-privacy`"
        }
        "mu-argus" => "can promise nothing but sizes, to whoever knows up to three values",
        _ => match denym_tabular::entry(algorithm)?.honours {
            Honours::All => return None,
            Honours::UpwardClosed => {
                "cannot honour promises that generalizing further can break, given what may be suppressed"
            }
            Honours::Size => "cannot honour promises about sensitive values, nor count people",
        },
    };
    Some(format!("`{algorithm}` {what}"))
}

/// The algorithms for transactions, by the names of policies.
const TRANSACTIONS: [Algorithm; 3] = [
    Algorithm {
        name: "auto",
        data: "transactions",
        summary: "the one below with the least loss: suppression, and generalization where a taxonomy is given",
        reference: "denym",
    },
    Algorithm {
        name: "item-suppression",
        data: "transactions",
        summary: "rare items removed from every transaction, the greedy choice over smallest violations",
        reference: "Y. Xu, K. Wang, A. Fu, P. Yu 2008; Y. Xu, B. Fung, K. Wang, A. Fu, J. Pei 2008",
    },
    Algorithm {
        name: "item-generalization",
        data: "transactions",
        summary: "rare items and their siblings become their group in a taxonomy; what is too rare at the top is removed",
        reference: "M. Terrovitis, N. Mamoulis, P. Kalnis 2008",
    },
];

/// The algorithms for paths, by the names of [`denym_paths::Algorithm`].
const PATHS: [Algorithm; 6] = [
    Algorithm {
        name: "auto",
        data: "paths",
        summary: "the one below with the least loss: global or local suppression, coarsening where a ladder is given",
        reference: "denym",
    },
    Algorithm {
        name: "global-suppression",
        data: "paths",
        summary: "rare doublets removed from every record, the greedy choice of the thesis",
        reference: "K. Al-Hussaeni 2009; N. Mohammed, B. Fung, M. Debbabi 2009",
    },
    Algorithm {
        name: "local-suppression",
        data: "paths",
        summary: "doublets removed only from the records that need it; truthful, far less is lost",
        reference: "denym, after the future work of K. Al-Hussaeni 2009",
    },
    Algorithm {
        name: "coarsening",
        data: "paths",
        summary: "places become regions and times wider slots where the exact doublet is too rare",
        reference: "denym, after M. Terrovitis, N. Mamoulis, P. Kalnis 2011",
    },
    Algorithm {
        name: "whole-paths",
        data: "paths",
        summary: "every published path is shared by k records: the baseline of the thesis",
        reference: "K. Al-Hussaeni 2009, chapter 5",
    },
    Algorithm {
        name: "optimum",
        data: "paths",
        summary: "the global suppression of least loss by exhaustive search; small tables only",
        reference: "denym",
    },
];
