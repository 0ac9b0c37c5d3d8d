//! No quasi-identifier: the policy says that nobody knows anything of anybody, so every promise holds of nothing.

use denym_data::Role;

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::Before;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "no-quasi-identifier",
    place: 30,
    severity: Severity::Grave,
    about: About::Release,
    summary: "no column is a quasi-identifier: all records are one group, and every promise about groups holds of itself",
    advice: "give every column that somebody could know of a person the role `quasi`, such as age, sex, place and dates",
    limits: "one quasi-identifier where five are known is not seen: `denym profile` lists what could be known",
    recipient: Some(
        "no column is taken to be known to anybody, so the promises say nothing about who can be found",
    ),
    look: Look::Before(look),
};

fn look(view: &Before<'_>) -> Vec<Found> {
    let mut quasi = view.policy.with_role(Role::QuasiIdentifier);
    if !view.in_columns || quasi.next().is_some() {
        return Vec::new();
    }
    let many = view.columns.len();
    let reason = Said::new("finding.no-quasi-identifier.reason").with("many", many);
    vec![Found {
        column: None,
        reason,
    }]
}
