//! Finds every critical violation of a table for any L, exactly and on all cores.
//!
//! # Idea
//!
//! A critical violation is a sequence of at most L doublets whose group breaks the promise while
//! every shorter part of it is fine. Level by level: single doublets, then pairs, then triples.
//! At one level each prefix gets its *projection*, the tails of the paths that hold it, and one
//! sweep over those tails counts all its extensions at once in a small array; no sequence is
//! ever hashed or joined. A tail drops every doublet that violates together with a part of the
//! prefix, so what is counted at level i can only be clean or critical.
//!
//! ```text
//! prefix d2      a1 d2 [b3 e4 f6]      counts  b3:1 e4:1 f6:3 ...
//!                d2 [f6 c7 e8]         one pass gives |G(d2 x)| and the secrets for every x
//! ```
//!
//! # Guarantee
//!
//! Exactly the sequences of Definition 4.1.2, in a fixed order for any number of threads.
//!
//! # Reference
//!
//! K. Al-Hussaeni, *Preserving Data Privacy and Information Usefulness for RFID Data Publishing*,
//! Concordia University 2009, Algorithm 1. The projection is that of J. Pei et al., *`PrefixSpan`*, ICDE 2001.
//!
//! # Departures
//!
//! Algorithm 1 prunes level i against the violations of level i-1 only; at L of 4 and more
//! non-critical sequences slip in. We prune against all shorter ones. Confidence is compared as
//! an exact fraction. With quasi-identifiers, each class of equal values is mined on its own:
//! the adversary knows the class as well. A bound on a sensitive place skips knowledge that
//! names the place.
//!
//! # Cost
//!
//! One array increment per sub-sequence of up to L doublets of each distinct path; memory for
//! the violations and, per thread, one prefix's projection. Violations can be as many as the combinations of a path, so there is a
//! bound on them: beyond it mining is refused, or ends with those it has, where the caller can go on from a part ([`mine_some`]). MSNBC-24 at L = 3, K = 10: see `tests/reference.rs`.

use hashbrown::HashMap;
use rayon::prelude::*;

use crate::error::Error;
use crate::request::{Context, Limits};
use crate::summary::{NO_BOUND, Summary};
use crate::violations::Violations;

/// The violations of a table and, when asked for, the rows each occurs in.
#[derive(Clone, Debug, Default)]
pub struct Mined {
    /// The critical violations, shorter ones first.
    pub violations: Violations,
    /// (violation, row) for each row that holds it; empty unless asked for.
    pub(crate) incidences: Vec<(u32, u32)>,
}

/// Violations that are held at most; each takes some fifty bytes until it is suppressed.
const MOST: u64 = 1 << 25;

/// Violations and rows that are held together at most.
const MOST_WITH_ROWS: u64 = 1 << 26;

/// Violations of one round of those who go on from a part.
pub(crate) const MOST_AT_ONCE: u64 = 1 << 23;

/// First items that are looked at together, and the share of all violations that one of them may have before it is looked at alone.
const TOGETHER: usize = 256;

/// Finds all critical violations.
pub fn mine(summary: &Summary, limits: &Limits, context: &Context) -> Result<Violations, Error> {
    let (mined, whole) = Miner::new(summary, limits, false, MOST).run(context)?;
    if whole {
        Ok(mined.violations)
    } else {
        Err(Error::TooManyViolations { most: MOST })
    }
}

/// Finds at least `most` critical violations, or all where there are fewer; says whether these are all.
pub(crate) fn mine_some(
    summary: &Summary,
    limits: &Limits,
    most: u64,
    context: &Context,
) -> Result<(Violations, bool), Error> {
    let (mined, whole) = Miner::new(summary, limits, false, most).run(context)?;
    Ok((mined.violations, whole))
}

/// As [`mine`], with the rows of each violation.
pub(crate) fn mine_with_rows(
    summary: &Summary,
    limits: &Limits,
    context: &Context,
) -> Result<Mined, Error> {
    let (mined, whole) = Miner::new(summary, limits, true, MOST_WITH_ROWS).run(context)?;
    if whole {
        Ok(mined)
    } else {
        Err(Error::TooManyViolations {
            most: MOST_WITH_ROWS,
        })
    }
}

