//! Every node of a generalization lattice, grouped record by record: slow, obvious, for small tables.

use std::collections::BTreeMap;

/// One node: its levels, and its classes as lists of record numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// One level per quasi-identifier.
    pub levels: Vec<usize>,
    /// Classes that are published.
    pub kept: Vec<Vec<usize>>,
    /// Records that are suppressed.
    pub suppressed: usize,
}

/// All nodes within `limits` (lowest and highest level of each quasi-identifier), levels in lexicographic order.
///
/// `nodes[attribute][level][code]` is what a code becomes, `codes[attribute][record]` are the data, and a class of records
/// that `admits` turns down is suppressed.
pub fn every_node(
    nodes: &[Vec<Vec<u32>>],
    codes: &[Vec<u32>],
    limits: &[(usize, usize)],
    admits: &dyn Fn(&[usize]) -> bool,
) -> Vec<Node> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for &(low, high) in limits {
        all = all
            .iter()
            .flat_map(|levels| {
                (low..=high).map(move |level| [levels.as_slice(), &[level]].concat())
            })
            .collect();
    }
    let records = codes.first().map_or(0, Vec::len);
    all.into_iter()
        .map(|levels| {
            let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
            for record in 0..records {
                let tuple = levels.iter().enumerate();
                let tuple = tuple.map(|(d, &level)| nodes[d][level][codes[d][record] as usize]);
                classes.entry(tuple.collect()).or_default().push(record);
            }
            let (kept, failed): (Vec<_>, Vec<_>) =
                classes.into_values().partition(|class| admits(class));
            Node {
                levels,
                kept,
                suppressed: failed.iter().map(Vec::len).sum(),
            }
        })
        .collect()
}
