//! What each bound would cost.

use std::path::Path;

use serde_json::{Value, json};

use crate::{Exploration, Trial};

/// Every trial and the knees; `svg` is where the plot was written.
pub fn exploration(found: &Exploration, svg: Option<&Path>) -> Value {
    let trial = |(at, trial): (usize, &Trial)| {
        let mut value = json!({});
        for (name, setting) in &trial.settings {
            value[*name] = whole(*setting);
        }
        value["algorithm"] = json!(trial.algorithm);
        value["status"] = json!(if trial.value.is_some() {
            "feasible"
        } else {
            "refused"
        });
        value["value"] = json!(trial.value);
        for (name, figure) in found.figures.iter().zip(&trial.figures) {
            value[*name] = whole(*figure);
        }
        if let Some(refusal) = &trial.refusal {
            value["refusal"] = json!(refusal);
        }
        if trial.in_haste {
            value["in_haste"] = json!(true);
        }
        if found.knees.contains(&at) {
            value["knee"] = json!(true);
        }
        value
    };
    json!({
        "metric": found.metric,
        "trials": found.trials.iter().enumerate().map(trial).collect::<Vec<_>>(),
        "knees": found.knees.iter().map(|&at| settings(&found.trials[at])).collect::<Vec<_>>(),
        "svg": svg,
    })
}

/// The settings of a trial by name.
fn settings(trial: &Trial) -> Value {
    let settings = trial.settings.iter();
    let mut value: serde_json::Map<String, Value> = settings
        .map(|(name, setting)| ((*name).to_owned(), whole(*setting)))
        .collect();
    value.insert("algorithm".into(), json!(trial.asked));
    value.into()
}

/// Counts without a decimal point.
fn whole(value: f64) -> Value {
    if value.fract().abs() < f64::EPSILON && (0.0..9e15).contains(&value) {
        #[expect(clippy::cast_sign_loss, reason = "checked to be within range")]
        let count = value as u64;
        json!(count)
    } else {
        json!(value)
    }
}
