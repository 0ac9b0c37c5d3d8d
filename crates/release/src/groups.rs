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

use denym_data::{Code, Column, Table};

use crate::certificate::Groups;

const LACKING: &str = "the tables lack a column of the certificate";

/// The table with its groups: released columns, the sensitive one ascending within each group, and a column of groups.
pub fn linked(
    table: &Table,
    released: &[usize],
    group_of: &[u32],
    sensitive: usize,
) -> Result<(Table, String), &'static str> {
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
    Ok((Table::new(shown).map_err(|_| LACKING)?, name))
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
pub fn apart(linked: &Table, group: &str, attribute: &str) -> Result<(Table, Table), &'static str> {
    let groups = linked.column(group).ok_or(LACKING)?;
    let values = linked.column(attribute).ok_or(LACKING)?;
    let others = linked.columns().iter().filter(|c| c.name != attribute);
    let first = Table::new(others.cloned().collect()).map_err(|_| LACKING)?;
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
    Ok((first, Table::new(columns).map_err(|_| LACKING)?))
}

/// The two tables of Anatomy as one; a problem in words when they do not meet.
pub fn joined(first: &Table, second: &Table, claims: &Groups) -> Result<Table, &'static str> {
    let of = first.column(&claims.column).ok_or(LACKING)?;
    let groups = second.column(&claims.column).ok_or(LACKING)?;
    let values = second.column(&claims.attribute).ok_or(LACKING)?;
    let is_count = |column: &&Column| column.name != groups.name && column.name != values.name;
    let counts = second.columns().iter().find(is_count).ok_or(LACKING)?;
    let mut of_group: BTreeMap<Option<&str>, Vec<Code>> = BTreeMap::new();
    for row in 0..second.records() {
        let count = counts.text(row).and_then(|text| text.parse::<usize>().ok());
        let count = count.filter(|&count| count <= first.records());
        let count = count.ok_or("the second table has a count that is none")?;
        let list = of_group.entry(groups.text(row)).or_default();
        list.extend(std::iter::repeat_n(values.codes[row], count));
        if list.len() > first.records() {
            return Err("the two tables differ in the size of a group");
        }
    }
    for list in of_group.values_mut() {
        list.sort_unstable_by(|a, b| b.cmp(a));
    }
    let codes: Option<Vec<Code>> = (0..first.records())
        .map(|row| of_group.get_mut(&of.text(row))?.pop())
        .collect();
    let codes = codes.filter(|_| of_group.values().all(Vec::is_empty));
    let codes = codes.ok_or("the two tables differ in the size of a group")?;
    let mut columns = first.columns().to_vec();
    columns.push(Column {
        codes,
        ..values.clone()
    });
    Table::new(columns).map_err(|_| LACKING)
}

#[cfg(test)]
mod tests {
    use super::*;

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
