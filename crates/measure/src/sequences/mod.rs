//! Knowledge about sequences: any L doublets of a victim's path, any m items of a victim's set.
//!
//! # Idea
//!
//! No mining and no pruning: every part of up to L doublets of every distinct record is written down with the numbers of
//! its group, and added up. The group of a part is what the matching says. `covers`: the released records that show all of
//! it. `consistent`: the adversary knows the *source*; a released record that contradicts the knowledge is no candidate.
//! Every [`Promise`] is then judged on every group, by the same code that judges the classes of a table.
//!
//! Sensitive places (and items) are attributes like any other, with the values "not here" and "here", after those of the data.
//! Whoever knows that the victim was at the place learns nothing new from its bound: there the attribute is silent.
//!
//! # Guarantee
//!
//! Exact counts of all groups up to L, with knowing nothing among them. So it holds for promises that are not monotone as well.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, Definitions 3.3.1 to 4.1.2, for size and confidence.
//!
//! # Cost
//!
//! Time grows with the parts of the distinct records, memory with those that begin with one doublet, per core. A group costs one
//! number per value that a promise reads: one for size, two for one bounded value, more only for whole distributions.

mod beside;
mod count;
mod rows;

use denym_data::{Code, Fraction, Matching, Sequences};

pub use beside::{BesideSource, NotAligned, Removal};
use count::{Counting, Visitor};
use rows::{Columns, Rows};

use crate::judge::{Counters, Judge, WorstGroups};
use crate::{Group, Knowledge, Measured, Promise};

/// Up to `l` doublets of the victim's path, with the quasi-identifiers beside it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doublets {
    /// Most doublets that anybody knows.
    pub l: usize,
    /// Which records cannot be ruled out.
    pub matching: Matching,
    /// Sensitive places: each is an attribute after those of the data, with the codes 0 (not visited) and 1 (visited).
    pub places: Vec<String>,
}

/// Up to `m` public items of the victim's set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Items {
    /// Most items that anybody knows.
    pub m: usize,
    /// Sensitive items, known to nobody: each is an attribute after those of the data, with the codes 0 (absent) and 1 (present).
    pub sensitive: Vec<String>,
}

/// What was measured on sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceAudit {
    /// Records judged.
    pub records: u64,
    /// Doublets in them.
    pub doublets: u64,
    /// Sequences of 1..L doublets whose group breaks a promise.
    pub violations: u64,
    /// The same by length.
    pub violations_by_length: Vec<u64>,
    /// Those without a shorter violation in them.
    pub critical_violations: u64,
    /// The same by length.
    pub critical_violations_by_length: Vec<u64>,
    /// Fewest records in any group.
    pub smallest_group: u64,
    /// Highest share of a bounded value in any group.
    pub largest_confidence: Fraction,
    /// Records that belong to a group that breaks a promise.
    pub exposed_records: u64,
    /// What each promise came to, knowing nothing included.
    pub measured: Vec<Measured>,
    /// Whether every promise holds.
    pub holds: bool,
}

impl Doublets {
    /// Any `l` doublets, by what a release shows.
    pub fn covering(l: usize) -> Self {
        Self {
            l,
            matching: Matching::Covers,
            places: Vec::new(),
        }
    }

    /// Values of each attribute that promises may speak of: those of the data, then those of the places.
    pub fn values(&self, data: &Sequences) -> Vec<usize> {
        Columns::of_places(data, &self.places).values
    }

    /// Judges what a table of paths shows.
    pub fn judge(&self, data: &Sequences, promises: &[Box<dyn Promise>]) -> SequenceAudit {
        let columns = Columns::of_places(data, &self.places);
        shown(data, &columns, self.l, promises)
    }

    /// Judges paths that are given once each with how many records have them: path, attribute values, records.
    ///
    /// Paths are ids below `doublets`; the same path may come several times. `values` has how many values each attribute has.
    pub fn judge_counted<'a>(
        &self,
        doublets: usize,
        values: &[usize],
        counted: impl IntoIterator<Item = (&'a [u32], &'a [Code], u64)>,
        promises: &[Box<dyn Promise>],
    ) -> SequenceAudit {
        let judge = Judge::new(promises, values);
        let rows = Rows::of_counted(counted, judge.counters());
        let counting = Counting::new(&rows, vec![None; doublets], self.l);
        audited(&counting, &judge)
    }
}

impl Items {
    /// Values of each attribute that promises may speak of: those of the data, then those of the sensitive items.
    pub fn values(&self, data: &Sequences) -> Vec<usize> {
        Columns::of_places(data, &self.sensitive).values
    }

