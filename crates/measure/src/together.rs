//! What several records of one person tell together: people who stand in the same combination of groups.
//!
//! # Idea
//!
//! Somebody who knows one record of a person finds the group it is in. Somebody who knows several of them finds several groups, and
//! only people who stand in all of these can be meant:
//!
//! ```text
//!   p1: a, b     knows "a"       p1 or p2
//!   p2: a, c     knows "a" and "b"   p1
//!   p3: b, c
//! ```
//!
//! So people are put together by the *combination* of groups they stand in, and a promise is judged on the records that people of one
//! combination have in each of its groups.
//!
//! # Guarantee
//!
//! [`Together::All`] judges the exact combination: what the adversary knows who has every record of everybody, and hence knows where a person
//! is *not*. Groups of whoever knows fewer records are unions of those, so what is monotone holds against them as well.
//! [`Together::Any`] judges every combination of up to m groups, each with everybody who stands in all of them.
//!
//! # Reference
//!
//! The knowledge is that of set-valued data (M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008) on the people of multirelational
//! k-anonymity (M. Nergiz, C. Clifton, A. Nergiz, ICDE 2007).
//!
//! # Cost
//!
//! One grouping per set of columns; for any m, as many combinations as people have, up to [`MOST`].

use std::collections::BTreeMap;

use denym_data::Table;

use crate::classes::axis;
use crate::partition::Partition;
use crate::subsets::combinations;
use crate::{Classes, Measured, Promise, Roles, Sense, audit_classes};

/// The most combinations that are listed.
pub(crate) const MOST: usize = 2_000_000;

/// How many of a person's records an adversary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Any so many.
    Any(usize),
    /// All of them, and that there are no more.
    All,
}

/// A combination of groups, ascending, and the people in it.
pub type Combination = (Vec<u32>, Vec<u32>);

/// The combinations that people stand in, where `groups_of` has the groups of each person, ascending and without repetition.
///
/// `None` when there are more than [`MOST`]. People without a group are in no combination.
pub fn combinations_of(groups_of: &[Vec<u32>], known: Together) -> Option<Vec<Combination>> {
    let mut found: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    let mut listed = 0_usize;
    for (person, groups) in (0..).zip(groups_of) {
        if groups.is_empty() {
            continue;
        }
        let Together::Any(most) = known else {
            found.entry(groups.clone()).or_default().push(person);
            continue;
        };
        let mut chosen: Vec<usize> = Vec::new();
        // Every choice of up to `most` groups, the first of each in ascending order.
        loop {
            let next = chosen.last().map_or(0, |last| last + 1);
            if chosen.len() < most.max(1) && next < groups.len() {
                chosen.push(next);
            } else {
                // The last one moves on; what cannot move on leaves.
                while let Some(last) = chosen.pop() {
                    if last + 1 < groups.len() {
                        chosen.push(last + 1);
                        break;
                    }
                }
                if chosen.is_empty() {
                    break;
                }
            }
            listed += 1;
            if listed > MOST {
                return None;
            }
            let set = chosen.iter().map(|&at| groups[at]).collect();
            found.entry(set).or_default().push(person);
        }
    }
    Some(found.into_iter().collect())
}

/// Judges the promises for whoever knows several records of each person, told apart by the column `owner`.
///
/// With `most` the adversary knows up to so many of the quasi-identifiers of each record; else all. `None` when the combinations are too
/// many to be listed. Promises about a population are not for this.
pub fn audit_together(
    table: &Table,
    roles: &Roles,
    owner: usize,
    known: Together,
    most: Option<usize>,
    promises: &[Box<dyn Promise>],
) -> Option<Vec<Measured>> {
    let sets: Vec<Vec<usize>> = match most {
        Some(most) if most < roles.quasi.len() => (0..=most)
            .flat_map(|size| combinations(&roles.quasi, size))
            .collect(),
        _ => vec![roles.quasi.clone()],
    };
    let mut worst: Option<Vec<Measured>> = None;
    for set in sets {
        let classes = combined_classes(table, roles, owner, &set, known)?;
        let mut measured = audit_classes(&classes, promises);
        for measured in &mut measured {
            measured.violating_records = measured.violating_records.min(table.records() as u64);
        }
        worst = Some(match worst {
            None => measured,
            Some(mut worst) => {
                for (worst, measured) in worst.iter_mut().zip(measured) {
                    worsen(worst, &measured);
                }
                worst
            }
        });
    }
    worst
}

/// The worse of two judgements of one promise, into the first.
pub fn worsen(worst: &mut Measured, other: &Measured) {
    let worse = match (worst.measured, other.measured) {
        (Some(old), Some(new)) => match worst.terms.sense {
            Sense::AtLeast => new < old,
            Sense::AtMost => new > old,
        },
        (None, Some(_)) => true,
        _ => false,
    };
    if worse {
        worst.measured = other.measured;
    }
    worst.holds &= other.holds;
    worst.violating_groups = worst.violating_groups.max(other.violating_groups);
    worst.violating_records = worst.violating_records.max(other.violating_records);
}

