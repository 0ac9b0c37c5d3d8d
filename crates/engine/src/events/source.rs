//! A source of events, whichever it is, read on a thread of its own while the events before are worked on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use super::broker::{Brokers, Patience};
use super::files::FileSource;
use super::line::LineReader;
use super::{Address, Batch, Columns, EventFormat, Position};
use crate::Error;

/// Where events come from.
#[derive(Clone)]
pub enum Origin<'a> {
    /// Files in their order; `-` is standard input.
    Files(Vec<PathBuf>),
    /// A broker, and who speaks to it.
    Broker(Address, &'a dyn Brokers),
}

/// What one look at a source brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// Events.
    More,
    /// Nothing at the moment.
    Idle,
    /// Nothing, and nothing will come.
    End,
}

/// What the reader says.
#[derive(Debug)]
pub enum Next {
    /// Events.
    Batch(Batch),
    /// Nothing came while we waited.
    Idle,
    /// The source has ended.
    End,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// Which columns say what.
    pub columns: Columns,
    /// How events are written.
    pub format: EventFormat,
    /// Whether a broker that has nothing more at the moment is at its end.
    pub until_end: bool,
    /// How to deal with a broker that does not answer.
    pub patience: Patience,
}

/// Batches waiting to be worked on: enough to bridge a slide, few enough to stop soon.
const WAITING: usize = 8;

/// Reads a source on a thread of its own.
#[derive(Debug)]
pub struct Reader {
    batches: Receiver<Result<Option<Batch>, Error>>,
    used: SyncSender<Batch>,
    stop: Arc<AtomicBool>,
}

impl Reader {
    /// Begins to read behind `position`. A broker is connected to before this returns.
    pub fn start(origin: &Origin<'_>, position: &Position, plan: ReadPlan) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, batches) = sync_channel(WAITING);
        let (used, spare) = sync_channel(WAITING + 2);
        let lines = LineReader::new(plan.columns, plan.format);
        let work = Work {
            sender,
            spare,
            stop: Arc::clone(&stop),
            lines,
        };
        let name = std::thread::Builder::new().name("denym-reader".to_owned());
        let started = match origin {
            Origin::Files(files) => {
                let place = position.of(0).map_or(0, |mark| mark.offset);
                let mut source = FileSource::new(files.clone(), plan.format, place);
                name.spawn(move || {
                    work.run(|lines, batch| {
                        let more = source.fill(lines, batch)?;
                        Ok(if more { Filled::More } else { Filled::End })
                    });
                })
            }
            Origin::Broker(address, brokers) => {
                let mut source =
                    brokers.source(address, position, plan.until_end, &plan.patience)?;
                name.spawn(move || work.run(|lines, batch| source.fill(lines, batch)))
            }
        };
        started.map_err(|_| Error::Internal {
            during: "starting threads",
        })?;
        Ok(Self {
            batches,
            used,
            stop,
        })
    }

    /// The next batch; waits at most as long as `wait`.
    pub fn next(&self, wait: Duration) -> Result<Next, Error> {
        match self.batches.recv_timeout(wait) {
            Ok(Ok(Some(batch))) => Ok(Next::Batch(batch)),
            Ok(Ok(None)) => Ok(Next::End),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => Ok(Next::Idle),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Internal {
                during: "reading events",
            }),
        }
    }

    /// Gives a batch back, so that its memory is used again.
    pub fn give_back(&self, batch: Batch) {
        match self.used.try_send(batch) {
            // One too many, or nobody reads any more.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// What the thread works with.
struct Work {
    sender: SyncSender<Result<Option<Batch>, Error>>,
    spare: Receiver<Batch>,
    stop: Arc<AtomicBool>,
    lines: LineReader,
}

impl Work {
    /// Fills batches until the source ends, fails or nobody wants more.
    fn run(mut self, mut fill: impl FnMut(&mut LineReader, &mut Batch) -> Result<Filled, Error>) {
        while !self.stop.load(Ordering::Relaxed) {
            let mut batch = self.spare.try_recv().unwrap_or_default();
            batch.clear();
            let filled = fill(&mut self.lines, &mut batch);
            let ended = !matches!(filled, Ok(Filled::More | Filled::Idle));
            // A reader that has gone away wants nothing more.
            if !batch.is_empty() && self.sender.send(Ok(Some(batch))).is_err() {
                return;
            }
            if ended {
                let _ = self.sender.send(filled.map(|_| None));
                return;
            }
        }
    }
}
