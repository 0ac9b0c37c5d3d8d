//! Frequency sets: the distinct tuples of one node of the lattice with their counts, rolled up from a finer set.

use denym_data::{Code, Ragged, Summary};
use rayon::prelude::*;

use crate::keys::{Key, Ladders, Layout, Lift};
use crate::request::Request;

/// Sources of at least this many tuples are grouped on all cores; below it, starting the work costs more than it saves.
const PARALLEL: usize = 1 << 13;
/// Tuples whose slots are fetched together.
const BLOCK: usize = 32;

/// The distinct tuples at some levels, in the order in which they first appear in the summary.
#[derive(Debug, Clone)]
pub(crate) struct FrequencySet<const W: usize> {
    /// Packed tuples.
    pub(crate) keys: Vec<Key<W>>,
    /// Records of each tuple.
    pub(crate) records: Vec<u64>,
    /// Distinct subjects of each tuple, when the table has a subject column.
    pub(crate) subjects: Option<Ragged<u32>>,
    /// For each sensitive attribute, the histogram of each tuple.
    pub(crate) sensitive: Vec<Ragged<(Code, u64)>>,
    /// For each sensitive attribute, the (value, subject) pairs of each tuple, when the table has a subject column.
    pub(crate) shown: Vec<Ragged<(Code, u32)>>,
}

impl<const W: usize> FrequencySet<W> {
    /// The finest set allowed: every quasi-identifier at its lowest level.
    pub(crate) fn finest(request: &Request<'_>, layout: &Layout, low: &[u8]) -> FrequencySet<W> {
        let summary = request.summary;
        let keys = tuples(request, layout, low);
        let whole = FrequencySet {
            keys,
            records: summary.records.clone(),
            subjects: summary.subjects.clone(),
            sensitive: summary.sensitive.clone(),
            shown: summary.shown.clone(),
        };
        if low.iter().all(|&level| level == 0) && level_zero_is_the_original(request) {
            return whole;
        }
        whole.group(<[u64; W]>::clone)
    }

    /// Number of distinct tuples.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The set at the coarser levels `to`.
    pub(crate) fn roll_up(
        &self,
        layout: &Layout,
        ladders: &Ladders,
        from: &[u8],
        to: &[u8],
    ) -> FrequencySet<W> {
        let lift = Lift::new(layout, ladders, from, to);
        self.group(|key| lift.apply(key))
    }

    /// Some of the tuples, in this order.
    pub(crate) fn select(&self, chosen: &[usize]) -> FrequencySet<W> {
        fn rows<T: Copy>(of: &Ragged<T>, chosen: &[usize]) -> Ragged<T> {
            chosen.iter().map(|&row| of.row(row).to_vec()).collect()
        }
        FrequencySet {
            keys: chosen.iter().map(|&tuple| self.keys[tuple]).collect(),
            records: chosen.iter().map(|&tuple| self.records[tuple]).collect(),
            subjects: self
                .subjects
                .as_ref()
                .map(|subjects| rows(subjects, chosen)),
            sensitive: self.sensitive.iter().map(|s| rows(s, chosen)).collect(),
            shown: self.shown.iter().map(|s| rows(s, chosen)).collect(),
        }
    }

    /// Tuples that become equal under `lift` are put together, numbered by first appearance.
    pub(crate) fn group(&self, lift: impl Fn(&Key<W>) -> Key<W> + Sync) -> FrequencySet<W> {
        let bare = self.sensitive.is_empty() && self.subjects.is_none();
        let mut group_of = if bare {
            Vec::new()
        } else {
            vec![0; self.len()]
        };
        let threads = rayon::current_num_threads();
        let grouping = if self.len() >= PARALLEL && threads > 1 {
            let chunk = self.len().div_ceil(threads);
            let parts: Vec<Grouping<W>> = self
                .keys
                .par_chunks(chunk)
                .zip(self.records.par_chunks(chunk))
                .map(|(keys, records)| {
                    let mut part = Grouping::default();
                    part.add_all(keys, records, &lift);
                    part
                })
                .collect();
            // Joined in order, so groups are numbered by first appearance for any number of threads.
            let mut parts = parts.into_iter();
            let mut whole = parts.next().unwrap_or_default();
            for part in parts {
                whole.add_all(&part.keys, &part.records, Key::clone);
            }
            if !bare {
                for (group, key) in group_of.iter_mut().zip(&self.keys) {
                    *group = whole.add(lift(key), 0);
                }
            }
            whole
        } else {
            let mut whole = Grouping::default();
            if bare {
                whole.add_all(&self.keys, &self.records, &lift);
            } else {
                for ((key, &count), group) in self.keys.iter().zip(&self.records).zip(&mut group_of)
                {
                    *group = whole.add(lift(key), count);
                }
            }
            whole
        };
        let members = (!bare).then(|| GroupMembers::new(&group_of, grouping.keys.len()));
        let shown: Vec<Ragged<(Code, u32)>> = members.as_ref().map_or_else(Vec::new, |members| {
            self.shown
                .iter()
                .map(|pairs| members.unite(pairs))
                .collect()
        });
        FrequencySet {
            keys: grouping.keys,
            records: grouping.records,
            subjects: members.as_ref().and_then(|members| {
                let subjects = self.subjects.as_ref()?;
                Some(members.unite(subjects))
            }),
            sensitive: if shown.is_empty() {
                members.as_ref().map_or_else(Vec::new, |members| {
                    self.sensitive
                        .iter()
                        .map(|histograms| members.add_up(histograms))
                        .collect()
                })
            } else {
                shown.iter().map(count_subjects).collect()
            },
            shown,
        }
    }
}

