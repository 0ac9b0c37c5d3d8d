//! Global suppression: removes chosen doublets from every record until no violation is left.
//!
//! # Idea
//!
//! A violation is gone as soon as one of its doublets is. The greedy choice is the doublet that
//! ends the most critical violations per instance lost; see [`crate::ViolationTree`].
//!
//! # Guarantee
//!
//! Every promise that was asked for, whichever it is, on every group of the released table under the matching `covers`; for
//! `consistent` see [`crate::consistent`].
//!
//! *Suppressing a doublet never changes the groups of sequences without it.* The group of a sequence q is the set of records
//! that show all of q. Taking a doublet d out of a record changes which sequences it shows, but only sequences that contain d: for q
//! without d, a record shows all of q after the removal exactly if it did before. So the group of q has the same records, hence
//! the same size and the same histograms, and whoever judged it judges it as before. Sequences with d are shown by nobody any more.
//!
//! So what is left to break a promise is a violation that was there before and lost no doublet. Every violation contains a critical
//! one (take a shortest violation among its parts), and the choice hits every critical one; so none is left. This uses nothing
//! about the promise: neither that it is monotone nor that longer sequences are worse. It needs the critical violations of *all*
//! lengths up to L, since a promise that is not monotone may hold on a pair's parts and break on the pair, or the other way round.
//! `tests/every_promise.rs` tests the claim, the miner and every promise by brute force.
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
use crate::request::{Context, Cost};
use crate::summary::Summary;
use crate::violation_tree::ViolationTree;
use crate::violations::Violations;

/// Chooses the items to suppress, in order, by what the request minds losing.
pub(crate) fn select(
    summary: &Summary,
    violations: &Violations,
    cost: Cost,
    unsuppress: bool,
    context: &Context,
) -> Result<Vec<u32>, Error> {
    let instances = summary.instances();
    match cost {
        Cost::Instances => Ok(choose(violations, &instances, unsuppress)),
        Cost::FrequentSequences { support, length } => {
            let frequent = frequent::sequences(summary, support, length.max(1), context)?;
            let mut minding = choose_minding(violations, &frequent, &instances);
            if unsuppress {
                take_back(violations, &instances, &mut minding);
            }
            // Greedy may do better by instances after all: the choice that loses fewer sequences wins.
            let plain = choose(violations, &instances, unsuppress);
            let lost = |chosen: &[u32]| {
                let gone = |item: &u32| chosen.contains(item);
                let sequences = frequent.iter().filter(|s| s.iter().any(gone)).count() as u64;
                let instances: u64 = chosen.iter().map(|&i| instances[i as usize]).sum();
                (sequences, instances)
            };
            Ok(if lost(&plain) < lost(&minding) {
                plain
            } else {
                minding
            })
        }
    }
}

/// As [`choose`], where an item costs the frequent sequences that would still be lost with it.
///
/// Two trees: one of violations, one of frequent sequences; both are cut as items go. Among equal
/// scores the item with fewer instances goes, then the smaller one.
fn choose_minding(violations: &Violations, frequent: &Violations, instances: &[u64]) -> Vec<u32> {
    let mut broken = ViolationTree::new(violations, instances);
    let mut useful = ViolationTree::new(frequent, instances);
    let mut chosen = Vec::new();
    while !broken.is_empty() {
        let winner = broken.score_table().into_iter().max_by(|a, b| {
            let left = u128::from(a.gain) * u128::from(useful.gain(b.item));
            let right = u128::from(b.gain) * u128::from(useful.gain(a.item));
            let by_instances = (u128::from(a.gain) * u128::from(b.loss))
                .cmp(&(u128::from(b.gain) * u128::from(a.loss)));
            left.cmp(&right)
                .then(by_instances)
                .then_with(|| b.item.cmp(&a.item))
        });
        let Some(winner) = winner else { break };
        broken.suppress(winner.item);
        useful.suppress(winner.item);
        chosen.push(winner.item);
    }
    chosen
}

/// Chooses the items to suppress, in order, at a fixed cost per item.
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
