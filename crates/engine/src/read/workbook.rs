//! Opens workbooks that anybody may have made, and takes no more memory than their size warrants.
//!
//! # Idea
//!
//! A workbook is a packed archive, and what it claims costs nothing to write: a few kilobytes unpack to gigabytes, two cells span a
//! sheet of seventeen thousand million, one cell of an `.ods` file is repeated as often as a number says, one long text is shown by
//! a million cells. So every part is unpacked once into nothing, counted, before the library below sees the file; what is repeated
//! is counted as the library would hold it; and cells are taken one by one where the library gives them so, never as a full rectangle.

use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use calamine::{Cell, Data, DataRef, Range, Reader as _, Sheets, open_workbook_auto_from_rs};
use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::coder::{Coder, NULL};
use super::legacy;
use crate::panics::caught;
use crate::unpack::most_unpacked;
use crate::{Error, SpreadsheetMistake};

/// Bytes that a workbook may take in memory, whatever its size, and how many times its unpacked size beside.
pub(super) const MOST_HELD: (u64, u64) = (256 << 20, 32);

/// Bytes of a cell that is held by the library below: its value and its formula.
pub(super) const OF_A_CELL: u64 = 64;

/// Cells that a table of these filled ones may have: so many, and so many times those that are filled.
const MOST_SPREAD: (usize, usize) = (1 << 24, 64);

/// The filled cells of one sheet: row and column from its first filled ones on, and the text.
pub(super) struct Grid {
    /// Sorted by row and column, each place once.
    pub(super) cells: Vec<(u32, u32, u32)>,
    texts: Coder,
}

impl Grid {
    fn new() -> Grid {
        Grid {
            cells: Vec::new(),
            texts: Coder::new(),
        }
    }

    fn push(&mut self, (row, column): (u32, u32), text: Option<&str>) {
        let code = text.map_or(NULL, |text| self.texts.code(text));
        self.cells.push((row, column, code));
    }

    /// The text of a cell by its last number; `None` for an error, which stands for no value.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        (code != NULL).then(|| self.texts.texts.get(code as usize))
    }

    /// Columns from the first filled one to the last.
    pub(super) fn width(&self) -> usize {
        let last = self.cells.iter().map(|cell| cell.1).max();
        last.map_or(0, |last| last as usize + 1)
    }

    /// The filled cells of each row that has any, with its number.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[(u32, u32, u32)])> {
        let rows = self.cells.chunk_by(|one, next| one.0 == next.0);
        rows.map(|row| (row[0].0, row))
    }

    /// Whether a table of so many columns has room: one whose few cells are far apart would be made of nothing.
    pub(super) fn is_dense(&self, columns: usize) -> bool {
        let records = self.rows().count();
        let most = MOST_SPREAD.0 + MOST_SPREAD.1.saturating_mul(self.cells.len());
        records.saturating_mul(columns) <= most
    }

    /// Cells in their order, counted from the first row and column with a value; of one place the last counts.
    fn settled(mut self) -> Grid {
        let top = self.cells.iter().map(|cell| cell.0).min().unwrap_or(0);
        let left = self.cells.iter().map(|cell| cell.1).min().unwrap_or(0);
        for cell in &mut self.cells {
            cell.0 -= top;
            cell.1 -= left;
        }
        self.cells.sort_by_key(|cell| (cell.0, cell.1));
        self.cells.dedup_by(|later, earlier| {
            let same = (later.0, later.1) == (earlier.0, earlier.1);
            if same {
                earlier.2 = later.2;
            }
            same
        });
        self
    }
}

