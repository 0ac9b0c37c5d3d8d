//! The log while it is written: entries queue up, one thread writes and syncs all that wait, and whoever asked is told.
//!
//! # Idea
//! [`AuditLog::append`] gives an entry its number and hash and puts it in a queue; it does not touch the disk. A thread takes all that
//! is there, writes it in one piece and syncs it, so that a hundred sessions share one sync (group commit). Nothing of an answer may leave before
//! [`Ticket::written`] says that its entry is on the disk.
//!
//! # Guarantee
//! On the disk there are whole entries only: a write that fails is taken back to the end of the last synced entry, and tried again until
//! it succeeds. Meanwhile no entry is accepted, so nothing is answered; once there is room the log goes on where it stopped, its chain unbroken.
//! One process writes a log at a time. It is its owner's alone.

use super::Recovered;
use super::entry::{Entry, Event, START, hash};
use super::open::{Opened, open};
use crate::error::Error;
use std::fs::File;
use std::io::{ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// How long after a failed write the next is tried.
const RETRY: Duration = Duration::from_millis(250);
/// Bytes in the queue beyond which a session waits for its entry: statements sent in one heap must not fill the memory.
const BACKLOG: usize = 4 << 20;

/// A log that is being written. When it is dropped, what is in the queue is written first.
#[derive(Debug)]
pub struct AuditLog {
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    recovered: Option<Recovered>,
}

#[derive(Debug)]
struct Queue {
    state: Mutex<State>,
    /// There is something to do for the writer.
    work: Condvar,
    progress: watch::Sender<Progress>,
}

#[derive(Debug)]
struct State {
    /// The number and the hash of the last entry.
    entry: u64,
    previous: String,
    /// Entries that nobody took yet; `None` for a log that is not kept.
    pending: Option<Vec<u8>>,
    /// Why the last write failed.
    failing: Option<ErrorKind>,
    closing: bool,
}

/// How far the writer is.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// The last entry on the disk.
    written: u64,
    failing: Option<ErrorKind>,
}

/// An entry that was accepted, to ask whether it is on the disk.
#[derive(Debug, Clone)]
pub struct Ticket {
    entry: u64,
    progress: watch::Receiver<Progress>,
    /// Whether the queue is so long that it is better to wait.
    pub(crate) is_behind: bool,
}

impl Ticket {
    /// Waits until the entry is on the disk; an error when it cannot be written.
    pub async fn written(&self) -> Result<(), Error> {
        let mut progress = self.progress.clone();
        let reached = progress
            .wait_for(|now| now.written >= self.entry || now.failing.is_some())
            .await
            .map(|now| *now);
        match reached {
            Ok(now) if now.written >= self.entry => Ok(()),
            Ok(now) => Err(failing(now.failing.unwrap_or(ErrorKind::Other))),
            // the writer is gone
            Err(_) => Err(failing(ErrorKind::Other)),
        }
    }
}

fn failing(kind: ErrorKind) -> Error {
    Error::AuditFailing { kind }
}

