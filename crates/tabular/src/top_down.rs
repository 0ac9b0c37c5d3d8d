//! Top-down specialization: starts with everything generalized and specializes one value at a time while promises hold.
//!
//! # Idea
//!
//! A cut through each hierarchy says which node every value is published as; at first that is the top. A specialization
//! replaces one node of a cut by its children, in every class that shows it. Of all specializations that keep the
//! release valid the one with the most information gained per privacy lost is done, until none is left.
//!
//! # Guarantee
//!
//! Every published class meets every promise, suppression stays within the budget, and equal values are published alike
//! wherever they occur (subtree generalization). No single further specialization is valid. Not optimal.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, "Top-down specialization for information and privacy preservation", ICDE 2005, and TKDE 2007.
//! Survey equation (4) and section 5.1.2.
//!
//! # Departures
//!
//! Without a class attribute the information gained is the loss avoided, the paper's variant for general use. Validity is
//! judged on the whole release at every step, so promises that are not monotone are honoured and records may be
//! suppressed within the budget. Numeric attributes use the hierarchy given instead of one grown on the fly.
//!
//! # Cost
//!
//! Each step looks at every tuple once per quasi-identifier; steps are at most the nodes of all hierarchies.

use denym_data::{Recoding, Unit};
use rayon::prelude::*;

use crate::cover::Covers;
use crate::figures;
use crate::frequency::Grouping;
use crate::lattice::Lattice;
use crate::nearest::nearest;
use crate::recode::class_is_admitted;
use crate::tally::nodes;
use crate::{Context, Error, Progress, Request, Solution, Solver};

/// Specialization of subtrees, guided by information gained per privacy lost.
#[derive(Debug, Clone, Default)]
pub struct TopDown {
    /// The sensitive attribute, by position, whose prediction should stay possible; `None` preserves values in general.
    pub class: Option<usize>,
}

impl Solver for TopDown {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        if let Some(attribute) = self.class
            && attribute >= request.summary.sensitive.len()
        {
            return Err(Error::SensitiveMissing {
                attribute,
                found: request.summary.sensitive.len(),
            });
        }
        let lattice = Lattice::new(request);
        let mut state = State::new(request, &lattice, self.class);
        if state.suppressed() > request.budget() || state.suppressed() == request.summary.total() {
            let mut sets = nodes(*request, &lattice)?;
            return Err(Error::infeasible(nearest(
                request,
                &lattice,
                sets.as_mut(),
                context.keep_going,
            )));
        }
        let mut steps = 0;
        while (context.keep_going)() && state.specialize() {
            steps += 1;
            (context.progress)(Progress {
                done: steps,
                total: steps,
                best: None,
            });
        }
        let mut solution = figures::solution(request, state.recoding());
        solution.statistics.evaluated = steps;
        Ok(solution)
    }
}

/// One class of the release under construction.
#[derive(Debug, Clone)]
struct Class {
    tuples: Vec<u32>,
    records: u64,
    admitted: bool,
}

struct State<'a> {
    request: &'a Request<'a>,
    covers: Covers<'a>,
    class_attribute: Option<usize>,
    low: Vec<u8>,
    /// For each quasi-identifier, the level at which each code is published.
    level_of: Vec<Vec<u8>>,
    classes: Vec<Class>,
}

/// A node of a cut that could be replaced by its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    d: usize,
    level: u8,
    node: u32,
}

/// What a specialization would do.
struct Effect {
    candidate: Candidate,
    score: f64,
    /// Classes that would be replaced, by position, and what would replace them.
    replaced: Vec<(usize, Vec<Class>)>,
}

