//! Any kind of data explored by the steps of its own pipeline: plan, solve, show and judge, once under each varied policy.
//!
//! # Guarantee
//!
//! A trial has a value only where what would be published, seen as a recipient sees it, was judged by the same proof as a release and
//! every promise holds. Nothing is written.

use std::sync::atomic::{AtomicU64, Ordering};

use denym_data::AlgorithmEntry;
use rayon::prelude::*;

use super::grid::{Grid, Layout, no_meaning};
use super::knee::knee;
use super::{Exploration, ExploreRequest, Trial};
use crate::Error;
use crate::account::Account;
use crate::kinds::Verb;
use crate::listener::{Listener, Phase};
use crate::options::{RunOption, RunOptions};
use crate::pipeline::{Kind, Run};
use crate::policy::{Policy, suggest};
use crate::program;

/// What would be released at one point.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The algorithm that found it.
    pub(crate) algorithm: String,
    /// What it costs.
    pub(crate) value: f64,
    /// Nothing of its kind costs less.
    pub(crate) optimal: bool,
    /// Time was up before every search that a release tries had its turn.
    pub(crate) in_haste: bool,
    /// Further figures by name.
    pub(crate) figures: Vec<(&'static str, f64)>,
}

/// What is known of a point: what would be released, or why nothing is.
pub(crate) type Known = Result<Found, String>;

/// The verb `explore`.
pub(super) struct Exploring<'a> {
    pub(super) request: &'a ExploreRequest,
    pub(super) listener: &'a dyn Listener,
}

impl Verb for Exploring<'_> {
    type Output = Result<Exploration, Error>;

    fn on<K: Kind>(self, policy: &Policy) -> Self::Output {
        let (mut request, listener) = (self.request.clone(), self.listener);
        // The figures of the papers compare algorithms at one k.
        if request.varies_nothing()
            && (K::LAYOUT == Layout::Frontier || request.algorithms.is_empty())
        {
            request.k = K::usual_k();
        }
        if request.until_told && !K::TAKES.contains(&RunOption::TimeBudget) {
            return Err(no_time_budget());
        }
        let grid = Grid::new::<K>(&request, policy)?;
        let asked = algorithms::<K>(&request, policy)?;
        let engine = request.input.engine(policy, request.threads)?;
        let options = RunOptions::default();
        let run = Run {
            policy,
            engine: &engine,
            options: &options,
            listener,
            trying: true,
            ledger: None,
            key: None,
        };
        listener.phase(Phase::Reading);
        let source = K::read(&run)?;
        let known = match K::at_once(&run, &source, &grid, &asked)? {
            Some(known) => known,
            None if request.until_told => return Err(no_time_budget()),
            None => one_by_one::<K>(&run, &source, &grid, &asked)?,
        };
        let mut exploration = Exploration {
            metric: policy.release.metric.name().to_owned(),
            figures: Vec::new(),
            trials: Vec::new(),
            knees: Vec::new(),
            exposure: None,
        };
        for (algorithm, (metric, known)) in asked.iter().zip(known) {
            exploration.metric = metric.unwrap_or(exploration.metric);
            let start = exploration.trials.len();
            for (point, known) in known.into_iter().enumerate() {
                if let Ok(found) = &known {
                    exploration.figures = found.figures.iter().map(|(name, _)| *name).collect();
                }
                let trial = trial(grid.settings(point), algorithm.name, known);
                exploration.trials.push(trial);
            }
            if K::LAYOUT == Layout::Frontier {
                knees(&mut exploration, &grid, start);
            }
        }
        Ok(exploration)
    }
}

/// What each algorithm finds at every point, with the metric's name where a run says it.
pub(crate) type Points = Vec<(Option<String>, Vec<Known>)>;

