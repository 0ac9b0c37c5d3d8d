//! What a broker is to a stream: a source of events, a place for numbered lines. The crate `denym-brokers` speaks to real ones.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::line::LineReader;
use super::sink::{Channel, Outgoing};
use super::source::Filled;
use super::{Address, Batch, Position};
use crate::Error;

/// How to deal with a broker.
#[derive(Debug, Clone)]
pub struct Patience {
    /// How long to go on trying when it does not answer.
    pub outage: Duration,
    /// Set by whoever wants everything to stop.
    pub stop: Arc<AtomicBool>,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            outage: Duration::from_mins(1),
            stop: Arc::default(),
        }
    }
}

/// Fills batches with events, from the place on where it was opened.
pub trait EventSource: Send {
    /// Adds events to the batch; waits a little when there are none.
    fn fill(&mut self, lines: &mut LineReader, batch: &mut Batch) -> Result<Filled, Error>;
}

/// Stores numbered lines, each once.
pub trait LineSink: Send {
    /// Number of the last line that is there, whole or in part.
    fn last(&self, channel: Channel) -> Option<u64>;

    /// Stores every line that is not there yet; all are there when it returns.
    fn publish(&mut self, lines: &[Outgoing]) -> Result<(), Error>;
}

/// Connects to brokers.
pub trait Brokers: Sync {
    /// Events of a broker behind `position`; with `until_end`, what is there now is all there is.
    fn source(
        &self,
        address: &Address,
        position: &Position,
        until_end: bool,
        patience: &Patience,
    ) -> Result<Box<dyn EventSource>, Error>;

    /// A place for the lines of `channels`: makes what is not there, and looks at what is.
    fn sink(
        &self,
        address: &Address,
        channels: &[Channel],
        patience: &Patience,
    ) -> Result<Box<dyn LineSink>, Error>;
}
