//! Several quasi-identifier sets: which promises the search has to look at, and what the plan says about each set.
//!
//! # Idea
//!
//! Every promise may name the columns that its adversary knows. A promise on fewer columns is judged on unions of the groups of more
//! columns, so a monotone promise that is made on a set need not be looked for on its subsets (the subset property).
//! The search leaves such promises out; the audit of the written data judges every one on its own set all the same.
//!
//! # Guarantee
//!
//! The full-domain searches judge each node on every set that is left, so they ask for no more than the policy does. Searches
//! that cut the table into parts judge every promise on all quasi-identifiers: stricter, and sound for monotone promises.
//! With `knows = { at-most = m }` every search judges on whole sets, which is stricter as well.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, ICDE 2005; survey section 2.1, observation 2.1.

use denym_data::Role;
use denym_measure::Promise;
use denym_tabular::Setting;

use crate::plan::Plan;
use crate::policy::{Missing, PromiseSpec};

/// For each promise, the one that makes it redundant for a search, if any.
pub(crate) fn covered(plan: &Plan, judges: &[Box<dyn Promise>]) -> Vec<Option<usize>> {
    let all = plan.quasi_names();
    let scope = |p: usize| plan.scopes[p].as_ref().unwrap_or(&all);
    let within =
        |inner: usize, outer: usize| scope(inner).iter().all(|name| scope(outer).contains(name));
    let count = plan.promises.len();
    (0..count)
        .map(|p| {
            let lasts = judges[p].terms().monotone
                && (plan.columns.subject.is_none() || judges[p].monotone_over_shared_subjects());
            (0..count).find(|&other| {
                let (inner, outer) = (&plan.promises[p], &plan.promises[other]);
                let tie = within(other, p) && implies(inner, outer);
                other != p
                    && lasts
                    && within(p, other)
                    && implies(outer, inner)
                    && (!tie || other < p)
            })
        })
        .collect()
}

/// Whether a group that keeps `strong` keeps `weak`.
fn implies(strong: &PromiseSpec, weak: &PromiseSpec) -> bool {
    match (strong, weak) {
        (PromiseSpec::KAnonymity { k: strong }, PromiseSpec::KAnonymity { k: weak })
        | (PromiseSpec::KMap { k: strong, .. }, PromiseSpec::KMap { k: weak, .. }) => {
            strong >= weak
        }
        _ => strong == weak,
    }
}

/// The sets as a search wants them, for the promises `chosen`; `None` when every promise is on all columns.
pub(crate) fn setting(plan: &Plan, chosen: &[usize]) -> Setting {
    let all = plan.quasi_names();
    let position = |name: &String| all.iter().position(|other| other == name);
    Setting {
        scopes: chosen
            .iter()
            .map(|&p| {
                let names = plan.scopes[p].as_ref()?;
                Some(names.iter().filter_map(position).collect())
            })
            .collect(),
        population: None,
    }
}

/// What the plan says about sets, registers and missing values, a line each.
pub(crate) fn steps(plan: &Plan) -> Vec<String> {
    let mut steps = Vec::new();
    let covered = plan
        .judges()
        .map(|judges| covered(plan, &judges))
        .unwrap_or_default();
    for (p, spec) in plan.promises.iter().enumerate() {
        let name = spec.name();
        if let Some(names) = &plan.scopes[p] {
            let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            steps.push(format!(
                "judge `{name}` on the groups of {}; searches that choose levels do so as well, others judge it on all \
                 quasi-identifiers, which is stricter",
                list.join(", ")
            ));
        }
        if let Some(&Some(other)) = covered.get(p) {
            steps.push(format!(
                "leave `{name}` (promise {}) to the audit: promise {} on more columns implies it",
                p + 1,
                other + 1
            ));
        }
        if spec.population().is_some() {
            steps.push(format!(
                "generalize the register as the data is and count for `{name}` the people who look like each group; only searches \
                 that choose levels can do that"
            ));
        }
        if let Some(guards) = spec.guards() {
            steps.push(format!(
                "read guarding nodes from `{guards}`, which is not released"
            ));
        }
    }
    for detail in &plan.policy.data.details {
        steps.push(format!(
            "join `{}` by `{}`; groups are those of the join, and k counts people",
            detail.name, detail.foreign_key
        ));
    }
    for spec in plan.policy.with_role(Role::QuasiIdentifier) {
        if spec.missing == Missing::Wildcard {
            steps.push(format!(
                "read a missing `{}` as any value: promises are judged with it as a value of its own, which is stricter for every \
                 monotone promise, and the smallest group with wildcards is reported beside",
                spec.name
            ));
        }
    }
    steps
}
