//! The Kafka protocol: events read by offset from every partition of a topic, windows written to a topic of one partition.
//!
//! There is no consumer group: the checkpoint holds the offsets. A writer never sends a batch a second time without having looked at
//! the end of the topic: what is there already is left out, so that a lost answer doubles nothing.

use std::time::Duration;

use rskafka::BackoffConfig;
use rskafka::client::error::{Error as KafkaError, ProtocolError};
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use rskafka::record::{Record, RecordAndOffset};

use denym_engine::events::{
    Address, Batch, Channel, Filled, Lag, LineReader, Mark, Outgoing, Patience, Position,
};
use denym_engine::{BrokerMistake, Error};

use crate::encryption::{credentials, encryption, no_trust};
use crate::nats::take;
use crate::patience::{Failure, broker, keep_trying};
use crate::pieces::{HEADER, Piece, pieces};

/// Bytes asked for at once.
const ASKED: i32 = 4 << 20;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(10);
/// Largest message written: below what brokers take unless told otherwise.
const LARGEST: usize = 900_000;
/// Bytes written at once.
const TOGETHER: usize = 900_000;

fn failure(error: &KafkaError) -> Failure {
    match error {
        KafkaError::ServerError { protocol_error, .. } => match protocol_error {
            ProtocolError::UnknownTopicOrPartition => Failure::Passing(BrokerMistake::Unknown),
            ProtocolError::TopicAuthorizationFailed
            | ProtocolError::ClusterAuthorizationFailed
            | ProtocolError::MessageTooLarge
            | ProtocolError::InvalidTopicException
            | ProtocolError::OffsetOutOfRange => Failure::Lasting(BrokerMistake::Refused),
            _ => Failure::Passing(BrokerMistake::NoAnswer),
        },
        error => {
            // The kinds of these errors are not public; their texts are all there is.
            let text = error.to_string();
            if text.contains("Sasl handshake failed") {
                Failure::Lasting(BrokerMistake::Login)
            } else if no_trust(&text) {
                Failure::Lasting(BrokerMistake::Certificate)
            } else {
                Failure::Passing(BrokerMistake::NoAnswer)
            }
        }
    }
}

/// Waits for an answer, but not forever.
async fn answer<T>(asked: impl Future<Output = Result<T, KafkaError>>) -> Result<T, Failure> {
    match tokio::time::timeout(ANSWER, asked).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(failure(&error)),
        Err(_) => Err(Failure::Passing(BrokerMistake::NoAnswer)),
    }
}

/// A client that fails at once; we try again ourselves.
async fn client(address: &Address) -> Result<Client, Failure> {
    let once = BackoffConfig {
        init_backoff: Duration::from_millis(10),
        max_backoff: Duration::from_millis(20),
        base: 2.0,
        deadline: Some(Duration::from_millis(1)),
    };
    let mut builder = ClientBuilder::new(address.servers.clone())
        .client_id("denym")
        .backoff_config(once);
    if address.login.tls {
        builder = builder.tls_config(encryption(&address.login)?);
    }
    if let Some(credentials) = credentials(&address.login) {
        builder = builder.sasl_config(credentials);
    }
    answer(builder.build()).await
}

/// One partition of the topic that is read.
struct Part {
    id: i32,
    client: PartitionClient,
    last: Mark,
    ends: Ends,
}

/// The offset after the last message of a partition.
#[derive(Clone, Copy)]
struct Ends {
    /// As the broker says.
    said: u64,
    /// As its messages show.
    real: u64,
}

/// Reads all partitions of a topic.
pub(crate) struct KafkaSource {
    text: String,
    patience: Patience,
    parts: Vec<Part>,
    /// Whose turn it is.
    turn: usize,
}

impl KafkaSource {
    pub(crate) async fn open(
        address: &Address,
        position: &Position,
        patience: &Patience,
    ) -> Result<Self, Error> {
        let text = address.to_string();
        let open = || parts(address, position);
        let parts = keep_trying(patience, &text, open).await?;
        Ok(Self {
            text,
            patience: patience.clone(),
            parts,
            turn: 0,
        })
    }

