//! From a file of paths, long, wide or raw points, to codes: each distinct text is looked at once.

use std::path::Path;

use denym_data::paths::{Attribute, Paths, PathsError};
use denym_data::{Column, Role, Table};
use denym_engine::{Engine, ReadOptions};

use super::columns::{Columns, guess, unknown_columns};
use super::events::{Events, group};
use super::points::slots;
use super::wide::{one_record_each, wide};
use super::{PathForm, sensitive_attributes};
use denym_measure::SensitiveAttribute;

use crate::Error;
use crate::policy::paths::{PathColumns, PathsSpec};
use crate::policy::{HierarchySpec, Policy};

/// Paths and what is published beside them.
pub(crate) struct PathTable {
    /// How the release is laid out: as the source, points as events.
    pub(crate) form: PathForm,
    /// One record per subject, with sensitive attributes and quasi-identifiers.
    pub(crate) paths: Paths,
    /// The sensitive attributes as promises see them.
    pub(crate) sensitive: Vec<SensitiveAttribute>,
    /// Attributes beside the path, a code per record, in the source's order.
    pub(crate) attributes: Vec<Column>,
    /// Every published column in the source's order.
    pub(crate) order: Vec<String>,
    /// Whose record it is, where the source tells; never published.
    pub(crate) subjects: Option<Column>,
}

/// What is read of a path file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Columns whose names are not the usual ones.
    pub(crate) columns: PathColumns,
    /// Whether staying at a place is more than one event.
    pub(crate) keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub(crate) several_places: bool,
    /// Side of a grid cell in meters.
    pub(crate) grid: Option<f64>,
    /// Length of a slot in seconds.
    pub(crate) slot: Option<i64>,
    /// Sensitive attributes.
    pub(crate) sensitive: Vec<String>,
    /// Quasi-identifiers.
    pub(crate) quasi: Vec<String>,
    /// Attributes that are published and neither of these.
    pub(crate) other: Vec<String>,
}

/// What a policy reads of its data.
pub(crate) fn wanted(policy: &Policy, spec: &PathsSpec) -> Wanted {
    let named = |role: Role| -> Vec<String> {
        policy
            .with_role(role)
            .map(|spec| spec.name.clone())
            .collect()
    };
    Wanted {
        columns: spec.columns.clone(),
        keep_repeats: spec.keep_repeats,
        several_places: spec.several_places,
        grid: spec.grid,
        slot: spec.slot,
        sensitive: named(Role::Sensitive),
        quasi: named(Role::QuasiIdentifier),
        other: named(Role::Insensitive),
    }
}

/// Reads the paths that a policy speaks of.
pub(crate) fn read(policy: &Policy, engine: &Engine) -> Result<PathTable, Error> {
    let Some(spec) = &policy.paths else {
        return Err(Error::Internal {
            what: "a policy about paths without their part".into(),
        });
    };
    let wanted = wanted(policy, spec);
    let mut options = crate::source::read_options(policy);
    let identifiers = policy.with_role(Role::Identifier);
    options.expected = identifiers.map(|spec| spec.name.clone()).collect();
    let location = crate::source::location(policy);
    let mut table =
        read_columns(engine, &location, options, &wanted).map_err(|error| match error {
            Error::Engine(denym_engine::Error::UnknownColumn { known, .. }) => {
                unknown_columns(policy, &spec.columns, &known)
            }
            error => error,
        })?;
    table.sensitive = described(policy, &table.paths, &table.attributes, engine)?;
    Ok(table)
}

/// The sensitive attributes beside sequences with their distribution and, where the policy names one, their taxonomy.
pub(crate) fn described(
    policy: &Policy,
    table: &Paths,
    columns: &[Column],
    engine: &Engine,
) -> Result<Vec<SensitiveAttribute>, Error> {
    let mut all = sensitive_attributes(table);
    for own in &mut all {
        let spec = policy.attributes.iter().find(|spec| spec.name == own.name);
        let column = columns.iter().find(|column| column.name == own.name);
        if let (Some(spec), Some(column)) = (spec, column)
            && spec.hierarchy != HierarchySpec::Flat
        {
            let tree = crate::plan::hierarchy(policy, spec, column, engine);
            own.taxonomy = Some(tree.map_err(Error::several)?);
        }
    }
    Ok(all)
}

