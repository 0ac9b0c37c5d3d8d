//! Sequences: who was where and when, or which items each person has. An item is a doublet without a time.

mod earlier;
mod request;
mod sort;
mod source;

use std::marker::PhantomData;
use std::path::Path;

use denym_attack::sequences::{ReleasedSequences, SequenceScene};
use denym_data::sequences::Published;
use denym_data::{Column, Role, Sequences, Table};
use denym_measure::sequences::{BesideSource, Doublets, Removal};
use denym_release::sensitive::certified;
use denym_release::sequences::{Asked, claims, judge, over_bound, too_many_to_judge};
pub(crate) use denym_sequences::Elements;
use denym_sequences::{Algorithm, Context, Earlier, PathRecoding, Request};
use serde_json::{Value, json};

use crate::Error;
use crate::account::{Account, Outcome, Tried};
use crate::attack::{
    ON_PATHS, RedTeam, SEED, as_known, attacked_sequences, guarded, originals_of_paths, path_effort,
};
use crate::bundle::Draft;
use crate::certificate::{
    Certificate, Claim, ColumnRole, PublishedColumn, laid_out, parts, published, share,
};
use crate::explore::{Layout, Setting};
use crate::figures::{Figures, Reader, number};
use crate::guard::{Before, Fate, Seen};
use crate::listener::Listener;
use crate::options::RunOption;
use crate::outline::{Cost, Sketch};
use crate::pipeline::{Bundled, Kind, Made, Prepared, Run, Sheet, Statement, Told, attempt};
use crate::policy::paths::Matching;
use crate::policy::{Metric, Policy, PromiseSpec};
use crate::program::BLIND;
use crate::reporting::sequences as reporting;

use earlier::subjects_table;
pub(crate) use earlier::{EarlierRelease, SUBJECTS};
pub(crate) use request::{known, ladder, request};
use sort::Sort;
pub(crate) use sort::{Paths, Transactions};
use source::names;
pub(crate) use source::{Source, read, read_columns, read_released, wanted};

/// Paths or transactions.
pub(crate) struct OnSequences<S>(PhantomData<S>);

/// What is settled before the search.
pub(crate) struct Planned {
    request: Request,
    warnings: Vec<String>,
    earlier: Option<EarlierRelease>,
    promises: Vec<PromiseSpec>,
    /// Sensitive places that are published nowhere.
    hidden: Vec<String>,
}

/// What was found.
pub(crate) struct Found {
    recoding: PathRecoding,
    /// What else was tried.
    attempts: Vec<Tried>,
    /// What is published, until it is written.
    table: Option<Table>,
    /// Which source record each published one is.
    record_of: Vec<u32>,
    /// Whose source sequence each written record comes from; the judge and the red team both look at it.
    victims: Sequences,
}

impl Planned {
    fn earlier(&self) -> Option<Earlier<'_>> {
        self.earlier.as_ref().map(|before| Earlier {
            released: &before.released,
            record_of: &before.record_of,
        })
    }

    fn items(&self) -> bool {
        self.request.elements == Elements::Items
    }
}

/// At most so many parts of up to `l` doublets have sequences with so many doublets in all, the longest of which has `longest`.
fn subsequences(instances: u64, longest: u64, l: usize) -> u64 {
    let mut all = instances;
    let mut level = instances;
    for size in 2..=l as u64 {
        level = level.saturating_mul(longest.saturating_sub(size - 1)) / size;
        all = all.saturating_add(level);
    }
    all
}

/// What the solvers are told beside the request.
fn context<'a>(policy: &Policy, keep_going: &'a (dyn Fn() -> bool + Sync)) -> Context<'a> {
    Context {
        seed: policy.release.seed,
        keep_going,
    }
}

