//! The columns of all stretches as one column in natural order.

use std::path::Path;
use std::sync::Arc;

use denym_data::{Code, Column, Dictionary, Kind, Strings, Table};
use rayon::prelude::*;

use super::coder::{Coder, NULL};
use crate::{Engine, Error, ReadOptions};

/// Codes are 32 bits wide and one of them means "none".
const MOST_RECORDS: usize = u32::MAX as usize - 1;

impl Engine {
    /// The table of all `parts`, each a list of columns called `names`.
    pub(super) fn merge(
        &self,
        source: &Path,
        names: &[&str],
        parts: Vec<Vec<Coder>>,
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let records: usize = parts
            .iter()
            .map(|columns| columns.first().map_or(0, |coder| coder.codes.len()))
            .sum();
        if records > MOST_RECORDS {
            return Err(Error::TooManyRecords {
                path: source.to_owned(),
                most: MOST_RECORDS,
            });
        }
        let mut columns: Vec<Vec<Coder>> = names.iter().map(|_| Vec::new()).collect();
        for part in parts {
            for (column, coder) in columns.iter_mut().zip(part) {
                column.push(coder);
            }
        }
        let columns = self.on_threads(|| {
            columns
                .into_par_iter()
                .zip(names.par_iter())
                .map(|(parts, name)| {
                    let kind = options.kinds.get(*name).copied();
                    merge(source, name, parts, &options.missing, kind)
                })
                .collect::<Result<Vec<Column>, Error>>()
        })?;
        Table::new(columns).map_err(|_| Error::Internal {
            during: "putting columns side by side",
        })
    }
}

/// Joins the parts of one column, in file order, into one coded column; the same for any cut into parts.
fn merge(
    source: &Path,
    name: &str,
    parts: Vec<Coder>,
    missing: &[String],
    kind: Option<Kind>,
) -> Result<Column, Error> {
    let mut all = Coder::new();
    // For each part, what its codes become among the texts of all parts.
    let maps: Vec<Vec<u32>> = parts
        .iter()
        .map(|part| {
            part.texts
                .iter()
                .map(|text| {
                    if missing.iter().any(|missing| missing == text) {
                        NULL
                    } else {
                        all.code(text)
                    }
                })
                .collect()
        })
        .collect();
    let is_missing = maps.iter().flatten().any(|&code| code == NULL)
        || parts.iter().any(|part| part.codes.contains(&NULL));
    let (dictionary, order) = Dictionary::build(&all.texts, is_missing, kind);
    let last = dictionary.missing().unwrap_or_default();
    let records = parts.iter().map(|part| part.codes.len()).sum();
    let mut codes = Vec::with_capacity(records);
    for (part, map) in parts.into_iter().zip(maps) {
        let map: Vec<Code> = map
            .into_iter()
            .map(|code| order.get(code as usize).copied().unwrap_or(last))
            .collect();
        let code = |&code: &u32| map.get(code as usize).copied().unwrap_or(last);
        codes.extend(part.codes.iter().map(code));
    }
    if let Some(kind) = kind {
        check_kind(source, name, &all.texts, &order, &codes, kind)?;
    }
    Ok(Column {
        name: name.to_owned(),
        dictionary: Arc::new(dictionary),
        codes,
    })
}

/// Names the first record whose value is not of the declared kind.
fn check_kind(
    source: &Path,
    name: &str,
    texts: &Strings,
    order: &[Code],
    codes: &[Code],
    kind: Kind,
) -> Result<(), Error> {
    let mut wrong = vec![false; texts.len() + 1];
    let mut any = false;
    for (text, &code) in texts.iter().zip(order) {
        if !kind.fits(text) {
            wrong[code as usize] = true;
            any = true;
        }
    }
    let record = codes.iter().position(|&code| wrong[code as usize]);
    match record {
        Some(record) if any => Err(Error::WrongKind {
            path: source.to_owned(),
            column: name.to_owned(),
            record: record + 1,
            kind: kind.name(),
        }),
        _ => Ok(()),
    }
}
