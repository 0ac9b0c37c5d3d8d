//! Consent as it travels: the intended purposes table, companion numbers, record codes, TOML, SQL.

use super::consent::Change;
use super::error::{Error, Fault};
use super::files;
use super::record::{companions, key_column};
use super::sheet::Sheet;
use crate::consent_file::{self, HEADER};
use denym_purpose::{
    AccessPolicy, ConsentBook, IntendedPurpose, IntendedRow, RecordConsent, TablePolicy,
    identifier, read_code, read_companion, write_code, write_companion,
};
use std::path::Path;

/// The six columns of Kabir's Tables 3.1 and 3.4.
const THESIS: [&str; 6] = [
    "sl_no",
    "table_id",
    "table_name",
    "cus_id",
    "attr_name",
    "intended_purpose",
];

/// How consent is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `table,record,column,intended` (Tables 3.1 and 3.4).
    Rows,
    /// The key and three numbers for each column, for one table.
    Companion,
    /// The key and one code, for one table.
    RowCode,
    /// Statements that fill the consent table of a PostgreSQL backend.
    Sql,
}

/// Writes the consent of all tables, or of one.
pub fn write_export(
    policy: &AccessPolicy,
    book: &ConsentBook,
    form: Form,
    table: Option<&TablePolicy>,
    schema: &str,
) -> Result<String, Error> {
    let mut rows = policy.write_consent(book);
    rows.retain(|row| table.is_none_or(|table| table.name == row.table));
    match (form, table) {
        (Form::Rows, _) => Ok(consent_file::write(&rows)),
        (Form::Sql, _) => sql(policy, &rows, schema, table),
        (Form::Companion | Form::RowCode, None) => Err(Error::TableNeeded),
        (Form::RowCode, Some(table)) => {
            let mut sheet = Sheet::new(vec![key_column(table)?.to_owned(), "consent".into()]);
            for (record, consent) in book.records(&table.name) {
                sheet.push(&[record.to_owned(), write_code(consent)]);
            }
            Ok(sheet.to_text())
        }
        (Form::Companion, Some(table)) => {
            let mut header = vec![key_column(table)?.to_owned()];
            header.extend(companions(table).into_iter().flatten());
            let mut sheet = Sheet::new(header);
            for (record, consent) in book.records(&table.name) {
                let mut cells = vec![record.to_owned()];
                for column in 0..table.columns.len() {
                    // what was said of the whole record is said of each column here
                    let own = consent.cells.get(&column).or(consent.all.as_ref());
                    let codes = write_companion(own).ok_or(Error::TooManyPurposes)?;
                    cells.extend(
                        codes.map(|code| code.map_or_else(String::new, |code| code.to_string())),
                    );
                }
                sheet.push(&cells);
            }
            Ok(sheet.to_text())
        }
    }
}

/// The whole consent in one transaction: what was there before is gone.
fn sql(
    policy: &AccessPolicy,
    rows: &[IntendedRow],
    schema: &str,
    table: Option<&TablePolicy>,
) -> Result<String, Error> {
    let fill = policy.postgres_consent(schema, rows)?;
    let (create, inserts) = fill.split_once('\n').unwrap_or((&fill, ""));
    let name = format!("{}.{}", identifier(schema), denym_purpose::CONSENT_TABLE);
    let only = table.map_or_else(String::new, |table| {
        format!(" WHERE table_name = '{}'", table.name.replace('\'', "''"))
    });
    Ok(format!(
        "BEGIN;\n{create}\nLOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE;\nDELETE FROM {name}{only};\n{inserts}COMMIT;\n"
    ))
}

/// Reads a file of consent into changes; all its mistakes at once. `table` is needed for companion numbers and record codes.
pub fn read_import(
    policy: &AccessPolicy,
    path: &Path,
    table: Option<&TablePolicy>,
) -> Result<Vec<Change>, Error> {
    const WHAT: &str = "the file to import";
    let text = files::need(WHAT, path)?;
    let is_toml = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if is_toml {
        let rows = policy.parse_consent(&text);
        let rows = rows.map_err(|mistakes| Error::Policy {
            file: path.to_owned(),
            text,
            mistakes,
        })?;
        return changes(policy, &rows, path);
    }
    let sheet = Sheet::parse(&text, WHAT, path)?;
    if let Some(columns) = row_columns(&sheet) {
        let rows: Vec<IntendedRow> = (0..sheet.len())
            .map(|place| {
                let [table, record, column, intended] =
                    columns.map(|column| sheet.get(place, column).trim().to_owned());
                IntendedRow {
                    table,
                    record,
                    column,
                    intended,
                }
            })
            .collect();
        return changes(policy, &rows, path);
    }
    let Some(table) = table else {
        return Err(Error::ImportForm {
            path: path.to_owned(),
        });
    };
    codes(policy, &sheet, table, path)
}

