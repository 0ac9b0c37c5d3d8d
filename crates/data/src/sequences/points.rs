//! Raw points and instants as events: places by a grid, times by a slot.

use crate::{Column, Table, offending};

use super::read::{Wanted, find, from_one};
use super::times::seconds;
use super::{Grid, PathsError};

/// Columns of events with places by grid and times by slot; of several events of a subject in one slot the first stays.
///
/// A subject crosses several cells within a slot; a path has one place at a time, so the cell at which the slot was entered
/// stands for it.
pub(super) fn slots(
    table: &Table,
    subject: &str,
    location: &str,
    time: &str,
    wanted: &Wanted,
) -> Result<Vec<Column>, PathsError> {
    let columns = table.columns();
    let wrong = |column: &Column, row: usize, what: &'static str| PathsError::Cell {
        column: {
            offending::keep(column.text(row).unwrap_or_default());
            column.name.clone()
        },
        row: row + 1,
        what,
        help: "write times as whole seconds, `2008-05-17 10:00:00` or `10:00`, and degrees as decimals; or say their `time-format`",
    };
    let (who, when) = (find(columns, subject)?, find(columns, time)?);
    let instants: Vec<Option<i64>> = (0..when.dictionary.len() as u32)
        .map(|code| when.dictionary.text(code).and_then(seconds))
        .collect();
    let degrees = |column: &Column| -> Vec<Option<f64>> {
        (0..column.dictionary.len() as u32)
            .map(|code| column.dictionary.text(code)?.trim().parse().ok())
            .collect()
    };
    let point = match &wanted.columns.point {
        Some((north, east)) => {
            let (north, east) = (find(columns, north)?, find(columns, east)?);
            Some((north, degrees(north), east, degrees(east)))
        }
        None => None,
    };
    let length = wanted.slot.unwrap_or(1);
    if length <= 0 {
        return Err(PathsError::NotPositive {
            what: "the length of a time slot",
        });
    }
    // The first event of each subject in each slot, by instant, then by row.
    let mut first: Vec<(u32, i64, i64, u32)> = Vec::with_capacity(table.records());
    for (row, (&subject, &code)) in who.codes.iter().zip(&when.codes).enumerate() {
        let Some(instant) = instants[code as usize] else {
            return Err(wrong(when, row, "is no time"));
        };
        first.push((subject, instant.div_euclid(length), instant, row as u32));
    }
    first.sort_unstable();
    first.dedup_by_key(|event| (event.0, event.1));
    first.sort_unstable_by_key(|event| event.3);
    let mut cells = Vec::with_capacity(first.len());
    let mut labels = Vec::with_capacity(first.len());
    let grid = Grid {
        meters: wanted.grid.unwrap_or(1.0),
    };
    for &(_, number, _, row) in &first {
        labels.push(number.to_string());
        let Some((north, norths, east, easts)) = &point else {
            continue;
        };
        let row = row as usize;
        let Some(latitude) = norths[north.codes[row] as usize] else {
            return Err(wrong(north, row, "is no number"));
        };
        let Some(longitude) = easts[east.codes[row] as usize] else {
            return Err(wrong(east, row, "is no number"));
        };
        let cell = grid.cell(row, latitude, longitude);
        cells.push(cell.map_err(|error| from_one(error, |row| row))?);
    }
    let texts = |name: &str, texts: &[String]| {
        Column::from_texts(name, texts.iter().map(|text| Some(text.as_str())))
    };
    let mut kept = vec![texts(time, &labels)];
    if point.is_some() {
        kept.push(texts(location, &cells));
    }
    let of_point = |name: &String| {
        let point = wanted.columns.point.as_ref();
        point.is_some_and(|(north, east)| name == north || name == east)
    };
    for column in columns {
        if column.name == *time || of_point(&column.name) {
            continue;
        }
        let codes = first.iter().map(|event| column.codes[event.3 as usize]);
        kept.push(Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: codes.collect(),
        });
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::super::columns::{Columns, Form};
    use super::*;

    #[test]
    fn a_day_in_cells_and_slots() {
        let rows = [
            ("taxi", "37.7841", "-122.40833", "7200"),
            ("taxi", "37.7841", "-122.40834", "3500"),
            ("taxi", "37.9", "-122.5", "3590"),
            ("cab", "37.7841", "-122.40833", "3599"),
        ];
        let column = |name: &str,
                      of: fn(
            &(&'static str, &'static str, &'static str, &'static str),
        ) -> &'static str| {
            Column::from_texts(name, rows.iter().map(|row| Some(of(row))))
        };
        let table = Table::new(vec![
            column("who", |row| row.0),
            column("lat", |row| row.1),
            column("lon", |row| row.2),
            column("time", |row| row.3),
        ])
        .expect("a table");
        let mut wanted = Wanted {
            columns: Columns {
                subject: Some("who".into()),
                point: Some(("lat".into(), "lon".into())),
                ..Columns::default()
            },
            keep_repeats: true,
            grid: Some(1000.0),
            slot: Some(3600),
            ..Wanted::default()
        };
        let form = wanted.columns.form(None);
        let read = wanted.code(&table, &form).expect("paths");
        let paths = &read.sequences;
        // Subjects by name: the cab, then the taxi.
        assert_eq!(paths.len(), 2);
        // Slot 0 is entered at the first cell, not at the later one; slot 2 is the same cell again.
        assert_eq!(paths.record(1).len(), 2);
        assert_eq!(paths.locations().len(), 1);
        assert_eq!(paths.record(0), &paths.record(1)[..1]);
        assert_eq!(read.order, ["who", "location", "time"]);
        let Form::Long { location, .. } = &read.form else {
            panic!("events");
        };
        assert_eq!(location, "location");
        wanted.keep_repeats = false;
        let stays = wanted.code(&table, &form).expect("paths").sequences;
        assert_eq!(stays.record(1).len(), 1);
        wanted.slot = Some(0);
        let error = wanted.code(&table, &form).expect_err("no slot");
        assert_eq!(error.code(), "path-not-positive");
    }
}
