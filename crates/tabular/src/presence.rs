//! SPALM and MPALM: hide who of a public population is in the table, by levels for all or by regions.
//!
//! # Idea
//!
//! Everybody of a public table that looks like a class is present with the same chance: records of the class over people
//! who look like it. *SPALM* goes down the lattice of levels from the top; once a node breaks a promise so does
//! everything below it, and of all nodes that do not the one that loses least is taken. *MPALM* cuts the population like Mondrian, at
//! the median of people, while presence stays within its bounds on both sides, in regions without any record as well.
//!
//! # Guarantee
//!
//! Every class meets every promise, with the people of the population that look like it; people who look like no class are
//! judged as absent. Nothing is suppressed. SPALM is optimal among full-domain generalizations; without monotone promises
//! it looks at every node. MPALM is minimal. Both honour all promises.
//!
//! # Reference
//!
//! M. Nergiz, M. Atzori, C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007. Survey section 5.3.
//!
//! # Departures
//!
//! Any objective. MPALM publishes the range or node of a region's population and records together: tightened to the
//! records alone it would say more about presence than was judged. It refuses limits on levels.
//!
//! # Cost
//!
//! SPALM: one grouping of tuples and population per valid node, a layer at a time on all cores. MPALM:
//! O(q x (tuples + population) x log population).

use std::collections::{BTreeSet, HashMap};

use denym_data::{ClassId, Code, Unit};
use denym_measure::Group;
use rayon::prelude::*;

use crate::cut::{Tree, group, recoding};
use crate::figures;
use crate::grouped::refuse_limits;
use crate::lattice::Lattice;
use crate::partition::{Axis, HEAD, Rows, common_node, publish};
use crate::recode::class_group;
use crate::{Context, Error, Nearest, Progress, Reach, Request, Solution, Solver};

/// The people of a public table, as tuples over the same codes as the summary's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublicTable {
    /// For each quasi-identifier, one code per tuple.
    pub quasi: Vec<Vec<Code>>,
    /// People of each tuple.
    pub people: Vec<u64>,
}

impl PublicTable {
    /// This table, or that of the request when this one has nobody.
    fn or_of(&self, request: &Request<'_>) -> PublicTable {
        let register = request.setting.and_then(|s| s.population.as_ref());
        match register {
            Some(register) if self.people.is_empty() => PublicTable {
                quasi: register.quasi.clone(),
                people: register.people.clone(),
            },
            _ if self.people.is_empty() => PublicTable {
                quasi: vec![Vec::new(); request.hierarchies.len()],
                people: Vec::new(),
            },
            _ => self.clone(),
        }
    }

    fn check(&self, request: &Request<'_>) -> Result<(), Error> {
        request.check()?;
        let q = request.hierarchies.len();
        if self.quasi.len() != q {
            return Err(Error::Hierarchies {
                quasi: q,
                hierarchies: self.quasi.len(),
            });
        }
        for (attribute, codes) in self.quasi.iter().enumerate() {
            let covered = request.hierarchies[attribute].levels()[0].nodes.len();
            let most = codes.iter().max().map_or(0, |&code| code as usize + 1);
            if most > covered || codes.len() != self.people.len() {
                return Err(Error::HierarchyTooSmall {
                    attribute,
                    codes: most,
                    covered,
                });
            }
        }
        Ok(())
    }
}

/// Whether a class keeps every promise when so many people look like it.
fn admits(request: &Request<'_>, members: &[u32], people: u64) -> bool {
    class_group(request, members, |group| {
        let group = group.with_population(people);
        request
            .promises
            .iter()
            .all(|promise| promise.admits(&group))
    })
}

/// Whether people who look like no class may be known to be absent.
fn admits_absence(request: &Request<'_>, people: u64) -> bool {
    let nobody = Group::new(0, 0, &[]).with_population(people);
    let mut about_presence = request
        .promises
        .iter()
        .filter(|promise| promise.terms().name == "delta-presence");
    about_presence.all(|promise| promise.admits(&nobody))
}

