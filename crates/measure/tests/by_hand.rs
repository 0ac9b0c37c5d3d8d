//! Metrics and risks worked out by hand on a table of six records.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use denym_data::{Column, Hierarchy, HierarchyRow, Labels, Recoding, Summary, Table, Unit};
use denym_measure::metrics::{
    Cells, Publication, ambiguity, kl_divergence, loss, ncp, non_uniform_entropy, precision,
};
use denym_measure::risk::{at_risk, class_risk};
use denym_measure::{Classes, Roles, reference};

fn column(name: &str, texts: &[&str]) -> Column {
    Column::from_texts(
        name,
        texts.iter().map(|text| (!text.is_empty()).then_some(*text)),
    )
}

fn same(value: f64, want: f64) {
    assert!((value - want).abs() < 1e-9, "{value} for {want}");
}

/// Jobs a (3 records), b (1), c (1), d (1); a and b go up to x, c stays, d is suppressed. A fifth leaf never occurs.
fn jobs() -> (Summary, Vec<Hierarchy>) {
    let jobs = column("job", &["a", "a", "a", "b", "c", "d"]);
    let rows: Vec<HierarchyRow> = ["a,x,*", "b,x,*", "c,y,*", "d,y,*", "e,y,*"]
        .iter()
        .enumerate()
        .map(|(line, row)| HierarchyRow {
            line: line + 1,
            labels: row.split(',').map(str::to_owned).collect(),
        })
        .collect();
    let summary = Summary {
        quasi: vec![vec![0, 1, 2, 3]],
        cardinalities: vec![4],
        records: vec![3, 1, 1, 1],
        sensitive: Vec::new(),
        subjects: None,
        shown: Vec::new(),
    };
    (summary, vec![Hierarchy::from_rows(&jobs, &rows).unwrap()])
}

#[test]
fn a_local_recoding_of_jobs() {
    let (summary, hierarchies) = jobs();
    let recoding = Recoding {
        unit: Unit::Tuple,
        class_of: vec![Some(0), Some(0), Some(1), None],
        labels: vec![Labels {
            texts: vec![Some("x".into()), Some("c".into())],
            shares: vec![0.4, 0.2],
        }],
        published: vec![vec![0, 1]],
        levels: None,
    };
    let cells = Cells::of_recoding(&summary, &recoding, &hierarchies).unwrap();
    assert_eq!((cells.suppressed, cells.total), (1, 6));
    // Four records at level 1 of 2, one at 0, one lost: 1 - (4 * 1/2 + 1) / 6.
    same(precision(&cells), 0.5);
    // (4 * 2/5 + 1) / 6; a single leaf is free.
    same(ncp(&cells, &[]).unwrap().mean, 2.6 / 6.0);
    // (4 * 2 + 1 + 5 - 6) / (6 * 4), floored to ten decimals.
    same(loss(&cells, &[]).unwrap().per_attribute[0], 0.333_333_333_3);
    let publication = Publication::new(&summary, &recoding, &hierarchies).unwrap();
    // 4 records of 2 tuples, 1 of 1, and 1 of 5.
    same(ambiguity(&publication), (8.0 + 1.0 + 5.0) / 6.0);
    // Under x there are 4 records: 3 * log2(4/3) + log2(4); d could have been anything: log2(6).
    let bits = 3.0 * (4.0_f64 / 3.0).log2() + 4.0_f64.log2() + 6.0_f64.log2();
    same(non_uniform_entropy(&publication).bits, bits);
    // x spreads 4 records over 2 tuples, the suppressed one spreads over 5: densities 2.2, 2.2, 1.2, 0.2.
    let nats = (3.0 * (3.0_f64 / 2.2).ln()
        + (1.0_f64 / 2.2).ln()
        + (1.0_f64 / 1.2).ln()
        + (1.0_f64 / 0.2).ln())
        / 6.0;
    same(kl_divergence(&publication), nats);
    assert!(Cells::of_recoding(&summary, &recoding, &[]).is_err());
}

#[test]
fn risks_with_and_without_a_population() {
    let table = Table::new(vec![
        column("job", &["a", "a", "a", "b", "b", "c"]),
        column("who", &["1", "1", "2", "3", "4", "5"]),
    ])
    .unwrap();
    let roles = Roles::by_name(&table, &["job"], &[], None).unwrap();
    let classes = Classes::of(&table, &roles);
    let alone = class_risk(&classes, None);
    same(alone.prosecutor_highest, 1.0);
    same(alone.prosecutor_lowest, 1.0 / 3.0);
    same(alone.prosecutor_average, 0.5);
    same(alone.marketer, 0.5);
    same(alone.journalist_highest, 1.0);
    assert_eq!(alone.uniques, 1);
    assert_eq!(
        at_risk(&classes, denym_data::Fraction::new(1, 3).unwrap()),
        (3, 2)
    );
    // Ten times as many people as records: every class is taken to be ten times as large.
    let guessed = class_risk(&classes, Some(60));
    assert!(guessed.population_is_estimated);
    same(guessed.journalist_highest, 0.1);
    same(guessed.marketer, 0.05);
    same(guessed.prosecutor_highest, 1.0);
    // Counted: 30, 4 and 2 people look like the classes.
    let counted = class_risk(&classes.with_population(vec![30, 4, 2]), Some(60));
    assert!(!counted.population_is_estimated);
    same(counted.journalist_highest, 0.5);
    same(counted.marketer, (3.0 / 30.0 + 2.0 / 4.0 + 1.0 / 2.0) / 6.0);
    // With people: two of the three records of job a are one person.
    let roles = Roles::by_name(&table, &["job"], &[], Some("who")).unwrap();
    let people = Classes::of(&table, &roles);
    assert_eq!(people.subjects(), [2, 2, 1]);
    same(
        class_risk(&people, None).prosecutor_average,
        (3.0 / 2.0 + 2.0 / 2.0 + 1.0) / 6.0,
    );
    assert_eq!(people.people(), 5);
}

#[test]
fn given_classes_are_the_grouped_ones() {
    let table = Table::new(vec![
        column("job", &["a", "b", "a", "c", "b", "a"]),
        column("ill", &["x", "x", "y", "", "y", "y"]),
    ])
    .unwrap();
    let roles = Roles::by_name(&table, &["job"], &["ill"], None).unwrap();
    let grouped = Classes::of(&table, &roles);
    let given = Classes::of_assignment(
        &table,
        &[Some(0), Some(1), Some(0), None, Some(1), Some(0)],
        &roles,
    );
    assert_eq!(given.records(), &grouped.records()[..2]);
    for class in 0..2 {
        assert_eq!(given.rows(class), grouped.rows(class));
        assert_eq!(
            given.histogram(0, class).counts,
            grouped.histogram(0, class).counts
        );
    }
    assert_eq!(
        given.attributes()[0].reference,
        [2, 3, 0],
        "a record left out is not in the reference"
    );
    assert_eq!(reference(&table, 1, None), [2, 3, 1]);
    assert_eq!(
        Roles::by_name(&table, &["jobs"], &[], None)
            .unwrap_err()
            .code(),
        "unknown-column"
    );
    assert_eq!(
        Roles::by_name(&table, &["job"], &["job"], None)
            .unwrap_err()
            .code(),
        "repeated-column"
    );
}
