//! Anatomy: publishes quasi-identifiers and sensitive values unchanged, but in two tables that meet in a group only.
//!
//! # Idea
//!
//! Records are dealt into groups in which no two share a sensitive value. One table lists the quasi-identifiers of every
//! record with its group, the other the sensitive values of every group with their counts. Whoever finds a person in the
//! first table learns only that the value is one of the group's.
//!
//! ```text
//! age sex group        group disease count
//! 36  F   2             2    Flu     2
//! 38  F   2             2    Heart   2
//! ```
//!
//! # Guarantee
//!
//! In every group each sensitive value belongs to at most one in l of its records, and that is also what somebody
//! believes who knows this program and the quasi-identifiers of everybody, as long as they cannot repeat the draws. Presence and identity are not
//! protected at all: the quasi-identifiers are published as they are.
//!
//! *Why.* Two things are decided apart. Which values make up each group (the design) follows from how often each value occurs, and from
//! nothing else. Who fills the places is drawn: the records of a value take its places in an order in which every order is equally
//! likely. So a source with counts n(v) gives the published groups with the probability
//!
//! ```text
//! P(design | counts) x product over values v of  1 / (ways to share the n(v) records of v among the groups)
//! ```
//!
//! Both factors depend on the counts and on the design alone. Every source that could be behind the release has the same counts (the second
//! table adds up to them) and the same design (the second table is the design), so all of them are equally likely, and who of a group has
//! which of its values is as open as if values had been drawn from a hat. The same holds for group numbers: they are drawn once everything
//! else is settled. Whether a table can be dealt at all depends on the counts alone, so refusing tells nothing else.
//!
//! # Reference
//!
//! X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006, figure 3. Survey section 3.2.
//!
//! # Departures
//!
//! The paper draws a record of a bucket at random, as we do; which of two equally full buckets comes first, and which group takes a
//! residue, is fixed by the counts, which the proof above needs and the paper leaves open. Where other promises need more different
//! values in a group than l, the least number that keeps them is taken; that, too, follows from the counts alone. Groups get numbers at random. Table III(c) of the survey
//! lacks one male record; the test has it.
//!
//! # Cost
//!
//! O(n log s) for n records and s sensitive values, with one heap of the values by records left.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use denym_data::{Code, Ragged, Recoding, Summary, Unit};
use denym_measure::{Group, Histogram, Promise, added};

use crate::{Error, Nearest, Reach};

/// Dealing records into groups of distinct sensitive values.
#[derive(Debug, Clone, Copy)]
pub struct Anatomy {
    /// At most one in `l` records of a group shares a sensitive value.
    pub l: u64,
    /// The sensitive attribute, by position.
    pub attribute: usize,
}

/// Two tables that meet in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anatomized {
    /// Quasi-identifier table: for each tuple of the summary, (group, records) in ascending order of group.
    pub tuples: Ragged<(u32, u64)>,
    /// Sensitive table: for each group, (value, records) in ascending order of value.
    pub groups: Ragged<(Code, u64)>,
    /// For each tuple of the summary, (value, group) of each of its records, ascending. It is never published.
    pub placed: Ragged<(Code, u32)>,
}

