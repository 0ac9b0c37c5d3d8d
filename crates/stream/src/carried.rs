//! The carried window: the distinct paths of the retained doublets, with how many subjects have each.
//!
//! # Idea
//!
//! What a slide needs is not a million records but the few thousand distinct paths they share. Each
//! subject points to its row; an event moves the subject to the row that is one doublet longer, as
//! one goes down a trie. Outdated and suppressed doublets are taken out of the rows, and rows that have
//! become equal are merged. A subject's pointer is a mark, and only the table of marks knows which row it
//! stands for now, so that merging rows does not touch the subjects.
//!
//! ```text
//! row 0  (nothing)          row 3  b2 c3      (s1:1 s3:1 s5:1)     subject 1 -> 3
//! row 1  b2                 row 4  b2 c3 d4                        event (1, d, 4): subject 1 -> 4
//! ```
//!
//! # Reference
//!
//! Al-Hussaeni, Fung, Cheung, *Privacy-preserving trajectory stream publishing*, Data & Knowledge
//! Engineering 94 (2014), section 4.2.
//!
//! # Departures
//!
//! The paper keeps a trie with links between the nodes of one doublet and merges subtrees when a
//! node goes. We keep the rows flat and merge by content: the same sharing, no pointers to mend.
//!
//! # Cost
//!
//! Two table look-ups per event; per merge one pass over the distinct rows. Subjects are gone through when the marks
//! have become many, or the subjects.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};

/// What was decided about a doublet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fate {
    /// In no published window yet.
    New,
    /// In a published window.
    Published,
    /// Never to be shown; counted on only where an adversary's contradictions are.
    Suppressed,
    /// Out of reach of every later window; stays in the rows until they are merged.
    Outdated,
}

/// A retained doublet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) time: i64,
    pub(crate) location: u32,
    pub(crate) fate: Fate,
    /// Subjects that have it.
    pub(crate) support: u32,
}

/// Distinct paths with counts per profile of sensitive values. Row 0 is the empty path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// In the order of time; a path holds increasing ids.
    pub(crate) doublets: Vec<Seen>,
    starts: Vec<u32>,
    items: Vec<u32>,
    /// (profile, subjects), per row.
    counts: Vec<Vec<(u32, u32)>>,
    #[serde(skip)]
    longer: HashMap<(u32, u32), u32>,
    /// Rows before this one hold no new doublet.
    #[serde(skip)]
    fresh_from: usize,
    /// Row of each mark; mark 0 is the empty row's.
    #[serde(skip)]
    marks: Vec<u32>,
    /// A mark of each row.
    #[serde(skip)]
    mark_of: Vec<u32>,
}

impl Default for Carried {
    fn default() -> Self {
        Self {
            doublets: Vec::new(),
            starts: vec![0, 0],
            items: Vec::new(),
            counts: vec![Vec::new()],
            longer: HashMap::new(),
            fresh_from: 1,
            marks: vec![0],
            mark_of: vec![0],
        }
    }
}

