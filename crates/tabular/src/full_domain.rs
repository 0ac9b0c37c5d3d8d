//! Full-domain generalization: one level per quasi-identifier for the whole table, chosen so that nothing better exists.
//!
//! # Idea
//!
//! Every combination of levels is a node of a lattice. At a node, classes that fail a promise are suppressed as a whole;
//! the node is valid when that stays within the budget. Nodes are taken in the order of a bound that needs no look at
//! the data beyond each column's own distribution, so the search may stop as soon as the bound passes the best score.
//! A node that cannot be excluded starts a dive: a path from it to ever coarser nodes, along which a binary search finds
//! the coarsest node that proves the start hopeless, because more is suppressed there already than is allowed or than a
//! better score could bear. That one look then rules out everything finer. Every node looked at also competes.
//!
//! ```text
//!        top                    o  enough is left: a candidate
//!         |                     o
//!         |    dive             x  suppresses too much: rules out all below
//!         |                     .
//!       start (lowest bound)    .  never looked at
//! ```
//!
//! # Guarantee
//!
//! The recoding keeps every promise in every published class and has the least score of all nodes. Among equal scores
//! it suppresses fewest records, then has the smallest sum of levels, then the lexicographically smallest levels. A node
//! that publishes no record at all is not a solution. Suppressed records are not protected against whoever knows that
//! they were in the source.
//!
//! # Reference
//!
//! The lattice: P. Samarati, "Protecting respondents' identities in microdata release", 2001; K. `LeFevre` et
//! al., "Incognito", 2005. Binary search along paths: F. Kohlmayer et al., "Flash", 2012. Survey sections 3.1
//! and 5.1.1.
//!
//! # Departures
//!
//! Tagging is used only where it is sound. A promise that can be lost by merging an admitted class with a suppressed one
//! (entropy and recursive diversity, closeness, confidence) excludes no finer node once anything may be suppressed; such
//! promises are checked at every node that the bound leaves over, while those that last still tag. Flash orders paths by
//! a heuristic; here the bound orders them, which makes the first hopeless bound the end of the search.
//!
//! # Cost
//!
//! Up to one pass over the distinct tuples per node evaluated; usually far fewer, since sets roll up from others already
//! made. Adult (19,502 tuples, 12,960 nodes, k = 5, 5 %) takes 440 evaluations, about 55 ms on one core; a million badly
//! compressing rows (353,602 tuples) 162, about 0.6 s.

use crate::lattice::{Lattice, Packed};
use crate::nearest::nearest;
use crate::node::Best;
use crate::objective::{Known, Scale};
use crate::tally::{Nodes, Tally, nodes};
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Nodes evaluated at once when tagging does not help. Fixed, so that figures do not depend on the number of threads.
const AHEAD: usize = 32;

/// Optimal full-domain generalization with record suppression.
#[derive(Debug, Clone)]
pub struct FullDomain {
    /// Lattices with more nodes are refused.
    pub most_nodes: u64,
}

impl Default for FullDomain {
    /// Four million nodes: their bounds are sorted in about a second.
    fn default() -> Self {
        FullDomain {
            most_nodes: 1 << 22,
        }
    }
}

impl Solver for FullDomain {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        let lattice = Lattice::new(request);
        if lattice.nodes() > u128::from(self.most_nodes) {
            return Err(Error::TooLarge {
                nodes: lattice.nodes(),
                limit: self.most_nodes,
            });
        }
        let mut sets = nodes(*request, &lattice)?;
        let mut search = LatticeSearch::new(request, &lattice, sets.as_mut());
        let finished = search.run(context);
        let (best, bound, evaluated) = (search.best.take(), search.frontier, search.entries.len());
        let Some(best) = best else {
            if !finished {
                return Err(Error::Stopped);
            }
            let nearest = nearest(request, &lattice, sets.as_mut(), context.keep_going);
            return Err(Error::Infeasible {
                nearest: Box::new(nearest),
            });
        };
        let mut solution = best.solution(request);
        solution.bound = Some(if finished {
            best.score
        } else {
            bound.min(best.score)
        });
        solution.statistics.space = lattice.nodes() as u64;
        solution.statistics.evaluated = evaluated as u64;
        Ok(solution)
    }
}

