//! The intended purposes table as a CSV file: read at the start and again whenever it changed, so that a change counts at the next query.

use crate::admin::Sheet;
use crate::error::Error;
use denym_purpose::{AccessPolicy, ConsentBook, IntendedRow};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

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
    stamp: Option<(SystemTime, u64)>,
    book: Arc<ConsentBook>,
}

impl ConsentFile {
    /// No file: only the policy's defaults count.
    pub fn none() -> Self {
        Self {
            path: None,
            state: Mutex::default(),
        }
    }

    /// A file, which must be readable now.
    pub fn open(path: &Path, policy: &AccessPolicy) -> Result<Self, Error> {
        let file = Self {
            path: Some(path.to_owned()),
            state: Mutex::default(),
        };
        file.current(policy)?;
        Ok(file)
    }

    /// The consent as the file says it now. A file that cannot be read any more is an error: nothing is served from memory of it.
    pub fn current(&self, policy: &AccessPolicy) -> Result<Arc<ConsentBook>, Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = &self.path else {
            return Ok(state.book.clone());
        };
        let unusable = Error::file("the consent file");
        let meta = std::fs::metadata(path).map_err(&unusable)?;
        let stamp = (meta.modified().map_err(&unusable)?, meta.len());
        if state.stamp != Some(stamp) {
            let text = std::fs::read_to_string(path).map_err(&unusable)?;
            let (book, _) = policy.read_consent(&read(&text)?);
            state.book = Arc::new(book);
            state.stamp = Some(stamp);
        }
        Ok(state.book.clone())
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
