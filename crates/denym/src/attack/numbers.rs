//! Distance-based linkage: the published record nearest to what an adversary knows of a person's numbers.

use std::path::Path;

use denym_attack::Evidence;
use denym_attack::table::DistanceLinkage;
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};

use super::attack_error;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What distance-based linkage found.
#[derive(Debug, Clone, PartialEq)]
pub struct NumbersFound {
    /// Columns that were compared.
    pub columns: Vec<String>,
    /// People whose own record alone is nearest.
    pub evidence: Evidence,
    /// Expected number of right guesses.
    pub expected: f64,
}

/// Links the records of `original` to those of `release`; record i of both is one person. All numeric columns that both have.
pub fn numbers(
    original: &Path,
    release: &Path,
    columns: &[String],
    read: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<NumbersFound, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let (before, after) = (engine.read(original, read)?, engine.read(release, read)?);
    let names: Vec<String> = if columns.is_empty() {
        let common = before.columns().iter().map(|column| column.name.clone());
        common
            .filter(|name| of(&before, name).is_some() && of(&after, name).is_some())
            .collect()
    } else {
        columns.to_vec()
    };
    let wrong = |what: String| Error::Argument {
        what,
        help: "name columns of numbers without gaps that both tables have, with --columns".into(),
    };
    if names.is_empty() {
        return Err(wrong(
            "the tables have no column of numbers in common".into(),
        ));
    }
    if before.records() != after.records() {
        return Err(Error::Argument {
            what: format!(
                "the original has {} records and the release {}",
                before.records(),
                after.records()
            ),
            help: "distance-based linkage needs record i of both to be one person".into(),
        });
    }
    let numbers = |table: &Table| -> Result<Vec<Vec<f64>>, Error> {
        names
            .iter()
            .map(|name| {
                of(table, name).ok_or_else(|| wrong(format!("`{name}` is no column of numbers")))
            })
            .collect()
    };
    let (ours, theirs) = (numbers(&before)?, numbers(&after)?);
    listener.phase(Phase::Attacking);
    threads::pool(threads)?.install(|| {
        let (a, b): (Vec<&[f64]>, Vec<&[f64]>) = (
            ours.iter().map(Vec::as_slice).collect(),
            theirs.iter().map(Vec::as_slice).collect(),
        );
        let linkage = DistanceLinkage::new(&a, &b).map_err(|error| attack_error(&error))?;
        Ok(NumbersFound {
            columns: names.clone(),
            evidence: linkage.evidence(),
            expected: linkage.expected(),
        })
    })
}

/// The numbers of a column; `None` when it has others or misses some.
pub(super) fn of(table: &Table, name: &str) -> Option<Vec<f64>> {
    let column = table.column(name)?;
    let numbers = column.dictionary.numbers();
    column
        .codes
        .iter()
        .map(|&code| numbers[code as usize])
        .collect()
}
