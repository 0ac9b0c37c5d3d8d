//! What can go wrong in this crate, each with a code and a way out.

use thiserror::Error;

/// A request that cannot be carried out. No message quotes a value of the data.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Groups of zero records protect nobody.
    #[error("k must be at least 1")]
    ZeroK,
    /// There are fewer records than one group needs.
    #[error("k = {k} is more than the {records} records there are")]
    TooFewRecords {
        /// The group size asked for.
        k: usize,
        /// The records present.
        records: usize,
    },
    /// The data has no record or no column.
    #[error("the data has no {what}")]
    Empty {
        /// `records` or `columns`.
        what: &'static str,
    },
    /// Rows of different lengths, or columns of different lengths.
    #[error("row {row} has {found} cells where {expected} are expected")]
    Ragged {
        /// The first row that differs, from 0.
        row: usize,
        /// Its number of cells.
        found: usize,
        /// The number of cells of the first row.
        expected: usize,
    },
    /// A cell is not a finite number.
    #[error("row {row}, column {column} is not a finite number")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
    },
    /// A partition leaves a record out, or has one twice.
    #[error("record {row} is in {times} groups instead of one")]
    NotAPartition {
        /// The record, from 0.
        row: usize,
        /// How many groups hold it.
        times: usize,
    },
    /// No algorithm has this name.
    #[error("there is no algorithm `{name}`")]
    UnknownAlgorithm {
        /// The name asked for.
        name: String,
        /// The known name that is nearest.
        nearest: &'static str,
    },
    /// The algorithm works on one column only.
    #[error("`{algorithm}` works on one column, not on {columns}")]
    OneColumnOnly {
        /// The algorithm.
        algorithm: &'static str,
        /// The columns given.
        columns: usize,
    },
    /// An option is outside its range.
    #[error("option `{option}` must be {expected}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// Its range, in words.
        expected: &'static str,
    },
    /// Two inputs that must describe the same records differ in size.
    #[error("{what} has {found} entries where {expected} are expected")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The size expected.
        expected: usize,
    },
    /// A category code has no node in its tree.
    #[error("row {row}, column {column} has a category that its tree does not know")]
    UnknownCategory {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
    },
    /// A category tree is malformed.
    #[error("category tree: node {node} {problem}")]
    Tree {
        /// The node or leaf, from 0.
        node: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A column of numbers has a record without one.
    #[error("a record has no number where one is needed")]
    MissingNumber,
    /// Somebody stopped the search.
    #[error("the search was stopped")]
    Stopped,
    /// Even one group of all records breaks the constraint on groups.
    #[error("no partition satisfies the constraint: all records together break it")]
    Infeasible,
    /// A step of linear algebra needs a matrix that this data does not give.
    #[error("the covariance matrix of the data is not positive definite")]
    NotPositiveDefinite,
}

impl Error {
    /// The stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ZeroK => "k-zero",
            Self::TooFewRecords { .. } => "k-too-large",
            Self::Empty { .. } => "data-empty",
            Self::Ragged { .. } => "data-ragged",
            Self::NotFinite { .. } => "data-not-finite",
            Self::NotAPartition { .. } => "partition-broken",
            Self::UnknownAlgorithm { .. } => "algorithm-unknown",
            Self::OneColumnOnly { .. } => "algorithm-one-column",
            Self::Option { .. } => "option-range",
            Self::Mismatch { .. } => "size-mismatch",
            Self::UnknownCategory { .. } => "category-unknown",
            Self::Tree { .. } => "category-tree",
            Self::MissingNumber => "number-missing",
            Self::Stopped => "stopped",
            Self::Infeasible => "constraint-infeasible",
            Self::NotPositiveDefinite => "covariance-singular",
        }
    }

    /// One thing to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::ZeroK => "ask for k = 2 or more".into(),
            Self::TooFewRecords { records, .. } => format!("k = {records} is the largest that is reachable"),
            Self::Empty { .. } => "give at least one record and one numeric column".into(),
            Self::Ragged { .. } => "give every record the same number of cells".into(),
            Self::NotFinite { .. } => "remove or impute the cell before microaggregation".into(),
            Self::NotAPartition { .. } => "put every record into exactly one group".into(),
            Self::UnknownAlgorithm { nearest, .. } => {
                let names: Vec<&str> = crate::CATALOGUE.iter().map(|one| one.entry.name).collect();
                format!("did you mean `{nearest}`? the names are {}", names.join(", "))
            }
            Self::OneColumnOnly { .. } => "treat each column as its own group of attributes, or use `mhm`".into(),
            Self::Option { option, expected } => format!("set `{option}` to {expected}"),
            Self::Mismatch { .. } => "give one entry per record".into(),
            Self::UnknownCategory { .. } => "add the category to the tree".into(),
            Self::Tree { .. } => "give every leaf a path to one root, all of them without cycles".into(),
            Self::MissingNumber => "complete the column, or leave the record out".into(),
            Self::Stopped => "run it again".into(),
            Self::Infeasible => "relax the constraint; it fails on the whole table, so it fails on every partition's worst group or none helps".into(),
            Self::NotPositiveDefinite => "drop columns that are constant or sums of others, or use additive noise".into(),
        }
    }
}
