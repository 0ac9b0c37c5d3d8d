//! What can go wrong between a file and a table. No variant carries a cell.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Names;

/// A mistake in a source, a request or the machine below.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// There is no such file.
    #[error("there is no file here")]
    NotFound {
        /// What was asked for.
        path: PathBuf,
    },
    /// The file may not be read or written.
    #[error("this may not be {verb}")]
    Permission {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        verb: &'static str,
    },
    /// There is no room left.
    #[error("the disk is full")]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// Another failure of the file system.
    #[error("this cannot be {verb}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        verb: &'static str,
        /// What the operating system says; never contents.
        reason: String,
    },
    /// A glob pattern that cannot be read.
    #[error("this is no pattern of file names")]
    BadPattern {
        /// The pattern.
        path: PathBuf,
    },
    /// The extension says nothing about the format.
    #[error("the format of this file is not known")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Files of one source have different formats.
    #[error("the files of one source have different formats")]
    MixedFormats {
        /// The first file that differs.
        path: PathBuf,
    },
    /// Files of one source have different columns.
    #[error("the columns of this file are not those of {}", first.display())]
    MixedColumns {
        /// The file that differs.
        path: PathBuf,
        /// The first file of the source.
        first: PathBuf,
    },
    /// There is not a byte in the file.
    #[error("the file is empty")]
    EmptyFile {
        /// The file.
        path: PathBuf,
    },
    /// There are columns but no record.
    #[error("there are columns but no record")]
    NoRecords {
        /// The source.
        path: PathBuf,
    },
    /// Something about a CSV file.
    #[error("{mistake}")]
    Csv {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        mistake: CsvMistake,
    },
    /// Something about a file of JSON lines.
    #[error("{mistake}")]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        mistake: JsonMistake,
    },
    /// A Parquet file that does not hold together.
    #[error("this is no readable Parquet file: it is damaged, cut short or of another format")]
    Parquet {
        /// The file.
        path: PathBuf,
    },
    /// Something about a workbook.
    #[error("{mistake}")]
    Spreadsheet {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        mistake: SpreadsheetMistake,
    },
    /// A file packed by gzip or zstd that does not unpack.
    #[error("this packed file is damaged or cut short")]
    Packed {
        /// The file.
        path: PathBuf,
    },
    /// A packed file that grows beyond all measure.
    #[error("unpacked, this file has more than {most} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        most: u64,
    },
    /// Values that can be read in two ways.
    #[error("the values of column `{column}` can be read in two ways")]
    Ambiguous {
        /// The source.
        path: PathBuf,
        /// The column.
        column: String,
        /// What a policy says for the one way.
        one: String,
        /// What it says for the other.
        other: String,
    },
    /// Text that the asked encoding has no bytes for.
    #[error("{place} has characters that {encoding} cannot write")]
    Unencodable {
        /// The file being written.
        path: PathBuf,
        /// Where they are: the names of columns, or a column.
        place: String,
        /// The encoding.
        encoding: &'static str,
    },
    /// A release that is not written as its certificate says.
    #[error("two different cells of column `{column}` would be read as one")]
    FallTogether {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Record batches in memory that make no table.
    #[error("the record batches cannot be read: {what}")]
    Batches {
        /// The name under which they are held.
        path: PathBuf,
        /// What is wrong with them.
        what: &'static str,
    },
    /// A column of lists, structs or bytes.
    #[error("column `{column}` holds {found}, which is no text, number, date or boolean")]
    UnsupportedType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What it holds.
        found: String,
    },
    /// A column that is asked for is not there.
    #[error("there is no column `{column}`")]
    UnknownColumn {
        /// The source.
        path: PathBuf,
        /// The column.
        column: String,
        /// The columns that are there.
        known: Names,
    },
    /// A value is not of the declared kind.
    #[error("record {record} of column `{column}` is no {kind}")]
    WrongKind {
        /// The source.
        path: PathBuf,
        /// The column.
        column: String,
        /// The first such record, from 1.
        record: usize,
        /// The declared kind.
        kind: &'static str,
    },
    /// More records than a code can count.
    #[error("the source has more than {most} records")]
    TooManyRecords {
        /// The source.
        path: PathBuf,
        /// The limit.
        most: usize,
    },
    /// An output is shorter than a checkpoint knows it to be.
    #[error("this file has lost lines that were published")]
    Shortened {
        /// The file.
        path: PathBuf,
    },
    /// A broker does not answer, or says no.
    #[error("the broker {mistake}")]
    Broker {
        /// Its address.
        address: String,
        /// What it does.
        mistake: BrokerMistake,
    },
    /// The arguments of a call contradict each other: our bug or a wrong use of the library.
    #[error("{what}")]
    Mismatch {
        /// What does not fit.
        what: &'static str,
    },
    /// Something that cannot happen did.
    #[error("internal error while {during}")]
    Internal {
        /// What was going on.
        during: &'static str,
    },
}

