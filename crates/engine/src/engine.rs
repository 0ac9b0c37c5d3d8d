//! The engine: a fixed number of threads for every step from a file to the published table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{Error, InMemory, SourceForm};

/// Reads, summarizes, applies and writes tables on a fixed number of threads.
///
/// Every method blocks until it is done and may be called from several threads at once.
#[derive(Debug)]
pub struct Engine {
    /// Threads of its own; those of whoever calls when there are none.
    pool: Option<ThreadPool>,
    /// Tables that are read from memory instead of from files.
    pub(crate) memory: InMemory,
    /// How the sources that were read are written.
    pub(crate) forms: Mutex<BTreeMap<PathBuf, SourceForm>>,
}

impl Engine {
    /// An engine on `threads` threads; on those of the caller's pool, all cores as a rule, when `None`.
    pub fn new(threads: Option<usize>) -> Result<Engine, Error> {
        let pool = threads.map(|threads| {
            ThreadPoolBuilder::new()
                .num_threads(threads.max(1))
                .build()
                .map_err(|_| Error::Internal {
                    during: "starting threads",
                })
        });
        Ok(Engine {
            pool: pool.transpose()?,
            memory: InMemory::default(),
            forms: Mutex::default(),
        })
    }

    /// The same engine, which finds these tables under their paths.
    #[must_use]
    pub fn with(self, memory: InMemory) -> Engine {
        Engine { memory, ..self }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads)
    }

    /// Does `work` on the engine's threads.
    pub(crate) fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
