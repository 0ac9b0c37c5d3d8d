//! Who is in the stream now: the subjects with something retained or pending, and their sensitive values.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::options::Options;

/// A time before every event.
pub(crate) const NEVER: i64 = i64::MIN;

/// One subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) key: String,
    /// Row of the carried window.
    pub(crate) row: u32,
    /// Combination of sensitive values.
    pub(crate) profile: u32,
    /// Time of the last event taken into a window.
    pub(crate) last: i64,
    /// Events not yet taken into a window.
    pub(crate) pending: u32,
}

/// All subjects, found by their key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subjects {
    slots: Vec<Option<Subject>>,
    free: Vec<u32>,
    by_key: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Subjects {
    pub(crate) fn from_parts(slots: Vec<Option<Subject>>, free: Vec<u32>) -> Self {
        let mut subjects = Self {
            slots,
            free,
            ..Self::default()
        };
        for slot in 0..subjects.slots.len() as u32 {
            subjects.index(slot);
        }
        subjects
    }

    pub(crate) fn parts(&self) -> (&[Option<Subject>], &[u32]) {
        (&self.slots, &self.free)
    }

    fn index(&mut self, slot: u32) {
        let Self {
            slots,
            by_key,
            hasher,
            ..
        } = self;
        let hash_of = |slot: &u32| match &slots[*slot as usize] {
            Some(subject) => hasher.hash_one(subject.key.as_str()),
            None => 0,
        };
        if slots[slot as usize].is_some() {
            by_key.insert_unique(hash_of(&slot), slot, hash_of);
        }
    }

    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        let same = |slot: &u32| {
            let subject = self.slots[*slot as usize].as_ref();
            subject.is_some_and(|subject| subject.key == key)
        };
        self.by_key.find(hash, same).copied()
    }

    pub(crate) fn add(&mut self, key: &str, profile: u32) -> u32 {
        let subject = Subject {
            key: key.to_owned(),
            row: 0,
            profile,
            last: NEVER,
            pending: 0,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(subject);
                slot
            }
            None => {
                self.slots.push(Some(subject));
                self.slots.len() as u32 - 1
            }
        };
        self.index(slot);
        slot
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut Subject> {
        self.slots[slot as usize].as_mut()
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&Subject> {
        self.slots[slot as usize].as_ref()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Subject> {
        self.slots.iter().flatten()
    }

    /// Number of subjects remembered.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Gives every subject its new row and forgets those who left: no row, nothing pending, last seen before `from`.
    pub(crate) fn remap(&mut self, new_row: &[u32], from: i64) {
        for slot in 0..self.slots.len() {
            let Some(subject) = &mut self.slots[slot] else {
                continue;
            };
            subject.row = new_row[subject.row as usize];
            if subject.row == 0 && subject.pending == 0 && subject.last < from {
                let hash = self.hasher.hash_one(subject.key.as_str());
                if let Ok(entry) = self.by_key.find_entry(hash, |&at| at as usize == slot) {
                    entry.remove();
                }
                self.slots[slot] = None;
                self.free.push(slot as u32);
            }
        }
    }
}

/// The distinct combinations of sensitive values, and which bounds each is counted under.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profiles {
    values: Vec<Labels>,
    profiles: Vec<Vec<u32>>,
    by_codes: HashMap<Vec<u32>, u32>,
    /// Per profile, per bound.
    carries: Vec<Vec<bool>>,
}

impl Profiles {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            values: vec![Labels::default(); options.attributes.len()],
            ..Self::default()
        }
    }

    pub(crate) fn from_parts(
        values: Vec<Vec<String>>,
        profiles: Vec<Vec<u32>>,
        options: &Options,
    ) -> Self {
        let mut all = Self {
            values: values.into_iter().map(Labels::from_texts).collect(),
            ..Self::default()
        };
        for codes in profiles {
            all.add(codes, options);
        }
        all
    }

    pub(crate) fn parts(&self) -> (Vec<&[String]>, &[Vec<u32>]) {
        let values = self.values.iter().map(Labels::texts).collect();
        (values, &self.profiles)
    }

    /// The profile of one event; no value at all is the empty value of every attribute.
    pub(crate) fn profile(&mut self, sensitive: &[&str], options: &Options) -> u32 {
        let codes: Vec<u32> = if sensitive.is_empty() {
            self.values
                .iter_mut()
                .map(|labels| labels.code(""))
                .collect()
        } else {
            let pairs = self.values.iter_mut().zip(sensitive);
            pairs.map(|(labels, text)| labels.code(text)).collect()
        };
        match self.by_codes.get(&codes) {
            Some(&profile) => profile,
            None => self.add(codes, options),
        }
    }

    fn add(&mut self, codes: Vec<u32>, options: &Options) -> u32 {
        let profile = self.profiles.len() as u32;
        let carried = options.bounds.iter().map(|bound| {
            let mut named = options.attributes.iter().zip(&codes).zip(&self.values);
            named.any(|((name, &code), labels)| {
                *name == bound.attribute && labels.text(code) == bound.value
            })
        });
        self.carries.push(carried.collect());
        self.by_codes.insert(codes.clone(), profile);
        self.profiles.push(codes);
        profile
    }

    pub(crate) fn is(&self, profile: u32, sensitive: &[&str]) -> bool {
        self.labels(profile).eq(sensitive.iter().copied())
    }

    pub(crate) fn labels(&self, profile: u32) -> impl Iterator<Item = &str> {
        let codes = &self.profiles[profile as usize];
        codes
            .iter()
            .zip(&self.values)
            .map(|(&code, labels)| labels.text(code))
    }

    pub(crate) fn carries(&self, profile: u32) -> &[bool] {
        &self.carries[profile as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.profiles.len()
    }
}
