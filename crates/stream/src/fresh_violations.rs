//! The joint incremental step: every critical violation that holds at least one new doublet.
//!
//! # Idea
//!
//! When a window slides, a sequence of old doublets keeps its group, so it stays as safe as it was.
//! Only sequences with a new doublet need counting, and they occur only in rows that have one. Items
//! are numbered with the new doublets first: a sequence holds a new doublet exactly when its first
//! item is new, so each new doublet is one task. A task walks the prefixes that begin with its
//! item; one sweep over the tails of a prefix counts all its extensions at once.
//!
//! ```text
//! carried row      b2 c3 | d4        as counted   d4 b2 c3
//! sequences        d4,  d4 b2,  d4 c3,  d4 b2 c3      (never b2, c3, b2 c3)
//! walk             d4 -> (b2, c3 counted)   then d4 c3, then d4 b2 -> (c3 counted)
//! ```
//!
//! Later items are walked before earlier ones, and new doublets of later times before those of
//! earlier times. So when a sequence is counted, all its parts have been: one walk finds the critical
//! violations of all lengths.
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
//! One addition per sequence of up to L doublets with a new one, of each distinct row that has one. A
//! group's size and its secrets are added two to a word.

use denym_sequences::Limits;
use hashbrown::HashMap;
use rayon::prelude::*;

/// Rows with a new doublet, new items first.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    /// Items below this are new; they are in the order of time.
    pub(crate) new: u32,
    /// Time of each item.
    pub(crate) times: Vec<i64>,
    pub(crate) starts: Vec<u32>,
    pub(crate) items: Vec<u32>,
    /// Per row: subjects, then subjects under each bound; two to a word, the first one low.
    pub(crate) weights: Vec<u64>,
    /// 1 + number of bounds.
    pub(crate) stride: usize,
    /// Timestamps within which a sequence must fit to be asked about.
    pub(crate) span: Option<i64>,
}

/// The tail of a row: (row, begin, end) in a list of items.
type Tail = (u32, u32, u32);

/// Items in all rows below which waking other cores takes longer than counting.
const WORTH_SHARING: usize = 1 << 16;

/// Touched items up to which their pairs are counted in one table: it stays in the nearest cache.
const FEW: usize = 32;

/// Finds the violations; items of each increase.
pub(crate) fn mine(fresh: &Fresh, limits: &Limits) -> Vec<Vec<u32>> {
    let miner = Miner {
        fresh,
        limits,
        words: fresh.stride.div_ceil(2),
    };
    let (starts, tails) = miner.occurrences();
    let tails_of = |first: u32| {
        let (begin, end) = (starts[first as usize], starts[first as usize + 1]);
        &tails[begin as usize..end as usize]
    };
    let mut index = Index::default();
    let mut all: Vec<Vec<u32>> = Vec::new();
    let mut alone = miner.scratch();
    let mut end = fresh.new;
    while end > 0 {
        // No row holds two doublets of one time: their tasks know nothing of each other.
        let time = fresh.times[end as usize - 1];
        let start = fresh.times[..end as usize].partition_point(|&t| t < time) as u32;
        let before = all.len();
        if fresh.items.len() < WORTH_SHARING {
            for first in start..end {
                all.extend(miner.task(first, tails_of(first), &index, &mut alone));
            }
        } else {
            let found: Vec<Vec<Vec<u32>>> = (start..end)
                .into_par_iter()
                .map_init(
                    || miner.scratch(),
                    |scratch, first| miner.task(first, tails_of(first), &index, scratch),
                )
                .collect();
            all.extend(found.into_iter().flatten());
        }
        for violation in &all[before..] {
            index.add(violation);
        }
        end = start;
    }
    all
}

