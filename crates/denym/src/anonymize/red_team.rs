//! The red team's turn before a release is made: what it achieves before and after, and whether that is too much.

use denym_data::Table;
use denym_measure::Classes;
use serde_json::{Value, json};

use crate::attack::{ClassAttack, WorstClass, on_classes};
use crate::certificate::AttackResult;
use crate::policy::AttackSpec;

/// What the red team achieved on a table and on its release.
pub(crate) struct RedTeam {
    before: Vec<ClassAttack>,
    after: Vec<ClassAttack>,
    /// What the certificate says: rates after, and nothing that points at a person.
    pub(crate) results: Vec<AttackResult>,
}

impl RedTeam {
    /// Attacks both; `sensitive` names the attributes in the order of the classes' histograms.
    pub(crate) fn attack(
        before: &Classes,
        after: &Classes,
        sensitive: &[String],
        spec: &AttackSpec,
    ) -> RedTeam {
        let (before, after) = (on_classes(before, sensitive), on_classes(after, sensitive));
        let results = after
            .iter()
            .map(|found| AttackResult {
                attack: found.attack.to_owned(),
                attribute: found.attribute.clone(),
                knows: found.knows.clone(),
                success_rate: found.rate,
                refuse_above: spec
                    .bound(found.attack, found.bounded)
                    .map(|bound| bound.to_f64()),
            })
            .collect();
        RedTeam {
            before,
            after,
            results,
        }
    }

    /// The section of the steward's report.
    pub(crate) fn report(&self) -> Vec<denym_report::Attack> {
        self.before
            .iter()
            .zip(&self.after)
            .map(|(before, after)| denym_report::Attack {
                name: match &after.attribute {
                    Some(attribute) => format!("{} on {attribute}", after.attack),
                    None => after.attack.to_owned(),
                },
                knows: format!("Knows {}.", after.knows),
                rate_before: Some(before.rate),
                rate_after: Some(after.rate),
                note: after.worst.first().map_or_else(
                    || "It finds nobody.".to_owned(),
                    |worst| {
                        format!(
                            "At best it is right about somebody with a chance of {}; attacks.json names the records.",
                            denym_report::percent(worst.chance)
                        )
                    },
                ),
            })
            .collect()
    }

    /// What stays with the steward: rates before, and the worst victims by record of the release.
    pub(crate) fn document(&self, written: &Table, quasi: &[String], after: &Classes) -> Value {
        let victim = |worst: &WorstClass| {
            let rows = after.rows(worst.class);
            let first = rows.first().copied().unwrap_or(0) as usize;
            let shown: serde_json::Map<String, Value> = quasi
                .iter()
                .filter_map(|name| {
                    let column = written.column(name)?;
                    Some((name.clone(), json!(column.text(first))))
                })
                .collect();
            json!({
                "chance": worst.chance,
                "people": after.subjects()[worst.class],
                "quasi_identifiers": shown,
                "records": rows.iter().take(20).map(|row| row + 1).collect::<Vec<u32>>(),
            })
        };
        let attacks: Vec<Value> = self
            .before
            .iter()
            .zip(&self.after)
            .map(|(before, after)| {
                json!({
                    "attack": after.attack,
                    "attribute": after.attribute,
                    "knows": after.knows,
                    "rate_before": before.rate,
                    "rate_after": after.rate,
                    "worst_victims": after.worst.iter().map(victim).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({"attacks": attacks})
    }
}