struct Miner<'a> {
    summary: &'a Summary,
    limits: &'a Limits,
    sizes_only: bool,
    want_rows: bool,
    most: u64,
    /// Rows without the doublets that violate alone (in the row's class).
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// One unit of work: a class and a first item, with where the tails after it begin.
struct Task {
    class: u32,
    first: u32,
    begin: usize,
    end: usize,
}

/// What a task found at one level.
struct Found {
    violations: Violations,
    incidences: Vec<(u32, u32)>,
    /// What it may hold.
    most: u64,
}

impl Found {
    fn new(most: u64) -> Found {
        Found {
            violations: Violations::new(),
            incidences: Vec::new(),
            most,
        }
    }

    fn is_full(&self) -> bool {
        (self.violations.len() + self.incidences.len()) as u64 >= self.most
    }
}

/// Tails of rows: (row, begin, end) into a list of items.
#[derive(Default)]
struct Tails {
    spans: Vec<(u32, u32, u32)>,
    items: Vec<u32>,
}

/// Working memory of one thread.
struct Scratch {
    counts: Vec<u32>,
    touched: Vec<u32>,
    flagged: Vec<u32>,
}

impl Mined {
    fn size(&self) -> u64 {
        (self.violations.len() + self.incidences.len()) as u64
    }
}

impl<'a> Miner<'a> {
    fn new(summary: &'a Summary, limits: &'a Limits, want_rows: bool, most: u64) -> Self {
        Self {
            summary,
            limits,
            sizes_only: limits.judge.sizes_only(),
            want_rows,
            most,
            starts: Vec::new(),
            items: Vec::new(),
        }
    }

    /// What is found, and whether it is everything.
    fn run(mut self, context: &Context) -> Result<(Mined, bool), Error> {
        let mut mined = Mined {
            violations: Violations::new(),
            incidences: Vec::new(),
        };
        context.check()?;
        self.first_level(&mut mined);
        if self.limits.l == 1 {
            return Ok((mined, true));
        }
        let (tasks, tails) = self.tasks();
        let mut index = Index::default();
        for length in 2..=self.limits.l {
            let before = mined.violations.len();
            for some in tasks.chunks(TOGETHER) {
                context.check()?;
                let room = self.most.saturating_sub(mined.size());
                if room == 0 {
                    return Ok((mined, false));
                }
                // The same for any number of threads: a first item that has more than its share is looked at again, alone.
                let share = (self.most / TOGETHER as u64).max(1);
                let look = |task: &Task, most: u64, scratch: &mut Scratch| {
                    let tails = &tails[task.begin..task.end];
                    self.level(length, task, tails, &index, most, scratch)
                };
                let found: Vec<Found> = some
                    .par_iter()
                    .map_init(
                        || self.scratch(),
                        |scratch, task| look(task, share, scratch),
                    )
                    .collect();
                let mut scratch = None;
                for (part, task) in found.into_iter().zip(some) {
                    let part = if part.is_full() {
                        drop(part);
                        let room = self.most.saturating_sub(mined.size()).max(1);
                        look(task, room, scratch.get_or_insert_with(|| self.scratch()))
                    } else {
                        part
                    };
                    let full = part.is_full();
                    let base = mined.violations.len() as u32;
                    mined.violations.append(&part.violations);
                    let rows = part.incidences.iter();
                    mined
                        .incidences
                        .extend(rows.map(|&(violation, row)| (violation + base, row)));
                    if full && mined.size() >= self.most {
                        return Ok((mined, false));
                    }
                }
            }
            if mined.violations.len() == before && !self.longer_rows(length) {
                break;
            }
            if length < self.limits.l {
                index.add(&mined.violations, before);
            }
        }
        Ok((mined, true))
    }

