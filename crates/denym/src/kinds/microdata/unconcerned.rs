//! The people who do not mind: which records they are, and what the release says about them.

use super::Search;

/// What became of the records of people who do not mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unconcerned {
    /// Their records.
    pub(crate) records: u64,
    /// The fewest records of people who mind in any group.
    pub(crate) smallest_group: u64,
}

/// The records of people who do not mind; none when the policy does not speak of them.
pub(super) fn rows(search: &Search<'_>) -> Vec<u32> {
    let Some(spec) = &search.plan.policy.release.microdata.unconcerned else {
        return Vec::new();
    };
    let Some(column) = search.table.column(&spec.attribute) else {
        return Vec::new();
    };
    let codes: Vec<bool> = (0..column.dictionary.len())
        .map(|code| {
            let text = column.dictionary.text(code as denym_data::Code);
            text.is_some_and(|text| spec.values.iter().any(|value| value == text))
        })
        .collect();
    let rows = column.codes.iter().enumerate();
    rows.filter(|&(_, &code)| codes[code as usize])
        .map(|(row, _)| row as u32)
        .collect()
}
