//! (k,e)-anonymity: every group has at least k different numeric sensitive values, spread over a range of at least e.
//!
//! # Guarantee
//!
//! A salary cannot be narrowed to fewer than k values or to a range below e. It ignores how values lie within the range: nine in ten may
//! sit in one corner of it, which (epsilon,m)-anonymity catches.
//!
//! # Reference
//!
//! Q. Zhang, N. Koudas, D. Srivastava, T. Yu, "Aggregate query answering on anonymized tables", ICDE 2007. Survey section 2.2.
//!
//! # Departures
//!
//! Numbers are compared exactly, as written. A missing value is no number and counts for neither part. The measured value is the
//! range.
//!
//! # Example
//!
//! ```
//! use denym_data::Decimal;
//! use denym_measure::{Group, Histogram, Promise, promises::KeAnonymity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // Read the two values as salaries of 30 and 80.
//! let numbers = [Some(Decimal::whole(30)), Some(Decimal::whole(80))];
//! assert!(KeAnonymity::new(0, 2, Decimal::whole(50), &numbers).admits(&artists));
//! assert!(!KeAnonymity::new(0, 2, Decimal::whole(51), &numbers).admits(&artists));
//! ```

use denym_data::Decimal;

use crate::catalogue::{ATTRIBUTE, COUNTS, Linkage, PromiseEntry, Takes, takes};
use crate::exact_numbers::Numbers;
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "k-e-anonymity",
    place: 120,
    in_policy: Some(("k-e-anonymity", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("k", Takes::Whole, "fewest distinct numbers").like("3"),
        takes("e", Takes::Number, "smallest range").like("1000"),
    ],
    sense: Sense::AtLeast,
    monotone: COUNTS,
    description: "each group has k distinct numbers over a range of at least e",
    sentence: "Among those who look the same {secret} spreads over a range of {asked}, so the crowd does not tell the amount.",
    formula: "|distinct numbers in g| >= k and max - min >= e",
    limits: "most of a group may still lie close together: the range has two ends only (proximity)",
    reference: "Zhang et al., Aggregate query answering on anonymized tables, 2007",
    bound: "e",
    beside: "and at least {k} different numbers",
    build: |asked| {
        Ok(Box::new(KeAnonymity::new(
            asked.position()?,
            asked.whole("k"),
            asked.decimal("e")?,
            &asked.numbers()?,
        )))
    },
    ..PromiseEntry::BASE
}];

/// At least `k` distinct numbers over a range of at least `e` in every group.
#[derive(Debug, Clone)]
pub struct KeAnonymity {
    attribute: usize,
    k: u64,
    e: Decimal,
    scaled: i128,
    numbers: Numbers,
}

impl KeAnonymity {
    /// The promise over an attribute whose codes are these numbers.
    pub fn new(attribute: usize, k: u64, e: Decimal, numbers: &[Option<Decimal>]) -> KeAnonymity {
        let (numbers, scaled) = Numbers::new(numbers, e);
        KeAnonymity {
            attribute,
            k,
            e,
            scaled,
            numbers,
        }
    }

    /// Distinct numbers and their range.
    fn spread(&self, group: &Group<'_>) -> (u64, i128) {
        let histogram = group.histogram(self.attribute);
        let mut distinct = 0;
        let mut extent: Option<(i128, i128)> = None;
        for &(code, _) in histogram.counts {
            if let Some(number) = self.numbers.get(code) {
                distinct += 1;
                extent = Some(extent.map_or((number, number), |(low, high)| {
                    (low.min(number), high.max(number))
                }));
            }
        }
        (distinct, extent.map_or(0, |(low, high)| high - low))
    }
}

impl Promise for KeAnonymity {
    fn terms(&self) -> Terms {
        Terms {
            name: "k-e-anonymity",
            attribute: Some(self.attribute),
            bound: self.e.to_f64(),
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: true,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let (distinct, range) = self.spread(group);
        distinct >= self.k && range >= self.scaled
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        self.numbers.unscaled(self.spread(group).1)
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        true
    }
}
