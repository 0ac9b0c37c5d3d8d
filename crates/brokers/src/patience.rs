//! How long to wait for a broker that does not answer.

use std::future::Future;
use std::sync::atomic::Ordering;
use std::time::Duration;

use denym_engine::events::Patience;
use denym_engine::{BrokerMistake, Error};

/// First and longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// One try that failed: whether another can help.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The broker may come back.
    Passing(BrokerMistake),
    /// It will say the same again.
    Lasting(BrokerMistake),
}

pub(crate) fn stopped(patience: &Patience) -> bool {
    patience.stop.load(Ordering::Relaxed)
}

/// Tries until it works, the failure lasts, patience ends or a stop is asked for.
pub(crate) async fn keep_trying<T, F>(
    patience: &Patience,
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
        if waited >= patience.outage || stopped(patience) {
            return Err(broker(address, mistake));
        }
        tokio::time::sleep(pause).await;
        waited += pause;
        pause = (pause * 2).min(PAUSES.1);
    }
}

pub(crate) fn broker(address: &str, mistake: BrokerMistake) -> Error {
    Error::Broker {
        address: address.to_owned(),
        mistake,
    }
}

/// A runtime on which connections live while nobody asks for anything.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("denym-broker")
        .enable_all()
        .build()
        .map_err(|_| Error::Internal {
            during: "starting threads",
        })
}
