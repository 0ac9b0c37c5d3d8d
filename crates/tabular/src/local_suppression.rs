//! Local suppression: single cells become `*` until everybody has company, as few and as unimportant ones as possible.
//!
//! # Idea
//!
//! No value is generalized. Records that are published alike must be in a class that keeps the promises, where `*` is a value of
//! its own; a class shows the values that all its members share. Small tables are solved exactly, by the best partition into
//! classes. Larger ones try patterns of suppressed attributes from the cheapest on: whoever finds company under a pattern is
//! published with it, the others wait; who is left joins the class that suffers least.
//!
//! # Guarantee
//!
//! Every class meets every promise, judged on the class itself. Up to `exact_up_to` units the weight of suppressed cells is the
//! least possible; the unit is a record when only k-anonymity is asked, else a tuple (equal tuples are treated alike, since a summary
//! does not say which of them has which sensitive value). Beyond, `least` is a proven lower bound: a record in a class of k
//! hides at least what sets it apart from its (k - 1)-th nearest neighbor. Honours all promises.
//!
//! # Reference
//!
//! A. Meyerson, R. Williams, "On the complexity of optimal k-anonymity", PODS 2004 (the problem, NP-hard); sdcMicro's `localSuppression` with
//! `importance`. Survey section 3.1, cell suppression.
//!
//! # Departures
//!
//! sdcMicro lets `*` match anything, which an adversary who knows who was hidden can undo; here `*` matches only `*`.
//! Limits on levels are refused.
//!
//! # Cost
//!
//! Exact O(3^units); otherwise O(patterns x tuples), and O(q x tuples^2) for the lower bound up to five thousand tuples.

use std::collections::HashMap;

use denym_data::{Labels, Recoding, Unit};
use rayon::prelude::*;

use crate::cells::publish_cells;
use crate::cut::{Tree, k_asked, refusal};
use crate::figures;
use crate::grouped::refuse_limits;
use crate::recode::class_is_admitted;
use crate::{Context, Error, Request, Solution, Solver};

/// Most patterns tried: all of twelve attributes.
const PATTERNS: usize = 1 << 12;

/// Most tuples for which the lower bound is computed.
const BOUNDED: usize = 5000;

/// Cell suppression without generalization.
#[derive(Debug, Clone)]
pub struct LocalSuppression {
    /// What hiding one cell of each quasi-identifier costs; `None` takes the request's weights. Positive.
    pub importance: Option<Vec<f64>>,
    /// Units up to which the search is exact; at most 20.
    pub exact_up_to: usize,
}

impl Default for LocalSuppression {
    /// The request's weights; exact up to twelve units, which takes milliseconds.
    fn default() -> Self {
        LocalSuppression {
            importance: None,
            exact_up_to: 12,
        }
    }
}

/// A release with suppressed cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LocallySuppressed {
    /// The recoding.
    pub solution: Solution,
    /// Suppressed cells of each quasi-identifier.
    pub cells: Vec<u64>,
    /// Importance of all suppressed cells.
    pub weight: f64,
    /// No release of this kind has less; equals `weight` when that is proven.
    pub least: f64,
}

impl Solver for LocalSuppression {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        self.run(request, context).map(|release| release.solution)
    }
}

impl LocalSuppression {
    /// Finds cells to suppress.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<LocallySuppressed, Error> {
        request.check()?;
        refuse_limits(request)?;
        let q = request.summary.quasi.len();
        // What weighs nothing still costs a hair, so that no cell is hidden without need.
        let asked = || (0..q).map(|d| request.weight(d).max(1e-6)).collect();
        let weights = self.importance.clone().unwrap_or_else(asked);
        if weights.len() != q {
            return Err(Error::Hierarchies {
                quasi: q,
                hierarchies: weights.len(),
            });
        }
        if !weights
            .iter()
            .all(|&weight| weight > 0.0 && weight.is_finite())
        {
            return Err(Error::Parameter {
                parameter: "importance",
                range: "a positive number for every quasi-identifier",
            });
        }
        let size = only_size(request);
        let unit = if size.is_some() {
            Unit::Record
        } else {
            Unit::Tuple
        };
        let units = Units::new(request, unit, &weights);
        if units.len() <= self.exact_up_to.min(20)
            && let Some(classes) = exact(&units, size, context)
        {
            let mut release = units.release(&classes);
            release.least = release.weight;
            return Ok(release);
        }
        let units = Units::new(request, Unit::Tuple, &weights);
        let classes = sweep(&units, context);
        let left: u64 = {
            let mut waiting = vec![true; units.len()];
            for &unit in classes.iter().flatten() {
                waiting[unit as usize] = false;
            }
            (0..units.len())
                .filter(|&t| waiting[t])
                .map(|t| request.summary.records[t])
                .sum()
        };
        if left > request.budget() || classes.is_empty() {
            return Err(refusal(request, context));
        }
        let mut release = units.release(&classes);
        if !units.still_safe(&release.solution.recoding) {
            return Err(refusal(request, context));
        }
        if let Some(k) = size
            && left == 0
        {
            release.least = units.least(k).min(release.weight);
        }
        Ok(release)
    }
}

