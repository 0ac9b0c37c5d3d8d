//! Tables explored: what each bound costs, over one reading of the data.
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
//! as strict as those it is shown for. `auto` runs the solvers that take well under a second on thousands of tuples; with
//! a time budget local recoding then tries one point after another, first those far apart, until time is up. `anonymize` runs its
//! whole portfolio and usually finds a release that costs less.
//!
//! # Cost
//!
//! One search per point and solver at most; Adult, nine quasi-identifiers, k = 2..100 takes about one second of
//! processor time.

use std::sync::atomic::{AtomicU64, Ordering};

use denym_data::{Summary, Table};
use denym_engine::Engine;
use denym_tabular::{Context, Entry, Objective, Request};
use rayon::prelude::*;

use super::grid::{Grid, at};
use super::knee::knee;
use super::{Exploration, ExploreRequest, Trial, any};
use crate::anonymize::{Candidate, SIDES, budget, within};
use crate::kinds::microdata::family;
use crate::listener::{Listener, Phase};
use crate::plan::{Plan, judges};
use crate::policy::{Policy, suggest};
use crate::{Error, coding, population, recoded, scopes, source, task};

/// What a trial tells beside its metric.
const FIGURES: [&str; 5] = [
    "highest_risk",
    "average_risk",
    "smallest_class",
    "classes",
    "suppressed_records",
];

/// Lattices up to this size are searched exactly under `auto`, as in the portfolio.
const EXACT: u128 = 1 << 18;

/// A recoding that was found and audited, without the recoding.
#[derive(Debug, Clone)]
struct Found {
    algorithm: &'static str,
    score: f64,
    /// Nothing of its kind scores lower.
    optimal: bool,
    figures: [f64; FIGURES.len()],
}

/// What is known of a point: a recoding, or why there is none.
type Known = Result<Found, String>;

/// Solves for every combination.
pub(super) fn explore(
    policy: &Policy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    if !(request.doublets.is_empty() && request.items.is_empty()) {
        return Err(Error::Argument {
            what: "doublets and items are knowledge about paths and transactions, not tables"
                .into(),
            help: "leave out --doublets and --items".into(),
        });
    }
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let table = source::read(policy, &engine)?;
    let (table, register) = population::read(policy, table, &engine)?;
    let table = coding::coded(policy, std::borrow::Cow::Owned(table))?;
    let plan = Plan::new(policy, &table, &engine)?;
    let kept = plan.complete(&table)?;
    let asked = if request.algorithms.is_empty() {
        vec![policy.release.algorithm.clone()]
    } else {
        request.algorithms.clone()
    };
    // What groups records instead of generalizing tuples goes the way of a release.
    let groups = |name: &String| {
        let mut policy = policy.clone();
        policy.release.algorithm.clone_from(name);
        family(&policy, &kept).is_some() || SIDES.iter().any(|(_, side)| side.name == *name)
    };
    let grouping = asked.iter().filter(|name| groups(name)).count();
    if grouping == asked.len() {
        return any::explore(policy, request, listener);
    } else if grouping > 0 {
        return Err(Error::Argument {
            what: "some of these algorithms group records and some generalize: they lose in different units".into(),
            help: "explore those that group records by themselves".into(),
        });
    }
    listener.phase(Phase::Summarizing);
    let columns = &plan.columns;
    let summary = engine.summarize(&kept, &columns.quasi, &columns.sensitive, columns.subject)?;
    let grid = Grid::new(request, &plan.promises)?;
    listener.phase(Phase::Searching);
    let portfolios = asked
        .iter()
        .map(|name| solvers(name, &plan))
        .collect::<Result<Vec<_>, Error>>()?;
    let jobs: u64 = portfolios.iter().map(|p| p.len() as u64).sum();
    let search = Search {
        plan: &plan,
        engine: &engine,
        table: &kept,
        summary: &summary,
        register: register.as_ref(),
        grid: &grid,
        records: table.records() as u64,
        listener,
        done: AtomicU64::new(0),
        total: jobs * grid.len() as u64,
    };
    let mut exploration = Exploration {
        metric: policy.release.metric.clone(),
        figures: FIGURES.to_vec(),
        trials: Vec::new(),
        knees: Vec::new(),
        exposure: None,
    };
    for (name, solvers) in asked.iter().zip(&portfolios) {
        let mut known = search.points(solvers)?;
        if request.until_told && name == "auto" {
            search.refine(&mut known)?;
        }
        let start = exploration.trials.len();
        for (point, known) in known.into_iter().enumerate() {
            let settings = grid.settings(point);
            let settings = settings.iter().map(|(s, value)| (s.name(), value.to_f64()));
            exploration
                .trials
                .push(trial(settings.collect(), name, known));
        }
        knees(&mut exploration, &grid, start);
    }
    Ok(exploration)
}

