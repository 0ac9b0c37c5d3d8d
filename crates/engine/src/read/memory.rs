//! Tables that a program holds in memory as Arrow record batches, read under a name as a file would be.
//!
//! Their cells become the text that a person would write, exactly as those of a Parquet file do, so that a release of a
//! table in memory is byte for byte the release of the same table in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arrow_array::{Array as _, RecordBatch};
use denym_data::Table;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::coder::Coder;
use super::values::{only_scalars, text};
use super::{Failed, projection};
use crate::panics::caught;
use crate::{Engine, Error, ReadOptions, fingerprint};

/// Tables in memory by the path under which they are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InMemory {
    tables: BTreeMap<PathBuf, Vec<RecordBatch>>,
}

impl InMemory {
    /// Reads of `path` find these batches, whatever is on disk; all of them have the same columns.
    pub fn hold(&mut self, path: impl Into<PathBuf>, batches: Vec<RecordBatch>) {
        self.tables.insert(path.into(), batches);
    }

    /// The batches that are read as `path`.
    pub(crate) fn get(&self, path: &Path) -> Option<&[RecordBatch]> {
        self.tables.get(path).map(Vec::as_slice)
    }
}

impl Engine {
    pub(super) fn read_batches(
        &self,
        source: &Path,
        batches: &[RecordBatch],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let Some(first) = batches.first() else {
            return Err(Error::NoRecords {
                path: source.to_owned(),
            });
        };
        let (schema, header) = (first.schema(), names(first));
        for batch in batches {
            if names(batch) != header {
                return Err(unreadable(source, "they have different columns"));
            }
            let mut pairs = batch.columns().iter().zip(first.columns());
            if !pairs.all(|(a, b)| a.data_type() == b.data_type()) {
                return Err(unreadable(source, "a column has two types"));
            }
        }
        let mut known = BTreeSet::new();
        if !header.iter().all(|name| known.insert(name)) {
            return Err(unreadable(source, "two columns have one name"));
        }
        let columns = projection(source, &header, true, options)?;
        only_scalars(source, &schema, &columns)?;
        let parts: Result<Vec<Vec<Coder>>, Failed> = self.on_threads(|| {
            let code = |batch: &RecordBatch| {
                let coded = columns.iter().map(|&at| {
                    let mut coder = Coder::new();
                    coder.extend(&text(batch.column(at))?);
                    Ok(coder)
                });
                coded.collect::<Result<Vec<Coder>, Failed>>()
            };
            let parts = batches.par_iter().with_max_len(1);
            parts
                .map(|batch| caught(|| code(batch)).unwrap_or(Err(Failed)))
                .collect()
        });
        let parts = parts.map_err(|Failed| unreadable(source, WORDLESS))?;
        let names: Vec<&str> = columns.iter().map(|&at| header[at].as_str()).collect();
        self.merge(source, &names, parts, options)
    }
}

/// The SHA-256 of names and cells, the same however they are cut into batches.
pub(crate) fn fingerprint_of(source: &Path, batches: &[RecordBatch]) -> Result<String, Error> {
    let mut hasher = Sha256::new();
    let header = batches.first().map(names).unwrap_or_default();
    for (at, name) in header.iter().enumerate() {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name);
        for batch in batches {
            let cells = text(batch.column(at)).map_err(|Failed| unreadable(source, WORDLESS))?;
            for cell in &cells {
                // A missing cell has a length that no text has.
                let length = cell.map_or(u64::MAX, |cell| cell.len() as u64);
                hasher.update(length.to_le_bytes());
                hasher.update(cell.unwrap_or_default());
            }
        }
    }
    Ok(fingerprint::digits(&hasher.finalize()))
}

/// What is said of a value that does not fit the calendar or its own type.
const WORDLESS: &str = "a value has no written form";

fn unreadable(source: &Path, what: &'static str) -> Error {
    Error::Batches {
        path: source.to_owned(),
        what,
    }
}

fn names(batch: &RecordBatch) -> Vec<String> {
    let fields = batch.schema_ref().fields().iter();
    fields.map(|field| field.name().clone()).collect()
}
