//! Limits on levels: what solvers publish under them lies between, and the anytime search encloses the optimum on small lattices.

use std::collections::BTreeMap;

use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64, Summary};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{
    BestEffort, Context, Error, FullDomain, LocalRecoding, Mondrian, Objective, Request, Solver,
};
use denym_testkit::summarize::summarize;

/// Numbers below 64 with four to a node, sixteen to a node, everything.
fn table(random: &mut SplitMix64, rows: usize, columns: usize) -> (Summary, Vec<Hierarchy>) {
    let mut quasi = Vec::new();
    let mut hierarchies = Vec::new();
    for c in 0..columns {
        let cells: Vec<String> = (0..rows)
            .map(|_| (random.below(64) * random.below(64) / 64).to_string())
            .collect();
        let column = Column::from_texts(&format!("q{c}"), cells.iter().map(|t| Some(t.as_str())));
        let lines: Vec<HierarchyRow> = (0..64)
            .map(|value| HierarchyRow {
                line: value + 1,
                labels: vec![
                    value.to_string(),
                    format!("a{}", value / 4),
                    format!("b{}", value / 16),
                    "*".into(),
                ],
            })
            .collect();
        hierarchies.push(Hierarchy::from_rows(&column, &lines).expect("nests"));
        quasi.push(column);
    }
    let columns: Vec<&Column> = quasi.iter().collect();
    (summarize(&columns, &[], None), hierarchies)
}

/// The level that a label of these hierarchies stands at.
fn level(label: &str) -> usize {
    match label.as_bytes()[0] {
        b'a' => 1,
        b'b' => 2,
        b'*' => 3,
        _ => 0,
    }
}

#[test]
fn what_is_published_lies_between_the_limits() {
    let mut random = SplitMix64::new(5);
    let mut solved: BTreeMap<&str, usize> = BTreeMap::new();
    for round in 0..60 {
        let (summary, hierarchies) = table(&mut random, 60 + 10 * (round % 7), 2);
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 3 })];
        let limits = [
            (random.below(2) as usize, 2 + random.below(2) as usize),
            (1, 2),
        ];
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective: Objective::Loss,
            suppress_at_most: Fraction::new(1, 4).expect("a fraction"),
            limits: Some(&limits),
            setting: None,
            weights: None,
        };
        let solvers: [(&str, &dyn Solver); 3] = [
            ("mondrian", &Mondrian::default()),
            ("local-recoding", &LocalRecoding::default()),
            ("full-domain", &FullDomain::default()),
        ];
        for (name, solver) in solvers {
            let found = Context::quiet(0, |context| solver.solve(&request, context));
            let solution = match found {
                Ok(solution) => solution,
                Err(Error::Infeasible { .. }) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            *solved.entry(name).or_default() += 1;
            assert!(solution.statistics.smallest >= 3, "{name}");
            assert!(solution.statistics.suppressed <= request.budget(), "{name}");
            for (d, (low, high)) in limits.iter().enumerate() {
                for &label in &solution.recoding.published[d] {
                    let text = solution.recoding.labels[d].texts[label as usize].as_deref();
                    let text = text.expect("nothing is missing");
                    // A range of numbers is no label of the hierarchy.
                    let range = text.contains('-') || text.contains("..");
                    assert!(
                        (*low..=*high).contains(&level(text)) && !range || (*low, *high) == (0, 3),
                        "{name}: {text} at {low} to {high}"
                    );
                }
            }
        }
    }
    assert!(solved.values().all(|&count| count >= 20), "{solved:?}");
}

#[test]
fn the_anytime_search_proves_small_lattices() {
    let mut random = SplitMix64::new(9);
    let mut proven = 0;
    for round in 0..150 {
        let columns = 2 + round % 4;
        let (summary, hierarchies) = table(&mut random, 40 + 5 * (round % 9), columns);
        let k = 2 + random.below(5);
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let objectives = Objective::ALL;
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective: objectives[round % objectives.len()].1,
            suppress_at_most: Fraction::new(random.below(3), 10).expect("a fraction"),
            limits: None,
            setting: None,
            weights: None,
        };
        let exact = Context::quiet(1, |context| FullDomain::default().solve(&request, context));
        let found = Context::quiet(1, |context| BestEffort::default().solve(&request, context));
        let (exact, found) = match (exact, found) {
            (Ok(exact), Ok(found)) => (exact, found),
            (exact, found) => {
                assert_eq!(exact.is_err(), found.is_err());
                continue;
            }
        };
        let bound = found.bound.expect("a bound");
        let at = format!(
            "{}: {bound} {} {}",
            request.objective.name(),
            exact.score,
            found.score
        );
        assert!(bound <= exact.score && exact.score <= found.score, "{at}");
        if bound.total_cmp(&found.score).is_eq() {
            assert!(exact.score.total_cmp(&found.score).is_eq(), "{at}");
            proven += 1;
        }
    }
    assert!(proven >= 100, "only {proven} of 150 are proven");
}
