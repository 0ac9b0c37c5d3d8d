//! Paths: who was where and when.

use std::path::Path;

use denym_attack::Scene;
use denym_attack::sequences::{ReleasedSequences, SequenceScene};
use denym_data::paths::Paths;
use denym_data::{Column, Role, Table};
use denym_measure::sequences::{BesideSource, Doublets, Removal};
use denym_sequences::{Algorithm, Context, Earlier, PathRecoding, Request};
use serde_json::Value;

use crate::Error;
use crate::account::{Account, Outcome};
use crate::attack::{RedTeam, SEED, guarded, originals_of_paths, path_effort, red_team};
use crate::bundle::Draft;
use crate::certificate::{Certificate, ColumnRole, PublishedColumn, published};
use crate::explore::{Layout, Setting};
use crate::figures::{Figures, number};
use crate::listener::Listener;
use crate::options::RunOption;
use crate::outline::{Cost, Sketch};
use crate::paths::{
    Asked, EarlierRelease, PathClaims, PathForm, PathTable, Published, SUBJECTS, claims,
    knowledge_of, over_bound, publish, read_released, request, seconds, source_of, subjects_table,
};
use crate::pipeline::{Bundled, Kind, Made, Prepared, Run, Sheet, Statement, Told, attempt};
use crate::policy::paths::Matching;
use crate::policy::{Metric, Policy, PromiseSpec};
use crate::program::BLIND;
use crate::reporting::paths as reporting;
use denym_release::sensitive::certified;

/// Who was where and when.
pub(crate) struct OnPaths;

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
    /// What is published, until it is written.
    table: Option<Table>,
    /// Which source record each published one is.
    record_of: Vec<u32>,
    /// Whose source path each written record comes from; the judge and the red team both look at it.
    victims: Paths,
}

impl Planned {
    fn earlier(&self) -> Option<Earlier<'_>> {
        self.earlier.as_ref().map(|before| Earlier {
            released: &before.released,
            record_of: &before.record_of,
        })
    }
}

/// At most so many parts of up to `l` doublets have paths with so many doublets in all, the longest of which has `longest`.
pub(crate) fn sequences(instances: u64, longest: u64, l: usize) -> u64 {
    let mut all = instances;
    let mut level = instances;
    for size in 2..=l as u64 {
        level = level.saturating_mul(longest.saturating_sub(size - 1)) / size;
        all = all.saturating_add(level);
    }
    all
}

/// Which records the adversary cannot rule out.
fn matching(policy: &Policy) -> Matching {
    let spec = policy.paths.as_ref();
    spec.map(|spec| spec.matching).unwrap_or_default()
}

