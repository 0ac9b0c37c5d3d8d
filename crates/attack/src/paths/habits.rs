//! Habits that single people out: their most visited places, and where they are by night and by day.
//!
//! # Idea
//!
//! The adversary knows the victim's n most visited places, or home and workplace, and looks for the published records with
//! the same. One record left that is the victim's: found. Suppression changes a record's habits, so the knowledge comes
//! from the raw path and the match from the published one.
//!
//! # Reference
//!
//! H. Zang, J. Bolot, `MobiCom` 2011 (top locations); P. Golle, K. Partridge, Pervasive 2009 (home and work).
//!
//! # Cost
//!
//! Linear in the doublets.

use super::Doublet;
use crate::catalogue::known;
use crate::evidence::{Attack, Draw, exhaustive};
use crate::{Error, Evidence};
use std::collections::BTreeMap;

/// What is known of each raw path and shown by each published one, and who shows what.
#[derive(Debug, Clone)]
struct Habits {
    known: Vec<Option<Vec<u32>>>,
    showing: BTreeMap<Vec<u32>, Vec<u32>>,
}

impl Habits {
    fn new<P: AsRef<[Doublet]>>(
        raw: &[P],
        published: &[P],
        habit: impl Fn(&[Doublet]) -> Option<Vec<u32>>,
    ) -> Result<Self, Error> {
        if raw.len() != published.len() {
            return Err(Error::LengthsDiffer {
                what: "published paths",
                expected: raw.len(),
                found: published.len(),
            });
        }
        let mut showing: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (row, path) in published.iter().enumerate() {
            if let Some(habit) = habit(path.as_ref()) {
                showing.entry(habit).or_default().push(row as u32);
            }
        }
        Ok(Self {
            known: raw.iter().map(|path| habit(path.as_ref())).collect(),
            showing,
        })
    }
}

impl Attack for Habits {
    type Knowledge = Vec<u32>;

    fn victims(&self) -> usize {
        self.known.len()
    }

    fn knowledge(&self, victim: usize, _: Draw<'_>) -> Vec<Vec<u32>> {
        self.known[victim].iter().cloned().collect()
    }

    fn succeeds(&self, victim: usize, knowledge: &Vec<u32>) -> bool {
        self.showing
            .get(knowledge)
            .is_some_and(|rows| rows[..] == [victim as u32])
    }
}

/// The n most visited places, in no order.
#[derive(Debug, Clone)]
pub struct TopLocations(Habits);

impl TopLocations {
    /// An adversary who knows the `n` most visited places; among equally visited ones those with smaller numbers.
    ///
    /// # Errors
    ///
    /// When raw and published paths are not equally many.
    pub fn new<P: AsRef<[Doublet]>>(raw: &[P], published: &[P], n: usize) -> Result<Self, Error> {
        Habits::new(raw, published, |path| {
            let mut places = most_visited(path.iter().map(|doublet| doublet.0));
            places.truncate(n);
            places.sort_unstable();
            (!places.is_empty()).then_some(places)
        })
        .map(Self)
    }

    /// Everybody who is found.
    pub fn evidence(&self) -> Evidence {
        exhaustive(known("top-locations"), &self.0)
    }
}

/// The place most visited by night and the place most visited by day.
#[derive(Debug, Clone)]
pub struct HomeWork(Habits);

impl HomeWork {
    /// An adversary who knows home and workplace; `night(time)` tells night from day. Who shows neither is not matched.
    ///
    /// # Errors
    ///
    /// When raw and published paths are not equally many.
    pub fn new<P: AsRef<[Doublet]>>(
        raw: &[P],
        published: &[P],
        night: impl Fn(u32) -> bool,
    ) -> Result<Self, Error> {
        Habits::new(raw, published, |path| {
            let at = |wanted: bool| {
                let places = most_visited(
                    path.iter()
                        .filter(|doublet| night(doublet.1) == wanted)
                        .map(|doublet| doublet.0),
                );
                // One more than the place, so that 0 says there is none.
                places.first().map_or(0, |place| place + 1)
            };
            let pair = vec![at(true), at(false)];
            (pair != [0, 0]).then_some(pair)
        })
        .map(Self)
    }

    /// Everybody who is found.
    pub fn evidence(&self) -> Evidence {
        exhaustive(known("home-work"), &self.0)
    }
}

/// Places by visits, most first, smaller numbers first among equals.
fn most_visited(places: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut visits: BTreeMap<u32, u64> = BTreeMap::new();
    for place in places {
        *visits.entry(place).or_insert(0) += 1;
    }
    let mut places: Vec<(u32, u64)> = visits.into_iter().collect();
    places.sort_by_key(|&(place, visits)| (std::cmp::Reverse(visits), place));
    places.into_iter().map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_homes_single_people_out() {
        // Locations 1..4; times 0..3 are night, 4..7 day.
        let raw: Vec<Vec<Doublet>> = vec![
            vec![(1, 0), (1, 1), (2, 5), (2, 6), (3, 7)],
            vec![(1, 0), (2, 2), (1, 3), (2, 5)],
            vec![(4, 1), (2, 5)],
        ];
        let top = |published: &[Vec<Doublet>], n| {
            TopLocations::new(&raw, published, n)
                .unwrap()
                .evidence()
                .successes
        };
        // One place: 1, 1 and 2. Two places: {1,2}, {1,2} and {2,4}. Three: all different.
        assert_eq!((top(&raw, 1), top(&raw, 2), top(&raw, 3)), (1, 1, 3));
        let home_work = |published: &[Vec<Doublet>]| {
            HomeWork::new(&raw, published, |time| time < 4)
                .unwrap()
                .evidence()
        };
        assert_eq!(
            (home_work(&raw).successes, home_work(&raw).attempts),
            (1, 3)
        );
        // Without the third place nobody fits the first victim's three places any more.
        let mut published = raw.clone();
        published[0].pop();
        assert_eq!(top(&published, 3), 1);
        published[2].clear();
        assert_eq!(
            (top(&published, 2), home_work(&published).successes),
            (0, 0)
        );
    }
}
