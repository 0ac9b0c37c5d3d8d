//! What can go wrong on the way from a policy to a release.

use std::path::PathBuf;

use thiserror::Error;

use crate::policy::Mistake;

/// Why there is no release, no audit, no answer.
#[derive(Debug, Error)]
pub enum Error {
    /// The policy has mistakes.
    #[error("the policy has {}", count(mistakes.len(), "mistake"))]
    Policy {
        /// The policy's file.
        file: PathBuf,
        /// Its text.
        text: String,
        /// What is wrong, in order of place.
        mistakes: Vec<Mistake>,
    },
    /// The data cannot be read, summarized or written.
    #[error(transparent)]
    Engine(#[from] denym_engine::Error),
    /// The data does not fit.
    #[error(transparent)]
    Data(#[from] denym_data::Error),
    /// A hierarchy does not fit its column.
    #[error("the hierarchy of `{attribute}` does not fit: {error}")]
    Hierarchy {
        /// The column.
        attribute: String,
        /// The file it came from, when it came from one.
        file: Option<PathBuf>,
        /// What is wrong.
        error: denym_data::Error,
    },
    /// Several things at once.
    #[error("{} (and {} more)", .0[0], .0.len() - 1)]
    Several(Vec<Error>),
    /// No recoding keeps the promises.
    #[error(transparent)]
    Solver(#[from] denym_tabular::Error),
    /// No release of paths keeps the promises, or a table of paths cannot be built.
    #[error(transparent)]
    PathSolver(denym_sequences::Error),
    /// A file of paths or transactions has a mistake.
    #[error("{error}")]
    Paths {
        /// The file.
        place: PathBuf,
        /// What is wrong; its row counts from 1.
        error: denym_data::paths::PathsError,
    },
    /// More records stand out by their quasi-identifiers than may be removed.
    #[error(
        "{dropped} records stand out by their quasi-identifiers; at most {allowed} may be removed"
    )]
    TooManyDropped {
        /// Records that would have to go.
        dropped: u64,
        /// Records that may go.
        allowed: u64,
    },
    /// Numbers cannot be grouped or perturbed as asked.
    #[error(transparent)]
    Microdata(#[from] denym_microdata::Error),
    /// The operating system gives no random bits.
    #[error("the operating system gives no randomness")]
    NoRandomness,
    /// The stream cannot go on.
    #[error(transparent)]
    Stream(#[from] denym_stream::Error),
    /// A release that cannot be read or judged.
    #[error(transparent)]
    Release(#[from] denym_release::Error),
    /// Not one event of a stream could be read.
    #[error("none of {events} events can be read{}", absent_columns(absent))]
    NothingReadable {
        /// Events that came.
        events: u64,
        /// Where they came from, as the policy names it.
        source_name: String,
        /// Columns of the policy that no event has.
        absent: Vec<String>,
    },
    /// A checkpoint that cannot be believed.
    #[error("the checkpoint of this stream {what}")]
    Checkpoint {
        /// What is wrong with it.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A name on the command line that the data does not have.
    #[error("there is no column `{column}`")]
    UnknownColumn {
        /// The column asked for.
        column: String,
        /// Where it was looked for.
        place: String,
        /// What to use instead.
        help: String,
    },
    /// An argument that makes no sense.
    #[error("{what}")]
    Argument {
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: String,
    },
    /// An attack cannot be run on this input.
    #[error("{what}")]
    Attack {
        /// What is wrong.
        what: String,
        /// A stable name for it.
        code: &'static str,
        /// What to do about it.
        help: String,
    },
    /// The promise cannot be kept on this data.
    #[error("{what}")]
    Infeasible {
        /// What stands in the way.
        what: String,
        /// A stable name for it.
        code: &'static str,
        /// The nearest point that can be reached.
        help: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action}: {}", reason(*kind))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        kind: std::io::ErrorKind,
    },
    /// The target is there already.
    #[error("the output directory exists")]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// A file of a bundle is not what it should be.
    #[error("the bundle is broken: {what}")]
    Bundle {
        /// What is wrong.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A ledger that cannot be used here, or is not what it was.
    #[error("{error}")]
    Ledger {
        /// What is wrong.
        error: crate::ledger::LedgerError,
        /// Where the ledger is.
        path: PathBuf,
    },
    /// The user asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// The source is no longer what was read.
    #[error("the source changed after it was read")]
    SourceChanged {
        /// Where it is.
        path: PathBuf,
    },
    /// Time or effort ended before anything was found.
    #[error("nothing was found within the time or effort given")]
    OutOfTime,
    /// Our bug.
    #[error("internal error: {what}")]
    Internal {
        /// What was found that cannot be.
        what: String,
    },
}

impl From<denym_sequences::Error> for Error {
    fn from(error: denym_sequences::Error) -> Error {
        match error {
            denym_sequences::Error::Stopped => Error::Stopped,
            error => Error::PathSolver(error),
        }
    }
}

impl From<denym_data::paths::PathsError> for Error {
    fn from(error: denym_data::paths::PathsError) -> Error {
        Error::PathSolver(denym_sequences::Error::Paths(error))
    }
}

impl Error {
    /// A failed file operation.
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
        error: &std::io::Error,
    ) -> Error {
        Error::Io {
            action,
            path: path.to_owned(),
            kind: error.kind(),
        }
    }

    /// One error for one or many.
    pub(crate) fn several(mut errors: Vec<Error>) -> Error {
        if errors.len() == 1 {
            errors.remove(0)
        } else {
            Error::Several(errors)
        }
    }

    /// What the process exits with: 1 refused, 2 bad input or I/O, 3 our bug.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Solver(denym_tabular::Error::Infeasible { .. })
            | Error::Microdata(
                denym_microdata::Error::Infeasible | denym_microdata::Error::TooFewRecords { .. },
            )
            | Error::Infeasible { .. }
            | Error::Release(denym_release::Error::Infeasible { .. })
            | Error::OutOfTime
            | Error::TooManyDropped { .. } => 1,
            Error::PathSolver(error) if error.is_refusal() => 1,
            Error::Several(errors) if errors.iter().any(|error| error.exit_code() == 3) => 3,
            Error::Internal { .. }
            | Error::Engine(
                denym_engine::Error::Internal { .. } | denym_engine::Error::Mismatch { .. },
            )
            | Error::PathSolver(denym_sequences::Error::Internal { .. })
            | Error::Stream(denym_stream::Error::Internal { .. })
            | Error::Release(denym_release::Error::Internal { .. }) => 3,
            _ => 2,
        }
    }

    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Policy { mistakes, .. } => {
                mistakes.first().map_or("policy", |mistake| mistake.code)
            }
            Error::Engine(error) => error.code(),
            Error::Data(error) | Error::Hierarchy { error, .. } => error.code(),
            Error::Several(errors) => errors[0].code(),
            Error::Solver(error) => error.code(),
            Error::PathSolver(error) => error.code(),
            Error::Paths { error, .. } => error.code(),
            Error::TooManyDropped { .. } => "paths-too-many-records",
            Error::Microdata(error) => error.code(),
            Error::NoRandomness => "no-randomness",
            Error::Stream(error) => error.code(),
            Error::Release(error) => error.code(),
            Error::NothingReadable { .. } => "stream-nothing-readable",
            Error::Checkpoint { .. } => "stream-checkpoint",
            Error::UnknownColumn { .. } => "unknown-column",
            Error::Argument { .. } => "argument",
            Error::Attack { code, .. } | Error::Infeasible { code, .. } => code,
            Error::Io { .. } => "io",
            Error::Exists { .. } => "output-exists",
            Error::Bundle { .. } => "bundle-broken",
            Error::Ledger { error, .. } => error.code(),
            Error::Stopped => "stopped",
            Error::SourceChanged { .. } => "source-changed",
            Error::OutOfTime => "out-of-time",
            Error::Internal { .. } => "internal",
        }
    }

