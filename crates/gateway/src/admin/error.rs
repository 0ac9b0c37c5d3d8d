//! What can go wrong in the steward's half; never a cell value, never a password.

use std::path::{Path, PathBuf};

use denym_purpose::Mistake;
use thiserror::Error;

/// One mistake among several in a file that is to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line or record, from 1.
    pub place: usize,
    /// Stable name of the kind of mistake.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// A mistake of the steward, or a file that cannot be used.
#[derive(Debug, Error)]
pub enum Error {
    /// The policy, or a list of consent, has mistakes.
    #[error("the policy has {} mistake(s)", mistakes.len())]
    Policy {
        /// The file.
        file: PathBuf,
        /// Its text.
        text: String,
        /// Every mistake, in order of place.
        mistakes: Vec<Mistake>,
    },
    /// A request that the policy does not fit.
    #[error(transparent)]
    Access(#[from] denym_purpose::Error),
    /// A file that is no users file, consent file or audit log.
    #[error("{error}")]
    Gateway {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        error: crate::Error,
    },
    /// The data of a table cannot be read.
    #[error("{error}")]
    Data {
        /// What is wrong.
        error: denym_engine::Error,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {what}: {}", reason(*kind))]
    File {
        /// Read or write.
        action: &'static str,
        /// What the file is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's kind of error.
        kind: std::io::ErrorKind,
    },
    /// A table of text that has no shape.
    #[error("record {record} of {what} has another number of cells than the header")]
    Ragged {
        /// What the file is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The record, from 1.
        record: usize,
    },
    /// A quote that is not closed.
    #[error("a quote in {what} is not closed")]
    OpenQuote {
        /// What the file is.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A file without the columns that are needed.
    #[error("{what} has no column `{column}`")]
    NoColumn {
        /// What the file is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Entries of an import that are not taken; then nothing is.
    #[error("{} of the entries cannot be taken; nothing was written", faults.len())]
    Import {
        /// The file.
        path: PathBuf,
        /// What is wrong with each.
        faults: Vec<Fault>,
    },
    /// An import whose form is not known.
    #[error("the form of the file is not known")]
    ImportForm {
        /// The file.
        path: PathBuf,
    },
    /// A form that is about one table.
    #[error("this form is about one table")]
    TableNeeded,
    /// A table that keeps no consent of single records.
    #[error("table `{table}` keeps no consent of single records")]
    NoStorage {
        /// The table.
        table: String,
    },
    /// Consent in a data file that we do not rewrite.
    #[error("the consent of table `{table}` is in its data, which is no CSV file")]
    NotCsv {
        /// The table.
        table: String,
    },
    /// A table whose data is nowhere to be found.
    #[error("the data of table `{table}` is needed for this")]
    NoData {
        /// The table.
        table: String,
    },
    /// A table without the column that identifies a record.
    #[error("table `{table}` has no key column")]
    NoKey {
        /// The table.
        table: String,
    },
    /// A record that the data does not have.
    #[error("table `{table}` has no record with this key")]
    RecordUnknown {
        /// The table.
        table: String,
    },
    /// A key that more than one record has.
    #[error("table `{table}` has {count} records with this key")]
    RecordTwice {
        /// The table.
        table: String,
        /// How many.
        count: usize,
    },
    /// More purposes than companion numbers hold.
    #[error("the consent needs more bits than a companion number has")]
    TooManyPurposes,
    /// A user who is there already.
    #[error("user `{name}` is there already")]
    UserExists {
        /// The user.
        name: String,
    },
    /// A user who is not there.
    #[error("there is no user `{name}` in the users file")]
    UserUnknown {
        /// The user.
        name: String,
    },
    /// A name that no login can have.
    #[error("this name cannot be used for a login: {why}")]
    UserName {
        /// Why not.
        why: &'static str,
    },
    /// A password that is none.
    #[error("the password cannot be used: {why}")]
    Password {
        /// Why not.
        why: &'static str,
    },
    /// A hash that the audit log does not have.
    #[error("the audit log has no entry with this hash")]
    HashUnknown {
        /// The log.
        path: PathBuf,
    },
    /// No table of the policy can be written as SQL.
    #[error("no table can be written as SQL for this purpose")]
    NothingInSql {
        /// Why not, one line for each table.
        why: Vec<String>,
    },
}

impl Error {
    pub(crate) fn file(
        action: &'static str,
        what: &'static str,
        path: &Path,
    ) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::File {
            action,
            what,
            path: path.to_owned(),
            kind: error.kind(),
        }
    }

    /// The same as the gateway itself says it, when it reads the file at its start.
    pub(crate) fn for_clients(self) -> crate::Error {
        match self {
            Self::Policy { text, mistakes, .. } => crate::Error::Policy { text, mistakes },
            Self::Access(error) => crate::Error::Access(error),
            Self::Gateway { error, .. } => error,
            Self::File { what, kind, .. } => crate::Error::File { what, kind },
            _ => crate::Error::File {
                what: "a file of the policy",
                kind: std::io::ErrorKind::InvalidData,
            },
        }
    }

    /// Whether this is a refusal (a check that does not hold) rather than bad input.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::HashUnknown { .. }
                | Self::Gateway {
                    error: crate::Error::AuditBroken { .. },
                    ..
                }
        )
    }

    /// Stable name of the kind of mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Policy { mistakes, .. } => mistakes
                .first()
                .map_or("policy-mistakes", |mistake| mistake.code),
            Self::Access(error) => error.code(),
            Self::Gateway { error, .. } => error.code(),
            Self::Data { error } => error.code(),
            Self::File { .. } => "io",
            Self::Ragged { .. } => "csv-ragged",
            Self::OpenQuote { .. } => "csv-open-quote",
            Self::NoColumn { .. } => "unknown-column",
            Self::Import { faults, .. } => faults.first().map_or("import", |fault| fault.code),
            Self::ImportForm { .. } => "import-form-unknown",
            Self::TableNeeded => "table-missing",
            Self::NoStorage { .. } => "consent-not-stored",
            Self::NotCsv { .. } => "consent-not-csv",
            Self::NoData { .. } => "data-missing",
            Self::NoKey { .. } => "key-column-missing",
            Self::RecordUnknown { .. } => "record-unknown",
            Self::RecordTwice { .. } => "record-twice",
            Self::TooManyPurposes => "companion-too-narrow",
            Self::UserExists { .. } => "user-exists",
            Self::UserUnknown { .. } => "user-unknown",
            Self::UserName { .. } => "user-name",
            Self::Password { .. } => "password",
            Self::HashUnknown { .. } => "audit-hash-unknown",
            Self::NothingInSql { .. } => "not-in-sql",
        }
    }

    /// Where the mistake is.
    pub fn location(&self) -> Option<String> {
        match self {
            Self::Policy {
                file,
                text,
                mistakes,
            } => Some(mistakes.first().map_or_else(
                || file.display().to_string(),
                |first| format!("{}:{}", file.display(), first.line(text)),
            )),
            Self::Access(error) => error.location(),
            Self::Gateway { file, error } => Some(match error {
                crate::Error::AuditBroken { entry } => format!("{}:{entry}", file.display()),
                crate::Error::UsersLine { line } => format!("{}:{line}", file.display()),
                _ => file.display().to_string(),
            }),
            Self::Data { error } => error.location(),
            Self::Ragged { path, record, .. } => {
                Some(format!("{}: record {record}", path.display()))
            }
            Self::Import { path, faults } => Some(faults.first().map_or_else(
                || path.display().to_string(),
                |first| format!("{}: record {}", path.display(), first.place),
            )),
            Self::File { path, .. }
            | Self::OpenQuote { path, .. }
            | Self::NoColumn { path, .. }
            | Self::ImportForm { path }
            | Self::HashUnknown { path } => Some(path.display().to_string()),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Policy { mistakes, .. } => mistakes
                .first()
                .map_or_else(String::new, |first| first.help.clone()),
            Self::Access(error) => error.help(),
            Self::Gateway { error, .. } => error.help(),
            Self::Data { error } => error.help(),
            Self::File { kind, .. } => match kind {
                std::io::ErrorKind::NotFound => "check the path".into(),
                std::io::ErrorKind::PermissionDenied => {
                    "check the owner and the permissions of the file and its directory".into()
                }
                std::io::ErrorKind::StorageFull => {
                    "free some space and do it again; the file is as it was".into()
                }
                _ => "check the path and the disk; the file is as it was".into(),
            },
            Self::Ragged { .. } => "give every record as many cells as the header".into(),
            Self::OpenQuote { .. } => "close the quote, or double it inside a quoted cell".into(),
            Self::NoColumn { .. } => "add the column, or name another one in the policy".into(),
            Self::Import { faults, .. } => faults
                .first()
                .map_or_else(String::new, |fault| fault.help.clone()),
            Self::ImportForm { .. } => {
                "give a TOML file, a CSV file with the header table,record,column,intended, or say --table for companion columns and record codes".into()
            }
            Self::TableNeeded => "name it with --table".into(),
            Self::NoStorage { .. } => {
                "add `consent = \"table\"` and `key = \"column\"` to the table in the policy".into()
            }
            Self::NotCsv { .. } => {
                "keep the consent apart: `consent = \"table\"` in the policy".into()
            }
            Self::NoData { .. } => {
                "give the file with --data, or set `source` in the policy".into()
            }
            Self::NoKey { .. } => "add `key = \"column\"` to the table in the policy".into(),
            Self::RecordUnknown { .. } => {
                "check the key; `consent set --new` writes consent ahead of its record".into()
            }
            Self::RecordTwice { .. } => "a key must identify one record; correct the data".into(),
            Self::TooManyPurposes => {
                "use `consent = \"table\"` or `consent = { row-code = \"column\" }`".into()
            }
            Self::UserExists { .. } => "give it a new password with --replace".into(),
            Self::UserUnknown { .. } => "see `denym access user list`".into(),
            Self::UserName { .. } => {
                "use up to 63 letters, digits and signs without colon, space at an end, or #".into()
            }
            Self::Password { .. } => {
                "give one line of text on standard input, at the prompt, or in a file".into()
            }
            Self::HashUnknown { .. } => {
                "entries were cut off or the log was begun anew since the hash was noted; find out who wrote to it".into()
            }
            Self::NothingInSql { why } => why
                .first()
                .cloned()
                .unwrap_or_else(|| "govern a table in the policy first".into()),
        }
    }
}

/// The reason in words of ours.
fn reason(kind: std::io::ErrorKind) -> &'static str {
    match kind {
        std::io::ErrorKind::NotFound => "it does not exist",
        std::io::ErrorKind::PermissionDenied => "permission denied",
        std::io::ErrorKind::StorageFull => "the disk is full",
        std::io::ErrorKind::IsADirectory => "it is a directory",
        std::io::ErrorKind::NotADirectory => "a part of its path is not a directory",
        std::io::ErrorKind::InvalidData => "it is not UTF-8 text",
        _ => "the system refused",
    }
}
