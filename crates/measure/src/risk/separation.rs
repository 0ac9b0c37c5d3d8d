//! What each attribute, and each combination of them, gives away: distinction and separation.
//!
//! # Idea
//!
//! Distinction is distinct tuples over records; separation is the share of pairs of records that differ somewhere. An attribute (or a
//! set) with separation near 1 tells most people apart. Over all subsets up to a size this finds the combinations that make a
//! quasi-identifier.
//!
//! # Reference
//!
//! R. Motwani and Y. Xu, "Efficient algorithms for masking and finding quasi-identifiers", SDM 2008. Survey section 2.1.
//!
//! # Cost
//!
//! One count of the records per subset; records that already stand alone are left out of larger subsets. On large tables
//! [`ranked_separations`] compares subsets on a sample and counts only those that come first on all records.

use denym_data::Table;
use rayon::prelude::*;

use crate::classes::axis;
use crate::partition::Axis;
use crate::{Classes, Roles};

/// How well a set of columns tells records apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// Positions of the columns.
    pub columns: Vec<usize>,
    /// Distinct tuples over records; 0 without records.
    pub distinction: f64,
    /// Share of pairs of records that differ; 0 with fewer than two records.
    pub separation: f64,
    /// Records that are unique on these columns.
    pub uniques: u64,
}

/// Distinction and separation of every set of one to `most` of the columns, in order of size and position.
pub fn separations(table: &Table, columns: &[usize], most: usize) -> Vec<Separation> {
    let axes: Vec<Axis<'_>> = columns.iter().map(|&column| axis(table, column)).collect();
    of_all_sets(&axes, table.records(), columns, most)
}

fn of_all_sets(
    axes: &[Axis<'_>],
    records: usize,
    columns: &[usize],
    most: usize,
) -> Vec<Separation> {
    if most == 0 {
        return Vec::new();
    }
    let firsts: Vec<usize> = (0..axes.len()).collect();
    let mut found: Vec<(Vec<usize>, Alike)> = firsts
        .into_par_iter()
        .with_max_len(1)
        .flat_map_iter(|first| {
            let mut found = Vec::new();
            grow(axes, most, &Alike::all(records), &[first], &mut found);
            found
        })
        .collect();
    found.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    let named = |set: Vec<usize>| set.into_iter().map(|at| columns[at]).collect();
    found
        .into_iter()
        .map(|(set, alike)| alike.separation(records, named(set)))
        .collect()
}

/// Records by which sets are compared on a large table.
const SAMPLE: usize = 1 << 14;

/// Sets that are counted on all records of a large table.
const COUNTED: usize = 24;

/// A table is large when all its sets together have more records to count than this.
const LARGE: u64 = 1 << 28;

/// Sets of columns, and how they were compared.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSeparations {
    /// The most separating first, smaller sets before larger ones among equals; every figure is that of all records.
    pub best: Vec<Separation>,
    /// Sets that were compared.
    pub compared: u64,
    /// Records they were compared on, when those are not all.
    pub sample: Option<u64>,
}

/// The most separating sets of one to `most` of the columns: all of them where that is little work, else the first by a sample.
pub fn ranked_separations(table: &Table, columns: &[usize], most: usize) -> RankedSeparations {
    let sizes = 1..=most.min(columns.len());
    let compared: u64 = sizes
        .map(|size| binomial(columns.len() as u64, size as u64))
        .fold(0, u64::saturating_add);
    let records = table.records();
    let large = compared.saturating_mul(records as u64) > LARGE && records > SAMPLE;
    let mut best = if large {
        let rows: Vec<usize> = (0..SAMPLE).map(|at| at * records / SAMPLE).collect();
        let taken: Vec<Vec<u32>> = columns
            .par_iter()
            .map(|&column| {
                let codes = &table.columns()[column].codes;
                rows.iter().map(|&row| codes[row]).collect()
            })
            .collect();
        let axes: Vec<Axis<'_>> = columns
            .iter()
            .zip(&taken)
            .map(|(&column, codes)| Axis {
                codes,
                ..axis(table, column)
            })
            .collect();
        let mut guessed = of_all_sets(&axes, SAMPLE, columns, most);
        guessed.sort_by(rank);
        guessed.truncate(COUNTED);
        let sets: Vec<Vec<usize>> = guessed.into_iter().map(|one| one.columns).collect();
        sets.into_par_iter()
            .with_max_len(1)
            .map(|set| separation_of(table, set))
            .collect()
    } else {
        separations(table, columns, most)
    };
    best.sort_by(rank);
    RankedSeparations {
        best,
        compared,
        sample: large.then_some(SAMPLE as u64),
    }
}

