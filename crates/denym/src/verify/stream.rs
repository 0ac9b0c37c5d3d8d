//! Opens the two public files of a stream and has them walked.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::Error;

pub use denym_release::windows::{BrokenWindow, StreamVerification};

/// Name of the chain.
const CERTIFICATES: &str = "certificates.ndjson";
/// Name of the windows.
const WINDOWS: &str = "windows.ndjson";

/// Whether `directory` holds the output of a stream.
pub fn is_stream(directory: &Path) -> bool {
    directory.join(CERTIFICATES).is_file()
}

/// Walks the chain in `directory` and measures its windows again.
pub fn verify_stream(directory: &Path) -> Result<StreamVerification, Error> {
    let (path, windows) = (directory.join(CERTIFICATES), directory.join(WINDOWS));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the certificates", &path, &error))?;
    let failed = |error: std::io::Error| Error::io("read the windows", &windows, &error);
    if !windows.is_file() {
        return denym_release::windows::walk((&path, &text), None);
    }
    let file = File::open(&windows).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut lines = || {
        let mut line = String::new();
        let read = reader.read_line(&mut line).map_err(failed)?;
        while line.ends_with(['\n', '\r']) {
            line.pop();
        }
        Ok((read > 0).then_some(line))
    };
    denym_release::windows::walk((&path, &text), Some((&windows, &mut lines)))
}
