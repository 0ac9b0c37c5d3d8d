//! Why a request on paths or transactions cannot be met.

use denym_data::paths::PathsError;

/// A refusal or a mistake; no text ever quotes a value of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// L or K is zero.
    #[error("{what} must be at least 1")]
    NotPositive {
        /// Which parameter.
        what: &'static str,
    },
    /// A bound names an attribute the table does not have.
    #[error("no sensitive attribute `{attribute}`")]
    UnknownAttribute {
        /// The name asked for.
        attribute: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Even without any doublet a group is too small.
    #[error(
        "{records} records fall in groups of fewer than {k}, the smallest {smallest}, before anything is known of anybody"
    )]
    TooFewRecords {
        /// Asked.
        k: u64,
        /// Size of the smallest group under empty knowledge.
        smallest: u64,
        /// Records in groups below K.
        records: u64,
    },
    /// Even without any doublet a sensitive value is too frequent.
    #[error("bound {bound} on `{attribute}` is exceeded in the whole table: {having} of {records}")]
    BaseRate {
        /// Position of the bound in the request, from 0.
        bound: usize,
        /// Attribute name, or `location`.
        attribute: String,
        /// Records that have the value.
        having: u64,
        /// Records in the group.
        records: u64,
    },
    /// Groups were made without a look at values, and some break a promise.
    #[error(
        "{broken} of {groups} groups of equal records break a promise on values, the smallest group has {smallest} records; the groups were made without a look at values, and may not be made anew"
    )]
    BlindGroups {
        /// Groups that break a promise.
        broken: u64,
        /// All groups.
        groups: u64,
        /// Records of the smallest.
        smallest: u64,
    },
    /// Even without any doublet a group breaks a promise.
    #[error("{promise} of `{attribute}` does not hold before anything is known of anybody")]
    WholeTable {
        /// The promise.
        promise: &'static str,
        /// Attribute name.
        attribute: String,
    },
    /// An option does not fit the data.
    #[error("{what}")]
    BadOption {
        /// What is wrong.
        what: &'static str,
    },
    /// The earlier release and the new one together break the promise.
    #[error("{exposed} records fall below the promise when both releases are joined")]
    Republication {
        /// Records exposed.
        exposed: u64,
    },
    /// More violations than memory is taken for.
    #[error(
        "more than {most} combinations of what the adversary may know break the promise: they would fill the memory"
    )]
    TooManyViolations {
        /// How many are held.
        most: u64,
    },
    /// Stopped by the caller.
    #[error("stopped before the end")]
    Stopped,
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
            Self::NotPositive { .. } => "paths-not-positive",
            Self::UnknownAttribute { .. } => "paths-unknown-attribute",
            Self::TooFewRecords { .. } => "paths-too-few-records",
            Self::BaseRate { .. } => "paths-base-rate",
            Self::BlindGroups { .. } => "paths-blind-groups",
            Self::WholeTable { .. } => "paths-whole-table",
            Self::BadOption { .. } => "paths-bad-option",
            Self::Republication { .. } => "paths-republication",
            Self::TooManyViolations { .. } => "paths-too-many-violations",
            Self::Stopped => "stopped",
            Self::Paths(error) => error.code(),
            Self::Internal { .. } => "internal",
        }
    }

    /// Whether the request is sound but cannot be met on this data.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::TooFewRecords { .. }
                | Self::BaseRate { .. }
                | Self::BlindGroups { .. }
                | Self::WholeTable { .. }
                | Self::Republication { .. }
                | Self::TooManyViolations { .. }
        )
    }

    /// What to do about it; for a refusal, the nearest point that can be reached.
    pub fn help(&self) -> String {
        match self {
            Self::NotPositive { what } => format!("give {what} a value of 1 or more"),
            Self::UnknownAttribute { known, .. } => {
                format!("sensitive attributes are: {}", known.join(", "))
            }
            Self::TooFewRecords {
                smallest, records, ..
            } => format!(
                "k = {smallest} is reachable, or suppress those {records} records, or generalize the quasi-identifiers"
            ),
            Self::BaseRate {
                having, records, ..
            } => format!(
                "a bound of {having}/{records} or more is reachable; no suppression lowers it"
            ),
            Self::BlindGroups { .. } => "ask for a weaker bound or a larger k once, and remember that whoever tries until it passes has looked; or leave `algorithm = true` out".to_owned(),
            Self::WholeTable { .. } => {
                "loosen the promise, or leave quasi-identifiers out; no suppression of doublets changes it".to_owned()
            }
            Self::BadOption { .. } => "see the documentation of the option".to_owned(),
            Self::Republication { .. } => {
                "adapt the new release to the earlier one, or withdraw that".to_owned()
            }
            Self::TooManyViolations { .. } => "let the adversary know fewer of them (`knows`), make places and times coarser (`places`, `slots`), or leave out what is rare".to_owned(),
            Self::Stopped => "nothing was released; run again".to_owned(),
            Self::Paths(error) => error.help(),
            Self::Internal { .. } => "this is a bug; please report it".to_owned(),
        }
    }
}
