//! Local suppression: removes a doublet only from the records that need it.
//!
//! # Idea
//!
//! A rare sequence is held by fewer than K records, so it is cheap to take one of its doublets out
//! of just those records; everyone else keeps theirs. That may make another sequence rare, so the
//! table is mined again, round by round, until nothing is left. Within a record the doublet that
//! ends the most of its violations goes; among equals the most frequent one, which can spare it.
//! At the end each removed doublet is put back where every sequence it completes is already safe.
//!
//! # Guarantee
//!
//! The released table has no violation under `covers`, and every record shows a part of its source
//! path: what is published is true. For `consistent` see `local_contradiction.rs`.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, section 6.2 (future work). Records with the same path and quasi-identifiers
//! are treated alike, so what is removed never depends on one record's sensitive value alone.
//!
//! # Cost
//!
//! One mining per round; each round removes at least one doublet. After `PATIENT_ROUNDS` the rest
//! is suppressed globally, which makes no new violation.

use hashbrown::HashMap;
use rayon::prelude::*;

use crate::error::Error;
use crate::global_suppression;
use crate::local_contradiction;
use crate::miner::{self, Mined};
use crate::recoding::{PathRecoding, Rows, Vocabulary};
use crate::request::{Algorithm, Context, Limits, Matching};
use crate::solve::Problem;
use crate::summary::Summary;

/// Rounds before what is left is suppressed globally; the tables we tried take fewer than 20.
const PATIENT_ROUNDS: u32 = 200;

/// Solves by local suppression alone.
pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let mut summary = problem.summary.clone();
    if !problem.removed.is_empty() {
        let mut gone = vec![false; summary.item_count()];
        for &item in &problem.removed {
            gone[item as usize] = true;
        }
        let rows = Rows::without(&summary, &gone);
        summary = summary.with_items(rows.starts, rows.items, summary.item_count());
    }
    let consistent = problem.request.matching == Matching::Consistent;
    let source = consistent.then_some((&problem.summary, problem.time_of.as_slice()));
    let (rows, rounds) = publish(&summary, source, &problem.limits, context)?;
    let vocabulary = Vocabulary::of_source(problem.paths);
    let suppressed = published_nowhere(&problem.summary, &rows);
    Ok(PathRecoding::new(
        Algorithm::LocalSuppression,
        &problem.summary,
        &problem.violations,
        vocabulary,
        rows,
        suppressed,
        rounds,
    ))
}

/// Items of the source that no row shows.
fn published_nowhere(summary: &Summary, rows: &Rows) -> Vec<u32> {
    let mut shown = vec![false; summary.item_count()];
    for &item in &rows.items {
        shown[item as usize] = true;
    }
    let instances = summary.instances();
    (0..shown.len() as u32)
        .filter(|&item| !shown[item as usize] && instances[item as usize] > 0)
        .collect()
}

/// What each row may publish so that no violation is left; with `source`, also no contradiction.
pub(crate) fn publish(
    summary: &Summary,
    source: Option<(&Summary, &[u32])>,
    limits: &Limits,
    context: &Context,
) -> Result<(Rows, u32), Error> {
    let mut current = summary.clone();
    current.row_of_record = Vec::new();
    let mut rounds = repair(&mut current, None, limits, context)?;
    restore(summary, &mut current, None, limits, context)?;
    if let Some((source, time_of)) = source {
        let mut round = 0;
        loop {
            context.check()?;
            let cut = local_contradiction::cuts(source, &current, time_of, limits, round)?;
            if cut.is_empty() {
                break;
            }
            round += 1;
            remove(&mut current, &cut);
            rounds += 1 + repair(&mut current, None, limits, context)?;
        }
    }
    let rows = Rows {
        starts: current.starts,
        items: current.items,
    };
    Ok((rows, rounds))
}

/// Where items go instead of leaving: the next coarser item.
pub(crate) struct Climb<'a> {
    /// The coarser item, or `u32::MAX` at the top.
    pub(crate) above: &'a [u32],
    /// Loss of an instance shown as this item.
    pub(crate) loss: &'a [f64],
    /// The rows as they were, in source items.
    pub(crate) source: &'a Summary,
    /// What may stand for each source item, fine to coarse.
    pub(crate) stands_for: &'a [Vec<u32>],
    /// Source items that must not be shown.
    pub(crate) removed: &'a [u32],
}

