//! The audit log: who did what and when, a line each; names of projects and jobs, never a field or a cell.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

/// The audit log.
#[derive(Debug)]
pub(crate) struct Journal {
    file: Mutex<File>,
    clock: fn() -> u64,
}

impl Journal {
    /// Goes on with the log in `file`.
    pub(crate) fn open(file: &Path, clock: fn() -> u64) -> std::io::Result<Journal> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Journal {
            file: Mutex::new(options.open(file)?),
            clock,
        })
    }

    /// Notes what was done: the route, the names in its address, and how it ended.
    pub(crate) fn note(&self, who: &str, what: &str, names: &[(&str, &str)], status: u16) {
        let names: serde_json::Map<_, _> = names
            .iter()
            .map(|(key, name)| ((*key).to_owned(), json!(name)))
            .collect();
        let line = json!({"at": (self.clock)(), "who": who, "what": what, "names": names, "status": status});
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for each line: two processes never mix theirs. A full disk must not stop the steward from cancelling a job.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}
