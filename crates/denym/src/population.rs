//! A public register beside the data: read, and coded like the data.
//!
//! # Idea
//!
//! Whoever links by a register sees its values generalized as the data's are. So the two share one dictionary per quasi-identifier before
//! anything else happens: hierarchies then cover the values of both, and people whose values the data does not show
//! still fall into its groups at coarser levels.

use std::path::Path;

use denym_data::{Role, Table, over_one_dictionary};
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
    let mut options = source::read_options(policy);
    options.columns = Some(wanted.iter().map(|&name| name.to_owned()).collect());
    // The register may have another form than the data.
    (options.format, options.delimiter) = (None, None);
    (options.skip_rows, options.sheet) = (None, None);
    source::as_the_source(policy, engine, &mut options);
    let register = engine
        .read(policy.resolve(Path::new(file)), &options)
        .map_err(|error| match error {
            denym_engine::Error::UnknownColumn { column, known, .. } => {
                let known = known.to_show();
                let mistake = Mistake::new(
                    "policy-unknown-column",
                    first.span.clone(),
                    format!("the population has no column `{column}`"),
                    suggest_column(&column, &known),
                );
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
        let (ours, theirs) = over_one_dictionary(&columns[position], other, kind);
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

/// The register as a search wants it.
pub(crate) fn tuples(plan: &Plan, register: &Table) -> denym_tabular::Population {
    let names = &plan.quasi;
    let everybody = plan
        .promises
        .iter()
        .zip(&plan.scopes)
        .filter(|(spec, _)| spec.forbids_absence())
        .map(|(_, scope)| match scope {
            None => (0..names.len()).collect(),
            Some(own) => (0..names.len())
                .filter(|&d| own.contains(&names[d]))
                .collect(),
        });
    denym_tabular::Population::new(register, names, everybody.collect())
}
