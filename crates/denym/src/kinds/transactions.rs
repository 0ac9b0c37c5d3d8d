//! Transactions: which items each person has.

use denym_attack::Scene;
use denym_attack::sequences::{ReleasedSequences, SequenceScene};
use denym_data::paths::Paths;
use denym_data::{Sequences, Table};
use denym_measure::sequences::Items;
use denym_sequences::{Context, TransactionRecoding, TransactionRequest, solve_transactions};
use serde_json::{Value, json};

use super::paths::aligned;
use crate::Error;
use crate::account::{Account, Outcome, Tried};
use crate::attack::{RedTeam, SEED, guarded, items_standing_for, path_effort, red_team};
use crate::bundle::Draft;
use crate::certificate::{Certificate, ColumnRole, published, share};
use crate::explore::{Layout, Setting};
use crate::figures::{Figures, Reader, number};
use crate::listener::Listener;
use crate::options::RunOption;
use crate::outline::{Cost, Sketch};
use crate::paths::{Asked, claims, reordered, seconds};
use crate::pipeline::{Bundled, Kind, Made, Prepared, Run, Sheet, Statement, Told, attempt};
use crate::policy::paths::Matching;
use crate::policy::{Metric, Policy, PromiseSpec};
use crate::program::BLIND;
use crate::reporting::transactions as reporting;
use crate::transactions::{
    Baskets, TransactionForm, items_of, judged, publish, read_released, request,
};
use denym_release::sensitive::certified;

/// Which items each person has.
pub(crate) struct OnTransactions;

/// What is settled before the search.
pub(crate) struct Planned {
    request: TransactionRequest,
    warnings: Vec<String>,
}

/// What was found, and what is published.
pub(crate) struct Found {
    solved: Solved,
    /// What is published, until it is written.
    table: Option<Table>,
    /// Which source record each published one is.
    record_of: Vec<u32>,
}

/// Released sets, and the same as the judge of paths sees them.
pub(crate) struct Shown {
    sets: Sequences,
    paths: Paths,
}

fn promises(policy: &Policy) -> Vec<PromiseSpec> {
    policy.promises.iter().map(|p| p.promise.clone()).collect()
}

impl Kind for OnTransactions {
    const NAME: &'static str = "transactions";
    const TAKES: &'static [RunOption] = &[RunOption::ShowSuppressed];
    const VARIES: &'static [Setting] = &[Setting::K, Setting::Items, Setting::Confidence];
    const LAYOUT: Layout = Layout::Figure;
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("loss", "loss"),
        ("critical_violations", "critical_violations"),
        ("suppressed_items", "suppressed_items"),
        ("lost_instances", "lost_instances"),
    ];
    const ALGORITHMS: &'static [&'static str] = &["transactions"];
    const SAFE: Option<&'static str> = Some(BLIND);

    type Source = Baskets;
    type Plan = Planned;

    fn read(run: &Run<'_>) -> Result<Baskets, Error> {
        crate::transactions::read(run.policy, run.engine)
    }

    fn plan(run: &Run<'_>, source: &Baskets) -> Result<Planned, Error> {
        let (request, warnings) = request(run.policy, source, run.engine)?;
        Ok(Planned { request, warnings })
    }

    fn sketch(run: &Run<'_>, source: &Baskets, plan: &Planned) -> Sketch {
        let sets = &source.sets;
        let longest = sets.records().map(<[u32]>::len).max().unwrap_or(0);
        let instances = sets.instances() as u64;
        let cost = |key, words, value| Cost { key, words, value };
        let itemsets = super::paths::sequences(instances, longest as u64, items_of(run.policy));
        Sketch {
            steps: reporting::steps(run.policy),
            costs: vec![
                cost("records", "transactions", sets.len() as u64),
                cost("instances", "items, over all transactions", instances),
                cost("items", "different ones", sets.locations().len() as u64),
                cost("itemsets", "sets of items to look at, at most", itemsets),
            ],
            work: itemsets,
            warnings: plan.warnings.clone(),
        }
    }

    fn attempt(run: &Run<'_>, source: &Self::Source) -> Result<Account, Error> {
        attempt::<Self>(run, source)
    }

    fn release(
        ready: &Prepared<Self>,
        draft: Draft,
        listener: &dyn Listener,
    ) -> Result<Outcome, Error> {
        ready.release(draft, listener)
    }
}

impl Bundled for OnTransactions {
    type Solved = Found;
    type Shown = Shown;
    type Judged = ();

