//! Coarsening: shows a place as its region and an hour as its part of the day where the exact doublet is too rare.
//!
//! # Idea
//!
//! A [`Ladder`] lists ever coarser ways to say where and when. As in local suppression, a record
//! that holds a violation must change one of its doublets; here the doublet climbs one rung
//! instead of leaving, and leaves only from the top. We try every rung as the common start (rung 0
//! is the source itself: each doublet climbs alone) and keep the start with the least loss.
//!
//! ```text
//! Angel@08 > Bank@09     pair held by 2 records
//! Angel@08 > City@09     still rare: climb again, the cheaper of the two
//! Islington@08 > City@09 shared by 40: done, nothing was removed
//! ```
//!
//! # Guarantee
//!
//! Every published sequence of up to L doublets, fine or coarse, is shared by K records within the
//! bounds: this is `covers` on the release as it is read. Whoever knows source doublets finds a
//! union of such groups, so K or more. Everything shown is true.
//!
//! Under `consistent` a record that climbs alone tells something by what it does not show, so there
//! all records climb to a rung together. The coarser table is then a table of paths of its own,
//! whoever knows source doublets knows their images in it, and local suppression that survives
//! contradiction there is safe for the source. Doublets that climb alone are tried as well; every
//! result that the judge of `denym-measure` does not confirm from the source is thrown away.
//!
//! # Reference
//!
//! Terrovitis, Mamoulis, Kalnis, *Local and global recoding methods for anonymizing set-valued
//! data*, VLDB Journal 20, 2011, for the idea of local recoding; the ladder over places and times is ours.
//!
//! # Cost
//!
//! One run of local suppression per rung, with a few more rounds.

use denym_data::paths::{Doublet, Paths};
use denym_measure::sequences::{BesideSource, Doublets, Removal};
use hashbrown::HashMap;

use crate::error::Error;
use crate::local_suppression::{self, Climb};
use crate::recoding::{PathRecoding, Rows, Vocabulary};
use crate::request::{Algorithm, Context, Matching};
use crate::solve::Problem;
use crate::summary::Summary;

/// Coarser names for every location and time of a table, from fine to coarse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    /// The rungs above the source.
    pub rungs: Vec<Rung>,
}

/// One way to say where and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rung {
    /// Name of the region of each location code of the source.
    pub places: Vec<String>,
    /// Name of the slot of each time code of the source.
    pub slots: Vec<String>,
}

impl Ladder {
    /// A ladder that climbs the given levels of places first, then the given levels of times.
    ///
    /// `places[i][location]` names the region of a location at level i + 1, `slots[i][time]` the slot of a time.
    pub fn climbing(paths: &Paths, places: &[Vec<String>], slots: &[Vec<String>]) -> Self {
        let mut rungs = Vec::new();
        let mut top = paths.locations().to_vec();
        for level in places {
            top.clone_from(level);
            rungs.push(Rung {
                places: top.clone(),
                slots: paths.times().to_vec(),
            });
        }
        rungs.extend(slots.iter().map(|level| Rung {
            places: top.clone(),
            slots: level.clone(),
        }));
        Self { rungs }
    }

    /// Slots of `width` consecutive times, named `first-last`.
    pub fn wider_slots(paths: &Paths, width: usize) -> Vec<String> {
        let times = paths.times();
        (0..times.len())
            .map(|time| {
                let first = time - time % width.max(1);
                let last = (first + width.max(1) - 1).min(times.len() - 1);
                if first == last {
                    times[first].clone()
                } else {
                    format!("{}-{}", times[first], times[last])
                }
            })
            .collect()
    }

    /// Checks that the rungs fit the table and that each one only merges what the one below keeps apart.
    fn check(&self, paths: &Paths) -> Result<(), Error> {
        let mut places: Vec<&str> = paths.locations().iter().map(String::as_str).collect();
        let mut slots: Vec<&str> = paths.times().iter().map(String::as_str).collect();
        for rung in &self.rungs {
            if rung.places.len() != places.len() || rung.slots.len() != slots.len() {
                return Err(Error::BadOption {
                    what: "a rung must name a region for every location and a slot for every time",
                });
            }
            let upper_places: Vec<&str> = rung.places.iter().map(String::as_str).collect();
            let upper_slots: Vec<&str> = rung.slots.iter().map(String::as_str).collect();
            if !nested(&places, &upper_places) || !nested(&slots, &upper_slots) {
                return Err(Error::BadOption {
                    what: "a rung may only merge regions and slots of the rung below it",
                });
            }
            (places, slots) = (upper_places, upper_slots);
        }
        Ok(())
    }
}