impl<S: Sort> Kind for OnSequences<S> {
    const NAME: &'static str = S::NAME;
    const TAKES: &'static [RunOption] = &[RunOption::ShowSuppressed, RunOption::Sign];
    const VARIES: &'static [Setting] = S::VARIES;
    const LAYOUT: Layout = Layout::Figure;
    const COMPARED: &'static [(&'static str, &'static str)] = S::COMPARED;
    const ALGORITHMS: &'static [&'static str] = S::ALGORITHMS;
    const SAFE: Option<&'static str> = Some(BLIND);

    type Source = Source;
    type Plan = Planned;

    fn read(run: &Run<'_>) -> Result<Source, Error> {
        read(run.policy, run.engine)
    }

    fn plan(run: &Run<'_>, source: &Source) -> Result<Planned, Error> {
        let policy = run.policy;
        if too_many_to_judge(policy.adversary, &source.table.sequences) {
            return Err(Error::Argument {
                what: format!(
                    "an adversary who knows any {} {} of a record knows more combinations than can be judged",
                    known(policy),
                    S::KNOWN
                ),
                help: "let the adversary know fewer of them at once".to_owned(),
            });
        }
        let (request, warnings) = request(policy, source, run.engine)?;
        let earlier = source::spec(policy)?.earlier.as_ref();
        let earlier = earlier
            .map(|bundle| EarlierRelease::read(&policy.resolve(bundle), &source.table, run.engine))
            .transpose()?;
        let promises: Vec<PromiseSpec> =
            policy.promises.iter().map(|p| p.promise.clone()).collect();
        Ok(Planned {
            request,
            warnings,
            earlier,
            hidden: over_bound(&source.table.sequences, &promises),
            promises,
        })
    }

    fn sketch(run: &Run<'_>, source: &Source, plan: &Planned) -> Sketch {
        let sequences = &source.table.sequences;
        let (records, instances) = (sequences.len() as u64, sequences.instances() as u64);
        let longest = sequences.records().map(<[u32]>::len).max().unwrap_or(0);
        let work = subsequences(instances, longest as u64, plan.request.l);
        let distinct = sequences.doublets().len() as u64;
        let costs = S::COSTS
            .into_iter()
            .zip([records, instances, distinct, work]);
        Sketch {
            steps: reporting::steps(run.policy),
            costs: costs
                .map(|((key, words), value)| Cost { key, words, value })
                .collect(),
            work,
            warnings: plan.warnings.clone(),
        }
    }

    fn before<'a>(run: &Run<'a>, source: &'a Source, _plan: &'a Planned) -> Before<'a> {
        let policy = run.policy;
        let seen = source.table.attributes.iter().filter_map(|column| {
            let spec = policy
                .attributes
                .iter()
                .find(|spec| spec.name == column.name)?;
            Some(Seen {
                column,
                role: spec.role,
                // What is known beside a sequence counts with it, and people who stand out by it are removed.
                as_it_is: spec.role != Role::QuasiIdentifier,
            })
        });
        Before {
            records: source.table.sequences.len() as u64,
            columns: seen.collect(),
            ..Before::of(policy)
        }
    }

    fn attempt(run: &Run<'_>, source: &Source) -> Result<Account, Error> {
        attempt::<Self>(run, source)
    }

    fn release(
        ready: &Prepared<Self>,
        draft: Draft,
        listener: &dyn Listener,
    ) -> Result<Outcome, Error> {
        ready.release(draft, listener)
    }

    /// Nothing is hidden in the source, so nothing in it contradicts: whoever shows what is known is who it may be.
    fn as_it_stands(run: &Run<'_>, source: &Source, plan: &Planned) -> Result<Vec<Claim>, Error> {
        let mut judge = |asked: &Asked| {
            run.proceed()?;
            judged_by(run.policy, &source.table.sequences, asked)
        };
        let (sensitive, covers) = (&source.sensitive, Matching::Covers);
        Ok(claims(sensitive, &plan.promises, covers, &[], &mut judge)?.0)
    }
}

impl<S: Sort> Bundled for OnSequences<S> {
    type Solved = Found;
    type Shown = Sequences;
    type Judged = reporting::Losses;

