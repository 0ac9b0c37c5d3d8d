//! The candidate: the window as it would leave, and what the judge says to it.

use std::hash::BuildHasher;

use denym_data::paths::Paths;
use denym_measure::sequences::SequenceAudit;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::carried::{Fate, Seen};
use crate::clock;
use crate::error::Error;
use crate::slide::Work;
use crate::stream::Stream;
use crate::verify;
use denym_release::windows::{self, Asked, Matching, Place, Record, Rule, Window};

/// A window ready to be judged.
pub(crate) struct Candidate {
    pub(crate) window: Window,
    /// The line that would be published.
    pub(crate) line: String,
    /// Doublet ids to suppress.
    pub(crate) chosen: Vec<u32>,
    pub(crate) work: Work,
}

impl Candidate {
    /// The window as a recipient reads it.
    pub(crate) fn read_back(&self) -> Result<Window, Error> {
        Window::from_line(&self.line).ok_or(Error::Internal {
            what: "a window cannot be read back",
        })
    }
}

impl Stream {
    /// Builds the candidate window.
    pub(crate) fn build(&self, place: &clock::Place, chosen: Vec<u32>, work: Work) -> Candidate {
        let mut present = vec![0u64; self.profiles.len()];
        for subject in self.subjects.iter() {
            present[subject.profile as usize] += u64::from(subject.last >= place.from);
        }
        let shown = self.shown(&chosen);
        let mut window = self.table(place.from, place.to, &shown, present);
        window.number = place.number;
        // Fewer than K subjects can show no doublet; then not even their sensitive values leave.
        if window.subjects() < self.options.k {
            window.records.clear();
            window.places.clear();
            window.profiles.clear();
        }
        Candidate {
            line: window.line(),
            window,
            chosen,
            work,
        }
    }

    /// Which doublets would be shown.
    pub(crate) fn shown(&self, chosen: &[u32]) -> Vec<bool> {
        let is_live = |seen: &Seen| matches!(seen.fate, Fate::New | Fate::Published);
        let doublets = self.carried.doublets.iter();
        let mut shown: Vec<bool> = doublets.map(is_live).collect();
        for &id in chosen {
            shown[id as usize] = false;
        }
        shown
    }

    /// The records of a span of time; `present` are all subjects by profile, for those who show nothing.
    pub(crate) fn table(
        &self,
        from: i64,
        to: i64,
        shown: &[bool],
        mut present: Vec<u64>,
    ) -> Window {
        let doublets = &self.carried.doublets;
        let mut in_order: Vec<u32> = (0..doublets.len() as u32)
            .filter(|&id| {
                let time = doublets[id as usize].time;
                shown[id as usize] && from <= time && time <= to
            })
            .collect();
        let text = |id: u32| self.locations.text(doublets[id as usize].location);
        in_order.sort_unstable_by_key(|&id| {
            let seen = &doublets[id as usize];
            (seen.time, self.locations.rank(seen.location))
        });
        let mut place_of = vec![u32::MAX; doublets.len()];
        for (place, &id) in in_order.iter().enumerate() {
            place_of[id as usize] = place as u32;
        }
        let place = |&id: &u32| Place {
            time: doublets[id as usize].time,
            location: text(id).to_owned(),
        };
        let places = in_order.iter().map(place).collect();

        let all_profiles = 0..self.profiles.len() as u32;
        let labels =
            |p: u32| -> Vec<String> { self.profiles.labels(p).map(str::to_owned).collect() };
        let mut profiles: Vec<(Vec<String>, u32)> = all_profiles.map(|p| (labels(p), p)).collect();
        profiles.sort();
        let mut rank = vec![0; profiles.len()];
        for (place, (_, profile)) in profiles.iter().enumerate() {
            rank[*profile as usize] = place as u32;
        }
        let mut by_path = ByPath::default();
        for row in 1..self.carried.rows() {
            let counts = self.carried.counts(row);
            if counts.is_empty() {
                continue;
            }
            let path = self.carried.path(row).iter();
            let path = path.map(|&id| place_of[id as usize]);
            let Some(target) = by_path.find_or_add(path.filter(|&place| place != u32::MAX)) else {
                continue;
            };
            for &(profile, count) in counts {
                let count = u64::from(count);
                if let Some(left) = present.get_mut(profile as usize) {
                    *left = left.saturating_sub(count);
                }
                add_to(target, rank[profile as usize], count);
            }
        }
        let mut nothing: Vec<(u32, u64)> = present
            .iter()
            .zip(&rank)
            .filter(|(left, _)| **left > 0)
            .map(|(&left, &profile)| (profile, left))
            .collect();
        nothing.sort_unstable();
        let nothing = nothing.into_iter().map(|(profile, count)| Record {
            path: Vec::new(),
            profile,
            count,
        });
        let records = nothing.chain(by_path.records()).collect();
        let mut window = Window {
            number: 0,
            from,
            to,
            attributes: self.options.attributes.clone(),
            places,
            profiles: profiles.into_iter().map(|(labels, _)| labels).collect(),
            records,
        };
        window.drop_unused_profiles();
        window
    }

