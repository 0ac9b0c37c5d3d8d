//! What the report, the plan and the recipient's README say about changed numbers.

use denym_report::{Attack, Language, decimal, percent};

use crate::account::Account;
use crate::figures::Figures;
use crate::kinds::microdata::Measures;
use crate::plan::Plan;

/// What was done to each quasi-identifier, in words.
pub(super) fn how(plan: &Plan, account: &Account, language: Language) -> Vec<String> {
    let what = if account.figures.get("information_loss").is_some() {
        language.say("how.cluster", &[("algorithm", &account.algorithm)])
    } else {
        let centroid = plan.policy.release.microdata.centroid.name();
        let values = [("centroid", centroid), ("algorithm", &account.algorithm)];
        language.say("how.centroid", &values)
    };
    vec![what; plan.quasi_names().len()]
}

/// Record linkage as the attack that it is.
pub(super) fn attacks(measures: Option<&Measures>, language: Language) -> Vec<Attack> {
    let Some(measures) = measures else {
        return Vec::new();
    };
    let attack = |name: String, knows: String, rate: Option<f64>| {
        rate.map(|rate| Attack {
            name,
            knows,
            rate_before: None,
            rate_after: Some(rate),
            note: language.say("attacks.ties", &[]),
            left_out: false,
        })
    };
    [
        attack(
            language.say("attacks.distance", &[]),
            language.say("attacks.distance.knows", &[]),
            measures.distance_linkage,
        ),
        attack(
            language.say("attacks.probabilistic", &[]),
            language.say("attacks.probabilistic.knows", &[]),
            measures.probabilistic_linkage,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Sentences about loss, tests and what was perturbed.
pub(super) fn notes(
    plan: &Plan,
    figures: &Figures,
    measures: Option<&Measures>,
    language: Language,
) -> Vec<String> {
    let mut notes = Vec::new();
    let count = denym_report::count;
    if figures.get("groups").is_some() {
        let groups = count(figures.count("groups"));
        let lost = percent(figures.decimal("information_loss_percent") / 100.0);
        let values = [("groups", groups.as_str()), ("lost", &lost)];
        notes.push(language.say("numbers.groups", &values));
    }
    if figures.get("waiting").is_some() {
        let waiting = count(figures.count("waiting"));
        notes.push(language.say("numbers.waiting", &[("count", &waiting)]));
    }
    if let Some(unconcerned) = figures.get("unconcerned") {
        let records = count(unconcerned["records"].as_u64().unwrap_or_default());
        let others = unconcerned["smallest_group_of_others"].to_string();
        let values = [("count", records.as_str()), ("others", &others)];
        notes.push(language.say("numbers.unconcerned", &values));
    }
    for spec in &plan.policy.release.microdata.perturb {
        let draws = if spec.method.is_random() {
            language.say("numbers.secret", &[])
        } else {
            language.say("numbers.rounded", &[])
        };
        let columns = spec.columns.join(", ");
        let values = [
            ("method", spec.method.name()),
            ("columns", &columns),
            ("draws", &draws),
        ];
        notes.push(language.say("numbers.perturbed", &values));
    }
    let Some(measures) = measures else {
        return notes;
    };
    notes.push(language.say(
        "numbers.measures",
        &[
            ("sse", &decimal(measures.sse)),
            ("sst", &decimal(measures.sst)),
            ("il1s", &decimal(measures.il1s)),
            ("means", &percent(measures.means)),
            ("covariances", &percent(measures.covariances)),
            ("correlations", &decimal(measures.correlations)),
            ("eigenvalues", &percent(measures.eigenvalues)),
        ],
    ));
    if let Some(adm) = measures.adm {
        notes.push(language.say("numbers.adm", &[("adm", &decimal(adm))]));
    }
    for column in &measures.columns {
        let [above, below, equal] = column.signs;
        notes.push(language.say(
            "numbers.tests",
            &[
                ("column", &column.name),
                ("above", &above.to_string()),
                ("below", &below.to_string()),
                ("equal", &equal.to_string()),
                ("sign", &likelihood(column.sign_p)),
                ("gap", &decimal(column.ks)),
                ("ks", &likelihood(column.ks_p)),
            ],
        ));
    }
    notes.push(language.say("numbers.limits", &[("limits", Measures::LIMITS)]));
    if measures.distance_linkage.is_none() {
        notes.push(language.say("numbers.not-linked", &[]));
    }
    notes
}

/// A p-value as statisticians write it: `p = 0.03`, `p < 0.0001`.
fn likelihood(p: f64) -> String {
    let text = decimal(p);
    if text.starts_with('<') {
        format!("p {text}")
    } else {
        format!("p = {text}")
    }
}
