//! The population behind a table: how many people of a public register look like each class.

use std::collections::{BTreeMap, HashMap};

use denym_data::{ClassId, Code, Column, Hierarchy, Recoding, Table};

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

/// The register with every quasi-identifier at its level, as the release shows it.
pub fn generalized_register(
    names: &[String],
    hierarchies: &[Hierarchy],
    register: &Table,
    levels: &[usize],
) -> Result<Table, denym_data::Error> {
    let quasi = names.iter().zip(hierarchies.iter().zip(levels));
    let columns = quasi.filter_map(|(name, (hierarchy, &level))| {
        let column = register.column(name)?;
        Some(crate::generalized(column, hierarchy, level))
    });
    Table::new(columns.collect())
}

/// The register as a release with values per class shows it: `looks_like` has the class of each of its tuples.
pub fn published_register(
    names: &[String],
    register: &Table,
    recoding: &Recoding,
    looks_like: &[Option<ClassId>],
) -> Result<Table, denym_data::Error> {
    let columns: Vec<&Column> = names.iter().filter_map(|n| register.column(n)).collect();
    // The tuples in their order, as a search had them.
    let mut classes: BTreeMap<Vec<Code>, Option<ClassId>> = BTreeMap::new();
    let tuple = |person: usize| -> Vec<Code> { columns.iter().map(|c| c.codes[person]).collect() };
    for person in 0..register.records() {
        classes.insert(tuple(person), None);
    }
    for (class, found) in classes.values_mut().zip(looks_like) {
        *class = *found;
    }
    let shown: Vec<Option<ClassId>> = (0..register.records())
        .map(|person| classes.get(&tuple(person)).copied().flatten())
        .collect();
    let published = names.iter().enumerate().map(|(d, name)| {
        let labels = &recoding.labels[d].texts;
        let texts = shown.iter().map(|class| match class {
            Some(class) => {
                let label = recoding.published[d][*class as usize];
                labels[label as usize].as_deref()
            }
            // No release shows a control character: these people look like no class.
            None => Some("\u{1}"),
        });
        Column::from_texts(name, texts)
    });
    Table::new(published.collect())
}
