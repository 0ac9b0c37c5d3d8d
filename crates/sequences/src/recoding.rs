//! What a solver found: what each record publishes, and what that cost.

use denym_data::Sequences;
use denym_data::paths::{Attribute, Doublet, Paths};
use denym_measure::sequences::Removal;
use hashbrown::HashMap;

use crate::error::Error;
use crate::request::Algorithm;
use crate::summary::Summary;
use crate::violations::Violations;

/// The doublets a release may show: those of the source, and coarser ones.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Label of each location.
    pub locations: Vec<String>,
    /// Label of each time.
    pub times: Vec<String>,
    /// Doublets, by time, then location.
    pub doublets: Vec<Doublet>,
    /// For each source doublet, the published doublets that may stand for it, the source's own first.
    pub stands_for: Vec<Vec<u32>>,
    /// Per published doublet, the loss of an instance shown so, in 0..1.
    pub loss: Vec<f64>,
}

impl Vocabulary {
    /// The source's own doublets, without loss.
    pub fn of_source(paths: &Paths) -> Self {
        Self {
            locations: paths.locations().to_vec(),
            times: paths.times().to_vec(),
            doublets: paths.doublets().to_vec(),
            stands_for: (0..paths.doublets().len() as u32)
                .map(|id| vec![id])
                .collect(),
            loss: vec![0.0; paths.doublets().len()],
        }
    }
}

/// Published items of each row of the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub(crate) starts: Vec<u32>,
    pub(crate) items: Vec<u32>,
}

impl Rows {
    pub(crate) fn from_lists<'a>(lists: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut rows = Self {
            starts: vec![0],
            items: Vec::new(),
        };
        for list in lists {
            rows.items.extend_from_slice(list);
            rows.starts.push(rows.items.len() as u32);
        }
        rows
    }

    /// The rows of a summary without some items.
    pub(crate) fn without(summary: &Summary, suppressed: &[bool]) -> Self {
        let mut rows = Self {
            starts: vec![0],
            items: Vec::with_capacity(summary.items.len()),
        };
        for row in 0..summary.rows() {
            let shown = summary
                .row(row)
                .iter()
                .filter(|&&i| !suppressed[i as usize]);
            rows.items.extend(shown);
            rows.starts.push(rows.items.len() as u32);
        }
        rows
    }

    /// The published items of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// Figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Critical violations of the source.
    pub critical_violations: u64,
    /// The same by length 1, 2, and so on.
    pub critical_violations_by_length: Vec<u64>,
    /// Doublets in all source records.
    pub doublets: u64,
    /// Instances removed: shown neither as they were nor coarser.
    pub lost_doublets: u64,
    /// Instances shown at their source place and time.
    pub unchanged_doublets: u64,
    /// Lost instances over all instances.
    pub distortion: f64,
    /// Mean loss of an instance: 1 when removed, its coarseness when coarser, 0 when unchanged.
    pub loss: f64,
    /// Rounds of repair the solver took.
    pub rounds: u32,
}

impl Stats {
    /// Counts the doublets of removed records as lost.
    pub(crate) fn count_dropped(&mut self, source: &Paths, dropped: &[u32]) {
        let more: u64 = dropped
            .iter()
            .map(|&record| source.record(record as usize).len() as u64)
            .sum();
        if more > 0 {
            let loss = self.loss * self.doublets as f64 + more as f64;
            self.doublets += more;
            self.lost_doublets += more;
            self.distortion = self.lost_doublets as f64 / self.doublets as f64;
            self.loss = loss / self.doublets as f64;
        }
    }
}

/// What to publish in the place of a table of paths or transactions.
#[derive(Clone, Debug)]
pub struct PathRecoding {
    /// The solver that made it; for `Auto`, the one it chose.
    pub algorithm: Algorithm,
    /// Source doublets that are published nowhere, not even coarser; in the order of suppression.
    pub suppressed: Vec<u32>,
    /// Records removed altogether.
    pub dropped_records: Vec<u32>,
    /// What the release may show.
    pub vocabulary: Vocabulary,
    /// Figures.
    pub stats: Stats,
    /// Frequent itemsets before and after, where they were asked for.
    pub frequent: Option<(u64, u64)>,
    pub(crate) rows: Rows,
    pub(crate) row_of_record: Vec<u32>,
}

