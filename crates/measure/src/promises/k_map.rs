//! k-map: every group looks like at least k people of the population.
//!
//! # Guarantee
//!
//! An adversary who does not know who is in the table, and links by a public register, is left with k or more people. Weaker
//! than k-anonymity (a record may be unique in the table) and enough when presence in the table is itself not known.
//!
//! # Reference
//!
//! L. Sweeney, "Computational disclosure control", `PhD` thesis, MIT 2001; K. El Emam and F. Dankar, "Protecting privacy using
//! k-anonymity", JAMIA 2008.
//!
//! # Departures
//!
//! A group without population counts is refused: k-map cannot be seen from the table alone.
//!
//! # Example
//!
//! ```
//! use denym_measure::{Group, Histogram, Promise, promises::KMap};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // Five people of table II(d) look like this.
//! let artists = artists.with_population(5);
//! assert!(KMap { k: 5 }.admits(&artists) && !KMap { k: 6 }.admits(&artists));
//! ```

use crate::catalogue::{COUNTS, Linkage, PromiseEntry, Takes, takes};
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "k-map",
    place: 30,
    in_policy: Some(("k-map", "{ ... }")),
    linkage: Linkage::Record,
    parameters: &[
        takes(
            "population",
            Takes::File,
            "a register of the people, a file",
        )
        .like("\"voters.csv\""),
        takes(
            "k",
            Takes::Whole,
            "fewest people of the population that look like a group",
        )
        .like("5"),
    ],
    sense: Sense::AtLeast,
    monotone: COUNTS,
    description: "each group looks like at least k people of a population",
    sentence: "Everybody in the data looks like {asked} people of the population, so a match does not tell who it is.",
    formula: "|people of the population that look like g| >= k",
    limits: "as good as the register: people it lacks are not counted, and whoever knows that the victim is in the data sees only the group",
    reference: "Sweeney 2001",
    bound: "k",
    build: |asked| {
        Ok(Box::new(KMap {
            k: asked.whole("k"),
        }))
    },
    ..PromiseEntry::BASE
}];

/// At least `k` people of the population look like every group.
#[derive(Debug, Clone, Copy)]
pub struct KMap {
    /// The smallest allowed number of people.
    pub k: u64,
}

impl Promise for KMap {
    fn terms(&self) -> Terms {
        Terms {
            name: "k-map",
            attribute: None,
            bound: self.k as f64,
            sense: Sense::AtLeast,
            monotone: true,
            monotone_with_suppression: true,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.population.is_some_and(|people| people >= self.k)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.population.unwrap_or(0) as f64
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        true
    }
}
