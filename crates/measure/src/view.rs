//! A column as it would be published at some level of its hierarchy.

use denym_data::{Column, Hierarchy};

/// The column with every value replaced by its node at `level`; level 0 is the column itself.
///
/// # Panics
///
/// When the hierarchy belongs to another column or has no such level.
pub fn generalized(column: &Column, hierarchy: &Hierarchy, level: usize) -> Column {
    let labels = &hierarchy.levels()[level].labels;
    let by_code: Vec<Option<&str>> = (0..column.dictionary.len() as u32)
        .map(|code| labels[hierarchy.node(level, code) as usize].as_deref())
        .collect();
    // Code the labels once, by node, and map records through their codes: a million records cost one lookup each.
    let nodes = Column::from_texts(&column.name, by_code.iter().copied());
    Column {
        name: column.name.clone(),
        codes: column
            .codes
            .iter()
            .map(|&code| nodes.codes[code as usize])
            .collect(),
        dictionary: nodes.dictionary,
    }
}
