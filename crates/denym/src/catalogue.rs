//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

use denym_data::Verdict;
use denym_policy::{Vocabulary, Words};
use denym_tabular::Honours;

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

impl Algorithm {
    /// Whether a policy about this kind of data can mean it; numbers and mixed data are tables.
    pub(crate) fn is_for(self, kind: &str) -> bool {
        self.data == kind || kind == "table" && ["numbers", "mixed"].contains(&self.data)
    }

    /// How it stands against somebody who knows the program; every algorithm has a verdict, which a test sees to.
    pub fn verdict(self) -> Option<Verdict> {
        let of_table = || Some(denym_tabular::entry(self.name)?.verdict);
        match self.data {
            "table" => of_table().or_else(|| denym_tabular::side_verdict(self.name)),
            "paths" | "transactions" | "trails" | "stream" => {
                Some(denym_sequences::solver_entry(self.data, self.name)?.verdict)
            }
            _ => denym_microdata::verdict(self.name),
        }
    }
}

/// Every algorithm: those that a policy names, the one for trails, and the rules of streams.
pub fn algorithms() -> Vec<Algorithm> {
    let tables = denym_tabular::CATALOGUE.iter().map(|entry| Algorithm {
        name: entry.name,
        data: "table",
        summary: entry.summary,
        reference: entry.paper,
    });
    let special = denym_tabular::SPECIAL_ALGORITHMS
        .iter()
        .map(|entry| Algorithm {
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
    let sequences = denym_sequences::CATALOGUE.iter().map(|entry| Algorithm {
        name: entry.name,
        data: entry.data,
        summary: entry.summary,
        reference: entry.reference,
    });
    tables
        .chain(special)
        .chain(numbers)
        .chain(CLUSTERING)
        .chain(sequences)
        .collect()
}

/// What policies may name.
pub(crate) fn vocabulary() -> Vocabulary {
    Vocabulary::new(|kind| {
        let own = algorithms().into_iter().filter(|one| one.is_for(kind));
        Words {
            algorithms: own.map(|algorithm| algorithm.name).collect(),
            attacks: denym_attack::gated_on(kind),
        }
    })
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
