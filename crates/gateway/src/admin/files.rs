//! Files that are replaced whole: under a lock, beside their target, synced, then renamed.
//!
//! # Guarantee
//! Whoever reads the file sees the old text or the new one, also after a crash at any moment. Two writers wait for each other, so that neither
//! loses the other's change. A new file is readable by its owner only; a replaced one keeps its permissions and owner. Its time of change
//! always grows, so that a reader who compares times cannot miss a change.

use super::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A right to change the files of a directory; others wait.
pub(crate) struct Lock {
    _directory: Option<File>,
}

/// Waits for the right to change a file.
pub(crate) fn lock(what: &'static str, path: &Path) -> Result<Lock, Error> {
    let failed = Error::file("write", what, path);
    let directory = if cfg!(unix) {
        let directory = File::open(parent(path)).map_err(&failed)?;
        directory.lock().map_err(&failed)?;
        Some(directory)
    } else {
        // directories cannot be locked there
        None
    };
    Ok(Lock {
        _directory: directory,
    })
}

/// The text of a file; `None` when there is none.
pub(crate) fn read(what: &'static str, path: &Path) -> Result<Option<String>, Error> {
    // devices and pipes are not replaced, and some never end
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        let error = std::io::Error::from(std::io::ErrorKind::InvalidInput);
        return Err(Error::file("use", what, path)(error));
    }
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", what, path)(error)),
    }
}

/// The text of a file that must be there.
pub(crate) fn need(what: &'static str, path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(Error::file("read", what, path))
}

/// Replaces a file, or makes it. `secret` files are their owner's alone, whatever they were before.
pub(crate) fn replace(
    _lock: &Lock,
    what: &'static str,
    path: &Path,
    text: &str,
    secret: bool,
) -> Result<(), Error> {
    let failed = Error::file("write", what, path);
    // through a symbolic link to the file itself, or the link would be replaced
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let draft = parent(&target).join(format!(".{name}.denym-new"));
    // left by a crash: nobody else writes while we hold the lock
    let _ = std::fs::remove_file(&draft);
    let written = write_draft(&draft, &target, text, secret)
        .and_then(|()| std::fs::rename(&draft, &target))
        .and_then(|()| sync_directory(&target));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        failed(error)
    })
}

fn write_draft(draft: &Path, target: &Path, text: &str, secret: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(draft)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = std::fs::metadata(target) {
        keep_owner(&file, &before, secret)?;
        let old = before.modified()?;
        if file.metadata()?.modified()? <= old {
            file.set_modified(old + Duration::from_millis(1))?;
        }
    }
    file.sync_all()
}

#[cfg(unix)]
fn keep_owner(file: &File, before: &std::fs::Metadata, secret: bool) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        fchown(file, Some(before.uid()), Some(before.gid()))?;
    }
    let mode = if secret { 0o600 } else { before.mode() & 0o777 };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &std::fs::Metadata, _: bool) -> std::io::Result<()> {
    Ok(())
}

/// Makes the rename itself last.
fn sync_directory(target: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        File::open(parent(target))?.sync_all()?;
    }
    Ok(())
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_newer_and_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let write = |text: &str, secret: bool| {
            let lock = lock("a file", &path).expect("locks");
            replace(&lock, "a file", &path, text, secret).expect("writes");
            std::fs::metadata(&path).expect("is there")
        };
        let mut last = write("0", false).modified().expect("a time");
        for round in 1..50 {
            let next = write(&(round % 10).to_string(), false)
                .modified()
                .expect("a time");
            assert!(next > last);
            last = next;
        }
        let entries = std::fs::read_dir(folder.path()).expect("reads").count();
        assert_eq!(entries, 1, "no draft is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |meta: std::fs::Metadata| meta.permissions().mode() & 0o777;
            assert_eq!(mode(write("x", false)), 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("sets");
            assert_eq!(mode(write("y", false)), 0o640);
            assert_eq!(mode(write("z", true)), 0o600);
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).expect("links");
            let lock = lock("a file", &link).expect("locks");
            replace(&lock, "a file", &link, "through", false).expect("writes");
            assert!(link.is_symlink());
            assert_eq!(std::fs::read_to_string(&path).expect("reads"), "through");
        }
    }
}
