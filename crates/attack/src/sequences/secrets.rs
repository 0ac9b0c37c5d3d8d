//! What an adversary is after beside the record: sensitive values and visits to sensitive places.

use std::ops::Range;

use super::crowd::Crowd;
use super::{Guarded, Secret, Seen};

/// The value of an item's attribute that says it is there.
pub const PRESENT: &str = "present";

/// Values of an attribute without a bound that are looked for.
const MOST_VALUES: usize = 32;

/// Secrets that belong together, and when they count as told.
pub(crate) struct Goal {
    pub(crate) name: String,
    pub(crate) secrets: Range<usize>,
    pub(crate) note: String,
}

/// What must not be inferred: bounded values and places, and every other sensitive value for certain.
pub(crate) struct Wanted<'a> {
    seen: &'a Seen<'a>,
    crowd: &'a Crowd,
    /// On the release.
    pub(crate) after: Vec<Secret>,
    /// On the source; empty when nobody knows whose record is whose.
    pub(crate) before: Vec<Secret>,
    /// What belongs together.
    pub(crate) goals: Vec<Goal>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(seen: &'a Seen<'a>, crowd: &'a Crowd) -> Self {
        let mut wanted = Self {
            seen,
            crowd,
            after: Vec::new(),
            before: Vec::new(),
            goals: Vec::new(),
        };
        wanted.values();
        wanted.places();
        wanted
    }

    /// Sensitive attributes.
    fn values(&mut self) {
        let seen = self.seen;
        let present = vec![PRESENT.to_owned()];
        for attribute in seen.released.sensitive() {
            let first = self.after.len();
            let mut bounds = 0;
            let mut value = |label: &str, at_most| {
                let code = attribute.code(label);
                let has = |record: usize| Some(attribute.codes[record]) == code;
                self.secret(has, at_most, Vec::new());
            };
            for guarded in seen.guarded {
                let (listed, at_most) = match guarded {
                    Guarded::Values {
                        attribute: name,
                        values,
                        at_most,
                    } if *name == attribute.name => {
                        let all = values.is_empty();
                        (if all { &attribute.values } else { values }, at_most)
                    }
                    Guarded::Items { items, at_most } if items.contains(&attribute.name) => {
                        (&present, at_most)
                    }
                    _ => continue,
                };
                let bound = (at_most.numerator(), at_most.denominator());
                for label in listed {
                    value(label, Some(bound));
                }
                bounds += 1;
            }
            let note = if bounds == 0 {
                let listed = attribute.values.iter().take(MOST_VALUES);
                listed.for_each(|label| value(label, None));
                "Succeeds when all records that fit have one value."
            } else {
                "Succeeds when a value is likelier than its bound."
            };
            self.goals.push(Goal {
                name: attribute.name.clone(),
                secrets: first..self.after.len(),
                note: note.to_owned(),
            });
        }
    }

    /// Sensitive places that have a bound; who went there, the source says.
    fn places(&mut self) {
        let first = self.after.len();
        let seen = self.seen;
        for guarded in seen.guarded {
            let (Guarded::Places { places, at_most }, Some(own)) = (guarded, &seen.own) else {
                continue;
            };
            for place in places.iter().filter(|place| !seen.hidden.contains(place)) {
                let code = seen.raw.locations().iter().position(|label| label == place);
                let doublets = seen.raw.doublets().iter();
                let here: Vec<bool> = doublets
                    .map(|doublet| Some(doublet.location as usize) == code)
                    .collect();
                let mut visited = vec![false; seen.released.len()];
                for (path, &record) in seen.raw.records().zip(own) {
                    visited[record as usize] = path.iter().any(|&id| here[id as usize]);
                }
                let bound = (at_most.numerator(), at_most.denominator());
                self.secret(|record| visited[record], Some(bound), here);
            }
        }
        if self.after.len() > first {
            self.goals.push(Goal {
                name: "sensitive places".to_owned(),
                secrets: first..self.after.len(),
                note: "Succeeds when a visit is likelier than its bound.".to_owned(),
            });
        }
    }

    fn secret(
        &mut self,
        has: impl Fn(usize) -> bool,
        at_most: Option<(u64, u64)>,
        named_by: Vec<bool>,
    ) {
        let secret = |carriers, named_by| Secret {
            carriers,
            at_most,
            named_by,
        };
        if let Some(own) = &self.seen.own {
            let carriers = self.crowd.on_source(own, &has);
            self.before.push(secret(carriers, named_by.clone()));
        }
        self.after.push(secret(self.crowd.marked(&has), named_by));
    }
}