impl Climb<'_> {
    /// What changing an item costs: to the next coarser one, or away.
    fn price(&self, item: u32) -> f64 {
        let now = self.loss[item as usize];
        match self.above[item as usize] {
            u32::MAX => 1.0 - now,
            above => self.loss[above as usize] - now,
        }
    }
}

/// What each row may publish when items climb before they leave.
pub(crate) fn climb(
    mut current: Summary,
    climb: &Climb,
    limits: &Limits,
    context: &Context,
) -> Result<(Rows, u32), Error> {
    let rounds = repair(&mut current, Some(climb), limits, context)?;
    restore(climb.source, &mut current, Some(climb), limits, context)?;
    let rows = Rows {
        starts: current.starts,
        items: current.items,
    };
    Ok((rows, rounds))
}

/// Mines and removes (or raises) until no violation is left.
fn repair(
    current: &mut Summary,
    climb: Option<&Climb>,
    limits: &Limits,
    context: &Context,
) -> Result<u32, Error> {
    let mut rounds = 0;
    loop {
        let mined = miner::mine_with_rows(current, limits, context)?;
        if mined.violations.is_empty() {
            return Ok(rounds);
        }
        rounds += 1;
        if rounds > PATIENT_ROUNDS {
            let cost = current.instances();
            let chosen = global_suppression::choose(&mined.violations, &cost, true);
            let mut gone = vec![false; current.item_count()];
            for item in chosen {
                gone[item as usize] = true;
            }
            let rows = Rows::without(current, &gone);
            (current.starts, current.items) = (rows.starts, rows.items);
            return Ok(rounds);
        }
        let cuts = choose(current, climb, &mined);
        match climb {
            Some(climb) => raise(current, climb, &cuts),
            None => remove(current, &cuts),
        }
    }
}

/// For each row the items to remove, so that it holds no violation found; sorted.
fn choose(current: &Summary, climb: Option<&Climb>, mined: &Mined) -> Vec<(u32, u32)> {
    let support = current.instances();
    let mut by_row = mined.incidences.clone();
    by_row.par_sort_unstable_by_key(|&(violation, row)| (row, violation));
    let rows: Vec<&[(u32, u32)]> = by_row.chunk_by(|a, b| a.1 == b.1).collect();
    let cuts: Vec<Vec<(u32, u32)>> = rows
        .par_iter()
        .map(|held| {
            let row = held[0].1;
            let mut open: Vec<&[u32]> = held
                .iter()
                .map(|&(violation, _)| mined.violations.get(violation as usize))
                .collect();
            let mut cut = Vec::new();
            while !open.is_empty() {
                let mut hits: Vec<(u32, u32)> = Vec::new();
                for &item in open.iter().copied().flatten() {
                    match hits.iter_mut().find(|(known, _)| *known == item) {
                        Some((_, count)) => *count += 1,
                        None => hits.push((item, 1)),
                    }
                }
                // Most violations ended per loss; without a ladder every loss is 1.
                let worth = |item: u32, count: u32| {
                    f64::from(count) / climb.map_or(1.0, |climb| climb.price(item)).max(1e-9)
                };
                let best = hits
                    .iter()
                    .max_by(|&&(a, ends_a), &&(b, ends_b)| {
                        worth(a, ends_a)
                            .total_cmp(&worth(b, ends_b))
                            .then_with(|| support[a as usize].cmp(&support[b as usize]))
                            .then_with(|| b.cmp(&a))
                    })
                    .map(|&(item, _)| item);
                let Some(item) = best else { break };
                cut.push((row, item));
                open.retain(|violation| violation.binary_search(&item).is_err());
            }
            cut
        })
        .collect();
    let mut cuts = cuts.concat();
    cuts.sort_unstable();
    cuts
}

/// Replaces items of rows by the next coarser ones; `cuts` is sorted.
fn raise(current: &mut Summary, climb: &Climb, cuts: &[(u32, u32)]) {
    let (mut starts, mut items) = (vec![0u32], Vec::with_capacity(current.items.len()));
    let mut next = 0;
    for row in 0..current.rows() {
        let from = next;
        while next < cuts.len() && cuts[next].0 as usize == row {
            next += 1;
        }
        let mut list: Vec<u32> = current.row(row).to_vec();
        for &(_, item) in &cuts[from..next] {
            list.retain(|&shown| shown != item);
            if climb.above[item as usize] != u32::MAX {
                list.push(climb.above[item as usize]);
            }
        }
        list.sort_unstable();
        list.dedup();
        items.extend(list);
        starts.push(items.len() as u32);
    }
    (current.starts, current.items) = (starts, items);
}