/// Where table, record, column and intended purpose are: our header, or Kabir's.
fn row_columns(sheet: &Sheet) -> Option<[usize; 4]> {
    let names: Vec<&str> = HEADER.split(',').collect();
    let find = |names: [&str; 4]| -> Option<[usize; 4]> {
        let normal = |name: &str| name.trim().trim_end_matches('.').to_lowercase();
        let place = |wanted: &str| sheet.header.iter().position(|name| normal(name) == wanted);
        let [a, b, c, d] = names.map(place);
        Some([a?, b?, c?, d?])
    };
    let ours = <[&str; 4]>::try_from(names).ok().and_then(find);
    ours.or_else(|| find([THESIS[2], THESIS[3], THESIS[4], THESIS[5]]))
}

fn changes(policy: &AccessPolicy, rows: &[IntendedRow], path: &Path) -> Result<Vec<Change>, Error> {
    let mut out = Vec::new();
    let mut faults = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let mut fault = |error: &denym_purpose::Error| {
            faults.push(Fault {
                place: place + 1,
                code: error.code(),
                message: error.to_string(),
                help: error.help(),
            });
        };
        let column = policy.table(&row.table).and_then(|table| {
            Ok(match row.column.as_str() {
                "*" => None,
                name => Some(table.column(name)?),
            })
        });
        let intended =
            IntendedPurpose::from_text(&policy.purposes, &row.intended).ok_or_else(|| {
                denym_purpose::Error::BadCode {
                    record: place + 1,
                    column: "intended".into(),
                }
            });
        match (column, intended) {
            (Ok(column), Ok(consent)) => out.push(Change {
                table: row.table.clone(),
                record: row.record.clone(),
                column,
                consent: Some(consent),
            }),
            (column, intended) => {
                if let Err(error) = &column {
                    fault(error);
                }
                if let Err(error) = &intended {
                    faults.push(Fault {
                        place: place + 1,
                        code: error.code(),
                        message: "the intended purpose cannot be read".into(),
                        help: "write `<{allowed}, {conditional}, {prohibited}>` with purposes of the policy".into(),
                    });
                }
            }
        }
    }
    finish(out, faults, path)
}

/// Companion numbers or record codes of one table.
fn codes(
    policy: &AccessPolicy,
    sheet: &Sheet,
    table: &TablePolicy,
    path: &Path,
) -> Result<Vec<Change>, Error> {
    let unknown = || Error::ImportForm {
        path: path.to_owned(),
    };
    let key = sheet.column(key_column(table)?).ok_or_else(unknown)?;
    let code = sheet.column("consent");
    let companions: Option<Vec<[usize; 3]>> = companions(table)
        .iter()
        .map(|names| {
            let [a, b, c] = [0, 1, 2].map(|place: usize| sheet.column(&names[place]));
            Some([a?, b?, c?])
        })
        .collect();
    let mut out = Vec::new();
    let mut faults = Vec::new();
    for place in 0..sheet.len() {
        let own = match (&companions, code) {
            (Some(columns), _) => companion_record(sheet, place, columns),
            (None, Some(code)) => {
                let (own, readable) = read_code(table, &policy.purposes, &sheet.get(place, code));
                readable.then_some(own)
            }
            (None, None) => return Err(unknown()),
        };
        let Some(own) = own else {
            faults.push(Fault {
                place: place + 1,
                code: "consent-code-unreadable",
                message: "the code cannot be read".into(),
                help: "write the consent again".into(),
            });
            continue;
        };
        let change = |column: Option<usize>, consent: &IntendedPurpose| Change {
            table: table.name.clone(),
            record: sheet.get(place, key),
            column,
            consent: Some(consent.clone()),
        };
        out.extend(own.all.iter().map(|ip| change(None, ip)));
        out.extend(
            own.cells
                .iter()
                .map(|(column, ip)| change(Some(*column), ip)),
        );
    }
    finish(out, faults, path)
}

fn companion_record(sheet: &Sheet, place: usize, columns: &[[usize; 3]]) -> Option<RecordConsent> {
    let mut own = RecordConsent::default();
    for (number, columns) in columns.iter().enumerate() {
        let mut code = [None; 3];
        for (slot, column) in code.iter_mut().zip(columns) {
            let text = sheet.get(place, *column);
            if !text.trim().is_empty() {
                *slot = Some(text.trim().parse::<i64>().ok().filter(|code| *code >= 0)?);
            }
        }
        if let Some(ip) = read_companion(code) {
            own.cells.insert(number, ip);
        }
    }
    Some(own)
}

fn finish(out: Vec<Change>, faults: Vec<Fault>, path: &Path) -> Result<Vec<Change>, Error> {
    if faults.is_empty() {
        return Ok(out);
    }
    Err(Error::Import {
        path: path.to_owned(),
        faults,
    })
}
