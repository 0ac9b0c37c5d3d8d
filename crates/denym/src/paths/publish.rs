//! The released table: what each record shows, sorted by what is shown.

use std::sync::Arc;

use denym_data::paths::Paths;
use denym_data::{Code, Column, Dictionary, Strings, Table};
use denym_sequences::PathRecoding;

use super::{PathForm, PathTable};
use crate::Error;

/// A table ready to be written, and which source record each of its records is.
pub(crate) struct Published {
    pub(crate) table: Table,
    pub(crate) record_of: Vec<u32>,
}

/// Puts together what is published.
pub(crate) fn publish(source: &PathTable, recoding: &PathRecoding) -> Result<Published, Error> {
    let rows = DistinctRows::new(recoding)?;
    let cells: Vec<String> = (0..rows.paths.len())
        .map(|row| rows.paths.cell(row))
        .collect();
    let (dictionary, codes) = distinct(&cells);
    let mut kept = vec![true; source.paths.len()];
    for &record in &recoding.dropped_records {
        kept[record as usize] = false;
    }
    let path: Vec<Code> = rows.row_of.iter().map(|&row| codes[row as usize]).collect();
    // Columns as published, the path at the place of its first column.
    let mut sort_by: Vec<(usize, &[Code])> = Vec::new();
    for name in &source.order {
        let attribute = source.attributes.iter().find(|column| column.name == *name);
        match (attribute, &source.form) {
            (Some(column), _) => sort_by.push((column.dictionary.len(), &column.codes)),
            (None, PathForm::Wide { .. }) => sort_by.push((dictionary.len(), &path)),
            (None, PathForm::Long { subject, .. }) if name == subject => {
                sort_by.push((dictionary.len(), &path));
            }
            _ => {}
        }
    }
    let record_of = sorted(&sort_by, &kept);
    let pick = |name: &str, dictionary: &Arc<Dictionary>, codes: &[Code]| Column {
        name: name.to_owned(),
        dictionary: dictionary.clone(),
        codes: record_of.iter().map(|&r| codes[r as usize]).collect(),
    };
    let table = match &source.form {
        PathForm::Wide { path: name } => {
            let dictionary = Arc::new(dictionary);
            let columns = source.order.iter().filter_map(|column| {
                if column == name {
                    return Some(used(pick(column, &dictionary, &path)));
                }
                let attribute = source.attributes.iter().find(|a| a.name == *column)?;
                Some(used(pick(column, &attribute.dictionary, &attribute.codes)))
            });
            Table::new(columns.collect())?
        }
        PathForm::Long { .. } => events(source, &rows, &record_of)?,
    };
    Ok(Published { table, record_of })
}

/// The rows a recoding publishes.
struct DistinctRows<'a> {
    paths: Paths,
    row_of: &'a [u32],
}

