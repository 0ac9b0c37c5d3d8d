//! From a coded table to a file, the same bytes every time.

mod batches;
mod csv;
mod encode;
mod excel;
mod json;
mod parquet;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use denym_data::{Dictionary, Kind, Table};
use rayon::prelude::*;

pub use self::batches::batches;
use self::encode::Encoded;
use crate::{Encoding, Engine, Error, Format};

/// Bytes handed to the operating system at a time.
const BLOCK: usize = 1 << 20;

/// The name of the sheet that has the data.
const SHEET: &str = "data";

/// How a CSV file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The byte between two cells.
    pub delimiter: u8,
    /// How its characters are written.
    pub encoding: Encoding,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            delimiter: b',',
            encoding: Encoding::UTF_8,
        }
    }
}

impl Engine {
    /// Writes `table` to `path`; missing values are empty cells in CSV and null elsewhere.
    pub fn write(
        &self,
        table: &Table,
        format: Format,
        path: impl AsRef<Path>,
    ) -> Result<(), Error> {
        self.write_as(table, format, path, &WriteOptions::default())
    }

    /// Writes `table` to `path`; a CSV file with this delimiter and encoding.
    pub fn write_as(
        &self,
        table: &Table,
        format: Format,
        path: impl AsRef<Path>,
        options: &WriteOptions,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let writing = |error| Error::writing(path, &error);
        if format == Format::Csv {
            encode::check(table, options.encoding, path)?;
        }
        let file = File::create(path).map_err(writing)?;
        match format {
            Format::Csv => {
                let writer = BufWriter::with_capacity(BLOCK, file);
                let mut writer = Encoded::new(writer, options.encoding).map_err(writing)?;
                csv::write(table, options.delimiter, &mut writer).map_err(writing)?;
                writer.flush().map_err(writing)
            }
            Format::Json => {
                let mut writer = BufWriter::with_capacity(BLOCK, file);
                json::write(table, &mut writer).map_err(writing)?;
                writer.flush().map_err(writing)
            }
            Format::Parquet => parquet::write(table, path, file),
            Format::Excel => excel::write(&[(SHEET, table)], path, file),
        }
    }

    /// Writes a workbook with the sheet of the data first and further ones behind it, each a table with its name.
    pub fn write_workbook(
        &self,
        table: &Table,
        further: &[(&str, &Table)],
        path: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let file = File::create(path).map_err(|error| Error::writing(path, &error))?;
        let mut sheets = vec![(SHEET, table)];
        sheets.extend(further);
        excel::write(&sheets, path, file)
    }
}

/// The kind that values are written as: the column's own when every value fits it, else text.
fn written_kind(dictionary: &Dictionary) -> Kind {
    let kind = dictionary.kind();
    if dictionary.values().all(|text| kind.fits(text)) {
        kind
    } else {
        Kind::Text
    }
}

/// Records whose lines are put together at a time.
const LINES: usize = 1 << 15;

/// Writes one line per record, `cells` being the bytes of each code of each column; equal neighbors are copied.
fn write_lines(
    table: &Table,
    cells: &[Vec<Vec<u8>>],
    end: &[u8],
    writer: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let columns: Vec<(&[u32], &[Vec<u8>])> = table
        .columns()
        .iter()
        .zip(cells)
        .map(|(column, cells)| (column.codes.as_slice(), cells.as_slice()))
        .collect();
    let block = |&start: &usize| {
        let mut block = Vec::new();
        // Where the last line began.
        let mut last = 0;
        for row in start..table.records().min(start + LINES) {
            // Released rows are sorted: many are like the one before.
            let like = |(codes, _): &(&[u32], &[Vec<u8>])| codes[row] == codes[row - 1];
            let line = block.len();
            if row > start && columns.iter().all(like) {
                block.extend_from_within(last..line);
            } else {
                for (codes, cells) in &columns {
                    block.extend_from_slice(&cells[codes[row] as usize]);
                }
                block.extend_from_slice(end);
            }
            last = line;
        }
        block
    };
    // Blocks are made on all cores, a few at a time, and written in order.
    let starts: Vec<usize> = (0..table.records()).step_by(LINES).collect();
    for some in starts.chunks(2 * rayon::current_num_threads()) {
        let blocks: Vec<Vec<u8>> = some.par_iter().map(block).collect();
        for block in blocks {
            writer.write_all(&block)?;
        }
    }
    Ok(())
}
