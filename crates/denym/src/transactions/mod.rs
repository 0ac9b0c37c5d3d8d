//! Transactions on their way through denym: files to codes, codes to a released table, a released table to the judge of paths.

mod judged;
mod publish;
mod request;
mod source;

pub(crate) use judged::{PRESENT, judged};
pub(crate) use publish::publish;
pub(crate) use request::{items_of, request};
pub(crate) use source::{Baskets, Wanted, read, read_columns, read_released};

use serde::{Deserialize, Serialize};

/// How a file of transactions is laid out, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransactionForm {
    /// A record per item.
    Long {
        /// Who.
        subject: String,
        /// What.
        item: String,
    },
    /// A record per subject, its items in one cell such as `bread;milk`.
    Wide {
        /// The column of the items.
        items: String,
        /// What stands between them.
        separator: char,
    },
}
