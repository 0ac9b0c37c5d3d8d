//! Local recoding on top of full-domain nodes: each record is published at the least general node that its company allows.
//!
//! # Idea
//!
//! One level for a whole column is wasteful: a common tuple could be published as it is. So nodes of the lattice are
//! taken from the least general upwards. At each, the records that are still waiting are grouped; classes that meet every
//! promise are published there, the others wait for a coarser node. Then every class is tightened to the lowest nodes
//! above its own values. Last come repairs: a class is dissolved, or a tuple moved, whenever its records fit into other
//! classes at less loss.
//!
//! # Guarantee
//!
//! Every class meets every promise. Records that find no company even in the coarsest node join the class that suffers
//! least; what no class may take is suppressed, within the budget, or the request is infeasible. The loss never exceeds
//! that of the classes before the repairs. Not optimal.
//!
//! # Reference
//!
//! Local recoding: J. Xu et al., "Utility-based anonymization using local recoding", KDD 2006; R. Wong et al., "(alpha,
//! k)-anonymity", KDD 2006 (progressive local recoding). Survey section 3.1, cell generalization.
//!
//! # Departures
//!
//! The order of nodes comes from the loss of a node, not from a fixed order of attributes, and the repairs are ours. Where
//! nodes are too many to be put in order, those on cheap ways from the finest to the coarsest are visited.
//!
//! # Cost
//!
//! One grouping of the waiting tuples per node, and O(tuples log classes) per round of repairs: few classes are all
//! compared, of many a tree is searched ([`HostTree`]).

use denym_data::{Recoding, SplitMix64, Unit};
use rayon::prelude::*;

use crate::cover::{Cover, Covers};
use crate::figures;
use crate::frequency::Grouping;
use crate::hosts::{Host, HostTree, compare};
use crate::lattice::Lattice;
use crate::nearest::nearest;
use crate::objective::Scale;
use crate::partition::{Axis, HEAD, Rows, publish};
use crate::recode::class_is_admitted;
use crate::tally::{nodes, varied};
use crate::{Context, Error, Objective, Progress, Request, Solution, Solver};

/// Nodes that are put in order of their loss; where there are more, cheap ways through them are taken.
const ORDERED: u128 = 1 << 20;

/// Ways through a lattice of too many nodes.
const WAYS: u64 = 24;

/// Lookups of values that are spent on nodes at most; from half of them on, nodes are left out evenly.
const LOOKUPS: u64 = 1 << 31;

/// Classes of more tuples are not tightened for each tuple that might leave them.
const SMALL: usize = 256;

/// Lossless first, then ever coarser classes, then repairs.
#[derive(Debug, Clone)]
pub struct LocalRecoding {
    /// Most nodes of the lattice to visit; the coarsest is always among them.
    pub most_nodes: usize,
    /// Most rounds of repairs.
    pub rounds: usize,
    /// Up to this many classes a tuple is compared with all of them; beyond, a tree leaves most of them out.
    pub compared: usize,
}

impl Default for LocalRecoding {
    /// Enough nodes for nine attributes; after four rounds repairs gain little.
    fn default() -> Self {
        LocalRecoding {
            most_nodes: 20_000,
            rounds: 4,
            compared: 1 << 9,
        }
    }
}

impl Solver for LocalRecoding {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        request.only_whole_classes()?;
        let Some(hierarchies) = request.narrowed() else {
            return self.solve_within(request, false, context);
        };
        // The same on hierarchies without the levels that are not allowed; the loss is that on the whole ones.
        let narrowed = Request {
            hierarchies: &hierarchies,
            limits: None,
            ..*request
        };
        let found = self.solve_within(&narrowed, true, context)?;
        let mut solution = figures::solution(request, found.recoding);
        solution.statistics.evaluated = found.statistics.evaluated;
        Ok(solution)
    }
}

