//! Workload error: how wrong count queries become when they are asked of the release instead of the source.
//!
//! # Idea
//!
//! A query counts the records whose attributes lie in given sets of values. On a release, a class contributes its records times the
//! share of what it stands for that lies in the query: a recipient can do no better than to assume an even spread. With a
//! sensitive attribute in the query the class contributes only its records with those values. The error is
//! |estimate - truth| / max(truth, sanity bound).
//!
//! # Reference
//!
//! K. LeFevre, D. DeWitt, R. Ramakrishnan, "Workload-aware anonymization", KDD 2006; X. Xiao and Y. Tao, "Anatomy", VLDB 2006,
//! for the estimate from separate tables. Survey section 3.2 has the worked example.
//!
//! # Cost
//!
//! Distinct sets of attributes times tuples, plus queries times (values of those attributes + classes). A query about a sensitive
//! attribute, or about attributes with very many values, looks at every tuple.

use std::collections::HashMap;

use denym_data::{Code, SplitMix64};
use rayon::prelude::*;

use super::Publication;
use crate::Histogram;

/// Tuples that are looked at together, so that what is known of them stays in the first-level cache.
const BLOCK: usize = 2048;

/// Most combinations of values of a marginal: they stay in the second-level cache.
const MOST_CELLS: usize = 1 << 16;

/// "How many records have these values?"
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountQuery {
    /// For some quasi-identifiers, by position, the codes asked for, ascending.
    pub quasi: Vec<(usize, Vec<Code>)>,
    /// A sensitive attribute, by position, and the codes asked for, ascending.
    pub sensitive: Option<(usize, Vec<Code>)>,
}

/// Errors over a workload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkloadError {
    /// Queries asked.
    pub queries: usize,
    /// Mean relative error.
    pub mean: f64,
    /// Median relative error.
    pub median: f64,
    /// Largest relative error.
    pub largest: f64,
    /// (truth, estimate) of each query.
    pub answers: Vec<(u64, f64)>,
}

/// Asks every query of the source and of the release. `sanity` keeps tiny counts from dominating: errors are relative to at
/// least that many records (and at least one).
pub fn workload_error(
    publication: &Publication<'_>,
    queries: &[CountQuery],
    sanity: f64,
) -> WorkloadError {
    let counts = class_counts(publication);
    let published = |position: usize| {
        let asked = |query: &CountQuery| query.quasi.iter().any(|(other, _)| *other == position);
        if publication.by_nodes(position) || !queries.iter().any(asked) {
            return &[][..];
        }
        publication.under(position)
    };
    let under: Vec<&[(u32, Code)]> = (0..publication.summary.quasi.len())
        .into_par_iter()
        .map(published)
        .collect();
    let marginals = marginals(publication, queries);
    let answers: Vec<(u64, f64)> = queries
        .par_iter()
        .map(|query| {
            let asked = Asked::new(publication, query);
            (
                match marginals.get(&asked.positions()) {
                    Some(marginal) if query.sensitive.is_none() => marginal.sum(&asked),
                    _ => truth(publication, query, &asked),
                },
                estimate(publication, &counts, query, &asked, &under),
            )
        })
        .collect();
    let mut errors: Vec<f64> = answers
        .iter()
        .map(|&(truth, estimate)| {
            (estimate - truth as f64).abs() / (truth as f64).max(sanity).max(1.0)
        })
        .collect();
    errors.sort_unstable_by(f64::total_cmp);
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    WorkloadError {
        queries: queries.len(),
        mean,
        median: errors.get(errors.len() / 2).copied().unwrap_or(0.0),
        largest: errors.last().copied().unwrap_or(0.0),
        answers,
    }
}

