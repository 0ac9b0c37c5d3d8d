//! Optimal full-domain generalizations of Adult, against verified answers.

mod common;

use common::{Close, Distinct, adult};
use denym_data::Fraction;
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{Context, FullDomain, MinGen, Objective, Request, Solution, Solver};
use denym_testkit::shared;

fn check(config: &str, metric: &str, objective: Objective) {
    let Some(data) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("adult-full-domain");
    let vector = &vectors["configs"][config];
    let expected = &vector["results"][metric];
    let table = adult(&data, data.parent().expect("a directory"));
    let (summary, hierarchies) = table.summary(vector["sensitive"].as_str());
    let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    match config {
        "c" => promises.push(Box::new(Distinct(3))),
        "d" => promises.push(Box::new(Close {
            t: 0.2,
            whole: table.histogram("occupation"),
        })),
        _ => {}
    }
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &promises,
        objective,
        suppress_at_most: Fraction::from_decimal(
            vector["suppression_limit"].as_f64().expect("a limit"),
        )
        .expect("a fraction"),
        limits: None,
        setting: None,
        weights: None,
    };
    let solution = Context::quiet(0, |context| FullDomain::default().solve(&request, context))
        .expect("feasible");
    let levels: Vec<usize> = expected["levels"]
        .as_array()
        .expect("levels")
        .iter()
        .map(|level| level.as_u64().expect("a level") as usize)
        .collect();
    let number = |key: &str| expected[key].as_u64().expect("a number");
    assert_eq!(solution.recoding.levels, Some(levels), "{config} {metric}");
    let score = expected["score"].as_f64().expect("a score");
    assert!(
        (solution.score - score).abs() <= 1e-15 * score.max(1.0),
        "{config} {metric}: {} against {score}",
        solution.score
    );
    let statistics = &solution.statistics;
    assert_eq!(statistics.suppressed, number("suppressed_rows"));
    assert_eq!(statistics.classes, number("classes"));
    assert_eq!(statistics.smallest, number("min_class"));
    assert_eq!(statistics.largest, number("max_class"));
    assert_eq!(statistics.space, number("lattice_size"));
    assert_eq!(solution.bound, Some(solution.score));
    let names = vector["quasi_identifiers"].as_array().expect("names");
    for (name, &loss) in names.iter().zip(&statistics.attribute_loss) {
        let name = name.as_str().expect("a name");
        let expected = expected["per_attribute_loss"][name]
            .as_f64()
            .expect("a loss");
        assert!((loss - expected).abs() < 1e-12, "{name}: {loss} {expected}");
    }
    same_on_one_thread(&request, &solution);
}

fn same_on_one_thread(request: &Request<'_>, solution: &Solution) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let again = pool
        .expect("a pool")
        .install(|| Context::quiet(1, |context| FullDomain::default().solve(request, context)));
    assert_eq!(again.as_ref(), Ok(solution));
}

#[test]
fn config_a() {
    check("a", "loss", Objective::Loss);
    check("a", "dm", Objective::Discernibility);
}

#[test]
fn config_b() {
    check("b", "loss", Objective::Loss);
    check("b", "dm", Objective::Discernibility);
}

#[test]
fn config_c() {
    check("c", "loss", Objective::Loss);
    check("c", "dm", Objective::Discernibility);
}

#[test]
fn config_d() {
    check("d", "loss", Objective::Loss);
    check("d", "dm", Objective::Discernibility);
}

/// k = 10 with any suppression: no recorded answer, so every node is looked at.
#[test]
fn config_e() {
    let Some(data) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let table = adult(&data, data.parent().expect("a directory"));
    let (summary, hierarchies) = table.summary(None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 10 })];
    for objective in [Objective::Loss, Objective::Discernibility] {
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective,
            suppress_at_most: Fraction::ONE,
            limits: None,
            setting: None,
            weights: None,
        };
        let solve = |solver: &dyn Solver| {
            Context::quiet(0, |context| solver.solve(&request, context)).expect("feasible")
        };
        let (best, all) = (solve(&FullDomain::default()), solve(&MinGen::default()));
        assert_eq!(best.recoding, all.recoding);
        assert_eq!(best.score.to_bits(), all.score.to_bits());
        same_on_one_thread(&request, &best);
    }
}
