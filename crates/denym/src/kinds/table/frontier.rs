//! The frontier of a table: many bounds at once, over one summary of the data.
//!
//! # Idea
//!
//! The table is read and summarized once. Every combination of bounds is then a search of its own, on all cores. Two facts
//! save most of them. A release under stricter bounds is one under looser bounds, so no point is shown worse than a
//! stricter one. And the best score of an exact search can only rise with the bound: where both ends of a range of k cost
//! the same, so does everything between, and nothing is searched there.
//!
//! # Guarantee
//!
//! Every figure belongs to a recoding that was grouped again by what it would publish and judged under bounds at least
//! as strict as those it is shown for. Under `auto` the solvers that take well under a second on thousands of tuples see every
//! point; the whole portfolio then searches one point after another, first those far apart, until time is up. A point it came to
//! shows what `anonymize` finds there; the others are marked as searched in haste.
//!
//! # Cost
//!
//! One search per point and solver at most.

use std::sync::atomic::{AtomicU64, Ordering};

use denym_data::{AlgorithmEntry, Summary, Table};
use denym_engine::Engine;
use denym_measure::audit_recoding;
use denym_tabular::{
    Context, EffortMeter, NamedSearch, Request, Solution, SpecialAlgorithm, TableSolver,
};
use rayon::prelude::*;

use super::proof::Candidate;
use super::search::{budget, within};
use super::{OnTables, Source};
use crate::explore::{Found, Grid, Known, Points};
use crate::kinds::microdata::family;
use crate::listener::{Listener, Phase};
use crate::pipeline::{Kind, Run};
use crate::plan::{Plan, judges};
use crate::policy::{Policy, suggest};
use crate::{Error, population, scopes, task};

/// Lattices up to this size are searched exactly under `auto`, as in the portfolio.
const EXACT: u128 = 1 << 18;

/// What every solver of `asked` finds at each point of `grid`; `None` where all of them group records.
pub(super) fn at_once(
    run: &Run<'_>,
    source: &Source,
    grid: &Grid,
    asked: &[&'static AlgorithmEntry],
) -> Result<Option<Points>, Error> {
    let listener = run.listener;
    listener.phase(Phase::Summarizing);
    let under = |algorithm: &'static AlgorithmEntry| {
        let mut policy = run.policy.clone();
        policy.release.algorithm = algorithm;
        policy
    };
    let Some(first) = asked.first().map(|one| under(one)) else {
        return Ok(None);
    };
    let run = &Run {
        policy: &first,
        ..*run
    };
    let planned = OnTables::plan(run, source)?;
    let kept = planned.kept(source);
    // What groups records instead of generalizing tuples goes the way of a release.
    let groups = |one: &'static AlgorithmEntry| {
        family(&under(one), kept).is_some() || SpecialAlgorithm::named(one.name).is_some()
    };
    let grouping = asked.iter().filter(|one| groups(one)).count();
    if grouping == asked.len() {
        return Ok(None);
    } else if grouping > 0 {
        return Err(Error::Argument {
            what: "some of these algorithms group records and some generalize: they lose in different units".into(),
            help: "explore those that group records by themselves".into(),
        });
    }
    listener.phase(Phase::Searching);
    let plan = &planned.plan;
    let portfolios = asked
        .iter()
        .map(|one| solvers(one, plan))
        .collect::<Result<Vec<_>, Error>>()?;
    let mut jobs: u64 = portfolios.iter().map(|p| p.len() as u64).sum();
    jobs += asked.iter().filter(|one| one.is_auto()).count() as u64;
    let mut named = plan.policy.clone();
    for (promised, promise) in named.promises.iter_mut().zip(&plan.promises) {
        promised.promise.clone_from(promise);
    }
    let search = Search {
        plan,
        policy: &named,
        engine: run.engine,
        table: kept,
        summary: &planned.summary,
        register: source.register.as_ref(),
        grid,
        records: source.table().records() as u64,
        listener,
        done: AtomicU64::new(0),
        total: jobs * grid.len() as u64,
    };
    let points = asked.iter().zip(&portfolios).map(|(one, solvers)| {
        let mut known = search.points(solvers)?;
        if one.is_auto() {
            search.refine(one, &mut known)?;
        }
        Ok((None, known))
    });
    points.collect::<Result<Points, Error>>().map(Some)
}

