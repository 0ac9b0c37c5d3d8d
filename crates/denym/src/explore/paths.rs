//! Paths explored: distortion over K, L and C, as in Figures 6, 7 and 9 of Al-Hussaeni 2009.

use denym_data::Fraction;
use denym_engine::Engine;
use denym_sequences::{Algorithm, Context, Request};

use super::{Exploration, ExploreRequest, Trial};
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::paths::{read, request as ask};
use crate::policy::{Policy, suggest};

/// What a trial tells beside its metric.
const FIGURES: [&str; 6] = [
    "distortion",
    "loss",
    "critical_violations",
    "suppressed_doublets",
    "lost_doublets",
    "source_doublets",
];

/// Solves for every combination.
pub(super) fn explore(
    policy: &Policy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    let foreign = request.l.is_empty() && request.t.is_empty() && request.suppress.is_empty();
    if !(foreign && request.items.is_empty()) {
        return Err(Error::Argument {
            what: "l, t, suppressed records and items are no bounds of paths".into(),
            help: "vary --k, --doublets and --confidence".into(),
        });
    }
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let table = read(policy, &engine)?;
    let (base, _) = ask(policy, &table, &engine)?;
    let algorithms = algorithms(request, &base)?;
    if !request.confidence.is_empty() && base.bounds.is_empty() {
        return Err(Error::Argument {
            what: "the policy has no `confidence` to vary".into(),
            help: "add one to `[promise]`, or leave out --confidence".into(),
        });
    }
    let or = |given: &[u64], own: u64| {
        if given.is_empty() {
            vec![own]
        } else {
            given.to_vec()
        }
    };
    let ks = or(&request.k, base.k);
    let doublets: Vec<u64> = request.doublets.iter().map(|&l| l as u64).collect();
    let ls = or(&doublets, base.l as u64);
    let bounds: Vec<Option<Fraction>> = if request.confidence.is_empty() {
        vec![None]
    } else {
        request.confidence.iter().copied().map(Some).collect()
    };
    listener.phase(Phase::Searching);
    let total = (algorithms.len() * ls.len() * bounds.len() * ks.len()) as u64;
    let keep_going = || listener.keep_going();
    let context = Context {
        seed: policy.release.seed,
        keep_going: &keep_going,
    };
    let mut trials = Vec::new();
    for &algorithm in &algorithms {
        for &l in &ls {
            for &bound in &bounds {
                for &k in &ks {
                    let mut asked = base.clone();
                    (asked.algorithm, asked.k, asked.l) = (algorithm, k, l as usize);
                    if let Some(bound) = bound {
                        for asked in &mut asked.bounds {
                            asked.at_most = bound;
                        }
                    }
                    trials.push(trial(policy, &table.paths, &asked, &context)?);
                    listener.progress(trials.len() as u64, total);
                }
            }
        }
    }
    Ok(Exploration {
        metric: policy.release.metric.clone(),
        figures: FIGURES.to_vec(),
        trials,
        knees: Vec::new(),
        exposure: None,
    })
}

/// The algorithms to run: those asked for, else the policy's.
fn algorithms(request: &ExploreRequest, base: &Request) -> Result<Vec<Algorithm>, Error> {
    if request.algorithms.is_empty() {
        return Ok(vec![base.algorithm]);
    }
    let known = Algorithm::NAMES.map(|(name, _)| name);
    request
        .algorithms
        .iter()
        .map(|name| {
            Algorithm::from_name(name).ok_or_else(|| Error::Argument {
                what: format!("there is no algorithm `{name}` for paths"),
                help: suggest(name, &known),
            })
        })
        .collect()
}

fn trial(
    policy: &Policy,
    paths: &denym_data::paths::Paths,
    asked: &Request,
    context: &Context,
) -> Result<Trial, Error> {
    let mut settings = vec![("k", asked.k as f64), ("doublets", asked.l as f64)];
    if let Some(bound) = asked.bounds.first() {
        settings.push(("confidence", bound.at_most.to_f64()));
    }
    let solved = denym_sequences::solve(paths, asked, context);
    Ok(match solved {
        Ok(found) => {
            let stats = &found.stats;
            let value = if policy.release.metric == "loss" {
                stats.loss
            } else {
                stats.distortion
            };
            Trial {
                settings,
                asked: asked.algorithm.name().to_owned(),
                algorithm: found.algorithm.name().to_owned(),
                value: Some(value),
                figures: vec![
                    stats.distortion,
                    stats.loss,
                    stats.critical_violations as f64,
                    found.suppressed.len() as f64,
                    stats.lost_doublets as f64,
                    stats.doublets as f64,
                ],
                refusal: None,
            }
        }
        Err(error) if error.is_refusal() => Trial {
            settings,
            asked: asked.algorithm.name().to_owned(),
            algorithm: asked.algorithm.name().to_owned(),
            value: None,
            figures: Vec::new(),
            refusal: Some(error.to_string()),
        },
        Err(denym_sequences::Error::Stopped) => return Err(Error::Stopped),
        Err(error) => return Err(error.into()),
    })
}
