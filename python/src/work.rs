//! Runs a verb of the library beside the interpreter: other Python threads go on, Ctrl-C stops it, and progress is told.
//!
//! The verb runs on a thread of its own. The thread that called looks a few times a second whether Python has a signal to handle,
//! since only there it can be, and tells how the work gets on. A first Ctrl-C asks the run to stop and waits until it has cleaned
//! up; a second does not wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use denym::{Error, Listener, Phase};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::exception;

/// How often signals and progress are looked at.
const LOOK: Duration = Duration::from_millis(40);

/// How a run gets on, as the verb's thread says it.
#[derive(Clone, Copy, PartialEq)]
struct Progress {
    phase: &'static str,
    done: u64,
    total: u64,
    best: Option<f64>,
}

/// What the verb's thread and the one that called share.
pub(crate) struct Ears {
    stopped: AtomicBool,
    progress: Mutex<Option<Progress>>,
    /// How long a search that gets better with time may take, and since when it does.
    budget: Duration,
    searching: OnceLock<Instant>,
}

impl Ears {
    fn told(&self) -> Option<Progress> {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: impl FnOnce(Option<Progress>) -> Progress) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        *progress = Some(change(*progress));
    }

    /// Whether the run should go on.
    pub(crate) fn keeps_going(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }
}

impl Listener for Ears {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Searching {
            self.searching.get_or_init(Instant::now);
        }
        self.tell(|_| Progress {
            phase: phase.name(),
            done: 0,
            total: 0,
            best: None,
        });
    }

    fn progress(&self, done: u64, total: u64) {
        self.tell(|before| Progress {
            phase: before.map_or("", |before| before.phase),
            done,
            total,
            best: before.and_then(|before| before.best),
        });
    }

    fn best(&self, best: f64, _bound: Option<f64>) {
        self.tell(|before| Progress {
            phase: before.map_or("", |before| before.phase),
            done: before.map_or(0, |before| before.done),
            total: before.map_or(0, |before| before.total),
            best: Some(best),
        });
    }

    fn keep_going(&self) -> bool {
        self.keeps_going()
    }

    fn in_time(&self) -> bool {
        let since = self.searching.get();
        since.is_none_or(|since| since.elapsed() < self.budget)
    }
}

/// How a verb is run: who is told, and how long a search may take.
pub(crate) struct How<'py> {
    /// Called with the phase, what is done, what there is to do, and the least loss so far.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
    /// How long a search that gets better with time may take; as `auto` does by itself when `None`.
    pub(crate) budget: Option<Duration>,
}

/// Runs `verb` without holding the interpreter.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    how: &How<'_>,
    verb: impl FnOnce(&Ears) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let ears = Arc::new(Ears {
        stopped: AtomicBool::new(false),
        progress: Mutex::new(None),
        budget: how.budget.unwrap_or(denym::USUAL_PATIENCE),
        searching: OnceLock::new(),
    });
    let (send, outcome) = sync_channel(1);
    let shared = Arc::clone(&ears);
    std::thread::Builder::new()
        .name("denym".into())
        .spawn(move || {
            let found = denym::guarded(|| verb(&shared));
            // Nobody listens any more after a second Ctrl-C.
            let _ = send.send(found);
        })?;
    let outcome = Mutex::new(outcome);
    let mut asked = None;
    let mut shown = None;
    loop {
        let next = py.detach(|| {
            let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            outcome.recv_timeout(LOOK)
        });
        match next {
            Ok(found) => {
                return match asked {
                    Some(interrupt) => Err(interrupt),
                    None => found.map_err(|error| exception(py, &error)),
                };
            }
            Err(RecvTimeoutError::Disconnected) => {
                let what = "the work ended without an answer".to_owned();
                return Err(exception(py, &Error::Internal { what }));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = look(py, how, &ears, &mut shown) {
            let insists = asked.is_some() && error.is_instance_of::<PyKeyboardInterrupt>(py);
            ears.stopped.store(true, Ordering::Relaxed);
            if insists {
                return Err(error);
            }
            asked.get_or_insert(error);
        }
    }
}

/// Handles signals, and tells how the work gets on where that changed.
fn look(py: Python<'_>, how: &How<'_>, ears: &Ears, shown: &mut Option<Progress>) -> PyResult<()> {
    py.check_signals()?;
    let told = ears.told();
    if let (Some(progress), Some(now)) = (&how.progress, told)
        && *shown != told
        && ears.keeps_going()
    {
        *shown = told;
        progress.call1((now.phase, now.done, now.total, now.best))?;
    }
    Ok(())
}
