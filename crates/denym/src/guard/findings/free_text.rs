//! Free text: a column of remarks leaves as it is, with whatever names people wrote into it.

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::texts::is_prose;
use crate::guard::view::Before;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "free-text",
    place: 20,
    severity: Severity::Grave,
    about: About::Column,
    summary: "a column of long texts, most of them said once, leaves as it is: such texts name people and places",
    advice: "leave the column out of `[attributes]`, or make a code of it before it is published",
    limits: "short notes of one or two words are not seen",
    recipient: Some("is free text and published as it was written: the publisher accepts that"),
    look: Look::Before(look),
};

fn look(view: &Before<'_>) -> Vec<Found> {
    let seen = view.columns.iter();
    let prose = seen.filter(|seen| seen.as_it_is && is_prose(seen.column));
    prose
        .map(|seen| Found::on(&seen.column.name, Said::new("finding.free-text.reason")))
        .collect()
}
