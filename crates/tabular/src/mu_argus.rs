//! mu-Argus: makes every combination of up to three values frequent, by generalizing and by suppressing cells.
//!
//! # Idea
//!
//! Count all combinations of one, two and three values; those with fewer than k records are unsafe. While too many records
//! have unsafe combinations, the node whose children take part in most of them is generalized. Then cells go: in every record the
//! cell that takes part in most unsafe combinations, until none is left.
//!
//! # Guarantee
//!
//! Every combination of up to three published values occurs in at least k records; suppressed cells are left out, or count as a
//! value of their own ([`Reading`]), which then holds for whoever knows up to three values of a record. This is **NOT
//! k-anonymity**: four values together may single somebody out. For that reason this is no [`Solver`](crate::Solver) and
//! honours no promise; its release says whether it happens to be k-anonymous.
//!
//! # Reference
//!
//! A. Hundepool, L. Willenborg, "mu- and tau-argus: software for statistical disclosure control", 1996. Survey section 5.1.2.
//!
//! # Departures
//!
//! The original leaves generalization to its user; here a share of unsafe records decides when to stop. Suppressing a cell lowers
//! the counts of the other combinations of its record, so counting is repeated until nothing is unsafe.
//!
//! # Cost
//!
//! O(q^3 x tuples) per count, on all cores; one count per step.

use std::collections::HashMap;

use denym_data::Fraction;
use denym_measure::combinations;
use rayon::prelude::*;

use crate::cells::publish_cells;
use crate::cut::{Tree, trees};
use crate::figures;
use crate::{Context, Error, Nearest, Progress, Request, Solution};

/// What a suppressed cell is when combinations are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Nothing: combinations with it are not counted, as in the original.
    Nothing,
    /// A value of its own. A record all of whose cells in a rare combination are suppressed is removed.
    Value,
}

/// Options of mu-Argus.
#[derive(Debug, Clone)]
pub struct MuArgus {
    /// Least records of every combination.
    pub k: u64,
    /// Most values of a combination, 1 to 3.
    pub values: usize,
    /// Records with unsafe combinations that may be left to cell suppression.
    pub unsafe_at_most: Fraction,
    /// What a suppressed cell is.
    pub suppressed: Reading,
}

impl Default for MuArgus {
    /// Three values in three records; one record in twenty is left to cell suppression.
    fn default() -> Self {
        MuArgus {
            k: 3,
            values: 3,
            unsafe_at_most: Fraction::new(1, 20).unwrap_or(Fraction::ZERO),
            suppressed: Reading::Nothing,
        }
    }
}

/// What mu-Argus publishes, and what it does not promise.
#[derive(Debug, Clone, PartialEq)]
pub struct MuArgusRelease {
    /// The recoding. It keeps no promise of the request.
    pub solution: Solution,
    /// Suppressed cells of each quasi-identifier, each record counted.
    pub suppressed_cells: Vec<u64>,
    /// Whether all published records happen to be in classes of k.
    pub happens_to_be_k_anonymous: bool,
}

impl MuArgusRelease {
    /// What a reader must know.
    pub const WARNING: &'static str =
        "combinations of more than three values are not protected: this is not k-anonymity";
}

