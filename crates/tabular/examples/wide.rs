//! Many quasi-identifiers: best effort with its proven gap on a generated table, `wide [ATTRIBUTES [ROWS [EVALUATIONS]]]`.
#![allow(clippy::print_stdout, reason = "a program that reports")]

use std::time::Instant;

use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64, Summary};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{BestEffort, Context, Objective, Request, Solver};

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse::<usize>().expect("a number"));
    let attributes = numbers.next().unwrap_or(20);
    let rows = numbers.next().unwrap_or(100_000);
    let evaluations = numbers.next().unwrap_or(4000) as u64;
    let mut random = SplitMix64::new(11);
    let mut tuples: Vec<Vec<u32>> = (0..rows)
        .map(|_| {
            // A few kinds of people, each with its own habits: attributes hang together as real ones do.
            let kind = random.below(40) * random.below(40) / 40;
            (0..attributes as u64)
                .map(|d| {
                    let usual = (kind * (d + 3) * 7) % sizes(d);
                    let other = random.below(sizes(d));
                    (if random.below(10) < 7 { usual } else { other }) as u32
                })
                .collect()
        })
        .collect();
    tuples.sort_unstable();
    let mut summary = Summary {
        quasi: vec![Vec::new(); attributes],
        cardinalities: (0..attributes as u64).map(|d| sizes(d) as usize).collect(),
        ..Summary::default()
    };
    for tuple in tuples.chunk_by(|a, b| a == b) {
        summary.records.push(tuple.len() as u64);
        for (codes, &code) in summary.quasi.iter_mut().zip(&tuple[0]) {
            codes.push(code);
        }
    }
    let hierarchies: Vec<Hierarchy> = (0..attributes as u64).map(hierarchy).collect();
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &promises,
        objective: Objective::Loss,
        suppress_at_most: Fraction::parse("0.05").expect("a fraction"),
        limits: None,
        setting: None,
        weights: None,
    };
    let solver = BestEffort { evaluations };
    let start = Instant::now();
    let solution = Context::quiet(0, |context| solver.solve(&request, context)).expect("feasible");
    let bound = solution.bound.expect("a bound");
    assert!(solution.statistics.smallest >= 5 && bound <= solution.score);
    println!(
        "{attributes} attributes, {} tuples, {} nodes: loss {:.4}, at least {bound:.4}, {} suppressed, {} evaluated, {:.1} s",
        summary.tuples(),
        solution.statistics.space,
        solution.score,
        solution.statistics.suppressed,
        solution.statistics.evaluated,
        start.elapsed().as_secs_f64(),
    );
}

/// Distinct values of attribute `d`: from 2 to 64.
fn sizes(d: u64) -> u64 {
    [64, 2, 16, 5, 32, 8, 3, 24, 2, 12][d as usize % 10]
}

/// Four values to a node at each level, then everything.
fn hierarchy(d: u64) -> Hierarchy {
    let texts: Vec<String> = (0..sizes(d)).map(|value| format!("{value:02}")).collect();
    let column = Column::from_texts("q", texts.iter().map(|text| Some(text.as_str())));
    let rows: Vec<HierarchyRow> = (0..sizes(d))
        .map(|value| {
            let mut labels = vec![format!("{value:02}")];
            if sizes(d) > 4 {
                labels.push(format!("a{}", value / 4));
            }
            if sizes(d) > 16 {
                labels.push(format!("b{}", value / 16));
            }
            labels.push("*".into());
            HierarchyRow {
                line: value as usize + 1,
                labels,
            }
        })
        .collect();
    Hierarchy::from_rows(&column, &rows).expect("nests")
}