    fn solve(run: &Run<'_>, source: &Baskets, plan: &Planned) -> Result<Found, Error> {
        let keep_going = || run.listener.keep_going();
        let context = Context {
            seed: run.policy.release.seed,
            keep_going: &keep_going,
        };
        let solved = solve(run.policy, &source.sets, &plan.request, &context)?;
        let (table, record_of) = publish(source, &solved.recoding.apply(&source.sets)?)?;
        Ok(Found {
            solved,
            table: Some(table),
            record_of,
        })
    }

    fn show(
        _run: &Run<'_>,
        source: &Baskets,
        _plan: &Planned,
        solved: &mut Found,
    ) -> Result<Vec<Sheet>, Error> {
        let table = solved.table.take().unwrap_or_default();
        let names = table.columns().iter().map(|column| column.name.as_str());
        let columns = published(names, |name| match &source.form {
            TransactionForm::Long { subject, .. } if subject == name => ColumnRole::SubjectNumber,
            _ if source.attributes.iter().any(|own| own.name == name) => ColumnRole::Sensitive,
            _ => ColumnRole::Item,
        });
        Ok(vec![Sheet {
            suffix: "",
            table,
            columns,
        }])
    }

    fn see(made: &Made<'_, Self>, mut files: Vec<Table>) -> Result<Shown, Error> {
        let name = std::path::Path::new(&made.files[0].file);
        let written = aligned(files.swap_remove(0), &made.source.attributes)?;
        let sensitive: Vec<String> = (made.source.sensitive.iter())
            .map(|own| own.name.clone())
            .collect();
        let sets = read_released(name, &written, &made.source.form, &sensitive)?.sets;
        let paths = judged(&sets, &promises(made.run.policy))?;
        Ok(Shown { sets, paths })
    }

    fn prove(made: &Made<'_, Self>, shown: &Shown) -> Result<(Account, ()), Error> {
        let policy = made.run.policy;
        let mut judge = |asked: &Asked| {
            made.run.proceed()?;
            let knowledge = Items {
                m: items_of(policy),
                sensitive: asked.within.clone(),
            };
            Ok::<_, Error>(knowledge.judge(&shown.sets, &asked.promises))
        };
        let (claims, _) = claims(
            &made.source.sensitive,
            &promises(policy),
            Matching::Covers,
            &[],
            &mut judge,
        )?;
        if shown.sets.len() != made.source.sets.len() {
            return Err(Error::Internal {
                what: "the written data has not the records that were to be published".into(),
            });
        }
        let account = Account {
            claims,
            warnings: made.plan.warnings.clone(),
            ..account(
                &made.run,
                &made.source.sets,
                &made.plan.request,
                &made.solved.solved,
            )
        };
        Ok((account, ()))
    }

    fn attack(
        made: &Made<'_, Self>,
        shown: &Shown,
        (): &(),
        _account: &Account,
    ) -> Result<RedTeam, Error> {
        let promises = promises(made.run.policy);
        let victims = judged(&made.source.sets, &promises)?;
        let victims = reordered(&victims, &made.solved.record_of)?;
        let names = made.solved.solved.recoding.shown_names();
        let seen = ReleasedSequences {
            raw: &victims,
            released: &shown.paths,
            own: Some((0..victims.len() as u32).collect()),
            stands_for: items_standing_for(&victims, &shown.paths, &names),
            everywhere: true,
            guarded: &guarded(&promises),
            hidden: &[],
            known: items_of(made.run.policy),
            consistent: false,
            seconds,
        };
        let no_originals = Err("it works on paths".to_owned());
        let scene = SequenceScene::new(seen, path_effort(SEED), no_originals);
        red_team(&Scene::Transactions(&scene))
    }

    fn state(made: &Made<'_, Self>, shown: &Shown, _account: &Account) -> Statement {
        Statement {
            records: shown.sets.len() as u64,
            sensitive: (made.source.sensitive.iter())
                .map(|own| certified(own, &promises(made.run.policy)))
                .collect(),
            transactions: Some(made.source.form.clone()),
            ..Statement::default()
        }
    }

