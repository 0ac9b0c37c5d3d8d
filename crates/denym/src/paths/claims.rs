//! What was promised about paths and what the judge finds, promise by promise.

use denym_data::paths::Paths;
use denym_measure::paths::{Knowledge, PathAudit, Secret};

use super::request::bounded_values;
use crate::Error;
use crate::certificate::{Check, Claim};
use crate::policy::PromiseSpec;
use crate::policy::paths::Matching;
use crate::transactions::PRESENT;

/// Someone who judges paths against what an adversary knows.
pub(crate) type Judge<'a> = &'a mut dyn FnMut(&Knowledge) -> Result<PathAudit, Error>;

/// Sensitive places that more subjects visited than the bound allows, so that they are published nowhere.
///
/// Hiding other doublets cannot lower the share of all subjects; no group of the release says more than that share.
pub(crate) fn over_bound(paths: &Paths, promises: &[PromiseSpec]) -> Vec<String> {
    let mut over = Vec::new();
    for promise in promises {
        let PromiseSpec::Places { places, at_most } = promise else {
            continue;
        };
        for place in places {
            let Some(code) = paths.locations().iter().position(|l| l == place) else {
                continue;
            };
            let here = |id: &u32| paths.doublets()[*id as usize].location as usize == code;
            let visits = paths.records().filter(|path| path.iter().any(here)).count();
            if at_most.0.is_exceeded_by(visits as u64, paths.len() as u64) {
                over.push(place.clone());
            }
        }
    }
    over
}

/// Judges every promise; returns the claims and the audit of all of them together.
///
/// `hidden` are the places of [`over_bound`], which the release does not show.
pub(crate) fn claims(
    paths: &Paths,
    promises: &[PromiseSpec],
    l: usize,
    matching: Matching,
    hidden: &[String],
    judge: Judge<'_>,
) -> Result<(Vec<Claim>, PathAudit), Error> {
    let secrets = |promise: &PromiseSpec| -> Vec<Secret> {
        match promise {
            PromiseSpec::Confidence {
                attribute: Some(attribute),
                values,
                at_most,
            } => bounded_values(paths, attribute, values, &mut Vec::new())
                .iter()
                .map(|value| Secret::value(attribute, value, at_most.0))
                .collect(),
            PromiseSpec::Places { places, at_most } => places
                .iter()
                .filter(|place| !hidden.contains(place))
                .map(|place| Secret::place(place, at_most.0))
                .collect(),
            // A sensitive item is an attribute of its own, see `crate::transactions::judged`.
            PromiseSpec::Items { items, at_most } => items
                .iter()
                .map(|item| Secret::value(item, PRESENT, at_most.0))
                .collect(),
            _ => Vec::new(),
        }
    };
    let k = promises
        .iter()
        .find_map(|promise| match promise {
            PromiseSpec::KAnonymity { k } => Some(*k),
            _ => None,
        })
        .unwrap_or(1);
    let all: Vec<Secret> = promises.iter().flat_map(secrets).collect();
    let whole = judge(&Knowledge::new(l, k, all))?;
    let bounds = promises
        .iter()
        .filter(|promise| !matches!(promise, PromiseSpec::KAnonymity { .. }))
        .count();
    let mut found = Vec::with_capacity(promises.len());
    for promise in promises {
        let (asked, measured, holds) = match promise {
            PromiseSpec::KAnonymity { k } => (
                *k as f64,
                whole.smallest_group as f64,
                whole.smallest_group >= *k,
            ),
            PromiseSpec::Confidence { at_most, .. }
            | PromiseSpec::Places { at_most, .. }
            | PromiseSpec::Items { at_most, .. } => {
                // With one bound, the largest confidence of the whole audit is its own.
                let largest = if bounds == 1 {
                    whole.largest_confidence
                } else {
                    judge(&Knowledge::new(l, 1, secrets(promise)))?.largest_confidence
                };
                let bound = at_most.0;
                (bound.to_f64(), largest.to_f64(), largest <= bound)
            }
            _ => {
                return Err(Error::Internal {
                    what: "a promise that is not judged on paths".into(),
                });
            }
        };
        // Who visited a place, and what contradicts a source path, only the source tells.
        let attested =
            matching == Matching::Consistent || matches!(promise, PromiseSpec::Places { .. });
        found.push(Claim {
            quasi_identifiers: Vec::new(),
            violating_records: 0,
            promise: promise.name().to_owned(),
            attribute: promise.attribute().cloned().flatten(),
            asked,
            measured,
            holds: Some(holds),
            check: if attested {
                Check::Attested
            } else {
                Check::Recheckable
            },
            terms: promise.clone(),
        });
    }
    let all_hold = found.iter().all(|claim| claim.holds == Some(true));
    if all_hold && !whole.holds {
        return Err(Error::Internal {
            what: "the judge found a violation that no promise accounts for".into(),
        });
    }
    Ok((found, whole))
}
