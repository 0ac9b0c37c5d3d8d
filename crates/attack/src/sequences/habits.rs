//! Habits that single people out: their most visited places, and where they are by night and by day.
//!
//! # Idea
//!
//! The adversary knows the victim's n most visited places, or home and workplace, and looks for the published records with
//! the same: right with a chance of one in as many. Suppression changes a record's habits, so the knowledge comes from the
//! raw path and the match from the published one. Where places are published coarser, the knowledge is made as coarse.
//!
//! # Reference
//!
//! H. Zang, J. Bolot, `MobiCom` 2011 (top locations); P. Golle, K. Partridge, Pervasive 2009 (home and work).
//!
//! # Cost
//!
//! Linear in the doublets of distinct paths.

use super::scene::WORST;
use super::{Exposure, SequenceScene};
use crate::finding::Finding;
use crate::{Coverage, Error, Evidence};
use rayon::prelude::*;
use serde_json::json;
use std::collections::HashMap;

/// What is remarkable about a path, as numbers that equal people share; `None` when nothing is.
type Remarkable = Option<Vec<u32>>;

/// How many records share each victim's habit, and whether the victim's own does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Habit {
    name: &'static str,
    /// For each victim the records with the same habit; 0 when the victim's own is not among them.
    pub candidates: Vec<u64>,
    /// How many people each victim stands for.
    people: Vec<u64>,
}

impl Habit {
    fn of(
        name: &'static str,
        setting: &Exposure,
        raw: impl Fn(&[u32]) -> Remarkable + Sync,
        published: impl Fn(&[u32]) -> Remarkable + Sync,
    ) -> Result<Self, Error> {
        setting.check()?;
        let with_class = |habit: Remarkable, classes: &[u32], row: usize| {
            habit.map(|mut habit| {
                habit.extend(classes.get(row));
                habit
            })
        };
        let (of_victims, of_records) = &setting.classes;
        let shown: Vec<Remarkable> = (0..setting.published.len())
            .into_par_iter()
            .map(|row| with_class(published(setting.published.get(row)), of_records, row))
            .collect();
        let mut records: HashMap<&[u32], u64> = HashMap::new();
        for (row, habit) in shown.iter().enumerate() {
            if let Some(habit) = habit {
                *records.entry(habit).or_insert(0) += setting.records(row);
            }
        }
        let candidates = (0..setting.raw.len())
            .into_par_iter()
            .map(|victim| {
                let habit = with_class(raw(setting.raw.get(victim)), of_victims, victim);
                let Some(habit) = habit else {
                    return 0;
                };
                let own = setting.own.as_ref().map(|own| own[victim] as usize);
                if own.is_some_and(|row| shown[row].as_ref() != Some(&habit)) {
                    return 0;
                }
                records.get(&habit[..]).copied().unwrap_or(0)
            })
            .collect();
        let victims = 0..setting.raw.len();
        Ok(Self {
            name,
            candidates,
            people: victims.map(|victim| setting.people(victim)).collect(),
        })
    }

    /// What the attack found, beside what the same adversary finds in the source.
    pub(crate) fn finding(
        &self,
        scene: &SequenceScene<'_>,
        before: &Self,
        knows: String,
        note: String,
    ) -> Finding {
        let mut order: Vec<usize> = (0..self.candidates.len())
            .filter(|&victim| self.candidates[victim] > 0)
            .collect();
        order.sort_by_key(|&victim| (self.candidates[victim], victim));
        let worst = order.into_iter().take(WORST).map(|victim| {
            let (record, source_record) = scene.crowd().named(&scene.seen, victim as u32);
            json!({
                "chance": 1.0 / self.candidates[victim] as f64,
                "candidates": self.candidates[victim],
                "record": record,
                "source_record": source_record,
                "people_like_this": self.people[victim],
            })
        });
        Finding {
            before: Some(before.evidence()),
            note,
            worst: worst.collect(),
            ..Finding::new(self.evidence(), knows)
        }
    }

    /// How often the victim's record is picked.
    pub fn evidence(&self) -> Evidence {
        let chance = |&count: &u64| if count == 0 { 0.0 } else { 1.0 / count as f64 };
        let chances = self.candidates.iter().map(chance);
        let chances = chances.zip(self.people.iter().copied());
        Evidence::of_chances(self.name, chances, Coverage::Exhaustive)
    }
}

/// The place of each raw and of each published doublet, in one numbering.
#[derive(Debug, Clone)]
pub struct VisitedPlaces {
    /// Of each raw doublet, as coarse as it is published.
    pub raw: Vec<u32>,
    /// Of each published doublet.
    pub published: Vec<u32>,
}

/// The n most visited places, in no order.
#[derive(Debug, Clone, Copy)]
pub struct TopLocations;

