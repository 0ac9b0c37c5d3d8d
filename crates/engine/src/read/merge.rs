//! The columns of all stretches as one column in natural order.

use std::path::Path;
use std::sync::Arc;

use denym_data::notation::{DateFormat, Detected, Notation};
use denym_data::offending;
use denym_data::{Code, Column, Dictionary, Kind, Strings, Table};
use rayon::prelude::*;

use super::coder::{Coder, NULL};
use super::notation::ColumnNotation;
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
                    let merged = merge(source, name, &parts, options)?;
                    let kept = (merged.points == Points::Either).then_some(parts);
                    Ok((merged, kept))
                })
                .collect::<Result<Vec<(Merged, Option<Vec<Coder>>)>, Error>>()
        })?;
        let columns = self.of_one_hand(source, columns, options)?;
        let mut table = Vec::with_capacity(columns.len());
        self.note(source, |form| {
            for merged in columns {
                let name = merged.column.name.clone();
                if let Some(notation) = merged.notation {
                    form.notations.insert(name.clone(), notation);
                }
                if let Some(ways) = merged.ambiguous {
                    form.ambiguous.insert(name.clone(), ways);
                }
                if !merged.missing.is_empty() {
                    form.missing.insert(name, merged.missing);
                }
                table.push(merged.column);
            }
        });
        Table::new(table).map_err(|_| Error::Internal {
            during: "putting columns side by side",
        })
    }
}

impl Engine {
    /// Takes `1.234` for neither of its two readings where the rest of the file is written by somebody who writes `1.234,5`.
    fn of_one_hand(
        &self,
        source: &Path,
        columns: Vec<(Merged, Option<Vec<Coder>>)>,
        options: &ReadOptions,
    ) -> Result<Vec<Merged>, Error> {
        let has_comma = |(column, _): &(Merged, _)| match &column.notation {
            Some(Notation::Number(number)) => number.decimal == ',',
            Some(Notation::Dates(formats)) => {
                let first = formats.first().map(DateFormat::text);
                first.is_some_and(|format| format.contains('.'))
            }
            None => false,
        };
        let comma = self.form_of(source).delimiter == Some(b';') || columns.iter().any(has_comma);
        let has_point = |(column, _): &(Merged, _)| column.points == Points::Decimal;
        let in_doubt = comma && !columns.iter().any(has_point);
        let settled = columns.into_iter().map(|(merged, parts)| match parts {
            Some(parts) if in_doubt => {
                let name = merged.column.name.clone();
                let (one, other) = (
                    "decimal = \".\"".to_owned(),
                    "decimal = \",\", thousands = \".\"".to_owned(),
                );
                if options.kinds.contains_key(&name) {
                    return Err(Error::Ambiguous {
                        path: source.to_owned(),
                        column: name,
                        one,
                        other,
                    });
                }
                let mut as_text = options.clone();
                as_text.kinds.insert(name.clone(), Kind::Text);
                let merged = merge(source, &name, &parts, &as_text)?;
                Ok(Merged {
                    ambiguous: Some((one, other)),
                    ..merged
                })
            }
            _ => Ok(merged),
        });
        settled.collect()
    }
}

/// What the points among the digits of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// There are none, or they are told by other marks.
    None,
    /// Decimal marks.
    Decimal,
    /// Decimal marks or marks between thousands: each has three digits behind it.
    Either,
}

/// A column, and what was found of how it is written.
struct Merged {
    column: Column,
    notation: Option<Notation>,
    ambiguous: Option<(String, String)>,
    missing: Vec<String>,
    points: Points,
}