/// What is wrong with a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BrokerMistake {
    /// No answer.
    #[error("does not answer")]
    NoAnswer,
    /// No such stream or topic.
    #[error("has no such stream or topic")]
    Unknown,
    /// Not allowed, or not possible there.
    #[error("refuses what is asked of it")]
    Refused,
    /// The name or the password is wrong, or one is needed.
    #[error("does not accept the login")]
    Login,
    /// The certificate cannot be trusted, or there is no encryption there.
    #[error("cannot be trusted: its certificate does not hold, or it does not encrypt")]
    Certificate,
    /// Messages that were not read yet are gone.
    #[error("no longer has message {wanted}; the first it has is {first}")]
    Gone {
        /// The next message to read.
        wanted: u64,
        /// The first that is there.
        first: u64,
    },
    /// The stream or topic was made anew since it was read.
    #[error("has fewer messages than were read from it")]
    Anew,
    /// Something is in the stream or topic that this program did not put there.
    #[error("has messages there that no stream of this program wrote")]
    Foreign,
}

/// What is wrong with a CSV file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CsvMistake {
    /// A record with too few or too many cells.
    #[error("this record has {found} cells where the first has {expected}")]
    Ragged {
        /// Cells of the first record.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// A quote is never closed.
    #[error("a quote opens here and never closes")]
    UnclosedQuote,
    /// A NUL byte.
    #[error("there is a NUL byte here")]
    NulByte,
    /// Bytes that mean nothing in the encoding.
    #[error("these bytes are not {encoding}")]
    BadEncoding {
        /// The encoding.
        encoding: &'static str,
    },
    /// Two columns with one name.
    #[error("columns {first} and {second} have the same name")]
    DuplicateColumn {
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second.
        second: usize,
    },
    /// A column without a name.
    #[error("column {column} has no name")]
    UnnamedColumn {
        /// Its position, from 1.
        column: usize,
    },
    /// A record too large to handle.
    #[error("this record is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

/// What is wrong with a workbook.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpreadsheetMistake {
    /// It does not hold together.
    #[error("this is no readable workbook: it is damaged, locked or of another format")]
    Damaged,
    /// There is no such sheet.
    #[error("the workbook has no such sheet; it has {sheets}")]
    NoSheet {
        /// How many there are.
        sheets: usize,
    },
    /// A column without a name.
    #[error("column {column} has no name")]
    UnnamedColumn {
        /// Its position, from 1.
        column: usize,
    },
    /// Two columns with one name.
    #[error("column {column} has the name of another before it")]
    DuplicateColumn {
        /// Its position, from 1.
        column: usize,
    },
    /// A record without a single value.
    #[error("a record without any value would be lost in a workbook")]
    EmptyRecord,
    /// A cell or a name that no workbook can hold.
    #[error("a cell is longer than a workbook can hold")]
    TooLarge,
    /// Few cells that claim a large sheet.
    #[error(
        "the few cells of this sheet are far apart, or repeated without end: as a table it would fill the memory"
    )]
    Scattered,
}

/// What is wrong with a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JsonMistake {
    /// No JSON.
    #[error("column {column} of this line is not JSON")]
    Malformed {
        /// Byte in the line, from 1.
        column: usize,
    },
    /// JSON, but no object.
    #[error("this line is no JSON object")]
    NotAnObject,
    /// A list or an object as a value.
    #[error("value {position} of this object is a list or an object")]
    Nested {
        /// Position in the object, from 1.
        position: usize,
    },
    /// A key appears twice.
    #[error("keys {first} and {second} of this object are the same")]
    DuplicateKey {
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second.
        second: usize,
    },
    /// Hardly any object has the keys of another.
    #[error(
        "the objects up to here have {keys} different keys, and most objects lack most of them"
    )]
    Sparse {
        /// Different keys so far.
        keys: usize,
    },
    /// An empty key.
    #[error("key {position} of this object is empty")]
    EmptyKey {
        /// Position in the object, from 1.
        position: usize,
    },
}

