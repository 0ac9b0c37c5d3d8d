//! Global suppression that also survives contradiction: the matching `consistent`.
//!
//! # Idea
//!
//! Whoever knows that the victim was at b at time 2, and finds b2 nowhere in the release, knows
//! that the victim's record shows *nothing* at time 2, and drops every record that shows another
//! place then. So a suppressed doublet is knowledge too: the atom "nothing at time 2". We write
//! every record with such atoms, look for groups of up to L doublets and atoms that break the
//! promise although some source record leads to them, and mend each in one of two ways: suppress
//! one of its doublets, or suppress further doublets at the time of an atom, so that more records
//! show nothing there. A time of which everything is suppressed gives no knowledge at all.
//!
//! # Guarantee
//!
//! For every sub-sequence of 1..L doublets of every source path, the records that show each of its
//! published doublets and nothing at the times of the others number K or more, with confidence
//! within the bounds; and `covers` holds. Where a record may be at several places at one time, it shows all of them or none. Ends always: each round suppresses more, and suppressing everything is safe.
//!
//! # Reference
//!
//! None; the papers' matching is blind to this. The definition is that of the project's own notes on LKC-privacy.
//!
//! # Cost
//!
//! A round counts pairs (and triples, ...) of doublets and atoms of times that are partly
//! suppressed. MSNBC, Oyster and the million-record table took no round or one.

use rayon::prelude::*;

use crate::error::Error;
use crate::request::{Context, Limits};
use crate::summary::Summary;

/// A group that breaks the promise although a source record leads to it.
struct Broken {
    /// Published doublets and atoms, increasing.
    pattern: Vec<u32>,
    counts: Vec<u32>,
    /// What suppressing one more doublet at an atom's time would add to the group.
    gains: Vec<(u32, Vec<u32>)>,
}

/// Records as published doublets and atoms.
struct Extended {
    summary: Summary,
    /// Per item of a row: whether a source record of the row leads to it.
    askable: Vec<bool>,
    /// Where the atoms of each row begin.
    atoms_at: Vec<u32>,
    doublets: usize,
}

/// Suppresses more until the matching `consistent` holds; returns the rounds it took.
pub(crate) fn close(
    summary: &Summary,
    time_of: &[u32],
    limits: &Limits,
    cost: &[u64],
    suppressed: &mut Vec<u32>,
    context: &Context,
) -> Result<u32, Error> {
    let mut gone = vec![false; summary.item_count];
    for &item in suppressed.iter() {
        gone[item as usize] = true;
    }
    let mut round = 0;
    loop {
        context.check()?;
        suppressed.extend(whole_times(summary, time_of, &mut gone));
        let extended = extend(summary, time_of, &gone);
        let broken = find(&extended, time_of, limits);
        if broken.is_empty() {
            return Ok(round);
        }
        round += 1;
        let more = mend(&broken, time_of, limits, cost, &gone, round);
        if more.is_empty() {
            return Err(Error::Internal {
                what: "a broken group must have a doublet left to suppress",
            });
        }
        for &item in &more {
            gone[item as usize] = true;
        }
        suppressed.extend(more);
    }
}

/// Where times are coarse, a record may show one place and have lost another of the same time: it would contradict
/// its own source. There the time of the record goes as a whole; a table with one place at a time has no such record.
fn whole_times(summary: &Summary, time_of: &[u32], gone: &mut [bool]) -> Vec<u32> {
    let mut more = Vec::new();
    loop {
        let before = more.len();
        for row in 0..summary.rows() {
            let same = |a: &u32, b: &u32| time_of[*a as usize] == time_of[*b as usize];
            for slot in summary.row(row).chunk_by(same) {
                if slot.len() > 1 && slot.iter().any(|&item| gone[item as usize]) {
                    for &item in slot {
                        if !std::mem::replace(&mut gone[item as usize], true) {
                            more.push(item);
                        }
                    }
                }
            }
        }
        if more.len() == before {
            return more;
        }
    }
}

/// Number of records some of whose source sub-sequences lead to a broken group.
pub(crate) fn exposed(
    summary: &Summary,
    time_of: &[u32],
    limits: &Limits,
    suppressed: &[bool],
) -> u64 {
    let extended = extend(summary, time_of, suppressed);
    let broken = find(&extended, time_of, limits);
    let mut hit = vec![false; extended.summary.rows()];
    for group in &broken {
        for (row, hit) in hit.iter_mut().enumerate() {
            let items = extended.summary.row(row);
            let base = extended.summary.starts[row] as usize;
            *hit |= group.pattern.iter().all(|item| {
                items
                    .binary_search(item)
                    .is_ok_and(|at| extended.askable[base + at])
            });
        }
    }
    let rows = hit.iter().enumerate().filter(|(_, hit)| **hit);
    rows.map(|(row, _)| u64::from(extended.summary.weight(row)[0]))
        .sum()
}

