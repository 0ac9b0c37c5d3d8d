//! Slow and obvious answers of purpose-based access control, on plain numbers: the set definitions word by word.

use std::collections::BTreeSet;

/// A forest as the parent of each node.
pub type Parents = [Option<usize>];

/// Whether `above` is an ancestor of `below` or the same node.
pub fn reaches(parents: &Parents, above: usize, below: usize) -> bool {
    let mut at = Some(below);
    while let Some(node) = at {
        if node == above {
            return true;
        }
        at = parents[node];
    }
    false
}

/// All descendants of the nodes in `set`, with the nodes themselves.
pub fn down(parents: &Parents, set: &BTreeSet<usize>) -> BTreeSet<usize> {
    (0..parents.len())
        .filter(|node| set.iter().any(|top| reaches(parents, *top, *node)))
        .collect()
}

/// All ancestors of the nodes in `set`, with the nodes themselves.
pub fn up(parents: &Parents, set: &BTreeSet<usize>) -> BTreeSet<usize> {
    (0..parents.len())
        .filter(|node| set.iter().any(|low| reaches(parents, *node, *low)))
        .collect()
}

/// The purposes served in full and in conditional form: AIP-down minus CIP-down minus PIP-up-and-down, and
/// CIP-down minus PIP-up-and-down.
pub fn implied(
    parents: &Parents,
    allowed: &BTreeSet<usize>,
    conditional: &BTreeSet<usize>,
    prohibited: &BTreeSet<usize>,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let denied: BTreeSet<usize> = &up(parents, prohibited) | &down(parents, prohibited);
    let weakened = down(parents, conditional);
    let full = &(&down(parents, allowed) - &weakened) - &denied;
    (full, &weakened - &denied)
}

/// A random forest of 1 to `most` nodes: each node's parent is an earlier node or none.
pub fn any_forest(most: usize) -> impl proptest::strategy::Strategy<Value = Vec<Option<usize>>> {
    use proptest::prelude::*;
    proptest::collection::vec(any::<prop::sample::Index>(), 1..=most).prop_map(|draws| {
        draws
            .iter()
            .enumerate()
            .map(|(node, draw)| draw.index(node + 1).checked_sub(1))
            .collect()
    })
}
