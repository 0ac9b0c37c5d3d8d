//! Top-down disclosure: all values are suppressed at first and disclosed one by one while no inference becomes too sure.
//!
//! # Idea
//!
//! A template says how sure an adversary may be of a sensitive value. Every value of every quasi-identifier starts as `*`. Each step
//! discloses one value, everywhere, choosing the one with the most information per privacy lost (IGPL); it ends when every further
//! disclosure would break a promise. If a table breaks a template, so does every table that discloses more, so
//! nothing is missed by not going on.
//!
//! # Guarantee
//!
//! Every published class meets every promise, judged on the class itself; at most the allowed records are suppressed. The result
//! is minimally suppressed: no single value more could be disclosed at a gain. Made for confidence templates; honours all promises.
//!
//! # Reference
//!
//! K. Wang, B. Fung, P. Yu, "Template-based privacy preservation in classification problems", ICDM 2005, and "Handicapping
//! attacker's confidence", KAIS 2007. Survey section 5.2, observation 5.3.
//!
//! # Departures
//!
//! Each quasi-identifier is disclosed at the finest level allowed; coarser levels are not used. Privacy lost is the
//! decrease of the smallest class, as for specialization.
//!
//! # Cost
//!
//! O(values disclosed x values x tuples of `*`); a step's candidates are judged on all cores.

use denym_measure::metrics::igpl;
use rayon::prelude::*;

use crate::cut::{Cut, Move, Tree, refusal};
use crate::figures;
use crate::target::{Target, gain};
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Value suppression from the top.
#[derive(Debug, Clone, Default)]
pub struct TopDownDisclosure {
    /// The sensitive attribute whose prediction matters, by position; `None` minimizes loss.
    pub class: Option<usize>,
}

impl Solver for TopDownDisclosure {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let target = match self.class {
            Some(position) => Some(Target::attribute(request, position)?),
            None => None,
        };
        let trees: Vec<Tree> = (0..request.hierarchies.len())
            .map(|d| {
                let tree = Tree::flat(&request.hierarchies[d], request.range(d).0);
                tree.weighted(request.weight(d))
            })
            .collect();
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (d, tree) in trees.iter().enumerate() {
            for &root in &tree.roots {
                let children = tree.branches[root as usize].children.iter();
                open.extend(children.map(|&child| (d, child)));
            }
        }
        let mut cut = Cut::coarsest(request, trees);
        if !cut.is_valid(&cut.effect()) {
            return Err(refusal(request, context));
        }
        let (mut steps, mut evaluated) = (0, 0);
        let total = open.len() as u64;
        while (context.keep_going)() {
            let before = cut.effect();
            let scores: Vec<Option<(f64, f64)>> = open
                .par_iter()
                .map(|&(d, node)| {
                    let after = cut.foresee(&disclosure(&cut.trees[d], d, node));
                    let saved = before.loss - after.loss;
                    if !cut.is_valid(&after) || saved <= 0.0 && target.is_none() {
                        return None;
                    }
                    let information = match &target {
                        Some(target) => told(&cut, target, d, node),
                        None => saved / request.summary.total() as f64,
                    };
                    let lost = before.smallest as f64 - after.smallest as f64;
                    Some((igpl(information, lost), saved))
                })
                .collect();
            evaluated += scores.len() as u64;
            let mut best: Option<((f64, f64), usize)> = None;
            for (index, score) in scores.iter().enumerate() {
                if let Some((first, second)) = *score
                    && best.is_none_or(|((a, b), _)| {
                        first.total_cmp(&a).then(second.total_cmp(&b)).is_gt()
                    })
                {
                    best = Some(((first, second), index));
                }
            }
            let Some((_, best)) = best else {
                break;
            };
            let (d, node) = open.remove(best);
            cut.apply(&disclosure(&cut.trees[d], d, node));
            steps += 1;
            (context.progress)(Progress {
                done: steps,
                total,
                best: None,
                bound: None,
            });
        }
        let mut solution = figures::solution(request, cut.recoding());
        solution.statistics.evaluated = evaluated;
        Ok(solution)
    }
}

/// The step that shows a value.
fn disclosure(tree: &Tree, d: usize, node: u32) -> Move {
    let codes = tree.branches[node as usize].codes.iter();
    Move {
        d,
        to: codes.map(|&code| (code, node)).collect(),
    }
}

/// The decrease of class entropy among the records that show `*` when a value leaves them.
fn told(cut: &Cut<'_>, target: &Target, d: usize, node: u32) -> f64 {
    let tree = &cut.trees[d];
    let shown = &tree.branches[node as usize].codes;
    let hidden: Vec<u32> = (0..cut.at[d].len() as u32)
        .filter(|&code| tree.roots.contains(&cut.at[d][code as usize]))
        .collect();
    let rest: Vec<u32> = hidden
        .iter()
        .copied()
        .filter(|code| !shown.contains(code))
        .collect();
    gain(
        &target.of(d, &hidden),
        &[target.of(d, shown), target.of(d, &rest)],
    )
}