    /// Where it went wrong.
    pub fn location(&self) -> Option<String> {
        match self {
            Error::Policy {
                file,
                text,
                mistakes,
            } => mistakes
                .first()
                .map(|mistake| format!("{}:{}", file.display(), mistake.line(text))),
            Error::Engine(error) => error.location(),
            Error::Release(error) => error.location(),
            Error::Hierarchy {
                file: Some(file),
                error,
                ..
            } => Some(error.line().map_or_else(
                || file.display().to_string(),
                |line| format!("{}:{line}", file.display()),
            )),
            Error::Several(errors) => errors[0].location(),
            Error::Paths { place, error } => Some(match error.location() {
                Some(row) => format!("{}: {row}", place.display()),
                None => place.display().to_string(),
            }),
            Error::UnknownColumn { place, .. } => Some(place.clone()),
            Error::NothingReadable { source_name, .. } => Some(source_name.clone()),
            Error::Io { path, .. }
            | Error::Exists { path }
            | Error::Bundle { path, .. }
            | Error::Ledger { path, .. }
            | Error::Checkpoint { path, .. } => Some(path.display().to_string()),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::Policy { mistakes, .. } => mistakes
                .first()
                .map_or_else(String::new, |mistake| mistake.help.clone()),
            Error::Engine(error) => error.help(),
            Error::Data(error) | Error::Hierarchy { error, .. } => error.help(),
            Error::Several(errors) => errors[0].help(),
            Error::Solver(error) => error.help(),
            Error::Stream(error) => error.help(),
            Error::Release(error) => error.help(),
            Error::PathSolver(error) => error.help(),
            Error::Paths {
                error: denym_data::paths::PathsError::TwoPlaces { .. },
                ..
            } => "use a finer time, drop one, or say `several-places = true` in `[data]`".into(),
            Error::Paths { error, .. } => error.help(),
            Error::TooManyDropped { .. } => {
                "raise `suppress-at-most`, or give fewer columns the role `quasi`".into()
            }
            Error::UnknownColumn { help, .. }
            | Error::Argument { help, .. }
            | Error::Attack { help, .. }
            | Error::Infeasible { help, .. } => help.clone(),
            Error::Microdata(error) => error.help(),
            Error::NoRandomness => {
                "noise from anywhere else could be undone; run it on another system".into()
            }
            Error::Io {
                action: "write the checkpoint",
                ..
            } => "make room and run it again: the stream goes on from the checkpoint before".into(),
            Error::Io { kind, .. } => match kind {
                std::io::ErrorKind::NotFound => {
                    "check the path; paths in a policy are relative to its file".into()
                }
                std::io::ErrorKind::StorageFull => {
                    "free some space and run it again; nothing was written".into()
                }
                std::io::ErrorKind::PermissionDenied => {
                    "check the permissions of the file and its directory".into()
                }
                _ => "check the path and the disk".into(),
            },
            Error::Exists { .. } => {
                "choose another directory with -o, or replace it with --force".into()
            }
            Error::NothingReadable { absent, .. } if absent.is_empty() => {
                "check `format` and the kind of `time` in the policy: a time is a whole number".into()
            }
            Error::NothingReadable { .. } => {
                "correct the names in `[attributes]`, or `format` in `[data]`; nothing was taken for read".into()
            }
            Error::Checkpoint { .. } => {
                "put back the checkpoint from a backup, or start in a new directory: what was published stands".into()
            }
            Error::Ledger { error, .. } => error.help().into(),
            Error::Bundle { .. } => {
                "ask the publisher for the whole `release` directory again".into()
            }
            Error::Stopped => "run it again; nothing was written".into(),
            Error::SourceChanged { .. } => "plan and run it again, on files that nobody writes to meanwhile".into(),
            Error::OutOfTime => "give it more time or effort; nothing was written".into(),
            Error::Internal { .. } => "please report it with the policy and the version".into(),
        }
    }
}

