//! What a file is at a moment: whether it was replaced or written since, even with the same length and the same time.
//!
//! The time of the last change of an inode is the system's own: no program sets it back. A file that was written twice within one tick of
//! that clock is the only one that could pass, so what is new is looked at again until it is older than that.

use std::path::Path;
use std::time::{Duration, Instant};

/// How long a file that is new to us is read again each time.
const YOUNG: Duration = Duration::from_secs(2);

/// Which file, how long, and when it was last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    /// The file that is there now.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = std::fs::metadata(path)?;
        Ok(Self {
            device: meta.dev(),
            inode: meta.ino(),
            length: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }

    /// The file that is there now, as far as this system tells.
    #[cfg(not(unix))]
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        let meta = std::fs::metadata(path)?;
        let since = meta
            .modified()?
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Self {
            device: 0,
            inode: 0,
            length: meta.len(),
            modified: (since.as_secs() as i64, i64::from(since.subsec_nanos())),
            changed: (0, 0),
        })
    }
}

/// An identity and when we met it first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) identity: Identity,
    first: Instant,
}

impl Seen {
    /// A file as it is now, met just now.
    pub(crate) fn now(identity: Identity) -> Self {
        Self {
            identity,
            first: Instant::now(),
        }
    }

    /// Whether what was read of it then is what is there now.
    pub(crate) fn still_is(&self, now: Identity) -> bool {
        self.identity == now && self.first.elapsed() > YOUNG
    }
}
