//! What a run tells people: the steward's report, the recipient's README, the plan as a document.

mod numbers;
pub(crate) mod sequences;

use std::fmt::Write as _;

use denym_data::{Column, Kind, Role, Table};
use denym_measure::risk::{ClassRisk, class_risk};
use denym_measure::{Classes, Roles, Sense, what_if};
use denym_report::{
    Attempt, ClassSize, Count, Distribution, Fact, Headline, Loss, Outcome, Provenance, Report,
    Risk, risk_bars,
};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::account::{Account, Tried};
use crate::certificate::{Certificate, Check, Claim, share};
use crate::figures::Figures;
use crate::kinds::microdata::Measures;
use crate::plan::Plan;
use crate::policy::Policy;

/// The steward's report on a release: the data before and after, its classes before and after, how far numbers moved.
pub(crate) fn report(
    plan: &Plan,
    (source, written): (&Table, &Table),
    (before, after): (&Classes, &Classes),
    measures: Option<&Measures>,
    account: &Account,
) -> Report {
    let unit = if plan.columns.subject.is_some() {
        "people"
    } else {
        "records"
    };
    let released = account.records - account.suppressed_records;
    let smallest = after.subjects().iter().copied().min().unwrap_or(0);
    let figures = &account.figures;
    let classes = figures.count("classes");
    let how = if figures.get("groups").is_some() {
        numbers::how(plan, account)
    } else {
        how(plan, figures)
    };
    Report {
        title: format!("Release of {}", plan.policy.data_name()),
        data_name: plan.policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: unit.to_owned(),
        summary: vec![format!(
            "{} of {} records are published in {} classes; the smallest has {smallest} {unit}. {} records ({}) were removed.",
            denym_report::count(released),
            denym_report::count(account.records),
            denym_report::count(classes),
            denym_report::count(account.suppressed_records),
            denym_report::percent(share(account.suppressed_records, account.records)),
        )],
        facts: vec![
            fact(
                "Records published",
                denym_report::count(released),
                format!("of {}", denym_report::count(account.records)),
            ),
            fact(
                "Smallest class",
                denym_report::count(smallest),
                unit.to_owned(),
            ),
            fact("Classes", denym_report::count(classes), String::new()),
            fact(
                "Loss",
                denym_report::decimal(account.metric.1),
                format!("by the metric `{}`; smaller is better", account.metric.0),
            ),
        ],
        claims: account.claims.iter().map(|one| claim(one, unit)).collect(),
        risk: Some(risk(before, after)),
        class_sizes: class_sizes(after),
        losses: figures
            .named("attribute_loss")
            .into_iter()
            .zip(&how)
            .map(|((attribute, loss), how)| Loss {
                attribute,
                loss,
                how: how.clone(),
            })
            .collect(),
        attempts: attempts(account),
        distributions: distributions(plan, source, written, &how),
        attacks: numbers::attacks(measures),
        notes: what_if_notes(plan, written)
            .into_iter()
            .chain(numbers::notes(plan, figures, measures))
            .chain(account.program.map(|program| program.sentence()))
            .collect(),
        warnings: account.warnings.clone(),
        provenance: {
            let mut found = provenance(&plan.policy, account, plan.steps());
            if figures.get("metrics").is_some() {
                let metrics = figures.named("metrics").into_iter();
                let text = |(name, value)| (name, denym_report::decimal(value));
                found.facts.extend(metrics.map(text));
            }
            if let Some((unit, effort)) = figures.unit("effort") {
                let fact = (format!("effort, in {unit}"), effort.to_string());
                found.facts.push(fact);
            }
            found
        },
        ..Report::default()
    }
}

/// What was tried, and how it fared.
fn attempts(account: &Account) -> Vec<Attempt> {
    let attempt = |tried: &Tried| Attempt {
        solver: tried.algorithm.clone(),
        outcome: tried.outcome.clone(),
        score: tried.score.map(denym_report::decimal).unwrap_or_default(),
        chosen: tried.chosen,
        ..Attempt::default()
    };
    account.attempts.iter().map(attempt).collect()
}

/// Where a release comes from: the policy, what was done, by which algorithm and seed.
fn provenance(policy: &Policy, account: &Account, steps: Vec<String>) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        policy: policy
            .file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        steps,
        facts: vec![
            ("algorithm".to_owned(), account.algorithm.clone()),
            (
                "seed of the search".to_owned(),
                policy.release.seed.to_string(),
            ),
        ],
    }
}

