//! Files and directories that only their owner may read, whatever the umask of whoever started the program.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes the directory at `path`, readable by its owner alone from the beginning; one that is there is closed to others.
pub fn directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        outcome => outcome?,
    }
    close(path, 0o700)
}

/// An empty file at `path` for its owner alone, instead of what was there.
pub fn file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    only_owner(&mut options);
    let file = options.open(path)?;
    close(path, 0o600)?;
    Ok(file)
}

/// Writes `content` to `path`, for its owner alone.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut file(path)?, content)
}

/// A file that is made by these options is for its owner alone.
pub(crate) fn only_owner(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Sets the mode of what may have been there before us.
#[cfg(unix)]
pub(crate) fn close(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn close(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}
