//! What can be wrong with a question about privacy or utility.

use denym_data::nearest;
use thiserror::Error;

/// A mistake in what was asked of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A column that the table does not have.
    #[error("there is no column `{column}`")]
    UnknownColumn {
        /// The name that was asked for.
        column: String,
        /// The columns there are.
        known: Vec<String>,
    },
    /// A column with two parts to play.
    #[error("column `{column}` is named twice")]
    RepeatedColumn {
        /// The column.
        column: String,
    },
    /// A promise about numbers on a column that has none.
    #[error("`{promise}` needs numbers or dates, but column `{column}` is {found}")]
    NotNumeric {
        /// The column.
        column: String,
        /// The promise.
        promise: &'static str,
        /// What the column holds.
        found: &'static str,
    },
    /// A guarding node that the taxonomy does not have.
    #[error("record {record} has a guarding node that is not in the taxonomy of `{column}`")]
    UnknownNode {
        /// The sensitive column.
        column: String,
        /// First such record, from 1.
        record: usize,
    },
    /// A parameter outside its range.
    #[error("{parameter} of `{promise}` must be {range}")]
    OutOfRange {
        /// The promise or measure.
        promise: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The range, in words.
        range: &'static str,
    },
    /// A foreign key that points nowhere.
    #[error("record {record} of `{table}` refers to a subject that the person table does not have")]
    DanglingKey {
        /// The detail table.
        table: String,
        /// First such record, from 1.
        record: usize,
    },
    /// Two things that must be equally long are not.
    #[error("{what}: {found} where {expected} are needed")]
    Uneven {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

impl Error {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::UnknownColumn { .. } => "unknown-column",
            Error::RepeatedColumn { .. } => "repeated-column",
            Error::NotNumeric { .. } => "not-numeric",
            Error::UnknownNode { .. } => "unknown-guarding-node",
            Error::OutOfRange { .. } => "parameter-out-of-range",
            Error::DanglingKey { .. } => "dangling-key",
            Error::Uneven { .. } => "uneven-lengths",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::UnknownColumn { column, known } => {
                match nearest(column, known.iter().map(String::as_str)) {
                    Some(near) => format!(
                        "did you mean `{near}`? the columns are {}",
                        known.join(", ")
                    ),
                    None => format!("the columns are {}", known.join(", ")),
                }
            }
            Error::RepeatedColumn { .. } => "give each column one part to play".into(),
            Error::NotNumeric { .. } => {
                "choose a promise for categories, or declare the column's `type`".into()
            }
            Error::UnknownNode { .. } => {
                "use labels of the taxonomy as guarding nodes, or leave the cell empty for no guard"
                    .into()
            }
            Error::OutOfRange { range, .. } => format!("give a value that is {range}"),
            Error::DanglingKey { .. } => {
                "add the missing person, or drop the detail records without one".into()
            }
            Error::Uneven { expected, .. } => format!("give exactly {expected}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_columns_get_a_suggestion() {
        let error = Error::UnknownColumn {
            column: "ocupation".into(),
            known: vec!["age".into(), "occupation".into()],
        };
        assert_eq!(
            error.help(),
            "did you mean `occupation`? the columns are age, occupation"
        );
    }
}
