//! The Adult table and its hierarchies, read with plain Rust.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test support: each binary uses the part that it needs"
)]

use std::collections::BTreeMap;

use denym_data::{Column, Hierarchy, HierarchyRow, Recoding, Summary, Table, Unit};
use denym_measure::{Group, Histogram, Promise};
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

/// What a solver would see of the table.
pub(crate) fn summary(table: &Table, quasi: &[&str], sensitive: &[&str]) -> Summary {
    let columns: Vec<&Column> = quasi
        .iter()
        .map(|name| table.column(name).unwrap())
        .collect();
    let mut tuples: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.records() {
        let tuple = columns.iter().map(|column| column.codes[row]).collect();
        tuples.entry(tuple).or_default().push(row);
    }
    Summary {
        quasi: (0..columns.len())
            .map(|position| tuples.keys().map(|tuple| tuple[position]).collect())
            .collect(),
        cardinalities: columns
            .iter()
            .map(|column| column.dictionary.len())
            .collect(),
        records: tuples.values().map(|rows| rows.len() as u64).collect(),
        sensitive: sensitive
            .iter()
            .map(|name| {
                let codes = &table.column(name).unwrap().codes;
                tuples
                    .values()
                    .map(|rows| {
                        let mut counts = BTreeMap::new();
                        for &row in rows {
                            *counts.entry(codes[row]).or_insert(0_u64) += 1;
                        }
                        counts.into_iter().collect()
                    })
                    .collect()
            })
            .collect(),
        subjects: None,
        shown: Vec::new(),
    }
}

/// The full-domain recoding at `levels` that suppresses the classes which some promise does not admit.
pub(crate) fn full_domain(
    summary: &Summary,
    hierarchies: &[Hierarchy],
    levels: &[usize],
    promises: &[Box<dyn Promise>],
) -> Recoding {
    let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for tuple in 0..summary.tuples() {
        let nodes = (0..levels.len())
            .map(|at| hierarchies[at].node(levels[at], summary.quasi[at][tuple]))
            .collect();
        classes.entry(nodes).or_default().push(tuple);
    }
    let mut recoding = Recoding {
        unit: Unit::Tuple,
        class_of: vec![None; summary.tuples()],
        labels: (0..levels.len())
            .map(|at| hierarchies[at].labels(levels[at]))
            .collect(),
        published: vec![Vec::new(); levels.len()],
        levels: Some(levels.to_vec()),
    };
    let mut next = 0;
    for (nodes, tuples) in classes {
        let records = tuples.iter().map(|&tuple| summary.records[tuple]).sum();
        let counts: Vec<Vec<(u32, u64)>> = summary
            .sensitive
            .iter()
            .map(|rows| {
                let mut counts = BTreeMap::new();
                for &tuple in &tuples {
                    for &(value, count) in rows.row(tuple) {
                        *counts.entry(value).or_insert(0) += count;
                    }
                }
                counts.into_iter().collect()
            })
            .collect();
        let sensitive: Vec<Histogram<'_>> =
            counts.iter().map(|counts| Histogram::new(counts)).collect();
        let group = Group::new(records, records, &sensitive);
        if promises.iter().all(|promise| promise.admits(&group)) {
            for tuple in tuples {
                recoding.class_of[tuple] = Some(next);
            }
            for (published, node) in recoding.published.iter_mut().zip(nodes) {
                published.push(node);
            }
            next += 1;
        }
    }
    recoding
}
