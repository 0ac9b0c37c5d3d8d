//! The search: from a summary to a recoding, within the effort and time of the run.

use std::cell::Cell;

use denym_data::{AlgorithmUse, ClassId, Fraction, Recoding, Summary, Table, Unit};
use denym_measure::audit_recoding;
use denym_microdata::tables::Grouped;
use denym_tabular::{
    Attempt, Context, EffortMeter, NamedSearch, Progress, Request, Solution, SpecialAlgorithm,
    SpecialOutput, SpecialTask, Statistics, TableSolver, least_suppression,
};

use super::proof::Candidate;
use crate::anonymize::{RunOptions, proceed};
use crate::listener::Listener;
use crate::plan::{Plan, policy_error};
use crate::policy::{AttributeSpec, Knowledge, Mistake};
use crate::randomness::SecretDraws;
use crate::{Error, owners, population, pseudonyms, scopes, task};

/// A search that its budget ended.
const ENDED: &str = "the search ended with its budget before everything was tried: what was best by then is released, and `--time-budget` gives it longer";

/// What the search found and how it went.
pub(crate) struct Found {
    /// The solver whose solution it is.
    pub(super) algorithm: &'static str,
    /// What it found.
    pub(crate) solution: Solution,
    pub(super) attempts: Vec<Attempt>,
    /// The effort that repeats a limited search.
    pub(super) effort: Option<u64>,
    /// Numbers in groups, or clusters.
    pub(super) groups: Option<Box<Grouped>>,
    /// What was done to sensitive values, or instead of recoding.
    pub(super) special: Option<SpecialOutput>,
    /// For each tuple of the register the class its people look like, when classes have values of their own.
    pub(super) looks_like: Option<Vec<Option<ClassId>>>,
    /// What the steward should know.
    pub(super) warnings: Vec<String>,
}

/// Groups of records as a search of this file would have found them.
pub(super) fn grouped(mut found: Grouped) -> Found {
    let nothing = nothing_found(found.algorithm, 0);
    let recoding = std::mem::replace(&mut found.recoding, nothing.solution.recoding);
    let losses = found.figures.attribute_loss.iter();
    let statistics = Statistics {
        suppressed: recoding.class_of.iter().filter(|c| c.is_none()).count() as u64,
        classes: recoding.published.first().map_or(0, Vec::len) as u64,
        attribute_loss: losses.map(|(_, loss)| *loss).collect(),
        ..Statistics::default()
    };
    Found {
        solution: Solution {
            recoding,
            score: found.loss(),
            bound: None,
            statistics,
        },
        groups: Some(Box::new(found)),
        ..nothing_found(nothing.algorithm, 0)
    }
}

/// Nothing recoded, nothing lost.
pub(super) fn nothing_found(algorithm: &'static str, attributes: usize) -> Found {
    Found {
        algorithm,
        solution: Solution {
            recoding: Recoding {
                unit: Unit::Record,
                class_of: Vec::new(),
                labels: Vec::new(),
                published: Vec::new(),
                levels: None,
            },
            score: 0.0,
            bound: None,
            statistics: Statistics {
                attribute_loss: vec![0.0; attributes],
                ..Statistics::default()
            },
        },
        attempts: Vec::new(),
        effort: None,
        groups: None,
        special: None,
        looks_like: None,
        warnings: Vec::new(),
    }
}

/// Finds the recoding, however long it takes.
pub(crate) fn solve(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    register: Option<&Table>,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    let options = RunOptions::default();
    search(plan, table, summary, register, None, &options, listener)
}

