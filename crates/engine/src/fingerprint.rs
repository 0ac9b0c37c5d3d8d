//! SHA-256 of a file, so that a changed byte is noticed.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::Error;

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
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
