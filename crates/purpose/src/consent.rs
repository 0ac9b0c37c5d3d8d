//! Which intended purpose a cell has: the most specific consent that was declared for it.
//!
//! # Idea
//! Consent is said at six levels. The most specific one that says anything about the cell counts, whole:
//!
//! ```text
//! cell  >  record  >  provider group and column  >  provider group  >  column  >  table  >  (nothing: denied)
//! ```
//!
//! A provider's own word (cell, record) beats the group the provider was put in, and that beats the house's defaults.
//! Purposes the house *always* prohibits, for a table or a column, are added to PIP whatever a provider said.
//!
//! # Guarantee
//! Without any consent the intended purpose is empty, and everything is denied. A group that the policy does not know is no group.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 2.3.2, Tables 2.3, 3.1 and 3.4.

use crate::bits::PurposeSet;
use crate::error::Error;
use crate::intended::IntendedPurpose;
use crate::mask::Mask;
use crate::value::Kind;
use denym_data::nearest;
use serde::Serialize;
use std::collections::BTreeMap;

/// What happens to prohibited cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The cell becomes NULL or its conditional value (Table 3.5).
    #[default]
    Mask,
    /// The record is dropped if any requested cell is prohibited (Table 2.6).
    Filter,
}

/// Where the consent of single providers is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    /// Nowhere: defaults only.
    #[default]
    None,
    /// In an intended purposes table beside the data (Tables 3.1 and 3.4), by record key and column.
    Table,
    /// In companion columns `<column><suffix>` for the three declared sets, as numbers.
    Companion {
        /// Suffix of the AIP column, such as `_aip`.
        allowed: String,
        /// Suffix of the CIP column.
        conditional: String,
        /// Suffix of the PIP column.
        prohibited: String,
    },
    /// In one column of the record: a compact code for all columns.
    RowCode {
        /// That column.
        column: String,
    },
}

/// One column that the policy names.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPolicy {
    /// Its name.
    pub name: String,
    /// Its type in the data.
    pub kind: Kind,
    /// The column's default consent.
    pub default: Option<IntendedPurpose>,
    /// Prohibited whatever anyone says.
    pub always_prohibited: PurposeSet,
    /// Its conditional value.
    pub mask: Mask,
}

impl ColumnPolicy {
    /// The type everyone sees.
    pub fn visible_kind(&self) -> Kind {
        self.mask.visible_kind(self.kind)
    }
}

/// The consent of a provider group (Table 2.3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupConsent {
    /// For all columns that have no own entry.
    pub all: Option<IntendedPurpose>,
    /// By place of the column.
    pub columns: BTreeMap<usize, IntendedPurpose>,
}

/// The consent of one provider for one record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordConsent {
    /// For all columns that have no own entry.
    pub all: Option<IntendedPurpose>,
    /// By place of the column.
    pub cells: BTreeMap<usize, IntendedPurpose>,
}

/// A governed table. Columns it does not name are served to nobody.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePolicy {
    /// Its name.
    pub name: String,
    /// Where the data is: a file or a table of the backend. Only the gateway looks at it.
    pub source: Option<String>,
    /// The column that identifies a record.
    pub key: Option<String>,
    /// The column with the provider group.
    pub group: Option<String>,
    /// The column with the day the record was collected, for retention.
    pub collected: Option<String>,
    /// What happens to prohibited cells.
    pub mode: Mode,
    /// Where single consents are.
    pub storage: Storage,
    /// The table's default consent.
    pub default: Option<IntendedPurpose>,
    /// Prohibited whatever anyone says.
    pub always_prohibited: PurposeSet,
    /// The columns, in order.
    pub columns: Vec<ColumnPolicy>,
    /// Provider groups by their value in the group column.
    pub groups: BTreeMap<String, GroupConsent>,
}

/// The level a consent was declared at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The provider, for this cell.
    Cell,
    /// The provider, for this record.
    Record,
    /// The provider's group, for this column.
    GroupColumn,
    /// The provider's group.
    Group,
    /// The column's default.
    Column,
    /// The table's default.
    Table,
    /// Nobody said anything.
    Nothing,
}