/// How far the promises hold when everything is one class.
fn refusal(request: &Request<'_>, population: &PublicTable) -> Error {
    let all: Vec<u32> = (0..request.summary.tuples() as u32).collect();
    let people = population.people.iter().sum();
    let reach = class_group(request, &all, |group| {
        let group = group.with_population(people);
        let promises = request.promises.iter();
        promises
            .map(|promise| Reach {
                name: promise.terms().name,
                asked: promise.terms().bound,
                reachable: Some(promise.value(&group)).filter(|value| value.is_finite()),
            })
            .collect()
    });
    Error::infeasible(Nearest {
        reach,
        suppression: None,
    })
}

/// Optimal full-domain generalization against a population.
#[derive(Debug, Clone, Default)]
pub struct Spalm {
    /// Who could be in the table.
    pub population: PublicTable,
}

impl Solver for Spalm {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        /// Lattices with more nodes are refused: valid nodes are all looked at.
        const MOST: u64 = 1 << 18;
        let population = self.population.or_of(request);
        population.check(request)?;
        request.only_all_columns()?;
        let lattice = Lattice::new(request);
        if lattice.nodes() > u128::from(MOST) {
            return Err(Error::TooLarge {
                nodes: lattice.nodes(),
                limit: MOST,
            });
        }
        let monotone = request
            .promises
            .iter()
            .all(|promise| request.is_monotone(promise.as_ref()));
        let mut layer: BTreeSet<Vec<u8>> = BTreeSet::from([lattice.high.clone()]);
        let mut best: Option<Solution> = None;
        let (mut evaluated, mut stopped) = (0, false);
        while !layer.is_empty() {
            if !(context.keep_going)() {
                stopped = true;
                break;
            }
            let nodes: Vec<Vec<u8>> = std::mem::take(&mut layer).into_iter().collect();
            let found: Vec<Option<Solution>> = nodes
                .par_iter()
                .map(|levels| node(request, &population, levels))
                .collect();
            evaluated += nodes.len() as u64;
            for (levels, solution) in nodes.into_iter().zip(found) {
                if solution.is_some() || !monotone {
                    for d in 0..levels.len() {
                        if levels[d] > lattice.low[d] {
                            let mut finer = levels.clone();
                            finer[d] -= 1;
                            layer.insert(finer);
                        }
                    }
                }
                // Finer layers come later, so equal scores go to them.
                if let Some(solution) = solution
                    && best
                        .as_ref()
                        .is_none_or(|best| solution.score <= best.score)
                {
                    best = Some(solution);
                }
            }
            (context.progress)(Progress {
                done: evaluated,
                total: lattice.nodes() as u64,
                best: best.as_ref().map(|best| best.score),
                bound: None,
            });
        }
        let Some(mut best) = best else {
            return Err(if stopped {
                Error::Stopped
            } else {
                refusal(request, &population)
            });
        };
        // With records suppressed there may be better levels.
        best.bound = (!stopped && request.budget() == 0).then_some(best.score);
        best.statistics.space = lattice.nodes() as u64;
        best.statistics.evaluated = evaluated;
        Ok(best)
    }
}

/// The release at some levels, if it keeps the promises.
fn node(request: &Request<'_>, population: &PublicTable, levels: &[u8]) -> Option<Solution> {
    let q = levels.len();
    let trees: Vec<Tree> = (0..q)
        .map(|d| {
            Tree::new(
                &request.hierarchies[d],
                (levels[d] as usize, levels[d] as usize),
            )
        })
        .collect();
    let at: Vec<Vec<u32>> = trees.iter().map(|tree| tree.finest.clone()).collect();
    let mut people: HashMap<Vec<u32>, u64> = HashMap::new();
    for (person, &count) in population.people.iter().enumerate() {
        let key = (0..q).map(|d| at[d][population.quasi[d][person] as usize]);
        *people.entry(key.collect()).or_default() += count;
    }
    let all: Vec<usize> = (0..q).collect();
    let classes = group(request, &all, &at);
    let mut matched = 0;
    for class in &classes {
        let first = class[0] as usize;
        let key: Vec<u32> = (0..q)
            .map(|d| at[d][request.summary.quasi[d][first] as usize])
            .collect();
        let people = people.get(&key).copied().unwrap_or(0);
        matched += people;
        if !admits(request, class, people) {
            return None;
        }
    }
    let outside = population.people.iter().sum::<u64>() - matched;
    if outside > 0 && !admits_absence(request, outside) {
        return None;
    }
    let mut recoding = recoding(request, &trees, &at, classes.iter().map(Vec::as_slice));
    recoding.levels = Some(levels.iter().map(|&level| level as usize).collect());
    Some(figures::solution(request, recoding))
}

