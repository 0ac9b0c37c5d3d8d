//! What the data says about one record beside its cells: its provider group, the day it was collected, the consent stored in it.

use super::error::Error;
use super::files;
use super::sheet::Sheet;
use denym_purpose::{
    IntendedPurpose, Kind, Moment, PurposeTree, RecordConsent, Storage, TablePolicy, read_code,
    read_companion,
};
use std::collections::BTreeMap;
use std::path::Path;

/// The data file in messages.
pub(crate) const DATA: &str = "the data";

/// One record, without its cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The provider group.
    pub group: Option<String>,
    /// The day it was collected; `None` when it is missing or no date.
    pub collected: Option<i64>,
    /// The consent stored in the record itself; `None` where the policy keeps it elsewhere.
    pub consent: Option<RecordConsent>,
}

impl Found {
    /// The record with this key.
    pub fn find(
        table: &TablePolicy,
        tree: &PurposeTree,
        data: &Path,
        key: &str,
    ) -> Result<Self, Error> {
        let sheet = load(data)?;
        let places = places(&sheet, table, data, key)?;
        let [place] = places[..] else {
            return Err(if places.is_empty() {
                Error::RecordUnknown {
                    table: table.name.clone(),
                }
            } else {
                Error::RecordTwice {
                    table: table.name.clone(),
                    count: places.len(),
                }
            });
        };
        let cell = |name: &Option<String>| -> Result<Option<String>, Error> {
            let Some(name) = name else { return Ok(None) };
            let column = need_column(&sheet, name, data)?;
            Ok(Some(sheet.get(place, column)).filter(|text| !text.is_empty()))
        };
        let collected = cell(&table.collected)?;
        Ok(Self {
            number: place + 1,
            group: cell(&table.group)?,
            collected: collected
                .and_then(|text| Moment::from_text(&text))
                .map(|moment| moment.day),
            consent: stored(&sheet, table, tree, data, place)?.map(|(own, _)| own),
        })
    }
}

/// The consent that a record of the data carries itself, and whether all of it could be read; what could not, denies.
pub(crate) fn stored(
    sheet: &Sheet,
    table: &TablePolicy,
    tree: &PurposeTree,
    data: &Path,
    place: usize,
) -> Result<Option<(RecordConsent, bool)>, Error> {
    match &table.storage {
        Storage::None | Storage::Table => Ok(None),
        Storage::RowCode { column } => {
            let column = need_column(sheet, column, data)?;
            Ok(Some(read_code(table, tree, &sheet.get(place, column))))
        }
        Storage::Companion { .. } => {
            let mut consent = RecordConsent::default();
            let mut readable = true;
            for (number, columns) in companions(table).iter().enumerate() {
                let mut code = [None; 3];
                let mut unreadable = false;
                for (slot, name) in code.iter_mut().zip(columns) {
                    let text = sheet.get(place, need_column(sheet, name, data)?);
                    if !text.trim().is_empty() {
                        *slot = text.trim().parse::<i64>().ok().filter(|code| *code >= 0);
                        unreadable |= slot.is_none();
                    }
                }
                readable &= !unreadable;
                let own = if unreadable {
                    Some(IntendedPurpose::default())
                } else {
                    read_companion(code)
                };
                if let Some(own) = own {
                    consent.cells.insert(number, own);
                }
            }
            Ok(Some((consent, readable)))
        }
    }
}

/// The three companion columns of each column of the table.
pub(crate) fn companions(table: &TablePolicy) -> Vec<[String; 3]> {
    let suffixes = match &table.storage {
        Storage::Companion {
            allowed,
            conditional,
            prohibited,
        } => [allowed.as_str(), conditional, prohibited],
        _ => ["_aip", "_cip", "_pip"],
    };
    let names = table.columns.iter().map(|column| &column.name);
    names
        .map(|name| suffixes.map(|suffix| format!("{name}{suffix}")))
        .collect()
}

/// The places of the records with a key.
fn places(sheet: &Sheet, table: &TablePolicy, data: &Path, key: &str) -> Result<Vec<usize>, Error> {
    let column = need_column(sheet, key_column(table)?, data)?;
    let key = key_text(table, key);
    Ok((0..sheet.len())
        .filter(|place| key_text(table, &sheet.get(*place, column)) == key)
        .collect())
}

/// The places of all records by key.
pub(crate) fn keys(
    sheet: &Sheet,
    table: &TablePolicy,
    data: &Path,
) -> Result<BTreeMap<String, Vec<usize>>, Error> {
    let column = need_column(sheet, key_column(table)?, data)?;
    let mut out: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for place in 0..sheet.len() {
        let key = key_text(table, &sheet.get(place, column));
        out.entry(key).or_default().push(place);
    }
    Ok(out)
}

/// A key as the gateway and PostgreSQL write it: a whole number without sign and zeros in front, when the policy says it is one.
pub fn key_text(table: &TablePolicy, key: &str) -> String {
    let column = table
        .columns
        .iter()
        .find(|column| Some(&column.name) == table.key.as_ref());
    match (column.map(|column| column.kind), key.trim().parse::<i64>()) {
        (Some(Kind::Integer), Ok(number)) => number.to_string(),
        _ => key.to_owned(),
    }
}

/// The column that identifies a record.
pub(crate) fn key_column(table: &TablePolicy) -> Result<&str, Error> {
    table.key.as_deref().ok_or_else(|| Error::NoKey {
        table: table.name.clone(),
    })
}

pub(crate) fn need_column(sheet: &Sheet, name: &str, path: &Path) -> Result<usize, Error> {
    sheet.column(name).ok_or_else(|| Error::NoColumn {
        what: DATA,
        path: path.to_owned(),
        column: name.to_owned(),
    })
}

/// Whether we can rewrite the file.
pub(crate) fn is_text(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.is_some_and(|e| ["csv", "tsv", "txt"].contains(&e.to_lowercase().as_str()))
}

/// The data as texts, from any format the engine reads.
pub(crate) fn load(path: &Path) -> Result<Sheet, Error> {
    if is_text(path) {
        return Sheet::parse(&files::need(DATA, path)?, DATA, path);
    }
    let data = |error| Error::Data { error };
    let table = denym_engine::Engine::new(None)
        .and_then(|engine| engine.read(path, &denym_engine::ReadOptions::default()))
        .map_err(data)?;
    let mut sheet = Sheet::new(table.columns().iter().map(|c| c.name.clone()).collect());
    for row in 0..table.records() {
        let cells = table.columns().iter();
        let cells: Vec<String> = cells
            .map(|column| column.text(row).unwrap_or_default().to_owned())
            .collect();
        sheet.push(&cells);
    }
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_has_one_text() {
        let table = |kind: &str| {
            let text = format!(
                "[purposes]\ng = {{}}\n[tables.t]\nkey = \"id\"\ncolumns = {{ id = {{ type = \"{kind}\" }} }}\n"
            );
            let policy = denym_purpose::AccessPolicy::parse(&text, &|_| None).expect("valid");
            policy.tables["t"].clone()
        };
        assert_eq!(key_text(&table("integer"), " 007"), "7");
        assert_eq!(key_text(&table("integer"), "x7"), "x7");
        assert_eq!(key_text(&table("text"), "007"), "007");
    }
}
