//! Contradiction beside an earlier release: what whoever knows source paths rules out in the new one and in the join.

use denym_data::Matching;
use denym_data::paths::{Doublet, Paths};
use denym_measure::sequences::{BesideSource, Doublets, Removal};

use super::Earlier;
use super::join::join;
use crate::error::Error;
use crate::local_contradiction;
use crate::recoding::Rows;
use crate::request::{Limits, Request};
use crate::summary::{NO_BOUND, Summary};

/// For each counter, which records it counts.
pub(super) fn carriers(paths: &Paths, limits: &Limits, kept: &[usize]) -> Vec<Vec<bool>> {
    let counters = limits.judge.counters().counted().iter();
    counters
        .map(|&(attribute, code)| {
            let column = paths.sensitive().get(attribute as usize);
            let carries = |&record: &usize| column.is_some_and(|c| c.codes[record] == code);
            kept.iter().map(carries).collect()
        })
        .collect()
}

/// What records show beside what is known of them, one row per record, since their pasts differ.
pub(super) struct Contradiction<'a> {
    pub(super) raw: &'a [Vec<u32>],
    pub(super) shown: &'a [Vec<u32>],
    pub(super) classes: &'a [u32],
    pub(super) carriers: &'a [Vec<bool>],
    pub(super) doublets: &'a [Doublet],
}

impl Contradiction<'_> {
    /// Removals (record, item) that give contradicted sequences more candidates.
    pub(super) fn cuts(&self, limits: &Limits, round: u32) -> Result<Vec<(usize, u32)>, Error> {
        let mut order: Vec<usize> = (0..self.raw.len()).collect();
        order.sort_by_key(|&record| (self.classes[record], record));
        let mut class_starts: Vec<u32> = (0..order.len())
            .filter(|&at| at == 0 || self.classes[order[at]] != self.classes[order[at - 1]])
            .map(|at| at as u32)
            .collect();
        class_starts.push(order.len() as u32);
        let stride = 1 + self.carriers.len();
        let mut weights = Vec::with_capacity(order.len() * stride);
        for &record in &order {
            weights.push(1);
            weights.extend(self.carriers.iter().map(|marks| u32::from(marks[record])));
        }
        let summary = |lists: &[Vec<u32>]| {
            let rows = Rows::from_lists(order.iter().map(|&record| lists[record].as_slice()));
            Summary {
                item_count: self.doublets.len(),
                starts: rows.starts,
                items: rows.items,
                weights: weights.clone(),
                stride,
                class_starts: class_starts.clone(),
                named_bound: vec![NO_BOUND; self.doublets.len()],
                row_of_record: Vec::new(),
            }
        };
        let time_of: Vec<u32> = self.doublets.iter().map(|d| d.time).collect();
        let (source, current) = (summary(self.raw), summary(self.shown));
        let found = local_contradiction::cuts(&source, &current, &time_of, limits, round)?;
        let found = found.into_iter();
        Ok(found
            .map(|(row, item)| (order[row as usize], item))
            .collect())
    }
}

/// Refuses when whoever knows the updated source paths and holds both releases finds too few, by the judge's count.
pub fn check_contradiction(
    earlier: &Earlier,
    source: &Paths,
    released: &Paths,
    kept: &[usize],
    request: &Request,
) -> Result<(), Error> {
    let whole = join(earlier, released, kept)?;
    let present: Vec<usize> = (0..kept.len()).collect();
    let joint = whole.of_records(&present, |row| whole.record(row))?;
    let known = source.of_records(kept, |record| source.record(record))?;
    // Presence is known too; classes are compared by code, so the source gets the columns of the join.
    let known = with_quasi_of(&known, &joint)?;
    let knowledge = Doublets {
        l: request.l,
        matching: Matching::Consistent,
        places: request.places(),
    };
    let promises = request.all_promises(&known, &[])?;
    let beside = BesideSource::labelled_alike(&known, &joint, Removal::SomeRecords);
    let audit = beside.map(|beside| knowledge.judge_beside(&beside, &promises));
    match audit {
        Ok(audit) if audit.holds => Ok(()),
        Ok(audit) => Err(Error::Republication {
            exposed: audit.exposed_records.max(1),
        }),
        Err(_) => Err(Error::Internal {
            what: "the join must have a record for each record of the new release",
        }),
    }
}

/// The same paths and sensitive values with the quasi-identifiers of another table of the same records.
fn with_quasi_of(paths: &Paths, other: &Paths) -> Result<Paths, Error> {
    let rows = Rows::from_lists(paths.records());
    let mut table = Paths::from_codes(
        paths.locations().to_vec(),
        paths.times().to_vec(),
        paths.doublets().to_vec(),
        rows.starts,
        rows.items,
    )?;
    for column in paths.sensitive() {
        table = table.with_sensitive(column.clone())?;
    }
    for column in other.quasi() {
        table = table.with_quasi(column.clone())?;
    }
    Ok(table)
}
