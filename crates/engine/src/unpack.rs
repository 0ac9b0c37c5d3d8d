//! Files packed by gzip or zstd, unpacked into a private file for as long as they are read.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::Error;

/// What any packed file may grow to, and how many times its own size beside.
const MOST: (u64, u64) = (64 << 20, 200);

/// What a packed file of this size may grow to.
pub(crate) fn most_unpacked(size: u64) -> u64 {
    MOST.0 + MOST.1.saturating_mul(size)
}

/// Bytes unpacked at a time.
const BLOCK: usize = 1 << 18;

/// The files to read instead of others; those that were unpacked are removed when this goes.
#[derive(Debug)]
pub(crate) struct Unpacked {
    /// As they were named.
    named: Vec<PathBuf>,
    /// Where their bytes are.
    pub(crate) files: Vec<PathBuf>,
    /// Removed when they are dropped.
    held: Vec<TempPath>,
}

/// How a file is packed, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
}

/// Unpacks what is packed of `files`; all others stay where they are.
pub(crate) fn unpack(files: &[PathBuf]) -> Result<Unpacked, Error> {
    let mut found = Unpacked {
        named: files.to_vec(),
        files: Vec::with_capacity(files.len()),
        held: Vec::new(),
    };
    for path in files {
        match packing(path)? {
            None => found.files.push(path.clone()),
            Some(packing) => {
                let held = unpacked(path, packing)?;
                found.files.push(held.to_path_buf());
                found.held.push(held);
            }
        }
    }
    Ok(found)
}

impl Unpacked {
    /// An error of a reader, told of the file that the caller named.
    pub(crate) fn told(&self, error: Error) -> Error {
        let mut pairs = self.files.iter().zip(&self.named);
        let moved = |path: &Path| {
            let pair = pairs.find(|(real, _)| real.as_path() == path);
            pair.map(|(_, named)| named.clone())
        };
        error.moved(moved)
    }
}

fn packing(path: &Path) -> Result<Option<Packing>, Error> {
    let reading = |error| Error::reading(path, &error);
    let mut head = Vec::with_capacity(4);
    let file = File::open(path).map_err(reading)?;
    // A directory is told as such by the reader of its format.
    if file.metadata().map_err(reading)?.is_dir() {
        return Ok(None);
    }
    file.take(4).read_to_end(&mut head).map_err(reading)?;
    Ok(match head.as_slice() {
        [0x1f, 0x8b, ..] => Some(Packing::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd] => Some(Packing::Zstd),
        _ => None,
    })
}

fn unpacked(path: &Path, packing: Packing) -> Result<TempPath, Error> {
    let reading = |error| Error::reading(path, &error);
    let file = File::open(path).map_err(reading)?;
    let most = most_unpacked(file.metadata().map_err(reading)?.len());
    let mut source: Box<dyn Read> = match packing {
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file).map_err(reading)?),
    };
    // Only its owner may read a temporary file.
    let mut target = tempfile::NamedTempFile::new()
        .map_err(|error| Error::writing(&std::env::temp_dir(), &error))?;
    let mut block = vec![0; BLOCK];
    let mut total = 0;
    loop {
        let count = match source.read(&mut block) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => {
                return Err(Error::Packed {
                    path: path.to_owned(),
                });
            }
        };
        total += count as u64;
        if total > most {
            return Err(Error::TooLarge {
                path: path.to_owned(),
                most,
            });
        }
        target
            .write_all(&block[..count])
            .map_err(|error| Error::writing(target.path(), &error))?;
    }
    Ok(target.into_temp_path())
}
