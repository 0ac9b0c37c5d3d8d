//! The any-L-doublets attack: whoever knows up to L doublets of the victim's raw path looks for the records that fit.
//!
//! # Idea
//!
//! Three ways to fit. *Covers*: the record shows every known doublet that is published anywhere. *Consistent*: besides, it
//! shows nothing at the time of a known doublet that is published nowhere, since the victim was at that place then: the
//! contradiction attack. *Consistent locally*: where single records may have lost doublets that others show, a record fits
//! when at the time of each known doublet it shows that doublet or nothing. A coarser doublet shows every doublet it
//! stands for.
//!
//! Of the records that fit, the adversary picks one: right with a chance of one in as many. Or looks at a secret: it follows
//! when more than the stated share of them has it.
//!
//! # Guarantee
//!
//! A victim whose tries are [`TriedSets::Everything`] was tried with every sub-sequence of 1..L doublets of the raw path, so
//! the fewest candidates and the largest confidence are exact.
//!
//! # Reference
//!
//! LKC-privacy (K. Al-Hussaeni, "Preserving data privacy and information usefulness for RFID data publishing", master's thesis, Concordia University 2009) for *covers*; the other two are ours.
//!
//! # Cost
//!
//! Per sub-sequence one intersection of bits over the distinct records; C(path, L) sub-sequences per distinct path when
//! everything is tried. Counting is a population count, except over records that stand for several: the caller puts these
//! first, and only there single bits are looked at.

use super::Exposure;
use crate::{Coverage, Draws, Error, Evidence};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Which published records fit what the adversary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitRule {
    /// Show every known doublet that is published anywhere.
    Covers,
    /// And show nothing at the time of a known doublet that is published nowhere.
    Consistent,
    /// Show, at the time of each known doublet, that doublet or nothing.
    ConsistentLocal,
}

/// What must not be inferred of anybody.
#[derive(Debug, Clone)]
pub enum Inferable {
    /// One value of an attribute, an item or a visit, with more than a share of the records that fit.
    Fact {
        /// For each published record how many of those it stands for have it.
        carriers: Vec<u32>,
        /// The largest share allowed, as a fraction (numerator, denominator).
        at_most: (u64, u64),
        /// For each raw doublet whether knowing it is knowing the fact, so that nothing is left to infer; empty when none is.
        named_by: Vec<bool>,
    },
    /// Any value of an attribute, for certain: all records that fit have the same.
    AnyValue {
        /// The value of each published record; `None` where those that it stands for differ.
        of_record: Vec<Option<u32>>,
    },
}

impl Inferable {
    /// How many published records it speaks of.
    fn records(&self) -> usize {
        match self {
            Self::Fact { carriers, .. } => carriers.len(),
            Self::AnyValue { of_record } => of_record.len(),
        }
    }
}

/// How much of what could be known of a victim was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriedSets {
    /// Every set of up to L doublets.
    Everything,
    /// So many random sets.
    Draws(usize),
}

/// The worst that any knowledge does to one victim.
#[derive(Debug, Clone, PartialEq)]
pub struct VictimFate {
    /// The victim.
    pub victim: u32,
    /// How many people were tried who fare like this.
    pub people: u64,
    /// The fewest records that fit when the victim's is among them; 0 when it never is.
    pub fewest: u64,
    /// The raw doublets known then.
    pub knowing: Vec<u32>,
    /// For each secret the largest share of the fitting records that has it, as (records with it, records).
    pub confidence: Vec<(u64, u64)>,
    /// For each secret whether it follows.
    pub told: Vec<bool>,
    /// How much was tried.
    pub tried: TriedSets,
}

impl VictimFate {
    /// The chance of picking the victim's record, with the best knowledge.
    pub fn chance(&self) -> f64 {
        if self.fewest == 0 {
            0.0
        } else {
            1.0 / self.fewest as f64
        }
    }
}

/// How much to try; what does not fit is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Machine words to intersect, about.
    pub words: u64,
    /// The fewest victims to draw, whatever that takes.
    pub least_victims: usize,
    /// The most sets of doublets to try on one victim.
    pub pieces: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Effort {
    /// Everything on everybody.
    pub const EVERYTHING: Effort = Effort {
        words: u64::MAX,
        least_victims: usize::MAX,
        pieces: usize::MAX,
        seed: 0,
    };
}

/// The most bytes of bits that are kept for reuse.
const KEPT: usize = 256 << 20;

