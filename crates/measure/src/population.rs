//! The population behind a table: how many people of a public register look like each class.

use std::collections::HashMap;

use denym_data::Table;

use crate::{Classes, Error, Roles};

/// A population matched to the classes of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// People of the population that look like each class, by class.
    pub people: Vec<u64>,
    /// People who look like no class: for them an adversary knows that they are absent.
    pub outside: u64,
}

/// Counts the records of `population` by the classes of `table`.
///
/// Columns are matched by name and values by text, so the population must be generalized as the table is. Each of its records
/// is one person.
pub fn match_population(
    table: &Table,
    roles: &Roles,
    classes: &Classes,
    population: &Table,
) -> Result<Matched, Error> {
    let mut translated: Vec<Vec<Option<u32>>> = Vec::with_capacity(roles.quasi.len());
    for &position in &roles.quasi {
        let column = &table.columns()[position];
        let other = population
            .column(&column.name)
            .ok_or_else(|| Error::UnknownColumn {
                column: column.name.clone(),
                known: population
                    .columns()
                    .iter()
                    .map(|column| column.name.clone())
                    .collect(),
            })?;
        // The population's codes in the table's dictionary.
        let by_code: Vec<Option<u32>> = (0..other.dictionary.len() as u32)
            .map(|code| match other.dictionary.text(code) {
                Some(text) => column.dictionary.code_of(text),
                None => column.dictionary.missing(),
            })
            .collect();
        translated.push(
            other
                .codes
                .iter()
                .map(|&code| by_code[code as usize])
                .collect(),
        );
    }
    let tuple = |class: usize| -> Vec<u32> {
        let row = classes.rows(class)[0] as usize;
        roles
            .quasi
            .iter()
            .map(|&position| table.columns()[position].codes[row])
            .collect()
    };
    let index: HashMap<Vec<u32>, usize> = (0..classes.len())
        .map(|class| (tuple(class), class))
        .collect();
    let mut matched = Matched {
        people: vec![0; classes.len()],
        outside: 0,
    };
    for person in 0..population.records() {
        let tuple: Option<Vec<u32>> = translated.iter().map(|column| column[person]).collect();
        match tuple.and_then(|tuple| index.get(&tuple)) {
            Some(&class) => matched.people[class] += 1,
            None => matched.outside += 1,
        }
    }
    Ok(matched)
}
