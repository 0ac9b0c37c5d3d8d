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
//! One grouping of the distinct tuples per subset.

use denym_data::Table;

use crate::subsets::combinations;
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
    let roles = Roles {
        quasi: columns.to_vec(),
        ..Roles::default()
    };
    let base = Classes::of(table, &roles);
    (1..=most.min(columns.len()))
        .flat_map(|size| combinations(columns, size))
        .map(|subset| {
            let classes = base.coarsened(table, &roles, &subset);
            separation_of(&classes, subset)
        })
        .collect()
}

fn separation_of(classes: &Classes, columns: Vec<usize>) -> Separation {
    let n = u128::from(classes.total());
    let pairs = |size: u128| size * size.saturating_sub(1) / 2;
    let equal: u128 = classes
        .records()
        .iter()
        .map(|&size| pairs(size.into()))
        .sum();
    Separation {
        columns,
        distinction: crate::survey::ratio(classes.len() as u64, classes.total()),
        separation: if n < 2 {
            0.0
        } else {
            (pairs(n) - equal) as f64 / pairs(n) as f64
        },
        uniques: classes.records().iter().filter(|&&size| size == 1).count() as u64,
    }
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