    fn tell(
        made: &Made<'_, Self>,
        shown: &Shown,
        (): (),
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error> {
        let policy = made.run.policy;
        Ok(Told {
            report: reporting::report(policy, &made.source.sets, &shown.sets, account),
            readme: reporting::readme(certificate),
            plan: reporting::plan_document(policy, account),
            documents: Vec::new(),
            tables: Vec::new(),
        })
    }

    fn hopeless(run: &Run<'_>, source: &Baskets, plan: &Planned) -> Result<Option<Account>, Error> {
        let keep_going = || run.listener.keep_going();
        let context = Context {
            seed: run.policy.release.seed,
            keep_going: &keep_going,
        };
        let violations = denym_sequences::critical_itemsets(&source.sets, &plan.request, &context)?;
        let records = source.sets.len() as u64;
        let words = format!("{} critical in {records} records", violations.len());
        let none = Value::Null;
        let figures = Figures::default()
            .with("critical_violations", violations.len() as u64)
            .said("violations", words)
            .with("critical_violations_by_length", violations.by_length())
            .with("instances", source.sets.instances() as u64)
            .with("items", none.clone())
            .with("suppressed_items", none.clone())
            .with("generalized_items", none.clone())
            .with("lost_instances", none.clone())
            .with("unchanged_instances", none.clone())
            .with("distortion", none.clone())
            .with("loss", none.clone())
            .with("frequent_itemsets", none)
            .suppressed(Vec::new(), run.options);
        Ok(Some(Account {
            warnings: plan.warnings.clone(),
            ..Account::of(run.policy, records, figures)
        }))
    }
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
    sets: &Sequences,
    request: &TransactionRequest,
    context: &Context,
) -> Result<Solved, denym_sequences::Error> {
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
    match crate::program::algorithm(policy) {
        "blind-suppression" => {
            let mut request = request.clone();
            request.blind = true;
            let found = solve_transactions(sets, &request, context)?;
            Ok(one("blind-suppression", found))
        }
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
                .map(|(_, recoding)| metric(policy.release.metric, recoding))
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
fn metric(metric: Metric, recoding: &TransactionRecoding) -> f64 {
    match (metric, recoding.nuggets) {
        (Metric::Distortion, _) => share(recoding.lost_instances, recoding.instances),
        (Metric::LostItemsets, Some((before, after))) => share(before - after, before),
        _ => recoding.loss,
    }
}

fn account(
    run: &Run<'_>,
    sets: &Sequences,
    request: &TransactionRequest,
    solved: &Solved,
) -> Account {
    let (policy, recoding) = (run.policy, &solved.recoding);
    let mut count = vec![0_u64; sets.locations().len()];
    for &item in sets.records().flatten() {
        count[item as usize] += 1;
    }
    let (mut items, mut unchanged) = (0_u64, 0_u64);
    let (mut nowhere, mut coarser) = (Vec::new(), Vec::new());
    for (item, name) in sets.locations().iter().enumerate() {
        if request.sensitive.iter().any(|(secret, _)| secret == name) || count[item] == 0 {
            continue;
        }
        items += 1;
        match recoding.name_of[item].map(|shown| &recoding.names[shown as usize]) {
            None => nowhere.push(name.clone()),
            Some(shown) if shown == name => unchanged += count[item],
            Some(shown) => coarser.push(json!([name, shown])),
        }
    }
    let distortion = share(recoding.lost_instances, recoding.instances);
    let shown = format!(
        "{} transactions with {} of {} items",
        sets.len(),
        recoding.instances - recoding.lost_instances,
        recoding.instances
    );
    let removed = format!(
        "{} items ({} %): {} of {items} kinds everywhere, {} kinds shown coarser; {} critical violations in the source",
        recoding.lost_instances,
        number(distortion * 100.0),
        recoding.suppressed_items,
        coarser.len(),
        recoding.critical_violations
    );
    let cost = metric(policy.release.metric, recoding);
    let mut figures = Figures::default()
        .with("critical_violations", recoding.critical_violations)
        .with(
            "critical_violations_by_length",
            recoding.critical_violations_by_length.clone(),
        )
        .with("instances", recoding.instances)
        .said("published", shown)
        .with("items", items)
        .with("suppressed_items", recoding.suppressed_items)
        .with("generalized_items", coarser.len() as u64)
        .with("lost_instances", recoding.lost_instances)
        .said("removed", removed)
        .with("unchanged_instances", unchanged)
        .with("distortion", distortion)
        .with("loss", recoding.loss)
        .with(
            "frequent_itemsets",
            recoding
                .nuggets
                .map(|(before, after)| json!({ "before": before, "after": after })),
        );
    if let Some((before, after)) = recoding.nuggets {
        figures = figures.said(
            "itemsets",
            format!("{after} of {before} frequent ones kept"),
        );
    }
    let figures = figures.metric(policy.release.metric.name(), cost, solved.algorithm);
    let figures = figures
        .suppressed(nowhere, run.options)
        .with("generalized", coarser)
        .told(Reader::Steward);
    Account {
        attempts: solved.attempts.clone(),
        algorithm: solved.algorithm.to_owned(),
        metric: (policy.release.metric.name().to_owned(), cost),
        ..Account::of(policy, sets.len() as u64, figures)
    }
}
