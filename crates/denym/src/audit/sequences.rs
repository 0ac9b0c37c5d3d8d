//! Measures any file of paths or transactions: every group that a few doublets or items form, against k and bounds on what is sensitive.

use std::path::PathBuf;

use denym_data::Fraction;
use denym_data::sequences::{Columns, Wanted};
use denym_engine::{Engine, ReadOptions};
use denym_measure::sequences::SequenceAudit;
use denym_release::sequences::{Asked, judge, sensitive_attributes};

use crate::kinds::sequences::{Elements, read_columns};
use crate::listener::{Listener, Phase};
use crate::policy::{Knowledge, PromiseSpec, suggest_column};
use crate::{Error, threads};

/// What is to be measured on paths or transactions.
#[derive(Debug, Clone, Default)]
pub struct SequenceAuditRequest {
    /// What records are made of.
    pub elements: Elements,
    /// File, directory or glob.
    pub data: PathBuf,
    /// How to read it.
    pub read: ReadOptions,
    /// The column of whole paths, or of all items of a subject, where it is not the usual one.
    pub cell: Option<String>,
    /// The column of subjects; `subject` when not given.
    pub subject: Option<String>,
    /// The column of places, or of one item each, where it is not the usual one.
    pub location: Option<String>,
    /// The column of times; `time` when not given.
    pub time: Option<String>,
    /// What stands between the items of a cell; `;` when not given.
    pub separator: Option<char>,
    /// Whether staying at a place is more than one event.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Columns the adversary knows beside the doublets.
    pub quasi: Vec<String>,
    /// Most doublets, or items, the adversary knows.
    pub known: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Attribute, value and bound; without a value, every value of the attribute.
    pub confidence: Vec<(String, Option<String>, Fraction)>,
    /// Sensitive places, or items, and their bounds.
    pub within: Vec<(String, Fraction)>,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

impl SequenceAuditRequest {
    /// What is read of the file.
    fn wanted(&self) -> Wanted {
        let usual = match self.elements {
            Elements::Doublets => Columns::default(),
            Elements::Items => Columns::of_items(self.separator),
        };
        let mut sensitive: Vec<String> = Vec::new();
        for (attribute, _, _) in &self.confidence {
            if !sensitive.contains(attribute) {
                sensitive.push(attribute.clone());
            }
        }
        Wanted {
            columns: Columns {
                subject: self.subject.clone(),
                location: self.location.clone(),
                time: self.time.clone(),
                cell: self.cell.clone(),
                ..usual
            },
            keep_repeats: self.keep_repeats,
            several_places: self.several_places,
            sensitive,
            quasi: self.quasi.clone(),
            ..Wanted::default()
        }
    }

    /// Everything that is asked of a group.
    fn promises(&self) -> Vec<PromiseSpec> {
        let mut specs = vec![PromiseSpec::k_anonymity(self.k)];
        for (attribute, value, bound) in &self.confidence {
            let values = value.iter().cloned().collect();
            specs.push(PromiseSpec::confidence(attribute, values, *bound));
        }
        for (name, bound) in &self.within {
            let names = vec![name.clone()];
            specs.push(match self.elements {
                Elements::Doublets => PromiseSpec::places(names, *bound),
                Elements::Items => PromiseSpec::items(names, *bound),
            });
        }
        specs
    }
}

/// Measures the sequences of `request`; the doublets of the answer are public items where there are no times.
pub fn audit_sequences(
    request: &SequenceAuditRequest,
    listener: &dyn Listener,
) -> Result<SequenceAudit, Error> {
    let (flag, knows) = match request.elements {
        Elements::Doublets => ("--doublets", Knowledge::Doublets(request.known)),
        Elements::Items => ("--items", Knowledge::Items(request.known)),
    };
    positive(flag, request.known as u64)?;
    positive("--k", request.k)?;
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let read = request.read.clone();
    let table = read_columns(&engine, &request.data, read, &request.wanted());
    let sequences = table.map_err(unknown_column)?.sequences;

    listener.phase(Phase::Auditing);
    let attributes = sensitive_attributes(&sequences);
    let mut asked = Asked::default();
    for spec in &request.promises() {
        asked.ask(spec, &attributes, &[])?;
    }
    let audit = threads::pool(request.threads)?.install(|| judge(knows, &sequences, &asked));
    audit.ok_or_else(|| Error::Internal {
        what: "an audit of neither doublets nor items".into(),
    })
}

/// A number that must be at least one, by the flag it comes from.
fn positive(flag: &str, value: u64) -> Result<(), Error> {
    if value > 0 {
        return Ok(());
    }
    Err(Error::Argument {
        what: format!("{flag} must be at least 1"),
        help: format!("write {flag} 2, or another number above zero"),
    })
}

/// An unknown column as a mistake of the caller, with the nearest that there is.
fn unknown_column(error: Error) -> Error {
    match error {
        Error::Engine(denym_engine::Error::UnknownColumn {
            column,
            known,
            path,
        }) => {
            let known = known.to_show();
            let help = suggest_column(&column, &known);
            Error::UnknownColumn {
                column,
                place: path.display().to_string(),
                help,
            }
        }
        error => error,
    }
}
