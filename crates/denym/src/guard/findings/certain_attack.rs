//! Certain attack: somebody who knows no more than the promises reckon with is right about somebody for certain.

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::After;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "certain-attack",
    place: 70,
    severity: Severity::Warning,
    about: About::Either,
    summary: "an attack by somebody who knows no more than the promises reckon with is certain about somebody",
    advice: "promise more about what the attack finds out, such as l-diversity, or bound it with `[attack] refuse-above`",
    limits: "attacks that are merely likely, and adversaries who know more than the promises reckon with, are in the report and not here",
    recipient: Some(
        "an attack is certain about some of the people; the attacks of this certificate say how often",
    ),
    look: Look::After(look),
};

fn look(view: &After<'_>) -> Vec<Found> {
    let findings = view.red_team.findings.iter();
    let certain = findings.filter(|found| found.bounded && found.after.successes > 0);
    let mut all: Vec<(Option<String>, Vec<Said>)> = Vec::new();
    for found in certain {
        let words = Said::new("finding.certain-attack.one")
            .with("attack", found.attack)
            .with("many", found.after.successes)
            .with("of", found.after.attempts);
        match all.iter_mut().find(|one| one.0 == found.attribute) {
            Some(one) => one.1.push(words),
            None => all.push((found.attribute.clone(), vec![words])),
        }
    }
    let all = all.into_iter().map(|(column, attacks)| Found {
        column,
        reason: Said::new("finding.certain-attack.reason").parts("attacks", attacks),
    });
    all.collect()
}
