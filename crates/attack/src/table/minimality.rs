//! Minimality attack: originals that the algorithm would have published differently are ruled out.
//!
//! # Idea
//!
//! The adversary knows everybody's quasi-identifiers, the release, and the algorithm. Each way of handing a group's
//! sensitive values to its people is a possible original. Run the algorithm on each; only those that give the observed
//! release remain. What the remaining ones say of a person is what the adversary learns.
//!
//! # Guarantee
//!
//! Exact posterior over all originals that agree with the release, each equally likely before. The algorithm comes in as a
//! closure; this crate knows none.
//!
//! # Reference
//!
//! Survey section 5.4, Example 5.1; Wong, Fu, Wang, Pei, VLDB 2007.
//!
//! # Cost
//!
//! One run of the algorithm per distinct assignment: the product over groups of multinomials. Small groups only.

use crate::{Coverage, Error, Evidence};
use denym_data::Dictionary;
use std::collections::BTreeMap;

/// One published group: its people, and the multiset of sensitive values it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedGroup {
    /// Rows of the people in the original order.
    pub people: Vec<u32>,
    /// As many sensitive codes as people, in any order.
    pub values: Vec<u32>,
}

/// What the adversary believes before and after running the algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// Originals that agree with the release.
    pub worlds: u64,
    /// Those that the algorithm publishes as observed.
    pub possible: u64,
    /// For each person, the share of each value before.
    pub before: Vec<BTreeMap<u32, f64>>,
    /// And after; empty when nothing is possible.
    pub after: Vec<BTreeMap<u32, f64>>,
}

impl Beliefs {
    /// People for whom some value has more than `confidence` after and had not before.
    pub fn evidence(&self, confidence: f64) -> Evidence {
        let top = |belief: &BTreeMap<u32, f64>| belief.values().copied().fold(0.0, f64::max);
        let learned = self
            .before
            .iter()
            .zip(&self.after)
            .filter(|(before, after)| top(after) > confidence && top(before) <= confidence)
            .count();
        Evidence::new(
            "minimality",
            learned as u64,
            self.before.len() as u64,
            Coverage::Exhaustive,
        )
    }
}

/// A release as the attack compares them: for each published tuple its sensitive values in order.
pub type Published = BTreeMap<Vec<u32>, Vec<u32>>;

/// The originals that agree with a release, and what the search makes of each.
pub struct Originals<'a> {
    /// The sensitive attribute.
    pub attribute: String,
    /// Its values.
    pub dictionary: &'a Dictionary,
    /// What was published of whom.
    pub groups: Vec<PublishedGroup>,
    /// What was published.
    pub observed: Published,
    /// What the search publishes for these sensitive values; `None` when it finds nothing that suppresses nobody.
    pub publish: Box<dyn Fn(&[u32]) -> Option<Published> + Sync + 'a>,
    /// How sure the adversary wants to be.
    pub confidence: f64,
    /// The most originals that are tried.
    pub limit: u64,
}

/// What the minimality attack found.
#[derive(Debug, Clone, PartialEq)]
pub struct MinimalityFound {
    /// The sensitive attribute.
    pub attribute: String,
    /// Originals that agree with the release, and those that would have been published like this.
    pub worlds: (u64, u64),
    /// People of whom a value is more than `confidence` likely after and was not before.
    pub evidence: Evidence,
    /// For each record (from 1) the likeliest value after, its probability before and after.
    pub beliefs: Vec<(Option<String>, f64, f64)>,
}

impl MinimalityFound {
    /// Tries every original.
    ///
    /// # Errors
    ///
    /// As [`minimality`].
    pub fn of(originals: &Originals<'_>) -> Result<Self, Error> {
        let observed = Some(originals.observed.clone());
        let beliefs = minimality(
            &originals.groups,
            &observed,
            &originals.publish,
            originals.limit,
        )?;
        let likeliest = |row: usize| {
            let after = beliefs.after.get(row).into_iter().flatten();
            let best = after.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
            best.map_or((None, 0.0, 0.0), |(&value, &after)| {
                let before = beliefs.before[row].get(&value).copied().unwrap_or(0.0);
                let text = originals.dictionary.text(value).map(str::to_owned);
                (text, before, after)
            })
        };
        Ok(Self {
            attribute: originals.attribute.clone(),
            worlds: (beliefs.worlds, beliefs.possible),
            evidence: beliefs.evidence(originals.confidence),
            beliefs: (0..beliefs.before.len()).map(likeliest).collect(),
        })
    }
}

