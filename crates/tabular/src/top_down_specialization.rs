//! Top-down specialization: starts with everything general and specializes the value that tells most for the least privacy.
//!
//! # Idea
//!
//! All values stand at the top of their taxonomies. Each step replaces one value, everywhere, by its children; of all
//! steps that keep the promises the one with the most information gained per privacy lost (IGPL) is taken. Information is
//! the entropy of a class attribute, or the loss when there is none; privacy is the size of the smallest class. Every
//! state on the way could be published, so the search can be stopped at any time.
//!
//! # Guarantee
//!
//! Every published class meets every promise, judged on the class itself; at most the allowed records are suppressed. The
//! result is minimal: no single specialization keeps the promises and, without a class attribute, loses less. A
//! request that fails when everything is at the top is infeasible here. With several sets of quasi-identifiers the
//! promises hold for whoever knows one of the sets, NOT for whoever knows all columns.
//!
//! Honours all promises. Those that generalizing cannot break are never tried twice in vain.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, "Top-down specialization for information and privacy preservation", ICDE 2005, and "Anonymizing
//! classification data for privacy preservation", TKDE 2007. Cluster analysis: B. Fung et al., "A framework for
//! privacy-preserving cluster analysis", ISI 2008, 2009. Survey sections 4.3 and 5.1.2, formula (4).
//!
//! # Departures
//!
//! Records of failing classes may be suppressed within the budget. Equal scores go to the step that loses less, then to the first.
//! Numeric taxonomies are grown only on request, since a policy usually states the intervals it wants.
//!
//! # Cost
//!
//! O(steps x q x tuples); a step's candidates are judged on all cores.

use denym_data::{Code, Hierarchy, Ragged};
use denym_measure::metrics::igpl;
use rayon::prelude::*;

use crate::clusters::clusters;
use crate::cut::{Cut, Effect, Move, Tree, refusal, trees};
use crate::figures;
use crate::partition::{Axis, range_text};
use crate::target::{Target, gain, records_by_code};
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// What information means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// The loss of the values themselves.
    #[default]
    Loss,
    /// Predicting the sensitive attribute at this position.
    Class(usize),
    /// Keeping this many clusters of the original records apart.
    Clusters(usize),
}

/// How privacy enters the choice of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TradeOff {
    /// Information gained per decrease of the smallest class.
    #[default]
    PerPrivacy,
    /// Information alone.
    InformationOnly,
}

/// Subtree generalization from the top.
#[derive(Debug, Clone, Default)]
pub struct TopDownSpecialization {
    /// What information means.
    pub purpose: Purpose,
    /// How privacy enters the choice of a step.
    pub trade_off: TradeOff,
    /// Whether taxonomies of numbers are grown step by step instead of taken from their hierarchies.
    pub grow_numbers: bool,
    /// Sets of quasi-identifiers that adversaries know, by position; empty means one who knows all.
    pub known_sets: Vec<Vec<usize>>,
}

impl Solver for TopDownSpecialization {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let q = request.hierarchies.len();
        if let Some(&attribute) = self.known_sets.iter().flatten().find(|&&d| d >= q) {
            return Err(Error::Hierarchies {
                quasi: q,
                hierarchies: attribute + 1,
            });
        }
        let target = match self.purpose {
            Purpose::Loss => None,
            Purpose::Class(position) => Some(Target::attribute(request, position)?),
            Purpose::Clusters(count) => {
                let rows: Ragged<(Code, u64)> = clusters(request, count)
                    .into_iter()
                    .zip(&request.summary.records)
                    .map(|(cluster, &records)| vec![(cluster, records)])
                    .collect();
                Some(Target::new(request, &rows))
            }
        };
        let mut search = SpecializationSearch::new(self, request, target);
        if !search.is_valid() {
            return Err(refusal(request, context));
        }
        let mut steps = 0;
        while (context.keep_going)() && search.step(self.trade_off) {
            steps += 1;
            (context.progress)(Progress {
                done: steps,
                total: steps,
                best: None,
                bound: None,
            });
        }
        let mut solution = figures::solution(request, search.recoding());
        solution.statistics.evaluated = search.evaluated;
        Ok(solution)
    }
}