/// Working memory of one thread.
struct Scratch {
    /// Per item, the group of the prefix with it.
    counts: Vec<u64>,
    /// Per item, how many tails hold it; then where the next tail after it goes, or its number among the touched.
    places: Vec<u32>,
    /// Per pair of touched items, the group of the prefix with both; and the pairs that occur.
    pairs: Vec<u64>,
    touched_pairs: Vec<u32>,
    /// A group, one number to a field.
    group: Vec<u32>,
    /// Violations of the task at hand.
    own: Index,
    /// By length of the prefix.
    levels: Vec<Level>,
}

/// What a prefix needs while its extensions are walked.
#[derive(Default)]
struct Level {
    /// Items that occur in the tails; then those that are safe with the prefix, with where their tails begin and end.
    touched: Vec<u32>,
    spans: Vec<(u32, u32)>,
    /// Tails without the items that are not safe, when there are any.
    clean: Vec<Tail>,
    clean_items: Vec<u32>,
    /// What follows each safe item, item by item.
    after: Vec<Tail>,
}

struct Miner<'a> {
    fresh: &'a Fresh,
    limits: &'a Limits,
    /// Words of a group.
    words: usize,
}

impl Miner<'_> {
    fn scratch(&self) -> Scratch {
        let items = self.fresh.times.len();
        Scratch {
            counts: vec![0; items * self.words],
            places: vec![0; items],
            pairs: Vec::new(),
            touched_pairs: Vec::new(),
            group: vec![0; self.words * 2],
            own: Index::default(),
            levels: (1..self.limits.l).map(|_| Level::default()).collect(),
        }
    }

    /// The tails after each new item, item by item, and where those of each begin.
    fn occurrences(&self) -> (Vec<u32>, Vec<Tail>) {
        let fresh = self.fresh;
        let mut starts = vec![0u32; fresh.new as usize + 1];
        let is_new = |item: &&u32| **item < fresh.new;
        for row in fresh.starts.windows(2) {
            let items = &fresh.items[row[0] as usize..row[1] as usize];
            for &item in items.iter().take_while(is_new) {
                starts[item as usize + 1] += 1;
            }
        }
        for item in 1..starts.len() {
            starts[item] += starts[item - 1];
        }
        let mut next = starts.clone();
        let mut tails = vec![(0, 0, 0); starts[fresh.new as usize] as usize];
        for (row, span) in fresh.starts.windows(2).enumerate() {
            let items = &fresh.items[span[0] as usize..span[1] as usize];
            for (&item, at) in items.iter().take_while(is_new).zip(span[0] + 1..) {
                tails[next[item as usize] as usize] = (row as u32, at, span[1]);
                next[item as usize] += 1;
            }
        }
        (starts, tails)
    }

    /// All critical violations that begin with one new item.
    fn task(
        &self,
        first: u32,
        tails: &[Tail],
        index: &Index,
        scratch: &mut Scratch,
    ) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let mut group = vec![0; self.words];
        for &(row, _, _) in tails {
            add(&mut group, self.weight(row));
        }
        if tails.is_empty() {
            return found;
        }
        if self.breaks(&group, &mut scratch.group) {
            found.push(vec![first]);
            return found;
        }
        scratch.own.clear();
        let time = self.fresh.times[first as usize];
        let mut levels = std::mem::take(&mut scratch.levels);
        let mut walk = Walk {
            miner: self,
            index,
            scratch,
            prefix: vec![first],
            found: &mut found,
        };
        walk.extend(&mut levels, tails, &self.fresh.items, (time, time));
        scratch.levels = levels;
        found
    }

    #[inline]
    fn weight(&self, row: u32) -> &[u64] {
        let at = row as usize * self.words;
        &self.fresh.weights[at..at + self.words]
    }

    /// Whether a group breaks the promise.
    fn breaks(&self, words: &[u64], group: &mut [u32]) -> bool {
        for (pair, &word) in group.chunks_exact_mut(2).zip(words) {
            pair[0] = word as u32;
            pair[1] = (word >> 32) as u32;
        }
        self.limits.broken_by(&group[..self.fresh.stride])
    }

    /// The first and last time with the item added, if they fit the span.
    fn fits(&self, (low, high): (i64, i64), item: u32) -> Option<(i64, i64)> {
        let time = self.fresh.times[item as usize];
        let (low, high) = (low.min(time), high.max(time));
        let fits = self.fresh.span.is_none_or(|span| high - low < span);
        fits.then_some((low, high))
    }
}

