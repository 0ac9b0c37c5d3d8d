//! Live events as a policy describes them: how they are written, which columns say what, at which broker they are.

mod address;
mod login;

pub use address::{Address, AddressMistake, Protocol};
pub use login::{Login, Mechanism, User};

use crate::notation::DateFormat;

/// How an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFormat {
    /// A JSON object per line.
    Json,
    /// Comma-separated cells, the first line has the names.
    Csv,
}

/// Which columns say what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Who.
    pub subject: String,
    /// Where.
    pub location: String,
    /// When, a whole number of timestamps.
    pub time: String,
    /// How times are written, where they are no whole numbers and nothing that can be read in one way only.
    pub time_format: Option<DateFormat>,
    /// The sensitive attributes.
    pub sensitive: Vec<String>,
}
