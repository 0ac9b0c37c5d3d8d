//! The matching `consistent` under local suppression: who contradicts what is known of a source path.
//!
//! # Idea
//!
//! A doublet may be missing from the victim's record although others show it. So a record stays a
//! candidate if, at the time of each known doublet, it shows that doublet or nothing. We count, for
//! every combination of up to L shown doublets and empty times, the records that have it; the
//! candidates of a known sequence are the sum over its 2^L ways of being partly empty. Where they
//! are too few or too alike, doublets that contradict the sequence are removed from a few records.
//!
//! # Guarantee
//!
//! With no cut returned, every sub-sequence of 1..L doublets of every source path has K or more
//! candidates within the bounds. The caller repeats until then; each cut removes something, and a
//! table without doublets has no contradiction, so it ends.
//!
//! # Cost
//!
//! All combinations of up to L of the T times for every distinct published row, in memory for one
//! first time after the other.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::error::Error;
use crate::local_suppression::{PACKED_BITS, pack};
use crate::request::Limits;
use crate::summary::{NO_BOUND, Summary};

/// Rounds of careful cuts before a contradicted sequence costs its whole times.
pub(crate) const CAREFUL_ROUNDS: u32 = 12;

/// Rows as what they show, in the order of time, with an atom for every time that shows nothing.
struct Lists {
    starts: Vec<u32>,
    /// Doublets, and atoms `doublets + t`.
    items: Vec<u32>,
    times: usize,
    doublets: usize,
}

impl Lists {
    fn new(current: &Summary, time_of: &[u32]) -> Self {
        let times = time_of.iter().max().map_or(0, |&t| t as usize + 1);
        let doublets = current.item_count();
        let (mut starts, mut items) = (vec![0u32], Vec::new());
        for row in 0..current.rows() {
            let mut by_time: Vec<(u32, u32)> = current
                .row(row)
                .iter()
                .map(|&item| (time_of[item as usize], item))
                .collect();
            by_time.sort_unstable();
            let mut next = 0;
            for time in 0..times as u32 {
                let from = next;
                while next < by_time.len() && by_time[next].0 == time {
                    items.push(by_time[next].1);
                    next += 1;
                }
                if next == from {
                    items.push(doublets as u32 + time);
                }
            }
            starts.push(items.len() as u32);
        }
        Self {
            starts,
            items,
            times,
            doublets,
        }
    }

    /// Bits of an item or atom, as packed.
    fn bits(&self) -> u32 {
        u32::BITS - ((self.doublets + self.times) as u32).leading_zeros()
    }

    fn time(&self, item: u32, time_of: &[u32]) -> u32 {
        match (item as usize).checked_sub(self.doublets) {
            Some(time) => time as u32,
            None => time_of[item as usize],
        }
    }
}

/// Most sequences mended in one round; the rest may be mended along the way.
const MENDED_PER_ROUND: usize = 500;