/// The most separating first, then the smaller set, then the columns that come first.
fn rank(a: &Separation, b: &Separation) -> std::cmp::Ordering {
    b.separation
        .total_cmp(&a.separation)
        .then(a.columns.len().cmp(&b.columns.len()))
        .then_with(|| a.columns.cmp(&b.columns))
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1_u64, |ways, at| ways.saturating_mul(n - at) / (at + 1))
}

/// Records that are unique on these columns.
pub fn unique_records(table: &Table, columns: &[usize]) -> u64 {
    separation_of(table, columns.to_vec()).uniques
}

/// Distinction and separation of one set of columns.
fn separation_of(table: &Table, columns: Vec<usize>) -> Separation {
    let mut order = columns.clone();
    // What tells most apart first: who stands alone early is not looked at again.
    order.sort_by_key(|&column| {
        let values = table.columns()[column].dictionary.len();
        (std::cmp::Reverse(values), column)
    });
    let mut alike = Alike::all(table.records());
    for column in order {
        alike = alike.split(axis(table, column));
    }
    alike.separation(table.records(), columns)
}

/// Adds the set `chosen` and every larger one that begins with it.
fn grow(
    axes: &[Axis<'_>],
    most: usize,
    before: &Alike,
    chosen: &[usize],
    found: &mut Vec<(Vec<usize>, Alike)>,
) {
    let Some(&last) = chosen.last() else { return };
    if chosen.len() == most {
        found.push((chosen.to_vec(), before.counted(axes[last])));
        return;
    }
    let here = before.split(axes[last]);
    for next in last + 1..axes.len() {
        let longer: Vec<usize> = chosen.iter().copied().chain([next]).collect();
        grow(axes, most, &here, &longer, found);
    }
    found.push((chosen.to_vec(), here.figures()));
}

/// Records that some columns do not tell apart from others, by class; those that stand alone are only counted.
struct Alike {
    rows: Vec<u32>,
    /// The class of each of `rows`.
    class_of: Vec<u32>,
    classes: usize,
    uniques: u64,
    /// Pairs of records in one class.
    equal: u128,
}

impl Alike {
    /// All records in one class.
    fn all(records: usize) -> Alike {
        let left = if records == 1 { 0 } else { records };
        Alike {
            rows: (0..left as u32).collect(),
            class_of: vec![0; left],
            classes: usize::from(left > 0),
            uniques: u64::from(records == 1),
            equal: pairs(left as u64),
        }
    }

    /// The figures without the records behind them.
    fn figures(self) -> Alike {
        Alike {
            rows: Vec::new(),
            class_of: Vec::new(),
            ..self
        }
    }

    /// The classes when a further column is known.
    fn split(&self, axis: Axis<'_>) -> Alike {
        let (group_of, counts) = self.groups(axis);
        let mut number = vec![u32::MAX; counts.len()];
        let (mut classes, mut uniques, mut equal) = (0, self.uniques, 0);
        for (number, &count) in number.iter_mut().zip(&counts) {
            if count == 1 {
                uniques += 1;
            } else {
                equal += pairs(count.into());
                *number = classes;
                classes += 1;
            }
        }
        let (mut rows, mut class_of) = (Vec::new(), Vec::new());
        for (&row, &group) in self.rows.iter().zip(&group_of) {
            if number[group as usize] != u32::MAX {
                rows.push(row);
                class_of.push(number[group as usize]);
            }
        }
        Alike {
            rows,
            class_of,
            classes: classes as usize,
            uniques,
            equal,
        }
    }

    /// The figures when a further column is known, without the records behind them.
    fn counted(&self, axis: Axis<'_>) -> Alike {
        let (_, counts) = self.groups(axis);
        let alone = counts.iter().filter(|&&count| count == 1).count();
        Alike {
            rows: Vec::new(),
            class_of: Vec::new(),
            classes: counts.len() - alone,
            uniques: self.uniques + alone as u64,
            equal: counts.iter().map(|&count| pairs(count.into())).sum(),
        }
    }

    /// The group of each record by its class and its value of a column, and the size of each.
    fn groups(&self, axis: Axis<'_>) -> (Vec<u32>, Vec<u32>) {
        let values = axis.cardinality;
        let keys = self.rows.iter().zip(&self.class_of).map(|(&row, &class)| {
            u64::from(class) * values as u64 + u64::from(axis.codes[row as usize])
        });
        let possible = (self.classes as u128) * values as u128;
        let mut counts = Vec::new();
        let mut group_of = Vec::with_capacity(self.rows.len());
        if possible <= 4 * self.rows.len().max(1024) as u128 {
            let mut numbers = vec![u32::MAX; possible as usize];
            for key in keys {
                let number = &mut numbers[key as usize];
                if *number == u32::MAX {
                    *number = counts.len() as u32;
                    counts.push(0);
                }
                counts[*number as usize] += 1;
                group_of.push(*number);
            }
            return (group_of, counts);
        }
        // Open addressing: a word per slot, twice as many slots as records.
        let slots = (2 * self.rows.len()).next_power_of_two();
        let shift = 64 - slots.trailing_zeros();
        let mut taken = vec![(0_u64, u32::MAX); slots];
        for key in keys {
            let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            let number = loop {
                let entry = &mut taken[slot];
                if entry.1 == u32::MAX {
                    *entry = (key, counts.len() as u32);
                    counts.push(0);
                    break entry.1;
                } else if entry.0 == key {
                    break entry.1;
                }
                slot = (slot + 1) & (slots - 1);
            };
            counts[number as usize] += 1;
            group_of.push(number);
        }
        (group_of, counts)
    }

    fn separation(&self, records: usize, columns: Vec<usize>) -> Separation {
        let n = records as u64;
        Separation {
            columns,
            distinction: crate::survey::ratio(self.classes as u64 + self.uniques, n),
            separation: if n < 2 {
                0.0
            } else {
                (pairs(n) - self.equal) as f64 / pairs(n) as f64
            },
            uniques: self.uniques,
        }
    }
}

fn pairs(size: u64) -> u128 {
    u128::from(size) * u128::from(size.saturating_sub(1)) / 2
}

/// What each quasi-identifier adds to the risk: uniques and marketer risk with all of them, and without that one.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// Position of the column.
    pub column: usize,
    /// Unique records when an adversary knows all quasi-identifiers but this one.
    pub uniques_without: u64,
    /// Mean chance of re-identification then.
    pub average_risk_without: f64,
    /// How much the mean chance falls without it: the part of the risk that this column brings.
    pub risk_share: f64,
}

