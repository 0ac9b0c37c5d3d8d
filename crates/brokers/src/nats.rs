//! NATS JetStream: events read from a stream by sequence number, windows written each under its number.
//!
//! A reader keeps its own place and acknowledges nothing: the checkpoint says where to go on. The consumer is one that the server
//! forgets by itself; when a message is missing or the connection was lost it is made anew behind the last message
//! that was taken. A writer sends a message only once the one before it is stored, under an id that the server
//! knows again, and asks for the last message that is there before it goes on after a fault.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::ConnectErrorKind;
use async_nats::header::{HeaderMap, NATS_MESSAGE_ID};
use async_nats::jetstream::consumer::pull::{self, MessagesErrorKind};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, ReplayPolicy};
use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::stream::{ConsumerErrorKind, LastRawMessageErrorKind, StorageType};
use async_nats::jetstream::{self, ErrorCode};
use futures::{FutureExt, StreamExt};

use denym_engine::events::{
    Address, Batch, Channel, Filled, Lag, LineReader, Mark, Outgoing, Patience, Position,
};
use denym_engine::{BrokerMistake, Error};

use crate::encryption::{encryption, no_trust};
use crate::patience::{Failure, broker, keep_trying};
use crate::pieces::{HEADER, Piece, pieces};

/// Messages asked for at once: enough that the server never waits for us.
const ASKED: usize = 16_384;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Room that headers take in a message.
const HEADERS: usize = 1024;

/// A connection that comes back by itself.
async fn connect(address: &Address, patience: &Patience) -> Result<async_nats::Client, Error> {
    let text = address.to_string();
    let servers: Vec<String> = address.servers.clone();
    let again = || async {
        let mut options = async_nats::ConnectOptions::new()
            .name("denym")
            .connection_timeout(Duration::from_secs(2))
            .request_timeout(Some(ANSWER))
            .ping_interval(Duration::from_secs(5))
            .read_buffer_capacity(u16::MAX)
            // A server may name others; a password goes only to those that the policy names.
            .ignore_discovered_servers()
            .reconnect_delay_callback(|tries| {
                let pause = Duration::from_millis(50).saturating_mul(1 << tries.min(5));
                pause.min(Duration::from_secs(1))
            });
        let login = &address.login;
        if let Some(user) = &login.user {
            options = options.user_and_password(user.name.clone(), user.password.clone());
        }
        if login.tls {
            let config = encryption(login)?;
            options = options
                .require_tls(true)
                .tls_client_config((*config).clone());
        }
        let connected = options.connect(servers.clone()).await;
        connected.map_err(|error| match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                Failure::Lasting(BrokerMistake::Login)
            }
            ConnectErrorKind::Tls => Failure::Lasting(BrokerMistake::Certificate),
            _ if login.tls && no_trust(&error.to_string()) => {
                Failure::Lasting(BrokerMistake::Certificate)
            }
            _ => Failure::Passing(BrokerMistake::NoAnswer),
        })
    };
    keep_trying(patience, &text, again).await
}

/// How often the connection was made.
fn connects(client: &async_nats::Client) -> u64 {
    client.statistics().connects.load(Ordering::Relaxed)
}

/// Reads the messages of a stream.
pub(crate) struct NatsSource {
    address: Address,
    text: String,
    client: async_nats::Client,
    context: jetstream::Context,
    patience: Patience,
    messages: Option<pull::Stream>,
    /// The connection under which the consumer was made.
    connection: u64,
    /// Last message taken, and lines of the next one that are done with.
    last: Mark,
    resumed: bool,
    /// Messages the current consumer has delivered.
    delivered: u64,
    pending: u64,
}

