//! Distinct l-diversity: every group shows at least l different sensitive values.
//!
//! # Guarantee
//!
//! Whoever links a victim to a group is left with l or more possible values. It says nothing about how likely each is: one
//! value may hold for nearly everybody in the group. Every group then also has at least l records.
//!
//! # Reference
//!
//! A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ICDE 2006;
//! the same condition is p-sensitive k-anonymity (Truta and Vinay 2006). Survey section 2.2.
//!
//! # Departures
//!
//! A missing value counts as a value of its own.
//!
//! # Example
//!
//! ```
//! use denym_measure::{Group, Histogram, Promise, promises::DistinctDiversity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! assert!(DistinctDiversity { attribute: 0, l: 2 }.admits(&artists));
//! assert!(!DistinctDiversity { attribute: 0, l: 3 }.admits(&artists));
//! ```

use crate::catalogue::{ATTRIBUTE, COUNTS, Linkage, PromiseEntry, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "distinct-l-diversity",
    place: 40,
    in_policy: Some(("l-diversity", "{ kind = \"distinct\", ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("kind", Takes::Holds("distinct", &[]), "distinct"),
        takes("l", Takes::Count, "fewest distinct values in a group").like("3"),
    ],
    sense: Sense::AtLeast,
    monotone: COUNTS,
    description: "each group shows at least l sensitive values",
    sentence: "Among those who look the same there are {asked} different values of {secret}, so finding the crowd does not tell the value.",
    formula: "|distinct sensitive values in g| >= l",
    limits: "one value may still hold for almost everybody of a group (skewness), and values may be alike",
    reference: "Machanavajjhala et al., l-diversity, 2006",
    bound: "l",
    alone: Some("l"),
    build: |asked| {
        Ok(Box::new(DistinctDiversity {
            attribute: asked.position()?,
            l: asked.whole("l"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// At least `l` distinct values of one sensitive attribute in every group.
#[derive(Debug, Clone, Copy)]
pub struct DistinctDiversity {
    /// Position of the attribute in [`Group::sensitive`].
    pub attribute: usize,
    /// The smallest allowed number of values.
    pub l: u64,
}

impl Promise for DistinctDiversity {
    fn terms(&self) -> Terms {
        Terms {
            name: "distinct-l-diversity",
            attribute: Some(self.attribute),
            bound: self.l as f64,
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: true,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.histogram(self.attribute).counts.len() as u64 >= self.l
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.histogram(self.attribute).counts.len() as f64
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        true
    }
}
