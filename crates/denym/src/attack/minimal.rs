//! The minimality attack on our own search: originals that would have been published otherwise are ruled out.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and everybody's quasi-identifiers. Each way of handing the sensitive values
//! of a published class to its people is a possible original; the search is run on each of them, and those that give
//! another release are ruled out. Only small tables: one run of the search per possible original.

use std::collections::BTreeMap;

use denym_attack::Evidence;
use denym_attack::table::minimality::{PublishedGroup, minimality as attack};
use denym_data::{Column, Table};
use denym_engine::Engine;

use super::attack_error;
use crate::anonymize::solve;
use crate::listener::{Listener, Phase, Silent};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Error, source, threads};

/// What the minimality attack found.
#[derive(Debug, Clone, PartialEq)]
pub struct MinimalityFound {
    /// The sensitive attribute.
    pub attribute: String,
    /// Originals that agree with the release, and those that would have been published like this.
    pub worlds: (u64, u64),
    /// People of whom a value is more than `confidence` likely after and was not before.
    pub evidence: Evidence,
    /// For each record (from 1) the likeliest value after, its probability before and after.
    pub beliefs: Vec<(Option<String>, f64, f64)>,
}

/// A release as the attack compares them: levels, and for each published tuple its sensitive values in order.
type Seen = Option<BTreeMap<Vec<u32>, Vec<u32>>>;

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
    threads::pool(threads)?.install(|| on_table(&plan, &table, &engine, confidence, limit))
}

/// The same on a table and a plan that are at hand.
pub(crate) fn on_table(
    plan: &Plan,
    table: &Table,
    engine: &Engine,
    confidence: f64,
    limit: u64,
) -> Result<MinimalityFound, Error> {
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
    let Some(shown) = &observed else {
        return Err(refused("some records are suppressed"));
    };
    let groups: Vec<PublishedGroup> = shown
        .iter()
        .map(|(tuple, values)| PublishedGroup {
            people: (0..table.records() as u32)
                .filter(|&row| class_of[row as usize] == *tuple)
                .collect(),
            values: values.clone(),
        })
        .collect();
    let run = |values: &[u32]| -> Seen {
        publish(plan, table, engine, position, values)
            .ok()
            .and_then(|(seen, _)| seen)
    };
    let beliefs = attack(&groups, &observed, &run, limit).map_err(|error| attack_error(&error))?;
    let likeliest = |row: usize| {
        let after = beliefs.after.get(row).into_iter().flatten();
        let best = after.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        best.map_or((None, 0.0, 0.0), |(&value, &after)| {
            let before = beliefs.before[row].get(&value).copied().unwrap_or(0.0);
            (
                secret.dictionary.text(value).map(str::to_owned),
                before,
                after,
            )
        })
    };
    Ok(MinimalityFound {
        attribute: secret.name.clone(),
        worlds: (beliefs.worlds, beliefs.possible),
        evidence: beliefs.evidence(confidence),
        beliefs: (0..table.records()).map(likeliest).collect(),
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
) -> Result<(Seen, Vec<Vec<u32>>), Error> {
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
