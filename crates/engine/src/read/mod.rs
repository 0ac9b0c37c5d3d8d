//! From files to a coded table.

mod cells;
mod coder;
mod csv;
mod decode;
mod excel;
mod hierarchy;
mod inspect;
mod json;
mod legacy;
pub(crate) mod memory;
mod merge;
mod notation;
mod parquet;
mod preamble;
mod records;
mod stretch;
mod sweep;
mod values;
mod workbook;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use denym_data::Table;

use crate::unpack::unpack;
use crate::{Engine, Error, Format, Names, ReadOptions, source};

/// Why a part of a source could not be read. What a library said is not kept, since it may quote cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

impl Engine {
    /// Reads a file, a directory of files or a pattern such as `data/*.csv` into a coded table, records in file order;
    /// what is held in memory under that path comes first.
    pub fn read(&self, source: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, Error> {
        let source = source.as_ref();
        let table = match options.memory.get(source).or(self.memory.get(source)) {
            Some(batches) => self.read_batches(source, batches, options)?,
            None => {
                let (files, format) = source::resolve(source, options.format)?;
                self.note(source, |form| form.format = Some(format));
                let unpacked = unpack(&files)?;
                let files = &unpacked.files;
                let read = match format {
                    Format::Csv => self.read_csv(source, files, options),
                    Format::Parquet => self.read_parquet(source, files, options),
                    Format::Json => self.read_json(source, files, options),
                    Format::Excel => self.read_excel(source, files, options),
                };
                read.map_err(|error| unpacked.told(error))?
            }
        };
        if table.records() == 0 {
            return Err(Error::NoRecords {
                path: source.to_owned(),
            });
        }
        Ok(table)
    }
}

/// Which columns of a source are read: positions in the file, in the file's order. `told` says whether the header is surely one.
fn projection(
    source: &Path,
    header: &[String],
    told: bool,
    options: &ReadOptions,
) -> Result<Vec<usize>, Error> {
    let places: HashMap<&str, usize> = header.iter().map(String::as_str).zip(0..).collect();
    let asked = options.kinds.keys().chain(&options.expected);
    let asked = asked.chain(options.columns.iter().flatten());
    // Where one that is asked for is there, the others beside it are names as well.
    let is_there = |column: &String| places.contains_key(column.as_str());
    let position = |column: &String| {
        let place = places.get(column.as_str()).copied();
        place.ok_or_else(|| Error::UnknownColumn {
            path: source.to_owned(),
            column: column.clone(),
            known: Names::new(header.to_vec(), told || asked.clone().any(is_there)),
        })
    };
    for column in options.kinds.keys().chain(&options.expected) {
        position(column)?;
    }
    match &options.columns {
        None => Ok((0..header.len()).collect()),
        Some(columns) => {
            let mut positions = Vec::with_capacity(columns.len());
            for column in columns {
                positions.push(position(column)?);
            }
            positions.sort_unstable();
            positions.dedup();
            Ok(positions)
        }
    }
}

/// Refuses a file whose columns are not those of the first.
fn same_columns(
    first: &Path,
    expected: &[String],
    path: &Path,
    found: &[String],
) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::MixedColumns {
            path: PathBuf::from(path),
            first: PathBuf::from(first),
        })
    }
}
