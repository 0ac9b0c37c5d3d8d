//! One entry of the audit log: what happened, within bounds, and the hash that binds it to the one before.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes kept of a statement. The longest that is let in has 4,000 words; most of those fit.
const LONGEST_TEXT: usize = 16 << 10;
/// Bytes kept of a name: PostgreSQL's have 63.
const LONGEST_NAME: usize = 128;
/// Bytes kept of all parameters of a statement.
const LONGEST_PARAMETERS: usize = 4 << 10;
/// Parameters kept.
const MOST_PARAMETERS: usize = 100;

/// A text that was too long to be kept whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Its length.
    pub bytes: u64,
    /// Its hash, so that a text that turns up elsewhere can be told to be this one.
    pub sha256: String,
}

impl Cut {
    /// Of a whole text.
    pub(super) fn of(text: &[u8]) -> Self {
        Self {
            bytes: text.len() as u64,
            sha256: hex(&Sha256::digest(text)),
        }
    }
}

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// `login`, `login-failed`, `session-ended`, `statement`, `purpose`, `access`, `served`, `refused`, `recovered`.
    pub event: String,
    /// The gateway's clock in UTC, `2026-03-02 09:30`.
    pub at: String,
    /// Who.
    pub user: String,
    /// From which network, for logins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Active grants by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// The purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The statement as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The whole statement, where only its beginning is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_cut: Option<Cut>,
    /// Values of its parameters: texts, or bytes as `\\x` and hexadecimal digits; `null` for NULL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Option<String>>,
    /// All of the parameters, where they are not all kept whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_cut: Option<Cut>,
    /// The same with the session's views written out; only where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<String>,
    /// The whole of that, where only its beginning is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded_cut: Option<Cut>,
    /// Tables and the columns used of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, Vec<String>>,
    /// Rows returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// How many more times the same happened within a minute, for failed logins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// `allowed`, or the code of the refusal.
    pub decision: String,
    /// What must follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obligations: Vec<String>,
}

/// A line of the log.
#[derive(Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(rename = "entry")]
    pub(super) number: u64,
    pub(super) previous: String,
    #[serde(flatten)]
    pub(super) event: Event,
    pub(super) hash: String,
}

impl Event {
    /// The same within the bounds of an entry.
    pub(super) fn bounded(mut self) -> Self {
        let cut = |text: &mut Option<String>| {
            let whole = text.as_ref().filter(|text| text.len() > LONGEST_TEXT)?;
            let cut = Cut::of(whole.as_bytes());
            *text = Some(beginning(whole, LONGEST_TEXT).to_owned());
            Some(cut)
        };
        self.statement_cut = self.statement_cut.or(cut(&mut self.statement));
        self.expanded_cut = self.expanded_cut.or(cut(&mut self.expanded));
        self.bound_parameters();
        for name in [&mut self.user, &mut self.decision]
            .into_iter()
            .chain(self.purpose.as_mut())
        {
            if name.len() > LONGEST_NAME {
                *name = format!("{}..", beginning(name, LONGEST_NAME));
            }
        }
        self
    }

    fn bound_parameters(&mut self) {
        let size = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let whole: usize = self.parameters.iter().map(size).sum();
        if whole <= LONGEST_PARAMETERS && self.parameters.len() <= MOST_PARAMETERS {
            return;
        }
        // lengths between them, so that no two lists have the same bytes
        let mut bytes = Vec::with_capacity(whole + 9 * self.parameters.len());
        for text in &self.parameters {
            bytes.push(u8::from(text.is_some()));
            bytes.extend((size(text) as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
        }
        self.parameters_cut = Some(Cut::of(&bytes));
        self.parameters.truncate(MOST_PARAMETERS);
        let each = LONGEST_PARAMETERS / self.parameters.len().max(1);
        for text in self.parameters.iter_mut().flatten() {
            *text = beginning(text, each).to_owned();
        }
    }
}

/// At most so many bytes of a text, whole characters.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The hash before the first entry.
pub(super) const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

pub(super) fn hash(entry: u64, previous: &str, event: &Event) -> String {
    let mut hasher = Sha256::new();
    hasher.update(entry.to_le_bytes());
    hasher.update(previous.as_bytes());
    // an event always serializes: it has only texts, numbers and lists
    hasher.update(serde_json::to_vec(event).unwrap_or_default());
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
