//! The Adult table and its hierarchies, read with plain Rust.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test support: each binary uses the part that it needs"
)]

use denym_data::{Column, Hierarchy, HierarchyRow, Table};
use denym_testkit::shared;

/// The table, `times` over.
pub(crate) fn adult(times: usize) -> Option<Table> {
    let text = std::fs::read_to_string(shared::path("data/adult/adult.csv")?).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(';').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(';').collect()).collect();
    let columns = names
        .iter()
        .enumerate()
        .map(|(position, name)| {
            let mut column = Column::from_texts(name, rows.iter().map(|row| Some(row[position])));
            column.codes = column.codes.repeat(times);
            column
        })
        .collect();
    Some(Table::new(columns).unwrap())
}

/// The hierarchy of one column.
pub(crate) fn hierarchy(column: &Column) -> Hierarchy {
    let path = format!("data/adult/adult_hierarchy_{}.csv", column.name);
    let text = std::fs::read_to_string(shared::path(&path).unwrap()).unwrap();
    let rows: Vec<HierarchyRow> = text
        .lines()
        .enumerate()
        .map(|(line, row)| HierarchyRow {
            line: line + 1,
            labels: row.split(';').map(str::to_owned).collect(),
        })
        .collect();
    Hierarchy::from_rows(column, &rows).unwrap()
}

/// The table with some columns generalized.
pub(crate) fn view(table: &Table, levels: &[(&str, usize)]) -> Table {
    let columns = table
        .columns()
        .iter()
        .map(
            |column| match levels.iter().find(|(name, _)| *name == column.name) {
                Some(&(_, level)) => denym_measure::generalized(column, &hierarchy(column), level),
                None => column.clone(),
            },
        )
        .collect();
    Table::new(columns).unwrap()
}

pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}