impl LocalRecoding {
    /// Searches all levels; when they are `cut`, what meets at none of them is not put together.
    fn solve_within(
        &self,
        request: &Request<'_>,
        cut: bool,
        context: &mut Context<'_>,
    ) -> Result<Solution, Error> {
        let lattice = Lattice::new(request);
        let mut state = RepairState::new(request, &lattice, cut);
        state.compared = self.compared;
        self.collect(&mut state, &lattice, context);
        state.place_leftovers();
        let left: u64 = state
            .waiting
            .iter()
            .map(|&t| request.summary.records[t as usize])
            .sum();
        if left > request.budget() || state.classes.is_empty() {
            let mut sets = nodes(*request, &lattice)?;
            return Err(Error::Infeasible {
                nearest: Box::new(nearest(
                    request,
                    &lattice,
                    sets.as_mut(),
                    context.keep_going,
                )),
            });
        }
        let mut rounds = 0;
        while rounds < self.rounds && (context.keep_going)() && state.repair(context.keep_going) {
            rounds += 1;
            (context.progress)(Progress {
                done: rounds as u64,
                total: self.rounds as u64,
                best: None,
                bound: None,
            });
        }
        let mut solution = figures::solution(request, state.recoding());
        solution.statistics.evaluated = rounds as u64;
        Ok(solution)
    }
}

impl LocalRecoding {
    /// Publishes classes at ever coarser nodes until nothing waits.
    fn collect(&self, state: &mut RepairState<'_>, lattice: &Lattice, context: &mut Context<'_>) {
        let mut request = *state.request;
        request.objective = Objective::LossArithmetic;
        let scale = Scale::new(&request);
        let mut order: Vec<(f64, Vec<u8>)> = if lattice.nodes() <= ORDERED {
            let all = 0..lattice.nodes() as u64;
            let levels = all.map(|index| lattice.node(index));
            levels.map(|l| (scale.first_bound(&l), l)).collect()
        } else {
            ways(lattice, &scale)
        };
        // Equal ones in the order of the lattice.
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        order.dedup();
        order.truncate(self.most_nodes);
        let mut spent = 0;
        let mut skipped = 0;
        for (at, (_, levels)) in order.iter().enumerate() {
            if state.waiting.is_empty() || !(context.keep_going)() {
                break;
            }
            // What is left to spend must do for the nodes that are left.
            let cost = (state.waiting.len() * state.q) as u64;
            let affordable = LOOKUPS.saturating_sub(spent) / cost.max(1);
            let left = (order.len() - at) as u64;
            if spent > LOOKUPS / 2 && left > affordable && skipped < left / affordable.max(1) {
                skipped += 1;
                continue;
            }
            (spent, skipped) = (spent + cost, 0);
            state.publish_at(levels);
        }
        state.publish_at(&lattice.high.clone());
    }
}

/// The nodes on some cheap ways from the finest to the coarsest, each with its loss.
fn ways(lattice: &Lattice, scale: &Scale) -> Vec<(f64, Vec<u8>)> {
    // The same for every seed: which nodes are visited is no matter of chance.
    let mut random = SplitMix64::new(0);
    let mut nodes = Vec::new();
    for way in 0..WAYS {
        let factors: Vec<f64> = (0..lattice.low.len())
            .map(|_| match way {
                0 => 1.0,
                _ => (random.below(1 << 20) as f64 / f64::from(1 << 18) - 2.0).exp2(),
            })
            .collect();
        let mut levels = lattice.low.clone();
        let mut loss = scale.first_bound(&levels);
        nodes.push((loss, levels.clone()));
        loop {
            let mut cheapest: Option<(f64, f64, usize)> = None;
            for d in 0..levels.len() {
                if levels[d] == lattice.high[d] {
                    continue;
                }
                levels[d] += 1;
                let after = scale.first_bound(&levels);
                levels[d] -= 1;
                let price = (after - loss) * factors[d];
                if cheapest.is_none_or(|(least, ..)| price < least) {
                    cheapest = Some((price, after, d));
                }
            }
            let Some((_, after, d)) = cheapest else {
                break;
            };
            levels[d] += 1;
            loss = after;
            nodes.push((loss, levels.clone()));
        }
    }
    nodes
}

/// A class under construction.
#[derive(Debug, Clone)]
struct RepairClass {
    tuples: Vec<u32>,
    records: u64,
    cover: Cover,
    /// Loss of one record, summed over columns.
    cost: f64,
}