/// The attack, ready to run.
#[derive(Debug)]
pub struct DoubletAttack<'a> {
    setting: &'a Exposure,
    matching: FitRule,
    most_known: usize,
    secrets: &'a [Inferable],
    words: usize,
    /// Records that show each published doublet.
    showing: Vec<Vec<u32>>,
    /// Records that show anything at each published time.
    at_time: Vec<Vec<u32>>,
    /// Records of each class; empty when there are no classes.
    in_class: Vec<Vec<u32>>,
    /// Records with each secret, among those that stand for one.
    having: Vec<Vec<u64>>,
    /// Words that hold every record that stands for several.
    heavy: usize,
    /// Records that fit each raw doublet, where they are kept.
    kept: Option<Vec<OnceLock<Vec<u64>>>>,
}

/// What the attack did to the victims it was tried on, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct VictimFates {
    /// One per victim tried.
    pub each: Vec<VictimFate>,
    /// Everybody, or draws.
    pub coverage: Coverage,
}

impl VictimFates {
    /// How often the victim's record is picked.
    pub fn linkage(&self, attack: &'static str) -> Evidence {
        let chances = self.each.iter().map(|fate| (fate.chance(), fate.people));
        Evidence::of_chances(attack, chances, self.coverage)
    }

    /// How many victims lose one of these secrets.
    pub fn inference(&self, attack: &'static str, secrets: std::ops::Range<usize>) -> Evidence {
        let falls = |fate: &&VictimFate| fate.told[secrets.clone()].contains(&true);
        let people = |fate: &VictimFate| fate.people;
        Evidence::new(
            attack,
            self.each.iter().filter(falls).map(people).sum(),
            self.each.iter().map(people).sum(),
            self.coverage,
        )
    }

    /// The fewest records that fit knowledge of anybody.
    pub fn smallest_group(&self) -> Option<u64> {
        let groups = self.each.iter().map(|fate| fate.fewest);
        groups.filter(|&fewest| fewest > 0).min()
    }

    /// The largest confidence in secret number `secret`.
    pub fn largest_confidence(&self, secret: usize) -> (u64, u64) {
        let each = self.each.iter().map(|fate| fate.confidence[secret]);
        each.fold((0, 1), larger)
    }
}

/// The larger of two shares, the first among equals.
fn larger(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if u128::from(b.0) * u128::from(a.1) > u128::from(a.0) * u128::from(b.1) {
        b
    } else {
        a
    }
}

impl<'a> DoubletAttack<'a> {
    /// An adversary with up to `most_known` doublets.
    ///
    /// # Errors
    ///
    /// When the parts of the setting do not fit together, or a secret does not speak of every record.
    pub fn new(
        setting: &'a Exposure,
        matching: FitRule,
        most_known: usize,
        secrets: &'a [Inferable],
    ) -> Result<Self, Error> {
        setting.check()?;
        let records = setting.published.len();
        if let Some(secret) = secrets.iter().find(|secret| secret.records() != records) {
            return Err(Error::LengthsDiffer {
                what: "carriers of a secret",
                expected: records,
                found: secret.records(),
            });
        }
        let words = records.div_ceil(64);
        let mut showing = vec![Vec::new(); setting.published_time.len()];
        let times = setting
            .published_time
            .iter()
            .chain(setting.raw_time.iter().flatten())
            .max();
        let mut at_time: Vec<Vec<u32>> =
            vec![Vec::new(); times.map_or(0, |&last| last as usize + 1)];
        for (row, path) in (0..).zip(setting.published.iter()) {
            for &doublet in path {
                showing[doublet as usize].push(row);
                let then = &mut at_time[setting.published_time[doublet as usize] as usize];
                if then.last() != Some(&row) {
                    then.push(row);
                }
            }
        }
        let classes = setting.classes.1.iter().chain(&setting.classes.0).max();
        let mut in_class = vec![Vec::new(); classes.map_or(0, |&last| last as usize + 1)];
        for (row, &class) in (0..).zip(&setting.classes.1) {
            in_class[class as usize].push(row);
        }
        let several = (0..records).rfind(|&row| setting.records(row) != 1);
        let heavy = several.map_or(0, |last| last / 64 + 1);
        let having = secrets.iter().map(|secret| {
            let Inferable::Fact { carriers, .. } = secret else {
                return Vec::new();
            };
            let mut bits = vec![0_u64; words];
            for (row, &carries) in carriers.iter().enumerate().skip(heavy * 64) {
                bits[row / 64] |= u64::from(carries > 0) << (row % 64);
            }
            bits
        });
        let doublets = setting.stands_for.len();
        let small = doublets.saturating_mul(words * 8) <= KEPT;
        Ok(Self {
            having: having.collect(),
            heavy,
            kept: small.then(|| (0..doublets).map(|_| OnceLock::new()).collect()),
            setting,
            matching,
            most_known,
            secrets,
            words,
            showing,
            at_time,
            in_class,
        })
    }

