//! Compares two data sets: how much of the first is left in the second.

use std::path::Path;

use denym_engine::{Engine, ReadOptions};
use denym_measure::metrics::{Comparison, compare};

use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What the table in `after` kept of the table in `before`.
pub fn compare_tables(
    before: &Path,
    after: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Comparison, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let first = engine.read(before, options)?;
    let second = engine.read(after, options)?;
    listener.phase(Phase::Auditing);
    Ok(threads::pool(threads)?.install(|| compare(&first, &second)))
}