impl RepairClass {
    /// What is left of a class whose tuples went elsewhere.
    fn gone() -> RepairClass {
        RepairClass {
            tuples: Vec::new(),
            records: 0,
            cover: Cover {
                codes: Vec::new(),
                levels: Vec::new(),
            },
            cost: 0.0,
        }
    }
}

impl Host for RepairClass {
    fn cover(&self) -> &Cover {
        &self.cover
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn cost(&self) -> f64 {
        self.cost
    }
}

/// A class before tuples joined it.
struct Before {
    class: usize,
    tuples: usize,
    records: u64,
    cover: Cover,
    cost: f64,
}

struct RepairState<'a> {
    request: &'a Request<'a>,
    covers: Covers<'a>,
    /// Codes of each tuple, side by side.
    codes: Vec<u32>,
    q: usize,
    waiting: Vec<u32>,
    classes: Vec<RepairClass>,
    /// Whether a class that meets all promises still does when anything joins it.
    absorbing: bool,
    /// Up to this many classes a tuple is compared with all of them.
    compared: usize,
}

impl<'a> RepairState<'a> {
    fn new(request: &'a Request<'a>, lattice: &Lattice, cut: bool) -> RepairState<'a> {
        let summary = request.summary;
        let q = summary.quasi.len();
        let mut codes = Vec::with_capacity(q * summary.tuples());
        for tuple in 0..summary.tuples() {
            codes.extend(summary.quasi.iter().map(|column| column[tuple]));
        }
        RepairState {
            request,
            covers: if cut {
                Covers::strict(request)
            } else {
                Covers::new(request)
            }
            .in_order(varied(request, lattice)),
            codes,
            q,
            waiting: (0..summary.tuples() as u32).collect(),
            classes: Vec::new(),
            compared: usize::MAX,
            absorbing: request
                .promises
                .iter()
                .all(|promise| promise.terms().monotone_with_suppression),
        }
    }

    fn tuple(&self, tuple: u32) -> &[u32] {
        &self.codes[tuple as usize * self.q..][..self.q]
    }

    fn class(&self, tuples: Vec<u32>) -> RepairClass {
        let mut cover = Cover {
            codes: self.tuple(tuples[0]).to_vec(),
            levels: vec![0; self.q],
        };
        for &tuple in &tuples {
            self.covers.widen(&mut cover, |d| self.tuple(tuple)[d]);
        }
        RepairClass {
            records: tuples
                .iter()
                .map(|&t| self.request.summary.records[t as usize])
                .sum(),
            cost: self.covers.total(&cover),
            tuples,
            cover,
        }
    }

    /// Publishes what is admitted at one node; the rest goes on waiting.
    fn publish_at(&mut self, levels: &[u8]) {
        let (class_of, count) = self.grouped(levels);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (&class, &tuple) in class_of.iter().zip(&self.waiting) {
            members[class as usize].push(tuple);
        }
        let mut waiting = Vec::new();
        for tuples in members {
            if class_is_admitted(self.request, &tuples) {
                let class = self.class(tuples);
                self.classes.push(class);
            } else {
                waiting.extend(tuples);
            }
        }
        waiting.sort_unstable();
        self.waiting = waiting;
    }

    /// The class of each waiting tuple at one node, in the order of first appearance, and how many there are.
    fn grouped(&self, levels: &[u8]) -> (Vec<u32>, usize) {
        let level = |d: usize| &self.request.hierarchies[d].levels()[levels[d] as usize];
        // Columns of one node tell nothing apart; the others are packed into one word while they fit.
        let several: Vec<usize> = (0..self.q).filter(|&d| level(d).leaves.len() > 1).collect();
        let mut class_of = vec![0_u32; self.waiting.len()];
        let mut count = usize::from(!self.waiting.is_empty());
        let mut rest = several.as_slice();
        while !rest.is_empty() {
            let mut room = u64::MAX / (count as u64).max(1);
            let fits = rest.iter().take_while(|&&d| {
                room /= level(d).leaves.len() as u64;
                room > 0
            });
            let (some, behind) = rest.split_at(fits.count().max(1));
            let columns: Vec<(usize, &[u32], u64)> = some
                .iter()
                .map(|&d| (d, level(d).nodes.as_slice(), level(d).leaves.len() as u64))
                .collect();
            let mut grouping: Grouping<1> = Grouping::default();
            for (class, &tuple) in class_of.iter_mut().zip(&self.waiting) {
                let codes = self.tuple(tuple);
                let key = columns.iter().fold(u64::from(*class), |key, column| {
                    key * column.2 + u64::from(column.1[codes[column.0] as usize])
                });
                *class = grouping.add([key], 0);
            }
            count = grouping.keys.len();
            rest = behind;
        }
        (class_of, count)
    }

    /// A tree of the classes, where they are too many to ask each.
    fn tree(&self) -> Option<HostTree> {
        let many = self.classes.len() > self.compared;
        many.then(|| HostTree::new(&self.classes, &self.covers, self.request.hierarchies))
    }

    /// Puts records that found no company into the class that suffers least.
    fn place_leftovers(&mut self) {
        let mut left = Vec::new();
        let tree = self.tree();
        for tuple in std::mem::take(&mut self.waiting) {
            match self.best_host(tuple, None, tree.as_ref()) {
                Some((_, host)) if self.may_join(host, tuple) => self.join(host, tuple),
                _ => left.push(tuple),
            }
        }
        self.waiting = left;
    }

    /// The class, other than `except`, that takes a tuple at the least additional loss.
    fn best_host(
        &self,
        tuple: u32,
        except: Option<usize>,
        tree: Option<&HostTree>,
    ) -> Option<(f64, usize)> {
        let codes = self.tuple(tuple);
        let weight = self.request.summary.records[tuple as usize] as f64;
        if let Some(tree) = tree {
            return tree.cheapest(&self.classes, &self.covers, codes, weight, except);
        }
        let mut best = None;
        for (host, class) in self.classes.iter().enumerate() {
            if Some(host) != except {
                compare(&mut best, class, host, &self.covers, codes, weight);
            }
        }
        best
    }

    fn may_join(&self, host: usize, tuple: u32) -> bool {
        if self.absorbing {
            return true;
        }
        let mut tuples = self.classes[host].tuples.clone();
        tuples.push(tuple);
        class_is_admitted(self.request, &tuples)
    }

    fn join(&mut self, host: usize, tuple: u32) {
        let mut class = std::mem::replace(&mut self.classes[host], RepairClass::gone());
        self.covers
            .widen(&mut class.cover, |d| self.tuple(tuple)[d]);
        class.cost = self.covers.total(&class.cover);
        class.records += self.request.summary.records[tuple as usize];
        class.tuples.push(tuple);
        self.classes[host] = class;
    }

    /// A class as it is, to come back to when what joins it is taken away again.
    fn before(&self, class: usize) -> Before {
        let now = &self.classes[class];
        Before {
            class,
            tuples: now.tuples.len(),
            records: now.records,
            cover: now.cover.clone(),
            cost: now.cost,
        }
    }

    /// Takes away what joined a class since.
    fn restore(&mut self, before: Before) {
        let class = &mut self.classes[before.class];
        class.tuples.truncate(before.tuples);
        class.records = before.records;
        class.cover = before.cover;
        class.cost = before.cost;
    }

    /// One round of repairs; whether anything got better.
    fn repair(&mut self, keep_going: &(dyn Fn() -> bool + Sync)) -> bool {
        // Costly classes first: they have most to gain. The order is fixed before anything moves.
        let mut order: Vec<usize> = (0..self.classes.len())
            .filter(|&c| self.classes[c].cost > 0.0)
            .collect();
        order.sort_by(|&a, &b| {
            self.classes[b]
                .cost
                .total_cmp(&self.classes[a].cost)
                .then(a.cmp(&b))
        });
        let mut better = false;
        let tree = self.tree();
        // Hosts are looked up for a batch at once on all cores; each move is then checked against what happened since.
        for batch in order.chunks(64) {
            if !keep_going() {
                break;
            }
            let plans: Vec<Vec<(u32, usize)>> = batch
                .par_iter()
                .map(|&class| {
                    let tuples = &self.classes[class].tuples;
                    tuples
                        .iter()
                        .filter_map(|&t| {
                            Some((t, self.best_host(t, Some(class), tree.as_ref())?.1))
                        })
                        .collect()
                })
                .collect();
            for (&class, plan) in batch.iter().zip(&plans) {
                better |= self.dissolve(class, plan) || self.move_some(class, plan);
            }
        }
        self.classes.retain(|class| !class.tuples.is_empty());
        better
    }

    /// Moves all tuples of a class to their hosts when that loses less; whether it did.
    fn dissolve(&mut self, class: usize, plan: &[(u32, usize)]) -> bool {
        if plan.len() < self.classes[class].tuples.len()
            || plan
                .iter()
                .any(|&(_, host)| host == class || self.classes[host].tuples.is_empty())
        {
            return false;
        }
        let mut touched: Vec<usize> = plan.iter().map(|&(_, host)| host).collect();
        touched.sort_unstable();
        touched.dedup();
        let before: f64 = touched.iter().chain([&class]).map(|&c| self.loss(c)).sum();
        let saved: Vec<Before> = touched.iter().map(|&c| self.before(c)).collect();
        for &(tuple, host) in plan {
            self.join(host, tuple);
        }
        let after: f64 = touched.iter().map(|&c| self.loss(c)).sum();
        let safe = self.absorbing
            || touched
                .iter()
                .all(|&c| class_is_admitted(self.request, &self.classes[c].tuples));
        if safe && after < before - 1e-9 {
            self.classes[class] = RepairClass::gone();
            return true;
        }
        for before in saved {
            self.restore(before);
        }
        false
    }

    /// Moves single tuples to their hosts where both classes stay safe and together lose less; whether any did.
    fn move_some(&mut self, class: usize, plan: &[(u32, usize)]) -> bool {
        let mut moved = false;
        for &(tuple, host) in plan {
            if host == class
                || self.classes[host].tuples.is_empty()
                || self.classes[class].tuples.len() < 2
            {
                continue;
            }
            if self.classes[class].tuples.len() > SMALL && !self.gains_as_it_is(class, host, tuple)
            {
                continue;
            }
            let before = self.loss(class) + self.loss(host);
            let rest: Vec<u32> = self.classes[class]
                .tuples
                .iter()
                .copied()
                .filter(|&t| t != tuple)
                .collect();
            if rest.len() == self.classes[class].tuples.len()
                || !class_is_admitted(self.request, &rest)
                || !self.may_join(host, tuple)
            {
                continue;
            }
            let old_host = self.before(host);
            let rest = self.class(rest);
            let old = std::mem::replace(&mut self.classes[class], rest);
            self.join(host, tuple);
            if self.loss(class) + self.loss(host) < before - 1e-9 {
                moved = true;
            } else {
                self.classes[class] = old;
                self.restore(old_host);
            }
        }
        moved
    }

    /// Whether a tuple may go when the rest of its class, large and seldom tighter without it, is published as before.
    fn gains_as_it_is(&mut self, class: usize, host: usize, tuple: u32) -> bool {
        let before = self.loss(class) + self.loss(host);
        let old_host = self.before(host);
        self.join(host, tuple);
        let weight = self.request.summary.records[tuple as usize];
        let left = self.classes[class].records.saturating_sub(weight) as f64;
        let after = self.classes[class].cost * left + self.loss(host);
        self.restore(old_host);
        after < before - 1e-9
    }

    /// The loss of all records of a class.
    fn loss(&self, class: usize) -> f64 {
        self.classes[class].cost * self.classes[class].records as f64
    }

    /// The classes as a recoding, in the order of their first tuples.
    fn recoding(mut self) -> Recoding {
        for class in &mut self.classes {
            class.tuples.sort_unstable();
        }
        self.classes.sort_by_key(|class| class.tuples[0]);
        let stride = HEAD + self.q;
        let mut cells = Vec::new();
        let mut parts = Vec::new();
        for class in &self.classes {
            parts.push(class.tuples.len());
            for &tuple in &class.tuples {
                cells.extend([tuple, 1]);
                cells.extend_from_slice(self.tuple(tuple));
            }
        }
        let rows = Rows { cells, stride };
        let axes = vec![Axis::Tree; self.q];
        publish(self.request, Unit::Tuple, &axes, &rows, &parts)
    }
}
