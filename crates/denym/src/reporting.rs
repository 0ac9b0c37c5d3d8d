//! What a run tells people: the steward's report, the recipient's README, the plan as a document.

pub(crate) mod codebook;
pub(crate) mod external;
pub(crate) mod history;
mod numbers;
pub(crate) mod sequences;
mod statistics;

use std::collections::HashSet;
use std::fmt::Write as _;

use denym_data::{Column, Hierarchy, Kind, NumberRange, Role, Table};
use denym_measure::catalogue::{METRICS, PromiseEntry};
use denym_measure::risk::{ClassRisk, class_risk};
use denym_measure::{Classes, Roles, Sense, what_if};
use denym_report::{
    About, Attempt, ClassSize, Count, Distribution, Fact, Headline, Language, Loss, Measure,
    Outcome, Provenance, Report, Risk, SignOff, risk_bars,
};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::account::{Account, Tried};
use crate::certificate::{Certificate, Check, Claim, ColumnRole, share};
use crate::figures::Figures;
use crate::kinds::microdata::Measures;
use crate::plan::Plan;
use crate::program::Program;
use denym_release::certificate::Found;
pub(crate) use statistics::sample;

use crate::pipeline::Run;
use crate::policy::Policy;
use crate::source::SourceFile;

/// The steward's report on a release: the data before and after, its classes before and after, how far numbers moved.
pub(crate) fn report(
    plan: &Plan,
    (source, written): (&Table, &Table),
    (before, after): (&Classes, &Classes),
    measures: Option<&Measures>,
    account: &Account,
    language: Language,
) -> Report {
    let unit = &unit(plan.columns.subject.is_some(), language);
    let released = account.records - account.suppressed_records;
    let smallest = after.subjects().iter().copied().min().unwrap_or(0);
    let figures = &account.figures;
    let classes = figures.count("classes");
    let grouped = figures.get("groups").is_some();
    let how = if grouped {
        numbers::how(plan, account, language)
    } else {
        how(plan, figures, written, language)
    };
    let count = denym_report::count;
    let (shown, all, many) = (count(released), count(account.records), count(classes));
    let (fewest, removed) = (count(smallest), count(account.suppressed_records));
    let removed_share = denym_report::percent(share(account.suppressed_records, account.records));
    let values = [
        ("shown", shown.as_str()),
        ("all", &all),
        ("classes", &many),
        ("smallest", &fewest),
        ("unit", unit),
        ("removed", &removed),
        ("share", &removed_share),
    ];
    Report {
        language,
        about: if grouped {
            About::Numbers
        } else {
            About::Records
        },
        title: title(&plan.policy, language),
        data_name: plan.policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: unit.clone(),
        summary: vec![language.say("table.summary", &values)],
        facts: vec![
            fact(
                language.say("table.published", &[]),
                shown.clone(),
                language.say("word.of", &[("all", &all)]),
            ),
            fact(
                language.say("table.smallest", &[]),
                fewest.clone(),
                unit.clone(),
            ),
            fact(
                language.say("table.classes", &[]),
                many.clone(),
                String::new(),
            ),
            loss_fact(account, language),
        ],
        claims: account
            .claims
            .iter()
            .map(|one| claim(one, unit, language))
            .collect(),
        risk: Some(risk(before, after, language)),
        statistics: statistics::statistics(&plan.policy, source, written),
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
        distributions: distributions(plan, source, written, &how, language),
        measures: measures_in_words(figures, language),
        attacks: numbers::attacks(measures, language),
        notes: what_if_notes(plan, written, language)
            .into_iter()
            .chain(numbers::notes(plan, figures, measures, language))
            .chain(
                account
                    .program
                    .map(|program| about_program(program, language)),
            )
            .collect(),
        warnings: account.warnings.clone(),
        provenance: {
            let mut found = provenance(&plan.policy, account, plan.steps(), language);
            if let Some((unit, effort)) = figures.unit("effort") {
                let effort = denym_report::count(effort);
                let fact = (
                    language.say("origin.effort", &[]),
                    format!("{effort} {unit}"),
                );
                found.facts.push(fact);
            }
            found
        },
        ..Report::default()
    }
}

