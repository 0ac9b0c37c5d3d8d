//! Measures any file of transactions: every group that up to m items form, against k and bounds on sensitive items.

use std::path::PathBuf;

use denym_data::Fraction;
use denym_engine::{Engine, ReadOptions};
use denym_measure::sequences::{Items, SequenceAudit};

use super::subsets::{counted, positive, unknown_column};
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::paths::Asked;
use crate::policy::PromiseSpec;
use crate::policy::paths::named_column;
use crate::policy::transactions::TransactionColumns;
use crate::transactions::{Wanted, read_columns};

/// What is to be measured on transactions.
#[derive(Debug, Clone, Default)]
pub struct TransactionAuditRequest {
    /// File, directory or glob.
    pub data: PathBuf,
    /// How to read it.
    pub read: ReadOptions,
    /// The column of subjects; `subject` when not given.
    pub subject: Option<String>,
    /// The column of one item each; `item` when not given.
    pub item: Option<String>,
    /// The column of all items of a subject; `items` when the file has one.
    pub items_column: Option<String>,
    /// What stands between the items of a cell; `;` when not given.
    pub separator: Option<char>,
    /// Most items the adversary knows.
    pub items: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive items and their bounds.
    pub sensitive: Vec<(String, Fraction)>,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Measures the transactions of `request`; the doublets of the answer are public items.
pub fn audit_transactions(
    request: &TransactionAuditRequest,
    listener: &dyn Listener,
) -> Result<SequenceAudit, Error> {
    positive([("--items", request.items as u64), ("--k", request.k)])?;
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let wanted = Wanted {
        columns: TransactionColumns {
            subject: named_column(request.subject.as_ref()),
            item: named_column(request.item.as_ref()),
            items: named_column(request.items_column.as_ref()),
        },
        separator: request.separator,
        ..Wanted::default()
    };
    let table = read_columns(&engine, &request.data, request.read.clone(), &wanted)
        .map_err(unknown_column)?;

    listener.phase(Phase::Auditing);
    let specs: Vec<PromiseSpec> = request
        .sensitive
        .iter()
        .map(|(item, bound)| PromiseSpec::items(vec![item.clone()], *bound))
        .collect();
    let mut asked = Asked::default();
    for spec in std::iter::once(&PromiseSpec::k_anonymity(request.k)).chain(&specs) {
        asked.ask(spec, &[], &[])?;
    }
    let knowledge = Items {
        m: request.items,
        sensitive: asked.within,
    };
    counted(request.threads, || {
        knowledge.judge(&table.sets, &asked.promises)
    })
}
