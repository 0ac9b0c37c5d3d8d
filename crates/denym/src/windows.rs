//! The two public files of a stream, opened: for whoever checks its windows, attacks them, or looks at what they show.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use denym_data::Table;
use denym_release::windows::{Sightings, VerifiedWindows, Window, walk};

use crate::Error;

/// Name of the chain.
pub(crate) const CERTIFICATES: &str = "certificates.ndjson";
/// Name of the windows.
pub(crate) const WINDOWS: &str = "windows.ndjson";

/// Whether `directory` holds the output of a stream.
pub(crate) fn is_stream(directory: &Path) -> bool {
    directory.join(CERTIFICATES).is_file()
}

/// The chain in `directory`.
pub(crate) fn chain(directory: &Path) -> Result<String, Error> {
    let path = directory.join(CERTIFICATES);
    std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the certificates", &path, &error))
}

/// Walks the chain in `directory` and measures its windows again.
pub(crate) fn verify(directory: &Path) -> Result<VerifiedWindows, Error> {
    let (path, windows) = (directory.join(CERTIFICATES), directory.join(WINDOWS));
    let text = chain(directory)?;
    if !windows.is_file() {
        return walk((&path, &text), None);
    }
    let mut lines = lines(&windows)?;
    walk((&path, &text), Some((&windows, &mut lines)))
}

/// Every published window of the stream in `directory`, whole, one after the other.
pub(crate) fn each(
    directory: &Path,
    mut take: impl FnMut(&Window) -> Result<(), Error>,
) -> Result<(), Error> {
    let path = directory.join(WINDOWS);
    let mut lines = lines(&path)?;
    let mut before: Option<Window> = None;
    while let Some(line) = lines()? {
        let window = Window::of_line(&line, before.as_ref());
        let (window, _) = window.map_err(|_| Error::Bundle {
            what: "a line of the windows is no window",
            path: directory.to_owned(),
        })?;
        take(&window)?;
        before = Some(window);
    }
    Ok(())
}

/// What the windows in `directory` show in the end: a record for each person at each place.
pub(crate) fn table(directory: &Path) -> Result<Table, Error> {
    if !directory.join(WINDOWS).is_file() {
        return Err(Error::Argument {
            what: "the windows of this stream went elsewhere: only their certificates are here"
                .into(),
            help: format!("put them into the directory, a line each, as `{WINDOWS}`"),
        });
    }
    let broken = |what| Error::Bundle {
        what,
        path: directory.to_owned(),
    };
    let mut sightings = Sightings::default();
    each(directory, |window| sightings.take(window).map_err(broken))?;
    sightings.table().map_err(broken)
}

/// The lines of a file, one after the other, without their ends.
fn lines(path: &Path) -> Result<impl FnMut() -> Result<Option<String>, Error>, Error> {
    let failed = move |error: std::io::Error| Error::io("read the windows", path, &error);
    let file = File::open(path).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    Ok(move || {
        let mut line = String::new();
        let read = reader.read_line(&mut line).map_err(failed)?;
        while line.ends_with(['\n', '\r']) {
            line.pop();
        }
        Ok((read > 0).then_some(line))
    })
}
