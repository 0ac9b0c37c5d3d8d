//! Writes a bundle beside its target and moves it there in one step, so that nothing half-written is ever seen.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use denym_engine::private;

use crate::Error;
use crate::policy::Policy;

/// Bundles under construction, removed when the process is told to end at once.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes every bundle under construction; for the handler of a second Ctrl-C.
pub fn remove_unfinished() {
    let paths = UNFINISHED
        .lock()
        .map(|mut paths| std::mem::take(&mut *paths))
        .unwrap_or_default();
    for path in paths {
        // The process ends either way.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Writes the files of a bundle that a program holds in memory, each under its place such as `release/certificate.json`: beside
/// the target first, moved there in one step, with the permissions that a bundle has.
pub fn write_bundle<'a>(
    target: &Path,
    replace: bool,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<PathBuf, Error> {
    let draft = Draft::new(target, replace)?;
    for (place, content) in files {
        let path = draft.path(place);
        let parent = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent)
            .map_err(|error| Error::io("create a directory", parent, &error))?;
        draft.write(place, content)?;
    }
    draft.finish()
}

/// What the names of bundles under construction begin with.
pub(crate) const PREFIX: &str = ".denym-";

/// A bundle under construction: a temporary directory beside the target.
#[derive(Debug)]
pub(crate) struct Draft {
    directory: Option<tempfile::TempDir>,
    target: PathBuf,
    replace: bool,
}

impl Draft {
    /// Begins a bundle at `target`, which must not exist unless it may be replaced.
    pub(crate) fn new(target: &Path, replace: bool) -> Result<Draft, Error> {
        if target.exists() && !replace {
            return Err(Error::Exists {
                path: target.to_owned(),
            });
        }
        if replace && target.exists() && !is_bundle(target) {
            return Err(Error::Argument {
                what: "the output directory exists and is not a bundle, so it is not replaced"
                    .into(),
                help: "choose another directory with -o, or remove it yourself".into(),
            });
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        std::fs::create_dir_all(&parent)
            .map_err(|error| Error::io("create the output directory", &parent, &error))?;
        let directory = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(&parent)
            .map_err(|error| Error::io("create a directory beside the target", &parent, &error))?;
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.push(directory.path().to_owned());
        }
        let draft = Draft {
            directory: Some(directory),
            target: target.to_owned(),
            replace,
        };
        // Nobody else looks into either while it is made; the one half is opened when it is finished.
        for half in ["release", "steward"] {
            let path = draft.path(half);
            private::directory(&path)
                .map_err(|error| Error::io("create a directory", &path, &error))?;
        }
        Ok(draft)
    }

    /// The path of a file of the bundle.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.directory
            .as_ref()
            .map_or_else(PathBuf::new, |directory| directory.path().join(relative))
    }

    /// Writes a file of the bundle.
    pub(crate) fn write(&self, relative: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.path(relative);
        private::write(&path, content)
            .map_err(|error| Error::io("write a file of the bundle", &path, &error))
    }

    /// Writes the policy and copies of the hierarchies it names, so that the bundle explains itself wherever it is moved.
    pub(crate) fn policy(&self, policy: &Policy) -> Result<(), Error> {
        self.write("steward/policy.toml", policy.text.as_bytes())?;
        for file in policy.hierarchy_files() {
            let from = policy.resolve(file);
            let to = self.path("steward").join(Policy::copy_of(file));
            let copied = match to.parent() {
                Some(directory) => std::fs::create_dir_all(directory),
                None => Ok(()),
            };
            copied
                .and_then(|()| std::fs::read(&from))
                .and_then(|bytes| private::write(&to, &bytes))
                .map_err(|error| Error::io("copy a hierarchy into the bundle", &from, &error))?;
        }
        Ok(())
    }

    /// The target from the root.
    pub(crate) fn absolute_target(&self) -> Result<PathBuf, Error> {
        absolute(&self.target)
    }

    /// Moves the bundle to its target.
    pub(crate) fn finish(self) -> Result<PathBuf, Error> {
        self.settled()?.moved()
    }

    /// The whole bundle beside its target, with its modes, on the disk; only [`Closed::finish`] keeps it.
    pub(crate) fn close(self) -> Result<Closed, Error> {
        let closed = self.settled()?;
        let synced = sync_all(&closed.path).and_then(|()| {
            closed.path.parent().map_or(Ok(()), |parent| {
                let parent = if parent.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    parent
                };
                std::fs::File::open(parent).and_then(|file| file.sync_all())
            })
        });
        synced.map_err(|error| Error::io("write the bundle to the disk", &closed.path, &error))?;
        Ok(closed)
    }

    /// The whole bundle beside its target, with its modes.
    fn settled(mut self) -> Result<Closed, Error> {
        let Some(directory) = self.directory.take() else {
            return Err(Error::Internal {
                what: "a bundle was finished twice".into(),
            });
        };
        // Whatever the umask: one half is for everybody, the other for the steward alone.
        set_modes(&directory.path().join("release"), 0o755, 0o644)?;
        set_modes(&directory.path().join("steward"), 0o700, 0o600)?;
        set_mode(directory.path(), 0o755)?;
        Ok(Closed {
            path: directory.path().to_owned(),
            directory: Some(directory),
            target: self.target.clone(),
            replace: self.replace,
        })
    }
}