    fn solve(run: &Run<'_>, source: &Source, plan: &Planned) -> Result<Found, Error> {
        let (policy, sequences) = (run.policy, &source.table.sequences);
        let keep_going = || run.listener.keep_going();
        let context = context(policy, &keep_going);
        let (recoding, attempts) = match &plan.earlier() {
            Some(earlier) => {
                let found =
                    denym_sequences::republish(earlier, sequences, &plan.request, &context)?;
                (found, Vec::new())
            }
            None => search(policy, sequences, &plan.request, &context)?,
        };
        let dropped = recoding.dropped_records.len() as u64;
        let allowed = policy.release.suppress_at_most;
        let allowed = allowed.floor_of(sequences.len() as u64);
        if plan.earlier.is_none() && dropped > allowed {
            return Err(Error::TooManyDropped { dropped, allowed });
        }
        let Published { table, record_of } = source.table.publish(
            &recoding.shown()?,
            recoding.row_of_record(),
            &recoding.dropped_records,
        )?;
        let victims = recoding.source_of(sequences, &record_of)?;
        Ok(Found {
            recoding,
            attempts,
            table: Some(table),
            record_of,
            victims,
        })
    }

    fn show(
        run: &Run<'_>,
        source: &Source,
        _plan: &Planned,
        solved: &mut Found,
    ) -> Result<Vec<Sheet>, Error> {
        let table = solved.table.take().unwrap_or_default();
        Ok(vec![Sheet {
            suffix: "",
            columns: published_columns(run.policy, source, &table),
            table,
        }])
    }

    fn see(made: &Made<'_, Self>, mut files: Vec<Table>) -> Result<Sequences, Error> {
        let (policy, table) = (made.run.policy, &made.source.table);
        let written = aligned(files.swap_remove(0), &table.attributes)?;
        read_released(
            Path::new(&made.files[0].file),
            &written,
            &table.form,
            &names(policy, Role::Sensitive),
            &names(policy, Role::QuasiIdentifier),
        )
    }

    fn prove(
        made: &Made<'_, Self>,
        released: &Sequences,
    ) -> Result<(Account, reporting::Losses), Error> {
        let Made {
            run,
            source,
            plan,
            solved,
            ..
        } = made;
        let (policy, request) = (run.policy, &plan.request);
        let (sequences, recoding) = (&source.table.sequences, &solved.recoding);
        if released.len() != solved.record_of.len() {
            return Err(Error::Internal {
                what: "the written data has not the records that were to be published".into(),
            });
        }
        let beside = match request.matching {
            Matching::Covers => None,
            Matching::Consistent => Some(beside(&solved.victims, released, recoding)?),
        };
        let judge = || {
            let mut judge = |asked: &Asked| {
                run.proceed()?;
                match &beside {
                    None => judged_by(policy, released, asked),
                    Some(beside) => {
                        let knowledge = Doublets {
                            l: known(policy),
                            matching: request.matching,
                            places: asked.within.clone(),
                        };
                        Ok(knowledge.judge_beside(beside, &asked.promises))
                    }
                }
            };
            claims(
                &source.sensitive,
                &plan.promises,
                request.matching,
                &plan.hidden,
                &mut judge,
            )
        };
        // While one core judges, the other counts what the report shows.
        let (found, losses) = rayon::join(judge, || reporting::Losses::new(sequences, recoding));
        let (claims, _) = found?;
        if let Some(earlier) = &plan.earlier() {
            let keep_going = || run.listener.keep_going();
            let context = context(policy, &keep_going);
            let kept: Vec<usize> = solved.record_of.iter().map(|&r| r as usize).collect();
            denym_sequences::check_republication(earlier, released, &kept, request, &context)?;
            if request.matching == Matching::Consistent {
                denym_sequences::check_contradiction(earlier, sequences, released, &kept, request)?;
            }
        }
        let exposed_records = match request.matching {
            Matching::Covers if !plan.items() && !run.trying => {
                exposed(sequences, request, recoding, released, &solved.victims)?
            }
            _ => None,
        };
        let measured = policy.release.metric;
        let stats = &recoding.stats;
        let critical = (
            stats.critical_violations,
            stats.critical_violations_by_length.clone(),
        );
        let recoded = Recoded::new(sequences, request, recoding, exposed_records);
        let figures = figures::<S>(run, sequences, plan, critical, Some(recoded));
        let account = Account {
            claims,
            warnings: warnings(plan, recoding),
            attempts: solved.attempts.clone(),
            algorithm: recoding.algorithm.name().to_owned(),
            suppressed_records: recoding.dropped_records.len() as u64,
            metric: (measured.name().to_owned(), metric(measured, recoding)),
            ..Account::of(policy, sequences.len() as u64, figures)
        };
        Ok((account, losses))
    }

