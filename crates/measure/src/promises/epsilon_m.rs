//! (epsilon,m)-anonymity: no interval around a sensitive number holds for more than one in m of a group.
//!
//! # Idea
//!
//! For every number s that the group shows, the share of the group within [s - epsilon, s + epsilon] is at most 1 / m. That stops the
//! proximity attack: nine of ten salaries between 30 and 35 say almost as much as one salary.
//!
//! # Guarantee
//!
//! No victim's number can be inferred to within epsilon with confidence above 1 / m, for intervals centered on a number of the
//! group.
//!
//! # Reference
//!
//! J. Li, Y. Tao, X. Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008. Survey section 2.2.
//!
//! # Departures
//!
//! It is *not* monotone, not even without suppression: {-1 x5, 1 x5} passes with epsilon 1 and m = 2, and so does {0, 100}; merged, eleven of
//! twelve lie around 0. Missing values belong to the group but to no interval.
//!
//! # Example
//!
//! ```
//! use denym_data::Decimal;
//! use denym_measure::{Group, Histogram, Promise, promises::EpsilonM};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // Read the two values as salaries of 30 and 80: three in four lie around 80.
//! let numbers = [Some(Decimal::whole(30)), Some(Decimal::whole(80))];
//! assert!(!EpsilonM::new(0, Decimal::whole(5), 2, &numbers).admits(&artists));
//! ```

use denym_data::Decimal;

use crate::catalogue::{ATTRIBUTE, Linkage, NEVER, PromiseEntry, Takes, takes};
use crate::exact_numbers::Numbers;
use crate::{Group, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "epsilon-m-anonymity",
    place: 130,
    in_policy: Some(("epsilon-m-anonymity", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("epsilon", Takes::Number, "half width of the interval").like("500"),
        takes("m", Takes::OneIn, "one in m may lie in it").like("3"),
    ],
    sense: Sense::AtMost,
    monotone: NEVER,
    description: "no interval around a number of a group holds for more than one in m",
    sentence: "Of those who look the same, a share of {asked} has nearly the same {secret}.",
    formula: "|{y in g: |y - x| <= epsilon}| / |g| <= 1/m for every number x of g",
    limits: "merging groups may break it, so searches that rely on merging refuse it",
    reference: "Li, Tao, Xiao, Preservation of proximity privacy, 2008",
    bound: "m",
    build: |asked| {
        Ok(Box::new(EpsilonM::new(
            asked.position()?,
            asked.decimal("epsilon")?,
            asked.whole("m"),
            &asked.numbers()?,
        )))
    },
    ..PromiseEntry::BASE
}];

/// At most one in `m` of a group lies within `epsilon` of any of its numbers.
#[derive(Debug, Clone)]
pub struct EpsilonM {
    attribute: usize,
    m: u64,
    epsilon: i128,
    numbers: Numbers,
}

impl EpsilonM {
    /// The promise over an attribute whose codes are these numbers, ascending with the codes as dictionaries have them.
    pub fn new(
        attribute: usize,
        epsilon: Decimal,
        m: u64,
        numbers: &[Option<Decimal>],
    ) -> EpsilonM {
        let (numbers, epsilon) = Numbers::new(numbers, epsilon);
        EpsilonM {
            attribute,
            m,
            epsilon,
            numbers,
        }
    }

    /// The largest count within epsilon of a number of the group.
    fn densest(&self, group: &Group<'_>) -> u64 {
        let counts = group.histogram(self.attribute).counts;
        let number = |index: usize| self.numbers.get(counts[index].0);
        let numeric = (0..counts.len())
            .take_while(|&index| number(index).is_some())
            .count();
        let mut densest = 0;
        let (mut low, mut high, mut inside) = (0, 0, 0);
        for center in 0..numeric {
            let Some(at) = number(center) else { continue };
            while high < numeric && number(high).is_some_and(|value| value <= at + self.epsilon) {
                inside += counts[high].1;
                high += 1;
            }
            while number(low).is_some_and(|value| value < at - self.epsilon) {
                inside -= counts[low].1;
                low += 1;
            }
            densest = densest.max(inside);
        }
        densest
    }
}

impl Promise for EpsilonM {
    fn terms(&self) -> Terms {
        Terms {
            name: "epsilon-m-anonymity",
            attribute: Some(self.attribute),
            bound: 1.0 / self.m.max(1) as f64,
            sense: Sense::AtMost,
            monotone: false,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let total = group.histogram(self.attribute).total;
        u128::from(self.densest(group)) * u128::from(self.m) <= u128::from(total)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        crate::survey::ratio(self.densest(group), group.histogram(self.attribute).total)
    }
}
