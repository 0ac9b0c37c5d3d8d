//! The red team's turn before a release is made: what it achieves before and after, and whether that is too much.

use denym_attack::Coverage;
use denym_report::Language;
use serde_json::{Value, json};

use crate::attack::{Finding, NotRun, RedTeam};
use crate::certificate::AttackResult;
use crate::policy::AttackSpec;

/// What a red team's findings are told as.
pub(crate) trait ToldFindings {
    /// What the certificate says: rates after, and nothing that points at a person.
    fn results(&self, spec: &AttackSpec) -> Vec<AttackResult>;
    /// The section of the steward's report.
    fn report(&self, language: Language) -> Vec<denym_report::Attack>;
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

    fn report(&self, language: Language) -> Vec<denym_report::Attack> {
        let row = |found: &Finding| row(found, language);
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
                    knows: language.say("attacks.not-run", &[("why", why)]),
                    left_out: true,
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

/// What an adversary of an attack knows: in English as the attack says, else as the catalogue of the language does.
pub(crate) fn knows(attack: &str, own: &str, language: Language) -> String {
    let key = format!("attack.{attack}");
    let told = match language.sentence(&key) {
        Some(told) if language != Language::English => told,
        _ => own,
    };
    language.say("attacks.knows.sentence", &[("knows", told)])
}

fn row(found: &Finding, language: Language) -> denym_report::Attack {
    let mut note = found.note.clone();
    let mut say = |sentence: String| {
        if !note.is_empty() {
            note.push(' ');
        }
        note.push_str(&sentence);
    };
    let (low, high) = found.after.interval;
    if let (Coverage::Sampled { seed }, true) = (found.after.coverage, low < high) {
        say(language.say(
            "attacks.sampled",
            &[
                ("tries", &denym_report::count(found.after.attempts)),
                ("seed", &seed.to_string()),
                ("low", &denym_report::percent(low)),
                ("high", &denym_report::percent(high)),
            ],
        ));
    }
    match found
        .worst
        .first()
        .and_then(|worst| worst["chance"].as_f64())
    {
        Some(chance) => {
            let chance = denym_report::percent(chance);
            say(language.say("attacks.at-best", &[("chance", &chance)]));
        }
        None if found.after.rate == 0.0 => say(language.say("attacks.nobody", &[])),
        None => {}
    }
    denym_report::Attack {
        name: match &found.attribute {
            Some(attribute) => {
                let values = [("attack", found.attack), ("attribute", attribute.as_str())];
                language.say("attacks.on", &values)
            }
            None => found.attack.to_owned(),
        },
        knows: knows(found.attack, &found.knows, language),
        rate_before: found.before.as_ref().map(|before| before.rate),
        rate_after: Some(found.after.rate),
        note,
        left_out: false,
    }
}
