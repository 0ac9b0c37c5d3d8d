//! (X,Y)-anonymity: each group on X is linked to at least k distinct values on Y.
//!
//! # Idea
//!
//! X is what groups are made by. Y is any set of columns: a person's number (then it is k-anonymity over people when a person
//! has several records), or a sensitive attribute (then it is distinct diversity). The group carries Y as one histogram; several columns
//! are first joined into one with [`crate::combined`].
//!
//! # Reference
//!
//! K. Wang and B. Fung, "Anonymizing sequential releases", KDD 2006, definition 2.1 of the survey, section 2.1.
//!
//! # Example
//!
//! ```
//! use denym_measure::{Group, Histogram, Promise, promises::XyAnonymity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! assert!(XyAnonymity { y: 0, k: 2 }.admits(&artists) && !XyAnonymity { y: 0, k: 3 }.admits(&artists));
//! ```

use crate::catalogue::{COUNTS, Linkage, PromiseEntry, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "xy-anonymity",
    place: 20,
    in_policy: Some(("xy-anonymity", "{ ... }")),
    linkage: Linkage::Record,
    parameters: &[
        takes("y", Takes::Columns, "the columns whose values are counted").like("[\"ward\"]"),
        takes("k", Takes::Whole, "fewest distinct values of Y in a group").like("3"),
    ],
    sense: Sense::AtLeast,
    monotone: COUNTS,
    description: "each group on X is linked to at least k distinct values on Y",
    sentence: "Those who look the same are linked to {asked} different values of the other columns, so the crowd does not point at one.",
    formula: "|distinct Y values in g| >= k for every group g on X",
    limits: "Y values that mean the same are counted apart",
    reference: "Wang and Fung, Anonymizing sequential releases, 2006",
    bound: "k",
    build: |asked| {
        Ok(Box::new(XyAnonymity {
            y: asked.counted()?,
            k: asked.whole("k"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// At least `k` distinct values of Y in every group.
#[derive(Debug, Clone, Copy)]
pub struct XyAnonymity {
    /// Position of Y in [`Group::sensitive`].
    pub y: usize,
    /// The smallest allowed number of values.
    pub k: u64,
}

impl Promise for XyAnonymity {
    fn terms(&self) -> Terms {
        Terms {
            name: "xy-anonymity",
            attribute: Some(self.y),
            bound: self.k as f64,
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: true,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.histogram(self.y).counts.len() as u64 >= self.k
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.histogram(self.y).counts.len() as f64
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        true
    }
}