/// The solvers that an algorithm of a policy stands for when many points are searched.
fn solvers(algorithm: &AlgorithmEntry, plan: &Plan) -> Result<Vec<&'static TableSolver>, Error> {
    let one_grain = plan.policy.release.one_grain;
    let nodes = plan.limits.iter().fold(1_u128, |nodes, (low, high)| {
        nodes.saturating_mul((high - low + 1) as u128)
    });
    let names = match algorithm.name {
        "auto" if nodes <= EXACT && one_grain => vec!["full-domain"],
        "auto" if nodes <= EXACT => vec!["mondrian", "full-domain"],
        "auto" if one_grain => vec!["best-effort"],
        // Levels alone seldom lose less where they are that many, and take long.
        "auto" => vec!["mondrian"],
        other => vec![other],
    };
    names
        .into_iter()
        .map(|name| {
            denym_tabular::solver_named(name).ok_or_else(|| {
                let known: Vec<&str> = denym_tabular::CATALOGUE
                    .iter()
                    .map(|one| one.entry.name)
                    .collect();
                Error::Argument {
                    what: format!("there is no algorithm `{name}` for tables"),
                    help: suggest(name, &known),
                }
            })
        })
        .collect()
}

struct Search<'a> {
    plan: &'a Plan,
    /// The policy with the attribute of every promise named.
    policy: &'a Policy,
    engine: &'a Engine,
    table: &'a Table,
    summary: &'a Summary,
    register: Option<&'a Table>,
    grid: &'a Grid,
    records: u64,
    listener: &'a dyn Listener,
    done: AtomicU64,
    total: u64,
}

