//! What is in a table nobody has described yet: kinds, patterns, guessed roles with reasons, hierarchies, and who stands out.
//!
//! # Idea
//!
//! A steward starts with a file and no policy. Each column is looked at from three sides: what it is called, what its values look
//! like, and how well it tells people apart. The guess errs on the side of caution (an unknown column with few values counts as
//! known to somebody) and always says why. No reason quotes a value.

mod hierarchy;
mod role;
mod settle;

use denym_data::{Dictionary, Kind, Role, Table};

pub use hierarchy::{GuessedHierarchy, guess_hierarchy};
pub use role::{guess_role, named_role};
pub use settle::{LeftOut, MOST_QUASI};

pub use crate::recognize::{Pattern, find_pattern};
use crate::recognize::{Recognized, recognize};
use crate::risk::{RankedSeparations, ranked_separations, separations, unique_records};

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
    /// Whether its numbers lie so close that they were given out one by one, as numbers of records are.
    pub dense: bool,
    /// What its name says and its values look like.
    pub recognized: Recognized,
    /// The guessed role.
    pub role: Role,
    /// Why.
    pub reasons: Vec<String>,
    /// How its values could be generalized.
    pub hierarchy: GuessedHierarchy,
    /// Why a draft does not publish it, although its role would let it.
    pub left_out: Option<LeftOut>,
}

impl ColumnProfile {
    /// Whether most records have a value that nobody else has: whoever learns one finds the person.
    pub fn nearly_unique(&self, records: u64) -> bool {
        self.uniques * 2 > records
    }
}

/// What is known of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Records.
    pub records: u64,
    /// One entry per column.
    pub columns: Vec<ColumnProfile>,
    /// Combinations of the guessed quasi-identifiers, the most separating first, and how they were compared.
    pub combinations: RankedSeparations,
    /// Records that are unique on all guessed quasi-identifiers.
    pub uniques: u64,
    /// Whether all that would be published is numbers, whose means can take their place.
    pub all_numbers: bool,
}

/// Whether whole numbers fill a fifth of their range or more.
fn is_dense(dictionary: &Dictionary) -> bool {
    let number = |code: usize| {
        let text = dictionary.text(code as u32)?;
        Kind::Integer.number(text)
    };
    let last = dictionary.values().len().checked_sub(1);
    dictionary.kind() == Kind::Integer
        && last.is_some_and(|last| {
            let range = number(last)
                .zip(number(0))
                .map_or(f64::MAX, |(high, low)| high - low);
            range <= 5.0 * (last + 1) as f64
        })
}

/// Profiles a table; combinations of up to `most` quasi-identifiers are compared.
pub fn profile(table: &Table, most: usize) -> Profile {
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let mut columns: Vec<ColumnProfile> = all
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
            let recognized = recognize(&column.name, &column.dictionary, table.records() as u64);
            let mut profile = ColumnProfile {
                name: column.name.clone(),
                kind: column.dictionary.kind(),
                distinct: column.dictionary.values().len(),
                missing,
                uniques,
                distinction,
                separation,
                dense: is_dense(&column.dictionary),
                hierarchy: guess_hierarchy(&column.dictionary, &recognized),
                recognized,
                role: Role::Insensitive,
                reasons: Vec::new(),
                left_out: None,
            };
            (profile.role, profile.reasons) = guess_role(&profile, table.records() as u64);
            profile
        })
        .collect();
    let all_numbers = settle::settle(&mut columns);
    let quasi: Vec<usize> = all
        .into_iter()
        .filter(|&at| columns[at].role == Role::QuasiIdentifier && columns[at].left_out.is_none())
        .collect();
    let combinations = ranked_separations(table, &quasi, most);
    let uniques = unique_records(table, &quasi);
    Profile {
        records: table.records() as u64,
        columns,
        combinations,
        uniques,
        all_numbers,
    }
}
