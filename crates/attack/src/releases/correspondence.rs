//! Correspondence attacks: records that must be old cannot be a newcomer's, and records that cannot be in both groups of somebody who is
//! in both releases are not theirs.
//!
//! # Idea
//!
//! When records are only inserted, every record of the first release is in the second, in a group that can hold it. For
//! each sensitive value, push as many old records as possible into the other groups of the second release; what does not
//! fit must lie in the victim's group, and is cracked: it is not the new victim's. What remains of the group is possible.
//!
//! # Guarantee
//!
//! Exact per sensitive value: the number of records of each value that may be new is the largest over all ways to place
//! the old ones.
//!
//! # Reference
//!
//! Survey section 6.3, Example 6.3; Fung, Wang, Fu, Pei, EDBT 2008 (correspondence and cracking).
//!
//! # Cost
//!
//! One small flow per sensitive value, between groups.

use crate::{Coverage, Error, Evidence};
use std::collections::{BTreeMap, BTreeSet};

/// What the records of one group of the second release can be to a person who was not in the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewcomerGroup {
    /// The group of the second release.
    pub group: u32,
    /// Records of each value that may be new.
    pub possible: BTreeMap<u32, u64>,
    /// Records that must be old.
    pub cracked: u64,
}

/// For every group of the second release, what may be new in it.
///
/// `compatible(first group, second group)`: may a record of the first group be published in the second one. The evidence
/// counts groups that seemed to have `l` values and leave a newcomer fewer, among those that can hold a newcomer at all.
///
/// # Errors
///
/// [`Error::OutOfRange`] when the old records do not fit into the second release: records were deleted.
pub fn inserted(
    first: &[Vec<u32>],
    second: &[Vec<u32>],
    compatible: &dyn Fn(u32, u32) -> bool,
    l: usize,
) -> Result<(Vec<NewcomerGroup>, Evidence), Error> {
    let count = |groups: &[Vec<u32>], value: u32| -> Vec<u64> {
        groups
            .iter()
            .map(|values| values.iter().filter(|&&v| v == value).count() as u64)
            .collect()
    };
    let values: BTreeSet<u32> = first.iter().chain(second).flatten().copied().collect();
    let mut found: Vec<NewcomerGroup> = (0..second.len())
        .map(|group| NewcomerGroup {
            group: group as u32,
            possible: BTreeMap::new(),
            cracked: 0,
        })
        .collect();
    for value in values {
        let (old, room) = (count(first, value), count(second, value));
        let total: u64 = old.iter().sum();
        if place(&old, &room, compatible) < total {
            return Err(Error::OutOfRange {
                what: "second release",
                range: "around all records of the first",
            });
        }
        for group in 0..second.len() {
            let mut elsewhere = room.clone();
            elsewhere[group] = 0;
            let forced = total - place(&old, &elsewhere, compatible);
            found[group].cracked += forced;
            if room[group] > forced {
                found[group].possible.insert(value, room[group] - forced);
            }
        }
    }
    let holds = found.iter().filter(|group| !group.possible.is_empty());
    let broken = holds.clone().filter(|group| {
        let seems: BTreeSet<u32> = second[group.group as usize].iter().copied().collect();
        seems.len() >= l && group.possible.len() < l
    });
    let evidence = Evidence::new(
        "correspondence",
        broken.count() as u64,
        holds.count() as u64,
        Coverage::Exhaustive,
    );
    Ok((found, evidence))
}

/// What the records of two groups can be to a person who is in the first group, and in the second one later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StayerGroups {
    /// The group of the first release.
    pub first: u32,
    /// The group of the second release.
    pub second: u32,
    /// Records of each value that may be in both: candidates in the first group (forward attack) and in the second (cross attack) alike.
    pub possible: BTreeMap<u32, u64>,
}

