//! Tables: read, plan, solve, apply, write, read back, audit, and only then release.

use std::path::Path;

use denym_data::{ClassId, Code, Fraction, Role, Summary, Table, Unit};
use denym_engine::{Engine, Format};
use denym_measure::{Classes, Roles};
use denym_tabular::{
    Attempt, Auto, BestEffort, Context, Entry, LocalRecoding, Objective, Request, Solution, Solver,
};

use super::evidence::Evidence;
use super::microdata::{self, Measures, measures::Changed};
use super::red_team::RedTeam;
use super::{Account, Figures, Outcome, Release, RunOptions, Tried, json, proceed};
use crate::bundle::Draft;
use crate::certificate::{Altered, Certificate, Claim, DataFile, FORM};
use crate::effort::Meter;
use crate::listener::{Listener, Phase};
use crate::plan::{Plan, data_name};
use crate::policy::{AttributeSpec, Missing, Policy, PromiseSpec};
use crate::utility::Released;
use crate::{
    Error, coding, mapping, numbers, perturb, population, pseudonyms, recoded, reporting, scopes,
    source,
};

/// Makes a release of a table.
pub(super) fn run(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let draft = Draft::new(output, options.force)?;
    let engine = Engine::new(options.threads)?;
    listener.phase(Phase::Reading);
    let original = source::read(policy, &engine)?;
    let original = pseudonyms::replaced(policy, original, options.environment)?;
    proceed(listener)?;
    let (original, register) = population::read(policy, original, &engine)?;
    let table = perturb::perturbed(policy, &original, options.perturbation_seed)?;
    let table = coding::coded(policy, table)?;
    let plan = Plan::new(policy, &table, &engine)?;
    let kept = plan.complete(&table)?;
    let family = microdata::family(policy, &kept);
    check_options(family, policy, options)?;

    listener.phase(Phase::Summarizing);
    let columns = &plan.columns;
    let summary = if family.is_some() {
        // Groups of records need no summary of tuples.
        Summary::default()
    } else {
        engine.summarize(&kept, &columns.quasi, &columns.sensitive, columns.subject)?
    };
    proceed(listener)?;

    listener.phase(Phase::Searching);
    let mut found = match family {
        Some(family) => grouped(microdata::solve(family, &plan, &kept, options, listener)?),
        None => search(&plan, &kept, &summary, register.as_ref(), options, listener)?,
    };
    if family.is_none() {
        coding::centered(&plan, &kept, &summary, &mut found.solution.recoding);
    }
    let solution = &found.solution;
    proceed(listener)?;

    listener.phase(Phase::Writing);
    let published = engine.apply(
        &kept,
        &columns.quasi,
        &columns.released,
        columns.subject,
        &summary,
        &solution.recoding,
    )?;
    let format = Format::parse(&policy.release.format).ok_or_else(|| Error::Internal {
        what: "a format that the policy should have refused".into(),
    })?;
    let name = data_name(&policy.data.path);
    let file = format!("{name}.{}", format.name());
    let path = draft.path(&format!("release/{file}"));
    engine.write(&published, format, &path)?;
    drop(published);
    let hidden: Vec<usize> = plan
        .sensitive
        .iter()
        .zip(&columns.sensitive)
        .filter(|(attribute, _)| attribute.hidden)
        .map(|(_, &position)| position)
        .collect();
    let guarded = if hidden.is_empty() {
        None
    } else {
        // The same table with the guarding nodes left in; it is never written.
        let columns_and_guards = [columns.released.as_slice(), &hidden].concat();
        Some(engine.apply(
            &kept,
            &columns.quasi,
            &columns_and_guards,
            columns.subject,
            &summary,
            &solution.recoding,
        )?)
    };
    proceed(listener)?;

    listener.phase(Phase::Auditing);
    let written = source::read_release(&engine, &path, format)?;
    let people = match (&register, &solution.recoding.levels) {
        (Some(register), Some(levels)) => Some(population::generalized(&plan, register, levels)?),
        _ => None,
    };
    let (classes, claims) = audit(&plan, &written, guarded.as_ref(), people.as_ref())?;
    let mut account = account(&plan, &table, &summary, &written, &found, &classes, claims)?;
    let changed = changed(&plan, &original, &table, &found);
    account.measures = Measures::of(
        &changed,
        found.groups.as_ref().and_then(|groups| groups.adm),
    )?;
    if options.perturbation_seed.is_some() {
        account.warnings.push(SEEDED.to_owned());
    }

    listener.phase(Phase::Attacking);
    // Several columns read as one are no columns of the source; they come last.
    let own = |column: &&usize| **column < original.columns().len();
    let roles = Roles {
        quasi: columns.quasi.clone(),
        sensitive: columns.sensitive.iter().filter(own).copied().collect(),
        subject: columns.subject,
    };
    let before = Classes::of(&original, &roles);
    let plain = plan
        .sensitive
        .iter()
        .filter(|attribute| attribute.parts.is_empty() && !attribute.hidden);
    let names: Vec<String> = plain.map(|attribute| attribute.name.clone()).collect();
    let red_team = RedTeam::attack(&before, &classes, &names, &policy.attack);
    account.attacks.clone_from(&red_team.results);
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    let certificate = Certificate {
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            file,
            format: format.name().to_owned(),
            records: written.records() as u64,
            sha256: denym_engine::fingerprint(&path)?,
        },
        knows: policy.adversary,
        quasi_identifiers: plan.quasi_names(),
        sensitive: plan
            .sensitive
            .iter()
            .filter(|attribute| !attribute.hidden)
            .map(|attribute| attribute.certified(&plan.promises))
            .collect(),
        subject: policy
            .with_role(Role::Subject)
            .next()
            .map(|spec| spec.name.clone()),
        suppressed_records: account.suppressed_records,
        altered: altered(&plan, &found),
        claims: account.claims.clone(),
        attacks: account.attacks.clone(),
        paths: None,
        transactions: None,
    };
    proceed(listener)?;

    listener.phase(Phase::Reporting);
    let mut report = reporting::report(&plan, &original, &written, &before, &classes, &account);
    report.attacks.extend(red_team.report());
    draft.write("release/certificate.json", json(&certificate)?.as_bytes())?;
    draft.write(
        "release/README.md",
        reporting::readme(&certificate).as_bytes(),
    )?;
    draft.write(
        "steward/report.html",
        denym_report::html(&report).as_bytes(),
    )?;
    draft.write("steward/policy.toml", policy.text.as_bytes())?;
    draft.write(
        "steward/plan.json",
        json(&reporting::plan_document(&plan, &account))?.as_bytes(),
    )?;
    draft.write(
        "steward/attacks.json",
        json(&red_team.document(&written, &plan.quasi_names(), &classes))?.as_bytes(),
    )?;
    draft.write(
        "steward/source.json",
        json(&source::fingerprints(policy)?)?.as_bytes(),
    )?;
    if options.mapping {
        let mapping = mapping::csv(&plan, &kept, &summary, &solution.recoding);
        draft.write("steward/mapping.csv", mapping.as_bytes())?;
    }
    if let Some(groups) = &found.groups {
        draft.write("steward/groups.json", json(&groups.published)?.as_bytes())?;
    }
    proceed(listener)?;
    let bundle = draft.finish()?;
    Ok(Outcome::Released(Box::new(Release {
        bundle,
        certificate,
        account,
    })))
}