    /// Takes what is there; waits for the first message at most as long as `wait`.
    pub(crate) async fn fill(
        &mut self,
        lines: &mut LineReader,
        batch: &mut Batch,
        wait: Duration,
        until_end: bool,
    ) -> Result<Filled, Error> {
        let behind = |part: &Part| part.last.offset < part.ends.real;
        if until_end && !self.parts.iter().any(behind) {
            return Ok(Filled::End);
        }
        // Partitions with something to read come first; with none, each is asked for its share of the wait.
        let count = self.parts.len();
        let turn = (0..count)
            .map(|step| (self.turn + step) % count)
            .find(|&at| behind(&self.parts[at]))
            .unwrap_or(self.turn % count);
        self.turn = turn + 1;
        let patience = self.patience.clone();
        let wait = (wait / count as u32).as_millis().clamp(1, 10_000) as i32;
        let part = &self.parts[turn];
        // What a broker counts as one message it may not find by an offset in its middle.
        let hidden = (part.ends.said..part.ends.real).contains(&part.last.offset);
        let from = if hidden {
            part.ends.said.saturating_sub(1)
        } else {
            part.last.offset
        };
        let offset = from.cast_signed();
        let fetch = || answer(part.client.fetch_records(offset, 1..ASKED, wait));
        let (records, end) = match keep_trying(&patience, &self.text, fetch).await {
            Ok(found) => found,
            Err(error) => return Err(self.why(turn, error).await),
        };
        let part = &mut self.parts[turn];
        for RecordAndOffset { record, offset } in records {
            // A batch of records may begin before the one that was asked for.
            let number = offset.cast_unsigned() + 1;
            if number <= part.last.offset {
                continue;
            }
            let payload = record.value.unwrap_or_default();
            part.last = take(&payload, part.id, number, part.last, lines, batch);
        }
        let said = end.max(0).cast_unsigned();
        let real = said.max(part.last.offset);
        part.ends = Ends { said, real };
        let left = self
            .parts
            .iter()
            .map(|part| part.ends.real.saturating_sub(part.last.offset));
        batch.set_lag(Some(Lag::Messages(left.sum())));
        Ok(if batch.is_empty() {
            Filled::Idle
        } else {
            Filled::More
        })
    }

    /// A better reason for a refusal: messages that are gone.
    async fn why(&self, turn: usize, error: Error) -> Error {
        let part = &self.parts[turn];
        match check(&part.client, part.last).await {
            Err(Failure::Lasting(mistake)) => broker(&self.text, mistake),
            _ => error,
        }
    }
}

/// The partitions of a topic, each behind what was read of it.
async fn parts(address: &Address, position: &Position) -> Result<Vec<Part>, Failure> {
    let client = client(address).await?;
    let topics = answer(client.list_topics()).await?;
    let topic = topics.into_iter().find(|topic| topic.name == address.name);
    let topic = topic.ok_or(Failure::Lasting(BrokerMistake::Unknown))?;
    let mut parts = Vec::new();
    for id in topic.partitions {
        let asked = client.partition_client(&address.name, id, UnknownTopicHandling::Error);
        let client = answer(asked).await?;
        let begun = position.of(id);
        let last = match begun {
            Some(last) => last,
            None => Mark {
                part: id,
                offset: answer(client.get_offset(OffsetAt::Earliest))
                    .await?
                    .max(0)
                    .cast_unsigned(),
                line: 0,
            },
        };
        let ends = check(&client, last).await?;
        parts.push(Part {
            id,
            client,
            last,
            ends,
        });
    }
    if parts.is_empty() {
        return Err(Failure::Passing(BrokerMistake::Unknown));
    }
    Ok(parts)
}

/// Whether the topic still has what was not read; the offset after its last message.
async fn check(client: &PartitionClient, last: Mark) -> Result<Ends, Failure> {
    let first = answer(client.get_offset(OffsetAt::Earliest)).await?;
    let end = answer(client.get_offset(OffsetAt::Latest)).await?;
    let (first, end) = (first.max(0).cast_unsigned(), end.max(0).cast_unsigned());
    let wanted = last.offset;
    if first > wanted {
        return Err(Failure::Lasting(BrokerMistake::Gone { wanted, first }));
    }
    let real = if end < wanted {
        batch_end(client, end).await?
    } else {
        end
    };
    if real < wanted {
        return Err(Failure::Lasting(BrokerMistake::Anew));
    }
    Ok(Ends { said: end, real })
}

/// The offset after the last message of the batch that `end` is in: some brokers count the last batch as one message when they say
/// where a topic ends.
async fn batch_end(client: &PartitionClient, end: u64) -> Result<u64, Failure> {
    let last = end.saturating_sub(1).cast_signed();
    match answer(client.fetch_records(last, 1..ASKED, 100)).await {
        Ok((records, _)) => {
            let offsets = records
                .iter()
                .map(|record| record.offset.cast_unsigned() + 1);
            Ok(offsets.max().unwrap_or(end))
        }
        Err(Failure::Lasting(_)) => Ok(end),
        Err(passing) => Err(passing),
    }
}

/// Writes numbered lines, a topic per channel.
pub(crate) struct KafkaSink {
    text: String,
    patience: Patience,
    topics: Vec<(Channel, PartitionClient, Option<Piece>)>,
}

impl KafkaSink {
    /// Connects; makes the topics that are not there.
    pub(crate) async fn open(
        address: &Address,
        channels: &[Channel],
        patience: &Patience,
    ) -> Result<Self, Error> {
        let text = address.to_string();
        let mut topics = Vec::new();
        for &channel in channels {
            let open = || topic(address, channel);
            let (client, last) = keep_trying(patience, &text, open).await?;
            topics.push((channel, client, last));
        }
        Ok(Self {
            text,
            patience: patience.clone(),
            topics,
        })
    }

