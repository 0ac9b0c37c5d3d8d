//! Anatomy: the survey's worked example, and that no group gives a value away more often than one in l.

use denym_data::{Column, Labels, Recoding, SplitMix64, Unit};
use denym_tabular::{Anatomized, Anatomy, Error};
use denym_testkit::summarize::summarize;

/// Survey Table III(a), with the sixth man whom III(c) forgets.
const PATIENTS: [(&str, &str, &str); 10] = [
    ("30", "Male", "Hepatitis"),
    ("30", "Male", "Hepatitis"),
    ("30", "Male", "HIV"),
    ("32", "Male", "Hepatitis"),
    ("32", "Male", "HIV"),
    ("32", "Male", "HIV"),
    ("36", "Female", "Flu"),
    ("38", "Female", "Flu"),
    ("38", "Female", "Heart"),
    ("38", "Female", "Heart"),
];

#[test]
fn survey_table_iii() {
    let age = Column::from_texts("age", PATIENTS.iter().map(|row| Some(row.0)));
    let sex = Column::from_texts("sex", PATIENTS.iter().map(|row| Some(row.1)));
    let disease = Column::from_texts("disease", PATIENTS.iter().map(|row| Some(row.2)));
    let summary = summarize(&[&age, &sex], &[&disease], None);
    // The intermediate table has the classes ([30-35), Male) and ([35-40), Female).
    let male = sex.dictionary.code_of("Male");
    let class_of = summary.quasi[1]
        .iter()
        .map(|&code| Some(u32::from(Some(code) != male)));
    let recoding = Recoding {
        unit: Unit::Tuple,
        class_of: class_of.collect(),
        labels: vec![Labels::default(); 2],
        published: vec![vec![0, 1], vec![0, 1]],
        levels: None,
    };
    let tables = Anatomized::of(&summary, &recoding, 0).expect("tuples");
    let code = |text| disease.dictionary.code_of(text).expect("a disease");
    let mut first = vec![(code("Hepatitis"), 3), (code("HIV"), 3)];
    first.sort_unstable();
    let mut second = vec![(code("Flu"), 2), (code("Heart"), 2)];
    second.sort_unstable();
    assert_eq!(tables.groups.row(0), first);
    assert_eq!(tables.groups.row(1), second);
    let listed: u64 = (0..tables.tuples.len())
        .flat_map(|t| tables.tuples.row(t))
        .map(|r| r.1)
        .sum();
    assert_eq!(listed, 10);
    // Patients of age 38 with heart disease: 2 in truth, 3 x 2/4 here, and 2 x 1/5 from the generalized table.
    let thirty_eight = age.dictionary.code_of("38").expect("an age");
    let asked = tables.estimate(
        |tuple| summary.quasi[0][tuple] == thirty_eight,
        |value| value == code("Heart"),
    );
    assert!((asked - 1.5).abs() < 1e-12);
    let generalized = 2.0 * (1.0 / 5.0);
    assert!((2.0 - asked).abs() < (2.0_f64 - generalized).abs());
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
        match (Anatomy { l, attribute: 0 }).solve(&summary) {
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
