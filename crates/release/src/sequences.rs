//! What was promised about paths and transactions and what the judge finds, promise by promise.

use denym_data::Sequences;
use denym_data::sequences::Attribute;
use denym_measure::promises::Confidence;
use denym_measure::sequences::{Doublets, Items, SequenceAudit};
use denym_measure::{Bounded, Promise, PromiseSpec, Sense, SensitiveAttribute, sets_of_at_most};

use crate::Error;
use crate::certificate::{Check, Claim};
use denym_policy::Knowledge;
use denym_policy::paths::Matching;

/// What is judged on groups of sequences.
#[derive(Default)]
pub struct Asked {
    /// One after the other.
    pub promises: Vec<Box<dyn Promise>>,
    /// Sensitive places or items, each an attribute after those of the data.
    pub within: Vec<String>,
}

/// Someone who judges sequences against what an adversary knows; an error is its own.
pub type Judge<'a, E> = &'a mut dyn FnMut(&Asked) -> Result<SequenceAudit, E>;

/// Judges what sequences show against somebody who knows any so many of their doublets or items; `None` where other things are known.
pub fn judge(knows: Knowledge, seen: &Sequences, asked: &Asked) -> Option<SequenceAudit> {
    let within = asked.within.clone();
    match knows {
        Knowledge::Doublets(l) => {
            let knowledge = Doublets {
                places: within,
                ..Doublets::covering(l)
            };
            Some(knowledge.judge(seen, &asked.promises))
        }
        Knowledge::Items(m) => {
            let knowledge = Items {
                m,
                sensitive: within,
            };
            Some(knowledge.judge(seen, &asked.promises))
        }
        _ => None,
    }
}

/// Doublets or items known at once up to which any data is judged: groups of so few are counted as they are found.
const FEW: usize = 8;

/// Sets of doublets or items beyond which knowledge of more than a few is not judged: memory and time grow with their number.
const MOST_SETS: u64 = 10_000_000_000;

/// Whether somebody may know more different parts of these records than anybody can judge.
pub fn too_many_to_judge(knows: Knowledge, seen: &Sequences) -> bool {
    let (Knowledge::Doublets(known) | Knowledge::Items(known)) = knows else {
        return false;
    };
    let sets = |record: &[u32]| sets_of_at_most(record.len() as u64, known as u64);
    known > FEW && seen.records().map(sets).fold(0, u64::saturating_add) > MOST_SETS
}

/// The sensitive attributes of sequences as promises see them, distributed as over these records.
pub fn sensitive_attributes(table: &Sequences) -> Vec<SensitiveAttribute> {
    let one = |own: &Attribute| {
        let mut reference = vec![0; own.values.len()];
        for &code in &own.codes {
            reference[code as usize] += 1;
        }
        // What is missing has the empty label.
        let label = |label: &String| (!label.is_empty()).then(|| label.clone());
        SensitiveAttribute {
            name: own.name.clone(),
            values: own.values.iter().map(label).collect(),
            reference,
            taxonomy: None,
            parts: Vec::new(),
            hidden: false,
        }
    };
    table.sensitive().iter().map(one).collect()
}

/// Sensitive places that more subjects visited than the bound allows, so that they are published nowhere.
///
/// Hiding other doublets cannot lower the share of all subjects; no group of the release says more than that share.
pub fn over_bound(paths: &Sequences, promises: &[PromiseSpec]) -> Vec<String> {
    let mut over = Vec::new();
    for promise in promises {
        let Some((Bounded::Places(places), at_most)) = promise.bounded() else {
            continue;
        };
        for place in places {
            let Some(code) = paths.locations().iter().position(|l| l == place) else {
                continue;
            };
            let here = |id: &u32| paths.doublets()[*id as usize].location as usize == code;
            let visits = paths.records().filter(|path| path.iter().any(here)).count();
            if at_most.is_exceeded_by(visits as u64, paths.len() as u64) {
                over.push(place.clone());
            }
        }
    }
    over
}

/// Judges every promise; returns the claims and the audit of all of them together.
///
/// `attributes` are those of the records that are judged, in their order. `hidden` are the places of [`over_bound`], which the
/// release does not show.
pub fn claims<E: From<Error>>(
    attributes: &[SensitiveAttribute],
    specs: &[PromiseSpec],
    matching: Matching,
    hidden: &[String],
    judge: Judge<'_, E>,
) -> Result<(Vec<Claim>, SequenceAudit), E> {
    let mut all = Asked::default();
    let mut ends = Vec::with_capacity(specs.len());
    for spec in specs {
        all.ask(spec, attributes, hidden)?;
        ends.push(all.promises.len());
    }
    let whole = judge(&all)?;
    let mut found = Vec::with_capacity(specs.len());
    let mut begin = 0;
    for (spec, end) in specs.iter().zip(ends) {
        let own = &whole.measured[begin..end];
        begin = end;
        // A promise about several places is as good as the worst of them.
        let values = own.iter().filter_map(|own| own.measured);
        let worst = match own.first().map(|own| own.terms.sense) {
            Some(Sense::AtLeast) => values.reduce(f64::min),
            _ => values.reduce(f64::max),
        };
        // Who visited a place, and what contradicts a source path, only the source tells.
        let attested = matching == Matching::Consistent || spec.is_about_places();
        found.push(Claim {
            quasi_identifiers: Vec::new(),
            violating_records: own
                .iter()
                .map(|own| own.violating_records)
                .max()
                .unwrap_or(0),
            promise: spec.name().to_owned(),
            attribute: spec.attribute().cloned().flatten(),
            asked: spec.bound(),
            measured: worst.unwrap_or(0.0),
            holds: Some(own.iter().all(|own| own.holds)),
            check: if attested {
                Check::Attested
            } else {
                Check::Recheckable
            },
            terms: spec.clone(),
        });
    }
    Ok((found, whole))
}

impl Asked {
    /// Adds what `spec` asks of groups over these attributes.
    pub fn ask(
        &mut self,
        spec: &PromiseSpec,
        attributes: &[SensitiveAttribute],
        hidden: &[String],
    ) -> Result<(), Error> {
        match spec.bounded() {
            Some((Bounded::Places(names) | Bounded::Items(names), at_most)) => {
                for name in names.iter().filter(|name| !hidden.contains(name)) {
                    let known = self.within.iter().position(|known| known == name);
                    let at = known.unwrap_or_else(|| {
                        self.within.push(name.clone());
                        self.within.len() - 1
                    });
                    let bound = Confidence::of_values(attributes.len() + at, [(1, at_most)]);
                    self.promises.push(Box::new(bound));
                }
            }
            _ => {
                let judged = spec.build(attributes).map_err(|what| Error::Unfit {
                    promise: spec.name(),
                    what,
                })?;
                self.promises.push(judged);
            }
        }
        Ok(())
    }
}