impl PathRecoding {
    /// Puts a solution together and takes its figures.
    pub(crate) fn new(
        algorithm: Algorithm,
        summary: &Summary,
        violations: &Violations,
        vocabulary: Vocabulary,
        rows: Rows,
        suppressed: Vec<u32>,
        rounds: u32,
    ) -> Self {
        let mut stats = Stats {
            critical_violations: violations.len() as u64,
            critical_violations_by_length: violations.by_length(),
            rounds,
            ..Stats::default()
        };
        let mut loss = 0.0;
        for row in 0..summary.rows() {
            let weight = u64::from(summary.weight(row)[0]);
            let shown = rows.row(row);
            for &item in summary.row(row) {
                stats.doublets += weight;
                let standing = vocabulary.stands_for[item as usize]
                    .iter()
                    .find(|id| shown.binary_search(id).is_ok());
                match standing {
                    None => {
                        stats.lost_doublets += weight;
                        loss += weight as f64;
                    }
                    Some(&id) if vocabulary.loss[id as usize] > 0.0 => {
                        loss += weight as f64 * vocabulary.loss[id as usize];
                    }
                    Some(_) => stats.unchanged_doublets += weight,
                }
            }
        }
        if stats.doublets > 0 {
            stats.distortion = stats.lost_doublets as f64 / stats.doublets as f64;
            stats.loss = loss / stats.doublets as f64;
        }
        Self {
            algorithm,
            suppressed,
            dropped_records: Vec::new(),
            vocabulary,
            stats,
            frequent: None,
            rows,
            row_of_record: summary.row_of_record.clone(),
        }
    }

    /// The row of each record: records of one row have the same source path and publish the same.
    pub fn row_of_record(&self) -> &[u32] {
        &self.row_of_record
    }

    /// What the records of each row publish, as ids of the vocabulary.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.rows.starts.len() - 1).map(|row| self.rows.row(row))
    }

    /// What each row publishes, as a table of its own.
    pub fn shown(&self) -> Result<Sequences, Error> {
        let words = &self.vocabulary;
        Ok(Sequences::from_codes(
            words.locations.clone(),
            words.times.clone(),
            words.doublets.clone(),
            self.rows.starts.clone(),
            self.rows.items.clone(),
        )?)
    }

    /// The source records in `order`. Records of one row are equal: a row is read where its first record has it, which is
    /// near, instead of where each record has it, which is anywhere.
    pub fn source_of(&self, source: &Sequences, order: &[u32]) -> Result<Sequences, Error> {
        let mut first = vec![u32::MAX; self.rows.starts.len() - 1];
        for (record, &row) in (0..).zip(&self.row_of_record) {
            let first = &mut first[row as usize];
            *first = record.min(*first);
        }
        let path =
            |record: usize| source.record(first[self.row_of_record[record] as usize] as usize);
        Ok(source.of_records(order, path)?)
    }

    /// What record `record` of the source publishes, as ids of the vocabulary.
    #[inline]
    pub fn published(&self, record: usize) -> &[u32] {
        self.rows.row(self.row_of_record[record] as usize)
    }

    /// For each source doublet the doublets of the written table that may stand for it, found by their labels.
    pub fn standing(&self, released: &Sequences) -> Result<Vec<Vec<u32>>, Error> {
        let words = &self.vocabulary;
        let known: HashMap<(&str, &str), u32> = words
            .doublets
            .iter()
            .zip(0..)
            .map(|(doublet, id)| {
                let place = words.locations[doublet.location as usize].as_str();
                let time = words.times[doublet.time as usize].as_str();
                ((place, time), id)
            })
            .collect();
        let mut written = vec![None; words.doublets.len()];
        for (doublet, id) in released.doublets().iter().zip(0_u32..) {
            let place = released.locations()[doublet.location as usize].as_str();
            let time = released.times()[doublet.time as usize].as_str();
            let word = known.get(&(place, time)).ok_or(Error::Internal {
                what: "the written data has a doublet that was not to be published",
            })?;
            written[*word as usize] = Some(id);
        }
        let chain = |chain: &Vec<u32>| {
            let ids = chain.iter();
            ids.filter_map(|&word| written[word as usize]).collect()
        };
        Ok(words.stands_for.iter().map(chain).collect())
    }

    /// What an adversary may conclude from a missing doublet; the judge of `consistent` asks for it.
    pub fn removal(&self) -> Removal {
        match self.algorithm {
            Algorithm::LocalSuppression | Algorithm::Coarsening => Removal::SomeRecords,
            _ => Removal::Everywhere,
        }
    }

    /// The released table: the records that stay, in source order, with their attributes.
    pub fn apply(&self, source: &Paths) -> Result<Paths, Error> {
        let mut dropped = vec![false; source.len()];
        for &record in &self.dropped_records {
            dropped[record as usize] = true;
        }
        let kept: Vec<usize> = (0..source.len()).filter(|&r| !dropped[r]).collect();
        let mut starts = vec![0u32];
        let mut items = Vec::new();
        for &record in &kept {
            items.extend_from_slice(self.published(record));
            starts.push(items.len() as u32);
        }
        let words = &self.vocabulary;
        let mut released = Paths::from_codes(
            words.locations.clone(),
            words.times.clone(),
            words.doublets.clone(),
            starts,
            items,
        )?;
        let pick = |column: &Attribute| Attribute {
            name: column.name.clone(),
            values: column.values.clone(),
            codes: kept.iter().map(|&record| column.codes[record]).collect(),
        };
        for column in source.sensitive() {
            released = released.with_sensitive(pick(column))?;
        }
        for column in source.quasi() {
            released = released.with_quasi(pick(column))?;
        }
        Ok(released)
    }
}