/// Finds the recoding within the effort and time of `options`.
pub(super) fn search(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    register: Option<&Table>,
    candidate: Option<&Candidate<'_>>,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    // Promises that others imply are left to the audit.
    let judges = plan.judges()?;
    let covered = scopes::covered(plan, &judges);
    let (chosen, promises): (Vec<usize>, Vec<_>) = judges
        .into_iter()
        .enumerate()
        .filter(|(p, _)| covered[*p].is_none())
        .unzip();
    let mut setting = scopes::setting(plan, &chosen, &promises);
    setting.population = register.map(|register| population::tuples(plan, register));
    // Whether groups are whole classes of the summary: then it suffices to judge a recoding.
    let centered = |spec: &AttributeSpec| spec.operations.middle.is_some();
    let quick = setting.is_plain() && !plan.policy.attributes.iter().any(centered);
    let release = &plan.policy.release;
    let unknown = |what: &str| Error::Internal {
        what: format!("a {what} that the policy should have refused"),
    };
    let objective = release.metric.objective();
    let request = Request {
        summary,
        hierarchies: &plan.hierarchies,
        promises: &promises,
        objective,
        suppress_at_most: budget(plan, release.suppress_at_most, summary),
        limits: Some(&plan.limits),
        setting: Some(&setting),
        weights: plan.weights.as_deref(),
    };
    within(plan, plan.allowance(), &request)?;
    if let Some(special) = SpecialAlgorithm::named(release.algorithm.name) {
        if options.effort.is_some() || options.until_told {
            return Err(no_use(release.algorithm.name));
        }
        if options.mapping && !special.recodes() {
            return Err(Error::Argument {
                what: format!(
                    "`{}` publishes quasi-identifiers as they are: there is no mapping to write",
                    release.algorithm.name
                ),
                help: "leave out --mapping".to_owned(),
            });
        }
        return specially(special, plan, table, &request, listener);
    }
    let named = denym_tabular::solver_named(release.algorithm.name);
    let named = named.ok_or_else(|| unknown("algorithm"))?;
    let fewer = matches!(plan.policy.adversary, Knowledge::AtMost(_));
    let listed = plan.policy.promises.iter().map(|p| p.promise.entry());
    if let Some(promise) = listed.into_iter().find(|p| !named.serves(p, fewer)) {
        return Err(denym_tabular::Error::PromiseNotHonoured { name: promise.name }.into());
    }
    let (goes_on, in_time) = (|| listener.keep_going(), || listener.in_time());
    let portfolio = named.entry.is_auto();
    let thorough = options.effort.is_some() || options.until_told;
    let patience = portfolio && options.patience.is_some() && options.effort.is_none();
    let timed = options.until_told || patience;
    let meter = EffortMeter::new(&goes_on, &in_time, options.effort, timed, portfolio);
    if thorough && !named.entry.has(AlgorithmUse::Budget) {
        return Err(no_use(named.entry.name));
    }
    let search = NamedSearch {
        named,
        solver: task::solver(named, plan, table, &setting)?,
        safe: plan.policy.knows_program,
        thorough,
        one_grain: release.one_grain,
        seed: release.seed,
        meter: &meter,
    };
    let mut failure = None;
    let least = Cell::new(f64::INFINITY);
    let found_at = |score: f64, bound: Option<f64>| {
        least.set(least.get().min(score));
        listener.best(least.get(), bound);
    };
    let mut accept = |solution: &Solution| {
        let holds = match candidate {
            _ if quick => audit_recoding(summary, &solution.recoding, &promises).holds,
            Some(candidate) => candidate
                .found_holds(&solution.recoding, &plan.promises)
                .unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                }),
            None => true,
        };
        if holds {
            found_at(solution.score, None);
        }
        holds
    };
    let mut progress = |p: Progress| {
        listener.progress(p.done, p.total);
        if let Some(best) = p.best {
            found_at(best, p.bound);
        }
    };
    let found = search.run(&request, &mut progress, &mut accept);
    if let (Err(_), Some(error)) = (&found, failure) {
        return Err(error);
    }
    // Somebody who stops a run wants no release; a budget that ends wants the best so far.
    proceed(listener)?;
    let mut found = found.map_err(|error| match error {
        denym_tabular::Error::Stopped if meter.over() => Error::OutOfTime,
        denym_tabular::Error::Stopped => Error::Stopped,
        error @ denym_tabular::Error::Infeasible { .. } => infeasible(error, named, &request, plan),
        error => Error::Solver(error),
    })?;
    if release.round_ranges {
        found.solution = denym_tabular::widened(&request, found.solution);
    }
    let recoding = &mut found.solution.recoding;
    recoding.number_by_row(table, &plan.columns.quasi);
    let ended = portfolio && (meter.over() || found.attempts.iter().any(Attempt::cut));
    Ok(Found {
        solution: found.solution,
        // A search that came to its own end needs no number to be repeated.
        effort: meter.effort().filter(|_| thorough || ended),
        attempts: found.attempts,
        looks_like: found.looks_like,
        warnings: if ended {
            vec![ENDED.to_owned()]
        } else {
            Vec::new()
        },
        ..nothing_found(found.algorithm, 0)
    })
}

