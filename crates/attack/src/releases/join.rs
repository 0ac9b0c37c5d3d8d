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
use std::collections::{BTreeMap, HashSet};

/// The matches with one combination of quasi-identifiers of both views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedGroup {
    /// Quasi-identifier of the left view.
    pub left: u32,
    /// Quasi-identifier of the right view.
    pub right: u32,
    /// Matches of one person with another.
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
pub struct JoinedView<'a> {
    /// Shared value of each record.
    pub shared: &'a [u32],
    /// Quasi-identifier of each record.
    pub quasi: &'a [u32],
    /// Whose each record is among those that look the same; every record is a person without it.
    pub subject: Option<&'a [u32]>,
}

impl JoinedView<'_> {
    /// Per shared value and quasi-identifier how many people there are, and how many have each value of `sensitive`.
    fn people(self, sensitive: &[u32]) -> BTreeMap<u32, BTreeMap<u32, People>> {
        let mut counts: BTreeMap<u32, BTreeMap<u32, People>> = BTreeMap::new();
        let mut met = HashSet::new();
        for (row, (&shared, &quasi)) in self.shared.iter().zip(self.quasi).enumerate() {
            let value = sensitive.get(row).copied().unwrap_or(0);
            let alike = counts.entry(shared).or_default().entry(quasi).or_default();
            let subject = self.subject.map(|subjects| subjects[row]);
            let mut first = |value: Option<u32>| {
                subject.is_none_or(|subject| met.insert((shared, quasi, subject, value)))
            };
            alike.0 += u64::from(first(None));
            *alike.1.entry(value).or_insert(0) += u64::from(first(Some(value)));
        }
        counts
    }
}

/// How many people, and how many of them have each value.
type People = (u64, BTreeMap<u32, u64>);

/// Joins two views; `relates(left shared, right shared)` is equality, or lying on one path of a taxonomy.
///
/// Groups come in order of their codes. The evidence counts groups smaller than `k` or with a value at `confidence` or more.
///
/// # Errors
///
/// When the columns of a view are not equally long.
pub fn join(
    left: JoinedView<'_>,
    right: JoinedView<'_>,
    sensitive: &[u32],
    relates: &dyn Fn(u32, u32) -> bool,
    k: u64,
    confidence: f64,
) -> Result<(Vec<JoinedGroup>, Evidence), Error> {
    for (what, expected, found) in [
        ("left view", left.shared.len(), left.quasi.len()),
        ("right view", right.shared.len(), right.quasi.len()),
        (
            "left view",
            left.shared.len(),
            left.subject.map_or(left.shared.len(), <[u32]>::len),
        ),
        (
            "right view",
            right.shared.len(),
            right.subject.map_or(right.shared.len(), <[u32]>::len),
        ),
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
    let (ours, theirs) = (left.people(&[]), right.people(sensitive));
    let mut groups: BTreeMap<(u32, u32), People> = BTreeMap::new();
    for (&l, lefts) in &ours {
        for (_, rights) in theirs.iter().filter(|(r, _)| relates(l, **r)) {
            for (&quasi, (n, _)) in lefts {
                for (&other, (m, values)) in rights {
                    let group = groups.entry((quasi, other)).or_default();
                    group.0 += n * m;
                    for (&value, having) in values {
                        *group.1.entry(value).or_insert(0) += n * having;
                    }
                }
            }
        }
    }
    let groups: Vec<JoinedGroup> = groups
        .into_iter()
        .map(|((left, right), (size, histogram))| JoinedGroup {
            left,
            right,
            size,
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
