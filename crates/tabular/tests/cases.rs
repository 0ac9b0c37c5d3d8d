//! One case table, every solver: odd tables and policies through all of them, each result counted again by plain code.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Close, Distinct};
use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64, Unit};
use denym_measure::promises::KAnonymity;
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{
    CATALOGUE, Context, Entry, Error, Honours, Maturity, Objective, Request, Solution, entry,
};
use denym_testkit::summarize::summarize;

struct Table {
    name: &'static str,
    quasi: Vec<Column>,
    secret: Column,
    hierarchies: Vec<Hierarchy>,
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
    let secrets: Vec<String> = (0..rows).map(|row| format!("s{}", row * row % 3)).collect();
    Table {
        name,
        quasi,
        secret: Column::from_texts("s", secrets.iter().map(|s| Some(s.as_str()))),
        hierarchies,
    }
}

fn tables() -> Vec<Table> {
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
type Policy = (&'static str, Vec<Box<dyn Promise>>, Fraction, Objective);

/// Five policies; with ten tables that makes fifty.
fn policies(table: &Table) -> Vec<Policy> {
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

#[test]
fn every_solver_on_every_case() {
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let mut solved: BTreeMap<&str, usize> = BTreeMap::new();
    for table in tables() {
        let quasi: Vec<&Column> = table.quasi.iter().collect();
        let summary = summarize(&quasi, &[&table.secret], None);
        for (policy, promises, suppress_at_most, objective) in policies(&table) {
            let request = Request {
                summary: &summary,
                hierarchies: &table.hierarchies,
                promises: &promises,
                objective,
                suppress_at_most,
                limits: None,
                setting: None,
            };
            let solve = |entry: &Entry| {
                Context::quiet(5, |context| (entry.make)().solve(&request, context))
            };
            let optimum = solve(entry("full-domain").expect("listed"));
            for entry in CATALOGUE {
                let at = format!("{}, {policy}, {}", table.name, entry.name);
                let answer = solve(entry);
                assert_eq!(
                    answer,
                    one.install(|| solve(entry)),
                    "{at}: same for any number of threads"
                );
                match &answer {
                    Ok(solution) => {
                        audit(&table, &request, entry, solution, &at);
                        *solved.entry(entry.name).or_default() += 1;
                    }
                    Err(Error::PromiseNotHonoured { .. }) => {
                        assert_ne!(entry.honours, Honours::All, "{at}");
                    }
                    Err(Error::TooLarge { .. }) => assert_eq!(table.name, "wide", "{at}"),
                    Err(Error::Infeasible { .. }) => {
                        let expected = policy == "k = 2" && table.quasi[0].codes.len() > 1;
                        assert!(!(expected && entry.suppresses), "{at}: there is a solution");
                    }
                    Err(error) => panic!("{at}: {error}"),
                }
                if policy == "k > n" {
                    assert!(answer.is_err(), "{at}");
                }
                // Exact solvers agree; a proven bound is below the optimum, which is below every full-domain score.
                if let (Ok(solution), Ok(optimum)) = (&answer, &optimum) {
                    if entry.maturity == Maturity::Proven {
                        assert_eq!(solution.recoding.levels, optimum.recoding.levels, "{at}");
                    }
                    if solution.recoding.levels.is_some() {
                        assert!(solution.score >= optimum.score, "{at}");
                    }
                    if let Some(bound) = solution.bound {
                        assert!(
                            bound <= optimum.score,
                            "{at}: {bound} above {}",
                            optimum.score
                        );
                    }
                }
            }
        }
    }
    for entry in CATALOGUE {
        let count = solved.get(entry.name).copied().unwrap_or(0);
        assert!(count >= 10, "{} solved {count} cases", entry.name);
    }
}

/// Groups records by what is published of them and judges every group.
fn audit(table: &Table, request: &Request<'_>, entry: &Entry, solution: &Solution, at: &str) {
    let recoding = &solution.recoding;
    let records = table.secret.codes.len();
    let tuples: BTreeSet<Vec<u32>> = (0..records)
        .map(|row| table.quasi.iter().map(|column| column.codes[row]).collect())
        .collect();
    let tuples: Vec<Vec<u32>> = tuples.into_iter().collect();
    // Records in the order of their tuples, as solvers count them.
    let mut order: Vec<(usize, usize)> = (0..records)
        .map(|row| {
            let tuple: Vec<u32> = table.quasi.iter().map(|column| column.codes[row]).collect();
            (tuples.binary_search(&tuple).expect("it is there"), row)
        })
        .collect();
    order.sort_unstable();
    let mut groups: BTreeMap<Vec<Option<&str>>, Vec<usize>> = BTreeMap::new();
    let mut suppressed = 0;
    for (position, &(tuple, row)) in order.iter().enumerate() {
        let unit = if recoding.unit == Unit::Tuple {
            tuple
        } else {
            position
        };
        let Some(class) = recoding.class_of[unit] else {
            suppressed += 1;
            continue;
        };
        let values = recoding.published.iter().zip(&recoding.labels);
        let values = values
            .map(|(published, labels)| labels.texts[published[class as usize] as usize].as_deref());
        groups.entry(values.collect()).or_default().push(row);
    }
    assert_eq!(solution.statistics.suppressed, suppressed, "{at}");
    assert!(suppressed <= request.budget(), "{at}");
    assert!(suppressed == 0 || entry.suppresses, "{at}");
    assert!(!groups.is_empty(), "{at}");
    for (values, rows) in &groups {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in rows {
            *counts.entry(table.secret.codes[row]).or_default() += 1;
        }
        let counts: Vec<(u32, u64)> = counts.into_iter().collect();
        let histograms = [Histogram::new(&counts)];
        let group = Group::new(rows.len() as u64, rows.len() as u64, &histograms);
        for promise in request.promises {
            assert!(
                promise.admits(&group),
                "{at}: {} fails at {values:?}",
                promise.terms().name
            );
        }
    }
    assert!(
        solution
            .statistics
            .attribute_loss
            .iter()
            .all(|loss| (0.0..=1.0).contains(loss)),
        "{at}"
    );
}