    fn attack(
        made: &Made<'_, Self>,
        released: &Sequences,
        _losses: &reporting::Losses,
        _account: &Account,
    ) -> Result<RedTeam, Error> {
        let (plan, recoding) = (made.plan, &made.solved.recoding);
        let (elements, victims) = (plan.request.elements, &made.solved.victims);
        let seen = ReleasedSequences {
            raw: &*as_known(elements, victims, &plan.promises)?,
            own: Some((0..victims.len() as u32).collect()),
            stands_for: recoding.standing(released)?,
            released: &*as_known(elements, released, &plan.promises)?,
            everywhere: plan.items() || removal(recoding) == Removal::Everywhere,
            guarded: &guarded(&plan.promises),
            hidden: &plan.hidden,
            known: plan.request.l,
            consistent: plan.request.matching == Matching::Consistent,
            seconds: denym_data::sequences::seconds,
        };
        let (source, seed) = (&made.source.table.sequences, made.run.policy.release.seed);
        let originals = match (elements, &plan.earlier) {
            (Elements::Items, _) => Err(ON_PATHS.to_owned()),
            (_, Some(_)) => {
                Err("what an earlier release shows steers this one, and is not tried".to_owned())
            }
            (_, None) => originals_of_paths(source, &plan.request, recoding, seed),
        };
        let scene = SequenceScene::new(seen, path_effort(SEED), originals);
        attacked_sequences(elements, &scene)
    }

    fn fate<'a>(made: &'a Made<'a, Self>, _released: &'a Sequences) -> Fate<'a> {
        let mut class_of = vec![None; made.source.table.sequences.len()];
        for &record in &made.solved.record_of {
            class_of[record as usize] = Some(0);
        }
        Fate {
            class_of: Some(class_of),
            ..Fate::default()
        }
    }

    fn state(made: &Made<'_, Self>, released: &Sequences, _account: &Account) -> Statement {
        let (source, plan) = (made.source, made.plan);
        let (paths, transactions) = laid_out(&source.table.form, plan.request.matching);
        Statement {
            records: released.len() as u64,
            quasi_identifiers: names(made.run.policy, Role::QuasiIdentifier),
            sensitive: (source.sensitive.iter())
                .map(|attribute| certified(attribute, &plan.promises))
                .collect(),
            paths,
            transactions,
            ..Statement::default()
        }
    }

    fn tell(
        made: &Made<'_, Self>,
        released: &Sequences,
        losses: reporting::Losses,
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error> {
        let (policy, table) = (made.run.policy, &made.source.table);
        // Only paths can be published again beside an earlier release, which has to know who was who.
        let subjects = if table.form.has_times() {
            subjects_table(table, &made.solved.record_of)?
        } else {
            None
        };
        Ok(Told {
            report: reporting::report(
                policy,
                table,
                released,
                &losses,
                account,
                made.run.language(),
            ),
            readme: reporting::readme(certificate, made.run.language()),
            plan: reporting::plan_document(policy, account),
            documents: Vec::new(),
            tables: subjects
                .map(|table| (SUBJECTS, table))
                .into_iter()
                .collect(),
        })
    }

    fn hopeless(run: &Run<'_>, source: &Source, plan: &Planned) -> Result<Option<Account>, Error> {
        let (sequences, request) = (&source.table.sequences, &plan.request);
        let keep_going = || run.listener.keep_going();
        let context = context(run.policy, &keep_going);
        let found = denym_sequences::critical_violations(sequences, request, &context)?;
        let counts = (found.len() as u64, found.by_length());
        let figures = figures::<S>(run, sequences, plan, counts, None);
        Ok(Some(Account {
            warnings: plan.warnings.clone(),
            ..Account::of(run.policy, sequences.len() as u64, figures)
        }))
    }
}

