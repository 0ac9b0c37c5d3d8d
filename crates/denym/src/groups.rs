//! Releases in groups: quasi-identifiers as they are, and a group in which sensitive values belong to nobody in particular.
//!
//! # Idea
//!
//! Anatomy publishes two tables that meet in a column of groups; a permutation publishes one whose sensitive column is shuffled
//! within groups. To a recipient both say the same: these records, these values, and no way to tell which has which. So
//! both are judged alike, as one table in which every group shows its values in ascending order:
//!
//! ```text
//!  age sex group    group disease records       age sex group disease
//!   23  M    1        1   flu        1     ──>    23  M    1   cold
//!   27  M    1        1   cold       1            27  M    1   flu
//! ```
//!
//! # Guarantee
//!
//! Promises on the sensitive attribute hold for every group. Nothing is promised about finding a record or about presence.
//!
//! # Reference
//!
//! X. Xiao, Y. Tao, "Anatomy", VLDB 2006; Q. Zhang et al., ICDE 2007. Survey section 3.2.

use std::collections::BTreeMap;

use denym_data::{Code, Column, Hierarchy, Table};

use crate::Error;

pub(crate) use denym_release::groups::joined;

/// The table with its groups: released columns, the sensitive one ascending within each group, and a column of groups.
pub(crate) fn linked(
    table: &Table,
    released: &[usize],
    group_of: &[u32],
    sensitive: usize,
) -> Result<(Table, String), Error> {
    let columns = table.columns();
    let mut rows: Vec<usize> = (0..table.records()).collect();
    rows.sort_by(|&a, &b| {
        let shown = released.iter().filter(|&&column| column != sensitive);
        group_of[a]
            .cmp(&group_of[b])
            .then_with(|| {
                shown
                    .map(|&column| columns[column].codes[a].cmp(&columns[column].codes[b]))
                    .find(|order| order.is_ne())
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
            .then(a.cmp(&b))
    });
    let mut by_value = rows.clone();
    let values: &[Code] = &columns[sensitive].codes;
    by_value.sort_by_key(|&row| (group_of[row], values[row]));
    let mut shown: Vec<Column> = released
        .iter()
        .map(|&column| {
            let order = if column == sensitive {
                &by_value
            } else {
                &rows
            };
            let texts = order.iter().map(|&row| columns[column].text(row));
            Column::from_texts(&columns[column].name, texts)
        })
        .collect();
    let name = free(&shown, "group");
    let numbers: Vec<String> = rows
        .iter()
        .map(|&row| (group_of[row] + 1).to_string())
        .collect();
    let texts = numbers.iter().map(|text| Some(text.as_str()));
    shown.push(Column::from_texts(&name, texts));
    Ok((Table::new(shown)?, name))
}

/// A name that no column has yet.
fn free(columns: &[Column], wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while columns.iter().any(|column| column.name == name) {
        name.push('_');
    }
    name
}

/// The two tables of Anatomy: everything but the sensitive attribute, and how often each group has each value.
pub(crate) fn apart(linked: &Table, group: &str, attribute: &str) -> Result<(Table, Table), Error> {
    let (Some(groups), Some(values)) = (linked.column(group), linked.column(attribute)) else {
        return Err(Error::Internal {
            what: "a release in groups lacks a column".into(),
        });
    };
    let others = linked.columns().iter().filter(|c| c.name != attribute);
    let first = Table::new(others.cloned().collect())?;
    let mut counts: BTreeMap<(Code, Code), u64> = BTreeMap::new();
    for (&group, &value) in groups.codes.iter().zip(&values.codes) {
        *counts.entry((group, value)).or_default() += 1;
    }
    let keys = || counts.keys();
    let group_texts = keys().map(|&(code, _)| groups.dictionary.text(code));
    let value_texts = keys().map(|&(_, code)| values.dictionary.text(code));
    let numbers: Vec<String> = counts.values().map(u64::to_string).collect();
    let mut columns = vec![
        Column::from_texts(group, group_texts),
        Column::from_texts(attribute, value_texts),
    ];
    let name = free(&columns, "records");
    let texts = numbers.iter().map(|text| Some(text.as_str()));
    columns.push(Column::from_texts(&name, texts));
    Ok((first, Table::new(columns)?))
}

/// The lowest node of a taxonomy with this label: its level and its number there.
pub(crate) fn node_called(taxonomy: &Hierarchy, label: &str) -> Option<(usize, u32)> {
    (0..).zip(taxonomy.levels()).find_map(|(level, of)| {
        let found = of
            .labels
            .iter()
            .position(|text| text.as_deref() == Some(label));
        Some((level, found? as u32))
    })
}

/// The largest chance, over all classes and the guarding nodes in them, that a value lies under the node, when values are
/// published at any level: a numerator and a denominator. `None` when a label is not of the taxonomy or a number too large.
pub(crate) fn exposure(
    classes: &[Vec<usize>],
    values: &Column,
    guards: &Column,
    taxonomy: &Hierarchy,
) -> Option<(u128, u128)> {
    let nodes = |column: &Column| -> Vec<Option<(usize, u32)>> {
        (0..column.dictionary.len() as Code)
            .map(|code| node_called(taxonomy, column.dictionary.text(code)?))
            .collect()
    };
    let (mut shown, guarded) = (nodes(values), nodes(guards));
    // A missing value is a leaf of its own; a missing guard guards nothing.
    if let Some(missing) = values.dictionary.missing() {
        let leaves = &taxonomy.levels()[0].labels;
        let leaf = leaves.iter().position(Option::is_none);
        shown[missing as usize] = leaf.map(|node| (0, node as u32));
    }
    // The codes under each node say which node lies under which.
    let under = |(level, node): (usize, u32)| -> Vec<usize> {
        let of = &taxonomy.levels()[level].nodes;
        (0..of.len()).filter(|&code| of[code] == node).collect()
    };
    let mut worst = (0_u128, 1_u128);
    for rows in classes {
        let mut wanted: Vec<(usize, u32)> = rows
            .iter()
            .filter_map(|&row| guarded[guards.codes[row] as usize])
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        for guard in wanted {
            let inside = under(guard);
            let mut sum = (0_u128, 1_u128);
            for &row in rows {
                let label = under(shown[values.codes[row] as usize]?);
                let common = label.iter().filter(|code| inside.contains(code)).count();
                let (part, whole) = (common as u128, label.len() as u128);
                // a/b + c/d over the least common denominator.
                let divisor = gcd(sum.1, whole);
                let denominator = (sum.1 / divisor).checked_mul(whole)?;
                let left = sum.0.checked_mul(denominator / sum.1)?;
                sum = (
                    left.checked_add(part.checked_mul(denominator / whole)?)?,
                    denominator,
                );
            }
            let share = (sum.0, sum.1.checked_mul(rows.len() as u128)?);
            if share.0.checked_mul(worst.1)? > worst.0.checked_mul(share.1)? {
                let divisor = gcd(share.0, share.1);
                worst = (share.0 / divisor, share.1 / divisor);
            }
        }
    }
    Some(worst)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Groups;

    fn table() -> Table {
        let column = |name: &str, texts: [&str; 4]| Column::from_texts(name, texts.map(Some));
        Table::new(vec![
            column("age", ["23", "27", "61", "65"]),
            column("disease", ["flu", "cold", "gout", "flu"]),
        ])
        .expect("a table")
    }

    fn claims() -> Groups {
        Groups {
            column: "group".into(),
            attribute: "disease".into(),
            sensitive: None,
        }
    }

    #[test]
    fn two_tables_meet_again() {
        let (linked, name) = linked(&table(), &[0, 1], &[0, 0, 1, 1], 1).expect("linked");
        assert_eq!(name, "group");
        let shown: Vec<_> = (0..4).map(|row| linked.columns()[1].text(row)).collect();
        // Ascending within each group, whoever has it.
        assert_eq!(shown, ["cold", "flu", "flu", "gout"].map(Some));
        let (first, second) = apart(&linked, "group", "disease").expect("apart");
        assert_eq!((first.columns().len(), second.records()), (2, 4));
        let again = joined(&first, &second, &claims()).expect("joined");
        let shown: Vec<_> = (0..4).map(|row| again.columns()[2].text(row)).collect();
        assert_eq!(shown, ["cold", "flu", "flu", "gout"].map(Some));
    }

    #[test]
    fn tables_that_do_not_meet_are_refused() {
        let (linked, _) = linked(&table(), &[0, 1], &[0, 0, 1, 1], 1).expect("linked");
        let (first, second) = apart(&linked, "group", "disease").expect("apart");
        let mut columns = second.columns().to_vec();
        columns[2] = Column::from_texts("records", ["1", "2", "1", "1"].map(Some));
        let wrong = Table::new(columns).expect("a table");
        assert!(joined(&first, &wrong, &claims()).is_err());
    }
}
