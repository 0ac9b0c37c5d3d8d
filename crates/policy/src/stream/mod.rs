//! A policy for a stream: where events come from and windows go, which windows, what the adversary knows, what must hold.

mod broker;
mod options;
mod read;
mod terms;

use std::fmt;
use std::time::Duration;

use denym_data::Matching;
use denym_data::events::{Address, Columns, EventFormat};

pub use broker::BrokerSpec;
pub use options::{Options, OptionsError};
pub(super) use read::{is_meant, policy};
pub use terms::{Bound, Form, Horizon, Reference, Rule, as_pair};

use crate::{Bounded, Knowledge, Policy, Promised};

/// What only streams need.
#[derive(Debug, Clone)]
pub struct StreamSpec {
    /// Where events come from.
    pub source: StreamSource,
    /// Where windows go.
    pub sink: StreamSink,
    /// Where late events go; to a file of the steward's if none.
    pub late: Option<Address>,
    /// How long nothing may come before what was seen is taken to be all; forever if none.
    pub idle: Option<Duration>,
    /// How long a timestamp lasts; only a replay at a speed needs it.
    pub unit: Option<Duration>,
    /// How to come in at the brokers.
    pub broker: Option<BrokerSpec>,
    /// How events are written.
    pub format: EventFormat,
    /// Which columns say what.
    pub columns: Columns,
    /// Windows, knowledge, promises and the rule of publication.
    pub options: Options,
}

/// Where events come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamSource {
    /// File, directory or glob, as written; `-` is standard input.
    Path(String),
    /// A broker.
    Broker(Address),
}

impl fmt::Display for StreamSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Broker(address) => address.fmt(f),
        }
    }
}

/// Where windows go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamSink {
    /// Files of the output directory.
    Directory,
    /// Standard output, a line each.
    Standard,
    /// A broker.
    Broker(Address),
}

impl fmt::Display for StreamSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory => f.write_str("."),
            Self::Standard => f.write_str("-"),
            Self::Broker(address) => address.fmt(f),
        }
    }
}

impl StreamSpec {
    /// Whether contradictions are judged too.
    pub fn is_consistent(&self) -> bool {
        self.options.matching == Matching::Consistent
    }

    /// The addresses of brokers that it names.
    pub fn addresses(&mut self) -> impl Iterator<Item = &mut Address> {
        let source = match &mut self.source {
            StreamSource::Broker(address) => Some(address),
            StreamSource::Path(_) => None,
        };
        let sink = match &mut self.sink {
            StreamSink::Broker(address) => Some(address),
            StreamSink::Directory | StreamSink::Standard => None,
        };
        source.into_iter().chain(sink).chain(&mut self.late)
    }

    /// What whoever runs the stream or reads its windows must know.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = Vec::new();
        warnings.extend(self.options.warning().map(str::to_owned));
        if self.idle.is_some() {
            let text = "idle: when nothing comes the clock on the wall cuts windows, so the same events may give other windows";
            warnings.push(text.to_owned());
        }
        if self.sink == StreamSink::Standard {
            let text = "standard output: after a crash the last windows may come twice; leave out numbers that were there";
            warnings.push(text.to_owned());
        }
        warnings
    }
}

impl Policy {
    /// What the policy says about a stream, with the bounds and the rule that it has now; `None` for other kinds of data.
    pub fn stream_now(&self) -> Option<StreamSpec> {
        let mut own = self.stream.clone()?;
        let options = &mut own.options;
        if let Knowledge::Doublets(l) = self.adversary {
            options.l = l;
        }
        for Promised { promise, .. } in &self.promises {
            if let Some(k) = promise.size() {
                options.k = k;
            }
            if let Some((Bounded::Values(attribute, values), at_most)) = promise.bounded() {
                let about = |bound: &&mut Bound| {
                    Some(bound.attribute.as_str()) == attribute && values.contains(&bound.value)
                };
                let bounds = options.bounds.iter_mut().filter(about);
                bounds.for_each(|bound| bound.at_most = at_most);
            }
        }
        let rule = self.release.algorithm.name;
        if rule != options.rule.name() {
            options.rule = Rule::named(rule).unwrap_or(options.rule);
        }
        Some(own)
    }
}
