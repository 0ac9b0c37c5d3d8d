//! Several quasi-identifier sets at once: each adversary knows its own columns, and each set has its own promises.
//!
//! # Idea
//!
//! A template `<QID -> s, h>` bounds the confidence in one value for whoever knows one set of columns; a publisher may state many. A set
//! that is contained in another adds nothing to a *monotone* promise: its groups are unions of the other's groups (the
//! subset property), so it can be left out.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, "Top-down specialization for information and privacy preservation", ICDE 2005; survey section 2.1, example 2.3 and
//! observation 2.1, and section 2.2 for templates.

use denym_data::Table;

use crate::{Classes, Measured, Promise, Roles, audit};

/// What must hold for an adversary who knows certain columns.
pub struct Requirement {
    /// Positions of the columns that this adversary knows.
    pub quasi: Vec<usize>,
    /// What must hold on the groups they form.
    pub promises: Vec<Box<dyn Promise>>,
}

/// Judges every requirement on groups of its own. `roles` says what is sensitive and who is a subject.
pub fn audit_requirements(
    table: &Table,
    roles: &Roles,
    requirements: &[Requirement],
) -> Vec<Vec<Measured>> {
    requirements
        .iter()
        .map(|requirement| {
            let roles = Roles {
                quasi: requirement.quasi.clone(),
                ..roles.clone()
            };
            audit(&Classes::of(table, &roles), &requirement.promises)
        })
        .collect()
}

/// The positions of the sets that no other set contains (the first of equal ones): enough for every monotone promise.
pub fn without_covered(sets: &[Vec<usize>]) -> Vec<usize> {
    let contains =
        |outer: &[usize], inner: &[usize]| inner.iter().all(|column| outer.contains(column));
    (0..sets.len())
        .filter(|&index| {
            !sets.iter().enumerate().any(|(other, set)| {
                other != index
                    && contains(set, &sets[index])
                    && (other < index || !contains(&sets[index], set))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_and_repetitions_are_covered() {
        let sets = [vec![0, 1], vec![1], vec![2, 3], vec![1, 0], vec![3, 2, 4]];
        assert_eq!(without_covered(&sets), [0, 4]);
        assert!(without_covered(&[]).is_empty());
    }
}