/// The k, when k-anonymity over records is all that is asked.
fn only_size(request: &Request<'_>) -> Option<u64> {
    let size = |name: &str| name == "k-anonymity";
    let mut terms = request.promises.iter().map(|promise| promise.terms());
    (request.summary.subjects.is_none() && terms.all(|terms| size(terms.name)))
        .then(|| k_asked(request))
}

/// Records or tuples, by their tuple.
struct Units<'a> {
    request: &'a Request<'a>,
    unit: Unit,
    weights: &'a [f64],
    tuple_of: Vec<u32>,
}

impl<'a> Units<'a> {
    fn new(request: &'a Request<'a>, unit: Unit, weights: &'a [f64]) -> Units<'a> {
        let tuples = 0..request.summary.tuples() as u32;
        Units {
            request,
            unit,
            weights,
            tuple_of: match unit {
                Unit::Tuple => tuples.collect(),
                Unit::Record => tuples
                    .flat_map(|t| {
                        std::iter::repeat_n(t, request.summary.records[t as usize] as usize)
                    })
                    .collect(),
            },
        }
    }

    fn len(&self) -> usize {
        self.tuple_of.len()
    }

    fn code(&self, unit: u32, d: usize) -> u32 {
        self.request.summary.quasi[d][self.tuple_of[unit as usize] as usize]
    }

    fn records(&self, unit: u32) -> u64 {
        match self.unit {
            Unit::Record => 1,
            Unit::Tuple => self.request.summary.records[self.tuple_of[unit as usize] as usize],
        }
    }

    /// Whether attribute `d` has to be hidden in a class.
    fn hides(&self, class: &[u32], d: usize) -> bool {
        class
            .iter()
            .any(|&unit| self.code(unit, d) != self.code(class[0], d))
    }

    /// Importance of the cells that a class hides.
    fn cost(&self, class: &[u32]) -> f64 {
        let records: u64 = class.iter().map(|&unit| self.records(unit)).sum();
        let each: f64 = (0..self.weights.len())
            .filter(|&d| self.hides(class, d))
            .map(|d| self.weights[d])
            .sum();
        each * records as f64
    }

    fn release(&self, classes: &[Vec<u32>]) -> LocallySuppressed {
        let q = self.weights.len();
        let mut hidden = vec![vec![false; self.len()]; q];
        let mut cells = vec![0; q];
        let mut published = vec![false; self.len()];
        for class in classes {
            for &unit in class {
                published[unit as usize] = true;
            }
            for d in (0..q).filter(|&d| self.hides(class, d)) {
                for &unit in class {
                    hidden[d][unit as usize] = true;
                    cells[d] += self.records(unit);
                }
            }
        }
        let trees: Vec<Tree> = self
            .request
            .hierarchies
            .iter()
            .map(|hierarchy| Tree::new(hierarchy, (0, 0)))
            .collect();
        let recoding = match self.unit {
            Unit::Tuple => {
                let all = vec![false; self.request.summary.tuples()];
                let mut recoding = publish_cells(self.request, &trees, &all, |d, t| {
                    (!hidden[d][t]).then(|| trees[d].finest[self.code(t as u32, d) as usize])
                });
                for (class, published) in recoding.class_of.iter_mut().zip(published) {
                    *class = class.filter(|_| published);
                }
                without_empty(recoding)
            }
            Unit::Record => self.by_record(&trees, &hidden),
        };
        let weight = cells
            .iter()
            .zip(self.weights)
            .map(|(&n, w)| n as f64 * w)
            .sum();
        LocallySuppressed {
            solution: figures::solution(self.request, recoding),
            cells,
            weight,
            least: 0.0,
        }
    }

    /// The recoding of single records.
    fn by_record(&self, trees: &[Tree], hidden: &[Vec<bool>]) -> Recoding {
        let q = trees.len();
        let mut labels = vec![Labels::default(); q];
        let mut label_of: Vec<HashMap<Option<u32>, u32>> = vec![HashMap::new(); q];
        let mut published: Vec<Vec<u32>> = vec![Vec::new(); q];
        let mut classes: HashMap<Vec<u32>, u32> = HashMap::new();
        let class_of = (0..self.len() as u32)
            .map(|unit| {
                let values: Vec<u32> = (0..q)
                    .map(|d| {
                        let code = (!hidden[d][unit as usize]).then(|| self.code(unit, d));
                        *label_of[d].entry(code).or_insert_with(|| {
                            let branch = code.map(|code| {
                                let node = trees[d].finest[code as usize];
                                &trees[d].branches[node as usize]
                            });
                            let all = trees[d].leaves as f64;
                            let share = branch.map_or(1.0, |branch| branch.leaves as f64 / all);
                            labels[d].shares.push(share);
                            let text = branch.map_or(Some("*".into()), |b| b.text.clone());
                            labels[d].texts.push(text);
                            labels[d].texts.len() as u32 - 1
                        })
                    })
                    .collect();
                let next = classes.len() as u32;
                let class = *classes.entry(values.clone()).or_insert(next);
                if class == next {
                    for (published, value) in published.iter_mut().zip(values) {
                        published.push(value);
                    }
                }
                Some(class)
            })
            .collect();
        Recoding {
            unit: Unit::Record,
            class_of,
            labels,
            published,
            levels: None,
        }
    }

    /// Whether classes that came to look alike keep the promises together.
    fn still_safe(&self, recoding: &Recoding) -> bool {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); recoding.classes()];
        for (tuple, class) in recoding.class_of.iter().enumerate() {
            if let Some(class) = class {
                members[*class as usize].push(tuple as u32);
            }
        }
        members
            .iter()
            .all(|class| class_is_admitted(self.request, class))
    }

    /// Every record hides at least what sets it apart from its (k - 1)-th nearest neighbor.
    fn least(&self, k: u64) -> f64 {
        if self.len() > BOUNDED {
            return 0.0;
        }
        // Collected in order, so that the sum does not depend on threads.
        let each: Vec<f64> = (0..self.len() as u32)
            .into_par_iter()
            .map(|unit| {
                let mut near: Vec<(f64, u64)> = (0..self.len() as u32)
                    .map(|other| {
                        let apart = (0..self.weights.len())
                            .filter(|&d| self.code(unit, d) != self.code(other, d))
                            .map(|d| self.weights[d])
                            .sum();
                        (apart, self.records(other))
                    })
                    .collect();
                near.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut company = 0;
                let reached = near.iter().find(|(_, records)| {
                    company += records;
                    company >= k
                });
                reached.map_or(0.0, |(apart, _)| apart * self.records(unit) as f64)
            })
            .collect();
        each.iter().sum()
    }
}

