//! Spreadsheets: a sheet per table, numbers and dates as such where they come back letter by letter, all else as text.
//!
//! A text cell is never run, so nothing is escaped.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use denym_data::{Column, Date, Kind, Table};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use crate::{Error, SpreadsheetMistake};

/// Rows of a sheet below its header.
const MOST_RECORDS: usize = (1 << 20) - 1;

/// Digits that a spreadsheet keeps.
const DIGITS: usize = 15;

/// How the values of a column stand in their cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellForm {
    Text,
    Number,
    Date,
    Boolean,
}

/// Writes a workbook with these tables, each on a sheet of its name; the same bytes every time.
pub(super) fn write(sheets: &[(&str, &Table)], path: &Path, file: File) -> Result<(), Error> {
    for (_, table) in sheets {
        if table.records() > MOST_RECORDS {
            return Err(Error::TooManyRecords {
                path: path.to_owned(),
                most: MOST_RECORDS,
            });
        }
    }
    // An empty row is no record to any reader.
    let is_empty =
        |table: &Table, row: usize| table.columns().iter().all(|c| c.text(row).is_none());
    let any_empty =
        |(_, table): &(&str, &Table)| (0..table.records()).any(|row| is_empty(table, row));
    if sheets.iter().any(any_empty) {
        return Err(Error::Spreadsheet {
            path: path.to_owned(),
            mistake: SpreadsheetMistake::EmptyRecord,
        });
    }
    let mut workbook = Workbook::new();
    let mut writer = BufWriter::new(file);
    let written = fill(&mut workbook, sheets)
        .and_then(|()| workbook.save_to_writer(&mut writer))
        .and_then(|()| writer.flush().map_err(XlsxError::IoError));
    written.map_err(|error| match error {
        XlsxError::IoError(error) => Error::writing(path, &error),
        _ => Error::Spreadsheet {
            path: path.to_owned(),
            mistake: SpreadsheetMistake::TooLarge,
        },
    })
}

fn fill(workbook: &mut Workbook, sheets: &[(&str, &Table)]) -> Result<(), XlsxError> {
    // A clock would give other bytes every time.
    let day = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&day));
    let date = Format::new().set_num_format("yyyy-mm-dd");
    for (name, table) in sheets {
        let sheet = workbook.add_worksheet();
        sheet.set_name(*name)?;
        for (at, column) in (0_u16..).zip(table.columns()) {
            sheet.write_string(0, at, &column.name)?;
            let form = CellForm::of(column);
            for (row, &code) in (1_u32..).zip(&column.codes) {
                if let Some(text) = column.dictionary.text(code) {
                    form.write(sheet, (row, at), text, &date)?;
                }
            }
        }
    }
    Ok(())
}

impl CellForm {
    fn of(column: &Column) -> CellForm {
        let dictionary = &column.dictionary;
        let all = |fits: fn(&str) -> bool| dictionary.values().all(fits);
        match dictionary.kind() {
            Kind::Integer | Kind::Decimal if all(is_number) => CellForm::Number,
            Kind::Date if all(is_day) => CellForm::Date,
            Kind::Boolean if all(|text| matches!(text, "true" | "false")) => CellForm::Boolean,
            _ => CellForm::Text,
        }
    }

    fn write(
        self,
        sheet: &mut Worksheet,
        (row, column): (u32, u16),
        text: &str,
        date: &Format,
    ) -> Result<(), XlsxError> {
        match self {
            CellForm::Text => sheet.write_string(row, column, text)?,
            CellForm::Boolean => sheet.write_boolean(row, column, text == "true")?,
            CellForm::Number => match text.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number)?,
                Err(_) => sheet.write_string(row, column, text)?,
            },
            CellForm::Date => match Date::parse(text) {
                Some(day) => {
                    let day = ExcelDateTime::from_ymd(day.year, day.month, day.day)?;
                    sheet.write_datetime_with_format(row, column, &day, date)?
                }
                None => sheet.write_string(row, column, text)?,
            },
        };
        Ok(())
    }
}

/// A number that comes back as it is written here.
fn is_number(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let number = text.parse::<f64>();
    digits <= DIGITS && number.is_ok_and(|number| number.to_string() == text)
}

/// A day that spreadsheets know: their calendar begins with a day that there never was in 1900.
fn is_day(text: &str) -> bool {
    let date = Date::parse(text).filter(|_| text.len() == 10);
    date.is_some_and(|date| (date.year, date.month) >= (1900, 3))
}