/// The contribution of each quasi-identifier.
pub fn contributions(table: &Table, quasi: &[usize]) -> Vec<Contribution> {
    let roles = Roles {
        quasi: quasi.to_vec(),
        ..Roles::default()
    };
    let base = Classes::of(table, &roles);
    let average = |classes: &Classes| crate::survey::ratio(classes.len() as u64, classes.total());
    let all = average(&base);
    quasi
        .iter()
        .map(|&column| {
            let rest: Vec<usize> = quasi
                .iter()
                .copied()
                .filter(|&other| other != column)
                .collect();
            let classes = base.coarsened(table, &roles, &rest);
            let without = average(&classes);
            Contribution {
                column,
                uniques_without: classes.records().iter().filter(|&&size| size == 1).count() as u64,
                average_risk_without: without,
                risk_share: if all > 0.0 { 1.0 - without / all } else { 0.0 },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use denym_data::{Column, SplitMix64};

    /// The sets of a large table that a sample ranks first have the figures that counting all of them gives.
    #[test]
    fn what_a_sample_ranks_first_is_counted_on_all_records() {
        let mut random = SplitMix64::new(5);
        let records = 40_000;
        let columns: Vec<Column> = (0..40)
            .map(|at| {
                let texts: Vec<String> = (0..records)
                    .map(|_| random.below(3 + at * at).to_string())
                    .collect();
                let name = format!("c{at}");
                Column::from_texts(&name, texts.iter().map(|text| Some(text.as_str())))
            })
            .collect();
        let table = Table::new(columns).unwrap();
        let all: Vec<usize> = (0..40).collect();
        let ranked = ranked_separations(&table, &all, 3);
        assert_eq!((ranked.compared, ranked.sample), (10_700, Some(1 << 14)));
        assert_eq!(ranked.best.len(), COUNTED);
        for found in &ranked.best {
            let roles = Roles {
                quasi: found.columns.clone(),
                ..Roles::default()
            };
            let classes = Classes::of(&table, &roles);
            let uniques = classes.records().iter().filter(|&&size| size == 1).count();
            assert_eq!(found.uniques, uniques as u64, "{found:?}");
            let distinction = classes.len() as f64 / records as f64;
            assert!((found.distinction - distinction).abs() < 1e-12, "{found:?}");
        }
        // Three of the columns with most values tell nearly all apart.
        assert!(ranked.best[0].separation > 0.999_999_99);
        let everybody = unique_records(&table, &all);
        assert_eq!(everybody, records);
    }
}