/// Every point as a run of its own.
fn one_by_one<K: Kind>(
    run: &Run<'_>,
    source: &K::Source,
    grid: &Grid,
    asked: &[&'static AlgorithmEntry],
) -> Result<Points, Error> {
    run.listener.phase(Phase::Searching);
    let total = (asked.len() * grid.len()) as u64;
    let done = AtomicU64::new(0);
    let point = |algorithm: &'static AlgorithmEntry, point: usize| {
        let mut varied = grid.policy(run.policy, point);
        varied.release.algorithm = algorithm;
        let run = Run {
            policy: &varied,
            ..*run
        };
        let tried = run.proceed().and_then(|()| K::attempt(&run, source));
        run.listener
            .progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        match tried {
            Ok(account) => Ok((Some(account.metric.0.clone()), Ok(found::<K>(&account)))),
            Err(error) if error.exit_code() != 1 => Err(error),
            Err(error) => Ok((None, Err(format!("{error}: {}", error.help())))),
        }
    };
    asked
        .iter()
        .map(|algorithm| {
            let points = (0..grid.len()).into_par_iter();
            let known: Vec<_> = points
                .map(|at| point(algorithm, at))
                .collect::<Result<_, Error>>()?;
            let metric = known.iter().find_map(|(metric, _)| metric.clone());
            Ok((metric, known.into_iter().map(|(_, known)| known).collect()))
        })
        .collect()
}

/// The algorithms to try: those asked for, else the policy's.
fn algorithms<K: Kind>(
    request: &ExploreRequest,
    policy: &Policy,
) -> Result<Vec<&'static AlgorithmEntry>, Error> {
    if request.algorithms.is_empty() {
        return Ok(vec![policy.release.algorithm]);
    }
    let known: Vec<_> = program::fitting(K::ALGORITHMS).collect();
    if known.len() < 2 {
        return Err(no_meaning::<K>("algorithm"));
    }
    let find = |name: &String| {
        let mut entries = known.iter().copied();
        entries.find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|entry| entry.name).collect();
            Error::Argument {
                what: format!("there is no algorithm `{name}` for {}", K::NAME),
                help: suggest(name, &names),
            }
        })
    };
    request.algorithms.iter().map(find).collect()
}

/// Only searches of tables that go on for as long as they may have a use for time.
fn no_time_budget() -> Error {
    Error::Argument {
        what: "a time budget has no use here: every trial is a search that ends by itself".into(),
        help: "leave out --time-budget".into(),
    }
}

/// What a run that would be released came to.
fn found<K: Kind>(account: &Account) -> Found {
    let figure = |&(name, key): &(&'static str, &'static str)| {
        let mut claims = account.claims.iter();
        let value = match key {
            "suppressed_records" => Some(account.suppressed_records as f64),
            "highest_risk" => claims
                .find(|claim| claim.promise == "k-anonymity")
                .map(|claim| 1.0 / claim.measured),
            key => (account.figures.get(key)).map(|value| value.as_f64().unwrap_or(f64::NAN)),
        };
        value.map(|value| (name, value))
    };
    Found {
        algorithm: account.algorithm.clone(),
        value: account.metric.1,
        optimal: false,
        in_haste: false,
        figures: K::COMPARED.iter().filter_map(figure).collect(),
    }
}

fn trial(settings: Vec<(&'static str, f64)>, asked: &str, known: Known) -> Trial {
    let asked = asked.to_owned();
    match known {
        Ok(found) => Trial {
            settings,
            asked,
            algorithm: found.algorithm,
            value: Some(found.value),
            in_haste: found.in_haste,
            figures: found.figures.into_iter().map(|(_, value)| value).collect(),
            refusal: None,
        },
        Err(refusal) => Trial {
            settings,
            algorithm: asked.clone(),
            asked,
            value: None,
            in_haste: false,
            figures: Vec::new(),
            refusal: Some(refusal),
        },
    }
}

/// Marks the knee of every line along the longest axis, among the trials from `start` on.
fn knees(exploration: &mut Exploration, grid: &Grid, start: usize) {
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
                let mut settings = trial.settings.iter();
                let value = settings.find(|(name, _)| *name == setting.name())?;
                Some((index, (setting.exposure(value.1), trial.value?)))
            })
            .collect();
        let points: Vec<(f64, f64)> = line.iter().map(|&(_, point)| point).collect();
        exploration.knees.extend(knee(&points).map(|at| line[at].0));
    }
}
