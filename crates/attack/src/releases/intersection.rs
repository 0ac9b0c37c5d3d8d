//! Intersection attack: a person's sensitive value is among those of the person's group in every release.
//!
//! # Idea
//!
//! The adversary knows the quasi-identifiers and in which releases the victim is. The victim's value occurs in the victim's
//! group each time, so only values common to all of them remain. m-invariance asks that nothing be lost that way: all
//! groups of one person show the same values, each group m different ones.
//!
//! # Reference
//!
//! Survey section 6.3, Example 6.4; Xiao and Tao, SIGMOD 2007.

use crate::{Coverage, Error, Evidence};
use std::collections::BTreeSet;

/// One release as the adversary sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseView {
    /// The group of each person, `None` when the person is known not to be in this release.
    pub group_of: Vec<Option<u32>>,
    /// The sensitive values of each group's records.
    pub values: Vec<Vec<u32>>,
}

/// What remains possible for one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemainingValues {
    /// The person.
    pub person: u32,
    /// Values possible in all the person's groups, ascending; empty when the releases contradict each other.
    pub values: Vec<u32>,
    /// The fewest different values in any one of the groups.
    pub best_single: usize,
}

/// For everybody in two or more releases the values that remain; success where fewer remain than `l` and no single release did it.
///
/// # Errors
///
/// When the views are not over the same people or name a group that is not there.
pub fn intersection(
    views: &[ReleaseView],
    l: usize,
) -> Result<(Vec<RemainingValues>, Evidence), Error> {
    let mut remaining = Vec::new();
    for person in 0..people(views)? {
        let sets = sets_of(views, person);
        let Some((first, rest)) = sets.split_first().filter(|(_, rest)| !rest.is_empty()) else {
            continue;
        };
        let common = rest.iter().fold(first.clone(), |common, set| &common & set);
        remaining.push(RemainingValues {
            person: person as u32,
            values: common.into_iter().collect(),
            best_single: sets.iter().map(BTreeSet::len).min().unwrap_or(0),
        });
    }
    let broken = remaining
        .iter()
        .filter(|left| left.values.len() < l && left.best_single >= l)
        .count() as u64;
    let evidence = Evidence::new(
        "intersection",
        broken,
        remaining.len() as u64,
        Coverage::Exhaustive,
    );
    Ok((remaining, evidence))
}

/// How a sequence of releases fails to be m-invariant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum VarianceFailure {
    /// A group has fewer than m records or repeats a value.
    Group {
        /// The release.
        release: u32,
        /// The group in it.
        group: u32,
    },
    /// A person's groups show different sets of values.
    Person {
        /// The person.
        person: u32,
    },
}

/// Every failure of m-invariance; the evidence counts people whose groups differ among those in two or more releases.
///
/// # Errors
///
/// As [`intersection`].
pub fn m_invariance(
    views: &[ReleaseView],
    m: usize,
) -> Result<(Vec<VarianceFailure>, Evidence), Error> {
    let mut failures = Vec::new();
    for (release, view) in views.iter().enumerate() {
        for (group, values) in view.values.iter().enumerate() {
            let distinct: BTreeSet<u32> = values.iter().copied().collect();
            if distinct.len() < values.len() || values.len() < m {
                failures.push(VarianceFailure::Group {
                    release: release as u32,
                    group: group as u32,
                });
            }
        }
    }
    let (mut repeated, mut differing) = (0, 0);
    for person in 0..people(views)? {
        let sets = sets_of(views, person);
        repeated += u64::from(sets.len() > 1);
        if sets.windows(2).any(|pair| pair[0] != pair[1]) {
            differing += 1;
            failures.push(VarianceFailure::Person {
                person: person as u32,
            });
        }
    }
    Ok((
        failures,
        Evidence::new("m-invariance", differing, repeated, Coverage::Exhaustive),
    ))
}

fn people(views: &[ReleaseView]) -> Result<usize, Error> {
    let expected = views.first().map_or(0, |view| view.group_of.len());
    for view in views {
        if view.group_of.len() != expected {
            return Err(Error::LengthsDiffer {
                what: "people of a release",
                expected,
                found: view.group_of.len(),
            });
        }
        let unknown = view
            .group_of
            .iter()
            .position(|group| group.is_some_and(|g| g as usize >= view.values.len()));
        if let Some(row) = unknown {
            return Err(Error::CodeOutOfDomain {
                what: "group of a person",
                row,
                domain: view.values.len(),
            });
        }
    }
    Ok(expected)
}

fn sets_of(views: &[ReleaseView], person: usize) -> Vec<BTreeSet<u32>> {
    let groups = views
        .iter()
        .filter_map(|view| view.group_of[person].map(|group| &view.values[group as usize]));
    groups
        .map(|values| values.iter().copied().collect())
        .collect()
}
