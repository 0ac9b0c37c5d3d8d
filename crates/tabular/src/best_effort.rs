//! Best effort: a good full-domain node for lattices beyond exact reach, with a proof of how far from optimal it can be.
//!
//! # Idea
//!
//! Twenty quasi-identifiers make billions of nodes. A binary search on the cheapest way from the finest node to the
//! coarsest gives a valid one after a handful of looks; single levels are then lowered while it stays valid. [`relax`] solves small
//! groups of attributes alone, which gives a bound and another place to start from; the groups grow as time goes on. Between, the
//! search walks: it leaves the best node by a few random steps, climbs back to a valid node and lowers again. In lattices of
//! a few million nodes [`Bounding`] in addition keeps boxes of nodes that may still hold something better, and often proves the optimum.
//!
//! # Guarantee
//!
//! The node is valid; its score and the bound enclose the optimum, and where they meet the node is optimal. The bound rests on the
//! promises that last under suppression (k-anonymity, distinct diversity); others are kept by the result but do not
//! sharpen the bound.
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
//! `evaluations` passes over distinct tuples at most, most of them over sets that were rolled up before.

use std::collections::HashMap;

use denym_data::SplitMix64;

use crate::bounding::{Bounding, Next};
use crate::lattice::{Lattice, Packed};
use crate::nearest::refused;
use crate::node::Best;
use crate::objective::{Known, Scale};
use crate::relaxation::{Grain, relax};
use crate::tally::{Nodes, Tally, nodes};
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Cuts made between two walks: proving and walking get about as many looks.
const CUTS: usize = 2;

/// Lattices up to this size are worth keeping boxes of nodes: beyond, groups of attributes prove more.
const BOXED: u128 = 1 << 22;

/// Groups of attributes before the first walk, then after so many walks.
const GRAINS: [(u64, Grain); 4] = [
    (0, grain(300, u64::MAX)),
    (0, grain(3000, u64::MAX)),
    (12, grain(30_000, 400)),
    (40, grain(1 << 18, 2000)),
];

const fn grain(nodes: u128, quota: u64) -> Grain {
    Grain { nodes, quota }
}

/// After so many walks that saw nothing new the search is over.
const IDLE: u64 = 100;

/// Walks before the neighbors of the best node are looked at.
const PATIENCE: u64 = 4;

/// Nodes looked at together. Fixed, so that results do not depend on the number of threads.
const TOGETHER: usize = 8;

/// Anytime search with a proven gap.
#[derive(Debug, Clone)]
pub struct BestEffort {
    /// Most nodes to evaluate; the search ends there or when it is stopped. The same number repeats a run exactly.
    pub evaluations: u64,
}

impl Default for BestEffort {
    /// Four thousand evaluations: some ten seconds on 100,000 distinct tuples of twenty attributes.
    fn default() -> Self {
        BestEffort { evaluations: 4000 }
    }
}

impl Solver for BestEffort {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let lattice = Lattice::new(request);
        let mut sets = nodes(*request, &lattice)?;
        let scale = Scale::new(request);
        let mut walk = LevelWalk {
            lattice: &lattice,
            sets: sets.as_mut(),
            scale: &scale,
            budget: request.budget(),
            left: self.evaluations.max(1),
            best: None,
            bounding: Bounding::new(&lattice, &scale),
            seen: HashMap::new(),
            random: SplitMix64::new(context.seed),
        };
        let relaxed = walk.run(request, context);
        let (best, left) = (walk.best.take(), walk.left);
        let boxed = walk.bounding.bound();
        let Some(best) = best else {
            if !(context.keep_going)() {
                return Err(Error::Stopped);
            }
            return Err(refused(request, &lattice, sets.as_mut(), context));
        };
        let mut solution = best.solution(request);
        // A hair below, so that rounding cannot lift it over the true optimum.
        let boxed = boxed.map_or(best.score, |bound| bound - 1e-12 * (1.0 + bound.abs()));
        solution.bound = Some(boxed.max(relaxed).min(best.score));
        solution.statistics.space = lattice.nodes().min(u128::from(u64::MAX)) as u64;
        solution.statistics.evaluated = self.evaluations.max(1) - left;
        Ok(solution)
    }
}

