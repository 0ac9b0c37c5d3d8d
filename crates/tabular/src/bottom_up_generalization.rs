//! Bottom-up generalization: starts with the original values and generalizes what loses least per privacy gained.
//!
//! # Idea
//!
//! Nothing is generalized at first, and usually promises fail. Each step replaces all children of one node by the node.
//! Steps that make the smallest class larger are *critical*: they come first. Among them the one with the least
//! information lost per privacy gained (ILPG) is taken. When there is no critical step, those that leave fewer failing
//! records are considered, and only then the others.
//!
//! # Guarantee
//!
//! Every published class meets every promise, judged on the class itself; at most the allowed records are suppressed. The
//! search ends at the first cut that keeps the promises. A promise that generalizing can break may be passed by, and the request is
//! then reported as infeasible although some finer cut would do. Honours all promises.
//!
//! # Reference
//!
//! K. Wang, P. Yu, S. Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", ICDM 2004. Survey
//! section 5.1.2 and formula (5).
//!
//! # Departures
//!
//! The second rank of steps, which the original does not have, keeps the search from generalizing where nothing fails. Without a
//! class attribute, information lost is the loss of values.
//!
//! # Cost
//!
//! O(steps x q x tuples); a step's candidates are judged on all cores.

use denym_measure::metrics::ilpg;
use rayon::prelude::*;

use crate::cut::{Cut, Effect, Move, Tree, refusal, trees};
use crate::figures;
use crate::target::{Target, records_by_code};
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Subtree generalization from the bottom.
#[derive(Debug, Clone, Default)]
pub struct BottomUpGeneralization {
    /// The sensitive attribute whose prediction matters, by position; `None` minimizes loss.
    pub class: Option<usize>,
}

impl Solver for BottomUpGeneralization {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let target = match self.class {
            Some(position) => Some(Target::attribute(request, position)?),
            None => None,
        };
        let trees = trees(request);
        let records: Vec<Vec<u64>> = (0..trees.len())
            .map(|d| records_by_code(request.summary, d, trees[d].finest.len()))
            .collect();
        let mut cut = Cut::finest(request, trees);
        let mut evaluated = 0;
        let mut steps = 0;
        loop {
            let before = cut.effect();
            if cut.is_valid(&before) {
                break;
            }
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            let open = generalizations(&cut);
            let ranks: Vec<(u8, f64)> = open
                .par_iter()
                .map(|&(d, node)| {
                    let tree = &cut.trees[d];
                    let lost = match &target {
                        Some(target) => target.gain(d, tree, node),
                        None => lost(tree, &cut.at[d], &records[d], node),
                    };
                    rank(
                        &before,
                        &cut.foresee(&generalization(tree, d, node)),
                        lost / request.summary.total() as f64,
                    )
                })
                .collect();
            evaluated += ranks.len() as u64;
            let best = (0..open.len()).min_by(|&a, &b| {
                let order = ranks[a].0.cmp(&ranks[b].0);
                order.then(ranks[a].1.total_cmp(&ranks[b].1))
            });
            let Some(best) = best else {
                return Err(refusal(request, context));
            };
            let (d, node) = open[best];
            cut.apply(&generalization(&cut.trees[d], d, node));
            steps += 1;
            (context.progress)(Progress {
                done: steps,
                total: steps,
                best: None,
                bound: None,
            });
        }
        let mut solution = figures::solution(request, cut.recoding());
        solution.statistics.evaluated = evaluated;
        Ok(solution)
    }
}

/// Critical steps first, then those that mend something, then the rest; each by what it loses per privacy gained.
fn rank(before: &Effect, after: &Effect, lost: f64) -> (u8, f64) {
    let gained = after.smallest.saturating_sub(before.smallest) as f64;
    let mended = before.failing.saturating_sub(after.failing) as f64;
    if gained > 0.0 {
        (0, ilpg(lost, gained))
    } else if mended > 0.0 {
        (1, ilpg(lost, mended))
    } else {
        (2, lost)
    }
}

/// Nodes whose children are all published as they are.
fn generalizations(cut: &Cut<'_>) -> Vec<(usize, u32)> {
    let mut open = Vec::new();
    for (d, tree) in cut.trees.iter().enumerate() {
        for (node, branch) in tree.branches.iter().enumerate() {
            let at_cut = |child: &u32| {
                tree.branches[*child as usize]
                    .codes
                    .iter()
                    .all(|&code| cut.at[d][code as usize] == *child)
            };
            if !branch.children.is_empty() && branch.children.iter().all(at_cut) {
                open.push((d, node as u32));
            }
        }
    }
    open
}

/// The step that replaces the children of a node by the node.
fn generalization(tree: &Tree, d: usize, node: u32) -> Move {
    let codes = tree.branches[node as usize].codes.iter();
    Move {
        d,
        to: codes.map(|&code| (code, node)).collect(),
    }
}

/// Loss of values when all under `node` become `node`.
fn lost(tree: &Tree, at: &[u32], records: &[u64], node: u32) -> f64 {
    let codes = tree.branches[node as usize].codes.iter();
    codes
        .map(|&code| {
            records[code as usize] as f64 * (tree.cost(node) - tree.cost(at[code as usize]))
        })
        .sum()
}
