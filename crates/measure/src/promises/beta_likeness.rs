//! beta-likeness: no sensitive value's share in a group exceeds its share in the table by more than a factor of 1 + beta.
//!
//! # Idea
//!
//! The relative gain of a value is (q - p) / p, where q is its share in the group and p in the table. *Basic* likeness bounds every
//! gain by beta; *enhanced* likeness by min(beta, -ln p), so that frequent values, for which beta alone would never bite, are
//! bounded too. Losses are free: learning that a victim is less likely ill does no harm.
//!
//! # Guarantee
//!
//! A bound per value, with a reading that t-closeness lacks: an adversary's belief in any value grows at most (1 + beta)-fold.
//!
//! # Reference
//!
//! J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee", VLDB 2012, definitions 2 and 3.
//!
//! # Departures
//!
//! Basic gains are compared in whole numbers; the logarithm of the enhanced bound has a tolerance of 1e-11. A value that the
//! reference does not have gains infinitely.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::BetaLikeness};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! use denym_measure::promises::Likeness;
//! // HIV rises from 4/7 to 3/4, by 5/16.
//! let reference = [1, 4, 2];
//! let beta = |n| Fraction::new(n, 4).unwrap();
//! assert!(!BetaLikeness::new(0, beta(1), Likeness::Basic, &reference).admits(&artists));
//! assert!(!BetaLikeness::new(0, beta(2), Likeness::Basic, &reference).admits(&artists), "the flu rises by 3/4");
//! assert!(BetaLikeness::new(0, beta(3), Likeness::Basic, &reference).admits(&artists));
//! ```

use std::cmp::Ordering;

use denym_data::{Code, Fraction};

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::exact::compare_products;
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[
    PromiseEntry {
        name: "basic-beta-likeness",
        place: 170,
        in_policy: Some(("beta-likeness", "{ kind = \"basic\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes("beta", Takes::Number, "largest relative gain").like("2"),
            takes("kind", Takes::Is("basic"), "basic"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "no value's share in a group exceeds its share in the table by more than a factor 1 + beta",
        sentence: "Finding a person's look-alikes raises the certainty of a value of {secret}, relative to its frequency in all the data, by {asked}.",
        formula: "(q(s) - p(s)) / p(s) <= beta, q in g, p in the table",
        limits: "a value of half the table may become certain when beta is 1",
        reference: "Cao and Karras, Publishing microdata with a robust privacy guarantee, 2012",
        bound: "beta",
        compares: true,
        build: |asked| {
            Ok(Box::new(BetaLikeness::new(
                asked.position()?,
                asked.number("beta"),
                Likeness::Basic,
                asked.reference()?,
            )))
        },
        ..PromiseEntry::BASE
    },
    PromiseEntry {
        name: "enhanced-beta-likeness",
        place: 180,
        in_policy: Some(("beta-likeness", "{ kind = \"enhanced\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes("beta", Takes::Number, "largest relative gain").like("2"),
            takes("kind", Takes::Is("enhanced"), "enhanced"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "the same, with frequent values bounded by -ln of their share",
        sentence: "Finding a person's look-alikes raises the certainty of a value of {secret}, relative to its frequency in all the data, by {asked}; frequent values are held tighter.",
        formula: "(q(s) - p(s)) / p(s) <= min(beta, -ln p(s))",
        limits: "losses are free: that a value is absent may be learned",
        reference: "Cao and Karras, Publishing microdata with a robust privacy guarantee, 2012",
        bound: "beta",
        alone: Some("beta"),
        compares: true,
        build: |asked| {
            Ok(Box::new(BetaLikeness::new(
                asked.position()?,
                asked.number("beta"),
                Likeness::Enhanced,
                asked.reference()?,
            )))
        },
        ..PromiseEntry::BASE
    },
];

const TOLERANCE: f64 = 1e-11;

/// Which bound holds for frequent values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// beta alone.
    Basic,
    /// The smaller of beta and -ln p.
    Enhanced,
}

/// Bounded relative gain of every value in every group.
#[derive(Debug, Clone)]
pub struct BetaLikeness {
    attribute: usize,
    beta: Fraction,
    likeness: Likeness,
    reference: Vec<u64>,
    total: u64,
}

impl BetaLikeness {
    /// The promise against `reference[code]`, counts of all source records by value.
    pub fn new(attribute: usize, beta: Fraction, likeness: Likeness, reference: &[u64]) -> Self {
        BetaLikeness {
            attribute,
            beta,
            likeness,
            reference: reference.to_vec(),
            total: reference.iter().sum(),
        }
    }

    fn reference(&self, code: Code) -> u64 {
        self.reference.get(code as usize).copied().unwrap_or(0)
    }

    fn gain(&self, code: Code, count: u64, size: u64) -> f64 {
        let own = count as f64 / size as f64;
        let all = self.reference(code) as f64 / self.total as f64;
        (own - all) / all
    }
}

impl Promise for BetaLikeness {
    fn terms(&self) -> Terms {
        Terms {
            name: match self.likeness {
                Likeness::Basic => "basic-beta-likeness",
                Likeness::Enhanced => "enhanced-beta-likeness",
            },
            attribute: Some(self.attribute),
            bound: self.beta.to_f64(),
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let histogram = group.histogram(self.attribute);
        histogram.counts.iter().all(|&(code, count)| {
            let reference = self.reference(code);
            let within = compare_products(
                u128::from(count) * u128::from(self.total),
                self.beta.denominator().into(),
                u128::from(reference) * u128::from(histogram.total),
                u128::from(self.beta.denominator()) + u128::from(self.beta.numerator()),
            ) != Ordering::Greater;
            within
                && match self.likeness {
                    Likeness::Basic => true,
                    Likeness::Enhanced => {
                        let share = reference as f64 / self.total as f64;
                        self.gain(code, count, histogram.total) <= -share.ln() + TOLERANCE
                    }
                }
        })
    }

    /// The largest relative gain, never below 0.
    fn value(&self, group: &Group<'_>) -> f64 {
        let histogram = group.histogram(self.attribute);
        histogram
            .counts
            .iter()
            .map(|&(code, count)| self.gain(code, count, histogram.total))
            .fold(0.0, f64::max)
    }
}
