//! What can go wrong in the gateway, in words that quote no cell and no password.

use crate::view_mistake::ViewMistake;
use denym_purpose::Mistake;
use thiserror::Error;

/// A mistake of the set-up, the client or the backend.
#[derive(Debug, Error)]
pub enum Error {
    /// A request against the access policy.
    #[error(transparent)]
    Access(#[from] denym_purpose::Error),
    /// The access policy has mistakes.
    #[error("the policy has {} mistake(s)", mistakes.len())]
    Policy {
        /// Its text.
        text: String,
        /// Every mistake, in order of place.
        mistakes: Vec<Mistake>,
    },
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
    /// A password where everybody on the machine can read it.
    #[error("a password in `{argument}` can be read by everybody on this machine")]
    PasswordGiven {
        /// The argument.
        argument: &'static str,
    },
    /// A file of passwords that cannot be used.
    #[error("the passwords of the PostgreSQL logins: {what}")]
    Passwords {
        /// What is wrong.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// The PostgreSQL server does not let the gateway in.
    #[error("the PostgreSQL server does not let `{login}` in: {what}")]
    NotLetIn {
        /// The login.
        login: String,
        /// What happened.
        what: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A login that can see more than the views of its purpose.
    #[error("the login `{login}` can do more than read the views of its purpose: it {}", findings.iter().map(|one| one.what.as_str()).collect::<Vec<_>>().join("; it "))]
    SeesTooMuch {
        /// The login.
        login: String,
        /// What it can do.
        findings: Vec<Finding>,
    },
    /// Views that are not those of the policy.
    #[error(
        "the views of the purpose `{purpose}` in PostgreSQL are not those of this policy: {what}"
    )]
    ViewsDiffer {
        /// The purpose.
        purpose: String,
        /// What differs.
        what: String,
    },
    /// A governed table whose data does not fit the policy.
    #[error("table `{table}`: {what}")]
    Table {
        /// The table.
        table: String,
        /// What does not fit.
        what: String,
    },
    /// A table whose file is not the one that was opened.
    #[error("table `{table}` is not served: {what}")]
    Changed {
        /// The table.
        table: String,
        /// What changed.
        what: String,
    },
    /// A row of the consent file that counts for nothing.
    #[error("{} is not served: row {row} of the consent file: {what}", not_served(table.as_deref()))]
    Consent {
        /// The table; `None` for every table that keeps its consent in the file.
        table: Option<String>,
        /// The row, from 1, without the header.
        row: usize,
        /// What is wrong with it.
        what: &'static str,
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
    /// A file with secrets that others may read.
    #[error("{what} can be read by others")]
    Readable {
        /// What the file is for.
        what: &'static str,
    },
    /// The audit log takes no entries now.
    #[error("the audit log cannot be written ({kind}), and nothing is answered without it")]
    AuditFailing {
        /// The operating system's kind of error.
        kind: std::io::ErrorKind,
    },
    /// Another process writes the audit log.
    #[error("another gateway writes this audit log")]
    AuditLocked,
    /// The policy on disk is no longer the one that is served.
    #[error("{what}, so no governed table is served")]
    PolicyStale {
        /// What happened to it.
        what: &'static str,
    },
    /// A name that is no column of a relation in sight.
    #[error("column \"{name}\" does not exist")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A name that several relations have.
    #[error("column reference \"{name}\" is ambiguous")]
    Ambiguous {
        /// The name.
        name: String,
    },
    /// A text for PostgreSQL that does not read back as what was to be said: our mistake, and nothing is sent.
    #[error("the gateway could not make sure of what it would send, so it sent nothing")]
    Mistrusted,
    /// The audit log was changed.
    #[error("the audit log does not hold from entry {entry}")]
    AuditBroken {
        /// The first entry that does not follow from the one before, from 1.
        entry: usize,
    },
}

/// A right that a login should not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What the login does or may do: `is a superuser`.
    pub what: String,
    /// The statement that takes it away.
    pub mend: String,
}

impl Error {
    /// Stable name of the kind of mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Access(error) => error.code(),
            Self::Policy { .. } => "policy-mistakes",
            Self::File { .. } => "file-unusable",
            Self::UsersLine { .. } => "users-line-unreadable",
            Self::Tls { .. } => "tls-unusable",
            Self::Backend { .. } => "backend-unprotected",
            Self::PasswordGiven { .. } => "password-in-arguments",
            Self::Passwords { .. } => "passwords-unusable",
            Self::NotLetIn { .. } => "backend-unreachable",
            Self::SeesTooMuch { .. } => "login-sees-too-much",
            Self::ViewsDiffer { .. } => "views-differ",
            Self::Table { .. } => "table-does-not-fit",
            Self::Changed { .. } => "data-changed",
            Self::Consent { .. } => "consent-does-not-match",
            Self::NotAllowed { .. } => "statement-not-allowed",
            Self::View { .. } => "view-not-possible",
            Self::Syntax => "statement-unreadable",
            Self::Readable { .. } => "readable-by-others",
            Self::AuditFailing { .. } => "audit-not-written",
            Self::AuditLocked => "audit-locked",
            Self::PolicyStale { .. } => "policy-changed",
            Self::Unknown { .. } => "column-unknown",
            Self::Ambiguous { .. } => "column-ambiguous",
            Self::Mistrusted => "statement-mistrusted",
            Self::AuditBroken { .. } => "audit-broken",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Access(error) => error.help(),
            Self::Policy { mistakes, .. } => mistakes
                .first()
                .map_or_else(String::new, |first| first.help.clone()),
            Self::File { .. } => "check the path and who may read it".into(),
            Self::UsersLine { .. } => "write the user again with `denym access user add`".into(),
            Self::Tls { .. } => {
                "give PEM files: a certificate chain and its PKCS#8 key, or an authority; the gateway does not start without TLS once it is asked for".into()
            }
            Self::Backend { help, .. }
            | Self::Passwords { help, .. }
            | Self::NotLetIn { help, .. } => (*help).into(),
            Self::PasswordGiven { .. } => {
                "leave it out; put it into a file that only you can read (chmod 600), one line for each login, `*:*:*:LOGIN:PASSWORD`, \
                 and name the file with --postgres-passwords or in PGPASSFILE; `denym access ddl --passwords FILE` writes such a file".into()
            }
            Self::SeesTooMuch { findings, .. } => {
                let mends: Vec<&str> = findings.iter().map(|one| one.mend.as_str()).collect();
                format!("as an administrator of that database: {}; then start again", mends.join("; "))
            }
            Self::ViewsDiffer { .. } => {
                "run `denym access ddl` with this policy and give what it prints to psql, as an administrator of that database".into()
            }
            Self::Table { .. } => "make the policy's columns and types fit the data".into(),
            Self::Changed { .. } => {
                "put a file with the same columns in the same order there, or start the gateway again with the new one".into()
            }
            Self::Consent { .. } => {
                "mend or remove the row; `denym access consent list` shows what the file says".into()
            }
            Self::NotAllowed { .. } => {
                "queries, SET denym.purpose, CREATE TEMP VIEW and transactions without effect are allowed".into()
            }
            Self::View { mistake, .. } => mistake.help().into(),
            Self::Syntax => "write one PostgreSQL query; a purpose goes last: FOR PURPOSE name".into(),
            Self::Readable { .. } => {
                "close it with chmod 600; a secret that others may have read is better removed: a new one is made at the next start".into()
            }
            Self::AuditFailing { .. } => {
                "the steward makes room on the disk, or mends it; the gateway then goes on by itself".into()
            }
            Self::AuditLocked => {
                "stop the other gateway, or give this one a log of its own with --audit".into()
            }
            Self::PolicyStale { .. } => {
                "the steward mends the policy; a change of its tables or purposes counts after a restart".into()
            }
            Self::Unknown { .. } => {
                "name a column of a table, subquery or WITH query of the statement; relation.name is no call of a function here".into()
            }
            Self::Ambiguous { .. } => "write the relation's name and a dot before it".into(),
            Self::Mistrusted => "this is a bug of the gateway: report the statement".into(),
            Self::AuditBroken { .. } => {
                "keep the file and find out who wrote to it; the gateway starts with another --audit".into()
            }
        }
    }

    /// The SQLSTATE that clients see.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            Self::Access(_) | Self::Policy { .. } | Self::NotAllowed { .. } => "42501",
            Self::View { mistake, .. } => mistake.sqlstate(),
            Self::Syntax => "42601",
            Self::Unknown { .. } => "42703",
            Self::Ambiguous { .. } => "42702",
            Self::Mistrusted => "XX000",
            Self::Table { .. } => "42P01",
            // disk full is by far the most common
            Self::AuditFailing { .. } => "53100",
            Self::Changed { .. } | Self::Consent { .. } => "55000",
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

fn not_served(table: Option<&str>) -> String {
    match table {
        Some(table) => format!("table `{table}`"),
        None => "every table with consent in the consent file".into(),
    }
}
