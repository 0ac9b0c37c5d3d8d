//! Hierarchy files: one row per value, the value and then a column per level.

use std::path::Path;

use denym_data::HierarchyRow;

use super::decode::{byte_order_mark, decode};
use super::records::{Records, line_at};
use crate::{CsvMistake, Encoding, Engine, Error};

impl Engine {
    /// The rows of the hierarchy file at `path`, `;` or `,` between columns, no header.
    ///
    /// Rows of different lengths are passed on: the hierarchy's own check names all of them at once.
    pub fn read_hierarchy(&self, path: impl AsRef<Path>) -> Result<Vec<HierarchyRow>, Error> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
        let mistake = |line, mistake| Error::Csv {
            path: path.to_owned(),
            line,
            mistake,
        };
        let (encoding, skipped) = byte_order_mark(&bytes).unwrap_or_else(|| {
            let encoding = if std::str::from_utf8(&bytes).is_ok() {
                Encoding::UTF_8
            } else {
                Encoding::WINDOWS_1252
            };
            (encoding, 0)
        });
        let text = decode(&bytes[skipped..], encoding).map_err(|text| {
            let encoding = encoding.name();
            let line = line_at(text.as_bytes(), text.len());
            mistake(line, CsvMistake::BadEncoding { encoding })
        })?;
        let text = text.as_bytes();
        if let Some(at) = memchr::memchr(0, text) {
            return Err(mistake(line_at(text, at), CsvMistake::NulByte));
        }
        let delimiter = delimiter(text);
        let mut records = Records::new(text, delimiter, b'"');
        let mut rows = Vec::new();
        loop {
            let mut labels = Vec::new();
            let Some(found) =
                records.next(|cell| labels.push(String::from_utf8_lossy(&cell).into_owned()))
            else {
                break;
            };
            if let Some(line) = found.open_quote {
                return Err(mistake(line, CsvMistake::UnclosedQuote));
            }
            rows.push(HierarchyRow {
                line: found.line,
                labels,
            });
        }
        if rows.is_empty() {
            return Err(Error::EmptyFile {
                path: path.to_owned(),
            });
        }
        Ok(rows)
    }
}

/// `;` when it cuts every row into equally many columns, or more rows have it than `,`; labels such as `[0, 20[` hold commas.
fn delimiter(text: &[u8]) -> u8 {
    let of = |delimiter| {
        let mut records = Records::new(text, delimiter, b'"');
        let mut counts = Vec::new();
        while let Some(found) = records.next(drop) {
            counts.push(found.cells);
        }
        let first = counts.first().copied().unwrap_or(0);
        let even = first > 1 && counts.iter().all(|&count| count == first);
        (even, counts.iter().filter(|&&count| count > 1).count())
    };
    if of(b';') >= of(b',') && of(b';').1 > 0 {
        b';'
    } else {
        b','
    }
}