/// The solvers that an algorithm of a policy stands for when many points are searched.
fn solvers(name: &str, plan: &Plan) -> Result<Vec<&'static Entry>, Error> {
    let nodes = plan.limits.iter().fold(1_u128, |nodes, (low, high)| {
        nodes.saturating_mul((high - low + 1) as u128)
    });
    let names = match name {
        "auto" if nodes <= EXACT => vec!["mondrian", "full-domain"],
        "auto" => vec!["mondrian", "best-effort"],
        other => vec![other],
    };
    names
        .into_iter()
        .map(|name| {
            denym_tabular::entry(name).ok_or_else(|| {
                let known: Vec<&str> = denym_tabular::CATALOGUE.iter().map(|e| e.name).collect();
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
    fn points(&self, solvers: &[&'static Entry]) -> Result<Vec<Known>, Error> {
        let line = self.grid.axes.last().map_or(1, |axis| axis.values.len());
        let lines = self.grid.len() / line.max(1);
        let jobs: Vec<(usize, &'static Entry)> = (0..lines)
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
        self.spread(&mut best);
        Ok(best)
    }

    /// Tries local recoding on one point after another, those far apart first, while there is time.
    fn refine(&self, known: &mut [Known]) -> Result<(), Error> {
        let Some(entry) = denym_tabular::entry("local-recoding") else {
            return Ok(());
        };
        let mut done = vec![false; known.len()];
        let mut step = known.len().next_power_of_two();
        while step > 0 {
            for point in (0..known.len()).step_by(step) {
                if !self.listener.in_time() {
                    self.spread(known);
                    return Ok(());
                }
                if !std::mem::replace(&mut done[point], true) {
                    let found = self.solve(entry, point)?;
                    known[point] = better(known[point].clone(), found);
                }
            }
            step /= 2;
        }
        self.spread(known);
        Ok(())
    }

    /// Shows no point worse than a stricter one.
    fn spread(&self, best: &mut [Known]) {
        // A release under stricter bounds is one under looser bounds: along every axis, the strict end first.
        for axis in 0..self.grid.axes.len() {
            let stride = self.grid.stride(axis);
            for point in (0..best.len()).rev() {
                if self.grid.place(point, axis) + 1 < self.grid.axes[axis].values.len() {
                    best[point] = better(best[point].clone(), best[point + stride].clone());
                }
            }
        }
    }

    /// What one solver finds along the last axis, from point `start` on.
    fn line(
        &self,
        solver: &'static Entry,
        start: usize,
        length: usize,
    ) -> Result<Vec<Known>, Error> {
        let mut known = vec![None; length];
        if solver.name == "full-domain" && length > 2 {
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
        solver: &'static Entry,
        start: usize,
        known: &mut [Option<Known>],
    ) -> Result<(), Error> {
        let last = known.len() - 1;
        if last < 2 {
            return Ok(());
        }
        let same = match (&known[0], &known[last]) {
            (Some(Ok(loose)), Some(Ok(strict))) => {
                loose.optimal && strict.optimal && loose.score.total_cmp(&strict.score).is_eq()
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
    fn solve(&self, solver: &'static Entry, point: usize) -> Result<Known, Error> {
        let release = &self.plan.policy.release;
        let (specs, suppress) = at(
            &self.plan.promises,
            release.suppress_at_most,
            &self.grid.settings(point),
        );
        let promises = judges(&specs, &self.plan.sensitive)?;
        let every: Vec<usize> = (0..promises.len()).collect();
        let mut setting = scopes::setting(self.plan, &every, &promises);
        setting.population = self.register.map(|r| population::tuples(self.plan, r));
        let plain = setting.population.is_none()
            && setting.together.is_none()
            && setting.scopes.iter().all(Vec::is_empty);
        let request = Request {
            summary: self.summary,
            hierarchies: &self.plan.hierarchies,
            promises: &promises,
            objective: Objective::parse(&release.metric).ok_or_else(|| Error::Internal {
                what: "a metric that the policy should have refused".into(),
            })?,
            suppress_at_most: budget(self.plan, suppress, self.summary),
            limits: Some(&self.plan.limits),
            setting: Some(&setting),
            weights: self.plan.weights.as_deref(),
        };
        if let Err(error) = within(self.plan, suppress.floor_of(self.records), &request) {
            self.progress(1);
            return Ok(Err(format!("{error}: {}", error.help())));
        }
        // Only repairs are cut short when time is up; other searches would be left with nothing.
        let repairs = solver.name == "local-recoding";
        let keep_going = || self.listener.keep_going() && (!repairs || self.listener.in_time());
        let mut context = Context {
            seed: release.seed,
            keep_going: &keep_going,
            progress: &mut |_| {},
        };
        let own = task::solver(solver, self.plan, self.table, &setting)?;
        let own = own.unwrap_or_else(|| (solver.make)());
        let solved = own.solve(&request, &mut context);
        if !self.listener.keep_going() {
            return Err(Error::Stopped);
        }
        self.progress(1);
        let solution = match solved {
            Ok(solution) => solution,
            Err(denym_tabular::Error::Stopped) if repairs => {
                return Ok(Err("time was up".into()));
            }
            Err(denym_tabular::Error::Stopped) => return Err(Error::Stopped),
            Err(error) => return Ok(Err(error.to_string())),
        };
        let audit = recoded::audit(self.summary, &solution.recoding, &promises);
        let holds = if plain {
            audit.holds
        } else {
            let candidate = Candidate {
                plan: self.plan,
                engine: self.engine,
                kept: self.table,
                summary: self.summary,
                register: self.register,
            };
            candidate.found_holds(&solution.recoding, &specs)?
        };
        if !holds {
            return Ok(Err("the audit does not confirm what was found".into()));
        }
        Ok(Ok(Found {
            algorithm: solver.name,
            score: solution.score,
            optimal: solution
                .bound
                .is_some_and(|bound| bound.total_cmp(&solution.score).is_eq()),
            figures: [
                1.0 / audit.smallest as f64,
                audit.classes as f64 / audit.records as f64,
                audit.smallest as f64,
                audit.classes as f64,
                (self.records - audit.records) as f64,
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
        (Ok(a), Ok(b)) if b.score < a.score => second,
        (Err(_), Ok(_)) => second,
        _ => first,
    }
}

fn trial(settings: Vec<(&'static str, f64)>, asked: &str, known: Known) -> Trial {
    match known {
        Ok(found) => Trial {
            settings,
            asked: asked.to_owned(),
            algorithm: found.algorithm.to_owned(),
            value: Some(found.score),
            figures: found.figures.to_vec(),
            refusal: None,
        },
        Err(refusal) => Trial {
            settings,
            asked: asked.to_owned(),
            algorithm: asked.to_owned(),
            value: None,
            figures: Vec::new(),
            refusal: Some(refusal),
        },
    }
}

/// Marks the knee of every line along the longest axis, among the trials from `start` on.
pub(super) fn knees(exploration: &mut Exploration, grid: &Grid, start: usize) {
    let longest = (0..grid.axes.len())
        .rev()
        .max_by_key(|&axis| grid.axes[axis].values.len());
    let Some(axis) = longest else { return };
    let setting = grid.axes[axis].setting;
    let (stride, length) = (grid.stride(axis), grid.axes[axis].values.len());
    exploration.exposure = Some((setting.name(), setting.exposure_name()));
    for first in (0..grid.len()).filter(|&point| grid.place(point, axis) == 0) {
        let line: Vec<(usize, (f64, f64))> = (0..length)
            .map(|step| start + first + step * stride)
            .filter_map(|index| {
                let trial = &exploration.trials[index];
                let value = trial
                    .settings
                    .iter()
                    .find(|(name, _)| *name == setting.name())?;
                Some((index, (setting.exposure(value.1), trial.value?)))
            })
            .collect();
        let points: Vec<(f64, f64)> = line.iter().map(|&(_, point)| point).collect();
        exploration.knees.extend(knee(&points).map(|at| line[at].0));
    }
}