impl Carried {
    pub(crate) fn rows(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn path(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(crate) fn counts(&self, row: usize) -> &[(u32, u32)] {
        &self.counts[row]
    }

    /// The row that a mark stands for.
    pub(crate) fn row(&self, mark: u32) -> u32 {
        self.marks[mark as usize]
    }

    /// Marks given since they were last counted anew.
    pub(crate) fn marks(&self) -> usize {
        self.marks.len()
    }

    /// Gives every row its own number as mark; returns the new mark of each old one.
    pub(crate) fn mark_anew(&mut self) -> Vec<u32> {
        self.mark_of = (0..self.rows() as u32).collect();
        std::mem::replace(&mut self.marks, self.mark_of.clone())
    }

    /// The rows among which all with a new doublet are.
    pub(crate) fn fresh_rows(&self) -> std::ops::Range<usize> {
        self.fresh_from..self.rows()
    }

    /// Says that no row holds a new doublet any more.
    pub(crate) fn all_decided(&mut self) {
        self.fresh_from = self.rows();
    }

    fn find_fresh_rows(&mut self) {
        let is_fresh = |row: &usize| {
            let last = self.path(*row).last();
            last.is_some_and(|&id| self.doublets[id as usize].fate == Fate::New)
        };
        self.fresh_from = (1..self.rows()).find(is_fresh).unwrap_or(self.rows());
    }

    /// Whether the parts belong together; a state from outside may not.
    pub(crate) fn is_sound(&self, locations: usize, profiles: usize) -> bool {
        let framed = self.starts.first() == Some(&0)
            && self.starts.last().map(|&end| end as usize) == Some(self.items.len())
            && self.starts.windows(2).all(|pair| pair[0] <= pair[1])
            && self.starts.len() == self.counts.len() + 1
            && self.starts.get(1) == Some(&0);
        framed
            && (0..self.rows()).all(|row| {
                let path = self.path(row);
                path.windows(2).all(|two| two[0] < two[1])
                    && path.iter().all(|&id| (id as usize) < self.doublets.len())
                    && self.counts[row]
                        .iter()
                        .all(|&(profile, _)| (profile as usize) < profiles)
            })
            && self
                .doublets
                .iter()
                .all(|seen| (seen.location as usize) < locations)
    }

    /// A doublet at a time not earlier than all others.
    pub(crate) fn add_doublet(&mut self, time: i64, location: u32) -> u32 {
        debug_assert!(self.doublets.last().is_none_or(|last| last.time <= time));
        self.doublets.push(Seen {
            time,
            location,
            fate: Fate::New,
            support: 0,
        });
        self.doublets.len() as u32 - 1
    }

    /// Moves one subject to the row with `doublet` added; takes and returns a mark.
    pub(crate) fn extend(&mut self, mark: u32, doublet: u32, profile: u32) -> u32 {
        let row = self.marks[mark as usize];
        self.doublets[doublet as usize].support += 1;
        let known = self.longer.get(&(row, doublet)).copied();
        let to = known.unwrap_or_else(|| {
            let span = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
            self.items.extend_from_within(span);
            self.items.push(doublet);
            self.starts.push(self.items.len() as u32);
            self.counts.push(Vec::new());
            let to = self.counts.len() as u32 - 1;
            self.longer.insert((row, doublet), to);
            self.mark_of.push(self.marks.len() as u32);
            self.marks.push(to);
            to
        });
        if row != 0 {
            let old = &mut self.counts[row as usize];
            if let Some(at) = old.iter().position(|&(known, _)| known == profile) {
                old[at].1 -= 1;
                if old[at].1 == 0 {
                    old.swap_remove(at);
                }
            }
        }
        add_count(&mut self.counts[to as usize], profile, 1);
        self.mark_of[to as usize]
    }

    /// Takes doublets out of all rows and merges rows that became equal.
    ///
    /// Rows without subjects are gone; their marks stand for the empty row.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Seen) -> bool) {
        let mut new_id = vec![u32::MAX; self.doublets.len()];
        let mut doublets = Vec::new();
        for (id, seen) in self.doublets.iter().enumerate() {
            if keep(seen) {
                new_id[id] = doublets.len() as u32;
                doublets.push(*seen);
            }
        }
        let mut merged = Self {
            doublets,
            ..Self::default()
        };
        let hasher = DefaultHashBuilder::default();
        let mut by_path: HashTable<u32> = HashTable::with_capacity(self.rows());
        let mut path = Vec::new();
        let mut new_row = vec![0; self.rows()];
        #[expect(
            clippy::needless_range_loop,
            reason = "the row indexes several lists of `self`, which is changed on the way"
        )]
        for row in 1..self.rows() {
            if self.counts[row].is_empty() {
                continue;
            }
            path.clear();
            let kept = self.path(row).iter().map(|&id| new_id[id as usize]);
            path.extend(kept.filter(|&id| id != u32::MAX));
            if path.is_empty() {
                continue;
            }
            let hash = hasher.hash_one(&path);
            let found = by_path.find(hash, |&at| merged.path(at as usize) == path);
            let to = found.copied().unwrap_or_else(|| {
                merged.items.extend_from_slice(&path);
                merged.starts.push(merged.items.len() as u32);
                merged.counts.push(Vec::new());
                merged.mark_of.push(self.mark_of[row]);
                let to = merged.counts.len() as u32 - 1;
                by_path.insert_unique(hash, to, |&at| hasher.hash_one(merged.path(at as usize)));
                to
            });
            let counts = std::mem::take(&mut self.counts[row]);
            let target = &mut merged.counts[to as usize];
            if target.is_empty() {
                *target = counts;
            } else {
                for (profile, count) in counts {
                    add_count(target, profile, count);
                }
            }
            new_row[row] = to;
        }
        merged.marks = std::mem::take(&mut self.marks);
        for row in &mut merged.marks {
            *row = new_row[*row as usize];
        }
        *self = merged;
        self.find_fresh_rows();
    }

    /// Finds the steps between rows again, from their content.
    pub(crate) fn relink(&mut self) {
        let mut longer = HashMap::new();
        {
            let by_path: HashMap<&[u32], u32> = (0..self.rows())
                .map(|row| (self.path(row), row as u32))
                .collect();
            for row in 1..self.rows() {
                if let Some((&last, shorter)) = self.path(row).split_last()
                    && let Some(&parent) = by_path.get(shorter)
                {
                    longer.insert((parent, last), row as u32);
                }
            }
        }
        self.longer = longer;
        self.mark_anew();
        self.find_fresh_rows();
    }
}

fn add_count(counts: &mut Vec<(u32, u32)>, profile: u32, more: u32) {
    match counts.iter_mut().find(|(known, _)| *known == profile) {
        Some((_, count)) => *count += more,
        None => counts.push((profile, more)),
    }
}
