//! A system that answers counts and sums under attack: what it answers about, and what the adversary knows of everybody.

use std::collections::HashMap;

use denym_data::Table;
use serde_json::json;

use super::{Restricted, everybody_added, track_everybody};
use crate::finding::{Declined, Finding, Ran};
use crate::table::whole_numbers;

/// One state of the table behind the system.
#[derive(Debug, Clone)]
pub struct Answered {
    columns: Vec<Vec<u32>>,
    numbers: Vec<f64>,
}

impl Answered {
    /// The columns `known` and the sensitive `number` of `table`, in the codes of the later state `like`, where there is one; `None`
    /// where a column is not there, or the numbers have gaps.
    pub fn of(table: &Table, like: Option<&Table>, known: &[String], number: &str) -> Option<Self> {
        let codes = |name: &String| {
            let column = table.column(name)?;
            let Some(other) = like.and_then(|like| like.column(name)) else {
                return Some(column.codes.clone());
            };
            let code = |row: usize| {
                let text = column.text(row);
                // A value that has gone has a code that nothing else has.
                text.and_then(|text| other.dictionary.code_of(text))
                    .unwrap_or(u32::MAX)
            };
            Some((0..table.records()).map(code).collect())
        };
        Some(Self {
            columns: known.iter().map(codes).collect::<Option<_>>()?,
            numbers: whole_numbers(table.column(number)?)?,
        })
    }

    fn slices(&self) -> Vec<&[u32]> {
        self.columns.iter().map(Vec::as_slice).collect()
    }

    /// The records that `before` does not have, in whatever order either state was written.
    fn beyond(&self, before: &Self) -> Vec<usize> {
        let key = |state: &Self, row: usize| -> (Vec<u32>, u64) {
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
}

/// A system and what the adversary has.
#[derive(Debug, Clone)]
pub struct QueryScene<'a> {
    /// The table that it answers about.
    pub now: &'a Answered,
    /// The same before somebody was added, where that can be asked about as well.
    pub before: Option<&'a Answered>,
    /// The sensitive number.
    pub number: &'a str,
    /// The fewest people an answer is about.
    pub least: u64,
    /// What the adversary is taken to know, in words.
    pub knows: String,
}

impl QueryScene<'_> {
    fn finding(&self, after: crate::Evidence, worst: Vec<serde_json::Value>) -> Vec<Finding> {
        vec![Finding {
            attribute: Some(self.number.to_owned()),
            worst,
            ..Finding::new(after, self.knows.clone())
        }]
    }

    fn system<'s>(&self, state: &'s Answered, columns: &'s [&'s [u32]]) -> Restricted<'s> {
        Restricted {
            columns,
            sensitive: &state.numbers,
            least: self.least,
        }
    }

    /// Everybody whose number trackers tell: the record (from 1), its number as learned, and the questions it took.
    #[allow(
        clippy::unnecessary_wraps,
        reason = "the list calls it like the attacks that may decline"
    )]
    pub(crate) fn tracked(&self) -> Ran {
        let columns = self.now.slices();
        let (learned, evidence) = track_everybody(&self.system(self.now, &columns), &columns);
        let learned = learned.iter().zip(1_u64..);
        let named = learned.filter_map(|(found, record)| {
            let found = (*found)?;
            Some(json!({"record": record, "value": found.value, "questions": found.questions}))
        });
        Ok(self.finding(evidence, named.collect()))
    }

    /// Numbers of people who were added between two states: the record (from 1) of the later one, and its number.
    pub(crate) fn differing(&self) -> Ran {
        let Some(before) = self.before else {
            return Err(Declined::because(
                "it needs an earlier state of the table: see `denym attack queries --before`",
            ));
        };
        let (columns, old) = (self.now.slices(), before.slices());
        let (then, now) = (self.system(before, &old), self.system(self.now, &columns));
        let (added, evidence) = everybody_added(&then, &now, &columns, &self.now.beyond(before));
        let named = added
            .iter()
            .map(|(row, value)| json!({"record": row + 1, "value": value}));
        Ok(self.finding(evidence, named.collect()))
    }
}
