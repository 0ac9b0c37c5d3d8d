//! Greedy personalized privacy: quasi-identifiers are specialized from the top, and sensitive values generalized where a guard needs it.
//!
//! # Idea
//!
//! Everybody names a node of the sensitive taxonomy that must not be inferred about them. All quasi-identifiers start at the top. In
//! each class the sensitive values are generalized just as far as the guards of its members ask. A step specializes one node of a
//! quasi-identifier; it is taken when values and sensitive values together then lose least, and the search ends when
//! no step loses less.
//!
//! # Guarantee
//!
//! In every class, for every guarding node of its members, the chance that a member's value lies under the node is at most the bound,
//! where a published node stands evenly for the values of the data under it. Other promises of the request hold for every class; those named
//! `personalized-privacy` are left to the generalization of sensitive values. Nothing is suppressed. Not optimal.
//!
//! # Reference
//!
//! X. Xiao, Y. Tao, "Personalized privacy preservation", SIGMOD 2006. Survey sections 2.2 and 5.2, formula (3).
//!
//! # Departures
//!
//! Equal sensitive values of a class are generalized alike: a summary does not say which of them has which guard, and a value
//! published twice in two ways would tell. Hence a guard protects every member of its class.
//!
//! # Cost
//!
//! O(steps x q x tuples) and the sensitive values of every class at every step; candidates are tried on all cores.

use denym_data::{Code, Column, Fraction, Hierarchy};
use denym_measure::added;
use rayon::prelude::*;

use crate::cut::{Tree, group, recoding, trees};
use crate::figures;
use crate::recode::class_group;
use crate::{Context, Error, Nearest, Progress, Reach, Request, Solution};

/// Options of the search.
#[derive(Debug, Clone)]
pub struct GreedyPersonalized {
    /// The sensitive attribute, by position.
    pub attribute: usize,
    /// The attribute that holds the guarding nodes, by position.
    pub guards: usize,
    /// For each code of the guards, (level, node) of the taxonomy; `None` guards nothing.
    pub guarded: Vec<Option<(usize, u32)>>,
    /// The taxonomy of the sensitive attribute.
    pub taxonomy: Hierarchy,
    /// Largest chance of a guarded value.
    pub bound: Fraction,
}

/// A release with generalized sensitive values.
#[derive(Debug, Clone, PartialEq)]
pub struct Personalized {
    /// What is published of the quasi-identifiers.
    pub solution: Solution,
    /// For each class, the level of the taxonomy at which each of its sensitive values is published, ascending.
    pub levels: Vec<Vec<(Code, usize)>>,
    /// Loss of all records over quasi-identifiers and the sensitive attribute.
    pub loss: f64,
}

impl Personalized {
    /// The sensitive column as it is published; `tuples` has the tuple of each record.
    pub fn shown(&self, column: &Column, taxonomy: &Hierarchy, tuples: &[u32]) -> Column {
        let texts = tuples.iter().zip(&column.codes).map(|(&tuple, &value)| {
            let class = self.solution.recoding.class_of[tuple as usize]?;
            let levels = &self.levels[class as usize];
            let at = levels.binary_search_by_key(&value, |&(code, _)| code);
            let level = &taxonomy.levels()[at.map_or(0, |at| levels[at].1)];
            level.labels[level.nodes[value as usize] as usize].as_deref()
        });
        Column::from_texts(&column.name, texts)
    }
}

