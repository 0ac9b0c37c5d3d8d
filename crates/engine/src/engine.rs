//! The engine: threads and a `DataFusion` session, made once and used for every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::execution::context::SessionContext;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::execution::{SessionState, TaskContext};
use datafusion::prelude::SessionConfig;
use tokio::runtime::Runtime;

use crate::Error;

/// Reads, summarizes, applies and writes tables on a fixed number of threads.
///
/// Every method blocks until it is done and may be called from several threads at once, but not from inside an
/// asynchronous task: hand it to a thread that may block.
pub struct Engine {
    runtime: Runtime,
    session: SessionContext,
    threads: usize,
    scans: AtomicUsize,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine on `threads` threads; on all cores when `None`.
    pub fn new(threads: Option<usize>) -> Result<Engine, Error> {
        let threads = threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
            .max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .build()
            .map_err(|_| Error::Internal {
                during: "starting threads",
            })?;
        Ok(Engine {
            runtime,
            session: SessionContext::new_with_state(state(threads)),
            threads,
            scans: AtomicUsize::new(0),
        })
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A number that no other scan of this engine has.
    pub(crate) fn next_scan(&self) -> usize {
        self.scans.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn session(&self) -> &SessionContext {
        &self.session
    }

    pub(crate) fn task(&self) -> Arc<TaskContext> {
        self.session.task_ctx()
    }
}

/// A session that knows only what our plans need: they name no function by text, and are written in their final
/// shape, so neither the function registries nor the logical rewrites (which cost more than a small plan) are there.
fn state(threads: usize) -> SessionState {
    let mut config = SessionConfig::new()
        .with_target_partitions(threads)
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(false);
    let options = config.options_mut();
    // The map from tuples to classes is the small side: build it once instead of shuffling every record.
    options.optimizer.hash_join_single_partition_threshold_rows = usize::MAX;
    options.optimizer.hash_join_single_partition_threshold = usize::MAX;
    SessionStateBuilder::new()
        .with_config(config)
        .with_optimizer_rules(Vec::new())
        .build()
}
