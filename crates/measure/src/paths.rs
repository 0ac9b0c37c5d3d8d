//! Judges released paths: every group an adversary with up to L doublets can form, counted independently.
//!
//! # Idea
//!
//! No mining and no pruning: every sub-sequence of up to L doublets of every distinct path is
//! written down with its weight, sorted, and added up. Two matchings. `covers`: the group of a
//! sequence is the released records that show all of it. `consistent`: the adversary knows the
//! *source* paths; a released record that contradicts the knowledge is no candidate.
//!
//! # Guarantee
//!
//! Exact counts: all violations, the critical ones, the smallest group, the largest confidence.
//! Knowing nothing counts too (sequence of length 0) for the smallest group and the confidence.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, Definitions 3.3.1 to 4.1.2.
//!
//! # Cost
//!
//! Time grows with the sub-sequences of the distinct paths, memory with those that begin with one doublet, per core.

mod contradiction;

use std::collections::BTreeMap;
use std::hash::Hash;

use denym_data::Fraction;
use denym_data::paths::Paths;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

pub use contradiction::{NotAligned, Removal, consistent, consistent_with};

/// A sensitive value or place and its bound.
#[derive(Clone, Debug)]
pub struct Secret {
    kind: Kind,
    at_most: Fraction,
}

#[derive(Clone, Debug)]
enum Kind {
    Value { attribute: String, value: String },
    Place { location: String },
}

impl Secret {
    /// A value of a sensitive attribute.
    pub fn value(attribute: &str, value: &str, at_most: Fraction) -> Self {
        Self {
            kind: Kind::Value {
                attribute: attribute.to_owned(),
                value: value.to_owned(),
            },
            at_most,
        }
    }

    /// A visit to a place; knowledge that names the place is not judged by it.
    pub fn place(location: &str, at_most: Fraction) -> Self {
        Self {
            kind: Kind::Place {
                location: location.to_owned(),
            },
            at_most,
        }
    }
}

/// What the adversary knows and what must hold.
#[derive(Clone, Debug)]
pub struct Knowledge {
    l: usize,
    k: u64,
    secrets: Vec<Secret>,
}

