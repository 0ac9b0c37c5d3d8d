//! What can be wrong with the input of an attack.

/// Mistakes in what an attack is given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The two sides number their institutions differently.
    #[error("one side has {anonymous} institutions and the other {identified}")]
    InstitutionsDiffer {
        /// Institutions of the anonymous side.
        anonymous: usize,
        /// Institutions of the identified side.
        identified: usize,
    },
    /// The subtrail relation is too large to hold.
    #[error("more than {limit} pairs of a trail and a trail that covers it")]
    TooManyEdges {
        /// The limit that was passed.
        limit: usize,
    },
    /// Two inputs that must be equally long are not.
    #[error("`{what}` has {found} entries, expected {expected}")]
    LengthsDiffer {
        /// Which input.
        what: &'static str,
        /// What the other inputs ask for.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A code lies outside its domain.
    #[error("`{what}` row {row} has a code outside the domain of {domain} values")]
    CodeOutOfDomain {
        /// Which input.
        what: &'static str,
        /// The row, from 0.
        row: usize,
        /// The size of the domain.
        domain: usize,
    },
    /// A number is outside its range.
    #[error("`{what}` must lie {range}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// The range in words.
        range: &'static str,
    },
    /// Every pair of a published and an external value is looked at, and there are too many.
    #[error("`{attribute}` has too many different values to compare")]
    TooManyValues {
        /// The attribute.
        attribute: String,
    },
    /// A search that is run again gives the release for no original, so that nothing is ruled out.
    #[error(
        "the search gives this release for no original that agrees with it, so none can be ruled out"
    )]
    NotPublishedAgain,
    /// A table does not fit together.
    #[error(transparent)]
    Data(#[from] denym_data::Error),
    /// An exhaustive enumeration would take more steps than allowed.
    #[error("exhaustive search needs more than {limit} steps")]
    TooManySteps {
        /// The limit that was passed.
        limit: u64,
    },
}

impl Error {
    /// A stable name for the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InstitutionsDiffer { .. } => "attack-institutions-differ",
            Self::TooManyEdges { .. } => "attack-too-many-edges",
            Self::LengthsDiffer { .. } => "attack-lengths-differ",
            Self::CodeOutOfDomain { .. } => "attack-code-out-of-domain",
            Self::OutOfRange { .. } => "attack-out-of-range",
            Self::TooManyValues { .. } => "argument",
            Self::Data(error) => error.code(),
            Self::NotPublishedAgain => "attack-not-published-again",
            Self::TooManySteps { .. } => "attack-too-many-steps",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::InstitutionsDiffer { .. } => {
                "build both sides over one institution list".to_owned()
            }
            Self::TooManyEdges { .. } => {
                "raise the edge limit, add linking attributes, or attack a sample of the trails"
                    .to_owned()
            }
            Self::LengthsDiffer { what, expected, .. } => {
                format!("give `{what}` {expected} entries")
            }
            Self::CodeOutOfDomain { what, domain, .. } => format!(
                "codes of `{what}` run from 0 to {}",
                domain.saturating_sub(1)
            ),
            Self::OutOfRange { what, range } => format!("choose `{what}` {range}"),
            Self::TooManyValues { .. } => {
                "leave the column out with --link, or attack a sample".to_owned()
            }
            Self::Data(error) => error.help(),
            Self::NotPublishedAgain => {
                "attack a release whose search can be repeated: same policy, same version"
                    .to_owned()
            }
            Self::TooManySteps { .. } => "raise the limit or sample instead".to_owned(),
        }
    }
}
