//! Minimality: originals that the search would have published differently are ruled out.
//!
//! # Idea
//!
//! The adversary knows the release, the policy and the program, and of every record what it may have been: each way of handing a class's
//! sensitive values to its people, or one of several source paths that would show as the record does. Each choice is a possible
//! original. Run the search on each; only those that give the observed release remain. What the remaining ones say of a person is
//! what the adversary learns.
//!
//! # Guarantee
//!
//! Exact posterior over all originals that agree with the release, each equally likely before. The search comes in as a closure; this
//! crate knows none. A search that gives the release for no original at all rules nothing out, and that is said instead of a rate.
//!
//! # Reference
//!
//! Survey section 5.4, Example 5.1; Wong, Fu, Wang, Pei, VLDB 2007. On paths ITSA, section 4.5.1, which holds that it fails against
//! suppression because a gap may also be a stay; it does not fail when the possible source paths are few.
//!
//! # Cost
//!
//! One run of the search per distinct choice: the product over classes of multinomials, or over records of their source paths.

use std::collections::BTreeMap;

use denym_data::Dictionary;
use serde_json::json;

use crate::catalogue::AttackEntry;
use crate::finding::{Declined, Finding, Ran};
use crate::{Coverage, Error, Evidence};

/// People who share what they may have been: each has one of the values, and each value is one person's at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Rows of the people in the original order.
    pub people: Vec<u32>,
    /// At least as many values as people, in any order.
    pub values: Vec<u32>,
}

/// What the adversary believes before and after running the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// Originals that agree with the release.
    pub worlds: u64,
    /// Those that the search publishes as observed.
    pub possible: u64,
    /// For each person, the share of each value before.
    pub before: Vec<BTreeMap<u32, f64>>,
    /// And after.
    pub after: Vec<BTreeMap<u32, f64>>,
}

/// The originals that agree with a release, and what the search makes of each.
pub struct Originals<'a> {
    /// The sensitive attribute and its values, where these are what was handed out.
    pub attribute: Option<(String, &'a Dictionary)>,
    /// What everybody may have been.
    pub choices: Vec<Choice>,
    /// Whether the search publishes the same for this original.
    pub agrees: Box<dyn Fn(&[u32]) -> bool + Sync + 'a>,
    /// How sure the adversary wants to be.
    pub confidence: f64,
    /// The most originals that are tried.
    pub limit: u64,
}

/// What the minimality attack found.
#[derive(Debug, Clone, PartialEq)]
pub struct MinimalityFound {
    /// The sensitive attribute, where values of one were handed out.
    pub attribute: Option<String>,
    /// Originals that agree with the release, and those that would have been published like this.
    pub worlds: (u64, u64),
    /// People of whom something is more than `confidence` likely after: of all, where it was not before; of those who may have been
    /// several things, where these are source paths.
    pub evidence: Evidence,
    /// For each record (from 1) the likeliest value after, its probability before and after.
    pub beliefs: Vec<(Option<String>, f64, f64)>,
}

impl MinimalityFound {
    /// Tries every original under the name of `entry`.
    ///
    /// # Errors
    ///
    /// As [`minimality`].
    pub fn of(entry: &AttackEntry, originals: &Originals<'_>) -> Result<Self, Error> {
        let beliefs = minimality(&originals.choices, &originals.agrees, originals.limit)?;
        let top = |belief: &BTreeMap<u32, f64>| belief.values().copied().fold(0.0, f64::max);
        let values = originals.attribute.is_some();
        let (mut learned, mut people) = (0, 0);
        for (before, after) in beliefs.before.iter().zip(&beliefs.after) {
            let sure = top(after) > originals.confidence;
            let (counts, new) = if values {
                (true, top(before) <= originals.confidence)
            } else {
                (before.len() > 1, true)
            };
            people += u64::from(counts);
            learned += u64::from(counts && sure && new);
        }
        let likeliest = |row: usize| {
            let after = beliefs.after[row].iter();
            let best = after.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
            best.map_or((None, 0.0, 0.0), |(&value, &after)| {
                let before = beliefs.before[row].get(&value).copied().unwrap_or(0.0);
                let text = originals.attribute.as_ref();
                let text = text.and_then(|(_, dictionary)| dictionary.text(value));
                (text.map(str::to_owned), before, after)
            })
        };
        Ok(Self {
            attribute: originals.attribute.as_ref().map(|(name, _)| name.clone()),
            worlds: (beliefs.worlds, beliefs.possible),
            evidence: Evidence::new(entry.name, learned, people, Coverage::Exhaustive),
            beliefs: (0..beliefs.before.len()).map(likeliest).collect(),
        })
    }
}