/// What sequences show to the adversary of the policy.
fn judged_by(
    policy: &Policy,
    sequences: &Sequences,
    asked: &Asked,
) -> Result<denym_measure::sequences::SequenceAudit, Error> {
    judge(policy.adversary, sequences, asked).ok_or_else(|| Error::Internal {
        what: "an adversary who knows neither doublets nor items".into(),
    })
}

/// Runs the algorithm of the policy; on items `auto` tries what the policy has means for and keeps what its metric likes best.
fn search(
    policy: &Policy,
    sequences: &Sequences,
    request: &Request,
    context: &Context<'_>,
) -> Result<(PathRecoding, Vec<Tried>), Error> {
    let several = request.elements == Elements::Items && request.algorithm == Algorithm::Auto;
    if !several || request.ladder.is_none() {
        let found = denym_sequences::solve(sequences, request, context)?;
        return Ok((found, Vec::new()));
    }
    let with = |algorithm| {
        let mut request = request.clone();
        request.algorithm = algorithm;
        denym_sequences::solve(sequences, &request, context)
    };
    let mut found = vec![
        with(Algorithm::ItemSuppression)?,
        with(Algorithm::ItemGeneralization)?,
    ];
    let score = |recoding: &PathRecoding| metric(policy.release.metric, recoding);
    let chosen = usize::from(score(&found[1]) < score(&found[0]));
    let tried = found.iter().enumerate().map(|(at, recoding)| Tried {
        algorithm: recoding.algorithm.name().to_owned(),
        score: Some(score(recoding)),
        outcome: "found a release".to_owned(),
        chosen: at == chosen,
    });
    let tried = tried.collect();
    Ok((found.swap_remove(chosen), tried))
}

/// What a recoding costs.
fn metric(metric: Metric, recoding: &PathRecoding) -> f64 {
    match (metric, recoding.frequent) {
        (Metric::Distortion, _) => recoding.stats.distortion,
        (Metric::LostItemsets, Some((before, after))) => share(before - after, before),
        _ => recoding.stats.loss,
    }
}

/// What the steward should know.
fn warnings(plan: &Planned, recoding: &PathRecoding) -> Vec<String> {
    let mut warnings = plan.warnings.clone();
    let dropped = recoding.dropped_records.len();
    if plan.earlier.is_some() && dropped > 0 {
        warnings.push(format!(
            "{dropped} records are left out: published now, they would stand out beside the earlier release"
        ));
    }
    if !plan.hidden.is_empty() {
        warnings.push(format!(
            "{} of the sensitive places were visited by more subjects than the bound allows; they are published nowhere, \
             but their share among all subjects is not hidden",
            plan.hidden.len()
        ));
    }
    warnings
}

/// The columns of the release with their parts.
fn published_columns(policy: &Policy, source: &Source, shown: &Table) -> Vec<PublishedColumn> {
    let names = shown.columns().iter().map(|column| column.name.as_str());
    let parts = parts(&source.table.form);
    published(names, |name| {
        if let Some((_, part)) = parts.iter().find(|(own, _)| *own == name) {
            return *part;
        }
        let spec = policy.attributes.iter().find(|spec| spec.name == name);
        match spec.map(|spec| spec.role) {
            Some(Role::QuasiIdentifier) => ColumnRole::QuasiIdentifier,
            Some(Role::Sensitive) => ColumnRole::Sensitive,
            _ => ColumnRole::Insensitive,
        }
    })
}

/// Doublets up to which the judge counts whom a release by local suppression exposes: a week of a city's journeys and a
/// day of web sessions are within. Beyond that its bits, one per doublet and distinct record, may not fit into memory.
const MOST_JUDGED: usize = 2_500_000;