struct SpecializationSearch<'a> {
    request: &'a Request<'a>,
    /// One per set of quasi-identifiers.
    views: Vec<Cut<'a>>,
    /// Quasi-identifiers whose tree grows.
    grows: Vec<bool>,
    target: Option<Target>,
    records: Vec<Vec<u64>>,
    /// Nodes at the cut that have children and may still be specialized.
    open: Vec<(usize, u32)>,
    /// Whether a step that was not possible never becomes so.
    lasting: bool,
    several: bool,
    evaluated: u64,
}

impl<'a> SpecializationSearch<'a> {
    fn new(
        options: &TopDownSpecialization,
        request: &'a Request<'a>,
        target: Option<Target>,
    ) -> Self {
        let mut trees = trees(request);
        let mut grows = vec![false; trees.len()];
        for (d, tree) in trees.iter_mut().enumerate() {
            let hierarchy = &request.hierarchies[d];
            if options.grow_numbers && Axis::of(hierarchy) == Axis::Ordered {
                grows[d] = true;
                *tree = Tree::grown(hierarchy).weighted(request.weight(d));
            }
        }
        let several = !options.known_sets.is_empty();
        let sets = if several {
            options.known_sets.clone()
        } else {
            vec![(0..trees.len()).collect()]
        };
        let at: Vec<Vec<u32>> = trees.iter().map(Tree::coarsest).collect();
        let records = (0..trees.len())
            .map(|d| records_by_code(request.summary, d, at[d].len()))
            .collect();
        let budget = request.budget();
        let mut search = SpecializationSearch {
            request,
            views: sets
                .into_iter()
                .map(|set| Cut::over(request, trees.clone(), at.clone(), set))
                .collect(),
            grows,
            target,
            records,
            open: Vec::new(),
            lasting: request.promises.iter().all(|promise| {
                request.is_monotone_with_suppression(promise.as_ref())
                    || budget == 0 && request.is_monotone(promise.as_ref())
            }),
            several,
            evaluated: 0,
        };
        for (d, tree) in trees.iter().enumerate() {
            for &root in &tree.roots {
                search.offer(d, root);
            }
        }
        search
    }

    /// Puts a node on the list of what may be specialized, growing its children if need be.
    fn offer(&mut self, d: usize, node: u32) {
        let branch = &self.views[0].trees[d].branches[node as usize];
        if branch.children.is_empty() && self.grows[d] && branch.codes.len() > 1 {
            let hierarchy = &self.request.hierarchies[d];
            let left = self.best_split(d, &branch.codes.clone(), hierarchy);
            for view in &mut self.views {
                view.trees[d].split(node, left, hierarchy, |codes| range_text(hierarchy, codes));
            }
        }
        if !self.views[0].trees[d].branches[node as usize]
            .children
            .is_empty()
        {
            self.open.push((d, node));
        }
    }

    /// How many of the codes go to the left: where the class attribute gains most, or at the median.
    fn best_split(&self, d: usize, codes: &[u32], hierarchy: &Hierarchy) -> usize {
        let labels = &hierarchy.levels()[0].labels;
        // The missing value has no place in a range.
        if labels[codes[codes.len() - 1] as usize].is_none() {
            return codes.len() - 1;
        }
        if let Some(target) = &self.target {
            let whole = target.of(d, codes);
            let mut best = (f64::NEG_INFINITY, 1);
            for left in 1..codes.len() {
                let parts = [target.of(d, &codes[..left]), target.of(d, &codes[left..])];
                let gain = gain(&whole, &parts);
                if gain > best.0 + 1e-12 {
                    best = (gain, left);
                }
            }
            return best.1;
        }
        let total: u64 = codes.iter().map(|&c| self.records[d][c as usize]).sum();
        let mut below = 0;
        let middle = codes.iter().position(|&c| {
            below += self.records[d][c as usize];
            2 * below >= total
        });
        (middle.unwrap_or(0) + 1).min(codes.len() - 1)
    }