    /// Asks the judge about the window and, under the default rule, about every span of the horizon that ends in it.
    pub(crate) fn judge(
        &self,
        candidate: &Candidate,
        window: &Window,
    ) -> Result<(SequenceAudit, bool), Error> {
        let judged = match self.options.matching {
            Matching::Consistent if !window.records.is_empty() => {
                let (source, released) = self.source_and_release(candidate)?;
                verify::contradicted(&source, &released, &self.options)
            }
            _ => self.judged(window),
        };
        let audit = match judged {
            // Somebody's value is no number where numbers are promised: nothing can be said, so nothing leaves.
            Err(Error::Release(denym_release::Error::Unfit { .. })) => {
                let size = Asked {
                    promises: &[],
                    ..Asked::new(&self.options)
                };
                return Ok((windows::shown(window, &size)?, false));
            }
            judged => judged?,
        };
        let mut holds = audit.holds;
        if self.options.rule == Rule::Retract {
            return Ok((audit, holds));
        }
        let shown = self.shown(&candidate.chosen);
        let doublets = &self.carried.doublets;
        let mut ends: Vec<i64> = if self.options.span().is_none() {
            vec![window.to]
        } else {
            let new = doublets.iter().filter(|seen| seen.fate == Fate::New);
            new.map(|seen| seen.time).collect()
        };
        ends.dedup();
        for to in ends {
            let span = self.options.span().map(i64::from);
            let from = span.map_or(i64::MIN, |span| to - span + 1);
            // Spans that the window itself holds are judged with it.
            let live = doublets.iter().zip(&shown).find(|(_, shown)| **shown);
            let earlier = live.is_some_and(|(seen, _)| seen.time < window.from);
            if from >= window.from || !earlier {
                continue;
            }
            let table = self.table(from, to, &shown, Vec::new());
            holds &= self.judged(&table)?.violations == 0;
        }
        Ok((audit, holds))
    }

    /// Judges what a table shows.
    fn judged(&self, table: &Window) -> Result<SequenceAudit, Error> {
        Ok(windows::shown(table, &Asked::new(&self.options))?)
    }

    /// The window's subjects as they are and as they would be shown, in the same order.
    pub(crate) fn source_and_release(
        &self,
        candidate: &Candidate,
    ) -> Result<(Paths, Paths), Error> {
        let window = &candidate.window;
        let raw = self.table(
            window.from,
            window.to,
            &vec![true; self.carried.doublets.len()],
            Vec::new(),
        );
        let shown: Vec<bool> = raw
            .places
            .iter()
            .map(|place| window.places.binary_search(place).is_ok())
            .collect();
        let released: Vec<(Vec<u32>, u32, u64)> = raw
            .records
            .iter()
            .map(|record| {
                let path = record.path.iter().copied();
                let path = path.filter(|&place| shown[place as usize]).collect();
                (path, record.profile, record.count)
            })
            .collect();
        let released: Vec<(&[u32], u32, u64)> = released
            .iter()
            .map(|(path, profile, count)| (path.as_slice(), *profile, *count))
            .collect();
        let asked = Asked::new(&self.options);
        let released = windows::to_paths(
            &raw.places,
            &raw.attributes,
            &raw.profiles,
            &released,
            &asked,
        )?;
        Ok((raw.to_paths(&asked)?, released))
    }
}

/// Distinct paths in the order in which they were met, with subjects by profile.
#[derive(Default)]
struct ByPath {
    items: Vec<u32>,
    ends: Vec<u32>,
    counts: Vec<Vec<(u32, u64)>>,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl ByPath {
    fn path(items: &[u32], ends: &[u32], at: u32) -> std::ops::Range<usize> {
        let begin = if at == 0 { 0 } else { ends[at as usize - 1] };
        debug_assert!(begin as usize <= items.len());
        begin as usize..ends[at as usize] as usize
    }

    /// The counts of a path; `None` for the empty one.
    fn find_or_add(&mut self, path: impl Iterator<Item = u32>) -> Option<&mut Vec<(u32, u64)>> {
        let from = self.items.len();
        self.items.extend(path);
        let (items, ends, hasher) = (&self.items, &mut self.ends, &self.hasher);
        let path = &items[from..];
        if path.is_empty() {
            return None;
        }
        let hash = hasher.hash_one(path);
        let same = |at: &u32| items[Self::path(items, ends, *at)] == *path;
        let at = if let Some(&at) = self.known.find(hash, same) {
            self.items.truncate(from);
            at
        } else {
            ends.push(items.len() as u32);
            self.counts.push(Vec::new());
            let at = ends.len() as u32 - 1;
            let hash_of = |at: &u32| hasher.hash_one(&items[Self::path(items, ends, *at)]);
            self.known.insert_unique(hash, at, hash_of);
            at
        };
        self.counts.get_mut(at as usize)
    }

    /// One record per path and profile, by path, then profile.
    fn records(mut self) -> impl Iterator<Item = Record> {
        let (items, ends) = (self.items, self.ends);
        let mut order: Vec<u32> = (0..ends.len() as u32).collect();
        order.sort_unstable_by_key(|&at| &items[Self::path(&items, &ends, at)]);
        order.into_iter().flat_map(move |at| {
            let path = items[Self::path(&items, &ends, at)].to_vec();
            let mut counts = std::mem::take(&mut self.counts[at as usize]);
            counts.sort_unstable();
            let counts = counts.into_iter();
            counts.map(move |(profile, count)| Record {
                path: path.clone(),
                profile,
                count,
            })
        })
    }
}

fn add_to(counts: &mut Vec<(u32, u64)>, profile: u32, more: u64) {
    match counts.iter_mut().find(|(known, _)| *known == profile) {
        Some((_, count)) => *count += more,
        None => counts.push((profile, more)),
    }
}
