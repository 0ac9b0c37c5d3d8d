//! Several tables about the same people, joined for promises that count people (`MultiR` k-anonymity).
//!
//! # Idea
//!
//! A person table has one record per person; detail tables refer to it by a foreign key. An adversary may know a person through any of
//! them, so groups are formed on the join, and k counts distinct people in each group, not joined rows.
//!
//! # Reference
//!
//! M. Nergiz, C. Clifton, A. Nergiz, "Multirelational k-anonymity", ICDE 2007. Survey section 2.1.
//!
//! # Departures
//!
//! People without details stay in the join, with missing values: dropping them would leave them unprotected. Several details
//! of one person in two tables give all pairs.

use std::collections::HashMap;

use denym_data::{Column, Table};

use crate::Error;

/// A table that refers to people.
#[derive(Debug, Clone, Copy)]
pub struct Detail<'a> {
    /// What the table is called; its columns are named `name.column` in the join.
    pub name: &'a str,
    /// The table.
    pub table: &'a Table,
    /// Its column with the person's key.
    pub foreign_key: &'a str,
}

/// The person table joined with all detail tables. The key column keeps its name and is the subject of the result.
pub fn joined(person: &Table, key: &str, details: &[Detail<'_>]) -> Result<Table, Error> {
    let keys = column(person, key)?;
    // For each person and detail table, the detail's rows.
    let mut rows_of: Vec<Vec<Vec<usize>>> = Vec::with_capacity(details.len());
    for detail in details {
        let foreign = column(detail.table, detail.foreign_key)?;
        let index: HashMap<Option<&str>, usize> = (0..person.records())
            .map(|row| (keys.text(row), row))
            .collect();
        let mut rows = vec![Vec::new(); person.records()];
        for row in 0..detail.table.records() {
            match index.get(&foreign.text(row)) {
                Some(&owner) => rows[owner].push(row),
                None => {
                    return Err(Error::DanglingKey {
                        table: detail.name.to_owned(),
                        record: row + 1,
                    });
                }
            }
        }
        rows_of.push(rows);
    }
    // Joined rows as (person, one row or none per detail).
    let mut joined: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
    for owner in 0..person.records() {
        let mut partial: Vec<Vec<Option<usize>>> = vec![Vec::new()];
        for rows in &rows_of {
            let choices: Vec<Option<usize>> = if rows[owner].is_empty() {
                vec![None]
            } else {
                rows[owner].iter().copied().map(Some).collect()
            };
            partial = partial
                .iter()
                .flat_map(|left| {
                    choices.iter().map(move |&choice| {
                        let mut longer = left.clone();
                        longer.push(choice);
                        longer
                    })
                })
                .collect();
        }
        joined.extend(partial.into_iter().map(|rows| (owner, rows)));
    }
    let mut columns: Vec<Column> = person
        .columns()
        .iter()
        .map(|column| Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: joined
                .iter()
                .map(|&(owner, _)| column.codes[owner])
                .collect(),
        })
        .collect();
    for (position, detail) in details.iter().enumerate() {
        for column in detail.table.columns() {
            if column.name != detail.foreign_key {
                let texts = joined
                    .iter()
                    .map(|(_, rows)| rows[position].and_then(|row| column.text(row)));
                columns.push(Column::from_texts(
                    &format!("{}.{}", detail.name, column.name),
                    texts,
                ));
            }
        }
    }
    let first_repeated = columns.iter().enumerate().find(|(index, column)| {
        columns[..*index]
            .iter()
            .any(|other| other.name == column.name)
    });
    match first_repeated {
        Some((_, column)) => Err(Error::RepeatedColumn {
            column: column.name.clone(),
        }),
        None => Table::new(columns).map_err(|_| Error::RepeatedColumn {
            column: key.to_owned(),
        }),
    }
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column, Error> {
    table.column(name).ok_or_else(|| Error::UnknownColumn {
        column: name.to_owned(),
        known: table
            .columns()
            .iter()
            .map(|column| column.name.clone())
            .collect(),
    })
}
