//! Sensitive without promise: the policy calls a column sensitive and promises nothing about it.

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::Before;
use crate::policy::{About, PromiseSpec};

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "sensitive-without-promise",
    place: 60,
    severity: Severity::Warning,
    about: About::Column,
    summary: "a sensitive attribute has no promise about it: a group in which everybody has one value gives it away",
    advice: "promise something about it, such as `l-diversity = { attribute = \"..\", kind = \"distinct\", l = 2 }`",
    limits: "whether a promise is strong enough is not judged: see what the attacks achieve",
    recipient: Some("is called sensitive and no promise speaks of it"),
    look: Look::Before(look),
};

fn look(view: &Before<'_>) -> Vec<Found> {
    let promised = || {
        view.policy
            .promises
            .iter()
            .map(|promised| &promised.promise)
    };
    let first = view.sensitive.first();
    let speaks = |promise: &PromiseSpec, name: &String| match promise.attribute() {
        Some(Some(own)) => own == name,
        // One that names none speaks of the only one there is.
        Some(None) => first == Some(name),
        None => promise.counted().contains(name),
    };
    let silent = view
        .sensitive
        .iter()
        .filter(|name| !promised().any(|promise| speaks(promise, name)));
    silent
        .map(|name| Found::on(name, Said::new("finding.sensitive-without-promise.reason")))
        .collect()
}
