//! The wide form: a record per subject, its path in one cell.

use std::path::Path;

use denym_data::paths::{Paths, PathsBuilder, PathsError, split_doublet};
use denym_data::{Column, Strings};

use super::events::{Events, group};
use super::source::at_row;
use crate::Error;

/// The wide form: each distinct cell is split once.
pub(super) fn wide(path: &Path, column: &Column, several_places: bool) -> Result<Paths, Error> {
    let first_row = |code: usize| {
        let mut codes = column.codes.iter();
        codes.position(|&other| other as usize == code).unwrap_or(0)
    };
    let distinct = if several_places {
        distinct_cells(column)
    } else {
        let mut builder = PathsBuilder::new();
        let mut cells = column.dictionary.values();
        cells
            .try_for_each(|cell| builder.push_cell(cell))
            .and_then(|()| builder.finish())
    };
    let distinct = distinct.map_err(|error| at_row(path, error, first_row))?;
    let lengths = |code: &u32| {
        if (*code as usize) < distinct.len() {
            distinct.record(*code as usize)
        } else {
            &[]
        }
    };
    let total: usize = column.codes.iter().map(|code| lengths(code).len()).sum();
    let mut items = Vec::with_capacity(total);
    let mut starts = Vec::with_capacity(column.codes.len() + 1);
    starts.push(0);
    for code in &column.codes {
        items.extend_from_slice(lengths(code));
        let end = u32::try_from(items.len()).map_err(|_| PathsError::TooMany {
            what: "doublets in the records",
        })?;
        starts.push(end);
    }
    Ok(Paths::from_codes(
        distinct.locations().to_vec(),
        distinct.times().to_vec(),
        distinct.doublets().to_vec(),
        starts,
        items,
    )?)
}

/// The paths of distinct cells, where a cell may name several places at one time.
fn distinct_cells(column: &Column) -> Result<Paths, PathsError> {
    let (mut who, mut places, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for (row, cell) in column.dictionary.values().enumerate() {
        if cell.trim().is_empty() {
            who.push(row as u32);
            places.push(None);
            times.push(None);
            continue;
        }
        for (index, piece) in cell.split('>').enumerate() {
            let (place, time) = split_doublet(piece).ok_or(PathsError::NoTime {
                row,
                position: index + 1,
            })?;
            who.push(row as u32);
            places.push(Some(place));
            times.push(Some(time));
        }
    }
    let numbers: Vec<String> = (0..column.dictionary.values().len())
        .map(|n| n.to_string())
        .collect();
    let names: Strings = numbers.iter().map(String::as_str).collect();
    let events = Events {
        subject: &Column {
            name: String::new(),
            dictionary: std::sync::Arc::new(denym_data::Dictionary::in_order(names, false)),
            codes: who,
        },
        location: &Column::from_texts("", places),
        time: &Column::from_texts("", times),
        keep_repeats: true,
        several_places: true,
    };
    group(&events).map(|grouped| grouped.paths)
}

/// In the wide form a subject has one record.
pub(crate) fn one_record_each(path: &Path, subject: &Column) -> Result<(), Error> {
    let mut seen = vec![false; subject.dictionary.len()];
    for (row, &code) in subject.codes.iter().enumerate() {
        if std::mem::replace(&mut seen[code as usize], true) {
            return Err(Error::PathCell {
                place: path.to_owned(),
                column: subject.name.clone(),
                row: row + 1,
                what: "repeats the subject of an earlier row",
                help: "in the wide form a subject has one row: join its cells, or use the long form",
            });
        }
    }
    Ok(())
}
