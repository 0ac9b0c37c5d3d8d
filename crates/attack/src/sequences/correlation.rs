//! Correlation attack: a suppressed doublet is deduced from its neighbors in the path.
//!
//! # Idea
//!
//! Most drivers from area a by highway h to mall m cross bridge r. The adversary has paths of other people (or road sense)
//! and looks at each gap between two consecutive doublets of a published record: if, among the other people's paths that
//! have both ends, at least the stated share has one and the same doublet in between, the record's owner was there as well.
//! The other people are the rest of the source here: nobody has better paths.
//!
//! # Guarantee
//!
//! The victim's own path never supports a deduction about the victim. A gap next to a coarser doublet that stands for
//! several is passed over.
//!
//! # Reference
//!
//! ITSA, section 4.5.1.
//!
//! # Cost
//!
//! One pass over the distinct paths with the first end per distinct gap; when these are more than the stated number of
//! steps, for the gaps of as many people as it allows.

use super::Exposure;
use super::setting::drawn;
use crate::{Coverage, Error, Evidence};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A doublet the adversary puts back into a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deduced {
    /// Whose record it is.
    pub victim: u32,
    /// How many people were tried of whom the same follows.
    pub people: u64,
    /// The raw doublet put back.
    pub doublet: u32,
    /// Share of the other people's paths that support it.
    pub confidence: f64,
    /// Whether the victim's raw path has it.
    pub right: bool,
}

/// What the correlation attack deduces.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlated {
    /// Every deduction.
    pub deduced: Vec<Deduced>,
    /// Of the people who lost a doublet, those of whom one is rightly put back.
    pub evidence: Evidence,
}

/// How sure the adversary wants to be, and how long to try.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sureness {
    /// The share of the paths with both ends that must agree.
    pub confidence: f64,
    /// The fewest paths that must agree.
    pub support: u64,
    /// Paths to look at, about; beyond that people are drawn.
    pub steps: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// Every doublet deduced, and how many people lose one so.
///
/// # Errors
///
/// When the setting does not fit together or does not say whose record is whose, or `confidence` is not a probability.
pub fn correlation(setting: &Exposure, sureness: &Sureness) -> Result<Correlated, Error> {
    setting.check()?;
    let Some(own) = &setting.own else {
        return Err(Error::LengthsDiffer {
            what: "records of victims",
            expected: setting.raw.len(),
            found: 0,
        });
    };
    if !(0.0..=1.0).contains(&sureness.confidence) {
        return Err(Error::OutOfRange {
            what: "confidence",
            range: "between 0 and 1",
        });
    }
    let as_raw = as_raw(setting);
    let mut having: Vec<Vec<u32>> = vec![Vec::new(); setting.stands_for.len()];
    for (row, path) in (0..).zip(setting.raw.iter()) {
        for &doublet in path {
            having[doublet as usize].push(row);
        }
    }
    let lost = |victim: &u32| {
        let shown = setting.published.get(own[*victim as usize] as usize);
        let stands = |doublet: &u32| &setting.stands_for[*doublet as usize];
        let mut path = setting.raw.get(*victim as usize).iter();
        path.any(|doublet| !stands(doublet).iter().any(|id| shown.contains(id)))
    };
    let each: Vec<(u32, u64)> = (0..setting.raw.len() as u32)
        .filter(lost)
        .map(|victim| (victim, setting.people(victim as usize)))
        .collect();
    let gaps_of = |victim: u32| {
        let record = setting.published.get(own[victim as usize] as usize);
        record
            .windows(2)
            .filter_map(|ends| Some((as_raw[ends[0] as usize]?, as_raw[ends[1] as usize]?)))
    };
    let gaps = |victims: &[(u32, u64)]| {
        let gaps = victims.iter().flat_map(|&(victim, _)| gaps_of(victim));
        gaps.collect::<BTreeSet<(u32, u32)>>()
    };
    let mut wanted = gaps(&each);
    let steps: u64 = wanted
        .iter()
        .map(|&(from, _)| having[from as usize].len() as u64)
        .sum();
    let (tried, coverage) = if steps <= sureness.steps {
        (each, Coverage::Exhaustive)
    } else {
        let people: u64 = each.iter().map(|&(_, people)| people).sum();
        let affordable = u128::from(people) * u128::from(sureness.steps) / u128::from(steps);
        let drawn = drawn(
            each.iter().copied(),
            (affordable as usize).max(1),
            sureness.seed,
        );
        wanted = gaps(&drawn);
        let seed = sureness.seed;
        (drawn, Coverage::Sampled { seed })
    };
    let wanted: Vec<(u32, u32)> = wanted.into_iter().collect();
    let between: HashMap<(u32, u32), Between> = wanted
        .par_iter()
        .map(|&(from, to)| {
            (
                (from, to),
                Between::new(setting, &having[from as usize], from, to),
            )
        })
        .collect();
    let found: Vec<(Vec<Deduced>, bool)> = tried
        .par_iter()
        .map(|&(victim, people)| {
            let mut deduced = Vec::new();
            for (from, to) in gaps_of(victim) {
                between[&(from, to)].deduce(
                    setting,
                    sureness,
                    victim,
                    people,
                    (from, to),
                    &mut deduced,
                );
            }
            let falls = deduced.iter().any(|one| one.right);
            deduced.sort_by_key(|one| one.doublet);
            (deduced, falls)
        })
        .collect();
    let count = |fallen: bool| -> u64 {
        let all = tried.iter().zip(&found);
        all.filter(|(_, (_, falls))| !fallen || *falls)
            .map(|((_, people), _)| people)
            .sum()
    };
    let evidence = Evidence::new("path-correlation", count(true), count(false), coverage);
    Ok(Correlated {
        deduced: found.into_iter().flat_map(|(deduced, _)| deduced).collect(),
        evidence,
    })
}

