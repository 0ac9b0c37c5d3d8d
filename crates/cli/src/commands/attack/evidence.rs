//! Evidence as people and programs read it.

use denym::attack::{Controlled, Coverage, Evidence};
use serde_json::{Value, json};

use super::super::claims::number;

/// Evidence as JSON.
pub(super) fn document(attribute: Option<&str>, evidence: &Evidence) -> Value {
    let (coverage, seed) = match evidence.coverage {
        Coverage::Exhaustive => ("exhaustive", Value::Null),
        Coverage::Sampled { seed } => ("sampled", json!(seed)),
    };
    json!({
        "attack": evidence.attack,
        "attribute": attribute,
        "attempts": evidence.attempts,
        "successes": evidence.successes,
        "rate": evidence.rate,
        "interval": [evidence.interval.0, evidence.interval.1],
        "coverage": coverage,
        "seed": seed,
    })
}

/// Evidence in a line.
pub(super) fn line(attribute: Option<&str>, evidence: &Evidence) -> String {
    let about = attribute
        .map(|name| format!(" on {name}"))
        .unwrap_or_default();
    let sure = match evidence.coverage {
        Coverage::Exhaustive => String::new(),
        Coverage::Sampled { .. } => format!(
            " (95 %: {} to {} %)",
            number(evidence.interval.0 * 100.0),
            number(evidence.interval.1 * 100.0)
        ),
    };
    format!(
        "{:36} {} of {} = {} %{sure}",
        format!("{}{about}", evidence.attack),
        evidence.successes,
        evidence.attempts,
        number(evidence.rate * 100.0)
    )
}

/// A comparison with a control group as JSON.
pub(super) fn controlled(attribute: Option<&str>, found: &Controlled) -> Value {
    json!({
        "attack": found.members.attack,
        "attribute": attribute,
        "members": document(attribute, &found.members),
        "held_out": document(attribute, &found.held_out),
        "risk": found.risk,
        "interval": [found.interval.0, found.interval.1],
        "leaks": found.leaks(),
    })
}

/// A comparison with a control group in a line.
pub(super) fn controlled_line(attribute: Option<&str>, found: &Controlled) -> String {
    let about = attribute
        .map(|name| format!(" on {name}"))
        .unwrap_or_default();
    format!(
        "{:36} members {} %, held-out {} %: {}",
        format!("{}{about}", found.members.attack),
        number(found.members.rate * 100.0),
        number(found.held_out.rate * 100.0),
        if found.leaks() {
            format!("a leak, risk {} %", number(found.risk * 100.0))
        } else {
            "no more than statistics".to_owned()
        }
    )
}
