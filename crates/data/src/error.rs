//! What can be wrong with data and hierarchies.

use thiserror::Error;

/// A mistake in a table or a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Columns of one table differ in length.
    #[error("column `{column}` has {found} values where others have {expected}")]
    UnevenColumns {
        /// The column.
        column: String,
        /// Length of the first column.
        expected: usize,
        /// Length of this one.
        found: usize,
    },
    /// Two columns have one name.
    #[error("column `{column}` appears twice")]
    DuplicateColumn {
        /// The column.
        column: String,
    },
    /// A hierarchy does not fit its column.
    #[error("{mistake}")]
    Hierarchy {
        /// Line of the hierarchy file, from 1, when it came from one.
        line: Option<usize>,
        /// What is wrong.
        mistake: HierarchyMistake,
    },
}

/// What is wrong with a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HierarchyMistake {
    /// There is no row.
    #[error("the hierarchy is empty")]
    Empty,
    /// A row has too few or too many columns.
    #[error("this row has {found} columns where the first has {expected}")]
    Ragged {
        /// Columns of the first row.
        expected: usize,
        /// Columns of this row.
        found: usize,
    },
    /// A value becomes nothing, which a reader of the release would take for a missing cell.
    #[error("the label at level {level} is empty: it would look like a missing value")]
    NoLabel {
        /// The level.
        level: usize,
    },
    /// A value has two rows that disagree.
    #[error("this value was given on line {first} with other ancestors")]
    Contradiction {
        /// Line of the first row.
        first: usize,
    },
    /// Two values that share a node at one level part again at a higher one.
    #[error(
        "levels do not nest: the node at level {level} has another parent here than on line {first}"
    )]
    DoesNotNest {
        /// The level of the node.
        level: usize,
        /// Line where the node was first seen.
        first: usize,
    },
    /// A label comes back above itself.
    #[error(
        "the label at level {level} is its own ancestor at level {above}, with another label between them"
    )]
    Cycle {
        /// Lower level.
        level: usize,
        /// Higher level.
        above: usize,
    },
    /// Values of the data have no row.
    #[error(
        "{count} of the column's {distinct} distinct values have no row; {records} records have one of them, the first is record {record}"
    )]
    MissingValues {
        /// Distinct values without a row.
        count: usize,
        /// Distinct values of the column.
        distinct: usize,
        /// Records with such a value.
        records: usize,
        /// First record with such a value, from 1 (0 when unknown).
        record: usize,
    },
    /// Values of the data are outside of a ready-made hierarchy.
    #[error(
        "{count} of the column's {distinct} distinct values are outside of `{name}`; {records} records have one of them, the first is record {record}"
    )]
    Outside {
        /// The ready-made hierarchy.
        name: &'static str,
        /// Distinct values outside.
        count: usize,
        /// Distinct values of the column.
        distinct: usize,
        /// Records with such a value.
        records: usize,
        /// First record with such a value, from 1 (0 when unknown).
        record: usize,
    },
    /// Intervals of one width do not lie within those of the next.
    #[error("intervals do not nest: width {step}, {width}, is no multiple of {below} before it")]
    WidthDoesNotNest {
        /// Which width of the list, from 1.
        step: usize,
        /// The width.
        width: String,
        /// The one before.
        below: String,
    },
    /// The kind of hierarchy needs values of another kind.
    #[error("{hierarchy} needs {needed} values, but the column is {found}")]
    WrongKind {
        /// Kind of hierarchy.
        hierarchy: &'static str,
        /// What it needs.
        needed: &'static str,
        /// What the column is.
        found: &'static str,
    },
    /// More levels than any search goes through.
    #[error(
        "the hierarchy would have {found} levels above the values; at most {most} are searched"
    )]
    TooHigh {
        /// Levels above the values.
        found: usize,
        /// The most there may be.
        most: usize,
    },
    /// Labels that take far more room than the values they stand for.
    #[error(
        "the labels of this hierarchy would take {found} MB, far more than the values themselves"
    )]
    TooLarge {
        /// Megabytes that all labels would take.
        found: usize,
    },
    /// Parameters that make no hierarchy.
    #[error("{what}")]
    BadParameters {
        /// What is wrong, in words.
        what: &'static str,
    },
}