impl<'a> DistinctRows<'a> {
    fn new(recoding: &'a PathRecoding) -> Result<Self, Error> {
        let mut starts = vec![0_u32];
        let mut items = Vec::new();
        for list in recoding.rows() {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        let words = &recoding.vocabulary;
        let paths = Paths::from_codes(
            words.locations.clone(),
            words.times.clone(),
            words.doublets.clone(),
            starts,
            items,
        )?;
        Ok(Self {
            paths,
            row_of: recoding.row_of_record(),
        })
    }
}

/// The source paths of the records in `order`. Records of one row have one path: it is read where its first record has it,
/// which is near, instead of where each record has it, which is anywhere.
pub(crate) fn source_of(
    source: &Paths,
    recoding: &PathRecoding,
    order: &[u32],
) -> Result<Paths, Error> {
    let row_of = recoding.row_of_record();
    let mut first = vec![u32::MAX; recoding.rows().len()];
    for (record, &row) in (0..).zip(row_of) {
        let first = &mut first[row as usize];
        *first = record.min(*first);
    }
    let path = |record: usize| source.record(first[row_of[record] as usize] as usize);
    Ok(source.of_records(order, path)?)
}

/// Distinct texts as a dictionary, and the code of each; the empty text is a missing value.
pub(crate) fn distinct(texts: &[String]) -> (Dictionary, Vec<Code>) {
    let mut values: Vec<&str> = texts.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.dedup();
    let missing = values.first() == Some(&"");
    let values: Strings = values.into_iter().filter(|text| !text.is_empty()).collect();
    let (dictionary, _) = Dictionary::build(&values, missing, Some(denym_data::Kind::Text));
    let last = values.len() as Code;
    let codes = texts
        .iter()
        .map(|text| dictionary.code_of(text).unwrap_or(last))
        .collect();
    (dictionary, codes)
}

/// The records that are kept, ordered by their codes in these columns, then by record.
pub(crate) fn sorted(columns: &[(usize, &[Code])], kept: &[bool]) -> Vec<u32> {
    /// The most keys that are counted instead of sorted.
    const COUNTED: u128 = 1 << 22;
    let cells = columns
        .iter()
        .try_fold(1_u128, |cells, (size, _)| cells.checked_mul(*size as u128));
    let key = |record: usize| {
        columns.iter().fold(0_u128, |key, (size, codes)| {
            key * *size as u128 + u128::from(codes[record])
        })
    };
    let records = || (0..kept.len()).filter(|&record| kept[record]);
    match cells {
        Some(cells) if cells <= COUNTED => {
            let small = |record: usize| {
                columns.iter().fold(0_usize, |key, (size, codes)| {
                    key * size + codes[record] as usize
                })
            };
            let mut next = vec![0_u32; cells as usize + 1];
            for record in records() {
                next[small(record) + 1] += 1;
            }
            for at in 1..next.len() {
                next[at] += next[at - 1];
            }
            let mut order = vec![0; next.last().map_or(0, |&end| end as usize)];
            for record in records() {
                let place = &mut next[small(record)];
                order[*place as usize] = record as u32;
                *place += 1;
            }
            order
        }
        Some(_) => {
            let mut keys: Vec<(u128, u32)> = records()
                .map(|record| (key(record), record as u32))
                .collect();
            keys.sort_unstable();
            keys.into_iter().map(|(_, record)| record).collect()
        }
        None => {
            let mut order: Vec<u32> = records().map(|record| record as u32).collect();
            order.sort_by(|&a, &b| {
                let codes = columns.iter();
                let pairs = codes.map(|(_, c)| (c[a as usize], c[b as usize]));
                let mut unequal = pairs.map(|(a, b)| a.cmp(&b)).filter(|o| o.is_ne());
                unequal.next().unwrap_or(a.cmp(&b))
            });
            order
        }
    }
}

/// A column whose dictionary holds only what some record shows.
pub(crate) fn used(column: Column) -> Column {
    let dictionary = &column.dictionary;
    let mut shown = vec![false; dictionary.len()];
    for &code in &column.codes {
        shown[code as usize] = true;
    }
    if shown.iter().all(|shown| *shown) {
        return column;
    }
    let mut new = vec![0; shown.len()];
    let mut values = Strings::new();
    let mut missing = false;
    for (code, _) in shown.iter().enumerate().filter(|(_, shown)| **shown) {
        new[code] = values.len() as Code;
        match dictionary.text(code as Code) {
            Some(text) => values.push(text),
            None => missing = true,
        }
    }
    Column {
        name: column.name.clone(),
        dictionary: Arc::new(Dictionary::in_order(values, missing)),
        codes: column
            .codes
            .iter()
            .map(|&code| new[code as usize])
            .collect(),
    }
}

/// The long form: subjects numbered in the order of what they publish; who shows nothing has one row without a place.
fn events(source: &PathTable, rows: &DistinctRows<'_>, record_of: &[u32]) -> Result<Table, Error> {
    let PathForm::Long {
        subject,
        location,
        time,
    } = &source.form
    else {
        return Err(Error::Internal {
            what: "events of whole paths".into(),
        });
    };
    let shown = |record: u32| rows.paths.record(rows.row_of[record as usize] as usize);
    let size: usize = record_of.iter().map(|&r| shown(r).len().max(1)).sum();
    let texts = |labels: &[String]| {
        let labels: Vec<String> = labels.to_vec();
        distinct(&labels)
    };
    let (places, place_of) = texts(rows.paths.locations());
    let (times, time_of) = texts(rows.paths.times());
    let (no_place, no_time) = (place_of.len() as Code, time_of.len() as Code);
    let mut number = Vec::with_capacity(size);
    let mut place = Vec::with_capacity(size);
    let mut when = Vec::with_capacity(size);
    let mut from = Vec::with_capacity(size);
    let mut nothing = false;
    for (index, &record) in record_of.iter().enumerate() {
        let list = shown(record);
        if list.is_empty() {
            nothing = true;
            number.push(index as Code);
            from.push(record);
            place.push(no_place);
            when.push(no_time);
        }
        for &id in list {
            let doublet = rows.paths.doublets()[id as usize];
            number.push(index as Code);
            from.push(record);
            place.push(place_of[doublet.location as usize]);
            when.push(time_of[doublet.time as usize]);
        }
    }
    let numbers: Strings = (1..=record_of.len())
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .iter()
        .map(String::as_str)
        .collect();
    let labels = |dictionary: &Dictionary| {
        let values: Strings = dictionary.values().collect();
        Arc::new(Dictionary::in_order(values, nothing))
    };
    let columns = source.order.iter().filter_map(|name| {
        let (dictionary, codes) = if name == subject {
            let numbers = Dictionary::in_order(numbers.clone(), false);
            (Arc::new(numbers), std::mem::take(&mut number))
        } else if name == location {
            (labels(&places), std::mem::take(&mut place))
        } else if name == time {
            (labels(&times), std::mem::take(&mut when))
        } else {
            let column = source.attributes.iter().find(|a| a.name == *name)?;
            let codes = from.iter().map(|&r| column.codes[r as usize]).collect();
            (column.dictionary.clone(), codes)
        };
        Some(used(Column {
            name: name.clone(),
            dictionary,
            codes,
        }))
    });
    Ok(Table::new(columns.collect())?)
}
