//! Evidence as people and programs read it.

use denym::attack::{Controlled, Coverage, Evidence, Finding, NotRun};
use serde_json::{Value, json};

use super::super::claims::percent;

/// Evidence as JSON.
pub(super) fn document(attribute: Option<&str>, evidence: &Evidence) -> Value {
    let (coverage, seed) = match evidence.coverage {
        Coverage::Exhaustive => ("exhaustive", Value::Null),
        Coverage::Sampled { seed } => ("sampled", json!(seed)),
    };
    // What nobody was tried on has no rate: a zero would read as a defence that held.
    let tried = evidence.attempts > 0;
    let interval = [evidence.interval.0, evidence.interval.1];
    json!({
        "attack": evidence.attack,
        "attribute": attribute,
        "attempts": evidence.attempts,
        "successes": evidence.successes,
        "tried": tried,
        "rate": tried.then_some(evidence.rate),
        "interval": tried.then_some(interval),
        "coverage": coverage,
        "seed": seed,
    })
}

/// A finding as JSON: its evidence, what the adversary was taken to know, and what a reader should know.
pub(super) fn finding(found: &Finding) -> Value {
    let mut shown = document(found.attribute.as_deref(), &found.after);
    shown["knows"] = json!(found.knows);
    shown["note"] = json!(found.note);
    shown
}

/// The attacks that were not run, as JSON.
pub(super) fn not_run(left: &[NotRun]) -> Value {
    let left = left.iter();
    left.map(|left| json!({"attack": left.attack, "why": left.why}))
        .collect()
}

/// Evidence in a line.
pub(super) fn line(attribute: Option<&str>, evidence: &Evidence) -> String {
    let about = attribute
        .map(|name| format!(" on {name}"))
        .unwrap_or_default();
    if evidence.attempts == 0 {
        return format!(
            "{:36} not tried: there was nobody to try it on",
            format!("{}{about}", evidence.attack)
        );
    }
    let sure = match evidence.coverage {
        Coverage::Exhaustive => String::new(),
        Coverage::Sampled { .. } => format!(
            " (95 %: {} to {})",
            percent(evidence.interval.0),
            percent(evidence.interval.1)
        ),
    };
    let name = format!("{}{about}", evidence.attack);
    let (certain, all) = (evidence.successes, evidence.attempts);
    let rate = percent(evidence.rate);
    let counted = certain as f64 / all as f64;
    if (counted - evidence.rate).abs() < 1e-12 {
        format!("{name:36} {certain} of {all} = {rate}{sure}")
    } else {
        // A chance that is shared out among several is no number of people.
        format!("{name:36} right with a chance of {rate}{sure}; {certain} of {all} for certain")
    }
}

/// A comparison with a control group as JSON.
pub(super) fn controlled(attribute: Option<&str>, found: &Controlled) -> Value {
    let tried = found.members.attempts > 0 && found.held_out.attempts > 0;
    json!({
        "attack": found.members.attack,
        "attribute": attribute,
        "members": document(attribute, &found.members),
        "held_out": document(attribute, &found.held_out),
        "risk": tried.then_some(found.risk),
        "interval": tried.then_some([found.interval.0, found.interval.1]),
        "leaks": tried.then(|| found.leaks()),
    })
}

/// A comparison with a control group in a line.
pub(super) fn controlled_line(attribute: Option<&str>, found: &Controlled) -> String {
    let about = attribute
        .map(|name| format!(" on {name}"))
        .unwrap_or_default();
    if found.members.attempts == 0 || found.held_out.attempts == 0 {
        return format!(
            "{:36} not tried: there was nobody to try it on",
            format!("{}{about}", found.members.attack)
        );
    }
    format!(
        "{:36} members {}, held-out {}: {}",
        format!("{}{about}", found.members.attack),
        percent(found.members.rate),
        percent(found.held_out.rate),
        if found.leaks() {
            format!("a leak, risk {}", percent(found.risk))
        } else {
            "no more than statistics".to_owned()
        }
    )
}

/// A text of a document that has one there.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The texts of a list, with `between` them.
pub(super) fn joined(list: &Value, between: &str) -> String {
    let texts: Vec<&str> = list.as_array().into_iter().flatten().map(text).collect();
    texts.join(between)
}
