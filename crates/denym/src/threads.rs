//! The pool that solvers and measures run in.

use crate::Error;

/// A pool of `threads` threads; of all cores when `None`.
pub(crate) fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|_| Error::Internal {
            what: "threads cannot be started".into(),
        })
}