fn add(group: &mut [u64], weight: &[u64]) {
    for (sum, weight) in group.iter_mut().zip(weight) {
        *sum += weight;
    }
}

/// The walk over the prefixes of one task.
struct Walk<'a> {
    miner: &'a Miner<'a>,
    /// Violations that begin with a new doublet of a later time.
    index: &'a Index,
    scratch: &'a mut Scratch,
    prefix: Vec<u32>,
    found: &'a mut Vec<Vec<u32>>,
}

impl Walk<'_> {
    /// Counts the extensions of the prefix, then walks on to those that are safe, the last item first.
    fn extend(&mut self, levels: &mut [Level], tails: &[Tail], items: &[u32], times: (i64, i64)) {
        let Some((level, deeper)) = levels.split_first_mut() else {
            return;
        };
        self.count(level, tails, items);
        if deeper.is_empty() {
            self.judge(level, times, false);
            return;
        }
        level.touched.sort_unstable();
        let counted = level.touched.len();
        self.judge(level, times, true);
        let (tails, items) = if level.touched.len() == counted {
            (tails, items)
        } else {
            level.clean(tails, items);
            (level.clean.as_slice(), level.clean_items.as_slice())
        };
        if deeper.len() == 1 && level.touched.len() <= FEW {
            self.last_pairs(&level.touched, tails, items, times);
            return;
        }
        let Level {
            touched,
            spans,
            after,
            ..
        } = level;
        group_by_item(
            touched,
            tails,
            items,
            &mut self.scratch.places,
            spans,
            after,
        );
        for (&item, &(begin, end)) in touched.iter().zip(&*spans).rev() {
            if begin < end
                && let Some(times) = self.miner.fits(times, item)
            {
                self.prefix.push(item);
                let after = &after[begin as usize..end as usize];
                self.extend(deeper, after, items, times);
                self.prefix.pop();
            }
        }
    }

    /// The last two lengths in one sweep: the group of the prefix with every pair of safe items.
    fn last_pairs(&mut self, touched: &[u32], tails: &[Tail], items: &[u32], times: (i64, i64)) {
        let (words, side) = (self.miner.words, touched.len());
        let Scratch {
            places,
            pairs,
            touched_pairs,
            group,
            own,
            ..
        } = &mut *self.scratch;
        for (number, &item) in touched.iter().enumerate() {
            places[item as usize] = number as u32;
        }
        if pairs.len() < side * side * words {
            pairs.resize(side * side * words, 0);
        }
        touched_pairs.clear();
        let mut numbers = [0u32; FEW];
        for &(row, begin, end) in tails {
            let tail = &items[begin as usize..end as usize];
            let weight = self.miner.weight(row);
            for (number, &item) in numbers.iter_mut().zip(tail) {
                *number = places[item as usize];
            }
            for first in 0..tail.len() {
                for &second in &numbers[first + 1..tail.len()] {
                    let pair = numbers[first] * side as u32 + second;
                    let at = pair as usize * words;
                    if pairs[at] == 0 {
                        touched_pairs.push(pair);
                    }
                    add(&mut pairs[at..at + words], weight);
                }
            }
        }
        for &item in touched {
            places[item as usize] = 0;
        }
        for &pair in touched_pairs.iter() {
            let at = pair as usize * words;
            let broken = self.miner.breaks(&pairs[at..at + words], group);
            pairs[at..at + words].fill(0);
            if !broken {
                continue;
            }
            let first = touched[pair as usize / side];
            let second = touched[pair as usize % side];
            let both = self.miner.fits(times, first);
            let fits = both.is_some_and(|times| self.miner.fits(times, second).is_some());
            self.prefix.push(first);
            if fits && !own.ends(&self.prefix, second) && !self.index.ends(&self.prefix, second) {
                let mut violation = self.prefix.clone();
                violation.push(second);
                self.found.push(violation);
            }
            self.prefix.pop();
        }
    }

    /// One sweep over the tails: the group of every extension.
    fn count(&mut self, level: &mut Level, tails: &[Tail], items: &[u32]) {
        let (counts, words) = (&mut self.scratch.counts, self.miner.words);
        let touched = &mut level.touched;
        touched.clear();
        for &(row, begin, end) in tails {
            let tail = &items[begin as usize..end as usize];
            let weight = self.miner.weight(row);
            if let &[weight] = weight {
                for &item in tail {
                    let count = &mut counts[item as usize];
                    if *count == 0 {
                        touched.push(item);
                    }
                    *count += weight;
                }
            } else {
                for &item in tail {
                    let at = item as usize * words;
                    let count = &mut counts[at..at + words];
                    if count[0] == 0 {
                        touched.push(item);
                    }
                    add(count, weight);
                }
            }
        }
    }

    /// Notes the violations among the extensions, keeps the safe items as touched, and clears the counters.
    fn judge(&mut self, level: &mut Level, times: (i64, i64), goes_on: bool) {
        let words = self.miner.words;
        let Scratch {
            counts, group, own, ..
        } = &mut *self.scratch;
        level.touched.retain(|&item| {
            let at = item as usize * words;
            let broken = self.miner.breaks(&counts[at..at + words], group);
            counts[at..at + words].fill(0);
            if !broken && !goes_on {
                return true;
            }
            let clean = !own.ends(&self.prefix, item) && !self.index.ends(&self.prefix, item);
            // The share of a secret may be smaller in a longer sequence: not broken, yet not critical for what follows.
            if !broken {
                return clean;
            }
            if clean && self.miner.fits(times, item).is_some() {
                let mut violation = self.prefix.clone();
                violation.push(item);
                if goes_on {
                    own.add(&violation);
                }
                self.found.push(violation);
            }
            // Whatever is longer holds a violation, so it cannot be critical.
            false
        });
    }
}

