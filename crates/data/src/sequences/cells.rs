//! The wide form: a record per subject, its sequence in one cell. Each distinct cell is split once.

use std::sync::Arc;

use crate::{Column, Dictionary, Strings};

use super::events::{Events, by_name, group};
use super::read::from_one;
use super::{PathsBuilder, PathsError, Sequences, split_doublet};

/// Paths such as `a1>d2>b3`.
pub(super) fn paths(column: &Column, several_places: bool) -> Result<Sequences, PathsError> {
    let first_row = |code: usize| {
        let mut codes = column.codes.iter();
        codes.position(|&other| other as usize == code).unwrap_or(0)
    };
    let distinct = if several_places {
        in_any_places(column)
    } else {
        let mut builder = PathsBuilder::new();
        let mut cells = column.dictionary.values();
        cells
            .try_for_each(|cell| builder.push_cell(cell))
            .and_then(|()| builder.finish())
    };
    of_cells(
        column,
        &distinct.map_err(|error| from_one(error, first_row))?,
    )
}

/// Items with a separator between them.
pub(super) fn sets(column: &Column, separator: char) -> Result<Sequences, PathsError> {
    let mut texts: Vec<&str> = Vec::new();
    let mut ends = vec![0];
    for cell in column.dictionary.values() {
        let pieces = cell.split(separator).map(str::trim);
        texts.extend(pieces.filter(|piece| !piece.is_empty()));
        ends.push(texts.len());
    }
    let (items, ranks) = by_name(&texts);
    let (mut starts, mut codes) = (vec![0], Vec::with_capacity(texts.len()));
    for pair in ends.windows(2) {
        let mut set = ranks[pair[0]..pair[1]].to_vec();
        set.sort_unstable();
        set.dedup();
        codes.extend(set);
        let end = u32::try_from(codes.len());
        starts.push(end.map_err(|_| PathsError::TooMany { what: "items" })?);
    }
    of_cells(column, &Sequences::of_items(items, starts, codes)?)
}

/// The sequence of each record's cell; a missing cell, which has the code after all others, shows nothing.
fn of_cells(column: &Column, distinct: &Sequences) -> Result<Sequences, PathsError> {
    let shown = |&code: &u32| {
        if (code as usize) < distinct.len() {
            distinct.record(code as usize)
        } else {
            &[]
        }
    };
    let mut items = Vec::with_capacity(column.codes.iter().map(|code| shown(code).len()).sum());
    let mut starts = Vec::with_capacity(column.codes.len() + 1);
    starts.push(0);
    for code in &column.codes {
        items.extend_from_slice(shown(code));
        let end = u32::try_from(items.len()).map_err(|_| PathsError::TooMany {
            what: "doublets in the records",
        })?;
        starts.push(end);
    }
    Sequences::from_codes(
        distinct.locations().to_vec(),
        distinct.times().to_vec(),
        distinct.doublets().to_vec(),
        starts,
        items,
    )
}

/// The paths of distinct cells, where a cell may name several places at one time.
fn in_any_places(column: &Column) -> Result<Sequences, PathsError> {
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
            dictionary: Arc::new(Dictionary::in_order(names, false)),
            codes: who,
        },
        location: &Column::from_texts("", places),
        time: Some(&Column::from_texts("", times)),
        keep_repeats: true,
        several_places: true,
    };
    group(&events).map(|grouped| grouped.sequences)
}

/// In the wide form a subject has one record.
pub(super) fn one_record_each(subject: &Column) -> Result<(), PathsError> {
    let mut seen = vec![false; subject.dictionary.len()];
    for (row, &code) in subject.codes.iter().enumerate() {
        if std::mem::replace(&mut seen[code as usize], true) {
            return Err(PathsError::Cell {
                column: subject.name.clone(),
                row: row + 1,
                what: "repeats the subject of an earlier row",
                help: "in the wide form a subject has one row: join its cells, or use the long form",
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_set_or_a_path_and_a_missing_one_shows_nothing() {
        let column = |cells: &[Option<&str>]| Column::from_texts("", cells.iter().copied());
        let cells = column(&[Some("milk; bread;milk"), None, Some("bread"), Some(" ; ")]);
        let found = sets(&cells, ';').expect("sets");
        assert_eq!(found.locations(), ["bread", "milk"]);
        let records: Vec<&[u32]> = found.records().collect();
        assert_eq!(records, [&[0_u32, 1][..], &[], &[0], &[]]);
        let cells = column(&[Some("b2>a1"), None, Some("a1>c1")]);
        let shown = |found: &Sequences| (0..3).map(|row| found.cell(row)).collect::<Vec<_>>();
        let found = paths(&cells, true).expect("paths");
        assert_eq!(shown(&found), ["a1>b2", "", "a1>c1"]);
        let error = paths(&cells, false).expect_err("two places");
        assert_eq!(error, PathsError::TwoPlaces { row: 3 });
    }
}