/// Rewrites the rows with atoms; an atom `doublets + t` says "nothing at time t".
fn extend(summary: &Summary, time_of: &[u32], gone: &[bool]) -> Extended {
    let doublets = summary.item_count;
    let times = time_of.iter().max().map_or(0, |&t| t as usize + 1);
    let (mut some_gone, mut some_left) = (vec![false; times], vec![false; times]);
    for (item, instances) in summary.instances().iter().enumerate() {
        if *instances > 0 {
            let side = if gone[item] {
                &mut some_gone
            } else {
                &mut some_left
            };
            side[time_of[item] as usize] = true;
        }
    }
    let mixed: Vec<u32> = (0..times as u32)
        .filter(|&t| some_gone[t as usize] && some_left[t as usize])
        .collect();
    // Rows with equal published doublets and equal askable atoms are one.
    let mut class_of_row = vec![0u32; summary.rows()];
    for (class, rows) in summary.classes().enumerate() {
        class_of_row[rows].fill(class as u32);
    }
    let lists: Vec<Vec<u32>> = (0..summary.rows())
        .into_par_iter()
        .map(|row| {
            let items = summary.row(row);
            let mut list: Vec<u32> = items
                .iter()
                .copied()
                .filter(|&i| !gone[i as usize])
                .collect();
            let hidden = items.iter().filter(|&&i| gone[i as usize]);
            let mut atoms: Vec<u32> = hidden
                .map(|&i| time_of[i as usize])
                .filter(|t| mixed.binary_search(t).is_ok())
                .map(|t| doublets as u32 + t)
                .collect();
            atoms.sort_unstable();
            atoms.dedup();
            list.extend(atoms);
            list
        })
        .collect();
    let keyed: Vec<(u32, &[u32])> = lists
        .iter()
        .enumerate()
        .map(|(row, list)| (class_of_row[row], list.as_slice()))
        .collect();
    let mut merged = Summary::of_lists(&keyed, doublets + times, summary.stride - 1);
    merged.weights.fill(0);
    for (row, &target) in merged.row_of_record.iter().enumerate() {
        let at = target as usize * merged.stride;
        for (sum, weight) in merged.weights[at..].iter_mut().zip(summary.weight(row)) {
            *sum += weight;
        }
    }
    merged.named_bound[..doublets].copy_from_slice(&summary.named_bound);
    // Now every mixed time at which a row shows nothing becomes an atom.
    let (mut starts, mut items) = (vec![0u32], Vec::new());
    let (mut askable, mut atoms_at) = (Vec::new(), Vec::new());
    for row in 0..merged.rows() {
        let list = merged.row(row);
        let split = list.partition_point(|&i| (i as usize) < doublets);
        items.extend_from_slice(&list[..split]);
        askable.resize(items.len(), true);
        atoms_at.push(items.len() as u32);
        for &t in &mixed {
            let atom = doublets as u32 + t;
            let asked = list[split..].binary_search(&atom).is_ok();
            if list[..split].iter().all(|&i| time_of[i as usize] != t) {
                items.push(atom);
                askable.push(asked);
            }
        }
        starts.push(items.len() as u32);
    }
    let named = std::mem::take(&mut merged.named_bound);
    let mut summary = merged.with_items(starts, items, doublets + times);
    summary.named_bound = named;
    Extended {
        summary,
        askable,
        atoms_at,
        doublets,
    }
}

/// All minimal broken groups that hold an atom, in a fixed order.
fn find(extended: &Extended, time_of: &[u32], limits: &Limits) -> Vec<Broken> {
    let summary = &extended.summary;
    let mut tasks: Vec<(std::ops::Range<usize>, u32)> = Vec::new();
    for rows in summary.classes() {
        let mut present = vec![false; summary.item_count];
        for row in rows.clone() {
            for &item in summary.row(row) {
                present[item as usize] = true;
            }
        }
        let items = (0..summary.item_count as u32).filter(|&i| present[i as usize]);
        tasks.extend(items.map(|item| (rows.clone(), item)));
    }
    // Rows that hold each item, class by class.
    let mut by_item: Vec<Vec<(u32, u32)>> = vec![Vec::new(); summary.item_count];
    for row in 0..summary.rows() {
        for at in summary.starts[row]..summary.starts[row + 1] {
            by_item[summary.items[at as usize] as usize].push((row as u32, at));
        }
    }
    let found: Vec<Vec<Broken>> = tasks
        .par_iter()
        .map_init(
            || Search::new(extended, time_of, limits),
            |search, (rows, item)| {
                let all = &by_item[*item as usize];
                let from = all.partition_point(|&(row, _)| (row as usize) < rows.start);
                let to = all.partition_point(|&(row, _)| (row as usize) < rows.end);
                search.first(rows.clone(), *item, &all[from..to])
            },
        )
        .collect();
    found.into_iter().flatten().collect()
}