impl GreedyPersonalized {
    /// Searches for a release.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<Personalized, Error> {
        request.check()?;
        let summary = request.summary;
        for attribute in [self.attribute, self.guards] {
            if attribute >= summary.sensitive.len() {
                return Err(Error::SensitiveMissing {
                    attribute,
                    found: summary.sensitive.len(),
                });
            }
        }
        if summary.subjects.is_some() {
            return Err(Error::SubjectsNotHonoured);
        }
        let trees = trees(request);
        let mut at: Vec<Vec<u32>> = trees.iter().map(Tree::coarsest).collect();
        let Some(mut loss) = self.loss(request, &trees, &at) else {
            return Err(Error::infeasible(Nearest {
                reach: vec![Reach {
                    name: "personalized-privacy",
                    asked: self.bound.to_f64(),
                    reachable: None,
                }],
                suppression: None,
            }));
        };
        let mut steps = 0;
        while (context.keep_going)() {
            let open: Vec<(usize, u32)> = (0..trees.len())
                .flat_map(|d| {
                    let mut nodes = at[d].clone();
                    nodes.sort_unstable();
                    nodes.dedup();
                    let branches = &trees[d].branches;
                    nodes.retain(|&node| !branches[node as usize].children.is_empty());
                    nodes.into_iter().map(move |node| (d, node))
                })
                .collect();
            let best = open
                .par_iter()
                .enumerate()
                .filter_map(|(index, &(d, node))| {
                    let mut at = at.clone();
                    specialize(&trees[d], &mut at[d], node);
                    Some((self.loss(request, &trees, &at)?, index))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((least, index)) = best.filter(|&(least, _)| least < loss) else {
                break;
            };
            loss = least;
            let (d, node) = open[index];
            specialize(&trees[d], &mut at[d], node);
            steps += 1;
            (context.progress)(Progress {
                done: steps,
                total: steps,
                best: Some(loss),
                bound: None,
            });
        }
        let found = classes(request, &at);
        let levels = found
            .iter()
            .map(|class| self.generalize(request, class).unwrap_or_default())
            .collect();
        let recoding = recoding(request, &trees, &at, found.iter().map(Vec::as_slice));
        Ok(Personalized {
            solution: figures::solution(request, recoding),
            levels,
            loss,
        })
    }

    /// The loss of a cut; `None` when a promise fails or a guard cannot be kept.
    fn loss(&self, request: &Request<'_>, trees: &[Tree], at: &[Vec<u32>]) -> Option<f64> {
        let mut total = 0.0;
        for class in classes(request, at) {
            let others = class_group(request, &class, |group| {
                let promises = request.promises.iter();
                let mut others = promises.filter(|p| p.terms().name != "personalized-privacy");
                others.all(|promise| promise.admits(group))
            });
            if !others {
                return None;
            }
            let first = class[0] as usize;
            let records: u64 = class
                .iter()
                .map(|&t| request.summary.records[t as usize])
                .sum();
            let each: f64 = (0..trees.len())
                .map(|d| trees[d].cost(at[d][request.summary.quasi[d][first] as usize]))
                .sum();
            total += each * records as f64;
            let values = histogram(request, &class, self.attribute);
            for ((value, level), (_, count)) in self.generalize(request, &class)?.iter().zip(values)
            {
                total += self.cost(*value, *level) * count as f64;
            }
        }
        Some(total)
    }

    fn leaves(&self, level: usize, node: u32) -> f64 {
        self.taxonomy.levels()[level].leaves[node as usize] as f64
    }

    /// Values of the data under a node: a published node stands for these alike, not for values that nobody has.
    fn seen(&self, level: usize, node: u32) -> f64 {
        let nodes = &self.taxonomy.levels()[level].nodes;
        nodes.iter().filter(|&&other| other == node).count() as f64
    }

    /// What publishing a sensitive value at a level loses, 0 to 1.
    fn cost(&self, value: Code, level: usize) -> f64 {
        let leaves = self.leaves(level, self.taxonomy.node(level, value));
        (leaves - 1.0) / (self.taxonomy.leaves() as f64 - 1.0).max(1.0)
    }

    /// The chance that a value published at a level lies under a guarded node.
    fn chance(&self, value: Code, level: usize, (high, guard): (usize, u32)) -> f64 {
        if level <= high {
            return f64::from(u8::from(self.taxonomy.node(high, value) == guard));
        }
        let published = self.taxonomy.node(level, value);
        let under = self.taxonomy.levels()[high]
            .nodes
            .iter()
            .position(|&node| node == guard)
            .is_some_and(|code| self.taxonomy.node(level, code as Code) == published);
        if under {
            self.seen(high, guard) / self.seen(level, published)
        } else {
            0.0
        }
    }

    /// The levels of a class's sensitive values, raised until every guard is kept; `None` when even the top does not do.
    fn generalize(&self, request: &Request<'_>, class: &[u32]) -> Option<Vec<(Code, usize)>> {
        let values = histogram(request, class, self.attribute);
        let mut guards: Vec<(usize, u32)> = histogram(request, class, self.guards)
            .iter()
            .filter_map(|&(guard, _)| self.guarded.get(guard as usize).copied().flatten())
            .collect();
        guards.sort_unstable();
        guards.dedup();
        let total: u64 = values.iter().map(|&(_, count)| count).sum();
        let mut levels: Vec<(Code, usize)> = values.iter().map(|&(value, _)| (value, 0)).collect();
        let exposed = |levels: &[(Code, usize)], guard: (usize, u32)| -> f64 {
            levels
                .iter()
                .zip(&values)
                .map(|(&(value, level), &(_, count))| {
                    self.chance(value, level, guard) * count as f64
                })
                .sum::<f64>()
                / total as f64
        };
        let top = self.taxonomy.height() - 1;
        loop {
            let worst = guards
                .iter()
                .map(|&guard| (exposed(&levels, guard), guard))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let (share, guard) = match worst {
                Some((share, guard)) if share > self.bound.to_f64() + 1e-12 => (share, guard),
                _ => return Some(levels),
            };
            // Raise the value that loses least for what it takes off the guard; one that takes nothing off comes last.
            let mut best: Option<(f64, usize)> = None;
            for index in 0..levels.len() {
                let (value, level) = levels[index];
                if level == top || self.chance(value, level, guard) == 0.0 {
                    continue;
                }
                let mut raised = levels.clone();
                raised[index].1 += 1;
                let taken = (share - exposed(&raised, guard)).max(1e-9);
                let lost = (self.cost(value, level + 1) - self.cost(value, level))
                    * values[index].1 as f64;
                if best.is_none_or(|(least, _)| lost / taken < least) {
                    best = Some((lost / taken, index));
                }
            }
            levels[best?.1].1 += 1;
        }
    }
}

/// The classes of a cut.
fn classes(request: &Request<'_>, at: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let all: Vec<usize> = (0..at.len()).collect();
    group(request, &all, at)
}

/// The values of a sensitive attribute in a class.
fn histogram(request: &Request<'_>, class: &[u32], attribute: usize) -> Vec<(Code, u64)> {
    let rows = &request.summary.sensitive[attribute];
    added(
        class
            .iter()
            .flat_map(|&t| rows.row(t as usize))
            .copied()
            .collect(),
    )
}

/// Replaces a node by its children.
fn specialize(tree: &Tree, at: &mut [u32], node: u32) {
    for &child in &tree.branches[node as usize].children {
        for &code in &tree.branches[child as usize].codes {
            at[code as usize] = child;
        }
    }
}
