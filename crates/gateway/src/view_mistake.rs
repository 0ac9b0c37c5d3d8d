//! What can be wrong with a session's view.

use thiserror::Error as ThisError;

/// Why a view cannot be made, dropped or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum ViewMistake {
    /// Its name is a governed table's.
    #[error("a governed table has this name")]
    Governed,
    /// Its name is kept for the catalogue, or too long.
    #[error("a view cannot have this name")]
    Name,
    /// There is one of that name.
    #[error("it exists already")]
    Exists,
    /// There is none of that name.
    #[error("there is no view of this name in the session")]
    Missing,
    /// It would read itself.
    #[error("it would read itself")]
    Recursive,
    /// Another view reads it.
    #[error("another view reads it")]
    Needed,
    /// Views within views within views.
    #[error("views are nested too deep")]
    Nested,
    /// The statement is too long with its views written out.
    #[error("with its views written out the statement has more than 4,000 words")]
    Long,
    /// A `WITH` around it has the name of a relation that it reads.
    #[error("a WITH query around it has the name of a relation that it reads")]
    Caught,
    /// More names than columns.
    #[error("it names more columns than its query has")]
    Columns,
    /// A sample or another clause at its name.
    #[error("a clause at a view is not possible")]
    Clause,
}

impl ViewMistake {
    /// The SQLSTATE that clients see.
    pub(crate) fn sqlstate(self) -> &'static str {
        match self {
            Self::Governed | Self::Exists => "42P07",
            Self::Name => "42602",
            Self::Missing => "42P01",
            Self::Recursive => "42P17",
            Self::Needed => "2BP01",
            Self::Nested | Self::Long => "54001",
            Self::Caught => "42712",
            Self::Columns => "42P16",
            Self::Clause => "0A000",
        }
    }

    /// What to do about it.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Governed | Self::Name => "give it another name",
            Self::Exists => "write CREATE OR REPLACE TEMP VIEW, or drop it first",
            Self::Missing => {
                "views live in the session that made them; DISCARD ALL forgets them too"
            }
            Self::Recursive => "use WITH RECURSIVE within one query",
            Self::Needed => "drop that one first, or write CASCADE",
            Self::Nested | Self::Long => "write the query with fewer views",
            Self::Caught => "give the WITH query another name",
            Self::Columns => "name as many columns as the query has",
            Self::Clause => "read the view by its name alone",
        }
    }
}
