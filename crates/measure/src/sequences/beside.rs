//! The matching `consistent`: candidates are the released records that do not contradict the source path.
//!
//! # Idea
//!
//! For each source doublet, one bit per distinct released row says whether the row fits it. The
//! candidates of a known sequence are the rows whose bit is set for all its doublets.
//!
//! A row fits a doublet that is shown by every record that has it, or by none (global suppression),
//! if it shows it, or, where it is published nowhere, if it shows nothing at that time. As soon as
//! some record lost a doublet that another one kept (local suppression), a row fits if it shows
//! the doublet or nothing at that time. The adversary is taken to know which of the two was done;
//! a release that claims the first and is the second is judged by the second.

use denym_data::Sequences;
use hashbrown::HashMap;

use super::count::{Counting, Visitor};
use super::rows::{Columns, Rows};
use super::{Doublets, Findings, SequenceAudit, shown};
use crate::judge::{Counters, Judge};
use crate::{Group, Knowledge, Measured, Promise};

/// How doublets were removed: what the adversary may conclude from a missing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// From every record or from none: global suppression.
    Everywhere,
    /// From some records: local suppression, coarsening.
    SomeRecords,
}

/// The release does not have one record per source record, in the same order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the release has {released} records and the source {source_records}")]
pub struct NotAligned {
    /// Records released.
    pub released: usize,
    /// Records of the source.
    pub source_records: usize,
}

/// A release beside the source it was made from: what somebody who knows source paths compares.
#[derive(Debug, Clone)]
pub struct BesideSource<'a> {
    source: &'a Sequences,
    released: &'a Sequences,
    /// For each source doublet the released doublets that may stand for it.
    stands_for: Vec<Vec<u32>>,
    removal: Removal,
}

impl<'a> BesideSource<'a> {
    /// Record `i` of the release must be record `i` of the source; several released doublets may stand for one of the source.
    pub fn new(
        source: &'a Sequences,
        released: &'a Sequences,
        stands_for: Vec<Vec<u32>>,
        removal: Removal,
    ) -> Result<Self, NotAligned> {
        if source.len() != released.len() {
            return Err(NotAligned {
                released: released.len(),
                source_records: source.len(),
            });
        }
        Ok(Self {
            source,
            released,
            stands_for,
            removal,
        })
    }

    /// A release whose doublets carry the labels of the source.
    pub fn labelled_alike(
        source: &'a Sequences,
        released: &'a Sequences,
        removal: Removal,
    ) -> Result<Self, NotAligned> {
        let mut by_label: HashMap<(&str, &str), u32> = HashMap::new();
        for (id, doublet) in released.doublets().iter().enumerate() {
            let location = released.locations()[doublet.location as usize].as_str();
            let time = released.times()[doublet.time as usize].as_str();
            by_label.insert((location, time), id as u32);
        }
        let stands_for = source
            .doublets()
            .iter()
            .map(|doublet| {
                let location = source.locations()[doublet.location as usize].as_str();
                let time = source.times()[doublet.time as usize].as_str();
                by_label
                    .get(&(location, time))
                    .copied()
                    .into_iter()
                    .collect()
            })
            .collect();
        Self::new(source, released, stands_for, removal)
    }

    /// For each source doublet the released doublets that may stand for it.
    pub fn stands_for(&self) -> &[Vec<u32>] {
        &self.stands_for
    }

    /// Goes through every sequence of up to L source doublets with the records that do not contradict it.
    fn walk(&self, source: &Counting<'_>, released: &Rows, visitor: &mut dyn Visitor) {
        let all_or_none = self.removal == Removal::Everywhere
            && all_or_none(self.source, self.released, &self.stands_for);
        // A doublet published nowhere still has a time, at which a record may contradict it.
        let times = self.released.times();
        let own_time: Vec<Option<u32>> = self
            .source
            .doublets()
            .iter()
            .map(|doublet| {
                let label = &self.source.times()[doublet.time as usize];
                let place = times.iter().position(|time| time == label);
                place.map(|code| code as u32)
            })
            .collect();
        for class in 0..source.rows.classes() {
            // Heavy rows first, so that a large group is known to be large after a few words.
            let mut here: Vec<usize> = (0..released.len())
                .filter(|&row| released.class(row) == class)
                .collect();
            here.sort_by_key(|&row| (std::cmp::Reverse(released.numbers(row)[0]), row));
            let paths: Vec<&[u32]> = here.iter().map(|&row| released.path(row)).collect();
            let fits = fits(
                self.released,
                &paths,
                &self.stands_for,
                &own_time,
                all_or_none,
            );
            let numbers: Vec<&[u64]> = here.iter().map(|&row| released.numbers(row)).collect();
            let mut next: Vec<(u32, u32, u32)> = Vec::new();
            for row in (0..source.rows.len()).filter(|&row| source.rows.class(row) == class) {
                let path = source.rows.path(row).iter().zip(1..);
                next.extend(path.map(|(&item, at)| (item, row as u32, at)));
            }
            let words = paths.len().div_ceil(64);
            let mut walk = Walk {
                visitor,
                source,
                fits: &fits,
                numbers: &numbers,
                silent: Vec::new(),
                words,
            };
            walk.extend(&mut Vec::new(), &vec![u64::MAX; words], &mut next);
        }
    }
}

