//! Releases in groups as a recipient sees them: the table with the values of its groups beside their records.

use std::collections::BTreeMap;

use denym_data::{Code, Column, Table};

use crate::certificate::Groups;

/// The two tables of Anatomy as one; a problem in words when they do not meet.
pub fn joined(first: &Table, second: &Table, claims: &Groups) -> Result<Table, &'static str> {
    let lacking = "the tables lack a column of the certificate";
    let of = first.column(&claims.column).ok_or(lacking)?;
    let groups = second.column(&claims.column).ok_or(lacking)?;
    let values = second.column(&claims.attribute).ok_or(lacking)?;
    let is_count = |column: &&Column| column.name != groups.name && column.name != values.name;
    let counts = second.columns().iter().find(is_count).ok_or(lacking)?;
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
    Table::new(columns).map_err(|_| lacking)
}
