//! Class sizes when a suppressed cell could have been anything.
//!
//! # Idea
//!
//! If missing cells are read as values of their own, records with a missing cell form classes apart. Read as wildcards, a record matches
//! every record that agrees with it wherever *both* show a value; its group is all of those. That is how an adversary sees
//! locally suppressed data: the victim's record might be any that does not contradict what they know.
//!
//! # Reference
//!
//! M. Templ, A. Kowarik, B. Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", JSS 2015 (frequency
//! counts with missing values).
//!
//! # Cost
//!
//! For each pair of patterns of missing cells, one pass over the distinct tuples of both. Tables have few patterns.

use std::collections::HashMap;

use denym_data::Table;

use crate::{Classes, Roles};

/// For each record, how many records (itself included) do not contradict it on the columns, missing cells matching anything.
pub fn wildcard_sizes(table: &Table, columns: &[usize]) -> Vec<u64> {
    let roles = Roles {
        quasi: columns.to_vec(),
        ..Roles::default()
    };
    let classes = Classes::of(table, &roles);
    // Distinct tuples, with None for a wildcard.
    let tuples: Vec<Vec<Option<u32>>> = (0..classes.len())
        .map(|class| {
            let row = classes.rows(class)[0] as usize;
            columns
                .iter()
                .map(|&column| {
                    let column = &table.columns()[column];
                    let code = column.codes[row];
                    (column.dictionary.missing() != Some(code)).then_some(code)
                })
                .collect()
        })
        .collect();
    // Classes by which cells they show.
    let mut patterns: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    let mut index: HashMap<Vec<bool>, usize> = HashMap::new();
    for (class, tuple) in tuples.iter().enumerate() {
        let shown: Vec<bool> = tuple.iter().map(Option::is_some).collect();
        let at = *index.entry(shown.clone()).or_insert_with(|| {
            patterns.push((shown, Vec::new()));
            patterns.len() - 1
        });
        patterns[at].1.push(class);
    }
    let mut sizes = vec![0_u64; classes.len()];
    for (mine, own) in &patterns {
        for (theirs, others) in &patterns {
            let both: Vec<usize> = (0..columns.len())
                .filter(|&at| mine[at] && theirs[at])
                .collect();
            let project = |class: usize| -> Vec<Option<u32>> {
                both.iter().map(|&at| tuples[class][at]).collect()
            };
            let mut counts: HashMap<Vec<Option<u32>>, u64> = HashMap::new();
            for &class in others {
                *counts.entry(project(class)).or_insert(0) += classes.records()[class];
            }
            for &class in own {
                sizes[class] += counts.get(&project(class)).copied().unwrap_or(0);
            }
        }
    }
    let class_of = classes.class_of();
    class_of
        .into_iter()
        .map(|class| sizes[class as usize])
        .collect()
}
