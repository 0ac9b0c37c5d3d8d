//! What a run tells of itself: figures of the release, what was tried, what the recipient must know.

use denym_data::{Role, Summary, Table, numbers};
use denym_measure::Classes;
use denym_microdata::tables::{ChangedColumn, GroupAttempt};
use denym_tabular::{Outcome, SpecialOutput};
use serde_json::json;

use super::search::Found;
use crate::account::{Account, Tried};
use crate::certificate::{Altered, Claim};
use crate::figures::{Figures, by_name, counted, number};
use crate::kinds::microdata::{self, GroupFigures, Measures};
use crate::plan::Plan;
use crate::policy::{AttributeSpec, Missing};
use crate::utility::not_of_this_policy;
use crate::{Error, coding, perturb};

/// Every numeric column that is not published as it was, before and after, over records that have them all.
///
/// Where records are left out, perturbed columns have no partner in the groups and stay out of the measures.
pub(super) fn changed(
    plan: &Plan,
    original: &Table,
    table: &Table,
    found: &Found,
) -> Vec<ChangedColumn> {
    let mut changed = found
        .groups
        .as_ref()
        .map_or_else(Vec::new, |groups| groups.changed.clone());
    let all = |column: &ChangedColumn| column.before.len() == original.records();
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
            changed.push(ChangedColumn {
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
pub(super) fn altered(plan: &Plan, found: &Found, seeded: bool) -> Vec<Altered> {
    let mut altered = perturb::altered(&plan.policy, seeded);
    altered.extend(coding::altered(&plan.policy));
    if let Some(groups) = &found.groups
        && !groups.changed.is_empty()
    {
        let columns = groups.changed.iter().map(|column| column.name.clone());
        altered.push(Altered {
            columns: columns.collect(),
            method: "microaggregation".into(),
            reproducible: true,
            true_of_records: false,
        });
    }
    if plan.surplus > 0 {
        let subject = plan.policy.with_role(Role::Subject);
        altered.push(Altered {
            columns: subject.map(|spec| spec.name.clone()).collect(),
            method: "one record of each person, drawn".into(),
            reproducible: false,
            true_of_records: true,
        });
    }
    let sensitive = plan.sensitive.first().map(|a| a.name.clone());
    let special = match &found.special {
        Some(SpecialOutput::Replaced {
            method,
            reproducible,
            ..
        }) => Some((*method, *reproducible)),
        Some(SpecialOutput::Grouped { apart: false, .. }) => {
            Some(("permutation within groups", false))
        }
        Some(SpecialOutput::Grouped { apart: true, .. }) => Some(("dealing into groups", false)),
        None => None,
    };
    if let Some((method, reproducible)) = special {
        altered.push(Altered {
            columns: sensitive.into_iter().collect(),
            method: method.to_owned(),
            reproducible,
            true_of_records: false,
        });
    }
    altered
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

pub(super) fn account(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    written: &Table,
    found: &Found,
    classes: &Classes,
    claims: Vec<Claim>,
) -> Result<Account, Error> {
    let solution = &found.solution;
    let records = table.records() as u64;
    let suppressed_records = records - written.records() as u64;
    let mut warnings = plan.warnings.clone();
    warnings.extend(found.warnings.iter().cloned());
    let published = |many: u64, what: &str| {
        let shown = written.records();
        let many = counted(many, what);
        format!("{shown} of {records} records in {many} ({suppressed_records} suppressed)")
    };
    let classes_written = classes.len() as u64;
    let (metric, attempts, figures) = if let Some(groups) = &found.groups {
        warnings.extend(groups.warnings.iter().cloned());
        let all = Figures::default()
            .with("classes", classes_written)
            .with("groups", groups.figures.groups)
            .said("published", published(groups.figures.groups, "group"));
        let figures = of_groups(all, &groups.figures, found.algorithm);
        let tried = groups.attempts.iter().map(|attempt: &GroupAttempt| Tried {
            algorithm: attempt.algorithm.to_owned(),
            score: attempt.score,
            outcome: attempt.outcome.clone(),
            chosen: attempt.chosen,
        });
        let name = "information-loss".to_owned();
        (name, tried.collect(), figures)
    } else {
        // Groups beside quasi-identifiers as they are lose nothing that these measure.
        let metrics = if matches!(found.special, Some(SpecialOutput::Grouped { .. })) {
            Vec::new()
        } else {
            let recoding = Some(&solution.recoding);
            let view = plan.released(summary, recoding, written, records, Some(classes));
            let metrics = view.measure();
            metrics.map_err(|error| not_of_this_policy(&error))?
        };
        let all = Figures::default()
            .with("metrics", by_name(&metrics))
            .maybe("wildcard_k", wildcard_k(plan, written))
            .with("classes", classes_written)
            .said("published", published(classes_written, "class"));
        let figures = of_recoding(all, plan, found);
        let name = plan.policy.release.metric.name().to_owned();
        (name, attempts(found), figures)
    };
    Ok(Account {
        algorithm: found.algorithm.to_owned(),
        attempts,
        suppressed_records,
        metric: (metric, solution.score),
        claims,
        warnings,
        ..Account::of(&plan.policy, records, figures)
    })
}

/// What a recoding of tuples adds to the figures.
fn of_recoding(all: Figures, plan: &Plan, found: &Found) -> Figures {
    let (names, solution) = (plan.quasi_names(), &found.solution);
    let named = |values: &[usize]| -> Vec<(String, usize)> {
        names.iter().cloned().zip(values.iter().copied()).collect()
    };
    let losses = solution.statistics.attribute_loss.iter().copied();
    let losses: Vec<(String, f64)> = names.iter().cloned().zip(losses).collect();
    let (metric, score) = (plan.policy.release.metric.name(), solution.score);
    let levels = solution.recoding.levels.as_deref().map(named);
    let mut all = all
        .with("attribute_loss", by_name(&losses))
        .metric(metric, score, found.algorithm)
        .maybe("bound", solution.bound);
    if let Some(bound) = solution.bound.filter(|bound| *bound < score) {
        let bound = number(bound);
        let words = format!("no release of this kind has a {metric} below {bound}");
        all = all.said("bound", words);
    }
    all = repeats(all, found.effort, "steps");
    let Some(levels) = levels else { return all };
    let words: Vec<String> = levels
        .iter()
        .map(|(name, at)| format!("{name}={at}"))
        .collect();
    all.with("levels", by_name(&levels))
        .said("levels", words.join(" "))
}

/// How much a search that was limited has done.
fn repeats(all: Figures, effort: Option<u64>, unit: &'static str) -> Figures {
    let Some(effort) = effort else { return all };
    let words = format!("{effort} {unit}; `--effort {effort}` repeats this run");
    all.with("effort", effort)
        .in_unit(unit)
        .said("effort", words)
}

/// What groups of records add to the figures.
fn of_groups(all: Figures, found: &GroupFigures, algorithm: &str) -> Figures {
    let percent = found.information_loss_percent;
    let lost = format!(
        "{} % of the information with `{algorithm}`",
        number(percent)
    );
    let all = all
        .with("information_loss_percent", percent)
        .said("lost", lost)
        .with("attribute_loss", by_name(&found.attribute_loss))
        .maybe("information_loss", found.information_loss);
    let all =
        repeats(all, found.effort, "rounds").and("waiting", found.waiting, "waiting", |many| {
            format!("{many} records, until they have company in a later release")
        });
    let Some(unconcerned) = found.unconcerned else {
        return all;
    };
    let (records, others) = (unconcerned.records, unconcerned.smallest_group);
    let value = json!({ "records": records, "smallest_group_of_others": others });
    let words = format!(
        "{records} records of people who do not mind; every group has {others} others or more"
    );
    all.with("unconcerned", value).said("unconcerned", words)
}

/// What the measures of changed numbers add to the figures.
pub(super) fn measured(all: Figures, measures: &Measures, grouped: bool) -> Figures {
    let all = all.with("measures", microdata::measures_document(measures));
    match measures.distance_linkage.filter(|_| grouped) {
        Some(linkage) => {
            let percent = number(100.0 * linkage);
            let words = format!("{percent} % of the records, by the nearest published one");
            all.said("linked", words)
        }
        None => all,
    }
}

/// How each solver of the portfolio fared, in words.
fn attempts(found: &Found) -> Vec<Tried> {
    found
        .attempts
        .iter()
        .map(|attempt| Tried {
            algorithm: attempt.name.to_owned(),
            score: match &attempt.outcome {
                Outcome::Found(score) | Outcome::Refused(score) => Some(*score),
                _ => None,
            },
            outcome: match &attempt.outcome {
                Outcome::Found(_) if attempt.name == found.algorithm => "chosen".to_owned(),
                Outcome::Found(_) => "found a release that loses more".to_owned(),
                Outcome::Refused(_) => "the audit did not confirm it".to_owned(),
                Outcome::Failed(error) => error.to_string(),
                Outcome::Skipped(reason) => format!("not tried: {reason}"),
            },
            chosen: attempt.name == found.algorithm,
        })
        .collect()
}
