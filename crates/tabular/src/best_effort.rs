//! Best effort: a good full-domain node for lattices beyond exact reach, with a proof of how far from optimal it can be.
//!
//! # Idea
//!
//! Twenty quasi-identifiers make billions of nodes. The attributes are dealt into small groups, and each group is solved
//! exactly as if the others did not exist. Whatever the best node of the whole lattice is, its levels on one group are
//! valid for that group alone and lose at least what the group's optimum loses; added up over the groups that is a bound
//! nothing can beat. The joined optima are also where the search starts: it climbs from there until the node is valid,
//! then walks to better neighbors, and tries again from random steps away while effort lasts.
//!
//! # Guarantee
//!
//! The node is valid; its score and the bound enclose the optimum. The bound rests on the promises that last under
//! suppression (k-anonymity, distinct diversity); others are kept by the result but do not sharpen the bound.
//!
//! # Reference
//!
//! The search is ours, in the spirit of F. Prasser et al., "Lightning", 2016; survey section 5.1.2 for greedy searches.
//!
//! # Departures
//!
//! Lightning proves no bound.
//!
//! # Cost
//!
//! `evaluations` passes over the distinct tuples at most, plus one exact search per group.

use denym_data::SplitMix64;

use crate::frequency::project;
use crate::lattice::Lattice;
use crate::nearest::nearest;
use crate::node::Best;
use crate::objective::Scale;
use crate::tally::{Nodes, nodes};
use crate::{Context, Error, FullDomain, Objective, Progress, Request, Solution, Solver};

/// Anytime search with a proven gap.
#[derive(Debug, Clone)]
pub struct BestEffort {
    /// Most nodes to evaluate; the search ends there or when it is stopped. The same number repeats a run exactly.
    pub evaluations: u64,
    /// Most nodes in the lattice of one group of attributes.
    pub group_nodes: u128,
}

impl Default for BestEffort {
    /// Two thousand evaluations: some ten seconds on 100,000 distinct tuples of twenty attributes.
    fn default() -> Self {
        BestEffort {
            evaluations: 2000,
            group_nodes: 3000,
        }
    }
}

impl Solver for BestEffort {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let lattice = Lattice::new(request);
        let mut sets = nodes(*request, &lattice)?;
        let scale = Scale::new(request);
        let (start, bound) = self.relax(request, &lattice, &scale, context);
        let mut walk = Walk {
            lattice: &lattice,
            sets: sets.as_mut(),
            scale: &scale,
            budget: request.budget(),
            left: self.evaluations.max(1),
            best: None,
        };
        walk.run(start, context);
        let (best, left) = (walk.best.take(), walk.left);
        let Some(best) = best else {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            return Err(Error::infeasible(nearest(
                request,
                &lattice,
                sets.as_mut(),
                context.keep_going,
            )));
        };
        let mut solution = best.solution(request);
        solution.bound = Some(bound.min(best.score));
        solution.statistics.space = lattice.nodes().min(u128::from(u64::MAX)) as u64;
        solution.statistics.evaluated = self.evaluations.max(1) - left;
        Ok(solution)
    }
}

impl BestEffort {
    /// Solves each group of attributes alone: the joined levels, and a bound on every score.
    fn relax(
        &self,
        request: &Request<'_>,
        lattice: &Lattice,
        scale: &Scale,
        context: &mut Context<'_>,
    ) -> (Vec<u8>, f64) {
        let mut start = lattice.low.clone();
        let trivial = scale.first_bound(&lattice.low);
        let additive = !request.objective.grows_with_classes();
        // Promises that do not last say nothing about subsets of the attributes; without them the groups are freer.
        let lasting = request
            .promises
            .iter()
            .all(|promise| promise.terms().monotone_with_suppression);
        if !additive || !lasting || request.setting.is_some() {
            return (start, trivial);
        }
        let mut parts = Vec::new();
        for members in self.groups(lattice, scale) {
            let summary = project(request.summary, &members);
            let hierarchies: Vec<_> = members
                .iter()
                .map(|&d| request.hierarchies[d].clone())
                .collect();
            let limits: Vec<_> = members.iter().map(|&d| request.range(d)).collect();
            let narrowed = Request {
                summary: &summary,
                hierarchies: &hierarchies,
                limits: Some(&limits),
                ..*request
            };
            let solved = FullDomain::default().solve(&narrowed, context);
            let Ok(Solution {
                recoding, bound, ..
            }) = solved
            else {
                return (lattice.high.clone(), trivial);
            };
            for (&d, level) in members.iter().zip(recoding.levels.unwrap_or_default()) {
                start[d] = level as u8;
            }
            parts.push((members.len() as f64, bound.unwrap_or(trivial)));
        }
        let q = lattice.low.len() as f64;
        let bound = match request.objective {
            Objective::Loss => {
                let logs: f64 = parts.iter().map(|(size, bound)| size * bound.ln_1p()).sum();
                (logs / q).exp_m1()
            }
            Objective::LossArithmetic | Objective::Precision => {
                parts.iter().map(|(size, bound)| size * bound).sum::<f64>() / q
            }
            _ => parts.iter().map(|(_, bound)| bound).sum(),
        };
        // A hair below, so that rounding in the logarithms cannot lift it over the true optimum.
        (start, (bound - 1e-9 * (1.0 + bound.abs())).max(trivial))
    }

