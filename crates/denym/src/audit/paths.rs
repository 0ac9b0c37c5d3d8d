//! Measures any file of paths: every group that up to L doublets form, against K and bounds on sensitive values.

use std::path::PathBuf;

use denym_data::Fraction;
use denym_engine::{Engine, ReadOptions};
use denym_measure::sequences::{Doublets, SequenceAudit};

use super::subsets::{counted, positive, unknown_column};
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::paths::{Asked, Wanted, read_columns, sensitive_attributes};
use crate::policy::PromiseSpec;
use crate::policy::paths::{PathColumns, named_column};

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
) -> Result<SequenceAudit, Error> {
    positive([("--doublets", request.doublets as u64), ("--k", request.k)])?;
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let mut sensitive: Vec<String> = Vec::new();
    for (attribute, _, _) in &request.confidence {
        if !sensitive.contains(attribute) {
            sensitive.push(attribute.clone());
        }
    }
    let wanted = Wanted {
        columns: PathColumns {
            subject: named_column(request.subject.as_ref()),
            location: named_column(request.location.as_ref()),
            time: named_column(request.time.as_ref()),
            path: named_column(request.path.as_ref()),
            latitude: None,
            longitude: None,
        },
        keep_repeats: request.keep_repeats,
        several_places: request.several_places,
        sensitive,
        quasi: request.quasi.clone(),
        ..Wanted::default()
    };
    let table = read_columns(&engine, &request.data, request.read.clone(), &wanted)
        .map_err(unknown_column)?;

    listener.phase(Phase::Auditing);
    let mut specs = vec![PromiseSpec::k_anonymity(request.k)];
    for (attribute, value, bound) in &request.confidence {
        let values = value.iter().cloned().collect();
        specs.push(PromiseSpec::confidence(attribute, values, *bound));
    }
    for (place, bound) in &request.places {
        specs.push(PromiseSpec::places(vec![place.clone()], *bound));
    }
    let attributes = sensitive_attributes(&table.paths);
    let mut asked = Asked::default();
    for spec in &specs {
        asked.ask(spec, &attributes, &[])?;
    }
    let knowledge = Doublets {
        places: asked.within,
        ..Doublets::covering(request.doublets)
    };
    counted(request.threads, || {
        knowledge.judge(&table.paths, &asked.promises)
    })
}
