//! What the two brokers share: a runtime, how long to wait for one that does not answer, and how messages are numbered.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Error;
use crate::error::BrokerMistake;

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

/// First and longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// One try that failed: whether another can help.
#[derive(Debug)]
pub(super) enum Failure {
    /// The broker may come back.
    Passing(BrokerMistake),
    /// It will say the same again.
    Lasting(BrokerMistake),
}

impl Patience {
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tries until it works, the failure lasts, patience ends or a stop is asked for.
    pub(super) async fn keep_trying<T, F>(
        &self,
        address: &str,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let mut pause = PAUSES.0;
        let mut waited = Duration::ZERO;
        loop {
            let mistake = match attempt().await {
                Ok(value) => return Ok(value),
                Err(Failure::Lasting(mistake)) => return Err(broker(address, mistake)),
                Err(Failure::Passing(mistake)) => mistake,
            };
            if waited >= self.outage || self.stopped() {
                return Err(broker(address, mistake));
            }
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(PAUSES.1);
        }
    }
}

pub(super) fn broker(address: &str, mistake: BrokerMistake) -> Error {
    Error::Broker {
        address: address.to_owned(),
        mistake,
    }
}

/// A runtime on which connections live while nobody asks for anything.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("denym-broker")
        .enable_all()
        .build()
        .map_err(|_| Error::Internal {
            during: "starting threads",
        })
}

/// A message's place in its channel: the number of its line, and which piece of the line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) number: u64,
    /// Which piece, from 1.
    pub(super) at: u32,
    pub(super) of: u32,
}

impl Piece {
    /// `12/1/3`, as it stands in a header.
    pub(super) fn text(self) -> String {
        format!("{}/{}/{}", self.number, self.at, self.of)
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let piece = Self {
            number: parts.next()?.parse().ok()?,
            at: parts.next()?.parse().ok()?,
            of: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(piece)
    }
}

/// Name of the header that has the [`Piece`].
pub(super) const HEADER: &str = "Denym-Window";

/// Cuts a line into pieces of at most `most` bytes; never within a letter.
pub(super) fn pieces(number: u64, line: &str, most: usize) -> Vec<(Piece, &str)> {
    let mut texts = Vec::new();
    let mut rest = line;
    while rest.len() > most {
        let mut at = most;
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let (text, behind) = rest.split_at(at);
        texts.push(text);
        rest = behind;
    }
    texts.push(rest);
    let of = texts.len() as u32;
    let numbered = texts.into_iter().zip(1..);
    numbered
        .map(|(text, at)| (Piece { number, at, of }, text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_put_together_are_the_line() {
        let line = "aé".repeat(100);
        for most in [2, 3, 7, 50, 1000] {
            let found = pieces(9, &line, most);
            let whole: String = found.iter().map(|(_, text)| *text).collect();
            assert_eq!(whole, line);
            assert!(found.iter().all(|(_, text)| text.len() <= most));
            let (last, _) = found.last().expect("one piece at least");
            assert_eq!((last.at, last.of), (found.len() as u32, last.at));
            assert_eq!(Piece::parse(&last.text()), Some(*last));
        }
        assert_eq!(Piece::parse("1/2"), None);
        assert_eq!(Piece::parse("1/2/x"), None);
    }
}
