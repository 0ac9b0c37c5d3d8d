//! What multidimensional solvers lose on Adult, and that every class they publish is safe.

mod common;

use common::adult;
use denym_data::{Decimal, Dictionary, Fraction, Hierarchy, SplitMix64, Strings, Summary, Unit};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{Context, Cuts, LocalRecoding, Mondrian, Objective, Request, Solution, Solver};
use denym_testkit::shared;

/// Solves Adult with nine quasi-identifiers at k = 5 and nothing suppressed.
fn solve(solver: &dyn Solver) -> Option<Solution> {
    let data = shared::path("data/adult/adult.csv")?;
    let table = adult(&data, data.parent()?);
    let (summary, hierarchies) = table.summary(None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &promises,
        objective: Objective::Loss,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    };
    let solution = Context::quiet(0, |context| solver.solve(&request, context)).expect("feasible");
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let again = one.install(|| Context::quiet(0, |context| solver.solve(&request, context)));
    assert_eq!(
        again.as_ref(),
        Ok(&solution),
        "the same for any number of threads"
    );
    // Counted again from the recoding itself.
    let mut sizes = vec![0_u64; solution.recoding.classes()];
    for (unit, class) in solution.recoding.class_of.iter().enumerate() {
        let class = class.expect("nothing is suppressed");
        sizes[class as usize] += match solution.recoding.unit {
            Unit::Tuple => summary.records[unit],
            Unit::Record => 1,
        };
    }
    assert!(sizes.iter().all(|&size| size >= 5));
    assert_eq!(sizes.iter().sum::<u64>(), 30_162);
    Some(solution)
}

/// What a solver loses; `None` only where there is no Adult, which is counted as a skip.
fn loses_less_than(bound: f64, solver: &dyn Solver) {
    let Some(solution) = solve(solver) else {
        return;
    };
    assert!(solution.score < bound, "{}", solution.score);
    assert!(solution.score > 0.0, "nothing is for nothing");
}

#[test]
fn local_recoding_beats_the_best_known_tool() {
    loses_less_than(0.0577, &LocalRecoding::default());
}

#[test]
fn mondrian_keeps_its_loss() {
    loses_less_than(0.12, &Mondrian::default());
    let relaxed = Mondrian {
        cuts: Cuts::Relaxed,
        axes: None,
    };
    loses_less_than(0.12, &relaxed);
}

/// People in a summary: `tuples` distinct ones of five numbers, and hierarchies of intervals.
fn people(tuples: usize) -> (Summary, Vec<Hierarchy>) {
    let values = [60_u64, 40, 90, 12, 6];
    let mut random = SplitMix64::new(7);
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for _ in 0..tuples {
        let person = random.below(100);
        let row =
            values.map(|many| ((person * many / 200 + random.below(many / 2 + 1)) % many) as u32);
        rows.push(row.to_vec());
    }
    rows.sort_unstable();
    let mut summary = Summary {
        quasi: vec![Vec::new(); values.len()],
        cardinalities: values.map(|many| many as usize).to_vec(),
        ..Summary::default()
    };
    for alike in rows.chunk_by(|a, b| a == b) {
        for (codes, &code) in summary.quasi.iter_mut().zip(&alike[0]) {
            codes.push(code);
        }
        summary.records.push(alike.len() as u64);
    }
    let hierarchies = values.map(|many| {
        let texts: Vec<String> = (0..many).map(|value| value.to_string()).collect();
        let strings: Strings = texts.iter().map(String::as_str).collect();
        let widths = [3, 6, 24].map(Decimal::whole);
        Hierarchy::intervals(&Dictionary::build(&strings, false, None).0, &widths).expect("nested")
    });
    (summary, hierarchies.to_vec())
}

#[test]
fn a_tree_of_classes_loses_hardly_more_than_asking_all() {
    for (tuples, k) in [(600, 2), (3000, 3), (3000, 10)] {
        let (summary, hierarchies) = people(tuples);
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective: Objective::LossArithmetic,
            suppress_at_most: Fraction::ZERO,
            limits: None,
            setting: None,
            weights: None,
        };
        let loss = |compared: usize| {
            let solver = LocalRecoding {
                compared,
                ..LocalRecoding::default()
            };
            let found = Context::quiet(0, |context| solver.solve(&request, context));
            found.expect("feasible").score
        };
        let (all, tree) = (loss(usize::MAX), loss(0));
        assert!(tree <= all * 1.02, "{tuples} tuples, k = {k}: {tree} {all}");
    }
}