/// A whole bundle that is not yet in its place; it goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Closed {
    directory: Option<tempfile::TempDir>,
    path: PathBuf,
    target: PathBuf,
    replace: bool,
}

impl Closed {
    /// Where it is, from the root.
    pub(crate) fn path(&self) -> Result<PathBuf, Error> {
        absolute(&self.path)
    }

    /// Where it goes, from the root.
    pub(crate) fn target(&self) -> Result<PathBuf, Error> {
        absolute(&self.target)
    }

    /// Moves it to its place, on the disk.
    pub(crate) fn finish(self) -> Result<PathBuf, Error> {
        let target = self.moved()?;
        if cfg!(unix) {
            let parent = absolute(&target)?;
            let parent = parent.parent().unwrap_or(Path::new("/"));
            std::fs::File::open(parent)
                .and_then(|file| file.sync_all())
                .map_err(|error| Error::io("write the bundle to the disk", parent, &error))?;
        }
        Ok(target)
    }

    fn moved(mut self) -> Result<PathBuf, Error> {
        let Some(directory) = self.directory.take() else {
            return Err(Error::Internal {
                what: "a bundle was moved twice".into(),
            });
        };
        let path = directory.keep();
        let moved = if self.replace && self.target.exists() {
            let old = path.with_extension("old");
            let moved = std::fs::rename(&self.target, &old)
                .and_then(|()| std::fs::rename(&path, &self.target));
            if moved.is_ok() {
                // The new bundle is in place; what is left of the old one is only in the way.
                let _ = std::fs::remove_dir_all(&old);
            }
            moved
        } else {
            std::fs::rename(&path, &self.target)
        };
        forget(&path);
        moved.map_err(|error| {
            let _ = std::fs::remove_dir_all(&path);
            Error::io("move the bundle to its place", &self.target, &error)
        })?;
        Ok(self.target.clone())
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        drop_directory(&mut self.directory);
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        drop_directory(&mut self.directory);
    }
}

fn drop_directory(directory: &mut Option<tempfile::TempDir>) {
    if let Some(directory) = directory.take() {
        let path = directory.path().to_owned();
        drop(directory);
        forget(&path);
    }
}

/// `path` from the root; it need not exist.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error: std::io::Error| Error::io("find the output directory", path, &error);
    let whole = std::path::absolute(path).map_err(failed)?;
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize().map_err(failed)?.join(name)),
        _ => Ok(whole),
    }
}

/// Writes every file and directory below `path` to the disk.
fn sync_all(path: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?.path();
        if entry.is_dir() {
            sync_all(&entry)?;
        } else {
            std::fs::File::open(&entry)?.sync_all()?;
        }
    }
    if cfg!(unix) {
        std::fs::File::open(path)?.sync_all()?;
    }
    Ok(())
}

fn forget(path: &Path) {
    if let Ok(mut paths) = UNFINISHED.lock() {
        paths.retain(|other| other != path);
    }
}

/// Whether `path` looks like a bundle of ours, which `--force` may replace.
fn is_bundle(path: &Path) -> bool {
    path.join("release").join("certificate.json").is_file()
}

/// Sets the modes of a directory, of those in it and of their files.
fn set_modes(path: &Path, directory: u32, file: u32) -> Result<(), Error> {
    let reading = |error| Error::io("set permissions", path, &error);
    for entry in std::fs::read_dir(path).map_err(reading)? {
        let entry = entry.map_err(reading)?.path();
        if entry.is_dir() {
            set_modes(&entry, directory, file)?;
        } else {
            set_mode(&entry, file)?;
        }
    }
    set_mode(path, directory)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(|error| Error::io("set permissions", path, &error))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<(), Error> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_seen_until_it_is_finished() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("bundle");
        let draft = Draft::new(&target, false).unwrap();
        draft.write("release/certificate.json", b"{}").unwrap();
        assert!(!target.exists());
        drop(draft);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);

        let draft = Draft::new(&target, false).unwrap();
        draft.write("release/certificate.json", b"{}").unwrap();
        draft.finish().unwrap();
        assert!(target.join("release/certificate.json").is_file());
        assert!(matches!(
            Draft::new(&target, false),
            Err(Error::Exists { .. })
        ));
        let draft = Draft::new(&target, true).unwrap();
        draft.write("release/certificate.json", b"[]").unwrap();
        draft.finish().unwrap();
        assert_eq!(
            std::fs::read(target.join("release/certificate.json")).unwrap(),
            b"[]"
        );
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn force_replaces_only_bundles() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("precious"), "x").unwrap();
        assert!(Draft::new(root.path(), true).is_err());
        assert!(root.path().join("precious").exists());
    }
}
