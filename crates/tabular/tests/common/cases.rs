//! Fifty policies: ten odd tables, five wishes each.

use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::Objective;

use super::{Close, Distinct};

/// A small table with a hierarchy for each quasi-identifier.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) quasi: Vec<Column>,
    pub(crate) secret: Column,
    pub(crate) hierarchies: Vec<Hierarchy>,
}

/// Columns of small numbers (or words), with a hierarchy that halves the values at each of `height` levels.
fn table(
    name: &'static str,
    rows: usize,
    columns: usize,
    height: u32,
    words: bool,
    cell: impl Fn(usize, usize, &mut SplitMix64) -> Option<u64>,
) -> Table {
    let mut random = SplitMix64::new(rows as u64 + 31 * columns as u64);
    let text = |value: u64| {
        if words {
            format!("w{value:02}")
        } else {
            value.to_string()
        }
    };
    let mut quasi = Vec::new();
    let mut hierarchies = Vec::new();
    for c in 0..columns {
        let cells: Vec<Option<String>> = (0..rows)
            .map(|row| cell(row, c, &mut random).map(text))
            .collect();
        let column = Column::from_texts(&format!("q{c}"), cells.iter().map(Option::as_deref));
        let rows: Vec<HierarchyRow> = (0..64)
            .map(|value| {
                let mut labels = vec![text(value)];
                labels
                    .extend((1..=height).map(|level| format!("{level}:{}", value >> (2 * level))));
                labels.push("*".into());
                HierarchyRow {
                    line: value as usize + 1,
                    labels,
                }
            })
            .collect();
        hierarchies.push(Hierarchy::from_rows(&column, &rows).expect("nests"));
        quasi.push(column);
    }
    // Two values in two of five records each, a third in the rest.
    let secrets: Vec<String> = (0..rows)
        .map(|row| format!("s{}", row * 7 % 5 % 3))
        .collect();
    Table {
        name,
        quasi,
        secret: Column::from_texts("s", secrets.iter().map(|s| Some(s.as_str()))),
        hierarchies,
    }
}

pub(crate) fn tables() -> Vec<Table> {
    vec![
        table("one record", 1, 2, 2, false, |_, _, _| Some(3)),
        table("one column, all unique", 20, 1, 2, false, |row, _, _| {
            Some(row as u64)
        }),
        table("one column, all equal", 20, 1, 2, true, |_, _, _| Some(7)),
        table("all missing", 12, 2, 1, true, |_, _, _| None),
        table("some missing numbers", 40, 2, 2, false, |_, _, r| {
            (r.below(4) > 0).then(|| r.below(30))
        }),
        table("some missing words", 40, 2, 2, true, |_, _, r| {
            (r.below(4) > 0).then(|| r.below(30))
        }),
        table("keep or suppress", 40, 3, 0, true, |_, _, r| {
            Some(r.below(4))
        }),
        table("skewed", 120, 3, 2, false, |_, _, r| {
            Some(r.below(64) * r.below(64) / 64)
        }),
        // Twelve times six bits: keys take two machine words.
        table("wide", 60, 12, 0, true, |row, c, r| {
            Some(if c < 3 {
                r.below(60)
            } else {
                (row / 2 % 30) as u64 * 2
            })
        }),
        table("two clusters", 60, 2, 2, false, |row, _, r| {
            Some((row as u64 % 2) * 50 + r.below(6))
        }),
    ]
}

/// Name, promises, suppression, objective.
pub(crate) type Policy = (&'static str, Vec<Box<dyn Promise>>, Fraction, Objective);

/// Five policies; with ten tables that makes fifty.
pub(crate) fn policies(table: &Table) -> Vec<Policy> {
    let n = table.secret.codes.len() as u64;
    let mut whole = vec![0; table.secret.dictionary.len()];
    for &code in &table.secret.codes {
        whole[code as usize] += 1;
    }
    let fraction = |text| Fraction::parse(text).expect("a fraction");
    vec![
        (
            "k = 2",
            vec![Box::new(KAnonymity { k: 2 })],
            fraction("0.1"),
            Objective::Loss,
        ),
        (
            "k = n",
            vec![Box::new(KAnonymity { k: n })],
            fraction("0"),
            Objective::Discernibility,
        ),
        (
            "k > n",
            vec![Box::new(KAnonymity { k: n + 1 })],
            fraction("0.5"),
            Objective::Loss,
        ),
        (
            "k = 3, l = 2",
            vec![Box::new(KAnonymity { k: 3 }), Box::new(Distinct(2))],
            fraction("0.2"),
            Objective::Precision,
        ),
        (
            "k = 2, t = 0.4",
            vec![
                Box::new(KAnonymity { k: 2 }),
                Box::new(Close { t: 0.4, whole }),
            ],
            fraction("0.15"),
            Objective::LossArithmetic,
        ),
    ]
}
