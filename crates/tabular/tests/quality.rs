//! What multidimensional solvers lose on Adult, and that every class they publish is safe.

mod common;

use common::adult;
use denym_data::{Fraction, Unit};
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
