//! When nothing keeps the promises: how close one can get.

use std::fmt;

use denym_measure::Sense;
use denym_measure::catalogue::promise_entry;

use crate::lattice::Lattice;
use crate::partition::{Judge, Rows};
use crate::request::Request;
use crate::tally::Nodes;
use crate::{Context, Error};

/// Lattices of up to this many nodes are searched completely for the nearest feasible point; of larger ones only the
/// coarsest node is looked at, and what it shows is reachable but perhaps not the best.
const COMPLETE: u128 = 20_000;

/// The nearest points at which a request becomes feasible.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// For each promise, the strictest bound that can be kept while everything else stays as asked.
    pub reach: Vec<Reach>,
    /// The fewest records to suppress, with their number in all, so that every promise holds as asked; `None` when
    /// nothing would be left to publish.
    pub suppression: Option<(u64, u64)>,
}

/// How far one promise can be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// The promise's name.
    pub name: &'static str,
    /// The bound asked.
    pub asked: f64,
    /// The strictest bound that can be kept; `None` when there is none.
    pub reachable: Option<f64>,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for reach in &self.reach {
            if let Some(reachable) = reach.reachable {
                let between = if first { "" } else { ", or " };
                let reachable = kept(reach.name, reachable);
                write!(f, "{between}{} {reachable} is reachable", reach.name)?;
                first = false;
            }
        }
        match self.suppression {
            Some((records, total)) => {
                let percent = 100.0 * records as f64 / total.max(1) as f64;
                let between = if first { "" } else { ", or " };
                write!(f, "{between}what was asked with {percent:.2} % suppressed")
            }
            None if first => write!(f, "nothing could be published"),
            None => Ok(()),
        }
    }
}

impl Nearest {
    /// What to change.
    pub(crate) fn help(&self) -> String {
        let mut ways = Vec::new();
        for reach in &self.reach {
            if let Some(reachable) = reach.reachable {
                ways.push(format!("ask `{}`", as_in_policy(reach.name, reachable)));
            }
        }
        if let Some((records, total)) = self.suppression {
            // Rounded up, so that the advice suffices.
            let share = (records as f64 / total.max(1) as f64 * 1e6).ceil() / 1e6;
            ways.push(format!("set suppress-at-most = {share}"));
        }
        if ways.is_empty() {
            "give more records or drop a promise".into()
        } else {
            ways.join(", or ")
        }
    }
}

/// A bound with at most three decimals, rounded to the side that can be kept.
fn kept(name: &str, reachable: f64) -> f64 {
    let thousandths = reachable * 1000.0;
    match promise_entry(name).map(|entry| entry.sense) {
        Some(Sense::AtMost) => thousandths.ceil() / 1000.0,
        _ => thousandths.floor() / 1000.0,
    }
}

/// What a policy writes to ask for this much.
fn as_in_policy(name: &str, reachable: f64) -> String {
    let bound = kept(name, reachable);
    let entry = promise_entry(name);
    match entry.and_then(|entry| Some((entry.in_policy?, entry))) {
        Some(((key, example), entry)) if example.contains("...") => {
            let example = example.replace("...", &format!("{} = {bound}", entry.bound));
            format!("{key} = {example}")
        }
        Some(((key, _), _)) => format!("{key} = {bound}"),
        None => format!("{name} = {bound}"),
    }
}

/// The refusal of an infeasible request, with the nearest feasible points of its lattice.
pub(crate) fn refused(
    request: &Request<'_>,
    lattice: &Lattice,
    nodes: &mut dyn Nodes,
    context: &Context<'_>,
) -> Error {
    Error::infeasible(nearest(request, lattice, nodes, context.keep_going))
}

/// Searches the lattice for the nearest feasible points of an infeasible request.
pub(crate) fn nearest(
    request: &Request<'_>,
    lattice: &Lattice,
    nodes: &mut dyn Nodes,
    keep_going: &dyn Fn() -> bool,
) -> Nearest {
    let all_last = request
        .promises
        .iter()
        .all(|promise| request.is_monotone_with_suppression(promise.as_ref()));
    // When every promise only gains by generalizing, the coarsest node reaches furthest.
    let together = request
        .setting
        .is_some_and(|setting| setting.together.is_some());
    let count = if all_last && !together || lattice.nodes() > COMPLETE {
        1
    } else {
        lattice.nodes() as u64
    };
    let (budget, total, lost) = (request.budget(), request.summary.total(), request.lost());
    let mut best: Vec<Option<f64>> = vec![None; request.promises.len()];
    let mut fewest: Option<u64> = None;
    let mut levels = Vec::new();
    if request.apart().is_some() {
        // What stands or falls together cannot be ranked class by class.
        for index in (0..count).rev() {
            if !keep_going() {
                break;
            }
            if count == 1 {
                levels.clone_from(&lattice.high);
            } else {
                lattice.levels(index, &mut levels);
            }
            let suppressed = nodes.tally(&levels).counted.suppressed;
            if suppressed < total {
                fewest = Some(fewest.map_or(suppressed, |least| least.min(suppressed)));
            }
        }
        return Nearest {
            reach: Vec::new(),
            suppression: fewest.map(|records| (records + lost, total + lost)),
        };
    }
    for index in (0..count).rev() {
        if !keep_going() {
            break;
        }
        if count == 1 {
            levels.clone_from(&lattice.high);
        } else {
            lattice.levels(index, &mut levels);
        }
        let classes = ClassValues::of(request, &levels, nodes);
        let suppressed = classes.suppressed();
        if suppressed < total {
            fewest = Some(fewest.map_or(suppressed, |least| least.min(suppressed)));
        }
        for (p, best) in best.iter_mut().enumerate() {
            let sense = request.promises[p].terms().sense;
            if let Some(value) = classes.strictest(p, sense, budget) {
                *best = Some(match (*best, sense) {
                    (None, _) => value,
                    (Some(old), Sense::AtLeast) => old.max(value),
                    (Some(old), Sense::AtMost) => old.min(value),
                });
            }
        }
    }
    Nearest {
        reach: request
            .promises
            .iter()
            .zip(best)
            .map(|(promise, reachable)| Reach {
                name: promise.terms().name,
                asked: promise.terms().bound,
                reachable,
            })
            .collect(),
        suppression: fewest.map(|records| (records + lost, total + lost)),
    }
}