    fn longer_rows(&self, length: usize) -> bool {
        self.starts
            .windows(2)
            .any(|pair| (pair[1] - pair[0]) as usize > length)
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            counts: vec![0; self.summary.item_count * self.summary.stride],
            touched: Vec::new(),
            flagged: vec![u32::MAX; self.summary.item_count],
        }
    }

    /// Level 1: single items per class; violating ones leave the rows.
    fn first_level(&mut self, mined: &mut Mined) {
        let summary = self.summary;
        let stride = summary.stride;
        let mut counts = vec![0u32; summary.item_count * stride];
        let mut violating = vec![u32::MAX; summary.item_count];
        self.starts.push(0);
        for (class, rows) in summary.classes().enumerate() {
            let mut touched = Vec::new();
            for row in rows.clone() {
                let weight = summary.weight(row);
                for &item in summary.row(row) {
                    let at = item as usize * stride;
                    if counts[at] == 0 {
                        touched.push(item);
                    }
                    for (count, weight) in counts[at..at + stride].iter_mut().zip(weight) {
                        *count += weight;
                    }
                }
            }
            touched.sort_unstable();
            for &item in &touched {
                let at = item as usize * stride;
                let exempt = self.exempt(&[], item);
                if self.limits.broken_except(&counts[at..at + stride], &exempt) {
                    violating[item as usize] = mined.violations.len() as u32;
                    mined.violations.push(class as u32, &[], item);
                }
                counts[at..at + stride].fill(0);
            }
            for row in rows {
                for &item in summary.row(row) {
                    match violating[item as usize] {
                        u32::MAX => self.items.push(item),
                        violation if self.want_rows => {
                            mined.incidences.push((violation, row as u32));
                        }
                        _ => {}
                    }
                }
                self.starts.push(self.items.len() as u32);
            }
            for item in touched {
                violating[item as usize] = u32::MAX;
            }
        }
    }

    /// The (class, first item) pairs with the tails that follow the item.
    fn tasks(&self) -> (Vec<Task>, Vec<(u32, u32)>) {
        let mut tasks = Vec::new();
        let mut tails = vec![(0, 0); self.items.len()];
        let mut fill = vec![0usize; self.summary.item_count];
        let mut base = 0;
        for (class, rows) in self.summary.classes().enumerate() {
            let span = self.starts[rows.start] as usize..self.starts[rows.end] as usize;
            let mut present: Vec<u32> = Vec::new();
            for &item in &self.items[span] {
                if fill[item as usize] == 0 {
                    present.push(item);
                }
                fill[item as usize] += 1;
            }
            present.sort_unstable();
            for &item in &present {
                let count = std::mem::replace(&mut fill[item as usize], base);
                tasks.push(Task {
                    class: class as u32,
                    first: item,
                    begin: base,
                    end: base + count,
                });
                base += count;
            }
            for row in rows {
                for at in self.starts[row]..self.starts[row + 1] {
                    let slot = &mut fill[self.items[at as usize] as usize];
                    tails[*slot] = (row as u32, at + 1);
                    *slot += 1;
                }
            }
            for item in present {
                fill[item as usize] = 0;
            }
        }
        (tasks, tails)
    }

    /// All critical violations of one length that begin with the task's item.
    fn level(
        &self,
        length: usize,
        task: &Task,
        after_first: &[(u32, u32)],
        index: &Index,
        most: u64,
        scratch: &mut Scratch,
    ) -> Found {
        let mut found = Found::new(most);
        let mut tails = Tails::default();
        let pairs = index.after(task.class, task.first);
        for &(row, begin) in after_first {
            let end = self.starts[row as usize + 1];
            let tail = &self.items[begin as usize..end as usize];
            let from = tails.items.len() as u32;
            if pairs.is_empty() {
                tails.items.extend_from_slice(tail);
            } else {
                let clean = |item: &&u32| pairs.binary_search(item).is_err();
                tails.items.extend(tail.iter().filter(clean));
            }
            let to = tails.items.len() as u32;
            // A tail too short to complete the sequence cannot matter.
            if ((to - from) as usize) < length - 1 {
                tails.items.truncate(from as usize);
            } else {
                tails.spans.push((row, from, to));
            }
        }
        let mut prefix = vec![task.first];
        self.extend(
            length,
            task.class,
            &mut prefix,
            &tails,
            index,
            scratch,
            &mut found,
        );
        found
    }

    /// Counts the extensions of a prefix of length - 1, or goes on to longer prefixes.
    #[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn extend(
        &self,
        length: usize,
        class: u32,
        prefix: &mut Vec<u32>,
        tails: &Tails,
        index: &Index,
        scratch: &mut Scratch,
        found: &mut Found,
    ) {
        if prefix.len() + 1 == length {
            let spans = tails.spans.iter().copied();
            self.count(class, prefix, spans, &tails.items, &[], scratch, found);
            return;
        }
        // Where each next item occurs, item by item.
        let mut next: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(tails.items.len());
        let missing = (length - prefix.len() - 1) as u32;
        for &(row, begin, end) in &tails.spans {
            for at in begin..end.saturating_sub(missing) {
                next.push((tails.items[at as usize], row, at + 1, end));
            }
        }
        sort_by_item(&mut next, &mut scratch.counts, self.summary.stride);
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            if found.is_full() {
                return;
            }
            let item = group[0].0;
            let pairs = index.after(class, item);
            if prefix.len() + 2 == length {
                let spans = group.iter().map(|&(_, row, begin, end)| (row, begin, end));
                prefix.push(item);
                if length == 3 {
                    self.count(class, prefix, spans, &tails.items, pairs, scratch, found);
                } else {
                    let mut deeper = Tails::default();
                    Self::project(
                        class,
                        prefix,
                        spans,
                        &tails.items,
                        pairs,
                        index,
                        &mut deeper,
                        1,
                    );
                    let spans = deeper.spans.iter().copied();
                    self.count(class, prefix, spans, &deeper.items, &[], scratch, found);
                }
                prefix.pop();
            } else {
                let spans = group.iter().map(|&(_, row, begin, end)| (row, begin, end));
                prefix.push(item);
                let mut deeper = Tails::default();
                let left = length - prefix.len();
                Self::project(
                    class,
                    prefix,
                    spans,
                    &tails.items,
                    pairs,
                    index,
                    &mut deeper,
                    left,
                );
                self.extend(length, class, prefix, &deeper, index, scratch, found);
                prefix.pop();
            }
        }
    }

    /// Copies tails without the items that violate together with the prefix's last item.
    #[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn project(
        class: u32,
        prefix: &[u32],
        spans: impl Iterator<Item = (u32, u32, u32)>,
        items: &[u32],
        pairs: &[u32],
        index: &Index,
        into: &mut Tails,
        shortest: usize,
    ) {
        let deep = index.has_longer(class);
        for (row, begin, end) in spans {
            let from = into.items.len();
            for &item in &items[begin as usize..end as usize] {
                let clean = pairs.binary_search(&item).is_err()
                    && !(deep && index.longer_with_last(class, prefix, item));
                if clean {
                    into.items.push(item);
                }
            }
            if into.items.len() - from < shortest {
                into.items.truncate(from);
            } else {
                into.spans.push((row, from as u32, into.items.len() as u32));
            }
        }
    }

    /// One sweep over the tails of a prefix: the group of every extension, and the broken ones.
    #[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn count(
        &self,
        class: u32,
        prefix: &[u32],
        spans: impl Iterator<Item = (u32, u32, u32)> + Clone,
        items: &[u32],
        skip: &[u32],
        scratch: &mut Scratch,
        found: &mut Found,
    ) {
        let Scratch {
            counts,
            touched,
            flagged,
        } = scratch;
        let summary = self.summary;
        let stride = summary.stride;
        touched.clear();
        if stride == 1 {
            for (row, begin, end) in spans.clone() {
                let weight = summary.weights[row as usize];
                for &item in &items[begin as usize..end as usize] {
                    let count = &mut counts[item as usize];
                    if *count == 0 {
                        touched.push(item);
                    }
                    *count += weight;
                }
            }
        } else {
            for (row, begin, end) in spans.clone() {
                let weight = summary.weight(row as usize);
                for &item in &items[begin as usize..end as usize] {
                    let at = item as usize * stride;
                    let counts = &mut counts[at..at + stride];
                    if counts[0] == 0 {
                        touched.push(item);
                    }
                    for (count, weight) in counts.iter_mut().zip(weight) {
                        *count += weight;
                    }
                }
            }
        }
        let first = found.violations.len() as u32;
        touched.sort_unstable();
        for &item in touched.iter() {
            let at = item as usize * stride;
            let group = &counts[at..at + stride];
            let broken = if self.sizes_only {
                u64::from(group[0]) < self.limits.k()
            } else {
                self.limits.broken_except(group, &self.exempt(prefix, item))
            };
            if broken && skip.binary_search(&item).is_err() {
                flagged[item as usize] = found.violations.len() as u32;
                found.violations.push(class, prefix, item);
            }
            counts[at..at + stride].fill(0);
        }
        if self.want_rows && found.violations.len() as u32 > first {
            for (row, begin, end) in spans {
                for &item in &items[begin as usize..end as usize] {
                    if flagged[item as usize] != u32::MAX {
                        found.incidences.push((flagged[item as usize], row));
                    }
                }
            }
        }
        for violation in first..found.violations.len() as u32 {
            if let Some(&item) = found.violations.get(violation as usize).last() {
                flagged[item as usize] = u32::MAX;
            }
        }
    }

    /// The bounds whose place the knowledge names.
    fn exempt(&self, prefix: &[u32], last: u32) -> Vec<u32> {
        let named = &self.summary.named_bound;
        let items = prefix.iter().chain(std::iter::once(&last));
        items
            .map(|&item| named[item as usize])
            .filter(|&bound| bound != NO_BOUND)
            .collect()
    }
}

