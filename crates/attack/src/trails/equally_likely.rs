//! How sure the adversary can be of one owner, when every assignment of distinct owners is as likely as any other.
//!
//! # Idea
//!
//! A trail with five possible owners may still belong to one of them in most assignments. Assignments fall apart into the
//! components of [`super::ForcedMatching`], so each small component is counted by itself: owner after owner, keep for every
//! set of trails how many ways there are to have assigned exactly those, from the front and from the back; an edge's share
//! is what the two sides make together around it.
//!
//! # Guarantee
//!
//! Exact, for components of at most `most_trails` trails; `None` for trails of larger ones, where the size of the allowed
//! set is all that is said.
//!
//! # Cost
//!
//! owners x trails x 2^trails per component.

use super::forced::ForcedMatching;
use super::subtrail::SubtrailGraph;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most owners of a component that are counted one by one; more would need gigabytes.
const MOST_OWNERS: usize = 256;

/// Each incomplete row's probability of its likeliest owner; `most_trails` is at most 16.
///
/// All `None` when not saturable. `matching` must be that of `graph`.
pub fn largest_posteriors(
    graph: &SubtrailGraph,
    matching: &ForcedMatching,
    most_trails: usize,
) -> Vec<Option<f64>> {
    let rows = graph.incomplete_len();
    let Some((of_incomplete, of_complete)) = matching.components() else {
        return vec![None; rows];
    };
    let most_trails = most_trails.min(16);
    let mut members: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for (g, &component) in of_incomplete.iter().enumerate() {
        members.entry(component).or_default().0.push(g as u32);
    }
    for (h, &component) in of_complete.iter().enumerate() {
        if let Some(entry) = members.get_mut(&component) {
            entry.1.push(h as u32);
        }
    }
    let parts: Vec<&(Vec<u32>, Vec<u32>)> = members.values().collect();
    let counted: Vec<Option<Vec<(u32, f64)>>> = parts
        .par_iter()
        .map(|(groups, owners)| count(graph, groups, owners, most_trails))
        .collect();
    let mut of_group: Vec<Option<f64>> = vec![None; of_incomplete.len()];
    for (group, share) in counted.into_iter().flatten().flatten() {
        of_group[group as usize] = Some(share);
    }
    graph
        .incomplete
        .of_row
        .iter()
        .map(|&group| of_group[group as usize])
        .collect()
}

/// The largest share of each incomplete group of one component.
fn count(
    graph: &SubtrailGraph,
    groups: &[u32],
    owners: &[u32],
    most_trails: usize,
) -> Option<Vec<(u32, f64)>> {
    let sizes = |list: &[u32], size: &[u32]| {
        list.iter()
            .map(|&at| size[at as usize] as usize)
            .sum::<usize>()
    };
    let trails = sizes(groups, &graph.incomplete.size);
    if trails > most_trails || sizes(owners, &graph.complete.size) > MOST_OWNERS {
        return None;
    }
    // One bit per trail; the trails of a group are neighbors.
    let mut first_bit = Vec::with_capacity(groups.len());
    let mut next = 0;
    for &group in groups {
        first_bit.push(next);
        next += graph.incomplete.size[group as usize] as usize;
    }
    // For each single owner the trails it covers.
    let mut covers: Vec<u32> = Vec::new();
    for &owner in owners {
        let mut mask = 0_u32;
        for (&group, &bit) in groups.iter().zip(&first_bit) {
            if graph.adjacent(group as usize).binary_search(&owner).is_ok() {
                mask |= ((1_u32 << graph.incomplete.size[group as usize]) - 1) << bit;
            }
        }
        covers.extend(std::iter::repeat_n(
            mask,
            graph.complete.size[owner as usize] as usize,
        ));
    }
    let full = (1_usize << trails) - 1;
    let step = |ways: &[f64], covers: u32| -> Vec<f64> {
        let mut after = ways.to_vec();
        for (set, &ways) in ways.iter().enumerate() {
            let mut open = covers & !(set as u32);
            while ways > 0.0 && open != 0 {
                after[set | 1 << open.trailing_zeros()] += ways;
                open &= open - 1;
            }
        }
        after
    };
    let empty = || {
        let mut ways = vec![0.0; full + 1];
        ways[0] = 1.0;
        ways
    };
    let mut front = vec![empty()];
    for &mask in &covers {
        front.push(step(&front[front.len() - 1], mask));
    }
    let total = front[covers.len()][full];
    let mut largest = vec![0.0_f64; groups.len()];
    let mut back = empty();
    for (at, &mask) in covers.iter().enumerate().rev() {
        for (largest, &bit) in largest.iter_mut().zip(&first_bit) {
            if mask >> bit & 1 == 1 {
                // This owner has this trail; the owners before have a set, the owners after the rest.
                let ways: f64 = (0..=full)
                    .filter(|set| set >> bit & 1 == 0)
                    .map(|set| front[at][set] * back[full & !(set | 1 << bit)])
                    .sum();
                *largest = largest.max(ways / total);
            }
        }
        back = step(&back, mask);
    }
    Some(groups.iter().copied().zip(largest).collect())
}
