//! Distance-based linkage: the published record nearest to what an adversary knows of a person's numbers.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use denym_attack::Evidence;
use denym_attack::table::{DistanceLinkage, Numbers};
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
    /// What the adversary was taken to know, and what counted as right.
    pub knows: String,
}

/// Links the records of `original` to those of `release` by distance over all numeric columns that both have.
///
/// A release is sorted anew, so rows tell nothing about whose record is whose. With `key`, a column of both, equal keys are one person; without
/// it the nearest record counts as right.
pub fn numbers(
    original: &Path,
    release: &Path,
    columns: &[String],
    key: Option<&str>,
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
            .filter(|name| key != Some(name.as_str()))
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
    let pairs = key.map(|key| pairs(&before, &after, key)).transpose()?;
    let numbers = |table: &Table| -> Result<Vec<Vec<f64>>, Error> {
        names
            .iter()
            .map(|name| {
                of(table, name).ok_or_else(|| wrong(format!("`{name}` is no column of numbers")))
            })
            .collect()
    };
    let (mut ours, theirs) = (numbers(&before)?, numbers(&after)?);
    let (mut known, mut left) = (None, 0);
    if let Some(pairs) = pairs {
        // Who is not in the release cannot be found there.
        left = pairs.iter().filter(|pair| pair.is_none()).count();
        for column in &mut ours {
            let mut pair = pairs.iter();
            column.retain(|_| pair.next().is_some_and(Option::is_some));
        }
        known = Some(pairs.into_iter().flatten().collect::<Vec<u32>>());
    }
    listener.phase(Phase::Attacking);
    threads::pool(threads)?.install(|| {
        let (a, b): (Vec<&[f64]>, Vec<&[f64]>) = (
            ours.iter().map(Vec::as_slice).collect(),
            theirs.iter().map(Vec::as_slice).collect(),
        );
        let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let knows = match (key, &known) {
            (Some(key), Some(_)) => format!(
                "{} of everybody as in the source; equal `{key}` is one person, {left} of whom are not in the release",
                listed.join(", ")
            ),
            _ => format!(
                "{} of everybody as in the source; nothing tells whose record is whose, so the nearest counts as right: no guess by distance does better",
                listed.join(", ")
            ),
        };
        let linkage = match known {
            Some(truth) => DistanceLinkage::paired(&a, &b, truth),
            None => DistanceLinkage::unpaired(&a, &b),
        };
        let linkage = linkage.map_err(|error| attack_error(&error))?;
        Ok(NumbersFound {
            knows,
            columns: names.clone(),
            evidence: linkage.evidence(),
            expected: linkage.expected(),
        })
    })
}

/// Above this many pairs of a source and a written record distance linkage is left out.
const MOST_PAIRS: usize = 100_000_000;

/// The source's and the written numbers of `columns`, for the red team; why not, where there are none or too many.
///
/// Nothing in a release tells whose record is whose, so records without a number are left out on each side by itself.
pub(crate) fn numbers_of<'a>(
    source: &Table,
    written: &Table,
    columns: &'a [String],
) -> Result<Numbers<'a>, String> {
    let numeric = |table: &Table, name: &String| {
        let column = table.column(name)?;
        let numbers = denym_data::numbers::of(column);
        let any = numbers.iter().any(Option::is_some);
        let gaps = |row: usize| column.text(row).is_none_or(|text| text.trim().is_empty());
        let all = (0..numbers.len()).all(|row| numbers[row].is_some() || gaps(row));
        (any && all).then_some(numbers)
    };
    let mut sides: [Vec<Vec<Option<f64>>>; 2] = [Vec::new(), Vec::new()];
    for name in columns {
        if let (Some(ours), Some(theirs)) = (numeric(source, name), numeric(written, name)) {
            sides[0].push(ours);
            sides[1].push(theirs);
        }
    }
    if sides[0].is_empty() {
        return Err("no numbers were changed".to_owned());
    }
    if source.records().saturating_mul(written.records()) > MOST_PAIRS {
        return Err("it compares every pair of records, and there are too many".to_owned());
    }
    let [ours, theirs] = sides.map(|columns| -> Vec<Vec<f64>> {
        let rows = columns.first().map_or(0, Vec::len);
        let whole: Vec<usize> = (0..rows)
            .filter(|&row| columns.iter().all(|column| column[row].is_some()))
            .collect();
        let kept =
            |column: &Vec<Option<f64>>| whole.iter().filter_map(|&row| column[row]).collect();
        columns.iter().map(kept).collect()
    });
    let (a, b): (Vec<&[f64]>, Vec<&[f64]>) = (
        ours.iter().map(Vec::as_slice).collect(),
        theirs.iter().map(Vec::as_slice).collect(),
    );
    let linkage = DistanceLinkage::unpaired(&a, &b).map_err(|error| error.to_string())?;
    Ok(Numbers {
        linkage,
        columns,
        whose: "nothing tells whose record is whose, so the nearest counts as right: no guess by distance does better".to_owned(),
    })
}

/// The record of the release with the key of each record of the original.
fn pairs(before: &Table, after: &Table, key: &str) -> Result<Vec<Option<u32>>, Error> {
    let unfit = |what: &str| {
        Error::Argument {
        what: format!("`{key}` {what}"),
        help: "name a column that both tables have and that tells every record apart, or leave out --key".into(),
    }
    };
    let (Some(ours), Some(theirs)) = (before.column(key), after.column(key)) else {
        return Err(unfit("is not a column of both tables"));
    };
    let mut rows: HashMap<&str, u32> = HashMap::new();
    for row in 0..after.records() {
        let text = theirs.text(row).ok_or_else(|| unfit("misses values"))?;
        if rows.insert(text, row as u32).is_some() {
            return Err(unfit("has a value twice in the release"));
        }
    }
    let mut seen = HashSet::new();
    (0..before.records())
        .map(|row| {
            let text = ours.text(row).ok_or_else(|| unfit("misses values"))?;
            if !seen.insert(text) {
                return Err(unfit("has a value twice in the original"));
            }
            Ok(rows.get(text).copied())
        })
        .collect()
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