impl NatsSource {
    pub(crate) async fn open(
        address: &Address,
        position: &Position,
        patience: &Patience,
    ) -> Result<Self, Error> {
        let client = connect(address, patience).await?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER);
        let start = Mark {
            part: 0,
            offset: 0,
            line: 0,
        };
        let mut source = Self {
            address: address.clone(),
            text: address.to_string(),
            client,
            context,
            patience: patience.clone(),
            messages: None,
            connection: 0,
            last: position.of(0).unwrap_or(start),
            resumed: !position.is_start(),
            delivered: 0,
            pending: 0,
        };
        source.subscribe().await?;
        Ok(source)
    }

    /// Makes a consumer behind the last message that was taken.
    async fn subscribe(&mut self) -> Result<(), Error> {
        let patience = self.patience.clone();
        let text = self.text.clone();
        let made = keep_trying(&patience, &text, || self.consumer()).await;
        let (messages, pending, connection) = made?;
        self.messages = Some(messages);
        self.pending = pending;
        self.connection = connection;
        self.delivered = 0;
        Ok(())
    }

    async fn consumer(&self) -> Result<(pull::Stream, u64, u64), Failure> {
        let connection = connects(&self.client);
        let found = self.context.get_stream(&self.address.name).await;
        let stream = found.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(error)
                if error.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                Failure::Lasting(BrokerMistake::Unknown)
            }
            GetStreamErrorKind::JetStream(_)
            | GetStreamErrorKind::EmptyName
            | GetStreamErrorKind::InvalidStreamName => Failure::Lasting(BrokerMistake::Refused),
            GetStreamErrorKind::Request => Failure::Passing(BrokerMistake::NoAnswer),
        })?;
        let state = &stream.cached_info().state;
        let wanted = self.last.offset + 1;
        if self.resumed && state.first_sequence > wanted {
            let first = state.first_sequence;
            return Err(Failure::Lasting(BrokerMistake::Gone { wanted, first }));
        }
        if state.last_sequence < self.last.offset {
            return Err(Failure::Lasting(BrokerMistake::Anew));
        }
        let config = pull::Config {
            description: Some("reads events for denym".to_owned()),
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: wanted,
            },
            ack_policy: AckPolicy::None,
            replay_policy: ReplayPolicy::Instant,
            filter_subject: self.address.subject.clone().unwrap_or_default(),
            inactive_threshold: Duration::from_mins(2),
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        };
        let consumer = stream.create_consumer(config).await;
        let consumer = consumer.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(_)
            | ConsumerErrorKind::InvalidConsumerType
            | ConsumerErrorKind::InvalidName => Failure::Lasting(BrokerMistake::Refused),
            ConsumerErrorKind::TimedOut | ConsumerErrorKind::Request | ConsumerErrorKind::Other => {
                Failure::Passing(BrokerMistake::NoAnswer)
            }
        })?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(ASKED)
            .expires(Duration::from_secs(20))
            .heartbeat(Duration::from_secs(2))
            .messages()
            .await
            .map_err(|_| Failure::Passing(BrokerMistake::NoAnswer))?;
        Ok((messages, consumer.cached_info().num_pending, connection))
    }

    /// Takes what is there; waits for the first message at most as long as `wait`.
    pub(crate) async fn fill(
        &mut self,
        lines: &mut LineReader,
        batch: &mut Batch,
        wait: Duration,
        until_end: bool,
    ) -> Result<Filled, Error> {
        if until_end && self.pending == 0 {
            return Ok(Filled::End);
        }
        if self.messages.is_none() || connects(&self.client) != self.connection {
            self.messages = None;
            self.subscribe().await?;
        }
        let Some(messages) = &mut self.messages else {
            return Ok(Filled::Idle);
        };
        let Ok(mut next) = tokio::time::timeout(wait, messages.next()).await else {
            return Ok(Filled::Idle);
        };
        loop {
            match next {
                Some(Ok(message)) => {
                    let payload = message.payload.clone();
                    let Some((sequence, pending)) = message.info().ok().and_then(|info| {
                        let follows = info.consumer_sequence == self.delivered + 1;
                        follows.then_some((info.stream_sequence, info.pending))
                    }) else {
                        // A message was lost on the way: begin again behind the last one.
                        self.messages = None;
                        break;
                    };
                    self.delivered += 1;
                    self.pending = pending;
                    self.last = take(&payload, 0, sequence, self.last, lines, batch);
                    self.resumed = true;
                }
                Some(Err(error)) => {
                    self.messages = None;
                    match error.kind() {
                        MessagesErrorKind::PushBasedConsumer
                        | MessagesErrorKind::RequestLimitExceeded => {
                            return Err(broker(&self.text, BrokerMistake::Refused));
                        }
                        _ => break,
                    }
                }
                None => {
                    self.messages = None;
                    break;
                }
            }
            if batch.is_full() {
                break;
            }
            match self.messages.as_mut().and_then(|m| m.next().now_or_never()) {
                Some(more) => next = more,
                None => break,
            }
        }
        batch.set_lag(Some(Lag::Messages(self.pending)));
        Ok(if batch.is_empty() {
            Filled::Idle
        } else {
            Filled::More
        })
    }
}

