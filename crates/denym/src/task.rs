//! Solvers made for what a release will be used for, and for adversaries who know several sets of columns.

use denym_data::{Code, Column, Table};
use denym_measure::metrics::CountQuery;
use denym_tabular::{
    BottomUpGeneralization, InfoGainMondrian, Purpose, Setting, Solver, TableSolver,
    TopDownDisclosure, TopDownSpecialization,
};

use crate::Error;
use crate::plan::{Plan, policy_error};
use crate::policy::{Condition, Mistake, Task, TaskSpec};

/// A solver with what the policy says about its task; `None` when it says nothing that concerns it.
pub(crate) fn solver(
    named: &TableSolver,
    plan: &Plan,
    table: &Table,
    setting: &Setting,
) -> Result<Option<Box<dyn Solver>>, Error> {
    let release = &plan.policy.release;
    let spec = release
        .task
        .as_ref()
        .filter(|spec| named.entry.has(spec.task.needs()));
    let class = match spec.map(|spec| &spec.task) {
        Some(Task::Classify(name)) => Some(position(plan, name)?),
        _ => None,
    };
    Ok(match named.entry.name {
        "infogain-mondrian" => match spec {
            Some(spec) => Some(Box::new(InfoGainMondrian {
                task: aim(plan, table, spec)?,
            })),
            None => None,
        },
        "bottom-up-generalization" if class.is_some() => {
            Some(Box::new(BottomUpGeneralization { class }))
        }
        "top-down-disclosure" if class.is_some() => Some(Box::new(TopDownDisclosure { class })),
        "top-down-specialization" | "top-down-clusters" => {
            let purpose = match (named.entry.name, spec.map(|spec| &spec.task), class) {
                (_, _, Some(position)) => Purpose::Class(position),
                (_, Some(&Task::Clusters(count)), _) => Purpose::Clusters(count),
                ("top-down-clusters", ..) => Purpose::Clusters(5),
                _ => Purpose::Loss,
            };
            Some(Box::new(TopDownSpecialization {
                purpose,
                grow_numbers: release.grow_intervals,
                known_sets: known_sets(setting),
                ..TopDownSpecialization::default()
            }))
        }
        _ => None,
    })
}

/// The sets of columns that adversaries know, when no promise speaks of all columns.
fn known_sets(setting: &Setting) -> Vec<Vec<usize>> {
    if setting.population.is_some() || setting.scopes.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut sets: Vec<Vec<usize>> = setting.scopes.iter().flatten().cloned().collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// What InfoGain Mondrian aims at, in the codes of the table.
fn aim(plan: &Plan, table: &Table, spec: &TaskSpec) -> Result<denym_tabular::Task, Error> {
    Ok(match &spec.task {
        Task::Classify(name) => denym_tabular::Task::Classify(position(plan, name)?),
        Task::Estimate(name) => {
            let position = position(plan, name)?;
            let numbers = plan.sensitive[position]
                .numbers()
                .map_err(|_| not_numeric(plan, spec, name))?;
            let numbers = numbers
                .into_iter()
                .map(|number| number.map(denym_data::Decimal::to_f64))
                .collect();
            denym_tabular::Task::Regress(position, numbers)
        }
        Task::Answer(queries) => {
            let names = plan.quasi_names();
            let mut asked = Vec::new();
            for query in queries {
                let mut found = CountQuery::default();
                for (name, condition) in query {
                    let Some(d) = names.iter().position(|other| other == name) else {
                        continue;
                    };
                    let column = &table.columns()[plan.columns.quasi[d]];
                    let codes =
                        codes(column, condition).ok_or_else(|| not_numeric(plan, spec, name))?;
                    found.quasi.push((d, codes));
                }
                found.quasi.sort_unstable();
                asked.push(found);
            }
            denym_tabular::Task::Answer(asked)
        }
        Task::Clusters(_) => {
            return Err(Error::Internal {
                what: "a task that the policy should have refused".into(),
            });
        }
    })
}

/// The codes that meet a condition; `None` where a range is asked of what has no numbers.
fn codes(column: &Column, condition: &Condition) -> Option<Vec<Code>> {
    let dictionary = &column.dictionary;
    let mut codes: Vec<Code> = match condition {
        Condition::Values(values) => values
            .iter()
            .filter_map(|value| dictionary.code_of(value))
            .collect(),
        Condition::Range(from, to) => {
            if !dictionary.kind().is_numeric() {
                return None;
            }
            let (from, to) = (from.to_f64(), to.to_f64());
            let numbers = dictionary.numbers().into_iter().enumerate();
            numbers
                .filter(|(_, number)| number.is_some_and(|number| (from..=to).contains(&number)))
                .map(|(code, _)| code as Code)
                .collect()
        }
    };
    codes.sort_unstable();
    codes.dedup();
    Some(codes)
}

/// Where the sensitive attribute of this name is.
fn position(plan: &Plan, name: &str) -> Result<usize, Error> {
    let mut attributes = plan.sensitive.iter();
    attributes
        .position(|attribute| attribute.name == name && !attribute.hidden)
        .ok_or_else(|| Error::Internal {
            what: "a task about an attribute that the policy should have refused".into(),
        })
}

fn not_numeric(plan: &Plan, spec: &TaskSpec, name: &str) -> Error {
    let mistake = Mistake::new(
        "policy-not-numeric",
        spec.span.clone(),
        format!("`{name}` has no numbers"),
        "list its values, or choose a column of numbers",
    );
    policy_error(&plan.policy, vec![mistake])
}