/// Takes items out of rows; `cuts` is sorted.
pub(crate) fn remove(current: &mut Summary, cuts: &[(u32, u32)]) {
    let (mut starts, mut items) = (vec![0u32], Vec::with_capacity(current.items.len()));
    let mut next = 0;
    for row in 0..current.rows() {
        let from = next;
        while next < cuts.len() && cuts[next].0 as usize == row {
            next += 1;
        }
        let cut = &cuts[from..next];
        let kept = current
            .row(row)
            .iter()
            .filter(|&&item| cut.binary_search(&(row as u32, item)).is_err());
        items.extend(kept);
        starts.push(items.len() as u32);
    }
    (current.starts, current.items) = (starts, items);
}

/// Puts removed items back where every sequence they complete has a safe group already.
///
/// The groups of a safe table only grow by this, so without bounds a look at the table as it is
/// suffices; with bounds the counts are kept up to date as rows come back.
fn restore(
    source: &Summary,
    current: &mut Summary,
    climb: Option<&Climb>,
    limits: &Limits,
    context: &Context,
) -> Result<(), Error> {
    let bits = u32::BITS - (current.item_count() as u32).leading_zeros();
    if limits.l * bits as usize > PACKED_BITS {
        return Ok(());
    }
    let groups = groups(current, limits, bits);
    let mut counts = groups.1;
    let groups = groups.0;
    let stride = source.stride;
    let mut class_of_row = vec![0u32; source.rows()];
    for (class, rows) in source.classes().enumerate() {
        class_of_row[rows].fill(class as u32);
    }
    let (mut starts, mut items) = (vec![0u32], Vec::with_capacity(source.items.len()));
    let mut keys = Vec::new();
    for (row, &class) in class_of_row.iter().enumerate() {
        if row % 4096 == 0 {
            context.check()?;
        }
        let mut shown: Vec<u32> = current.row(row).to_vec();
        for item in source.row(row) {
            // What may stand for the item, the finest first.
            let forms: &[u32] = match climb {
                Some(climb) if climb.removed.contains(item) => &[],
                Some(climb) => &climb.stands_for[*item as usize],
                None => std::slice::from_ref(item),
            };
            if forms.iter().any(|form| shown.binary_search(form).is_ok()) {
                continue;
            }
            for &form in forms {
                keys.clear();
                let mut names = vec![current.named_bound[form as usize]];
                let safe = complete(
                    &groups,
                    &counts,
                    limits,
                    current,
                    source.weight(row),
                    class,
                    bits,
                    &shown,
                    &mut vec![form],
                    &mut names,
                    0,
                    &mut keys,
                );
                if safe {
                    for &at in &keys {
                        let sums = &mut counts[at as usize * stride..(at as usize + 1) * stride];
                        for (sum, weight) in sums.iter_mut().zip(source.weight(row)) {
                            *sum += weight;
                        }
                    }
                    let place = shown.partition_point(|&known| known < form);
                    shown.insert(place, form);
                    break;
                }
            }
        }
        items.extend_from_slice(&shown);
        starts.push(items.len() as u32);
    }
    (current.starts, current.items) = (starts, items);
    Ok(())
}

/// Bits for the items of a packed sequence; the rest of a key is its class.
pub(crate) const PACKED_BITS: usize = 96;

/// A key of a class and up to L items: the items sorted and packed into 96 bits.
pub(crate) fn pack(class: u32, items: &[u32], bits: u32) -> u128 {
    let mut sorted = [0u32; PACKED_BITS];
    let sorted = &mut sorted[..items.len()];
    sorted.copy_from_slice(items);
    sorted.sort_unstable();
    let items = sorted
        .iter()
        .fold(0, |key, &item| (key << bits) | u128::from(item + 1));
    (u128::from(class) << PACKED_BITS) | items
}