    /// Attributes dealt into groups, the most varied together, so that each group's optimum says much.
    fn groups(&self, lattice: &Lattice, scale: &Scale) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..lattice.low.len()).collect();
        order.sort_by_key(|&d| {
            std::cmp::Reverse((scale.distinct(d, lattice.low[d]), std::cmp::Reverse(d)))
        });
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for d in order {
            match groups.last_mut() {
                Some(group)
                    if lattice.of(&[group.as_slice(), &[d]].concat()).nodes()
                        <= self.group_nodes =>
                {
                    group.push(d);
                }
                _ => groups.push(vec![d]),
            }
        }
        for group in &mut groups {
            group.sort_unstable();
        }
        groups
    }
}

struct Walk<'a> {
    lattice: &'a Lattice,
    sets: &'a mut dyn Nodes,
    scale: &'a Scale,
    budget: u64,
    left: u64,
    best: Option<Best>,
}

impl Walk<'_> {
    fn run(&mut self, start: Vec<u8>, context: &mut Context<'_>) {
        // The coarsest node first: if it is valid there is something to return whenever the search is stopped.
        self.look(&self.lattice.high.clone());
        let mut random = SplitMix64::new(context.seed);
        let mut levels = start;
        let total = self.left;
        while self.left > 0 && (context.keep_going)() {
            if let Some(node) = self.climb(&levels, context) {
                self.descend(node, context);
            }
            (context.progress)(Progress {
                done: total - self.left,
                total,
                best: self.best.as_ref().map(|best| best.score),
            });
            // Again from a few random steps below the best.
            let Some(best) = &self.best else { break };
            levels.clone_from(&best.levels);
            for _ in 0..3 + levels.len() / 4 {
                let d = random.below(levels.len().max(1) as u64) as usize;
                if levels.is_empty() {
                    return;
                }
                let up = random.below(3) == 0;
                levels[d] = if up {
                    (levels[d] + 1).min(self.lattice.high[d])
                } else {
                    levels[d].saturating_sub(1).max(self.lattice.low[d])
                };
            }
        }
    }

    /// Evaluates a node; returns it when it is valid, and how many records it suppresses.
    fn look(&mut self, levels: &[u8]) -> (Option<Best>, u64) {
        self.left = self.left.saturating_sub(1);
        let tally = self.sets.tally(levels);
        let suppressed = tally.counted.suppressed;
        let node = Best::if_valid(self.scale, self.budget, levels, tally);
        if let Some(node) = &node {
            node.clone().improve(&mut self.best);
        }
        (node, suppressed)
    }

    /// Generalizes until the node is valid: always the step that saves most records for the loss it adds.
    fn climb(&mut self, levels: &[u8], context: &Context<'_>) -> Option<Best> {
        let mut levels = levels.to_vec();
        loop {
            let (node, suppressed) = self.look(&levels);
            if node.is_some() || self.left == 0 || !(context.keep_going)() {
                return node;
            }
            let before = self.scale.first_bound(&levels);
            let mut next: Option<(f64, usize)> = None;
            for d in 0..levels.len() {
                if levels[d] == self.lattice.high[d] || self.left == 0 {
                    continue;
                }
                levels[d] += 1;
                let after = self.look(&levels).1;
                let price = (self.scale.first_bound(&levels) - before).max(1e-12);
                levels[d] -= 1;
                let gain = (suppressed as f64 - after as f64) / price;
                if next.is_none_or(|(most, _)| gain > most) {
                    next = Some((gain, d));
                }
            }
            levels[next?.1] += 1;
        }
    }

    /// Walks to the best valid neighbor while there is a better one: one level down, or one down and another up.
    fn descend(&mut self, node: Best, context: &Context<'_>) {
        let mut node = node;
        loop {
            let mut better: Option<Best> = None;
            let q = node.levels.len();
            for step in 0..q * q {
                let (down, up) = (step / q, step % q);
                if self.left == 0 || !(context.keep_going)() {
                    return;
                }
                let mut levels = node.levels.clone();
                if levels[down] == self.lattice.low[down] {
                    continue;
                }
                levels[down] -= 1;
                if up != down {
                    if levels[up] == self.lattice.high[up] {
                        continue;
                    }
                    levels[up] += 1;
                }
                // Not worth a look when even without any suppression it would not beat what is there.
                let target = better.as_ref().unwrap_or(&node).score;
                if self.scale.first_bound(&levels) >= target {
                    continue;
                }
                if let (Some(found), _) = self.look(&levels)
                    && found.beats(better.as_ref().unwrap_or(&node))
                {
                    better = Some(found);
                }
            }
            match better {
                Some(found) => node = found,
                None => return,
            }
        }
    }
}
