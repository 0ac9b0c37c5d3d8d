//! What an adversary is after beside the record: sensitive values and visits to sensitive places.

use std::ops::Range;

use super::crowd::Crowd;
use super::{Guarded, Inferable, ReleasedSequences};

/// The value of an item's attribute that says it is there.
pub const PRESENT: &str = "present";

/// Secrets that belong together, and when they count as told.
pub(crate) struct InferenceGoal {
    pub(crate) name: String,
    pub(crate) secrets: Range<usize>,
    pub(crate) note: String,
}

/// What must not be inferred: bounded values and places, and every other sensitive value for certain.
pub(crate) struct Inferables<'a> {
    seen: &'a ReleasedSequences<'a>,
    crowd: &'a Crowd,
    /// On the release.
    pub(crate) after: Vec<Inferable>,
    /// On the source; empty when nobody knows whose record is whose.
    pub(crate) before: Vec<Inferable>,
    /// What belongs together.
    pub(crate) goals: Vec<InferenceGoal>,
}

impl<'a> Inferables<'a> {
    pub(crate) fn new(seen: &'a ReleasedSequences<'a>, crowd: &'a Crowd) -> Self {
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
                    let code = attribute.code(label);
                    let has = |record: usize| Some(attribute.codes[record]) == code;
                    self.fact(has, bound, Vec::new());
                }
                bounds += 1;
            }
            let note = if bounds == 0 {
                self.any_value(&attribute.codes);
                "Succeeds when all records that fit have one value."
            } else {
                "Succeeds when a value is likelier than its bound."
            };
            self.goals.push(InferenceGoal {
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
                self.fact(|record| visited[record], bound, here);
            }
        }
        if self.after.len() > first {
            self.goals.push(InferenceGoal {
                name: "sensitive places".to_owned(),
                secrets: first..self.after.len(),
                note: "Succeeds when a visit is likelier than its bound.".to_owned(),
            });
        }
    }

    fn fact(&mut self, has: impl Fn(usize) -> bool, at_most: (u64, u64), named_by: Vec<bool>) {
        let fact = |carriers, named_by| Inferable::Fact {
            carriers,
            at_most,
            named_by,
        };
        if let Some(own) = &self.seen.own {
            let carriers = self.crowd.on_source(own, &has);
            self.before.push(fact(carriers, named_by.clone()));
        }
        self.after.push(fact(self.crowd.marked(&has), named_by));
    }

    /// Any value of an attribute; `codes` has that of each record.
    fn any_value(&mut self, codes: &[u32]) {
        let any = |of_record| Inferable::AnyValue { of_record };
        if let Some(own) = &self.seen.own {
            self.before
                .push(any(self.crowd.value_on_source(own, codes)));
        }
        self.after.push(any(self.crowd.value_of(codes)));
    }
}
