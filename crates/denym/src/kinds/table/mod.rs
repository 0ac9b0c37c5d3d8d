//! Tables: records with attributes, generalized, grouped or clustered.

mod account;
mod frontier;
mod proof;
mod search;
mod together;

use std::borrow::Cow;
use std::cell::Cell;

use denym_data::{AlgorithmEntry, Recoding, Role, Summary, Table};
use denym_measure::population::{generalized_register, published_register};
use denym_measure::{Classes, Roles, Together};
use denym_release::groups;
use denym_release::proof::{AdversaryView, Judgement, Proof};
use denym_tabular::{Axis, RecodingKind, SpecialAlgorithm, SpecialOutput, solver_named};

use crate::account::{Account, Outcome, Refusal};
use crate::attack::{
    NO_SENSITIVE, RedTeam, SEED, at_most, changed_columns, originals_of_table, red_team,
};
use crate::bundle::Draft;
use crate::certificate::{Altered, Certificate, ColumnRole, Groups, PublishedColumn, published};
use crate::explore::{Grid, Points, Setting};
use crate::guard::{Before, Fate, Seen};
use crate::kinds::microdata::{self, Measures, PublishedGroups};
use crate::ledger::Joined;
use crate::listener::Listener;
use crate::options::{RunOption, RunOptions};
use crate::outline::{Cost, Sketch};
use crate::owners::{self, Owner};
use crate::pipeline::{Bundled, Kind, Made, Prepared, Run, Sheet, Statement, Told, attempt, json};
use crate::plan::{Plan, policy_error};
use crate::policy::Policy;
use crate::{Error, coding, perturb, population, pseudonyms, reporting, source};
use denym_attack::Scene;
use denym_attack::table::{Attacked, SourceNumbers, TableScene, numbered_apart};
use denym_release::sensitive::certified;

pub(crate) use search::solve;
use search::{Found, grouped, search};

/// Records with attributes: generalized, grouped or clustered.
pub(crate) struct OnTables;

/// A table as it was read.
pub(crate) struct Source {
    /// With pseudonyms in place of identifiers, and nothing else changed.
    original: Table,
    /// Perturbed and coded, where the policy asks for either.
    changed: Option<Table>,
    /// A register of the population, where a promise needs one.
    register: Option<Table>,
}

/// What is settled before the search.
pub(crate) struct Planned {
    plan: Plan,
    /// The table without what must not be in it, where that is not the table itself.
    complete: Option<Table>,
    family: Option<microdata::Family>,
    summary: Summary,
}

/// What was found.
pub(crate) struct Solved {
    found: Found,
    /// The table with tokens of its classes, where there are any.
    tokens: Option<Table>,
    /// The groups that quasi-identifiers and sensitive values meet in.
    groups: Option<Groups>,
    /// Records that wait for a later release, so that all releases together keep what was promised.
    waiting: u64,
}

/// What the proof came to beside the claims.
pub(crate) struct Judged {
    /// The classes of the written data.
    classes: Classes,
    view: AdversaryView,
    /// The classes of the source.
    before: Classes,
    roles: Roles,
    /// Whom the proof failed for, where nothing but a combination of classes is too rare.
    rare: Option<Vec<Owner>>,
    /// What happened to numbers, where they were changed.
    measures: Option<Measures>,
    /// What the release is together with those before it.
    joined: Option<Joined>,
}

impl Source {
    fn table(&self) -> &Table {
        self.changed.as_ref().unwrap_or(&self.original)
    }
}

impl Planned {
    /// The table that is searched.
    fn kept<'a>(&'a self, source: &'a Source) -> &'a Table {
        self.complete.as_ref().unwrap_or_else(|| source.table())
    }
}

impl Solved {
    /// The table that is published from.
    fn kept<'a>(&'a self, plan: &'a Planned, source: &'a Source) -> &'a Table {
        match (&self.tokens, &self.found.special) {
            (Some(table), _) | (None, Some(SpecialOutput::Replaced { table, .. })) => table,
            _ => plan.kept(source),
        }
    }
}

/// What a table became, unless it is the same.
fn changed(table: Cow<'_, Table>) -> Option<Table> {
    match table {
        Cow::Borrowed(_) => None,
        Cow::Owned(table) => Some(table),
    }
}

