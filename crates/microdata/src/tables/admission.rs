//! Whether a group of records keeps every promise, asked while groups are made.

use denym_data::{Code, Table};
use denym_measure::{Group, Histogram, Promise, by_subjects};

/// The promises over the records of a table.
pub struct Admission<'a> {
    judges: Vec<Box<dyn Promise>>,
    sensitive: Vec<&'a [Code]>,
    subject: Option<&'a [Code]>,
    /// The least number of records that any promise leaves possible.
    pub(super) k: usize,
    /// The number of different values that distinct l-diversity asks of a group; 1 when it does not.
    pub(super) values: usize,
    /// Whether every group of k records is admitted.
    pub(super) size_only: bool,
}

impl<'a> Admission<'a> {
    /// The promises on the sensitive columns at `sensitive`, over the people at `subject`; `k` is the least number of records that they
    /// leave possible, `values` the number of different values that they ask for.
    pub fn new(
        table: &'a Table,
        sensitive: &[usize],
        subject: Option<usize>,
        judges: Vec<Box<dyn Promise>>,
        (k, values): (usize, usize),
    ) -> Admission<'a> {
        let codes = |position: usize| table.columns()[position].codes.as_slice();
        let size_only =
            subject.is_none() && judges.iter().all(|judge| judge.size_alone().is_some());
        Admission {
            judges,
            sensitive: sensitive.iter().map(|&position| codes(position)).collect(),
            subject: subject.map(codes),
            k,
            values,
            size_only,
        }
    }

    /// The values of the first sensitive attribute, where there is one.
    pub(super) fn first_sensitive(&self) -> Option<&'a [Code]> {
        self.sensitive.first().copied()
    }

    /// Whether the records `rows` may be one group.
    pub(super) fn admits(&self, rows: &[u32]) -> bool {
        let records = rows.len() as u64;
        let distinct = |mut codes: Vec<Code>| {
            codes.sort_unstable();
            codes.dedup();
            codes.len() as u64
        };
        let subjects = self.subject.map_or(records, |subject| {
            distinct(rows.iter().map(|&row| subject[row as usize]).collect())
        });
        let counts: Vec<Vec<(Code, u64)>> = self
            .sensitive
            .iter()
            .map(|codes| self.histogram(rows, codes))
            .collect();
        let histograms: Vec<Histogram<'_>> = counts.iter().map(|c| Histogram::new(c)).collect();
        let group = Group::new(records, subjects, &histograms);
        self.judges.iter().all(|judge| judge.admits(&group))
    }

    /// How often each value occurs; once per subject when there is a subject column.
    fn histogram(&self, rows: &[u32], codes: &[Code]) -> Vec<(Code, u64)> {
        let shown = rows.iter().map(|&row| {
            let owner = self.subject.map_or(row, |subject| subject[row as usize]);
            (codes[row as usize], owner)
        });
        by_subjects(shown.collect())
    }
}
