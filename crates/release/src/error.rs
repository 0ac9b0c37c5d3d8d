//! What keeps a release from being read or judged; no text ever quotes a value of the data.

use std::path::PathBuf;

use denym_data::paths::PathsError;

/// A certificate, a chain or a table that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A certificate line that cannot be read, or does not follow from the line before it.
    #[error("line {line} of the chain {what}")]
    BrokenChain {
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A delta that does not apply to the window it is given.
    #[error("the delta is against window {base}, not {found}")]
    OtherBase {
        /// The window the delta needs.
        base: u64,
        /// The window given.
        found: u64,
    },
    /// A certificate on which no verdict can be given.
    #[error("{what}")]
    Unjudged {
        /// What is missing or contradicts itself.
        what: String,
        /// The certificate.
        path: PathBuf,
    },
    /// A promise cannot be judged on this data, however it was made.
    #[error("{what}")]
    Infeasible {
        /// What stands in the way.
        what: String,
        /// A stable name for it.
        code: &'static str,
        /// The nearest point that can be reached.
        help: String,
    },
    /// A promise that does not fit the attribute it is about.
    #[error("`{promise}` cannot be judged: {what}")]
    Unfit {
        /// The promise by name.
        promise: &'static str,
        /// What it lacks.
        what: &'static str,
    },
    /// A table could not be built.
    #[error(transparent)]
    Data(#[from] denym_data::Error),
    /// A table of codes could not be built.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Our bug.
    #[error("internal error: {what}")]
    Internal {
        /// What was found that cannot be.
        what: String,
    },
}

impl Error {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::BrokenChain { .. } => "stream-broken-chain",
            Error::OtherBase { .. } => "stream-other-base",
            Error::Unjudged { .. } => "certificate-not-judged",
            Error::Infeasible { code, .. } => code,
            Error::Unfit { .. } => "promise-unfit",
            Error::Data(error) => error.code(),
            Error::Paths(error) => error.code(),
            Error::Internal { .. } => "internal",
        }
    }

    /// Where it went wrong.
    pub fn location(&self) -> Option<String> {
        match self {
            Error::Unjudged { path, .. } => Some(path.display().to_string()),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::BrokenChain { .. } => {
                "do not trust the windows from this line on; ask the publisher for them".into()
            }
            Error::OtherBase { base, .. } => format!("apply it to window {base}"),
            Error::Unjudged { .. } => {
                "do not rely on it: ask the publisher for the release as this version of denym makes it"
                    .into()
            }
            Error::Infeasible { help, .. } => help.clone(),
            Error::Unfit { .. } => "see `denym promises` for what it needs".into(),
            Error::Data(error) => error.help(),
            Error::Paths(error) => error.help(),
            Error::Internal { .. } => "please report it with the policy and the version".into(),
        }
    }
}