/// Whether equal names below are equal above.
fn nested(lower: &[&str], upper: &[&str]) -> bool {
    let mut above: HashMap<&str, &str> = HashMap::new();
    lower
        .iter()
        .zip(upper)
        .all(|(low, up)| *above.entry(*low).or_insert(*up) == *up)
}

/// Solves by climbing the ladder, from each rung as the common start; the least loss wins.
pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let Some(ladder) = &problem.request.ladder else {
        return Err(Error::BadOption {
            what: "coarsening needs a ladder of coarser places and times",
        });
    };
    ladder.check(problem.paths)?;
    let mut best = local_suppression::solve(problem, context)?;
    if problem.request.matching == Matching::Consistent {
        for rung in &ladder.rungs {
            context.check()?;
            let found = whole_rung(problem, rung, context)?;
            if found.stats.loss < best.stats.loss && confirmed(problem, &found)? {
                best = found;
            }
        }
    }
    for start in 0..=ladder.rungs.len() {
        context.check()?;
        let found = from_rung(problem, ladder, start, context)?;
        if found.stats.loss < best.stats.loss && confirmed(problem, &found)? {
            best = found;
        }
    }
    best.algorithm = Algorithm::Coarsening;
    Ok(best)
}

/// Under `consistent`, asks the judge; it knows the source and what may stand for what.
fn confirmed(problem: &Problem, found: &PathRecoding) -> Result<bool, Error> {
    if problem.request.matching == Matching::Covers {
        return Ok(true);
    }
    if !problem.dropped_records.is_empty() {
        return Ok(false);
    }
    let released = found.apply(problem.paths)?;
    let promises = problem
        .request
        .all_promises(problem.paths, &problem.hidden)?;
    let knowledge = Doublets {
        l: problem.limits.l,
        matching: Matching::Consistent,
        places: problem.limits.places.clone(),
    };
    let standing = found.vocabulary.stands_for.clone();
    let beside = BesideSource::new(problem.paths, &released, standing, Removal::SomeRecords);
    Ok(beside.is_ok_and(|beside| knowledge.judge_beside(&beside, &promises).holds))
}

fn from_rung(
    problem: &Problem,
    ladder: &Ladder,
    start: usize,
    context: &Context,
) -> Result<PathRecoding, Error> {
    let vocabulary = vocabulary(problem.paths, ladder, start);
    let words = vocabulary.doublets.len();
    let mut above = vec![u32::MAX; words];
    for chain in &vocabulary.stands_for {
        for two in chain.windows(2) {
            above[two[0] as usize] = two[1];
        }
    }
    let summary = &problem.summary;
    let mut shown = coarser(problem, &vocabulary, &problem.removed);
    for (item, chain) in vocabulary.stands_for.iter().enumerate() {
        if start == 0 {
            shown.named_bound[chain[0] as usize] = summary.named_bound[item];
        }
    }
    let climb = Climb {
        above: &above,
        loss: &vocabulary.loss,
        source: summary,
        stands_for: &vocabulary.stands_for,
        removed: &problem.removed,
    };
    let (rows, rounds) = local_suppression::climb(shown, &climb, &problem.limits, context)?;
    Ok(finish(problem, vocabulary, rows, rounds))
}

/// Every doublet at one rung, then local suppression that also survives contradiction.
///
/// All records climb together, so the coarser table is a table of paths of its own, and knowing a
/// source doublet is knowing its image: what holds there holds for the source.
fn whole_rung(problem: &Problem, rung: &Rung, context: &Context) -> Result<PathRecoding, Error> {
    let only = Ladder {
        rungs: vec![rung.clone()],
    };
    let vocabulary = vocabulary(problem.paths, &only, 1);
    let known = coarser(problem, &vocabulary, &[]);
    let shown = coarser(problem, &vocabulary, &problem.removed);
    let time_of: Vec<u32> = vocabulary.doublets.iter().map(|d| d.time).collect();
    let source = Some((&known, time_of.as_slice()));
    let (rows, rounds) = local_suppression::publish(&shown, source, &problem.limits, context)?;
    Ok(finish(problem, vocabulary, rows, rounds))
}

