//! Brute force on paths: every violation, the critical ones, the optimum, and the adversary's side.
//!
//! Everything is straight from the definitions, over plain lists of item codes; for tiny tables.

use std::collections::BTreeSet;

/// A tiny table: items per record, the time of each item, and for each bound who carries the secret.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Items of each record, increasing.
    pub rows: Vec<Vec<u32>>,
    /// Time of each item.
    pub time_of: Vec<u32>,
    /// Per bound, per record: whether the record carries the secret.
    pub secrets: Vec<Vec<bool>>,
    /// Class of quasi-identifiers of each record.
    pub class: Vec<u32>,
}

/// The promise: L, K, and a bound per secret as (numerator, denominator).
#[derive(Clone, Debug)]
pub struct Promise {
    /// Longest knowledge.
    pub l: usize,
    /// Smallest group.
    pub k: u64,
    /// Bounds.
    pub at_most: Vec<(u64, u64)>,
}

impl Promise {
    /// Whether the group of these records breaks the promise.
    pub fn broken(&self, table: &Table, group: &[usize]) -> bool {
        let size = group.len() as u64;
        size < self.k
            || self.at_most.iter().enumerate().any(|(bound, &(num, den))| {
                let with = group.iter().filter(|&&r| table.secrets[bound][r]).count() as u64;
                with * den > num * size
            })
    }
}

/// All sub-sequences of 1..=l items.
pub fn parts(items: &[u32], l: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for &item in items {
        for at in 0..all.len() {
            if all[at].len() < l {
                let mut longer: Vec<u32> = all[at].clone();
                longer.push(item);
                all.push(longer);
            }
        }
    }
    all.retain(|part| !part.is_empty());
    all
}

fn holds(row: &[u32], part: &[u32]) -> bool {
    part.iter().all(|item| row.contains(item))
}

/// Every violation as (class, sequence).
pub fn violations(table: &Table, promise: &Promise) -> BTreeSet<(u32, Vec<u32>)> {
    let mut found = BTreeSet::new();
    for (record, row) in table.rows.iter().enumerate() {
        let class = table.class[record];
        for part in parts(row, promise.l) {
            let group: Vec<usize> = (0..table.rows.len())
                .filter(|&r| table.class[r] == class && holds(&table.rows[r], &part))
                .collect();
            if promise.broken(table, &group) {
                found.insert((class, part));
            }
        }
    }
    found
}

/// The violations none of whose proper parts is one.
pub fn critical(all: &BTreeSet<(u32, Vec<u32>)>) -> BTreeSet<(u32, Vec<u32>)> {
    all.iter()
        .filter(|(class, sequence)| {
            parts(sequence, sequence.len() - 1)
                .into_iter()
                .all(|part| !all.contains(&(*class, part)))
        })
        .cloned()
        .collect()
}

/// Fewest instances whose global suppression leaves no violation, over all sets of doublets.
pub fn optimum(table: &Table, promise: &Promise) -> u64 {
    let mut items: Vec<u32> = table.rows.iter().flatten().copied().collect();
    items.sort_unstable();
    items.dedup();
    assert!(items.len() <= 16, "brute force is for tiny tables");
    let mut best = u64::MAX;
    for set in 0u32..1 << items.len() {
        let gone: Vec<u32> = (0..items.len())
            .filter(|at| set >> at & 1 == 1)
            .map(|at| items[at])
            .collect();
        let lost = table
            .rows
            .iter()
            .flatten()
            .filter(|i| gone.contains(i))
            .count() as u64;
        if lost >= best {
            continue;
        }
        let mut rest = table.clone();
        for row in &mut rest.rows {
            row.retain(|item| !gone.contains(item));
        }
        if violations(&rest, promise).is_empty() {
            best = lost;
        }
    }
    best
}

/// What an adversary who knows source paths finds in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Fewest candidates of any knowledge.
    pub smallest_group: u64,
    /// Highest confidence over all bounds, as (secret carriers, candidates).
    pub largest_confidence: (u64, u64),
    /// Records with some knowledge that breaks the promise.
    pub exposed: u64,
}

/// Attacks a release by *global* suppression: published doublets must show, others must leave their time empty.
pub fn attack_global(source: &Table, released: &[Vec<u32>], promise: &Promise) -> Found {
    let published: BTreeSet<u32> = released.iter().flatten().copied().collect();
    attack(source, released, promise, |row, item, time| {
        if published.contains(&item) {
            row.contains(&item)
        } else {
            row.iter()
                .all(|&shown| source.time_of[shown as usize] != time)
        }
    })
}

/// Attacks a release by *local* suppression: at each known time a candidate shows the doublet or nothing.
pub fn attack_local(source: &Table, released: &[Vec<u32>], promise: &Promise) -> Found {
    attack(source, released, promise, |row, item, time| {
        row.contains(&item)
            || row
                .iter()
                .all(|&shown| source.time_of[shown as usize] != time)
    })
}

fn attack(
    source: &Table,
    released: &[Vec<u32>],
    promise: &Promise,
    fits: impl Fn(&[u32], u32, u32) -> bool,
) -> Found {
    let mut found = Found {
        smallest_group: source.rows.len() as u64,
        largest_confidence: (0, 1),
        exposed: 0,
    };
    for (victim, path) in source.rows.iter().enumerate() {
        let mut exposed = false;
        for part in parts(path, promise.l) {
            let group: Vec<usize> = (0..released.len())
                .filter(|&r| {
                    source.class[r] == source.class[victim]
                        && part
                            .iter()
                            .all(|&i| fits(&released[r], i, source.time_of[i as usize]))
                })
                .collect();
            assert!(group.contains(&victim), "the victim is always a candidate");
            found.smallest_group = found.smallest_group.min(group.len() as u64);
            for carriers in &source.secrets {
                let with = group.iter().filter(|&&r| carriers[r]).count() as u64;
                let (a, b) = found.largest_confidence;
                if with * b > a * group.len() as u64 {
                    found.largest_confidence = (with, group.len() as u64);
                }
            }
            exposed |= promise.broken(source, &group);
        }
        found.exposed += u64::from(exposed);
    }
    found
}
