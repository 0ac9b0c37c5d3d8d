//! Standard input as a data file: `-` is kept in a private file for as long as the command runs.

use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use denym::{Error, Policy, read_policy};
use tempfile::TempDir;

/// Where standard input was kept; it can be read but once.
static KEPT: Mutex<Option<(TempDir, PathBuf)>> = Mutex::new(None);

/// The path of a data file as it was typed; that of the kept standard input for `-`.
pub(crate) fn data(typed: &str) -> Result<PathBuf, String> {
    if typed != "-" {
        return Ok(PathBuf::from(typed));
    }
    let mut kept = KEPT
        .lock()
        .map_err(|_| "standard input is lost".to_owned())?;
    if kept.is_some() {
        return Err("standard input can be read once only".to_owned());
    }
    let failed = |error: io::Error| format!("standard input cannot be kept: {}", error.kind());
    // Only its owner may enter a temporary directory.
    let directory = tempfile::tempdir().map_err(failed)?;
    let path = keep(&mut io::stdin().lock(), directory.path()).map_err(failed)?;
    *kept = Some((directory, path.clone()));
    Ok(path)
}

/// The same for an argument that is a text.
pub(crate) fn data_text(typed: &str) -> Result<String, String> {
    data(typed).map(|path| path.to_string_lossy().into_owned())
}

/// The policy in `file`; where its data has the path `-`, standard input is kept for it.
pub(crate) fn policy(file: &Path) -> Result<Policy, Error> {
    let mut policy = read_policy(file)?;
    if policy.data.path == denym::STANDARD_INPUT && policy.stream.is_none() {
        let held = data(&policy.data.path).map_err(|what| Error::Argument {
            what,
            help: "give the data as a file, or pipe it into one command".into(),
        })?;
        policy.data.held = Some(held);
    }
    Ok(policy)
}

/// Whether a path is that of the kept standard input.
pub(crate) fn is_kept(path: &Path) -> bool {
    let kept = KEPT.lock();
    kept.is_ok_and(|kept| kept.as_ref().is_some_and(|(_, own)| own == path))
}

/// Removes what was kept.
pub(crate) fn remove() {
    if let Ok(mut kept) = KEPT.lock() {
        *kept = None;
    }
}

/// Writes all of `source` into a file of `directory`, named for what its first bytes are.
fn keep(source: &mut impl Read, directory: &Path) -> io::Result<PathBuf> {
    let mut head = Vec::new();
    source.by_ref().take(64).read_to_end(&mut head)?;
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    let name = match (head.as_slice(), first) {
        ([b'P', b'A', b'R', b'1', ..], _) => "stdin.parquet",
        ([b'P', b'K', 3, 4, ..], _) => "stdin.xlsx",
        ([0x1f, 0x8b, ..], _) => "stdin.csv.gz",
        ([0x28, 0xb5, 0x2f, 0xfd, ..], _) => "stdin.csv.zst",
        (_, Some(b'{')) => "stdin.json",
        _ => "stdin.csv",
    };
    let path = directory.join(name);
    let mut target = std::fs::File::create(&path)?;
    target.write_all(&head)?;
    io::copy(source, &mut target)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_name_the_file() {
        let directory = tempfile::tempdir().expect("a directory");
        for (bytes, name) in [
            (&b"a,b\n1,2\n"[..], "stdin.csv"),
            (b" {\"a\":1}\n", "stdin.json"),
            (b"PAR1....", "stdin.parquet"),
            (b"\x1f\x8b\x08", "stdin.csv.gz"),
            (b"", "stdin.csv"),
        ] {
            let mut source = bytes;
            let path = keep(&mut source, directory.path()).expect("a file");
            assert_eq!(path.file_name().and_then(|name| name.to_str()), Some(name));
            assert_eq!(std::fs::read(path).expect("a file"), bytes);
        }
    }
}
