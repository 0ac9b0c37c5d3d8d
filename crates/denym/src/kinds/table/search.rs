//! The search: from a summary to a recoding, within the effort and time of the run.

use denym_data::{ClassId, Code, Fraction, Recoding, Summary, Table, Unit};
use denym_tabular::{
    Attempt, Auto, BestEffort, Context, Entry, LocalRecoding, Mpalm, Objective, Outcome, Request,
    Solution, Solver, Statistics,
};

use super::proof::Candidate;
use super::side::{Side, Touched};
use crate::anonymize::{RunOptions, proceed};
use crate::effort::Meter;
use crate::kinds::microdata;
use crate::listener::Listener;
use crate::plan::Plan;
use crate::policy::{AttributeSpec, Knowledge};
use crate::{Error, owners, population, recoded, scopes, task};

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
    pub(super) groups: Option<Box<microdata::Found>>,
    /// What was done to sensitive values, or instead of recoding.
    pub(super) touched: Option<Touched>,
    /// For each tuple of the register the class its people look like, when classes have values of their own.
    pub(super) looks_like: Option<Vec<Option<ClassId>>>,
    /// What the steward should know.
    pub(super) warnings: Vec<String>,
}

/// Algorithms that return the best so far when their effort ends, always at the same step.
const LIMITED: [&str; 4] = ["auto", "best-effort", "local-recoding", "full-domain"];

