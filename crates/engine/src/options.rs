//! How a source is to be read, where the user says so.

use std::collections::BTreeMap;
use std::path::Path;

use denym_data::Kind;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text with delimiters.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// One JSON object per line.
    Json,
}

impl Format {
    /// Every format with the word a policy uses for it, which is also its file extension.
    pub const ALL: [(&'static str, Format); 3] = [
        ("csv", Format::Csv),
        ("parquet", Format::Parquet),
        ("json", Format::Json),
    ];

    /// The word for this format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Json => "json",
        }
    }

    /// The format a policy means by `name`.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, format)| *format)
    }

    /// The format a file's extension stands for.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" | "tsv" | "tab" | "txt" | "data" => Some(Format::Csv),
            "parquet" | "pq" => Some(Format::Parquet),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            _ => None,
        }
    }
}

/// How the characters of a text file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// Windows-1252, a superset of Latin-1.
    Windows1252,
}

impl Encoding {
    /// Every encoding with the word a policy uses for it.
    pub const ALL: [(&'static str, Encoding); 4] = [
        ("utf-8", Encoding::Utf8),
        ("utf-16le", Encoding::Utf16Le),
        ("utf-16be", Encoding::Utf16Be),
        ("windows-1252", Encoding::Windows1252),
    ];

    /// The word for this encoding.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The encoding a policy means by `name`.
    pub fn parse(name: &str) -> Option<Encoding> {
        Encoding::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, encoding)| *encoding)
    }
}

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
