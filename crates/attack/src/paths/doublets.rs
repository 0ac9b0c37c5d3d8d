//! The any-L-doublets attack: whoever knows up to L doublets of the victim's raw path looks for the records that fit.
//!
//! # Idea
//!
//! Three ways to fit. *Covers*: the record shows every known doublet that is published anywhere. *Consistent*: besides, it
//! shows nothing at the time of a known doublet that is published nowhere, since the victim was at that place then: the
//! contradiction attack. *Consistent locally*: where single records may have lost doublets that others show, a record fits
//! when at the time of each known doublet it shows that doublet or nothing.
//!
//! The attack succeeds when the victim's record fits together with fewer than k - 1 others, or when more than the stated
//! share of the fitting records has one of the secret values.
//!
//! # Guarantee
//!
//! [`DoubletAttack::expose`] tries every sub-sequence of 1..L doublets of every raw path, so its smallest group and largest
//! confidence are exact.
//!
//! # Reference
//!
//! LKC-privacy (the RFID thesis of the seeds) for *covers*; the other two are ours.
//!
//! # Cost
//!
//! Per sub-sequence one intersection of bits over the records; C(path, L) sub-sequences per path when exhaustive.

use super::Doublet;
use crate::catalogue::known;
use crate::evidence::{Attack, Draw, exhaustive, sampled};
use crate::{Error, Evidence};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Which published records fit what the adversary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// Show every known doublet that is published anywhere.
    Covers,
    /// And show nothing at the time of a known doublet that is published nowhere.
    Consistent,
    /// Show, at the time of each known doublet, that doublet or nothing.
    ConsistentLocal,
}

/// A sensitive attribute of each record and the values that must not be inferred.
#[derive(Debug, Clone, Copy)]
pub struct Secret<'a> {
    /// One code per record.
    pub codes: &'a [u32],
    /// The codes that count as secret.
    pub values: &'a [u32],
    /// The largest share allowed, as a fraction (numerator, denominator).
    pub at_most: (u64, u64),
}

/// The attack, ready to run.
#[derive(Debug, Clone)]
pub struct DoubletAttack<'a, P> {
    raw: &'a [P],
    matching: Matching,
    most_known: usize,
    k: u64,
    secret: Option<Secret<'a>>,
    words: usize,
    /// Records that show a doublet.
    showing: BTreeMap<Doublet, Vec<u64>>,
    /// Records that show anything at a time.
    at_time: BTreeMap<u32, Vec<u64>>,
    /// Records with each secret value.
    having: Vec<Vec<u64>>,
}

/// The worst that any knowledge does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The fewest records that fit some knowledge, over knowledge that fits any; the number of records when nobody is known.
    pub smallest_group: u64,
    /// The largest share of a secret value among fitting records, as (records with it, records).
    pub largest_confidence: (u64, u64),
    /// Subjects for whom some knowledge succeeds, ascending.
    pub exposed: Vec<u32>,
}

impl<'a, P: AsRef<[Doublet]> + Sync> DoubletAttack<'a, P> {
    /// An adversary with up to `most_known` doublets, who succeeds below `k` fitting records or beyond the secret's share.
    ///
    /// # Errors
    ///
    /// When raw paths, published paths and secret codes are not equally many.
    pub fn new(
        raw: &'a [P],
        published: &[P],
        matching: Matching,
        most_known: usize,
        k: u64,
        secret: Option<Secret<'a>>,
    ) -> Result<Self, Error> {
        if raw.len() != published.len() {
            return Err(Error::LengthsDiffer {
                what: "published paths",
                expected: raw.len(),
                found: published.len(),
            });
        }
        if let Some(secret) = secret.filter(|secret| secret.codes.len() != raw.len()) {
            return Err(Error::LengthsDiffer {
                what: "secret codes",
                expected: raw.len(),
                found: secret.codes.len(),
            });
        }
        let words = raw.len().div_ceil(64);
        let mut showing: BTreeMap<Doublet, Vec<u64>> = BTreeMap::new();
        let mut at_time: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (row, path) in published.iter().enumerate() {
            for &doublet in path.as_ref() {
                showing.entry(doublet).or_insert_with(|| vec![0; words])[row / 64] |=
                    1 << (row % 64);
                at_time.entry(doublet.1).or_insert_with(|| vec![0; words])[row / 64] |=
                    1 << (row % 64);
            }
        }
        let having = secret.map_or_else(Vec::new, |secret| {
            let bits = |value: &u32| {
                let mut bits = vec![0; words];
                for (row, code) in secret.codes.iter().enumerate() {
                    bits[row / 64] |= u64::from(code == value) << (row % 64);
                }
                bits
            };
            secret.values.iter().map(bits).collect()
        });
        Ok(Self {
            raw,
            matching,
            most_known,
            k,
            secret,
            words,
            showing,
            at_time,
            having,
        })
    }

    fn everybody(&self) -> Vec<u64> {
        let mut bits = vec![u64::MAX; self.words];
        if let Some(last) = bits.last_mut() {
            *last = u64::MAX >> ((64 - self.raw.len() % 64) % 64);
        }
        bits
    }

