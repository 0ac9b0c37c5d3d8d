//! Failed logins in the audit log: the first of each kind at once, the rest counted, so that whoever has no login cannot fill the disk.
//!
//! # Guarantee
//! In one minute at most [`KINDS`] names and networks are told apart, each in two entries of bounded size; the others are counted together.

use super::{AuditLog, Event};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long failures are counted together.
const WINDOW: Duration = Duration::from_mins(1);
/// Names with networks told apart in one window.
const KINDS: usize = 32;
/// Bytes of a name: two long ones that begin alike are one.
const NAME: usize = 64;

/// Failed logins of the last minute.
#[derive(Debug, Default)]
pub(crate) struct FailedLogins {
    state: Mutex<Option<Window>>,
}

#[derive(Debug)]
struct Window {
    began: Instant,
    /// By name, network and reason: how often after the first time.
    kinds: BTreeMap<(String, String, &'static str), u64>,
    others: u64,
}

impl FailedLogins {
    /// Records one. A log that cannot be written loses counts of failures, and lets nobody in.
    pub(crate) fn record(
        &self,
        log: &AuditLog,
        (at, now): (&str, Instant),
        user: &str,
        address: &str,
        reason: &'static str,
    ) {
        self.flush(log, at, Some(now));
        let user = &user[..user.floor_char_boundary(NAME)];
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let window = state.get_or_insert_with(|| Window {
            began: now,
            kinds: BTreeMap::new(),
            others: 0,
        });
        let kind = (user.to_owned(), address.to_owned(), reason);
        if let Some(more) = window.kinds.get_mut(&kind) {
            *more += 1;
        } else if window.kinds.len() < KINDS {
            let _ = log.append(event(at, &kind, None));
            window.kinds.insert(kind, 0);
        } else {
            window.others += 1;
        }
    }

    /// Writes the counts of a window that is over; of any when no moment is given.
    pub(crate) fn flush(&self, log: &AuditLog, at: &str, now: Option<Instant>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = state.as_ref().is_some_and(|window| {
            now.is_none_or(|now| now.saturating_duration_since(window.began) >= WINDOW)
        });
        let Some(window) = state.take_if(|_| is_over) else {
            return;
        };
        for (kind, more) in window.kinds.iter().filter(|(_, more)| **more > 0) {
            let _ = log.append(event(at, kind, Some(*more)));
        }
        if window.others > 0 {
            let others = (String::new(), String::new(), "others");
            let _ = log.append(event(at, &others, Some(window.others)));
        }
    }
}

fn event(at: &str, kind: &(String, String, &'static str), count: Option<u64>) -> Event {
    Event {
        event: "login-failed".into(),
        at: at.to_owned(),
        user: kind.0.clone(),
        address: (!kind.1.is_empty()).then(|| kind.1.clone()),
        count,
        decision: kind.2.into(),
        ..Event::default()
    }
}
