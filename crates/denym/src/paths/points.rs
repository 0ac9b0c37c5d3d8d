//! Raw points and instants as events: places by a grid, times by a slot.

use std::path::Path;

use denym_data::paths::{Grid, Point, Slot};
use denym_data::{Column, Table};

use super::columns::Columns;
use super::source::{Wanted, at_row};
use super::times::seconds;
use crate::Error;

/// Events with places by grid and times by slot; of several events of a subject in one slot the first stays.
pub(super) fn slots(
    path: &Path,
    table: &Table,
    columns: &Columns,
    location: &str,
    wanted: &Wanted,
) -> Result<Table, Error> {
    let Columns::Long {
        subject,
        place,
        time,
    } = columns
    else {
        return Err(Error::Internal {
            what: "slots of whole paths".into(),
        });
    };
    let find = |name: &str| {
        table.column(name).ok_or_else(|| Error::Internal {
            what: "a column of points is not there".into(),
        })
    };
    let wrong = |column: &Column, row: usize, what: &'static str| Error::PathCell {
        place: path.to_owned(),
        column: column.name.clone(),
        row: row + 1,
        what,
        help: "write times as whole seconds, `2008-05-17 10:00:00` or `10:00`, and degrees as decimals",
    };
    let (who, when) = (find(subject)?, find(time)?);
    let by_code = |column: &Column, of: &dyn Fn(&str) -> Option<f64>| -> Vec<Option<f64>> {
        (0..column.dictionary.len() as u32)
            .map(|code| column.dictionary.text(code).and_then(of))
            .collect()
    };
    let instants: Vec<Option<i64>> = (0..when.dictionary.len() as u32)
        .map(|code| when.dictionary.text(code).and_then(seconds))
        .collect();
    let degrees = |text: &str| text.trim().parse::<f64>().ok();
    let point = match &place[..] {
        [latitude, longitude] => {
            let (north, east) = (find(latitude)?, find(longitude)?);
            Some((
                north,
                by_code(north, &degrees),
                east,
                by_code(east, &degrees),
            ))
        }
        _ => None,
    };
    let slot = Slot {
        seconds: wanted.slot.unwrap_or(1),
    };
    // The first event of each subject in each slot, by instant, then by row.
    let mut first: Vec<(u32, i64, i64, u32)> = Vec::with_capacity(table.records());
    for (row, (&subject, &code)) in who.codes.iter().zip(&when.codes).enumerate() {
        let Some(instant) = instants[code as usize] else {
            return Err(wrong(when, row, "is no time"));
        };
        first.push((
            subject,
            instant.div_euclid(slot.seconds),
            instant,
            row as u32,
        ));
    }
    first.sort_unstable();
    first.dedup_by_key(|event| (event.0, event.1));
    first.sort_unstable_by_key(|event| event.3);
    let mut cells = Vec::with_capacity(first.len());
    let mut labels = Vec::with_capacity(first.len());
    for &(_, number, instant, row) in &first {
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
        let grid = Grid {
            meters: wanted.grid.unwrap_or(1.0),
        };
        let point = Point {
            latitude,
            longitude,
            seconds: instant,
        };
        cells.push(
            grid.cell(row, point)
                .map_err(|error| at_row(path, error, |row| row))?,
        );
    }
    let texts = |name: &str, texts: &[String]| {
        Column::from_texts(name, texts.iter().map(|text| Some(text.as_str())))
    };
    let mut kept = vec![texts(time, &labels)];
    if point.is_some() {
        kept.push(texts(location, &cells));
    }
    for column in table.columns() {
        if column.name == *time || (point.is_some() && place.contains(&column.name)) {
            continue;
        }
        kept.push(Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: first
                .iter()
                .map(|event| column.codes[event.3 as usize])
                .collect(),
        });
    }
    Ok(Table::new(kept)?)
}
