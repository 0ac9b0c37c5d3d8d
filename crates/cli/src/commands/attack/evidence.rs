//! Evidence as people read it.

use denym::attack::{Controlled, Coverage, Evidence};
use serde_json::Value;

use super::super::claims::percent;

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
