//! (k,e)-anonymity by permutation: numbers are shuffled within groups that hold k different ones over a range of at least e.
//!
//! # Idea
//!
//! Sort records by the sensitive number and cut the line into runs. A run is a group when it has k different numbers and reaches over
//! e. What a reader loses is how far a group reaches, so the sum of ranges is minimized: for every prefix of the line the best last
//! run is known from shorter prefixes. Within a group, tuples and numbers are published in an order of their own each.
//!
//! # Guarantee
//!
//! Every group has at least k different numbers over a range of at least e, and no partition of the records into such groups has
//! a smaller sum of ranges. Somebody who knows this program and everybody's quasi-identifiers, but cannot repeat the draws, believes that a person has
//! each number of the group as often as the group has it. Identity and presence are not protected: quasi-identifiers are published as they are.
//!
//! *Why.* Where the line is cut follows from the numbers alone. Equal numbers on both sides of a cut are one value in two groups;
//! who of the records with that number comes to which side is drawn, every way equally likely. The probability of the
//! published groups is then a function of the numbers and the cuts, the same for every source that could be behind them: see
//! [`Anatomy`](crate::Anatomy), whose proof holds here word for word.
//!
//! # Reference
//!
//! Q. Zhang, N. Koudas, D. Srivastava, T. Yu, "Aggregate query answering on anonymized tables", ICDE 2007. Survey sections 3.2 and 5.2.
//!
//! # Departures
//!
//! O(n log n) instead of O(n^2): the sum of ranges lets the best start of a run be kept while going along. Within a group no
//! shuffle is needed: both sides are published sorted, which says nothing about who has what. Records without a number join the last
//! group.
//!
//! # Cost
//!
//! O(n log n) time, O(n) memory.

use denym_data::{Code, Decimal, Ragged, Summary};

use crate::anatomy::shuffle;
use crate::{Error, Nearest, Reach};

/// Options of the permutation.
#[derive(Debug, Clone)]
pub struct KePermutation {
    /// The sensitive attribute, by position.
    pub attribute: usize,
    /// Least different numbers of a group.
    pub k: u64,
    /// Least range of a group.
    pub e: Decimal,
    /// The number of each code; `None` where it has none.
    pub numbers: Vec<Option<Decimal>>,
}

/// Groups within which numbers are shuffled.
#[derive(Debug, Clone, PartialEq)]
pub struct Permuted {
    /// For each group, the tuples of its records, ascending.
    pub tuples: Vec<Vec<u32>>,
    /// For each group, the sensitive values of its records, ascending.
    pub values: Vec<Vec<Code>>,
    /// For each tuple of the summary, (value, group) of each of its records, ascending. It is never published.
    pub placed: Ragged<(Code, u32)>,
    /// Sum of the ranges of all groups.
    pub error: f64,
}