/// Depth-first search for broken groups, with the memory of one thread.
struct Search<'a> {
    extended: &'a Extended,
    time_of: &'a [u32],
    limits: &'a Limits,
    counts: Vec<u32>,
    asked: Vec<bool>,
    rows: std::ops::Range<usize>,
    broken: Vec<Broken>,
}

/// A row that holds the prefix: where it goes on, and whether its source leads here.
type Entry = (u32, u32, bool);

impl<'a> Search<'a> {
    fn new(extended: &'a Extended, time_of: &'a [u32], limits: &'a Limits) -> Self {
        let items = extended.summary.item_count;
        Self {
            extended,
            time_of,
            limits,
            counts: vec![0; items * extended.summary.stride],
            asked: vec![false; items],
            rows: 0..0,
            broken: Vec::new(),
        }
    }

    fn first(&mut self, rows: std::ops::Range<usize>, item: u32, at: &[(u32, u32)]) -> Vec<Broken> {
        self.rows = rows;
        let summary = &self.extended.summary;
        let mut counts = vec![0u32; summary.stride];
        let mut entries: Vec<Entry> = Vec::with_capacity(at.len());
        let mut asked = false;
        for &(row, at) in at {
            for (sum, weight) in counts.iter_mut().zip(summary.weight(row as usize)) {
                *sum += weight;
            }
            let askable = self.extended.askable[at as usize];
            asked |= askable;
            entries.push((row, at + 1, askable));
        }
        let mut pattern = vec![item];
        if asked {
            if self.is_broken(&counts, &pattern) {
                if item as usize >= self.extended.doublets {
                    self.report(&pattern, counts, &[]);
                }
            } else if self.limits.l > 1 {
                self.grow(&mut pattern, &entries);
            }
        }
        std::mem::take(&mut self.broken)
    }

    fn grow(&mut self, pattern: &mut Vec<u32>, entries: &[Entry]) {
        let extended = self.extended;
        let summary = &extended.summary;
        let stride = summary.stride;
        // The last item must be an atom: a group of doublets alone is the business of `covers`.
        let last = pattern.len() + 1 == self.limits.l;
        let mut touched = Vec::new();
        for &(row, begin, askable) in entries {
            let end = summary.starts[row as usize + 1];
            let begin = if last {
                begin.max(extended.atoms_at[row as usize])
            } else {
                begin
            };
            let weight = summary.weight(row as usize);
            for at in begin as usize..end as usize {
                let item = summary.items[at];
                let slot = item as usize * stride;
                let counts = &mut self.counts[slot..slot + stride];
                if counts[0] == 0 {
                    touched.push(item);
                }
                for (sum, weight) in counts.iter_mut().zip(weight) {
                    *sum += weight;
                }
                self.asked[item as usize] |= askable && extended.askable[at];
            }
        }
        touched.sort_unstable();
        let mut next = Vec::new();
        for item in touched {
            let slot = item as usize * stride;
            let counts = self.counts[slot..slot + stride].to_vec();
            self.counts[slot..slot + stride].fill(0);
            if std::mem::take(&mut self.asked[item as usize]) {
                next.push((item, counts));
            }
        }
        for (item, counts) in next {
            pattern.push(item);
            if self.is_broken(&counts, pattern) {
                if item as usize >= extended.doublets {
                    self.report(pattern, counts, entries);
                }
            } else if !last {
                let deeper: Vec<Entry> = entries
                    .iter()
                    .filter_map(|&(row, begin, askable)| {
                        let end = summary.starts[row as usize + 1] as usize;
                        let tail = &summary.items[begin as usize..end];
                        let at = begin as usize + tail.binary_search(&item).ok()?;
                        Some((row, at as u32 + 1, askable && extended.askable[at]))
                    })
                    .collect();
                self.grow(pattern, &deeper);
            }
            pattern.pop();
        }
    }

    fn is_broken(&self, counts: &[u32], pattern: &[u32]) -> bool {
        let named = &self.extended.summary.named_bound;
        let exempt: Vec<u32> = pattern
            .iter()
            .map(|&item| named[item as usize])
            .filter(|&bound| bound != crate::summary::NO_BOUND)
            .collect();
        self.limits.broken_except(counts, &exempt)
    }

