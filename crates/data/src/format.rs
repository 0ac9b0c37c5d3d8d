//! How files are written: their format, and the characters of a text.

use std::path::Path;

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
