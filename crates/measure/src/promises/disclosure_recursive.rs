//! Recursive diversity that lets some values be disclosed, and keeps others from being ruled out.
//!
//! # Idea
//!
//! Learning that a victim is *healthy* hurts nobody: for a set Y of values positive disclosure is allowed. Sort the counts of a group in
//! descending order, r1 to rm, and let the most frequent value outside Y be the y-th. Then
//!
//! - if y < l: `r_y` < c (`r_l` + ... + `r_m`);
//! - if y >= l: `r_y` < c (r_(l-1) + ... + r_(y-1) + r_(y+1) + ... + `r_m`).
//!
//! A group of nothing but values in Y passes. For a set W *negative* disclosure matters too: an adversary must not be able to rule
//! a value out, so each value of W makes up at least a share c2 of every group.
//!
//! # Reference
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 2007,
//! definitions 4.3 and 4.4. Survey section 2.2.
//!
//! # Departures
//!
//! None; both parts are decided in whole numbers. The measured value is the infimum of the constants c of the first part.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::DisclosureRecursive};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // HIV must not be disclosed, or may be.
//! let c = Fraction::new(2, 1).unwrap();
//! assert!(!DisclosureRecursive::positive(0, c, 2, []).admits(&artists));
//! assert!(DisclosureRecursive::positive(0, c, 2, [1]).admits(&artists));
//! ```

use std::cmp::Ordering;

