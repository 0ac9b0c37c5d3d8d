//! Global suppression: removes chosen doublets from every record until no violation is left.
//!
//! # Idea
//!
//! A violation is gone as soon as one of its doublets is. The greedy choice is the doublet that
//! ends the most critical violations per instance lost; see [`crate::ViolationTree`].
//!
//! # Guarantee
//!
//! LKC-privacy of the released table: with no critical violation there is no violation, and
//! removing a doublet everywhere never makes a new one, since groups of sequences without it stay
//! as they were. This is the matching `covers`; for `consistent` see [`crate::consistent`].
//!
//! # Reference
//!
//! Al-Hussaeni 2009, Algorithm 2.
//!
//! # Departures
//!
//! Knowing nothing is checked first: too few records, or a value too frequent in the whole table
//! (or in a class of quasi-identifiers), cannot be mended by suppression. Greedy is not always
//! minimal: `unsuppress` takes a doublet back when each of its violations has another suppressed
//! doublet, the most frequent first.
//!
//! # Cost
//!
//! That of mining; the suppression itself is a few passes over the violations.

use crate::error::Error;
use crate::frequent;
use crate::request::{Context, Cost, Limits};
use crate::summary::Summary;
use crate::violation_tree::ViolationTree;
use crate::violations::Violations;

/// Price of suppressing each item.
pub(crate) fn costs(
    summary: &Summary,
    limits: &Limits,
    cost: Cost,
    context: &Context,
) -> Result<Vec<u64>, Error> {
    match cost {
        Cost::Instances => Ok(summary.instances()),
        Cost::FrequentSequences { support, length } => {
            let frequent = frequent::sequences(summary, support, length.max(1), context)?;
            let mut parts = vec![0u64; summary.item_count];
            for sequence in frequent.iter() {
                for &item in sequence {
                    parts[item as usize] += 1;
                }
            }
            debug_assert!(limits.l > 0);
            Ok(parts)
        }
    }
}

/// Chooses the items to suppress, in order.
pub fn choose(violations: &Violations, cost: &[u64], unsuppress: bool) -> Vec<u32> {
    let mut chosen = ViolationTree::new(violations, cost).suppress_all();
    if unsuppress {
        take_back(violations, cost, &mut chosen);
    }
    chosen
}

/// Drops from the suppressed items those that no violation needs, the dearest first.
fn take_back(violations: &Violations, cost: &[u64], chosen: &mut Vec<u32>) {
    let mut is_chosen = vec![false; cost.len()];
    for &item in chosen.iter() {
        is_chosen[item as usize] = true;
    }
    let mut hits = vec![0u32; violations.len()];
    let mut held_by: Vec<Vec<u32>> = vec![Vec::new(); cost.len()];
    for (at, violation) in violations.iter().enumerate() {
        for &item in violation {
            if is_chosen[item as usize] {
                hits[at] += 1;
                held_by[item as usize].push(at as u32);
            }
        }
    }
    let mut order = chosen.clone();
    order.sort_by_key(|&item| (std::cmp::Reverse(cost[item as usize]), item));
    for item in order {
        let held = &held_by[item as usize];
        if held.iter().all(|&at| hits[at as usize] > 1) {
            for &at in held {
                hits[at as usize] -= 1;
            }
            is_chosen[item as usize] = false;
        }
    }
    chosen.retain(|&item| is_chosen[item as usize]);
}