/// What is counted, in the plural.
fn unit(subjects: bool, language: Language) -> String {
    if subjects {
        language.say("word.people", &[])
    } else {
        language.say("word.records", &[])
    }
}

/// The part that a column plays, in words.
pub(crate) fn role(role: ColumnRole, language: Language) -> String {
    match role {
        ColumnRole::QuasiIdentifier => language.say("role.quasi", &[]),
        ColumnRole::Sensitive => language.say("role.sensitive", &[]),
        ColumnRole::Insensitive => language.say("role.insensitive", &[]),
        ColumnRole::SubjectNumber => language.say("role.subject-number", &[]),
        ColumnRole::Pseudonym => language.say("role.pseudonym", &[]),
        ColumnRole::Group => language.say("role.group", &[]),
        ColumnRole::Count => language.say("role.count", &[]),
        ColumnRole::Path => language.say("role.path", &[]),
        ColumnRole::Place => language.say("role.place", &[]),
        ColumnRole::Time => language.say("role.time", &[]),
        ColumnRole::Item => language.say("role.item", &[]),
        ColumnRole::Institution => language.say("role.institution", &[]),
    }
}

/// The heading of a report.
pub(crate) fn title(policy: &Policy, language: Language) -> String {
    language.say("page.release-of", &[("name", &policy.data_name())])
}

/// What was lost, as a share of all there was where the metric is one.
fn loss_fact(account: &Account, language: Language) -> Fact {
    let (name, value) = (&account.metric.0, account.metric.1);
    fact(
        language.say("table.loss", &[]),
        in_unit(name, value),
        language.say("table.loss.note", &[("metric", name)]),
    )
}

/// The value of a metric in the one unit that a report has for losses: percent, where it is a share.
fn in_unit(metric: &str, value: f64) -> String {
    let entry = METRICS.iter().find(|entry| entry.name == metric);
    match metric {
        // It is a percentage already.
        "information-loss" => denym_report::percent(value / 100.0),
        "distortion" | "lost-itemsets" | "withheld" => denym_report::percent(value),
        _ if entry.is_some_and(|entry| entry.range.starts_with("0 to 1,")) => {
            denym_report::percent(value)
        }
        _ => denym_report::decimal(value),
    }
}

/// Every metric that was measured, in words.
fn measures_in_words(figures: &Figures, language: Language) -> Vec<Measure> {
    if figures.get("metrics").is_none() {
        return Vec::new();
    }
    let measure = |(name, value): (String, f64)| {
        let (meaning, range) = (format!("metric.{name}"), format!("metric.{name}.range"));
        Measure {
            meaning: language.say(&meaning, &[]),
            range: language.say(&range, &[]),
            value: in_unit(&name, value),
            name,
        }
    };
    figures.named("metrics").into_iter().map(measure).collect()
}

/// What was tried, and how it fared.
fn attempts(account: &Account) -> Vec<Attempt> {
    let attempt = |tried: &Tried| Attempt {
        solver: tried.algorithm.clone(),
        outcome: tried.outcome.clone(),
        score: tried
            .score
            .map(|score| in_unit(&account.metric.0, score))
            .unwrap_or_default(),
        chosen: tried.chosen,
        ..Attempt::default()
    };
    account.attempts.iter().map(attempt).collect()
}

/// Where a release comes from: the policy, what was done, by which algorithm and seed.
fn provenance(
    policy: &Policy,
    account: &Account,
    steps: Vec<String>,
    language: Language,
) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        policy: policy
            .file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        steps,
        facts: vec![
            (
                language.say("origin.algorithm", &[]),
                account.algorithm.clone(),
            ),
            (
                language.say("origin.seed", &[]),
                policy.release.seed.to_string(),
            ),
        ],
    }
}