impl TablePolicy {
    /// The source as a file; `None` when there is none, or when it names a relation of a database.
    pub fn file(&self) -> Option<&str> {
        let source = self.source.as_deref()?;
        let lower = source.to_lowercase();
        let by_name = [
            ".csv", ".tsv", ".txt", ".parquet", ".json", ".ndjson", ".jsonl", ".gz", ".zst",
        ];
        let is_file =
            source.contains(['/', '\\', '*']) || by_name.iter().any(|e| lower.ends_with(e));
        is_file.then_some(source)
    }

    /// The raw table's name in a database: the source, or the table's own name when the source is a file.
    pub fn relation(&self) -> &str {
        match &self.source {
            Some(source) if self.file().is_none() => source,
            _ => &self.name,
        }
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Result<usize, Error> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| Error::ColumnUnknown {
                table: self.name.clone(),
                name: name.to_owned(),
                nearest: nearest(name, self.columns.iter().map(|c| c.name.as_str()))
                    .map(str::to_owned),
            })
    }

    /// The consent that counts for a cell, with its level; `None` when nobody said anything.
    /// What the house always prohibits is apart, in [`always_prohibited`](Self::always_prohibited_of).
    pub fn consent<'a>(
        &'a self,
        column: usize,
        group: Option<&str>,
        record: Option<&'a RecordConsent>,
    ) -> (Level, Option<&'a IntendedPurpose>) {
        if let Some(record) = record {
            if let Some(cell) = record.cells.get(&column) {
                return (Level::Cell, Some(cell));
            }
            if let Some(all) = &record.all {
                return (Level::Record, Some(all));
            }
        }
        if let Some(group) = group.and_then(|group| self.groups.get(group)) {
            if let Some(cell) = group.columns.get(&column) {
                return (Level::GroupColumn, Some(cell));
            }
            if let Some(all) = &group.all {
                return (Level::Group, Some(all));
            }
        }
        if let Some(default) = self.columns.get(column).and_then(|c| c.default.as_ref()) {
            return (Level::Column, Some(default));
        }
        match &self.default {
            Some(default) => (Level::Table, Some(default)),
            None => (Level::Nothing, None),
        }
    }

    /// Purposes prohibited for a column whatever anyone says.
    pub fn always_prohibited_of(&self, column: usize) -> PurposeSet {
        self.columns.get(column).map_or_else(
            || self.always_prohibited.clone(),
            |c| self.always_prohibited.union(&c.always_prohibited),
        )
    }
}

/// The consents of single providers, by table and record key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsentBook {
    tables: BTreeMap<String, BTreeMap<String, RecordConsent>>,
}

impl ConsentBook {
    /// Sets a provider's consent for a cell (`Some` column) or the whole record; `None` takes it back.
    pub fn set(
        &mut self,
        table: &str,
        record: &str,
        column: Option<usize>,
        consent: Option<IntendedPurpose>,
    ) {
        let records = self.tables.entry(table.to_owned()).or_default();
        let entry = records.entry(record.to_owned()).or_default();
        match (column, consent) {
            (None, consent) => entry.all = consent,
            (Some(column), Some(consent)) => {
                entry.cells.insert(column, consent);
            }
            (Some(column), None) => {
                entry.cells.remove(&column);
            }
        }
        if entry.all.is_none() && entry.cells.is_empty() {
            records.remove(record);
        }
        if records.is_empty() {
            self.tables.remove(table);
        }
    }

    /// The consent of a record.
    pub fn record(&self, table: &str, record: &str) -> Option<&RecordConsent> {
        self.tables.get(table)?.get(record)
    }

    /// All records of a table with an own consent, by key.
    pub fn records(&self, table: &str) -> impl Iterator<Item = (&str, &RecordConsent)> {
        self.tables
            .get(table)
            .into_iter()
            .flatten()
            .map(|(key, consent)| (key.as_str(), consent))
    }
}
