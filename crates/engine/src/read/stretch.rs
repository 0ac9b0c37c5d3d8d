//! Stretches of files: a CSV file is cut at line ends that no quote spans, and each stretch is read on a thread of its own.
//!
//! That leaves out byte order mark and header, and serves files that had to be decoded in memory the same way.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the bytes are.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Arc<Vec<u8>>),
}

/// Some of the bytes of a place.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    pub(crate) place: Place,
    pub(crate) range: Range<u64>,
}

impl Place {
    /// All of its bytes.
    pub(crate) fn bytes(&self) -> io::Result<Arc<Vec<u8>>> {
        match self {
            Place::File(path) => std::fs::read(path).map(Arc::new),
            Place::Memory(bytes) => Ok(Arc::clone(bytes)),
        }
    }
}

impl Stretch {
    /// The bytes from its start on; they may go on beyond its end.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.place {
            Place::File(path) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(self.range.start))?;
                Box::new(file)
            }
            Place::Memory(bytes) => {
                let start = bytes.len().min(self.range.start as usize);
                Box::new(&bytes[start..])
            }
        })
    }
}
