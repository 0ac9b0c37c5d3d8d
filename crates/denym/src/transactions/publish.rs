//! The released table of transactions: what each subject shows, sorted by what is shown.

use std::collections::HashMap;
use std::sync::Arc;

use denym_data::Sequences;
use denym_data::{Code, Column, Dictionary, Strings, Table};

use super::{Baskets, TransactionForm};
use crate::Error;
use crate::paths::{distinct, sorted, used};

/// Puts together what is published; items stand in the order of their names, subjects in the order of what they show.
///
/// Also which source record each published one is.
pub(crate) fn publish(source: &Baskets, released: &Sequences) -> Result<(Table, Vec<u32>), Error> {
    let mut by_name: Vec<u32> = (0..released.locations().len() as u32).collect();
    by_name.sort_by_key(|&item| &released.locations()[item as usize]);
    let mut rank = vec![0_u32; by_name.len()];
    for (place, &item) in by_name.iter().enumerate() {
        rank[item as usize] = place as u32;
    }
    // Each distinct set once.
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let row_of: Vec<u32> = released
        .records()
        .map(|set| {
            let mut list: Vec<u32> = set.iter().map(|&item| rank[item as usize]).collect();
            list.sort_unstable();
            *known.entry(list).or_insert_with_key(|list| {
                rows.push(list.clone());
                rows.len() as u32 - 1
            })
        })
        .collect();
    let name = |place: u32| released.locations()[by_name[place as usize] as usize].as_str();
    let separator = match &source.form {
        TransactionForm::Wide { separator, .. } => *separator,
        TransactionForm::Long { .. } => ';',
    };
    let cells: Vec<String> = rows
        .iter()
        .map(|row| {
            let names: Vec<&str> = row.iter().map(|&place| name(place)).collect();
            names.join(separator.encode_utf8(&mut [0; 4]))
        })
        .collect();
    let (dictionary, code_of) = distinct(&cells);
    // By what is shown, in the order of its columns; the items at the place of their first one.
    let set_code: Vec<Code> = row_of.iter().map(|&row| code_of[row as usize]).collect();
    let own = |name: &String| source.attributes.iter().find(|column| column.name == *name);
    let mut sort_by: Vec<(usize, &[Code])> = Vec::new();
    for name in &source.order {
        match (own(name), &source.form) {
            (Some(column), _) => sort_by.push((column.dictionary.len(), &column.codes)),
            (None, TransactionForm::Long { item, .. }) if name == item => {}
            (None, _) => sort_by.push((dictionary.len(), &set_code)),
        }
    }
    let order = sorted(&sort_by, &vec![true; released.len()]);
    let mut columns = match &source.form {
        TransactionForm::Wide { items, .. } => vec![Column {
            name: items.clone(),
            dictionary: Arc::new(dictionary),
            codes: order.iter().map(|&r| set_code[r as usize]).collect(),
        }],
        TransactionForm::Long { subject, item } => {
            let shown = order
                .iter()
                .map(|&r| &rows[row_of[r as usize] as usize][..]);
            long(subject, item, shown, by_name.len(), name)
        }
    };
    // Which record each row of the release is of.
    let of_row: Vec<u32> = match &source.form {
        TransactionForm::Wide { .. } => order.clone(),
        TransactionForm::Long { .. } => {
            let numbers = columns[0].codes.iter();
            numbers.map(|&number| order[number as usize]).collect()
        }
    };
    for column in &source.attributes {
        columns.push(used(Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: of_row.iter().map(|&r| column.codes[r as usize]).collect(),
        }));
    }
    let place = |column: &Column| source.order.iter().position(|name| *name == column.name);
    columns.sort_by_key(place);
    Ok((Table::new(columns)?, order))
}

/// A row per item; who shows nothing has one row without an item.
fn long<'a>(
    subject: &str,
    item: &str,
    shown: impl Iterator<Item = &'a [u32]>,
    items: usize,
    name: impl Fn(u32) -> &'a str,
) -> Vec<Column> {
    let mut used = vec![false; items];
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    let (mut subjects, mut nothing) = (Strings::new(), false);
    for (number, list) in shown.enumerate() {
        subjects.push(&(number + 1).to_string());
        if list.is_empty() {
            nothing = true;
            numbers.push(number as Code);
            places.push(None);
        }
        for &place in list {
            used[place as usize] = true;
            numbers.push(number as Code);
            places.push(Some(place));
        }
    }
    let mut code = vec![0; items];
    let mut names = Strings::new();
    for place in (0..items).filter(|&place| used[place]) {
        code[place] = names.len() as Code;
        names.push(name(place as u32));
    }
    let none = names.len() as Code;
    vec![
        Column {
            name: subject.to_owned(),
            dictionary: Arc::new(Dictionary::in_order(subjects, false)),
            codes: numbers,
        },
        Column {
            name: item.to_owned(),
            dictionary: Arc::new(Dictionary::in_order(names, nothing)),
            codes: places
                .iter()
                .map(|place| place.map_or(none, |place| code[place as usize]))
                .collect(),
        },
    ]
}
