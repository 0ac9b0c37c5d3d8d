//! Entropy l-diversity: the sensitive values of every group are spread at least as well as l equally likely ones.
//!
//! # Idea
//!
//! The entropy of the values in a group is at least log l. Its exponential reads as "this many equally likely values", which
//! need not be a whole number: 3 of 4 with the same value are worth 1.75 values.
//!
//! # Guarantee
//!
//! No value can hold for almost everybody in a group. The bound is not a probability: at l = 1.8 an adversary may still
//! be right three times in four.
//!
//! # Reference
//!
//! Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", ICDE 2006, definition 4.1. Survey section 2.2, formula (1).
//!
//! # Departures
//!
//! Logarithms cannot be compared exactly, so a group whose entropy lies within 1e-11 below log l is admitted: three equally
//! frequent values are 3-diverse in spite of rounding.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::EntropyDiversity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! let l = |text| Fraction::parse(text).unwrap();
//! assert!(EntropyDiversity { attribute: 0, l: l("1.75") }.admits(&artists));
//! assert!(!EntropyDiversity { attribute: 0, l: l("1.76") }.admits(&artists));
//! ```

use denym_data::Fraction;

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Histogram, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "entropy-l-diversity",
    place: 50,
    in_policy: Some(("l-diversity", "{ kind = \"entropy\", ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("kind", Takes::Holds("entropy", &[]), "entropy"),
        takes("l", Takes::FromOne, "smallest exponential of the entropy").like("3"),
    ],
    sense: Sense::AtLeast,
    monotone: SHARES,
    description: "each group's values are spread at least as well as l equally likely ones",
    sentence: "Among those who look the same, {secret} is as uncertain as if there were {asked} equally likely values.",
    formula: "-sum p(s) ln p(s) >= ln l over the values s of g",
    limits: "needs the whole table to be that diverse; values that are alike count as different",
    reference: "Machanavajjhala et al., l-diversity, 2006",
    bound: "l",
    build: |asked| {
        Ok(Box::new(EntropyDiversity {
            attribute: asked.position()?,
            l: asked.number("l"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// Rounding allowed below log l; sums of a million logarithms of doubles stay within it.
const TOLERANCE: f64 = 1e-11;

/// Entropy of at least log `l` in every group.
#[derive(Debug, Clone, Copy)]
pub struct EntropyDiversity {
    /// Position of the attribute in [`Group::sensitive`].
    pub attribute: usize,
    /// The smallest allowed exponential of the entropy; need not be whole.
    pub l: Fraction,
}

impl EntropyDiversity {
    /// The natural entropy of a histogram; 0 for an empty one.
    pub fn entropy(histogram: &Histogram<'_>) -> f64 {
        if histogram.total == 0 {
            return 0.0;
        }
        let total = histogram.total as f64;
        let sum: f64 = histogram
            .counts
            .iter()
            .map(|&(_, count)| count as f64 * (count as f64).ln())
            .sum();
        (total.ln() - sum / total).max(0.0)
    }
}

impl Promise for EntropyDiversity {
    fn terms(&self) -> Terms {
        Terms {
            name: "entropy-l-diversity",
            attribute: Some(self.attribute),
            bound: self.l.to_f64(),
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let histogram = group.histogram(self.attribute);
        histogram.total > 0
            && EntropyDiversity::entropy(&histogram) >= self.l.to_f64().ln() - TOLERANCE
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        EntropyDiversity::entropy(&group.histogram(self.attribute)).exp()
    }
}
