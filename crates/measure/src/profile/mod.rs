//! What is in a table nobody has described yet: kinds, patterns, guessed roles with reasons, hierarchies, and who stands out.
//!
//! # Idea
//!
//! A steward starts with a file and no policy. Each column is looked at from three sides: what it is called, what its values look
//! like, and how well it tells people apart. The guess errs on the side of caution (an unknown column with few values counts as
//! known to somebody) and always says why. No reason quotes a value.

mod hierarchy;
mod pattern;
mod role;

use denym_data::{Kind, Role, Table};

pub use hierarchy::{GuessedHierarchy, guess_hierarchy};
pub use pattern::{Pattern, find_pattern};
pub use role::guess_role;

use crate::risk::{Separation, separations};

/// What is known of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Distinct values, without the missing one.
    pub distinct: usize,
    /// Records that miss it.
    pub missing: u64,
    /// Records whose value nobody else has.
    pub uniques: u64,
    /// Distinct values over records.
    pub distinction: f64,
    /// Share of pairs of records that differ on it.
    pub separation: f64,
    /// What most of its values look like.
    pub pattern: Option<Pattern>,
    /// The guessed role.
    pub role: Role,
    /// Why.
    pub reasons: Vec<String>,
    /// How its values could be generalized.
    pub hierarchy: GuessedHierarchy,
}

/// What is known of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Records.
    pub records: u64,
    /// One entry per column.
    pub columns: Vec<ColumnProfile>,
    /// Combinations of the guessed quasi-identifiers, the most separating first, smaller before larger among equals.
    pub combinations: Vec<Separation>,
    /// Records that are unique on all guessed quasi-identifiers.
    pub uniques: u64,
}

/// Profiles a table; combinations of up to `most` quasi-identifiers are compared.
pub fn profile(table: &Table, most: usize) -> Profile {
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let columns: Vec<ColumnProfile> = all
        .iter()
        .map(|&position| {
            let column = &table.columns()[position];
            let alone = separations(table, &[position], 1).pop();
            let (distinction, separation, uniques) = alone.map_or((0.0, 0.0, 0), |found| {
                (found.distinction, found.separation, found.uniques)
            });
            let missing = column.dictionary.missing().map_or(0, |code| {
                column.codes.iter().filter(|&&of| of == code).count() as u64
            });
            let pattern = find_pattern(&column.dictionary);
            let mut profile = ColumnProfile {
                name: column.name.clone(),
                kind: column.dictionary.kind(),
                distinct: column.dictionary.values().len(),
                missing,
                uniques,
                distinction,
                separation,
                pattern,
                role: Role::Insensitive,
                reasons: Vec::new(),
                hierarchy: guess_hierarchy(&column.dictionary, pattern),
            };
            (profile.role, profile.reasons) = guess_role(&profile, table.records() as u64);
            profile
        })
        .collect();
    let quasi: Vec<usize> = all
        .into_iter()
        .filter(|&at| columns[at].role == Role::QuasiIdentifier)
        .collect();
    let mut combinations = separations(table, &quasi, most);
    let uniques = crate::Classes::of(
        table,
        &crate::Roles {
            quasi,
            ..crate::Roles::default()
        },
    )
    .records()
    .iter()
    .filter(|&&size| size == 1)
    .count() as u64;
    combinations.sort_by(|a, b| {
        b.separation
            .total_cmp(&a.separation)
            .then(a.columns.len().cmp(&b.columns.len()))
            .then_with(|| a.columns.cmp(&b.columns))
    });
    Profile {
        records: table.records() as u64,
        columns,
        combinations,
        uniques,
    }
}
