//! Other knowledge than all quasi-identifiers, against brute force: any m columns, added columns, wildcards, implications.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use denym_data::{Column, Fraction, Table};
use denym_measure::metrics::compare;
use denym_measure::profile::profile;
use denym_measure::promises::{Confidence, EpsilonM, KAnonymity, KMap, exact_numbers};
use denym_measure::risk::{
    contributions, population_uniqueness, separations, special_uniques, wildcard_sizes,
};
use denym_measure::{
    Classes, Promise, Roles, SurveyOptions, audit_classes, audit_subsets, audit_subsets_in, survey,
    what_if, worst_case_disclosure,
};
use proptest::prelude::*;

fn build(rows: &[Vec<Option<u8>>]) -> Table {
    let width = rows.first().map_or(4, Vec::len);
    let columns = (0..width)
        .map(|at| {
            let texts: Vec<Option<String>> = rows
                .iter()
                .map(|row| row[at].map(|value| value.to_string()))
                .collect();
            Column::from_texts(&format!("c{at}"), texts.iter().map(Option::as_deref))
        })
        .collect();
    Table::new(columns).unwrap()
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Vec<Option<u8>>>> {
    let cell = prop::option::weighted(0.9, 0_u8..3);
    prop::collection::vec(prop::collection::vec(cell, 4), 1..most)
}

fn subsets(items: &[usize], most: usize) -> Vec<Vec<usize>> {
    (0..1_u32 << items.len())
        .map(|mask| {
            (0..items.len())
                .filter(|&at| mask >> at & 1 == 1)
                .map(|at| items[at])
                .collect::<Vec<_>>()
        })
        .filter(|subset| subset.len() <= most)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Knowing any m columns: the same as auditing each subset by itself, records that fail anywhere counted once.
    #[test]
    fn any_m_columns(rows in rows(15), m in 0_usize..4, k in 1_u64..4, people in any::<bool>()) {
        let table = build(&rows);
        let mut roles = Roles { quasi: vec![0, 1, 2], sensitive: vec![3], subject: None };
        if people {
            roles = Roles { quasi: vec![0, 1], sensitive: vec![3], subject: Some(2) };
        }
        let numbers = exact_numbers(&table.columns()[3].dictionary);
        let make = |monotone_only: bool| -> Vec<Box<dyn Promise>> {
            let mut promises: Vec<Box<dyn Promise>> = vec![
                Box::new(KAnonymity { k }),
                Box::new(Confidence::of_all(0, Fraction::new(2, 3).unwrap())),
            ];
            if !monotone_only {
                promises.push(Box::new(EpsilonM::new(0, denym_data::Decimal::whole(1), 2, &numbers)));
            }
            promises
        };
        for monotone_only in [true, false] {
            let promises = make(monotone_only);
            let found = audit_subsets(&table, &roles, m, &promises);
            for (index, promise) in promises.iter().enumerate() {
                let mut failing = vec![false; rows.len()];
                let mut holds = true;
                for quasi in subsets(&roles.quasi, m) {
                    let roles = Roles { quasi, ..roles.clone() };
                    let classes = Classes::of(&table, &roles);
                    for class in 0..classes.len() {
                        let histogram = [classes.histogram(0, class)];
                        let group = denym_measure::Group::new(
                            classes.records()[class], classes.subjects()[class], &histogram,
                        );
                        if !promise.admits(&group) {
                            holds = false;
                            for &row in classes.rows(class) {
                                failing[row as usize] = true;
                            }
                        }
                    }
                }
                let found = &found[index].measured;
                prop_assert_eq!(found.holds, holds, "{}", found.terms.name);
                let failing = failing.iter().filter(|&&fails| fails).count() as u64;
                prop_assert_eq!(found.violating_records, failing, "{}", found.terms.name);
            }
        }
    }

    /// Adding a column to the knowledge is the same as having had it among the quasi-identifiers.
    #[test]
    fn added_columns(rows in rows(15), k in 1_u64..4) {
        let table = build(&rows);
        let roles = Roles { quasi: vec![0], sensitive: vec![3], subject: None };
        let promises: Vec<Box<dyn Promise>> =
            vec![Box::new(KAnonymity { k }), Box::new(Confidence::of_all(0, Fraction::new(2, 3).unwrap()))];
        let before = audit_classes(&Classes::of(&table, &roles), &promises);
        let found = what_if(&table, &roles, &promises, true);
        prop_assert_eq!(found.len(), 3 + 3);
        // Without promises records are counted in arrays; the figures are the same.
        for (quick, case) in what_if(&table, &roles, &[], true).iter().zip(&found) {
            prop_assert_eq!(&quick.added, &case.added);
            prop_assert_eq!((quick.k, &quick.confidence), (case.k, &case.confidence));
        }
        for case in found {
            let mut quasi = vec![0];
            quasi.extend(&case.added);
            let again = audit_classes(&Classes::of(&table, &Roles { quasi, ..roles.clone() }), &promises);
            prop_assert_eq!(case.measured[0].as_ref(), Some(&again[0]));
            prop_assert!((case.k as f64 - again[0].measured.unwrap()).abs() < 1e-12);
            let mut breaks = before[0].holds && !again[0].holds;
            if case.added.contains(&3) {
                prop_assert!(case.measured[1].is_none() && case.confidence[0].is_none());
            } else {
                prop_assert_eq!(case.measured[1].as_ref(), Some(&again[1]));
                prop_assert_eq!(case.confidence[0], again[1].measured);
                breaks |= before[1].holds && !again[1].holds;
            }
            prop_assert_eq!(case.breaks, breaks);
        }
    }

    #[test]
    fn wildcards_match_anything(rows in rows(25)) {
        let table = build(&rows);
        let fits = |a: &[Option<u8>], b: &[Option<u8>]| {
            a.iter().zip(b).all(|(x, y)| x.is_none() || y.is_none() || x == y)
        };
        let slow: Vec<u64> =
            rows.iter().map(|a| rows.iter().filter(|b| fits(a, b)).count() as u64).collect();
        prop_assert_eq!(wildcard_sizes(&table, &[0, 1, 2, 3]), slow);
    }

    #[test]
    fn minimal_uniques_are_minimal_and_unique(rows in rows(15), most in 1_usize..5) {
        let table = build(&rows);
        let unique = |row: usize, set: &[usize]| {
            rows.iter().filter(|other| set.iter().all(|&at| other[at] == rows[row][at])).count() == 1
        };
        let found: BTreeMap<u32, Vec<Vec<usize>>> = special_uniques(&table, &[0, 1, 2, 3], most)
            .into_iter()
            .map(|special| (special.record, special.minimal))
            .collect();
        for row in 0..rows.len() {
            let mut slow: Vec<Vec<usize>> = subsets(&[0, 1, 2, 3], most)
                .into_iter()
                .filter(|set| {
                    !set.is_empty() && unique(row, set)
                        && (0..set.len()).all(|skip| {
                            let smaller: Vec<usize> =
                                set.iter().enumerate().filter(|(at, _)| *at != skip).map(|(_, &c)| c).collect();
                            !unique(row, &smaller)
                        })
                })
                .collect();
            // In a table of one record the empty set already tells everything; it has no minimal set of one column.
            if rows.len() == 1 {
                slow = (0..4).map(|at| vec![at]).collect();
            }
            let mut fast = found.get(&(row as u32)).cloned().unwrap_or_default();
            fast.sort();
            slow.sort();
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn separation_counts_pairs(rows in rows(12)) {
        let table = build(&rows);
        for found in separations(&table, &[0, 1, 2, 3], 4) {
            let differ = |a: usize, b: usize| found.columns.iter().any(|&at| rows[a][at] != rows[b][at]);
            let (mut apart, mut pairs) = (0, 0);
            for a in 0..rows.len() {
                for b in 0..a {
                    pairs += 1;
                    apart += u32::from(differ(a, b));
                }
            }
            let want = if pairs == 0 { 0.0 } else { f64::from(apart) / f64::from(pairs) };
            prop_assert!((found.separation - want).abs() < 1e-12);
        }
    }
}

/// The largest chance that some set of `many` simple implications gives some fact, over all worlds: every assignment
/// of each class's values to its people.
fn slow_worst_case(classes: &[Vec<u8>], many: usize) -> f64 {
    let people: usize = classes.iter().map(Vec::len).sum();
    let mut worlds: Vec<Vec<u8>> = vec![Vec::new()];
    for class in classes {
        let mut next = Vec::new();
        for world in &worlds {
            for order in permutations(class) {
                let mut longer = world.clone();
                longer.extend(order);
                next.push(longer);
            }
        }
        worlds = next;
    }
    let facts: Vec<(usize, u8)> = (0..people)
        .flat_map(|person| (0..3).map(move |value| (person, value)))
        .collect();
    // Worlds as bits: bit w of a fact says whether it holds in world w.
    let holds = |&(person, value): &(usize, u8)| -> Vec<bool> {
        worlds.iter().map(|world| world[person] == value).collect()
    };
    let truth: Vec<Vec<bool>> = facts.iter().map(holds).collect();
    let implications: Vec<Vec<bool>> = truth
        .iter()
        .flat_map(|a| {
            truth
                .iter()
                .map(move |b| a.iter().zip(b).map(|(a, b)| !a || *b).collect())
        })
        .collect();
    let mut known: Vec<Vec<bool>> = vec![vec![true; worlds.len()]];
    for _ in 0..many {
        known = known
            .iter()
            .flat_map(|left| {
                implications
                    .iter()
                    .map(move |right| left.iter().zip(right).map(|(a, b)| *a && *b).collect())
            })
            .collect();
        known.sort();
        known.dedup();
    }
    let mut worst = 0.0_f64;
    for possible in &known {
        let all = possible.iter().filter(|&&possible| possible).count();
        if all > 0 {
            for fact in &truth {
                let both = possible
                    .iter()
                    .zip(fact)
                    .filter(|(a, b)| **a && **b)
                    .count();
                worst = worst.max(both as f64 / all as f64);
            }
        }
    }
    worst
}

fn permutations(values: &[u8]) -> Vec<Vec<u8>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    (0..values.len())
        .flat_map(|first| {
            let mut rest = values.to_vec();
            let value = rest.remove(first);
            permutations(&rest).into_iter().map(move |mut tail| {
                tail.insert(0, value);
                tail
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn worst_case_knowledge(
        classes in prop::collection::vec(prop::collection::vec(0_u8..3, 1..4), 1..3), many in 0_usize..3,
    ) {
        let rows: Vec<Vec<Option<u8>>> = classes
            .iter()
            .enumerate()
            .flat_map(|(class, values)| values.iter().map(move |&value| vec![Some(class as u8), Some(value)]))
            .collect();
        let table = build(&rows);
        let roles = Roles { quasi: vec![0], sensitive: vec![1], subject: None };
        let found = worst_case_disclosure(&Classes::of(&table, &roles), 0, many);
        let slow = slow_worst_case(&classes, many);
        prop_assert!((found - slow).abs() < 1e-9, "{} for {}", found, slow);
    }

    /// Any number of threads, the same bits.
    #[test]
    fn threads_change_nothing(seed in 0_u64..1000) {
        let mut random = denym_data::SplitMix64::new(seed);
        let rows: Vec<Vec<Option<u8>>> = (0..3000)
            .map(|_| (0..4).map(|_| Some(random.below(9) as u8)).collect())
            .collect();
        let table = build(&rows);
        let roles = Roles { quasi: vec![0, 1, 2], sensitive: vec![3], subject: None };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| survey(&Classes::of(&table, &roles), &SurveyOptions::default()))
        };
        prop_assert_eq!(run(1), run(3));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// k-map for an adversary who knows two columns: count the population for each victim and each pair.
    #[test]
    fn populations_are_counted_for_each_subset(rows in rows(10), others in rows(20), k in 1_u64..8) {
        let (table, population) = (build(&rows), build(&others));
        let roles = Roles { quasi: vec![0, 1, 2], sensitive: Vec::new(), subject: None };
        let promises: [Box<dyn Promise>; 1] = [Box::new(KMap { k })];
        let found = audit_subsets_in(&table, &roles, 2, &promises, &population).unwrap();
        let exposed = |row: &Vec<Option<u8>>| {
            subsets(&roles.quasi, 2).iter().any(|set| {
                let looks = others.iter().filter(|other| set.iter().all(|&at| other[at] == row[at])).count();
                (looks as u64) < k
            })
        };
        let slow = rows.iter().filter(|row| exposed(row)).count() as u64;
        prop_assert_eq!(found[0].measured.violating_records, slow);
        let narrow = Table::new(population.columns()[..1].to_vec()).unwrap();
        prop_assert!(audit_subsets_in(&table, &roles, 2, &promises, &narrow).is_err());
    }
}

/// What each column brings: without it the table has so many uniques.
#[test]
fn contributions_are_what_is_left_without_a_column() {
    let cell = |value| Some(value);
    let rows = vec![
        vec![cell(1), cell(1), cell(1), cell(1)],
        vec![cell(1), cell(2), cell(1), cell(1)],
        vec![cell(2), cell(3), cell(1), cell(1)],
    ];
    let table = build(&rows);
    let found = contributions(&table, &[0, 1, 2]);
    let uniques: Vec<u64> = found.iter().map(|found| found.uniques_without).collect();
    assert_eq!(uniques, [3, 1, 3]);
    assert!((found[1].risk_share - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn nothing_is_asked_of_nobody() {
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(KAnonymity { k: 2 }),
        Box::new(Confidence::of_all(0, Fraction::new(1, 2).unwrap())),
    ];
    for table in [build(&[]), Table::default(), build(&[vec![None; 4]])] {
        let all: Vec<usize> = (0..table.columns().len()).collect();
        let roles = Roles {
            quasi: all.iter().copied().take(3).collect(),
            sensitive: all.iter().copied().skip(3).collect(),
            subject: None,
        };
        let classes = Classes::of(&table, &roles);
        let lonely = classes.total() > 0;
        let estimate = population_uniqueness(&classes, 0);
        assert!(estimate.pitman.is_none());
        assert_eq!(wildcard_sizes(&table, &all).len(), table.records());
        assert_eq!(special_uniques(&table, &all, 3).len(), table.records());
        assert_eq!(
            separations(&table, &all, 2).len(),
            if all.is_empty() { 0 } else { 10 }
        );
        assert_eq!(profile(&table, 2).columns.len(), all.len());
        assert_eq!(compare(&table, &table).columns.len(), all.len());
        let held = audit_subsets(&table, &roles, 2, &promises);
        assert_eq!(held.iter().all(|found| found.measured.holds), !lonely);
        for case in what_if(&table, &roles, &promises, true) {
            assert_eq!(case.k, u64::from(lonely));
        }
        if !roles.sensitive.is_empty() {
            let known = worst_case_disclosure(&classes, 0, 3);
            assert!((known - f64::from(u8::from(lonely))).abs() < 1e-12);
        }
    }
}