/// Every sequence of the table up to L, with its group.
fn groups(current: &Summary, limits: &Limits, bits: u32) -> (HashMap<u128, u32>, Vec<u32>) {
    let mut known: HashMap<u128, u32> = HashMap::new();
    let mut counts: Vec<u32> = Vec::new();
    let stride = current.stride;
    for (class, rows) in current.classes().enumerate() {
        let parts: Vec<Vec<(u128, u32)>> = {
            let mut by_item: Vec<Vec<(u32, u32)>> = vec![Vec::new(); current.item_count()];
            for row in rows {
                for at in current.starts[row]..current.starts[row + 1] {
                    by_item[current.items[at as usize] as usize].push((row as u32, at + 1));
                }
            }
            by_item
                .par_iter()
                .enumerate()
                .map_init(
                    || vec![0u32; current.item_count() * stride],
                    |scratch, (item, spans)| {
                        let mut found = Vec::new();
                        let mut prefix = vec![item as u32];
                        if !spans.is_empty() {
                            let mut sum = vec![0u32; stride];
                            for &(row, _) in spans {
                                for (s, w) in sum.iter_mut().zip(current.weight(row as usize)) {
                                    *s += w;
                                }
                            }
                            let key = pack(class as u32, &prefix, bits);
                            found.extend(sum.iter().map(|&s| (key, s)));
                            tally(
                                current,
                                limits.l,
                                bits,
                                class as u32,
                                &mut prefix,
                                spans,
                                scratch,
                                &mut found,
                            );
                        }
                        found
                    },
                )
                .collect()
        };
        for part in parts {
            for group in part.chunks_exact(stride) {
                known.insert(group[0].0, (counts.len() / stride) as u32);
                counts.extend(group.iter().map(|&(_, count)| count));
            }
        }
    }
    (known, counts)
}

#[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
fn tally(
    current: &Summary,
    longest: usize,
    bits: u32,
    class: u32,
    prefix: &mut Vec<u32>,
    spans: &[(u32, u32)],
    scratch: &mut [u32],
    found: &mut Vec<(u128, u32)>,
) {
    if prefix.len() == longest {
        return;
    }
    let stride = current.stride;
    let tail = |(row, begin): (u32, u32)| {
        &current.items[begin as usize..current.starts[row as usize + 1] as usize]
    };
    let mut touched = Vec::new();
    for &span in spans {
        let weight = current.weight(span.0 as usize);
        for &item in tail(span) {
            let slot = item as usize * stride;
            if scratch[slot] == 0 {
                touched.push(item);
            }
            for (sum, weight) in scratch[slot..slot + stride].iter_mut().zip(weight) {
                *sum += weight;
            }
        }
    }
    touched.sort_unstable();
    for &item in &touched {
        prefix.push(item);
        let key = pack(class, prefix, bits);
        prefix.pop();
        let slot = item as usize * stride;
        found.extend(scratch[slot..slot + stride].iter().map(|&sum| (key, sum)));
        scratch[slot..slot + stride].fill(0);
    }
    if prefix.len() + 1 < longest {
        let mut next: Vec<(u32, u32, u32)> = Vec::new();
        for &(row, begin) in spans {
            for (at, &item) in tail((row, begin)).iter().enumerate() {
                next.push((item, row, begin + at as u32 + 1));
            }
        }
        next.sort_unstable();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let deeper: Vec<(u32, u32)> = group.iter().map(|&(_, row, at)| (row, at)).collect();
            prefix.push(group[0].0);
            tally(
                current, longest, bits, class, prefix, &deeper, scratch, found,
            );
            prefix.pop();
        }
    }
}

/// Whether every sequence of `chosen` and more of `shown` has a group that stays safe with one more row.
#[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
fn complete(
    groups: &HashMap<u128, u32>,
    counts: &[u32],
    limits: &Limits,
    source: &Summary,
    weight: &[u32],
    class: u32,
    bits: u32,
    shown: &[u32],
    chosen: &mut Vec<u32>,
    names: &mut Vec<u32>,
    from: usize,
    keys: &mut Vec<u32>,
) -> bool {
    let Some(&at) = groups.get(&pack(class, chosen, bits)) else {
        return false;
    };
    let stride = source.stride;
    let group = &counts[at as usize * stride..(at as usize + 1) * stride];
    let sum: Vec<u32> = group.iter().zip(weight).map(|(a, b)| a + b).collect();
    if limits.broken_except(&sum, names) {
        return false;
    }
    keys.push(at);
    if chosen.len() == limits.l {
        return true;
    }
    for next in from..shown.len() {
        chosen.push(shown[next]);
        names.push(source.named_bound[shown[next] as usize]);
        let safe = complete(
            groups,
            counts,
            limits,
            source,
            weight,
            class,
            bits,
            shown,
            chosen,
            names,
            next + 1,
            keys,
        );
        chosen.pop();
        names.pop();
        if !safe {
            return false;
        }
    }
    true
}