/// For every two groups that one person may be in, what may be theirs.
///
/// Exact per sensitive value: of each value as many records may be in both groups as some placement of all old records puts there. The
/// evidence counts pairs of groups that each seemed to have `l` values and leave fewer, among those that can hold somebody.
///
/// # Errors
///
/// [`Error::OutOfRange`] when the old records do not fit into the second release: records were deleted.
pub fn stayed(
    first: &[Vec<u32>],
    second: &[Vec<u32>],
    compatible: &dyn Fn(u32, u32) -> bool,
    l: usize,
) -> Result<(Vec<StayerGroups>, Evidence), Error> {
    let values: BTreeSet<u32> = first.iter().chain(second).flatten().copied().collect();
    let count = |values: &[u32], value: u32| values.iter().filter(|&&v| v == value).count() as u64;
    let mut found: BTreeMap<(u32, u32), BTreeMap<u32, u64>> = BTreeMap::new();
    for value in values {
        let old: Vec<u64> = first.iter().map(|own| count(own, value)).collect();
        let room: Vec<u64> = second.iter().map(|own| count(own, value)).collect();
        let total: u64 = old.iter().sum();
        if place(&old, &room, compatible) < total {
            return Err(Error::OutOfRange {
                what: "second release",
                range: "around all records of the first",
            });
        }
        for g in 0..first.len() {
            for h in (0..second.len()).filter(|&h| compatible(g as u32, h as u32)) {
                let fits = |many: u64| {
                    let (mut rest, mut left) = (old.clone(), room.clone());
                    rest[g] -= many;
                    left[h] -= many;
                    place(&rest, &left, compatible) == total - many
                };
                let most = (1..=old[g].min(room[h])).rev().find(|&many| fits(many));
                if let Some(most) = most {
                    let pair = found.entry((g as u32, h as u32)).or_default();
                    pair.insert(value, most);
                }
            }
        }
    }
    let distinct = |values: &[u32]| values.iter().collect::<BTreeSet<_>>().len();
    let broken = found.iter().filter(|((g, h), possible)| {
        let seemed = distinct(&first[*g as usize]).min(distinct(&second[*h as usize]));
        seemed >= l && possible.len() < l
    });
    let evidence = Evidence::new(
        "stayer-correspondence",
        broken.count() as u64,
        found.len() as u64,
        Coverage::Exhaustive,
    );
    let groups = found
        .into_iter()
        .map(|((first, second), possible)| StayerGroups {
            first,
            second,
            possible,
        });
    Ok((groups.collect(), evidence))
}