/// Classes renumbered so that each has a member.
fn without_empty(mut recoding: Recoding) -> Recoding {
    let mut number: Vec<Option<u32>> = vec![None; recoding.classes()];
    let mut kept = Vec::new();
    for class in recoding.class_of.iter_mut().flatten() {
        let slot = &mut number[*class as usize];
        *class = *slot.get_or_insert_with(|| {
            kept.push(*class as usize);
            kept.len() as u32 - 1
        });
    }
    for published in &mut recoding.published {
        *published = kept.iter().map(|&class| published[class]).collect();
    }
    recoding
}

/// The partition into safe classes that hides least, by dynamic programming over subsets.
fn exact(units: &Units<'_>, size: Option<u64>, context: &mut Context<'_>) -> Option<Vec<Vec<u32>>> {
    let n = units.len();
    let all = (1_u32 << n) - 1;
    let list = |mask: u32| -> Vec<u32> { (0..n as u32).filter(|&u| mask >> u & 1 == 1).collect() };
    // A class of 2k records can be cut in two without hiding more.
    let fits = |mask: u32| {
        size.is_none_or(|k| {
            let count = u64::from(mask.count_ones());
            count >= k && count < 2 * k
        })
    };
    let costs: Vec<f64> = (0..=all)
        .into_par_iter()
        .map(|mask| {
            if mask == 0 || !fits(mask) {
                return f64::INFINITY;
            }
            let class = list(mask);
            if size.is_some() || class_is_admitted(units.request, &class) {
                units.cost(&class)
            } else {
                f64::INFINITY
            }
        })
        .collect();
    let mut best = vec![(f64::INFINITY, 0_u32); all as usize + 1];
    best[0] = (0.0, 0);
    for mask in 1..=all {
        if mask.trailing_zeros() >= 12 && !(context.keep_going)() {
            return None;
        }
        let lowest = mask & mask.wrapping_neg();
        let rest = mask ^ lowest;
        // Every subset of the rest, with the lowest unit.
        let mut subset = rest;
        loop {
            let class = subset | lowest;
            let cost = costs[class as usize] + best[(mask ^ class) as usize].0;
            if cost < best[mask as usize].0 {
                best[mask as usize] = (cost, class);
            }
            if subset == 0 {
                break;
            }
            subset = (subset - 1) & rest;
        }
    }
    if best[all as usize].0.is_infinite() {
        return None;
    }
    let mut classes = Vec::new();
    let mut mask = all;
    while mask != 0 {
        let class = best[mask as usize].1;
        classes.push(list(class));
        mask ^= class;
    }
    Some(classes)
}