/// The packed tuples of the summary at `levels`, one per summary tuple.
pub(crate) fn tuples<const W: usize>(
    request: &Request<'_>,
    layout: &Layout,
    levels: &[u8],
) -> Vec<Key<W>> {
    let summary: &Summary = request.summary;
    let mut keys = vec![[0; W]; summary.tuples()];
    for (d, codes) in summary.quasi.iter().enumerate() {
        let nodes = &request.hierarchies[d].levels()[levels[d] as usize].nodes;
        for (key, &code) in keys.iter_mut().zip(codes) {
            layout.put(key, d, nodes[code as usize]);
        }
    }
    keys
}

/// The summary over some of the quasi-identifiers only.
pub(crate) fn project(summary: &Summary, members: &[usize]) -> Summary {
    let mut class_of = vec![0_u32; summary.tuples()];
    let mut count = usize::from(summary.tuples() > 0);
    for &d in members {
        let mut grouping: Grouping<1> = Grouping::default();
        for (class, &code) in class_of.iter_mut().zip(&summary.quasi[d]) {
            *class = grouping.add([u64::from(*class) << 32 | u64::from(code)], 0);
        }
        count = grouping.keys.len();
    }
    let groups = GroupMembers::new(&class_of, count);
    let mut firsts: Vec<u32> = groups.groups().map(|members| members[0]).collect();
    firsts.truncate(count);
    let mut records = vec![0; count];
    for (&class, &count) in class_of.iter().zip(&summary.records) {
        records[class as usize] += count;
    }
    let shown: Vec<Ragged<(Code, u32)>> = summary.shown.iter().map(|p| groups.unite(p)).collect();
    // Groups are numbered by first appearance in ascending tuples; solvers do not rely on the order.
    Summary {
        quasi: members
            .iter()
            .map(|&d| {
                firsts
                    .iter()
                    .map(|&t| summary.quasi[d][t as usize])
                    .collect()
            })
            .collect(),
        cardinalities: members.iter().map(|&d| summary.cardinalities[d]).collect(),
        records,
        sensitive: if shown.is_empty() {
            summary.sensitive.iter().map(|h| groups.add_up(h)).collect()
        } else {
            shown.iter().map(count_subjects).collect()
        },
        subjects: summary.subjects.as_ref().map(|s| groups.unite(s)),
        shown,
    }
}

/// Whether no hierarchy puts two codes together at level 0.
fn level_zero_is_the_original(request: &Request<'_>) -> bool {
    request
        .hierarchies
        .iter()
        .all(|hierarchy| hierarchy.levels()[0].labels.len() == hierarchy.levels()[0].nodes.len())
}

/// A hash table from keys to dense group numbers, with a count per group.
pub(crate) struct Grouping<const W: usize> {
    pub(crate) keys: Vec<Key<W>>,
    pub(crate) records: Vec<u64>,
    /// Group number plus one; zero is empty.
    slots: Vec<u32>,
    shift: u32,
}

impl<const W: usize> Default for Grouping<W> {
    fn default() -> Self {
        Grouping {
            keys: Vec::new(),
            records: Vec::new(),
            slots: vec![0; 1024],
            shift: 64 - 10,
        }
    }
}

