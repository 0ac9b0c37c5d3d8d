//! From a table, long, wide or of raw points, to sequences as codes: each distinct text is looked at once.

use crate::{Column, Table};

use super::cells::{one_record_each, paths, sets};
use super::columns::{Columns, Form};
use super::events::{Events, group};
use super::points::slots;
use super::{Attribute, PathsError, Sequences};

/// Sequences, how they were laid out, and what stands beside them.
#[derive(Debug, Clone)]
pub struct SequenceTable {
    /// The layout; that of events where the source has points.
    pub form: Form,
    /// One record per subject, with sensitive attributes and quasi-identifiers.
    pub sequences: Sequences,
    /// Attributes beside the sequence, a code per record, in the source's order.
    pub attributes: Vec<Column>,
    /// Every published column in the source's order.
    pub order: Vec<String>,
    /// Whose record it is, where the source tells; never published.
    pub subjects: Option<Column>,
}

/// What is read of a table as sequences.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Columns whose names are not the usual ones.
    pub columns: Columns,
    /// Whether staying at a place is more than one event.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Side of a grid cell in meters.
    pub grid: Option<f64>,
    /// Length of a slot in seconds.
    pub slot: Option<i64>,
    /// Sensitive attributes.
    pub sensitive: Vec<String>,
    /// Quasi-identifiers.
    pub quasi: Vec<String>,
    /// Attributes that are published and neither of these.
    pub other: Vec<String>,
}

impl Wanted {
    /// Sequences exactly as a release shows them: nothing collapses, nothing is cut into slots.
    pub fn released(sensitive: &[String], quasi: &[String]) -> Wanted {
        Wanted {
            keep_repeats: true,
            several_places: true,
            sensitive: sensitive.to_vec(),
            quasi: quasi.to_vec(),
            ..Wanted::default()
        }
    }

    /// The columns to read where the sequences are in this form.
    pub fn names(&self, form: &Form) -> Vec<String> {
        let mut names: Vec<String> = form.columns().into_iter().cloned().collect();
        match form {
            Form::Wide { .. } => names.extend(self.columns.subject.clone()),
            // A place is two columns, side by side.
            Form::Long { .. } => {
                if let Some((_, east)) = &self.columns.point {
                    names.insert(2, east.clone());
                }
            }
        }
        names.extend(self.beside().cloned());
        names
    }

    fn beside(&self) -> impl Iterator<Item = &String> {
        let of_promises = self.sensitive.iter().chain(&self.quasi);
        of_promises.chain(&self.other)
    }

    /// Codes a table in this form; rows in errors count from 1.
    pub fn code(&self, table: &Table, form: &Form) -> Result<SequenceTable, PathsError> {
        let mut order: Vec<String> = table.columns().iter().map(|c| c.name.clone()).collect();
        let beside: Vec<&String> = self.beside().collect();
        let beside = |column: &&Column| beside.contains(&&column.name);
        let mut coded = match form {
            Form::Wide { cell, separator } => {
                let columns = table.columns();
                let mut subjects = None;
                if let Some(subject) = &self.columns.subject {
                    order.retain(|column| column != subject);
                    one_record_each(find(columns, subject)?)?;
                    subjects = Some(find(columns, subject)?.clone());
                }
                let cells = find(columns, cell)?;
                SequenceTable {
                    form: form.clone(),
                    sequences: match separator {
                        None => paths(cells, self.several_places)?,
                        Some(separator) => sets(cells, *separator)?,
                    },
                    attributes: columns.iter().filter(beside).cloned().collect(),
                    order,
                    subjects,
                }
            }
            Form::Long {
                subject,
                location,
                time,
            } => {
                let mut location = location.clone();
                let slotted;
                let mut columns = table.columns();
                if let Some(time) = time
                    && (self.slot.is_some() || self.columns.point.is_some())
                {
                    if let Some((_, east)) = &self.columns.point {
                        order.retain(|column| column != east);
                        let first = order.iter_mut().find(|column| **column == location);
                        "location".clone_into(&mut location);
                        if let Some(first) = first {
                            first.clone_from(&location);
                        }
                    }
                    slotted = slots(table, subject, &location, time, self)?;
                    columns = &slotted;
                }
                let events = Events {
                    subject: find(columns, subject)?,
                    location: find(columns, &location)?,
                    time: match time {
                        Some(time) => Some(find(columns, time)?),
                        None => None,
                    },
                    keep_repeats: self.keep_repeats,
                    several_places: self.several_places,
                };
                events.complete()?;
                let grouped = group(&events).map_err(|error| from_one(error, |row| row))?;
                let attributes = columns.iter().filter(beside);
                let attributes = attributes.map(|column| grouped.per_record(column));
                let attributes = attributes.collect::<Result<_, _>>()?;
                SequenceTable {
                    subjects: Some(grouped.first(events.subject)),
                    form: Form::Long {
                        subject: subject.clone(),
                        location,
                        time: time.clone(),
                    },
                    sequences: grouped.sequences,
                    attributes,
                    order,
                }
            }
        };
        for (names, is_quasi) in [(&self.sensitive, false), (&self.quasi, true)] {
            for name in names {
                let own = attribute(find(&coded.attributes, name)?);
                coded.sequences = if is_quasi {
                    coded.sequences.with_quasi(own)?
                } else {
                    coded.sequences.with_sensitive(own)?
                };
            }
        }
        Ok(coded)
    }
}

/// The column called `name`.
pub(super) fn find<'a>(columns: &'a [Column], name: &str) -> Result<&'a Column, PathsError> {
    let mut columns = columns.iter();
    columns
        .find(|column| column.name == name)
        .ok_or_else(|| PathsError::NoColumn {
            column: name.to_owned(),
        })
}

/// A column as an attribute; what is missing is the empty label.
fn attribute(column: &Column) -> Attribute {
    let dictionary = &column.dictionary;
    Attribute {
        name: column.name.clone(),
        values: (0..dictionary.len() as u32)
            .map(|code| dictionary.text(code).unwrap_or_default().to_owned())
            .collect(),
        codes: column.codes.clone(),
    }
}

/// A mistake with its row counted from 1, as people do; `row_of` turns what was counted into a row of the table.
pub(super) fn from_one(error: PathsError, row_of: impl Fn(usize) -> usize) -> PathsError {
    match error {
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
    }
}