/// Removals (row, item), sorted, that mend the sequences with too few or too alike candidates.
pub(crate) fn cuts(
    source: &Summary,
    current: &Summary,
    time_of: &[u32],
    limits: &Limits,
    round: u32,
) -> Result<Vec<(u32, u32)>, Error> {
    let lists = Lists::new(current, time_of);
    if limits.l * lists.bits() as usize > PACKED_BITS {
        return Err(Error::BadOption {
            what: "L is too large for `consistent` on so many doublets: use global suppression",
        });
    }
    let mut cuts = Vec::new();
    for rows in source.classes() {
        let broken: Vec<Vec<u32>> = (0..lists.times)
            .into_par_iter()
            .flat_map_iter(|first| {
                from_time(
                    source,
                    current,
                    &lists,
                    time_of,
                    limits,
                    rows.clone(),
                    first,
                )
            })
            .collect();
        let mut given: HashSet<(u32, u32)> = HashSet::new();
        for sequence in broken.iter().take(MENDED_PER_ROUND) {
            mend(
                current,
                time_of,
                limits,
                rows.clone(),
                sequence,
                round,
                &mut given,
                &mut cuts,
            );
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    Ok(cuts)
}

/// Broken source sequences whose first doublet is at time `first`, in order.
fn from_time(
    source: &Summary,
    current: &Summary,
    lists: &Lists,
    time_of: &[u32],
    limits: &Limits,
    rows: std::ops::Range<usize>,
    first: usize,
) -> Vec<Vec<u32>> {
    // What source sequences begin here.
    let mut next: Vec<(u32, u32, u32)> = Vec::new();
    for row in rows.clone() {
        for at in source.starts[row]..source.starts[row + 1] {
            let item = source.items[at as usize];
            if time_of[item as usize] as usize == first {
                next.push((item, row as u32, at + 1));
            }
        }
    }
    if next.is_empty() {
        return Vec::new();
    }
    let bits = lists.bits();
    let mut combinations = Combinations {
        current,
        lists,
        limits,
        bits,
        groups: HashMap::new(),
        counts: Vec::new(),
        scratch: vec![0; (lists.doublets + lists.times) * current.stride],
    };
    let mut entries: Vec<(u32, u32, u32)> = Vec::new();
    for row in rows.filter(|&row| current.weight(row)[0] > 0) {
        for at in lists.starts[row]..lists.starts[row + 1] {
            let item = lists.items[at as usize];
            if lists.time(item, time_of) as usize == first {
                entries.push((item, row as u32, at + 1));
            }
        }
    }
    combinations.split(&mut Vec::new(), entries);
    let mut broken = Vec::new();
    walk(
        source,
        time_of,
        limits,
        &combinations,
        &mut Vec::new(),
        &mut next,
        &mut broken,
    );
    broken
}

fn walk(
    source: &Summary,
    time_of: &[u32],
    limits: &Limits,
    combinations: &Combinations,
    prefix: &mut Vec<u32>,
    next: &mut [(u32, u32, u32)],
    broken: &mut Vec<Vec<u32>>,
) {
    next.sort_unstable();
    for group in next.chunk_by(|a, b| a.0 == b.0) {
        prefix.push(group[0].0);
        if combinations.breaks(prefix, time_of, &source.named_bound) {
            broken.push(prefix.clone());
        } else if prefix.len() < limits.l {
            let mut deeper = Vec::new();
            for &(_, row, begin) in group {
                for at in begin..source.starts[row as usize + 1] {
                    deeper.push((source.items[at as usize], row, at + 1));
                }
            }
            walk(
                source,
                time_of,
                limits,
                combinations,
                prefix,
                &mut deeper,
                broken,
            );
        }
        prefix.pop();
    }
}

/// Counts of every combination of up to L shown doublets and empty times.
struct Combinations<'a> {
    current: &'a Summary,
    lists: &'a Lists,
    limits: &'a Limits,
    bits: u32,
    groups: HashMap<u128, u32>,
    counts: Vec<u32>,
    scratch: Vec<u32>,
}

impl Combinations<'_> {
    /// Takes each of the given (item, row, rest) as the next item, and goes on with the rest of the row.
    fn split(&mut self, prefix: &mut Vec<u32>, mut entries: Vec<(u32, u32, u32)>) {
        let stride = self.current.stride;
        entries.sort_unstable();
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            prefix.push(group[0].0);
            let mut sum = vec![0u32; stride];
            for &(_, row, _) in group {
                for (sum, weight) in sum.iter_mut().zip(self.current.weight(row as usize)) {
                    *sum += weight;
                }
            }
            self.keep(prefix, &sum);
            match self.limits.l - prefix.len() {
                0 => {}
                1 => self.last(prefix, group),
                _ => {
                    let mut deeper = Vec::new();
                    for &(_, row, begin) in group {
                        for at in begin..self.lists.starts[row as usize + 1] {
                            deeper.push((self.lists.items[at as usize], row, at + 1));
                        }
                    }
                    self.split(prefix, deeper);
                }
            }
            prefix.pop();
        }
    }

    /// Counts all last items of a combination in one sweep.
    fn last(&mut self, prefix: &mut Vec<u32>, group: &[(u32, u32, u32)]) {
        let stride = self.current.stride;
        let mut touched = Vec::new();
        for &(_, row, begin) in group {
            let weight = self.current.weight(row as usize);
            let end = self.lists.starts[row as usize + 1];
            for &item in &self.lists.items[begin as usize..end as usize] {
                let slot = item as usize * stride;
                if self.scratch[slot] == 0 {
                    touched.push(item);
                }
                for (sum, weight) in self.scratch[slot..slot + stride].iter_mut().zip(weight) {
                    *sum += weight;
                }
            }
        }
        for item in touched {
            let slot = item as usize * stride;
            let sum = self.scratch[slot..slot + stride].to_vec();
            self.scratch[slot..slot + stride].fill(0);
            prefix.push(item);
            self.keep(prefix, &sum);
            prefix.pop();
        }
    }

    fn keep(&mut self, combination: &[u32], sum: &[u32]) {
        let group = (self.counts.len() / sum.len()) as u32;
        self.groups.insert(pack(0, combination, self.bits), group);
        self.counts.extend_from_slice(sum);
    }

    /// Whether the candidates of a source sequence break the promise.
    fn breaks(&self, sequence: &[u32], time_of: &[u32], named: &[u32]) -> bool {
        let stride = self.current.stride;
        let mut sum = vec![0u32; stride];
        // At each time the row shows all that is known there, or nothing; "nothing" everywhere first.
        let slots: Vec<&[u32]> = sequence
            .chunk_by(|&a, &b| time_of[a as usize] == time_of[b as usize])
            .collect();
        let mut way = Vec::with_capacity(sequence.len());
        for mask in 0..1u32 << slots.len() {
            way.clear();
            for (at, slot) in slots.iter().enumerate() {
                if mask >> at & 1 == 1 {
                    way.extend_from_slice(slot);
                } else {
                    way.push(self.lists.doublets as u32 + time_of[slot[0] as usize]);
                }
            }
            if let Some(&group) = self.groups.get(&pack(0, &way, self.bits)) {
                let at = group as usize * stride;
                for (sum, count) in sum.iter_mut().zip(&self.counts[at..at + stride]) {
                    *sum += count;
                }
                if self.limits.judge.sizes_only() && u64::from(sum[0]) >= self.limits.k() {
                    return false;
                }
            }
        }
        let exempt: Vec<u32> = sequence
            .iter()
            .map(|&item| named[item as usize])
            .filter(|&bound| bound != NO_BOUND)
            .collect();
        self.limits.broken_except(&sum, &exempt)
    }
}