impl Search<'_> {
    /// The best of `solvers` at every point of the grid.
    fn points(&self, solvers: &[&'static TableSolver]) -> Result<Vec<Known>, Error> {
        let line = self.grid.axes.last().map_or(1, |axis| axis.values.len());
        let lines = self.grid.len() / line.max(1);
        let jobs: Vec<(usize, &'static TableSolver)> = (0..lines)
            .flat_map(|at| solvers.iter().map(move |&solver| (at, solver)))
            .collect();
        let solved: Vec<Vec<Known>> = jobs
            .par_iter()
            .map(|&(at, solver)| self.line(solver, at * line, line))
            .collect::<Result<_, Error>>()?;
        let mut best: Vec<Option<Known>> = vec![None; self.grid.len()];
        for (&(at, _), found) in jobs.iter().zip(solved) {
            for (place, known) in best[at * line..].iter_mut().zip(found) {
                *place = Some(match place.take() {
                    None => known,
                    Some(old) => better(old, known),
                });
            }
        }
        let mut best: Vec<Known> = best.into_iter().flatten().collect();
        self.spread(&mut best, |_| true);
        Ok(best)
    }

    /// Runs the whole portfolio on one point after another, those far apart first, while there is time.
    fn refine(&self, auto: &AlgorithmEntry, known: &mut [Known]) -> Result<(), Error> {
        let Some(portfolio) = denym_tabular::solver_named(auto.name) else {
            return Ok(());
        };
        for found in known.iter_mut().flatten() {
            found.in_haste = true;
        }
        let mut done = vec![false; known.len()];
        let mut step = known.len().next_power_of_two();
        while step > 0 {
            for point in (0..known.len()).step_by(step) {
                if std::mem::replace(&mut done[point], true) {
                    continue;
                }
                if !self.listener.in_time() {
                    // What was not searched here may still have what was searched elsewhere.
                    self.spread(known, |found| found.in_haste);
                    return Ok(());
                }
                let found = self.solve(portfolio, point)?;
                // What time cut short depends on the moment.
                if self.listener.in_time() && (found.is_ok() || known[point].is_err()) {
                    known[point] = found;
                }
            }
            step /= 2;
        }
        Ok(())
    }

    /// Shows no point worse than a stricter one, among those that `may` be shown as something else than was found there.
    fn spread(&self, best: &mut [Known], may: impl Fn(&Found) -> bool) {
        // A release under stricter bounds is one under looser bounds: along every axis, the strict end first.
        for axis in 0..self.grid.axes.len() {
            let stride = self.grid.stride(axis);
            for point in (0..best.len()).rev() {
                let last = self.grid.place(point, axis) + 1 == self.grid.axes[axis].values.len();
                if !last && best[point].as_ref().map_or(true, &may) {
                    let in_haste = best[point].as_ref().is_ok_and(|found| found.in_haste);
                    best[point] = better(best[point].clone(), best[point + stride].clone());
                    if let Ok(found) = &mut best[point] {
                        found.in_haste |= in_haste;
                    }
                }
            }
        }
    }

    /// What one solver finds along the last axis, from point `start` on.
    fn line(
        &self,
        solver: &'static TableSolver,
        start: usize,
        length: usize,
    ) -> Result<Vec<Known>, Error> {
        let mut known = vec![None; length];
        if solver.entry.name == "full-domain" && length > 2 {
            let (first, last) = rayon::join(
                || self.solve(solver, start),
                || self.solve(solver, start + length - 1),
            );
            (known[0], known[length - 1]) = (Some(first?), Some(last?));
            self.between(solver, start, &mut known)?;
        } else {
            let found: Vec<Known> = (start..start + length)
                .into_par_iter()
                .map(|point| self.solve(solver, point))
                .collect::<Result<_, Error>>()?;
            return Ok(found);
        }
        Ok(known.into_iter().flatten().collect())
    }

    /// Fills what lies between two known ends, of which the second is the stricter.
    fn between(
        &self,
        solver: &'static TableSolver,
        start: usize,
        known: &mut [Option<Known>],
    ) -> Result<(), Error> {
        let last = known.len() - 1;
        if last < 2 {
            return Ok(());
        }
        let same = match (&known[0], &known[last]) {
            (Some(Ok(loose)), Some(Ok(strict))) => {
                loose.optimal && strict.optimal && loose.value.total_cmp(&strict.value).is_eq()
            }
            // What cannot be had under loose bounds cannot be had under strict ones.
            (Some(Err(_)), Some(Err(_))) => true,
            _ => false,
        };
        if same {
            let strict = known[last].clone();
            for place in &mut known[1..last] {
                place.clone_from(&strict);
            }
            self.progress(last as u64 - 1);
            return Ok(());
        }
        let middle = last / 2;
        known[middle] = Some(self.solve(solver, start + middle)?);
        let strict = known[middle].clone();
        // Both halves need the middle.
        let mut left = known[..=middle].to_vec();
        let right = &mut known[middle..];
        right[0] = strict;
        let (one, other) = rayon::join(
            || self.between(solver, start, &mut left),
            || self.between(solver, start + middle, right),
        );
        one.and(other)?;
        known[..=middle].clone_from_slice(&left);
        Ok(())
    }

    /// Searches one point and audits what was found.
    fn solve(&self, solver: &'static TableSolver, point: usize) -> Result<Known, Error> {
        let varied = self.grid.policy(self.policy, point);
        let (release, promised) = (&varied.release, varied.promises.iter());
        let specs: Vec<_> = promised.map(|one| one.promise.clone()).collect();
        let suppress = release.suppress_at_most;
        let promises = judges(&specs, &self.plan.sensitive)?;
        let every: Vec<usize> = (0..promises.len()).collect();
        let mut setting = scopes::setting(self.plan, &every, &promises);
        setting.population = self.register.map(|r| population::tuples(self.plan, r));
        let plain = setting.is_plain();
        let request = Request {
            summary: self.summary,
            hierarchies: &self.plan.hierarchies,
            promises: &promises,
            objective: release.metric.objective(),
            suppress_at_most: budget(self.plan, suppress, self.summary),
            limits: Some(&self.plan.limits),
            setting: Some(&setting),
            weights: self.plan.weights.as_deref(),
        };
        if let Err(error) = within(self.plan, suppress.floor_of(self.records), &request) {
            self.progress(1);
            return Ok(Err(format!("{error}: {}", error.help())));
        }
        let confirmed = |solution: &Solution| -> Result<bool, Error> {
            if plain {
                return Ok(audit_recoding(self.summary, &solution.recoding, &promises).holds);
            }
            let candidate = Candidate {
                plan: self.plan,
                engine: self.engine,
                kept: self.table,
                summary: self.summary,
                register: self.register,
            };
            candidate.found_holds(&solution.recoding, &specs)
        };
        let portfolio = solver.entry.is_auto();
        let keep_going = || self.listener.keep_going() && (!portfolio || self.listener.in_time());
        let mut failure = None;
        let solved = if portfolio {
            let always = || true;
            let meter = EffortMeter::new(&keep_going, &always, None, false, true);
            let search = NamedSearch {
                named: solver,
                solver: None,
                safe: self.plan.policy.knows_program,
                thorough: false,
                one_grain: release.one_grain,
                seed: release.seed,
                meter: &meter,
            };
            let mut accept = |solution: &Solution| {
                confirmed(solution).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
            };
            let found = search.run(&request, &mut |_| {}, &mut accept);
            found.map(|found| (found.algorithm, found.solution))
        } else {
            let mut context = Context {
                seed: release.seed,
                keep_going: &keep_going,
                progress: &mut |_| {},
            };
            let own = task::solver(solver, self.plan, self.table, &setting)?;
            let own = own.unwrap_or_else(|| (solver.make)());
            let found = own.solve(&request, &mut context);
            found.map(|solution| (solver.entry.name, solution))
        };
        if let Some(error) = failure {
            return Err(error);
        }
        if !self.listener.keep_going() {
            return Err(Error::Stopped);
        }
        self.progress(1);
        let (algorithm, solution) = match solved {
            Ok(found) => found,
            Err(denym_tabular::Error::Stopped) if portfolio => {
                return Ok(Err("time was up".into()));
            }
            Err(denym_tabular::Error::Stopped) => return Err(Error::Stopped),
            Err(error) => return Ok(Err(error.to_string())),
        };
        let solution = if release.round_ranges {
            denym_tabular::widened(&request, solution)
        } else {
            solution
        };
        if !confirmed(&solution)? {
            return Ok(Err("the audit does not confirm what was found".into()));
        }
        let audit = audit_recoding(self.summary, &solution.recoding, &promises);
        Ok(Ok(Found {
            algorithm: algorithm.to_owned(),
            value: solution.score,
            in_haste: false,
            optimal: solution
                .bound
                .is_some_and(|bound| bound.total_cmp(&solution.score).is_eq()),
            figures: vec![
                ("highest_risk", 1.0 / audit.smallest as f64),
                ("average_risk", audit.classes as f64 / audit.records as f64),
                ("smallest_class", audit.smallest as f64),
                ("classes", audit.classes as f64),
                ("suppressed_records", (self.records - audit.records) as f64),
            ],
        }))
    }

    fn progress(&self, points: u64) {
        let done = self.done.fetch_add(points, Ordering::Relaxed) + points;
        self.listener.progress(done, self.total);
    }
}

/// The one that loses less; the first of equals.
fn better(first: Known, second: Known) -> Known {
    match (&first, &second) {
        (Ok(a), Ok(b)) if b.value < a.value => second,
        (Err(_), Ok(_)) => second,
        _ => first,
    }
}
