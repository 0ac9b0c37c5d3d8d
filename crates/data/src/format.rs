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
    /// A sheet of a workbook.
    Excel,
}

impl Format {
    /// Every format with the word a policy uses for it, which is also its file extension.
    pub const ALL: [(&'static str, Format); 4] = [
        ("csv", Format::Csv),
        ("parquet", Format::Parquet),
        ("json", Format::Json),
        ("xlsx", Format::Excel),
    ];

    /// The word for this format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Json => "json",
            Format::Excel => "xlsx",
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
        let mut extension = path.extension()?.to_str()?.to_ascii_lowercase();
        // `data.csv.gz` is a CSV file, packed.
        if matches!(extension.as_str(), "gz" | "zst" | "zstd") {
            let inner = Path::new(path.file_stem()?);
            extension = inner.extension()?.to_str()?.to_ascii_lowercase();
        }
        match extension.as_str() {
            "csv" | "tsv" | "tab" | "txt" | "data" => Some(Format::Csv),
            "parquet" | "pq" => Some(Format::Parquet),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(Format::Excel),
            _ => None,
        }
    }
}

/// How the characters of a text file are written: one of the encodings that browsers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-8, with or without a byte order mark.
    pub const UTF_8: Encoding = Encoding(encoding_rs::UTF_8);
    /// UTF-16, low byte first.
    pub const UTF_16LE: Encoding = Encoding(encoding_rs::UTF_16LE);
    /// UTF-16, high byte first.
    pub const UTF_16BE: Encoding = Encoding(encoding_rs::UTF_16BE);
    /// Windows-1252, a superset of Latin-1.
    pub const WINDOWS_1252: Encoding = Encoding(encoding_rs::WINDOWS_1252);

    /// Some that are met often, as a policy writes them; every label of the WHATWG list is understood.
    pub const KNOWN: [&'static str; 8] = [
        "utf-8",
        "windows-1252",
        "iso-8859-1",
        "latin1",
        "iso-8859-15",
        "windows-1250",
        "utf-16le",
        "utf-16be",
    ];

    /// The word for this encoding.
    pub fn name(self) -> &'static str {
        match self.0.name() {
            "UTF-8" => "utf-8",
            "UTF-16LE" => "utf-16le",
            "UTF-16BE" => "utf-16be",
            name => name,
        }
    }

    /// The encoding that a label such as `latin1` or `Shift_JIS` means, in any case.
    pub fn parse(label: &str) -> Option<Encoding> {
        encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).map(Encoding)
    }

    /// The tables behind it.
    pub fn tables(self) -> &'static encoding_rs::Encoding {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_the_list_is_understood() {
        for (label, name) in [
            ("latin1", "windows-1252"),
            ("ISO-8859-1", "windows-1252"),
            ("iso-8859-15", "ISO-8859-15"),
            ("cp1250", "windows-1250"),
            ("sjis", "Shift_JIS"),
            ("utf8", "utf-8"),
            ("UTF-16", "utf-16le"),
        ] {
            assert_eq!(
                Encoding::parse(label).map(Encoding::name),
                Some(name),
                "{label}"
            );
        }
        for label in Encoding::KNOWN {
            assert!(Encoding::parse(label).is_some(), "{label}");
        }
        assert_eq!(Encoding::parse("ebcdic"), None);
        assert_eq!(Encoding::parse("hz-gb-2312"), None);
    }
}
