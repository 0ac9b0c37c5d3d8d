//! The audit: every promise measured on every class, by code that knows nothing of solvers.

use crate::{Classes, Promise, Sense, Terms};

/// What one promise came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What was asked.
    pub terms: Terms,
    /// The value of the worst class; `None` when there is no class.
    pub measured: Option<f64>,
    /// Whether every class is admitted.
    pub holds: bool,
    /// Classes that are not.
    pub violating_groups: u64,
    /// Records in those classes.
    pub violating_records: u64,
}

/// Judges every class by every promise, in one walk on all cores. A table without records keeps every promise.
pub fn audit_classes(classes: &Classes, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
    let terms: Vec<Terms> = promises.iter().map(|promise| promise.terms()).collect();
    let senses: Vec<Sense> = terms.iter().map(|terms| terms.sense).collect();
    let start = || vec![(None::<f64>, 0_u64, 0_u64); promises.len()];
    let gathered = classes.fold(
        start,
        |gathered, _, group| {
            for ((promise, sense), (worst, groups, records)) in
                promises.iter().zip(&senses).zip(gathered.iter_mut())
            {
                *worst = Some(worse(*sense, *worst, promise.value(group)));
                if !promise.admits(group) {
                    *groups += 1;
                    *records += group.records;
                }
            }
        },
        |mut left, right| {
            for ((into, from), sense) in left.iter_mut().zip(right).zip(&senses) {
                if let Some(value) = from.0 {
                    into.0 = Some(worse(*sense, into.0, value));
                }
                into.1 += from.1;
                into.2 += from.2;
            }
            left
        },
    );
    terms
        .into_iter()
        .zip(gathered)
        .map(
            |(terms, (measured, violating_groups, violating_records))| Measured {
                terms,
                measured,
                holds: violating_groups == 0,
                violating_groups,
                violating_records,
            },
        )
        .collect()
}

/// The worse of two values.
pub(crate) fn worse(sense: Sense, worst: Option<f64>, value: f64) -> f64 {
    match (sense, worst) {
        (_, None) => value,
        (Sense::AtLeast, Some(worst)) => worst.min(value),
        (Sense::AtMost, Some(worst)) => worst.max(value),
    }
}