/// Records that somebody who knows their source path can still tell apart, which `covers` does not see.
fn exposed(
    source: &Sequences,
    request: &Request,
    recoding: &PathRecoding,
    released: &Sequences,
    victims: &Sequences,
) -> Result<Option<u64>, Error> {
    if recoding.stats.lost_doublets == 0
        && recoding.stats.unchanged_doublets == recoding.stats.doublets
    {
        // Nothing was hidden, so nothing can contradict.
        return Ok(Some(0));
    }
    if removal(recoding) == Removal::Everywhere {
        let exposed = denym_sequences::exposed_records(source, request, &recoding.suppressed)?;
        return Ok(Some(exposed));
    }
    if source.instances() > MOST_JUDGED {
        return Ok(None);
    }
    let knowledge = Doublets {
        l: request.l,
        matching: Matching::Consistent,
        places: request.places(),
    };
    let promises = request.all_promises(victims, &[])?;
    let audit = knowledge.judge_beside(&beside(victims, released, recoding)?, &promises);
    Ok(Some(audit.exposed_records))
}

/// How a recoding removes doublets, as the judge has to know.
fn removal(recoding: &PathRecoding) -> Removal {
    match recoding.algorithm {
        Algorithm::GlobalSuppression | Algorithm::Optimum => Removal::Everywhere,
        _ => Removal::SomeRecords,
    }
}

/// The written table with the attributes in the codes of the source.
fn aligned(written: Table, attributes: &[Column]) -> Result<Table, Error> {
    let mut columns = Vec::with_capacity(written.columns().len());
    for column in written.columns() {
        let Some(own) = attributes.iter().find(|own| own.name == column.name) else {
            columns.push(column.clone());
            continue;
        };
        let code = |code: u32| match column.dictionary.text(code) {
            Some(text) => own.dictionary.code_of(text),
            None => own.dictionary.missing(),
        };
        let map: Vec<u32> = (0..column.dictionary.len() as u32)
            .map(code)
            .collect::<Option<_>>()
            .ok_or_else(|| Error::Internal {
                what: "the written data has a value that the source does not have".into(),
            })?;
        columns.push(Column {
            name: column.name.clone(),
            dictionary: own.dictionary.clone(),
            codes: column
                .codes
                .iter()
                .map(|&code| map[code as usize])
                .collect(),
        });
    }
    drop(written);
    Ok(Table::new(columns)?)
}

/// The written records beside the source records they come from.
fn beside<'a>(
    victims: &'a Sequences,
    released: &'a Sequences,
    recoding: &PathRecoding,
) -> Result<BesideSource<'a>, Error> {
    let stands_for = recoding.standing(released)?;
    let removal = removal(recoding);
    BesideSource::new(victims, released, stands_for, removal).map_err(|_| Error::Internal {
        what: "the written data has not the records that were to be published".into(),
    })
}

/// What is told of a recoding beside its statistics.
struct Recoded<'a> {
    recoding: &'a PathRecoding,
    exposed_records: Option<u64>,
    /// Distinct public items that occur, and those that are published under a coarser name.
    items: u64,
    coarser: Vec<Value>,
}

impl<'a> Recoded<'a> {
    fn new(
        source: &Sequences,
        request: &Request,
        recoding: &'a PathRecoding,
        exposed_records: Option<u64>,
    ) -> Recoded<'a> {
        let mut found = Recoded {
            recoding,
            exposed_records,
            items: 0,
            coarser: Vec::new(),
        };
        if request.elements == Elements::Doublets {
            return found;
        }
        let mut occurs = vec![false; source.locations().len()];
        for &item in source.records().flatten() {
            occurs[item as usize] = true;
        }
        let (secret, words) = (request.places(), &recoding.vocabulary);
        for (item, name) in source.locations().iter().enumerate() {
            if !occurs[item] || secret.contains(name) {
                continue;
            }
            found.items += 1;
            let shown = words.stands_for[item].first();
            let shown = shown.map(|&shown| &words.locations[shown as usize]);
            let coarser = shown.filter(|shown| *shown != name);
            found
                .coarser
                .extend(coarser.map(|shown| json!([name, shown])));
        }
        found
    }
}

