//! Trackers against a system that answers counts and sums over a table, with a size restriction.

use std::collections::HashMap;
use std::path::PathBuf;

use denym_attack::Evidence;
use denym_attack::queries::{Restricted, everybody_added, track_everybody};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};

use super::numbers::of;
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::policy::{names_to_show, suggest_column};

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
    /// Of those who came between the two states, whose number was learned; `None` when there is one state.
    pub difference: Option<Evidence>,
    /// What the adversary was taken to know, and what the system was taken to answer.
    pub knows: String,
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
    let names: Vec<String> = request
        .known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let state = State::of(&table, None, request)?;
    let columns: Vec<&[u32]> = state.columns.iter().map(Vec::as_slice).collect();
    let system = Restricted {
        columns: &columns,
        sensitive: &state.numbers,
        least: request.least,
    };
    let (learned, evidence) = track_everybody(&system, &columns);
    let (mut added, mut difference) = (Vec::new(), None);
    if let Some(earlier) = &earlier {
        let before = State::of(earlier, Some(&table), request)?;
        let old: Vec<&[u32]> = before.columns.iter().map(Vec::as_slice).collect();
        let then = Restricted {
            columns: &old,
            sensitive: &before.numbers,
            least: request.least,
        };
        let newcomers = state.beyond(&before);
        let (found, shown) = everybody_added(&then, &system, &columns, &newcomers);
        added = found
            .into_iter()
            .map(|(row, value)| (row + 1, value))
            .collect();
        difference = Some(shown);
    }
    Ok(QueriesFound {
        evidence,
        learned: learned
            .iter()
            .enumerate()
            .filter_map(|(row, found)| found.map(|found| (row + 1, found.value, found.questions)))
            .collect(),
        added,
        difference,
        knows: format!(
            "{} of everybody; the system answers counts and sums of `{}` over at least {} people",
            names.join(", "),
            request.number,
            request.least
        ),
    })
}

/// One state of the table, in the codes of `like` when that is given.
struct State {
    columns: Vec<Vec<u32>>,
    numbers: Vec<f64>,
}

impl State {
    /// The records that `before` does not have, in whatever order either state was written.
    fn beyond(&self, before: &State) -> Vec<usize> {
        let key = |state: &State, row: usize| -> (Vec<u32>, u64) {
            let known = state.columns.iter().map(|column| column[row]).collect();
            (known, state.numbers[row].to_bits())
        };
        let mut left: HashMap<(Vec<u32>, u64), u64> = HashMap::new();
        for row in 0..before.numbers.len() {
            *left.entry(key(before, row)).or_insert(0) += 1;
        }
        let is_new = |row: &usize| match left.get_mut(&key(self, *row)) {
            Some(known) if *known > 0 => {
                *known -= 1;
                false
            }
            _ => true,
        };
        (0..self.numbers.len()).filter(is_new).collect()
    }

    fn of(table: &Table, like: Option<&Table>, request: &QueriesRequest) -> Result<State, Error> {
        let known = names_to_show(table);
        let unknown = |name: &String| Error::UnknownColumn {
            column: name.clone(),
            place: request.data.display().to_string(),
            help: suggest_column(name, &known),
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
