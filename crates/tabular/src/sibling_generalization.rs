//! Sibling generalization: only those children of a node are generalized that fail a promise; the others keep their names.
//!
//! # Idea
//!
//! When *Engineer* is rare and *Lawyer* is not, subtree generalization makes both *Professional*. Here only rare siblings
//! move up, and *Professional* then means every professional who is not published as something finer. Each step moves the
//! failing values under one node to that node (with the rarest other sibling when there is only one), choosing the node
//! where the fewest values are lost per record that becomes safe.
//!
//! # Guarantee
//!
//! Every published class meets every promise, judged on the class itself; at most the allowed records are suppressed. Ends at the
//! first cut that keeps the promises, at the latest when every value is at the top. Honours all promises; one that
//! generalizing can break may be passed by.
//!
//! # Reference
//!
//! K. `LeFevre`, D. `DeWitt`, R. Ramakrishnan, "Incognito", SIGMOD 2005, appendix on single-dimension models. Survey section 3.1.
//!
//! # Departures
//!
//! The survey defines the scheme without an algorithm; the greedy search is ours. The share of the domain that a parent covers
//! leaves out what its finer siblings cover, so its loss is what a reader would infer.
//!
//! # Cost
//!
//! O(steps x q x tuples); a step's candidates are judged on all cores.

use rayon::prelude::*;

use crate::cut::{Cut, Move, refusal, trees};
use crate::figures;
use crate::target::records_by_code;
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Sibling generalization from the bottom.
#[derive(Debug, Clone, Default)]
pub struct SiblingGeneralization;

impl Solver for SiblingGeneralization {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let trees = trees(request);
        let records: Vec<Vec<u64>> = (0..trees.len())
            .map(|d| records_by_code(request.summary, d, trees[d].finest.len()))
            .collect();
        let mut cut = Cut::finest(request, trees);
        let (mut steps, mut evaluated) = (0, 0);
        loop {
            let before = cut.effect();
            if cut.is_valid(&before) {
                break;
            }
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            let open = moves(&cut, &records);
            let ranks: Vec<(bool, f64)> = open
                .par_iter()
                .map(|step| {
                    let after = cut.foresee(step);
                    let mended = before.failing.saturating_sub(after.failing) as f64;
                    let lost: f64 = step
                        .to
                        .iter()
                        .map(|&(code, node)| {
                            let from = cut.at[step.d][code as usize];
                            let tree = &cut.trees[step.d];
                            records[step.d][code as usize] as f64
                                * (tree.cost(node) - tree.cost(from))
                        })
                        .sum();
                    (mended == 0.0, lost / (mended + 1.0))
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
            cut.apply(&open[best]);
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

/// For every node with something below it: its failing values move up, at least as many as make a difference.
fn moves(cut: &Cut<'_>, records: &[Vec<u64>]) -> Vec<Move> {
    let mut all = Vec::new();
    for (d, tree) in cut.trees.iter().enumerate() {
        let mut failing = vec![false; tree.branches.len()];
        for class in cut.classes.iter().filter(|class| !class.safe) {
            failing[cut.node(d, class.members[0] as usize) as usize] = true;
        }
        let mut weight = vec![0_u64; tree.branches.len()];
        let mut occupied = vec![false; tree.branches.len()];
        for (code, &node) in cut.at[d].iter().enumerate() {
            weight[node as usize] += records[d][code];
            occupied[node as usize] = true;
        }
        for (node, branch) in tree.branches.iter().enumerate() {
            let mut up: Vec<u32> = branch.children.clone();
            up.retain(|&child| occupied[child as usize]);
            // Rare first; failing ones go, and as many others as are needed.
            up.sort_by_key(|&child| (!failing[child as usize], weight[child as usize], child));
            let fails = up.iter().filter(|&&c| failing[c as usize]).count();
            let needed = if occupied[node] { 1 } else { 2 };
            // The last one alone becomes its parent: nobody else is left under that name.
            let count = if up.len() == 1 {
                1
            } else {
                fails.max(needed).min(up.len())
            };
            up.truncate(count);
            let to: Vec<(u32, u32)> = (0..cut.at[d].len() as u32)
                .filter(|&code| up.contains(&cut.at[d][code as usize]))
                .map(|code| (code, node as u32))
                .collect();
            if !to.is_empty() {
                all.push(Move { d, to });
            }
        }
    }
    all
}