/// Adds the lines of a message that were not taken before; returns the place after it.
pub(crate) fn take(
    payload: &[u8],
    part: i32,
    sequence: u64,
    last: Mark,
    lines: &mut LineReader,
    batch: &mut Batch,
) -> Mark {
    // Lines of a message are counted from its first; those before a checkpoint in its middle are done with.
    let done = if last.offset + 1 == sequence {
        last.line as usize
    } else {
        0
    };
    let filled = |line: &&[u8]| line.iter().any(|byte| !byte.is_ascii_whitespace());
    let mut all = payload
        .split(|&byte| byte == b'\n')
        .filter(filled)
        .enumerate()
        .skip(done)
        .peekable();
    let end = Mark {
        part,
        offset: sequence,
        line: 0,
    };
    while let Some((at, line)) = all.next() {
        let mark = if all.peek().is_some() {
            Mark {
                part,
                offset: sequence - 1,
                line: at as u32 + 1,
            }
        } else {
            end
        };
        lines.read(line, mark, batch);
    }
    end
}

/// Writes numbered lines to the subjects of a stream.
pub(crate) struct NatsSink {
    text: String,
    stream: String,
    prefix: String,
    client: async_nats::Client,
    context: jetstream::Context,
    patience: Patience,
    /// Last message stored, per channel that was asked for.
    last: Vec<(Channel, Option<Piece>)>,
}