/// A node that was evaluated.
struct OpenNode {
    packed: Packed,
    floor: u64,
    charge: u128,
    squares: u128,
    classes: u64,
    doomed: bool,
}

struct LatticeSearch<'a> {
    lattice: &'a Lattice,
    nodes: &'a mut dyn Nodes,
    scale: Scale,
    budget: u64,
    grows_with_classes: bool,
    /// Whether any promise lasts, so that coarser nodes say something about finer ones.
    can_tag: bool,
    /// Whether some promise does not last, so that most open nodes have to be looked at.
    mixed: bool,
    strides: Vec<u64>,
    words: usize,
    /// Position in `entries` plus one of each node; zero when it was not evaluated.
    seen: Vec<u32>,
    entries: Vec<OpenNode>,
    /// The coarsest nodes at and below which nothing is valid.
    doomed: Vec<Packed>,
    best: Option<Best>,
    /// No node that is still open has a lower bound.
    frontier: f64,
}

impl<'a> LatticeSearch<'a> {
    fn new(request: &Request<'_>, lattice: &'a Lattice, nodes: &'a mut dyn Nodes) -> Self {
        let mut strides = vec![1_u64; lattice.low.len()];
        for d in (0..strides.len().saturating_sub(1)).rev() {
            strides[d] = strides[d + 1] * (u64::from(lattice.high[d + 1] - lattice.low[d + 1]) + 1);
        }
        let budget = request.budget();
        LatticeSearch {
            lattice,
            nodes,
            scale: Scale::new(request),
            budget,
            grows_with_classes: request.objective.grows_with_classes(),
            can_tag: request.promises.iter().any(|promise| {
                request.is_monotone_with_suppression(promise.as_ref())
                    || budget == 0 && request.is_monotone(promise.as_ref())
            }),
            mixed: request
                .promises
                .iter()
                .any(|promise| !request.is_monotone_with_suppression(promise.as_ref())),
            strides,
            words: lattice.words(),
            seen: vec![0; lattice.nodes() as usize],
            entries: Vec::new(),
            doomed: Vec::new(),
            best: None,
            frontier: f64::NEG_INFINITY,
        }
    }

    /// Whether the search came to its end.
    fn run(&mut self, context: &mut Context<'_>) -> bool {
        let mut levels = Vec::new();
        let mut order: Vec<(f64, u32, u64)> = (0..self.lattice.nodes() as u64)
            .map(|index| {
                self.lattice.levels(index, &mut levels);
                let height = levels.iter().map(|&level| u32::from(level)).sum();
                (self.scale.first_bound(&levels), height, index)
            })
            .collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let total = order.len() as u64;
        for (done, &(bound, _, index)) in order.iter().enumerate() {
            self.frontier = bound;
            if self.hopeless(bound) {
                return true;
            }
            self.lattice.levels(index, &mut levels);
            if self.seen[index as usize] != 0 || self.excluded(&levels) {
                continue;
            }
            if !(context.keep_going)() {
                return false;
            }
            self.dive(index, &levels);
            if self.mixed {
                self.look_ahead(&order[done..]);
            }
            (context.progress)(Progress {
                done: done as u64 + 1,
                total,
                best: self.best.as_ref().map(|best| best.score),
                bound: None,
            });
        }
        true
    }

    /// Evaluates the next few open nodes on all cores: with promises that do not last, most have to be looked at anyway.
    fn look_ahead(&mut self, order: &[(f64, u32, u64)]) {
        let mut batch: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut levels = Vec::new();
        for &(bound, _, index) in order {
            if batch.len() == AHEAD || self.hopeless(bound) {
                break;
            }
            self.lattice.levels(index, &mut levels);
            if self.seen[index as usize] == 0 && !self.excluded(&levels) {
                batch.push((index, levels.clone()));
            }
        }
        let nodes: Vec<Vec<u8>> = batch.iter().map(|(_, levels)| levels.clone()).collect();
        for ((index, levels), tally) in batch.iter().zip(self.nodes.tally_all(&nodes)) {
            self.record(*index, levels, tally);
        }
    }

