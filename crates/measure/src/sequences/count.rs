//! Counts the group of every sequence of up to L doublets that occurs, the doublets they begin with shared among the cores.

use std::hash::Hash;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::Findings;
use super::rows::Rows;
use crate::judge::{Judge, WorstGroups};

/// Someone who looks at groups one by one.
pub(super) trait Visitor {
    /// Records from which on the exact size of a group does not matter; `None` when all its numbers do.
    fn enough(&self) -> Option<u64>;

    /// Looks at the group of a sequence; a bit for each promise that rejects it.
    fn visit(&mut self, sequence: &[u32], numbers: &[u64], silent: &[u32]) -> u64;

    /// The records of a row are in a group that is rejected.
    fn expose(&mut self, row: usize, rejected: u64);
}

/// What is counted: rows, the attribute that each doublet names, and how long sequences get.
pub(super) struct Counting<'a> {
    pub(super) rows: &'a Rows,
    names: Vec<Option<u32>>,
    any_named: bool,
    pub(super) l: usize,
}

/// What one first doublet led to: its groups as seen, and its violations with who rejects them, in the order of length.
type CountedFirst = (WorstGroups, Vec<(u32, Vec<u32>, u64)>);

impl<'a> Counting<'a> {
    pub(super) fn new(rows: &'a Rows, names: Vec<Option<u32>>, l: usize) -> Self {
        Self {
            rows,
            any_named: names.iter().any(Option::is_some),
            names,
            l,
        }
    }

    /// The attributes that a sequence names, which say nothing about whoever it is known of.
    pub(super) fn silent(&self, sequence: &[u32], into: &mut Vec<u32>) {
        into.clear();
        if self.any_named {
            into.extend(
                sequence
                    .iter()
                    .filter_map(|&item| self.names[item as usize]),
            );
        }
    }

    /// Every group with all its numbers, knowing nothing first: the plain form of [`Counting::count`].
    pub(super) fn each(&self, stride: usize, visit: &mut dyn FnMut(&[u64], &[u32])) {
        for numbers in self.rows.class_totals() {
            visit(&numbers, &[]);
        }
        let key = |class: u32, sequence: &[u32]| (class, sequence.to_vec());
        let mut groups = Groups::new();
        let mut silent = Vec::new();
        for occurrences in self.by_first() {
            self.gather(&occurrences, &mut groups, &key);
            for (_, sequence, numbers) in groups.each(stride) {
                self.silent(sequence, &mut silent);
                visit(numbers, &silent);
            }
        }
    }

    /// Judges all groups, with sequences in as short a key as holds them.
    pub(super) fn count(&self, judge: &Judge<'_>, findings: &mut Findings<'_>) {
        let bits = u32::BITS - (self.names.len() as u32).leading_zeros();
        let wide = self.l.saturating_mul(bits as usize);
        if self.rows.classes() <= 1 && wide <= 64 {
            let pack = |_: u32, sequence: &[u32]| {
                let items = sequence.iter();
                items.fold(0, |key, &item| (key << bits) | u64::from(item + 1))
            };
            self.count_all(judge, findings, pack);
        } else if wide <= 96 {
            let pack = |class: u32, sequence: &[u32]| {
                let items = sequence
                    .iter()
                    .fold(0, |key, &item| (key << bits) | u128::from(item + 1));
                (u128::from(class) << 96) | items
            };
            self.count_all(judge, findings, pack);
        } else {
            let keep = |class: u32, sequence: &[u32]| (class, sequence.to_vec());
            self.count_all(judge, findings, keep);
        }
    }

    /// Where each doublet occurs: (row, place in it).
    fn by_first(&self) -> Vec<Vec<(u32, u32)>> {
        let mut by_first = vec![Vec::new(); self.names.len()];
        for row in 0..self.rows.len() {
            for (at, &item) in self.rows.path(row).iter().enumerate() {
                by_first[item as usize].push((row as u32, at as u32));
            }
        }
        by_first
    }

    /// The groups of all sequences that begin where `occurrences` say.
    fn gather<Key: Hash + Eq>(
        &self,
        occurrences: &[(u32, u32)],
        groups: &mut Groups<Key>,
        key: &impl Fn(u32, &[u32]) -> Key,
    ) {
        groups.clear();
        for &(row, at) in occurrences {
            let row = row as usize;
            let (class, numbers) = (self.rows.class(row), self.rows.numbers(row));
            sequences(self.rows.path(row), at as usize, self.l, &mut |sequence| {
                groups.add(key(class, sequence), class, sequence, numbers);
            });
        }
    }

