//! Numbers under attack: the published record nearest to what an adversary knows of a person's numbers.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use denym_attack::table::{Attacked, SourceNumbers, TableScene, whole_numbers};
use denym_attack::{RedTeam, Scene, one_attack};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};
use denym_measure::Roles;

use super::{NO_SENSITIVE, attack_error};
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What distance-based linkage found.
#[derive(Debug, Clone, PartialEq)]
pub struct NumbersFound {
    /// Columns that were compared.
    pub columns: Vec<String>,
    /// People whose own record alone is nearest, and what the adversary was taken to know.
    pub team: RedTeam,
    /// Expected number of right guesses.
    pub expected: f64,
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
    let of = |table: &Table, name: &String| table.column(name).and_then(whole_numbers);
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
    let pairs = match key {
        Some(key) => Some((key, pairs(&before, &after, key)?)),
        None => None,
    };
    let numbers = |table: &Table| -> Result<Vec<Vec<f64>>, Error> {
        let number = |name| wrong(format!("`{name}` is no column of numbers"));
        let each = names
            .iter()
            .map(|name| of(table, name).ok_or_else(|| number(name)));
        each.collect()
    };
    let (ours, theirs) = (numbers(&before)?, numbers(&after)?);
    let fail = |error: denym_attack::Error| attack_error(&error);
    let found = SourceNumbers::new(names.clone(), ours, &theirs, pairs).map_err(fail)?;
    listener.phase(Phase::Attacking);
    threads::pool(threads)?.install(|| {
        let shown = Attacked {
            table: &after,
            roles: Roles::default(),
            groups: None,
            classes: None,
        };
        let scene = TableScene {
            numbers: Ok(&found),
            ..TableScene::new(shown, &[], NO_SENSITIVE)
        };
        let team = one_attack("distance-linkage", &Scene::Table(&scene)).map_err(fail)?;
        Ok(NumbersFound {
            columns: names,
            team,
            expected: found.linkage.expected(),
        })
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