    /// Keeps a broken group with what each doublet at the time of its last atom would add.
    fn report(&mut self, pattern: &[u32], counts: Vec<u32>, entries: &[Entry]) {
        let summary = &self.extended.summary;
        let doublets = self.extended.doublets;
        let atom = pattern[pattern.len() - 1];
        let time = atom - doublets as u32;
        let mut gains: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut add = |row: usize| {
            let list = summary.row(row);
            let shown = list.iter().take_while(|&&i| (i as usize) < doublets);
            for &item in shown.filter(|&&i| self.time_of[i as usize] == time) {
                let weight = summary.weight(row);
                match gains.iter_mut().find(|(known, _)| *known == item) {
                    Some((_, sum)) => {
                        for (sum, weight) in sum.iter_mut().zip(weight) {
                            *sum += weight;
                        }
                    }
                    None => gains.push((item, weight.to_vec())),
                }
            }
        };
        if entries.is_empty() {
            self.rows.clone().for_each(&mut add);
        } else {
            for &(row, _, _) in entries {
                add(row as usize);
            }
        }
        gains.sort_unstable();
        self.broken.push(Broken {
            pattern: pattern.to_vec(),
            counts,
            gains,
        });
    }
}

/// Rounds of careful choices before a broken group costs its whole time slot.
const CAREFUL_ROUNDS: u32 = 40;

/// Chooses doublets so that every broken group is mended, the most groups per instance first.
fn mend(
    broken: &[Broken],
    time_of: &[u32],
    limits: &Limits,
    cost: &[u64],
    gone: &[bool],
    round: u32,
) -> Vec<u32> {
    let doublets = gone.len();
    let mut chosen: Vec<u32> = Vec::new();
    let mut taken = gone.to_vec();
    if round > CAREFUL_ROUNDS {
        for group in broken {
            let times = group.pattern.iter().filter(|&&i| i as usize >= doublets);
            for time in times.map(|&i| i - doublets as u32) {
                for item in 0..doublets {
                    if time_of[item] == time && !taken[item] && cost[item] > 0 {
                        taken[item] = true;
                        chosen.push(item as u32);
                    }
                }
            }
        }
        return chosen;
    }
    let mut counts: Vec<Vec<u32>> = broken.iter().map(|group| group.counts.clone()).collect();
    let mut open: Vec<bool> = vec![true; broken.len()];
    // Which groups each doublet may mend: as part of the pattern, or as more of "nothing".
    let mut touches: Vec<Vec<(u32, u32)>> = vec![Vec::new(); doublets];
    for (at, group) in broken.iter().enumerate() {
        for &item in group.pattern.iter().filter(|&&i| (i as usize) < doublets) {
            touches[item as usize].push((at as u32, u32::MAX));
        }
        for (which, (item, _)) in group.gains.iter().enumerate() {
            touches[*item as usize].push((at as u32, which as u32));
        }
    }
    let mends = |at: u32, which: u32, counts: &[Vec<u32>]| {
        which == u32::MAX || {
            let (_, gain) = &broken[at as usize].gains[which as usize];
            let sum: Vec<u32> = counts[at as usize]
                .iter()
                .zip(gain)
                .map(|(a, b)| a + b)
                .collect();
            !limits.broken_by(&sum)
        }
    };
    let candidates: Vec<u32> = (0..doublets as u32)
        .filter(|&item| !touches[item as usize].is_empty())
        .collect();
    loop {
        // (mended, partly mended, cost, item): most mended per cost, then most partly, then smallest.
        let mut best: Option<(u64, u64, u32)> = None;
        for &item in candidates.iter().filter(|&&i| !taken[i as usize]) {
            let mut full = 0u64;
            let mut part = 0u64;
            for &(at, which) in &touches[item as usize] {
                if open[at as usize] {
                    part += 1;
                    full += u64::from(mends(at, which, &counts));
                }
            }
            // A full mending counts much more than a partial one; both are per instance lost.
            let gain = full * 1000 + part;
            if part == 0 {
                continue;
            }
            let price = cost[item as usize].max(1);
            let better = best.is_none_or(|(best_gain, best_price, _)| {
                u128::from(gain) * u128::from(best_price)
                    > u128::from(best_gain) * u128::from(price)
            });
            if better {
                best = Some((gain, price, item));
            }
        }
        let Some((_, _, item)) = best else { break };
        taken[item as usize] = true;
        chosen.push(item);
        for &(at, which) in &touches[item as usize] {
            let index = at as usize;
            if !open[index] {
                continue;
            }
            if mends(at, which, &counts) {
                open[index] = false;
            } else {
                let (_, gain) = &broken[index].gains[which as usize];
                for (sum, more) in counts[index].iter_mut().zip(gain) {
                    *sum += more;
                }
            }
        }
    }
    chosen
}
