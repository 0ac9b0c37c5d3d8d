//! k-anonymity: nobody can be told apart from at least k - 1 others.
//!
//! # Guarantee
//!
//! Every group has at least k *subjects*, so linking by the given knowledge points at k or more people. It says nothing
//! about what those people have in common: a group may still share one disease.
//!
//! # Reference
//!
//! L. Sweeney, "k-anonymity: a model for protecting privacy", 2002; P. Samarati, "Protecting respondents' identities in
//! microdata release", 2001. Survey section 2.1.
//!
//! # Example
//!
//! ```
//! use denym_measure::{Group, Histogram, Promise, promises::KAnonymity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! assert!(KAnonymity { k: 4 }.admits(&artists) && !KAnonymity { k: 5 }.admits(&artists));
//! ```

use crate::catalogue::{COUNTS, Linkage, PromiseEntry, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "k-anonymity",
    place: 10,
    in_policy: Some(("k-anonymity", "{ k = 5 }")),
    linkage: Linkage::Record,
    parameters: &[takes("k", Takes::Whole, "fewest subjects in a group").like("5")],
    sense: Sense::AtLeast,
    monotone: COUNTS,
    description: "nobody can be told apart from at least k - 1 others",
    sentence: "Whoever knows all linkable details of a person finds {asked} {unit} that look the same, never one alone.",
    formula: "|subjects(g)| >= k for every group g",
    limits: "says nothing about sensitive values: a group may share one (homogeneity)",
    reference: "Sweeney 2002; Samarati 2001",
    bound: "k",
    alone: Some("k"),
    build: |asked| {
        Ok(Box::new(KAnonymity {
            k: asked.whole("k"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// At least `k` subjects in every group.
#[derive(Debug, Clone, Copy)]
pub struct KAnonymity {
    /// The smallest allowed number of subjects.
    pub k: u64,
}

impl Promise for KAnonymity {
    fn terms(&self) -> Terms {
        Terms {
            name: "k-anonymity",
            attribute: None,
            bound: self.k as f64,
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: true,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.subjects >= self.k
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.subjects as f64
    }

    fn size_alone(&self) -> Option<u64> {
        Some(self.k)
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        true
    }
}
