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
//! One pass over the paths with the first end per distinct gap, until the stated number of steps is spent.

use super::Setting;
use crate::catalogue::known;
use crate::{Coverage, Error, Evidence, SplitMix64};
use std::collections::{BTreeMap, HashMap};

/// A doublet the adversary puts back into a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deduced {
    /// Whose record it is.
    pub victim: u32,
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
    /// Doublets to look at, about; beyond that victims are drawn.
    pub steps: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// Paths with both ends of a gap, and how many of them have each doublet in between.
type Between = (u64, BTreeMap<u32, u64>);

/// Every doublet deduced, and how many people lose one so.
///
/// # Errors
///
/// When the setting does not fit together or does not say whose record is whose, or `confidence` is not a probability.
pub fn correlation(setting: &Setting, sureness: &Sureness) -> Result<Correlated, Error> {
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
    let mut victims: Vec<u32> = (0..setting.raw.len() as u32).filter(lost).collect();
    let all = victims.len();
    shuffle(&mut victims, sureness.seed);
    let mut gaps: HashMap<(u32, u32), Between> = HashMap::new();
    let mut found = Vec::new();
    let (mut tried, mut fallen, mut steps) = (0, 0, 0_u64);
    for &victim in &victims {
        if steps > sureness.steps {
            break;
        }
        tried += 1;
        let mut falls = false;
        let path = setting.raw.get(victim as usize);
        let record = setting.published.get(own[victim as usize] as usize);
        for ends in record.windows(2) {
            let [Some(from), Some(to)] = [ends[0], ends[1]].map(|id| as_raw[id as usize]) else {
                continue;
            };
            let (paths, counts) = gaps.entry((from, to)).or_insert_with(|| {
                let mut between: Between = (0, BTreeMap::new());
                for &row in &having[from as usize] {
                    let path = setting.raw.get(row as usize);
                    steps += path.len() as u64;
                    if let Some(inner) = inner(path, from, to) {
                        between.0 += 1;
                        for &doublet in inner {
                            *between.1.entry(doublet).or_insert(0) += 1;
                        }
                    }
                }
                between
            });
            // The victim's own path is not among the others.
            let mine = inner(path, from, to);
            let others = *paths - u64::from(mine.is_some());
            for (&doublet, &count) in &*counts {
                let right = mine.is_some_and(|mine| mine.contains(&doublet));
                let count = count - u64::from(right);
                let share = count as f64 / others as f64;
                if count >= sureness.support.max(1) && share >= sureness.confidence {
                    falls |= right;
                    found.push(Deduced {
                        victim,
                        doublet,
                        confidence: share,
                        right,
                    });
                }
            }
        }
        fallen += u64::from(falls);
    }
    found.sort_by_key(|deduced| (deduced.victim, deduced.doublet));
    let coverage = if tried as usize == all {
        Coverage::Exhaustive
    } else {
        Coverage::Sampled {
            seed: sureness.seed,
        }
    };
    let evidence = Evidence::new(known("path-correlation"), fallen, tried, coverage);
    Ok(Correlated {
        deduced: found,
        evidence,
    })
}

/// What a path has between two of its doublets.
fn inner(path: &[u32], from: u32, to: u32) -> Option<&[u32]> {
    let first = path.iter().position(|&doublet| doublet == from)?;
    let last = path.iter().position(|&doublet| doublet == to)?;
    path.get(first + 1..last)
}

/// The one raw doublet that each published doublet stands for, where it is one.
fn as_raw(setting: &Setting) -> Vec<Option<u32>> {
    let mut found: Vec<Option<Option<u32>>> = vec![None; setting.published_time.len()];
    for (doublet, standing) in (0..).zip(&setting.stands_for) {
        for &id in standing {
            let known = &mut found[id as usize];
            *known = Some(known.is_none().then_some(doublet));
        }
    }
    found.into_iter().map(Option::flatten).collect()
}

/// A random order, fixed by the seed.
fn shuffle(victims: &mut [u32], seed: u64) {
    let mut rng = SplitMix64::new(seed);
    for last in (1..victims.len()).rev() {
        victims.swap(last, rng.below(last as u64 + 1) as usize);
    }
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
        let setting = Setting::aligned(&raw, &published).unwrap();
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
