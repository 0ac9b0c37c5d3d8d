//! Cells that are published or suppressed one by one: every tuple has its own node, or none, for each quasi-identifier.

use std::collections::HashMap;

use denym_data::{Labels, Recoding, Unit};

use crate::Request;
use crate::cut::Tree;

/// The recoding in which `cell(d, tuple)` is the published node of a tree, `None` for `*`. Tuples published alike are a class;
/// those that are `gone` are suppressed.
pub(crate) fn publish_cells(
    request: &Request<'_>,
    trees: &[Tree],
    gone: &[bool],
    cell: impl Fn(usize, usize) -> Option<u32>,
) -> Recoding {
    let q = trees.len();
    let mut labels = vec![Labels::default(); q];
    let mut label_of: Vec<HashMap<Option<u32>, u32>> = vec![HashMap::new(); q];
    let mut published: Vec<Vec<u32>> = vec![Vec::new(); q];
    let mut classes: HashMap<Vec<u32>, u32> = HashMap::new();
    let class_of = (0..request.summary.tuples())
        .map(|tuple| {
            if gone[tuple] {
                return None;
            }
            let values: Vec<u32> = (0..q)
                .map(|d| {
                    let node = cell(d, tuple);
                    *label_of[d].entry(node).or_insert_with(|| {
                        let (text, share) = match node {
                            Some(node) => {
                                let branch = &trees[d].branches[node as usize];
                                let share = branch.leaves as f64 / trees[d].leaves as f64;
                                (branch.text.clone(), share)
                            }
                            None => (Some("*".into()), 1.0),
                        };
                        labels[d].texts.push(text);
                        labels[d].shares.push(share);
                        labels[d].texts.len() as u32 - 1
                    })
                })
                .collect();
            let next = classes.len() as u32;
            let class = *classes.entry(values.clone()).or_insert(next);
            if class == next {
                for (published, value) in published.iter_mut().zip(values) {
                    published.push(value);
                }
            }
            Some(class)
        })
        .collect();
    Recoding {
        unit: Unit::Tuple,
        class_of,
        labels,
        published,
        levels: None,
    }
}