/// Reads paths; an unknown column is the engine's error, with the columns there are.
pub(crate) fn read_columns(
    engine: &Engine,
    path: &Path,
    mut options: ReadOptions,
    wanted: &Wanted,
) -> Result<PathTable, Error> {
    let attributes = [&wanted.sensitive[..], &wanted.quasi, &wanted.other].concat();
    let mut read = |columns: &Columns| {
        options.columns = Some([columns.names(), attributes.clone()].concat());
        engine.read(path, &options)
    };
    let mut columns = guess(&wanted.columns, None);
    let table = match read(&columns) {
        Err(denym_engine::Error::UnknownColumn { known, .. })
            if guess(&wanted.columns, Some(&known)) != columns =>
        {
            columns = guess(&wanted.columns, Some(&known));
            read(&columns)?
        }
        table => table?,
    };
    code(path, &table, &columns, wanted)
}

/// A table as paths, exactly as a release shows them: nothing collapses, nothing is cut into slots.
pub(crate) fn read_released(
    path: &Path,
    table: &Table,
    form: &PathForm,
    sensitive: &[String],
    quasi: &[String],
) -> Result<Paths, Error> {
    let columns = match form {
        PathForm::Long {
            subject,
            location,
            time,
        } => Columns::Long {
            subject: subject.clone(),
            place: vec![location.clone()],
            time: time.clone(),
        },
        PathForm::Wide { path } => Columns::Wide {
            path: path.clone(),
            subject: None,
        },
    };
    let wanted = Wanted {
        keep_repeats: true,
        several_places: true,
        sensitive: sensitive.to_vec(),
        quasi: quasi.to_vec(),
        ..Wanted::default()
    };
    for name in columns.names().iter().chain(sensitive).chain(quasi) {
        if table.column(name).is_none() {
            return Err(Error::Bundle {
                what: "the data lacks a column of the certificate",
                path: path.to_owned(),
            });
        }
    }
    Ok(code(path, table, &columns, &wanted)?.paths)
}

/// Codes a table.
fn code(
    path: &Path,
    table: &Table,
    columns: &Columns,
    wanted: &Wanted,
) -> Result<PathTable, Error> {
    let column = |name: &str| {
        table.column(name).ok_or_else(|| Error::Internal {
            what: "a column that was asked for is not there".into(),
        })
    };
    let mut order: Vec<String> = table.columns().iter().map(|c| c.name.clone()).collect();
    let beside = [&wanted.sensitive[..], &wanted.quasi, &wanted.other].concat();
    let (form, paths, attributes, subjects) = match columns {
        Columns::Wide {
            path: name,
            subject,
        } => {
            let mut subjects = None;
            if let Some(subject) = subject {
                order.retain(|column| column != subject);
                one_record_each(path, column(subject)?)?;
                subjects = Some(column(subject)?.clone());
            }
            let paths = wide(path, column(name)?, wanted.several_places)?;
            let attributes = table.columns().iter().filter(|c| beside.contains(&c.name));
            let form = PathForm::Wide { path: name.clone() };
            (form, paths, attributes.cloned().collect(), subjects)
        }
        Columns::Long {
            subject,
            place,
            time,
        } => {
            let mut location = place[0].clone();
            let slotted;
            let table = if wanted.slot.is_some() || place.len() == 2 {
                if place.len() == 2 {
                    "location".clone_into(&mut location);
                    order.retain(|column| *column != place[1]);
                    for name in &mut order {
                        if *name == place[0] {
                            name.clone_from(&location);
                        }
                    }
                }
                slotted = slots(path, table, columns, &location, wanted)?;
                &slotted
            } else {
                table
            };
            let find = |name: &str| {
                table.column(name).ok_or_else(|| Error::Internal {
                    what: "a column of events is not there".into(),
                })
            };
            let events = Events {
                subject: find(subject)?,
                location: find(&location)?,
                time: find(time)?,
                keep_repeats: wanted.keep_repeats,
                several_places: wanted.several_places,
            };
            complete(path, &events)?;
            let grouped = group(&events).map_err(|error| at_row(path, error, |row| row))?;
            let mut attributes = Vec::new();
            for column in table.columns().iter().filter(|c| beside.contains(&c.name)) {
                attributes.push(per_record(path, column, &grouped.starts, &grouped.rows)?);
            }
            let form = PathForm::Long {
                subject: subject.clone(),
                location,
                time: time.clone(),
            };
            let first =
                |pair: &[u32]| events.subject.codes[grouped.rows[pair[0] as usize] as usize];
            let subjects = Column {
                name: subject.clone(),
                dictionary: events.subject.dictionary.clone(),
                codes: grouped.starts.windows(2).map(first).collect(),
            };
            (form, grouped.paths, attributes, Some(subjects))
        }
    };
    let mut paths = paths;
    for (names, is_quasi) in [(&wanted.sensitive, false), (&wanted.quasi, true)] {
        for name in names {
            let column = attributes
                .iter()
                .find(|column: &&Column| column.name == *name);
            let attribute = attribute(column.ok_or_else(|| Error::Internal {
                what: "an attribute that was asked for is not there".into(),
            })?);
            paths = if is_quasi {
                paths.with_quasi(attribute)?
            } else {
                paths.with_sensitive(attribute)?
            };
        }
    }
    Ok(PathTable {
        form,
        sensitive: sensitive_attributes(&paths),
        paths,
        attributes,
        order,
        subjects,
    })
}

