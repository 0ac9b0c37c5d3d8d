//! The joint incremental step: every critical violation that holds at least one new doublet.
//!
//! # Idea
//!
//! When a window slides, a sequence of old doublets keeps its group, so it stays as safe as it was.
//! Only sequences with a new doublet need counting, and they occur only in rows that have one. Items
//! are numbered with the new doublets first: a sequence holds a new doublet exactly when its first
//! item is new, so each new doublet is one task, whose rows are projected and counted level by level.
//!
//! ```text
//! carried row      b2 c3 | d4        as counted   d4 b2 c3
//! sequences        d4,  d4 b2,  d4 c3,  d4 b2 c3      (never b2, c3, b2 c3)
//! ```
//!
//! # Guarantee
//!
//! If no sequence of old doublets breaks the promise: exactly the critical violations of the
//! carried window, within the span when one is given, in a fixed order for any number of threads.
//!
//! # Reference
//!
//! Al-Hussaeni, Fung, Cheung 2014, Algorithm 1, phases 1 and 2.
//!
//! # Departures
//!
//! The paper joins sequences that share a prefix, and every candidate of two ends in a new doublet:
//! old-old-new can never be built, and from L = 3 on windows leave with violations. Here every
//! sequence with a new doublet is counted. Phase 1 (new doublets alone) is not solved first:
//! one table of violations gives what a run from scratch on the carried window gives. A candidate
//! that no record holds is no violation; "for all s" is read as "for any s"; only critical ones are kept.
//!
//! # Cost
//!
//! One increment per sequence of up to L doublets with a new one, of each distinct row that has one.

use denym_paths::Limits;
use hashbrown::HashMap;
use rayon::prelude::*;

/// Rows with a new doublet, new items first.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    /// Items below this are new.
    pub(crate) new: u32,
    /// Time of each item.
    pub(crate) times: Vec<i64>,
    pub(crate) starts: Vec<u32>,
    pub(crate) items: Vec<u32>,
    /// Per row: subjects, then subjects under each bound.
    pub(crate) weights: Vec<u32>,
    /// 1 + number of bounds.
    pub(crate) stride: usize,
    /// Timestamps within which a sequence must fit to be asked about.
    pub(crate) span: Option<i64>,
}

/// Finds the violations, shorter ones first; items of each increase.
pub(crate) fn mine(fresh: &Fresh, limits: &Limits) -> Vec<Vec<u32>> {
    let miner = Miner { fresh, limits };
    let mut index = Index::default();
    let mut all: Vec<Vec<u32>> = Vec::new();
    let by_first = miner.occurrences();
    let longest = (1..fresh.starts.len())
        .map(|row| (fresh.starts[row] - fresh.starts[row - 1]) as usize)
        .max()
        .unwrap_or(0);
    for length in 1..=limits.l.min(longest) {
        let found: Vec<Vec<Vec<u32>>> = by_first
            .par_iter()
            .enumerate()
            .map_init(
                || Scratch::new(fresh),
                |scratch, (first, occurrences)| {
                    miner.task(first as u32, occurrences, length, &index, scratch)
                },
            )
            .collect();
        let before = all.len();
        all.extend(found.into_iter().flatten());
        for violation in &all[before..] {
            index.add(violation);
        }
    }
    all
}

/// Counters of one thread.
struct Scratch {
    counts: Vec<u32>,
    touched: Vec<u32>,
}

impl Scratch {
    fn new(fresh: &Fresh) -> Self {
        Self {
            counts: vec![0; fresh.times.len() * fresh.stride],
            touched: Vec::new(),
        }
    }
}

struct Miner<'a> {
    fresh: &'a Fresh,
    limits: &'a Limits,
}

