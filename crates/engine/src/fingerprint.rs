//! SHA-256 of a file, so that a changed byte is noticed.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::read::memory::fingerprint_of;
use crate::{Engine, Error, Format};

/// The SHA-256 of the file at `path` in lower-case hexadecimal digits.
pub fn fingerprint(path: impl AsRef<Path>) -> Result<String, Error> {
    let path = path.as_ref();
    let mut file = File::open(path).map_err(|error| Error::reading(path, &error))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let length = file
            .read(&mut buffer)
            .map_err(|error| Error::reading(path, &error))?;
        if length == 0 {
            break;
        }
        hasher.update(&buffer[..length]);
    }
    Ok(digits(&hasher.finalize()))
}

/// Lower-case hexadecimal digits.
pub(crate) fn digits(hash: &[u8]) -> String {
    let mut text = String::with_capacity(2 * hash.len());
    for byte in hash {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Engine {
    /// Every file of `source` by its name, or the table that is held in memory under its path, with its SHA-256.
    pub fn fingerprints(
        &self,
        source: impl AsRef<Path>,
        format: Option<Format>,
    ) -> Result<Vec<(String, String)>, Error> {
        let source = source.as_ref();
        let name = |path: &Path| {
            let name = path.file_name();
            name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        if let Some(batches) = self.memory.get(source) {
            return Ok(vec![(name(source), fingerprint_of(source, batches)?)]);
        }
        let files = self.files(source, format)?;
        let prints = files
            .iter()
            .map(|path| Ok((name(path), fingerprint(path)?)));
        prints.collect()
    }
}