impl Knowledge {
    /// Any `l` doublets with the quasi-identifiers; groups of `k`; a bound per secret.
    pub fn new(l: usize, k: u64, secrets: Vec<Secret>) -> Self {
        Self { l, k, secrets }
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathAudit {
    /// Records judged.
    pub records: u64,
    /// Doublets in them.
    pub doublets: u64,
    /// Sequences of 1..L doublets whose group breaks the promise.
    pub violations: u64,
    /// The same by length.
    pub violations_by_length: Vec<u64>,
    /// Those without a shorter violation in them.
    pub critical_violations: u64,
    /// The same by length.
    pub critical_violations_by_length: Vec<u64>,
    /// Fewest records in any group.
    pub smallest_group: u64,
    /// Highest share of a secret in any group.
    pub largest_confidence: Fraction,
    /// Records that belong to a group that breaks the promise.
    pub exposed_records: u64,
    /// Whether even knowing nothing keeps the promise, and no violation was found.
    pub holds: bool,
}

/// Distinct (class, path) rows with weights: records, then carriers of each secret.
struct Rows {
    keys: Vec<(Vec<u32>, Vec<u32>)>,
    weights: Vec<Vec<u64>>,
}

impl Rows {
    /// A number per row: equal exactly when the quasi-identifiers are.
    fn class_numbers(&self) -> Vec<u32> {
        let mut number = 0;
        let mut numbers = Vec::with_capacity(self.keys.len());
        for (row, (class, _)) in self.keys.iter().enumerate() {
            if row > 0 && *class != self.keys[row - 1].0 {
                number += 1;
            }
            numbers.push(number);
        }
        numbers
    }
}

fn marks(paths: &Paths, secrets: &[Secret]) -> Vec<Vec<bool>> {
    let carries = |secret: &Secret| -> Vec<bool> {
        match &secret.kind {
            Kind::Value { attribute, value } => {
                let column = paths.sensitive().iter().find(|a| a.name == *attribute);
                let code = column.and_then(|c| Some((c, c.code(value)?)));
                (0..paths.len())
                    .map(|r| code.is_some_and(|(column, code)| column.codes[r] == code))
                    .collect()
            }
            Kind::Place { location } => {
                let code = paths.locations().iter().position(|l| l == location);
                let here =
                    |&id: &u32| Some(paths.doublets()[id as usize].location as usize) == code;
                paths.records().map(|path| path.iter().any(here)).collect()
            }
        }
    };
    secrets.iter().map(carries).collect()
}

/// Which secret (by number) a doublet names.
fn named(paths: &Paths, secrets: &[Secret]) -> Vec<Option<usize>> {
    let name = |location: u32| {
        let label = &paths.locations()[location as usize];
        secrets
            .iter()
            .position(|s| matches!(&s.kind, Kind::Place { location } if location == label))
    };
    paths.doublets().iter().map(|d| name(d.location)).collect()
}

fn quasi(paths: &Paths, record: usize) -> Vec<u32> {
    paths
        .quasi()
        .iter()
        .map(|column| column.codes[record])
        .collect()
}

fn rows(paths: &Paths, marks: &[Vec<bool>]) -> Rows {
    let stride = 1 + marks.len();
    let mut known: HashMap<(Vec<u32>, &[u32]), usize> = HashMap::new();
    let mut sums: Vec<u64> = Vec::new();
    let mut last: &[u32] = &[];
    let mut row = 0;
    for (record, path) in paths.records().enumerate() {
        // A release is sorted by what it shows: most records repeat the one before, and need no look into the table.
        let repeats = record > 0
            && path == last
            && paths
                .quasi()
                .iter()
                .all(|column| column.codes[record] == column.codes[record - 1]);
        if !repeats {
            row = *known
                .entry((quasi(paths, record), path))
                .or_insert_with(|| {
                    sums.resize(sums.len() + stride, 0);
                    sums.len() / stride - 1
                });
            last = path;
        }
        let sums = &mut sums[row * stride..(row + 1) * stride];
        sums[0] += 1;
        for (sum, marks) in sums[1..].iter_mut().zip(marks) {
            *sum += u64::from(marks[record]);
        }
    }
    let mut all: Vec<_> = known.into_iter().collect();
    all.sort_unstable();
    let (keys, weights) = all
        .into_iter()
        .map(|((q, p), row)| {
            let weight = sums[row * stride..(row + 1) * stride].to_vec();
            ((q, p.to_vec()), weight)
        })
        .unzip();
    Rows { keys, weights }
}

struct Judge<'a> {
    knowledge: &'a Knowledge,
    audit: PathAudit,
}

impl<'a> Judge<'a> {
    fn new(knowledge: &'a Knowledge, records: u64, doublets: u64) -> Self {
        Self {
            knowledge,
            audit: PathAudit {
                records,
                doublets,
                violations: 0,
                violations_by_length: vec![0; knowledge.l],
                critical_violations: 0,
                critical_violations_by_length: vec![0; knowledge.l],
                smallest_group: records,
                largest_confidence: Fraction::ZERO,
                exposed_records: 0,
                holds: true,
            },
        }
    }

    /// Judges one group; secrets that the knowledge names do not count.
    fn judge(&mut self, counts: &[u64], exempt: &[usize]) -> bool {
        let size = counts[0];
        self.audit.smallest_group = self.audit.smallest_group.min(size);
        let mut broken = size < self.knowledge.k;
        for (secret, asked) in self.knowledge.secrets.iter().enumerate() {
            if exempt.contains(&secret) || size == 0 {
                continue;
            }
            let largest = &mut self.audit.largest_confidence;
            if largest.is_exceeded_by(counts[secret + 1], size) {
                *largest = Fraction::of(counts[secret + 1], size);
            }
            broken |= asked.at_most.is_exceeded_by(counts[secret + 1], size);
        }
        broken
    }

    /// Knowing nothing but the quasi-identifiers.
    fn empty_knowledge(&mut self, rows: &Rows) {
        let mut classes: BTreeMap<&[u32], Vec<u64>> = BTreeMap::new();
        for ((class, _), weight) in rows.keys.iter().zip(&rows.weights) {
            let sums = classes
                .entry(class)
                .or_insert_with(|| vec![0; weight.len()]);
            for (sum, weight) in sums.iter_mut().zip(weight) {
                *sum += weight;
            }
        }
        for sums in classes.values() {
            if self.judge(sums, &[]) {
                self.audit.holds = false;
            }
        }
    }