/// Orders occurrences by item, keeping the order of rows: a counting sort for long lists.
fn sort_by_item(next: &mut Vec<(u32, u32, u32, u32)>, counts: &mut [u32], stride: usize) {
    let items = counts.len() / stride;
    if next.len() < items / 4 {
        next.sort_unstable();
        return;
    }
    for entry in next.iter() {
        counts[entry.0 as usize * stride] += 1;
    }
    let mut base = 0;
    for item in 0..items {
        let count = counts[item * stride];
        counts[item * stride] = base;
        base += count;
    }
    let mut sorted = vec![(0, 0, 0, 0); next.len()];
    for entry in next.iter() {
        let place = &mut counts[entry.0 as usize * stride];
        sorted[*place as usize] = *entry;
        *place += 1;
    }
    for item in 0..items {
        counts[item * stride] = 0;
    }
    *next = sorted;
}

/// The violations found so far, for pruning: pairs by their first item, longer ones from their last.
#[derive(Default)]
struct Index {
    pairs: HashMap<(u32, u32), Vec<u32>>,
    /// (class, node, item) to node; sequences are stored from their last item to their first.
    children: HashMap<(u32, u32, u32), u32>,
    leaves: Vec<bool>,
    classes_with_longer: HashMap<u32, ()>,
}

