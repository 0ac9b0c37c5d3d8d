//! From files to a coded table.

mod coder;
mod csv;
mod decode;
mod hierarchy;
mod inspect;
mod json;
mod merge;
mod parquet;
mod records;
mod scan;
mod store;

use std::path::{Path, PathBuf};

use denym_data::Table;

use crate::{Engine, Error, Format, ReadOptions, source};

impl Engine {
    /// Reads a file, a directory of files or a pattern such as `data/*.csv` into a coded table, records in file order.
    pub fn read(&self, source: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, Error> {
        let source = source.as_ref();
        let (files, format) = source::resolve(source, options.format)?;
        let table = match format {
            Format::Csv => self.read_csv(source, &files, options)?,
            Format::Parquet => self.read_parquet(source, &files, options)?,
            Format::Json => self.read_json(source, &files, options)?,
        };
        if table.records() == 0 {
            return Err(Error::NoRecords {
                path: source.to_owned(),
            });
        }
        Ok(table)
    }
}

/// Which columns of a source are read: positions in the file, in the file's order.
fn projection(
    source: &Path,
    header: &[String],
    options: &ReadOptions,
) -> Result<Vec<usize>, Error> {
    let position = |column: &String| {
        header
            .iter()
            .position(|name| name == column)
            .ok_or_else(|| Error::UnknownColumn {
                path: source.to_owned(),
                column: column.clone(),
                known: header.to_vec(),
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
                let position = position(column)?;
                if !positions.contains(&position) {
                    positions.push(position);
                }
            }
            positions.sort_unstable();
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
