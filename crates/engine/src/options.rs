//! How a source is to be read, where the user says so.

use std::collections::BTreeMap;

use denym_data::Kind;
pub use denym_data::{Encoding, Format};

/// What to read and how; `None` means "find out".
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// Declared kinds of columns; a value that does not fit is an error.
    pub kinds: BTreeMap<String, Kind>,
    /// The columns to keep, which come in the source's order; all of them when not given.
    pub columns: Option<Vec<String>>,
    /// Columns that must be there although they are not kept.
    pub expected: Vec<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            delimiter: None,
            quote: b'"',
            header: None,
            encoding: None,
            missing: vec![String::new()],
            kinds: BTreeMap::new(),
            columns: None,
            expected: Vec::new(),
        }
    }
}
