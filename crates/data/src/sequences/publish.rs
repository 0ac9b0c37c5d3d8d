//! The released table: what each record shows, sorted by what is shown.

use std::sync::Arc;

use crate::{Code, Column, Dictionary, Error, Strings, Table};

use super::Sequences;
use super::columns::Form;
use super::read::SequenceTable;

/// A table ready to be written, and which source record each of its records is.
#[derive(Debug, Clone)]
pub struct Published {
    /// What is published, laid out as the source.
    pub table: Table,
    /// The source record of each published one.
    pub record_of: Vec<u32>,
}

impl SequenceTable {
    /// Puts together what is published: record `r` shows row `row_of[r]` of `rows`, unless it is among the `dropped`.
    ///
    /// Records stand in the order of what they show; subjects are numbered anew, in that order.
    pub fn publish(
        &self,
        rows: &Sequences,
        row_of: &[u32],
        dropped: &[u32],
    ) -> Result<Published, Error> {
        let cells: Vec<String> = (0..rows.len()).map(|row| self.cell(rows, row)).collect();
        let (dictionary, codes) = distinct(&cells);
        let mut kept = vec![true; row_of.len()];
        for &record in dropped {
            kept[record as usize] = false;
        }
        let cell: Vec<Code> = row_of.iter().map(|&row| codes[row as usize]).collect();
        // Columns as published, the sequence at the place of its first column.
        let mut sort_by: Vec<(usize, &[Code])> = Vec::new();
        for name in &self.order {
            match (self.attribute(name), &self.form) {
                (Some(column), _) => sort_by.push((column.dictionary.len(), &column.codes)),
                (None, Form::Long { subject, .. }) if name != subject => {}
                (None, _) => sort_by.push((dictionary.len(), &cell)),
            }
        }
        let record_of = sorted(&sort_by, &kept);
        let table = match &self.form {
            Form::Wide { cell: name, .. } => {
                let dictionary = Arc::new(dictionary);
                let columns = self.order.iter().filter_map(|column| {
                    let (dictionary, codes) = if column == name {
                        (&dictionary, &cell)
                    } else {
                        let own = self.attribute(column)?;
                        (&own.dictionary, &own.codes)
                    };
                    Some(used(Column {
                        name: column.clone(),
                        dictionary: dictionary.clone(),
                        codes: record_of.iter().map(|&r| codes[r as usize]).collect(),
                    }))
                });
                Table::new(columns.collect())?
            }
            Form::Long {
                subject,
                location,
                time,
            } => {
                let names = (subject.as_str(), location.as_str(), time.as_deref());
                self.events(names, rows, row_of, &record_of)?
            }
        };
        Ok(Published { table, record_of })
    }

    fn attribute(&self, name: &str) -> Option<&Column> {
        self.attributes.iter().find(|column| column.name == name)
    }

    /// The sequence of a row in one cell.
    fn cell(&self, rows: &Sequences, row: usize) -> String {
        match &self.form {
            form if form.has_times() => rows.cell(row),
            Form::Wide {
                separator: Some(separator),
                ..
            } => joined(rows, row, *separator),
            _ => joined(rows, row, super::SEPARATOR),
        }
    }

    /// The long form: subjects numbered in the order of what they publish; who shows nothing has one row without a place.
    fn events(
        &self,
        (subject, location, time): (&str, &str, Option<&str>),
        rows: &Sequences,
        row_of: &[u32],
        record_of: &[u32],
    ) -> Result<Table, Error> {
        let shown = |record: u32| rows.record(row_of[record as usize] as usize);
        let size: usize = record_of.iter().map(|&r| shown(r).len().max(1)).sum();
        let (places, place_of) = distinct(rows.locations());
        let (times, time_of) = distinct(rows.times());
        let (no_place, no_time) = (place_of.len() as Code, time_of.len() as Code);
        let mut number = Vec::with_capacity(size);
        let mut place = Vec::with_capacity(size);
        let mut when = Vec::with_capacity(if time.is_some() { size } else { 0 });
        let mut from = Vec::with_capacity(size);
        let mut nothing = false;
        for (index, &record) in record_of.iter().enumerate() {
            let list = shown(record);
            if list.is_empty() {
                nothing = true;
                number.push(index as Code);
                from.push(record);
                place.push(no_place);
                when.extend(time.map(|_| no_time));
            }
            for &id in list {
                let doublet = rows.doublets()[id as usize];
                number.push(index as Code);
                from.push(record);
                place.push(place_of[doublet.location as usize]);
                when.extend(time.map(|_| time_of[doublet.time as usize]));
            }
        }
        let numbers: Vec<String> = (1..=record_of.len()).map(|n| n.to_string()).collect();
        let numbers: Strings = numbers.iter().map(String::as_str).collect();
        let labels = |dictionary: &Dictionary| {
            let values: Strings = dictionary.values().collect();
            Arc::new(Dictionary::in_order(values, nothing))
        };
        let columns = self.order.iter().filter_map(|name| {
            let (dictionary, codes) = if name == subject {
                let numbers = Dictionary::in_order(numbers.clone(), false);
                (Arc::new(numbers), std::mem::take(&mut number))
            } else if name == location {
                (labels(&places), std::mem::take(&mut place))
            } else if time == Some(name) {
                (labels(&times), std::mem::take(&mut when))
            } else {
                let column = self.attribute(name)?;
                let codes = from.iter().map(|&r| column.codes[r as usize]).collect();
                (column.dictionary.clone(), codes)
            };
            Some(used(Column {
                name: name.clone(),
                dictionary,
                codes,
            }))
        });
        Table::new(columns.collect())
    }
}