use denym_data::{Code, Fraction};

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::exact::compare_products;
use crate::{Group, Histogram, Parameters, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[
    PromiseEntry {
        name: "positive-disclosure-recursive-l-diversity",
        place: 70,
        in_policy: Some(("l-diversity", "{ kind = \"recursive\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes(
                "kind",
                Takes::Holds(
                    "recursive",
                    &[
                        takes(
                            "c",
                            Takes::Number,
                            "the most frequent value must be rarer than c times the rest",
                        )
                        .like("2"),
                        takes("allowed", Takes::Values, "values that may be disclosed")
                            .like("[\"flu\"]"),
                    ],
                ),
                "recursive",
            ),
            takes("l", Takes::Count, "values excluded plus two").like("3"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "recursive diversity that lets harmless values be disclosed",
        sentence: "Among those who look the same, the most frequent value of {secret} does not outweigh the rarer ones ({asked}); values that may be disclosed are not counted.",
        formula: "recursive, f1 the most frequent value that is not allowed",
        limits: "whoever decides which values are harmless decides for everybody",
        reference: "Machanavajjhala et al., l-diversity, 2007",
        bound: "c",
        build,
        ..PromiseEntry::BASE
    },
    PromiseEntry {
        name: "negative-disclosure-recursive-l-diversity",
        place: 80,
        in_policy: Some(("l-diversity", "{ kind = \"recursive\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes(
                "kind",
                Takes::Holds(
                    "recursive",
                    &[
                        takes(
                            "c",
                            Takes::Number,
                            "the most frequent value must be rarer than c times the rest",
                        )
                        .like("2"),
                        takes("allowed", Takes::Values, "values that may be disclosed")
                            .like("[\"flu\"]"),
                        takes("floor", Takes::Values, "values that may not be ruled out")
                            .like("[\"flu\"]"),
                        takes("least", Takes::ShareOrZero, "their least share").like("0.1"),
                    ],
                ),
                "recursive",
            ),
            takes("l", Takes::Count, "values excluded plus two").like("3"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "recursive diversity that also keeps values from being ruled out",
        sentence: "Among those who look the same, the most frequent value of {secret} does not outweigh the rarer ones ({asked}), and no protected value can be ruled out.",
        formula: "positive-disclosure recursive, and share(s) >= least for each floored s",
        limits: "a floor that the whole table does not reach can be kept by no release",
        reference: "Machanavajjhala et al., l-diversity, 2007",
        bound: "c",
        build,
        ..PromiseEntry::BASE
    },
];

/// With nothing allowed and no floor it is what recursive diversity is.
fn build(asked: &Parameters<'_>) -> Result<Box<dyn Promise>, &'static str> {
    Ok(Box::new(DisclosureRecursive::negative(
        asked.position()?,
        asked.number("c"),
        asked.whole("l") as usize,
        asked.codes("allowed")?,
        asked.number("least"),
        asked.codes("floor")?,
    )))
}

/// Positive-disclosure recursive (c,l)-diversity, with a floor for values that must not be ruled out.
#[derive(Debug, Clone)]
pub struct DisclosureRecursive {
    attribute: usize,
    c: Fraction,
    l: usize,
    /// Values that may be disclosed, ascending.
    allowed: Vec<Code>,
    /// Values that may not be ruled out and the least share of each, ascending.
    floor: Vec<Code>,
    least: Fraction,
}

impl DisclosureRecursive {
    /// Positive disclosure of the values `allowed` is fine.
    pub fn positive(
        attribute: usize,
        c: Fraction,
        l: usize,
        allowed: impl IntoIterator<Item = Code>,
    ) -> DisclosureRecursive {
        DisclosureRecursive::negative(attribute, c, l, allowed, Fraction::ZERO, [])
    }

    /// As [`DisclosureRecursive::positive`], and each of `floor` makes up at least a share `least` of every group.
    pub fn negative(
        attribute: usize,
        c: Fraction,
        l: usize,
        allowed: impl IntoIterator<Item = Code>,
        least: Fraction,
        floor: impl IntoIterator<Item = Code>,
    ) -> DisclosureRecursive {
        let sorted = |values: &mut Vec<Code>| {
            values.sort_unstable();
            values.dedup();
        };
        let mut allowed: Vec<Code> = allowed.into_iter().collect();
        let mut floor: Vec<Code> = floor.into_iter().collect();
        sorted(&mut allowed);
        sorted(&mut floor);
        DisclosureRecursive {
            attribute,
            c,
            l,
            allowed,
            floor,
            least,
        }
    }

    /// `r_y` and the sum it is compared with; `None` when every value of the group may be disclosed.
    fn head_and_tail(&self, histogram: &Histogram<'_>) -> Option<(u64, u64)> {
        let guarded = |code: &Code| self.allowed.binary_search(code).is_err();
        let head = histogram
            .counts
            .iter()
            .filter(|(code, _)| guarded(code))
            .map(|&(_, count)| count)
            .max()?;
        // Values that stand before it, ties being immaterial: both cases give the same sum there.
        let before = histogram
            .counts
            .iter()
            .filter(|&&(_, count)| count > head)
            .count();
        // Leave out the l - 1 largest when the head is among them, else the l - 2 largest and the head.
        let (skipped, also_head) = if before + 1 < self.l {
            (self.l - 1, false)
        } else {
            (self.l.saturating_sub(2), true)
        };
        let tail = histogram.total - sum_of_largest(histogram.counts, skipped);
        Some((head, if also_head { tail - head } else { tail }))
    }
}

/// The sum of the `many` largest counts, by repeated selection: l is small and nothing is allocated.
fn sum_of_largest(counts: &[(Code, u64)], many: usize) -> u64 {
    let mut sum = 0;
    let mut left = many;
    let mut bound = u64::MAX;
    while left > 0 {
        let Some(next) = counts
            .iter()
            .map(|&(_, count)| count)
            .filter(|&count| count < bound)
            .max()
        else {
            break;
        };
        let ties = counts
            .iter()
            .filter(|&&(_, count)| count == next)
            .count()
            .min(left);
        sum += next * ties as u64;
        left -= ties;
        bound = next;
    }
    sum
}

impl Promise for DisclosureRecursive {
    fn terms(&self) -> Terms {
        Terms {
            name: if self.floor.is_empty() {
                "positive-disclosure-recursive-l-diversity"
            } else {
                "negative-disclosure-recursive-l-diversity"
            },
            attribute: Some(self.attribute),
            bound: self.c.to_f64(),
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let histogram = group.histogram(self.attribute);
        let diverse = self.head_and_tail(&histogram).is_none_or(|(head, tail)| {
            compare_products(
                head.into(),
                self.c.denominator().into(),
                tail.into(),
                self.c.numerator().into(),
            ) == Ordering::Less
        });
        diverse
            && self.floor.iter().all(|&value| {
                compare_products(
                    histogram.count(value).into(),
                    self.least.denominator().into(),
                    histogram.total.into(),
                    self.least.numerator().into(),
                ) != Ordering::Less
            })
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        match self.head_and_tail(&group.histogram(self.attribute)) {
            None => 0.0,
            Some((_, 0)) => f64::INFINITY,
            Some((head, tail)) => head as f64 / tail as f64,
        }
    }
}
