//! Every event counted once, by its final fate.

use serde::{Deserialize, Serialize};

/// What became of the events so far.
///
/// `events = published + suppressed + late + duplicates + rejected + open` at any time; at the end of
/// the stream `open` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Events that came in.
    pub events: u64,
    /// Events whose doublet was published in some window.
    pub published: u64,
    /// Events whose doublet never was.
    pub suppressed: u64,
    /// Events that came after their timestamp was closed.
    pub late: u64,
    /// Further events of a subject at one time.
    pub duplicates: u64,
    /// Events that could not be taken.
    pub rejected: u64,
    /// Events whose fate is still open.
    pub open: u64,
    /// Events published and later taken back; part of `published`. Only under `Rule::Retract`.
    pub retracted: u64,
    /// Events whose sensitive values differ from the subject's first ones, which stay.
    pub changed: u64,
    /// Windows published.
    pub windows: u64,
    /// Windows withheld.
    pub withheld: u64,
    /// Violations that the judge found in published windows: always 0.
    pub violations: u64,
}

impl Counts {
    /// Whether every event is counted exactly once.
    pub fn balanced(&self) -> bool {
        let fates = [
            self.published,
            self.suppressed,
            self.late,
            self.duplicates,
            self.rejected,
            self.open,
        ];
        u128::from(self.events) == fates.into_iter().map(u128::from).sum::<u128>()
    }
}
