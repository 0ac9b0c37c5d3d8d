//! What can go wrong with a stream as a whole; a single bad event is a verdict, not an error.

use denym_data::paths::PathsError;

/// A mistake in the options, in a saved state or in a chain; no text ever quotes a value of the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A number that must be positive is zero.
    #[error("{what} must be at least 1")]
    NotPositive {
        /// Which option.
        what: &'static str,
    },
    /// Timestamps between two windows would never be published.
    #[error("a step of {step} timestamps leaves gaps between windows of {window}")]
    StepTooLong {
        /// Timestamps from one window to the next.
        step: u32,
        /// Timestamps of a window.
        window: u32,
    },
    /// A subject has at most one doublet per timestamp, so longer knowledge cannot exist.
    #[error("an adversary cannot know {l} doublets within {horizon} timestamps")]
    KnowledgeTooLong {
        /// Asked.
        l: usize,
        /// Timestamps of the horizon.
        horizon: u32,
    },
    /// A horizon below the window would leave sequences of one window unchecked.
    #[error("a horizon of {horizon} timestamps is shorter than the window of {window}")]
    HorizonTooShort {
        /// Asked.
        horizon: u32,
        /// Timestamps of a window.
        window: u32,
    },
    /// A bound names an attribute that events do not carry.
    #[error("no sensitive attribute `{attribute}`")]
    UnknownAttribute {
        /// The name asked for.
        attribute: String,
        /// The names there are.
        known: Vec<String>,
    },
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
            Self::NotPositive { .. } => "stream-not-positive",
            Self::StepTooLong { .. } => "stream-step-too-long",
            Self::KnowledgeTooLong { .. } => "stream-knowledge-too-long",
            Self::HorizonTooShort { .. } => "stream-horizon-too-short",
            Self::UnknownAttribute { .. } => "stream-unknown-attribute",
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
            Self::NotPositive { what } => format!("give {what} a value of 1 or more"),
            Self::StepTooLong { window, .. } => format!("give a step of 1 to {window}"),
            Self::KnowledgeTooLong { horizon, .. } => {
                format!("give l = {horizon} or less, or a longer horizon")
            }
            Self::HorizonTooShort { window, .. } => {
                format!("give a horizon of {window} or more, or \"all\"")
            }
            Self::UnknownAttribute { known, .. } => {
                format!("sensitive attributes are: {}", known.join(", "))
            }
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