impl NatsSink {
    /// Connects; makes the stream if it is not there.
    pub(crate) async fn open(
        address: &Address,
        channels: &[Channel],
        patience: &Patience,
    ) -> Result<Self, Error> {
        let client = connect(address, patience).await?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER);
        let prefix = address.subject.clone();
        let mut sink = Self {
            text: address.to_string(),
            stream: address.name.clone(),
            prefix: prefix.unwrap_or_else(|| address.name.clone()),
            client,
            context,
            patience: patience.clone(),
            last: Vec::new(),
        };
        if sink.prefix.contains(['*', '>']) {
            return Err(broker(&sink.text, BrokerMistake::Refused));
        }
        let subjects: Vec<String> = channels.iter().map(|&c| sink.subject(c)).collect();
        let make = || sink.make_stream(&subjects);
        keep_trying(patience, &sink.text, make).await?;
        for &channel in channels {
            let last = keep_trying(patience, &sink.text, || sink.read_last(channel)).await?;
            sink.last.push((channel, last));
        }
        Ok(sink)
    }

    fn subject(&self, channel: Channel) -> String {
        format!("{}.{}", self.prefix, channel.name())
    }

    async fn make_stream(&self, subjects: &[String]) -> Result<(), Failure> {
        let config = jetstream::stream::Config {
            name: self.stream.clone(),
            subjects: subjects.to_vec(),
            storage: StorageType::File,
            ..jetstream::stream::Config::default()
        };
        let made = self.context.get_or_create_stream(config).await;
        made.map(|_| ()).map_err(|error| match error.kind() {
            CreateStreamErrorKind::TimedOut
            | CreateStreamErrorKind::Response
            | CreateStreamErrorKind::JetStreamUnavailable => {
                Failure::Passing(BrokerMistake::NoAnswer)
            }
            _ => Failure::Lasting(BrokerMistake::Refused),
        })
    }

    /// The last message of a channel.
    async fn read_last(&self, channel: Channel) -> Result<Option<Piece>, Failure> {
        let passing = || Failure::Passing(BrokerMistake::NoAnswer);
        let stream = self
            .context
            .get_stream_no_info(&self.stream)
            .await
            .map_err(|_| passing())?;
        let subject = self.subject(channel);
        match stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => {
                let header = message.headers.get(HEADER);
                let piece = header.and_then(|text| Piece::parse(text.as_str()));
                let foreign = Failure::Lasting(BrokerMistake::Foreign);
                piece.map(Some).ok_or(foreign)
            }
            Err(error) => match error.kind() {
                LastRawMessageErrorKind::NoMessageFound => Ok(None),
                LastRawMessageErrorKind::JetStream(error)
                    if error.error_code() == ErrorCode::NO_MESSAGE_FOUND =>
                {
                    Ok(None)
                }
                LastRawMessageErrorKind::InvalidSubject | LastRawMessageErrorKind::JetStream(_) => {
                    Err(Failure::Lasting(BrokerMistake::Refused))
                }
                LastRawMessageErrorKind::Other => Err(passing()),
            },
        }
    }

    pub(crate) fn last(&self, channel: Channel) -> Option<Piece> {
        let known = self.last.iter().find(|(known, _)| *known == channel);
        known.and_then(|(_, last)| *last)
    }

    /// Stores every message that is not there yet, in order; all are there when it returns.
    pub(crate) async fn publish(&mut self, messages: &[Outgoing]) -> Result<(), Error> {
        let most = self.client.server_info().max_payload;
        let most = most.saturating_sub(HEADERS).clamp(HEADERS, 1 << 22);
        for message in messages {
            for (piece, text) in pieces(message.number, &message.line, most) {
                if self.last(message.channel).is_some_and(|last| piece <= last) {
                    continue;
                }
                let patience = self.patience.clone();
                let name = self.text.clone();
                let send = || self.send(message.channel, piece, text);
                keep_trying(&patience, &name, send).await?;
                for (known, last) in &mut self.last {
                    if *known == message.channel {
                        *last = Some(piece);
                    }
                }
            }
        }
        Ok(())
    }

    async fn send(&self, channel: Channel, piece: Piece, text: &str) -> Result<(), Failure> {
        let mut headers = HeaderMap::new();
        let number = piece.text();
        headers.insert(NATS_MESSAGE_ID, format!("{}-{number}", channel.name()));
        headers.insert(HEADER, number);
        let payload = text.to_owned().into();
        let fail = |kind: PublishErrorKind| match kind {
            PublishErrorKind::StreamNotFound => Failure::Passing(BrokerMistake::Unknown),
            PublishErrorKind::TimedOut
            | PublishErrorKind::BrokenPipe
            | PublishErrorKind::MaxAckPending => Failure::Passing(BrokerMistake::NoAnswer),
            _ => Failure::Lasting(BrokerMistake::Refused),
        };
        let subject = self.subject(channel);
        let sent = self
            .context
            .publish_with_headers(subject, headers, payload)
            .await;
        let answer = sent.map_err(|error| fail(error.kind()))?;
        let stored = answer.await.map_err(|error| fail(error.kind()))?;
        if stored.duplicate {
            // It was stored at an earlier try, unless the stream was emptied since.
            let last = self.read_last(channel).await?;
            if last.is_none_or(|last| last < piece) {
                return Err(Failure::Passing(BrokerMistake::Refused));
            }
        }
        Ok(())
    }
}
