//! Raw and published paths of the same people, as an attack sees them: who is whose, and what stands for what.
//!
//! People with the same path whose records show the same fare alike under every attack. A setting may hold such people once,
//! with how many they are: five million records of the papers' shape are eight thousand rows, and trying everything on
//! everybody costs no more than trying it on these.

use super::Doublet;
use crate::{Draws, Error};
use std::collections::BTreeMap;

/// Lists of doublets, one per person or record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubletRows {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl DoubletRows {
    /// Rows from lists.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut rows = Self {
            starts: vec![0],
            items: Vec::new(),
        };
        for list in lists {
            rows.push(list.iter().copied());
        }
        rows
    }

    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.starts.push(self.items.len() as u32);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row.
    pub fn get(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|ends| &self.items[ends[0] as usize..ends[1] as usize])
    }
}

/// What is known of people, what is published, and how the two relate. Doublets are numbers on either side.
#[derive(Debug, Clone)]
pub struct Exposure {
    /// The raw path of each victim, in time order.
    pub raw: DoubletRows,
    /// What each published record shows.
    pub published: DoubletRows,
    /// The published record of each victim; only to tell whether an attack is right. `None` when nobody knows.
    pub own: Option<Vec<u32>>,
    /// For each raw doublet the published ones that may stand for it: itself, or coarser ones.
    pub stands_for: Vec<Vec<u32>>,
    /// The time of each raw doublet as a published time; `None` when nothing is published at it.
    pub raw_time: Vec<Option<u32>>,
    /// The time of each published doublet.
    pub published_time: Vec<u32>,
    /// A number per victim and per record, equal exactly when the quasi-identifiers are; both empty when there are none.
    pub classes: (Vec<u32>, Vec<u32>),
    /// How many people each victim stands for, and how many records each published one; both empty when one each.
    pub counts: (Vec<u32>, Vec<u32>),
}

impl Exposure {
    /// Record i is victim i, and published doublets are raw ones.
    ///
    /// # Errors
    ///
    /// When raw and published paths are not equally many.
    pub fn aligned<P: AsRef<[Doublet]>>(raw: &[P], published: &[P]) -> Result<Self, Error> {
        if raw.len() != published.len() {
            return Err(Error::LengthsDiffer {
                what: "published paths",
                expected: raw.len(),
                found: published.len(),
            });
        }
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for &(place, time) in raw.iter().chain(published).flat_map(AsRef::as_ref) {
            numbers.insert((time, place), 0);
        }
        for (number, id) in (0..).zip(numbers.values_mut()) {
            *id = number;
        }
        let rows = |paths: &[P]| {
            let mut rows = DoubletRows::new([]);
            for path in paths {
                rows.push(
                    path.as_ref()
                        .iter()
                        .map(|&(place, time)| numbers[&(time, place)]),
                );
            }
            rows
        };
        let (raw, published) = (rows(raw), rows(published));
        let times: Vec<u32> = numbers.keys().map(|&(time, _)| time).collect();
        Ok(Self {
            own: Some((0..raw.len() as u32).collect()),
            stands_for: (0..numbers.len() as u32).map(|id| vec![id]).collect(),
            raw_time: times.iter().copied().map(Some).collect(),
            published_time: times,
            classes: (Vec::new(), Vec::new()),
            counts: (Vec::new(), Vec::new()),
            raw,
            published,
        })
    }

    /// How many people a victim stands for.
    pub fn people(&self, victim: usize) -> u64 {
        self.counts.0.get(victim).map_or(1, |&count| count.into())
    }

    /// How many records a published one stands for.
    pub fn records(&self, record: usize) -> u64 {
        self.counts.1.get(record).map_or(1, |&count| count.into())
    }

    /// Draws `wanted` different people; each victim that stands for some of them, in order, with how many.
    pub fn draw(&self, wanted: usize, seed: u64) -> Vec<(u32, u64)> {
        let each = 0..self.raw.len() as u32;
        drawn(
            each.map(|victim| (victim, self.people(victim as usize))),
            wanted,
            seed,
        )
    }