/// The records of each combination in each of its groups.
fn combined_classes(
    table: &Table,
    roles: &Roles,
    owner: usize,
    quasi: &[usize],
    known: Together,
) -> Option<Classes> {
    let axes: Vec<_> = quasi.iter().map(|&column| axis(table, column)).collect();
    let groups = Partition::of(&axes, table.records());
    let owners = &table.columns()[owner];
    let missing = owners.dictionary.missing();
    let mut strangers = owners.dictionary.len() as u32;
    let mut places: Vec<(u32, u32, u32)> = Vec::with_capacity(table.records());
    for group in 0..groups.classes() {
        for &row in groups.rows(group) {
            let mut person = owners.codes[row as usize];
            if Some(person) == missing {
                // A record without an owner is tied to no other.
                person = strangers;
                strangers += 1;
            }
            places.push((person, group as u32, row));
        }
    }
    places.sort_unstable();
    let mut groups_of = vec![Vec::new(); strangers as usize];
    for run in places.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        groups_of[run[0].0 as usize].push(run[0].1);
    }
    let mut lists = Vec::new();
    for (set, people) in combinations_of(&groups_of, known)? {
        for group in set {
            let mut rows: Vec<u32> = Vec::new();
            for &person in &people {
                let from = places.partition_point(|&(p, g, _)| (p, g) < (person, group));
                let own = places[from..]
                    .iter()
                    .take_while(|&&(p, g, _)| (p, g) == (person, group));
                rows.extend(own.map(|&(_, _, row)| row));
            }
            rows.sort_unstable();
            lists.push(rows);
        }
    }
    Some(Classes::from_partition(
        table,
        Partition::of_lists(lists),
        roles,
    ))
}

#[cfg(test)]
mod tests {
    use denym_data::Column;

    use super::*;
    use crate::promises::{DistinctDiversity, KAnonymity};

    /// Three people in two of three wards each: every ward has two of them, every pair of wards one.
    fn wards() -> (Table, Roles) {
        let rows = [
            ("p1", "a", "flu"),
            ("p1", "b", "flu"),
            ("p2", "a", "hiv"),
            ("p2", "c", "hiv"),
            ("p3", "b", "gout"),
            ("p3", "c", "gout"),
        ];
        let column =
            |name: &str, of: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
                Column::from_texts(name, rows.iter().map(|row| Some(of(row))))
            };
        let table = Table::new(vec![
            column("person", |row| row.0),
            column("ward", |row| row.1),
            column("disease", |row| row.2),
        ])
        .expect("even");
        let roles = Roles {
            quasi: vec![1],
            sensitive: vec![2],
            subject: Some(0),
        };
        (table, roles)
    }

    fn promises() -> Vec<Box<dyn Promise>> {
        vec![
            Box::new(KAnonymity { k: 2 }),
            Box::new(DistinctDiversity { attribute: 0, l: 2 }),
        ]
    }

    #[test]
    fn two_wards_single_out_what_one_ward_hides() {
        let (table, roles) = wards();
        let held = |measured: Vec<Measured>| -> Vec<bool> {
            measured.iter().map(|measured| measured.holds).collect()
        };
        assert_eq!(
            held(audit_classes(&Classes::of(&table, &roles), &promises())),
            [true, true]
        );
        for (known, expected) in [
            (Together::Any(1), [true, true]),
            (Together::Any(2), [false, false]),
            (Together::All, [false, false]),
        ] {
            let found = audit_together(&table, &roles, 0, known, None, &promises());
            assert_eq!(held(found.expect("few")), expected, "{known:?}");
        }
        // Who knows no column of any record knows nothing.
        let found = audit_together(&table, &roles, 0, Together::All, Some(0), &promises());
        assert_eq!(held(found.expect("few")), [true, true]);
    }

    #[test]
    fn every_choice_of_up_to_m_groups_is_listed_once() {
        let groups = [vec![1, 2, 3], vec![2, 3], Vec::new()];
        let found = combinations_of(&groups, Together::Any(2)).expect("few");
        let expected: Vec<Combination> = vec![
            (vec![1], vec![0]),
            (vec![1, 2], vec![0]),
            (vec![1, 3], vec![0]),
            (vec![2], vec![0, 1]),
            (vec![2, 3], vec![0, 1]),
            (vec![3], vec![0, 1]),
        ];
        assert_eq!(found, expected);
        let exact = combinations_of(&groups, Together::All).expect("few");
        assert_eq!(exact, [(vec![1, 2, 3], vec![0]), (vec![2, 3], vec![1])]);
        let many: Vec<u32> = (0..200).collect();
        assert!(combinations_of(&[many], Together::Any(4)).is_none());
    }
}
