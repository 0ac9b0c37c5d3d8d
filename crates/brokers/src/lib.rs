//! NATS JetStream and the Kafka protocol as sources of events and places for numbered lines.
//!
//! [`Connect`] is what a stream is given: it opens either by the protocol of the address, on a runtime of its own.
#![forbid(unsafe_code)]

mod encryption;
mod kafka;
mod nats;
mod patience;
mod pieces;

use std::time::Duration;

use denym_engine::Error;
use denym_engine::events::{
    Address, Batch, Brokers, Channel, EventSource, Filled, LineReader, LineSink, Outgoing,
    Patience, Position, Protocol,
};
use tokio::runtime::Runtime;

use crate::kafka::{KafkaSink, KafkaSource};
use crate::nats::{NatsSink, NatsSource};
use crate::patience::runtime;

/// How long a broker is asked for its next message at a time.
const WAIT: Duration = Duration::from_millis(200);

/// Connects to brokers by their address.
#[derive(Debug, Clone, Copy, Default)]
pub struct Connect;

impl Brokers for Connect {
    fn source(
        &self,
        address: &Address,
        position: &Position,
        until_end: bool,
        patience: &Patience,
    ) -> Result<Box<dyn EventSource>, Error> {
        let runtime = runtime()?;
        let open = match address.protocol {
            Protocol::Nats => {
                let open = NatsSource::open(address, position, patience);
                Open::Nats(Box::new(runtime.block_on(open)?))
            }
            Protocol::Kafka => {
                let open = KafkaSource::open(address, position, patience);
                Open::Kafka(Box::new(runtime.block_on(open)?))
            }
        };
        Ok(Box::new(Source {
            runtime: Some(runtime),
            open,
            until_end,
        }))
    }

    fn sink(
        &self,
        address: &Address,
        channels: &[Channel],
        patience: &Patience,
    ) -> Result<Box<dyn LineSink>, Error> {
        let runtime = runtime()?;
        Ok(match address.protocol {
            Protocol::Nats => {
                let sink = runtime.block_on(NatsSink::open(address, channels, patience))?;
                Box::new(Sink { runtime, sink })
            }
            Protocol::Kafka => {
                let sink = runtime.block_on(KafkaSink::open(address, channels, patience))?;
                Box::new(Sink { runtime, sink })
            }
        })
    }
}

enum Open {
    Nats(Box<NatsSource>),
    Kafka(Box<KafkaSource>),
}

/// A source with the runtime its connections live on.
struct Source {
    /// Taken when it ends.
    runtime: Option<Runtime>,
    open: Open,
    until_end: bool,
}

impl EventSource for Source {
    fn fill(&mut self, lines: &mut LineReader, batch: &mut Batch) -> Result<Filled, Error> {
        let Some(runtime) = &self.runtime else {
            return Ok(Filled::End);
        };
        match &mut self.open {
            Open::Nats(source) => runtime.block_on(source.fill(lines, batch, WAIT, self.until_end)),
            Open::Kafka(source) => {
                runtime.block_on(source.fill(lines, batch, WAIT, self.until_end))
            }
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A sink with the runtime its connections live on.
struct Sink<S> {
    runtime: Runtime,
    sink: S,
}

impl LineSink for Sink<NatsSink> {
    fn last(&self, channel: Channel) -> Option<u64> {
        self.sink.last(channel).map(|piece| piece.number)
    }

    fn publish(&mut self, lines: &[Outgoing]) -> Result<(), Error> {
        self.runtime.block_on(self.sink.publish(lines))
    }
}

impl LineSink for Sink<KafkaSink> {
    fn last(&self, channel: Channel) -> Option<u64> {
        self.sink.last(channel).map(|piece| piece.number)
    }

    fn publish(&mut self, lines: &[Outgoing]) -> Result<(), Error> {
        self.runtime.block_on(self.sink.publish(lines))
    }
}