impl Anatomy {
    /// Deals the records of a table into groups; `draw(n)` is a secret random number below `n`.
    pub fn solve(
        &self,
        summary: &Summary,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<Anatomized, Error> {
        self.solve_for(summary, &[], draw)
    }

    /// As [`Anatomy::solve`], with groups of as many different values as it takes, `l` or more, to keep promises on the attribute.
    pub fn solve_for(
        &self,
        summary: &Summary,
        promises: &[Box<dyn Promise>],
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<Anatomized, Error> {
        let Some(histograms) = summary.sensitive.get(self.attribute) else {
            return Err(Error::SensitiveMissing {
                attribute: self.attribute,
                found: summary.sensitive.len(),
            });
        };
        if summary.subjects.is_some() {
            // A person with several records could be in several groups, and be given away by what they share.
            return Err(Error::PromiseNotHonoured {
                name: "l-diversity",
            });
        }
        if summary.total() == 0 {
            return Err(Error::NoRecords);
        }
        // Step 1: a bucket of tuples for every value, a tuple as often as it has records with that value.
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        for tuple in 0..summary.tuples() {
            for &(value, count) in histograms.row(tuple) {
                if buckets.len() <= value as usize {
                    buckets.resize(value as usize + 1, Vec::new());
                }
                buckets[value as usize].extend(std::iter::repeat_n(tuple as u32, count as usize));
            }
        }
        let counts: Vec<u64> = buckets.iter().map(|bucket| bucket.len() as u64).collect();
        let design = self.design_for(&counts, promises)?;
        // Who takes a place of a value is a matter of chance alone, and so is the number of a group.
        for bucket in &mut buckets {
            shuffle(bucket, draw);
        }
        let mut groups: Vec<Vec<(Code, u32)>> = design
            .into_iter()
            .map(|values| {
                let places = values.into_iter();
                places
                    .filter_map(|value| Some((value, buckets[value as usize].pop()?)))
                    .collect()
            })
            .collect();
        shuffle(&mut groups, draw);
        Ok(assemble(summary.tuples(), &groups))
    }
}

impl Anatomy {
    /// The values of each group that keep every promise, with the fewest different values in a group.
    fn design_for(
        &self,
        counts: &[u64],
        promises: &[Box<dyn Promise>],
    ) -> Result<Vec<Vec<Code>>, Error> {
        let least = self.l.max(1);
        let kinds = counts.iter().filter(|&&count| count > 0).count() as u64;
        let mut refused = None;
        for l in (least..=kinds.max(least)).take(MOST_DESIGNS) {
            let groups = match check_eligible(counts, l) {
                Ok(()) => design(counts, l as usize),
                Err(error) => Err(error),
            };
            let failing = match &groups {
                Ok(groups) => self.failing(groups, promises),
                Err(_) => None,
            };
            match (groups, failing) {
                (Ok(groups), None) => return Ok(groups),
                (Ok(_), Some(failing)) => {
                    refused.get_or_insert(Error::infeasible(Nearest {
                        reach: vec![failing],
                        suppression: None,
                    }));
                }
                (Err(error), _) => return Err(refused.unwrap_or(error)),
            }
        }
        Err(refused.unwrap_or_else(|| refusal(self.l, None)))
    }

    /// The first promise that a group does not keep.
    fn failing(&self, groups: &[Vec<Code>], promises: &[Box<dyn Promise>]) -> Option<Reach> {
        groups.iter().find_map(|group| {
            let counts = added(group.iter().map(|&value| (value, 1)).collect());
            let mut histograms = vec![Histogram::new(&[]); self.attribute];
            histograms.push(Histogram::new(&counts));
            let records = group.len() as u64;
            let group = Group::new(records, records, &histograms);
            let broken = promises.iter().find(|promise| !promise.admits(&group))?;
            let terms = broken.terms();
            Some(Reach {
                name: terms.name,
                asked: terms.bound,
                reachable: None,
            })
        })
    }
}

/// The most designs that are tried: one for each number of different values in a group.
const MOST_DESIGNS: usize = 64;

/// The most frequent value must not have more than one in l of all records.
fn check_eligible(counts: &[u64], l: u64) -> Result<(), Error> {
    let total: u64 = counts.iter().sum();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most.saturating_mul(l) <= total {
        return Ok(());
    }
    Err(refusal(l, Some((total / most.max(1)) as f64)))
}

fn refusal(l: u64, reachable: Option<f64>) -> Error {
    Error::infeasible(Nearest {
        reach: vec![Reach {
            name: "l-diversity",
            asked: l as f64,
            reachable,
        }],
        suppression: None,
    })
}

/// The values of each group, from how often each value occurs and nothing else.
fn design(counts: &[u64], l: usize) -> Result<Vec<Vec<Code>>, Error> {
    let mut fullest: BinaryHeap<(u64, Reverse<Code>)> = counts
        .iter()
        .zip(0..)
        .filter(|&(&count, _)| count > 0)
        .map(|(&count, value)| (count, Reverse(value)))
        .collect();
    let mut groups: Vec<Vec<Code>> = Vec::new();
    // Step 2: one record of each of the l fullest buckets makes a group.
    while fullest.len() >= l {
        let drawn: Vec<(u64, Reverse<Code>)> = (0..l).filter_map(|_| fullest.pop()).collect();
        groups.push(drawn.iter().map(|&(_, Reverse(value))| value).collect());
        let left = drawn.into_iter().map(|(left, value)| (left - 1, value));
        fullest.extend(left.filter(|&(left, _)| left > 0));
    }
    // Step 3: what is left joins a group that does not have its value yet. Eligibility leaves one per value, and such a group.
    let mut residues: Vec<(u64, Reverse<Code>)> = fullest.into_vec();
    residues.sort_unstable_by_key(|&(_, Reverse(value))| value);
    for (left, Reverse(value)) in residues {
        for _ in 0..left {
            let Some(host) = groups.iter_mut().find(|group| !group.contains(&value)) else {
                // The paper proves that there is one; nobody is left out in silence if there were not.
                return Err(refusal(l as u64, None));
            };
            host.push(value);
        }
    }
    Ok(groups)
}

/// Every order equally likely (Fisher and Yates).
pub(crate) fn shuffle<T>(items: &mut [T], draw: &mut dyn FnMut(u64) -> u64) {
    for last in (1..items.len()).rev() {
        let chosen = draw(last as u64 + 1) as usize % (last + 1);
        items.swap(last, chosen);
    }
}

fn assemble(tuples: usize, groups: &[Vec<(Code, u32)>]) -> Anatomized {
    let mut of_tuple: Vec<Vec<(u32, u64)>> = vec![Vec::new(); tuples];
    let mut placed: Vec<Vec<(Code, u32)>> = vec![Vec::new(); tuples];
    let mut values = Ragged::new();
    for (id, group) in groups.iter().enumerate() {
        let mut counts: std::collections::BTreeMap<Code, u64> = std::collections::BTreeMap::new();
        for &(value, tuple) in group {
            *counts.entry(value).or_default() += 1;
            placed[tuple as usize].push((value, id as u32));
            let rows = &mut of_tuple[tuple as usize];
            match rows.last_mut() {
                Some(last) if last.0 == id as u32 => last.1 += 1,
                _ => rows.push((id as u32, 1)),
            }
        }
        for entry in counts {
            values.push(entry);
        }
        values.close();
    }
    for records in &mut placed {
        records.sort_unstable();
    }
    Anatomized {
        tuples: of_tuple.into_iter().collect(),
        groups: values,
        placed: placed.into_iter().collect(),
    }
}

impl Anatomized {
    /// The two tables for the classes that some recoding of tuples found; `None` when it assigns records.
    pub fn of(summary: &Summary, recoding: &Recoding, attribute: usize) -> Option<Anatomized> {
        if recoding.unit != Unit::Tuple {
            return None;
        }
        let histograms = summary.sensitive.get(attribute)?;
        let mut groups: Vec<Vec<(Code, u32)>> = vec![Vec::new(); recoding.classes()];
        for (tuple, class) in recoding.class_of.iter().enumerate() {
            if let Some(class) = class {
                for &(value, count) in histograms.row(tuple) {
                    let records = std::iter::repeat_n((value, tuple as u32), count as usize);
                    groups[*class as usize].extend(records);
                }
            }
        }
        Some(assemble(summary.tuples(), &groups))
    }

    /// The expected number of records whose tuple and sensitive value are asked for, as a recipient would estimate it.
    pub fn estimate(&self, tuple: impl Fn(usize) -> bool, value: impl Fn(Code) -> bool) -> f64 {
        let mut rows = vec![0_u64; self.groups.len()];
        for index in (0..self.tuples.len()).filter(|&index| tuple(index)) {
            for &(group, records) in self.tuples.row(index) {
                rows[group as usize] += records;
            }
        }
        rows.iter()
            .enumerate()
            .map(|(group, &rows)| {
                let counts = self.groups.row(group);
                let all: u64 = counts.iter().map(|&(_, count)| count).sum();
                let asked: u64 = counts
                    .iter()
                    .filter(|&&(v, _)| value(v))
                    .map(|&(_, c)| c)
                    .sum();
                rows as f64 * asked as f64 / all.max(1) as f64
            })
            .sum()
    }
}

/// The group of each record: those of one tuple and value take its places in an order in which every order is equally likely.
///
/// Other published columns may tell such records apart, and the order of the source must not decide between them.
pub fn seated(
    placed: &Ragged<(Code, u32)>,
    tuples: &[u32],
    values: &[Code],
    draw: &mut dyn FnMut(u64) -> u64,
) -> Vec<u32> {
    let mut free: HashMap<(u32, Code), Vec<u32>> = HashMap::new();
    for tuple in 0..placed.len() {
        for &(value, group) in placed.row(tuple) {
            free.entry((tuple as u32, value)).or_default().push(group);
        }
    }
    let records = tuples.iter().zip(values);
    records
        .map(|(&tuple, &value)| {
            let groups = free.entry((tuple, value)).or_default();
            let chosen = draw(groups.len().max(1) as u64) as usize;
            if chosen < groups.len() {
                groups.swap_remove(chosen)
            } else {
                0
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use denym_data::Ragged;

    use super::seated;

    /// Two records of one tuple and value that another column tells apart must not take their groups in the order of the source.
    #[test]
    fn records_that_look_alike_are_seated_by_chance() {
        let placed: Ragged<(u32, u32)> = [vec![(0, 4), (0, 9)]].into_iter().collect();
        let orders: Vec<Vec<u32>> = (0..2)
            .map(|first| {
                let mut draws = [first, 0].into_iter();
                seated(&placed, &[0, 0], &[0, 0], &mut |_| {
                    draws.next().unwrap_or(0)
                })
            })
            .collect();
        assert_eq!(orders, [vec![4, 9], vec![9, 4]]);
    }
}
