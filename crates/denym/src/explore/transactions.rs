//! Transactions explored: what is lost over k, the number of known items and the bound on sensitive items.

use denym_data::Fraction;
use denym_engine::Engine;
use denym_sequences::{Context, TransactionRequest};

use super::{Exploration, ExploreRequest, Trial};
use crate::Error;
use crate::anonymize::{solve_items, transaction_metric};
use crate::listener::{Listener, Phase};
use crate::policy::{Policy, suggest};
use crate::transactions::{Baskets, read, request as ask};

/// What a trial tells beside its metric.
const FIGURES: [&str; 4] = [
    "loss",
    "critical_violations",
    "suppressed_items",
    "lost_instances",
];

/// Solves for every combination.
pub(super) fn explore(
    policy: &Policy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    let foreign = request.l.is_empty() && request.t.is_empty() && request.suppress.is_empty();
    if !(foreign && request.doublets.is_empty()) {
        return Err(Error::Argument {
            what: "l, t, suppressed records and doublets are no bounds of transactions".into(),
            help: "vary --k, --items and --confidence".into(),
        });
    }
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let table = read(policy, &engine)?;
    let (base, _) = ask(policy, &table, &engine)?;
    if !request.confidence.is_empty() && base.sensitive.is_empty() {
        return Err(Error::Argument {
            what: "the policy has no `confidence` to vary".into(),
            help: "add one to `[promise]`, or leave out --confidence".into(),
        });
    }
    let policies = policies(policy, request)?;
    let ks = or(&request.k, base.k);
    let ms = or(&request.items, base.m);
    let bounds: Vec<Option<Fraction>> = match &request.confidence[..] {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    listener.phase(Phase::Searching);
    let total = (policies.len() * ms.len() * bounds.len() * ks.len()) as u64;
    let keep_going = || listener.keep_going();
    let context = Context {
        seed: policy.release.seed,
        keep_going: &keep_going,
    };
    let mut trials = Vec::new();
    for policy in &policies {
        for &m in &ms {
            for &bound in &bounds {
                for &k in &ks {
                    let mut asked = base.clone();
                    (asked.k, asked.m) = (k, m);
                    if let Some(bound) = bound {
                        for (_, at_most) in &mut asked.sensitive {
                            *at_most = bound;
                        }
                    }
                    trials.push(trial(policy, &table, &asked, &context)?);
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

/// The values given, else the policy's own.
fn or<T: Copy>(given: &[T], own: T) -> Vec<T> {
    if given.is_empty() {
        vec![own]
    } else {
        given.to_vec()
    }
}

/// The policy once for each algorithm asked for.
fn policies(policy: &Policy, request: &ExploreRequest) -> Result<Vec<Policy>, Error> {
    if request.algorithms.is_empty() {
        return Ok(vec![policy.clone()]);
    }
    let known = crate::catalogue::vocabulary().transactions;
    let with = |name: &String| {
        if !known.contains(&name.as_str()) {
            return Err(Error::Argument {
                what: format!("there is no algorithm `{name}` for transactions"),
                help: suggest(name, &known),
            });
        }
        let mut policy = policy.clone();
        policy.release.algorithm.clone_from(name);
        Ok(policy)
    };
    request.algorithms.iter().map(with).collect()
}

fn trial(
    policy: &Policy,
    table: &Baskets,
    asked: &TransactionRequest,
    context: &Context,
) -> Result<Trial, Error> {
    let mut settings = vec![("k", asked.k as f64), ("items", asked.m as f64)];
    if let Some((_, bound)) = asked.sensitive.first() {
        settings.push(("confidence", bound.to_f64()));
    }
    let name = policy.release.algorithm.clone();
    Ok(match solve_items(policy, &table.sets, asked, context) {
        Ok(found) => Trial {
            settings,
            asked: name,
            algorithm: found.algorithm.to_owned(),
            value: Some(transaction_metric(&policy.release.metric, &found.recoding)),
            figures: vec![
                found.recoding.loss,
                found.recoding.critical_violations as f64,
                found.recoding.suppressed_items as f64,
                found.recoding.lost_instances as f64,
            ],
            refusal: None,
        },
        Err(error) if error.is_refusal() => Trial {
            settings,
            asked: name.clone(),
            algorithm: name,
            value: None,
            figures: Vec::new(),
            refusal: Some(error.to_string()),
        },
        Err(denym_sequences::Error::Stopped) => return Err(Error::Stopped),
        Err(error) => return Err(error.into()),
    })
}
