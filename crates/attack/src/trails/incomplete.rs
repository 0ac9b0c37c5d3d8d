//! REIDIT-I: an incomplete trail that only one remaining complete trail covers belongs to that person; remove both, repeat.
//!
//! # Idea
//!
//! Count each incomplete trail's remaining candidates. A count of one is a re-identification: the pair leaves, which
//! lowers the counts of everybody the taken person covered, and may make further counts one.
//!
//! # Guarantee
//!
//! Every pair is right, in any order, when each incomplete trail's owner is among the complete trails and no two share an
//! owner. Without that the answer depends on the order and can be wrong; [`super::forced`] notices some such cases.
//!
//! # Reference
//!
//! Malin 2002, section 4.2 and Figure 3.
//!
//! # Departures
//!
//! Works on groups of equal trails. Of several trails with one candidate the first row goes first, as the restart in
//! Figure 3 does. A group of two or more equal complete trails is never reduced, so only single ones are tracked.
//!
//! # Cost
//!
//! Linear in the edges between groups, plus a heap operation per pair.

use super::Pair;
use super::subtrail::SubtrailGraph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pairs (incomplete row, complete row), by incomplete row.
pub fn reidit_incomplete(graph: &SubtrailGraph) -> Vec<Pair> {
    let groups = graph.incomplete.len();
    let mut degree: Vec<u64> = (0..groups).map(|group| graph.degree(group)).collect();
    let covered = Covered::of(graph);
    let mut taken = vec![false; graph.complete.len()];
    let mut ready: BinaryHeap<Reverse<(u32, u32)>> = (0..groups)
        .filter(|&group| degree[group] == 1)
        .map(|group| Reverse((graph.incomplete.first[group], group as u32)))
        .collect();
    let mut pairs = Vec::new();
    while let Some(Reverse((row, group))) = ready.pop() {
        if degree[group as usize] != 1 {
            continue;
        }
        let Some(&owner) = graph
            .adjacent(group as usize)
            .iter()
            .find(|&&h| !taken[h as usize])
        else {
            continue;
        };
        taken[owner as usize] = true;
        pairs.push((row, graph.complete.first[owner as usize]));
        for &other in covered.by(owner) {
            let left = &mut degree[other as usize];
            *left -= 1;
            if *left == 1 {
                ready.push(Reverse((graph.incomplete.first[other as usize], other)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// For each complete group of one member, the incomplete groups it covers.
struct Covered {
    offsets: Vec<usize>,
    sources: Vec<u32>,
}

impl Covered {
    fn of(graph: &SubtrailGraph) -> Self {
        let mut offsets = vec![0_usize; graph.complete.len() + 1];
        for &h in &graph.targets {
            offsets[h as usize + 1] += usize::from(graph.complete.size[h as usize] == 1);
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut next = offsets.clone();
        let mut sources = vec![0_u32; offsets[graph.complete.len()]];
        for group in 0..graph.incomplete.len() {
            for &h in graph.adjacent(group) {
                if graph.complete.size[h as usize] == 1 {
                    sources[next[h as usize]] = group as u32;
                    next[h as usize] += 1;
                }
            }
        }
        Self { offsets, sources }
    }

    fn by(&self, owner: u32) -> &[u32] {
        &self.sources[self.offsets[owner as usize]..self.offsets[owner as usize + 1]]
    }
}