/// What would be left of the crowd if the adversary also knew a column that the policy thinks nobody knows.
fn what_if_notes(plan: &Plan, written: &Table) -> Vec<String> {
    let position = |name: &str| written.position(name);
    let roles = Roles {
        quasi: plan
            .quasi_names()
            .iter()
            .filter_map(|name| position(name))
            .collect(),
        sensitive: Vec::new(),
        subject: plan
            .policy
            .with_role(Role::Subject)
            .next()
            .and_then(|spec| position(&spec.name)),
    };
    what_if(written, &roles, &[], false)
        .into_iter()
        .map(|found| {
            let names: Vec<&str> = found
                .added
                .iter()
                .map(|&column| written.columns()[column].name.as_str())
                .collect();
            format!(
                "If somebody also knew a person's {}, the smallest crowd to hide in would be {}.",
                names.join(" and "),
                found.k
            )
        })
        .collect()
}

fn fact(name: &str, value: String, note: String) -> Fact {
    Fact {
        name: name.to_owned(),
        value,
        note,
    }
}

/// A claim with the direction and the sentence of its promise; `unit` is what is counted, in the plural.
pub(crate) fn claim(claim: &Claim, unit: &str) -> denym_report::Claim {
    let entry = claim.terms.entry();
    let bound = denym_report::decimal(claim.asked);
    let asked = match entry.sense {
        Sense::AtLeast => format!("at least {bound}"),
        Sense::AtMost => format!("at most {bound}"),
    };
    let secret = claim.attribute.as_deref().map_or_else(
        || "the sensitive value".to_owned(),
        |name| format!("\u{201c}{name}\u{201d}"),
    );
    let explanation = entry.say(&asked, unit, &secret);
    denym_report::Claim {
        // What a certificate calls by one name is told apart where its kinds bound different things.
        promise: match claim.terms.number("l") {
            Some(_) => entry.name.to_owned(),
            None => claim.terms.name().to_owned(),
        },
        attribute: claim.attribute.clone(),
        asked,
        measured: denym_report::decimal(claim.measured),
        holds: claim.holds,
        recheckable: claim.check == Check::Recheckable,
        explanation,
    }
}

/// What was done to each quasi-identifier, in words.
fn how(plan: &Plan, figures: &Figures) -> Vec<String> {
    let Some(levels) = figures.get("levels").and_then(Value::as_object) else {
        return vec![String::new(); plan.hierarchies.len()];
    };
    let levels = levels.values().filter_map(Value::as_u64);
    levels
        .zip(&plan.hierarchies)
        .map(|(level, hierarchy)| {
            let top = hierarchy.height() - 1;
            match level as usize {
                0 => "kept as it is".to_owned(),
                level if hierarchy.levels()[level].labels.len() == 1 => "suppressed".to_owned(),
                level => format!("generalized to level {level} of {top}"),
            }
        })
        .collect()
}

fn risk(before: &Classes, after: &Classes) -> Risk {
    let (was, is) = (class_risk(before, None), class_risk(after, None));
    let headline = |name: &str, explanation: &str, of: fn(&ClassRisk) -> f64| Headline {
        name: name.to_owned(),
        explanation: explanation.to_owned(),
        before: Some(of(&was)),
        after: Some(of(&is)),
    };
    Risk {
        headlines: vec![
            headline(
                "Highest risk of one record",
                "Somebody who knows that a certain person is in the data, and all of that person's quasi-identifiers, picks the right record with this chance.",
                |risk| risk.prosecutor_highest,
            ),
            headline(
                "Average risk",
                "Somebody who links as many people as possible gets this share of them right.",
                |risk| risk.marketer,
            ),
            headline(
                "Unique records",
                "This share of the records stands alone: nobody else looks the same.",
                |risk| risk.sample_uniqueness,
            ),
        ],
        bands: risk_bars(&class_sizes(before), &class_sizes(after)),
    }
}

/// How many classes have each size, smallest first.
fn class_sizes(classes: &Classes) -> Vec<ClassSize> {
    denym_report::class_sizes(
        classes
            .subjects()
            .iter()
            .copied()
            .zip(classes.records().iter().copied()),
    )
}

/// The values of every published attribute before and after.
fn distributions(
    plan: &Plan,
    source: &Table,
    written: &Table,
    how: &[String],
) -> Vec<Distribution> {
    let mut generalized = plan.quasi_names().into_iter().zip(how);
    let shown = plan.policy.attributes.iter();
    let shown: Vec<_> = shown
        .filter(|spec| !matches!(spec.role, Role::Identifier | Role::Subject))
        .filter_map(|spec| {
            let (before, after) = (source.column(&spec.name)?, written.column(&spec.name)?);
            let how = if spec.role == Role::QuasiIdentifier {
                generalized
                    .next()
                    .map(|(_, how)| how.clone())
                    .unwrap_or_default()
            } else {
                "published as it is".to_owned()
            };
            Some((spec, before, after, how))
        })
        .collect();
    shown
        .into_par_iter()
        .map(|(spec, before, after, how)| {
            let (was, is) = rayon::join(|| counts(before), || counts(after));
            Distribution {
                attribute: spec.name.clone(),
                role: spec.role.name().to_owned(),
                how,
                ordered: before.dictionary.kind() != Kind::Text,
                before: was,
                after: is,
            }
        })
        .collect()
}

