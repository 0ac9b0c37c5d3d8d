//! Transactions: read, plan, solve, apply, write, read back, judge, and only then release.

use std::path::Path;

use denym_attack::Shape;
use denym_data::paths::Paths;
use denym_data::transactions::Transactions;
use denym_engine::{Engine, Format};
use denym_measure::paths::covers;
use denym_paths::{Context, TransactionRecoding, TransactionRequest, solve_transactions};

use super::red_team::{RedTeam, SEED};
use super::{Account, Figures, Outcome, Refusal, Release, RunOptions, Tried, json, proceed};
use crate::attack::{Seen, items_standing_for, not_run, on_transactions, path_effort};
use crate::bundle::Draft;
use crate::certificate::{Certificate, Claim, DataFile, FORM, share};
use crate::listener::{Listener, Phase};
use crate::paths::{claims, reordered};
use crate::plan::data_name;
use crate::policy::paths::Matching;
use crate::policy::{Policy, PromiseSpec};
use crate::reporting::transactions as reporting;
use crate::transactions::{Baskets, items_of, judged, publish, read_released, request};
use crate::{Error, source};

/// Figures that only transactions have; items are the public ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactionFigures {
    /// Critical violations (moles) of the source.
    pub critical_violations: u64,
    /// The same by size, from 1.
    pub critical_violations_by_length: Vec<u64>,
    /// Distinct items of the source.
    pub items: u64,
    /// Items that are published nowhere, not even coarser.
    pub suppressed_items: u64,
    /// Items that are published coarser.
    pub generalized_items: u64,
    /// Items in all source records.
    pub instances: u64,
    /// Of these, how many are removed.
    pub lost_instances: u64,
    /// Of these, how many are shown as they are.
    pub unchanged_instances: u64,
    /// Lost instances over all instances.
    pub distortion: f64,
    /// Mean loss of an instance.
    pub loss: f64,
    /// Frequent itemsets of the source and of the release, when the policy asks for them.
    pub frequent_itemsets: Option<(u64, u64)>,
    /// The suppressed items.
    pub suppressed: Vec<String>,
    /// The generalized items and what they became.
    pub generalized: Vec<(String, String)>,
}