impl Error {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::UnevenColumns { .. } => "uneven-columns",
            Error::DuplicateColumn { .. } => "duplicate-column",
            Error::Hierarchy { mistake, .. } => match mistake {
                HierarchyMistake::Empty => "hierarchy-empty",
                HierarchyMistake::Ragged { .. } => "hierarchy-ragged",
                HierarchyMistake::NoLabel { .. } => "hierarchy-no-label",
                HierarchyMistake::Contradiction { .. } => "hierarchy-contradiction",
                HierarchyMistake::DoesNotNest { .. } => "hierarchy-does-not-nest",
                HierarchyMistake::Cycle { .. } => "hierarchy-cycle",
                HierarchyMistake::MissingValues { .. } => "hierarchy-missing-value",
                HierarchyMistake::Outside { .. } => "hierarchy-outside",
                HierarchyMistake::WidthDoesNotNest { .. } => "hierarchy-width",
                HierarchyMistake::WrongKind { .. } => "hierarchy-wrong-kind",
                HierarchyMistake::TooHigh { .. } => "hierarchy-too-high",
                HierarchyMistake::TooLarge { .. } => "hierarchy-too-large",
                HierarchyMistake::BadParameters { .. } => "hierarchy-bad-parameters",
            },
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::UnevenColumns { .. } => "give every column one value per record".into(),
            Error::DuplicateColumn { .. } => "rename one of the two columns in the header".into(),
            Error::Hierarchy { mistake, .. } => match mistake {
                HierarchyMistake::Empty => {
                    "write one row per value: the value, then one column per level".into()
                }
                HierarchyMistake::NoLabel { .. } => {
                    "write a label, or `*` for a value that is not shown".into()
                }
                HierarchyMistake::Ragged { expected, .. } => {
                    format!("give the row {expected} columns: the value, then one per level")
                }
                HierarchyMistake::Contradiction { .. } => "keep one of the two rows".into(),
                HierarchyMistake::DoesNotNest { .. } => {
                    "give every value under one node the same parent at the next level".into()
                }
                HierarchyMistake::Cycle { .. } => {
                    "use another label for one of the two levels".into()
                }
                HierarchyMistake::MissingValues { .. } => {
                    "add a row for each value; `denym hierarchy check DATA --column NAME --hierarchy FILE -o uncovered.csv` lists those without one".into()
                }
                HierarchyMistake::Outside { name, .. } => format!(
                    "correct them, or write a file: `denym hierarchy check DATA --column NAME --hierarchy {name} -o uncovered.csv` lists them"
                ),
                HierarchyMistake::WidthDoesNotNest { below, .. } => format!(
                    "take a multiple of {below} in its place, such as `interval = [5, 10, 20]`"
                ),
                HierarchyMistake::WrongKind { .. } => {
                    "choose a hierarchy that fits the column, or declare the column's `type`".into()
                }
                HierarchyMistake::TooHigh { .. } => {
                    "use fewer levels: a larger `step`, or a `max-level` for a redaction".into()
                }
                HierarchyMistake::TooLarge { .. } => {
                    "shorten the longest values, take a larger `step`, or give a `max-level`".into()
                }
                HierarchyMistake::BadParameters { .. } => {
                    "see the guide on hierarchies, or let `denym hierarchy draft` write one".into()
                }
            },
        }
    }

    /// The same mistake, found on this line of whatever file describes the hierarchy.
    #[must_use]
    pub fn at(self, found: usize) -> Error {
        match self {
            Error::Hierarchy { mistake, line } => Error::Hierarchy {
                mistake,
                line: line.or(Some(found)),
            },
            other => other,
        }
    }

    /// The line of the hierarchy file, where that is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            Error::Hierarchy { line, .. } => *line,
            _ => None,
        }
    }
}
