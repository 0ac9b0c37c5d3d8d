//! Which values of a column a hierarchy does not cover.

use std::path::{Path, PathBuf};

use denym_data::{Hierarchy, HierarchyMistake, HierarchyRow, ReadyMade};
use denym_engine::{Engine, ReadOptions};

use crate::compare::table_of;
use crate::hierarchies::{column_of, csv};
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What is to cover a column.
#[derive(Debug, Clone)]
pub enum HierarchySource {
    /// A CSV file: one row per value, a column per level.
    File(PathBuf),
    /// One that was written from public facts.
    ReadyMade(&'static ReadyMade),
}

impl HierarchySource {
    /// The file at `text`, or the ready-made hierarchy of this name.
    pub fn parse(text: &str) -> Result<HierarchySource, Error> {
        let path = Path::new(text);
        if path.is_file() {
            return Ok(HierarchySource::File(path.to_owned()));
        }
        if let Some(ready) = ReadyMade::named(text) {
            return Ok(HierarchySource::ReadyMade(ready));
        }
        let names: Vec<&str> = ReadyMade::all().iter().map(|ready| ready.name).collect();
        Err(Error::Argument {
            what: format!("`{text}` is neither a file nor a ready-made hierarchy"),
            help: format!("ready-made are {}", names.join(", ")),
        })
    }
}

/// How far a hierarchy covers a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyCheck {
    /// Distinct values of the column, without the missing one.
    pub distinct: usize,
    /// Records of the data.
    pub records: u64,
    /// Levels above the values.
    pub levels: usize,
    /// Values that are not covered with how many records have them, the most frequent first. These are cells of the data: for a
    /// file of the steward's, never for a terminal or a log.
    pub uncovered: Vec<(String, u64)>,
}

impl HierarchyCheck {
    /// Records whose value is not covered.
    pub fn uncovered_records(&self) -> u64 {
        self.uncovered.iter().map(|(_, records)| records).sum()
    }

    /// Writes the values that are not covered to `file`, for its owner alone: the value, then its records.
    pub fn write_uncovered(&self, file: &Path) -> Result<(), Error> {
        let counts: Vec<String> = self.uncovered.iter().map(|(_, n)| n.to_string()).collect();
        let rows = self.uncovered.iter().zip(&counts);
        let rows = rows.map(|((value, _), count)| [value.as_str(), count.as_str()]);
        let header = std::iter::once(["value", "records"]);
        denym_engine::private::write(file, csv(header.chain(rows)).as_bytes())
            .map_err(|error| Error::io("write the values", file, &error))
    }
}

/// Looks which values of `column` in the data at `path` the hierarchy does not cover; every other mistake of it is an error.
pub fn check_hierarchy(
    path: &Path,
    options: &ReadOptions,
    column: &str,
    hierarchy: &HierarchySource,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<HierarchyCheck, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = table_of(&engine, path, options)?;
    let column = column_of(&table, column, path)?;
    listener.phase(Phase::Auditing);
    let mut counts = vec![0_u64; column.dictionary.len()];
    threads::pool(threads)?.install(|| {
        for &code in &column.codes {
            counts[code as usize] += 1;
        }
    });
    let (levels, covered): (usize, Vec<bool>) = match hierarchy {
        HierarchySource::ReadyMade(ready) => (
            ready.levels.len() + 1,
            column
                .dictionary
                .values()
                .map(|value| ready.labels(value).is_some())
                .collect(),
        ),
        HierarchySource::File(file) => {
            let rows = engine.read_hierarchy(file)?;
            if let Err(errors) = Hierarchy::from_rows(column, &rows) {
                let others: Vec<Error> = errors
                    .into_iter()
                    .filter(|error| !is_missing(error))
                    .map(|error| Error::Hierarchy {
                        attribute: column.name.clone(),
                        file: Some(file.clone()),
                        error,
                    })
                    .collect();
                if !others.is_empty() {
                    return Err(Error::several(others));
                }
            }
            let leaf = |row: &HierarchyRow| row.labels.first().cloned();
            let known: std::collections::HashSet<String> = rows.iter().filter_map(leaf).collect();
            let levels = rows
                .first()
                .map_or(0, |row| row.labels.len().saturating_sub(1));
            (
                levels,
                column
                    .dictionary
                    .values()
                    .map(|value| known.contains(value))
                    .collect(),
            )
        }
    };
    let mut uncovered: Vec<(String, u64)> = column
        .dictionary
        .values()
        .zip(&covered)
        .zip(&counts)
        .filter(|((_, covered), _)| !**covered)
        .map(|((value, _), &count)| (value.to_owned(), count))
        .collect();
    uncovered.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(HierarchyCheck {
        distinct: covered.len(),
        records: table.records() as u64,
        levels,
        uncovered,
    })
}

fn is_missing(error: &denym_data::Error) -> bool {
    matches!(
        error,
        denym_data::Error::Hierarchy {
            mistake: HierarchyMistake::MissingValues { .. },
            ..
        }
    )
}