/// How a node fared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NodeVerdict {
    /// It keeps every promise, at this score.
    Valid(f64),
    /// It does not, but a finer one may.
    Invalid,
    /// Nor does any finer one.
    Doomed,
}

impl NodeVerdict {
    fn score(self) -> Option<f64> {
        match self {
            NodeVerdict::Valid(score) => Some(score),
            _ => None,
        }
    }
}

struct LevelWalk<'a> {
    lattice: &'a Lattice,
    sets: &'a mut dyn Nodes,
    scale: &'a Scale,
    budget: u64,
    /// Nodes that may still be evaluated.
    left: u64,
    best: Option<Best>,
    bounding: Bounding<'a>,
    seen: HashMap<Packed, NodeVerdict>,
    random: SplitMix64,
}

impl LevelWalk<'_> {
    /// Searches while effort lasts; returns the bound that groups of attributes gave.
    fn run(&mut self, request: &Request<'_>, context: &mut Context<'_>) -> f64 {
        let q = self.lattice.low.len();
        let go_on = context.keep_going;
        let total = self.left;
        let plain = vec![1.0; q];
        // The coarsest node first: if it is valid there is something to return whenever the search is stopped.
        self.look(&self.lattice.high.clone());
        self.settle(&self.lattice.low.clone(), &plain, go_on);
        let mut relaxed = f64::NEG_INFINITY;
        let mut open = self.lattice.nodes() <= BOXED;
        let mut grains = GRAINS.iter().peekable();
        let (mut walks, mut swapped) = (0_u64, f64::INFINITY);
        let (mut before, mut idle) = (self.left, 0);
        while self.left > 0 && idle < IDLE && go_on() {
            let mut promising = None;
            if let Some(&(_, grain)) = grains.next_if(|(after, _)| walks >= *after) {
                let (start, bound) = relax(request, self.lattice, self.scale, grain, context);
                relaxed = relaxed.max(bound);
                promising = Some(start);
            } else if open {
                // Where walking sees nothing new, proving has all the time.
                let cuts = if idle < PATIENCE { CUTS } else { CUTS << 7 };
                for _ in 0..cuts {
                    match self.prove(go_on) {
                        GapProof::Cut(corner) => promising = Some(corner),
                        GapProof::Settled => {}
                        GapProof::Optimal => return relaxed,
                        GapProof::Halted => {
                            open = false;
                            break;
                        }
                    }
                }
            }
            (context.progress)(Progress {
                done: total - self.left,
                total,
                best: self.best.as_ref().map(|best| best.score),
                bound: (relaxed > f64::NEG_INFINITY).then_some(relaxed),
            });
            walks += 1;
            let factors: Vec<f64> = (0..q).map(|_| self.factor()).collect();
            let start = match (
                promising,
                self.best.as_ref().map(|best| best.levels.clone()),
            ) {
                (Some(promising), _) => promising,
                (None, Some(levels)) => self.astray(levels),
                (None, None) => self.anywhere(),
            };
            self.settle(&start, &factors, go_on);
            // Neighbors are many: they are looked at when walking has had its turn.
            let score = self.best.as_ref().map_or(f64::INFINITY, |best| best.score);
            if walks % PATIENCE == 0 && score < swapped {
                self.swap(go_on);
                swapped = self.best.as_ref().map_or(score, |best| best.score);
            }
            idle = if self.left < before { 0 } else { idle + 1 };
            if open {
                // There is an end to boxes.
                idle = idle.min(PATIENCE);
            }
            before = self.left;
        }
        relaxed
    }

    /// Any node, all levels alike.
    fn anywhere(&mut self) -> Vec<u8> {
        let (low, high) = (&self.lattice.low, &self.lattice.high);
        let ranges: Vec<(u8, u8)> = low.iter().copied().zip(high.iter().copied()).collect();
        ranges
            .into_iter()
            .map(|(low, high)| low + self.random.below(u64::from(high - low) + 1) as u8)
            .collect()
    }

    /// A price's random factor: from a quarter to four times.
    fn factor(&mut self) -> f64 {
        let unit = self.random.below(1 << 20) as f64 / f64::from(1 << 20);
        (4.0 * unit - 2.0).exp2()
    }

    /// A few random steps away, most of them down.
    fn astray(&mut self, mut levels: Vec<u8>) -> Vec<u8> {
        let q = levels.len() as u64;
        for _ in 0..2 + self.random.below(2 + q / 3) {
            let d = self.random.below(q.max(1)) as usize;
            levels[d] = if self.random.below(4) == 0 {
                (levels[d] + 1).min(self.lattice.high[d])
            } else {
                levels[d].saturating_sub(1).max(self.lattice.low[d])
            };
        }
        levels
    }

    /// Evaluates a node, unless it is known.
    fn look(&mut self, levels: &[u8]) -> NodeVerdict {
        if let Some(verdict) = self.known(levels) {
            return verdict;
        }
        self.left = self.left.saturating_sub(1);
        let tally = self.sets.tally(levels);
        self.record(levels, tally)
    }

    /// Evaluates several nodes on all cores.
    fn look_all(&mut self, nodes: &[Vec<u8>]) -> Vec<NodeVerdict> {
        let known: Vec<Option<NodeVerdict>> =
            nodes.iter().map(|levels| self.known(levels)).collect();
        let open: Vec<Vec<u8>> = nodes
            .iter()
            .zip(&known)
            .filter(|(_, verdict)| verdict.is_none())
            .map(|(levels, _)| levels.clone())
            .collect();
        self.left = self.left.saturating_sub(open.len() as u64);
        let tallies = self.sets.tally_all(&open);
        let mut fresh = open.iter().zip(tallies);
        known
            .into_iter()
            .map(|verdict| {
                verdict.unwrap_or_else(|| match fresh.next() {
                    Some((levels, tally)) => self.record(levels, tally),
                    None => NodeVerdict::Invalid,
                })
            })
            .collect()
    }

    fn known(&self, levels: &[u8]) -> Option<NodeVerdict> {
        let seen = self.seen.get(&Packed::new(levels)).copied();
        seen.or_else(|| self.bounding.dooms(levels).then_some(NodeVerdict::Doomed))
    }

    fn record(&mut self, levels: &[u8], tally: Tally) -> NodeVerdict {
        let (doomed, floor) = (tally.doomed, tally.floor);
        let charge = u128::from(self.scale.records()) * u128::from(floor);
        let charge = charge.saturating_sub(tally.floor_squares);
        let node = Best::if_valid(self.scale, self.budget, levels, tally);
        let verdict = match &node {
            Some(node) => NodeVerdict::Valid(node.score),
            None if doomed => NodeVerdict::Doomed,
            None => NodeVerdict::Invalid,
        };
        if doomed {
            self.bounding.doom(levels);
        } else if floor > 0 {
            self.bounding.charge(
                levels,
                Known {
                    suppressed: floor,
                    charge,
                    ..Known::NOTHING
                },
            );
        }
        self.seen.insert(Packed::new(levels), verdict);
        if let Some(node) = node {
            node.improve(&mut self.best);
        }
        verdict
    }

    /// Looks at the most promising open node and cuts its box.
    fn prove(&mut self, go_on: &dyn Fn() -> bool) -> GapProof {
        let best = self.best.as_ref().map(|best| best.score);
        let region = match self.bounding.next(best, go_on) {
            Next::Corner(region) => region,
            Next::Closed => return GapProof::Optimal,
            Next::Halted => return GapProof::Halted,
        };
        let corner = region.low.to_vec();
        let mut cut = corner.clone();
        let doomed = self.left > 0 && self.look(&corner) == NodeVerdict::Doomed;
        if doomed {
            cut = self.lifted(cut);
        } else if self.left == 0 && !self.seen.contains_key(&Packed::new(&corner)) {
            // Not looked at: the box stays open.
            self.bounding.put_back(region);
            return GapProof::Halted;
        }
        self.bounding.cut(&region, &cut);
        if doomed {
            GapProof::Cut(corner)
        } else {
            GapProof::Settled
        }
    }

    /// The hopeless node lifted until every further step would give hope.
    fn lifted(&mut self, mut node: Vec<u8>) -> Vec<u8> {
        let mut factors = vec![1.0; node.len()];
        while self.left > 0 {
            let path = self.bounding.path(&node, &factors);
            // Invariant: the path is hopeless below `low`, and not from `high` on.
            let (mut low, mut high) = (1, path.len());
            while low < high && self.left > 0 {
                let middle = usize::midpoint(low, high);
                if self.look(&path[middle].0) == NodeVerdict::Doomed {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            node.clone_from(&path[low - 1].0);
            let Some((_, step)) = path.get(low) else {
                break;
            };
            factors[*step] = f64::INFINITY;
        }
        node
    }

    /// Climbs from a node to a valid one, then lowers what can be lowered.
    fn settle(&mut self, from: &[u8], factors: &[f64], go_on: &dyn Fn() -> bool) {
        let path = self.bounding.path(from, factors);
        let last = path.len() - 1;
        let mut high = last;
        if self.look(&path[last].0).score().is_none() {
            // Only promises that generalizing can break come here: something below the top may be valid.
            let valid = |walk: &mut Self, at: usize| walk.look(&path[at].0).score().is_some();
            let found = (0..last)
                .rev()
                .take_while(|_| go_on())
                .find(|&at| valid(self, at));
            let Some(found) = found else { return };
            high = found;
        }
        let mut low = 0;
        while low < high && self.left > 0 && go_on() {
            let middle = usize::midpoint(low, high);
            if self.look(&path[middle].0).score().is_some() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        self.lower(path[high].0.clone(), factors, go_on);
    }

    /// Lowers single levels while the node stays valid and gets better, the dearest first.
    fn lower(&mut self, mut levels: Vec<u8>, factors: &[f64], go_on: &dyn Fn() -> bool) {
        let Some(mut score) = self.look(&levels).score() else {
            return;
        };
        let mut stuck = vec![false; levels.len()];
        while self.left > 0 && go_on() {
            let before = self.scale.first_bound(&levels);
            let mut dearest: Option<(f64, usize)> = None;
            for d in 0..levels.len() {
                if stuck[d] || levels[d] == self.lattice.low[d] {
                    continue;
                }
                levels[d] -= 1;
                let gain = (before - self.scale.first_bound(&levels)) * factors[d];
                levels[d] += 1;
                if dearest.is_none_or(|(most, _)| gain > most) {
                    dearest = Some((gain, d));
                }
            }
            let Some((_, d)) = dearest else { return };
            levels[d] -= 1;
            match self.look(&levels).score() {
                Some(found) if found <= score => score = found,
                _ => {
                    levels[d] += 1;
                    stuck[d] = true;
                }
            }
        }
    }

    /// Walks from the best node to better ones: one level down, or one down and another up.
    fn swap(&mut self, go_on: &dyn Fn() -> bool) {
        loop {
            let Some(best) = self.best.clone() else {
                return;
            };
            let q = best.levels.len();
            let mut around: Vec<(f64, Vec<u8>)> = Vec::new();
            for (down, up) in (0..q * q).map(|step| (step / q, step % q)) {
                let mut levels = best.levels.clone();
                if levels[down] == self.lattice.low[down]
                    || up != down && levels[up] == self.lattice.high[up]
                {
                    continue;
                }
                levels[down] -= 1;
                if up != down {
                    levels[up] += 1;
                }
                // Not worth a look when even without any suppression it would not beat what is there.
                let bound = self.scale.first_bound(&levels);
                if bound < best.score && self.known(&levels).is_none() {
                    around.push((bound, levels));
                }
            }
            // Those with the least gain first: they are the likeliest to be valid.
            around.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let nodes: Vec<Vec<u8>> = around.into_iter().map(|(_, levels)| levels).collect();
            for some in nodes.chunks(TOGETHER) {
                if self.left == 0 || !go_on() {
                    return;
                }
                self.look_all(some);
                if self.best.as_ref().is_some_and(|now| now.beats(&best)) {
                    break;
                }
            }
            if !self.best.as_ref().is_some_and(|now| now.beats(&best)) {
                return;
            }
        }
    }
}

/// What one step of proving came to.
enum GapProof {
    /// The finest node of this box is hopeless.
    Cut(Vec<u8>),
    /// The node was looked at, nothing more.
    Settled,
    /// Nothing better exists.
    Optimal,
    /// No room or no effort is left.
    Halted,
}
