//! Hierarchy files, and directories of them.

use std::path::{Path, PathBuf};

use denym_data::{Column, Hierarchy, HierarchyMistake, ReadyMade, Table};
use denym_engine::Engine;

use crate::Error;
use crate::policy::{names_to_show, suggest_column};

/// Reads and checks the hierarchy of `column`; every mistake names the file and the line.
pub(crate) fn from_file(
    engine: &Engine,
    column: &Column,
    file: &Path,
) -> Result<Hierarchy, Vec<Error>> {
    let mut rows = engine
        .read_hierarchy(file)
        .map_err(|error| vec![Error::Engine(error)])?;
    // The file names all values as the source writes them, or all in their plain form: where `1.234` is the one thousand of the one
    // and the one and a bit of the other, no row may be taken for itself.
    if let Some(notation) = engine.notation_of(&column.name) {
        let known = |label: &str| column.dictionary.code_of(label).is_some();
        let labels = rows.iter().filter_map(|row| row.labels.first());
        let as_they_are = labels.clone().filter(|label| known(label)).count();
        let read = labels.filter_map(|label| notation.plain(label));
        if read.filter(|label| known(label)).count() > as_they_are {
            for label in rows.iter_mut().filter_map(|row| row.labels.first_mut()) {
                if let Some(plain) = notation.plain(label) {
                    *label = plain;
                }
            }
        }
    }
    Hierarchy::from_rows(column, &rows).map_err(|errors| {
        let located = |error| Error::Hierarchy {
            attribute: column.name.clone(),
            file: Some(file.to_owned()),
            error,
        };
        errors.into_iter().map(located).collect()
    })
}

/// The ready-made hierarchy of this name, for `column`.
pub(crate) fn ready_made(column: &Column, name: &str) -> Result<Hierarchy, denym_data::Error> {
    match ReadyMade::named(name) {
        Some(ready) => Hierarchy::ready_made(column, ready),
        None => Err(denym_data::Error::Hierarchy {
            line: None,
            mistake: HierarchyMistake::BadParameters {
                what: "there is no ready-made hierarchy of this name",
            },
        }),
    }
}

/// The column called `name` of the data at `path`; the mistake says what it may be called instead.
pub(crate) fn column_of<'a>(
    table: &'a Table,
    name: &str,
    path: &Path,
) -> Result<&'a Column, Error> {
    table.column(name).ok_or_else(|| Error::UnknownColumn {
        column: name.to_owned(),
        place: path.display().to_string(),
        help: suggest_column(name, &names_to_show(table)),
    })
}

/// Rows as a CSV file without names of columns.
pub(crate) fn csv<'a, Row: IntoIterator<Item = &'a str>>(
    rows: impl IntoIterator<Item = Row>,
) -> String {
    let mut text = String::new();
    for row in rows {
        for (at, cell) in row.into_iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            if cell.contains([',', ';', '"', '\n', '\r']) || cell.is_empty() {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(cell);
            }
        }
        text.push('\n');
    }
    text
}

/// The file of `attribute` in `directory`: `<attribute>.csv` or `*hierarchy_<attribute>.csv`.
pub(crate) fn find(directory: &Path, attribute: &str) -> Result<PathBuf, Error> {
    let plain = directory.join(format!("{attribute}.csv"));
    if plain.is_file() {
        return Ok(plain);
    }
    choose(&files_in(directory)?, attribute)
}

/// The files of a directory, in the order of their names.
pub(crate) fn files_in(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| Error::io("read the hierarchies", directory, &error))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    Ok(files)
}

/// The one among these files that is the hierarchy of `attribute` by its name.
pub(crate) fn choose(files: &[PathBuf], attribute: &str) -> Result<PathBuf, Error> {
    let named = |fits: &dyn Fn(&str) -> bool| -> Vec<&PathBuf> {
        files
            .iter()
            .filter(|path| {
                path.file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(fits)
            })
            .collect()
    };
    let plain = format!("{attribute}.csv");
    let ending = format!("hierarchy_{plain}");
    if let [file] = named(&|name| name == plain)[..] {
        return Ok(file.clone());
    }
    match named(&|name| name.ends_with(&ending))[..] {
        [file] => Ok(file.clone()),
        [] => Err(Error::Argument {
            what: format!("there is no hierarchy for `{attribute}`"),
            help: format!("put `{attribute}.csv` or `*{ending}` into the directory of hierarchies"),
        }),
        ref several => Err(Error::Argument {
            what: format!(
                "{} files could be the hierarchy of `{attribute}`",
                several.len()
            ),
            help: format!("keep one, called `{attribute}.csv`"),
        }),
    }
}