/// Makes a release of transactions.
pub(super) fn run(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let draft = Draft::new(output, options.force)?;
    let engine = Engine::new(options.threads)?;
    listener.phase(Phase::Reading);
    let table = crate::transactions::read(policy, &engine)?;
    proceed(listener)?;
    let (request, warnings) = request(policy, &table, &engine)?;

    listener.phase(Phase::Searching);
    let keep_going = || listener.keep_going();
    let context = Context {
        seed: policy.release.seed,
        keep_going: &keep_going,
    };
    let solved = match solve(policy, &table.sets, &request, &context) {
        Ok(solved) => solved,
        Err(error) if error.is_refusal() => {
            let account = refused(policy, &table, &request, &context, error, warnings)?;
            return Ok(Outcome::Refused(Box::new(account)));
        }
        Err(denym_paths::Error::Stopped) => return Err(Error::Stopped),
        Err(error) => return Err(error.into()),
    };
    proceed(listener)?;

    listener.phase(Phase::Writing);
    let format = Format::parse(&policy.release.format).ok_or_else(|| Error::Internal {
        what: "a format that the policy should have refused".into(),
    })?;
    let file = format!("{}.{}", data_name(&policy.data.path), format.name());
    let path = draft.path(&format!("release/{file}"));
    let (published, record_of) = publish(&table, &solved.recoding.apply(&table.sets)?)?;
    engine.write(&published, format, &path)?;
    drop(published);
    proceed(listener)?;

    listener.phase(Phase::Auditing);
    let written = source::read_release(&engine, &path, format)?;
    let released = read_released(&path, &written, &table.form)?.sets;
    drop(written);
    let promises: Vec<PromiseSpec> = policy.promises.iter().map(|p| p.promise.clone()).collect();
    let paths = judged(&released, &promises)?;
    let m = items_of(policy);
    let mut judge = |knowledge: &denym_measure::paths::Knowledge| {
        proceed(listener)?;
        Ok(covers(&paths, knowledge))
    };
    let (claims, _) = claims(&paths, &promises, m, Matching::Covers, &[], &mut judge)?;
    if released.len() != table.sets.len() {
        return Err(Error::Internal {
            what: "the written data has not the records that were to be published".into(),
        });
    }
    let shown = solved.recoding.shown_names();
    let mut account = account(policy, &table.sets, &request, solved, claims, warnings);
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    proceed(listener)?;

    listener.phase(Phase::Attacking);
    let victims = reordered(&judged(&table.sets, &promises)?, &record_of)?;
    let red_team = red_team(&victims, &paths, &shown, &promises, m)?;
    drop(victims);
    account.attacks = red_team.results(&policy.attack);
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    let certificate = Certificate {
        altered: Vec::new(),
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            file,
            format: format.name().to_owned(),
            records: released.len() as u64,
            sha256: denym_engine::fingerprint(&path)?,
        },
        knows: policy.adversary,
        quasi_identifiers: Vec::new(),
        sensitive: Vec::new(),
        subject: None,
        suppressed_records: 0,
        claims: account.claims.clone(),
        attacks: account.attacks.clone(),
        paths: None,
        groups: None,
        transactions: Some(table.form.clone()),
    };
    proceed(listener)?;

    listener.phase(Phase::Reporting);
    let mut report = reporting::report(policy, &table.sets, &released, &account);
    report.attacks.extend(red_team.report());
    draft.write("release/certificate.json", json(&certificate)?.as_bytes())?;
    let readme = reporting::readme(&certificate);
    draft.write("release/README.md", readme.as_bytes())?;
    let page = denym_report::html(&report);
    draft.write("steward/report.html", page.as_bytes())?;
    draft.policy(policy)?;
    let plan = reporting::plan_document(policy, &account);
    draft.write("steward/plan.json", json(&plan)?.as_bytes())?;
    let attacks = json(&red_team.document())?;
    draft.write("steward/attacks.json", attacks.as_bytes())?;
    let sources = source::fingerprints(policy)?;
    draft.write("steward/source.json", json(&sources)?.as_bytes())?;
    proceed(listener)?;
    let bundle = draft.finish()?;
    Ok(Outcome::Released(Box::new(Release {
        bundle,
        certificate,
        account,
    })))
}

/// Attacks the release: any m items of everybody's source set.
fn red_team(
    victims: &Paths,
    released: &Paths,
    shown: &[Vec<String>],
    promises: &[PromiseSpec],
    m: usize,
) -> Result<RedTeam, Error> {
    let seen = Seen {
        raw: victims,
        released,
        own: Some((0..victims.len() as u32).collect()),
        stands_for: items_standing_for(victims, released, shown),
        everywhere: true,
        promises,
        hidden: &[],
        doublets: m,
        consistent: false,
    };
    let findings = on_transactions(&seen, &path_effort(SEED))?;
    Ok(RedTeam {
        not_run: not_run(Shape::Transactions, &findings, &[]),
        findings,
    })
}

/// A recoding, by which algorithm, and what else was tried.
pub(crate) struct Solved {
    pub(crate) algorithm: &'static str,
    pub(crate) recoding: TransactionRecoding,
    pub(crate) attempts: Vec<Tried>,
}

/// Runs the algorithm of the policy; `auto` runs what the policy has means for and keeps what the metric likes best.
pub(crate) fn solve(
    policy: &Policy,
    sets: &Transactions,
    request: &TransactionRequest,
    context: &Context,
) -> Result<Solved, denym_paths::Error> {
    let suppress = || {
        let mut request = request.clone();
        request.taxonomy = None;
        solve_transactions(sets, &request, context)
    };
    let generalize = || solve_transactions(sets, request, context);
    let one = |algorithm, recoding| Solved {
        algorithm,
        recoding,
        attempts: Vec::new(),
    };
    match policy.release.algorithm.as_str() {
        "item-suppression" => Ok(one("item-suppression", suppress()?)),
        "item-generalization" => Ok(one("item-generalization", generalize()?)),
        _ if request.taxonomy.is_none() => Ok(one("item-suppression", suppress()?)),
        _ => {
            let found = [
                ("item-suppression", suppress()?),
                ("item-generalization", generalize()?),
            ];
            let scores: Vec<f64> = found
                .iter()
                .map(|(_, recoding)| metric(&policy.release.metric, recoding))
                .collect();
            let chosen = usize::from(scores[1] < scores[0]);
            let attempts = found
                .iter()
                .zip(&scores)
                .enumerate()
                .map(|(at, ((algorithm, _), &score))| Tried {
                    algorithm: (*algorithm).to_owned(),
                    score: Some(score),
                    outcome: "found a release".to_owned(),
                    chosen: at == chosen,
                })
                .collect();
            let [suppressed, generalized] = found;
            let (algorithm, recoding) = if chosen == 1 { generalized } else { suppressed };
            Ok(Solved {
                algorithm,
                recoding,
                attempts,
            })
        }
    }
}

