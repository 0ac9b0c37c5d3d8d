//! What audits of paths and of transactions share: they count every group that a few known doublets or items form.

use denym_measure::sequences::SequenceAudit;

use crate::policy::suggest_column;
use crate::{Error, threads};

/// Numbers that must be at least one, by the flag they come from.
pub(super) fn positive(numbers: [(&str, u64); 2]) -> Result<(), Error> {
    match numbers.iter().find(|(_, value)| *value == 0) {
        None => Ok(()),
        Some((what, _)) => Err(Error::Argument {
            what: format!("{what} must be at least 1"),
            help: format!("write {what} 2, or another number above zero"),
        }),
    }
}

/// An unknown column as a mistake of the caller, with the nearest that there is.
pub(super) fn unknown_column(error: Error) -> Error {
    match error {
        Error::Engine(denym_engine::Error::UnknownColumn {
            column,
            known,
            path,
        }) => {
            let known = known.to_show();
            let help = suggest_column(&column, &known);
            Error::UnknownColumn {
                column,
                place: path.display().to_string(),
                help,
            }
        }
        error => error,
    }
}

/// Counts the groups on that many threads.
pub(super) fn counted(
    threads: Option<usize>,
    judge: impl FnOnce() -> SequenceAudit + Send,
) -> Result<SequenceAudit, Error> {
    Ok(threads::pool(threads)?.install(judge))
}
