//! Special uniques: records that already stand out on few attributes (SUDA).
//!
//! # Idea
//!
//! A record that is unique on two columns is in greater danger than one that is unique only on all nine. A *minimal sample unique* (MSU) of a
//! record is a set of columns on which it is unique while on no smaller part of it. The smaller its MSUs and the more of
//! them, the higher its score: an MSU of size s among A attributes, with sets up to size M searched, counts (A - s) (A - s - 1) ...
//! (A - M).
//!
//! # Reference
//!
//! M. Elliot, A. Manning, R. Ford, "A computational algorithm for handling the special uniques problem", 2002; A. Manning, D. Haglin, J.
//! Keane, "A recursive search algorithm for statistical disclosure assessment" (SUDA2), 2008.
//!
//! # Departures
//!
//! Sets are searched by grouping, subset by subset, on the distinct tuples; that is simple, exact, and fast enough for sets up to size 3.
//!
//! # Cost
//!
//! One grouping per subset of at most M columns.

use denym_data::Table;

use crate::subsets::combinations;
use crate::{Classes, Roles};

/// The danger of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecialUnique {
    /// The record, from 0.
    pub record: u32,
    /// Its minimal sample uniques, each as positions of columns, smallest first.
    pub minimal: Vec<Vec<usize>>,
    /// The SUDA score.
    pub score: f64,
}

/// The records with a minimal sample unique of at most `most` columns, in ascending order of record.
pub fn special_uniques(table: &Table, columns: &[usize], most: usize) -> Vec<SpecialUnique> {
    let roles = Roles {
        quasi: columns.to_vec(),
        ..Roles::default()
    };
    let most = most.min(columns.len());
    let base = Classes::of(table, &roles);
    let mut minimal: Vec<Vec<Vec<usize>>> = vec![Vec::new(); table.records()];
    for size in 1..=most {
        for subset in combinations(columns, size) {
            let classes = base.coarsened(table, &roles, &subset);
            for (class, _) in classes
                .records()
                .iter()
                .enumerate()
                .filter(|(_, size)| **size == 1)
            {
                let found = &mut minimal[classes.rows(class)[0] as usize];
                let covered = found
                    .iter()
                    .any(|smaller| smaller.iter().all(|column| subset.contains(column)));
                if !covered {
                    found.push(subset.clone());
                }
            }
        }
    }
    let weight = |size: usize| -> f64 {
        (size..=most)
            .map(|i| (columns.len() - i) as f64)
            .map(|factor| factor.max(1.0))
            .product()
    };
    (0..)
        .zip(minimal)
        .filter(|(_, minimal)| !minimal.is_empty())
        .map(|(record, minimal)| SpecialUnique {
            record,
            score: minimal.iter().map(|set| weight(set.len())).sum(),
            minimal,
        })
        .collect()
}