/// What a recoding costs.
pub(crate) fn metric(name: &str, recoding: &TransactionRecoding) -> f64 {
    match (name, recoding.nuggets) {
        ("distortion", _) => share(recoding.lost_instances, recoding.instances),
        ("lost-itemsets", Some((before, after))) => share(before - after, before),
        _ => recoding.loss,
    }
}

fn account(
    policy: &Policy,
    sets: &Transactions,
    request: &TransactionRequest,
    solved: Solved,
    claims: Vec<Claim>,
    warnings: Vec<String>,
) -> Account {
    let recoding = &solved.recoding;
    let mut count = vec![0_u64; sets.items().len()];
    for &item in sets.sets().flatten() {
        count[item as usize] += 1;
    }
    let mut figures = TransactionFigures {
        critical_violations: recoding.critical_violations,
        critical_violations_by_length: recoding.critical_violations_by_length.clone(),
        suppressed_items: recoding.suppressed_items,
        instances: recoding.instances,
        lost_instances: recoding.lost_instances,
        distortion: share(recoding.lost_instances, recoding.instances),
        loss: recoding.loss,
        frequent_itemsets: recoding.nuggets,
        ..TransactionFigures::default()
    };
    for (item, name) in sets.items().iter().enumerate() {
        if request.sensitive.iter().any(|(secret, _)| secret == name) || count[item] == 0 {
            continue;
        }
        figures.items += 1;
        match recoding.name_of[item].map(|shown| &recoding.names[shown as usize]) {
            None => figures.suppressed.push(name.clone()),
            Some(shown) if shown == name => figures.unchanged_instances += count[item],
            Some(shown) => figures.generalized.push((name.clone(), shown.clone())),
        }
    }
    figures.generalized_items = figures.generalized.len() as u64;
    Account {
        attempts: solved.attempts,
        measures: None,
        attacks: Vec::new(),
        algorithm: solved.algorithm.to_owned(),
        records: sets.len() as u64,
        suppressed_records: 0,
        metric: (
            policy.release.metric.clone(),
            metric(&policy.release.metric, recoding),
        ),
        figures: Figures::Transactions(figures),
        claims,
        warnings,
        refusal: None,
    }
}

/// The account of a run that found nothing to release: what stands in the way, and how bad the source is.
fn refused(
    policy: &Policy,
    table: &Baskets,
    request: &TransactionRequest,
    context: &Context,
    error: denym_paths::Error,
    warnings: Vec<String>,
) -> Result<Account, Error> {
    let violations = denym_paths::critical_itemsets(&table.sets, request, context)?;
    let error = Error::from(error);
    Ok(Account {
        attempts: Vec::new(),
        measures: None,
        attacks: Vec::new(),
        algorithm: policy.release.algorithm.clone(),
        records: table.sets.len() as u64,
        suppressed_records: 0,
        metric: (policy.release.metric.clone(), 0.0),
        figures: Figures::Transactions(TransactionFigures {
            critical_violations: violations.len() as u64,
            critical_violations_by_length: violations.by_length(),
            instances: table.sets.instances() as u64,
            ..TransactionFigures::default()
        }),
        claims: Vec::new(),
        warnings,
        refusal: Some(Refusal {
            code: error.code(),
            message: error.to_string(),
            help: error.help(),
        }),
    })
}
