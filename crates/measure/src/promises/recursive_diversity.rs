//! Recursive (c,l)-diversity: the most frequent sensitive value stays rare enough even when others are ruled out.
//!
//! # Idea
//!
//! Sort the counts of a group in descending order, r1, r2, ..., rm. The group is admitted when r1 < c (rl + ... + rm).
//! An adversary who excludes l - 2 other values still faces a group in which the most frequent one does not dominate.
//!
//! # Guarantee
//!
//! As above, for every group. It bounds the most frequent value only; a rare but grave value may be as sure as c allows.
//!
//! # Reference
//!
//! Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", ICDE 2006, definition 4.2. Survey section 2.2.
//!
//! # Departures
//!
//! None. The inequality is strict, as published, and decided in whole numbers; the measured value is the infimum of the
//! constants c that would do, infinite when the group has fewer than l values.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::RecursiveDiversity};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // 3 < c * 1 needs a constant above 3.
//! let c = |text| Fraction::parse(text).unwrap();
//! assert!(RecursiveDiversity { attribute: 0, c: c("3.1"), l: 2 }.admits(&artists));
//! assert!(!RecursiveDiversity { attribute: 0, c: c("3"), l: 2 }.admits(&artists));
//! ```

use std::cmp::Ordering;

use denym_data::Fraction;

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::exact::compare_products;
use crate::{Group, Histogram, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "recursive-l-diversity",
    place: 60,
    in_policy: Some(("l-diversity", "{ kind = \"recursive\", ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes(
            "kind",
            Takes::Holds(
                "recursive",
                &[takes(
                    "c",
                    Takes::Number,
                    "the most frequent value must be rarer than c times the rest",
                )
                .like("2")],
            ),
            "recursive",
        ),
        takes("l", Takes::Count, "values excluded plus two").like("3"),
    ],
    sense: Sense::AtMost,
    monotone: SHARES,
    description: "the most frequent value stays rare even when others are ruled out",
    sentence: "Among those who look the same, the most frequent value of {secret} does not outweigh the rarer ones ({asked}).",
    formula: "f1 < c (fl + ... + fm), f1 >= ... >= fm the counts in g",
    limits: "strict: equality fails; no bound on how much is learned beside the most frequent value",
    reference: "Machanavajjhala et al., l-diversity, 2006",
    bound: "c",
    build: |asked| {
        Ok(Box::new(RecursiveDiversity {
            attribute: asked.position()?,
            c: asked.number("c"),
            l: asked.whole("l"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// `r1 < c * (r_l + ... + r_m)` in every group.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveDiversity {
    /// Position of the attribute in [`Group::sensitive`].
    pub attribute: usize,
    /// The constant c.
    pub c: Fraction,
    /// The l of the sum; 1 sums all counts.
    pub l: u64,
}

impl RecursiveDiversity {
    /// The largest count and the sum of all but the l - 1 largest counts.
    pub fn head_and_tail(histogram: &Histogram<'_>, l: u64) -> (u64, u64) {
        let skipped = usize::try_from(l.saturating_sub(1)).unwrap_or(usize::MAX);
        if skipped >= histogram.counts.len() {
            let tail = if skipped == 0 { histogram.total } else { 0 };
            return (histogram.largest(), tail);
        }
        let most = largest_sum(histogram.counts, skipped);
        (histogram.largest(), histogram.total - most)
    }

    /// The infimum of the constants that admit the histogram; infinite when it has fewer than l values.
    pub fn infimum(histogram: &Histogram<'_>, l: u64) -> f64 {
        let (head, tail) = RecursiveDiversity::head_and_tail(histogram, l);
        if tail == 0 {
            f64::INFINITY
        } else {
            head as f64 / tail as f64
        }
    }
}

/// The sum of the `many` largest counts, without allocating for the usual small l.
fn largest_sum(counts: &[(u32, u64)], many: usize) -> u64 {
    const SMALL: usize = 16;
    if many > SMALL {
        let mut all: Vec<u64> = counts.iter().map(|&(_, count)| count).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        return all[..many].iter().sum();
    }
    let mut top = [0_u64; SMALL];
    for &(_, count) in counts {
        let mut rest = count;
        for slot in &mut top[..many] {
            if rest > *slot {
                std::mem::swap(&mut rest, slot);
            }
        }
    }
    top[..many].iter().sum()
}

impl Promise for RecursiveDiversity {
    fn terms(&self) -> Terms {
        Terms {
            name: "recursive-l-diversity",
            attribute: Some(self.attribute),
            bound: self.c.to_f64(),
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let (head, tail) =
            RecursiveDiversity::head_and_tail(&group.histogram(self.attribute), self.l);
        compare_products(
            head.into(),
            self.c.denominator().into(),
            tail.into(),
            self.c.numerator().into(),
        ) == Ordering::Less
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        RecursiveDiversity::infimum(&group.histogram(self.attribute), self.l)
    }
}