/// What the search found and how it went.
pub(crate) struct Found {
    /// The solver whose solution it is.
    algorithm: &'static str,
    /// What it found.
    pub(crate) solution: Solution,
    attempts: Vec<Attempt>,
    /// The effort that repeats a limited search.
    effort: Option<u64>,
    /// Numbers in groups, or clusters.
    groups: Option<Box<microdata::Found>>,
}

/// Algorithms that return the best so far when their effort ends, always at the same step.
const LIMITED: [&str; 4] = ["auto", "best-effort", "local-recoding", "full-domain"];

/// What a steward must know about a seeded perturbation.
const SEEDED: &str = "the perturbation was drawn with a seed: whoever knows it can undo it; never publish this release";

/// Groups of records as a search of this file would have found them.
fn grouped(mut found: microdata::Found) -> Found {
    Found {
        algorithm: found.algorithm,
        solution: std::mem::replace(
            &mut found.solution,
            Solution {
                recoding: denym_data::Recoding {
                    unit: Unit::Record,
                    class_of: Vec::new(),
                    labels: Vec::new(),
                    published: Vec::new(),
                    levels: None,
                },
                score: 0.0,
                bound: None,
                statistics: denym_tabular::Statistics::default(),
            },
        ),
        attempts: Vec::new(),
        effort: None,
        groups: Some(Box::new(found)),
    }
}