impl Miner<'_> {
    /// Per new item, the rows that hold it and where they go on after it.
    fn occurrences(&self) -> Vec<Vec<(u32, u32)>> {
        let mut by_first = vec![Vec::new(); self.fresh.new as usize];
        for row in 0..self.fresh.starts.len() - 1 {
            for at in self.fresh.starts[row]..self.fresh.starts[row + 1] {
                let item = self.fresh.items[at as usize];
                if item >= self.fresh.new {
                    break;
                }
                by_first[item as usize].push((row as u32, at + 1));
            }
        }
        by_first
    }

    fn task(
        &self,
        first: u32,
        occurrences: &[(u32, u32)],
        length: usize,
        index: &Index,
        scratch: &mut Scratch,
    ) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        if length == 1 {
            let mut group = vec![0; self.fresh.stride];
            for &(row, _) in occurrences {
                add(&mut group, self.weight(row));
            }
            if !occurrences.is_empty() && self.limits.broken_by(&group) {
                found.push(vec![first]);
            }
        } else if !index.ends(&[], first) {
            let time = self.fresh.times[first as usize];
            let mut prefix = vec![first];
            let times = (time, time);
            self.extend(
                &mut prefix,
                times,
                occurrences,
                length,
                index,
                scratch,
                &mut found,
            );
        }
        found
    }

    /// Counts the extensions of a prefix one short of `length`, or goes on to longer prefixes.
    #[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn extend(
        &self,
        prefix: &mut Vec<u32>,
        times: (i64, i64),
        occurrences: &[(u32, u32)],
        length: usize,
        index: &Index,
        scratch: &mut Scratch,
        found: &mut Vec<Vec<u32>>,
    ) {
        let fresh = self.fresh;
        if prefix.len() + 1 == length {
            let Scratch { counts, touched } = scratch;
            let stride = fresh.stride;
            touched.clear();
            for &(row, from) in occurrences {
                let weight = self.weight(row);
                for &item in self.rest(row, from) {
                    let at = item as usize * stride;
                    let group = &mut counts[at..at + stride];
                    if group[0] == 0 {
                        touched.push(item);
                    }
                    add(group, weight);
                }
            }
            touched.sort_unstable();
            for &item in touched.iter() {
                let at = item as usize * stride;
                let broken = self.limits.broken_by(&counts[at..at + stride]);
                counts[at..at + stride].fill(0);
                if broken && self.fits(times, item).is_some() && !index.ends(prefix, item) {
                    let mut violation = prefix.clone();
                    violation.push(item);
                    found.push(violation);
                }
            }
            return;
        }
        let missing = (length - prefix.len() - 1) as u32;
        let mut next: Vec<(u32, u32, u32)> = Vec::new();
        for &(row, from) in occurrences {
            let end = fresh.starts[row as usize + 1];
            for at in from..end.saturating_sub(missing) {
                next.push((fresh.items[at as usize], row, at + 1));
            }
        }
        next.sort_unstable();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let item = group[0].0;
            let Some(times) = self.fits(times, item) else {
                continue;
            };
            if index.ends(prefix, item) {
                continue;
            }
            let deeper: Vec<(u32, u32)> = group.iter().map(|&(_, row, at)| (row, at)).collect();
            prefix.push(item);
            self.extend(prefix, times, &deeper, length, index, scratch, found);
            prefix.pop();
        }
    }

    /// The first and last time with the item added, if they fit the span.
    fn fits(&self, (low, high): (i64, i64), item: u32) -> Option<(i64, i64)> {
        let time = self.fresh.times[item as usize];
        let (low, high) = (low.min(time), high.max(time));
        let fits = self.fresh.span.is_none_or(|span| high - low < span);
        fits.then_some((low, high))
    }

    fn rest(&self, row: u32, from: u32) -> &[u32] {
        &self.fresh.items[from as usize..self.fresh.starts[row as usize + 1] as usize]
    }

    fn weight(&self, row: u32) -> &[u32] {
        let at = row as usize * self.fresh.stride;
        &self.fresh.weights[at..at + self.fresh.stride]
    }
}

fn add(group: &mut [u32], weight: &[u32]) {
    for (sum, weight) in group.iter_mut().zip(weight) {
        *sum += weight;
    }
}

/// The violations found so far, each stored from its last item to its first.
#[derive(Default)]
struct Index {
    /// (node, item) to node and whether a violation ends there.
    children: HashMap<(u32, u32), (u32, bool)>,
    nodes: u32,
}

impl Index {
    fn add(&mut self, violation: &[u32]) {
        let mut node = 0;
        for (at, &item) in violation.iter().enumerate().rev() {
            let nodes = &mut self.nodes;
            let child = self.children.entry((node, item)).or_insert_with(|| {
                *nodes += 1;
                (*nodes, false)
            });
            child.1 |= at == 0;
            node = child.0;
        }
    }

    /// Whether a violation lies within prefix + item and ends in the item.
    fn ends(&self, prefix: &[u32], item: u32) -> bool {
        self.children
            .get(&(0, item))
            .is_some_and(|&(node, whole)| whole || self.descend(node, prefix))
    }

    fn descend(&self, node: u32, prefix: &[u32]) -> bool {
        (0..prefix.len()).rev().any(|at| {
            let child = self.children.get(&(node, prefix[at]));
            child.is_some_and(|&(child, whole)| whole || self.descend(child, &prefix[..at]))
        })
    }
}