    /// Keeps of `fitting` those that fit one more known doublet.
    fn narrow(&self, fitting: &mut [u64], doublet: Doublet) {
        let here = self.showing.get(&doublet);
        let then = self.at_time.get(&doublet.1);
        match (self.matching, here, then) {
            (Matching::Covers | Matching::Consistent, Some(here), _) => and(fitting, here, |h| h),
            (Matching::Covers, None, _) | (_, None, None) => {}
            (Matching::Consistent | Matching::ConsistentLocal, None, Some(then)) => {
                and(fitting, then, |t| !t);
            }
            (Matching::ConsistentLocal, Some(here), then) => {
                let none = vec![0; self.words];
                let then = then.unwrap_or(&none);
                for ((word, h), t) in fitting.iter_mut().zip(here).zip(then) {
                    *word &= h | !t;
                }
            }
        }
    }

    /// Fitting records, and of those the most with one secret value.
    fn judge(&self, fitting: &[u64]) -> (u64, u64) {
        let count = |bits: &mut dyn Iterator<Item = u64>| {
            bits.map(|word| u64::from(word.count_ones())).sum::<u64>()
        };
        let group = count(&mut fitting.iter().copied());
        let worst = self
            .having
            .iter()
            .map(|having| count(&mut fitting.iter().zip(having).map(|(a, b)| a & b)))
            .max();
        (group, worst.unwrap_or(0))
    }

    fn is_success(&self, victim: usize, fitting: &[u64]) -> bool {
        let (group, worst) = self.judge(fitting);
        let there = fitting[victim / 64] >> (victim % 64) & 1 == 1;
        let beyond = self
            .secret
            .is_some_and(|secret| worst * secret.at_most.1 > group * secret.at_most.0);
        there && (group < self.k || beyond)
    }

    /// Tries everything on everybody, and says what the worst is.
    pub fn expose(&self) -> Exposure {
        let all = self.raw.len() as u64;
        let start = self.everybody();
        let each: Vec<(u64, (u64, u64), bool)> = (0..self.raw.len())
            .into_par_iter()
            .map(|victim| {
                let mut worst = (all, (0, 1), false);
                self.descend(victim, 0, self.most_known, &start, &mut worst);
                worst
            })
            .collect();
        Exposure {
            smallest_group: each.iter().map(|one| one.0).min().unwrap_or(all),
            largest_confidence: each
                .iter()
                .map(|one| one.1)
                .fold((0, 1), |a, b| if b.0 * a.1 > a.0 * b.1 { b } else { a }),
            exposed: each
                .iter()
                .enumerate()
                .filter(|(_, one)| one.2)
                .map(|(row, _)| row as u32)
                .collect(),
        }
    }

    fn descend(
        &self,
        victim: usize,
        from: usize,
        left: usize,
        fitting: &[u64],
        worst: &mut (u64, (u64, u64), bool),
    ) {
        if left == 0 {
            return;
        }
        let path = self.raw[victim].as_ref();
        for (at, &doublet) in path.iter().enumerate().skip(from) {
            let mut narrowed = fitting.to_vec();
            self.narrow(&mut narrowed, doublet);
            let (group, most) = self.judge(&narrowed);
            if group > 0 {
                worst.0 = worst.0.min(group);
                if most * worst.1.1 > worst.1.0 * group {
                    worst.1 = (most, group);
                }
            }
            worst.2 |= self.is_success(victim, &narrowed);
            self.descend(victim, at + 1, left - 1, &narrowed, worst);
        }
    }

    /// Evidence from trying everything on everybody.
    pub fn exhaustive(&self) -> Evidence {
        exhaustive(self.entry(), self)
    }

    /// Evidence from draws: a victim, and `most_known` doublets of that path (all of a shorter one).
    pub fn sampled(&self, attempts: u64, seed: u64) -> Evidence {
        sampled(self.entry(), self, attempts, seed)
    }

    fn entry(&self) -> &'static crate::Entry {
        known(if self.matching == Matching::Covers {
            "doublets"
        } else {
            "contradiction"
        })
    }
}

impl<P: AsRef<[Doublet]> + Sync> Attack for DoubletAttack<'_, P> {
    type Knowledge = Vec<Doublet>;

    fn victims(&self) -> usize {
        self.raw.len()
    }

    fn knowledge(&self, victim: usize, draw: Draw<'_>) -> Vec<Vec<Doublet>> {
        let path = self.raw[victim].as_ref();
        match draw {
            Draw::One(_) if path.is_empty() => Vec::new(),
            Draw::One(rng) => vec![
                rng.distinct(self.most_known, path.len())
                    .into_iter()
                    .map(|at| path[at])
                    .collect(),
            ],
            Draw::All => {
                let mut all: Vec<Vec<Doublet>> = Vec::new();
                let mut last: Vec<(usize, Vec<Doublet>)> = vec![(0, Vec::new())];
                for _ in 0..self.most_known.min(path.len()) {
                    last = last
                        .iter()
                        .flat_map(|(from, known)| {
                            (*from..path.len())
                                .map(move |at| (at + 1, [&known[..], &[path[at]]].concat()))
                        })
                        .collect();
                    all.extend(last.iter().map(|(_, known)| known.clone()));
                }
                all
            }
        }
    }

    fn succeeds(&self, victim: usize, knowledge: &Vec<Doublet>) -> bool {
        let mut fitting = self.everybody();
        for &doublet in knowledge {
            self.narrow(&mut fitting, doublet);
        }
        self.is_success(victim, &fitting)
    }
}

fn and(fitting: &mut [u64], other: &[u64], f: impl Fn(u64) -> u64) {
    for (word, &other) in fitting.iter_mut().zip(other) {
        *word &= f(other);
    }
}
