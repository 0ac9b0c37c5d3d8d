//! Measures any table: every promise's value and every risk, without changing anything.

pub(crate) mod paths;

use std::path::PathBuf;

use denym_data::{Hierarchy, Table};
use denym_engine::{Engine, ReadOptions};
use denym_measure::{Classes, Roles, Survey, SurveyOptions, survey};

use crate::listener::{Listener, Phase};
use crate::policy::suggest;
use crate::{Error, hierarchies};

/// What is to be measured.
#[derive(Debug, Clone, Default)]
pub struct AuditRequest {
    /// File, directory or glob.
    pub data: PathBuf,
    /// How to read it.
    pub read: ReadOptions,
    /// Columns the adversary may know.
    pub quasi: Vec<String>,
    /// Columns the adversary must not learn.
    pub sensitive: Vec<String>,
    /// The column that tells which records belong to one person.
    pub subject: Option<String>,
    /// Look at a generalized view: a level for some quasi-identifiers.
    pub levels: Vec<(String, usize)>,
    /// Directory of hierarchies; those of sensitive attributes serve as taxonomies.
    pub hierarchies: Option<PathBuf>,
    /// Leave out classes with fewer subjects first.
    pub suppress_below: u64,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Measures the table of `request`.
pub fn audit(request: &AuditRequest, listener: &dyn Listener) -> Result<Survey, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    check_roles(request)?;
    let mut options = request.read.clone();
    let wanted = request
        .quasi
        .iter()
        .chain(&request.sensitive)
        .chain(&request.subject);
    options.columns = Some(wanted.cloned().collect());
    let table = engine
        .read(&request.data, &options)
        .map_err(|error| match error {
            denym_engine::Error::UnknownColumn {
                column,
                known,
                path,
            } => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = suggest(&column, &known);
                Error::UnknownColumn {
                    column,
                    place: path.display().to_string(),
                    help,
                }
            }
            error => Error::Engine(error),
        })?;

    listener.phase(Phase::Auditing);
    let table = view(request, &table, &engine)?;
    let taxonomies = taxonomies(request, &table, &engine)?;
    let position = |name: &String| {
        table.position(name).ok_or_else(|| Error::Internal {
            what: "a column that was asked for is not there".into(),
        })
    };
    let roles = Roles {
        quasi: request
            .quasi
            .iter()
            .map(position)
            .collect::<Result<_, _>>()?,
        sensitive: request
            .sensitive
            .iter()
            .map(position)
            .collect::<Result<_, _>>()?,
        subject: request.subject.as_ref().map(position).transpose()?,
    };
    let pool = crate::threads::pool(request.threads)?;
    Ok(pool.install(|| {
        let mut classes = Classes::of(&table, &roles);
        let all = classes.total();
        if request.suppress_below > 0 {
            classes = classes
                .without_small(&table, &roles, request.suppress_below)
                .0;
        }
        let options = SurveyOptions {
            suppressed: all - classes.total(),
            taxonomies: taxonomies.iter().map(Option::as_ref).collect(),
            population: None,
        };
        survey(&classes, &options)
    }))
}

/// Every column has one role, and levels belong to quasi-identifiers.
fn check_roles(request: &AuditRequest) -> Result<(), Error> {
    let asked = request
        .quasi
        .iter()
        .chain(&request.sensitive)
        .chain(&request.subject);
    let mut seen: Vec<&String> = Vec::new();
    for column in asked {
        if seen.contains(&column) {
            return Err(Error::Argument {
                what: format!("column `{column}` is given twice"),
                help: "give each column one role".into(),
            });
        }
        seen.push(column);
    }
    for (column, _) in &request.levels {
        if !request.quasi.contains(column) {
            let quasi: Vec<&str> = request.quasi.iter().map(String::as_str).collect();
            return Err(Error::Argument {
                what: format!("`{column}` has a level but is no quasi-identifier"),
                help: suggest(column, &quasi),
            });
        }
    }
    Ok(())
}

/// The table with every quasi-identifier at its level.
fn view(request: &AuditRequest, table: &Table, engine: &Engine) -> Result<Table, Error> {
    let mut columns = Vec::with_capacity(table.columns().len());
    for column in table.columns() {
        let level = request
            .levels
            .iter()
            .find(|(name, _)| *name == column.name)
            .map_or(0, |(_, level)| *level);
        if level == 0 {
            columns.push(column.clone());
            continue;
        }
        let Some(directory) = &request.hierarchies else {
            return Err(Error::Argument {
                what: "levels need hierarchies".into(),
                help: "add `--hierarchies DIR`".into(),
            });
        };
        let file = hierarchies::find(directory, &column.name)?;
        let hierarchy = hierarchies::from_file(engine, column, &file).map_err(Error::several)?;
        if level >= hierarchy.height() {
            return Err(Error::Argument {
                what: format!("`{}` has no level {level}", column.name),
                help: format!("use a level from 0 to {}", hierarchy.height() - 1),
            });
        }
        columns.push(denym_measure::generalized(column, &hierarchy, level));
    }
    Ok(Table::new(columns)?)
}

/// A taxonomy for each sensitive attribute that has a file.
fn taxonomies(
    request: &AuditRequest,
    table: &Table,
    engine: &Engine,
) -> Result<Vec<Option<Hierarchy>>, Error> {
    request
        .sensitive
        .iter()
        .map(|name| {
            let (Some(directory), Some(column)) = (&request.hierarchies, table.column(name)) else {
                return Ok(None);
            };
            match hierarchies::find(directory, name) {
                Ok(file) => hierarchies::from_file(engine, column, &file)
                    .map(Some)
                    .map_err(Error::several),
                Err(_) => Ok(None),
            }
        })
        .collect()
}