    /// The table without the sensitive items, and what it says of them.
    fn public<'a>(&self, data: &'a Sequences) -> (Vec<Vec<u32>>, Columns<'a>) {
        let columns = Columns::of_places(data, &self.sensitive);
        let public = data
            .records()
            .map(|set| {
                let known = set.iter().copied();
                known.filter(|&item| columns.names[item as usize].is_none())
            })
            .map(Iterator::collect)
            .collect();
        (public, columns)
    }

    /// Judges what a table of transactions shows.
    pub fn judge(&self, data: &Sequences, promises: &[Box<dyn Promise>]) -> SequenceAudit {
        let (public, columns) = self.public(data);
        let judge = Judge::new(promises, &columns.values);
        let sets = public.iter().map(Vec::as_slice);
        let rows = Rows::new(data, sets, &columns, judge.counters());
        let counting = Counting::new(&rows, vec![None; data.doublets().len()], self.m);
        audited(&counting, &judge)
    }
}

impl Knowledge<Sequences> for Doublets {
    fn groups(&self, data: &Sequences, visit: &mut dyn FnMut(&Group<'_>)) {
        let columns = Columns::of_places(data, &self.places);
        let counters = Counters::of_everything(&columns.values);
        let rows = Rows::new(data, data.records(), &columns, &counters);
        let counting = Counting::new(&rows, columns.names, self.l);
        counting.each(counters.stride(), &mut |numbers, silent| {
            counters.with_group(numbers, silent, |group| visit(group));
        });
    }

    fn audit(&self, data: &Sequences, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        self.judge(data, promises).measured
    }
}

impl Knowledge<Sequences> for Items {
    fn groups(&self, data: &Sequences, visit: &mut dyn FnMut(&Group<'_>)) {
        let (public, columns) = self.public(data);
        let counters = Counters::of_everything(&columns.values);
        let sets = public.iter().map(Vec::as_slice);
        let rows = Rows::new(data, sets, &columns, &counters);
        let counting = Counting::new(&rows, vec![None; data.doublets().len()], self.m);
        counting.each(counters.stride(), &mut |numbers, silent| {
            counters.with_group(numbers, silent, |group| visit(group));
        });
    }

    fn audit(&self, data: &Sequences, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        self.judge(data, promises).measured
    }
}

/// Judges what `data` shows, with who has which value given in `columns`.
fn shown(
    data: &Sequences,
    columns: &Columns,
    l: usize,
    promises: &[Box<dyn Promise>],
) -> SequenceAudit {
    let judge = Judge::new(promises, &columns.values);
    let rows = Rows::new(data, data.records(), columns, judge.counters());
    // A place is named by its label: the release may have other codes than the source.
    let names = columns.names_in(data);
    audited(&Counting::new(&rows, names, l), &judge)
}

fn audited(counting: &Counting<'_>, judge: &Judge<'_>) -> SequenceAudit {
    let mut findings = Findings::new(counting, judge);
    findings.empty_knowledge();
    counting.count(judge, &mut findings);
    findings.finish()
}

/// What was found so far, over all groups.
struct Findings<'a> {
    judge: &'a Judge<'a>,
    rows: &'a Rows,
    seen: WorstGroups,
    /// Who rejects a group that the records of a row are in, a bit for each promise.
    exposed: Vec<u64>,
    violations: Vec<u64>,
    critical: Vec<u64>,
}

impl<'a> Findings<'a> {
    fn new(counting: &Counting<'a>, judge: &'a Judge<'a>) -> Self {
        Self {
            judge,
            rows: counting.rows,
            seen: judge.nothing_seen(),
            exposed: vec![0; counting.rows.len()],
            violations: vec![0; counting.l],
            critical: vec![0; counting.l],
        }
    }

    /// Knowing nothing but the quasi-identifiers.
    fn empty_knowledge(&mut self) {
        for numbers in self.rows.class_totals() {
            self.judge.look(&mut self.seen, &numbers, &[]);
        }
    }

    fn finish(self) -> SequenceAudit {
        let records_of = |bits: u64| {
            let rows = self.exposed.iter().enumerate();
            rows.filter(|(_, mask)| **mask & bits != 0)
                .map(|(row, _)| self.rows.numbers(row)[0])
                .sum::<u64>()
        };
        let measured = self
            .seen
            .measured(self.judge, |at| records_of(1 << at.min(63)));
        SequenceAudit {
            records: self.rows.records(),
            doublets: self.rows.instances(),
            violations: self.violations.iter().sum(),
            violations_by_length: self.violations,
            critical_violations: self.critical.iter().sum(),
            critical_violations_by_length: self.critical,
            smallest_group: self.seen.smallest().min(self.rows.records()),
            largest_confidence: self.seen.largest_share(),
            exposed_records: records_of(u64::MAX),
            holds: measured.iter().all(|measured| measured.holds),
            measured,
        }
    }
}

impl Visitor for Findings<'_> {
    fn enough(&self) -> Option<u64> {
        let sizes_only = self.judge.sizes_only();
        sizes_only.then(|| self.seen.smallest().max(self.judge.least()))
    }

    fn visit(&mut self, sequence: &[u32], numbers: &[u64], silent: &[u32]) -> u64 {
        let rejected = self.judge.look(&mut self.seen, numbers, silent);
        if rejected != 0 {
            self.violations[sequence.len() - 1] += 1;
        }
        rejected
    }

    fn expose(&mut self, row: usize, rejected: u64) {
        self.exposed[row] |= rejected;
    }
}
