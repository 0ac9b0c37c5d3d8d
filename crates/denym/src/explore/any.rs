//! Any kind of data explored by the steps of its own pipeline: plan, solve, show and judge, once under each varied policy.
//!
//! # Guarantee
//!
//! A trial has a value only where what would be published, seen as a recipient sees it, was judged by the same proof as a release and
//! every promise holds. Nothing is written.

use denym_engine::Engine;
use rayon::prelude::*;
use serde_json::Value;

use super::grid::{Grid, Setting, at};
use super::table::knees;
use super::{Exploration, ExploreRequest, Trial, no_time_budget};
use crate::Error;
use crate::account::Account;
use crate::anonymize::{Verb, on_its_kind};
use crate::certificate::DataFile;
use crate::listener::{Listener, Phase};
use crate::options::RunOptions;
use crate::pipeline::{Kind, Made, Run};
use crate::policy::{Policy, PromiseSpec, Promised};

/// Tries every combination of `request` on the data of `policy`.
pub(super) fn explore(
    policy: &Policy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    on_its_kind(policy, request.threads, Exploring { request, listener })
}

/// The verb `explore`.
struct Exploring<'a> {
    request: &'a ExploreRequest,
    listener: &'a dyn Listener,
}

impl Verb for Exploring<'_> {
    type Output = Exploration;

    fn on<K: Kind>(self, policy: &Policy) -> Result<Exploration, Error> {
        let Exploring { request, listener } = self;
        foreign::<K>(request)?;
        let engine = Engine::new(request.threads)?;
        let options = RunOptions::default();
        let run = Run {
            policy,
            engine: &engine,
            options: &options,
            listener,
            trying: true,
        };
        listener.phase(Phase::Reading);
        let source = K::read(&run)?;
        let promises: Vec<PromiseSpec> = policy
            .promises
            .iter()
            .map(|one| one.promise.clone())
            .collect();
        let grid = Grid::new(request, &promises)?;
        let asked = match &request.algorithms[..] {
            [] => vec![policy.release.algorithm.clone()],
            names => names.to_vec(),
        };
        listener.phase(Phase::Searching);
        let total = (asked.len() * grid.len()) as u64;
        let done = std::sync::atomic::AtomicU64::new(0);
        let mut exploration = Exploration {
            metric: policy.release.metric.clone(),
            figures: Vec::new(),
            trials: Vec::new(),
            knees: Vec::new(),
            exposure: None,
        };
        for name in &asked {
            let tried = (0..grid.len()).into_par_iter().map(|point| {
                let varied = varied(policy, &promises, name, &grid.settings(point));
                let run = Run {
                    policy: &varied,
                    ..run
                };
                let tried = attempt::<K>(&run, &source);
                let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                listener.progress(done, total);
                match tried {
                    Err(error) if error.exit_code() != 1 => Err(error),
                    tried => Ok(tried),
                }
            });
            let tried: Vec<Result<Account, Error>> = tried.collect::<Result<_, Error>>()?;
            let start = exploration.trials.len();
            for (point, tried) in tried.into_iter().enumerate() {
                let settings = grid.settings(point).into_iter();
                let settings = settings.map(|(setting, value)| (setting.name(), value.to_f64()));
                let settings = settings.collect();
                exploration.trials.push(match tried {
                    Ok(account) => found(
                        &mut exploration.metric,
                        &mut exploration.figures,
                        settings,
                        name,
                        &account,
                        K::COMPARED,
                    ),
                    Err(error) => Trial {
                        settings,
                        asked: name.clone(),
                        algorithm: name.clone(),
                        value: None,
                        figures: Vec::new(),
                        refusal: Some(format!("{error}: {}", error.help())),
                    },
                });
            }
            knees(&mut exploration, &grid, start);
        }
        Ok(exploration)
    }
}

