//! Greedy cell generalization: classes grow by merging neighbors, or fall apart between distant tuples.
//!
//! # Idea
//!
//! *Bottom-up*, every tuple is a class of its own. A class that fails a promise joins the class with which it loses least, until none
//! fails. *Top-down*, all tuples are one class. Two tuples that are far apart attract the others, each going where it
//! costs less; if both halves keep the promises they go on alone, and a half that fails may borrow a few tuples from the other.
//!
//! # Guarantee
//!
//! Every class meets every promise, judged on the class itself, so all promises are honoured. Bottom-up, what is left over is
//! suppressed within the budget, or the request is infeasible; top-down suppresses nothing. No optimality.
//!
//! # Reference
//!
//! J. Xu et al., "Utility-based anonymization using local recoding", KDD 2006. Survey section 3.1 and table IV.
//!
//! # Departures
//!
//! Equal tuples stay together. Loss is the weighted certainty penalty over hierarchies, numbers included. Bottom-up does not cut large
//! classes in two, since classes stop growing once they are safe. Limits on levels are refused.
//!
//! # Cost
//!
//! Bottom-up O(q x tuples^2) with the scan on all cores; top-down O(q x tuples x log tuples) on balanced halves.

use rayon::prelude::*;

use crate::cover::Cover;
use crate::cut::refusal;
use crate::grouped::{Tuples, refuse_limits, solution_of};
use crate::partition::Axis;
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Tuples that a failing half may borrow.
const BORROW: usize = 64;

/// From which side the search starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Classes grow.
    #[default]
    BottomUp,
    /// Classes fall apart.
    TopDown,
}

/// Greedy cell generalization.
#[derive(Debug, Clone, Default)]
pub struct GreedyCells {
    /// From which side the search starts.
    pub direction: Direction,
}

impl Solver for GreedyCells {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        refuse_limits(request)?;
        let tuples = Tuples::new(request);
        let all: Vec<u32> = (0..tuples.len() as u32).collect();
        let classes = match self.direction {
            Direction::BottomUp => grow(&tuples, context),
            Direction::TopDown if !tuples.admits(&all) => return Err(refusal(request, context)),
            Direction::TopDown => fall_apart(&tuples, all, context.keep_going),
        };
        let axes = vec![Axis::Tree; tuples.q];
        solution_of(request, classes, &axes).ok_or_else(|| refusal(request, context))
    }
}

struct GrowingClass {
    members: Vec<u32>,
    records: u64,
    cover: Cover,
    safe: bool,
}

/// Merges failing classes with what suits them best. What stays failing is left in, to be judged at the end.
fn grow(tuples: &Tuples<'_>, context: &mut Context<'_>) -> Vec<Vec<u32>> {
    let mut classes: Vec<Option<GrowingClass>> = (0..tuples.len() as u32)
        .map(|tuple| {
            Some(GrowingClass {
                members: vec![tuple],
                records: tuples.records(tuple),
                cover: tuples.single(tuple),
                safe: tuples.admits(&[tuple]),
            })
        })
        .collect();
    let total = classes.len() as u64;
    let mut from = 0;
    while from < classes.len() {
        let Some(class) = classes[from].take_if(|class| !class.safe) else {
            from += 1;
            continue;
        };
        if !(context.keep_going)() {
            classes[from] = Some(class);
            break;
        }
        let best = classes
            .par_iter()
            .enumerate()
            .filter_map(|(index, other)| {
                let other = other.as_ref()?;
                Some((added(tuples, &class, other), index))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, best)) = best else {
            classes[from] = Some(class);
            break;
        };
        if let Some(host) = &mut classes[best] {
            for &tuple in &class.members {
                tuples.widen(&mut host.cover, tuple);
            }
            host.members.extend(class.members);
            host.records += class.records;
            host.safe = tuples.admits(&host.members);
            if !host.safe {
                from = from.min(best);
            }
        }
        (context.progress)(Progress {
            done: from as u64,
            total,
            best: None,
            bound: None,
        });
    }
    // Stopped early: those that still fail try their luck together.
    let (done, failing): (Vec<GrowingClass>, Vec<GrowingClass>) =
        classes.into_iter().flatten().partition(|class| class.safe);
    let mut classes: Vec<Vec<u32>> = done.into_iter().map(|class| class.members).collect();
    let rest: Vec<u32> = failing.into_iter().flat_map(|c| c.members).collect();
    if rest.is_empty() {
        return classes;
    }
    if tuples.admits(&rest) {
        classes.push(rest);
        return classes;
    }
    // A last resort is a host for all of them.
    for class in &mut classes {
        let both = [class.as_slice(), &rest].concat();
        if tuples.admits(&both) {
            *class = both;
            break;
        }
    }
    classes
}

