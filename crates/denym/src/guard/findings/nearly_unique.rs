//! Nearly unique: a measurement that nearly everybody has alone is called insensitive.
//!
//! # Idea
//!
//! `insensitive` says that nobody can be found by a column. Whoever has seen a bill, a time stamp or a laboratory value to its last digit finds the
//! person by it. Of a sensitive attribute the policy says that the adversary does not know it, so there this is silent.

use denym_data::Role;

use super::{FindingEntry, Found, Look, Severity, identifier_released};
use crate::guard::said::Said;
use crate::guard::texts::is_measured;
use crate::guard::view::{Before, ENOUGH, Spread};
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "nearly-unique",
    place: 50,
    severity: Severity::Warning,
    about: About::Column,
    summary: "nearly everybody has a number or date of their own in a column that is called insensitive",
    advice: "make it `quasi` with intervals, round or perturb it, or call it `sensitive` if nobody but the person knows it",
    limits: "columns that are only together nearly unique are not seen: see what the report says of what else somebody might know",
    recipient: Some("is nearly unique: who knows a person's value finds the person"),
    look: Look::Before(look),
};

fn look(view: &Before<'_>) -> Vec<Found> {
    let seen = view.columns.iter().filter(|seen| seen.as_it_is);
    let insensitive = seen.filter(|seen| seen.role != Role::Sensitive);
    insensitive
        .filter_map(|seen| {
            let spread = Spread::of(seen.column, view.people);
            let named = identifier_released::sign(seen, spread).is_some();
            if named || !spread.nearly_unique(ENOUGH) || !is_measured(seen.column) {
                return None;
            }
            let reason = Said::new("finding.nearly-unique.reason")
                .with("alone", spread.alone)
                .with("people", spread.people)
                .part("unit", view.unit());
            Some(Found::on(&seen.column.name, reason))
        })
        .collect()
}
