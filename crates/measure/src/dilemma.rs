//! The quasi-identifier dilemma: which other columns, known to an adversary after all, would break the promises?
//!
//! # Idea
//!
//! Nobody can be sure that a column is *not* known to somebody. So every audit is repeated with each other column, alone and
//! in pairs, added to the quasi-identifiers. A sensitive column that is added is known, not to be learned: promises about it
//! are left out of that round, those about the others stay.
//!
//! # Reference
//!
//! Survey section 2.1, "Dilemma in choosing QID".
//!
//! # Cost
//!
//! One grouping of the records per column and per pair, by (class, column) instead of all columns. Where nobody has several records and
//! no promise is asked for, records are counted in arrays while these have at most a few entries per record.

use denym_data::Table;
use rayon::prelude::*;

use crate::partition::{Axis, Partition};
use crate::{Classes, Measured, Promise, Roles, audit_classes};

/// The promises with some columns added to what an adversary knows.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// Positions of the added columns.
    pub added: Vec<usize>,
    /// Subjects of the smallest group then.
    pub k: u64,
    /// For each sensitive attribute the largest confidence in any of its values then; `None` where it was itself added.
    pub confidence: Vec<Option<f64>>,
    /// Each promise then; `None` where it speaks of an added column.
    pub measured: Vec<Option<Measured>>,
    /// Whether some promise that held before does not then.
    pub breaks: bool,
}

/// Re-measures with each column that is neither quasi-identifier nor subject added, then with each pair (when `pairs`).
pub fn what_if(
    table: &Table,
    roles: &Roles,
    promises: &[Box<dyn Promise>],
    pairs: bool,
) -> Vec<WhatIf> {
    let others: Vec<usize> = (0..table.columns().len())
        .filter(|column| !roles.quasi.contains(column) && roles.subject != Some(*column))
        .collect();
    if others.is_empty() {
        return Vec::new();
    }
    let classes = Classes::of(table, roles);
    let before = audit_classes(&classes, promises);
    let class_of = classes.class_of();
    let mut sets: Vec<Vec<usize>> = others.iter().map(|&column| vec![column]).collect();
    if pairs {
        sets.extend(crate::subsets::combinations(&others, 2));
    }
    sets.into_par_iter()
        .map(|added| {
            if promises.is_empty()
                && let Some(found) = counted(table, roles, &class_of, classes.len(), &added)
            {
                return found;
            }
            let mut axes = vec![Axis {
                codes: &class_of,
                cardinality: classes.len(),
            }];
            axes.extend(
                added
                    .iter()
                    .map(|&column| crate::classes::axis(table, column)),
            );
            let finer =
                Classes::from_partition(table, Partition::of(&axes, table.records()), roles);
            let known: Vec<bool> = roles
                .sensitive
                .iter()
                .map(|column| added.contains(column))
                .collect();
            let measured: Vec<Option<Measured>> = audit_classes(&finer, promises)
                .into_iter()
                .map(|measured| match measured.terms.attribute {
                    Some(attribute) if known.get(attribute) == Some(&true) => None,
                    _ => Some(measured),
                })
                .collect();
            let breaks = before.iter().zip(&measured).any(|(before, after)| {
                before.holds && after.as_ref().is_some_and(|after| !after.holds)
            });
            WhatIf {
                k: finer.subjects().iter().copied().min().unwrap_or(0),
                confidence: known
                    .iter()
                    .enumerate()
                    .map(|(attribute, &known)| {
                        (!known).then(|| largest_confidence(&finer, attribute))
                    })
                    .collect(),
                added,
                measured,
                breaks,
            }
        })
        .collect()
}

/// The smallest group and the largest confidences by counting in arrays; `None` where subjects or too many groups forbid it.
fn counted(
    table: &Table,
    roles: &Roles,
    class_of: &[u32],
    classes: usize,
    added: &[usize],
) -> Option<WhatIf> {
    let records = table.records();
    let most = 1_usize << 16 | records.saturating_mul(4);
    let fits = |cells: usize, by: usize| cells.checked_mul(by).filter(|&cells| cells <= most);
    if roles.subject.is_some() {
        return None;
    }
    let mut cell_of: Vec<u32> = class_of.to_vec();
    let mut cells = classes;
    for &column in added {
        let axis = crate::classes::axis(table, column);
        cells = fits(cells, axis.cardinality)?;
        for (cell, &code) in cell_of.iter_mut().zip(axis.codes) {
            *cell = *cell * axis.cardinality as u32 + code;
        }
    }
    // Cells that occur become groups, numbered without gaps.
    let mut sizes = vec![0_u32; cells];
    for &cell in &cell_of {
        sizes[cell as usize] += 1;
    }
    let mut group_of = vec![0_u32; cells];
    let mut groups = Vec::new();
    for (group, &size) in group_of.iter_mut().zip(&sizes) {
        if size > 0 {
            *group = groups.len() as u32;
            groups.push(size);
        }
    }
    let mut confidence = Vec::with_capacity(roles.sensitive.len());
    for column in &roles.sensitive {
        if added.contains(column) {
            confidence.push(None);
            continue;
        }
        let axis = crate::classes::axis(table, *column);
        let mut counts = vec![0_u32; fits(groups.len(), axis.cardinality)?];
        for (&cell, &code) in cell_of.iter().zip(axis.codes) {
            let group = group_of[cell as usize] as usize;
            counts[group * axis.cardinality + code as usize] += 1;
        }
        let largest = counts.chunks(axis.cardinality.max(1)).zip(&groups);
        let worst = largest.map(|(counts, &size)| {
            let most = counts.iter().copied().max().unwrap_or(0);
            crate::survey::ratio(u64::from(most), u64::from(size))
        });
        confidence.push(Some(worst.fold(0.0, f64::max)));
    }
    Some(WhatIf {
        added: added.to_vec(),
        k: u64::from(groups.iter().copied().min().unwrap_or(0)),
        confidence,
        measured: Vec::new(),
        breaks: false,
    })
}

fn largest_confidence(classes: &Classes, attribute: usize) -> f64 {
    classes.fold(
        || 0.0_f64,
        |worst, _, group| {
            let largest = group.histogram(attribute).largest();
            *worst = worst.max(crate::survey::ratio(largest, group.subjects));
        },
        f64::max,
    )
}