/// Groups of records as a search of this file would have found them.
pub(super) fn grouped(mut found: microdata::Found) -> Found {
    let nothing = nothing_found(found.algorithm, 0);
    Found {
        solution: std::mem::replace(&mut found.solution, nothing.solution),
        groups: Some(Box::new(found)),
        attempts: nothing.attempts,
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
        touched: None,
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

/// The solver of an entry; one that gets better with time goes on for as long as the meter lets it.
fn solver(entry: &Entry, limited: bool) -> Box<dyn Solver> {
    match entry.name {
        "best-effort" if limited => Box::new(BestEffort {
            evaluations: u64::MAX,
        }),
        "local-recoding" if limited => Box::new(LocalRecoding {
            rounds: usize::MAX,
            ..LocalRecoding::default()
        }),
        _ => (entry.make)(),
    }
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
    let plain = setting.population.is_none()
        && setting.together.is_none()
        && setting.scopes.iter().all(Vec::is_empty);
    let centered = |spec: &AttributeSpec| spec.operations.middle.is_some();
    let quick = plain && !plan.policy.attributes.iter().any(centered);
    let release = &plan.policy.release;
    let unknown = |what: &str| Error::Internal {
        what: format!("a {what} that the policy should have refused"),
    };
    let objective = Objective::parse(&release.metric).ok_or_else(|| unknown("metric"))?;
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
    if let Some(side) = Side::named(&release.algorithm) {
        if options.effort.is_some() || options.until_told {
            return Err(no_use(&release.algorithm));
        }
        let keep_going = || listener.keep_going();
        let mut progress = |p: denym_tabular::Progress| listener.progress(p.done, p.total);
        let mut context = Context {
            seed: release.seed,
            keep_going: &keep_going,
            progress: &mut progress,
        };
        let found = side.solve(plan, table, &request, &mut context);
        proceed(listener)?;
        return found;
    }
    let entry = denym_tabular::entry(&release.algorithm).ok_or_else(|| unknown("algorithm"))?;
    let fewer = matches!(plan.policy.adversary, Knowledge::AtMost(_));
    let listed = plan.policy.promises.iter().map(|p| p.promise.entry());
    if let Some(promise) = listed.into_iter().find(|p| !entry.serves(p, fewer)) {
        return Err(denym_tabular::Error::PromiseNotHonoured { name: promise.name }.into());
    }
    let portfolio = entry.name == "auto";
    let meter = Meter::new(listener, options.effort, options.until_told, portfolio);
    if meter.limited() && !LIMITED.contains(&entry.name) {
        return Err(no_use(entry.name));
    }
    let keep_going = || meter.go_on();
    let mut progress =
        |progress: denym_tabular::Progress| listener.progress(progress.done, progress.total);
    let mut context = Context {
        seed: release.seed,
        keep_going: &keep_going,
        progress: &mut progress,
    };
    let mut looks_like = None;
    let (solution, attempts) = if portfolio {
        // What is at hand when time is up has been audited, so that it can be released.
        let portfolio = Auto {
            thorough: meter.limited(),
            safe: plan.policy.knows_program,
        };
        let wanted = || meter.wanted();
        let mut failure = None;
        let found = portfolio.run(&request, &mut context, &wanted, &mut |_, solution| {
            let holds = match candidate {
                _ if quick => recoded::audit(summary, &solution.recoding, &promises).holds,
                Some(candidate) => candidate
                    .found_holds(&solution.recoding, &plan.promises)
                    .unwrap_or_else(|error| {
                        failure = Some(error);
                        false
                    }),
                None => true,
            };
            if holds {
                meter.begin();
            }
            holds
        });
        match (found, failure) {
            ((Err(_), _), Some(error)) => return Err(error),
            (found, _) => unconfirmed(found),
        }
    } else if entry.name == "mpalm" {
        let found = Mpalm::default().run(&request, &mut context);
        let found = found.map(|(solution, classes)| {
            looks_like = Some(classes);
            solution
        });
        (found, Vec::new())
    } else {
        let solver = match task::solver(entry, plan, table, &setting)? {
            Some(solver) => solver,
            None => solver(entry, meter.limited()),
        };
        (solver.solve(&request, &mut context), Vec::new())
    };
    // Somebody who stops a run wants no release; a budget that ends wants the best so far.
    proceed(listener)?;
    let mut solution = solution.map_err(|error| match error {
        denym_tabular::Error::Stopped if meter.over() => Error::OutOfTime,
        denym_tabular::Error::Stopped => Error::Stopped,
        error @ denym_tabular::Error::Infeasible { .. } if !plan.owners.is_empty() => {
            Error::Infeasible {
                what: error.to_string(),
                code: error.code(),
                help: format!("{}; or {}", error.help(), owners::help(&plan.owners)),
            }
        }
        error => Error::Solver(error),
    })?;
    if solution.recoding.unit == Unit::Record {
        solution.recoding.class_of =
            by_row(table, &plan.columns.quasi, &solution.recoding.class_of);
    }
    let best = attempts
        .iter()
        .filter_map(|attempt| Some((attempt.score()?, attempt.name)));
    let algorithm = best
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(entry.name, |(_, name)| name);
    Ok(Found {
        solution,
        attempts,
        effort: meter.effort(),
        looks_like,
        ..nothing_found(algorithm, 0)
    })
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
    let strict = Request {
        suppress_at_most: Fraction::ZERO,
        ..*request
    };
    let mut context = Context {
        seed: 0,
        keep_going: &|| true,
        progress: &mut |_| {},
    };
    let needed = match denym_tabular::FullDomain::default().solve(&strict, &mut context) {
        Err(denym_tabular::Error::Infeasible { nearest }) => {
            nearest.suppression.map_or(missing, |(records, _)| records)
        }
        _ => missing,
    };
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

/// A portfolio whose every answer was refused has no answer.
fn unconfirmed(
    (found, attempts): (Result<Solution, denym_tabular::Error>, Vec<Attempt>),
) -> (Result<Solution, denym_tabular::Error>, Vec<Attempt>) {
    let refused = |attempt: &Attempt| matches!(attempt.outcome, Outcome::Refused(_));
    match found {
        Err(denym_tabular::Error::Stopped) if attempts.iter().any(refused) => {
            let nothing = denym_tabular::Nearest {
                reach: Vec::new(),
                suppression: None,
            };
            let error = denym_tabular::Error::Infeasible {
                nearest: Box::new(nothing),
            };
            (Err(error), attempts)
        }
        found => (found, attempts),
    }
}

/// A budget is given to an algorithm that ends by itself.
fn no_use(algorithm: &str) -> Error {
    Error::Argument {
        what: format!("`{algorithm}` ends by itself: it has no use for a budget"),
        help: format!("use one of {}, or leave the budget out", LIMITED.join(", ")),
    }
}

/// Solvers number records by tuple, and within a tuple in the order of the table; the table numbers them by row.
pub(super) fn by_row(
    table: &Table,
    quasi: &[usize],
    by_tuple: &[Option<ClassId>],
) -> Vec<Option<ClassId>> {
    let columns: Vec<&[Code]> = quasi
        .iter()
        .map(|&position| table.columns()[position].codes.as_slice())
        .collect();
    let mut rows: Vec<usize> = (0..by_tuple.len()).collect();
    rows.sort_by(|&a, &b| {
        columns
            .iter()
            .map(|codes| codes[a].cmp(&codes[b]))
            .find(|order| order.is_ne())
            .unwrap_or(a.cmp(&b))
    });
    let mut by_row = vec![None; by_tuple.len()];
    for (row, class) in rows.into_iter().zip(by_tuple) {
        by_row[row] = *class;
    }
    by_row
}
