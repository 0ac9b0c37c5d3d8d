//! The audit log as the steward reads it.

use super::error::Error;
use crate::audit::{self, Event};
use denym_purpose::Moment;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

const WHAT: &str = "the audit log";

/// A log that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holds {
    /// Its entries.
    pub entries: u64,
    /// The hash of the last one: note it down, and the end cannot be cut off unseen.
    pub last: String,
    /// Entries after the one whose hash was noted.
    pub since: Option<u64>,
}

/// What of a log is shown.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this user.
    pub user: Option<String>,
    /// Only this purpose.
    pub purpose: Option<String>,
    /// Only accesses to this table.
    pub table: Option<String>,
    /// Only what happened at or after this moment.
    pub since: Option<Moment>,
}

/// One entry.
#[derive(Debug, Clone, Deserialize)]
pub struct Shown {
    /// Its number.
    pub entry: u64,
    /// Its hash.
    pub hash: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Walks the chain of a log. `noted` is a hash that was noted down earlier: an entry must still have it.
pub fn verify(path: &Path, noted: Option<&str>) -> Result<Holds, Error> {
    let open = || File::open(path).map_err(Error::file("read", WHAT, path));
    let (entries, last) = audit::verify(open()?).map_err(|error| Error::Gateway {
        file: path.to_owned(),
        error,
    })?;
    let mut since = None;
    if let Some(noted) = noted {
        let unknown = || Error::HashUnknown {
            path: path.to_owned(),
        };
        let found = lines(path)?
            .into_iter()
            .find(|shown| shown.hash.eq_ignore_ascii_case(noted))
            .ok_or_else(unknown)?;
        since = Some(entries - found.entry);
    }
    Ok(Holds {
        entries,
        last,
        since,
    })
}

/// The entries that pass a filter, in order. Lines that are no entries are left out; [`verify`] finds them.
pub fn show(path: &Path, filter: &Filter) -> Result<Vec<Shown>, Error> {
    let mut shown = lines(path)?;
    shown.retain(|shown| filter.passes(&shown.event));
    Ok(shown)
}

fn lines(path: &Path) -> Result<Vec<Shown>, Error> {
    let failed = Error::file("read", WHAT, path);
    let mut out = Vec::new();
    for line in BufReader::new(File::open(path).map_err(&failed)?).lines() {
        // a line that is no text is no entry
        let line = match line {
            Err(error) if error.kind() != std::io::ErrorKind::InvalidData => {
                return Err(failed(error));
            }
            line => line.unwrap_or_default(),
        };
        out.extend(serde_json::from_str::<Shown>(&line));
    }
    Ok(out)
}

impl Filter {
    fn passes(&self, event: &Event) -> bool {
        let same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let touches = self
            .table
            .as_ref()
            .is_none_or(|t| event.tables.contains_key(t));
        let since = |wanted: Moment| {
            Moment::from_text(&event.at)
                .is_none_or(|at| (at.day, at.minute) >= (wanted.day, wanted.minute))
        };
        same(&self.user, Some(&event.user))
            && same(&self.purpose, event.purpose.as_deref())
            && touches
            && self.since.is_none_or(since)
    }
}
