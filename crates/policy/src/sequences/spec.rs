//! What a policy about paths or transactions says beyond one about a table.

use std::ops::Range;
use std::path::PathBuf;

use denym_data::Matching;
use denym_data::sequences::{Columns, SEPARATOR};

/// What a policy about sequences says beyond one about a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SequencesSpec {
    /// Names of columns where they are not the usual ones.
    pub columns: SequenceColumns,
    /// What stands between the items of one cell, where records are sets of items.
    pub separator: Option<char>,
    /// Whether consecutive events of one subject at one place are more than the first of them; in the long form.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Side of a grid cell in meters, for raw points.
    pub grid: Option<f64>,
    /// Length of a time slot in seconds.
    pub slot: Option<i64>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// Whether the policy says how many doublets or items the adversary knows.
    pub knows_given: bool,
    /// Whether suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// A hierarchy of places, or of items, for coarsening.
    pub hierarchy: Option<PathBuf>,
    /// Widths of coarser time slots, each counted in times of the data.
    pub slots: Vec<usize>,
    /// The bundle of an earlier release of the same people.
    pub earlier: Option<PathBuf>,
    /// Minimum support and longest length of the sequences that the choice should spare.
    pub frequent: Option<(u64, usize)>,
}

impl SequencesSpec {
    /// Sets of items, before a policy says more about them.
    pub fn of_items() -> Self {
        Self {
            separator: Some(SEPARATOR),
            matching: Matching::Covers,
            unsuppress: true,
            ..Self::default()
        }
    }

    /// The columns by their names alone.
    pub fn named(&self) -> Columns {
        let name = |named: &Option<Named>| named.as_ref().map(|named| named.name.clone());
        let own = &self.columns;
        Columns {
            subject: name(&own.subject),
            location: name(&own.location),
            time: name(&own.time),
            cell: name(&own.cell),
            point: name(&own.latitude).zip(name(&own.longitude)),
            separator: self.separator,
        }
    }
}

/// Columns of sequences, each with its place in the policy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SequenceColumns {
    /// Who.
    pub subject: Option<Named>,
    /// Where, or one item; long form.
    pub location: Option<Named>,
    /// When; long form.
    pub time: Option<Named>,
    /// The whole path, or all items of a subject; wide form.
    pub cell: Option<Named>,
    /// Degrees north; raw points.
    pub latitude: Option<Named>,
    /// Degrees east; raw points.
    pub longitude: Option<Named>,
}

/// A column that the policy names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// The column.
    pub name: String,
    /// Where the policy names it.
    pub span: Range<usize>,
}
