//! A defence against the minimality attack: generalize without looking at sensitive values, then distort groups that fail.
//!
//! # Idea
//!
//! An algorithm that generalizes only as far as the sensitive values make it necessary tells those values by how far it went. So the
//! table is first made k-anonymous, and the sensitive values play no part in that. A class whose sensitive values fail a
//! promise then gets others: the proportions of a class, drawn at random, that does not fail.
//!
//! # Guarantee
//!
//! Every published class meets every promise. What is published of the quasi-identifiers depends on the quasi-identifiers alone, so no
//! assignment of sensitive values can be ruled out by it. Some published sensitive values are not true; their number is
//! reported. The draw must be secret: whoever can repeat it can tell distorted classes from true ones.
//!
//! # Reference
//!
//! R. Wong, A. Fu, K. Wang, J. Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007, algorithm MASK. Survey section 5.4,
//! example 5.1.
//!
//! # Departures
//!
//! Any promises on size first and any promises on one sensitive attribute second, instead of k-anonymity and l-diversity. When no class
//! is safe, the proportions of the whole table are tried, then equal ones.
//!
//! # Cost
//!
//! That of the solver for the first step; the second is linear in the classes.

use std::collections::BTreeMap;

use denym_data::Code;
use denym_measure::{Group, Histogram, added};

use crate::recode::class_group;
use crate::{Context, Error, FullDomain, Nearest, Reach, Request, Solution, Solver};

/// First k-anonymity, then distortion.
pub struct MinimalityDefence {
    /// Makes classes by the promises on size.
    pub solver: Box<dyn Solver>,
    /// The sensitive attribute that may be distorted, by position.
    pub attribute: usize,
}

impl Default for MinimalityDefence {
    /// Optimal full-domain generalization; the first sensitive attribute.
    fn default() -> Self {
        MinimalityDefence {
            solver: Box::new(FullDomain::default()),
            attribute: 0,
        }
    }
}

/// A release in which some sensitive values were replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Distorted {
    /// What is published of the quasi-identifiers.
    pub solution: Solution,
    /// For each class, the sensitive values that are published, (value, records), ascending.
    pub sensitive: Vec<Vec<(Code, u64)>>,
    /// Records whose sensitive value was replaced.
    pub changed: u64,
}