impl AuditLog {
    /// Opens a log to append to; what is there must hold.
    ///
    /// Half an entry at its end, as a power cut leaves it, is moved to a file beside the log ([`recovered`](Self::recovered)) and the log goes
    /// on: its statement got no answer, since an answer waits for its entry. Anything else that does not hold is refused.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let Opened {
            file,
            entries,
            last,
            length,
            recovered,
        } = open(path)?;
        let mut log = Self::with(entries, last, Some(Vec::new()));
        let queue = log.queue.clone();
        let writer = std::thread::Builder::new()
            .name("audit log".into())
            .spawn(move || write_out(&queue, file, length))
            .map_err(Error::file("the audit log"))?;
        log.writer = Some(writer);
        log.recovered = recovered;
        Ok(log)
    }

    /// A log that keeps only its chain; for trying out.
    pub fn discard() -> Self {
        Self::with(0, START.to_owned(), None)
    }

    fn with(entry: u64, previous: String, pending: Option<Vec<u8>>) -> Self {
        let progress = Progress {
            // nobody waits for a log that is not kept
            written: if pending.is_some() { entry } else { u64::MAX },
            failing: None,
        };
        Self {
            queue: Arc::new(Queue {
                state: Mutex::new(State {
                    entry,
                    previous,
                    pending,
                    failing: None,
                    closing: false,
                }),
                work: Condvar::new(),
                progress: watch::Sender::new(progress),
            }),
            writer: None,
            recovered: None,
        }
    }

    /// What was found at the end of the log when it was opened, and moved aside.
    pub fn recovered(&self) -> Option<&Recovered> {
        self.recovered.as_ref()
    }

    /// Appends an event. It is in the queue then; [`Ticket::written`] tells when it is on the disk. While the disk takes nothing, this fails at once.
    pub fn append(&self, event: Event) -> Result<Ticket, Error> {
        let event = event.bounded();
        let mut state = self.queue.lock();
        if let Some(kind) = state.failing {
            return Err(failing(kind));
        }
        let number = state.entry + 1;
        let hash = hash(number, &state.previous, &event);
        let line = Entry {
            number,
            previous: std::mem::take(&mut state.previous),
            event,
            hash: hash.clone(),
        };
        let text = serde_json::to_vec(&line);
        state.previous = line.previous;
        let text = text.map_err(|_| failing(ErrorKind::InvalidData))?;
        let mut is_behind = false;
        if let Some(pending) = &mut state.pending {
            pending.extend_from_slice(&text);
            pending.push(b'\n');
            is_behind = pending.len() > BACKLOG;
        }
        state.entry = number;
        state.previous = hash;
        drop(state);
        self.queue.work.notify_one();
        Ok(Ticket {
            entry: number,
            progress: self.queue.progress.subscribe(),
            is_behind,
        })
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.queue.lock().closing = true;
        self.queue.work.notify_one();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // every change of the state is whole before anything can panic
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is in the queue, waiting for it; after a failure only for a while. The last entry among it, and whether the log is closed.
    fn take(&self, held: &mut Vec<u8>) -> (u64, bool) {
        let mut state = self.lock();
        loop {
            let waits = state.pending.as_ref().is_some_and(Vec::is_empty);
            if state.closing || !waits {
                break;
            }
            if held.is_empty() {
                state = self
                    .work
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            } else {
                // nothing is accepted meanwhile, so nothing else can wake us but the end
                let (woken, _) = self
                    .work
                    .wait_timeout(state, RETRY)
                    .unwrap_or_else(PoisonError::into_inner);
                state = woken;
                break;
            }
        }
        if let Some(pending) = &mut state.pending {
            held.append(pending);
        }
        (state.entry, state.closing)
    }

    fn report(&self, written: Option<u64>, failing: Option<ErrorKind>) {
        let mut state = self.lock();
        state.failing = failing;
        self.progress.send_modify(|progress| {
            progress.failing = failing;
            progress.written = written.unwrap_or(progress.written);
        });
    }
}

/// The writer: ends when the log is closed and all is written, or nothing can be.
fn write_out(queue: &Queue, mut file: File, mut length: u64) {
    // what the disk does not have yet
    let mut held = Vec::new();
    loop {
        let (last, closing) = queue.take(&mut held);
        if held.is_empty() {
            if closing {
                return;
            }
            continue;
        }
        match write(&mut file, length, &held) {
            Ok(()) => {
                length += held.len() as u64;
                held.clear();
                // one heap must not keep its room for ever
                held.shrink_to(BACKLOG);
                queue.report(Some(last), None);
            }
            Err(error) => {
                queue.report(None, Some(error.kind()));
                if closing {
                    return;
                }
            }
        }
    }
}

fn write(file: &mut File, at: u64, bytes: &[u8]) -> std::io::Result<()> {
    let written = file
        .seek(SeekFrom::Start(at))
        .and_then(|_| file.write_all(bytes))
        .and_then(|()| file.sync_data());
    if written.is_err() {
        // no half line stays; should this fail too, the next write covers it
        let _ = file.set_len(at);
    }
    written
}
