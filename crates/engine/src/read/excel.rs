//! Spreadsheets: one sheet of a workbook as a table, its numbers and dates as a person would write them.

use std::path::{Path, PathBuf};

use calamine::{Data, Range, Reader as _, Sheets, open_workbook_auto_from_rs};
use denym_data::Table;

use super::coder::Coder;
use super::{projection, same_columns};
use crate::panics::caught;
use crate::{Engine, Error, ReadOptions, SpreadsheetMistake};

/// Title rows that are skipped without being asked.
const MOST_TITLES: usize = 10;

/// A table narrower than this has no clear titles.
const FEWEST_NAMES: usize = 3;

/// One sheet of one file, its titles left out.
struct SheetRows {
    header: Vec<String>,
    cells: Range<Data>,
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
        let parts = sheets
            .iter()
            .map(|sheet| {
                let mut coders: Vec<Coder> = columns.iter().map(|_| Coder::new()).collect();
                for row in sheet.cells.rows().skip(sheet.first) {
                    // An empty row is no record, as an empty line is none.
                    if row.iter().all(|cell| *cell == Data::Empty) {
                        continue;
                    }
                    for (coder, &column) in coders.iter_mut().zip(&columns) {
                        let text = row.get(column).and_then(text);
                        coder.push(text.as_deref());
                    }
                }
                coders
            })
            .collect();
        let names: Vec<&str> = columns.iter().map(|&at| header[at].as_str()).collect();
        self.merge(source, &names, parts, options)
    }
}

fn read_sheet(path: &Path, options: &ReadOptions) -> Result<SheetRows, Error> {
    let wrong = |mistake| Error::Spreadsheet {
        path: path.to_owned(),
        mistake,
    };
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    let reader = std::io::Cursor::new(bytes.as_slice());
    // Damaged workbooks make the library panic, not only fail.
    let opened = caught(|| open_workbook_auto_from_rs(reader).map_err(drop)).unwrap_or(Err(()));
    let mut workbook: Sheets<_> = opened.map_err(|()| wrong(SpreadsheetMistake::Damaged))?;
    let names = workbook.sheet_names();
    let sheet = match &options.sheet {
        None => names.first(),
        Some(asked) => names.iter().find(|name| *name == asked).or_else(|| {
            let number: usize = asked.parse().ok()?;
            names.get(number.checked_sub(1)?)
        }),
    };
    let sheet = sheet.cloned().ok_or_else(|| {
        wrong(SpreadsheetMistake::NoSheet {
            sheets: names.len(),
        })
    })?;
    let cells = caught(|| workbook.worksheet_range(&sheet).map_err(drop)).unwrap_or(Err(()));
    let cells: Range<Data> = cells.map_err(|()| wrong(SpreadsheetMistake::Damaged))?;
    let filled = |row: &[Data]| row.iter().filter(|cell| **cell != Data::Empty).count();
    let titles = options.skip_rows.unwrap_or_else(|| {
        let above = cells.rows().take_while(|row| filled(row) <= 1).count();
        let clear = cells.width() >= FEWEST_NAMES && above <= MOST_TITLES && above < cells.height();
        if clear { above } else { 0 }
    });
    let has_header = options.header.unwrap_or(true);
    let Some(top) = cells.rows().nth(titles) else {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    };
    let header: Vec<String> = if has_header {
        let names: Vec<String> = top
            .iter()
            .map(|cell| text(cell).unwrap_or_default())
            .collect();
        for (at, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(wrong(SpreadsheetMistake::UnnamedColumn { column: at + 1 }));
            }
            if names[..at].contains(name) {
                return Err(wrong(SpreadsheetMistake::DuplicateColumn {
                    column: at + 1,
                }));
            }
        }
        names
    } else {
        let width = top.len();
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

/// A cell as a person writes it; errors and empty cells are missing.
fn text(cell: &Data) -> Option<String> {
    Some(match cell {
        Data::Empty | Data::Error(_) => return None,
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        // Without exponents, and `3` rather than `3.0`.
        Data::Float(number) => number.to_string(),
        Data::Bool(truth) => truth.to_string(),
        Data::DateTime(moment) if moment.is_duration() => {
            let seconds = (moment.as_f64() * 86_400.0).round() as i64;
            format!(
                "{:02}:{:02}:{:02}",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            )
        }
        Data::DateTime(moment) => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            if (hour, minute, second) == (0, 0, 0) {
                format!("{year:04}-{month:02}-{day:02}")
            } else if moment.as_f64() < 1.0 {
                format!("{hour:02}:{minute:02}:{second:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
            }
        }
    })
}