/// Patterns of hidden attributes from the cheapest on; then leftovers join who suffers least.
fn sweep(units: &Units<'_>, context: &mut Context<'_>) -> Vec<Vec<u32>> {
    let q = units.weights.len();
    let mut waiting: Vec<u32> = (0..units.len() as u32).collect();
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for pattern in patterns(units.weights) {
        if waiting.is_empty() {
            break;
        }
        let last = pattern.iter().all(|&hidden| hidden);
        if !last && !(context.keep_going)() {
            continue;
        }
        let mut ids: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &unit in &waiting {
            let key: Vec<u32> = (0..q)
                .filter(|&d| !pattern[d])
                .map(|d| units.code(unit, d))
                .collect();
            let next = groups.len();
            let id = *ids.entry(key).or_insert(next);
            if id == next {
                groups.push(Vec::new());
            }
            groups[id].push(unit);
        }
        let (found, rest): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| class_is_admitted(units.request, group));
        classes.extend(found);
        waiting = rest.concat();
        waiting.sort_unstable();
    }
    for unit in waiting {
        let with = |class: &Vec<u32>| [class.as_slice(), &[unit]].concat();
        let best = classes
            .par_iter()
            .enumerate()
            .map(|(index, class)| (units.cost(&with(class)) - units.cost(class), index))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((_, best)) = best
            && class_is_admitted(units.request, &with(&classes[best]))
        {
            classes[best].push(unit);
        }
    }
    classes
}

/// Which attributes are hidden, cheapest first; the last hides all.
fn patterns(weights: &[f64]) -> Vec<Vec<bool>> {
    let q = weights.len();
    let cost = |pattern: &Vec<bool>| -> f64 {
        pattern
            .iter()
            .zip(weights)
            .map(|(&hidden, w)| if hidden { *w } else { 0.0 })
            .sum()
    };
    let mut all: Vec<Vec<bool>> = vec![vec![false; q]];
    // By number of hidden attributes, as far as there is room.
    let mut layer = all.clone();
    while !layer.is_empty() && all.len() < PATTERNS {
        layer = layer
            .iter()
            .flat_map(|pattern| {
                let next = pattern
                    .iter()
                    .rposition(|&hidden| hidden)
                    .map_or(0, |d| d + 1);
                (next..q).map(move |d| {
                    let mut wider = pattern.clone();
                    wider[d] = true;
                    wider
                })
            })
            .collect();
        all.extend(layer.iter().take(PATTERNS).cloned());
    }
    all.retain(|pattern| !pattern.iter().all(|&hidden| hidden));
    all.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
    all.push(vec![true; q]);
    all
}