impl MuArgus {
    /// Generalizes and suppresses cells of the request's table; its promises are not looked at.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<MuArgusRelease, Error> {
        request.check()?;
        let trees = trees(request);
        let tuples = request.summary.tuples();
        let mut at: Vec<Vec<u32>> = trees.iter().map(|tree| tree.finest.clone()).collect();
        let mut hidden: Vec<Vec<bool>> = vec![vec![false; tuples]; trees.len()];
        let all: Vec<usize> = (0..trees.len()).collect();
        let most = self.values.clamp(1, 3);
        let sets: Vec<Vec<usize>> = (1..=most)
            .flat_map(|size| combinations(&all, size))
            .collect();
        let mut gone = vec![false; tuples];
        let mut done = 0;
        loop {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            let (unsafe_in, lost) = self.unsafe_cells(request, &at, &hidden, &gone, &sets);
            let affected: u64 = (0..tuples)
                .filter(|&t| lost[t] || unsafe_in.iter().any(|cells| cells[t] > 0))
                .map(|t| request.summary.records[t])
                .sum();
            if affected == 0 {
                break;
            }
            done += 1;
            (context.progress)(Progress {
                done,
                total: done,
                best: None,
                bound: None,
            });
            let allowed = self.unsafe_at_most.floor_of(request.summary.total());
            if affected > allowed
                && let Some((d, node)) = worst(request, &trees, &at, &unsafe_in)
            {
                for &code in &trees[d].branches[node as usize].codes {
                    at[d][code as usize] = node;
                }
                continue;
            }
            for t in 0..tuples {
                let most =
                    (0..trees.len()).max_by_key(|&d| (unsafe_in[d][t], std::cmp::Reverse(d)));
                if let Some(d) = most.filter(|&d| unsafe_in[d][t] > 0) {
                    hidden[d][t] = true;
                } else if lost[t] {
                    gone[t] = true;
                }
            }
        }
        let records = &request.summary.records;
        let removed: u64 = (0..tuples).filter(|&t| gone[t]).map(|t| records[t]).sum();
        if removed > request.budget() || removed == request.summary.total() {
            let total = request.summary.total();
            return Err(Error::infeasible(Nearest {
                reach: Vec::new(),
                suppression: (removed < total).then_some((removed, total)),
            }));
        }
        let recoding = publish_cells(request, &trees, &gone, |d, t| {
            (!hidden[d][t]).then(|| at[d][request.summary.quasi[d][t] as usize])
        });
        let solution = figures::solution(request, recoding);
        Ok(MuArgusRelease {
            happens_to_be_k_anonymous: solution.statistics.smallest >= self.k,
            solution,
            suppressed_cells: hidden
                .iter()
                .map(|cells| (0..tuples).filter(|&t| cells[t]).map(|t| records[t]).sum())
                .collect(),
        })
    }

    /// For each cell that is shown, the unsafe combinations it takes part in; and the tuples with an unsafe combination that shows
    /// nothing.
    fn unsafe_cells(
        &self,
        request: &Request<'_>,
        at: &[Vec<u32>],
        hidden: &[Vec<bool>],
        gone: &[bool],
        sets: &[Vec<usize>],
    ) -> (Vec<Vec<u32>>, Vec<bool>) {
        /// No node has this number.
        const STAR: u32 = u32::MAX - 1;
        let summary = request.summary;
        let unsafe_tuples: Vec<Vec<u32>> = sets
            .par_iter()
            .map(|set| {
                let key = |t: usize| -> Option<[u32; 3]> {
                    let mut key = [u32::MAX; 3];
                    for (slot, &d) in key.iter_mut().zip(set) {
                        *slot = match self.suppressed {
                            Reading::Nothing if hidden[d][t] => return None,
                            Reading::Value if hidden[d][t] => STAR,
                            _ => at[d][summary.quasi[d][t] as usize],
                        };
                    }
                    (!gone[t]).then_some(key)
                };
                let mut counts: HashMap<[u32; 3], u64> = HashMap::new();
                for t in 0..summary.tuples() {
                    if let Some(key) = key(t) {
                        *counts.entry(key).or_default() += summary.records[t];
                    }
                }
                let rare = |t: &u32| key(*t as usize).is_some_and(|key| counts[&key] < self.k);
                (0..summary.tuples() as u32).filter(rare).collect()
            })
            .collect();
        let mut cells = vec![vec![0; summary.tuples()]; at.len()];
        let mut lost = vec![false; summary.tuples()];
        for (set, tuples) in sets.iter().zip(unsafe_tuples) {
            for t in tuples.into_iter().map(|t| t as usize) {
                let shown = set.iter().filter(|&&d| !hidden[d][t]);
                lost[t] |= shown.clone().next().is_none();
                for &d in shown {
                    cells[d][t] += 1;
                }
            }
        }
        (cells, lost)
    }
}

/// The node whose children, all at the cut, take part in most unsafe combinations.
fn worst(
    request: &Request<'_>,
    trees: &[Tree],
    at: &[Vec<u32>],
    unsafe_in: &[Vec<u32>],
) -> Option<(usize, u32)> {
    let summary = request.summary;
    let mut best: Option<(u64, usize, u32)> = None;
    for (d, tree) in trees.iter().enumerate() {
        let mut by_node = vec![0_u64; tree.branches.len()];
        for (t, &count) in unsafe_in[d].iter().enumerate() {
            by_node[at[d][summary.quasi[d][t] as usize] as usize] +=
                u64::from(count) * summary.records[t];
        }
        for (node, branch) in tree.branches.iter().enumerate() {
            let at_cut = |&child: &u32| {
                let first = tree.branches[child as usize].codes[0];
                at[d][first as usize] == child
            };
            if branch.children.is_empty() || !branch.children.iter().all(at_cut) {
                continue;
            }
            let count = branch.children.iter().map(|&c| by_node[c as usize]).sum();
            if count > 0 && best.is_none_or(|(most, _, _)| count > most) {
                best = Some((count, d, node as u32));
            }
        }
    }
    best.map(|(_, d, node)| (d, node))
}
