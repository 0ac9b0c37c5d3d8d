//! The state of the providers' consent, to be compared later: the consent file as it was read, and the data's files where consent stands in them.

use super::Engine;
use crate::consent_file::Fault;
use crate::error::Error;
use crate::identity::Identity;
use denym_purpose::{ConsentBook, Storage};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The consent of some tables at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    book: Arc<ConsentBook>,
    /// What keeps each of them from being served.
    faults: Vec<Option<Fault>>,
    /// Of the tables whose consent is in their own file.
    data: Vec<Option<Identity>>,
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        // a file that says the same is still the same book
        (Arc::ptr_eq(&self.book, &other.book) || *self.book == *other.book)
            && self.faults == other.faults
            && self.data == other.data
    }
}

impl Engine {
    /// The consent of some tables now. A consent file that cannot be used is an error, as it is for a query.
    pub(crate) fn mark(&self, tables: &BTreeSet<String>) -> Result<Mark, Error> {
        let core = &self.core;
        let consent = core.consents.look(&core.policy)?;
        let (mut data, mut faults) = (Vec::new(), Vec::new());
        for name in tables {
            let storage = &core.policy.table(name)?.storage;
            if matches!(storage, Storage::Companion { .. } | Storage::RowCode { .. }) {
                let source = core.sources.get(name);
                data.push(source.and_then(|source| Identity::of(source.path()).ok()));
            }
            if *storage == Storage::Table {
                faults.push(consent.fault(name).cloned());
            }
        }
        Ok(Mark {
            book: consent.book.clone(),
            faults,
            data,
        })
    }
}
