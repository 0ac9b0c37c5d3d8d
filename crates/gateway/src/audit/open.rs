//! The log before it is written to: the only writer, its owner's alone, its chain followed to the end, half an entry moved aside.

use super::entry::{Cut, Event};
use super::{End, walk};
use crate::decoys::is_open_to_others;
use crate::error::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Half an entry that was found at the end of a log and moved aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Where it is now.
    pub path: PathBuf,
    /// The number that the entry would have had.
    pub entry: u64,
    /// Its length and hash.
    pub piece: Cut,
}

impl Recovered {
    /// What the log itself says of it.
    pub(crate) fn event(&self, at: String) -> Event {
        Event {
            event: "recovered".into(),
            at,
            statement_cut: Some(self.piece.clone()),
            decision: "half-entry-moved-aside".into(),
            ..Event::default()
        }
    }
}

/// A log that is ours.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) entries: u64,
    pub(super) last: String,
    /// Where the next entry goes.
    pub(super) length: u64,
    pub(super) recovered: Option<Recovered>,
}

/// Opens, locks and checks a log.
pub(super) fn open(path: &Path) -> Result<Opened, Error> {
    let failed = Error::file("the audit log");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path).map_err(&failed)?;
    if !file.metadata().map_err(&failed)?.is_file() {
        return Err(failed(ErrorKind::InvalidInput.into()));
    }
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::AuditLocked),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    own(&file)?;
    let walked = walk(&file)?;
    let mut length = walked.bytes;
    let mut recovered = None;
    match walked.end {
        End::Whole => {}
        End::NoNewline => {
            file.seek(SeekFrom::Start(length)).map_err(&failed)?;
            file.write_all(b"\n").map_err(&failed)?;
            length += 1;
        }
        End::Half => recovered = Some(set_aside(&mut file, path, length, walked.entries + 1)?),
        End::Broken => {
            return Err(Error::AuditBroken {
                entry: usize::try_from(walked.entries).unwrap_or(usize::MAX) + 1,
            });
        }
    }
    file.sync_all().map_err(&failed)?;
    sync_directory(path).map_err(&failed)?;
    Ok(Opened {
        file,
        entries: walked.entries,
        last: walked.last,
        length,
        recovered,
    })
}

/// A log holds the constants of statements: what others may read is closed to them, or not used.
fn own(file: &File) -> Result<(), Error> {
    let what = "the audit log";
    if !is_open_to_others(file).map_err(Error::file(what))? {
        return Ok(());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))
            .map_err(|_| Error::Readable { what })?;
    }
    if is_open_to_others(file).map_err(Error::file(what))? {
        return Err(Error::Readable { what });
    }
    Ok(())
}

/// Copies everything after the last entry that holds to a new file, then cuts it off.
fn set_aside(file: &mut File, path: &Path, length: u64, entry: u64) -> Result<Recovered, Error> {
    let failed = Error::file("the audit log");
    let mut piece = Vec::new();
    file.seek(SeekFrom::Start(length)).map_err(&failed)?;
    file.read_to_end(&mut piece).map_err(&failed)?;
    let (mut copy, aside) = beside(path, entry).map_err(&failed)?;
    copy.write_all(&piece)
        .and_then(|()| copy.sync_all())
        .and_then(|()| sync_directory(path))
        .and_then(|()| file.set_len(length))
        .map_err(&failed)?;
    Ok(Recovered {
        path: aside,
        entry,
        piece: Cut::of(&piece),
    })
}

/// A new file `<log>.half-<entry>`, with a letter behind where that is taken.
fn beside(path: &Path, entry: u64) -> std::io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    for more in ["", "-b", "-c", "-d", "-e", "-f", "-g", "-h"] {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".half-{entry}{more}"));
        let aside = PathBuf::from(name);
        match options.open(&aside) {
            Ok(file) => return Ok((file, aside)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Makes a new file's name last.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
