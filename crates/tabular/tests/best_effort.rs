//! The anytime search against the exact one on Adult: never better, close, and its bound holds.

mod common;

use common::adult;
use denym_data::Fraction;
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{
    BestEffort, Context, Datafly, FullDomain, Incognito, Objective, Request, Samarati, Solver,
};
use denym_testkit::shared;

#[test]
fn the_bound_encloses_the_optimum() {
    let Some(data) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let table = adult(&data, data.parent().expect("a directory"));
    let (summary, hierarchies) = table.summary(None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    for (limit, objective, within) in [
        ("0", Objective::Loss, 1.01),
        ("0.05", Objective::Loss, 1.01),
        ("0.05", Objective::LossArithmetic, 1.05),
        ("0.05", Objective::Precision, 1.05),
        ("0.05", Objective::Discernibility, 2.0),
    ] {
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective,
            suppress_at_most: Fraction::parse(limit).expect("a fraction"),
            limits: None,
            setting: None,
            weights: None,
        };
        let solve = |solver: &dyn Solver| {
            Context::quiet(3, |context| solver.solve(&request, context)).expect("feasible")
        };
        let best = solve(&FullDomain::default());
        let found = solve(&BestEffort::default());
        let bound = found.bound.expect("a bound");
        let at = format!(
            "{limit} {}: {bound} {} {}",
            objective.name(),
            best.score,
            found.score
        );
        assert!(bound <= best.score && best.score <= found.score, "{at}");
        assert!(found.score <= best.score * within, "{at}");
        if objective == Objective::Loss {
            assert!(bound > best.score * 0.2, "the bound says something: {at}");
        }
        assert!(solve(&Datafly).score >= best.score, "{at}");
    }
}

#[test]
fn classic_searches_agree_with_the_optimum() {
    let Some(data) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let table = adult(&data, data.parent().expect("a directory"));
    let (summary, hierarchies) = table.summary(None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &promises,
        objective: Objective::Height,
        suppress_at_most: Fraction::parse("0.05").expect("a fraction"),
        limits: None,
        setting: None,
        weights: None,
    };
    let solve = |solver: &dyn Solver| {
        Context::quiet(3, |context| solver.solve(&request, context)).expect("feasible")
    };
    let best = solve(&FullDomain::default());
    assert_eq!(solve(&Samarati::default()).recoding, best.recoding);
    assert_eq!(solve(&Incognito::default()).recoding, best.recoding);
}