/// Options that only some algorithms have.
fn check_options(
    family: Option<microdata::Family>,
    policy: &Policy,
    options: &RunOptions,
) -> Result<(), Error> {
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

/// Every numeric column that is not published as it was, before and after, over records that have them all.
///
/// Where records are left out, perturbed columns have no partner in the groups and stay out of the measures.
fn changed(plan: &Plan, original: &Table, table: &Table, found: &Found) -> Vec<Changed> {
    let mut changed = found
        .groups
        .as_ref()
        .map_or_else(Vec::new, |groups| groups.columns.clone());
    let all = |column: &Changed| column.before.len() == original.records();
    if !changed.iter().all(all) {
        return changed;
    }
    let quasi = plan.quasi_names();
    let perturbed = plan.policy.release.microdata.perturb.iter();
    let mut gaps = vec![false; original.records()];
    for name in perturbed.flat_map(|spec| &spec.columns) {
        let Some((before, after)) = original.column(name).zip(table.column(name)) else {
            continue;
        };
        let before = numbers::of(before);
        for (gap, number) in gaps.iter_mut().zip(&before) {
            *gap |= number.is_none();
        }
        let before = before.into_iter().map(Option::unwrap_or_default).collect();
        if let Some(grouped) = changed.iter_mut().find(|column| column.name == *name) {
            grouped.before = before;
        } else if !quasi.contains(name) {
            let after = numbers::of(after).into_iter();
            changed.push(Changed {
                name: name.clone(),
                before,
                after: after.map(Option::unwrap_or_default).collect(),
            });
        }
    }
    for column in &mut changed {
        for numbers in [&mut column.before, &mut column.after] {
            let mut gap = gaps.iter();
            numbers.retain(|_| !gap.next().copied().unwrap_or(false));
        }
    }
    changed
}

/// What the recipient must know about columns that show no single record's values.
fn altered(plan: &Plan, found: &Found) -> Vec<Altered> {
    let mut altered = perturb::altered(&plan.policy);
    altered.extend(coding::altered(&plan.policy));
    if let Some(groups) = &found.groups
        && !groups.columns.is_empty()
    {
        let columns = groups.columns.iter().map(|column| column.name.clone());
        altered.push(Altered {
            columns: columns.collect(),
            method: "microaggregation".into(),
            reproducible: true,
        });
    }
    altered
}

/// Finds the recoding, however long it takes.
pub(crate) fn solve(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    register: Option<&Table>,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    search(
        plan,
        table,
        summary,
        register,
        &RunOptions::default(),
        listener,
    )
}

/// The solver of an entry; one that gets better with time goes on for as long as the meter lets it.
fn solver(entry: &Entry, limited: bool) -> Box<dyn Solver> {
    match entry.name {
        "best-effort" if limited => Box::new(BestEffort {
            evaluations: u64::MAX,
            ..BestEffort::default()
        }),
        "local-recoding" if limited => Box::new(LocalRecoding {
            rounds: usize::MAX,
            ..LocalRecoding::default()
        }),
        _ => (entry.make)(),
    }
}

/// Finds the recoding within the effort and time of `options`.
fn search(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    register: Option<&Table>,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    // Promises that others imply are left to the audit.
    let judges = plan.judges()?;
    let covered = scopes::covered(plan, &judges);
    let (chosen, promises): (Vec<usize>, Vec<_>) = judges
        .into_iter()
        .enumerate()
        .filter(|(p, _)| covered[*p].is_none())
        .unzip();
    let mut setting = scopes::setting(plan, &chosen);
    setting.population = register.map(|register| population::tuples(plan, register));
    let plain = setting.population.is_none() && setting.scopes.iter().all(Option::is_none);
    let release = &plan.policy.release;
    let unknown = |what: &str| Error::Internal {
        what: format!("a {what} that the policy should have refused"),
    };
    let objective = Objective::parse(&release.metric).ok_or_else(|| unknown("metric"))?;
    let allowed = release.suppress_at_most.floor_of(table.records() as u64);
    let budget = allowed.saturating_sub(plan.incomplete.len() as u64);
    let request = Request {
        summary,
        hierarchies: &plan.hierarchies,
        promises: &promises,
        objective,
        suppress_at_most: Fraction::new(budget, summary.total().max(1)).unwrap_or(Fraction::ZERO),
        limits: Some(&plan.limits),
        setting: (!plain).then_some(&setting),
    };
    let entry = denym_tabular::entry(&release.algorithm).ok_or_else(|| unknown("algorithm"))?;
    let portfolio = entry.name == "auto";
    let meter = Meter::new(listener, options.effort, options.until_told, portfolio);
    if meter.limited() && !LIMITED.contains(&entry.name) {
        return Err(Error::Argument {
            what: format!(
                "`{}` ends by itself: it has no use for a budget",
                entry.name
            ),
            help: format!("use one of {}, or leave the budget out", LIMITED.join(", ")),
        });
    }
    let keep_going = || meter.go_on();
    let mut progress =
        |progress: denym_tabular::Progress| listener.progress(progress.done, progress.total);
    let mut context = Context {
        seed: release.seed,
        keep_going: &keep_going,
        progress: &mut progress,
    };
    let (solution, attempts) = if portfolio {
        // What is at hand when time is up has been audited, so that it can be released.
        Auto.run(&request, &mut context, &mut |_, solution| {
            // What needs more than the summary is left to the audit of the written data.
            let holds = !plain || recoded::audit(summary, &solution.recoding, &promises).holds;
            if holds {
                meter.begin();
            }
            holds
        })
    } else {
        let solver = solver(entry, meter.limited());
        (solver.solve(&request, &mut context), Vec::new())
    };
    // Somebody who stops a run wants no release; a budget that ends wants the best so far.
    proceed(listener)?;
    let mut solution = solution.map_err(|error| match error {
        denym_tabular::Error::Stopped if meter.over() => Error::OutOfTime,
        denym_tabular::Error::Stopped => Error::Stopped,
        error => Error::Solver(error),
    })?;
    if solution.recoding.unit == Unit::Record {
        solution.recoding.class_of =
            by_row(table, &plan.columns.quasi, &solution.recoding.class_of);
    }
    let best = attempts
        .iter()
        .filter(|attempt| attempt.accepted)
        .filter_map(|attempt| {
            attempt
                .outcome
                .as_ref()
                .ok()
                .map(|&score| (score, attempt.name))
        });
    let algorithm = best
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(entry.name, |(_, name)| name);
    Ok(Found {
        algorithm,
        solution,
        attempts,
        effort: meter.effort(),
        groups: None,
    })
}

/// Solvers number records by tuple, and within a tuple in the order of the table; the table numbers them by row.
fn by_row(table: &Table, quasi: &[usize], by_tuple: &[Option<ClassId>]) -> Vec<Option<ClassId>> {
    let columns: Vec<&[Code]> = quasi
        .iter()
        .map(|&position| table.columns()[position].codes.as_slice())
        .collect();
    let mut rows: Vec<usize> = (0..by_tuple.len()).collect();
    rows.sort_by(|&a, &b| {
        columns
            .iter()
            .map(|codes| codes[a].cmp(&codes[b]))
            .find(|order| order.is_ne())
            .unwrap_or(a.cmp(&b))
    });
    let mut by_row = vec![None; by_tuple.len()];
    for (row, class) in rows.into_iter().zip(by_tuple) {
        by_row[row] = *class;
    }
    by_row
}

/// Regroups the written data and judges every promise on it.
///
/// What is judged with guarding nodes needs them beside: such promises are judged on the same table with that column left in.
fn audit(
    plan: &Plan,
    written: &Table,
    guarded: Option<&Table>,
    population: Option<&Table>,
) -> Result<(Classes, Vec<Claim>), Error> {
    let quasi = plan.quasi_names();
    let subject = plan.policy.with_role(Role::Subject).next();
    let of = |guarding: bool| -> Vec<usize> {
        (0..plan.promises.len())
            .filter(|&p| plan.promises[p].guards().is_some() == guarding)
            .collect()
    };
    let mut claims: Vec<Option<Claim>> = vec![None; plan.promises.len()];
    let mut measure = |table: &Table, chosen: &[usize]| -> Result<Classes, Error> {
        let promises: Vec<PromiseSpec> = chosen.iter().map(|&p| plan.promises[p].clone()).collect();
        let scopes: Vec<_> = chosen.iter().map(|&p| plan.scopes[p].clone()).collect();
        let evidence = Evidence {
            table,
            knows: plan.policy.adversary,
            quasi: &quasi,
            sensitive: &plan.sensitive,
            subject: subject.map(|spec| spec.name.as_str()),
            promises: &promises,
            scopes: &scopes,
            population,
        };
        let (classes, measured) = evidence.measure()?;
        for (&p, claim) in chosen.iter().zip(evidence.claims(&measured)) {
            claims[p] = Some(claim);
        }
        Ok(classes)
    };
    let classes = measure(written, &of(false))?;
    if let Some(guarded) = guarded {
        measure(guarded, &of(true))?;
    }
    Ok((classes, claims.into_iter().flatten().collect()))
}

/// Subjects aside, the smallest group when a missing value may stand for any, if the policy reads it so.
fn wildcard_k(plan: &Plan, written: &Table) -> Option<u64> {
    let wild = |spec: &AttributeSpec| spec.missing == Missing::Wildcard;
    if !plan.policy.with_role(Role::QuasiIdentifier).any(wild) {
        return None;
    }
    let columns: Vec<usize> = plan
        .quasi_names()
        .iter()
        .filter_map(|name| written.position(name))
        .collect();
    denym_measure::risk::wildcard_sizes(written, &columns)
        .into_iter()
        .min()
}

fn account(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    written: &Table,
    found: &Found,
    classes: &Classes,
    claims: Vec<Claim>,
) -> Result<Account, Error> {
    let (names, solution) = (plan.quasi_names(), &found.solution);
    let records = table.records() as u64;
    let mut warnings = plan.warnings.clone();
    let (metric, attempts, figures) = if let Some(groups) = &found.groups {
        warnings.extend(groups.warnings.iter().cloned());
        let figures = super::Microdata {
            classes: classes.len() as u64,
            ..groups.figures.clone()
        };
        let name = "information-loss".to_owned();
        (name, groups.attempts.clone(), Figures::Microdata(figures))
    } else {
        let figures = Figures::Table {
            classes: classes.len() as u64,
            levels: solution
                .recoding
                .levels
                .as_ref()
                .map(|levels| names.iter().cloned().zip(levels.iter().copied()).collect()),
            attribute_loss: names
                .into_iter()
                .zip(solution.statistics.attribute_loss.iter().copied())
                .collect(),
            wildcard_k: wildcard_k(plan, written),
            metrics: Released {
                plan,
                summary,
                recoding: Some(&solution.recoding),
                table: written,
                total: records,
            }
            .measure()?,
            bound: solution.bound,
            effort: found.effort,
        };
        let name = plan.policy.release.metric.clone();
        (name, attempts(found), figures)
    };
    Ok(Account {
        algorithm: found.algorithm.to_owned(),
        attempts,
        records,
        suppressed_records: records - written.records() as u64,
        metric: (metric, solution.score),
        figures,
        measures: None,
        claims,
        warnings,
        refusal: None,
        attacks: Vec::new(),
    })
}

/// How each solver of the portfolio fared, in words.
fn attempts(found: &Found) -> Vec<Tried> {
    found
        .attempts
        .iter()
        .map(|attempt| Tried {
            algorithm: attempt.name.to_owned(),
            score: attempt.outcome.as_ref().ok().copied(),
            outcome: match &attempt.outcome {
                Ok(_) if attempt.name == found.algorithm => "chosen".to_owned(),
                Ok(_) => "found more loss".to_owned(),
                Err(error) => error.to_string(),
            },
            chosen: attempt.name == found.algorithm,
        })
        .collect()
}