/// What an algorithm that leaves the usual way finds.
fn specially(
    special: SpecialAlgorithm,
    plan: &Plan,
    table: &Table,
    request: &Request<'_>,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    let task = SpecialTask {
        table,
        quasi: &plan.columns.quasi,
        columns: &plan.columns.sensitive,
        sensitive: &plan.sensitive,
        has_subject: plan.columns.subject.is_some(),
        promises: &plan.promises,
        scopes: &plan.scopes,
        has_class_tokens: pseudonyms::per_class(&plan.policy).next().is_some(),
        known_columns: match plan.policy.adversary {
            Knowledge::AtMost(most) => Some(most),
            _ => None,
        },
        request,
    };
    let keep_going = || listener.keep_going();
    let mut context = Context {
        seed: plan.policy.release.seed,
        keep_going: &keep_going,
        progress: &mut |p: Progress| listener.progress(p.done, p.total),
    };
    // What protects is that nobody can repeat the draws, so they are never seeded.
    let mut secret = SecretDraws::default();
    let found = special.solve(&task, &mut context, &mut |bound| secret.below(bound));
    proceed(listener)?;
    let found = found.map_err(|error| match (error, special.instead()) {
        (ref error @ denym_tabular::Error::Misfit { help, .. }, _) => policy_error(
            &plan.policy,
            vec![Mistake::new(
                "policy-algorithm",
                plan.policy.release.algorithm_span.clone(),
                error.to_string(),
                help,
            )],
        ),
        (error @ denym_tabular::Error::Infeasible { .. }, Some(help)) => Error::Infeasible {
            what: error.to_string(),
            code: error.code(),
            help: help.into(),
        },
        (error, _) => Error::Solver(error),
    })?;
    secret.check()?;
    let nothing = nothing_found(special.name(), plan.hierarchies.len());
    Ok(Found {
        solution: found.solution.unwrap_or(nothing.solution),
        special: found.output,
        warnings: found.warnings,
        ..nothing_found(special.name(), 0)
    })
}

/// A refusal that says what else to try.
fn infeasible(
    error: denym_tabular::Error,
    named: &TableSolver,
    request: &Request<'_>,
    plan: &Plan,
) -> Error {
    let (may_miss, owners) = (named.may_miss(request), &plan.owners);
    if !may_miss && owners.is_empty() {
        return Error::Solver(error);
    }
    let mut what = error.to_string();
    if may_miss {
        what = format!("{what}; {}", named.heuristic());
    }
    let mut help = error.help();
    if !owners.is_empty() {
        help = format!("{help}; or {}", owners::help(owners));
    }
    Error::Infeasible {
        what,
        code: error.code(),
        help,
    }
}

/// The share of the summary's records that a search may suppress, when at most `share` of all source records may be missing.
pub(crate) fn budget(plan: &Plan, share: Fraction, summary: &Summary) -> Fraction {
    let allowed = share.floor_of(plan.records);
    let left = allowed.saturating_sub(plan.incomplete.len() as u64);
    Fraction::new(left.min(summary.total()), summary.total().max(1)).unwrap_or(Fraction::ZERO)
}

/// Refuses when more records miss a value than may be missing from the release, and names the least that would do.
pub(crate) fn within(plan: &Plan, allowed: u64, request: &Request<'_>) -> Result<(), Error> {
    let missing = plan.incomplete.len() as u64;
    if missing <= allowed {
        return Ok(());
    }
    let needed = least_suppression(request).unwrap_or(missing);
    Err(too_few_allowed(plan, allowed, needed))
}

/// Records that miss a value are more than the release may lack.
pub(super) fn too_few_allowed(plan: &Plan, allowed: u64, needed: u64) -> Error {
    // Rounded up, so that the advice suffices.
    let share = (needed as f64 / plan.records.max(1) as f64 * 1e6).ceil() / 1e6;
    let (why, or) = if plan.surplus == 0 {
        ("miss a value", "keep them with `missing = \"value\"`")
    } else {
        (
            "miss a value or are further records of a person, of whom one may be published against who knows the program,",
            "leave `algorithm = true` out of the policy",
        )
    };
    Error::Infeasible {
        what: format!(
            "{} of {} records {why} and are left out, but `suppress-at-most` allows {allowed}",
            plan.incomplete.len(),
            plan.records,
        ),
        code: "infeasible",
        help: format!("set suppress-at-most = {share}, or {or}"),
    }
}

/// A budget is given to an algorithm that ends by itself.
fn no_use(algorithm: &str) -> Error {
    let entries = denym_tabular::CATALOGUE.iter().map(|one| &one.entry);
    let able = entries.filter(|entry| entry.has(AlgorithmUse::Budget));
    let able: Vec<&str> = able.map(|entry| entry.name).collect();
    Error::Argument {
        what: format!("`{algorithm}` ends by itself: it has no use for a budget"),
        help: format!("use one of {}, or leave the budget out", able.join(", ")),
    }
}
