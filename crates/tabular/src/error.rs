//! What can keep a solver from an answer.

use thiserror::Error;

use crate::Nearest;

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// No recoding of this kind keeps the promises within the suppression allowed.
    #[error("no recoding keeps every promise: {nearest}")]
    Infeasible {
        /// What could be reached instead.
        nearest: Box<Nearest>,
    },
    /// The search was stopped before it found anything.
    #[error("stopped before any solution was found")]
    Stopped,
    /// There is nothing to publish.
    #[error("the table has no records")]
    NoRecords,
    /// The number of hierarchies or limits differs from that of quasi-identifiers.
    #[error("{quasi} quasi-identifiers but {hierarchies} hierarchies or limits")]
    Hierarchies {
        /// Quasi-identifiers of the summary.
        quasi: usize,
        /// Hierarchies or limits given.
        hierarchies: usize,
    },
    /// A hierarchy covers fewer codes than the column has.
    #[error("the hierarchy of quasi-identifier {attribute} covers {covered} of {codes} values")]
    HierarchyTooSmall {
        /// Position of the quasi-identifier.
        attribute: usize,
        /// Codes of the column.
        codes: usize,
        /// Codes the hierarchy knows.
        covered: usize,
    },
    /// Limits that allow no level.
    #[error(
        "levels {low} to {high} of quasi-identifier {attribute} do not exist: it has levels 0 to {}",
        height - 1
    )]
    Limits {
        /// Position of the quasi-identifier.
        attribute: usize,
        /// Lowest level asked.
        low: usize,
        /// Highest level asked.
        high: usize,
        /// Levels there are.
        height: usize,
    },
    /// A promise speaks of a sensitive attribute that the table does not have.
    #[error("a promise speaks of sensitive attribute {attribute}, but there are {found}")]
    SensitiveMissing {
        /// Position of the attribute.
        attribute: usize,
        /// Sensitive attributes of the summary.
        found: usize,
    },
    /// The solver cannot honour one of the promises.
    #[error("this solver cannot honour `{name}`")]
    PromiseNotHonoured {
        /// The promise's name.
        name: &'static str,
    },
    /// The quasi-identifiers do not fit the packed keys.
    #[error("{attributes} quasi-identifiers need {bits} bits, more than solvers can handle")]
    TooWide {
        /// Quasi-identifiers.
        attributes: usize,
        /// Bits of one tuple.
        bits: u32,
    },
    /// The space is too large for an exact search.
    #[error("the search space has {nodes} nodes, more than the {limit} an exact search accepts")]
    TooLarge {
        /// Nodes of the space.
        nodes: u128,
        /// Most that are accepted.
        limit: u64,
    },
    /// The solver does not work on levels, so it cannot keep to some of them.
    #[error("this solver cannot keep to limits on levels")]
    LimitsNotHonoured,
    /// The solver cannot tell whose record is whose.
    #[error("this solver cannot work on a table with a subject column")]
    SubjectsNotHonoured,
    /// Something is asked that an algorithm cannot do.
    #[error("`{algorithm}` {what}")]
    Misfit {
        /// The algorithm.
        algorithm: &'static str,
        /// What it needs, or cannot do.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
    /// A parameter outside its range.
    #[error("{parameter} must be {range}")]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// Its range, in words.
        range: &'static str,
    },
}

/// Columns that do not fit a table are ours: solvers make them as long as those they replace.
impl From<denym_data::Error> for Error {
    fn from(_: denym_data::Error) -> Error {
        Error::Parameter {
            parameter: "a column that was made anew",
            range: "as long as the table",
        }
    }
}

impl Error {
    /// The request cannot be met; this is how close one can get.
    pub(crate) fn infeasible(nearest: Nearest) -> Error {
        Error::Infeasible {
            nearest: Box::new(nearest),
        }
    }

    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Infeasible { .. } => "infeasible",
            Error::Stopped => "stopped",
            Error::NoRecords => "no-records",
            Error::Hierarchies { .. } => "hierarchy-count",
            Error::HierarchyTooSmall { .. } => "hierarchy-missing-value",
            Error::Limits { .. } => "level-limits",
            Error::SensitiveMissing { .. } => "sensitive-missing",
            Error::PromiseNotHonoured { .. } => "promise-not-honoured",
            Error::TooWide { .. } => "too-wide",
            Error::TooLarge { .. } => "space-too-large",
            Error::LimitsNotHonoured => "level-limits-not-honoured",
            Error::SubjectsNotHonoured => "subjects-not-honoured",
            Error::Misfit { .. } => "policy-algorithm",
            Error::Parameter { .. } => "parameter-out-of-range",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::Infeasible { nearest } => nearest.help(),
            Error::Stopped => "give it more time".into(),
            Error::NoRecords => "check the source: it has a header but no records".into(),
            Error::Hierarchies { .. } => "give one hierarchy per quasi-identifier".into(),
            Error::HierarchyTooSmall { .. } => {
                "add a row for every value of the column to its hierarchy".into()
            }
            Error::Limits { height, .. } => format!("use levels from 0 to {}", height - 1),
            Error::SensitiveMissing { .. } => {
                "give the attribute the role `sensitive` in the policy".into()
            }
            Error::PromiseNotHonoured { name } => format!(
                "use `auto`, which picks one that can, or one of {}",
                crate::catalogue::serving(name).join(", ")
            ),
            Error::TooWide { .. } => {
                "use fewer quasi-identifiers, or coarser values to begin with".into()
            }
            Error::TooLarge { .. } => {
                "use `best-effort`, fewer quasi-identifiers, or limit their levels".into()
            }
            Error::LimitsNotHonoured => {
                "drop the limits, or choose a full-domain or subtree algorithm".into()
            }
            Error::SubjectsNotHonoured => {
                "keep one record per subject, or choose an algorithm that generalizes".into()
            }
            Error::Misfit { help, .. } => (*help).into(),
            Error::Parameter { range, .. } => format!("give a value that is {range}"),
        }
    }
}
