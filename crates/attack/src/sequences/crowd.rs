//! The people of a release as the attacks see them: codes, and those who are alike once.

use std::collections::HashMap;

use denym_data::paths::Paths;

use super::{Alike, Exposure, ReleasedSequences};

/// A setting of distinct people, and who they are.
pub struct Crowd {
    /// What is published of distinct people.
    pub setting: Exposure,
    /// The same people where everybody shows the raw path.
    pub before: Exposure,
    kind_of_person: Vec<u32>,
    kind_of_record: Vec<u32>,
    first: Vec<u32>,
}

impl Crowd {
    /// The people of `seen`.
    pub fn new(seen: &ReleasedSequences<'_>) -> Self {
        let (raw, released) = (seen.raw, seen.released);
        let time_of: HashMap<&str, u32> = released
            .times()
            .iter()
            .map(String::as_str)
            .zip(0..)
            .collect();
        let raw_time = |time: u32| time_of.get(raw.times()[time as usize].as_str()).copied();
        let alike = Alike::new(
            raw.records(),
            released.records(),
            seen.own.as_deref(),
            &classes(raw, released),
        );
        let setting = Exposure {
            raw: alike.raw,
            published: alike.published,
            own: alike.own,
            stands_for: seen.stands_for.clone(),
            raw_time: raw.doublets().iter().map(|d| raw_time(d.time)).collect(),
            published_time: released.doublets().iter().map(|d| d.time).collect(),
            classes: alike.classes,
            counts: alike.counts,
        };
        Self {
            before: setting.before(),
            setting,
            kind_of_person: alike.kind_of_person,
            kind_of_record: alike.kind_of_record,
            first: alike.first,
        }
    }

    /// How the steward's document names a kind of people: the record of its first, or the source's when nobody knows it.
    pub fn named(&self, seen: &ReleasedSequences<'_>, victim: u32) -> (Option<u32>, Option<u32>) {
        let person = self.first[victim as usize];
        let own = seen.own.as_ref().map(|own| own[person as usize] + 1);
        (own, own.is_none().then_some(person + 1))
    }

    /// How many records of each kind have a secret.
    pub fn marked(&self, has: &impl Fn(usize) -> bool) -> Vec<u32> {
        let mut counts = vec![0; self.setting.published.len()];
        for (record, &kind) in self.kind_of_record.iter().enumerate() {
            counts[kind as usize] += u32::from(has(record));
        }
        counts
    }

    /// The value that all records of each kind have, where `codes` has that of each record.
    pub fn value_of(&self, codes: &[u32]) -> Vec<Option<u32>> {
        let each = self
            .kind_of_record
            .iter()
            .copied()
            .zip(codes.iter().copied());
        common_value(self.setting.published.len(), each)
    }

    /// The same of the people of each kind, where everybody shows the raw path.
    pub fn value_on_source(&self, own: &[u32], codes: &[u32]) -> Vec<Option<u32>> {
        let values = own.iter().map(|&record| codes[record as usize]);
        let each = self.kind_of_person.iter().copied().zip(values);
        common_value(self.setting.raw.len(), each)
    }

    /// How many people of each kind have it: the records of the source, where everybody shows the raw path.
    pub fn on_source(&self, own: &[u32], has: &impl Fn(usize) -> bool) -> Vec<u32> {
        let mut counts = vec![0; self.setting.raw.len()];
        for (&kind, &record) in self.kind_of_person.iter().zip(own) {
            counts[kind as usize] += u32::from(has(record as usize));
        }
        counts
    }
}

/// The value that all of each kind have; `None` where they differ.
fn common_value(kinds: usize, each: impl Iterator<Item = (u32, u32)>) -> Vec<Option<u32>> {
    let mut common: Vec<Option<Option<u32>>> = vec![None; kinds];
    for (kind, value) in each {
        let known = &mut common[kind as usize];
        *known = match known {
            None => Some(Some(value)),
            Some(own) => Some(own.filter(|&own| own == value)),
        };
    }
    common.into_iter().map(Option::flatten).collect()
}

/// Numbers that are equal exactly when the quasi-identifiers are, on both sides.
fn classes(raw: &Paths, released: &Paths) -> (Vec<u32>, Vec<u32>) {
    if released.quasi().is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut sides = (vec![0; raw.len()], vec![0; released.len()]);
    for shown in released.quasi() {
        let Some(own) = raw.quasi().iter().find(|own| own.name == shown.name) else {
            continue;
        };
        // One numbering of values for both sides, then one of pairs (class so far, value).
        let mut values: HashMap<&str, u32> = HashMap::new();
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for (classes, column) in [(&mut sides.0, own), (&mut sides.1, shown)] {
            let number: Vec<u32> = column
                .values
                .iter()
                .map(|value| {
                    let next = values.len() as u32;
                    *values.entry(value).or_insert(next)
                })
                .collect();
            for (class, &code) in classes.iter_mut().zip(&column.codes) {
                let next = pairs.len() as u32;
                *class = *pairs.entry((*class, number[code as usize])).or_insert(next);
            }
        }
    }
    sides
}
