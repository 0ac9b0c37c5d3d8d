//! Annealing of a region whose groups are too large for a table of all distances: by the sums of groups.

use super::Annealed;
use super::anneal::Chain;
use super::cooling::{COLD, STAGES, Schedule};
use super::groups::Groups;
use super::neighbors::Neighbors;
use crate::{Matrix, SplitMix64};

/// Cools a region down and ends with a descent.
pub(super) fn anneal(
    matrix: &Matrix,
    groups: &[&[u32]],
    k: usize,
    schedule: Schedule,
    random: SplitMix64,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Annealed {
    let rows = groups.concat();
    let Ok(part) = matrix.select_rows(&rows) else {
        return Annealed::Same;
    };
    let mut next = 0;
    let local: Vec<Vec<u32>> = groups
        .iter()
        .map(|group| {
            next += group.len() as u32;
            (next - group.len() as u32..next).collect()
        })
        .collect();
    if !keep_going() {
        return Annealed::Cut;
    }
    let neighbors = Neighbors::new(&part, 64);
    let state = Groups::new(&part, &local, k, 2 * k - 1);
    let mut chain = Chain::new(state, &neighbors, random);
    let before = chain.sse;
    let unit = before / part.rows() as f64;
    let steps = schedule.steps / STAGES;
    for stage in 0..STAGES + 4 {
        let share = stage as f64 / (STAGES - 1) as f64;
        let temperature = if stage < STAGES {
            unit * schedule.hot * COLD.powf(share)
        } else {
            0.0
        };
        // A stage may take a second here.
        for _ in 0..16 {
            if !keep_going() {
                return Annealed::Cut;
            }
            chain.run(steps / 16, temperature);
        }
    }
    chain.remember();
    Annealed::of(before, chain.best_sse, || {
        let partition = chain.groups.partition();
        let groups = partition.groups();
        groups
            .map(|group| group.iter().map(|&row| rows[row as usize]).collect())
            .collect()
    })
}
