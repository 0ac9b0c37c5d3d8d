//! Identifier released: a column that names people leaves as it is.
//!
//! # Idea
//!
//! Three signs, each with a look at whether the values point at single people, so that the name of a ward is no alarm:
//!
//! | sign | alarm when |
//! |---|---|
//! | the column's name says name, e-mail, telephone, .. | a tenth of the people have a value of their own, or values are many |
//! | the column's name says number of a person | nearly everybody has a value of their own, and it is text or was assigned |
//! | the values have the form or check digit of an identifier | as for names |
//! | nearly everybody has a text of their own, or a number that was assigned | at least 20 people |
//!
//! A measurement that nearly everybody has alone is [`nearly-unique`](super::nearly_unique), not this.

use denym_data::Kind;
use denym_measure::recognize::{Meaning, find_pattern, meaning_of};

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::texts::{is_assigned, is_measured, is_prose};
use crate::guard::view::{Before, ENOUGH, Seen, Spread};
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "identifier-released",
    place: 10,
    severity: Severity::Grave,
    about: About::Column,
    summary: "a column that leaves as it is looks like an identifier, by its name, its values or how few people share one",
    advice: "give the column the role `identifier`, with a pseudonym if records must be told apart, or leave it out of `[attributes]`",
    limits: "names in other languages than English, German, French and Spanish, and identifiers that look like measurements, are not seen",
    recipient: Some(
        "looks like an identifier and is published as it is: the publisher accepts that",
    ),
    look: Look::Before(look),
};

fn look(view: &Before<'_>) -> Vec<Found> {
    let seen = view.columns.iter().filter(|seen| seen.as_it_is);
    seen.filter_map(|seen| {
        let spread = Spread::of(seen.column, view.people);
        let why = sign(seen, spread)?;
        let reason = Said::new("finding.identifier-released.reason")
            .part("why", why)
            .with("alone", spread.alone)
            .with("people", spread.people)
            .part("unit", view.unit());
        Some(Found::on(&seen.column.name, reason))
    })
    .collect()
}

/// Why a column looks like an identifier.
pub(super) fn sign(seen: &Seen<'_>, spread: Spread) -> Option<Said> {
    let column = seen.column;
    let kind = column.dictionary.kind();
    if kind == Kind::Boolean || spread.distinct < 2 {
        return None;
    }
    let pattern = find_pattern(&column.dictionary).filter(|pattern| pattern.identifies());
    if let Some(pattern) = pattern.filter(|_| spread.points()) {
        let said = Said::new("finding.identifier-released.pattern");
        return Some(said.with("pattern", pattern.name()));
    }
    // What is prose, whatever it is called, has a finding of its own.
    if is_prose(column) {
        return None;
    }
    let measured = is_measured(column);
    if let Some(told) = meaning_of(&column.name) {
        let names = told.meaning.identifies() && spread.points() && kind != Kind::Date;
        let counts = matches!(told.meaning, Meaning::Person | Meaning::RecordNumber);
        let given_out = kind == Kind::Text && !measured || is_assigned(column, 3.0);
        if names || counts && given_out && spread.nearly_unique(5) {
            let said = Said::new("finding.identifier-released.name");
            return Some(said.with("word", told.word));
        }
        // What is called an income or a weight was measured, however evenly.
        if kind != Kind::Text && !told.meaning.identifies() && !counts {
            return None;
        }
    }
    if !spread.nearly_unique(ENOUGH) {
        return None;
    }
    if kind == Kind::Text && !measured {
        return Some(Said::new("finding.identifier-released.text"));
    }
    let assigned = spread.alone == spread.people && is_assigned(column, 5.0);
    assigned.then(|| Said::new("finding.identifier-released.assigned"))
}
