//! Measures any file of paths: every group that up to L doublets form, against K and bounds on sensitive values.

use std::path::PathBuf;

use denym_data::Fraction;
use denym_engine::{Engine, ReadOptions};
use denym_measure::paths::{Knowledge, PathAudit, Secret, covers};

use crate::Error;
use crate::listener::{Listener, Phase};
use crate::paths::{Wanted, read_columns};
use crate::policy::paths::{Named, PathColumns};
use crate::policy::suggest;

/// What is to be measured on paths.
#[derive(Debug, Clone, Default)]
pub struct PathAuditRequest {
    /// File, directory or glob.
    pub data: PathBuf,
    /// How to read it.
    pub read: ReadOptions,
    /// The column of whole paths; `path` when the file has one.
    pub path: Option<String>,
    /// The column of subjects; `subject` when not given.
    pub subject: Option<String>,
    /// The column of places; `location` when not given.
    pub location: Option<String>,
    /// The column of times; `time` when not given.
    pub time: Option<String>,
    /// Whether staying at a place is more than one event.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Columns the adversary knows beside the doublets.
    pub quasi: Vec<String>,
    /// Most doublets the adversary knows.
    pub doublets: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Attribute, value and bound; without a value, every value of the attribute.
    pub confidence: Vec<(String, Option<String>, Fraction)>,
    /// Sensitive places and their bounds.
    pub places: Vec<(String, Fraction)>,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Measures the paths of `request`.
pub fn audit_paths(
    request: &PathAuditRequest,
    listener: &dyn Listener,
) -> Result<PathAudit, Error> {
    for (what, value) in [("--doublets", request.doublets as u64), ("--k", request.k)] {
        if value == 0 {
            return Err(Error::Argument {
                what: format!("{what} must be at least 1"),
                help: format!("write {what} 2, or another number above zero"),
            });
        }
    }
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let named = |name: &Option<String>| {
        name.as_ref().map(|name| Named {
            name: name.clone(),
            span: 0..0,
        })
    };
    let mut sensitive: Vec<String> = Vec::new();
    for (attribute, _, _) in &request.confidence {
        if !sensitive.contains(attribute) {
            sensitive.push(attribute.clone());
        }
    }
    let wanted = Wanted {
        columns: PathColumns {
            subject: named(&request.subject),
            location: named(&request.location),
            time: named(&request.time),
            path: named(&request.path),
            latitude: None,
            longitude: None,
        },
        keep_repeats: request.keep_repeats,
        several_places: request.several_places,
        sensitive,
        quasi: request.quasi.clone(),
        ..Wanted::default()
    };
    let table =
        read_columns(&engine, &request.data, request.read.clone(), &wanted).map_err(|error| {
            match error {
                Error::Engine(denym_engine::Error::UnknownColumn {
                    column,
                    known,
                    path,
                }) => {
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    let help = suggest(&column, &known);
                    Error::UnknownColumn {
                        column,
                        place: path.display().to_string(),
                        help,
                    }
                }
                error => error,
            }
        })?;

    listener.phase(Phase::Auditing);
    let exact =
        |bound: &Fraction| denym_data::paths::Fraction::new(bound.numerator(), bound.denominator());
    let mut secrets = Vec::new();
    for (attribute, value, bound) in &request.confidence {
        if let Some(value) = value {
            secrets.push(Secret::value(attribute, value, exact(bound)));
        } else {
            let column = table
                .paths
                .sensitive()
                .iter()
                .find(|a| a.name == *attribute);
            let values = column.map(|column| &column.values[..]).unwrap_or_default();
            let all = values.iter();
            secrets.extend(all.map(|value| Secret::value(attribute, value, exact(bound))));
        }
    }
    for (place, bound) in &request.places {
        secrets.push(Secret::place(place, exact(bound)));
    }
    let knowledge = Knowledge::new(request.doublets, request.k, secrets);
    let pool = crate::threads::pool(request.threads)?;
    Ok(pool.install(|| covers(&table.paths, &knowledge)))
}