    /// Whether a node with this bound cannot be the answer; a hair is allowed for rounding.
    fn hopeless(&self, bound: f64) -> bool {
        self.best
            .as_ref()
            .is_some_and(|best| bound > best.score + 1e-12 * (1.0 + best.score.abs()))
    }

    /// Whether what was seen so far rules the node out.
    fn excluded(&self, levels: &[u8]) -> bool {
        let packed = Packed::new(levels);
        if self.below_doomed(&packed) {
            return true;
        }
        if self.best.is_none() {
            return false;
        }
        let mut known = Known::NOTHING;
        for entry in &self.entries {
            if (entry.floor > known.suppressed || entry.charge > known.charge)
                && packed.at_most(&entry.packed, self.words)
            {
                known.suppressed = known.suppressed.max(entry.floor);
                known.charge = known.charge.max(entry.charge);
            }
            if self.grows_with_classes
                && (entry.squares > known.squares || entry.classes < known.classes)
                && entry.packed.at_most(&packed, self.words)
            {
                known.squares = known.squares.max(entry.squares);
                known.classes = known.classes.min(entry.classes);
            }
        }
        self.hopeless(self.scale.bound(levels, &known))
    }

    fn below_doomed(&self, packed: &Packed) -> bool {
        self.doomed
            .iter()
            .any(|doomed| packed.at_most(doomed, self.words))
    }

    /// Settles the node `start`: finds the coarsest node on a path above it that rules it out, or evaluates it.
    fn dive(&mut self, start: u64, levels: &[u8]) {
        let path = self.path(start, levels);
        // Invariant: what lies below `low` on the path rules out the start; what lies at `high` or above does not.
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.rules_out(&path[middle], levels) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
    }

    /// From `start` to the top, always to the neighbor with the lowest bound.
    ///
    /// It goes on where the bound leaves no hope: such nodes cannot win, but one that suppresses too much rules out more.
    fn path(&self, start: u64, levels: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut path = vec![(start, levels.to_vec())];
        if !self.can_tag {
            return path;
        }
        let (mut index, mut levels) = (start, levels.to_vec());
        loop {
            let mut next: Option<(f64, usize)> = None;
            for d in 0..levels.len() {
                if levels[d] < self.lattice.high[d] {
                    levels[d] += 1;
                    let bound = self.scale.first_bound(&levels);
                    levels[d] -= 1;
                    if next.is_none_or(|(least, _)| bound < least) {
                        next = Some((bound, d));
                    }
                }
            }
            match next {
                Some((_, d)) => {
                    levels[d] += 1;
                    index += self.strides[d];
                    path.push((index, levels.clone()));
                }
                None => return path,
            }
        }
    }

    /// Whether the node shows that `start`, which is not above it, cannot be the answer. Evaluates the node if need be.
    fn rules_out(&mut self, node: &(u64, Vec<u8>), start: &[u8]) -> bool {
        let slot = self.seen[node.0 as usize];
        if slot == 0 {
            if self.below_doomed(&Packed::new(&node.1)) {
                return true;
            }
            let tally = self.nodes.tally(&node.1);
            self.record(node.0, &node.1, tally);
        }
        let entry = &self.entries[self.seen[node.0 as usize] as usize - 1];
        if entry.doomed {
            return true;
        }
        let known = Known {
            suppressed: entry.floor,
            charge: entry.charge,
            ..Known::NOTHING
        };
        self.hopeless(self.scale.bound(start, &known))
    }

    fn record(&mut self, index: u64, levels: &[u8], tally: Tally) {
        let packed = Packed::new(levels);
        let n = self.scale.records();
        if tally.doomed {
            let words = self.words;
            self.doomed.retain(|old| !old.at_most(&packed, words));
            self.doomed.push(packed);
        }
        self.entries.push(OpenNode {
            packed,
            floor: tally.floor,
            charge: (u128::from(n) * u128::from(tally.floor)).saturating_sub(tally.floor_squares),
            squares: tally.squares,
            classes: tally.classes,
            doomed: tally.doomed,
        });
        self.seen[index as usize] = self.entries.len() as u32;
        if let Some(candidate) = Best::if_valid(&self.scale, self.budget, levels, tally) {
            candidate.improve(&mut self.best);
        }
    }
}