impl Kind for OnPaths {
    const NAME: &'static str = "paths";
    const TAKES: &'static [RunOption] = &[RunOption::ShowSuppressed];
    const VARIES: &'static [Setting] = &[Setting::K, Setting::Doublets, Setting::Confidence];
    const LAYOUT: Layout = Layout::Figure;
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("distortion", "distortion"),
        ("loss", "loss"),
        ("critical_violations", "critical_violations"),
        ("suppressed_doublets", "suppressed_doublets"),
        ("lost_doublets", "lost_doublets"),
        ("source_doublets", "doublets"),
    ];
    const ALGORITHMS: &'static [&'static str] = &["paths"];
    const SAFE: Option<&'static str> = Some(BLIND);

    type Source = PathTable;
    type Plan = Planned;

    fn read(run: &Run<'_>) -> Result<PathTable, Error> {
        crate::paths::read(run.policy, run.engine)
    }

    fn plan(run: &Run<'_>, source: &PathTable) -> Result<Planned, Error> {
        let policy = run.policy;
        let (request, warnings) = request(policy, source, run.engine)?;
        let earlier = policy.paths.as_ref().and_then(|spec| spec.earlier.as_ref());
        let earlier = earlier
            .map(|bundle| EarlierRelease::read(&policy.resolve(bundle), source, run.engine))
            .transpose()?;
        let promises: Vec<PromiseSpec> =
            policy.promises.iter().map(|p| p.promise.clone()).collect();
        Ok(Planned {
            request,
            warnings,
            earlier,
            hidden: over_bound(&source.paths, &promises),
            promises,
        })
    }

    fn sketch(run: &Run<'_>, source: &PathTable, plan: &Planned) -> Sketch {
        let (records, l) = (source.paths.len() as u64, knowledge_of(run.policy));
        let instances = source.paths.instances() as u64;
        let longest = source.paths.records().map(<[u32]>::len).max().unwrap_or(0);
        let cost = |key, words, value| Cost { key, words, value };
        let sequences = sequences(instances, longest as u64, l);
        Sketch {
            steps: reporting::steps(run.policy),
            costs: vec![
                cost("records", "paths", records),
                cost(
                    "doublets",
                    "places with their times, over all paths",
                    instances,
                ),
                cost(
                    "distinct_doublets",
                    "different ones",
                    source.paths.doublets().len() as u64,
                ),
                cost("sequences", "sequences to look at, at most", sequences),
            ],
            work: sequences,
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

impl Bundled for OnPaths {
    type Solved = Found;
    type Shown = Paths;
    type Judged = reporting::Losses;

    fn solve(run: &Run<'_>, source: &PathTable, plan: &Planned) -> Result<Found, Error> {
        let policy = run.policy;
        let keep_going = || run.listener.keep_going();
        let context = Context {
            seed: policy.release.seed,
            keep_going: &keep_going,
        };
        let recoding = match &plan.earlier() {
            Some(earlier) => {
                denym_sequences::republish(earlier, &source.paths, &plan.request, &context)
            }
            None => denym_sequences::solve(&source.paths, &plan.request, &context),
        }?;
        let dropped = recoding.dropped_records.len() as u64;
        let allowed = policy
            .release
            .suppress_at_most
            .floor_of(source.paths.len() as u64);
        if plan.earlier.is_none() && dropped > allowed {
            return Err(Error::TooManyDropped { dropped, allowed });
        }
        let Published { table, record_of } = publish(source, &recoding)?;
        let victims = source_of(&source.paths, &recoding, &record_of)?;
        Ok(Found {
            recoding,
            table: Some(table),
            record_of,
            victims,
        })
    }

    fn show(
        run: &Run<'_>,
        source: &PathTable,
        _plan: &Planned,
        solved: &mut Found,
    ) -> Result<Vec<Sheet>, Error> {
        let table = solved.table.take().unwrap_or_default();
        Ok(vec![Sheet {
            suffix: "",
            columns: published_columns(run.policy, &source.form, &table),
            table,
        }])
    }

    fn see(made: &Made<'_, Self>, mut files: Vec<Table>) -> Result<Paths, Error> {
        let policy = made.run.policy;
        let written = aligned(files.swap_remove(0), &made.source.attributes)?;
        read_released(
            Path::new(&made.files[0].file),
            &written,
            &made.source.form,
            &names(policy, Role::Sensitive),
            &names(policy, Role::QuasiIdentifier),
        )
    }

    fn prove(
        made: &Made<'_, Self>,
        released: &Paths,
    ) -> Result<(Account, reporting::Losses), Error> {
        let Made {
            run,
            source,
            plan,
            solved,
            ..
        } = made;
        let (policy, victims) = (run.policy, &solved.victims);
        let mut warnings = plan.warnings.clone();
        let dropped = solved.recoding.dropped_records.len();
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
        let matching = matching(policy);
        let l = knowledge_of(policy);
        let beside = match matching {
            Matching::Covers => None,
            Matching::Consistent => Some(Raw::new(victims, released, &solved.recoding)?.beside()?),
        };
        let judge = || {
            let mut judge = |asked: &Asked| {
                run.proceed()?;
                let knowledge = Doublets {
                    l,
                    matching,
                    places: asked.within.clone(),
                };
                Ok::<_, Error>(match &beside {
                    None => knowledge.judge(released, &asked.promises),
                    Some(beside) => knowledge.judge_beside(beside, &asked.promises),
                })
            };
            claims(
                &source.sensitive,
                &plan.promises,
                matching,
                &plan.hidden,
                &mut judge,
            )
        };
        // While one core judges, the other counts what the report shows.
        let (judged, losses) = rayon::join(judge, || {
            reporting::Losses::new(&source.paths, &solved.recoding)
        });
        let (claims, _) = judged?;
        if let Some(earlier) = &plan.earlier() {
            let keep_going = || run.listener.keep_going();
            let context = Context {
                seed: policy.release.seed,
                keep_going: &keep_going,
            };
            let kept: Vec<usize> = solved.record_of.iter().map(|&r| r as usize).collect();
            let request = &plan.request;
            denym_sequences::check_republication(earlier, released, &kept, request, &context)?;
            if matching == Matching::Consistent {
                denym_sequences::check_contradiction(
                    earlier,
                    &source.paths,
                    released,
                    &kept,
                    request,
                )?;
            }
        }
        let exposed_records = match matching {
            Matching::Consistent => None,
            Matching::Covers => {
                exposed(source, &plan.request, &solved.recoding, released, victims)?
            }
        };
        let account = Account {
            claims,
            warnings,
            ..account(run, source, &solved.recoding, exposed_records)
        };
        Ok((account, losses))
    }

    fn attack(
        made: &Made<'_, Self>,
        released: &Paths,
        _losses: &reporting::Losses,
        _account: &Account,
    ) -> Result<RedTeam, Error> {
        let (policy, plan, recoding) = (made.run.policy, made.plan, &made.solved.recoding);
        let victims = &made.solved.victims;
        let seen = ReleasedSequences {
            raw: victims,
            own: Some((0..victims.len() as u32).collect()),
            stands_for: Raw::new(victims, released, recoding)?.stands_for,
            released,
            everywhere: removal(recoding) == Removal::Everywhere,
            guarded: &guarded(&plan.promises),
            hidden: &plan.hidden,
            known: knowledge_of(policy),
            consistent: matching(policy) == Matching::Consistent,
            seconds,
        };
        let source = &made.source.paths;
        let seed = policy.release.seed;
        let originals = match plan.earlier {
            Some(_) => {
                Err("what an earlier release shows steers this one, and is not tried".to_owned())
            }
            None => originals_of_paths(source, &plan.request, recoding, seed),
        };
        let scene = SequenceScene::new(seen, path_effort(SEED), originals);
        red_team(&Scene::Paths(&scene))
    }

    fn state(made: &Made<'_, Self>, released: &Paths, _account: &Account) -> Statement {
        let policy = made.run.policy;
        Statement {
            records: released.len() as u64,
            quasi_identifiers: names(policy, Role::QuasiIdentifier),
            sensitive: (made.source.sensitive.iter())
                .map(|attribute| certified(attribute, &made.plan.promises))
                .collect(),
            paths: Some(PathClaims {
                form: made.source.form.clone(),
                matching: matching(policy),
            }),
            ..Statement::default()
        }
    }

    fn tell(
        made: &Made<'_, Self>,
        released: &Paths,
        losses: reporting::Losses,
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error> {
        let (policy, source) = (made.run.policy, made.source);
        let subjects = subjects_table(source, &made.solved.record_of)?;
        Ok(Told {
            report: reporting::report(policy, source, released, &losses, account),
            readme: reporting::readme(certificate),
            plan: reporting::plan_document(policy, account),
            documents: Vec::new(),
            tables: subjects
                .map(|table| (SUBJECTS, table))
                .into_iter()
                .collect(),
        })
    }

    fn hopeless(
        run: &Run<'_>,
        source: &PathTable,
        plan: &Planned,
    ) -> Result<Option<Account>, Error> {
        let keep_going = || run.listener.keep_going();
        let context = Context {
            seed: run.policy.release.seed,
            keep_going: &keep_going,
        };
        let found = denym_sequences::critical_violations(&source.paths, &plan.request, &context)?;
        let records = source.paths.len() as u64;
        let words = format!("{} critical in {records} records", found.len());
        let none = Value::Null;
        let figures = Figures::default()
            .with("critical_violations", found.len() as u64)
            .said("violations", words)
            .with("critical_violations_by_length", found.by_length())
            .with("doublets", source.paths.instances() as u64)
            .with("suppressed_doublets", none.clone())
            .with("lost_doublets", none.clone())
            .with("unchanged_doublets", none.clone())
            .with("distortion", none.clone())
            .with("loss", none.clone())
            .with("matching", matching(run.policy).name())
            .suppressed(Vec::new(), run.options)
            .with("exposed_records", none);
        Ok(Some(Account {
            warnings: plan.warnings.clone(),
            ..Account::of(run.policy, records, figures)
        }))
    }
}

/// The columns of the release with their parts.
fn published_columns(policy: &Policy, form: &PathForm, shown: &Table) -> Vec<PublishedColumn> {
    let names = shown.columns().iter().map(|column| column.name.as_str());
    published(names, |name| match form {
        PathForm::Wide { path } if path == name => ColumnRole::Path,
        PathForm::Long { subject, .. } if subject == name => ColumnRole::SubjectNumber,
        PathForm::Long { location, .. } if location == name => ColumnRole::Place,
        PathForm::Long { time, .. } if time == name => ColumnRole::Time,
        _ => {
            let spec = policy.attributes.iter().find(|spec| spec.name == name);
            match spec.map(|spec| spec.role) {
                Some(Role::QuasiIdentifier) => ColumnRole::QuasiIdentifier,
                Some(Role::Sensitive) => ColumnRole::Sensitive,
                _ => ColumnRole::Insensitive,
            }
        }
    })
}

/// The names of the columns with a role.
fn names(policy: &Policy, role: Role) -> Vec<String> {
    policy
        .with_role(role)
        .map(|spec| spec.name.clone())
        .collect()
}

/// Doublets up to which the judge counts whom a release by local suppression exposes: a week of a city's journeys and a
/// day of web sessions are within. Beyond that its bits, one per doublet and distinct record, may not fit into memory.
const MOST_JUDGED: usize = 2_500_000;

/// Records that somebody who knows their source path can still tell apart, which `covers` does not see.
fn exposed(
    table: &PathTable,
    request: &Request,
    recoding: &PathRecoding,
    released: &Paths,
    victims: &Paths,
) -> Result<Option<u64>, Error> {
    if recoding.stats.lost_doublets == 0
        && recoding.stats.unchanged_doublets == recoding.stats.doublets
    {
        // Nothing was hidden, so nothing can contradict.
        return Ok(Some(0));
    }
    if removal(recoding) == Removal::Everywhere {
        let exposed =
            denym_sequences::exposed_records(&table.paths, request, &recoding.suppressed)?;
        return Ok(Some(exposed));
    }
    if table.paths.instances() > MOST_JUDGED {
        return Ok(None);
    }
    let knowledge = Doublets {
        l: request.l,
        matching: Matching::Consistent,
        places: request.places(),
    };
    let promises = request.all_promises(victims, &[])?;
    let beside = Raw::new(victims, released, recoding)?.beside()?;
    let audit = knowledge.judge_beside(&beside, &promises);
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
pub(super) fn aligned(written: Table, attributes: &[Column]) -> Result<Table, Error> {
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

/// The judge who knows the source paths.
struct Raw<'a> {
    source: &'a Paths,
    released: &'a Paths,
    stands_for: Vec<Vec<u32>>,
    removal: Removal,
}

impl<'a> Raw<'a> {
    /// Finds by its label which written doublets may stand for a source doublet.
    fn new(raw: &'a Paths, released: &'a Paths, recoding: &PathRecoding) -> Result<Raw<'a>, Error> {
        let words = &recoding.vocabulary;
        let known: std::collections::HashMap<(&str, &str), u32> = words
            .doublets
            .iter()
            .zip(0..)
            .map(|(doublet, id)| {
                let place = words.locations[doublet.location as usize].as_str();
                let time = words.times[doublet.time as usize].as_str();
                ((place, time), id)
            })
            .collect();
        let mut written = vec![None; words.doublets.len()];
        for (doublet, id) in released.doublets().iter().zip(0_u32..) {
            let place = released.locations()[doublet.location as usize].as_str();
            let time = released.times()[doublet.time as usize].as_str();
            let word = known.get(&(place, time)).ok_or_else(|| Error::Internal {
                what: "the written data has a doublet that was not to be published".into(),
            })?;
            written[*word as usize] = Some(id);
        }
        let stands_for = words
            .stands_for
            .iter()
            .map(|chain| {
                let ids = chain.iter();
                ids.filter_map(|&word| written[word as usize]).collect()
            })
            .collect();
        Ok(Raw {
            source: raw,
            released,
            stands_for,
            removal: removal(recoding),
        })
    }

    fn beside(self) -> Result<BesideSource<'a>, Error> {
        BesideSource::new(self.source, self.released, self.stands_for, self.removal).map_err(|_| {
            Error::Internal {
                what: "the written data has not the records that were to be published".into(),
            }
        })
    }
}

fn account(
    run: &Run<'_>,
    table: &PathTable,
    recoding: &PathRecoding,
    exposed_records: Option<u64>,
) -> Account {
    let (policy, stats) = (run.policy, &recoding.stats);
    let metric = match policy.release.metric {
        Metric::Distortion => stats.distortion,
        _ => stats.loss,
    };
    let (all, dropped) = (table.paths.len(), recoding.dropped_records.len());
    let everywhere = recoding.suppressed.len() as u64;
    let shown = format!(
        "{} of {all} paths with {} of {} doublets",
        all - dropped,
        stats.doublets - stats.lost_doublets,
        stats.doublets
    );
    let removed = format!(
        "{} doublets ({} %), {everywhere} of them everywhere; {} critical violations in the source",
        stats.lost_doublets,
        number(stats.distortion * 100.0),
        stats.critical_violations
    );
    let algorithm = recoding.algorithm.name();
    let figures = Figures::default()
        .with("critical_violations", stats.critical_violations)
        .with(
            "critical_violations_by_length",
            stats.critical_violations_by_length.clone(),
        )
        .with("doublets", stats.doublets)
        .said("published", shown)
        .with("suppressed_doublets", everywhere)
        .with("lost_doublets", stats.lost_doublets)
        .said("removed", removed)
        .with("unchanged_doublets", stats.unchanged_doublets)
        .with("distortion", stats.distortion)
        .with("loss", stats.loss)
        .with("matching", matching(policy).name())
        .metric(policy.release.metric.name(), metric, algorithm);
    let labels = recoding.suppressed.iter();
    let labels = labels.map(|&id| table.paths.label(id)).collect();
    let mut figures = figures
        .suppressed(labels, run.options)
        .with("exposed_records", exposed_records);
    if let Some(exposed) = exposed_records.filter(|&exposed| exposed > 0) {
        figures = figures.said(
            "note",
            format!(
                "{exposed} records fall below the promise for somebody who knows their source path and uses \
                 contradictions; `matching = \"consistent\"` protects them"
            ),
        );
    }
    Account {
        algorithm: algorithm.to_owned(),
        suppressed_records: dropped as u64,
        metric: (policy.release.metric.name().to_owned(), metric),
        ..Account::of(policy, all as u64, figures)
    }
}
