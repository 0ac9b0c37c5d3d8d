//! Columns written in the notation of their source, and read back from it.
//!
//! # Guarantee
//!
//! A notation is used for a column only where every label comes back as it was, and a file whose cells would fall together when it is read
//! is refused: what is judged on the plain values holds of the cells as they are written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use denym_data::notation::{Notation, all_apart};
use denym_data::{Column, Table};

use crate::Error;

/// Notations by the columns that are written so.
pub type Notations = BTreeMap<String, Notation>;

/// Those of `notations` in which the columns of `table` are written otherwise than plain, and without loss.
pub fn holding(table: &Table, notations: &Notations) -> Notations {
    let held = |(name, notation): &(&String, &Notation)| {
        let column = table.column(name);
        column.is_some_and(|column| {
            let labels = || column.dictionary.values();
            labels().any(|label| notation.written(label) != label) && notation.holds(labels())
        })
    };
    let held = notations.iter().filter(held);
    held.map(|(name, notation)| (name.clone(), notation.clone()))
        .collect()
}

/// The table with its columns written in their notations.
pub fn written<'t>(table: &'t Table, notations: &Notations) -> Result<Cow<'t, Table>, Error> {
    mapped(table, notations, |notation, text| {
        notation.written(text).into_owned()
    })
}

/// What [`written`] was given, from the table as it was read; refused where two cells of a column would be one.
pub fn restored(path: &Path, table: Table, notations: &Notations) -> Result<Table, Error> {
    for column in table.columns() {
        if let Some(notation) = notations.get(&column.name)
            && !all_apart(notation, column.dictionary.values())
        {
            return Err(Error::FallTogether {
                path: path.to_owned(),
                column: column.name.clone(),
            });
        }
    }
    let found = mapped(&table, notations, |notation, text| {
        notation.restored(text).into_owned()
    })?;
    let found = match found {
        Cow::Borrowed(_) => None,
        Cow::Owned(found) => Some(found),
    };
    Ok(found.unwrap_or(table))
}

fn mapped<'t>(
    table: &'t Table,
    notations: &Notations,
    map: impl Fn(&Notation, &str) -> String,
) -> Result<Cow<'t, Table>, Error> {
    let is_one = |column: &Column| notations.contains_key(&column.name);
    if !table.columns().iter().any(is_one) {
        return Ok(Cow::Borrowed(table));
    }
    let columns = table.columns().iter().map(|column| {
        let Some(notation) = notations.get(&column.name) else {
            return column.clone();
        };
        let texts: Vec<Option<String>> = (0..column.dictionary.len() as u32)
            .map(|code| column.dictionary.text(code).map(|text| map(notation, text)))
            .collect();
        let codes = column.codes.iter();
        Column::from_texts(
            &column.name,
            codes.map(|&code| texts[code as usize].as_deref()),
        )
    });
    let table = Table::new(columns.collect()).map_err(|_| Error::Internal {
        during: "writing columns in their notation",
    })?;
    Ok(Cow::Owned(table))
}