impl<'a> State<'a> {
    fn new(
        request: &'a Request<'a>,
        lattice: &Lattice,
        class_attribute: Option<usize>,
    ) -> State<'a> {
        let level_of: Vec<Vec<u8>> = request
            .hierarchies
            .iter()
            .zip(&lattice.high)
            .map(|(hierarchy, &high)| vec![high; hierarchy.levels()[0].nodes.len()])
            .collect();
        let mut class_of = vec![0_u32; request.summary.tuples()];
        let mut count = 1;
        for (d, codes) in request.summary.quasi.iter().enumerate() {
            let nodes = &request.hierarchies[d].levels()[lattice.high[d] as usize].nodes;
            let mut grouping: Grouping<1> = Grouping::default();
            for (class, &code) in class_of.iter_mut().zip(codes) {
                *class = grouping.add(
                    [u64::from(*class) << 32 | u64::from(nodes[code as usize])],
                    0,
                );
            }
            count = grouping.keys.len();
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (tuple, &class) in class_of.iter().enumerate() {
            members[class as usize].push(tuple as u32);
        }
        State {
            covers: Covers::new(request.hierarchies),
            class_attribute,
            low: lattice.low.clone(),
            level_of,
            classes: members
                .into_iter()
                .map(|tuples| judge(request, tuples))
                .collect(),
            request,
        }
    }

    fn suppressed(&self) -> u64 {
        self.classes
            .iter()
            .filter(|class| !class.admitted)
            .map(|class| class.records)
            .sum()
    }

    /// Does the best valid specialization; whether there was one.
    fn specialize(&mut self) -> bool {
        let (suppressed, total) = (self.suppressed(), self.request.summary.total());
        let anonymity = self
            .classes
            .iter()
            .filter(|c| c.admitted)
            .map(|c| c.records)
            .min();
        let effects: Vec<Option<Effect>> = self
            .candidates()
            .into_par_iter()
            .map(|candidate| self.effect(candidate, suppressed, total, anonymity.unwrap_or(0)))
            .collect();
        let best =
            effects.into_iter().flatten().reduce(
                |best, next| {
                    if next.score > best.score { next } else { best }
                },
            );
        let Some(best) = best else { return false };
        let Candidate { d, level, node } = best.candidate;
        let nodes = &self.request.hierarchies[d].levels()[level as usize].nodes;
        for (published, &at) in self.level_of[d].iter_mut().zip(nodes) {
            if *published == level && at == node {
                *published -= 1;
            }
        }
        for (class, pieces) in best.replaced {
            let mut pieces = pieces.into_iter();
            if let Some(first) = pieces.next() {
                self.classes[class] = first;
            }
            self.classes.extend(pieces);
        }
        true
    }