/// What two classes lose more when they are one.
fn added(tuples: &Tuples<'_>, a: &GrowingClass, b: &GrowingClass) -> f64 {
    let (na, nb) = (a.records as f64, b.records as f64);
    let mut before = 0.0;
    let mut after = 0.0;
    for d in 0..tuples.q {
        let meet = tuples.covers.meet(d, a.cover.codes[d], b.cover.codes[d]);
        let level = meet.max(a.cover.levels[d]).max(b.cover.levels[d]);
        let cost = |cover: &Cover, level| tuples.covers.cost(d, level, cover.codes[d]);
        before += na * cost(&a.cover, a.cover.levels[d]) + nb * cost(&b.cover, b.cover.levels[d]);
        after += (na + nb) * cost(&a.cover, level);
    }
    after - before
}

/// Cuts a class between two distant tuples as long as both halves are safe.
fn fall_apart(
    tuples: &Tuples<'_>,
    class: Vec<u32>,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<u32>> {
    if class.len() < 2 || !keep_going() {
        return vec![class];
    }
    match halves(tuples, &class) {
        Some((left, right)) => {
            let (mut left, right) = rayon::join(
                || fall_apart(tuples, left, keep_going),
                || fall_apart(tuples, right, keep_going),
            );
            left.extend(right);
            left
        }
        None => vec![class],
    }
}

/// Two safe halves, if there are.
fn halves(tuples: &Tuples<'_>, class: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    // Three times to the farthest: far enough apart for a start.
    let mut seeds = (class[0], class[0]);
    for _ in 0..3 {
        seeds = (seeds.1, farthest(tuples, class, seeds.1)?);
    }
    if seeds.0 == seeds.1 {
        return None;
    }
    let mut sides = [vec![seeds.0], vec![seeds.1]];
    let mut covers = [tuples.single(seeds.0), tuples.single(seeds.1)];
    let mut weights = [tuples.records(seeds.0), tuples.records(seeds.1)];
    for &tuple in class.iter().filter(|&&t| t != seeds.0 && t != seeds.1) {
        let growth = |side: usize| {
            let with = tuples
                .covers
                .total_with(&covers[side], tuples.codes(tuple), f64::INFINITY);
            (with - tuples.covers.total(&covers[side])) * weights[side] as f64
                + with * tuples.records(tuple) as f64
        };
        let (left, right) = (growth(0), growth(1));
        let side = usize::from(right < left || right <= left && weights[1] < weights[0]);
        tuples.widen(&mut covers[side], tuple);
        weights[side] += tuples.records(tuple);
        sides[side].push(tuple);
    }
    let [mut left, mut right] = sides;
    match (tuples.admits(&left), tuples.admits(&right)) {
        (true, true) => Some((left, right)),
        (false, true) => borrow(tuples, &mut left, &mut right).then_some((left, right)),
        (true, false) => borrow(tuples, &mut right, &mut left).then_some((left, right)),
        (false, false) => None,
    }
}

/// Moves tuples to the side that fails while the other stays safe; whether both are safe in the end.
fn borrow(tuples: &Tuples<'_>, poor: &mut Vec<u32>, rich: &mut Vec<u32>) -> bool {
    let mut cover = tuples.cover(poor);
    for _ in 0..BORROW.min(rich.len() - 1) {
        let cost = |tuple: u32| {
            let codes = tuples.codes(tuple);
            tuples.covers.total_with(&cover, codes, f64::INFINITY)
        };
        let next = (0..rich.len()).min_by(|&a, &b| {
            let order = cost(rich[a]).total_cmp(&cost(rich[b]));
            order.then(rich[a].cmp(&rich[b]))
        });
        let Some(next) = next else {
            return false;
        };
        let tuple = rich.remove(next);
        tuples.widen(&mut cover, tuple);
        poor.push(tuple);
        if tuples.admits(poor) {
            return tuples.admits(rich);
        }
    }
    false
}

fn farthest(tuples: &Tuples<'_>, class: &[u32], from: u32) -> Option<u32> {
    let center = tuples.single(from);
    let cost = |tuple: u32| {
        let codes = tuples.codes(tuple);
        tuples.covers.total_with(&center, codes, f64::INFINITY)
    };
    class
        .iter()
        .copied()
        .filter(|&tuple| tuple != from)
        .map(|tuple| (cost(tuple), tuple))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .map(|(_, tuple)| tuple)
}