    /// The records that fit one known doublet.
    fn fitting(&self, doublet: u32) -> Cow<'_, [u64]> {
        match &self.kept {
            Some(kept) => {
                Cow::Borrowed(kept[doublet as usize].get_or_init(|| self.compute(doublet)))
            }
            None => Cow::Owned(self.compute(doublet)),
        }
    }

    fn compute(&self, doublet: u32) -> Vec<u64> {
        let standing = &self.setting.stands_for[doublet as usize];
        let somewhere = standing
            .iter()
            .any(|&id| !self.showing[id as usize].is_empty());
        let busy = match (self.matching, somewhere) {
            (FitRule::Covers | FitRule::Consistent, true) => None,
            (FitRule::Covers, false) => return vec![u64::MAX; self.words],
            (FitRule::Consistent, false) | (FitRule::ConsistentLocal, _) => {
                let own = self.setting.raw_time[doublet as usize];
                let others = standing
                    .iter()
                    .map(|&id| self.setting.published_time[id as usize]);
                Some(others.chain(own))
            }
        };
        let mut bits = match busy {
            None => vec![0; self.words],
            Some(times) => {
                let mut bits = vec![u64::MAX; self.words];
                for row in times.flat_map(|time| &self.at_time[time as usize]) {
                    bits[*row as usize / 64] &= !(1 << (row % 64));
                }
                bits
            }
        };
        for row in standing.iter().flat_map(|&id| &self.showing[id as usize]) {
            bits[*row as usize / 64] |= 1 << (row % 64);
        }
        bits
    }

    /// The records that fit before any doublet is known: all, or those with the victim's quasi-identifiers.
    fn start(&self, victim: usize) -> Vec<u64> {
        let mut bits = vec![0; self.words];
        match self.setting.classes.0.get(victim) {
            None => {
                bits.fill(u64::MAX);
                if let Some(last) = bits.last_mut() {
                    *last = u64::MAX >> ((64 - self.setting.published.len() % 64) % 64);
                }
            }
            Some(&class) => {
                for &row in &self.in_class[class as usize] {
                    bits[row as usize / 64] |= 1 << (row % 64);
                }
            }
        }
        bits
    }

    /// Takes what `fitting` tells about `victim` into account.
    fn judge(&self, fitting: &[u64], known: &[u32], fate: &mut VictimFate) {
        let victim = fate.victim as usize;
        let own = self.setting.own.as_ref().map(|own| own[victim] as usize);
        // The wrong records tell nothing about the victim.
        if own.is_some_and(|row| fitting[row / 64] >> (row % 64) & 1 == 0) {
            return;
        }
        let group = self.count(fitting, None);
        if group == 0 {
            return;
        }
        if fate.fewest == 0 || group < fate.fewest {
            fate.fewest = group;
            known.clone_into(&mut fate.knowing);
        }
        for (at, secret) in self.secrets.iter().enumerate() {
            match secret {
                Inferable::Fact {
                    carriers,
                    at_most: (part, whole),
                    named_by,
                } => {
                    let named = |&doublet: &u32| named_by.get(doublet as usize) == Some(&true);
                    if known.iter().any(named) {
                        continue;
                    }
                    let having = self.count(fitting, Some((&self.having[at], carriers)));
                    fate.confidence[at] = larger(fate.confidence[at], (having, group));
                    fate.told[at] |= u128::from(having) * u128::from(*whole)
                        > u128::from(group) * u128::from(*part);
                }
                Inferable::AnyValue { of_record } => {
                    if !fate.told[at] && same_value(fitting, of_record) {
                        (fate.told[at], fate.confidence[at]) = (true, (group, group));
                    }
                }
            }
        }
    }

    /// How many records fit, or how many of them have a secret.
    fn count(&self, fitting: &[u64], fact: Option<(&[u64], &[u32])>) -> u64 {
        let (several, single) = fitting.split_at(self.heavy);
        let mut count: u64 = match fact {
            None => single.iter().map(|word| u64::from(word.count_ones())).sum(),
            Some((having, _)) => {
                let both = single.iter().zip(&having[self.heavy..]);
                both.map(|(a, b)| u64::from((a & b).count_ones())).sum()
            }
        };
        for row in ones(several) {
            count += match fact {
                None => self.setting.records(row),
                Some((_, carriers)) => carriers[row].into(),
            };
        }
        count
    }

    /// Sets of up to L doublets of a path; `None` when there are more than fit.
    fn pieces(&self, length: usize) -> Option<usize> {
        let (mut all, mut of_size) = (0_usize, 1_usize);
        for size in 1..=self.most_known.min(length) {
            of_size = of_size.checked_mul(length + 1 - size)? / size;
            all = all.checked_add(of_size)?;
        }
        Some(all)
    }

    /// Tries the victim with everything, or with `most` random sets when there are more.
    fn attack(&self, victim: u32, effort: &Effort) -> VictimFate {
        let path = self.setting.raw.get(victim as usize);
        let everything = self
            .pieces(path.len())
            .is_some_and(|all| all <= effort.pieces);
        let mut fate = VictimFate {
            victim,
            people: 0,
            fewest: 0,
            knowing: Vec::new(),
            confidence: vec![(0, 1); self.secrets.len()],
            told: vec![false; self.secrets.len()],
            tried: if everything {
                TriedSets::Everything
            } else {
                TriedSets::Draws(effort.pieces)
            },
        };
        let start = self.start(victim as usize);
        if everything {
            let mut levels = vec![start; self.most_known.min(path.len()) + 1];
            self.descend(path, 0, &mut levels, &mut Vec::new(), &mut fate);
            return fate;
        }
        let mut rng = Draws::new(effort.seed ^ (u64::from(victim) << 20));
        for _ in 0..effort.pieces {
            let chosen = rng.distinct(self.most_known, path.len());
            let known: Vec<u32> = chosen.into_iter().map(|at| path[at]).collect();
            let mut fitting = start.clone();
            for &doublet in &known {
                and(&mut fitting, &self.fitting(doublet));
            }
            self.judge(&fitting, &known, &mut fate);
        }
        fate
    }

    /// Extends what is known by every later doublet of the path; `levels` has the fitting records, then room for more.
    fn descend(
        &self,
        path: &[u32],
        from: usize,
        levels: &mut [Vec<u64>],
        known: &mut Vec<u32>,
        fate: &mut VictimFate,
    ) {
        let Some((fitting, deeper)) = levels.split_first_mut() else {
            return;
        };
        if deeper.is_empty() {
            return;
        }
        for at in from..path.len() {
            deeper[0].copy_from_slice(fitting);
            and(&mut deeper[0], &self.fitting(path[at]));
            known.push(path[at]);
            self.judge(&deeper[0], known, fate);
            self.descend(path, at + 1, deeper, known, fate);
            known.pop();
        }
    }

    /// Everybody, as far as the effort goes; else people drawn with its seed.
    pub fn run(&self, effort: &Effort) -> VictimFates {
        let kinds = self.setting.raw.len();
        let price = |victim: usize| {
            let pieces = self.pieces(self.setting.raw.get(victim).len());
            let pieces = pieces.unwrap_or(usize::MAX).min(effort.pieces) as u64;
            pieces.saturating_mul((self.words * (2 + self.secrets.len())) as u64)
        };
        let (mut people, mut once, mut each_time) = (0_u64, 0_u64, 0_u64);
        for victim in 0..kinds {
            let alike = self.setting.people(victim);
            people += alike;
            once = once.saturating_add(price(victim));
            each_time = each_time.saturating_add(price(victim).saturating_mul(alike));
        }
        let everybody = once <= effort.words || people <= effort.least_victims as u64;
        // (victim, how many people like this one are tried)
        let tried: Vec<(u32, u64)> = if everybody {
            let all = 0..kinds;
            all.map(|victim| (victim as u32, self.setting.people(victim)))
                .collect()
        } else {
            let affordable =
                u128::from(effort.words) * u128::from(people) / u128::from(each_time.max(1));
            let wanted = (affordable as usize).max(effort.least_victims);
            self.setting.draw(wanted, effort.seed)
        };
        let each: Vec<VictimFate> = tried
            .par_iter()
            .map(|&(victim, people)| VictimFate {
                people,
                ..self.attack(victim, effort)
            })
            .collect();
        let everything = each.iter().all(|fate| fate.tried == TriedSets::Everything);
        VictimFates {
            coverage: if everybody && everything {
                Coverage::Exhaustive
            } else {
                Coverage::Sampled { seed: effort.seed }
            },
            each,
        }
    }
}

fn and(fitting: &mut [u64], other: &[u64]) {
    for (word, &other) in fitting.iter_mut().zip(other) {
        *word &= other;
    }
}

/// The positions of the bits that are set.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let next = |&left: &u64| Some(left & left.wrapping_sub(1)).filter(|&left| left != 0);
        let left = std::iter::successors(Some(word).filter(|&word| word != 0), next);
        left.map(move |left| at * 64 + left.trailing_zeros() as usize)
    })
}

/// Whether all of these records have one and the same value; a few looks settle that they do not.
fn same_value(fitting: &[u64], of_record: &[Option<u32>]) -> bool {
    let mut values = ones(fitting).map(|row| of_record[row]);
    let first = values.next().flatten();
    first.is_some() && values.all(|value| value == first)
}
