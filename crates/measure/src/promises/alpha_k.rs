//! (alpha,k)-anonymity: at least k subjects in every group, and no sensitive value in more than a share alpha of them.
//!
//! # Guarantee
//!
//! Bounds both linking to a record and inferring any one value. Skewed attributes make it costly: a value that holds for
//! more than alpha of the whole table can never be published.
//!
//! # Reference
//!
//! R. Wong, J. Li, A. Fu, K. Wang, "(alpha,k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing",
//! KDD 2006. Survey section 2.2.
//!
//! # Departures
//!
//! The measured value is the largest share; sizes show in k-anonymity.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::AlphaK};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! let alpha = Fraction::parse("0.75").unwrap();
//! assert!(AlphaK { attribute: 0, alpha, k: 4 }.admits(&artists));
//! assert!(!AlphaK { attribute: 0, alpha, k: 5 }.admits(&artists));
//! ```

use denym_data::Fraction;

use super::Confidence;
use crate::Sense;
use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Promise, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "alpha-k-anonymity",
    place: 110,
    in_policy: Some(("alpha-k-anonymity", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("alpha", Takes::Share, "largest share of any value").like("0.5"),
        takes("k", Takes::Whole, "fewest subjects in a group").like("5"),
    ],
    sense: Sense::AtMost,
    monotone: SHARES,
    description: "k subjects in each group and no value above a share alpha",
    sentence: "Those who look the same are enough people, and every value of {secret} holds for a share of {asked} of them.",
    formula: "|g| >= k and count(s in g) / |g| <= alpha for every s",
    limits: "one bound for all values: frequent and rare ones alike",
    reference: "Wong et al., (alpha,k)-anonymity, 2006",
    bound: "alpha",
    beside: "and groups of at least {k}",
    build: |asked| {
        Ok(Box::new(AlphaK {
            attribute: asked.position()?,
            alpha: asked.number("alpha"),
            k: asked.whole("k"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// At least `k` subjects and every value at or below `alpha` in every group.
#[derive(Debug, Clone, Copy)]
pub struct AlphaK {
    /// Position of the attribute in [`Group::sensitive`].
    pub attribute: usize,
    /// The largest allowed share of one value.
    pub alpha: Fraction,
    /// The smallest allowed number of subjects.
    pub k: u64,
}

impl AlphaK {
    fn confidence(&self) -> Confidence {
        Confidence::of_all(self.attribute, self.alpha)
    }
}

impl Promise for AlphaK {
    fn terms(&self) -> Terms {
        Terms {
            name: "alpha-k-anonymity",
            ..self.confidence().terms()
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.subjects >= self.k && self.confidence().admits(group)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        self.confidence().value(group)
    }

    fn share(&self, group: &Group<'_>) -> Option<(u64, u64)> {
        self.confidence().share(group)
    }
}
