//! Refinement: moves and swaps between clusters that lower the information loss (4.1), by simulated annealing.
//!
//! # Idea
//!
//! As `best_effort` for SSE: a record moves to the cluster of a record that stands near it in some sorted order, or the
//! two change places. A cluster's loss is size times spread, so a step is judged from the members of two clusters.
//!
//! # Guarantee
//!
//! Clusters keep k records or more and never lose more than at the start. Same data, options and effort: same
//! clusters, for any number of threads.
//!
//! # Reference
//!
//! Kirkpatrick, Gelatt and Vecchi, Optimization by simulated annealing, Science 220, 1983, doi:10.1126/science.220.4598.671.
//!
//! # Departures
//!
//! Ours.
//!
//! # Cost
//!
//! O(k q) per step for q attributes.

use rayon::prelude::*;

use super::records::{Extent, Records};
use super::runs::{orders, runs};
use crate::random::{RandomSource, SplitMix64};
use crate::{Error, Options, Partition};

/// Clusters found and the rounds it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// The best clusters.
    pub partition: Partition,
    /// Their information loss (4.1).
    pub loss: f64,
    /// The rounds done; `Options::effort` set to this repeats the run exactly.
    pub effort: u64,
}

/// Proposals per record in a round.
const STEPS_PER_RECORD: usize = 4;
/// Rounds of a cycle from hot to cold; each next one is twice as long.
const FIRST_CYCLE: u64 = 16;
/// Temperatures in units of the start's loss per record.
const HOT: f64 = 1.0;
const COLD: f64 = 0.02;

