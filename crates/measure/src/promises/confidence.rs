//! Confidence bounding: no sensitive value can be inferred from a group with more than a given confidence.
//!
//! # Idea
//!
//! A template says which value must not be inferred and how sure an adversary may at most be of it. The confidence of a value in
//! a group is the share of the group's *subjects* that show it. Each value may have a bound of its own; values
//! without one are free (nobody minds being inferred to be healthy).
//!
//! # Guarantee
//!
//! Linking a victim to a group leaves the adversary at or below the bound for every guarded value. Excluding values by other
//! knowledge raises the confidence again; recursive diversity covers that.
//!
//! # Reference
//!
//! K. Wang, B. Fung, P. Yu, "Handicapping attacker's confidence: an alternative to k-anonymization", Knowledge and
//! Information Systems 2007. Survey section 2.2. Templates with their own quasi-identifier sets: a requirement.
//!
//! # Departures
//!
//! Confidence is over subjects, not records, when a table has a subject column. The bound is compared as an exact fraction.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::Confidence};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // <QID -> HIV, 10 %> is violated, at 75 %.
//! let template = Confidence::of_values(0, [(1, Fraction::parse("0.1").unwrap())]);
//! assert!(!template.admits(&artists));
//! assert!((template.value(&artists) - 0.75).abs() < 1e-12);
//! ```

use denym_data::{Code, Fraction};

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "confidence",
    place: 90,
    in_policy: Some(("confidence", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("values", Takes::Values, "the guarded values").like("[\"HIV\"]"),
        takes("at-most", Takes::Share, "largest share of each").like("0.6"),
    ],
    sense: Sense::AtMost,
    monotone: SHARES,
    description: "no guarded value can be inferred with more than the given confidence",
    sentence: "Nobody can conclude a protected value of {secret} with a certainty above the bound ({asked}).",
    formula: "count(s in g) / |g| <= at-most for each guarded s",
    limits: "values without a bound are not guarded",
    reference: "Wang, Fung, Yu, Handicapping attacker's confidence, 2007",
    bound: "at-most",
    alone: Some("at-most"),
    build: |asked| Ok(Box::new(asked.confidence()?)),
    ..PromiseEntry::BASE
}];

/// The same bound within sequences: on visits to places, on having items. Such promises are built by who knows the sequences.
pub(crate) static WITHIN: [PromiseEntry; 2] = [
    PromiseEntry {
        parameters: &[
            takes("places", Takes::Places, "sensitive places").like("[\"Clinic\"]"),
            takes("at-most", Takes::Share, "largest share of each").like("0.6"),
        ],
        alone: None,
        build: |_| Err("places are sensitive on paths only"),
        ..ENTRIES[0]
    },
    PromiseEntry {
        parameters: &[
            takes("items", Takes::Items, "sensitive items").like("[\"pregnancy test\"]"),
            takes("at-most", Takes::Share, "largest share of each").like("0.6"),
        ],
        alone: None,
        build: |_| Err("items are sensitive in transactions only"),
        ..ENTRIES[0]
    },
];

/// The share of subjects with certain values stays at or below a bound.
#[derive(Debug, Clone)]
pub struct Confidence {
    attribute: usize,
    bounds: Bounds,
}

#[derive(Debug, Clone)]
enum Bounds {
    /// One bound for every value.
    Every(Fraction),
    /// (value, bound) in ascending order of value.
    Some(Vec<(Code, Fraction)>),
}

impl Confidence {
    /// One bound for each of `values`; values that occur twice keep the smaller bound.
    pub fn of_values(
        attribute: usize,
        values: impl IntoIterator<Item = (Code, Fraction)>,
    ) -> Confidence {
        let mut bounds: Vec<(Code, Fraction)> = values.into_iter().collect();
        bounds.sort_unstable();
        bounds.dedup_by_key(|&mut (value, _)| value);
        Confidence {
            attribute,
            bounds: Bounds::Some(bounds),
        }
    }

    /// The same bound for every value.
    pub fn of_all(attribute: usize, bound: Fraction) -> Confidence {
        Confidence {
            attribute,
            bounds: Bounds::Every(bound),
        }
    }

    /// Subjects with the most frequent guarded value.
    fn largest(&self, group: &Group<'_>) -> u64 {
        let counts = group.histogram(self.attribute).counts.iter();
        let guarded = counts.filter(|&&(value, _)| self.bound_of(value).is_some());
        guarded.map(|&(_, count)| count).max().unwrap_or(0)
    }

    /// The bound of `value`, if it has one.
    pub fn bound_of(&self, value: Code) -> Option<Fraction> {
        match &self.bounds {
            Bounds::Every(bound) => Some(*bound),
            Bounds::Some(bounds) => bounds
                .binary_search_by_key(&value, |&(value, _)| value)
                .ok()
                .map(|index| bounds[index].1),
        }
    }
}

impl Promise for Confidence {
    fn terms(&self) -> Terms {
        let bound = match &self.bounds {
            Bounds::Every(bound) => bound.to_f64(),
            // Bounds may differ by value; the strictest is what a reader should see.
            Bounds::Some(bounds) => bounds
                .iter()
                .map(|(_, bound)| bound.to_f64())
                .fold(1.0, f64::min),
        };
        Terms {
            name: "confidence",
            attribute: Some(self.attribute),
            bound,
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group
            .histogram(self.attribute)
            .counts
            .iter()
            .all(|&(value, count)| {
                self.bound_of(value)
                    .is_none_or(|bound| bound.bounds(count, group.subjects))
            })
    }

    /// The largest confidence of a guarded value.
    fn value(&self, group: &Group<'_>) -> f64 {
        if group.subjects == 0 {
            0.0
        } else {
            self.largest(group) as f64 / group.subjects as f64
        }
    }

    fn reads(&self) -> Vec<(usize, Option<Vec<Code>>)> {
        let values = match &self.bounds {
            Bounds::Every(_) => None,
            Bounds::Some(bounds) => Some(bounds.iter().map(|&(value, _)| value).collect()),
        };
        vec![(self.attribute, values)]
    }

    fn share(&self, group: &Group<'_>) -> Option<(u64, u64)> {
        Some((self.largest(group), group.subjects))
    }
}
