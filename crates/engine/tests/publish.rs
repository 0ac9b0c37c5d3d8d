//! Summarize and apply against slow and obvious versions of themselves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Scratch, engine, rows};
use denym_data::{
    Column, Dictionary, Kind, Labels, Ragged, Recoding, Strings, Summary, Table, Unit,
};
use denym_engine::{Engine, Format, ReadOptions, fingerprint};
use proptest::prelude::*;

type Row = Vec<Option<String>>;

/// Classes, the subjects in each, and what the records of each show.
type People = BTreeMap<Row, BTreeMap<Option<String>, Vec<Row>>>;

/// A table of small numbers; `None` is missing.
fn table_of(cells: &[Vec<Option<u8>>], width: usize) -> Table {
    let columns = (0..width).map(|column| {
        let texts: Vec<Option<String>> = cells
            .iter()
            .map(|row| row[column].map(|number| number.to_string()))
            .collect();
        Column::from_texts(&format!("c{column}"), texts.iter().map(Option::as_deref))
    });
    Table::new(columns.collect()).unwrap()
}

fn codes(table: &Table, columns: &[usize], row: usize) -> Vec<u32> {
    columns
        .iter()
        .map(|&column| table.columns()[column].codes[row])
        .collect()
}

/// The frequency set by the book: a map from tuples to everything.
fn naive_summary(
    table: &Table,
    quasi: &[usize],
    sensitive: &[usize],
    subject: Option<usize>,
) -> Summary {
    let mut rows_of: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.records() {
        rows_of
            .entry(codes(table, quasi, row))
            .or_default()
            .push(row);
    }
    let histogram = |attribute: usize| -> Ragged<(u32, u64)> {
        rows_of
            .values()
            .map(|rows| {
                let mut seen = BTreeSet::new();
                let mut counts = BTreeMap::new();
                for &row in rows {
                    let value = table.columns()[attribute].codes[row];
                    let who = subject.map_or(row as u32, |s| table.columns()[s].codes[row]);
                    if seen.insert((value, who)) {
                        *counts.entry(value).or_insert(0) += 1;
                    }
                }
                counts.into_iter().collect::<Vec<_>>()
            })
            .collect()
    };
    Summary {
        quasi: (0..quasi.len())
            .map(|index| rows_of.keys().map(|tuple| tuple[index]).collect())
            .collect(),
        cardinalities: quasi
            .iter()
            .map(|&column| table.columns()[column].dictionary.len())
            .collect(),
        records: rows_of.values().map(|rows| rows.len() as u64).collect(),
        sensitive: sensitive
            .iter()
            .map(|&attribute| histogram(attribute))
            .collect(),
        subjects: subject.map(|subject| {
            rows_of
                .values()
                .map(|rows| {
                    let all = rows.iter().map(|&row| table.columns()[subject].codes[row]);
                    all.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
                })
                .collect()
        }),
        shown: subject.map_or_else(Vec::new, |subject| {
            let pairs = |attribute: usize| {
                let (values, people) = (
                    &table.columns()[attribute].codes,
                    &table.columns()[subject].codes,
                );
                rows_of
                    .values()
                    .map(|rows| {
                        let all: BTreeSet<_> =
                            rows.iter().map(|&row| (values[row], people[row])).collect();
                        all.into_iter().collect::<Vec<_>>()
                    })
                    .collect()
            };
            sensitive
                .iter()
                .map(|&attribute| pairs(attribute))
                .collect()
        }),
    }
}

/// What each record publishes, row by row: texts in the order of `released`, the subject's own text in its place.
fn naive_rows(
    table: &Table,
    quasi: &[usize],
    released: &[usize],
    summary: &Summary,
    recoding: &Recoding,
) -> Vec<(Vec<Option<String>>, usize)> {
    let mut published = Vec::new();
    for row in 0..table.records() {
        let unit = match recoding.unit {
            Unit::Record => row,
            Unit::Tuple => {
                let tuple = codes(table, quasi, row);
                (0..summary.tuples())
                    .find(|&t| summary.quasi.iter().map(|q| q[t]).collect::<Vec<_>>() == tuple)
                    .unwrap()
            }
        };
        let Some(class) = recoding.class_of[unit] else {
            continue;
        };
        let texts = released
            .iter()
            .map(|column| match quasi.iter().position(|q| q == column) {
                Some(index) => {
                    let label = recoding.published[index][class as usize];
                    recoding.labels[index].texts[label as usize]
                        .as_deref()
                        .map(str::to_owned)
                }
                None => table.columns()[*column].text(row).map(str::to_owned),
            })
            .collect();
        published.push((texts, row));
    }
    published
}