/// What separately published quasi-identifiers and sensitive counts answer: for each group, records that match on the
/// quasi-identifiers times the share of the group's sensitive values that match.
pub fn anatomized_answer(groups: &[(u64, Histogram<'_>)], values: &[Code]) -> f64 {
    groups
        .iter()
        .filter(|(_, histogram)| histogram.total > 0)
        .map(|(matching, histogram)| {
            let asked: u64 = values.iter().map(|&value| histogram.count(value)).sum();
            *matching as f64 * asked as f64 / histogram.total as f64
        })
        .sum()
}

/// Random queries over one to three quasi-identifiers, each asking for a run of codes of about half its values, and, when
/// there is a sensitive attribute, for one of its values half of the time.
pub fn random_queries(publication: &Publication<'_>, many: usize, seed: u64) -> Vec<CountQuery> {
    let mut random = SplitMix64::new(seed);
    let cardinalities = &publication.summary.cardinalities;
    let values: Vec<Code> = publication
        .summary
        .sensitive
        .first()
        .map_or_else(Vec::new, |rows| {
            let mut values: Vec<Code> = (0..rows.len())
                .flat_map(|tuple| rows.row(tuple).iter().map(|&(value, _)| value))
                .collect();
            values.sort_unstable();
            values.dedup();
            values
        });
    (0..many)
        .map(|_| {
            let wanted = (1 + random.below(3) as usize).min(cardinalities.len());
            let mut positions: Vec<usize> = (0..cardinalities.len()).collect();
            for index in 0..wanted {
                let other = index + random.below((positions.len() - index) as u64) as usize;
                positions.swap(index, other);
            }
            positions.truncate(wanted);
            positions.sort_unstable();
            let quasi = positions
                .into_iter()
                .map(|position| {
                    let n = cardinalities[position] as u64;
                    let length = n.div_ceil(2).max(1);
                    let first = random.below(n.saturating_sub(length) + 1);
                    (
                        position,
                        (first as u32..(first + length).min(n) as u32).collect(),
                    )
                })
                .collect();
            let sensitive = (!values.is_empty() && random.below(2) == 1)
                .then(|| (0, vec![values[random.below(values.len() as u64) as usize]]));
            CountQuery { quasi, sensitive }
        })
        .collect()
}

/// For each sensitive attribute, class and value the records, as sorted (value, count) rows.
fn class_counts(publication: &Publication<'_>) -> Vec<Vec<Vec<(Code, u64)>>> {
    publication
        .summary
        .sensitive
        .iter()
        .map(|rows| {
            let mut counts = vec![std::collections::BTreeMap::new(); publication.sizes.len()];
            for (tuple, class) in publication.recoding.class_of.iter().enumerate() {
                if let Some(class) = class {
                    for &(value, count) in rows.row(tuple) {
                        *counts[*class as usize].entry(value).or_insert(0) += count;
                    }
                }
            }
            counts
                .into_iter()
                .map(|counts| counts.into_iter().collect())
                .collect()
        })
        .collect()
}

fn sum_of(counts: &[(Code, u64)], values: &[Code]) -> u64 {
    counts
        .iter()
        .filter(|(value, _)| values.binary_search(value).is_ok())
        .map(|&(_, count)| count)
        .sum()
}

/// For each quasi-identifier of a query, by position, which codes it asks for.
struct Asked(Vec<(usize, Vec<bool>)>);

impl Asked {
    fn new(publication: &Publication<'_>, query: &CountQuery) -> Asked {
        let columns = query.quasi.iter().map(|(position, codes)| {
            let mut asked = vec![false; publication.summary.cardinalities[*position]];
            for &code in codes {
                // A code that never occurs is asked for in vain.
                if let Some(asked) = asked.get_mut(code as usize) {
                    *asked = true;
                }
            }
            (*position, asked)
        });
        Asked(columns.collect())
    }

    fn positions(&self) -> Vec<usize> {
        self.0.iter().map(|(position, _)| *position).collect()
    }
}

/// Records of every combination of values of some quasi-identifiers, the last one's values side by side.
struct Marginal(Vec<u64>);

impl Marginal {
    /// The marginal of these quasi-identifiers; `None` when they have too many combinations.
    fn new(publication: &Publication<'_>, positions: &[usize]) -> Option<Marginal> {
        let summary = publication.summary;
        let cells = positions.iter().try_fold(1_usize, |cells, &position| {
            let cells = cells.checked_mul(summary.cardinalities[position])?;
            (cells <= MOST_CELLS).then_some(cells)
        })?;
        let mut counts = vec![0; cells];
        let mut block = [0_u32; BLOCK];
        for first in (0..summary.tuples()).step_by(BLOCK) {
            let tuples = first..(first + BLOCK).min(summary.tuples());
            let block = &mut block[..tuples.len()];
            block.fill(0);
            for &position in positions {
                let values = summary.cardinalities[position] as u32;
                let codes = &summary.quasi[position][tuples.clone()];
                for (cell, &code) in block.iter_mut().zip(codes) {
                    *cell = *cell * values + code;
                }
            }
            for (&cell, &records) in block.iter().zip(&summary.records[tuples]) {
                counts[cell as usize] += records;
            }
        }
        Some(Marginal(counts))
    }

    /// Records whose values are all asked for.
    fn sum(&self, asked: &Asked) -> u64 {
        let mut sums = self.0.clone();
        for (_, asked) in asked.0.iter().rev() {
            sums = sums
                .chunks_exact(asked.len().max(1))
                .map(|row| {
                    let each = row.iter().zip(asked);
                    each.map(|(&records, &asked)| u64::from(asked) * records)
                        .sum()
                })
                .collect();
        }
        sums.first().copied().unwrap_or(0)
    }
}

/// The marginals of all sets of quasi-identifiers that a query asks about.
fn marginals(
    publication: &Publication<'_>,
    queries: &[CountQuery],
) -> HashMap<Vec<usize>, Marginal> {
    let mut sets: Vec<Vec<usize>> = queries
        .iter()
        .filter(|query| query.sensitive.is_none())
        .map(|query| query.quasi.iter().map(|(position, _)| *position).collect())
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets.into_par_iter()
        .filter_map(|positions| {
            let marginal = Marginal::new(publication, &positions)?;
            Some((positions, marginal))
        })
        .collect()
}

fn truth(publication: &Publication<'_>, query: &CountQuery, asked: &Asked) -> u64 {
    let summary = publication.summary;
    let columns: Vec<(&[Code], &[bool])> = asked
        .0
        .iter()
        .map(|(position, asked)| (summary.quasi[*position].as_slice(), asked.as_slice()))
        .collect();
    let mut sum = 0;
    let mut chosen = [true; BLOCK];
    for first in (0..summary.tuples()).step_by(BLOCK) {
        let tuples = first..(first + BLOCK).min(summary.tuples());
        // About half of all tuples are asked for, in no order: nothing here depends on a guess which.
        let chosen = &mut chosen[..tuples.len()];
        chosen.fill(true);
        for (codes, asked) in &columns {
            for (chosen, &code) in chosen.iter_mut().zip(&codes[tuples.clone()]) {
                *chosen &= asked[code as usize];
            }
        }
        sum += match &query.sensitive {
            None => chosen
                .iter()
                .zip(&summary.records[tuples])
                .map(|(&chosen, &records)| u64::from(chosen) * records)
                .sum::<u64>(),
            Some((attribute, values)) => tuples
                .zip(chosen.iter())
                .filter(|(_, chosen)| **chosen)
                .map(|(tuple, _)| sum_of(summary.sensitive[*attribute].row(tuple), values))
                .sum(),
        };
    }
    sum
}

fn estimate(
    publication: &Publication<'_>,
    counts: &[Vec<Vec<(Code, u64)>>],
    query: &CountQuery,
    asked: &Asked,
    under: &[&[(u32, Code)]],
) -> f64 {
    let recoding = publication.recoding;
    // The share of each label that lies in the query; labels of a hierarchy's level are its nodes.
    let overlaps: Vec<(usize, Vec<f64>)> = query
        .quasi
        .iter()
        .zip(&asked.0)
        .map(|((position, codes), (_, asked))| {
            let share = overlap(publication, *position, codes, asked, under[*position]);
            (*position, share)
        })
        .collect();
    (0..publication.sizes.len())
        .map(|class| {
            let records = match &query.sensitive {
                None => publication.sizes[class],
                Some((attribute, values)) => sum_of(&counts[*attribute][class], values),
            };
            let share: f64 = overlaps
                .iter()
                .map(|(position, overlap)| overlap[recoding.published[*position][class] as usize])
                .product();
            records as f64 * share
        })
        .sum()
}

/// For each label of an attribute, the share of its leaves that are among `codes`.
fn overlap(
    publication: &Publication<'_>,
    position: usize,
    codes: &[Code],
    asked: &[bool],
    under: &[(u32, Code)],
) -> Vec<f64> {
    let labels = &publication.recoding.labels[position];
    let hierarchy = &publication.hierarchies[position];
    let level = publication.level(position);
    let mut inside = vec![0.0; labels.shares.len()];
    if let Some(level) = level {
        for &code in codes {
            inside[hierarchy.node(level, code) as usize] += 1.0;
        }
    } else {
        // Without a level, a label covers the codes that were published under it.
        for &(label, code) in under {
            if asked[code as usize] {
                inside[label as usize] += 1.0;
            }
        }
    }
    inside
        .into_iter()
        .zip(&labels.shares)
        .map(|(inside, share)| {
            let leaves = share * hierarchy.leaves() as f64;
            if leaves > 0.0 {
                (inside / leaves).min(1.0)
            } else {
                0.0
            }
        })
        .collect()
}
