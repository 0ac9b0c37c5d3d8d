//! REIDIT-M and its use the other way round: one person behind several incomplete trails, and people with several identities.
//!
//! # Idea
//!
//! When a person may leave several values behind (two e-mail addresses, two credit cards), nothing is removed: every
//! incomplete trail that exactly one complete trail covers is linked to it. A complete trail that gathers two or more
//! incomplete ones is a shared computer, a family, or one person with several identities.
//!
//! # Guarantee
//!
//! Every pair is right when each incomplete trail's owner is among the complete trails.
//!
//! # Reference
//!
//! Malin 2002, section 4.3 and Figure 4; section 7 for fraud.
//!
//! # Cost
//!
//! Linear in the edges between groups.

use super::Pair;
use super::subtrail::SubtrailGraph;

/// Pairs (incomplete row, complete row), by incomplete row.
pub fn reidit_multiple(graph: &SubtrailGraph) -> Vec<Pair> {
    let owner: Vec<Option<u32>> = (0..graph.incomplete.len())
        .map(|group| match graph.adjacent(group) {
            [h] if graph.complete.size[*h as usize] == 1 => Some(graph.complete.first[*h as usize]),
            _ => None,
        })
        .collect();
    let rows = graph.incomplete.of_row.iter().enumerate();
    rows.filter_map(|(row, &group)| owner[group as usize].map(|owner| (row as u32, owner)))
        .collect()
}

/// A complete trail that is the only owner of several incomplete ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultipleIdentity {
    /// The complete row (the face, the household, the computer).
    pub complete: u32,
    /// The incomplete rows that only it covers (the cards, the e-mail addresses), ascending; two or more.
    pub incomplete: Vec<u32>,
}

/// Every complete trail that must own two or more incomplete ones, by complete row.
pub fn find_multiple(graph: &SubtrailGraph) -> Vec<MultipleIdentity> {
    let mut pairs: Vec<Pair> = reidit_multiple(graph)
        .into_iter()
        .map(|(n, p)| (p, n))
        .collect();
    pairs.sort_unstable();
    pairs
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|chunk| chunk.len() >= 2)
        .map(|chunk| MultipleIdentity {
            complete: chunk[0].0,
            incomplete: chunk.iter().map(|pair| pair.1).collect(),
        })
        .collect()
}
