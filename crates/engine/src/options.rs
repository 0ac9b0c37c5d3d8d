//! How a source is to be read, where the user says so.

use std::collections::{BTreeMap, BTreeSet};

use denym_data::Kind;
use denym_data::notation::AskedNotation;
pub use denym_data::{Encoding, Format};

use crate::InMemory;

/// What to read and how; `None` means "find out".
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The format; by the extension when not given.
    pub format: Option<Format>,
    /// The byte between two cells of a CSV file; `,` `;` tab and `|` are tried when not given.
    pub delimiter: Option<u8>,
    /// The byte around cells that hold delimiters or line ends.
    pub quote: u8,
    /// Whether the first record of a CSV file names the columns.
    pub header: Option<bool>,
    /// The encoding of a CSV file: by its byte order mark, else UTF-8, else Windows-1252 when not given.
    pub encoding: Option<Encoding>,
    /// Rows before the header of a CSV file that are no records; titles are found where they are clear when not given.
    pub skip_rows: Option<usize>,
    /// The sheet of a workbook, by its name or its number from 1; the first when not given.
    pub sheet: Option<String>,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// Texts that stand for a missing value in single columns, beside those for all.
    pub missing_of: BTreeMap<String, Vec<String>>,
    /// The decimal mark of all numbers; by the values of each column when not given.
    pub decimal: Option<char>,
    /// The mark between thousands of all numbers; by the values of each column when not given.
    pub thousands: Option<char>,
    /// What is said of how single columns are written.
    pub notations: BTreeMap<String, AskedNotation>,
    /// Columns whose values are compared with texts somewhere else, so that no notation may be looked for.
    pub as_written: BTreeSet<String>,
    /// What may be found out by looking at values.
    pub detection: Detection,
    /// Declared kinds of columns; a value that does not fit is an error.
    pub kinds: BTreeMap<String, Kind>,
    /// The columns to keep, which come in the source's order; all of them when not given.
    pub columns: Option<Vec<String>>,
    /// Columns that must be there although they are not kept.
    pub expected: Vec<String>,
    /// Tables that are found here, by their path, before the engine's own and before any file.
    pub memory: InMemory,
}

/// What is found out by looking at the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Nothing: values are as they are written.
    None,
    /// How numbers and dates are written.
    #[default]
    Notations,
    /// That, and which texts seem to stand for a missing value.
    NotationsAndMissing,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            delimiter: None,
            quote: b'"',
            header: None,
            encoding: None,
            skip_rows: None,
            sheet: None,
            missing: vec![String::new()],
            missing_of: BTreeMap::new(),
            decimal: None,
            thousands: None,
            notations: BTreeMap::new(),
            as_written: BTreeSet::new(),
            detection: Detection::default(),
            kinds: BTreeMap::new(),
            columns: None,
            expected: Vec::new(),
            memory: InMemory::default(),
        }
    }
}