impl Index {
    fn add(&mut self, violations: &Violations, from: usize) {
        if self.leaves.is_empty() {
            self.leaves.push(false);
        }
        for at in from..violations.len() {
            let (class, sequence) = (violations.class(at), violations.get(at));
            if let &[first, second] = sequence {
                self.pairs.entry((class, first)).or_default().push(second);
                continue;
            }
            self.classes_with_longer.insert(class, ());
            let mut node = 0;
            for &item in sequence.iter().rev() {
                let leaves = &mut self.leaves;
                node = *self.children.entry((class, node, item)).or_insert_with(|| {
                    leaves.push(false);
                    leaves.len() as u32 - 1
                });
            }
            self.leaves[node as usize] = true;
        }
    }

    /// Items that violate together with `first`, increasing.
    fn after(&self, class: u32, first: u32) -> &[u32] {
        self.pairs.get(&(class, first)).map_or(&[], Vec::as_slice)
    }

    fn has_longer(&self, class: u32) -> bool {
        self.classes_with_longer.contains_key(&class)
    }

    /// Whether a violation of three or more items lies within prefix + item and ends in the item.
    fn longer_with_last(&self, class: u32, prefix: &[u32], item: u32) -> bool {
        match self.children.get(&(class, 0, item)) {
            Some(&node) => self.descend(class, node, prefix),
            None => false,
        }
    }

    fn descend(&self, class: u32, node: u32, prefix: &[u32]) -> bool {
        (0..prefix.len()).rev().any(|at| {
            self.children
                .get(&(class, node, prefix[at]))
                .is_some_and(|&child| {
                    self.leaves[child as usize] || self.descend(class, child, &prefix[..at])
                })
        })
    }
}
