//! Refinement: moves and swaps between clusters that lower the information loss (4.1), by simulated annealing.
//!
//! # Idea
//!
//! As `best_effort` for SSE, but what moves are lots: all records of a cluster that are equal. A lot moves to the cluster of
//! a record that stands near it in some sorted order, or changes places with a lot there; a cluster is dissolved into
//! its neighbors, or formed around a point. A cluster's loss is size times spread, so a step is judged from the lots of
//! two clusters.
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
//! O(lots q) per step for q attributes; a round is eight steps for each distinct record.

use rayon::prelude::*;

use super::chain::Chain;
use super::points::Points;
use super::records::Records;
use super::runs::runs;
use crate::random::SplitMix64;
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

/// Proposals per point in a round.
const STEPS_PER_POINT: usize = 8;
/// The first rounds only descend.
const DESCENT: u64 = 8;
/// Rounds of a cycle from hot to cold; each next one is twice as long.
const FIRST_CYCLE: u64 = 64;
/// Temperatures in units of the start's loss per cluster.
const HOT: f64 = 0.5;
const COLD: f64 = 0.005;

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
    let points = Points::new(records);
    let lines = points.orders();
    let places: Vec<Vec<u32>> = lines
        .iter()
        .map(|line| {
            let mut place = vec![0; line.len()];
            for (at, &point) in line.iter().enumerate() {
                place[point as usize] = at as u32;
            }
            place
        })
        .collect();
    let first = Chain::new(&points, &lines, &places, start, options.k);
    let unit = first.best_loss / start.len() as f64;
    let mut chains: Vec<Chain<'_>> = (0..options.chains.max(1) as u64)
        .map(|number| first.with_random(SplitMix64::part(options.seed, number)))
        .collect();
    let steps = STEPS_PER_POINT * points.len();
    let mut effort = 0;
    while effort < options.effort && unit > 0.0 && start.len() > 1 && keep_going() {
        let (temperature, last) = temperature(effort);
        chains.par_iter_mut().for_each(|chain| {
            chain.run(steps, temperature * unit);
            if last {
                chain.run(steps, 0.0);
            }
            chain.remember();
        });
        effort += 1;
    }
    let best = chains
        .iter()
        .min_by(|a, b| a.best_loss.total_cmp(&b.best_loss))
        .and_then(Chain::partition)
        .unwrap_or_else(|| start.clone());
    Ok(Refined {
        loss: records.total_loss(best.groups()),
        partition: best,
        effort,
    })
}

/// The temperature of a round, and whether it is the last of its cycle.
fn temperature(round: u64) -> (f64, bool) {
    if round < DESCENT {
        return (0.0, round == DESCENT - 1);
    }
    let mut at = round - DESCENT;
    let mut length = FIRST_CYCLE;
    while at >= length {
        at -= length;
        length *= 2;
    }
    let share = at as f64 / (length - 1) as f64;
    (HOT * (COLD / HOT).powf(share), at == length - 1)
}
