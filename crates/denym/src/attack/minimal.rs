//! The minimality attack on our own search: originals that would have been published otherwise are ruled out.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and everybody's quasi-identifiers. Each way of handing the sensitive values
//! of a published class to its people is a possible original; the search is run on each of them, and those that give
//! another release are ruled out. Only small tables: one run of the search per possible original.

use std::collections::BTreeMap;

use denym_attack::table::minimality::{MinimalityFound, Originals, Published, PublishedGroup};
use denym_data::{Column, Table};
use denym_engine::Engine;

use super::attack_error;
use crate::kinds::table::solve;
use crate::listener::{Listener, Phase, Silent};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Error, source, threads};

/// Runs the search of `policy` on every original that agrees with its release; an error when there are more than `limit`.
pub fn minimality(
    policy: &Policy,
    confidence: f64,
    limit: u64,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<MinimalityFound, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = source::read(policy, &engine)?;
    let plan = Plan::new(policy, &table, &engine)?;
    listener.phase(Phase::Attacking);
    threads::pool(threads)?.install(|| {
        let originals = originals(&plan, &table, &engine, confidence, limit)?;
        MinimalityFound::of(&originals).map_err(|error| attack_error(&error))
    })
}

/// The originals that agree with what the search publishes of `table`, and the search itself.
pub(crate) fn originals<'a>(
    plan: &'a Plan,
    table: &'a Table,
    engine: &'a Engine,
    confidence: f64,
    limit: u64,
) -> Result<Originals<'a>, Error> {
    let [position] = plan.columns.sensitive[..] else {
        return Err(refused(
            "the policy does not have exactly one sensitive attribute",
        ));
    };
    if !plan.incomplete.is_empty() || plan.columns.subject.is_some() {
        return Err(refused("records are suppressed or counted by subject"));
    }
    let secret = &table.columns()[position];
    let (observed, class_of) = publish(plan, table, engine, position, &secret.codes)?;
    let observed = observed.ok_or_else(|| refused("some records are suppressed"))?;
    let groups = observed.iter().map(|(tuple, values)| PublishedGroup {
        people: (0..table.records() as u32)
            .filter(|&row| class_of[row as usize] == *tuple)
            .collect(),
        values: values.clone(),
    });
    Ok(Originals {
        attribute: secret.name.clone(),
        dictionary: &secret.dictionary,
        groups: groups.collect(),
        observed,
        publish: Box::new(move |values: &[u32]| {
            let (seen, _) = publish(plan, table, engine, position, values).ok()?;
            seen
        }),
        confidence,
        limit,
    })
}

fn refused(what: &str) -> Error {
    Error::Argument {
        what: format!("the minimality attack does not apply: {what}"),
        help:
            "it needs a small table, one sensitive attribute, and a release that suppresses nothing"
                .into(),
    }
}

/// What the search publishes for these sensitive values, and the published tuple of each record.
fn publish(
    plan: &Plan,
    table: &Table,
    engine: &Engine,
    position: usize,
    values: &[u32],
) -> Result<(Option<Published>, Vec<Vec<u32>>), Error> {
    let columns = table
        .columns()
        .iter()
        .enumerate()
        .map(|(at, column)| Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: if at == position {
                values.to_vec()
            } else {
                column.codes.clone()
            },
        });
    let world = Table::new(columns.collect())?;
    let columns = &plan.columns;
    let summary = engine.summarize(&world, &columns.quasi, &columns.sensitive, None)?;
    let found = solve(plan, &world, &summary, None, &Silent)?;
    let Some(levels) = &found.solution.recoding.levels else {
        return Err(refused("the algorithm does not use one level per column"));
    };
    let suppressed = found.solution.recoding.class_of.iter().any(Option::is_none);
    let mut seen: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    let mut class_of = Vec::with_capacity(values.len());
    for (row, &value) in values.iter().enumerate() {
        // The level goes with the node: the same number means another node at another level.
        let tuple: Vec<u32> = columns
            .quasi
            .iter()
            .zip(plan.hierarchies.iter().zip(levels))
            .flat_map(|(&column, (hierarchy, &level))| {
                let code = world.columns()[column].codes[row];
                [level as u32, hierarchy.node(level, code)]
            })
            .collect();
        seen.entry(tuple.clone()).or_default().push(value);
        class_of.push(tuple);
    }
    for values in seen.values_mut() {
        values.sort_unstable();
    }
    Ok(((!suppressed).then_some(seen), class_of))
}
