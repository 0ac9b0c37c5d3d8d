//! What a stream remembers: events taken into the carried window, and what no later window can reach forgotten.
//!
//! A doublet is outdated once no sequence with a new doublet can hold it within the horizon. Outdated
//! doublets stay in the rows until they are most of all; who left is forgotten once the subjects have doubled.

use crate::carried::Fate;
use crate::labels::Labels;
use crate::stream::Stream;
use denym_release::windows::{Matching, Rule};

/// Marks that still fit the cache beside the rows; more are worth a pass over the subjects.
const MANY_MARKS: usize = 1 << 16;

/// How much a stream remembers, in things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Subjects present, pending, or published within the horizon; and up to as many who left.
    pub subjects: usize,
    /// Distinct paths.
    pub rows: usize,
    /// Doublets in them.
    pub doublets: usize,
    /// Labels of locations.
    pub locations: usize,
    /// Events whose time has not come.
    pub pending: usize,
}

impl Stream {
    /// How much is remembered now; it follows the window and the horizon, not the length of the stream.
    pub fn memory(&self) -> Memory {
        Memory {
            subjects: self.subjects.len(),
            rows: self.carried.rows(),
            doublets: self.carried.doublets.len(),
            locations: self.locations.len(),
            pending: self.pending.values().map(Vec::len).sum(),
        }
    }

    /// Doublets of withheld windows that no later window can show count as suppressed.
    pub(crate) fn give_up(&mut self, before: i64) {
        for seen in &mut self.carried.doublets {
            if seen.fate == Fate::New && seen.time < before {
                seen.fate = Fate::Suppressed;
                self.counts.suppressed += u64::from(seen.support);
                self.counts.open -= u64::from(seen.support);
            }
        }
    }

    /// Marks what no sequence with a new doublet can reach any more in a window that begins at `window_from`.
    pub(crate) fn forget(&mut self, window_from: i64) {
        self.give_up(window_from);
        let undecided = self.carried.doublets.iter().filter(|s| s.fate == Fate::New);
        let first_new = undecided.map(|s| s.time).min();
        let first_new = first_new.or(self.clock.cut_to().map(|to| to + 1));
        let first_new = first_new.unwrap_or(window_from);
        let from = match (self.options.rule, self.options.span()) {
            (Rule::Retract, _) => window_from,
            (_, None) => i64::MIN,
            (_, Some(span)) => window_from.min(first_new + 1 - i64::from(span)),
        };
        let hide = self.options.matching == Matching::Consistent;
        let mut outdated = 0;
        for seen in &mut self.carried.doublets {
            let reached = match seen.fate {
                Fate::Suppressed => hide && seen.time >= window_from,
                Fate::New | Fate::Published => seen.time >= from,
                Fate::Outdated => false,
            };
            if !reached {
                seen.fate = Fate::Outdated;
                outdated += 1;
            }
        }
        // Merging rows costs a pass over all of them: only once most doublets are outdated.
        if outdated * 2 > self.carried.doublets.len() {
            self.carried.retain(|seen| seen.fate != Fate::Outdated);
            self.doublet_of.clear();
            let forget = self.subjects.are_many();
            if forget || self.carried.marks() > MANY_MARKS {
                self.subjects.mark_anew(&self.carried.mark_anew());
            }
            if forget {
                self.subjects.forget_left(window_from);
            }
            self.forget_locations();
        }
        self.prepared_from = Some(window_from);
    }

    /// Takes the waiting events up to `to` into the carried window.
    pub(crate) fn take_in(&mut self, to: i64) {
        while let Some(entry) = self.pending.first_entry() {
            let time = *entry.key();
            if time > to {
                break;
            }
            for (slot, location) in entry.remove() {
                self.subjects.get_mut(slot).pending -= 1;
                self.take(slot, location, time);
            }
        }
    }

    /// Takes one event into the carried window; no event of a later time was taken before.
    pub(crate) fn take(&mut self, slot: u32, location: u32, time: i64) {
        if self.last_event != Some(time) {
            self.last_event = Some(time);
            self.doublet_of.clear();
        }
        let subject = self.subjects.get_mut(slot);
        if subject.last == time {
            self.counts.duplicates += 1;
            self.counts.open -= 1;
            return;
        }
        subject.last = time;
        let carried = &mut self.carried;
        let doublet = *self
            .doublet_of
            .entry(location)
            .or_insert_with(|| carried.add_doublet(time, location));
        subject.row = carried.extend(subject.row, doublet, subject.profile);
    }

    /// Forgets labels of locations that nothing retained or pending uses, once they are most of all.
    pub(crate) fn forget_locations(&mut self) {
        const FEW: usize = 256;
        let most = 4 * self.carried.doublets.len();
        if self.locations.len() <= FEW.max(most) {
            return;
        }
        let mut used = vec![false; self.locations.len()];
        let retained = self.carried.doublets.iter().map(|seen| seen.location);
        let waiting = self
            .pending
            .values()
            .flatten()
            .map(|&(_, location)| location);
        for location in retained.chain(waiting) {
            used[location as usize] = true;
        }
        let mut texts = Vec::new();
        let mut new_code = vec![0; used.len()];
        for (code, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            new_code[code] = texts.len() as u32;
            texts.push(self.locations.text(code as u32).to_owned());
        }
        for seen in &mut self.carried.doublets {
            seen.location = new_code[seen.location as usize];
        }
        for (_, location) in self.pending.values_mut().flatten() {
            *location = new_code[*location as usize];
        }
        self.locations = Labels::from_texts(texts);
    }
}