/// The rows of the source in the finest words of a vocabulary, without the doublets that must not be shown.
fn coarser(problem: &Problem, vocabulary: &Vocabulary, removed: &[u32]) -> Summary {
    let summary = &problem.summary;
    let lists: Vec<Vec<u32>> = (0..summary.rows())
        .map(|row| {
            let mut list: Vec<u32> = summary
                .row(row)
                .iter()
                .filter(|item| !removed.contains(item))
                .map(|&item| vocabulary.stands_for[item as usize][0])
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
    let words = vocabulary.doublets.len();
    let mut shown = summary.with_items(rows.starts, rows.items, words);
    shown.named_bound = vec![crate::summary::NO_BOUND; words];
    shown
}

/// The recoding that shows these rows.
fn finish(problem: &Problem, vocabulary: Vocabulary, rows: Rows, rounds: u32) -> PathRecoding {
    let summary = &problem.summary;
    let mut published = vec![false; vocabulary.doublets.len()];
    for &item in &rows.items {
        published[item as usize] = true;
    }
    let instances = summary.instances();
    let gone = |item: &u32| {
        let chain = &vocabulary.stands_for[*item as usize];
        instances[*item as usize] > 0 && chain.iter().all(|&word| !published[word as usize])
    };
    let suppressed = (0..summary.item_count() as u32).filter(gone).collect();
    PathRecoding::new(
        Algorithm::Coarsening,
        summary,
        &problem.violations,
        vocabulary,
        rows,
        suppressed,
        rounds,
    )
}

/// All doublets a release may show when its common start is rung `start` (0 = the source).
fn vocabulary(paths: &Paths, ladder: &Ladder, start: usize) -> Vocabulary {
    let rungs: Vec<(&[String], &[String])> = std::iter::once((paths.locations(), paths.times()))
        .chain(
            ladder
                .rungs
                .iter()
                .map(|r| (r.places.as_slice(), r.slots.as_slice())),
        )
        .skip(start)
        .collect();
    let mut locations: Vec<String> = Vec::new();
    let mut location_code: HashMap<&str, u32> = HashMap::new();
    // A slot stands at its first time; of two slots that begin together the finer comes first.
    let mut slots: Vec<(usize, usize, &str)> = Vec::new();
    let (mut place_loss, mut slot_loss) = (HashMap::new(), HashMap::new());
    for (height, (places, times)) in rungs.iter().enumerate() {
        for place in *places {
            location_code.entry(place).or_insert_with(|| {
                locations.push(place.clone());
                locations.len() as u32 - 1
            });
            let size = places.iter().filter(|p| *p == place).count();
            place_loss
                .entry(place.as_str())
                .or_insert_with(|| share(size, places.len()));
        }
        for (first, time) in times.iter().enumerate() {
            if slots.iter().all(|(_, _, known)| *known != time.as_str()) {
                slots.push((first, height, time));
            }
            let size = times.iter().filter(|t| *t == time).count();
            slot_loss
                .entry(time.as_str())
                .or_insert_with(|| share(size, times.len()));
        }
    }
    slots.sort_unstable();
    let slot_code: HashMap<&str, u32> = slots
        .iter()
        .zip(0..)
        .map(|((_, _, label), code)| (*label, code))
        .collect();
    let image = |(places, times): &(&[String], &[String]), doublet: &Doublet| Doublet {
        time: slot_code[times[doublet.time as usize].as_str()],
        location: location_code[places[doublet.location as usize].as_str()],
    };
    let mut doublets: Vec<Doublet> = rungs
        .iter()
        .flat_map(|rung| paths.doublets().iter().map(move |d| image(rung, d)))
        .collect();
    doublets.sort_unstable();
    doublets.dedup();
    let loss = doublets
        .iter()
        .map(|d| {
            let place = place_loss[locations[d.location as usize].as_str()];
            let slot = slot_loss[slots[d.time as usize].2];
            1.0 - (1.0 - place) * (1.0 - slot)
        })
        .collect();
    let stands_for = paths
        .doublets()
        .iter()
        .map(|doublet| {
            let mut chain: Vec<u32> = rungs
                .iter()
                .map(|rung| doublets.partition_point(|d| *d < image(rung, doublet)) as u32)
                .collect();
            chain.dedup();
            chain
        })
        .collect();
    Vocabulary {
        times: slots
            .iter()
            .map(|(_, _, label)| (*label).to_owned())
            .collect(),
        locations,
        doublets,
        stands_for,
        loss,
    }
}

/// Coarseness of a set of `size` of `all` values: 0 for one, 1 for all.
fn share(size: usize, all: usize) -> f64 {
    if all > 1 {
        (size - 1) as f64 / (all - 1) as f64
    } else {
        0.0
    }
}