impl Distorted {
    /// The sensitive value of each record as it is published, and how many are not its own. `tuples` has the tuple of each record, `codes`
    /// its value.
    ///
    /// Whoever can keep a value keeps it; the others get what is left of their class, drawn.
    pub fn assigned(
        &self,
        tuples: &[u32],
        mut codes: Vec<Code>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> (Vec<Code>, usize) {
        let mut left: Vec<BTreeMap<Code, u64>> = self
            .sensitive
            .iter()
            .map(|values| values.iter().copied().collect())
            .collect();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (row, &tuple) in tuples.iter().enumerate() {
            let Some(class) = self.solution.recoding.class_of[tuple as usize] else {
                continue;
            };
            match left[class as usize].get_mut(&codes[row]) {
                Some(count) if *count > 0 => *count -= 1,
                _ => open.push((class, row)),
            }
        }
        let mut spare: Vec<Vec<Code>> = left
            .into_iter()
            .map(|counts| {
                let each = counts.into_iter();
                each.flat_map(|(code, count)| std::iter::repeat_n(code, count as usize))
                    .collect()
            })
            .collect();
        let changed = open.len();
        for (class, row) in open {
            let values = &mut spare[class as usize];
            if !values.is_empty() {
                let at = draw(values.len() as u64) as usize;
                codes[row] = values.swap_remove(at);
            }
        }
        (codes, changed)
    }
}

impl MinimalityDefence {
    /// Solves for `size`, promises that look at no sensitive value, then distorts classes until all of the request's promises hold.
    ///
    /// `draw(n)` is a secret random number below `n`.
    pub fn run(
        &self,
        request: &Request<'_>,
        size: &[Box<dyn denym_measure::Promise>],
        context: &mut Context<'_>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<Distorted, Error> {
        request.check()?;
        let summary = request.summary;
        if summary.subjects.is_some() {
            return Err(Error::SubjectsNotHonoured);
        }
        let Some(rows) = summary.sensitive.get(self.attribute) else {
            return Err(Error::SensitiveMissing {
                attribute: self.attribute,
                found: summary.sensitive.len(),
            });
        };
        if let Some(terms) = size
            .iter()
            .map(|promise| promise.terms())
            .find(|terms| terms.attribute.is_some())
        {
            return Err(Error::PromiseNotHonoured { name: terms.name });
        }
        let blind = Request {
            promises: size,
            ..*request
        };
        let solution = self.solver.solve(&blind, context)?;
        if solution.recoding.unit != denym_data::Unit::Tuple {
            return Err(Error::Parameter {
                parameter: "solver",
                range: "one that keeps equal tuples together",
            });
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); solution.recoding.classes()];
        for (tuple, class) in solution.recoding.class_of.iter().enumerate() {
            if let Some(class) = class {
                members[*class as usize].push(tuple as u32);
            }
        }
        let histogram = |class: &[u32]| {
            added(
                class
                    .iter()
                    .flat_map(|&t| rows.row(t as usize))
                    .copied()
                    .collect(),
            )
        };
        let true_values: Vec<Vec<(Code, u64)>> = members.iter().map(|m| histogram(m)).collect();
        let safe: Vec<usize> = (0..members.len())
            .filter(|&c| self.admits(request, &members[c], &true_values[c]))
            .collect();
        let everything = added(true_values.concat());
        let even: Vec<(Code, u64)> = everything.iter().map(|&(value, _)| (value, 1)).collect();
        let mut release = Distorted {
            sensitive: true_values.clone(),
            solution,
            changed: 0,
        };
        for (class, members) in members.iter().enumerate() {
            if safe.binary_search(&class).is_ok() {
                continue;
            }
            let own = &true_values[class];
            let records = own.iter().map(|&(_, count)| count).sum();
            let drawn = (!safe.is_empty())
                .then(|| &true_values[safe[draw(safe.len() as u64) as usize % safe.len()]]);
            let models = drawn.into_iter().chain([&everything, &even]);
            let found = models
                .map(|model| scaled(model, records))
                .find(|values| self.admits(request, members, values));
            let Some(values) = found else {
                return Err(self.infeasible(request, &everything));
            };
            let kept: u64 = own
                .iter()
                .map(|&(value, count)| count.min(Histogram::new(&values).count(value)))
                .sum();
            release.changed += records - kept;
            release.sensitive[class] = values;
        }
        Ok(release)
    }

    /// Whether the class keeps every promise with these sensitive values.
    fn admits(&self, request: &Request<'_>, members: &[u32], values: &[(Code, u64)]) -> bool {
        class_group(request, members, |group| {
            let mut sensitive = group.sensitive.to_vec();
            sensitive[self.attribute] = Histogram::new(values);
            let group = Group::new(group.records, group.subjects, &sensitive);
            request
                .promises
                .iter()
                .all(|promise| promise.admits(&group))
        })
    }

    /// How far the promises hold on the whole table's proportions.
    fn infeasible(&self, request: &Request<'_>, everything: &[(Code, u64)]) -> Error {
        let all: Vec<u32> = (0..request.summary.tuples() as u32).collect();
        let reach = class_group(request, &all, |group| {
            let mut sensitive = group.sensitive.to_vec();
            sensitive[self.attribute] = Histogram::new(everything);
            let group = Group::new(group.records, group.subjects, &sensitive);
            let promises = request.promises.iter();
            promises
                .map(|promise| Reach {
                    name: promise.terms().name,
                    asked: promise.terms().bound,
                    reachable: Some(promise.value(&group)),
                })
                .collect()
        });
        Error::infeasible(Nearest {
            reach,
            suppression: None,
        })
    }
}

/// The proportions of a histogram for a given number of records: whole parts, then the largest remainders.
fn scaled(model: &[(Code, u64)], records: u64) -> Vec<(Code, u64)> {
    let total: u64 = model.iter().map(|&(_, count)| count).sum();
    let whole = |count: u64| u128::from(count) * u128::from(records);
    let mut values: Vec<(Code, u64)> = model
        .iter()
        .map(|&(value, count)| (value, (whole(count) / u128::from(total)) as u64))
        .collect();
    let given: u64 = values.iter().map(|&(_, count)| count).sum();
    let mut order: Vec<usize> = (0..model.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(whole(model[i].1) % u128::from(total)), i));
    for &index in order.iter().cycle().take((records - given) as usize) {
        values[index].1 += 1;
    }
    values.retain(|&(_, count)| count > 0);
    values
}
