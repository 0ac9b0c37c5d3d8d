//! Claims as people and programs read them.

use denym::{Check, Claim};
pub(crate) use denym::{counted, number, percent};
use serde_json::{Value, json};

/// The claims as JSON.
pub(crate) fn document(claims: &[Claim]) -> Value {
    claims
        .iter()
        .map(|claim| {
            json!({
                "promise": claim.promise,
                "attribute": claim.attribute,
                "quasi_identifiers": claim.quasi_identifiers,
                "asked": claim.asked,
                "measured": claim.measured,
                "holds": claim.holds,
                "violating_records": claim.violating_records,
                "check": match claim.check { Check::Recheckable => "recheckable", Check::Attested => "attested" },
            })
        })
        .collect()
}

/// The claims, a line each.
pub(crate) fn lines(claims: &[Claim]) -> Vec<String> {
    claims
        .iter()
        .map(|claim| {
            let verdict = match claim.holds {
                Some(true) => "holds",
                Some(false) => "FAILS",
                None => "attested",
            };
            let about = claim
                .attribute
                .as_ref()
                .map(|name| format!(" of {name}"))
                .unwrap_or_default();
            let on = if claim.quasi_identifiers.is_empty() {
                String::new()
            } else {
                format!(" on {}", claim.quasi_identifiers.join(", "))
            };
            format!(
                "{verdict:10} {}{about}{on}: asked {}, measured {}",
                claim.promise,
                number(claim.asked),
                number(claim.measured)
            )
        })
        .collect()
}
