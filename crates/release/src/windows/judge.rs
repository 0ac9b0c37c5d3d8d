//! Hands a window to the one judge of `measure`, which counts every group by itself.
//!
//! Every promise that can be judged on a group can be made of windows. A promise that compares distributions needs one that does
//! not move with the windows, or what was published could break it later: the policy states it, and the claims carry it.

use std::collections::HashMap;

use denym_data::Sequences;
use denym_measure::Promise;
use denym_measure::promises::{Confidence, KAnonymity};
use denym_measure::sequences::{Doublets, SequenceAudit};

use super::window::Window;
use crate::Error;
use denym_measure::SensitiveAttribute;
use denym_policy::PromiseSpec;
use denym_policy::stream::{Bound, Options, Reference};

/// What must hold of every group of every window.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Most doublets the adversary knows.
    pub l: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive values with their bounds.
    pub bounds: &'a [Bound],
    /// What else.
    pub promises: &'a [PromiseSpec],
    /// What distributions are compared with.
    pub reference: &'a [Reference],
}

impl<'a> Asked<'a> {
    /// What these options ask.
    pub fn new(options: &'a Options) -> Asked<'a> {
        Asked {
            l: options.l,
            k: options.k,
            bounds: &options.bounds,
            promises: &options.promises,
            reference: &options.reference,
        }
    }

    /// An attribute with these labels as promises see it: the values of its reference first, in their order, then the others by text.
    ///
    /// So a code means the same whatever else a window shows.
    pub fn attribute<'l>(
        &self,
        name: &str,
        labels: impl IntoIterator<Item = &'l str>,
    ) -> SensitiveAttribute {
        let reference = self.reference.iter().find(|own| own.attribute == name);
        let listed = reference.map_or(&[][..], |own| &own.values);
        let known = |label: &&str| listed.iter().all(|(value, _)| value != label);
        let mut others: Vec<&str> = labels.into_iter().filter(known).collect();
        others.sort_unstable();
        others.dedup();
        let values = listed.iter().map(|(value, _)| value.as_str()).chain(others);
        // What an event does not say has the empty label.
        let values: Vec<Option<String>> = values
            .map(|label| (!label.is_empty()).then(|| label.to_owned()))
            .collect();
        let mut counts: Vec<u64> = listed.iter().map(|&(_, count)| count).collect();
        counts.resize(values.len(), 0);
        SensitiveAttribute {
            name: name.to_owned(),
            values,
            reference: counts,
            taxonomy: None,
            parts: Vec::new(),
            hidden: false,
        }
    }

    /// The promises over these attributes: size, then each bound, then the rest.
    pub fn judged(
        &self,
        attributes: &[SensitiveAttribute],
    ) -> Result<Vec<Box<dyn Promise>>, Error> {
        let mut all: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: self.k })];
        for bound in self.bounds {
            let mut own = attributes.iter();
            let at = own.position(|own| own.name == bound.attribute);
            let is_it = |value: &Option<String>| value.as_deref() == Some(&bound.value);
            let code = at.and_then(|at| attributes[at].values.iter().position(is_it));
            let bounded = code.map(|code| (code as u32, bound.at_most));
            all.push(Box::new(Confidence::of_values(at.unwrap_or(0), bounded)));
        }
        for spec in self.promises {
            let judged = spec.build(attributes).map_err(|what| Error::Unfit {
                promise: spec.name(),
                what,
            })?;
            all.push(judged);
        }
        Ok(all)
    }

    /// The attributes of a table of windows, in the codes of its columns.
    pub fn attributes_of(&self, table: &Sequences) -> Vec<SensitiveAttribute> {
        let own = table.sensitive().iter();
        own.map(|own| self.attribute(&own.name, own.values.iter().map(String::as_str)))
            .collect()
    }
}

/// The code of each label of an attribute; what an event does not say has the empty label.
pub fn codes(attribute: &SensitiveAttribute) -> HashMap<&str, u32> {
    let labels = attribute.values.iter().map(|value| value.as_deref());
    labels.map(Option::unwrap_or_default).zip(0..).collect()
}

/// Judges a window by what it shows: its distinct records, each as often as it says.
pub fn shown(window: &Window, asked: &Asked<'_>) -> Result<SequenceAudit, Error> {
    let names = window.attributes.iter().enumerate();
    let attributes: Vec<SensitiveAttribute> = names
        .map(|(at, name)| asked.attribute(name, window.profiles.iter().map(|p| p[at].as_str())))
        .collect();
    let promises = asked.judged(&attributes)?;
    let code_of: Vec<HashMap<&str, u32>> = attributes.iter().map(codes).collect();
    let codes: Vec<Vec<u32>> = window
        .profiles
        .iter()
        .map(|profile| {
            let labels = code_of.iter().zip(profile);
            labels.map(|(codes, label)| codes[label.as_str()]).collect()
        })
        .collect();
    let rows = window.records.iter().map(|record| {
        let codes = codes[record.profile as usize].as_slice();
        (record.path.as_slice(), codes, record.count)
    });
    let values: Vec<usize> = attributes.iter().map(|own| own.values.len()).collect();
    Ok(Doublets::covering(asked.l).judge_counted(window.places.len(), &values, rows, &promises))
}