impl<const W: usize> Grouping<W> {
    /// Adds `count` to the group of `key` and returns its number.
    #[inline]
    pub(crate) fn add(&mut self, key: Key<W>, count: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = hash(&key, self.shift);
        loop {
            match self.slots[slot] {
                0 => break,
                taken => {
                    let group = (taken - 1) as usize;
                    if self.keys[group] == key {
                        self.records[group] += count;
                        return taken - 1;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        self.keys.push(key);
        self.records.push(count);
        self.slots[slot] = self.keys.len() as u32;
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.keys.len() as u32 - 1
    }

    /// Adds each count to the group of its lifted key.
    ///
    /// Slots of a whole block are fetched before the first is used: a table that outgrows the cache is waited for once per block.
    pub(crate) fn add_all(
        &mut self,
        keys: &[Key<W>],
        counts: &[u64],
        lift: impl Fn(&Key<W>) -> Key<W>,
    ) {
        let mut lifted = [[0; W]; BLOCK];
        let mut taken = [0_u32; BLOCK];
        for (keys, counts) in keys.chunks(BLOCK).zip(counts.chunks(BLOCK)) {
            for ((lifted, taken), key) in lifted.iter_mut().zip(&mut taken).zip(keys) {
                *lifted = lift(key);
                *taken = self.slots[hash(lifted, self.shift)];
            }
            for ((&key, &taken), &count) in lifted.iter().zip(&taken).zip(counts) {
                // A slot that was empty may have been filled by this block; `add` looks again.
                match (taken as usize).checked_sub(1) {
                    Some(group) if self.keys[group] == key => self.records[group] += count,
                    _ => {
                        self.add(key, count);
                    }
                }
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        // Four times at once: most sets that outgrow one size outgrow the next.
        let size = self.slots.len() * 4;
        self.shift -= 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for (group, key) in self.keys.iter().enumerate() {
            let mut slot = hash(key, self.shift);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = group as u32 + 1;
        }
    }
}

#[inline]
fn hash<const W: usize>(key: &Key<W>, shift: u32) -> usize {
    let mut mixed = 0_u64;
    for &word in key {
        mixed = (mixed.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (mixed >> shift) as usize
}

/// The histogram of each row of (value, subject) pairs: a value counts once per subject.
fn count_subjects(pairs: &Ragged<(Code, u32)>) -> Ragged<(Code, u64)> {
    (0..pairs.len())
        .map(|row| histogram_of(pairs.row(row)))
        .collect()
}

/// How many subjects show each value, from sorted, distinct (value, subject) pairs.
fn histogram_of(pairs: &[(Code, u32)]) -> Vec<(Code, u64)> {
    pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| (run[0].0, run.len() as u64))
        .collect()
}

/// Which source tuples make up each group.
struct GroupMembers {
    order: Vec<u32>,
    ends: Vec<u32>,
}

impl GroupMembers {
    fn new(group_of: &[u32], groups: usize) -> GroupMembers {
        let mut ends = vec![0_u32; groups + 1];
        for &group in group_of {
            ends[group as usize + 1] += 1;
        }
        for group in 0..groups {
            ends[group + 1] += ends[group];
        }
        let mut next = ends.clone();
        let mut order = vec![0; group_of.len()];
        for (tuple, &group) in group_of.iter().enumerate() {
            order[next[group as usize] as usize] = tuple as u32;
            next[group as usize] += 1;
        }
        GroupMembers { order, ends }
    }

    fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.ends
            .windows(2)
            .map(|pair| &self.order[pair[0] as usize..pair[1] as usize])
    }

    /// Sorted sets, united per group.
    fn unite<T: Ord + Copy>(&self, sets: &Ragged<T>) -> Ragged<T> {
        let mut united = Ragged::new();
        let mut buffer: Vec<T> = Vec::new();
        for members in self.groups() {
            buffer.clear();
            for &tuple in members {
                buffer.extend_from_slice(sets.row(tuple as usize));
            }
            buffer.sort_unstable();
            buffer.dedup();
            for &item in &buffer {
                united.push(item);
            }
            united.close();
        }
        united
    }

    /// Histograms, added up per group.
    fn add_up(&self, histograms: &Ragged<(Code, u64)>) -> Ragged<(Code, u64)> {
        let mut sums = Ragged::new();
        let mut counts: Vec<u64> = Vec::new();
        let mut touched: Vec<Code> = Vec::new();
        for members in self.groups() {
            if let [tuple] = members {
                for &entry in histograms.row(*tuple as usize) {
                    sums.push(entry);
                }
                sums.close();
                continue;
            }
            for &tuple in members {
                for &(value, count) in histograms.row(tuple as usize) {
                    if counts.len() <= value as usize {
                        counts.resize(value as usize + 1, 0);
                    }
                    if counts[value as usize] == 0 {
                        touched.push(value);
                    }
                    counts[value as usize] += count;
                }
            }
            touched.sort_unstable();
            for value in touched.drain(..) {
                sums.push((value, std::mem::take(&mut counts[value as usize])));
            }
            sums.close();
        }
        sums
    }
}