    fn finish(mut self, rows: &Rows, exposed: &[bool]) -> PathAudit {
        let hit = exposed.iter().zip(&rows.weights).filter(|(hit, _)| **hit);
        self.audit.exposed_records = hit.map(|(_, weight)| weight[0]).sum();
        self.audit.holds &= self.audit.violations == 0;
        self.audit
    }
}

/// Judges a table by the papers' matching: groups are the records that show the whole sequence.
pub fn covers(paths: &Paths, knowledge: &Knowledge) -> PathAudit {
    let marks = marks(paths, &knowledge.secrets);
    covers_marked(paths, knowledge, &marks)
}

/// As [`covers`], for paths that are given once each with how many records have them.
///
/// A row is a path of ids below `doublets` and its counts: records, then records with each secret. The same
/// path may come several times. Secrets must be values: a place is seen in the paths themselves.
pub fn covers_counted<'a>(
    doublets: usize,
    rows: impl IntoIterator<Item = (&'a [u32], Vec<u64>)>,
    knowledge: &Knowledge,
) -> PathAudit {
    let mut all: Vec<(&[u32], Vec<u64>)> = rows.into_iter().collect();
    all.sort_unstable();
    all.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            for (sum, more) in kept.1.iter_mut().zip(&later.1) {
                *sum += more;
            }
        }
        same
    });
    let records = all.iter().map(|(_, weight)| weight[0]).sum();
    let shown = |(path, weight): &(&[u32], Vec<u64>)| path.len() as u64 * weight[0];
    let instances = all.iter().map(shown).sum();
    let (keys, weights) = all
        .into_iter()
        .map(|(path, weight)| ((Vec::new(), path.to_vec()), weight))
        .unzip();
    let names = vec![None; doublets];
    let judge = Judge::new(knowledge, records, instances);
    count_rows(&Rows { keys, weights }, &names, judge)
}

/// As [`covers`], with who carries each secret given from elsewhere: for places, from the source.
fn covers_marked(paths: &Paths, knowledge: &Knowledge, marks: &[Vec<bool>]) -> PathAudit {
    let names = named(paths, &knowledge.secrets);
    let judge = Judge::new(knowledge, paths.len() as u64, paths.instances() as u64);
    count_rows(&rows(paths, marks), &names, judge)
}

/// Counts all groups, with sequences in as short a key as holds them.
fn count_rows(rows: &Rows, names: &[Option<usize>], judge: Judge) -> PathAudit {
    let class_of = rows.class_numbers();
    let bits = u32::BITS - (names.len() as u32).leading_zeros();
    let l = judge.knowledge.l;
    let classes = class_of.last().map_or(0, |last| last + 1);
    if classes <= 1 && l.saturating_mul(bits as usize) <= 64 {
        let pack = |_: u32, sequence: &[u32]| {
            let items = sequence.iter();
            items.fold(0, |key, &item| (key << bits) | u64::from(item + 1))
        };
        count_all(rows, &class_of, names, judge, pack)
    } else if l.saturating_mul(bits as usize) <= 96 {
        let pack = |class: u32, sequence: &[u32]| {
            let items = sequence
                .iter()
                .fold(0, |key, &item| (key << bits) | u128::from(item + 1));
            (u128::from(class) << 96) | items
        };
        count_all(rows, &class_of, names, judge, pack)
    } else {
        let keep = |class: u32, sequence: &[u32]| (class, sequence.to_vec());
        count_all(rows, &class_of, names, judge, keep)
    }
}

/// Working memory for the sequences that begin with one doublet.
struct Groups<Key> {
    known: HashMap<Key, u32>,
    /// The sequences one after the other, and (class, end) of each.
    items: Vec<u32>,
    ends: Vec<(u32, u32)>,
    counts: Vec<u64>,
}

