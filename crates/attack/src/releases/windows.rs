//! Difference of windows: whoever keeps two overlapping windows of a stream has what either of them shows.
//!
//! # Idea
//!
//! A doublet published in one window and suppressed in the next is not forgotten. The union of what all windows show of a
//! record is attacked as one release, with [`crate::paths::DoubletAttack`].
//!
//! # Reference
//!
//! Ours; the case is in ITSA's own Table 2.

use crate::paths::Doublet;
use std::collections::{BTreeMap, BTreeSet};

/// What all the windows together show of each record, by record, in time order.
///
/// A window is a list of (record, path). Records are followed from window to window by what the stream publishes.
pub fn union_of_windows(windows: &[Vec<(u32, Vec<Doublet>)>]) -> Vec<(u32, Vec<Doublet>)> {
    let mut records: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for (record, path) in windows.iter().flatten() {
        records
            .entry(*record)
            .or_default()
            .extend(path.iter().map(|&(location, time)| (time, location)));
    }
    let path = |set: BTreeSet<(u32, u32)>| {
        set.into_iter()
            .map(|(time, location)| (location, time))
            .collect()
    };
    records
        .into_iter()
        .map(|(record, set)| (record, path(set)))
        .collect()
}