impl Error {
    /// A failure of the file system while reading `path`.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Error {
        Error::file(path, error, "read")
    }

    /// A failure of the file system while writing `path`.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Error {
        Error::file(path, error, "written")
    }

    fn file(path: &Path, error: &io::Error, verb: &'static str) -> Error {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Error::NotFound { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Error::Permission { path, verb }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull { path },
            kind => Error::Io {
                path,
                verb,
                reason: kind.to_string(),
            },
        }
    }

    /// The same error, told of another file where `to` knows one for its path.
    pub(crate) fn moved(mut self, mut to: impl FnMut(&Path) -> Option<PathBuf>) -> Error {
        match &mut self {
            Error::Permission { path, .. }
            | Error::Io { path, .. }
            | Error::EmptyFile { path }
            | Error::Csv { path, .. }
            | Error::Json { path, .. }
            | Error::Parquet { path }
            | Error::MixedColumns { path, .. } => {
                if let Some(other) = to(path) {
                    *path = other;
                }
            }
            _ => {}
        }
        self
    }

    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotFound { .. } => "file-not-found",
            Error::Permission { .. } => "file-permission",
            Error::DiskFull { .. } => "disk-full",
            Error::Io { .. } => "file-io",
            Error::BadPattern { .. } => "file-pattern",
            Error::UnknownFormat { .. } => "unknown-format",
            Error::MixedFormats { .. } => "mixed-formats",
            Error::MixedColumns { .. } => "mixed-columns",
            Error::EmptyFile { .. } => "empty-file",
            Error::NoRecords { .. } => "no-records",
            Error::Csv { mistake, .. } => match mistake {
                CsvMistake::Ragged { .. } => "csv-ragged",
                CsvMistake::UnclosedQuote => "csv-unclosed-quote",
                CsvMistake::NulByte => "csv-nul-byte",
                CsvMistake::BadEncoding { .. } => "csv-encoding",
                CsvMistake::DuplicateColumn { .. } => "csv-duplicate-column",
                CsvMistake::UnnamedColumn { .. } => "csv-unnamed-column",
                CsvMistake::TooLarge { .. } => "csv-record-too-large",
            },
            Error::Json { mistake, .. } => match mistake {
                JsonMistake::Malformed { .. } => "json-malformed",
                JsonMistake::NotAnObject => "json-not-an-object",
                JsonMistake::Nested { .. } => "json-nested",
                JsonMistake::DuplicateKey { .. } => "json-duplicate-key",
                JsonMistake::Sparse { .. } => "json-sparse",
                JsonMistake::EmptyKey { .. } => "json-empty-key",
            },
            Error::Parquet { .. } => "parquet-damaged",
            Error::Spreadsheet { mistake, .. } => match mistake {
                SpreadsheetMistake::Damaged => "workbook-damaged",
                SpreadsheetMistake::NoSheet { .. } => "workbook-no-sheet",
                SpreadsheetMistake::UnnamedColumn { .. } => "workbook-unnamed-column",
                SpreadsheetMistake::DuplicateColumn { .. } => "workbook-duplicate-column",
                SpreadsheetMistake::EmptyRecord => "workbook-empty-record",
                SpreadsheetMistake::TooLarge => "workbook-too-large",
                SpreadsheetMistake::Scattered => "workbook-scattered",
            },
            Error::Packed { .. } => "packed-damaged",
            Error::TooLarge { .. } => "packed-too-large",
            Error::Ambiguous { .. } => "ambiguous-notation",
            Error::Unencodable { .. } => "unencodable",
            Error::FallTogether { .. } => "cells-fall-together",
            Error::Batches { .. } => "batches-unreadable",
            Error::UnsupportedType { .. } => "unsupported-type",
            Error::UnknownColumn { .. } => "unknown-column",
            Error::WrongKind { .. } => "wrong-kind",
            Error::TooManyRecords { .. } => "too-many-records",
            Error::Shortened { .. } => "output-shortened",
            Error::Broker { mistake, .. } => match mistake {
                BrokerMistake::NoAnswer => "broker-no-answer",
                BrokerMistake::Unknown => "broker-unknown-name",
                BrokerMistake::Refused => "broker-refused",
                BrokerMistake::Login => "broker-login",
                BrokerMistake::Certificate => "broker-certificate",
                BrokerMistake::Gone { .. } => "broker-messages-gone",
                BrokerMistake::Anew => "broker-made-anew",
                BrokerMistake::Foreign => "broker-foreign-messages",
            },
            Error::Mismatch { .. } => "mismatch",
            Error::Internal { .. } => "internal",
        }
    }

    /// Where it is: `file`, `file:line` or `file, record n, column`.
    pub fn location(&self) -> Option<String> {
        match self {
            Error::NotFound { path }
            | Error::Permission { path, .. }
            | Error::DiskFull { path }
            | Error::Io { path, .. }
            | Error::BadPattern { path }
            | Error::UnknownFormat { path }
            | Error::MixedFormats { path }
            | Error::MixedColumns { path, .. }
            | Error::EmptyFile { path }
            | Error::NoRecords { path }
            | Error::Parquet { path }
            | Error::Packed { path }
            | Error::Spreadsheet { path, .. }
            | Error::TooLarge { path, .. }
            | Error::Ambiguous { path, .. }
            | Error::Unencodable { path, .. }
            | Error::FallTogether { path, .. }
            | Error::Batches { path, .. }
            | Error::Shortened { path }
            | Error::UnsupportedType { path, .. }
            | Error::UnknownColumn { path, .. }
            | Error::TooManyRecords { path, .. } => Some(path.display().to_string()),
            Error::Csv { path, line, .. } | Error::Json { path, line, .. } => {
                Some(format!("{}:{line}", path.display()))
            }
            Error::WrongKind {
                path,
                column,
                record,
                ..
            } => Some(format!(
                "{}, record {record}, column `{column}`",
                path.display()
            )),
            Error::Broker { address, .. } => Some(address.clone()),
            Error::Mismatch { .. } | Error::Internal { .. } => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::NotFound { .. } => {
                "check the path; it may be a file, a directory or a pattern such as `data/*.csv`"
                    .into()
            }
            Error::Permission { .. } => "change the permissions or choose another place".into(),
            Error::DiskFull { .. } => "free some space or choose another place".into(),
            Error::Io { .. } => "check the disk and try again".into(),
            Error::BadPattern { .. } => {
                "use `*`, `?` and `[abc]`, and `**` only as a whole directory".into()
            }
            Error::UnknownFormat { path } => {
                let extension = path.extension().and_then(|ending| ending.to_str());
                match extension.map(str::to_ascii_lowercase).as_deref() {
                    Some("sav" | "zsav" | "por" | "dta" | "sas7bdat" | "xpt") => {
                        "files of SPSS, Stata and SAS are not read: convert it to CSV or Parquet there".into()
                    }
                    _ => "name the file .csv, .parquet, .json or .xlsx, or give the `format`".into(),
                }
            }
            Error::MixedFormats { .. } => "give a pattern that matches files of one format".into(),
            Error::MixedColumns { .. } => {
                "give every file of the source the same columns in the same order".into()
            }
            Error::EmptyFile { .. } | Error::Packed { .. } => "check that the file was written completely".into(),
            Error::NoRecords { .. } => "give the source at least one record".into(),
            Error::Csv { mistake, .. } => match mistake {
                CsvMistake::Ragged { expected, .. } => format!(
                    "give the record {expected} cells, quote cells that hold the delimiter, or give the `delimiter`"
                ),
                CsvMistake::UnclosedQuote => {
                    "close the quote, or double each quote inside a quoted cell".into()
                }
                CsvMistake::NulByte => {
                    "remove the byte, or give the `encoding` if this is UTF-16".into()
                }
                CsvMistake::BadEncoding { .. } => {
                    "save the file as UTF-8, or give its `encoding`".into()
                }
                CsvMistake::DuplicateColumn { .. } => {
                    "rename one of the two columns in the header".into()
                }
                CsvMistake::UnnamedColumn { .. } => {
                    "give the column a name in the header, or say `header = false`".into()
                }
                CsvMistake::TooLarge { .. } => {
                    "check for a missing closing quote or line end".into()
                }
            },
            Error::Json { mistake, .. } => match mistake {
                JsonMistake::Malformed { .. } => "write one complete JSON object per line".into(),
                JsonMistake::NotAnObject => {
                    "write one object per line, without a list around them".into()
                }
                JsonMistake::Nested { .. } => "flatten the value into columns of its own".into(),
                JsonMistake::DuplicateKey { .. } => "rename one of the two keys".into(),
                JsonMistake::Sparse { .. } => {
                    "give every object the same keys: a key names a column, data belongs into values".into()
                }
                JsonMistake::EmptyKey { .. } => "give the key a name".into(),
            },
            Error::Parquet { .. } => {
                "check that the file was written completely and is Parquet".into()
            }
            Error::Spreadsheet { mistake, .. } => match mistake {
                SpreadsheetMistake::Damaged => {
                    "open it in a spreadsheet, take off its password and save it anew, or save it as CSV".into()
                }
                SpreadsheetMistake::NoSheet { .. } => {
                    "give the `sheet` by its name or its number from 1".into()
                }
                SpreadsheetMistake::UnnamedColumn { .. } => {
                    "give the column a name, or say how many rows are above the header with `skip-rows`".into()
                }
                SpreadsheetMistake::DuplicateColumn { .. } => "rename one of the two columns".into(),
                SpreadsheetMistake::EmptyRecord | SpreadsheetMistake::TooLarge => {
                    "publish another `format`".into()
                }
                SpreadsheetMistake::Scattered => {
                    "delete what stands outside of the table, or save the sheet as CSV".into()
                }
            },
            Error::TooLarge { .. } => {
                "unpack it yourself and give the unpacked file, if it is what it should be".into()
            }
            Error::Ambiguous {
                column, one, other, ..
            } => format!(
                "say which at the attribute `{column}`: `{one}` or `{other}`"
            ),
            Error::Unencodable { .. } => {
                "publish in UTF-8: leave out `encoding` under `[release]`".into()
            }
            Error::FallTogether { .. } => {
                "ask the publisher: the file is not written as its certificate says".into()
            }
            Error::Batches { .. } => {
                "give every batch the same columns, each with its own name and values of a plain type".into()
            }
            Error::UnsupportedType { .. } => {
                "leave the column out with `columns`, or flatten it".into()
            }
            Error::UnknownColumn { .. } => {
                "check the spelling against the header, upper and lower case included".into()
            }
            Error::WrongKind { .. } => {
                "correct the record, list the text under `missing-values`, give the `format` or the `decimal` mark, or declare the column as text"
                    .into()
            }
            Error::TooManyRecords { .. } => "split the source into parts".into(),
            Error::Shortened { .. } => {
                "put the file back as it was, or start in a new directory".into()
            }
            Error::Broker { mistake, .. } => match mistake {
                BrokerMistake::NoAnswer => {
                    "start the broker or correct the address, and run it again: the stream goes on from its checkpoint".into()
                }
                BrokerMistake::Unknown => {
                    "make the stream or topic, or correct its name in the policy".into()
                }
                BrokerMistake::Refused => {
                    "look into the broker's log: rights, limits and the size of messages".into()
                }
                BrokerMistake::Login => {
                    "give `user` and `password-file` or `password-env` in `[broker]`, and `mechanism` as the broker checks it".into()
                }
                BrokerMistake::Certificate => {
                    "give the file of the authority as `ca` in `[broker]`; the certificate must name the host in the address".into()
                }
                BrokerMistake::Gone { .. } => {
                    "keep messages in the broker for longer than a stream may stand still; to go on without them, start in a new directory".into()
                }
                BrokerMistake::Anew => {
                    "the stream or topic was made anew: start in a new directory".into()
                }
                BrokerMistake::Foreign => "give the windows a stream or topic of their own".into(),
            },
            Error::Mismatch { .. } => "pass the table, summary and recoding of one run".into(),
            Error::Internal { .. } => {
                "this is a bug of ours: please report it with the command you ran".into()
            }
        }
    }
}