    pub(crate) fn last(&self, channel: Channel) -> Option<Piece> {
        let known = self.topics.iter().find(|(known, ..)| *known == channel);
        known.and_then(|(_, _, last)| *last)
    }

    /// Stores every message that is not there yet, in order; all are there when it returns.
    pub(crate) async fn publish(&mut self, messages: &[Outgoing]) -> Result<(), Error> {
        for (channel, client, last) in &mut self.topics {
            let own = messages
                .iter()
                .filter(|message| message.channel == *channel);
            let all: Vec<(Piece, &str)> = own
                .flat_map(|message| pieces(message.number, &message.line, LARGEST))
                .collect();
            let mut rest = all.as_slice();
            while let Some((first, _)) = rest.first() {
                if last.is_some_and(|last| *first <= last) {
                    rest = &rest[1..];
                    continue;
                }
                let mut bytes = 0;
                let fits = |(_, text): &&(Piece, &str)| {
                    bytes += text.len();
                    bytes <= TOGETHER
                };
                let count = rest.iter().take_while(fits).count().max(1);
                let (now, later) = rest.split_at(count);
                let known = *last;
                let mut first_try = true;
                let send = || {
                    let again = !std::mem::take(&mut first_try);
                    send(client, now, known, again)
                };
                keep_trying(&self.patience, &self.text, send).await?;
                *last = now.last().map(|(piece, _)| *piece);
                rest = later;
            }
        }
        Ok(())
    }
}

/// Stores the pieces; at a second try only those that the first did not leave there.
async fn send(
    client: &PartitionClient,
    now: &[(Piece, &str)],
    known: Option<Piece>,
    again: bool,
) -> Result<(), Failure> {
    let mut last = known;
    if again {
        // The broker may still be at work on the request whose answer was lost.
        tokio::time::sleep(Duration::from_millis(500)).await;
        last = read_last(client).await?;
    }
    let missing = now
        .iter()
        .filter(|(piece, _)| last.is_none_or(|last| *piece > last));
    let records: Vec<Record> = missing
        .map(|(piece, text)| Record {
            key: Some(piece.number.to_string().into_bytes()),
            value: Some(text.as_bytes().to_vec()),
            headers: [(HEADER.to_owned(), piece.text().into_bytes())].into(),
            timestamp: now_for_the_broker(),
        })
        .collect();
    answer(client.produce(records, Compression::NoCompression)).await?;
    Ok(())
}

/// The time a broker ages messages by; nothing that is published depends on it.
#[expect(
    clippy::disallowed_methods,
    reason = "a broker removes messages by their age, so they must have one"
)]
fn now_for_the_broker() -> rskafka::chrono::DateTime<rskafka::chrono::Utc> {
    std::time::SystemTime::now().into()
}

/// The topic of a channel, made if it is not there, and its last message.
async fn topic(
    address: &Address,
    channel: Channel,
) -> Result<(PartitionClient, Option<Piece>), Failure> {
    let client = client(address).await?;
    let name = format!("{}-{}", address.name, channel.name());
    let topics = answer(client.list_topics()).await?;
    if !topics.iter().any(|topic| topic.name == name) {
        let controller = client
            .controller_client()
            .map_err(|error| failure(&error))?;
        let made = answer(controller.create_topic(&name, 1, 1, 5_000)).await;
        if let Err(Failure::Lasting(mistake)) = made {
            return Err(Failure::Lasting(mistake));
        }
    }
    let asked = client.partition_client(&name, 0, UnknownTopicHandling::Error);
    let client = answer(asked).await?;
    let last = read_last(&client).await?;
    Ok((client, last))
}

/// The last message of a topic.
async fn read_last(client: &PartitionClient) -> Result<Option<Piece>, Failure> {
    let first = answer(client.get_offset(OffsetAt::Earliest)).await?.max(0);
    let end = answer(client.get_offset(OffsetAt::Latest)).await?;
    if end <= first {
        return Ok(None);
    }
    // The last offset may be one that holds no message: look a little further back each time.
    let mut back = 1;
    let mut from = (end - back).max(first);
    let mut last = None;
    loop {
        let fetched = answer(client.fetch_records(from, 1..ASKED, 100)).await?;
        let newest = fetched.0.into_iter().max_by_key(|record| record.offset);
        if let Some(newest) = newest.filter(|newest| newest.offset >= from) {
            // A large batch may be cut: go on behind what came.
            from = newest.offset + 1;
            last = Some(newest.record);
        } else if last.is_none() && from > first {
            back *= 4;
            from = (end - back).max(first);
            continue;
        } else {
            break;
        }
        if from >= end {
            break;
        }
    }
    let Some(record) = last else { return Ok(None) };
    let header = record.headers.get(HEADER);
    let text = header.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let foreign = Failure::Lasting(BrokerMistake::Foreign);
    text.and_then(Piece::parse).map(Some).ok_or(foreign)
}
