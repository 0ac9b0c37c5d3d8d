//! The providers' consent wherever the policy keeps it, read as one book and changed in place.
//!
//! # Idea
//! A policy keeps the consent of a table in the intended purposes table (one CSV file for all tables), in companion columns of the data or
//! in one code per record of the data. [`ConsentStore`] hides which: changes come as <table, record, column, consent>.
//!
//! # Guarantee
//! A change is written whole or not at all, beside its target and renamed, under a lock; a running gateway sees it at its next query.
//! Lines and cells that a change is not about stay byte for byte, also unreadable ones (they go on denying).

use super::error::Error;
use super::files;
use super::policy::PolicyFile;
use super::record;
use super::sheet::Sheet;
use crate::consent_file;
use denym_purpose::{
    ConsentBook, IntendedPurpose, IntendedRow, RecordConsent, Storage, TablePolicy, write_code,
    write_companion,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The consent table in messages.
const WHAT: &str = "the consent file";

/// Where consent is kept.
#[derive(Debug, Clone)]
pub struct ConsentStore<'a> {
    policy: &'a PolicyFile,
    file: PathBuf,
    must_exist: bool,
    data: BTreeMap<String, PathBuf>,
}

/// All consent of single records.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// By table and record.
    pub book: ConsentBook,
    /// Rows or records that cannot be read, and deny.
    pub unreadable: usize,
}

/// One thing a provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The governed table.
    pub table: String,
    /// The record's key.
    pub record: String,
    /// The column's place; `None` for the whole record.
    pub column: Option<usize>,
    /// The consent; `None` takes it back.
    pub consent: Option<IntendedPurpose>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Changes made.
    pub changes: usize,
    /// Files replaced.
    pub files: BTreeSet<PathBuf>,
    /// Records that the data does not have (yet).
    pub absent: usize,
}

impl<'a> ConsentStore<'a> {
    /// The store of a policy. `file` is the consent table; without it `consent.csv` beside the policy, which need not be there.
    pub fn new(policy: &'a PolicyFile, file: Option<&Path>) -> Self {
        Self {
            policy,
            must_exist: file.is_some(),
            file: file.map_or_else(|| policy.consent(), Path::to_owned),
            data: BTreeMap::new(),
        }
    }

    /// With the data of a table in another file than the policy says.
    #[must_use]
    pub fn with_data(mut self, table: &str, file: &Path) -> Self {
        self.data.insert(table.to_owned(), file.to_owned());
        self
    }

    /// The consent table's file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The data of a table, when it is a file.
    pub fn data(&self, table: &TablePolicy) -> Option<PathBuf> {
        let given = self.data.get(&table.name).cloned();
        given.or_else(|| self.policy.data(table))
    }

    /// Reads everything, or what there is of one table.
    pub fn read(&self, only: Option<&str>) -> Result<Kept, Error> {
        let policy = &self.policy.policy;
        let asked = |name: &str| only.is_none_or(|only| only == name);
        let keeps_rows = |name: &str| {
            let table = policy.tables.get(name);
            asked(name) && table.is_none_or(|table| table.storage == Storage::Table)
        };
        let mut rows = self.rows()?;
        rows.retain(|row| keeps_rows(&row.table));
        let (mut book, errors) = policy.read_consent(&rows);
        let mut unreadable = errors.len();
        for table in policy.tables.values() {
            let in_data = matches!(
                table.storage,
                Storage::Companion { .. } | Storage::RowCode { .. }
            );
            if !in_data || !asked(&table.name) {
                continue;
            }
            let data = self.need_data(table)?;
            let sheet = record::load(&data)?;
            let key = record::need_column(&sheet, record::key_column(table)?, &data)?;
            for place in 0..sheet.len() {
                let record = record::key_text(table, &sheet.get(place, key));
                let own = record::stored(&sheet, table, &policy.purposes, &data, place)?;
                let (own, readable) = own.unwrap_or_default();
                unreadable += usize::from(!readable);
                if own.all.is_some() {
                    book.set(&table.name, &record, None, own.all);
                }
                for (column, consent) in own.cells {
                    book.set(&table.name, &record, Some(column), Some(consent));
                }
            }
        }
        Ok(Kept { book, unreadable })
    }

    /// Makes changes. With `known` every record must be in the data, where the data is a file that is there.
    pub fn apply(&self, changes: &[Change], known: bool) -> Result<Written, Error> {
        let mut changes = changes.to_vec();
        for change in &mut changes {
            let table = self.policy.policy.table(&change.table)?;
            change.record = record::key_text(table, &change.record);
        }
        let mut by_table: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        for change in &changes {
            by_table.entry(&change.table).or_default().push(change);
        }
        let mut written = Written {
            changes: changes.len(),
            ..Written::default()
        };
        let mut in_rows: Vec<&Change> = Vec::new();
        let mut in_data = Vec::new();
        // everything is checked before anything is written
        for (name, changes) in by_table {
            let table = self.policy.policy.table(name)?;
            written.absent += self.check_keys(table, &changes, known)?;
            match table.storage {
                Storage::None => {
                    return Err(Error::NoStorage {
                        table: name.to_owned(),
                    });
                }
                Storage::Table => in_rows.extend(changes),
                _ => {
                    let data = self.need_data(table)?;
                    if !record::is_text(&data) {
                        return Err(Error::NotCsv {
                            table: name.to_owned(),
                        });
                    }
                    in_data.push((table, data, changes));
                }
            }
        }
        for (table, data, changes) in in_data {
            let lock = files::lock(record::DATA, &data)?;
            let mut sheet = record::load(&data)?;
            self.change_data(&mut sheet, table, &data, &changes)?;
            files::replace(&lock, record::DATA, &data, &sheet.to_text(), false)?;
            written.files.insert(data);
        }
        if !in_rows.is_empty() {
            let lock = files::lock(WHAT, &self.file)?;
            let mut rows = self.rows_or_none()?;
            self.change_rows(&mut rows, &in_rows);
            let text = consent_file::write(&rows);
            files::replace(&lock, WHAT, &self.file, &text, false)?;
            written.files.insert(self.file.clone());
        }
        Ok(written)
    }