impl Kind for OnTables {
    const NAME: &'static str = "tables";
    const TAKES: &'static [RunOption] = &[
        RunOption::Effort,
        RunOption::TimeBudget,
        RunOption::Onto,
        RunOption::Ledger,
        RunOption::Sign,
        RunOption::PerturbationSeed,
        RunOption::Mapping,
    ];
    const VARIES: &'static [Setting] = &[
        Setting::Suppress,
        Setting::Confidence,
        Setting::T,
        Setting::L,
        Setting::K,
    ];
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("highest_risk", "highest_risk"),
        ("suppressed_records", "suppressed_records"),
        ("classes", "classes"),
        ("groups", "groups"),
    ];
    const ALGORITHMS: &'static [&'static str] = &["table", "numbers", "mixed"];
    const IS_TABLE: bool = true;

    type Source = Source;
    type Plan = Planned;

    fn read(run: &Run<'_>) -> Result<Source, Error> {
        let policy = run.policy;
        let original = source::read(policy, run.engine)?;
        // What a bound costs has nothing to do with tokens, and no key is asked for.
        let original = if run.trying {
            original
        } else {
            pseudonyms::replaced(policy, original, run.options.environment)?
        };
        run.proceed()?;
        let (original, register) = population::read(policy, original, run.engine)?;
        let table = perturb::perturbed(policy, &original, run.options.perturbation_seed)?;
        let table = changed(coding::coded(policy, table)?);
        Ok(Source {
            changed: table,
            original,
            register,
        })
    }

    fn plan(run: &Run<'_>, source: &Source) -> Result<Planned, Error> {
        let plan = Plan::new(run.policy, source.table(), run.engine)?;
        let complete = changed(plan.complete(source.table())?);
        let mut planned = Planned {
            plan,
            complete,
            family: None,
            summary: Summary::default(),
        };
        planned.family = microdata::family(run.policy, planned.kept(source));
        check_options(planned.family, run.policy, run.options)?;
        // Groups of records need no summary of tuples.
        if planned.family.is_none() {
            let (kept, columns) = (planned.kept(source), &planned.plan.columns);
            planned.summary =
                run.engine
                    .summarize(kept, &columns.quasi, &columns.sensitive, columns.subject)?;
        }
        Ok(planned)
    }

    fn sketch(run: &Run<'_>, source: &Source, planned: &Planned) -> Sketch {
        let plan = &planned.plan;
        let records = source.table().records() as u64;
        let mut costs = vec![Cost {
            key: "records",
            words: "records",
            value: records,
        }];
        let quasi = plan.columns.quasi.len() as u64;
        let work = if planned.family.is_some() {
            // Groups are made by comparing records with one another.
            let groups = records.saturating_mul(records) / 4;
            groups.saturating_mul(quasi.max(1))
        } else {
            let lattice = plan.limits.iter().fold(1_u64, |nodes, (low, high)| {
                nodes.saturating_mul((high - low + 1) as u64)
            });
            let tuples = planned.summary.tuples() as u64;
            costs.push(Cost {
                key: "distinct_tuples",
                words: "distinct combinations of quasi-identifiers",
                value: tuples,
            });
            costs.push(Cost {
                key: "lattice",
                words: "combinations of levels",
                value: lattice,
            });
            // Most of a lattice is never visited: what a node breaks, everything below it breaks.
            let visited = lattice.min(10_000);
            tuples.saturating_mul(visited).saturating_mul(quasi.max(1))
        };
        let mut steps = plan.steps();
        steps.extend(ranges(planned));
        let portfolio = run.policy.release.algorithm.is_auto() && planned.family.is_none();
        if let Some(patience) = run.options.patience.filter(|_| portfolio) {
            steps.push(format!(
                "search for at most {} s, less where nothing is left to try; `--time-budget` gives it longer",
                patience.as_secs()
            ));
        }
        Sketch {
            steps,
            costs,
            work,
            warnings: plan.warnings.clone(),
        }
    }

    fn before<'a>(run: &Run<'a>, source: &'a Source, planned: &'a Planned) -> Before<'a> {
        let (policy, table) = (run.policy, source.table());
        let special = SpecialAlgorithm::named(policy.release.algorithm.name);
        let apart = [SpecialAlgorithm::Anatomy, SpecialAlgorithm::Permutation].map(Some);
        let perturbed = &policy.release.microdata.perturb;
        let seen = planned
            .plan
            .columns
            .released
            .iter()
            .filter_map(|&position| {
                let column = &table.columns()[position];
                let role = policy
                    .attributes
                    .iter()
                    .find(|spec| spec.name == column.name)?
                    .role;
                let noisy = perturbed
                    .iter()
                    .any(|spec| spec.columns.contains(&column.name));
                let as_it_is = match role {
                    Role::Insensitive | Role::Sensitive => !noisy,
                    // Their promise is about what they are published beside.
                    Role::QuasiIdentifier => !noisy && apart.contains(&special),
                    // Numbers that start anew in every class, and tokens.
                    Role::Subject | Role::Identifier => false,
                };
                Some(Seen {
                    column,
                    role,
                    as_it_is,
                })
            });
        let subject = planned.plan.columns.subject;
        Before {
            records: table.records() as u64,
            columns: seen.collect(),
            people: subject.map(|position| &table.columns()[position]),
            in_columns: true,
            ..Before::of(policy)
        }
    }

    fn usual_k() -> Vec<u64> {
        vec![2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100]
    }

    fn at_once(
        run: &Run<'_>,
        source: &Source,
        grid: &Grid,
        asked: &[&'static AlgorithmEntry],
    ) -> Result<Option<Points>, Error> {
        frontier::at_once(run, source, grid, asked)
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

impl Bundled for OnTables {
    type Solved = Solved;
    type Shown = Table;
    type Judged = Judged;

    fn solve(run: &Run<'_>, source: &Source, planned: &Planned) -> Result<Solved, Error> {
        let Planned { plan, summary, .. } = planned;
        let (kept, register) = (planned.kept(source), source.register.as_ref());
        let candidate = proof::Candidate {
            plan,
            engine: run.engine,
            kept,
            summary,
            register,
        };
        let (options, listener) = (run.options, run.listener);
        let mut found = match planned.family {
            Some(family) => {
                let missing = plan.incomplete.len() as u64;
                if missing > plan.allowance() {
                    return Err(search::too_few_allowed(plan, plan.allowance(), missing));
                }
                let confirms = |recoding: &Recoding| candidate.holds(recoding, &plan.promises);
                let found = microdata::solve(family, plan, kept, &confirms, options, listener)?;
                grouped(found)
            }
            None => search(
                plan,
                kept,
                summary,
                register,
                Some(&candidate),
                options,
                listener,
            )?,
        };
        if planned.family.is_none() {
            coding::centered(plan, kept, summary, &mut found.solution.recoding);
        }
        let waiting = match run.ledger {
            Some(keeper) => together::settle(run, keeper, source, planned, &mut found)?,
            None => 0,
        };
        let mut solved = Solved {
            found,
            tokens: None,
            groups: None,
            waiting,
        };
        if !run.trying && pseudonyms::per_class(run.policy).next().is_some() {
            let recoding = &solved.found.solution.recoding;
            let kept = solved.kept(planned, source);
            let classes = recoding.class_of_rows(kept, &plan.columns.quasi, summary);
            let environment = options.environment;
            let tokens = pseudonyms::by_class(run.policy, kept, &classes, recoding, environment)?;
            solved.tokens = Some(tokens);
        }
        Ok(solved)
    }

    fn show(
        run: &Run<'_>,
        source: &Source,
        planned: &Planned,
        solved: &mut Solved,
    ) -> Result<Vec<Sheet>, Error> {
        let columns = &planned.plan.columns;
        let sheet = |table: Table| Sheet {
            suffix: "",
            columns: published_columns(run.policy, &table),
            table,
        };
        let kept = solved.kept(planned, source);
        let Some(SpecialOutput::Grouped {
            group_of,
            column,
            apart,
        }) = &solved.found.special
        else {
            let table = run.engine.apply(
                kept,
                &columns.quasi,
                &columns.released,
                columns.subject,
                &planned.summary,
                &solved.found.solution.recoding,
            )?;
            return Ok(vec![sheet(table)]);
        };
        let attribute = kept.columns()[*column].name.clone();
        let broken = |what: &'static str| Error::Internal { what: what.into() };
        let linked = groups::linked(kept, &columns.released, group_of, *column);
        let (linked, group) = linked.map_err(broken)?;
        let apart = *apart;
        let sheets = if apart {
            let tables = groups::apart(&linked, &group, &attribute);
            let (first, second) = tables.map_err(broken)?;
            let names = second.columns().iter().map(|column| column.name.as_str());
            let parts = published(names, |name| match name {
                _ if name == group => ColumnRole::Group,
                _ if name == attribute => ColumnRole::Sensitive,
                _ => ColumnRole::Count,
            });
            let second = Sheet {
                suffix: "-sensitive",
                columns: parts,
                table: second,
            };
            vec![sheet(first), second]
        } else {
            vec![sheet(linked)]
        };
        solved.groups = Some(Groups {
            column: group,
            attribute,
            sensitive: None,
        });
        Ok(sheets)
    }

    fn altered(run: &Run<'_>, planned: &Planned, solved: &Solved) -> Vec<Altered> {
        let seeded = run.options.perturbation_seed.is_some();
        account::altered(&planned.plan, &solved.found, seeded)
    }

    fn see(made: &Made<'_, Self>, mut files: Vec<Table>) -> Result<Table, Error> {
        let second = (files.len() > 1).then(|| files.swap_remove(1));
        let first = files.swap_remove(0);
        match (second, &made.solved.groups) {
            (Some(second), Some(groups)) => groups::joined(&first, &second, groups)
                .map_err(|what| Error::Internal { what: what.into() }),
            _ => Ok(first),
        }
    }

    fn prove(made: &Made<'_, Self>, written: &Table) -> Result<(Account, Judged), Error> {
        let Made {
            run,
            source,
            plan: planned,
            solved,
            ..
        } = made;
        let (plan, summary, found) = (&planned.plan, &planned.summary, &solved.found);
        let (policy, columns) = (run.policy, &plan.columns);
        let recoding = &found.solution.recoding;
        let guarding = plan.sensitive.iter().any(|attribute| attribute.hidden);
        let real = if columns.subject.is_some() || guarding {
            let kept = solved.kept(planned, source);
            Some(proof::real(plan, run.engine, kept, summary, recoding)?)
        } else {
            None
        };
        let people = match (&source.register, &recoding.levels, &found.looks_like) {
            (Some(register), Some(levels), _) => {
                let trees = &plan.hierarchies;
                Some(generalized_register(&plan.quasi, trees, register, levels)?)
            }
            (Some(register), None, Some(classes)) => Some(published_register(
                &plan.quasi,
                register,
                recoding,
                classes,
            )?),
            _ => None,
        };
        // Tokens per class tie nothing together, and that is looked at like the rest.
        let mut owners = plan.owners.clone();
        if columns.subject.is_some() {
            owners.extend(pseudonyms::per_class(policy).map(|(name, _)| Owner {
                column: name.to_owned(),
                known: Together::All,
                tokens: true,
            }));
        }
        let proof = Proof {
            evidence: plan.evidence(real.as_ref().unwrap_or(written), people.as_ref()),
            real: real.is_some(),
            groups: solved.groups.as_ref().map(|groups| groups.column.as_str()),
            owners: &owners,
            values_generalized: SpecialAlgorithm::named(policy.release.algorithm.name)
                == Some(SpecialAlgorithm::Personalized),
        };
        let Judgement {
            classes,
            view,
            claims,
            combination,
        } = proof.measure(written)?;
        let joined = match (run.ledger, &real) {
            (Some(keeper), Some(real)) => {
                Some(keeper.join(plan, real, recoding.levels.as_deref())?)
            }
            _ => None,
        };
        let original = &source.original;
        // Several columns read as one are no columns of the source; they come last.
        let own = |column: &&usize| **column < original.columns().len();
        let roles = Roles {
            quasi: columns.quasi.clone(),
            sensitive: columns.sensitive.iter().filter(own).copied().collect(),
            subject: columns.subject,
        };
        let table = source.table();
        // What the release loses has nothing to do with what the source would have given away.
        let (account, before) = rayon::join(
            || account::account(plan, table, summary, written, found, &classes, claims),
            || Classes::of(original, &roles),
        );
        let mut account = account?;
        if let Some(joined) = &joined {
            let all = std::mem::take(&mut account.figures);
            account.figures = together::figures(all, joined, solved.waiting);
        }
        let changed = account::changed(plan, original, table, found);
        let adm = found.groups.as_ref().and_then(|groups| groups.adm);
        let measures = if run.trying {
            None
        } else {
            microdata::measures(&changed, adm)?
        };
        if let Some(measures) = &measures {
            let all = std::mem::take(&mut account.figures);
            account.figures = account::measured(all, measures, found.groups.is_some());
        }
        if run.options.perturbation_seed.is_some() {
            account.warnings.push(SEEDED.to_owned());
        }
        if run.options.onto.is_none() && account.suppressed_records > plan.allowance() {
            return Err(Error::Infeasible {
                what: format!(
                    "`{}` leaves out {} of {} records, but `suppress-at-most` allows {}",
                    account.algorithm,
                    account.suppressed_records,
                    account.records,
                    plan.allowance()
                ),
                code: "infeasible",
                help: "raise `suppress-at-most`, or choose another algorithm".into(),
            });
        }
        let judged = Judged {
            classes,
            view,
            before,
            roles,
            rare: combination.then_some(owners),
            measures,
            joined,
        };
        Ok((account, judged))
    }

    fn attack(
        made: &Made<'_, Self>,
        written: &Table,
        judged: &Judged,
        _account: &Account,
    ) -> Result<RedTeam, Error> {
        let plan = &made.plan.plan;
        let plain = plan
            .sensitive
            .iter()
            .filter(|attribute| attribute.parts.is_empty() && !attribute.hidden);
        let names: Vec<String> = plain.map(|attribute| attribute.name.clone()).collect();
        let view = &judged.view;
        let mut shown = Attacked {
            table: &view.table,
            roles: view.roles.clone(),
            groups: view.groups,
            classes: view.groups.is_none().then_some(&judged.classes),
        };
        let at_most = at_most(made.run.policy.adversary);
        let apart;
        if at_most.is_some() {
            apart = numbered_apart(&shown)?;
            shown.table = &apart;
        }
        let seeded = made.run.options.perturbation_seed.is_some();
        let altered = changed_columns(&account::altered(plan, &made.solved.found, seeded));
        let original = &made.source.original;
        let numbers = SourceNumbers::between(original, written, &altered);
        let kept = made.solved.kept(made.plan, made.source);
        let originals = originals_of_table(plan, kept, made.run.engine);
        let mut scene = TableScene {
            source: Some(Attacked {
                table: original,
                roles: judged.roles.clone(),
                groups: None,
                classes: Some(&judged.before),
            }),
            at_most,
            numbers: numbers.as_ref().map_err(Clone::clone),
            originals: originals.as_ref().map_err(Clone::clone),
            seed: SEED,
            ..TableScene::new(shown, &names, NO_SENSITIVE)
        };
        if plan
            .promises
            .iter()
            .any(|promise| promise.population().is_some())
        {
            scene.no_register = "the promise itself measures presence against the register";
        }
        red_team(&Scene::Table(&scene))
    }

    fn fate<'a>(made: &'a Made<'a, Self>, written: &'a Table) -> Fate<'a> {
        let (plan, found) = (&made.plan.plan, &made.solved.found);
        let columns = made.run.policy.with_role(Role::QuasiIdentifier);
        let hierarchies = columns.zip(&plan.hierarchies);
        // The middle of a class, and means of groups, are of no level.
        let labels = hierarchies.filter(|(spec, _)| {
            found.groups.is_none() && found.special.is_none() && spec.operations.middle.is_none()
        });
        Fate {
            class_of: class_of_source(made),
            written: Some(written),
            hierarchies: labels
                .map(|(spec, hierarchy)| (spec.name.as_str(), hierarchy))
                .collect(),
        }
    }

    fn state(made: &Made<'_, Self>, written: &Table, _account: &Account) -> Statement {
        let plan = &made.plan.plan;
        let shown = plan.sensitive.iter().filter(|attribute| !attribute.hidden);
        let seeded = made.run.options.perturbation_seed.is_some();
        let groups = made.solved.groups.clone().map(|groups| Groups {
            sensitive: made.files.get(1).cloned(),
            ..groups
        });
        Statement {
            records: written.records() as u64,
            quasi_identifiers: plan.quasi_names(),
            sensitive: shown
                .map(|attribute| certified(attribute, &plan.promises))
                .collect(),
            subject: plan.subject().map(str::to_owned),
            known_together: plan.owners.iter().map(Owner::certified).collect(),
            altered: account::altered(plan, &made.solved.found, seeded),
            groups,
            ..Statement::default()
        }
    }

    fn tell(
        made: &Made<'_, Self>,
        written: &Table,
        judged: Judged,
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error> {
        let (plan, found) = (&made.plan.plan, &made.solved.found);
        let (original, before) = (&made.source.original, &judged.before);
        let (mut documents, mut tables) = (Vec::new(), Vec::new());
        if made.run.options.mapping {
            let kept = made.solved.kept(made.plan, made.source);
            let (quasi, recoding) = (&plan.columns.quasi, &found.solution.recoding);
            let mapping = denym_data::mapping(kept, quasi, &made.plan.summary, recoding)?;
            tables.push(("steward/mapping.csv", mapping));
        }
        if found.groups.is_some() {
            let (kept, class_of) = (
                made.plan.kept(made.source),
                &found.solution.recoding.class_of,
            );
            let groups = PublishedGroups::new(plan, kept, class_of);
            documents.push(("steward/groups.json", json(&groups)?));
        }
        let language = made.run.language();
        let mut report = reporting::report(
            plan,
            (original, written),
            (before, &judged.classes),
            judged.measures.as_ref(),
            account,
            language,
        );
        // Where values stand in a table of their own, or were drawn, no record stands beside what became of it.
        if found.special.is_none() {
            report.sample = Some(made.sample(written));
        }
        Ok(Told {
            report,
            readme: reporting::readme(certificate, language),
            plan: plan_document(plan, account),
            documents,
            tables,
        })
    }

    fn hopeless(_: &Run<'_>, _: &Source, _: &Planned) -> Result<Option<Account>, Error> {
        Ok(None)
    }

    fn joined(judged: &Judged) -> Option<&Joined> {
        judged.joined.as_ref()
    }

    fn failed(judged: &Judged) -> Option<Refusal> {
        judged.rare.as_ref().map(|owners| Refusal {
            code: "combination-too-rare",
            message:
                "people can be found by the combination of classes that their records stand in"
                    .into(),
            help: owners::help(owners),
        })
    }
}

impl Made<'_, OnTables> {
    /// Some records of the source beside what is published of them.
    fn sample(&self, written: &Table) -> denym_report::Sample {
        let (plan, recoding) = (&self.plan.plan, &self.solved.found.solution.recoding);
        let kept = self.solved.kept(self.plan, self.source);
        let (quasi, summary) = (&plan.columns.quasi, &self.plan.summary);
        // Asked for every column of one record before the next.
        let last: Cell<Option<(usize, Option<u32>)>> = Cell::new(None);
        let becomes = |row: usize, name: &str| {
            let class = match last.get() {
                Some((known, class)) if known == row => class,
                _ => recoding.class_of_row(kept, quasi, summary, row),
            };
            last.set(Some((row, class)));
            let class = class? as usize;
            let d = plan.quasi.iter().position(|own| own == name)?;
            let label = *recoding.published.get(d)?.get(class)? as usize;
            let text = recoding.labels.get(d)?.texts.get(label)?;
            Some(text.as_deref().map(str::to_owned))
        };
        reporting::sample(&plan.policy, kept, written, becomes)
    }
}

