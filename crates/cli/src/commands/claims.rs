//! Claims as people read them.

use denym::Claim;
pub(crate) use denym::{counted, number, percent};

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