    /// Nodes of the cuts that are not at their lowest level, in a fixed order.
    fn candidates(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (d, level_of) in self.level_of.iter().enumerate() {
            for (code, &level) in level_of.iter().enumerate() {
                if level > self.low[d] {
                    let node = self.request.hierarchies[d].node(level as usize, code as u32);
                    candidates.push(Candidate { d, level, node });
                }
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// What specializing a node would do; `None` when the release would not be valid.
    fn effect(
        &self,
        candidate: Candidate,
        suppressed: u64,
        total: u64,
        anonymity: u64,
    ) -> Option<Effect> {
        let Candidate { d, level, node } = candidate;
        let levels = self.request.hierarchies[d].levels();
        let (nodes, below) = (
            &levels[level as usize].nodes,
            &levels[level as usize - 1].nodes,
        );
        let codes = &self.request.summary.quasi[d];
        let (mut gone, mut gain) = (suppressed, 0.0);
        let mut smallest = u64::MAX;
        let mut replaced = Vec::new();
        for (index, class) in self.classes.iter().enumerate() {
            let code = codes[class.tuples[0] as usize] as usize;
            // All tuples of a class are published alike, so the first speaks for all.
            if self.level_of[d][code] != level || nodes[code] != node {
                continue;
            }
            let mut pieces: Vec<(u32, Vec<u32>)> = Vec::new();
            for &tuple in &class.tuples {
                let child = below[codes[tuple as usize] as usize];
                match pieces.iter_mut().find(|(known, _)| *known == child) {
                    Some((_, tuples)) => tuples.push(tuple),
                    None => pieces.push((child, vec![tuple])),
                }
            }
            let pieces: Vec<Class> = pieces
                .into_iter()
                .map(|(_, tuples)| judge(self.request, tuples))
                .collect();
            if !class.admitted {
                gone -= class.records;
            }
            for piece in &pieces {
                if piece.admitted {
                    smallest = smallest.min(piece.records);
                } else {
                    gone += piece.records;
                }
            }
            gain += self.gain(candidate, class, &pieces);
            replaced.push((index, pieces));
        }
        if gone > self.request.budget() || gone == total {
            return None;
        }
        let privacy = anonymity.saturating_sub(smallest) as f64;
        Some(Effect {
            candidate,
            score: gain / (privacy + 1.0),
            replaced,
        })
    }

    /// Information gained when a class falls into pieces.
    fn gain(&self, candidate: Candidate, class: &Class, pieces: &[Class]) -> f64 {
        if let Some(attribute) = self.class_attribute {
            let parts: f64 = pieces
                .iter()
                .map(|piece| self.disorder(attribute, piece))
                .sum();
            return self.disorder(attribute, class) - parts;
        }
        let Candidate { d, level, .. } = candidate;
        let codes = &self.request.summary.quasi[d];
        let cost = |class: &Class, level: u8| {
            // What is suppressed loses everything.
            let share = if class.admitted {
                self.covers.cost(d, level, codes[class.tuples[0] as usize])
            } else {
                1.0
            };
            share * class.records as f64
        };
        cost(class, level)
            - pieces
                .iter()
                .map(|piece| cost(piece, level - 1))
                .sum::<f64>()
    }

    /// Entropy of the class attribute in a class, times its records.
    fn disorder(&self, attribute: usize, class: &Class) -> f64 {
        let histograms = &self.request.summary.sensitive[attribute];
        let mut counts: Vec<u64> = Vec::new();
        for &tuple in &class.tuples {
            for &(value, count) in histograms.row(tuple as usize) {
                if counts.len() <= value as usize {
                    counts.resize(value as usize + 1, 0);
                }
                counts[value as usize] += count;
            }
        }
        let total = counts.iter().sum::<u64>() as f64;
        counts
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| -(count as f64) * (count as f64 / total).log2())
            .sum()
    }

    /// The admitted classes as a recoding, in the order of their first tuples.
    fn recoding(self) -> Recoding {
        let summary = self.request.summary;
        let mut classes: Vec<&Class> = self.classes.iter().filter(|class| class.admitted).collect();
        classes.sort_by_key(|class| class.tuples[0]);
        let mut class_of = vec![None; summary.tuples()];
        for (index, class) in classes.iter().enumerate() {
            for &tuple in &class.tuples {
                class_of[tuple as usize] = Some(index as u32);
            }
        }
        let mut labels = Vec::new();
        let mut published = Vec::new();
        for (d, hierarchy) in self.request.hierarchies.iter().enumerate() {
            // Labels of all levels, one after the other.
            let mut all = denym_data::Labels::default();
            let mut starts = Vec::new();
            for level in 0..hierarchy.height() {
                starts.push(all.texts.len() as u32);
                let own = hierarchy.labels(level);
                all.texts.extend(own.texts);
                all.shares.extend(own.shares);
            }
            published.push(
                classes
                    .iter()
                    .map(|class| {
                        let code = summary.quasi[d][class.tuples[0] as usize];
                        let level = self.level_of[d][code as usize] as usize;
                        starts[level] + hierarchy.node(level, code)
                    })
                    .collect(),
            );
            labels.push(all);
        }
        Recoding {
            unit: Unit::Tuple,
            class_of,
            labels,
            published,
            levels: None,
        }
    }
}

fn judge(request: &Request<'_>, tuples: Vec<u32>) -> Class {
    Class {
        records: tuples
            .iter()
            .map(|&t| request.summary.records[t as usize])
            .sum(),
        admitted: class_is_admitted(request, &tuples),
        tuples,
    }
}