/// The class that each record of the source is published in; nothing where records are published without classes.
fn class_of_source(made: &Made<'_, OnTables>) -> Option<Vec<Option<u32>>> {
    let (planned, found) = (made.plan, &made.solved.found);
    if matches!(found.special, Some(SpecialOutput::Grouped { .. })) {
        return None;
    }
    let kept = planned.kept(made.source);
    let (quasi, recoding) = (&planned.plan.columns.quasi, &found.solution.recoding);
    let classes = recoding.class_of_rows(kept, quasi, &planned.summary);
    if classes.len() != kept.records() {
        return None;
    }
    let mut gone = planned.plan.incomplete.iter().copied().peekable();
    let mut classes = classes.into_iter();
    let rows = 0..made.source.table().records();
    Some(
        rows.map(|row| match gone.next_if_eq(&row) {
            Some(_) => None,
            None => classes.next().flatten(),
        })
        .collect(),
    )
}

/// Which columns may be published as ranges of values that occur instead of levels of their hierarchies, if any may.
fn ranges(planned: &Planned) -> Option<String> {
    let (plan, release) = (&planned.plan, &planned.plan.policy.release);
    let solver = solver_named(release.algorithm.name)?;
    let levels = matches!(
        solver.recoding,
        RecodingKind::FullDomain | RecodingKind::Subtree
    );
    // Means of groups, and levels, are no ranges; local recoding and its kin publish nodes of hierarchies.
    let cuts = solver.entry.is_auto() || solver.entry.name.contains("mondrian");
    if planned.family.is_some() || levels || release.one_grain || !cuts {
        return None;
    }
    let names = plan.quasi_names();
    let ordered = names.iter().zip(&plan.hierarchies);
    let ordered: Vec<String> = ordered
        .filter(|(_, hierarchy)| Axis::declared(hierarchy) == Axis::Ordered)
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let listed = ordered.join(", ");
    (!ordered.is_empty()).then(|| {
        let mut text = if release.round_ranges {
            format!(
                "{listed}: labels may be ranges instead of levels, with edges that are nobody's value"
            )
        } else {
            format!(
                "{listed}: labels may be ranges of data values, from the smallest to the largest of a class, instead of levels: both ends are somebody's value; `ranges = \"rounded\"` hides them"
            )
        };
        if solver.entry.is_auto() {
            text += "; `grain = \"one-per-column\"` keeps to the levels of the hierarchies";
        }
        text
    })
}