/// Some recoding: classes, labels (two with the same text, one missing) and suppressed units drawn from `seed`.
fn some_recoding(unit: Unit, units: usize, quasi: usize, seed: u64) -> Recoding {
    let mut random = denym_data::SplitMix64::new(seed);
    let classes = 1 + random.below(5) as usize;
    let texts: [Option<Box<str>>; 5] = [
        Some("10".into()),
        Some("[1, 9]".into()),
        None,
        Some("9".into()),
        Some("10".into()),
    ];
    let labels = Labels {
        shares: vec![0.0; texts.len()],
        texts: texts.into(),
    };
    Recoding {
        unit,
        class_of: (0..units)
            .map(|_| (random.below(4) > 0).then(|| random.below(classes as u64) as u32))
            .collect(),
        labels: vec![labels; quasi],
        published: (0..quasi)
            .map(|_| (0..classes).map(|_| random.below(5) as u32).collect())
            .collect(),
        levels: None,
    }
}

/// Rows of a table compare as its codes do; missing last.
fn is_sorted(table: &Table) -> bool {
    let all: Vec<usize> = (0..table.columns().len()).collect();
    (1..table.records()).all(|row| codes(table, &all, row - 1) <= codes(table, &all, row))
}

fn cell() -> impl Strategy<Value = Option<u8>> {
    prop::option::weighted(0.9, 0_u8..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn summaries_are_what_grouping_gives(
        cells in prop::collection::vec(prop::collection::vec(cell(), 5), 1..60),
        width in 0_usize..4,
        sensitive in prop::sample::subsequence(vec![0_usize, 3, 4], 0..3),
        subject in prop::option::of(Just(4_usize)),
    ) {
        let table = table_of(&cells, 5);
        let quasi: Vec<usize> = (0..width).rev().collect();
        let found = engine().summarize(&table, &quasi, &sensitive, subject).unwrap();
        prop_assert_eq!(found, naive_summary(&table, &quasi, &sensitive, subject));
    }

    #[test]
    fn releases_are_what_every_record_publishes(
        cells in prop::collection::vec(prop::collection::vec(cell(), 4), 1..40),
        released in prop::sample::subsequence(vec![0_usize, 1, 2], 0..=3).prop_shuffle(),
        by_record in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let table = table_of(&cells, 4);
        let quasi = [2, 0];
        let engine = engine();
        let summary = engine.summarize(&table, &quasi, &[], None).unwrap();
        let (unit, units) = if by_record { (Unit::Record, table.records()) } else { (Unit::Tuple, summary.tuples()) };
        let recoding = some_recoding(unit, units, 2, seed);
        let release = engine.apply(&table, &quasi, &released, Some(3), &summary, &recoding).unwrap();
        let mut expected: Vec<_> = naive_rows(&table, &quasi, &released, &summary, &recoding).into_iter().map(|(texts, _)| texts).collect();
        let mut found = rows(&release);
        if released.is_empty() {
            prop_assert_eq!(release.columns().len(), 0);
            return Ok(());
        }
        prop_assert!(is_sorted(&release));
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
        for column in release.columns() {
            // Every value of the dictionary is published: nothing of a suppressed record is left in it.
            let shown: BTreeSet<u32> = column.codes.iter().copied().collect();
            prop_assert_eq!(shown.len(), column.dictionary.len());
            let source = table.column(&column.name).unwrap().dictionary.kind();
            let fits = column.dictionary.values().all(|text| source.fits(text));
            prop_assert_eq!(column.dictionary.kind(), if fits { source } else { Kind::Text });
        }
    }

    #[test]
    fn subjects_are_renumbered_within_classes(
        cells in prop::collection::vec(prop::collection::vec(cell(), 4), 1..40),
        released in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
        by_record in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let table = table_of(&cells, 4);
        let quasi = [0, 1];
        let engine = engine();
        let summary = engine.summarize(&table, &quasi, &[], Some(3)).unwrap();
        let (unit, units) = if by_record { (Unit::Record, table.records()) } else { (Unit::Tuple, summary.tuples()) };
        let recoding = some_recoding(unit, units, 2, seed);
        let release = engine.apply(&table, &quasi, &released, Some(3), &summary, &recoding).unwrap();
        prop_assert!(is_sorted(&release));
        let at = released.iter().position(|&column| column == 3).unwrap();
        // People of each class, as the multiset of what their records show: numbers may not matter.
        let gather = |published: Vec<Vec<Option<String>>>| {
            let mut people = People::new();
            for mut texts in published {
                let class: Vec<_> = (0..4).filter(|&c| quasi.contains(&released[c])).map(|c| texts[c].clone()).collect();
                let who = texts.remove(at);
                people.entry(class).or_default().entry(who).or_default().push(texts);
            }
            for class in people.values_mut() {
                for rows in class.values_mut() {
                    rows.sort();
                }
            }
            people
        };
        let found = gather(rows(&release));
        let source = naive_rows(&table, &quasi, &released, &summary, &recoding).into_iter().map(|(texts, _)| texts).collect();
        let expected = gather(source);
        prop_assert_eq!(found.len(), expected.len());
        for ((class, found), (same, expected)) in found.iter().zip(&expected) {
            prop_assert_eq!(class, same);
            let mut a: Vec<_> = found.values().cloned().collect();
            let mut b: Vec<_> = expected.values().cloned().collect();
            a.sort();
            b.sort();
            prop_assert_eq!(a, b);
            prop_assert_eq!(found.get(&None), expected.get(&None));
            let mut numbers: Vec<u32> = found.keys().flatten().map(|text| text.parse().unwrap()).collect();
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (1..=found.keys().flatten().count() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn subject_numbers_do_not_depend_on_identifiers(
        cells in prop::collection::vec(prop::collection::vec(0_u8..3, 3), 1..40),
        keys in Just((0_u8..3).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        // The same people under other identifiers, records in another order: the same release.
        let some = |cells: &[Vec<u8>]| table_of(&cells.iter().map(|row| row.iter().map(|&c| Some(c)).collect()).collect::<Vec<_>>(), 3);
        let mut renamed: Vec<Vec<u8>> = cells.iter().map(|row| vec![row[0], row[1], 100 + keys[row[2] as usize]]).collect();
        renamed.reverse();
        let publish = |table: &Table| {
            let engine = engine();
            let summary = engine.summarize(table, &[0], &[], Some(2)).unwrap();
            let recoding = Recoding {
                unit: Unit::Tuple,
                class_of: vec![Some(0); summary.tuples()],
                labels: vec![Labels { texts: vec![Some("*".into())], shares: vec![1.0] }],
                published: vec![vec![0]],
                levels: None,
            };
            rows(&engine.apply(table, &[0], &[2, 0, 1], Some(2), &summary, &recoding).unwrap())
        };
        prop_assert_eq!(publish(&some(&cells)), publish(&some(&renamed)));
    }
}

/// A column of `records` numbers below `distinct`, in no order.
fn scattered(name: &str, records: usize, distinct: usize, seed: u64) -> Column {
    let mut random = denym_data::SplitMix64::new(seed);
    let texts: Vec<String> = (0..distinct).map(|number| number.to_string()).collect();
    let values: Strings = texts.iter().map(String::as_str).collect();
    let (dictionary, order) = Dictionary::build(&values, false, Some(Kind::Integer));
    Column {
        name: name.into(),
        dictionary: dictionary.into(),
        codes: (0..records)
            .map(|_| order[random.below(distinct as u64) as usize])
            .collect(),
    }
}

#[test]
fn wide_tuples_and_many_records_are_the_same_for_any_threads() {
    // Seven columns of 18 bits: two words; enough records for every thread to have a share.
    let records = 70_000;
    let columns = (0..8).map(|c| {
        scattered(
            &format!("c{c}"),
            records,
            if c < 6 { 200_000 } else { 3 },
            c,
        )
    });
    let table = Table::new(columns.collect()).unwrap();
    let quasi: Vec<usize> = (0..7).collect();
    let scratch = Scratch::new();
    let mut seen: Option<(Summary, String)> = None;
    for threads in [1, 2, 3] {
        let engine = Engine::new(Some(threads)).unwrap();
        let summary = engine.summarize(&table, &quasi, &[7], None).unwrap();
        assert_eq!(summary, naive_summary(&table, &quasi, &[7], None));
        let labels = |column: usize| Labels {
            texts: (0..3)
                .map(|label| Some(format!("{column}-{label}").into()))
                .collect(),
            shares: vec![0.3; 3],
        };
        let recoding = Recoding {
            unit: Unit::Tuple,
            class_of: (0..summary.tuples() as u32)
                .map(|t| (t % 10 > 0).then_some(t % 9))
                .collect(),
            labels: quasi.iter().map(|&column| labels(column)).collect(),
            published: quasi
                .iter()
                .map(|&column| (0..9).map(|class| (class + column as u32) % 3).collect())
                .collect(),
            levels: None,
        };
        let released: Vec<usize> = (0..8).rev().collect();
        let release = engine
            .apply(&table, &quasi, &released, None, &summary, &recoding)
            .unwrap();
        let kept: u64 = summary
            .records
            .iter()
            .zip(&recoding.class_of)
            .filter(|(_, class)| class.is_some())
            .map(|(n, _)| n)
            .sum();
        assert_eq!(release.records() as u64, kept);
        assert!(is_sorted(&release));
        let path = scratch.path("a.csv");
        engine.write(&release, Format::Csv, &path).unwrap();
        let found = (summary, fingerprint(&path).unwrap());
        assert_eq!(seen.get_or_insert_with(|| found.clone()), &found);
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let table = table_of(&[vec![Some(1), Some(2)], vec![Some(2), None]], 2);
    let engine = engine();
    assert_eq!(
        engine
            .summarize(&table, &[2], &[], None)
            .unwrap_err()
            .code(),
        "mismatch"
    );
    let summary = engine.summarize(&table, &[0], &[], None).unwrap();
    let good = some_recoding(Unit::Tuple, 2, 1, 1);
    let apply = |released: &[usize], recoding: &Recoding| {
        engine.apply(&table, &[0], released, None, &summary, recoding)
    };
    assert!(apply(&[0, 1], &good).is_ok());
    let bad = |change: fn(&mut Recoding)| {
        let mut recoding = good.clone();
        change(&mut recoding);
        apply(&[0, 1], &recoding).unwrap_err().code()
    };
    assert_eq!(bad(|r| r.class_of.truncate(1)), "mismatch");
    assert_eq!(bad(|r| r.class_of[0] = Some(99)), "mismatch");
    assert_eq!(bad(|r| r.published[0][0] = 99), "mismatch");
    assert_eq!(bad(|r| r.labels.clear()), "mismatch");
    assert_eq!(apply(&[0, 0], &good).unwrap_err().code(), "mismatch");
    assert_eq!(apply(&[7], &good).unwrap_err().code(), "mismatch");
}

#[test]
fn everything_suppressed_leaves_an_empty_release() {
    let table = table_of(&[vec![Some(1), Some(2)]], 2);
    let engine = engine();
    let summary = engine.summarize(&table, &[0], &[], None).unwrap();
    let mut recoding = some_recoding(Unit::Tuple, 1, 1, 1);
    recoding.class_of = vec![None];
    let release = engine
        .apply(&table, &[0], &[0, 1], Some(1), &summary, &recoding)
        .unwrap();
    assert_eq!((release.records(), release.columns().len()), (0, 2));
    let scratch = Scratch::new();
    for (name, format) in Format::ALL {
        engine.write(&release, format, scratch.path(name)).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(scratch.path("csv")).unwrap(),
        "c0,c1\n"
    );
}

#[test]
fn adult_is_what_the_reference_says() {
    let Some(path) = denym_testkit::shared::path("data/adult/adult.csv") else {
        return;
    };
    let engine = engine();
    let table = engine.read(path, &ReadOptions::default()).unwrap();
    assert_eq!((table.records(), table.columns().len()), (30_162, 9));
    let quasi: Vec<usize> = (0..8).collect();
    let summary = engine.summarize(&table, &quasi, &[8], None).unwrap();
    assert_eq!(summary, naive_summary(&table, &quasi, &[8], None));
}