/// Removes contradicting doublets from rows until the sequence has enough candidates.
#[expect(clippy::too_many_arguments, reason = "the state of one round")]
fn mend(
    current: &Summary,
    time_of: &[u32],
    limits: &Limits,
    rows: std::ops::Range<usize>,
    sequence: &[u32],
    round: u32,
    given: &mut HashSet<(u32, u32)>,
    cuts: &mut Vec<(u32, u32)>,
) {
    // A time contradicts when it shows something, but not all that is known of it; all it shows must go.
    let contradictions = |row: usize, given: &HashSet<(u32, u32)>| -> Vec<u32> {
        let mut against = Vec::new();
        for slot in sequence.chunk_by(|&a, &b| time_of[a as usize] == time_of[b as usize]) {
            let time = time_of[slot[0] as usize];
            let shown: Vec<u32> = current
                .row(row)
                .iter()
                .copied()
                .filter(|&i| time_of[i as usize] == time && !given.contains(&(row as u32, i)))
                .collect();
            if !slot.iter().all(|item| shown.contains(item)) {
                against.extend(shown);
            }
        }
        against
    };
    let mut sum = vec![0u32; current.stride];
    let mut close: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        let against = contradictions(row, given).len();
        if against == 0 {
            for (sum, weight) in sum.iter_mut().zip(current.weight(row)) {
                *sum += weight;
            }
        } else {
            close.push((against, row));
        }
    }
    // Rows that need the fewest removals first; among them those with the smallest share of secrets.
    close.sort_by_key(|&(against, row)| {
        let secrets: u32 = current.weight(row)[1..].iter().sum();
        let weight = current.weight(row)[0].max(1);
        (against, secrets * 1000 / weight, row)
    });
    for (_, row) in close {
        if round < CAREFUL_ROUNDS && !limits.broken_by(&sum) {
            break;
        }
        for item in contradictions(row, given) {
            given.insert((row as u32, item));
            cuts.push((row as u32, item));
        }
        for (sum, weight) in sum.iter_mut().zip(current.weight(row)) {
            *sum += weight;
        }
    }
}
