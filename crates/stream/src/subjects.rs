//! Who is in the stream now: the subjects with something retained or pending, and their sensitive values.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use denym_release::windows::Options;

/// A time before every event.
pub(crate) const NEVER: i64 = i64::MIN;

/// What a slide looks at of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// Mark of its row of the carried window; in a saved state the row itself.
    pub(crate) row: u32,
    /// Combination of sensitive values.
    pub(crate) profile: u32,
    /// Events not yet taken into a window.
    pub(crate) pending: u32,
    /// Time of the last event taken into a window.
    pub(crate) last: i64,
}

/// All subjects, found by their key. A slot without a key is free.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "they are what the type is about")]
pub(crate) struct Subjects {
    subjects: Vec<Subject>,
    keys: Vec<String>,
    free: Vec<u32>,
    by_key: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// How many were left when those who had left were last forgotten.
    stayed: usize,
}

impl Subjects {
    pub(crate) fn from_parts(
        subjects: Vec<Subject>,
        keys: Vec<String>,
        free: Vec<u32>,
        stayed: usize,
    ) -> Self {
        let mut all = Self {
            subjects,
            keys,
            free,
            stayed,
            ..Self::default()
        };
        for slot in 0..all.keys.len() as u32 {
            if !all.keys[slot as usize].is_empty() {
                all.index(slot);
            }
        }
        all
    }

    pub(crate) fn parts(&self) -> (&[Subject], &[String], &[u32]) {
        (&self.subjects, &self.keys, &self.free)
    }

    fn index(&mut self, slot: u32) {
        let Self {
            keys,
            by_key,
            hasher,
            ..
        } = self;
        let hash_of = |slot: &u32| hasher.hash_one(keys[*slot as usize].as_str());
        by_key.insert_unique(hash_of(&slot), slot, hash_of);
    }

    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        let same = |slot: &u32| self.keys[*slot as usize] == key;
        self.by_key.find(hash, same).copied()
    }

    pub(crate) fn add(&mut self, key: &str, profile: u32) -> u32 {
        let subject = Subject {
            row: 0,
            profile,
            pending: 0,
            last: NEVER,
        };
        let slot = if let Some(slot) = self.free.pop() {
            self.subjects[slot as usize] = subject;
            key.clone_into(&mut self.keys[slot as usize]);
            slot
        } else {
            self.subjects.push(subject);
            self.keys.push(key.to_owned());
            self.keys.len() as u32 - 1
        };
        self.index(slot);
        slot
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Subject {
        &mut self.subjects[slot as usize]
    }

    pub(crate) fn get(&self, slot: u32) -> &Subject {
        &self.subjects[slot as usize]
    }

    /// All slots; a free one was never seen.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Subject> {
        self.subjects.iter()
    }

    /// Number of subjects remembered.
    pub(crate) fn len(&self) -> usize {
        self.subjects.len() - self.free.len()
    }

    pub(crate) fn stayed(&self) -> usize {
        self.stayed
    }

    /// Gives every subject its new mark.
    pub(crate) fn mark_anew(&mut self, marks: &[u32]) {
        for subject in &mut self.subjects {
            subject.row = marks[subject.row as usize];
        }
    }

    /// Whether enough have joined since to go through all of them again: then each pass is paid for by those who joined.
    pub(crate) fn are_many(&self) -> bool {
        const FEW: usize = 64;
        self.len() > 2 * self.stayed + FEW
    }

    /// Forgets those who left: the empty row, nothing pending, last seen before `from`. Marks must be rows.
    pub(crate) fn forget_left(&mut self, from: i64) {
        let mut gone = vec![false; self.subjects.len()];
        for (slot, subject) in self.subjects.iter_mut().enumerate() {
            let left = subject.row == 0 && subject.last < from && subject.pending == 0;
            if left && !self.keys[slot].is_empty() {
                subject.last = NEVER;
                self.keys[slot].clear();
                self.free.push(slot as u32);
                gone[slot] = true;
            }
        }
        self.by_key.retain(|&mut slot| !gone[slot as usize]);
        self.stayed = self.len();
    }
}

/// The distinct combinations of sensitive values.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "they are what the type is about")]
pub(crate) struct Profiles {
    values: Vec<Labels>,
    profiles: Vec<Vec<u32>>,
    by_codes: HashMap<Vec<u32>, u32>,
}

impl Profiles {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            values: vec![Labels::default(); options.attributes.len()],
            ..Self::default()
        }
    }

    pub(crate) fn from_parts(values: Vec<Vec<String>>, profiles: Vec<Vec<u32>>) -> Self {
        let mut all = Self {
            values: values.into_iter().map(Labels::from_texts).collect(),
            ..Self::default()
        };
        for codes in profiles {
            all.add(codes);
        }
        all
    }

    pub(crate) fn parts(&self) -> (Vec<&[String]>, &[Vec<u32>]) {
        let values = self.values.iter().map(Labels::texts).collect();
        (values, &self.profiles)
    }

    /// The profile of one event; no value at all is the empty value of every attribute.
    pub(crate) fn profile(&mut self, sensitive: &[&str]) -> u32 {
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
            None => self.add(codes),
        }
    }

    fn add(&mut self, codes: Vec<u32>) -> u32 {
        let profile = self.profiles.len() as u32;
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

    /// The labels that were seen of each attribute.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[String]> {
        self.values.iter().map(Labels::texts)
    }

    pub(crate) fn len(&self) -> usize {
        self.profiles.len()
    }
}
