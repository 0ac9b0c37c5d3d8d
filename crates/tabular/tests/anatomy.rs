//! Anatomy: the survey's worked example, and that no group gives a value away more often than one in l.

mod common;

use std::collections::BTreeSet;

use common::survey::anatomy;
use denym_data::{Column, Fraction, SplitMix64};
use denym_measure::Promise;
use denym_measure::metrics::{CountQuery, Publication, workload_error};
use denym_measure::promises::{KAnonymity, RecursiveDiversity};
use denym_tabular::{Anatomized, Anatomy, Context, Error, FullDomain, Request, Solver};
use denym_testkit::summarize::summarize;

/// Patients of age 38 with heart disease: 2 in truth, 1.5 by Anatomy, 0.4 from the generalized table.
#[test]
fn survey_table_iii() {
    let table = anatomy();
    let summary = table.summary();
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 4 })];
    // The intermediate table, III(b), has the classes ([30-35), Male) and ([35-40), Female).
    let request = Request {
        limits: Some(&[(1, 1), (0, 0)]),
        ..table.request(&summary, &promises)
    };
    let solved = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
    let recoding = solved.expect("feasible").recoding;
    let shown: BTreeSet<Option<Vec<String>>> = table.published(&recoding).into_iter().collect();
    let class = |age: &str, sex: &str| Some(vec![age.to_owned(), sex.to_owned()]);
    assert_eq!(
        shown,
        BTreeSet::from([class("[30-35)", "Male"), class("[35-40)", "Female")])
    );
    let tables = Anatomized::of(&summary, &recoding, 0).expect("tuples");
    let code = |text| table.code(text);
    let mut first = [(code("Hepatitis"), 3), (code("HIV"), 3)];
    first.sort_unstable();
    let mut second = [(code("Flu"), 2), (code("Heart"), 2)];
    second.sort_unstable();
    let groups: BTreeSet<_> = (0..2).map(|group| tables.groups.row(group)).collect();
    assert_eq!(groups, BTreeSet::from([&first[..], &second[..]]));
    // The sixth man, whom III(c) forgets, is listed.
    let listed: u64 = (0..tables.tuples.len())
        .flat_map(|t| tables.tuples.row(t))
        .map(|r| r.1)
        .sum();
    assert_eq!(listed, 10);
    let thirty_eight = table.quasi[0].dictionary.code_of("38").expect("an age");
    let by_anatomy = tables.estimate(
        |tuple| summary.quasi[0][tuple] == thirty_eight,
        |value| value == code("Heart"),
    );
    assert!((by_anatomy - 1.5).abs() < 1e-12, "{by_anatomy}");
    // The generalized table spreads its two hearts over the five ages of [35-40).
    let publication = Publication::new(&summary, &recoding, &table.hierarchies).expect("fits");
    let query = CountQuery {
        quasi: vec![(0, vec![thirty_eight])],
        sensitive: Some((0, vec![code("Heart")])),
    };
    let (truth, generalized) = workload_error(&publication, &[query], 0.0).answers[0];
    assert_eq!(truth, 2);
    assert!((generalized - 0.4).abs() < 1e-12, "{generalized}");
}

#[test]
fn no_value_is_more_frequent_than_one_in_l() {
    let mut random = SplitMix64::new(99);
    let (mut solved, mut refused) = (0, 0);
    for round in 0..2000 {
        let rows = 1 + random.below(40) as usize;
        let (spread, values) = (1 + random.below(10), 1 + random.below(7));
        let mut column = |name: &str, values: u64| {
            let cells: Vec<String> = (0..rows)
                .map(|_| format!("v{}", random.below(values)))
                .collect();
            Column::from_texts(name, cells.iter().map(|cell| Some(cell.as_str())))
        };
        let (quasi, secret) = (column("q", spread), column("s", values));
        let summary = summarize(&[&quasi], &[&secret], None);
        let l = 1 + round % 5;
        let mut counts = vec![0_u64; secret.dictionary.len()];
        for &code in &secret.codes {
            counts[code as usize] += 1;
        }
        let most = counts.iter().copied().max().expect("a record");
        let mut secret = SplitMix64::new(round);
        let solver = Anatomy { l, attribute: 0 };
        match solver.solve(&summary, &mut |n| secret.below(n)) {
            Ok(tables) => {
                solved += 1;
                assert!(most * l <= rows as u64, "only eligible tables");
                let mut seen = vec![0_u64; counts.len()];
                let mut sizes = Vec::new();
                for group in 0..tables.groups.len() {
                    let row = tables.groups.row(group);
                    let size: u64 = row.iter().map(|entry| entry.1).sum();
                    sizes.push(size);
                    for &(value, count) in row {
                        seen[value as usize] += count;
                        assert!(count * l <= size, "round {round}");
                    }
                }
                assert_eq!(seen, counts, "every record is in one group");
                let mut listed = vec![0; sizes.len()];
                for tuple in 0..summary.tuples() {
                    let rows = tables.tuples.row(tuple);
                    assert_eq!(
                        rows.iter().map(|row| row.1).sum::<u64>(),
                        summary.records[tuple]
                    );
                    for &(group, records) in rows {
                        listed[group as usize] += records;
                    }
                }
                assert_eq!(listed, sizes, "both tables agree");
            }
            Err(Error::Infeasible { nearest }) => {
                refused += 1;
                assert!(most * l > rows as u64);
                assert_eq!(
                    nearest.reach[0].reachable,
                    Some((rows as u64 / most) as f64)
                );
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(solved > 500 && refused > 300, "{solved} {refused}");
}

/// Groups of l records keep a promise on their size, or a recursive one, only when they have more different values than l.
#[test]
fn groups_have_as_many_values_as_the_promises_need() {
    let texts = ["a", "b", "c", "d", "e", "f"].repeat(4);
    let secret = Column::from_texts("s", texts.iter().map(|text| Some(*text)));
    let ids: Vec<String> = (0..texts.len()).map(|row| row.to_string()).collect();
    let quasi = Column::from_texts("q", ids.iter().map(|id| Some(id.as_str())));
    let summary = summarize(&[&quasi], &[&secret], None);
    let solver = Anatomy { l: 2, attribute: 0 };
    let least = |promise: Box<dyn Promise>| {
        let mut random = SplitMix64::new(4);
        let found = solver.solve_for(&summary, &[promise], &mut |n| random.below(n));
        found.map(|tables| {
            let groups = 0..tables.groups.len();
            let sizes = groups.map(|group| tables.groups.row(group).len());
            sizes.min().unwrap_or(0)
        })
    };
    assert_eq!(least(Box::new(KAnonymity { k: 2 })), Ok(2));
    assert_eq!(least(Box::new(KAnonymity { k: 4 })), Ok(4));
    let half = Fraction::new(1, 2).expect("a fraction");
    let recursive = RecursiveDiversity {
        attribute: 0,
        c: half,
        l: 2,
    };
    // 1 < 1/2 (1 + 1 + 1): four values.
    assert_eq!(least(Box::new(recursive)), Ok(4));
    let refused = least(Box::new(KAnonymity { k: 7 }));
    assert!(
        matches!(refused, Err(Error::Infeasible { .. })),
        "{refused:?}"
    );
}