/// Paths with both ends of a gap, and how many of them have each doublet in between.
struct Between {
    paths: u64,
    counts: BTreeMap<u32, u64>,
}

impl Between {
    fn new(setting: &Exposure, having: &[u32], from: u32, to: u32) -> Self {
        let mut between = Self {
            paths: 0,
            counts: BTreeMap::new(),
        };
        for &row in having {
            if let Some(inner) = inner(setting.raw.get(row as usize), from, to) {
                let people = setting.people(row as usize);
                between.paths += people;
                for &doublet in inner {
                    *between.counts.entry(doublet).or_insert(0) += people;
                }
            }
        }
        between
    }

    /// What the paths of all others say about a victim between these ends.
    fn deduce(
        &self,
        setting: &Exposure,
        sureness: &Sureness,
        victim: u32,
        people: u64,
        (from, to): (u32, u32),
        deduced: &mut Vec<Deduced>,
    ) {
        // The victim's own path is not among the others.
        let mine = inner(setting.raw.get(victim as usize), from, to);
        let others = self.paths - u64::from(mine.is_some());
        for (&doublet, &count) in &self.counts {
            let right = mine.is_some_and(|mine| mine.contains(&doublet));
            let count = count - u64::from(right);
            let share = count as f64 / others as f64;
            if count >= sureness.support.max(1) && share >= sureness.confidence {
                deduced.push(Deduced {
                    victim,
                    people,
                    doublet,
                    confidence: share,
                    right,
                });
            }
        }
    }
}

/// What a path has between two of its doublets.
fn inner(path: &[u32], from: u32, to: u32) -> Option<&[u32]> {
    let first = path.iter().position(|&doublet| doublet == from)?;
    let last = path.iter().position(|&doublet| doublet == to)?;
    path.get(first + 1..last)
}

/// The one raw doublet that each published doublet stands for, where it is one.
fn as_raw(setting: &Exposure) -> Vec<Option<u32>> {
    let mut found: Vec<Option<Option<u32>>> = vec![None; setting.published_time.len()];
    for (doublet, standing) in (0..).zip(&setting.stands_for) {
        for &id in standing {
            let known = &mut found[id as usize];
            *known = Some(known.is_none().then_some(doublet));
        }
    }
    found.into_iter().map(Option::flatten).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Doublet;
    use super::*;

    #[test]
    fn the_bridge_is_deduced() {
        const A: Doublet = (0, 1);
        const H: Doublet = (1, 2);
        const R: Doublet = (2, 3);
        const X: Doublet = (9, 3);
        const M: Doublet = (3, 4);
        let raw = vec![
            vec![A, H, R, M],
            vec![A, H, X, M],
            vec![A, R],
            vec![A, H, R, M],
            vec![H, R, M],
            vec![A, H, R, M],
            vec![A, H, R],
        ];
        // The first two lose what they had at time 3, the third everything after a1, the others nothing.
        let mut published = raw.clone();
        published[0].remove(2);
        published[1].remove(2);
        published[2].pop();
        let setting = Exposure::aligned(&raw, &published).unwrap();
        let sureness = Sureness {
            confidence: 0.7,
            support: 2,
            steps: u64::MAX,
            seed: 1,
        };
        let found = correlation(&setting, &sureness).unwrap();
        // Of the four others with h2 and m4 three cross r3, for the first: right. For the second all four do: wrong.
        let r3 = 2;
        let deduced = |victim, confidence, right| Deduced {
            victim,
            people: 1,
            doublet: r3,
            confidence,
            right,
        };
        assert_eq!(
            found.deduced,
            [deduced(0, 0.75, true), deduced(1, 1.0, false)]
        );
        assert_eq!((found.evidence.successes, found.evidence.attempts), (1, 3));
        assert_eq!(found.evidence.coverage, Coverage::Exhaustive);
        let surer = Sureness {
            confidence: 0.8,
            ..sureness
        };
        assert_eq!(correlation(&setting, &surer).unwrap().evidence.successes, 0);
        let short = Sureness {
            steps: 1,
            ..sureness
        };
        let some = correlation(&setting, &short).unwrap().evidence;
        assert!(some.attempts < 3 && some.coverage == Coverage::Sampled { seed: 1 });
    }
}