/// Joins the parts of one column, in file order, into one coded column; the same for any cut into parts.
fn merge(
    source: &Path,
    name: &str,
    parts: &[Coder],
    options: &ReadOptions,
) -> Result<Merged, Error> {
    let known = ColumnNotation::of(name, options);
    let mut missing: Vec<&str> = options.missing.iter().map(String::as_str).collect();
    let own = options.missing_of.get(name);
    missing.extend(own.into_iter().flatten().map(String::as_str));
    let (mut all, mut maps) = joined(parts, &missing);
    let pairs: Vec<(&Coder, &[u32])> = parts.iter().zip(maps.iter().map(Vec::as_slice)).collect();
    let seeming = known.missing(&all.texts, &pairs);
    if !seeming.is_empty() {
        missing.extend(&seeming);
        (all, maps) = joined(parts, &missing);
    }
    let is_missing = maps.iter().flatten().any(|&code| code == NULL)
        || parts.iter().any(|part| part.codes.contains(&NULL));
    let kind = options.kinds.get(name).copied();
    let (mut dictionary, mut order) = Dictionary::build(&all.texts, is_missing, kind);
    let (mut notation, mut ambiguous) = (None, None);
    let mut points = Points::None;
    let mut kind = kind;
    match known.find(&all.texts, &dictionary) {
        Detected::Plain => {
            points = known.points(&all.texts, &dictionary);
            if let Some((text, kind)) = known.unreadable(&all.texts) {
                return Err(wrong(source, name, parts, &missing, text, kind));
            }
        }
        Detected::Ambiguous(one, other) if known.must_be_told() => {
            return Err(Error::Ambiguous {
                path: source.to_owned(),
                column: name.to_owned(),
                one,
                other,
            });
        }
        Detected::Ambiguous(one, other) => ambiguous = Some((one, other)),
        Detected::As(found) => {
            let mut plain = Coder::new();
            // Two texts may be one value: `1.2.2020` and `01.02.2020`.
            let mut to = Vec::with_capacity(all.texts.len());
            for text in all.texts.iter() {
                to.push(match found.plain(text) {
                    Some(value) => plain.code(&value),
                    None if known.is_declared() => {
                        let wanted = known.kind(&found).unwrap_or(Kind::Decimal);
                        return Err(wrong(source, name, parts, &missing, text, wanted));
                    }
                    None => plain.code(text),
                });
            }
            for map in &mut maps {
                for code in map.iter_mut().filter(|code| **code != NULL) {
                    *code = to[*code as usize];
                }
            }
            kind = known.kind(&found);
            (dictionary, order) = Dictionary::build(&plain.texts, is_missing, kind);
            all = plain;
            notation = Some(found);
        }
    }
    let last = dictionary.missing().unwrap_or_default();
    let records = parts.iter().map(|part| part.codes.len()).sum();
    let mut codes = Vec::with_capacity(records);
    for (part, map) in parts.iter().zip(maps) {
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
    Ok(Merged {
        column: Column {
            name: name.to_owned(),
            dictionary: Arc::new(dictionary),
            codes,
        },
        notation,
        ambiguous,
        missing: seeming.into_iter().map(str::to_owned).collect(),
        points,
    })
}

/// The texts of all parts, and for each part what its codes become among them.
fn joined(parts: &[Coder], missing: &[&str]) -> (Coder, Vec<Vec<u32>>) {
    let mut all = Coder::new();
    let maps = parts
        .iter()
        .map(|part| {
            part.texts
                .iter()
                .map(|text| {
                    if missing.contains(&text) {
                        NULL
                    } else {
                        all.code(text)
                    }
                })
                .collect()
        })
        .collect();
    (all, maps)
}

/// The first record with a text that is not written as the column is.
fn wrong(
    source: &Path,
    name: &str,
    parts: &[Coder],
    missing: &[&str],
    text: &str,
    kind: Kind,
) -> Error {
    debug_assert!(!missing.contains(&text), "a missing value is never wrong");
    offending::keep(text);
    let mut before = 0;
    let mut record = None;
    for part in parts {
        let code = part.texts.iter().position(|own| own == text);
        let at = code.and_then(|code| part.codes.iter().position(|&own| own == code as u32));
        if let Some(at) = at {
            record = Some(before + at + 1);
            break;
        }
        before += part.codes.len();
    }
    Error::WrongKind {
        path: source.to_owned(),
        column: name.to_owned(),
        record: record.unwrap_or(1),
        kind: kind.name(),
    }
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
            offending::keep(text);
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