/// Bounds that have no meaning for this kind of data are refused.
fn foreign<K: Kind>(request: &ExploreRequest) -> Result<(), Error> {
    if request.until_told {
        return Err(no_time_budget());
    }
    let given = [
        (
            "algorithm",
            request.algorithms.is_empty() || K::VARIES.len() > 1,
        ),
        ("doublets", request.doublets.is_empty()),
        ("items", request.items.is_empty()),
        ("l", request.l.is_empty() || K::VARIES.contains(&Setting::L)),
        ("t", request.t.is_empty() || K::VARIES.contains(&Setting::T)),
        (
            "confidence",
            request.confidence.is_empty() || K::VARIES.contains(&Setting::Confidence),
        ),
        (
            "suppress",
            request.suppress.is_empty() || K::VARIES.contains(&Setting::Suppress),
        ),
    ];
    match given.iter().find(|(_, fine)| !fine) {
        None => Ok(()),
        Some((name, _)) => {
            let varies: Vec<String> = K::VARIES
                .iter()
                .map(|setting| format!("--{}", setting.name()))
                .collect();
            Err(Error::Argument {
                what: format!("--{name} has no meaning for {}", K::NAME),
                help: format!("vary {}", varies.join(", ")),
            })
        }
    }
}

/// The policy at one point of the grid.
fn varied(
    policy: &Policy,
    promises: &[PromiseSpec],
    algorithm: &str,
    settings: &[(Setting, denym_data::Fraction)],
) -> Policy {
    let (specs, suppress) = at(promises, policy.release.suppress_at_most, settings);
    let mut varied = policy.clone();
    algorithm.clone_into(&mut varied.release.algorithm);
    varied.release.suppress_at_most = suppress;
    let mut own = std::mem::take(&mut varied.promises).into_iter();
    varied.promises = specs
        .into_iter()
        .map(|promise| match own.next() {
            Some(known) => Promised { promise, ..known },
            None => Promised {
                promise,
                quasi: None,
                span: 0..0,
            },
        })
        .collect();
    varied
}

/// What a run under the policy of `run` would come to.
fn attempt<K: Kind>(run: &Run<'_>, source: &K::Source) -> Result<Account, Error> {
    run.proceed()?;
    let plan = K::plan(run, source)?;
    let mut solved = K::solve(run, source, &plan)?;
    let (mut files, mut tables) = (Vec::new(), Vec::new());
    for sheet in K::show(run, source, &plan, &mut solved)? {
        files.push(DataFile {
            file: sheet.suffix.to_owned(),
            format: run.policy.release.format.clone(),
            records: sheet.table.records() as u64,
            sha256: String::new(),
            columns: sheet.columns,
        });
        tables.push(sheet.table);
    }
    let made = Made {
        run: *run,
        source,
        plan: &plan,
        solved: &solved,
        files: &files,
    };
    let shown = K::see(&made, tables)?;
    let (account, judged) = K::prove(&made, &shown)?;
    if account.refused() {
        let refusal = K::failed(&judged);
        return Err(Error::Infeasible {
            what: refusal.as_ref().map_or_else(
                || "the audit does not confirm what was found".to_owned(),
                |one| one.message.clone(),
            ),
            code: "infeasible",
            help: refusal.map_or_else(|| "try another algorithm".to_owned(), |one| one.help),
        });
    }
    Ok(account)
}

/// A trial that would be released.
fn found(
    metric: &mut String,
    names: &mut Vec<&'static str>,
    settings: Vec<(&'static str, f64)>,
    asked: &str,
    account: &Account,
    compared: &[&'static str],
) -> Trial {
    metric.clone_from(&account.metric.0);
    let k = account
        .claims
        .iter()
        .find(|claim| claim.promise == "k-anonymity");
    let mut figures = vec![(
        "highest_risk",
        k.map_or(f64::NAN, |claim| 1.0 / claim.measured),
    )];
    if k.is_none() {
        figures.clear();
    }
    figures.push(("suppressed_records", account.suppressed_records as f64));
    for &key in compared {
        let value = account.figures.get(key).and_then(Value::as_f64);
        figures.extend(value.map(|value| (key, value)));
    }
    *names = figures.iter().map(|(name, _)| *name).collect();
    Trial {
        settings,
        asked: asked.to_owned(),
        algorithm: account.algorithm.clone(),
        value: Some(account.metric.1),
        figures: figures.into_iter().map(|(_, value)| value).collect(),
        refusal: None,
    }
}
