//! Where numbered lines go: files that are cut back to what a checkpoint knows, or a broker that is asked what it has.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::broker::{Patience, runtime};
use super::kafka::KafkaSink;
use super::nats::NatsSink;
use super::{Address, Protocol};
use crate::Error;

/// What kind of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Published windows.
    Windows,
    /// Certificate lines.
    Certificates,
    /// Events that came too late.
    Late,
}

impl Channel {
    /// Its name in files, subjects and topics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Certificates => "certificates",
            Self::Late => "late",
        }
    }
}

/// A line on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Where it goes.
    pub channel: Channel,
    /// Its number; grows within a channel.
    pub number: u64,
    /// The line, without an end; several with ends between them for late events.
    pub line: String,
}

/// A file of lines, as long as a checkpoint says.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl LineFile {
    /// Opens the file and cuts it back to `length` bytes.
    pub fn open(path: PathBuf, length: u64) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        let opened = options.open(&path).and_then(|file| {
            let there = file.metadata()?.len();
            if there > length {
                file.set_len(length)?;
            }
            Ok((file, there))
        });
        let (file, there) = opened.map_err(|error| Error::writing(&path, &error))?;
        if there < length {
            return Err(Error::Shortened { path });
        }
        Ok(Self { path, file, length })
    }

    /// Bytes that belong to it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds lines and makes sure that they are on the disk.
    pub fn append<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        let mut text = String::new();
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Error::writing(&self.path, &error))?;
        self.length += text.len() as u64;
        Ok(())
    }
}

/// A broker that numbered lines go to.
pub struct BrokerSink {
    runtime: tokio::runtime::Runtime,
    kind: Kind,
}

enum Kind {
    Nats(Box<NatsSink>),
    Kafka(Box<KafkaSink>),
}

impl std::fmt::Debug for BrokerSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrokerSink").finish_non_exhaustive()
    }
}

impl BrokerSink {
    /// Connects, makes what is not there, and looks at what is.
    pub fn open(
        address: &Address,
        channels: &[Channel],
        patience: &Patience,
    ) -> Result<Self, Error> {
        let runtime = runtime()?;
        let kind = match address.protocol {
            Protocol::Nats => Kind::Nats(Box::new(
                runtime.block_on(NatsSink::open(address, channels, patience))?,
            )),
            Protocol::Kafka => Kind::Kafka(Box::new(
                runtime.block_on(KafkaSink::open(address, channels, patience))?,
            )),
        };
        Ok(Self { runtime, kind })
    }

    /// Number of the last line that is there, whole or in part.
    pub fn last(&self, channel: Channel) -> Option<u64> {
        let piece = match &self.kind {
            Kind::Nats(sink) => sink.last(channel),
            Kind::Kafka(sink) => sink.last(channel),
        };
        piece.map(|piece| piece.number)
    }

    /// Stores every line that is not there yet; all are there when it returns.
    pub fn publish(&mut self, lines: &[Outgoing]) -> Result<(), Error> {
        match &mut self.kind {
            Kind::Nats(sink) => self.runtime.block_on(sink.publish(lines)),
            Kind::Kafka(sink) => self.runtime.block_on(sink.publish(lines)),
        }
    }
}
