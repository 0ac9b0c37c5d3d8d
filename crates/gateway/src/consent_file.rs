//! The intended purposes table as a CSV file: read at the start and again whenever it changed, so that a change counts at the next query.
//!
//! # Guarantee
//! A row that cannot be read, or names no governed table or no column of it, is not skipped: it is a fault of its table, or of all tables that
//! keep their consent here when nobody knows whose it is. Tables with a fault are not served.

use crate::admin::Sheet;
use crate::error::Error;
use crate::identity::{Identity, Seen};
use denym_purpose::{AccessPolicy, ConsentBook, IntendedPurpose, IntendedRow, Storage};
use hashbrown::HashMap;
use sha2::{Digest as _, Sha256};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The header of the file.
pub const HEADER: &str = "table,record,column,intended";

/// A consent file and what it said when it was last read.
#[derive(Debug)]
pub struct ConsentFile {
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: Option<Seen>,
    /// Of the text that was read.
    digest: [u8; 32],
    consent: Arc<Consent>,
}

/// What a consent file says.
#[derive(Debug, Default)]
pub(crate) struct Consent {
    pub(crate) book: Arc<ConsentBook>,
    faults: Vec<Fault>,
    /// The first row of each record, by a hash of its table and key: only to tell where to look.
    rows: HashMap<u64, u32>,
}

/// A row that counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The table it is about, when that is known.
    table: Option<String>,
    /// Its number, from 1.
    row: usize,
    what: &'static str,
}

impl Fault {
    /// A row of a table that matches nothing.
    pub(crate) fn new(table: &str, row: usize, what: &'static str) -> Self {
        Self {
            table: Some(table.to_owned()),
            row,
            what,
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Consent {
            table: fault.table,
            row: fault.row,
            what: fault.what,
        }
    }
}

impl Consent {
    /// The fault that keeps a table from being served.
    pub(crate) fn fault(&self, table: &str) -> Option<&Fault> {
        self.faults
            .iter()
            .find(|fault| fault.table.as_deref().is_none_or(|of| of == table))
    }

    /// A fault of a row that names the table.
    pub(crate) fn fault_of(&self, table: &str) -> Option<&Fault> {
        self.faults
            .iter()
            .find(|fault| fault.table.as_deref() == Some(table))
    }

    /// The row that speaks of a record first.
    pub(crate) fn row(&self, table: &str, record: &str) -> usize {
        let row = self.rows.get(&short(table, record));
        row.map_or(0, |row| *row as usize)
    }
}

fn short(table: &str, record: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (table, record).hash(&mut hasher);
    hasher.finish()
}

impl ConsentFile {
    /// No file: only the policy's defaults count.
    pub fn none() -> Self {
        Self {
            path: None,
            state: Mutex::default(),
        }
    }

    /// A file, which must be readable now, every row of it.
    pub fn open(path: &Path, policy: &AccessPolicy) -> Result<Self, Error> {
        let file = Self {
            path: Some(path.to_owned()),
            state: Mutex::default(),
        };
        file.current(policy)?;
        Ok(file)
    }

    /// The consent as the file says it now. A file that cannot be read any more, or a row of it, is an error: nothing is served from memory
    /// of it.
    pub fn current(&self, policy: &AccessPolicy) -> Result<Arc<ConsentBook>, Error> {
        let consent = self.look(policy)?;
        match consent.faults.first() {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(consent.book.clone()),
        }
    }

    /// The same with its faults.
    pub(crate) fn look(&self, policy: &AccessPolicy) -> Result<Arc<Consent>, Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = &self.path else {
            return Ok(state.consent.clone());
        };
        let unusable = Error::file("the consent file");
        let now = Identity::of(path).map_err(&unusable)?;
        if state.seen.is_some_and(|seen| seen.still_is(now)) {
            return Ok(state.consent.clone());
        }
        let text = std::fs::read_to_string(path).map_err(&unusable)?;
        let digest: [u8; 32] = Sha256::digest(&text).into();
        if state.seen.is_none() || state.digest != digest {
            state.consent = Arc::new(consent(policy, &read(&text)?));
            state.digest = digest;
        }
        if state.seen.is_none_or(|seen| seen.identity != now) {
            state.seen = Some(Seen::now(now));
        }
        Ok(state.consent.clone())
    }
}

/// The consent of rows, with those that cannot count.
fn consent(policy: &AccessPolicy, rows: &[IntendedRow]) -> Consent {
    let mut faults = Vec::new();
    let mut first = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        let number = place + 1;
        let Some(table) = policy.tables.get(&row.table) else {
            // whose consent it is, nobody knows: it may be anyone's
            faults.push(Fault {
                table: None,
                row: number,
                what: "it names no governed table",
            });
            continue;
        };
        let mut wrong = |what| faults.push(Fault::new(&table.name, number, what));
        if table.storage != Storage::Table {
            wrong("the policy says that this table's consent is not kept in the consent file");
        }
        if row.column != "*" && table.column(&row.column).is_err() {
            wrong("it names no column of the table");
        }
        if IntendedPurpose::from_text(&policy.purposes, &row.intended).is_none() {
            wrong("its purposes cannot be read");
        }
        first
            .entry(short(&row.table, &row.record))
            .or_insert(u32::try_from(number).unwrap_or(u32::MAX));
    }
    let (book, _) = policy.read_consent(rows);
    Consent {
        book: Arc::new(book),
        faults,
        rows: first,
    }
}

/// Reads the rows of a consent file.
pub fn read(text: &str) -> Result<Vec<IntendedRow>, Error> {
    let broken = || Error::File {
        what: "the consent file",
        kind: std::io::ErrorKind::InvalidData,
    };
    let mut records = Sheet::values(text).ok_or_else(broken)?.into_iter();
    let header = records.next().ok_or_else(broken)?;
    if header.join(",") != HEADER {
        return Err(broken());
    }
    records
        .map(|record| {
            let [table, record, column, intended] =
                <[String; 4]>::try_from(record).map_err(|_| broken())?;
            Ok(IntendedRow {
                table,
                record,
                column,
                intended,
            })
        })
        .collect()
}

/// Writes a consent file.
pub fn write(rows: &[IntendedRow]) -> String {
    let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut out = format!("{HEADER}\n");
    for row in rows {
        let cells = [&row.table, &row.record, &row.column, &row.intended].map(|text| quote(text));
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back() {
        let row = |record: &str, intended: &str| IntendedRow {
            table: "t".into(),
            record: record.into(),
            column: "*".into(),
            intended: intended.into(),
        };
        let rows = [
            row("1", "<{a, b}, {}, {}>"),
            row("with \"quotes\",\nand lines", "<{}, {}, {}>"),
        ];
        assert_eq!(read(&write(&rows)).expect("our own file"), rows);
        assert!(read("a,b\n").is_err());
        assert!(read("table,record,column,intended\n\"open,1,2,3\n").is_err());
        assert!(read("table,record,column,intended\n1,2,3\n").is_err());
    }
}