/// The figures of a run: the violations of its source, and what was found, where anything was.
fn figures<S: Sort>(
    run: &Run<'_>,
    source: &Sequences,
    plan: &Planned,
    (critical, by_length): (u64, Vec<u64>),
    found: Option<Recoded<'_>>,
) -> Figures {
    let [instances, suppressed, lost, unchanged] = S::COUNTS;
    let records = source.len();
    let stats = found.as_ref().map(|found| &found.recoding.stats);
    let all = stats.map_or(source.instances() as u64, |stats| stats.doublets);
    let nowhere: Vec<String> = found.as_ref().map_or_else(Vec::new, |found| {
        let ids = found.recoding.suppressed.iter();
        ids.map(|&id| source.label(id)).collect()
    });
    let everywhere = stats.map(|_| nowhere.len() as u64);
    let mut figures = Figures::default().with("critical_violations", critical);
    if stats.is_none() {
        let words = format!("{critical} critical in {records} records");
        figures = figures.said("violations", words);
    }
    figures = figures
        .with("critical_violations_by_length", by_length)
        .with(instances, all);
    if let Some(found) = &found {
        figures = figures.said("published", published_in_words(source, plan, found));
    }
    if plan.items() {
        figures = figures.with("items", found.as_ref().map(|found| found.items));
    }
    figures = figures.with(suppressed, everywhere);
    if plan.items() {
        let coarser = found.as_ref().map(|found| found.coarser.len() as u64);
        figures = figures.with("generalized_items", coarser);
    }
    figures = figures.with(lost, stats.map(|stats| stats.lost_doublets));
    if let Some(found) = &found {
        figures = figures.said("removed", removed_in_words(plan, found));
    }
    figures = figures
        .with(unchanged, stats.map(|stats| stats.unchanged_doublets))
        .with("distortion", stats.map(|stats| stats.distortion))
        .with("loss", stats.map(|stats| stats.loss));
    if plan.items() {
        let frequent = found.as_ref().and_then(|found| found.recoding.frequent);
        let kept = frequent.map(|(before, after)| json!({ "before": before, "after": after }));
        figures = figures.with("frequent_itemsets", kept);
        if let Some((before, after)) = frequent {
            let words = format!("{after} of {before} frequent ones kept");
            figures = figures.said("itemsets", words);
        }
    } else {
        figures = figures.with("matching", plan.request.matching.name());
    }
    if let Some(found) = &found {
        let measured = run.policy.release.metric;
        let cost = metric(measured, found.recoding);
        let algorithm = found.recoding.algorithm.name();
        figures = figures.metric(measured.name(), cost, algorithm);
    }
    figures = figures.suppressed(nowhere, run.options);
    if !plan.items() {
        let exposed = found.as_ref().and_then(|found| found.exposed_records);
        figures = figures.with("exposed_records", exposed);
        if let Some(exposed) = exposed.filter(|&exposed| exposed > 0) {
            figures = figures.said(
                "note",
                format!(
                    "{exposed} records fall below the promise for somebody who knows their source path and uses \
                     contradictions; `matching = \"consistent\"` protects them"
                ),
            );
        }
    } else if let Some(found) = found {
        figures = figures.with("generalized", found.coarser);
        figures = figures.told(Reader::Steward);
    }
    figures
}

fn published_in_words(source: &Sequences, plan: &Planned, found: &Recoded<'_>) -> String {
    let (stats, all) = (&found.recoding.stats, source.len());
    let shown = stats.doublets - stats.lost_doublets;
    if plan.items() {
        return format!(
            "{all} transactions with {shown} of {} items",
            stats.doublets
        );
    }
    let published = all - found.recoding.dropped_records.len();
    format!(
        "{published} of {all} paths with {shown} of {} doublets",
        stats.doublets
    )
}

fn removed_in_words(plan: &Planned, found: &Recoded<'_>) -> String {
    let stats = &found.recoding.stats;
    let (lost, everywhere) = (stats.lost_doublets, found.recoding.suppressed.len());
    let (percent, critical) = (number(stats.distortion * 100.0), stats.critical_violations);
    if plan.items() {
        return format!(
            "{lost} items ({percent} %): {everywhere} of {} kinds everywhere, {} kinds shown coarser; {critical} critical violations in the source",
            found.items,
            found.coarser.len(),
        );
    }
    format!(
        "{lost} doublets ({percent} %), {everywhere} of them everywhere; {critical} critical violations in the source"
    )
}