/// The filled cells of the sheet that was asked for, or of the first, and its name.
pub(super) fn read_grid(path: &Path, asked: Option<&str>) -> Result<(Grid, String), Error> {
    let wrong = |mistake| Error::Spreadsheet {
        path: path.to_owned(),
        mistake,
    };
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    check_size(path, &bytes)?;
    let reader = Cursor::new(bytes.as_slice());
    // Damaged workbooks make the library panic, not only fail.
    let opened = caught(|| open_workbook_auto_from_rs(reader).map_err(drop)).unwrap_or(Err(()));
    let mut workbook: Sheets<_> = opened.map_err(|()| wrong(SpreadsheetMistake::Damaged))?;
    let names = workbook.sheet_names();
    let sheet = match asked {
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
    let cells = caught(|| cells_of(&mut workbook, &sheet)).unwrap_or(None);
    let cells = cells.ok_or_else(|| wrong(SpreadsheetMistake::Damaged))?;
    Ok((cells.settled(), sheet))
}

/// `None` where the sheet cannot be read.
fn cells_of(workbook: &mut Sheets<Cursor<&[u8]>>, sheet: &str) -> Option<Grid> {
    let mut grid = Grid::new();
    match workbook {
        Sheets::Xlsx(book) => {
            let mut cells = book.worksheet_cells_reader(sheet).ok()?;
            while let Some(cell) = cells.next_cell().ok()? {
                keep(&mut grid, &cell);
            }
        }
        Sheets::Xlsb(book) => {
            let mut cells = book.worksheet_cells_reader(sheet).ok()?;
            while let Some(cell) = cells.next_cell().ok()? {
                keep(&mut grid, &cell);
            }
        }
        Sheets::Xls(_) | Sheets::Ods(_) => {
            let range: Range<Data> = workbook.worksheet_range(sheet).ok()?;
            for (row, column, value) in range.used_cells() {
                grid.push((row as u32, column as u32), text(value).as_deref());
            }
        }
    }
    Some(grid)
}

fn keep(grid: &mut Grid, cell: &Cell<DataRef<'_>>) {
    match cell.get_value() {
        // A text that many cells share is copied for none of them.
        DataRef::SharedString(text) => grid.push(cell.get_position(), Some(text)),
        DataRef::String(text) => grid.push(cell.get_position(), Some(text)),
        DataRef::Empty => {}
        value => {
            let text = text(&Data::from(value.clone()));
            grid.push(cell.get_position(), text.as_deref());
        }
    }
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
            let sign = if seconds < 0 { "-" } else { "" };
            let seconds = seconds.unsigned_abs();
            format!(
                "{sign}{:02}:{:02}:{:02}",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            )
        }
        Data::DateTime(moment) => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            // A time of day has no day, midnight as little as any other.
            if moment.as_f64() < 1.0 {
                format!("{hour:02}:{minute:02}:{second:02}")
            } else if (hour, minute, second) == (0, 0, 0) {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
            }
        }
    })
}

/// Refuses a workbook that would take more memory than its size warrants.
fn check_size(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if legacy::is_one(bytes) {
        return legacy::check(path, bytes);
    }
    let damaged = || Error::Spreadsheet {
        path: path.to_owned(),
        mistake: SpreadsheetMistake::Damaged,
    };
    let most = most_unpacked(bytes.len() as u64);
    let too_large = || Error::TooLarge {
        path: path.to_owned(),
        most,
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| damaged())?;
    let mut total = 0;
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(|_| damaged())?;
        let name = part.name().map_err(|_| damaged())?.to_ascii_lowercase();
        // One byte more than what is left tells that there is more.
        let mut counted = part.take(most - total + 1);
        let mut first = Vec::new();
        if name.ends_with("sharedstrings.xml") {
            // Room is taken for as many texts as the file says that it has.
            (&mut counted)
                .take(4096)
                .read_to_end(&mut first)
                .map_err(|_| damaged())?;
        }
        let rest = std::io::copy(&mut counted, &mut std::io::sink()).map_err(|_| damaged())?;
        let size = first.len() as u64 + rest;
        total += size;
        if total > most {
            return Err(too_large());
        }
        if claimed_texts(&first).is_some_and(|texts| texts > size) {
            return Err(damaged());
        }
    }
    let Ok(content) = archive.by_name("content.xml") else {
        return Ok(());
    };
    let held = held_by_repeats(content).ok_or_else(damaged)?;
    if held > MOST_HELD.0 + MOST_HELD.1 * total {
        return Err(Error::Spreadsheet {
            path: path.to_owned(),
            mistake: SpreadsheetMistake::Scattered,
        });
    }
    Ok(())
}