/// The most old records that fit into the rooms: augmenting paths between groups.
fn place(old: &[u64], room: &[u64], compatible: &dyn Fn(u32, u32) -> bool) -> u64 {
    let mut flow = vec![vec![0_u64; room.len()]; old.len()];
    let mut free = room.to_vec();
    let mut placed = 0;
    for (start, &count) in old.iter().enumerate() {
        for _ in 0..count {
            // Breadth first over first groups; came[g] = (second group, first group) that led to it.
            let mut came: Vec<Option<(usize, usize)>> = vec![None; old.len()];
            let mut seen = vec![false; room.len()];
            let mut queue = vec![start];
            let mut end = None;
            let mut at = 0;
            while end.is_none() && at < queue.len() {
                let g = queue[at];
                at += 1;
                for h in (0..room.len()).filter(|&h| compatible(g as u32, h as u32)) {
                    if seen[h] {
                        continue;
                    }
                    seen[h] = true;
                    if free[h] > 0 {
                        end = Some((g, h));
                        break;
                    }
                    for other in 0..old.len() {
                        if flow[other][h] > 0 && other != start && came[other].is_none() {
                            came[other] = Some((h, g));
                            queue.push(other);
                        }
                    }
                }
            }
            let Some((mut g, mut h)) = end else { break };
            free[h] -= 1;
            placed += 1;
            flow[g][h] += 1;
            while let Some((through, before)) = came[g].filter(|_| g != start) {
                flow[g][through] -= 1;
                (g, h) = (before, through);
                flow[g][h] += 1;
            }
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fewest old records of one value in `group` over all placements, by trying every placement of every record.
    fn fewest_old(
        old: &[u64],
        room: &[u64],
        compatible: &dyn Fn(u32, u32) -> bool,
        group: usize,
    ) -> Option<u64> {
        fn go(
            left: &[usize],
            room: &mut [u64],
            compatible: &dyn Fn(u32, u32) -> bool,
            group: usize,
        ) -> Option<u64> {
            let Some((&g, rest)) = left.split_first() else {
                return Some(0);
            };
            let mut best: Option<u64> = None;
            for h in 0..room.len() {
                if room[h] > 0 && compatible(g as u32, h as u32) {
                    room[h] -= 1;
                    let here = go(rest, room, compatible, group).map(|n| n + u64::from(h == group));
                    room[h] += 1;
                    best = best.into_iter().chain(here).min();
                }
            }
            best
        }
        let records: Vec<usize> = old
            .iter()
            .enumerate()
            .flat_map(|(g, &n)| vec![g; n as usize])
            .collect();
        go(&records, &mut room.to_vec(), compatible, group)
    }

    /// The most records of `from` in `to` over all placements of every record of one value.
    fn most_in(
        old: &[u64],
        room: &[u64],
        compatible: &dyn Fn(u32, u32) -> bool,
        (from, to): (usize, usize),
    ) -> Option<u64> {
        fn go(
            left: &[usize],
            room: &mut [u64],
            compatible: &dyn Fn(u32, u32) -> bool,
            pair: (usize, usize),
        ) -> Option<u64> {
            let Some((&g, rest)) = left.split_first() else {
                return Some(0);
            };
            let mut best: Option<u64> = None;
            for h in 0..room.len() {
                if room[h] > 0 && compatible(g as u32, h as u32) {
                    room[h] -= 1;
                    let here = go(rest, room, compatible, pair);
                    let here = here.map(|n| n + u64::from((g, h) == pair));
                    room[h] += 1;
                    best = best.max(here);
                }
            }
            best
        }
        let records: Vec<usize> = old
            .iter()
            .enumerate()
            .flat_map(|(g, &n)| vec![g; n as usize])
            .collect();
        go(&records, &mut room.to_vec(), compatible, (from, to))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cracks_exactly_what_every_placement_agrees_on(
            old in prop::collection::vec(0_u64..3, 1..4),
            room in prop::collection::vec(0_u64..4, 1..4),
            fits in prop::collection::vec(any::<bool>(), 9),
        ) {
            let compatible = |g: u32, h: u32| fits[(g * 3 + h) as usize];
            let spread = |counts: &[u64]| counts.iter().map(|&n| vec![7; n as usize]).collect::<Vec<Vec<u32>>>();
            let found = inserted(&spread(&old), &spread(&room), &compatible, 1);
            let fewest: Vec<Option<u64>> =
                (0..room.len()).map(|group| fewest_old(&old, &room, &compatible, group)).collect();
            match found {
                Err(_) => prop_assert!(fewest.iter().all(Option::is_none)),
                Ok((groups, _)) => {
                    let cracked: Vec<Option<u64>> = groups.iter().map(|group| Some(group.cracked)).collect();
                    prop_assert_eq!(cracked, fewest);
                }
            }
            if let Ok((pairs, _)) = stayed(&spread(&old), &spread(&room), &compatible, 1) {
                for g in 0..old.len() {
                    for h in 0..room.len() {
                        let same = |pair: &&StayerGroups| (pair.first, pair.second) == (g as u32, h as u32);
                        let own = pairs.iter().find(same).map_or(0, |pair| pair.possible[&7]);
                        prop_assert_eq!(Some(own), most_in(&old, &room, &compatible, (g, h)), "{} {}", g, h);
                    }
                }
            }
        }
    }
}
