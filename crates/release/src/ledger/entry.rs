//! One entry of a ledger: what was published, or what was spent.

use denym_policy::{Knowledge, PromiseSpec};
use serde::{Deserialize, Serialize};

use super::spent::Charge;

/// The version of the form of entries.
pub const FORM: u32 = 1;

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The version of this form.
    pub form: u32,
    /// Its number, from 1.
    pub number: u64,
    /// The hash of the entry before; of the first, 64 zeros.
    pub before: String,
    /// The version of denym that wrote it.
    pub denym: String,
    /// What it is about.
    #[serde(flatten)]
    pub what: What,
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum What {
    /// A release that was published.
    Release(Box<Published>),
    /// An answer that spent privacy.
    Answer(Charge),
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The name of the data set, as its policy has it.
    pub data: String,
    /// `tables`, `paths` and so on.
    pub of: String,
    /// The column that says whose a record is.
    pub subject: String,
    /// Where the bundle is, as seen from the ledger.
    pub bundle: String,
    /// SHA-256 of its certificate.
    pub certificate: String,
    /// The files of the public half with their SHA-256.
    pub files: Vec<(String, String)>,
    /// Every published column, in the order of the files.
    pub columns: Vec<String>,
    /// The quasi-identifiers among them.
    pub quasi_identifiers: Vec<String>,
    /// What the adversary was taken to know.
    pub knows: Knowledge,
    /// What was promised.
    pub promises: Vec<PromiseSpec>,
    /// Records of the release.
    pub records: u64,
    /// Records of the source that it does not have.
    pub suppressed_records: u64,
    /// People in it.
    pub people: u64,
    /// People who are in it and were in the release before.
    pub stayed: u64,
    /// The fewest people whom nobody can tell apart, over this and all earlier releases.
    pub smallest_block: u64,
    /// The level of each quasi-identifier, where one holds for the whole column.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub levels: Option<Vec<usize>>,
    /// SHA-256 of the list of its members, which lies beside the ledger.
    pub members: String,
    /// What the key of tokens makes of a fixed text: another key is noticed.
    pub key_check: String,
    /// What was spent; syntactic promises have no epsilon, and nothing stands here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spent: Option<Charge>,
}

impl Entry {
    /// The release that it is about.
    pub fn release(&self) -> Option<&Published> {
        match &self.what {
            What::Release(published) => Some(published),
            What::Answer(_) => None,
        }
    }

    /// What it spent.
    pub fn charge(&self) -> Option<&Charge> {
        match &self.what {
            What::Release(published) => published.spent.as_ref(),
            What::Answer(charge) => Some(charge),
        }
    }
}
