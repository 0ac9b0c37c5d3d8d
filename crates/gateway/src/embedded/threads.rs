//! Threads that plan and run statements, apart from those that talk to clients; and the answers on their way from the one to the other.
//!
//! # Guarantee
//! A statement that computes for long keeps no client waiting for another thing, and work whose client is gone, cancelled or out of time
//! ends at its next step.

use super::failure;
use super::pool::Place;
use super::stop::Waiting;
use crate::error::Error;
use crate::request::Refusal;
use crate::server::STACK;
use datafusion::arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::StreamExt as _;
use std::future::Future;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The threads.
pub(super) struct Threads {
    runtime: Option<Runtime>,
}

impl Threads {
    /// As many as talk to clients.
    pub(super) fn start() -> Result<Self, Error> {
        let count = Handle::try_current().map_or(1, |handle| handle.metrics().num_workers());
        let runtime = Builder::new_multi_thread()
            .worker_threads(count.max(2))
            .thread_name("denym-query")
            .thread_stack_size(STACK)
            .enable_all()
            .build()
            .map_err(Error::file("the threads of queries"))?;
        Ok(Self {
            runtime: Some(runtime),
        })
    }

    /// Does work there; dropping the wait ends the work.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
    ) -> Result<T, Refusal> {
        let Some(runtime) = &self.runtime else {
            return Err(failure::failed());
        };
        let mut task = Ending(runtime.spawn(work));
        // a panic of the engine ends its statement alone
        (&mut task.0)
            .await
            .unwrap_or_else(|_| Err(failure::failed()))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // whoever drops it may be a task itself and must not wait
            runtime.shutdown_background();
        }
    }
}

/// A task that ends with whoever waits for it.
struct Ending<T>(JoinHandle<T>);

impl<T> Drop for Ending<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Batches of a running query; dropping it stops the query.
pub(crate) struct Batches {
    receiver: mpsc::Receiver<Result<Option<RecordBatch>, Refusal>>,
    _task: Ending<()>,
    _waiting: Option<Waiting>,
}

impl Batches {
    /// Starts a query on the thread that calls it. Its place and its memory are given back when it ends.
    pub(super) fn start(
        mut stream: SendableRecordBatchStream,
        place: Place,
        memory: MemoryReservation,
    ) -> Self {
        // one batch ahead of the client, no more: a client that does not read stops the query
        let (sender, receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            loop {
                let batch = stream
                    .next()
                    .await
                    .transpose()
                    .map_err(|error| failure::running(&error));
                let more = matches!(batch, Ok(Some(_)));
                if !more {
                    // what it held is free before the client knows of the end
                    drop(stream);
                    drop(memory);
                    drop(place);
                    let _ = sender.send(batch).await;
                    break;
                }
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
        });
        Self {
            receiver,
            _task: Ending(task),
            _waiting: None,
        }
    }

    /// Someone waits for them, as long as they are kept.
    pub(super) fn awaited(self, waiting: Waiting) -> Self {
        Self {
            _waiting: Some(waiting),
            ..self
        }
    }

    /// The next batch; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>, Refusal> {
        // a channel that closes without saying so is a query that broke off, not its end
        self.receiver
            .recv()
            .await
            .unwrap_or_else(|| Err(failure::failed()))
    }
}
