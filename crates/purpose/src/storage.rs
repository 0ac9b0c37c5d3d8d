//! Consent at rest: the intended purposes table, companion columns, and the compact code of a record; as plain data, both ways.
//!
//! # Idea
//! A provider's consent lives beside the data in one of three forms: rows <table, record, column, intended purpose> (Tables 3.1 and 3.4),
//! three numbers beside each column, or one text per record for all its columns. [`Profiles`] numbers the distinct consents, because
//! millions of records share a few.
//!
//! # Guarantee
//! What is written reads back the same. What cannot be read is denied, not ignored: the record or cell gets the empty consent.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 3.2.2, Tables 3.1 and 3.4.
//!
//! # Departures
//! `Table_ID` and `Sl_No.` follow from the table's name and the order, so they are not kept. Declared sets are stored, not their closures,
//! so that codes stay right when the purpose tree grows.

use crate::bits::PurposeSet;
use crate::consent::{ConsentBook, RecordConsent, TablePolicy};
use crate::error::Error;
use crate::intended::IntendedPurpose;
use crate::policy::AccessPolicy;
use crate::tree::PurposeTree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of the intended purposes table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IntendedRow {
    /// The governed table.
    pub table: String,
    /// The record's key, as text.
    pub record: String,
    /// The column, or `*` for all columns of the record.
    pub column: String,
    /// `<{allowed}, {conditional}, {prohibited}>`.
    pub intended: String,
}

impl AccessPolicy {
    /// Reads an intended purposes table. Rows that cannot be read come back as errors; each denies its cell, or its whole record when the
    /// column is not known.
    pub fn read_consent(&self, rows: &[IntendedRow]) -> (ConsentBook, Vec<Error>) {
        let mut book = ConsentBook::default();
        let mut errors = Vec::new();
        let mut denied = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let table = match self.table(&row.table) {
                Ok(table) => table,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let column = match row.column.as_str() {
                "*" => Ok(None),
                name => table.column(name).map(Some),
            };
            let intended = IntendedPurpose::from_text(&self.purposes, &row.intended);
            if intended.is_none() {
                errors.push(Error::BadCode {
                    record: place + 1,
                    column: "intended".into(),
                });
            }
            match column {
                Ok(column) => book.set(
                    &row.table,
                    &row.record,
                    column,
                    Some(intended.unwrap_or_default()),
                ),
                // the provider spoke about a column we do not know: serve nothing of the record rather than guess
                Err(error) => {
                    errors.push(error);
                    denied.push((row, table.columns.len()));
                }
            }
        }
        // last, so that no other row of the record wins over the denial
        for (row, columns) in denied {
            for place in 0..columns {
                let nothing = Some(IntendedPurpose::default());
                book.set(&row.table, &row.record, Some(place), nothing);
            }
        }
        (book, errors)
    }

    /// Writes an intended purposes table, in the order of tables, records, columns.
    pub fn write_consent(&self, book: &ConsentBook) -> Vec<IntendedRow> {
        let mut out = Vec::new();
        for (name, table) in &self.tables {
            for (record, consent) in book.records(name) {
                let all = consent.all.iter().map(|ip| ("*", ip));
                let cells = consent.cells.iter().filter_map(|(place, ip)| {
                    table.columns.get(*place).map(|c| (c.name.as_str(), ip))
                });
                for (column, ip) in all.chain(cells) {
                    out.push(IntendedRow {
                        table: name.clone(),
                        record: record.to_owned(),
                        column: column.to_owned(),
                        intended: ip.to_text(&self.purposes),
                    });
                }
            }
        }
        out
    }
}

/// Three companion numbers of a cell: AIP, CIP, PIP.
pub type Companion = [Option<i64>; 3];

/// The companion numbers of a consent; `None` when a set needs more than 63 bits.
pub fn write_companion(consent: Option<&IntendedPurpose>) -> Option<Companion> {
    let Some(ip) = consent else {
        return Some([None; 3]);
    };
    Some([
        Some(ip.allowed.to_i64()?),
        Some(ip.conditional.to_i64()?),
        Some(ip.prohibited.to_i64()?),
    ])
}

/// The consent of three companion numbers: all NULL is no own consent, a single NULL the empty set, a negative number unreadable and so
/// the empty consent.
pub fn read_companion(companion: Companion) -> Option<IntendedPurpose> {
    if companion == [None; 3] {
        return None;
    }
    let mut sets = companion.map(|code| PurposeSet::from_i64(code.unwrap_or(0)));
    if sets.iter().any(Option::is_none) {
        return Some(IntendedPurpose::default());
    }
    let mut take = |place: usize| sets[place].take().unwrap_or_default();
    Some(IntendedPurpose {
        allowed: take(0),
        conditional: take(1),
        prohibited: take(2),
    })
}

/// The compact code of a record: `all/column 1/column 2/..`, each part empty or `aip.cip.pip` in hexadecimal.
pub fn write_code(consent: &RecordConsent) -> String {
    let part = |ip: Option<&IntendedPurpose>| {
        ip.map_or_else(String::new, |ip| {
            let sets = [&ip.allowed, &ip.conditional, &ip.prohibited];
            sets.map(|set| set.to_hex(1)).join(".")
        })
    };
    let columns = consent.cells.keys().last().map_or(0, |last| last + 1);
    let mut out = part(consent.all.as_ref());
    for place in 0..columns {
        out.push('/');
        out.push_str(&part(consent.cells.get(&place)));
    }
    out
}

/// Reads a compact code. A code that cannot be read, or that has more columns than the table, gives the consent that denies everything,
/// with `false`.
pub fn read_code(table: &TablePolicy, tree: &PurposeTree, code: &str) -> (RecordConsent, bool) {
    let mut out = RecordConsent::default();
    for (place, part) in code.trim().split('/').enumerate() {
        if part.is_empty() {
            continue;
        }
        match (read_part(tree, part), place) {
            (Some(ip), 0) => out.all = Some(ip),
            (Some(ip), _) if place <= table.columns.len() => {
                out.cells.insert(place - 1, ip);
            }
            _ => {
                let denied = RecordConsent {
                    all: Some(IntendedPurpose::default()),
                    cells: BTreeMap::new(),
                };
                return (denied, false);
            }
        }
    }
    (out, true)
}

fn read_part(tree: &PurposeTree, part: &str) -> Option<IntendedPurpose> {
    let sets: Vec<PurposeSet> = part
        .split('.')
        .map(|hex| {
            // a bit beyond the tree's width belongs to another policy
            PurposeSet::from_hex(hex).filter(|set| set.bits().all(|bit| bit < tree.width()))
        })
        .collect::<Option<_>>()?;
    let [allowed, conditional, prohibited]: [PurposeSet; 3] = sets.try_into().ok()?;
    Some(IntendedPurpose {
        allowed,
        conditional,
        prohibited,
    })
}

/// Distinct consents, numbered from 0 in the order they came.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    list: Vec<RecordConsent>,
    numbers: BTreeMap<RecordConsent, usize>,
}

impl Profiles {
    /// The number of a consent; a new one if it was not there.
    pub fn number(&mut self, consent: &RecordConsent) -> usize {
        if let Some(number) = self.numbers.get(consent) {
            return *number;
        }
        let number = self.list.len();
        self.list.push(consent.clone());
        self.numbers.insert(consent.clone(), number);
        number
    }

    /// The consent of a number.
    pub fn get(&self, number: usize) -> Option<&RecordConsent> {
        self.list.get(number)
    }

    /// All consents in the order of their numbers.
    pub fn list(&self) -> &[RecordConsent] {
        &self.list
    }
}