/// The best clusters within `options.effort` rounds or until `keep_going` says no, starting from `runs`.
pub fn best_clusters(
    records: &Records,
    options: &Options,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Refined, Error> {
    let start = runs(records, options.k)?;
    refine(records, &start, options, keep_going)
}

/// Improves given clusters.
pub fn refine(
    records: &Records,
    start: &Partition,
    options: &Options,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Refined, Error> {
    super::check(records, options.k, 0)?;
    if start.records() != records.len() {
        return Err(Error::Mismatch {
            what: "the partition",
            found: start.records(),
            expected: records.len(),
        });
    }
    let lines = orders(records);
    let places: Vec<Vec<u32>> = lines
        .iter()
        .map(|line| {
            let mut place = vec![0; line.len()];
            for (at, &row) in line.iter().enumerate() {
                place[row as usize] = at as u32;
            }
            place
        })
        .collect();
    let first = State::new(records, start, options.k);
    let unit = first.loss / records.len() as f64;
    let mut chains: Vec<State<'_>> = (0..options.chains.max(1) as u64)
        .map(|number| {
            let mut chain = first.clone();
            chain.random = SplitMix64::part(options.seed, number);
            chain
        })
        .collect();
    let mut effort = 0;
    while effort < options.effort && unit > 0.0 && start.len() > 1 && keep_going() {
        let mut at = effort;
        let mut length = FIRST_CYCLE;
        while at >= length {
            at -= length;
            length *= 2;
        }
        let cooled = unit * HOT * (COLD / HOT).powf(at as f64 / (length - 1) as f64);
        // The first two rounds and the last of a cycle only descend.
        let temperature = if effort < 2 || at == length - 1 {
            0.0
        } else {
            cooled
        };
        chains.par_iter_mut().for_each(|chain| {
            chain.run(&lines, &places, temperature);
            chain.remember();
        });
        effort += 1;
    }
    let best = chains
        .iter()
        .min_by(|a, b| a.best.0.total_cmp(&b.best.0))
        .map_or_else(
            || start.clone(),
            |chain| Partition::from_labels(&chain.best.1),
        );
    Ok(Refined {
        loss: records.total_loss(best.groups()),
        partition: best,
        effort,
    })
}

#[derive(Clone)]
struct State<'a> {
    records: &'a Records,
    k: usize,
    label: Vec<u32>,
    members: Vec<Vec<u32>>,
    extents: Vec<Extent>,
    loss: f64,
    best: (f64, Vec<u32>),
    random: SplitMix64,
}

impl<'a> State<'a> {
    fn new(records: &'a Records, start: &Partition, k: usize) -> Self {
        let members: Vec<Vec<u32>> = start.groups().map(<[u32]>::to_vec).collect();
        let extents: Vec<Extent> = members
            .iter()
            .filter_map(|cluster| records.extent(cluster))
            .collect();
        let loss = extents.iter().map(|extent| records.loss(extent)).sum();
        let label = start.labels();
        Self {
            records,
            k,
            best: (loss, label.clone()),
            label,
            members,
            extents,
            loss,
            random: SplitMix64::new(0),
        }
    }

    fn remember(&mut self) {
        self.loss = self
            .extents
            .iter()
            .map(|extent| self.records.loss(extent))
            .sum();
        if self.loss < self.best.0 {
            self.best = (self.loss, self.label.clone());
        }
    }

    fn run(&mut self, lines: &[Vec<u32>], places: &[Vec<u32>], temperature: f64) {
        let n = self.label.len();
        let reach = 4 * self.k;
        for _ in 0..STEPS_PER_RECORD * n {
            let row = self.random.below(n) as u32;
            let line = self.random.below(lines.len());
            let place = places[line][row as usize] as usize;
            let far = 1 + self.random.below(reach);
            let at = if self.random.next_u64() & 1 == 0 {
                place.checked_sub(far)
            } else {
                Some(place + far)
            };
            let Some(&friend) = at.and_then(|at| lines[line].get(at)) else {
                continue;
            };
            let (here, there) = (self.label[row as usize], self.label[friend as usize]);
            if here == there {
                continue;
            }
            // Leaving pays only when the loss of the cluster shrinks beyond the record's own share.
            if self.members[here as usize].len() > self.k && self.random.next_u64() & 3 != 0 {
                self.try_exchange(row, None, there, temperature);
            } else {
                let others = &self.members[there as usize];
                let other = others[self.random.below(others.len())];
                self.try_exchange(row, Some(other), there, temperature);
            }
        }
    }

    /// Moves `row` to `there`, and `other` back when given, if the change of loss is accepted.
    fn try_exchange(&mut self, row: u32, other: Option<u32>, there: u32, temperature: f64) {
        let here = self.label[row as usize] as usize;
        let there = there as usize;
        let Some(new_here) = self.without(here, row, other) else {
            return;
        };
        let new_there = match other {
            None => {
                let mut extent = self.extents[there].clone();
                self.records.grow(&mut extent, row);
                extent
            }
            Some(other) => match self.without(there, other, Some(row)) {
                Some(extent) => extent,
                None => return,
            },
        };
        let records = self.records;
        let change = records.loss(&new_here) + records.loss(&new_there)
            - records.loss(&self.extents[here])
            - records.loss(&self.extents[there]);
        if change > 1e-12
            && (temperature <= 0.0 || self.random.unit() >= (-change / temperature).exp())
        {
            return;
        }
        self.extents[here] = new_here;
        self.extents[there] = new_there;
        self.loss += change;
        self.members[here].retain(|&member| member != row);
        self.members[there].push(row);
        self.label[row as usize] = there as u32;
        if let Some(other) = other {
            self.members[there].retain(|&member| member != other);
            self.members[here].push(other);
            self.label[other as usize] = here as u32;
        }
    }

    /// The extent of a cluster when one record leaves and another may come.
    fn without(&self, cluster: usize, leaves: u32, comes: Option<u32>) -> Option<Extent> {
        let mut rest = self.members[cluster]
            .iter()
            .copied()
            .filter(|&member| member != leaves)
            .chain(comes);
        let mut extent = self.records.extent_of(rest.next()?);
        for member in rest {
            self.records.grow(&mut extent, member);
        }
        Some(extent)
    }
}
