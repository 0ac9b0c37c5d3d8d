//! How released paths and transactions are laid out in their file.

use denym_data::sequences::Form;
use denym_policy::paths::Matching;
use serde::{Deserialize, Serialize};

use super::{Certificate, ColumnRole};

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

impl Certificate {
    /// How released sequences are laid out, and which records an adversary cannot rule out; `None` where there are none, or two kinds at once.
    pub fn sequences(&self) -> Option<(Form, Matching)> {
        match (&self.paths, &self.transactions) {
            (Some(claims), None) => Some((
                match claims.form.clone() {
                    PathForm::Long {
                        subject,
                        location,
                        time,
                    } => Form::Long {
                        subject,
                        location,
                        time: Some(time),
                    },
                    PathForm::Wide { path } => Form::Wide {
                        cell: path,
                        separator: None,
                    },
                },
                claims.matching,
            )),
            (None, Some(form)) => Some((
                match form.clone() {
                    TransactionForm::Long { subject, item } => Form::Long {
                        subject,
                        location: item,
                        time: None,
                    },
                    TransactionForm::Wide { items, separator } => Form::Wide {
                        cell: items,
                        separator: Some(separator),
                    },
                },
                Matching::Covers,
            )),
            _ => None,
        }
    }
}

/// What a certificate says about sequences laid out like this: about paths, or about transactions.
pub fn laid_out(form: &Form, matching: Matching) -> (Option<PathClaims>, Option<TransactionForm>) {
    let paths = |form| (Some(PathClaims { form, matching }), None);
    match form.clone() {
        Form::Long {
            subject,
            location,
            time: Some(time),
        } => paths(PathForm::Long {
            subject,
            location,
            time,
        }),
        Form::Long {
            subject,
            location: item,
            time: None,
        } => (None, Some(TransactionForm::Long { subject, item })),
        Form::Wide {
            cell: path,
            separator: None,
        } => paths(PathForm::Wide { path }),
        Form::Wide {
            cell: items,
            separator: Some(separator),
        } => (None, Some(TransactionForm::Wide { items, separator })),
    }
}

/// The columns of sequences laid out like this, with the part each plays.
pub fn parts(form: &Form) -> Vec<(&str, ColumnRole)> {
    match form {
        Form::Wide { cell, separator } => vec![match separator {
            None => (cell, ColumnRole::Path),
            Some(_) => (cell, ColumnRole::Item),
        }],
        Form::Long {
            subject,
            location,
            time: Some(time),
        } => vec![
            (subject, ColumnRole::SubjectNumber),
            (location, ColumnRole::Place),
            (time, ColumnRole::Time),
        ],
        Form::Long {
            subject,
            location,
            time: None,
        } => vec![
            (subject, ColumnRole::SubjectNumber),
            (location, ColumnRole::Item),
        ],
    }
}
