//! The audit log: append-only JSON lines, each bound to the one before by a hash. It holds statements and counts, never result values.
//!
//! # Idea
//! Every entry carries the hash of the previous one and its own hash over everything else in it. Whoever changes, removes or
//! reorders an entry breaks the chain from there on. Cutting off the end is only seen by whoever kept a later hash, so
//! [`verify`] returns the last one for safekeeping.
//!
//! # Guarantee
//! Every statement is entered before it is read, and every access before its rows leave, on the disk itself; while nothing can be written,
//! nothing is answered. An entry has a bounded size: of a long text the beginning, the length and the hash. See [`AuditLog`].

mod entry;
#[cfg(feature = "server")]
mod failed;
#[cfg(feature = "server")]
mod log;
#[cfg(feature = "server")]
mod open;

pub use entry::{Cut, Event};
#[cfg(feature = "server")]
pub(crate) use failed::FailedLogins;
#[cfg(feature = "server")]
pub use log::{AuditLog, Ticket};
#[cfg(feature = "server")]
pub use open::Recovered;

use crate::error::Error;
use entry::{Entry, START, hash};
use std::io::{BufRead, BufReader, Read};

/// Checks a log; the number of entries and the last hash.
pub fn verify(log: impl Read) -> Result<(u64, String), Error> {
    let walked = walk(log)?;
    match walked.end {
        End::Whole | End::NoNewline => Ok((walked.entries, walked.last)),
        End::Half | End::Broken => Err(Error::AuditBroken {
            entry: usize::try_from(walked.entries).unwrap_or(usize::MAX) + 1,
        }),
    }
}

/// A log as far as it holds.
struct Walk {
    entries: u64,
    /// The last hash.
    last: String,
    /// Bytes up to the end of the last entry that holds.
    bytes: u64,
    end: End,
}

/// What follows the last entry that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing.
    Whole,
    /// Nothing, but the last entry's own end of line is missing.
    NoNewline,
    /// What a power cut leaves: the beginning of the next entry and no more, or blocks that were never written.
    Half,
    /// Something else: the log was changed.
    Broken,
}

/// Follows the chain to its end.
fn walk(log: impl Read) -> Result<Walk, Error> {
    let mut reader = BufReader::new(log);
    let mut walked = Walk {
        entries: 0,
        last: START.to_owned(),
        bytes: 0,
        end: End::Whole,
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let size = reader
            .read_until(b'\n', &mut line)
            .map_err(Error::file("the audit log"))?;
        if size == 0 {
            return Ok(walked);
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let number = walked.entries + 1;
        match read(text, number, &walked.last) {
            Some(hash) => {
                walked.last = hash;
                walked.entries = number;
                walked.bytes += size as u64;
                if text.len() == line.len() {
                    walked.end = End::NoNewline;
                    return Ok(walked);
                }
            }
            None => {
                walked.end = if is_half(&line, number, &walked.last) {
                    End::Half
                } else {
                    End::Broken
                };
                return Ok(walked);
            }
        }
    }
}

/// The hash of an entry that follows from the one before.
fn read(text: &[u8], number: u64, previous: &str) -> Option<String> {
    let entry: Entry = serde_json::from_slice(text).ok()?;
    // an unknown or doubled field would not be under the hash: the line must be exactly what we write
    let same = serde_json::to_vec(&entry).is_ok_and(|again| again == text);
    let holds = same
        && entry.number == number
        && entry.previous == previous
        && entry.hash == hash(number, previous, &entry.event);
    holds.then_some(entry.hash)
}

/// Whether a line is the beginning of the next entry, up to the end of the file or to bytes that were never written.
fn is_half(line: &[u8], number: u64, previous: &str) -> bool {
    let written = line
        .iter()
        .position(|byte| matches!(byte, 0 | b'\n'))
        .unwrap_or(line.len());
    let beginning = format!("{{\"entry\":{number},\"previous\":\"{previous}\"");
    let common = written.min(beginning.len());
    line.get(written) != Some(&b'\n') && line[..common] == beginning.as_bytes()[..common]
}

#[cfg(all(test, feature = "server"))]
mod tests;