    /// The rows of the consent table.
    fn rows(&self) -> Result<Vec<IntendedRow>, Error> {
        if self.must_exist {
            files::need(WHAT, &self.file)?;
        }
        self.rows_or_none()
    }

    fn rows_or_none(&self) -> Result<Vec<IntendedRow>, Error> {
        let Some(text) = files::read(WHAT, &self.file)? else {
            return Ok(Vec::new());
        };
        consent_file::read(&text).map_err(|error| Error::Gateway {
            file: self.file.clone(),
            error,
        })
    }

    fn need_data(&self, table: &TablePolicy) -> Result<PathBuf, Error> {
        self.data(table).ok_or_else(|| Error::NoData {
            table: table.name.clone(),
        })
    }

    /// How many changes are about records the data does not have; an error when they must be known.
    fn check_keys(
        &self,
        table: &TablePolicy,
        changes: &[&Change],
        known: bool,
    ) -> Result<usize, Error> {
        let in_data = !matches!(table.storage, Storage::None | Storage::Table);
        let Some(data) = self.data(table).filter(|data| in_data || data.exists()) else {
            return Ok(0);
        };
        let sheet = record::load(&data)?;
        let keys = record::keys(&sheet, table, &data)?;
        let mut absent = 0;
        for change in changes {
            match keys.get(&change.record).map(Vec::len) {
                Some(1) => {}
                Some(count) => {
                    return Err(Error::RecordTwice {
                        table: table.name.clone(),
                        count,
                    });
                }
                // consent in the data needs its record
                None if known || in_data => {
                    return Err(Error::RecordUnknown {
                        table: table.name.clone(),
                    });
                }
                None => absent += 1,
            }
        }
        Ok(absent)
    }

    fn change_rows(&self, rows: &mut Vec<IntendedRow>, changes: &[&Change]) {
        let policy = &self.policy.policy;
        let name = |change: &Change| -> String {
            let column = change.column.and_then(|place| {
                policy.tables[&change.table]
                    .columns
                    .get(place)
                    .map(|column| column.name.clone())
            });
            column.unwrap_or_else(|| "*".into())
        };
        // the last word about a cell counts, and stands where the first one stood
        let mut wanted: BTreeMap<(String, String, String), Option<String>> = BTreeMap::new();
        let mut order = Vec::new();
        for change in changes {
            let cell = (change.table.clone(), change.record.clone(), name(change));
            let text = change.consent.as_ref();
            let text = text.map(|ip| ip.to_text(&policy.purposes));
            if wanted.insert(cell.clone(), text).is_none() {
                order.push(cell);
            }
        }
        let mut done = BTreeSet::new();
        rows.retain_mut(|row| {
            let cell = (row.table.clone(), row.record.clone(), row.column.clone());
            let Some(text) = wanted.get(&cell) else {
                return true;
            };
            let first = done.insert(cell);
            match text {
                Some(text) if first => {
                    row.intended.clone_from(text);
                    true
                }
                _ => false,
            }
        });
        for cell in order {
            if let Some(Some(text)) = wanted.get(&cell)
                && !done.contains(&cell)
            {
                let intended = text.clone();
                let (table, record, column) = cell;
                rows.push(IntendedRow {
                    table,
                    record,
                    column,
                    intended,
                });
            }
        }
    }

    fn change_data(
        &self,
        sheet: &mut Sheet,
        table: &TablePolicy,
        data: &Path,
        changes: &[&Change],
    ) -> Result<(), Error> {
        let tree = &self.policy.policy.purposes;
        let keys = record::keys(sheet, table, data)?;
        for change in changes {
            let places = keys.get(&change.record).map_or(&[][..], Vec::as_slice);
            let [place] = *places else {
                return Err(Error::RecordUnknown {
                    table: table.name.clone(),
                });
            };
            if let Storage::RowCode { column } = &table.storage {
                let column = record::need_column(sheet, column, data)?;
                let own = record::stored(sheet, table, tree, data, place)?;
                let (mut own, _) = own.unwrap_or_default();
                set(&mut own, change);
                let code = if own == RecordConsent::default() {
                    String::new()
                } else {
                    write_code(&own)
                };
                sheet.set(place, column, &code);
                continue;
            }
            let codes = write_companion(change.consent.as_ref()).ok_or(Error::TooManyPurposes)?;
            for (number, columns) in record::companions(table).iter().enumerate() {
                // companion columns have no word for the whole record: it is said of every column
                if change.column.is_none_or(|column| column == number) {
                    for (name, code) in columns.iter().zip(codes) {
                        let column = record::need_column(sheet, name, data)?;
                        let text = code.map_or_else(String::new, |code| code.to_string());
                        sheet.set(place, column, &text);
                    }
                }
            }
        }
        Ok(())
    }
}

/// One change of a record's consent.
fn set(own: &mut RecordConsent, change: &Change) {
    match (change.column, &change.consent) {
        (None, consent) => own.all.clone_from(consent),
        (Some(column), Some(consent)) => {
            own.cells.insert(column, consent.clone());
        }
        (Some(column), None) => {
            own.cells.remove(&column);
        }
    }
}
