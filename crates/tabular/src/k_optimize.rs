//! K-Optimize: the best cut through all hierarchies, by enumerating sets of specializations and discarding hopeless ones.
//!
//! # Idea
//!
//! A cut is a set of specializations that contains with every node its ancestors. Sets are enumerated as a tree: the *head* is
//! what is specialized already, the *tail* what may still be. Specializing everything in the tail gives the finest table
//! below, and no table below can lose less than that one would if everything that fails at the head stays suppressed. When this bound
//! is no better than the best table so far, the whole subtree goes; when it is no better with one more element in the head, that element
//! goes out of the tail.
//!
//! # Guarantee
//!
//! Every published class meets every promise and at most the allowed records are suppressed. When the search comes to its end the
//! score is the least of all cuts, and the solution's bound says so; when it is stopped or runs out of effort the bound
//! says how much better a cut could be at most. Honours all promises; only those that generalizing cannot break allow
//! pruning by suppression.
//!
//! # Reference
//!
//! R. Bayardo, R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005. Survey section 5.1.1.
//!
//! # Departures
//!
//! Cuts through given hierarchies instead of ordered values without one. All objectives instead of two; the bounds are made from
//! the objective itself. The first incumbent comes from top-down specialization. No dynamic order of the tail.
//!
//! # Cost
//!
//! Exponential in the inner nodes of all hierarchies; each step takes two groupings of the tuples, O(q x tuples).

use denym_data::Recoding;
use rayon::prelude::*;

use crate::cut::{Tree, group, k_asked, recoding, refusal, trees};
use crate::figures;
use crate::recode::class_is_admitted;
use crate::{
    Context, Error, Objective, Progress, Request, Solution, Solver, TopDownSpecialization,
};

/// Optimal subtree generalization with record suppression.
#[derive(Debug, Clone)]
pub struct KOptimize {
    /// Most tables to evaluate; then the best so far is returned with a bound.
    pub effort: u64,
}

impl Default for KOptimize {
    /// Ten thousand: exact for about twenty inner nodes, seconds for thousands of tuples.
    fn default() -> Self {
        KOptimize { effort: 10_000 }
    }
}

impl Solver for KOptimize {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let mut search = SetSearch::new(request, self.effort);
        search.best = match TopDownSpecialization::default().solve(request, context) {
            Ok(solution) => Some(solution),
            Err(Error::Infeasible { .. }) => None,
            Err(error) => return Err(error),
        };
        let mut head = vec![false; search.items.len()];
        let tail: Vec<usize> = (0..search.items.len()).collect();
        search.descend(&mut head, tail, f64::NEG_INFINITY, context);
        let finished = search.open.is_infinite();
        let Some(mut best) = search.best else {
            return Err(if finished {
                refusal(request, context)
            } else {
                Error::Stopped
            });
        };
        best.bound = Some(best.score.min(search.open));
        best.statistics.space = search
            .trees
            .iter()
            .fold(1_u128, |n, tree| n.saturating_mul(tree.cuts()))
            .min(u128::from(u64::MAX)) as u64;
        best.statistics.evaluated = search.evaluated;
        Ok(best)
    }
}

struct SetSearch<'a> {
    request: &'a Request<'a>,
    trees: Vec<Tree>,
    /// Inner nodes as (quasi-identifier, node, item of the parent); parents come before children.
    items: Vec<(usize, u32, Option<usize>)>,
    /// Whether a class that fails keeps failing when it is cut.
    lasting: bool,
    /// Whether any failing class means that every finer table fails.
    strict: bool,
    /// Records of the smallest class that can be published.
    least: u64,
    best: Option<Solution>,
    evaluated: u64,
    effort: u64,
    /// The least bound of what was left unsearched.
    open: f64,
}