impl Doublets {
    /// Judges a release by who knows the source paths, and by what it shows, which must hold as well.
    ///
    /// `violations` counts the distinct source sequences whose candidates break a promise and adds those of what is shown. A
    /// record's own values, visits to sensitive places among them, are those of the source.
    pub fn judge_beside(
        &self,
        data: &BesideSource<'_>,
        promises: &[Box<dyn Promise>],
    ) -> SequenceAudit {
        let columns = Columns::of_places(data.source, &self.places);
        let shown = shown(data.released, &columns, self.l, promises);
        let judge = Judge::new(promises, &columns.values);
        let of = |table: &Sequences| Rows::new(table, table.records(), &columns, judge.counters());
        let (source, released) = (of(data.source), of(data.released));
        let counting = Counting::new(&source, columns.names.clone(), self.l);
        let mut findings = Findings::new(&counting, &judge);
        findings.empty_knowledge();
        data.walk(&counting, &released, &mut findings);
        let mut audit = findings.finish();
        audit.doublets = shown.doublets;
        audit.violations += shown.violations;
        audit.holds &= shown.holds;
        audit.smallest_group = audit.smallest_group.min(shown.smallest_group);
        audit.largest_confidence = audit.largest_confidence.max(shown.largest_confidence);
        for (found, shown) in audit.measured.iter_mut().zip(shown.measured) {
            found.holds &= shown.holds;
            found.violating_groups += shown.violating_groups;
            found.violating_records = found.violating_records.max(shown.violating_records);
            if let Some(value) = shown.measured {
                let worst = crate::audit::worse(found.terms.sense, found.measured, value);
                found.measured = Some(worst);
            }
        }
        audit
    }
}

impl Knowledge<BesideSource<'_>> for Doublets {
    fn groups(&self, data: &BesideSource<'_>, visit: &mut dyn FnMut(&Group<'_>)) {
        let columns = Columns::of_places(data.source, &self.places);
        let counters = Counters::of_everything(&columns.values);
        let of = |table: &Sequences| Rows::new(table, table.records(), &columns, &counters);
        let (source, released) = (of(data.source), of(data.released));
        let mut show = |numbers: &[u64], silent: &[u32]| {
            counters.with_group(numbers, silent, |group| visit(group));
        };
        let names = columns.names_in(data.released);
        Counting::new(&released, names, self.l).each(counters.stride(), &mut show);
        let counting = Counting::new(&source, columns.names.clone(), self.l);
        data.walk(&counting, &released, &mut Plain { show: &mut show });
    }

    fn audit(&self, data: &BesideSource<'_>, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        self.judge_beside(data, promises).measured
    }
}

/// Shows every group and judges none.
struct Plain<'a> {
    show: &'a mut dyn FnMut(&[u64], &[u32]),
}

impl Visitor for Plain<'_> {
    fn enough(&self) -> Option<u64> {
        None
    }

    fn visit(&mut self, _: &[u32], numbers: &[u64], silent: &[u32]) -> u64 {
        (self.show)(numbers, silent);
        0
    }

    fn expose(&mut self, _: usize, _: u64) {}
}

