//! How released paths and transactions are laid out in their file.

use denym_policy::paths::Matching;
use serde::{Deserialize, Serialize};

/// How a path file is laid out, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathForm {
    /// A record per event.
    Long {
        /// Who.
        subject: String,
        /// Where.
        location: String,
        /// When.
        time: String,
    },
    /// A record per subject, its path in one cell such as `a1>d2>b3`.
    Wide {
        /// The column of the paths.
        path: String,
    },
}

/// What a certificate says about released paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathClaims {
    /// The layout.
    pub form: PathForm,
    /// Which records the adversary cannot rule out.
    pub matching: Matching,
}

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