/// Multidimensional generalization against a population.
#[derive(Debug, Clone, Default)]
pub struct Mpalm {
    /// Who could be in the table.
    pub population: PublicTable,
}

/// Tuples of the table and of the population in one region.
#[derive(Debug, Clone, Default)]
struct PresenceRegion {
    tuples: Vec<u32>,
    people: Vec<u32>,
}

impl Solver for Mpalm {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        self.run(request, context).map(|(solution, _)| solution)
    }
}

impl Mpalm {
    /// The release, and for each tuple of the population the class its people look like; `None` when they look like none.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<(Solution, Vec<Option<ClassId>>), Error> {
        let population = &self.population.or_of(request);
        population.check(request)?;
        request.only_all_columns()?;
        refuse_limits(request)?;
        let axes: Vec<Axis> = request.hierarchies.iter().map(Axis::of).collect();
        let cutter = PresenceCutter {
            request,
            population,
            axes: &axes,
            keep_going: context.keep_going,
        };
        let whole = PresenceRegion {
            tuples: (0..request.summary.tuples() as u32).collect(),
            people: (0..population.people.len() as u32).collect(),
        };
        if !cutter.admits(&whole) {
            return Err(refusal(request, population));
        }
        let mut regions = cutter.cut(whole);
        regions.retain(|region| !region.tuples.is_empty());
        regions.sort_by_key(|region| region.tuples.iter().copied().min());
        let stride = HEAD + axes.len();
        let mut cells = Vec::new();
        let mut parts = Vec::new();
        let mut looks_like = vec![None; population.people.len()];
        for (class, region) in (0..).zip(&regions) {
            parts.push(region.tuples.len() + region.people.len());
            for &tuple in &region.tuples {
                cells.extend([tuple, 1]);
                cells.extend((0..axes.len()).map(|d| cutter.code(true, tuple, d)));
            }
            // People widen the published values; they stand for a record that is there anyway.
            for &person in &region.people {
                looks_like[person as usize] = Some(class);
                cells.extend([region.tuples[0], 1]);
                cells.extend((0..axes.len()).map(|d| cutter.code(false, person, d)));
            }
        }
        let rows = Rows { cells, stride };
        let recoding = publish(request, Unit::Tuple, &axes, &rows, &parts);
        Ok((figures::solution(request, recoding), looks_like))
    }
}

struct PresenceCutter<'a> {
    request: &'a Request<'a>,
    population: &'a PublicTable,
    axes: &'a [Axis],
    keep_going: &'a (dyn Fn() -> bool + Sync),
}

