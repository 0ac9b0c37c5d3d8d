//! Spreadsheets: one sheet of a workbook as a table, its numbers and dates as a person would write them.

use std::path::{Path, PathBuf};

use denym_data::Table;

use super::coder::Coder;
use super::workbook::{Grid, read_grid};
use super::{projection, same_columns};
use crate::{Engine, Error, ReadOptions, SpreadsheetMistake};

/// Title rows that are skipped without being asked.
const MOST_TITLES: usize = 10;

/// A table narrower than this has no clear titles.
const FEWEST_NAMES: usize = 3;

/// One sheet of one file, its titles left out.
struct SheetRows {
    header: Vec<String>,
    cells: Grid,
    /// The first row that is a record.
    first: usize,
    /// Rows before the header.
    titles: usize,
    has_header: bool,
    sheet: String,
}

impl Engine {
    pub(super) fn read_excel(
        &self,
        source: &Path,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let mut sheets: Vec<SheetRows> = Vec::with_capacity(files.len());
        for path in files {
            let sheet = read_sheet(path, options)?;
            if let Some(first) = sheets.first() {
                same_columns(&files[0], &first.header, path, &sheet.header)?;
            }
            sheets.push(sheet);
        }
        let Some(first) = sheets.first() else {
            return Err(Error::NotFound {
                path: source.to_owned(),
            });
        };
        self.note(source, |form| {
            form.header = Some(first.has_header);
            form.skip_rows = first.titles;
            form.sheet = Some(first.sheet.clone());
        });
        let header = first.header.clone();
        let columns = projection(source, &header, first.has_header, options)?;
        let mut parts = Vec::with_capacity(sheets.len());
        for (sheet, path) in sheets.iter().zip(files) {
            if !sheet.cells.is_dense(columns.len()) {
                return Err(Error::Spreadsheet {
                    path: path.clone(),
                    mistake: SpreadsheetMistake::Scattered,
                });
            }
            let mut coders: Vec<Coder> = columns.iter().map(|_| Coder::new()).collect();
            // An empty row is no record, as an empty line is none.
            let records = sheet.cells.rows();
            for (_, row) in records.filter(|(at, _)| *at as usize >= sheet.first) {
                let mut rest = row;
                for (coder, &column) in coders.iter_mut().zip(&columns) {
                    // Columns come in the order of the file, and so do cells.
                    while let [(_, at, _), tail @ ..] = rest
                        && (*at as usize) < column
                    {
                        rest = tail;
                    }
                    let text = match rest {
                        [(_, at, code), ..] if *at as usize == column => sheet.cells.text(*code),
                        _ => None,
                    };
                    coder.push(text);
                }
            }
            parts.push(coders);
        }
        let names: Vec<&str> = columns.iter().map(|&at| header[at].as_str()).collect();
        self.merge(source, &names, parts, options)
    }
}

fn read_sheet(path: &Path, options: &ReadOptions) -> Result<SheetRows, Error> {
    let wrong = |mistake| Error::Spreadsheet {
        path: path.to_owned(),
        mistake,
    };
    let (cells, sheet) = read_grid(path, options.sheet.as_deref())?;
    let width = cells.width();
    let titles = options.skip_rows.unwrap_or_else(|| {
        // The first row with two filled cells.
        let full = cells.rows().find(|(_, row)| row.len() > 1);
        let above = full.map(|(at, _)| at as usize);
        let clear = |above: &usize| width >= FEWEST_NAMES && *above <= MOST_TITLES;
        above.filter(clear).unwrap_or(0)
    });
    let has_header = options.header.unwrap_or(true);
    let (mut top, mut filled_below) = (None, false);
    for (at, row) in cells.rows() {
        if at as usize == titles {
            top = Some(row);
        }
        filled_below |= at as usize >= titles;
    }
    if !filled_below {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    }
    let top = top.unwrap_or_default();
    let header: Vec<String> = if has_header {
        let mut names: Vec<String> = Vec::new();
        for (at, (_, column, code)) in top.iter().enumerate() {
            let name = cells.text(*code).unwrap_or_default();
            if *column as usize != at || name.is_empty() {
                return Err(wrong(SpreadsheetMistake::UnnamedColumn { column: at + 1 }));
            }
            if names.iter().any(|other| other == name) {
                return Err(wrong(SpreadsheetMistake::DuplicateColumn {
                    column: at + 1,
                }));
            }
            names.push(name.to_owned());
        }
        if names.len() < width {
            return Err(wrong(SpreadsheetMistake::UnnamedColumn {
                column: names.len() + 1,
            }));
        }
        names
    } else {
        (1..=width)
            .map(|number| format!("column{number}"))
            .collect()
    };
    Ok(SheetRows {
        header,
        first: titles + usize::from(has_header),
        cells,
        titles,
        has_header,
        sheet,
    })
}