/// How many texts the beginning of a list of shared texts says that there are.
fn claimed_texts(head: &[u8]) -> Option<u64> {
    let key = b"uniqueCount";
    let at = head.windows(key.len()).position(|part| part == key)?;
    let digits = head[at + key.len()..].iter();
    let digits = digits.skip_while(|byte| !byte.is_ascii_digit());
    let digits: Vec<u8> = digits
        .take_while(|byte| byte.is_ascii_digit())
        .copied()
        .collect();
    // What has too many digits for a number is too many texts.
    let number = String::from_utf8(digits).ok()?.parse();
    Some(number.unwrap_or(u64::MAX))
}

/// Columns and rows of the largest sheet.
const SHEET: (u64, u64) = (16_384, 1 << 20);

/// Bytes that the cells of an `.ods` file take once their repetitions are written out; `None` where it cannot be read.
fn held_by_repeats(content: impl Read) -> Option<u64> {
    let mut reader = XmlReader::from_reader(BufReader::new(content));
    let config = reader.config_mut();
    config.check_end_names = false;
    config.expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut held: u64 = 0;
    // Of the current row: repetitions, what its cells take, its width, and empty cells that count when another follows.
    let (mut rows, mut row, mut width, mut empty) = (1_u64, 0_u64, 0_u64, 0_u64);
    // Of the current sheet: rows to the last that is filled, those since, and the widest.
    let (mut filled, mut since, mut widest) = (0_u64, 0_u64, 0_u64);
    let mut cell: Option<(u64, u64, bool)> = None;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(tag) => match tag.name().0 {
                "table:table" => (filled, since, widest) = (0, 0, 0),
                "table:table-row" => {
                    rows = repeated(&tag, "table:number-rows-repeated")?.min(SHEET.1);
                    (row, width, empty) = (0, 0, 0);
                }
                "table:table-cell" | "table:covered-table-cell" => {
                    let times = repeated(&tag, "table:number-columns-repeated")?.min(SHEET.0);
                    let has_value = tag.attributes().any(|attribute| {
                        attribute.is_ok_and(|own| {
                            own.key.0.starts_with("office:") || own.key.0 == "table:formula"
                        })
                    });
                    let own = tag.len() as u64;
                    cell = Some((times, reader.buffer_position() - own, has_value));
                }
                _ => {}
            },
            Event::End(tag) => match tag.name().0 {
                "table:table-cell" | "table:covered-table-cell" => {
                    let (times, from, has_value) = cell.take()?;
                    if has_value {
                        let text = reader.buffer_position().saturating_sub(from);
                        row = row.saturating_add(empty.saturating_mul(OF_A_CELL));
                        row = row.saturating_add(times.saturating_mul(OF_A_CELL + text));
                        width += empty + times;
                        empty = 0;
                    } else {
                        empty = (empty + times).min(SHEET.0);
                    }
                }
                "table:table-row" => {
                    if width == 0 {
                        since = (since + rows).min(SHEET.1);
                    } else {
                        held = held.saturating_add(row.saturating_mul(rows));
                        filled = (filled + since + rows).min(SHEET.1);
                        since = 0;
                        widest = widest.max(width.min(SHEET.0));
                    }
                }
                "table:table" => {
                    // A sheet is held as a full rectangle.
                    held = held.saturating_add(filled * widest * OF_A_CELL);
                }
                _ => {}
            },
            Event::Eof => return Some(held),
            _ => {}
        }
    }
}

/// The number of repetitions that an element asks for.
fn repeated(tag: &BytesStart<'_>, key: &str) -> Option<u64> {
    match tag.try_get_attribute(key).ok()? {
        None => Some(1),
        Some(attribute) => {
            let text = attribute.value.trim();
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().unwrap_or(u64::MAX))
        }
    }
}