/// What would be left of the crowd if the adversary also knew a column that the policy thinks nobody knows.
fn what_if_notes(plan: &Plan, written: &Table, language: Language) -> Vec<String> {
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
            {
                let (columns, k) = (names.join(", "), found.k.to_string());
                language.say("notes.what-if", &[("columns", &columns), ("k", &k)])
            }
        })
        .collect()
}

fn fact(name: String, value: String, note: String) -> Fact {
    Fact { name, value, note }
}

/// A claim with the direction and the sentence of its promise; `unit` is what is counted, in the plural.
pub(crate) fn claim(claim: &Claim, unit: &str, language: Language) -> denym_report::Claim {
    let entry = claim.terms.entry();
    let bound = denym_report::decimal(claim.asked);
    let asked = match entry.sense {
        Sense::AtLeast => language.say("claims.at-least", &[("bound", &bound)]),
        Sense::AtMost => language.say("claims.at-most", &[("bound", &bound)]),
    };
    let secret = claim.attribute.as_deref().map_or_else(
        || language.say("claims.secret", &[]),
        |name| language.say("claims.quoted", &[("name", name)]),
    );
    let explanation = promised(entry, &asked, unit, &secret, language);
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

/// What a promise says, in words.
fn promised(
    entry: &PromiseEntry,
    asked: &str,
    unit: &str,
    secret: &str,
    language: Language,
) -> String {
    let key = format!("promise.{}", entry.name);
    let values = [("asked", asked), ("unit", unit), ("secret", secret)];
    language.say(&key, &values)
}

/// What was done to each quasi-identifier, in words.
fn how(plan: &Plan, figures: &Figures, written: &Table, language: Language) -> Vec<String> {
    let Some(levels) = figures.get("levels").and_then(Value::as_object) else {
        let names = plan.quasi_names();
        let names = names.iter().zip(&plan.hierarchies);
        return names
            .map(|(name, hierarchy)| {
                let column = written.column(name);
                column.map_or_else(String::new, |column| mixed(column, hierarchy, language))
            })
            .collect();
    };
    let levels = levels.values().filter_map(Value::as_u64);
    levels
        .zip(&plan.hierarchies)
        .map(|(level, hierarchy)| {
            let top = hierarchy.height() - 1;
            match level as usize {
                0 => language.say("how.kept", &[]),
                level if hierarchy.levels()[level].labels.len() == 1 => {
                    language.say("how.hidden", &[])
                }
                level => {
                    let (level, top) = (level.to_string(), top.to_string());
                    language.say("how.level", &[("level", &level), ("top", &top)])
                }
            }
        })
        .collect()
}

/// What was done to a column of which records show more or less: the share of the records that show each.
fn mixed(column: &Column, hierarchy: &Hierarchy, language: Language) -> String {
    let plain: HashSet<&str> = hierarchy
        .levels()
        .first()
        .map_or_else(HashSet::new, |level| {
            level.labels.iter().filter_map(Option::as_deref).collect()
        });
    let kind = |code: u32| match column.dictionary.text(code) {
        Some("*") => 2_usize,
        Some(label) if !plain.contains(label) || NumberRange::parse(label).is_some() => 1,
        _ => 0,
    };
    let kinds: Vec<usize> = (0..column.dictionary.len() as u32).map(kind).collect();
    let mut counts = [0_u64; 3];
    for &code in &column.codes {
        counts[kinds[code as usize]] += 1;
    }
    let all = column.codes.len() as u64;
    let part = |at: usize| denym_report::percent(share(counts[at], all));
    let (kept, coarser, hidden) = (part(0), part(1), part(2));
    match counts {
        [_, 0, 0] => language.say("how.kept", &[]),
        [0, 0, _] => language.say("how.hidden", &[]),
        _ => language.say(
            "how.mixed",
            &[("kept", &kept), ("coarser", &coarser), ("hidden", &hidden)],
        ),
    }
}

fn risk(before: &Classes, after: &Classes, language: Language) -> Risk {
    let (was, is) = (class_risk(before, None), class_risk(after, None));
    let headline = |name: String, explanation: String, of: fn(&ClassRisk) -> f64| Headline {
        name,
        explanation,
        before: Some(of(&was)),
        after: Some(of(&is)),
    };
    Risk {
        headlines: vec![
            headline(
                language.say("risk.highest", &[]),
                language.say("risk.highest.means", &[]),
                |risk| risk.prosecutor_highest,
            ),
            headline(
                language.say("risk.average", &[]),
                language.say("risk.average.means", &[]),
                |risk| risk.marketer,
            ),
            headline(
                language.say("risk.unique", &[]),
                language.say("risk.unique.means", &[]),
                |risk| risk.sample_uniqueness,
            ),
        ],
        bands: risk_bars(&class_sizes(before), &class_sizes(after), language),
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
    language: Language,
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
                language.say("how.published", &[])
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

/// How many records have each value of a column.
pub(crate) fn counts(column: &Column) -> Vec<Count> {
    let mut counts = vec![0_u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    (0..)
        .zip(counts)
        .map(|(code, count)| Count {
            label: column.dictionary.text(code).map(str::to_owned),
            span: match column.dictionary.kind() {
                // Dates go by their labels: an axis of days would say less than they do.
                Kind::Date | Kind::Boolean => None,
                _ => column.dictionary.text(code).and_then(statistics::span),
            },
            count,
        })
        .collect()
}

/// A short text for whoever receives the public half.
pub(crate) fn readme(certificate: &Certificate, language: Language) -> String {
    let quoted = |name: &String| format!("`{name}`");
    let known: Vec<String> = certificate.quasi_identifiers.iter().map(quoted).collect();
    let mut text = format!(
        "# {}\n\n{}\n\n# {}\n\n{}\n\n",
        language.say("readme.what", &[]),
        language.say(
            "readme.table",
            &[
                ("file", &certificate.data.file),
                ("records", &certificate.data.records.to_string()),
                ("version", &certificate.denym),
            ]
        ),
        language.say("readme.promised", &[]),
        language.say("readme.knows", &[("known", &known.join(", "))]),
    );
    if let Some(groups) = &certificate.groups {
        let place = groups.sensitive.as_ref().map_or_else(
            || language.say("readme.groups.same-file", &[]),
            |second| language.say("readme.groups.file", &[("file", &second.file)]),
        );
        let values = [
            ("attribute", groups.attribute.as_str()),
            ("place", &place),
            ("column", &groups.column),
        ];
        let _ = writeln!(text, "{}\n", language.say("readme.groups", &values));
    }
    for known in &certificate.known_together {
        let many = known.records.map_or_else(
            || language.say("readme.together.all", &[]),
            |many| language.say("readme.together.any", &[("many", &many.to_string())]),
        );
        let values = [("many", many.as_str()), ("column", &known.column)];
        let _ = writeln!(text, "{}\n", language.say("readme.together", &values));
    }
    let unit = unit(certificate.subject.is_some(), language);
    for certified in &certificate.claims {
        let sentence = claim(certified, &unit, language).explanation;
        let _ = writeln!(text, "- {sentence} ({})", vouched(certified, language));
    }
    text.push_str(&program(certificate, language));
    if certificate.suppressed_records > 0 {
        let removed = certificate.suppressed_records.to_string();
        let told = if certificate.suppressed_records == 1 {
            language.say("readme.removed-one", &[])
        } else {
            language.say("readme.removed", &[("removed", &removed)])
        };
        let _ = writeln!(text, "\n{told}");
    }
    text
}

/// Who can check a claim.
pub(crate) fn vouched(claim: &Claim, language: Language) -> String {
    match claim.check {
        Check::Recheckable => language.say("readme.recheckable", &[]),
        Check::Attested => language.say("readme.attested", &[]),
    }
}

/// How a recipient checks a release; the end of every README.
pub(crate) fn how_to_check(language: Language) -> String {
    format!(
        "\n# {}\n\n    denym verify .\n\n{}\n",
        language.say("readme.check", &[]),
        language.say("readme.check.how", &[]),
    )
}

/// Who made a release and of what.
pub(crate) fn sign_off(
    run: &Run<'_>,
    certificate: &Certificate,
    sources: &[SourceFile],
) -> SignOff {
    let prepared_by = run.options.prepared_by.as_ref();
    let prepared_by = prepared_by.or(run.policy.report.prepared_by.as_ref());
    SignOff {
        prepared_by: prepared_by.cloned().unwrap_or_default(),
        date: run.options.date.clone().unwrap_or_default(),
        sources: sources
            .iter()
            .map(|source| (source.file.clone(), source.sha256.clone()))
            .collect(),
        released: certificate
            .files()
            .map(|file| (file.file.clone(), file.sha256.clone()))
            .collect(),
    }
}

/// What guards found that concerns the recipient.
pub(crate) fn findings(certificate: &Certificate, language: Language) -> String {
    if certificate.findings.is_empty() {
        return String::new();
    }
    let mut text = format!("\n# {}\n\n", language.say("finding.heading", &[]));
    for found in &certificate.findings {
        let _ = match &found.column {
            Some(column) => writeln!(text, "- `{column}` {}", found.means),
            None => writeln!(text, "- {}", found.means),
        };
    }
    text
}

/// What the recipient is told about adversaries who know the program.
pub(crate) fn program(certificate: &Certificate, language: Language) -> String {
    let sentence = certificate
        .program
        .map(|found| about_program(found, language));
    sentence.map_or_else(String::new, |sentence| format!("\n{sentence}\n"))
}

/// How a release stands against somebody who knows the program, in words.
pub(crate) fn about_program(program: Program, language: Language) -> String {
    match (program.standing, program.beyond_per_mille) {
        (Found::Holds, _) => language.say("program.holds", &[]),
        (Found::Exceeded, Some(per_mille)) => {
            let share = denym_release::certificate::percent(per_mille);
            language.say("program.exceeded", &[("share", &share)])
        }
        _ => language.say("program.not-measured", &[]),
    }
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

#[cfg(test)]
mod tests {
    use denym_measure::catalogue::PROMISES;

    use super::*;

    #[test]
    fn every_promise_has_its_sentence_in_every_language() {
        let promises = || PROMISES.iter().filter(|entry| !entry.sentence.is_empty());
        assert!(promises().count() > 15);
        for entry in promises() {
            let key = format!("promise.{}", entry.name);
            assert_eq!(
                Language::English.sentence(&key),
                Some(entry.sentence),
                "{key}"
            );
            assert!(Language::German.sentence(&key).is_some(), "{key}");
        }
    }

    #[test]
    fn every_attack_says_in_every_language_what_it_knows() {
        assert!(crate::attack::CATALOGUE.len() > 20);
        for entry in crate::attack::CATALOGUE.iter() {
            let key = format!("attack.{}", entry.name);
            for (_, language) in Language::ALL {
                assert!(language.sentence(&key).is_some(), "{key}");
            }
        }
    }

    #[test]
    fn every_metric_has_its_words_in_every_language() {
        for entry in METRICS {
            let (means, range) = (
                format!("metric.{}", entry.name),
                format!("metric.{}.range", entry.name),
            );
            assert_eq!(Language::English.sentence(&means), Some(entry.description));
            assert_eq!(Language::English.sentence(&range), Some(entry.range));
        }
    }

    #[test]
    fn a_policy_can_name_every_language() {
        assert_eq!(
            crate::policy::LANGUAGES,
            Language::ALL.map(|(name, _)| name)
        );
    }
}