impl Level {
    /// Copies the tails without the items that are not safe.
    fn clean(&mut self, tails: &[Tail], items: &[u32]) {
        self.clean.clear();
        self.clean_items.clear();
        for &(row, begin, end) in tails {
            let from = self.clean_items.len() as u32;
            let tail = &items[begin as usize..end as usize];
            let safe = |item: &&u32| self.touched.binary_search(item).is_ok();
            self.clean_items.extend(tail.iter().filter(safe));
            self.clean.push((row, from, self.clean_items.len() as u32));
        }
    }
}

/// Lists what follows each of `touched`, item by item; items with nothing after them get an empty span.
fn group_by_item(
    touched: &[u32],
    tails: &[Tail],
    items: &[u32],
    places: &mut [u32],
    spans: &mut Vec<(u32, u32)>,
    after: &mut Vec<Tail>,
) {
    let starts = |&(row, begin, end): &Tail| {
        let last = end.saturating_sub(1).max(begin);
        let tail = &items[begin as usize..last as usize];
        tail.iter()
            .zip(begin + 1..)
            .map(move |(&item, at)| (item, (row, at, end)))
    };
    for (item, _) in tails.iter().flat_map(starts) {
        places[item as usize] += 1;
    }
    let mut next = 0;
    spans.clear();
    for &item in touched {
        let count = std::mem::replace(&mut places[item as usize], next);
        spans.push((next, next + count));
        next += count;
    }
    after.clear();
    after.resize(next as usize, (0, 0, 0));
    for (item, tail) in tails.iter().flat_map(starts) {
        let place = &mut places[item as usize];
        after[*place as usize] = tail;
        *place += 1;
    }
    for &item in touched {
        places[item as usize] = 0;
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
    fn clear(&mut self) {
        if self.nodes > 0 {
            self.children.clear();
            self.nodes = 0;
        }
    }

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
        self.nodes > 0
            && self
                .children
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

#[cfg(test)]
mod tests;