/// The most people that are named.
const WORST: usize = 10;

/// The attack as the red team runs it.
pub(crate) fn ruled_out(entry: &AttackEntry, originals: Result<&Originals<'_>, &String>) -> Ran {
    let originals = originals.map_err(|why| Declined::because(why.as_str()))?;
    let found = MinimalityFound::of(entry, originals);
    let found = found.map_err(|error| Declined::Because(error.to_string()))?;
    let sure = originals.confidence;
    let learned = |&(_, before, after): &(Option<String>, f64, f64)| after > sure && before <= sure;
    let named = found.beliefs.iter().enumerate();
    let named = named.filter(|(_, belief)| found.attribute.is_some() && learned(belief));
    let mut order: Vec<(usize, &(Option<String>, f64, f64))> = named.collect();
    order.sort_by(|a, b| b.1.2.total_cmp(&a.1.2).then(a.0.cmp(&b.0)));
    let worst = order.into_iter().take(WORST);
    let worst = worst.map(|(record, (value, before, after))| {
        json!({"chance": after, "before": before, "value": value, "source_record": record + 1})
    });
    Ok(vec![Finding {
        attribute: found.attribute.clone(),
        note: format!(
            "{} originals agree with the release; {} would have been published like this.",
            found.worlds.0, found.worlds.1
        ),
        worst: worst.collect(),
        ..Finding::new(found.evidence, entry.knows)
    }])
}

/// Runs `agrees` (what each person is taken to have been -> whether that is published as observed) on every original.
///
/// # Errors
///
/// When people have fewer values than they are, people are not 0..n once each, there are more than `limit` originals, or none is
/// published as observed.
pub fn minimality(
    choices: &[Choice],
    agrees: &dyn Fn(&[u32]) -> bool,
    limit: u64,
) -> Result<Beliefs, Error> {
    let people: usize = choices.iter().map(|choice| choice.people.len()).sum();
    let mut seen = vec![false; people];
    for choice in choices {
        if choice.values.len() < choice.people.len() {
            return Err(Error::LengthsDiffer {
                what: "values of a group",
                expected: choice.people.len(),
                found: choice.values.len(),
            });
        }
        for &person in &choice.people {
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
    // Counted before any of them is tried: a search is dear.
    let mut worlds = 0;
    EveryOriginal::new(choices, people).visit(0, &mut |_| {
        worlds += 1;
        (worlds <= limit).then_some(())
    });
    if worlds > limit {
        return Err(Error::TooManySteps { limit });
    }
    let mut possible = 0;
    let mut before: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); people];
    let mut after = before.clone();
    EveryOriginal::new(choices, people).visit(0, &mut |original| {
        let agrees = agrees(original);
        possible += u64::from(agrees);
        for (person, &value) in original.iter().enumerate() {
            *before[person].entry(value).or_insert(0) += 1;
            if agrees {
                *after[person].entry(value).or_insert(0) += 1;
            }
        }
        Some(())
    });
    if possible == 0 {
        return Err(Error::NotPublishedAgain);
    }
    let share = |counts: Vec<BTreeMap<u32, u64>>, total: u64| {
        let one = |counts: BTreeMap<u32, u64>| {
            let each = counts.into_iter();
            each.map(|(value, count)| (value, count as f64 / total as f64))
                .collect()
        };
        counts.into_iter().map(one).collect()
    };
    Ok(Beliefs {
        worlds,
        possible,
        before: share(before, worlds),
        after: share(after, possible),
    })
}