fn absent_columns(absent: &[String]) -> String {
    let names: Vec<String> = absent.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!(": no event has the column {name}"),
        names => format!(": no event has the columns {}", names.join(", ")),
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The reason in words of ours: the system's own may carry more than it should.
fn reason(kind: std::io::ErrorKind) -> &'static str {
    match kind {
        std::io::ErrorKind::NotFound => "it does not exist",
        std::io::ErrorKind::PermissionDenied => "permission denied",
        std::io::ErrorKind::AlreadyExists => "it exists already",
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "the disk is full",
        std::io::ErrorKind::FileTooLarge => "the file would become larger than it may be",
        std::io::ErrorKind::IsADirectory => "it is a directory",
        std::io::ErrorKind::NotADirectory => "a part of its path is not a directory",
        std::io::ErrorKind::InvalidData => "it is not UTF-8 text",
        _ => "the system refused",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_of_ours_below_exits_with_3_also_among_other_errors() {
        let engine = || {
            Error::Engine(denym_engine::Error::Internal {
                during: "summarizing",
            })
        };
        let mismatch = Error::Engine(denym_engine::Error::Mismatch { what: "lengths" });
        assert_eq!(engine().exit_code(), 3);
        assert_eq!(mismatch.exit_code(), 3);
        let several = Error::several(vec![Error::OutOfTime, engine()]);
        assert_eq!(several.exit_code(), 3);
        let several = Error::several(vec![Error::OutOfTime, Error::OutOfTime]);
        assert_eq!(several.exit_code(), 2);
    }
}
