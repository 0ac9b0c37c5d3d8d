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

use hashbrown::HashMap;
use rayon::prelude::*;

use crate::local_suppression::pack;
use crate::request::Limits;
use crate::summary::{NO_BOUND, Summary};

/// Rounds of careful cuts before a contradicted sequence costs its whole times.
const CAREFUL_ROUNDS: u32 = 12;

/// Rows as one item per time: the doublet shown, or the atom "nothing".
struct Dense {
    /// Item of each (row, time).
    items: Vec<u32>,
    times: usize,
    doublets: usize,
}

/// Removals (row, item), sorted, that mend the sequences with too few or too alike candidates.
pub(crate) fn cuts(
    source: &Summary,
    current: &Summary,
    time_of: &[u32],
    limits: &Limits,
    round: u32,
) -> Vec<(u32, u32)> {
    let times = time_of.iter().max().map_or(0, |&t| t as usize + 1);
    let doublets = current.item_count();
    let mut dense = Dense {
        items: Vec::with_capacity(current.rows() * times),
        times,
        doublets,
    };
    for row in 0..current.rows() {
        let base = dense.items.len();
        dense
            .items
            .extend((0..times).map(|t| (doublets + t) as u32));
        for &item in current.row(row) {
            dense.items[base + time_of[item as usize] as usize] = item;
        }
    }
    let mut cuts = Vec::new();
    for rows in source.classes() {
        let broken: Vec<Vec<u32>> = (0..times)
            .into_par_iter()
            .flat_map_iter(|first| {
                from_time(
                    source,
                    current,
                    &dense,
                    time_of,
                    limits,
                    rows.clone(),
                    first,
                )
            })
            .collect();
        let mut given: HashMap<(u32, u32), ()> = HashMap::new();
        for sequence in &broken {
            mend(
                current,
                &dense,
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
    cuts
}

/// Broken source sequences whose first doublet is at time `first`, in order.
fn from_time(
    source: &Summary,
    current: &Summary,
    dense: &Dense,
    time_of: &[u32],
    limits: &Limits,
    rows: std::ops::Range<usize>,
    first: usize,
) -> Vec<Vec<u32>> {
    // What source sequences begin here.
    let starts: Vec<(u32, u32)> = rows
        .clone()
        .filter_map(|row| {
            let items = source.row(row);
            let at = items.partition_point(|&i| (time_of[i as usize] as usize) < first);
            let here = items
                .get(at)
                .is_some_and(|&i| time_of[i as usize] as usize == first);
            here.then_some((row as u32, source.starts[row] + at as u32))
        })
        .collect();
    if starts.is_empty() {
        return Vec::new();
    }
    let bits = u32::BITS - ((dense.doublets + dense.times) as u32).leading_zeros();
    let mut combinations = Combinations {
        current,
        dense,
        limits,
        bits,
        groups: HashMap::new(),
        counts: Vec::new(),
        scratch: vec![0; (dense.doublets + dense.times) * current.stride],
    };
    let entries: Vec<u32> = rows
        .filter(|&row| current.weight(row)[0] > 0)
        .map(|row| row as u32)
        .collect();
    combinations.split(&mut Vec::new(), &entries, first, first + 1);
    // Distinct source sequences, shortest prefix first.
    let mut broken = Vec::new();
    let mut next: Vec<(u32, u32, u32)> = starts
        .iter()
        .map(|&(row, at)| (source.items[at as usize], row, at + 1))
        .collect();
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
    dense: &'a Dense,
    limits: &'a Limits,
    bits: u32,
    groups: HashMap<u128, u32>,
    counts: Vec<u32>,
    scratch: Vec<u32>,
}

impl Combinations<'_> {
    /// Extends a combination by the items of times `from..to`; deeper levels take all later times.
    fn split(&mut self, prefix: &mut Vec<u32>, entries: &[u32], from: usize, to: usize) {
        let stride = self.current.stride;
        let mut touched = Vec::new();
        for &row in entries {
            let base = row as usize * self.dense.times;
            let weight = self.current.weight(row as usize);
            for &item in &self.dense.items[base + from..base + to] {
                let slot = item as usize * stride;
                if self.scratch[slot] == 0 {
                    touched.push(item);
                }
                for (sum, weight) in self.scratch[slot..slot + stride].iter_mut().zip(weight) {
                    *sum += weight;
                }
            }
        }
        for &item in &touched {
            prefix.push(item);
            let key = pack(0, prefix, self.bits);
            prefix.pop();
            self.groups.insert(key, (self.counts.len() / stride) as u32);
            let slot = item as usize * stride;
            self.counts
                .extend_from_slice(&self.scratch[slot..slot + stride]);
            self.scratch[slot..slot + stride].fill(0);
        }
        if prefix.len() + 1 == self.limits.l {
            return;
        }
        for time in from..to {
            if time + 1 == self.dense.times {
                continue;
            }
            let mut keyed: Vec<(u32, u32)> = entries
                .iter()
                .map(|&row| {
                    (
                        self.dense.items[row as usize * self.dense.times + time],
                        row,
                    )
                })
                .collect();
            keyed.sort_unstable();
            for group in keyed.chunk_by(|a, b| a.0 == b.0) {
                let rows: Vec<u32> = group.iter().map(|&(_, row)| row).collect();
                prefix.push(group[0].0);
                self.split(prefix, &rows, time + 1, self.dense.times);
                prefix.pop();
            }
        }
    }

    /// Whether the candidates of a source sequence break the promise.
    fn breaks(&self, sequence: &[u32], time_of: &[u32], named: &[u32]) -> bool {
        let stride = self.current.stride;
        let mut sum = vec![0u32; stride];
        let mut way = vec![0u32; sequence.len()];
        // Most often "nothing at all these times" alone is enough: try it first.
        for mask in 0..1u32 << sequence.len() {
            for (at, &item) in sequence.iter().enumerate() {
                let empty = self.dense.doublets as u32 + time_of[item as usize];
                way[at] = if mask >> at & 1 == 1 { item } else { empty };
            }
            if let Some(&group) = self.groups.get(&pack(0, &way, self.bits)) {
                let at = group as usize * stride;
                for (sum, count) in sum.iter_mut().zip(&self.counts[at..at + stride]) {
                    *sum += count;
                }
                if stride == 1 && u64::from(sum[0]) >= self.limits.k {
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
    dense: &Dense,
    time_of: &[u32],
    limits: &Limits,
    rows: std::ops::Range<usize>,
    sequence: &[u32],
    round: u32,
    given: &mut HashMap<(u32, u32), ()>,
    cuts: &mut Vec<(u32, u32)>,
) {
    let contradictions = |row: usize, given: &HashMap<(u32, u32), ()>| -> Vec<u32> {
        let base = row * dense.times;
        sequence
            .iter()
            .filter_map(|&item| {
                let shown = dense.items[base + time_of[item as usize] as usize];
                let other = shown != item && (shown as usize) < dense.doublets;
                (other && !given.contains_key(&(row as u32, shown))).then_some(shown)
            })
            .collect()
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
            given.insert((row as u32, item), ());
            cuts.push((row as u32, item));
        }
        for (sum, weight) in sum.iter_mut().zip(current.weight(row)) {
            *sum += weight;
        }
    }
}
