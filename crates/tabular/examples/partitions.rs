//! What solvers that cut records into parts lose and how long they take: `partitions ADULT_CSV [ROWS]`.
//!
//! With ROWS, Mondrian also cuts a generated table of that many rows; every class is counted again before a time is shown.
#![allow(clippy::print_stdout, reason = "a program that reports")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::time::Instant;

use common::adult;
use denym_data::{Column, Decimal, Fraction, Hierarchy, SplitMix64, Summary, Unit};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{
    Context, Cuts, FullDomain, LocalRecoding, Mondrian, Objective, Request, Solver,
    TopDownSpecialization,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = Path::new(arguments.first().expect("the path of adult.csv"));
    let table = adult(file, file.parent().expect("a directory"));
    let (summary, hierarchies) = table.summary(None);
    let relaxed = Mondrian {
        cuts: Cuts::Relaxed,
        axes: None,
    };
    run(
        "full-domain",
        &FullDomain::default(),
        &summary,
        &hierarchies,
    );
    run(
        "top-down-specialization",
        &TopDownSpecialization::default(),
        &summary,
        &hierarchies,
    );
    run("mondrian", &Mondrian::default(), &summary, &hierarchies);
    run("mondrian, relaxed", &relaxed, &summary, &hierarchies);
    run(
        "local-recoding",
        &LocalRecoding::default(),
        &summary,
        &hierarchies,
    );
    if let Some(rows) = arguments.get(1) {
        let (summary, hierarchies) = generate(rows.parse().expect("a number of rows"));
        run("mondrian", &Mondrian::default(), &summary, &hierarchies);
    }
}

/// Five numeric columns of skewed, correlated values, one tuple per row: nothing compresses.
fn generate(rows: usize) -> (Summary, Vec<Hierarchy>) {
    const SIZES: [u64; 5] = [100, 1000, 5000, 365, 50];
    let mut random = SplitMix64::new(7);
    let mut quasi = vec![Vec::with_capacity(rows); SIZES.len()];
    for _ in 0..rows {
        let common = random.below(1 << 16);
        for (codes, size) in quasi.iter_mut().zip(SIZES) {
            // Whole numbers: the common part and the product of two draws, half and half.
            let own = (random.below(1 << 16) * random.below(1 << 16)) >> 16;
            codes.push(((u64::midpoint(common, own) * size) >> 16) as u32);
        }
    }
    let hierarchies = SIZES
        .iter()
        .map(|&size| {
            let texts: Vec<String> = (0..size).map(|value| value.to_string()).collect();
            let column = Column::from_texts("n", texts.iter().map(|text| Some(text.as_str())));
            let ten = Decimal::parse("10").expect("a number");
            Hierarchy::intervals(&column.dictionary, &[ten]).expect("intervals")
        })
        .collect();
    let summary = Summary {
        quasi,
        cardinalities: SIZES.iter().map(|&size| size as usize).collect(),
        records: vec![1; rows],
        sensitive: Vec::new(),
        subjects: None,
        shown: Vec::new(),
    };
    (summary, hierarchies)
}

fn run(name: &str, solver: &dyn Solver, summary: &Summary, hierarchies: &[Hierarchy]) {
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    let request = Request {
        summary,
        hierarchies,
        promises: &promises,
        objective: Objective::Loss,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    };
    let start = Instant::now();
    let solution = Context::quiet(0, |context| solver.solve(&request, context)).expect("feasible");
    let seconds = start.elapsed().as_secs_f64();
    let mut sizes = vec![0_u64; solution.recoding.classes()];
    for (unit, class) in solution.recoding.class_of.iter().enumerate() {
        sizes[class.expect("nothing is suppressed") as usize] += match solution.recoding.unit {
            Unit::Tuple => summary.records[unit],
            Unit::Record => 1,
        };
    }
    assert!(sizes.iter().all(|&size| size >= 5));
    println!(
        "{name:18} {:9} rows  {seconds:7.3} s  loss {:.6}  {:8} classes, largest {}  {:.3?}",
        summary.total(),
        solution.score,
        sizes.len(),
        solution.statistics.largest,
        solution.statistics.attribute_loss,
    );
}