    /// Whether the parts fit together.
    ///
    /// # Errors
    ///
    /// When a list has another length than it must, or a number is out of range.
    pub fn check(&self) -> Result<(), Error> {
        let same = |what, expected, found| {
            if expected == found {
                Ok(())
            } else {
                Err(Error::LengthsDiffer {
                    what,
                    expected,
                    found,
                })
            }
        };
        let below =
            |what, mut numbers: Box<dyn Iterator<Item = u32> + '_>, domain: usize| match numbers
                .position(|number| number as usize >= domain)
            {
                None => Ok(()),
                Some(row) => Err(Error::CodeOutOfDomain { what, row, domain }),
            };
        same(
            "times of raw doublets",
            self.stands_for.len(),
            self.raw_time.len(),
        )?;
        if let Some(own) = &self.own {
            same("records of victims", self.raw.len(), own.len())?;
            below(
                "record of a victim",
                Box::new(own.iter().copied()),
                self.published.len(),
            )?;
        }
        for (side, (victims, records)) in [
            (("classes of victims", "classes of records"), &self.classes),
            (("counts of victims", "counts of records"), &self.counts),
        ] {
            if !(victims.is_empty() && records.is_empty()) {
                same(side.0, self.raw.len(), victims.len())?;
                same(side.1, self.published.len(), records.len())?;
            }
        }
        below(
            "raw doublet",
            Box::new(self.raw.items.iter().copied()),
            self.stands_for.len(),
        )?;
        let standing = self.stands_for.iter().flatten().copied();
        below(
            "published doublet",
            Box::new(self.published.items.iter().copied().chain(standing)),
            self.published_time.len(),
        )
    }

    /// The same people before anything was done: everybody shows the raw path.
    #[must_use]
    pub fn before(&self) -> Self {
        let doublets = self.stands_for.len();
        // Times only need to be told apart; those published nowhere get numbers of their own, which nothing contradicts.
        let beyond = self.published_time.iter().max().map_or(0, |last| last + 1);
        let times: Vec<u32> = (beyond..)
            .zip(&self.raw_time)
            .map(|(new, time)| time.unwrap_or(new))
            .collect();
        Self {
            raw: self.raw.clone(),
            published: self.raw.clone(),
            own: Some((0..self.raw.len() as u32).collect()),
            stands_for: (0..doublets as u32).map(|id| vec![id]).collect(),
            raw_time: times.iter().copied().map(Some).collect(),
            published_time: times,
            classes: (self.classes.0.clone(), self.classes.0.clone()),
            counts: (self.counts.0.clone(), self.counts.0.clone()),
        }
    }

    /// Whether each raw doublet is shown in the same way by everybody who has it, or by nobody.
    ///
    /// Without knowing whose record is whose, whether it is shown as often as people have it, or never.
    pub fn all_or_none(&self) -> bool {
        let Some(own) = &self.own else {
            let count = |rows: &DoubletRows, domain: usize, alike: &dyn Fn(usize) -> u64| {
                let mut counts = vec![0_u64; domain];
                for (row, list) in rows.iter().enumerate() {
                    for &doublet in list {
                        counts[doublet as usize] += alike(row);
                    }
                }
                counts
            };
            let had = count(&self.raw, self.stands_for.len(), &|row| self.people(row));
            let shown = count(&self.published, self.published_time.len(), &|row| {
                self.records(row)
            });
            return self.stands_for.iter().zip(had).all(|(standing, had)| {
                let shown = standing.iter().map(|&id| shown[id as usize]);
                let shown: Vec<u64> = shown.filter(|&times| times > 0).collect();
                shown.is_empty() || shown == [had]
            });
        };
        let mut way: Vec<Option<Option<u32>>> = vec![None; self.stands_for.len()];
        self.raw.iter().zip(own).all(|(path, &record)| {
            let shown = self.published.get(record as usize);
            path.iter().all(|&doublet| {
                let as_what = self.stands_for[doublet as usize]
                    .iter()
                    .copied()
                    .find(|id| shown.contains(id));
                *way[doublet as usize].get_or_insert(as_what) == as_what
            })
        })
    }
}

/// Draws `wanted` different people of those that `each` victim stands for.
pub(super) fn drawn(
    each: impl Iterator<Item = (u32, u64)> + Clone,
    wanted: usize,
    seed: u64,
) -> Vec<(u32, u64)> {
    let people: u64 = each.clone().map(|(_, people)| people).sum();
    let chosen = Draws::new(seed).distinct(wanted, people as usize);
    let mut chosen = chosen.into_iter().map(|person| person as u64).peekable();
    let mut end = 0;
    let mut found = Vec::new();
    for (victim, people) in each {
        end += people;
        let mut count = 0;
        while chosen.next_if(|&person| person < end).is_some() {
            count += 1;
        }
        if count > 0 {
            found.push((victim, count));
        }
    }
    found
}