/// Runs `publish` (sensitive value of each person -> release) on every original that agrees with the groups.
///
/// # Errors
///
/// When a group has not one value per person, people are not 0..n once each, or there are more than `limit` originals.
pub fn minimality<R: PartialEq>(
    groups: &[PublishedGroup],
    observed: &R,
    publish: &dyn Fn(&[u32]) -> R,
    limit: u64,
) -> Result<Beliefs, Error> {
    let people: usize = groups.iter().map(|group| group.people.len()).sum();
    let mut seen = vec![false; people];
    for group in groups {
        if group.values.len() != group.people.len() {
            return Err(Error::LengthsDiffer {
                what: "values of a group",
                expected: group.people.len(),
                found: group.values.len(),
            });
        }
        for &person in &group.people {
            match seen.get_mut(person as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    return Err(Error::CodeOutOfDomain {
                        what: "people",
                        row: person as usize,
                        domain: people,
                    });
                }
            }
        }
    }
    let mut search = Search {
        // Person by person, group by group.
        order: groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.people.iter().map(move |&p| (p, at)))
            .collect(),
        left: groups
            .iter()
            .map(|group| {
                let mut counts = BTreeMap::new();
                for &value in &group.values {
                    *counts.entry(value).or_insert(0) += 1;
                }
                counts
            })
            .collect(),
        original: vec![0; people],
        worlds: 0,
        possible: 0,
        before: vec![BTreeMap::new(); people],
        after: vec![BTreeMap::new(); people],
    };
    search.descend(0, observed, publish, limit)?;
    let share = |counts: Vec<BTreeMap<u32, u64>>, total: u64| -> Vec<BTreeMap<u32, f64>> {
        let one = |counts: BTreeMap<u32, u64>| {
            counts
                .into_iter()
                .map(|(v, c)| (v, c as f64 / total as f64))
                .collect()
        };
        counts.into_iter().map(one).collect()
    };
    Ok(Beliefs {
        worlds: search.worlds,
        possible: search.possible,
        before: share(search.before, search.worlds),
        after: share(search.after, search.possible),
    })
}

struct Search {
    order: Vec<(u32, usize)>,
    left: Vec<BTreeMap<u32, u64>>,
    original: Vec<u32>,
    worlds: u64,
    possible: u64,
    before: Vec<BTreeMap<u32, u64>>,
    after: Vec<BTreeMap<u32, u64>>,
}

impl Search {
    fn descend<R: PartialEq>(
        &mut self,
        depth: usize,
        observed: &R,
        publish: &dyn Fn(&[u32]) -> R,
        limit: u64,
    ) -> Result<(), Error> {
        let Some(&(person, group)) = self.order.get(depth) else {
            if self.worlds == limit {
                return Err(Error::TooManySteps { limit });
            }
            self.worlds += 1;
            let possible = publish(&self.original) == *observed;
            self.possible += u64::from(possible);
            for (person, &value) in self.original.iter().enumerate() {
                *self.before[person].entry(value).or_insert(0) += 1;
                if possible {
                    *self.after[person].entry(value).or_insert(0) += 1;
                }
            }
            return Ok(());
        };
        let values: Vec<u32> = self.left[group]
            .iter()
            .filter(|(_, left)| **left > 0)
            .map(|(&value, _)| value)
            .collect();
        for value in values {
            *self.left[group].entry(value).or_insert(0) -= 1;
            self.original[person as usize] = value;
            self.descend(depth + 1, observed, publish, limit)?;
            *self.left[group].entry(value).or_insert(0) += 1;
        }
        Ok(())
    }
}
