//! delta-disclosure privacy: in every group each sensitive value is about as frequent as in the table, by a factor of e^delta.
//!
//! # Idea
//!
//! For every group and every value of the table, |log(q / p)| < delta, with q the value's share in the group and p in the table.
//!
//! # Guarantee
//!
//! The multiplicative sibling of t-closeness, very strict: every group must show every value of the table. It bounds what any
//! classifier can gain from the quasi-identifiers.
//!
//! # Reference
//!
//! J. Brickell and V. Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data publishing", KDD 2008,
//! definition 1.
//!
//! # Departures
//!
//! Several tools skip values that a group lacks; that is another, weaker promise and not a monotone one, offered as
//! [`Absent::Skipped`] for comparison. Logarithms are natural unless the base says otherwise.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::DeltaDisclosure};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! use denym_measure::promises::{Absent, Base};
//! // Nobody here has hepatitis, which the table has: no delta is large enough.
//! let delta = Fraction::new(5, 1).unwrap();
//! assert!(!DeltaDisclosure::new(0, delta, Base::E, Absent::Breaks, &[1, 4, 2]).admits(&artists));
//! assert!(DeltaDisclosure::new(0, delta, Base::E, Absent::Skipped, &[1, 4, 2]).admits(&artists));
//! ```

use denym_data::{Code, Fraction};

use crate::catalogue::{ATTRIBUTE, Linkage, NEVER, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Parameters, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[
    PromiseEntry {
        name: "delta-disclosure",
        place: 190,
        in_policy: Some(("delta-disclosure", "{ ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes(
                "delta",
                Takes::Number,
                "bound on |log of the ratio of shares|",
            )
            .like("1.5"),
            takes("base", Takes::Choice(&["e", "2"]), "e or 2").like("\"e\""),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "every value is about as frequent in each group as in the table",
        sentence: "Every value of {secret} is about as frequent among look-alikes as in all the data: the logarithm of the ratio is {asked}.",
        formula: "|log(q(s) / p(s))| < delta for every s of the table",
        limits: "every group must show every value, so few tables can keep it",
        reference: "Brickell and Shmatikov, The cost of privacy, 2008",
        bound: "delta",
        alone: Some("delta"),
        compares: true,
        build: |asked| build(asked, Absent::Breaks),
        ..PromiseEntry::BASE
    },
    PromiseEntry {
        name: "delta-disclosure-present-values",
        place: 200,
        in_policy: None,
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes(
                "delta",
                Takes::Number,
                "bound on |log of the ratio of shares|",
            )
            .like("1.5"),
            takes("base", Takes::Choice(&["e", "2"]), "e or 2").like("\"e\""),
        ],
        sense: Sense::AtMost,
        monotone: NEVER,
        description: "the same, skipping values that a group lacks, as some tools do",
        sentence: "Every value of {secret} that look-alikes have is about as frequent among them as in all the data: the logarithm of the ratio is {asked}.",
        formula: "|log(q(s) / p(s))| < delta for every s of g",
        limits: "absent values are ignored: weaker than the paper, for comparison with tools that do so",
        reference: "Brickell and Shmatikov, The cost of privacy, 2008",
        bound: "delta",
        compares: true,
        build: |asked| build(asked, Absent::Skipped),
        ..PromiseEntry::BASE
    },
];

fn build(asked: &Parameters<'_>, absent: Absent) -> Result<Box<dyn Promise>, &'static str> {
    let base = if asked.says("base", "2") {
        Base::Two
    } else {
        Base::E
    };
    let delta = asked.number("delta");
    let promise = DeltaDisclosure::new(asked.position()?, delta, base, absent, asked.reference()?);
    Ok(Box::new(promise))
}

/// What a value that a group lacks means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// It breaks the promise, as published.
    Breaks,
    /// It is skipped, as in some tools.
    Skipped,
}

/// The base of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Natural.
    E,
    /// Two, for delta in bits.
    Two,
}

/// The logarithm of every ratio of shares stays below delta in every group.
#[derive(Debug, Clone)]
pub struct DeltaDisclosure {
    attribute: usize,
    delta: Fraction,
    base: Base,
    absent: Absent,
    reference: Vec<u64>,
    total: u64,
    /// Values that occur in the reference.
    values: usize,
}

impl DeltaDisclosure {
    /// The promise against `reference[code]`, counts of all source records by value.
    pub fn new(
        attribute: usize,
        delta: Fraction,
        base: Base,
        absent: Absent,
        reference: &[u64],
    ) -> DeltaDisclosure {
        DeltaDisclosure {
            attribute,
            delta,
            base,
            absent,
            reference: reference.to_vec(),
            total: reference.iter().sum(),
            values: reference.iter().filter(|&&count| count > 0).count(),
        }
    }

    fn log(&self, code: Code, count: u64, size: u64) -> f64 {
        let reference = self.reference.get(code as usize).copied().unwrap_or(0);
        let ratio = count as f64 * self.total as f64 / (reference as f64 * size as f64);
        match self.base {
            Base::E => ratio.ln().abs(),
            Base::Two => ratio.log2().abs(),
        }
    }
}

impl Promise for DeltaDisclosure {
    fn terms(&self) -> Terms {
        Terms {
            name: match self.absent {
                Absent::Breaks => "delta-disclosure",
                Absent::Skipped => "delta-disclosure-present-values",
            },
            attribute: Some(self.attribute),
            bound: self.delta.to_f64(),
            sense: Sense::AtMost,
            monotone: self.absent == Absent::Breaks,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        self.value(group) < self.delta.to_f64()
    }

    /// The largest |log(q / p)|; infinite when the group lacks a value that may not be lacking.
    fn value(&self, group: &Group<'_>) -> f64 {
        let histogram = group.histogram(self.attribute);
        if self.absent == Absent::Breaks && histogram.counts.len() < self.values {
            return f64::INFINITY;
        }
        histogram
            .counts
            .iter()
            .map(|&(code, count)| self.log(code, count, histogram.total))
            .fold(0.0, f64::max)
    }
}
