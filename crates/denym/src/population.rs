//! A public register beside the data: read, coded like the data, and generalized as the release is.
//!
//! # Idea
//!
//! Whoever links by a register sees its values generalized as the data's are. So the two share one dictionary per quasi-identifier before
//! anything else happens: hierarchies then cover the values of both, and people whose values the data does not show
//! still fall into its groups at coarser levels.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use denym_data::{ClassId, Code, Column, Dictionary, Kind, Recoding, Role, Strings, Table};
use denym_engine::Engine;

use crate::plan::{Plan, policy_error};
use crate::policy::{Mistake, Policy, Promised, suggest_column};
use crate::{Error, source};

/// The data and the register of the policy, coded alike; the data as it is when the policy has no register.
pub(crate) fn read(
    policy: &Policy,
    table: Table,
    engine: &Engine,
) -> Result<(Table, Option<Table>), Error> {
    let Some(first) = speaking(policy).next() else {
        return Ok((table, None));
    };
    let file = first.promise.population().unwrap_or_default();
    let mut wanted: Vec<&str> = Vec::new();
    for spec in policy.with_role(Role::QuasiIdentifier) {
        let named = |promised: &Promised| match &promised.quasi {
            Some(names) => names.contains(&spec.name),
            None => true,
        };
        if speaking(policy).any(named) {
            wanted.push(&spec.name);
        }
    }
    let mut options = source::options(&policy.data, policy)?;
    options.columns = Some(wanted.iter().map(|&name| name.to_owned()).collect());
    // The register may have another form than the data.
    (options.format, options.delimiter) = (None, None);
    let register = engine
        .read(policy.resolve(Path::new(file)), &options)
        .map_err(|error| match error {
            denym_engine::Error::UnknownColumn { column, known, .. } => {
                let known = known.to_show();
                let mistake = Mistake {
                    code: "policy-unknown-column",
                    message: format!("the population has no column `{column}`"),
                    span: first.span.clone(),
                    help: suggest_column(&column, &known),
                };
                policy_error(policy, vec![mistake])
            }
            error => Error::Engine(error),
        })?;
    let mut columns = table.columns().to_vec();
    let mut people = Vec::new();
    for name in wanted {
        let (Some(position), Some(other)) = (table.position(name), register.column(name)) else {
            continue;
        };
        let kind = policy
            .attributes
            .iter()
            .find(|spec| spec.name == name)
            .and_then(|spec| spec.kind);
        let (ours, theirs) = alike(&columns[position], other, kind);
        columns[position] = ours;
        people.push(theirs);
    }
    Ok((Table::new(columns)?, Some(Table::new(people)?)))
}

/// The promises that speak of a population.
fn speaking(policy: &Policy) -> impl Iterator<Item = &Promised> {
    policy
        .promises
        .iter()
        .filter(|promised| promised.promise.population().is_some())
}

/// Two columns over one dictionary.
pub(crate) fn alike(one: &Column, other: &Column, kind: Option<Kind>) -> (Column, Column) {
    let mut texts: Strings = one.dictionary.values().collect();
    for text in other.dictionary.values() {
        if one.dictionary.code_of(text).is_none() {
            texts.push(text);
        }
    }
    let missing = one.dictionary.missing().is_some() || other.dictionary.missing().is_some();
    let dictionary = Arc::new(Dictionary::build(&texts, missing, kind).0);
    let recoded = |column: &Column| {
        let map: Vec<Code> = (0..column.dictionary.len() as Code)
            .map(|code| {
                let found = match column.dictionary.text(code) {
                    Some(text) => dictionary.code_of(text),
                    None => dictionary.missing(),
                };
                found.unwrap_or_default()
            })
            .collect();
        Column {
            name: column.name.clone(),
            dictionary: Arc::clone(&dictionary),
            codes: column
                .codes
                .iter()
                .map(|&code| map[code as usize])
                .collect(),
        }
    };
    (recoded(one), recoded(other))
}

/// The register as a search wants it: distinct tuples with people. Columns it need not have are left at one value.
pub(crate) fn tuples(plan: &Plan, register: &Table) -> denym_tabular::Population {
    let names = plan.quasi_names();
    let columns: Vec<Option<&Column>> = names.iter().map(|name| register.column(name)).collect();
    let mut distinct: BTreeMap<Vec<Code>, u64> = BTreeMap::new();
    for person in 0..register.records() {
        let tuple = columns
            .iter()
            .map(|column| column.map_or(0, |column| column.codes[person]))
            .collect();
        *distinct.entry(tuple).or_default() += 1;
    }
    denym_tabular::Population {
        quasi: (0..names.len())
            .map(|d| distinct.keys().map(|tuple| tuple[d]).collect())
            .collect(),
        people: distinct.into_values().collect(),
        everybody: plan
            .promises
            .iter()
            .zip(&plan.scopes)
            .filter(|(spec, _)| spec.forbids_absence())
            .map(|(_, scope)| match scope {
                None => (0..names.len()).collect(),
                Some(own) => (0..names.len())
                    .filter(|&d| own.contains(&names[d]))
                    .collect(),
            })
            .collect(),
    }
}

/// The register with every quasi-identifier at its level, as the release shows it.
pub(crate) fn generalized(plan: &Plan, register: &Table, levels: &[usize]) -> Result<Table, Error> {
    let columns = plan
        .quasi_names()
        .iter()
        .zip(plan.hierarchies.iter().zip(levels))
        .filter_map(|(name, (hierarchy, &level))| {
            let column = register.column(name)?;
            Some(denym_measure::generalized(column, hierarchy, level))
        })
        .collect();
    Ok(Table::new(columns)?)
}

/// The register as a release with values per class shows it: `looks_like` has the class of each of its tuples.
pub(crate) fn published(
    plan: &Plan,
    register: &Table,
    recoding: &Recoding,
    looks_like: &[Option<ClassId>],
) -> Result<Table, Error> {
    let names = plan.quasi_names();
    let columns: Vec<&Column> = names.iter().filter_map(|n| register.column(n)).collect();
    // The tuples in their order, as a search had them.
    let mut classes: BTreeMap<Vec<Code>, Option<ClassId>> = BTreeMap::new();
    let tuple = |person: usize| -> Vec<Code> { columns.iter().map(|c| c.codes[person]).collect() };
    for person in 0..register.records() {
        classes.insert(tuple(person), None);
    }
    for (class, found) in classes.values_mut().zip(looks_like) {
        *class = *found;
    }
    let shown: Vec<Option<ClassId>> = (0..register.records())
        .map(|person| classes.get(&tuple(person)).copied().flatten())
        .collect();
    let published = names.iter().enumerate().map(|(d, name)| {
        let labels = &recoding.labels[d].texts;
        let texts = shown.iter().map(|class| match class {
            Some(class) => {
                let label = recoding.published[d][*class as usize];
                labels[label as usize].as_deref()
            }
            // No release shows a control character: these people look like no class.
            None => Some("\u{1}"),
        });
        Column::from_texts(name, texts)
    });
    Ok(Table::new(published.collect())?)
}