impl PresenceCutter<'_> {
    fn code(&self, of_table: bool, index: u32, d: usize) -> u32 {
        if of_table {
            self.request.summary.quasi[d][index as usize]
        } else {
            self.population.quasi[d][index as usize]
        }
    }

    fn codes<'b>(
        &'b self,
        region: &'b PresenceRegion,
        d: usize,
    ) -> impl Iterator<Item = u32> + Clone + 'b {
        let tuples = region.tuples.iter().map(move |&t| self.code(true, t, d));
        tuples.chain(region.people.iter().map(move |&p| self.code(false, p, d)))
    }

    fn people(&self, region: &PresenceRegion) -> u64 {
        let people = region.people.iter();
        people.map(|&p| self.population.people[p as usize]).sum()
    }

    fn admits(&self, region: &PresenceRegion) -> bool {
        let people = self.people(region);
        if region.tuples.is_empty() {
            people == 0 || admits_absence(self.request, people)
        } else {
            admits(self.request, &region.tuples, people)
        }
    }

    fn cut(&self, region: PresenceRegion) -> Vec<PresenceRegion> {
        if region.tuples.is_empty() || !(self.keep_going)() {
            return vec![region];
        }
        let mut widths: Vec<(f64, usize)> = (0..self.axes.len())
            .map(|d| (self.width(&region, d), d))
            .collect();
        widths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (width, d) in widths {
            if width <= 0.0 {
                break;
            }
            let pieces = self.split(&region, d);
            if pieces.len() > 1 && pieces.iter().all(|piece| self.admits(piece)) {
                return pieces
                    .into_par_iter()
                    .flat_map_iter(|piece| self.cut(piece))
                    .collect();
            }
        }
        vec![region]
    }

    /// The share of the domain that the values of a region spread over; 0 for one value.
    fn width(&self, region: &PresenceRegion, d: usize) -> f64 {
        let hierarchy = &self.request.hierarchies[d];
        let codes = self.codes(region, d);
        let (low, high) = (
            codes.clone().min().unwrap_or(0),
            codes.clone().max().unwrap_or(0),
        );
        if low == high {
            return 0.0;
        }
        match self.axes[d] {
            Axis::Ordered => f64::from(high - low) / hierarchy.levels()[0].nodes.len() as f64,
            Axis::Tree => common_node(hierarchy, &codes).map_or(1.0, |(level, node)| {
                let leaves = hierarchy.levels()[level as usize].leaves[node as usize];
                leaves as f64 / hierarchy.leaves() as f64
            }),
        }
    }

    fn split(&self, region: &PresenceRegion, d: usize) -> Vec<PresenceRegion> {
        let hierarchy = &self.request.hierarchies[d];
        let key: Box<dyn Fn(u32) -> u32> = match self.axes[d] {
            Axis::Ordered => {
                let last = self.last_of_lower_half(region, d);
                Box::new(move |code| u32::from(code > last))
            }
            Axis::Tree => {
                let level = match common_node(hierarchy, &self.codes(region, d)) {
                    Some((0, _)) => return Vec::new(),
                    Some((level, _)) => level as usize - 1,
                    None => hierarchy.height() - 1,
                };
                Box::new(move |code| hierarchy.node(level, code))
            }
        };
        let mut pieces: std::collections::BTreeMap<u32, PresenceRegion> =
            std::collections::BTreeMap::new();
        for &tuple in &region.tuples {
            let piece = pieces.entry(key(self.code(true, tuple, d))).or_default();
            piece.tuples.push(tuple);
        }
        for &person in &region.people {
            let piece = pieces.entry(key(self.code(false, person, d))).or_default();
            piece.people.push(person);
        }
        pieces.into_values().collect()
    }

    /// The largest code of the lower half of a region's people; the missing value is cut off first.
    fn last_of_lower_half(&self, region: &PresenceRegion, d: usize) -> u32 {
        let labels = &self.request.hierarchies[d].levels()[0].labels;
        let mut weights: Vec<(u32, u64)> = self.codes(region, d).map(|code| (code, 0)).collect();
        for &person in &region.people {
            let weight = self.population.people[person as usize];
            weights.push((self.code(false, person, d), weight));
        }
        let weights = denym_measure::added(weights);
        let below = |index: usize| weights[index.min(weights.len().saturating_sub(2))].0;
        if labels[weights[weights.len() - 1].0 as usize].is_none() {
            return below(weights.len());
        }
        let total: u64 = weights.iter().map(|&(_, weight)| weight).sum();
        let mut sum = 0;
        let middle = weights.iter().position(|&(_, weight)| {
            sum += weight;
            2 * sum >= total
        });
        below(middle.unwrap_or(0))
    }
}
