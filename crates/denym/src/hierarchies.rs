//! Hierarchy files, and directories of them.

use std::path::{Path, PathBuf};

use denym_data::{Column, Hierarchy};
use denym_engine::Engine;

use crate::Error;

/// Reads and checks the hierarchy of `column`; every mistake names the file and the line.
pub(crate) fn from_file(
    engine: &Engine,
    column: &Column,
    file: &Path,
) -> Result<Hierarchy, Vec<Error>> {
    let rows = engine
        .read_hierarchy(file)
        .map_err(|error| vec![Error::Engine(error)])?;
    Hierarchy::from_rows(column, &rows).map_err(|errors| {
        let located = |error| Error::Hierarchy {
            attribute: column.name.clone(),
            file: Some(file.to_owned()),
            error,
        };
        errors.into_iter().map(located).collect()
    })
}

/// The file of `attribute` in `directory`: `<attribute>.csv` or `*hierarchy_<attribute>.csv`.
pub(crate) fn find(directory: &Path, attribute: &str) -> Result<PathBuf, Error> {
    let plain = directory.join(format!("{attribute}.csv"));
    if plain.is_file() {
        return Ok(plain);
    }
    let entries = std::fs::read_dir(directory)
        .map_err(|error| Error::io("read the hierarchies", directory, &error))?;
    let ending = format!("hierarchy_{attribute}.csv");
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.ends_with(&ending))
        })
        .collect();
    found.sort();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::Argument {
            what: format!("there is no hierarchy for `{attribute}`"),
            help: format!("put `{attribute}.csv` or `*{ending}` into the directory of hierarchies"),
        }),
        n => Err(Error::Argument {
            what: format!("{n} files could be the hierarchy of `{attribute}`"),
            help: format!("keep one, called `{attribute}.csv`"),
        }),
    }
}
