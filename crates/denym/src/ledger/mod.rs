//! The ledger on disk: a release and its entry, both or neither; every earlier release at hand when a new one is judged.

mod forecast;
mod hold_back;
mod inspect;
mod keeper;
mod store;

pub use forecast::{Expected, Forecast, forecast};
pub use inspect::{
    CheckedEntry, LedgerCheck, Listed, account, answer, bundles, check, entries, export, is_ledger,
};
pub(crate) use keeper::{Joined, Keeper};
pub use store::Recovery;
pub(crate) use store::Store;

pub use denym_release::ledger::chain::Sealed;
pub use denym_release::ledger::spent::Cost;
pub use denym_release::ledger::{Amount, Charge, Entry, PrivacyAccount, Published, Total, What};

use std::path::{Path, PathBuf};

use denym_release::ledger::Damage;

use crate::Error;

/// What is wrong with a ledger, or with using it here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// There is none.
    #[error("there is no ledger in this directory")]
    None,
    /// Somebody else is at work with it.
    #[error("another release is being made with this ledger")]
    Busy,
    /// An entry is not what it was.
    #[error("entry {entry} of the ledger {what}")]
    Damaged {
        /// The number of the entry.
        entry: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// What belongs to an entry is not there, or is not what it was.
    #[error("what belongs to entry {entry} {what}")]
    Beside {
        /// The number of the entry.
        entry: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The ledger is about other people, or its tokens have another key.
    #[error("{what}")]
    Another {
        /// A stable name for it.
        code: &'static str,
        /// What does not fit.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
}

impl LedgerError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            LedgerError::None => "ledger-none",
            LedgerError::Busy => "ledger-busy",
            LedgerError::Damaged { .. } => "ledger-damaged",
            LedgerError::Beside { .. } => "ledger-incomplete",
            LedgerError::Another { code, .. } => code,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            LedgerError::None => {
                "name the directory that `[ledger]` or `--ledger` names; the first release makes it"
            }
            LedgerError::Busy => "wait until it is done, and run it again",
            LedgerError::Damaged { .. } => {
                "put the ledger back from a backup that is as new as the last release; it is never repaired by guessing, and nothing was written"
            }
            LedgerError::Beside { .. } => {
                "put it back where it was: releases are judged with all that were published, and nothing was written"
            }
            LedgerError::Another { help, .. } => help,
        }
    }
}

impl LedgerError {
    /// The error of the ledger in `directory`.
    pub(crate) fn at(self, directory: &Path) -> Error {
        Error::Ledger {
            error: self,
            path: directory.to_owned(),
        }
    }

    pub(crate) fn damaged(damage: Damage) -> LedgerError {
        LedgerError::Damaged {
            entry: damage.entry,
            what: damage.what,
        }
    }
}

/// `to` as seen from the directory `from`, both absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let same = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(same).map(|_| Path::new(".."));
    let down = to.components().skip(same);
    up.chain(down.map(|part| Path::new(part.as_os_str())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_named_as_seen_from_its_ledger() {
        let seen = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(seen("/a/b", "/a/c/d"), Path::new("../c/d"));
        assert_eq!(seen("/a", "/a/c"), Path::new("c"));
        assert_eq!(seen("/a/b", "/a"), Path::new(".."));
    }
}