impl KePermutation {
    /// Cuts the records of a table into groups; `draw(n)` is a secret random number below `n`.
    pub fn solve(
        &self,
        summary: &Summary,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<Permuted, Error> {
        let Some(rows) = summary.sensitive.get(self.attribute) else {
            return Err(Error::SensitiveMissing {
                attribute: self.attribute,
                found: summary.sensitive.len(),
            });
        };
        if summary.subjects.is_some() {
            return Err(Error::SubjectsNotHonoured);
        }
        let numbers = self.numbers.iter().flatten().chain([&self.e]);
        let scale = numbers.map(|number| number.scale()).max().unwrap_or(0);
        let mut line: Vec<(i128, Code, u32)> = Vec::new();
        let mut missing: Vec<(Code, u32)> = Vec::new();
        for tuple in 0..summary.tuples() {
            for &(code, count) in rows.row(tuple) {
                let number = self.numbers.get(code as usize).copied().flatten();
                for _ in 0..count {
                    match number {
                        Some(number) => line.push((number.scaled(scale), code, tuple as u32)),
                        None => missing.push((code, tuple as u32)),
                    }
                }
            }
        }
        line.sort_unstable();
        let Some(cuts) = best_runs(&line, self.k, self.e.scaled(scale)) else {
            return Err(self.infeasible(&line, scale));
        };
        // Where a cut goes through equal numbers, who stands on which side of it is a matter of chance alone.
        let mut first = 0;
        for equal in line.chunk_by_mut(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let end = first + equal.len();
            let next = cuts.partition_point(|&cut| cut <= first);
            if cuts.get(next).is_some_and(|&cut| cut < end) {
                shuffle(equal, draw);
            }
            first = end;
        }
        let mut permuted = Permuted {
            tuples: Vec::new(),
            values: Vec::new(),
            placed: Ragged::new(),
            error: 0.0,
        };
        let mut placed: Vec<Vec<(Code, u32)>> = vec![Vec::new(); summary.tuples()];
        let mut error = 0_i128;
        for (index, run) in cuts.windows(2).enumerate() {
            let run = &line[run[0]..run[1]];
            error += run[run.len() - 1].0 - run[0].0;
            let last = index + 2 == cuts.len();
            let rest: &[(Code, u32)] = if last { &missing } else { &[] };
            let mut tuples: Vec<u32> = run.iter().map(|&(_, _, tuple)| tuple).collect();
            tuples.extend(rest.iter().map(|&(_, tuple)| tuple));
            let mut values: Vec<Code> = run.iter().map(|&(_, code, _)| code).collect();
            values.extend(rest.iter().map(|&(code, _)| code));
            let members = run.iter().map(|&(_, code, tuple)| (code, tuple));
            for (code, tuple) in members.chain(rest.iter().copied()) {
                placed[tuple as usize].push((code, index as u32));
            }
            tuples.sort_unstable();
            values.sort_unstable();
            permuted.tuples.push(tuples);
            permuted.values.push(values);
        }
        for records in &mut placed {
            records.sort_unstable();
        }
        permuted.placed = placed.into_iter().collect();
        permuted.error = unscaled(error, scale);
        Ok(permuted)
    }

    fn infeasible(&self, line: &[(i128, Code, u32)], scale: u32) -> Error {
        let range = match (line.first(), line.last()) {
            (Some(first), Some(last)) => last.0 - first.0,
            _ => return Error::NoRecords,
        };
        Error::infeasible(Nearest {
            reach: vec![Reach {
                name: "k-e-anonymity",
                asked: self.e.to_f64(),
                reachable: (different(line) >= self.k).then(|| unscaled(range, scale)),
            }],
            suppression: None,
        })
    }
}

fn unscaled(number: i128, scale: u32) -> f64 {
    number as f64 / 10_f64.powf(f64::from(scale))
}

fn different(line: &[(i128, Code, u32)]) -> u64 {
    line.chunk_by(|a, b| a.0 == b.0).count() as u64
}

/// Where runs begin and end when the sum of their ranges is least; `None` when there is no way.
fn best_runs(line: &[(i128, Code, u32)], k: u64, e: i128) -> Option<Vec<usize>> {
    // least[i]: the sum for the first i records, and where their last run begins.
    let mut least: Vec<Option<(i128, usize)>> = vec![None; line.len() + 1];
    least[0] = Some((0, 0));
    // The best start among those far enough back: least[start] - number[start], later ones on ties.
    let mut best: Option<(i128, usize)> = None;
    let mut next = 0;
    // Position of each record's number among the different ones.
    let mut rank = Vec::with_capacity(line.len());
    for (index, record) in line.iter().enumerate() {
        let same = index > 0 && line[index - 1].0 == record.0;
        let last = rank.last().copied().unwrap_or(0);
        rank.push(if same || index == 0 { last } else { last + 1 });
    }
    for end in 1..=line.len() {
        while next < end {
            let enough = rank[end - 1] - rank[next] + 1 >= k && line[end - 1].0 - line[next].0 >= e;
            if !enough {
                break;
            }
            if let Some((sum, _)) = least[next]
                && best.is_none_or(|(value, _)| sum - line[next].0 <= value)
            {
                best = Some((sum - line[next].0, next));
            }
            next += 1;
        }
        least[end] = best.map(|(value, start)| (value + line[end - 1].0, start));
    }
    least[line.len()].filter(|_| !line.is_empty())?;
    let mut cuts = vec![line.len()];
    let mut end = line.len();
    while let Some((_, start)) = least[end].filter(|_| end > 0) {
        cuts.push(start);
        end = start;
    }
    cuts.reverse();
    Some(cuts)
}
