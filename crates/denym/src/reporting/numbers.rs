//! What the report, the plan and the recipient's README say about changed numbers.

use std::fmt::Write as _;

use denym_report::{Attack, decimal, percent};

use crate::account::Account;
use crate::certificate::Certificate;
use crate::figures::Figures;
use crate::kinds::microdata::Measures;
use crate::plan::Plan;

/// What was done to each quasi-identifier, in words.
pub(super) fn how(plan: &Plan, account: &Account) -> Vec<String> {
    let what = if account.figures.get("information_loss").is_some() {
        "widened to what its cluster has in common".to_owned()
    } else {
        let centroid = plan.policy.release.microdata.centroid.name();
        format!("replaced by the {centroid} of its group")
    };
    let what = format!("{what} (`{}`)", account.algorithm);
    vec![what; plan.quasi_names().len()]
}

/// Record linkage as the attack that it is.
pub(super) fn attacks(measures: Option<&Measures>) -> Vec<Attack> {
    let Some(measures) = measures else {
        return Vec::new();
    };
    let attack = |name: &str, knows: &str, rate: Option<f64>| {
        rate.map(|rate| Attack {
            name: name.to_owned(),
            knows: knows.to_owned(),
            rate_before: None,
            rate_after: Some(rate),
            note: "ties count as one guess among the tied".to_owned(),
        })
    };
    [
        attack(
            "distance-based record linkage",
            "The true numbers of a person; picks the published record that is nearest.",
            measures.distance_linkage,
        ),
        attack(
            "probabilistic record linkage",
            "The true numbers of a person; weighs how often each column agrees (Fellegi and Sunter).",
            measures.probabilistic_linkage,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Sentences about loss, tests and what was perturbed.
pub(super) fn notes(plan: &Plan, figures: &Figures, measures: Option<&Measures>) -> Vec<String> {
    let mut notes = Vec::new();
    let count = denym_report::count;
    if figures.get("groups").is_some() {
        let (groups, lost) = (
            figures.count("groups"),
            figures.decimal("information_loss_percent"),
        );
        notes.push(format!(
            "{} groups; information loss {} %.",
            count(groups),
            decimal(lost)
        ));
    }
    if figures.get("waiting").is_some() {
        notes.push(format!(
            "{} new records wait for a later release: a group gains nobody, or records that keep every promise among themselves.",
            count(figures.count("waiting"))
        ));
    }
    if let Some(unconcerned) = figures.get("unconcerned") {
        notes.push(format!(
            "{} records of people who do not mind were kept out while groups were made; every group has {} of the others or more.",
            count(unconcerned["records"].as_u64().unwrap_or_default()),
            unconcerned["smallest_group_of_others"]
        ));
    }
    for spec in &plan.policy.release.microdata.perturb {
        let draws = if spec.method.is_random() {
            "The draws are secret, so the release cannot be reproduced."
        } else {
            "Rounding draws nothing and can be reproduced."
        };
        notes.push(format!(
            "`{}` on {}: no published record is true in these columns. {draws}",
            spec.method.name(),
            spec.columns.join(", ")
        ));
    }
    let Some(measures) = measures else {
        return notes;
    };
    notes.push(format!(
        "SSE {} of SST {} on standardized columns; IL1s {}; mean change of means {}, of covariances {}, of correlations {}, of eigenvalues {}.",
        decimal(measures.sse),
        decimal(measures.sst),
        decimal(measures.il1s),
        percent(measures.means),
        percent(measures.covariances),
        decimal(measures.correlations),
        percent(measures.eigenvalues),
    ));
    if let Some(adm) = measures.adm {
        notes.push(format!(
            "Absolute deviations from the group medians (ADM): {}. Neither ADM nor SSE bounds the other.",
            decimal(adm)
        ));
    }
    for column in &measures.columns {
        let [above, below, equal] = column.signs;
        notes.push(format!(
            "`{}`: signs {above}/{below}/{equal} (above, below, equal), p = {}; Kolmogorov-Smirnov {}, p = {}.",
            column.name,
            decimal(column.sign_p),
            decimal(column.ks),
            decimal(column.ks_p)
        ));
    }
    notes.push(format!("Limits of the tests: {}.", Measures::LIMITS));
    if measures.distance_linkage.is_none() {
        notes.push("Record linkage was not tried: it compares every pair of records, and there are too many.".into());
    }
    notes
}

/// What the recipient must know before reading single records.
pub(super) fn readme(certificate: &Certificate) -> String {
    let mut text = String::new();
    if certificate.altered.is_empty() {
        return text;
    }
    text.push_str("\n# What was changed\n\n");
    for altered in &certificate.altered {
        let columns: Vec<String> = altered
            .columns
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let what = if altered.method == "microaggregation" {
            "show the middle of a group of records, not the value of any one".to_owned()
        } else if altered.method.starts_with("keyed pseudonyms") {
            "are tokens: equal ones are about the same person, and nothing else can be read from them"
                .to_owned()
        } else if let Some((side, bound)) = altered.method.split_once(" coding at ") {
            let beyond = if side == "top" { "more" } else { "less" };
            format!("show {bound} where the number is {bound} or {beyond}")
        } else {
            format!(
                "were changed by `{}`: no single record is true",
                altered.method
            )
        };
        let again = if altered.reproducible {
            ""
        } else {
            " The change was drawn from secret randomness and cannot be reproduced."
        };
        let _ = writeln!(text, "- {} {what}.{again}", columns.join(", "));
    }
    text
}
