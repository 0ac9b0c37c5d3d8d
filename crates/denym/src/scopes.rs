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
//! With `knows = { at-most = m }` a promise is judged on every subset of m of its columns; of fewer, too, unless it is monotone, since
//! then those of m imply them. Where these are more than [`MOST_SETS`] in all, the searches judge on whole sets, which is stricter.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, ICDE 2005; survey section 2.1, observation 2.1.

use denym_data::Role;
use denym_measure::{Promise, combinations};
use denym_tabular::Setting;

use crate::owners;
use crate::plan::Plan;
use crate::policy::{Knowledge, Missing, PromiseSpec};

/// For each promise, the one that makes it redundant for a search, if any.
pub(crate) fn covered(plan: &Plan, judges: &[Box<dyn Promise>]) -> Vec<Option<usize>> {
    let all = plan.quasi_names();
    let scope = |p: usize| plan.scopes[p].as_ref().unwrap_or(&all);
    let within =
        |inner: usize, outer: usize| scope(inner).iter().all(|name| scope(outer).contains(name));
    let count = plan.promises.len();
    (0..count)
        .map(|p| {
            let lasts = lasts(plan, judges[p].as_ref());
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
    // Of promises that bound nothing but a number of people, the larger number says more.
    let counts = |spec: &PromiseSpec| {
        let sizes = spec.entry().bound == "k" && spec.counted().is_empty();
        spec.whole("k").filter(|_| sizes)
    };
    match (counts(strong), counts(weak)) {
        (Some(most), Some(least)) if strong.name() == weak.name() => most >= least,
        _ => strong == weak,
    }
}

/// The most sets of columns that a search judges every node on.
const MOST_SETS: usize = 1_000;

/// The sets as a search wants them, for the promises `chosen`.
pub(crate) fn setting(plan: &Plan, chosen: &[usize], judges: &[Box<dyn Promise>]) -> Setting {
    let all = plan.quasi_names();
    let position = |name: &String| all.iter().position(|other| other == name);
    let whole = chosen.iter().map(|&p| {
        let names = plan.scopes[p].as_ref();
        names.map(|names| names.iter().filter_map(position).collect::<Vec<usize>>())
    });
    let whole: Vec<Option<Vec<usize>>> = whole.collect();
    let one = |set: &Option<Vec<usize>>| set.iter().cloned().collect();
    let mut scopes: Vec<Vec<Vec<usize>>> = whole.iter().map(one).collect();
    if let Knowledge::AtMost(most) = plan.policy.adversary {
        let sets = whole.iter().zip(judges).map(|(set, judge)| {
            let columns = set.clone().unwrap_or_else(|| (0..all.len()).collect());
            let least = if lasts(plan, judge.as_ref()) { most } else { 0 };
            subsets(&columns, least, most, MOST_SETS)
        });
        if let Some(sets) = sets.collect::<Option<Vec<_>>>()
            && sets.iter().map(Vec::len).sum::<usize>() <= MOST_SETS
        {
            scopes = sets;
        }
    }
    Setting {
        scopes,
        population: None,
        together: owners::together(&plan.owners),
        lost: plan.incomplete.len() as u64,
    }
}

/// Whether what holds on some columns holds on fewer.
fn lasts(plan: &Plan, judge: &dyn Promise) -> bool {
    judge.terms().monotone
        && (plan.columns.subject.is_none() || judge.monotone_over_shared_subjects())
}

/// The subsets of `columns` with `least` to `most` members, and all of them when they are fewer; `None` when more than `limit`.
fn subsets(columns: &[usize], least: usize, most: usize, limit: usize) -> Option<Vec<Vec<usize>>> {
    let all: Vec<usize> = (0..columns.len()).collect();
    let sizes = least.min(all.len())..=most.min(all.len());
    let many = |size: usize| {
        (0..size).fold(1_usize, |ways, chosen| {
            ways.saturating_mul(all.len() - chosen) / (chosen + 1)
        })
    };
    if sizes.clone().map(many).fold(0, usize::saturating_add) > limit {
        return None;
    }
    let mut sets: Vec<Vec<usize>> = sizes.flat_map(|size| combinations(&all, size)).collect();
    sets.sort_unstable();
    let named = |set: Vec<usize>| set.into_iter().map(|at| columns[at]).collect();
    Some(sets.into_iter().map(named).collect())
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
    if let Knowledge::AtMost(most) = plan.policy.adversary {
        steps.push(format!(
            "judge every promise on each {most} of its columns; searches that choose levels do so as well where these sets are at most \
             {MOST_SETS}, others judge all columns at once, which is stricter"
        ));
    }
    for detail in &plan.policy.data.details {
        steps.push(format!(
            "join `{}` by `{}`; groups are those of the join, and promises count people",
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
