//! What can go wrong with a stream as a whole; a single bad event is a verdict, not an error.

use denym_data::paths::PathsError;
use denym_release::windows::OptionsError;

/// A mistake in the options, in a saved state or in a chain; no text ever quotes a value of the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Options that contradict each other.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The time given to `advance` is earlier than one given or seen before.
    #[error("the clock went back from {from} to {to}")]
    ClockWentBack {
        /// Latest time so far.
        from: i64,
        /// Time given.
        to: i64,
    },
    /// Bytes that are no saved state of this version.
    #[error("this is not a saved state of this version")]
    NotAState,
    /// A saved state made under other options.
    #[error("the state was saved under another {what}")]
    OtherOptions {
        /// The first option that differs.
        what: &'static str,
    },
    /// A certificate or a window that cannot be made.
    #[error(transparent)]
    Release(#[from] denym_release::Error),
    /// A table of codes could not be built.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Our bug.
    #[error("internal: {what}")]
    Internal {
        /// What should have held.
        what: &'static str,
    },
}

impl Error {
    /// A stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Options(error) => error.code(),
            Self::ClockWentBack { .. } => "stream-clock-went-back",
            Self::NotAState => "stream-not-a-state",
            Self::OtherOptions { .. } => "stream-other-options",
            Self::Release(error) => error.code(),
            Self::Paths(error) => error.code(),
            Self::Internal { .. } => "internal",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Options(error) => error.help(),
            Self::ClockWentBack { from, .. } => {
                format!("set the clock right; the stream goes on from {from}")
            }
            Self::NotAState => "start from the first event, without a checkpoint".to_owned(),
            Self::OtherOptions { .. } => {
                "use the policy the state was saved under, or start without a checkpoint".to_owned()
            }
            Self::Release(error) => error.help(),
            Self::Paths(error) => error.help(),
            Self::Internal { .. } => "this is a bug; please report it".to_owned(),
        }
    }
}