/// How far the promises hold when the whole table is one class: the best that solvers without suppression can do.
pub(crate) fn whole_table(request: &Request<'_>, judge: &Judge<'_>, rows: &Rows) -> Nearest {
    let values: Vec<(bool, f64)> = judge.group(&rows.cells, |group| {
        let promises = request.promises.iter();
        promises
            .map(|promise| (promise.admits(group), promise.value(group)))
            .collect()
    });
    Nearest {
        reach: request
            .promises
            .iter()
            .enumerate()
            .map(|(p, promise)| {
                let others = values.iter().enumerate().all(|(i, v)| i == p || v.0);
                Reach {
                    name: promise.terms().name,
                    asked: promise.terms().bound,
                    reachable: others.then_some(values[p].1),
                }
            })
            .collect(),
        suppression: None,
    }
}

/// The classes of one node: size, and for each promise whether it holds and its value.
struct ClassValues {
    records: Vec<u64>,
    verdicts: Vec<Vec<(bool, f64)>>,
}

impl ClassValues {
    fn of(request: &Request<'_>, levels: &[u8], nodes: &mut dyn Nodes) -> ClassValues {
        let mut classes = ClassValues {
            records: Vec::new(),
            verdicts: Vec::new(),
        };
        nodes.visit(levels, &mut |group| {
            classes.records.push(group.records);
            let judge = request.promises.iter();
            classes.verdicts.push(
                judge
                    .map(|promise| (promise.admits(group), promise.value(group)))
                    .collect(),
            );
        });
        classes
    }

    fn suppressed(&self) -> u64 {
        self.records
            .iter()
            .zip(&self.verdicts)
            .filter(|(_, verdicts)| verdicts.iter().any(|verdict| !verdict.0))
            .map(|(&records, _)| records)
            .sum()
    }

    /// The strictest bound of promise `p` when the others stay: the worst classes are suppressed as far as allowed.
    fn strictest(&self, p: usize, sense: Sense, budget: u64) -> Option<f64> {
        let mut spent = 0;
        let mut left: Vec<(f64, u64)> = Vec::new();
        for (&records, verdicts) in self.records.iter().zip(&self.verdicts) {
            let others = verdicts.iter().enumerate().all(|(i, v)| i == p || v.0);
            if others {
                left.push((verdicts[p].1, records));
            } else {
                spent += records;
            }
        }
        left.sort_by(|a, b| match sense {
            Sense::AtLeast => a.0.total_cmp(&b.0),
            Sense::AtMost => b.0.total_cmp(&a.0),
        });
        let mut worst = None;
        for (value, records) in left {
            if spent > budget {
                return None;
            }
            // Kept from here on unless the budget pays for this class as well.
            worst = Some(value);
            if spent + records > budget {
                break;
            }
            spent += records;
        }
        if spent > budget { None } else { worst }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reachable_is_said_as_a_policy_writes_it() {
        let says = |name, reachable, expected: &str| {
            assert_eq!(as_in_policy(name, reachable), expected);
        };
        says("k-anonymity", 844.0, "k-anonymity = 844");
        says(
            "entropy-l-diversity",
            23.764_006_592_703_524,
            "l-diversity = { kind = \"entropy\", l = 23.764 }",
        );
        // Less is asked of what must be large, more of what must be small.
        says("confidence", 0.333_33, "confidence = { at-most = 0.334 }");
        let near = Nearest {
            reach: vec![Reach {
                name: "entropy-l-diversity",
                asked: 30.0,
                reachable: Some(23.764_006_592_703_524),
            }],
            suppression: None,
        };
        assert_eq!(near.to_string(), "entropy-l-diversity 23.764 is reachable");
    }
}
