//! What a plain table tells beside a register, and what it tells when some cells could have been anything.

use super::wildcard_sizes;
use crate::population::match_population;
use crate::{Classes, Error, Roles};
use denym_data::{Column, Table};

/// A table beside a register.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presence {
    /// People of the register.
    pub people: u64,
    /// The fewest people that look like a group (k-map).
    pub k_map: u64,
    /// The smallest chance that somebody of the register is in the table (delta-presence).
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// People who look like no group: they are certainly absent.
    pub outside: u64,
}

/// Groups when a marked cell may stand for any value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wildcards {
    /// Records of the smallest group.
    pub k: u64,
    /// Records that nobody else could be.
    pub uniques: u64,
    /// Records in groups of fewer than the k asked for.
    pub below: u64,
}

/// Counts the people of `register`, generalized as the table is, that look like each class.
pub fn presence(
    table: &Table,
    roles: &Roles,
    classes: &Classes,
    register: &Table,
) -> Result<Presence, Error> {
    let matched = match_population(table, roles, classes, register)?;
    let chances = classes
        .subjects()
        .iter()
        .zip(&matched.people)
        .map(|(&subjects, &people)| subjects as f64 / people as f64);
    let least = if matched.outside > 0 {
        0.0
    } else {
        chances.clone().fold(f64::INFINITY, f64::min)
    };
    Ok(Presence {
        people: register.records() as u64,
        k_map: matched.people.iter().copied().min().unwrap_or(0),
        least: if least.is_finite() { least } else { 0.0 },
        most: chances.fold(0.0, f64::max),
        outside: matched.outside,
    })
}

/// The groups of `quasi` when missing cells, and those that show `mark`, match anything.
pub fn wildcards(table: &Table, quasi: &[usize], mark: &str, k: u64) -> Wildcards {
    let columns = quasi.iter().map(|&position| {
        let column = &table.columns()[position];
        let texts = (0..table.records()).map(|row| column.text(row).filter(|&text| text != mark));
        Column::from_texts(&column.name, texts)
    });
    let sizes = match Table::new(columns.collect()) {
        Ok(view) => wildcard_sizes(&view, &(0..quasi.len()).collect::<Vec<_>>()),
        Err(_) => Vec::new(),
    };
    Wildcards {
        k: sizes.iter().copied().min().unwrap_or(0),
        uniques: sizes.iter().filter(|&&size| size == 1).count() as u64,
        below: sizes.iter().filter(|&&size| size < k).count() as u64,
    }
}
