//! Trackers against a system that answers counts and sums over a table, with a size restriction.

use std::path::PathBuf;

use denym_attack::Evidence;
use denym_attack::queries::{Learned, Restricted, added_between, track_everybody};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};

use super::numbers::of;
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::policy::suggest;

/// What is to be asked.
#[derive(Debug, Clone, Default)]
pub struct QueriesRequest {
    /// The table behind the system.
    pub data: PathBuf,
    /// The same table before somebody was added, for the difference attack.
    pub before: Option<PathBuf>,
    /// What the adversary knows of everybody.
    pub known: Vec<String>,
    /// The sensitive number.
    pub number: String,
    /// The fewest people an answer is about.
    pub least: u64,
    /// How to read the table.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the answers gave away.
#[derive(Debug, Clone, PartialEq)]
pub struct QueriesFound {
    /// Everybody whose number was learned.
    pub evidence: Evidence,
    /// The record (from 1), its number as learned, and the questions it took.
    pub learned: Vec<(usize, f64, u32)>,
    /// Numbers of people who were added between two states: record (from 1) of the later one, number.
    pub added: Vec<(usize, f64)>,
}

/// Asks until everybody's number is known or nothing more can be asked.
pub fn queries(request: &QueriesRequest, listener: &dyn Listener) -> Result<QueriesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let table = engine.read(&request.data, &request.read)?;
    let earlier = match &request.before {
        Some(path) => Some(engine.read(path, &request.read)?),
        None => None,
    };
    listener.phase(Phase::Attacking);
    let state = State::of(&table, None, request)?;
    let columns: Vec<&[u32]> = state.columns.iter().map(Vec::as_slice).collect();
    let system = Restricted {
        columns: &columns,
        sensitive: &state.numbers,
        least: request.least,
    };
    let (learned, evidence) = track_everybody(&system, &columns);
    let mut added = Vec::new();
    if let Some(earlier) = &earlier {
        let before = State::of(earlier, Some(&table), request)?;
        let old: Vec<&[u32]> = before.columns.iter().map(Vec::as_slice).collect();
        let then = Restricted {
            columns: &old,
            sensitive: &before.numbers,
            least: request.least,
        };
        for row in 0..table.records() {
            let terms = (0..columns.len())
                .map(|at| denym_attack::queries::Formula::Is(at, columns[at][row]));
            if let Some(formula) = terms.reduce(denym_attack::queries::Formula::and)
                && let Some(Learned { value, .. }) = added_between(&then, &system, &formula)
                && before
                    .columns
                    .first()
                    .is_none_or(|column| row >= column.len())
            {
                added.push((row + 1, value));
            }
        }
    }
    Ok(QueriesFound {
        evidence,
        learned: learned
            .iter()
            .enumerate()
            .filter_map(|(row, found)| found.map(|found| (row + 1, found.value, found.questions)))
            .collect(),
        added,
    })
}

/// One state of the table, in the codes of `like` when that is given.
struct State {
    columns: Vec<Vec<u32>>,
    numbers: Vec<f64>,
}

impl State {
    fn of(table: &Table, like: Option<&Table>, request: &QueriesRequest) -> Result<State, Error> {
        let known: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        let unknown = |name: &String| Error::UnknownColumn {
            column: name.clone(),
            place: request.data.display().to_string(),
            help: suggest(name, &known),
        };
        let mut columns = Vec::new();
        for name in &request.known {
            let column = table.column(name).ok_or_else(|| unknown(name))?;
            let codes = match like.and_then(|like| like.column(name)) {
                None => column.codes.clone(),
                Some(other) => (0..table.records())
                    .map(|row| {
                        let code = column
                            .text(row)
                            .and_then(|text| other.dictionary.code_of(text));
                        // A value that has gone has a code that nothing else has.
                        code.unwrap_or(u32::MAX)
                    })
                    .collect(),
            };
            columns.push(codes);
        }
        table
            .column(&request.number)
            .ok_or_else(|| unknown(&request.number))?;
        let numbers = of(table, &request.number).ok_or_else(|| Error::Argument {
            what: format!("`{}` is no column of numbers without gaps", request.number),
            help: "name the sensitive number with --number".into(),
        })?;
        Ok(State { columns, numbers })
    }
}
