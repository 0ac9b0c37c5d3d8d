//! The red team's turn before a release is made: what it achieves before and after, and whether that is too much.

use denym_attack::Coverage;
use serde_json::{Value, json};

use crate::attack::{Finding, NotRun, RedTeam};
use crate::certificate::AttackResult;
use crate::policy::AttackSpec;

/// What a red team's findings are told as.
pub(crate) trait ToldFindings {
    /// What the certificate says: rates after, and nothing that points at a person.
    fn results(&self, spec: &AttackSpec) -> Vec<AttackResult>;
    /// The section of the steward's report.
    fn report(&self) -> Vec<denym_report::Attack>;
    /// What stays with the steward: rates before, the worst victims, seeds.
    fn document(&self) -> Value;
}

impl ToldFindings for RedTeam {
    fn results(&self, spec: &AttackSpec) -> Vec<AttackResult> {
        self.findings
            .iter()
            .map(|found| {
                let shown = &found.after;
                let drawn = shown.interval.0 < shown.interval.1;
                AttackResult {
                    attack: found.attack.to_owned(),
                    attribute: found.attribute.clone(),
                    knows: found.knows.clone(),
                    success_rate: shown.rate,
                    attempts: shown.attempts,
                    coverage: coverage(shown.coverage).to_owned(),
                    interval: drawn.then_some(shown.interval),
                    refuse_above: spec
                        .bound(found.attack, found.bounded)
                        .map(denym_data::Fraction::to_f64),
                }
            })
            .collect()
    }

    fn report(&self) -> Vec<denym_report::Attack> {
        let mut rows: Vec<denym_report::Attack> = self.findings.iter().map(row).collect();
        // Attacks that were left out for one reason share a row.
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for left in &self.not_run {
            match reasons.iter_mut().find(|(why, _)| *why == left.why) {
                Some((_, names)) => names.push(left.attack),
                None => reasons.push((&left.why, vec![left.attack])),
            }
        }
        rows.extend(
            reasons
                .into_iter()
                .map(|(why, names)| denym_report::Attack {
                    name: names.join(", "),
                    knows: format!("Not run: {why}."),
                    ..denym_report::Attack::default()
                }),
        );
        rows
    }

    fn document(&self) -> Value {
        let attack = |found: &Finding| {
            let after = &found.after;
            let seed = match after.coverage {
                Coverage::Exhaustive => Value::Null,
                Coverage::Sampled { seed } => json!(seed),
            };
            json!({
                "attack": found.attack,
                "attribute": found.attribute,
                "knows": found.knows,
                "rate_before": found.before.as_ref().map(|before| before.rate),
                "rate_after": after.rate,
                "attempts": after.attempts,
                "certain": after.successes,
                "interval": [after.interval.0, after.interval.1],
                "coverage": coverage(after.coverage),
                "seed": seed,
                "note": found.note,
                "worst_victims": found.worst,
            })
        };
        let left = |left: &NotRun| json!({"attack": left.attack, "why": left.why});
        json!({
            "attacks": self.findings.iter().map(attack).collect::<Vec<_>>(),
            "not_run": self.not_run.iter().map(left).collect::<Vec<_>>(),
        })
    }
}

fn coverage(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Exhaustive => "exhaustive",
        Coverage::Sampled { .. } => "sampled",
    }
}

fn row(found: &Finding) -> denym_report::Attack {
    let mut note = found.note.clone();
    let mut say = |sentence: String| {
        if !note.is_empty() {
            note.push(' ');
        }
        note.push_str(&sentence);
    };
    let (low, high) = found.after.interval;
    if let (Coverage::Sampled { seed }, true) = (found.after.coverage, low < high) {
        say(format!(
            "Sampled: {} tries with seed {seed}; 95 % of such intervals ({} to {}) hold the true rate.",
            denym_report::count(found.after.attempts),
            denym_report::percent(low),
            denym_report::percent(high),
        ));
    }
    match found
        .worst
        .first()
        .and_then(|worst| worst["chance"].as_f64())
    {
        Some(chance) => say(format!(
            "At best it is right about somebody with a chance of {}; attacks.json names the records.",
            denym_report::percent(chance)
        )),
        None if found.after.rate == 0.0 => say("It finds nobody.".to_owned()),
        None => {}
    }
    denym_report::Attack {
        name: match &found.attribute {
            Some(attribute) => format!("{} on {attribute}", found.attack),
            None => found.attack.to_owned(),
        },
        knows: format!("Knows {}.", found.knows),
        rate_before: found.before.as_ref().map(|before| before.rate),
        rate_after: Some(found.after.rate),
        note,
    }
}
