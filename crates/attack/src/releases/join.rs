//! Join attack: two views of one table, each safe, are joined on what they share.
//!
//! # Idea
//!
//! Match every record of one view with every record of the other whose shared values relate, and group the matches by the
//! quasi-identifiers of both. A group of one match is one person; a group with one sensitive value tells it of everybody
//! in it. A lossy join works against the adversary: it matches records of different owners and makes groups larger.
//!
//! # Reference
//!
//! Survey sections 6.1 and 6.2, Examples 6.1 and 6.2; Wang and Fung, KDD 2006.
//!
//! # Cost
//!
//! Matches between distinct shared values, then one entry per match.

use crate::{Coverage, Error, Evidence};
use std::collections::BTreeMap;

/// The matches with one combination of quasi-identifiers of both views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedGroup {
    /// Quasi-identifier of the left view.
    pub left: u32,
    /// Quasi-identifier of the right view.
    pub right: u32,
    /// Matches.
    pub size: u64,
    /// Matches by sensitive value of the right view.
    pub histogram: BTreeMap<u32, u64>,
}

impl JoinedGroup {
    /// The largest share of one sensitive value.
    pub fn confidence(&self) -> f64 {
        self.histogram
            .values()
            .max()
            .map_or(0.0, |&most| most as f64 / self.size as f64)
    }
}

/// One view: for each record the code of what is shared, and of its quasi-identifiers taken together.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Shared value of each record.
    pub shared: &'a [u32],
    /// Quasi-identifier of each record.
    pub quasi: &'a [u32],
}

/// Joins two views; `relates(left shared, right shared)` is equality, or lying on one path of a taxonomy.
///
/// Groups come in order of their codes. The evidence counts groups smaller than `k` or with a value at `confidence` or more.
///
/// # Errors
///
/// When the columns of a view are not equally long.
pub fn join(
    left: Columns<'_>,
    right: Columns<'_>,
    sensitive: &[u32],
    relates: &dyn Fn(u32, u32) -> bool,
    k: u64,
    confidence: f64,
) -> Result<(Vec<JoinedGroup>, Evidence), Error> {
    for (what, expected, found) in [
        ("left view", left.shared.len(), left.quasi.len()),
        ("right view", right.shared.len(), right.quasi.len()),
        ("sensitive", right.shared.len(), sensitive.len()),
    ] {
        if expected != found {
            return Err(Error::LengthsDiffer {
                what,
                expected,
                found,
            });
        }
    }
    let count = |columns: Columns<'_>, extra: &[u32]| {
        let mut counts: BTreeMap<u32, BTreeMap<(u32, u32), u64>> = BTreeMap::new();
        for (row, &shared) in columns.shared.iter().enumerate() {
            let key = (columns.quasi[row], extra.get(row).copied().unwrap_or(0));
            *counts.entry(shared).or_default().entry(key).or_insert(0) += 1;
        }
        counts
    };
    let (ours, theirs) = (count(left, &[]), count(right, sensitive));
    let mut groups: BTreeMap<(u32, u32), BTreeMap<u32, u64>> = BTreeMap::new();
    for (&l, lefts) in &ours {
        for (_, rights) in theirs.iter().filter(|(r, _)| relates(l, **r)) {
            for (&(quasi, _), &n) in lefts {
                for (&(other, value), &m) in rights {
                    *groups
                        .entry((quasi, other))
                        .or_default()
                        .entry(value)
                        .or_insert(0) += n * m;
                }
            }
        }
    }
    let groups: Vec<JoinedGroup> = groups
        .into_iter()
        .map(|((left, right), histogram)| JoinedGroup {
            left,
            right,
            size: histogram.values().sum(),
            histogram,
        })
        .collect();
    let broken = groups
        .iter()
        .filter(|group| group.size < k || group.confidence() >= confidence)
        .count() as u64;
    let evidence = Evidence::new("join", broken, groups.len() as u64, Coverage::Exhaustive);
    Ok((groups, evidence))
}
