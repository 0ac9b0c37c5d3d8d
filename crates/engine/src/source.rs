//! Which files a source means: one file, a directory of them, or a pattern.

use std::path::{Path, PathBuf};

use crate::{Engine, Error, Format};

/// The files that `source` means: itself, those of a directory, those that fit a pattern; in sorted order.
pub fn files(source: impl AsRef<Path>, format: Option<Format>) -> Result<Vec<PathBuf>, Error> {
    resolve(source.as_ref(), format).map(|(files, _)| files)
}

impl Engine {
    /// The files that `source` means; itself when a table is held in memory under its path.
    pub fn files(
        &self,
        source: impl AsRef<Path>,
        format: Option<Format>,
    ) -> Result<Vec<PathBuf>, Error> {
        let source = source.as_ref();
        match self.memory.get(source) {
            Some(_) => Ok(vec![source.to_owned()]),
            None => files(source, format),
        }
    }
}

/// The files of `source` in sorted order and their one format.
pub(crate) fn resolve(
    source: &Path,
    format: Option<Format>,
) -> Result<(Vec<PathBuf>, Format), Error> {
    let not_found = || Error::NotFound {
        path: source.to_owned(),
    };
    let files = if source.is_dir() {
        directory(source, format)?
    } else if source.exists() {
        vec![source.to_owned()]
    } else {
        pattern(source)?
    };
    let first = files.first().ok_or_else(not_found)?;
    let format = match format {
        Some(format) => format,
        None => Format::of(first).ok_or_else(|| Error::UnknownFormat {
            path: first.clone(),
        })?,
    };
    // A single file may have any name; a set of files must agree, or one of them is there by mistake.
    if let Some(other) = files[1..]
        .iter()
        .find(|file| Format::of(file).is_some_and(|other| other != format))
    {
        return Err(Error::MixedFormats {
            path: other.clone(),
        });
    }
    Ok((files, format))
}

/// Files of a known format in `source`, hidden ones and those of other formats left out.
fn directory(source: &Path, format: Option<Format>) -> Result<Vec<PathBuf>, Error> {
    let reading = |error| Error::reading(source, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(source).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']));
        let wanted = match (Format::of(&path), format) {
            (Some(found), Some(asked)) => found == asked,
            (found, _) => found.is_some(),
        };
        if path.is_file() && wanted && !hidden {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn pattern(source: &Path) -> Result<Vec<PathBuf>, Error> {
    let bad = || Error::BadPattern {
        path: source.to_owned(),
    };
    let text = source.to_str().ok_or_else(bad)?;
    if !text.contains(['*', '?', '[']) {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    // As in a shell, `*` does not match hidden files.
    let rules = glob::MatchOptions {
        require_literal_leading_dot: true,
        ..glob::MatchOptions::default()
    };
    for entry in glob::glob_with(text, rules).map_err(|_| bad())? {
        let path = entry.map_err(|error| Error::reading(error.path(), error.error()))?;
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