/// The items of a row with a separator between them.
fn joined(rows: &Sequences, row: usize, separator: char) -> String {
    let names = rows.record(row).iter().map(|&id| {
        let item = rows.doublets()[id as usize].location as usize;
        rows.locations()[item].as_str()
    });
    let names: Vec<&str> = names.collect();
    names.join(separator.encode_utf8(&mut [0; 4]))
}

/// Distinct texts as a dictionary, and the code of each; the empty text is a missing value.
fn distinct(texts: &[String]) -> (Dictionary, Vec<Code>) {
    let mut values: Vec<&str> = texts.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.dedup();
    let missing = values.first() == Some(&"");
    let values: Strings = values.into_iter().filter(|text| !text.is_empty()).collect();
    let (dictionary, _) = Dictionary::build(&values, missing, Some(crate::Kind::Text));
    let last = values.len() as Code;
    let codes = texts
        .iter()
        .map(|text| dictionary.code_of(text).unwrap_or(last))
        .collect();
    (dictionary, codes)
}

/// The records that are kept, ordered by their codes in these columns, then by record.
fn sorted(columns: &[(usize, &[Code])], kept: &[bool]) -> Vec<u32> {
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
fn used(column: Column) -> Column {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::columns::Columns;
    use super::super::read::Wanted;
    use super::*;

    /// What each published record shows beside its attribute, in the order of the source.
    fn back(read: &SequenceTable, published: &Published) -> Vec<(String, Option<String>)> {
        let wanted = Wanted::released(&["status".to_owned()], &[]);
        let again = wanted
            .code(&published.table, &read.form)
            .expect("as it was written");
        let mut shown: Vec<(u32, (String, Option<String>))> = published
            .record_of
            .iter()
            .enumerate()
            .map(|(record, &source)| {
                let status = again.attributes[0].text(record).map(str::to_owned);
                (source, (again.sequences.cell(record), status))
            })
            .collect();
        shown.sort();
        shown.into_iter().map(|(_, shown)| shown).collect()
    }

    proptest! {
        /// What is published reads back as what was to be shown, for paths and items, long and wide.
        #[test]
        fn what_is_published_reads_back(
            rows in prop::collection::vec((0_u8..5, 0_u8..12, 0_u8..4), 1..30),
            times: bool,
            long: bool,
            dropped in prop::collection::btree_set(0_u32..5, 0..3),
        ) {
            // One event each, so that a subject is nowhere twice at one time.
            let mut seen = std::collections::BTreeMap::new();
            for (who, time, place) in &rows {
                seen.insert((*who, *time), *place);
            }
            let texts: Vec<[String; 4]> = seen
                .iter()
                .map(|((who, time), place)| {
                    [who.to_string(), format!("p{place}x"), time.to_string(), format!("s{}", who % 2)]
                })
                .collect();
            let column = |name: &str, at: usize| {
                Column::from_texts(name, texts.iter().map(|row| Some(row[at].as_str())))
            };
            let mut columns = vec![column("subject", 0), column("place", 1), column("status", 3)];
            if times {
                columns.push(column("time", 2));
            }
            let wanted = Wanted {
                columns: Columns {
                    location: Some("place".to_owned()),
                    separator: (!times).then_some(';'),
                    ..Columns::default()
                },
                ..Wanted::released(&["status".to_owned()], &[])
            };
            let table = Table::new(columns).expect("a table");
            let mut read = wanted.code(&table, &wanted.columns.form(None)).expect("sequences");
            if !long {
                let cell = "cell".to_owned();
                read.order = vec![cell.clone(), "status".to_owned()];
                read.form = Form::Wide { cell, separator: (!times).then_some(';') };
            }
            let records = read.sequences.len() as u32;
            let dropped: Vec<u32> = dropped.into_iter().filter(|&r| r < records).collect();
            prop_assume!((dropped.len() as u32) < records);
            // Every second record shows nothing.
            let kept: Vec<u32> = (0..records).collect();
            let shown = |record: usize| {
                if record.is_multiple_of(2) { read.sequences.record(record) } else { &[][..] }
            };
            let rows = read.sequences.of_records(&kept, shown).expect("rows");
            let published = read.publish(&rows, &kept, &dropped).expect("a table");
            let expected: Vec<(String, Option<String>)> = kept
                .iter()
                .filter(|record| !dropped.contains(record))
                .map(|&record| {
                    let status = read.attributes[0].text(record as usize).map(str::to_owned);
                    (rows.cell(record as usize), status)
                })
                .collect();
            prop_assert_eq!(back(&read, &published), expected);
        }
    }
}