impl<'a> SetSearch<'a> {
    fn new(request: &'a Request<'a>, effort: u64) -> SetSearch<'a> {
        let trees = trees(request);
        let mut nodes: Vec<(usize, usize, u32)> = Vec::new();
        for (d, tree) in trees.iter().enumerate() {
            for (node, branch) in tree.branches.iter().enumerate() {
                if !branch.children.is_empty() {
                    let mut depth = 0;
                    let mut next = branch.parent;
                    while let Some(parent) = next {
                        depth += 1;
                        next = tree.branches[parent as usize].parent;
                    }
                    nodes.push((depth, d, node as u32));
                }
            }
        }
        nodes.sort_unstable();
        let items = nodes
            .iter()
            .map(|&(_, d, node)| {
                let parent = trees[d].branches[node as usize].parent;
                let parent = parent.and_then(|parent| {
                    nodes
                        .iter()
                        .position(|item| (item.1, item.2) == (d, parent))
                });
                (d, node, parent)
            })
            .collect();
        let promises = || request.promises.iter();
        // A class of k subjects has at least k records.
        let least = k_asked(request);
        SetSearch {
            request,
            items,
            lasting: promises().all(|p| request.is_monotone_with_suppression(p.as_ref())),
            strict: request.budget() == 0 && promises().all(|p| request.is_monotone(p.as_ref())),
            least,
            trees,
            best: None,
            evaluated: 0,
            effort,
            open: f64::INFINITY,
        }
    }

    /// Searches everything between a head and the head with its whole tail; `bound` holds for all of it.
    fn descend(
        &mut self,
        head: &mut Vec<bool>,
        mut tail: Vec<usize>,
        bound: f64,
        context: &mut Context<'_>,
    ) {
        if self.evaluated >= self.effort || !(context.keep_going)() {
            self.open = self.open.min(bound);
            return;
        }
        self.evaluated += 1;
        let at = self.at(head);
        if let Some(solution) = self.solution(&at)
            && self.best.as_ref().is_none_or(|b| solution.score < b.score)
        {
            (context.progress)(Progress {
                done: self.evaluated,
                total: self.effort,
                best: Some(solution.score),
                bound: None,
            });
            self.best = Some(solution);
        }
        let finest = self.finest(head, &tail);
        let own = self.bound(&at, &finest).max(bound);
        if self.hopeless(own) || tail.is_empty() {
            return;
        }
        // Elements that make everything hopeless go out of the tail; so do those below them.
        let ready: Vec<usize> = tail
            .iter()
            .copied()
            .filter(|&i| self.ready(head, i))
            .collect();
        let doomed: Vec<bool> = ready
            .par_iter()
            .map(|&item| {
                let mut head = head.clone();
                head[item] = true;
                self.hopeless(self.bound(&self.at(&head), &finest))
            })
            .collect();
        let mut gone = vec![false; self.items.len()];
        for (&item, doomed) in ready.iter().zip(doomed) {
            gone[item] = doomed;
        }
        for item in 0..gone.len() {
            gone[item] |= self.items[item].2.is_some_and(|parent| gone[parent]);
        }
        tail.retain(|&item| !gone[item]);
        for position in 0..tail.len() {
            let item = tail[position];
            if self.ready(head, item) {
                head[item] = true;
                self.descend(head, tail[position + 1..].to_vec(), own, context);
                head[item] = false;
            }
        }
    }

    /// Whether the parent of an item is specialized.
    fn ready(&self, head: &[bool], item: usize) -> bool {
        self.items[item].2.is_none_or(|parent| head[parent])
    }

    fn hopeless(&self, bound: f64) -> bool {
        bound.is_infinite() && bound > 0.0
            || self.best.as_ref().is_some_and(|best| bound >= best.score)
    }

    /// The cut at which exactly these items are specialized.
    fn at(&self, chosen: &[bool]) -> Vec<Vec<u32>> {
        let mut at: Vec<Vec<u32>> = self.trees.iter().map(Tree::coarsest).collect();
        // Parents first.
        for (&(d, node, _), _) in self.items.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
            for &child in &self.trees[d].branches[node as usize].children {
                for &code in &self.trees[d].branches[child as usize].codes {
                    if at[d][code as usize] == node {
                        at[d][code as usize] = child;
                    }
                }
            }
        }
        at
    }

    /// The cut at which the head and all of the tail are specialized.
    fn finest(&self, head: &[bool], tail: &[usize]) -> Vec<Vec<u32>> {
        let mut chosen = head.to_vec();
        for &item in tail {
            chosen[item] = true;
        }
        self.at(&chosen)
    }

    fn classes(&self, at: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let all: Vec<usize> = (0..self.trees.len()).collect();
        group(self.request, &all, at)
    }

    /// The release of a cut, if it is one.
    fn solution(&self, at: &[Vec<u32>]) -> Option<Solution> {
        let mut classes = self.classes(at);
        classes.retain(|class| class_is_admitted(self.request, class));
        let records = &self.request.summary.records;
        let kept: u64 = classes.iter().flatten().map(|&t| records[t as usize]).sum();
        let gone = self.request.summary.total() - kept;
        (kept > 0 && gone <= self.request.budget())
            .then(|| figures::solution(self.request, self.recoding(at, &classes)))
    }

    fn recoding(&self, at: &[Vec<u32>], classes: &[Vec<u32>]) -> Recoding {
        recoding(
            self.request,
            &self.trees,
            at,
            classes.iter().map(Vec::as_slice),
        )
    }

    /// No table between the two cuts scores lower; infinite when none of them is valid.
    fn bound(&self, head: &[Vec<u32>], finest: &[Vec<u32>]) -> f64 {
        let summary = self.request.summary;
        let mut gone = vec![false; summary.tuples()];
        if self.lasting || self.strict {
            let mut records = 0;
            for class in self.classes(head) {
                if !class_is_admitted(self.request, &class) {
                    for tuple in class {
                        gone[tuple as usize] = true;
                        records += summary.records[tuple as usize];
                    }
                }
            }
            if records > self.request.budget() || records == summary.total() {
                return f64::INFINITY;
            }
        }
        let mut classes = self.classes(finest);
        classes.retain(|class| !gone[class[0] as usize]);
        let n = summary.total() as f64;
        let sizes = classes
            .iter()
            .map(|class| -> u64 { class.iter().map(|&t| summary.records[t as usize]).sum() });
        match self.request.objective {
            Objective::Discernibility => {
                let mut left = summary.total();
                let mut squares = 0.0;
                for size in sizes {
                    left -= size;
                    squares += size as f64 * (size.max(self.least) as f64).min(n);
                }
                squares + left as f64 * n
            }
            Objective::AverageClassSize => {
                let records: u64 = sizes.sum();
                n / (classes.len() as u64).min(records / self.least).max(1) as f64
            }
            Objective::Height => 0.0,
            _ => figures::solution(self.request, self.recoding(finest, &classes)).score,
        }
    }
}
