//! Whether a group of records keeps every promise, asked while groups are made.

use denym_data::{Code, Table};
use denym_measure::{Group, Histogram, Promise};

use crate::Error;
use crate::plan::Plan;
use crate::policy::PromiseSpec;

/// The promises of a plan over the records of a table.
pub(super) struct Admission<'a> {
    judges: Vec<Box<dyn Promise>>,
    sensitive: Vec<&'a [Code]>,
    subject: Option<&'a [Code]>,
    /// The least number of records that any promise leaves possible.
    pub(super) k: usize,
    /// Whether every group of k records is admitted.
    pub(super) size_only: bool,
}

impl<'a> Admission<'a> {
    /// The promises of `plan` on `table`, which is complete.
    pub(super) fn new(plan: &Plan, table: &'a Table) -> Result<Admission<'a>, Error> {
        let codes = |position: usize| table.columns()[position].codes.as_slice();
        let subject = plan.columns.subject.map(codes);
        let only = |spec: &PromiseSpec| spec.size().is_some();
        Ok(Admission {
            judges: plan.judges()?,
            sensitive: plan.columns.sensitive.iter().map(|&p| codes(p)).collect(),
            subject,
            k: plan.promises.iter().map(least).max().unwrap_or(1),
            size_only: subject.is_none() && plan.promises.iter().all(only),
        })
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
        let mut shown: Vec<(Code, Code)> = rows
            .iter()
            .map(|&row| {
                let owner = self.subject.map_or(row, |subject| subject[row as usize]);
                (codes[row as usize], owner)
            })
            .collect();
        shown.sort_unstable();
        shown.dedup();
        shown
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.len() as u64))
            .collect()
    }
}

/// The fewest records that a group under this promise can have.
fn least(spec: &PromiseSpec) -> usize {
    usize::try_from(spec.fewest()).unwrap_or(usize::MAX).max(1)
}

/// The number of different values that distinct l-diversity asks of a group; 1 when it does not.
pub(super) fn values(plan: &Plan) -> usize {
    let diverse = plan
        .promises
        .iter()
        .filter(|spec| spec.number("l").is_some());
    let asked = diverse.map(|spec| spec.fewest() as usize);
    asked.max().unwrap_or(1)
}
