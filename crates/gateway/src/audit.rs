//! The audit log: append-only JSON lines, each bound to the one before by a hash. It holds statements and counts, never result values.
//!
//! # Idea
//! Every entry carries the hash of the previous one and its own hash over everything else in it. Whoever changes, removes or
//! reorders an entry breaks the chain from there on. Cutting off the end is only seen by whoever kept a later hash, so
//! [`verify`] returns the last one for safekeeping.
//!
//! # Guarantee
//! An access is written before its rows leave; if it cannot be written, the query fails.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Mutex;

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// `login`, `login-failed`, `purpose`, `access`, `served`, `refused`.
    pub event: String,
    /// The gateway's clock in UTC, `2026-03-02 09:30`.
    pub at: String,
    /// Who.
    pub user: String,
    /// Active grants by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// The purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The statement as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The same with the session's views written out; only where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<String>,
    /// Tables and the columns used of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, Vec<String>>,
    /// Rows returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// `allowed`, or the code of the refusal.
    pub decision: String,
    /// What must follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obligations: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(rename = "entry")]
    number: u64,
    previous: String,
    #[serde(flatten)]
    event: Event,
    hash: String,
}

/// The hash before the first entry.
const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A log that is being written.
#[derive(Debug)]
pub struct AuditLog {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Option<File>,
    entry: u64,
    previous: String,
}

impl AuditLog {
    /// Opens a log to append to; what is there must hold.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (entry, previous) = match File::open(path) {
            Ok(file) => verify(file)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (0, START.to_owned()),
            Err(error) => return Err(Error::file("the audit log")(error)),
        };
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(Error::file("the audit log"))?;
        Ok(Self {
            state: Mutex::new(State {
                file: Some(file),
                entry,
                previous,
            }),
        })
    }

    /// A log that keeps only its chain; for trying out.
    pub fn discard() -> Self {
        Self {
            state: Mutex::new(State {
                file: None,
                entry: 0,
                previous: START.to_owned(),
            }),
        }
    }

    /// Appends an event.
    pub fn append(&self, event: Event) -> Result<(), Error> {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let entry = state.entry + 1;
        let hash = hash(entry, &state.previous, &event);
        let line = Entry {
            number: entry,
            previous: state.previous.clone(),
            event,
            hash: hash.clone(),
        };
        let mut text = serde_json::to_string(&line).map_err(|_| Error::File {
            what: "the audit log",
            kind: std::io::ErrorKind::InvalidData,
        })?;
        text.push('\n');
        if let Some(file) = &mut state.file {
            // one write call per entry, so that entries of a crash are whole or absent
            file.write_all(text.as_bytes())
                .map_err(Error::file("the audit log"))?;
        }
        state.entry = entry;
        state.previous = hash;
        Ok(())
    }
}

/// Checks a log; the number of entries and the last hash.
pub fn verify(log: impl Read) -> Result<(u64, String), Error> {
    let mut previous = START.to_owned();
    let mut count = 0;
    for (place, line) in BufReader::new(log).lines().enumerate() {
        let broken = || Error::AuditBroken { entry: place + 1 };
        let line = line.map_err(|_| broken())?;
        let entry: Entry = serde_json::from_str(&line).map_err(|_| broken())?;
        // an unknown or doubled field would not be under the hash: the line must be exactly what we write
        let same = serde_json::to_string(&entry).is_ok_and(|again| again == line);
        count += 1;
        if !same
            || entry.number != count
            || entry.previous != previous
            || entry.hash != hash(count, &previous, &entry.event)
        {
            return Err(broken());
        }
        previous = entry.hash;
    }
    Ok((count, previous))
}

fn hash(entry: u64, previous: &str, event: &Event) -> String {
    let mut hasher = Sha256::new();
    hasher.update(entry.to_le_bytes());
    hasher.update(previous.as_bytes());
    // an event always serializes: it has only texts, numbers and lists
    hasher.update(serde_json::to_vec(event).unwrap_or_default());
    let mut out = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(rows: u64) -> Event {
        Event {
            event: "served".into(),
            at: "2026-03-02 09:30".into(),
            user: "anna".into(),
            rows: Some(rows),
            statement: Some("SELECT 1".into()),
            decision: "allowed".into(),
            ..Event::default()
        }
    }

    fn written() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        for round in 0..2 {
            let log = AuditLog::open(&path).expect("opens");
            for row in 0..3 {
                log.append(event(round * 3 + row)).expect("appends");
            }
        }
        let text = std::fs::read_to_string(&path).expect("reads");
        (folder, text)
    }

    #[test]
    fn the_chain_holds_across_openings() {
        let (_folder, text) = written();
        let (count, last) = verify(text.as_bytes()).expect("holds");
        assert_eq!(count, 6);
        assert!(text.trim_end().ends_with(&format!("\"hash\":\"{last}\"}}")));
    }

    #[test]
    fn every_change_breaks_the_chain() {
        let (folder, text) = written();
        let lines: Vec<&str> = text.lines().collect();
        let broken = |lines: &[&str]| match verify(lines.join("\n").as_bytes()) {
            Err(Error::AuditBroken { entry }) => Some(entry),
            _ => None,
        };
        let changed = lines[2].replace("\"rows\":2", "\"rows\":3");
        assert_eq!(broken(&[lines[0], lines[1], &changed, lines[3]]), Some(3));
        assert_eq!(broken(&[lines[0], lines[2]]), Some(2));
        assert_eq!(broken(&[lines[1], lines[0]]), Some(1));
        let added = lines[0].replace("{\"entry\"", "{\"note\":\"x\",\"entry\"");
        assert_eq!(broken(&[&added]), Some(1));
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, changed).expect("writes");
        assert!(
            AuditLog::open(&path).is_err(),
            "a broken log is not continued"
        );
    }
}
