//! What can be wrong with paths; no message ever quotes a cell.

/// A mistake in the source of paths.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathsError {
    /// A wide-form doublet has no time.
    #[error("row {row}: doublet {position} has no time")]
    NoTime {
        /// Record number, from 0.
        row: usize,
        /// Place of the doublet in the cell, from 1.
        position: usize,
    },
    /// A subject is at two places at one time.
    #[error("row {row}: two places at one time")]
    TwoPlaces {
        /// Record or event number, from 0.
        row: usize,
    },
    /// An attribute column does not fit the records.
    #[error("attribute `{attribute}` has {found} values for {records} records")]
    AttributeLength {
        /// Column name.
        attribute: String,
        /// Values in the column.
        found: usize,
        /// Records in the table.
        records: usize,
    },
    /// A subject's attribute changes between its events.
    #[error("row {row}: attribute `{attribute}` differs from an earlier row of the subject")]
    AttributeChanges {
        /// Event number, from 0.
        row: usize,
        /// Column name.
        attribute: String,
    },
    /// A cell cannot be used.
    #[error("row {row}: `{column}` {what}")]
    Cell {
        /// The column.
        column: String,
        /// Its row, from 1.
        row: usize,
        /// What is wrong.
        what: &'static str,
        /// What to do about it.
        help: &'static str,
    },
    /// A table lacks a column.
    #[error("there is no column `{column}`")]
    NoColumn {
        /// The column.
        column: String,
    },
    /// A point is not a number, or off the globe.
    #[error("row {row}: the point is not on the globe")]
    OffGlobe {
        /// Point number, from 0.
        row: usize,
    },
    /// A grid or slot that cannot be.
    #[error("{what} must be positive")]
    NotPositive {
        /// What is wrong.
        what: &'static str,
    },
    /// More records, doublets or instances than 32-bit codes hold.
    #[error("more than 4294967295 {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
    },
    /// The dictionary or the frame of a coded table is broken.
    #[error("the codes of the path table are not consistent")]
    BadCodes,
    /// The items of a record are not increasing ids.
    #[error("record {row} is not a list of increasing codes")]
    BadRecord {
        /// Record number, from 0.
        row: usize,
    },
}

impl PathsError {
    /// A stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoTime { .. } => "path-doublet-without-time",
            Self::TwoPlaces { .. } => "path-two-places-at-one-time",
            Self::AttributeLength { .. } => "path-attribute-length",
            Self::AttributeChanges { .. } => "path-attribute-changes",
            Self::Cell { .. } => "path-cell",
            Self::NoColumn { .. } => "path-no-column",
            Self::OffGlobe { .. } => "path-point-off-globe",
            Self::NotPositive { .. } => "path-not-positive",
            Self::TooMany { .. } => "path-too-many",
            Self::BadCodes => "path-bad-codes",
            Self::BadRecord { .. } => "path-bad-record",
        }
    }

    /// Where it is, when a row is to blame.
    pub fn location(&self) -> Option<String> {
        match self {
            Self::NoTime { row, .. }
            | Self::TwoPlaces { row }
            | Self::AttributeChanges { row, .. }
            | Self::Cell { row, .. }
            | Self::OffGlobe { row }
            | Self::BadRecord { row } => Some(format!("row {row}")),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoTime { .. } => "write doublets as `d2` or `Central@14`".to_owned(),
            Self::TwoPlaces { .. } => {
                "a subject can be at one place at a time: use a finer time or drop one".to_owned()
            }
            Self::AttributeLength { .. } => "give every record one value".to_owned(),
            Self::AttributeChanges { .. } => {
                "attributes belong to the subject: repeat the same value on each row".to_owned()
            }
            Self::Cell { help, .. } => (*help).to_owned(),
            Self::NoColumn { .. } => "name a column of the table".to_owned(),
            Self::OffGlobe { .. } => {
                "latitude lies in -90..90 and longitude in -180..180 degrees".to_owned()
            }
            Self::NotPositive { .. } => "give a size above zero".to_owned(),
            Self::TooMany { .. } => "split the table".to_owned(),
            Self::BadCodes | Self::BadRecord { .. } => {
                "this is a bug in the reader of the table; please report it".to_owned()
            }
        }
    }
}