/// All originals, person by person.
struct EveryOriginal {
    order: Vec<(u32, usize)>,
    left: Vec<BTreeMap<u32, u64>>,
    original: Vec<u32>,
}

impl EveryOriginal {
    fn new(choices: &[Choice], people: usize) -> Self {
        let each = choices.iter().enumerate();
        let left = choices.iter().map(|choice| {
            let mut counts = BTreeMap::new();
            for &value in &choice.values {
                *counts.entry(value).or_insert(0) += 1;
            }
            counts
        });
        Self {
            order: each
                .flat_map(|(at, choice)| choice.people.iter().map(move |&person| (person, at)))
                .collect(),
            left: left.collect(),
            original: vec![0; people],
        }
    }

    /// Visits every original until `visit` has had enough.
    fn visit(&mut self, depth: usize, visit: &mut dyn FnMut(&[u32]) -> Option<()>) -> Option<()> {
        let Some(&(person, choice)) = self.order.get(depth) else {
            return visit(&self.original);
        };
        let left = self.left[choice].iter().filter(|(_, left)| **left > 0);
        let values: Vec<u32> = left.map(|(&value, _)| value).collect();
        for value in values {
            *self.left[choice].entry(value).or_insert(0) -= 1;
            self.original[person as usize] = value;
            self.visit(depth + 1, visit)?;
            *self.left[choice].entry(value).or_insert(0) += 1;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::entry;

    /// One record each, which may have been any of so many source paths.
    fn records(paths: &[&[u32]]) -> Vec<Choice> {
        let one = |(person, values): (u32, &&[u32])| Choice {
            people: vec![person],
            values: values.to_vec(),
        };
        (0..).zip(paths).map(one).collect()
    }

    #[test]
    fn what_would_have_stayed_was_not_there() {
        // Path 0 is a1, path 1 is a1>b2. A publisher that suppresses every doublet that only one record has shows a1 three times
        // exactly when at most one of the three was at b2.
        let agrees = |paths: &[u32]| paths.iter().sum::<u32>() <= 1;
        let beliefs = minimality(&records(&[&[0, 1][..]; 3]), &agrees, 100).unwrap();
        assert_eq!((beliefs.worlds, beliefs.possible), (8, 4));
        assert!(
            (beliefs.after[0][&1] - 0.25).abs() < 1e-12,
            "one half before"
        );
        // Whoever knows that the first was at b2 knows that the others were not.
        let known = records(&[&[1], &[0, 1], &[0, 1]]);
        let beliefs = minimality(&known, &agrees, 100).unwrap();
        assert_eq!(beliefs.possible, 1);
        assert_eq!(beliefs.after[1], BTreeMap::from([(0, 1.0)]));
        let originals = Originals {
            attribute: None,
            choices: known,
            agrees: Box::new(agrees),
            confidence: 0.9,
            limit: 100,
        };
        let entry = entry("path-minimality").unwrap();
        let found = MinimalityFound::of(entry, &originals).unwrap();
        assert_eq!((found.evidence.successes, found.evidence.attempts), (2, 2));
        assert!(minimality(&records(&[&[0, 1][..]; 2]), &agrees, 3).is_err());
    }

    #[test]
    fn a_search_that_never_gives_the_release_again_has_no_rate() {
        let entry = entry("path-minimality").unwrap();
        let originals = Originals {
            attribute: None,
            choices: records(&[&[0, 1][..]; 3]),
            agrees: Box::new(|_| false),
            confidence: 0.9,
            limit: 100,
        };
        assert!(matches!(
            ruled_out(entry, Ok(&originals)),
            Err(Declined::Because(_))
        ));
    }
}
