//! An adversary who knows any m of the quasi-identifiers: every promise, judged on every group of every small subset.
//!
//! # Idea
//!
//! On a wide table nobody knows all columns of a victim. The groups are then those of every subset of at most m columns. k-anonymity on
//! them is k^m-anonymity of a table; together with confidence it is LKC-privacy of a table.
//!
//! Groups of a smaller subset are unions of groups of a larger one. So when every promise is monotone and holds on the subsets of
//! exactly m columns, it holds on all; else all sizes are judged, down to knowing nothing at all, where the whole table
//! is one group.
//!
//! # Cost
//!
//! One grouping per subset. Without a subject column each works on the distinct tuples instead of the records: a million records with nine
//! columns and m = 3 take some seconds.

use denym_data::Table;

use crate::population::match_population;
use crate::{Classes, Error, Measured, Promise, Roles, Sense, audit_classes};

/// What one promise came to over all subsets.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetMeasured {
    /// The worst value, and groups that fail over all subsets; `violating_records` counts each record once.
    pub measured: Measured,
    /// The subset with the worst value, as positions of columns.
    pub worst: Vec<usize>,
}

/// Judges the promises on the groups of every subset of at most `m` quasi-identifiers.
///
/// Promises about a population (k-map, delta-presence) need [`audit_subsets_in`]; here they hold of no group.
pub fn audit_subsets(
    table: &Table,
    roles: &Roles,
    m: usize,
    promises: &[Box<dyn Promise>],
) -> Vec<SubsetMeasured> {
    judged(table, roles, m, promises, |_, classes| classes)
}

/// As [`audit_subsets`], with the people of `population` that look like each group counted anew for each subset.
pub fn audit_subsets_in(
    table: &Table,
    roles: &Roles,
    m: usize,
    promises: &[Box<dyn Promise>],
    population: &Table,
) -> Result<Vec<SubsetMeasured>, Error> {
    // Fails here when the population lacks a column, so it cannot fail below.
    match_population(table, roles, &Classes::of(table, roles), population)?;
    Ok(judged(table, roles, m, promises, |quasi, classes| {
        let roles = Roles {
            quasi: quasi.to_vec(),
            ..roles.clone()
        };
        match match_population(table, &roles, &classes, population) {
            Ok(matched) => classes.with_population(matched.people),
            Err(_) => classes,
        }
    }))
}

fn judged(
    table: &Table,
    roles: &Roles,
    m: usize,
    promises: &[Box<dyn Promise>],
    peopled: impl Fn(&[usize], Classes) -> Classes,
) -> Vec<SubsetMeasured> {
    let m = m.min(roles.quasi.len());
    let only_largest = promises.iter().all(|promise| {
        promise.terms().monotone
            && (roles.subject.is_none() || promise.monotone_over_shared_subjects())
    });
    let base = Classes::of(table, roles);
    let mut found: Vec<Option<SubsetMeasured>> = vec![None; promises.len()];
    let mut failing = vec![vec![false; table.records()]; promises.len()];
    for size in (0..=m).rev() {
        // Smaller subsets can add failing records to those of a promise that fails, but cannot break one that holds.
        if size < m && only_largest && found.iter().flatten().all(|found| found.measured.holds) {
            break;
        }
        for subset in combinations(&roles.quasi, size) {
            let classes = peopled(&subset, base.coarsened(table, roles, &subset));
            for (index, measured) in audit_classes(&classes, promises).into_iter().enumerate() {
                if measured.violating_groups > 0 {
                    mark(&classes, promises[index].as_ref(), &mut failing[index]);
                }
                merge(&mut found[index], measured, &subset);
            }
        }
    }
    found
        .into_iter()
        .zip(failing)
        .filter_map(|(found, failing)| {
            let mut found = found?;
            found.measured.violating_records =
                failing.iter().filter(|&&fails| fails).count() as u64;
            Some(found)
        })
        .collect()
}

/// Marks the records of the groups that the promise does not admit.
fn mark(classes: &Classes, promise: &dyn Promise, failing: &mut [bool]) {
    let groups = classes.fold(
        Vec::new,
        |groups, class, group| {
            if !promise.admits(group) {
                groups.push(class);
            }
        },
        |mut left, right| {
            left.extend(right);
            left
        },
    );
    for class in groups {
        for &row in classes.rows(class) {
            failing[row as usize] = true;
        }
    }
}

fn merge(found: &mut Option<SubsetMeasured>, measured: Measured, subset: &[usize]) {
    let Some(so_far) = found else {
        *found = Some(SubsetMeasured {
            measured,
            worst: subset.to_vec(),
        });
        return;
    };
    let worse = match (so_far.measured.measured, measured.measured) {
        (Some(old), Some(new)) => match measured.terms.sense {
            Sense::AtLeast => new < old,
            Sense::AtMost => new > old,
        },
        (None, Some(_)) => true,
        _ => false,
    };
    if worse {
        so_far.measured.measured = measured.measured;
        so_far.worst = subset.to_vec();
    }
    so_far.measured.holds &= measured.holds;
    so_far.measured.violating_groups += measured.violating_groups;
}

/// Sets of columns beyond which knowledge of any so many columns is not judged: memory and time grow with their number.
pub const MOST_SUBSETS: u64 = 1 << 20;

/// How many sets of at most `most` out of `items` things there are; the largest number where that is too large to say.
pub fn sets_of_at_most(items: u64, most: u64) -> u64 {
    let mut ways = 1_u128;
    let mut all = 1_u128;
    for chosen in 0..most.min(items) {
        ways = ways * u128::from(items - chosen) / u128::from(chosen + 1);
        all += ways;
        if all > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    all as u64
}

/// Every subset of `size` of the items, in lexicographic order of position.
pub fn combinations(items: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut chosen = Vec::with_capacity(size);
    choose(items, size, &mut chosen, &mut all);
    all
}

fn choose(items: &[usize], size: usize, chosen: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if size == 0 {
        all.push(chosen.clone());
        return;
    }
    for (index, &item) in items.iter().enumerate() {
        if items.len() - index < size {
            break;
        }
        chosen.push(item);
        choose(&items[index + 1..], size - 1, chosen, all);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_three() {
        assert_eq!(combinations(&[4, 7, 9], 2), [[4, 7], [4, 9], [7, 9]]);
        assert_eq!(combinations(&[1], 0), [[0_usize; 0]]);
        for (items, most, sets) in [
            (0, 3, 1),
            (5, 0, 1),
            (5, 2, 16),
            (5, 9, 32),
            (200, 200, u64::MAX),
        ] {
            assert_eq!(sets_of_at_most(items, most), sets, "{items} {most}");
        }
        assert!(combinations(&[1], 2).is_empty());
    }
}
