//! delta-presence: nobody in a public table can be said to be in the published one with more, or less, than a given probability.
//!
//! # Idea
//!
//! Of the E people of the public table that look like a group, T are in the private one; the chance that any of them is, is T / E. It
//! must lie between two bounds. People whose look no group has are present with chance 0, which breaks a positive lower bound.
//!
//! # Reference
//!
//! M. Nergiz, M. Atzori, C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007. Survey section 2.3,
//! example 2.8.
//!
//! # Departures
//!
//! Judged per group, so people outside every group must be asked for separately ([`crate::population::Matched::outside`]). The
//! measured value is T / E, on which the upper bound is judged; a group without population counts is refused.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::DeltaPresence};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // Five people of table II(d) look like this: Alice is present with chance 4/5.
//! let artists = artists.with_population(5);
//! let (least, most) = (Fraction::ZERO, Fraction::parse("0.8").unwrap());
//! assert!(DeltaPresence { least, most }.admits(&artists));
//! ```

use denym_data::Fraction;

use crate::catalogue::{Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "delta-presence",
    place: 220,
    in_policy: Some(("delta-presence", "{ ... }")),
    linkage: Linkage::Table,
    parameters: &[
        takes(
            "population",
            Takes::File,
            "a register of the people, a file",
        )
        .like("\"voters.csv\""),
        takes("least", Takes::ShareOrZero, "smallest chance of presence").like("0"),
        takes("most", Takes::Share, "largest chance of presence").like("0.3"),
    ],
    sense: Sense::AtMost,
    monotone: SHARES,
    description: "nobody in a public table can be said to be in the published one beyond the given chances",
    sentence: "Whether somebody of the population is in the data can be said with a certainty of {asked}.",
    formula: "least <= |table in g| / |population in g| <= most",
    limits: "needs the register that the adversary has, or a larger one",
    reference: "Nergiz, Atzori, Clifton, Hiding the presence of individuals, 2007",
    bound: "most",
    build: |asked| {
        Ok(Box::new(DeltaPresence {
            least: asked.number("least"),
            most: asked.number("most"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// Presence between `least` and `most` in every group.
#[derive(Debug, Clone, Copy)]
pub struct DeltaPresence {
    /// The smallest allowed chance of presence.
    pub least: Fraction,
    /// The largest allowed chance of presence.
    pub most: Fraction,
}

impl Promise for DeltaPresence {
    fn terms(&self) -> Terms {
        Terms {
            name: "delta-presence",
            attribute: None,
            bound: self.most.to_f64(),
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.population.is_some_and(|people| {
            people > 0
                && self.most.bounds(group.subjects, people)
                // least <= subjects / people
                && u128::from(self.least.numerator()) * u128::from(people)
                    <= u128::from(group.subjects) * u128::from(self.least.denominator())
        })
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        match group.population {
            Some(people) if people > 0 => group.subjects as f64 / people as f64,
            _ => f64::INFINITY,
        }
    }
}