fn counts(column: &Column) -> Vec<Count> {
    let mut counts = vec![0_u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    (0..)
        .zip(counts)
        .map(|(code, count)| Count {
            label: column.dictionary.text(code).map(str::to_owned),
            count,
        })
        .collect()
}

/// A short text for whoever receives the public half.
pub(crate) fn readme(certificate: &Certificate) -> String {
    let mut text = format!(
        "# What this is\n\n`{}` is an anonymized data set: {} records about people, changed so that nobody in it can be found \
         under the assumptions below. It was made and checked by denym {}.\n\n# What is promised\n\n",
        certificate.data.file, certificate.data.records, certificate.denym
    );
    text.push_str("An adversary is assumed to know of a person: ");
    text.push_str(
        &certificate
            .quasi_identifiers
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    text.push_str(".\n\n");
    if let Some(groups) = &certificate.groups {
        let place = groups.sensitive.as_ref().map_or_else(
            || "in the same file, in no order".to_owned(),
            |second| format!("in `{}`", second.file),
        );
        let _ = writeln!(
            text,
            "Those are published as they are. The values of `{}` are {place}; the column `{}` says to which group of records they \
             belong, and nothing says to which record.\n",
            groups.attribute, groups.column
        );
    }
    for known in &certificate.known_together {
        let many = known
            .records
            .map_or_else(|| "all".to_owned(), |many| format!("any {many}"));
        let _ = writeln!(
            text,
            "Where a person has several records, {many} of them are taken to be known, as `{}` ties them together: what is promised holds for people \
             in the same combination of classes too. The publisher vouches for that.\n",
            known.column
        );
    }
    let unit = if certificate.subject.is_some() {
        "people"
    } else {
        "records"
    };
    for certified in &certificate.claims {
        let sentence = claim(certified, unit).explanation;
        let check = match certified.check {
            Check::Recheckable => "you can check it",
            Check::Attested => "the publisher vouches for it",
        };
        let _ = writeln!(text, "- {sentence} ({check})");
    }
    text.push_str(&program(certificate));
    text.push_str(&numbers::readme(certificate));
    if certificate.suppressed_records > 0 {
        let _ = writeln!(
            text,
            "\n{} records were removed.",
            certificate.suppressed_records
        );
    }
    text.push_str(&how_to_check(certificate));
    text
}

/// What the columns are, and how a recipient checks a release; the end of every README.
pub(crate) fn how_to_check(certificate: &Certificate) -> String {
    let mut text = String::from("\n# What the columns are\n\n");
    for file in certificate.files() {
        for column in &file.columns {
            let judged = if certificate.is_judged(column) {
                ""
            } else {
                "; no promise looks at it"
            };
            let _ = writeln!(
                text,
                "- `{}` of `{}`: {}{judged}",
                column.name,
                file.file,
                column.role.name()
            );
        }
    }
    text.push_str(
        "\n# How to check it\n\n    denym verify .\n\nmeasures again what this directory alone can show, says what rests on the \
         publisher's word, and tells whether a byte of the data was changed. Nothing here is signed: whoever handed it to you could \
         have rewritten it, so compare the `sha256` in `certificate.json` with one that you have from the publisher by another way. \
         Please do not try to find out who the people are.\n",
    );
    text
}

/// What the recipient is told about adversaries who know the program.
pub(crate) fn program(certificate: &Certificate) -> String {
    let sentence = certificate.program.map(|program| program.sentence());
    sentence.map_or_else(String::new, |sentence| format!("\n{sentence}\n"))
}

/// The plan and what came of it, for the steward: what every run has to tell and the figures of this one, by these keys.
///
/// Of `maybe` only what there is.
pub(crate) fn plan_document(
    policy: &Policy,
    account: &Account,
    steps: &[String],
    keys: &[&str],
    maybe: &[&str],
) -> Value {
    let figure = |key: &str| account.figures.get(key);
    let value = |key: &str| match key {
        "denym" => json!(env!("CARGO_PKG_VERSION")),
        "algorithm" => json!(account.algorithm),
        "seed" => json!(policy.release.seed),
        "steps" => json!(steps),
        "metric" => json!({"name": account.metric.0, "value": account.metric.1}),
        "records" => json!(account.records),
        "suppressed_records" => json!(account.suppressed_records),
        "program" => json!(account.program),
        "warnings" => json!(account.warnings),
        other => figure(other).cloned().unwrap_or_default(),
    };
    let there = maybe.iter().filter(|key| figure(key).is_some());
    let all = keys.iter().chain(there);
    all.map(|&key| (key.to_owned(), value(key)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