    fn count_all<Key: Hash + Eq + Send + Sync>(
        &self,
        judge: &Judge<'_>,
        findings: &mut Findings<'_>,
        key: impl Fn(u32, &[u32]) -> Key + Sync,
    ) {
        let by_first = self.by_first();
        let stride = self.rows.stride();
        let found: Vec<CountedFirst> = by_first
            .par_iter()
            .map_init(
                || (Groups::new(), Vec::new()),
                |(groups, silent), occurrences| {
                    self.gather(occurrences, groups, &key);
                    let mut seen = judge.nothing_seen();
                    let mut broken = Vec::new();
                    for (class, sequence, numbers) in groups.each(stride) {
                        self.silent(sequence, silent);
                        let rejected = judge.look(&mut seen, numbers, silent);
                        if rejected != 0 {
                            broken.push((class, sequence.to_vec(), rejected));
                        }
                    }
                    broken.sort_by_key(|(_, sequence, _)| sequence.len());
                    (seen, broken)
                },
            )
            .collect();
        // Later first doublets first: when a sequence is judged, all its proper parts that begin
        // later are known; those that begin with the same doublet are judged in order of length.
        let mut broken: HashMap<Key, u64> = HashMap::new();
        for (occurrences, (seen, violations)) in by_first.iter().zip(found).rev() {
            findings.seen.merge(&seen);
            if violations.is_empty() {
                continue;
            }
            for (class, sequence, rejected) in &violations {
                let length = sequence.len() - 1;
                findings.violations[length] += 1;
                if !has_broken_part(sequence, &|part| broken.contains_key(&key(*class, part))) {
                    findings.critical[length] += 1;
                }
                broken.insert(key(*class, sequence), *rejected);
            }
            for &(row, at) in occurrences {
                let row = row as usize;
                let class = self.rows.class(row);
                let mut rejected = 0;
                sequences(self.rows.path(row), at as usize, self.l, &mut |sequence| {
                    rejected |= broken.get(&key(class, sequence)).copied().unwrap_or(0);
                });
                findings.expose(row, rejected);
            }
        }
    }
}

/// Working memory for the sequences that begin with one doublet.
struct Groups<Key> {
    known: HashMap<Key, u32>,
    /// The sequences one after the other, and (class, end) of each.
    items: Vec<u32>,
    ends: Vec<(u32, u32)>,
    numbers: Vec<u64>,
}

impl<Key: Hash + Eq> Groups<Key> {
    fn new() -> Self {
        Self {
            known: HashMap::new(),
            items: Vec::new(),
            ends: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.known.clear();
        self.items.clear();
        self.ends.clear();
        self.numbers.clear();
    }

    fn add(&mut self, key: Key, class: u32, sequence: &[u32], more: &[u64]) {
        let stride = more.len();
        let group = *self.known.entry(key).or_insert_with(|| {
            self.items.extend_from_slice(sequence);
            self.ends.push((class, self.items.len() as u32));
            self.numbers.resize(self.numbers.len() + stride, 0);
            self.ends.len() as u32 - 1
        }) as usize;
        let numbers = &mut self.numbers[group * stride..(group + 1) * stride];
        for (sum, more) in numbers.iter_mut().zip(more) {
            *sum += more;
        }
    }

    /// Every (class, sequence, numbers).
    fn each(&self, stride: usize) -> impl Iterator<Item = (u32, &[u32], &[u64])> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&(_, end)| end));
        let groups = begins
            .zip(&self.ends)
            .zip(self.numbers.chunks_exact(stride));
        groups.map(|((begin, &(class, end)), numbers)| {
            (class, &self.items[begin as usize..end as usize], numbers)
        })
    }
}

/// Whether a proper, non-empty part of a sequence is broken.
fn has_broken_part(sequence: &[u32], broken: &impl Fn(&[u32]) -> bool) -> bool {
    let whole = (1u64 << sequence.len()) - 1;
    let mut part = Vec::with_capacity(sequence.len());
    (1..whole).any(|mask| {
        part.clear();
        part.extend(
            (0..sequence.len())
                .filter(|at| mask >> at & 1 == 1)
                .map(|at| sequence[at]),
        );
        broken(&part)
    })
}

/// Calls `each` with all sub-sequences of `path` that begin at `first` and have up to `l` items.
fn sequences(path: &[u32], first: usize, l: usize, each: &mut impl FnMut(&[u32])) {
    let mut so_far = vec![path[first]];
    longer(path, first + 1, l - 1, &mut so_far, each);
}

fn longer(
    path: &[u32],
    from: usize,
    left: usize,
    so_far: &mut Vec<u32>,
    each: &mut impl FnMut(&[u32]),
) {
    each(so_far);
    if left > 0 {
        for next in from..path.len() {
            so_far.push(path[next]);
            longer(path, next + 1, left - 1, so_far, each);
            so_far.pop();
        }
    }
}
