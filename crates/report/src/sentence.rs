//! One plain sentence for each promise, for readers who do not know its name.

use crate::Claim;

/// What the claim means to the people in the data. `unit` is what is counted, in the plural.
pub fn plain_sentence(claim: &Claim, unit: &str) -> String {
    let unit = if unit.is_empty() { "records" } else { unit };
    let secret = claim.attribute.as_deref().map_or_else(
        || "the sensitive value".to_owned(),
        |name| format!("\u{201c}{name}\u{201d}"),
    );
    let asked = &claim.asked;
    match claim.promise.as_str() {
        "k-anonymity" => format!(
            "Whoever knows all linkable details of a person finds {asked} {unit} that look the same, never one alone."
        ),
        "distinct-l-diversity" => format!(
            "Among those who look the same there are {asked} different values of {secret}, so finding the crowd does not tell the value."
        ),
        // true of every kind: entropy and recursive l-diversity of l imply l distinct values
        "l-diversity" => format!(
            "Among those who look the same {secret} takes several values ({asked}), so finding the crowd does not tell the value."
        ),
        "entropy-l-diversity" => format!(
            "Among those who look the same, {secret} is as uncertain as if there were {asked} equally likely values."
        ),
        "recursive-l-diversity" => format!(
            "Among those who look the same, the most frequent value of {secret} does not outweigh the rarer ones ({asked})."
        ),
        "t-closeness" => format!(
            "In every crowd of look-alikes {secret} is spread much as in all the data: the distance is {asked}."
        ),
        "confidence" => format!(
            "Nobody can conclude a protected value of {secret} with a certainty above the bound ({asked})."
        ),
        name => format!("The promise {name} was asked for: {asked}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_counted() {
        let claim = Claim {
            promise: "k-anonymity".into(),
            asked: "at least 5".into(),
            ..Claim::default()
        };
        assert!(plain_sentence(&claim, "patients").contains("at least 5 patients"));
        assert!(plain_sentence(&claim, "").contains("at least 5 records"));
    }

    #[test]
    fn unknown_promises_still_read() {
        let claim = Claim {
            promise: "delta-presence".into(),
            asked: "at most 0.3".into(),
            ..Claim::default()
        };
        assert_eq!(
            plain_sentence(&claim, ""),
            "The promise delta-presence was asked for: at most 0.3."
        );
    }
}