    fn is_valid(&self) -> bool {
        self.views.iter().all(|view| self.admits(&view.effect()))
    }

    fn admits(&self, effect: &Effect) -> bool {
        // With several sets a record has several classes; none may fail.
        let allowed = if self.several {
            0
        } else {
            self.request.budget()
        };
        effect.failing <= allowed && effect.failing < self.request.summary.total()
    }

    /// Takes the best step; whether there was one.
    fn step(&mut self, trade_off: TradeOff) -> bool {
        let before: Vec<Effect> = self.views.iter().map(Cut::effect).collect();
        let foreseen: Vec<Option<(f64, f64)>> = self
            .open
            .par_iter()
            .map(|&(d, node)| self.score(d, node, &before, trade_off))
            .collect();
        self.evaluated += foreseen.len() as u64;
        let mut best: Option<(f64, f64, usize)> = None;
        for (index, scores) in foreseen.iter().enumerate() {
            if let Some((first, second)) = *scores
                && best
                    .is_none_or(|(a, b, _)| first.total_cmp(&a).then(second.total_cmp(&b)).is_gt())
            {
                best = Some((first, second, index));
            }
        }
        let chosen = best.map(|(_, _, index)| self.open[index]);
        if self.lasting {
            let mut possible = foreseen.iter().map(Option::is_some);
            self.open.retain(|_| possible.next().unwrap_or(true));
        }
        let Some((d, node)) = chosen else {
            return false;
        };
        self.open.retain(|&open| open != (d, node));
        let step = specialization(&self.views[0].trees[d], d, node);
        for view in &mut self.views {
            view.apply(&step);
        }
        for child in self.views[0].trees[d].branches[node as usize]
            .children
            .clone()
        {
            self.offer(d, child);
        }
        true
    }

    /// What specializing a node is worth: by the trade-off, then by loss; `None` when a promise would break.
    fn score(
        &self,
        d: usize,
        node: u32,
        before: &[Effect],
        trade_off: TradeOff,
    ) -> Option<(f64, f64)> {
        let tree = &self.views[0].trees[d];
        let step = specialization(tree, d, node);
        let mut lost = 0.0;
        let mut looked = 0.0;
        let mut saved = None;
        for (view, before) in self.views.iter().zip(before) {
            if !view.looks_at(d) {
                continue;
            }
            let after = view.foresee(&step);
            if !self.admits(&after) {
                return None;
            }
            lost += before.smallest as f64 - after.smallest as f64;
            looked += 1.0;
            if !self.several {
                saved = Some(before.loss - after.loss);
            }
        }
        let saved = saved.unwrap_or_else(|| {
            step.to
                .iter()
                .map(|&(code, child)| {
                    self.records[d][code as usize] as f64 * (tree.cost(node) - tree.cost(child))
                })
                .sum()
        });
        let information = match &self.target {
            Some(target) => target.gain(d, tree, node),
            // More suppressed than gained: not worth it.
            None if saved <= 0.0 && self.request.budget() > 0 => return None,
            None => saved / self.request.summary.total() as f64,
        };
        let privacy = match trade_off {
            TradeOff::PerPrivacy => lost / f64::max(looked, 1.0),
            TradeOff::InformationOnly => 0.0,
        };
        Some((igpl(information, privacy), saved))
    }

    fn recoding(&self) -> denym_data::Recoding {
        if !self.several {
            return self.views[0].recoding();
        }
        let (trees, at) = (&self.views[0].trees, &self.views[0].at);
        let all: Vec<usize> = (0..trees.len()).collect();
        let classes = crate::cut::group(self.request, &all, at);
        crate::cut::recoding(self.request, trees, at, classes.iter().map(Vec::as_slice))
    }
}

/// The step that replaces a node by its children.
fn specialization(tree: &Tree, d: usize, node: u32) -> Move {
    let children = &tree.branches[node as usize].children;
    Move {
        d,
        to: children
            .iter()
            .flat_map(|&child| {
                let codes = tree.branches[child as usize].codes.iter();
                codes.map(move |&code| (code, child))
            })
            .collect(),
    }
}