impl<Key: Hash + Eq> Groups<Key> {
    fn new() -> Self {
        Self {
            known: HashMap::new(),
            items: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.known.clear();
        self.items.clear();
        self.ends.clear();
        self.counts.clear();
    }

    fn add(&mut self, key: Key, class: u32, sequence: &[u32], weight: &[u64]) {
        let stride = weight.len();
        let group = *self.known.entry(key).or_insert_with(|| {
            self.items.extend_from_slice(sequence);
            self.ends.push((class, self.items.len() as u32));
            self.counts.resize(self.counts.len() + stride, 0);
            self.ends.len() as u32 - 1
        }) as usize;
        let counts = &mut self.counts[group * stride..(group + 1) * stride];
        for (sum, weight) in counts.iter_mut().zip(weight) {
            *sum += weight;
        }
    }

    /// Every (class, sequence, counts).
    fn each(&self, stride: usize) -> impl Iterator<Item = (u32, &[u32], &[u64])> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&(_, end)| end));
        let groups = begins.zip(&self.ends).zip(self.counts.chunks_exact(stride));
        groups.map(|((begin, &(class, end)), counts)| {
            (class, &self.items[begin as usize..end as usize], counts)
        })
    }
}

/// Counts the group of every sequence, the doublets they begin with shared among the cores.
fn count_all<Key: Hash + Eq + Send + Sync>(
    rows: &Rows,
    class_of: &[u32],
    names: &[Option<usize>],
    mut judge: Judge,
    key: impl Fn(u32, &[u32]) -> Key + Sync,
) -> PathAudit {
    judge.empty_knowledge(rows);
    let knowledge = judge.knowledge;
    let mut by_first: Vec<Vec<(u32, u32)>> = vec![Vec::new(); names.len()];
    for (row, (_, path)) in rows.keys.iter().enumerate() {
        for (at, &item) in path.iter().enumerate() {
            by_first[item as usize].push((row as u32, at as u32));
        }
    }
    let stride = 1 + knowledge.secrets.len();
    // Per first doublet: the extremes of its groups, and its violations in the order of length.
    let found: Vec<(u64, Fraction, Vec<(u32, Vec<u32>)>)> = by_first
        .par_iter()
        .map_init(Groups::new, |groups, occurrences| {
            groups.clear();
            for &(row, at) in occurrences {
                let path = &rows.keys[row as usize].1;
                let class = class_of[row as usize];
                let weight = &rows.weights[row as usize];
                sequences(path, at as usize, knowledge.l, &mut |sequence| {
                    groups.add(key(class, sequence), class, sequence, weight);
                });
            }
            let mut own = Judge::new(knowledge, judge.audit.records, 0);
            let mut broken = Vec::new();
            for (class, sequence, counts) in groups.each(stride) {
                let exempt: Vec<usize> =
                    sequence.iter().filter_map(|&i| names[i as usize]).collect();
                if own.judge(counts, &exempt) {
                    broken.push((class, sequence.to_vec()));
                }
            }
            broken.sort_by_key(|(_, sequence)| sequence.len());
            (
                own.audit.smallest_group,
                own.audit.largest_confidence,
                broken,
            )
        })
        .collect();
    // Later first doublets first: when a sequence is judged, all its proper parts that begin
    // later are known; those that begin with the same doublet are judged in order of length.
    let mut broken: HashSet<Key> = HashSet::new();
    let mut exposed = vec![false; rows.keys.len()];
    for (occurrences, (smallest, largest, violations)) in by_first.iter().zip(found).rev() {
        let audit = &mut judge.audit;
        audit.smallest_group = audit.smallest_group.min(smallest);
        audit.largest_confidence = audit.largest_confidence.max(largest);
        if violations.is_empty() {
            continue;
        }
        for (class, sequence) in &violations {
            let length = sequence.len() - 1;
            audit.violations += 1;
            audit.violations_by_length[length] += 1;
            if !has_broken_part(sequence, &|part| broken.contains(&key(*class, part))) {
                audit.critical_violations += 1;
                audit.critical_violations_by_length[length] += 1;
            }
            broken.insert(key(*class, sequence));
        }
        for &(row, at) in occurrences {
            if !exposed[row as usize] {
                let path = &rows.keys[row as usize].1;
                let mut hit = false;
                sequences(path, at as usize, knowledge.l, &mut |sequence| {
                    hit = hit || broken.contains(&key(class_of[row as usize], sequence));
                });
                exposed[row as usize] = hit;
            }
        }
    }
    judge.finish(rows, &exposed)
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
