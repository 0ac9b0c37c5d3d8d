//! Consents by record, matched against the data: each key is read through the key column's kind, and each must be a record's.
//!
//! # Guarantee
//! A consent that is about no record of its table, or whose key cannot be read, or two consents that turn out to be about one record, keep
//! the table from being served. So nobody's `no` is lost because a zero stands before a number.

use super::decide::Numbered;
use super::source::{Opened, arrow_type, kind_of};
use crate::consent_file::{Consent, ConsentFile, Fault};
use crate::error::Error;
use crate::identity::Identity;
use datafusion::arrow::array::{Array as _, ArrayRef, AsArray as _, StringArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::DataType;
use datafusion::execution::SessionState;
use denym_purpose::{AccessPolicy, Kind, TablePolicy};
use futures::StreamExt as _;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The consents of all tables that keep them in the consent file.
pub(super) struct Consents {
    file: ConsentFile,
    matched: Mutex<BTreeMap<String, Matched>>,
}

/// Of which text and which data, and what came of it.
struct Matched {
    consent: Arc<Consent>,
    data: Identity,
    outcome: Result<Arc<Numbered>, Fault>,
}

impl Consents {
    pub(super) fn new(file: ConsentFile) -> Self {
        Self {
            file,
            matched: Mutex::default(),
        }
    }

    /// What the file says now.
    pub(super) fn look(&self, policy: &AccessPolicy) -> Result<Arc<Consent>, Error> {
        self.file.look(policy)
    }

    /// Refuses a table without consent of single records that a row of the file is about all the same: someone's word would be lost.
    pub(super) fn none_of(&self, policy: &AccessPolicy, table: &TablePolicy) -> Result<(), Error> {
        // whether the file can be read is the others' concern
        let consent = self.file.look(policy).unwrap_or_default();
        match consent.fault_of(&table.name) {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(()),
        }
    }

    /// The consents of a table as file and data are now.
    pub(super) async fn of(
        &self,
        policy: &AccessPolicy,
        state: &SessionState,
        table: &TablePolicy,
        data: &Opened,
    ) -> Result<Arc<Numbered>, Error> {
        let consent = self.file.look(policy)?;
        if let Some(fault) = consent.fault(&table.name) {
            return Err(fault.clone().into());
        }
        // one at a time: the next one finds what this one found
        let mut matched = self.matched.lock().await;
        if let Some(kept) = matched.get(&table.name)
            && Arc::ptr_eq(&kept.consent, &consent)
            && kept.data == data.watch.identity
        {
            return Ok(kept.outcome.clone()?);
        }
        let outcome = find(state, table, data, &consent).await?;
        matched.insert(
            table.name.clone(),
            Matched {
                consent,
                data: data.watch.identity,
                outcome: outcome.clone(),
            },
        );
        Ok(outcome?)
    }
}

/// Looks for the record of each consent.
async fn find(
    state: &SessionState,
    table: &TablePolicy,
    data: &Opened,
    consent: &Consent,
) -> Result<Result<Arc<Numbered>, Fault>, Error> {
    let records: Vec<_> = consent.book.records(&table.name).collect();
    if records.is_empty() {
        return Ok(Ok(Arc::new(Numbered::new([]))));
    }
    let fault =
        |record: &str, what| Fault::new(&table.name, consent.row(&table.name, record), what);
    let Some(key) = &table.key else {
        return Ok(Err(fault(records[0].0, "its table has no key column")));
    };
    let texts: Vec<&str> = records.iter().map(|(record, _)| *record).collect();
    let read = through_kind(&texts, kind_of(table, key));
    let mut places: HashMap<Box<str>, usize> = HashMap::with_capacity(records.len());
    for (place, text) in texts.iter().enumerate() {
        let Some(key) = read.as_ref().and_then(|read| text_at(read, place)) else {
            return Ok(Err(fault(
                text,
                "its record cannot be read as a key of the table",
            )));
        };
        if places.insert(key.into(), place).is_some() {
            return Ok(Err(fault(text, "another row is about the same record")));
        }
    }
    let unreadable = |_| Error::Table {
        table: table.name.clone(),
        what: "its file cannot be read".into(),
    };
    let plan = data
        .scan()
        .and_then(|plan| plan.project([data.text(table, key).alias("key")])?.build())
        .map_err(unreadable)?;
    let mut keys = datafusion::dataframe::DataFrame::new(state.clone(), plan)
        .execute_stream()
        .await
        .map_err(unreadable)?;
    let mut found = vec![false; records.len()];
    while let Some(batch) = keys.next().await {
        let batch = batch.map_err(unreadable)?;
        for row in 0..batch.num_rows() {
            if let Some(place) = text_at(batch.column(0), row).and_then(|key| places.get(key)) {
                found[*place] = true;
            }
        }
    }
    if let Some(place) = found.iter().position(|found| !found) {
        return Ok(Err(fault(
            texts[place],
            "it matches no record of the table",
        )));
    }
    let numbered = places
        .into_iter()
        .map(|(key, place)| (key, records[place].1));
    Ok(Ok(Arc::new(Numbered::new(numbered))))
}

/// Keys as the data's are: read as the kind, and written again.
fn through_kind(keys: &[&str], kind: Kind) -> Option<ArrayRef> {
    if kind == Kind::Text {
        return Some(Arc::new(StringArray::from(keys.to_vec())));
    }
    let texts: StringArray = keys.iter().map(|key| Some(key.trim())).collect();
    let options = CastOptions {
        safe: true,
        ..CastOptions::default()
    };
    let read = cast_with_options(&texts, &arrow_type(kind), &options).ok()?;
    cast_with_options(&read, &DataType::Utf8, &options).ok()
}

fn text_at(array: &ArrayRef, row: usize) -> Option<&str> {
    let texts = array.as_string_opt::<i32>()?;
    texts.is_valid(row).then(|| texts.value(row))
}