/// Whether each source doublet is shown in the same way by all records that have it, or by none.
fn all_or_none(source: &Sequences, released: &Sequences, stands_for: &[Vec<u32>]) -> bool {
    // Not seen, nowhere, or always as this doublet.
    let mut way: Vec<Option<Option<u32>>> = vec![None; source.doublets().len()];
    source
        .records()
        .zip(released.records())
        .all(|(path, shown)| {
            path.iter().all(|&item| {
                let standing = stands_for[item as usize]
                    .iter()
                    .copied()
                    .find(|id| shown.binary_search(id).is_ok());
                *way[item as usize].get_or_insert(standing) == standing
            })
        })
}

/// For each source doublet the released rows that fit it, one bit per row.
fn fits(
    released: &Sequences,
    rows: &[&[u32]],
    stands_for: &[Vec<u32>],
    own_time: &[Option<u32>],
    all_or_none: bool,
) -> Vec<Vec<u64>> {
    let words = rows.len().div_ceil(64);
    let mut shows: Vec<Vec<u64>> = vec![Vec::new(); released.doublets().len()];
    let mut at_time: Vec<Vec<u64>> = vec![vec![0; words]; released.times().len()];
    for (row, path) in rows.iter().enumerate() {
        for &item in *path {
            let set = &mut shows[item as usize];
            set.resize(words, 0);
            set[row / 64] |= 1 << (row % 64);
            let time = released.doublets()[item as usize].time;
            at_time[time as usize][row / 64] |= 1 << (row % 64);
        }
    }
    let published: Vec<bool> = {
        let mut published = vec![false; released.doublets().len()];
        released
            .records()
            .flatten()
            .for_each(|&item| published[item as usize] = true);
        published
    };
    stands_for
        .iter()
        .zip(own_time)
        .map(|(standing, own_time)| {
            let mut set = vec![0u64; words];
            for &id in standing {
                for (word, more) in set.iter_mut().zip(&shows[id as usize]) {
                    *word |= more;
                }
            }
            let somewhere = standing.iter().any(|&id| published[id as usize]);
            if !(all_or_none && somewhere) {
                let mut busy = vec![0u64; words];
                let times = standing
                    .iter()
                    .map(|&id| released.doublets()[id as usize].time);
                for time in times.chain(*own_time) {
                    for (word, more) in busy.iter_mut().zip(&at_time[time as usize]) {
                        *word |= more;
                    }
                }
                for (word, busy) in set.iter_mut().zip(&busy) {
                    *word |= !busy;
                }
            }
            let rest = rows.len() % 64;
            if let (Some(last), true) = (set.last_mut(), rest > 0) {
                *last &= (1 << rest) - 1;
            }
            set
        })
        .collect()
}

/// Goes through the distinct sequences of the source, the rows that fit in hand.
struct Walk<'a> {
    visitor: &'a mut dyn Visitor,
    source: &'a Counting<'a>,
    fits: &'a [Vec<u64>],
    numbers: &'a [&'a [u64]],
    silent: Vec<u32>,
    words: usize,
}

impl Walk<'_> {
    fn extend(&mut self, prefix: &mut Vec<u32>, so_far: &[u64], next: &mut [(u32, u32, u32)]) {
        next.sort_unstable();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let item = group[0].0;
            prefix.push(item);
            let fits = &self.fits[item as usize];
            let numbers = self.count(so_far, fits);
            self.source.silent(prefix, &mut self.silent);
            let rejected = self.visitor.visit(prefix, &numbers, &self.silent);
            if rejected != 0 {
                for &(_, row, _) in group {
                    self.visitor.expose(row as usize, rejected);
                }
            }
            if prefix.len() < self.source.l {
                let both: Vec<u64> = so_far.iter().zip(fits).map(|(a, b)| a & b).collect();
                let mut deeper = Vec::new();
                for &(_, row, begin) in group {
                    let path = self.source.rows.path(row as usize);
                    let rest = path.iter().zip(1..).skip(begin as usize);
                    deeper.extend(rest.map(|(&item, next)| (item, row, next)));
                }
                self.extend(prefix, &both, &mut deeper);
            }
            prefix.pop();
        }
    }

    /// The numbers of the rows in both sets; the size may stop short once it is large enough.
    fn count(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut sum = vec![0; self.source.rows.stride()];
        let enough = self.visitor.enough();
        for word in 0..self.words {
            let mut bits = a[word] & b[word];
            while bits != 0 {
                let row = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for (sum, more) in sum.iter_mut().zip(self.numbers[row]) {
                    *sum += more;
                }
            }
            if enough.is_some_and(|enough| sum[0] >= enough) {
                break;
            }
        }
        sum
    }
}
