//! Only stars: what is promised leaves nothing of what is known, so the release says next to nothing.
//!
//! A warning and not grave: nobody comes to harm by a table of stars. But somebody should know before it is handed out that the promises ask
//! for too much.

use denym_data::Role;

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::After;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "only-stars",
    place: 90,
    severity: Severity::Warning,
    about: About::Release,
    summary: "every quasi-identifier shows the same in all records: only a table of stars keeps the promises",
    advice: "ask for less: a smaller k or l, a larger `suppress-at-most`, fewer quasi-identifiers; `denym explore` shows what each bound costs",
    limits: "a release of which little more is left is not seen: see its loss",
    recipient: Some("every quasi-identifier shows the same in all records"),
    look: Look::After(look),
};

fn look(view: &After<'_>) -> Vec<Found> {
    let before = view.before;
    let reason = match view.fate.written {
        Some(written) => {
            let quasi: Vec<_> = before
                .policy
                .with_role(Role::QuasiIdentifier)
                .filter_map(|spec| {
                    let mut seen = before.columns.iter();
                    let seen = seen.find(|seen| seen.column.name == spec.name)?;
                    Some((seen.column, written.column(&spec.name)?))
                })
                .collect();
            let differed = quasi.iter().any(|(source, _)| source.dictionary.len() > 1);
            let differ = quasi.iter().any(|(_, shown)| shown.dictionary.len() > 1);
            (differed && !differ)
                .then(|| Said::new("finding.only-stars.reason").with("many", quasi.len()))
        }
        // Sequences have no columns to look at, but a loss of their own.
        None => {
            let (name, value) = &view.account.metric;
            let lost = name == "loss" && *value >= 1.0;
            lost.then(|| Said::new("finding.only-stars.nothing"))
        }
    };
    let found = reason.map(|reason| Found {
        column: None,
        reason,
    });
    found.into_iter().collect()
}
