//! What one attack found on a release, in the one form that certificates, reports and gates are made of.

use denym_attack::catalogue::CATALOGUE;
use denym_attack::{Coverage, Evidence, Shape};
use serde_json::Value;

/// One attack before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The attack's name in the catalogue.
    pub attack: &'static str,
    /// What the adversary is after, when it is one sensitive attribute.
    pub attribute: Option<String>,
    /// What the adversary knows.
    pub knows: String,
    /// Whether a plain bound of the policy speaks of it.
    pub bounded: bool,
    /// On the source, where it can be tried there.
    pub before: Option<Evidence>,
    /// On the release.
    pub after: Evidence,
    /// What a reader should know about the figures.
    pub note: String,
    /// Whom it succeeds on best. This points at people: it stays with the steward.
    pub worst: Vec<Value>,
}

/// An attack that was not run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    /// The attack's name in the catalogue.
    pub attack: &'static str,
    /// Why it does not apply, or what it would need.
    pub why: String,
}

/// Evidence of a rate that was counted in full.
pub(crate) fn counted(attack: &'static str, people: u64, certain: u64, rate: f64) -> Evidence {
    Evidence {
        attack,
        attempts: people,
        successes: certain,
        rate,
        interval: (rate, rate),
        coverage: Coverage::Exhaustive,
    }
}

/// Every attack of the catalogue that is not among `findings`, with the reason: the one given, or that of its kind of data.
pub(crate) fn not_run(
    shape: Shape,
    findings: &[Finding],
    reasons: &[(&'static str, String)],
) -> Vec<NotRun> {
    let mut left = Vec::new();
    for entry in CATALOGUE {
        if findings.iter().any(|found| found.attack == entry.name) {
            continue;
        }
        let given = reasons.iter().find(|(name, _)| *name == entry.name);
        let why = match (given, entry.shape) {
            (Some((_, why)), _) => why.clone(),
            (None, Shape::Releases) => {
                "it needs several releases: see `denym attack releases`".to_owned()
            }
            (None, Shape::Queries) => {
                "no queries are answered: see `denym attack queries`".to_owned()
            }
            (None, Shape::Trails) => "it works on trails".to_owned(),
            (None, Shape::Paths) => "it works on paths".to_owned(),
            (None, Shape::Transactions) => "it works on transactions".to_owned(),
            (None, Shape::Microdata) => "no numbers were changed".to_owned(),
            (None, Shape::Table) if shape != Shape::Table => "it works on tables".to_owned(),
            (None, Shape::Table) => "there is nothing for it to work on".to_owned(),
        };
        left.push(NotRun {
            attack: entry.name,
            why,
        });
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attack_is_accounted_for() {
        let linkage = Finding {
            attack: "linkage",
            attribute: None,
            knows: String::new(),
            bounded: true,
            before: None,
            after: counted("linkage", 1, 0, 0.5),
            note: String::new(),
            worst: Vec::new(),
        };
        let left = not_run(
            Shape::Table,
            &[linkage],
            &[("presence", "no register".into())],
        );
        assert_eq!(left.len(), CATALOGUE.len() - 1);
        let why = |name| &left.iter().find(|one| one.attack == name).unwrap().why;
        assert_eq!(why("presence"), "no register");
        assert_eq!(why("reidit-c"), "it works on trails");
    }
}
