//! The secret that salts of unknown users are made from: kept in a file, so that a restart does not tell which users exist.
//!
//! # Idea
//! A real user's salt stays; so must that of a name nobody has, or whoever compares before and after a restart knows who is real. The secret is 32
//! random bytes in `<users file>.decoys`, made at the first start. Where the users file stands in a directory that cannot be
//! written to, it is made beside the audit log.

use crate::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

const WHAT: &str = "the secret of made-up salts (`.decoys`)";

/// The secret: read, or made beside the first of the files that has a place for it.
pub(crate) fn secret(beside: &[&Path]) -> Result<[u8; 32], Error> {
    let places: Vec<PathBuf> = beside.iter().map(|path| place(path)).collect();
    for path in &places {
        match read(path) {
            Err(Error::File {
                kind: ErrorKind::NotFound,
                ..
            }) => {}
            found => return found,
        }
    }
    let mut failed = Error::File {
        what: WHAT,
        kind: ErrorKind::NotFound,
    };
    for path in &places {
        match make(path) {
            Ok(()) => return read(path),
            // another gateway was faster: its secret is ours
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return read(path),
            Err(error) => failed = Error::file(WHAT)(error),
        }
    }
    Err(failed)
}

fn place(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".decoys");
    name.into()
}

fn read(path: &Path) -> Result<[u8; 32], Error> {
    let mut file = File::open(path).map_err(Error::file(WHAT))?;
    if is_open_to_others(&file).map_err(Error::file(WHAT))? {
        return Err(Error::Readable { what: WHAT });
    }
    let mut secret = [0; 32];
    file.read_exact(&mut secret).map_err(Error::file(WHAT))?;
    Ok(secret)
}

/// Written beside and linked into place whole: nobody reads half a secret, and of two makers one wins.
fn make(path: &Path) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!("-{}", u64::from_be_bytes(crate::random::random())));
    let draft = PathBuf::from(draft);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let made = options.open(&draft).and_then(|mut file| {
        file.write_all(&crate::random::random::<32>())?;
        file.sync_all()?;
        std::fs::hard_link(&draft, path)
    });
    let _ = std::fs::remove_file(&draft);
    made
}

/// Whether anybody but the owner may read or write a file.
pub(crate) fn is_open_to_others(file: &File) -> std::io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(file.metadata()?.mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_and_is_the_owner_s_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let users = folder.path().join("users");
        let log = folder.path().join("audit.jsonl");
        let first = secret(&[&users, &log]).expect("made");
        assert_eq!(secret(&[&users, &log]).expect("kept"), first);
        assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1);
        // a directory that is not there is no place for it; the next is
        let nowhere = folder.path().join("absent/users");
        let other = secret(&[&nowhere, &log]).expect("made");
        assert_ne!(other, first);
        assert_eq!(secret(&[&nowhere, &log]).expect("kept"), other);
        assert!(secret(&[&nowhere]).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join("users.decoys");
            let mode = || {
                std::fs::metadata(&path)
                    .expect("there")
                    .permissions()
                    .mode()
            };
            assert_eq!(mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644))
                .expect("widens");
            let error = secret(&[&users]).expect_err("anyone could have read it");
            assert_eq!(error.code(), "readable-by-others");
        }
        // half a secret is none
        std::fs::write(folder.path().join("half.decoys"), b"short").expect("writes");
        assert!(secret(&[&folder.path().join("half")]).is_err());
    }
}