impl TopLocations {
    /// An adversary who knows the `n` most visited places; among equally visited ones those with smaller numbers.
    ///
    /// # Errors
    ///
    /// When the parts of the setting do not fit together.
    pub fn run(setting: &Exposure, places: &VisitedPlaces, n: usize) -> Result<Habit, Error> {
        let top = |path: &[u32], places: &[u32]| {
            let mut top = most_visited(path.iter().map(|&doublet| places[doublet as usize]));
            top.truncate(n);
            top.sort_unstable();
            (!top.is_empty()).then_some(top)
        };
        Habit::of(
            "top-locations",
            setting,
            |path| top(path, &places.raw),
            |path| top(path, &places.published),
        )
    }
}

/// The place most visited by night and the place most visited by day.
#[derive(Debug, Clone, Copy)]
pub struct HomeWork;

impl HomeWork {
    /// An adversary who knows home and workplace; `night` says of each raw and of each published doublet whether it is by
    /// night, `None` when that cannot be told. Who shows neither is not matched.
    ///
    /// # Errors
    ///
    /// When the parts of the setting do not fit together.
    pub fn run(
        setting: &Exposure,
        places: &VisitedPlaces,
        night: (&[Option<bool>], &[Option<bool>]),
    ) -> Result<Habit, Error> {
        let habit = |path: &[u32], places: &[u32], night: &[Option<bool>]| {
            let at = |wanted: bool| {
                let then = path
                    .iter()
                    .filter(|&&doublet| night[doublet as usize] == Some(wanted));
                let visited = most_visited(then.map(|&doublet| places[doublet as usize]));
                // One more than the place, so that 0 says there is none.
                visited.first().map_or(0, |place| place + 1)
            };
            let pair = vec![at(true), at(false)];
            (pair != [0, 0]).then_some(pair)
        };
        Habit::of(
            "home-work",
            setting,
            |path| habit(path, &places.raw, night.0),
            |path| habit(path, &places.published, night.1),
        )
    }
}

/// Places by visits, most first, smaller numbers first among equals.
fn most_visited(places: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = places.collect();
    all.sort_unstable();
    let mut places: Vec<(u32, usize)> = all
        .chunk_by(|a, b| a == b)
        .map(|same| (same[0], same.len()))
        .collect();
    places.sort_by_key(|&(place, visits)| (std::cmp::Reverse(visits), place));
    places.into_iter().map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Doublet;
    use super::*;

    /// Places and nights of a setting whose doublets are numbered by time, then place.
    fn known_of(all: &[Vec<Doublet>]) -> (VisitedPlaces, Vec<Option<bool>>) {
        let mut doublets: Vec<(u32, u32)> = all.iter().flatten().map(|d| (d.1, d.0)).collect();
        doublets.sort_unstable();
        doublets.dedup();
        let places: Vec<u32> = doublets.iter().map(|d| d.1).collect();
        let night = doublets.iter().map(|d| Some(d.0 < 4)).collect();
        let places = VisitedPlaces {
            raw: places.clone(),
            published: places,
        };
        (places, night)
    }

    #[test]
    fn places_and_homes_single_people_out() {
        // Locations 1..4; times 0..3 are night, 4..7 day.
        let raw: Vec<Vec<Doublet>> = vec![
            vec![(1, 0), (1, 1), (2, 5), (2, 6), (3, 7)],
            vec![(1, 0), (2, 2), (1, 3), (2, 5)],
            vec![(4, 1), (2, 5)],
        ];
        let (places, night) = known_of(&raw);
        let top = |published: &[Vec<Doublet>], n| {
            let setting = Exposure::aligned(&raw, published).unwrap();
            let found = TopLocations::run(&setting, &places, n).unwrap();
            found.evidence().successes
        };
        // One place: 1, 1 and 2. Two places: {1,2}, {1,2} and {2,4}. Three: {1,2,3}, {1,2} and {2,4}.
        assert_eq!((top(&raw, 1), top(&raw, 2), top(&raw, 3)), (1, 1, 3));
        let home_work = |published: &[Vec<Doublet>]| {
            let setting = Exposure::aligned(&raw, published).unwrap();
            let found = HomeWork::run(&setting, &places, (&night, &night)).unwrap();
            (found.candidates.clone(), found.evidence())
        };
        let (candidates, evidence) = home_work(&raw);
        // Home 1 and work 2 twice, home 4 and work 2 once: one certain, two with a chance of a half.
        assert_eq!(candidates, [2, 2, 1]);
        assert!((evidence.rate - 2.0 / 3.0).abs() < 1e-12 && evidence.successes == 1);
        // Without the third place nobody fits the first victim's three places any more.
        let mut published = raw.clone();
        published[0].pop();
        assert_eq!(top(&published, 3), 1);
        published[2].clear();
        assert_eq!(top(&published, 2), 0);
        assert_eq!(home_work(&published).0, [2, 2, 0]);
    }
}
