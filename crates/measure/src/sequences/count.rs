//! Counts the group of every sequence of up to L doublets that occurs, the doublets they begin with shared among the cores.
//!
//! # Idea
//!
//! The places where a sequence ends are known; sorted by what follows there, they are the places of every longer one. So no
//! group is kept once it was looked at, however many there are. What has to be known of other groups, to tell a violation from one
//! that only contains a shorter one, is which shorter sequences are violations: these are found first, and kept.
//!
//! # Cost
//!
//! One entry per sub-sequence of up to L doublets, of which only those behind one first doublet are in memory at a time, and the
//! violations of fewer than L doublets.

use std::hash::Hash;

use hashbrown::HashSet;
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

/// Where a sequence ends in the rows that hold it: row, and place in it.
type Places = Vec<(u32, u32)>;

/// What one first doublet led to.
struct CountedFirst {
    /// Its groups as seen.
    seen: WorstGroups,
    /// Violations by length, and those without a shorter one in them.
    violations: Vec<u64>,
    critical: Vec<u64>,
    /// Who rejects a group of each row that holds the doublet.
    exposed: Vec<(u32, u64)>,
}

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
        let mut branches = Branches::new(self);
        let mut silent = Vec::new();
        for (first, places) in self.by_first().iter().enumerate() {
            branches.walk(first as u32, places, self.l, stride, &mut |group| {
                self.silent(group.sequence, &mut silent);
                visit(group.numbers, &silent);
            });
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

    fn count_all<Key: Hash + Eq + Send + Sync>(
        &self,
        judge: &Judge<'_>,
        findings: &mut Findings<'_>,
        key: impl Fn(u32, &[u32]) -> Key + Sync,
    ) {
        let by_first = self.by_first();
        let stride = self.rows.stride();
        // A part of a sequence is shorter: what has all L doublets is looked up by nobody.
        let shorter: Vec<Vec<Key>> = by_first
            .par_iter()
            .enumerate()
            .map_init(
                || (Branches::new(self), Vec::new()),
                |(branches, silent), (first, places)| {
                    let (mut seen, mut broken) = (judge.nothing_seen(), Vec::new());
                    let less = self.l.saturating_sub(1);
                    branches.walk(first as u32, places, less, stride, &mut |group| {
                        self.silent(group.sequence, silent);
                        if judge.look(&mut seen, group.numbers, silent) != 0 {
                            broken.push(key(group.class, group.sequence));
                        }
                    });
                    broken
                },
            )
            .collect();
        let broken: HashSet<Key> = shorter.into_iter().flatten().collect();
        let found: Vec<CountedFirst> = by_first
            .par_iter()
            .enumerate()
            .map_init(
                || (Branches::new(self), Vec::new(), vec![0; self.rows.len()]),
                |(branches, silent, rejects), (first, places)| {
                    let mut found = CountedFirst {
                        seen: judge.nothing_seen(),
                        violations: vec![0; self.l],
                        critical: vec![0; self.l],
                        exposed: Vec::new(),
                    };
                    branches.walk(first as u32, places, self.l, stride, &mut |group| {
                        self.silent(group.sequence, silent);
                        let rejected = judge.look(&mut found.seen, group.numbers, silent);
                        if rejected == 0 {
                            return;
                        }
                        let length = group.sequence.len() - 1;
                        found.violations[length] += 1;
                        let is_broken = |part: &[u32]| broken.contains(&key(group.class, part));
                        if !has_broken_part(group.sequence, &is_broken) {
                            found.critical[length] += 1;
                        }
                        for &(row, _) in group.places {
                            rejects[row as usize] |= rejected;
                        }
                    });
                    for &(row, _) in places {
                        let rejected = std::mem::take(&mut rejects[row as usize]);
                        if rejected != 0 {
                            found.exposed.push((row, rejected));
                        }
                    }
                    found
                },
            )
            .collect();
        for found in found {
            findings.seen.merge(&found.seen);
            for length in 0..self.l {
                findings.violations[length] += found.violations[length];
                findings.critical[length] += found.critical[length];
            }
            for (row, rejected) in found.exposed {
                findings.expose(row as usize, rejected);
            }
        }
    }
}

/// The group of one sequence.
struct Seen<'a> {
    class: u32,
    sequence: &'a [u32],
    /// Where it ends in the rows that hold it.
    places: &'a [(u32, u32)],
    numbers: &'a [u64],
}

/// Working memory: what follows a sequence, length by length.
struct Branches<'a> {
    rows: &'a Rows,
    lengths: Vec<Following>,
}

/// The places of every doublet that follows a sequence.
#[derive(Clone)]
struct Following {
    places: Vec<Places>,
    /// The doublets that do follow.
    present: Vec<u32>,
}

impl<'a> Branches<'a> {
    fn new(counting: &Counting<'a>) -> Self {
        let nothing = Following {
            places: vec![Vec::new(); counting.names.len()],
            present: Vec::new(),
        };
        let rows = counting.rows;
        let longest = (0..rows.len()).map(|row| rows.path(row).len()).max();
        let most = counting.l.min(longest.unwrap_or(0));
        Branches {
            rows,
            lengths: vec![nothing; most.saturating_sub(1)],
        }
    }

    /// Shows the groups of all sequences of up to `l` doublets that begin with `first`, which stands at `places`.
    fn walk(
        &mut self,
        first: u32,
        places: &[(u32, u32)],
        l: usize,
        stride: usize,
        visit: &mut impl FnMut(&Seen<'_>),
    ) {
        if l == 0 {
            return;
        }
        let class = |place: &(u32, u32)| self.rows.class(place.0 as usize);
        // Rows of a class stand together.
        for places in places.chunk_by(|a, b| class(a) == class(b)) {
            let mut sequence = vec![first];
            let mut numbers = vec![0; stride];
            let longer = (l - 1).min(self.lengths.len());
            let lengths = &mut self.lengths[..longer];
            branch(
                self.rows,
                lengths,
                &mut sequence,
                places,
                &mut numbers,
                visit,
            );
        }
    }
}

/// Shows the group of a sequence, then those of all that begin with it, one doublet longer for each of `lengths`.
fn branch(
    rows: &Rows,
    lengths: &mut [Following],
    sequence: &mut Vec<u32>,
    places: &[(u32, u32)],
    numbers: &mut [u64],
    visit: &mut impl FnMut(&Seen<'_>),
) {
    numbers.fill(0);
    for &(row, _) in places {
        let more = rows.numbers(row as usize);
        for (sum, more) in numbers.iter_mut().zip(more) {
            *sum += more;
        }
    }
    visit(&Seen {
        class: rows.class(places[0].0 as usize),
        sequence,
        places,
        numbers,
    });
    let Some((here, longer)) = lengths.split_first_mut() else {
        return;
    };
    for &(row, at) in places {
        let path = rows.path(row as usize);
        for (next, &item) in path.iter().enumerate().skip(at as usize + 1) {
            let follows = &mut here.places[item as usize];
            if follows.is_empty() {
                here.present.push(item);
            }
            follows.push((row, next as u32));
        }
    }
    for item in std::mem::take(&mut here.present) {
        let mut follows = std::mem::take(&mut here.places[item as usize]);
        sequence.push(item);
        branch(rows, longer, sequence, &follows, numbers, visit);
        sequence.pop();
        follows.clear();
        here.places[item as usize] = follows;
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