/// A column as an attribute; what is missing is the empty label.
pub(crate) fn attribute(column: &Column) -> Attribute {
    let dictionary = &column.dictionary;
    Attribute {
        name: column.name.clone(),
        values: (0..dictionary.len() as u32)
            .map(|code| dictionary.text(code).unwrap_or_default().to_owned())
            .collect(),
        codes: column.codes.clone(),
    }
}

/// A mistake in paths with its row counted from 1, as people do; `row_of` turns what was counted into a row of the file.
pub(super) fn at_row(path: &Path, error: PathsError, row_of: impl Fn(usize) -> usize) -> Error {
    let error = match error {
        PathsError::NoTime { row, position } => PathsError::NoTime {
            row: row_of(row) + 1,
            position,
        },
        PathsError::TwoPlaces { row } => PathsError::TwoPlaces {
            row: row_of(row) + 1,
        },
        PathsError::OffGlobe { row } => PathsError::OffGlobe {
            row: row_of(row) + 1,
        },
        other => other,
    };
    Error::Paths {
        place: path.to_owned(),
        error,
    }
}

/// Every event has a subject, and a place and a time or neither.
fn complete(path: &Path, events: &Events<'_>) -> Result<(), Error> {
    let missing = |column: &Column, row: usize| Error::PathCell {
        place: path.to_owned(),
        column: column.name.clone(),
        row: row + 1,
        what: "is missing",
        help: "an event has a subject, a place and a time; drop the row, or fill it",
    };
    let gone = |column: &Column| column.dictionary.missing();
    if let Some(code) = gone(events.subject) {
        let row = events.subject.codes.iter().position(|&other| other == code);
        if let Some(row) = row {
            return Err(missing(events.subject, row));
        }
    }
    let (place, time) = (gone(events.location), gone(events.time));
    if place.is_none() && time.is_none() {
        return Ok(());
    }
    let codes = events.location.codes.iter().zip(&events.time.codes);
    for (row, (&location, &when)) in codes.enumerate() {
        match (Some(location) == place, Some(when) == time) {
            (true, false) => return Err(missing(events.location, row)),
            (false, true) => return Err(missing(events.time, row)),
            _ => {}
        }
    }
    Ok(())
}

/// An attribute of events as one of records: all events of a subject must agree.
pub(crate) fn per_record(
    path: &Path,
    column: &Column,
    starts: &[u32],
    rows: &[u32],
) -> Result<Column, Error> {
    let mut codes = Vec::with_capacity(starts.len());
    for pair in starts.windows(2) {
        let rows = &rows[pair[0] as usize..pair[1] as usize];
        let code = column.codes[rows[0] as usize];
        if let Some(&row) = rows.iter().find(|&&row| column.codes[row as usize] != code) {
            return Err(Error::Paths {
                place: path.to_owned(),
                error: PathsError::AttributeChanges {
                    row: row as usize + 1,
                    attribute: column.name.clone(),
                },
            });
        }
        codes.push(code);
    }
    Ok(Column {
        name: column.name.clone(),
        dictionary: column.dictionary.clone(),
        codes,
    })
}
