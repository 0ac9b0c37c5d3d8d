//! What can go wrong in the gateway, in words that quote no cell and no password.

use crate::view::ViewMistake;
use thiserror::Error;

/// A mistake of the set-up, the client or the backend.
#[derive(Debug, Error)]
pub enum Error {
    /// The access policy or a request against it.
    #[error(transparent)]
    Access(#[from] denym_purpose::Error),
    /// A file that cannot be read or written.
    #[error("{what} cannot be used: {kind}")]
    File {
        /// What the file is for.
        what: &'static str,
        /// The operating system's kind of error.
        kind: std::io::ErrorKind,
    },
    /// A users file with a line that is no user.
    #[error("line {line} of the users file is not `name:verifier`")]
    UsersLine {
        /// Line number, from 1.
        line: usize,
    },
    /// A certificate or key that cannot be used.
    #[error("the TLS {what} cannot be used")]
    Tls {
        /// Certificate or key.
        what: &'static str,
    },
    /// A connection to PostgreSQL that cannot be used, or would not be protected.
    #[error("the connection to PostgreSQL: {what}")]
    Backend {
        /// What is wrong.
        what: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A governed table whose data does not fit the policy.
    #[error("table `{table}`: {what}")]
    Table {
        /// The table.
        table: String,
        /// What does not fit.
        what: String,
    },
    /// A statement that is not on the list.
    #[error("this statement is not allowed here: {what}")]
    NotAllowed {
        /// The kind of statement.
        what: String,
    },
    /// A view of the session that cannot be made, dropped or read.
    #[error("view `{name}`: {mistake}")]
    View {
        /// The view.
        name: String,
        /// Why not.
        mistake: ViewMistake,
    },
    /// A statement that is no SQL.
    #[error("the statement cannot be read")]
    Syntax,
    /// The audit log was changed.
    #[error("the audit log does not hold from entry {entry}")]
    AuditBroken {
        /// The first entry that does not follow from the one before, from 1.
        entry: usize,
    },
}

impl Error {
    /// Stable name of the kind of mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Access(error) => error.code(),
            Self::File { .. } => "file-unusable",
            Self::UsersLine { .. } => "users-line-unreadable",
            Self::Tls { .. } => "tls-unusable",
            Self::Backend { .. } => "backend-unprotected",
            Self::Table { .. } => "table-does-not-fit",
            Self::NotAllowed { .. } => "statement-not-allowed",
            Self::View { .. } => "view-not-possible",
            Self::Syntax => "statement-unreadable",
            Self::AuditBroken { .. } => "audit-broken",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Access(error) => error.help(),
            Self::File { .. } => "check the path and who may read it".into(),
            Self::UsersLine { .. } => "write the user again with `denym access user add`".into(),
            Self::Tls { .. } => {
                "give PEM files: a certificate chain and its PKCS#8 key, or an authority; the gateway does not start without TLS once it is asked for".into()
            }
            Self::Backend { help, .. } => (*help).into(),
            Self::Table { .. } => "make the policy's columns and types fit the data".into(),
            Self::NotAllowed { .. } => {
                "queries, SET denym.purpose, CREATE TEMP VIEW and transactions without effect are allowed".into()
            }
            Self::View { mistake, .. } => mistake.help().into(),
            Self::Syntax => "write one PostgreSQL query; a purpose goes last: FOR PURPOSE name".into(),
            Self::AuditBroken { .. } => "keep the file, and find out who wrote to it".into(),
        }
    }

    /// The SQLSTATE that clients see.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            Self::Access(_) | Self::NotAllowed { .. } => "42501",
            Self::View { mistake, .. } => mistake.sqlstate(),
            Self::Syntax => "42601",
            Self::Table { .. } => "42P01",
            _ => "58000",
        }
    }

    /// For a file error.
    pub(crate) fn file(what: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::File {
            what,
            kind: error.kind(),
        }
    }
}