/// The plan and what came of it, for the steward.
fn plan_document(plan: &Plan, account: &Account) -> serde_json::Value {
    let keys = [
        "denym",
        "algorithm",
        "seed",
        "steps",
        "levels",
        "metric",
        "records",
        "suppressed_records",
        "classes",
        "program",
        "warnings",
    ];
    let maybe = [
        "bound",
        "groups",
        "information_loss_percent",
        "effort",
        "waiting",
    ];
    let mut document =
        reporting::plan_document(&plan.policy, account, &plan.steps(), &keys, &maybe);
    // By name, not in the order of the policy.
    if let Some(levels) = document["levels"].as_object_mut() {
        levels.sort_keys();
    }
    document
}

/// The columns of the data with their parts.
fn published_columns(policy: &Policy, table: &Table) -> Vec<PublishedColumn> {
    let names = table.columns().iter().map(|column| column.name.as_str());
    published(names, |name| {
        let spec = policy.attributes.iter().find(|spec| spec.name == name);
        match spec.map(|spec| spec.role) {
            Some(Role::QuasiIdentifier) => ColumnRole::QuasiIdentifier,
            Some(Role::Sensitive) => ColumnRole::Sensitive,
            Some(Role::Insensitive) => ColumnRole::Insensitive,
            Some(Role::Subject) => ColumnRole::SubjectNumber,
            // Of an identifier only its pseudonym is published.
            Some(Role::Identifier) => ColumnRole::Pseudonym,
            None => ColumnRole::Group,
        }
    })
}

/// What a steward must know about a seeded perturbation.
const SEEDED: &str = "the perturbation was drawn with a seed: whoever knows it can undo it; never publish this release";

/// Options that only some algorithms have.
fn check_options(
    family: Option<microdata::Family>,
    policy: &Policy,
    options: &RunOptions,
) -> Result<(), Error> {
    if let (None, Some(spec)) = (family, &policy.release.microdata.unconcerned) {
        let mistake = microdata::only_clusters(policy.release.algorithm.name, spec);
        return Err(policy_error(policy, vec![mistake]));
    }
    let seeded = options.perturbation_seed.is_some();
    let perturbs = !policy.release.microdata.perturb.is_empty();
    let problem = if seeded && !perturbs {
        "a seed of the perturbation is given, but the policy perturbs nothing"
    } else if options.onto.is_some() && perturbs {
        "perturbed numbers differ every time, so no release can be added to"
    } else if options.onto.is_some() && family.is_none() {
        "only microaggregation and clustering can add to an earlier release"
    } else {
        return Ok(());
    };
    Err(Error::Argument {
        what: problem.into(),
        help: "remove the option, or change the policy".into(),
    })
}
