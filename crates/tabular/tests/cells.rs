//! Cell and multidimensional solvers: the least suppression against every assignment, tasks that decide where to cut.

mod common;

use std::collections::BTreeMap;

use denym_data::{Column, Fraction, Hierarchy, SplitMix64, Summary, Unit};
use denym_measure::Promise;
use denym_measure::metrics::CountQuery;
use denym_measure::promises::{AlphaK, DistinctDiversity, KAnonymity};
use denym_tabular::{
    Context, Direction, Error, GreedyCells, InfoGainMondrian, LocalSuppression, LocallySuppressed,
    Mondrian, Objective, ProgressiveLocalRecoding, Request, Solution, Solver, Task, solver,
};
use denym_testkit::summarize::summarize;

fn request<'a>(
    summary: &'a Summary,
    hierarchies: &'a [Hierarchy],
    promises: &'a [Box<dyn Promise>],
) -> Request<'a> {
    Request {
        summary,
        hierarchies,
        promises,
        objective: Objective::LossArithmetic,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    }
}

fn solve(solver: &dyn Solver, request: &Request<'_>) -> Result<Solution, Error> {
    Context::quiet(0, |context| solver.solve(request, context))
}

fn suppress(options: &LocalSuppression, request: &Request<'_>) -> Result<LocallySuppressed, Error> {
    Context::quiet(0, |context| options.run(request, context))
}

fn columns(random: &mut SplitMix64, rows: usize, q: u64, values: u64) -> Vec<Column> {
    (0..q)
        .map(|d| {
            let cells: Vec<String> = (0..rows)
                .map(|_| format!("v{}", random.below(values)))
                .collect();
            Column::from_texts(&format!("q{d}"), cells.iter().map(|c| Some(c.as_str())))
        })
        .collect()
}

fn flat(columns: &[Column]) -> Vec<Hierarchy> {
    columns
        .iter()
        .map(|column| Hierarchy::flat(&column.dictionary))
        .collect()
}

/// The least weight over every choice of hidden cells, record by record.
fn every_choice(columns: &[Column], k: usize, weights: &[f64]) -> Option<f64> {
    let (rows, q) = (columns[0].codes.len(), columns.len());
    let mut best: Option<f64> = None;
    for choice in 0..1_u32 << (rows * q) {
        let hidden = |row: usize, d: usize| choice >> (row * q + d) & 1 == 1;
        let mut classes: BTreeMap<Vec<Option<u32>>, usize> = BTreeMap::new();
        let mut weight = 0.0;
        for row in 0..rows {
            let key = (0..q)
                .map(|d| (!hidden(row, d)).then(|| columns[d].codes[row]))
                .collect();
            *classes.entry(key).or_default() += 1;
            weight += (0..q)
                .filter(|&d| hidden(row, d))
                .map(|d| weights[d])
                .sum::<f64>();
        }
        if classes.values().all(|&size| size >= k) && best.is_none_or(|b| weight < b) {
            best = Some(weight);
        }
    }
    best
}

#[test]
fn local_suppression_hides_as_little_as_possible() {
    let mut random = SplitMix64::new(11);
    let mut split = 0;
    for round in 0..150 {
        let q = 1 + random.below(3);
        let rows = 2 + random.below(if q == 3 { 4 } else { 6 }) as usize;
        let columns = columns(&mut random, rows, q, 3);
        let k = 1 + random.below(3);
        let weights: Vec<f64> = (0..q).map(|_| 1.0 + random.below(3) as f64).collect();
        let hierarchies = flat(&columns);
        let summary = summarize(&columns.iter().collect::<Vec<_>>(), &[], None);
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let request = request(&summary, &hierarchies, &promises);
        let options = LocalSuppression {
            importance: Some(weights.clone()),
            ..LocalSuppression::default()
        };
        let expected = every_choice(&columns, k as usize, &weights);
        match (suppress(&options, &request), expected) {
            (Ok(release), Some(expected)) => {
                assert!(
                    (release.weight - expected).abs() < 1e-9,
                    "round {round}: {release:?}"
                );
                assert!((release.least - expected).abs() < 1e-9, "round {round}");
                assert!(release.solution.statistics.smallest >= k, "round {round}");
                split += usize::from(release.solution.recoding.unit == Unit::Record);
                // The greedy way is never better, and its bound never lies.
                let greedy = LocalSuppression {
                    exact_up_to: 0,
                    ..options
                };
                let greedy = suppress(&greedy, &request).expect("feasible");
                assert!(greedy.weight >= expected - 1e-9, "round {round}");
                assert!(greedy.least <= expected + 1e-9, "round {round}");
                assert!(greedy.solution.statistics.smallest >= k, "round {round}");
            }
            (Err(Error::Infeasible { .. }), None) => {}
            (answer, expected) => panic!("round {round}: {answer:?} is not {expected:?}"),
        }
    }
    assert!(split > 50);
}

#[test]
fn importance_decides_which_cells_go() {
    // Either column could be hidden; the important one stays.
    let a = Column::from_texts("a", ["x", "y"].map(Some));
    let columns = [a.clone(), Column::from_texts("b", ["x", "x"].map(Some)), a];
    let hierarchies = flat(&columns);
    let summary = summarize(&columns.iter().collect::<Vec<_>>(), &[], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
    let request = request(&summary, &hierarchies, &promises);
    let release = suppress(&LocalSuppression::default(), &request).expect("feasible");
    assert_eq!(release.cells, [2, 0, 2]);
    let wrong = |importance| LocalSuppression {
        importance: Some(importance),
        ..LocalSuppression::default()
    };
    assert!(matches!(
        suppress(&wrong(vec![1.0]), &request),
        Err(Error::Hierarchies { .. })
    ));
    assert!(matches!(
        suppress(&wrong(vec![1.0, 0.0, 1.0]), &request),
        Err(Error::Parameter { .. })
    ));
    let limits = [(0, 0), (0, 1), (0, 1)];
    let limited = Request {
        limits: Some(&limits),
        ..request
    };
    assert_eq!(
        solve(&LocalSuppression::default(), &limited),
        Err(Error::LimitsNotHonoured)
    );
}

#[test]
fn info_gain_cuts_where_the_class_changes() {
    // 64 people over two numbers; the class depends on the second only, at 5.
    let rows = 64;
    let number = |name: &str, value: &dyn Fn(usize) -> usize| {
        let cells: Vec<String> = (0..rows).map(|row| value(row).to_string()).collect();
        Column::from_texts(name, cells.iter().map(|c| Some(c.as_str())))
    };
    let columns = [number("a", &|row| row % 8), number("b", &|row| row / 8)];
    let class: Vec<&str> = (0..rows)
        .map(|row| if row / 8 < 5 { "no" } else { "yes" })
        .collect();
    let class = Column::from_texts("class", class.into_iter().map(Some));
    let hierarchies = flat(&columns);
    let summary = summarize(&[&columns[0], &columns[1]], &[&class], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 20 })];
    let request = request(&summary, &hierarchies, &promises);
    // Wrong answers of a reader who guesses the majority of each class.
    let errors = |solution: &Solution| -> u64 {
        let classes = solution.recoding.classes();
        let mut counts = vec![[0_u64; 2]; classes];
        for tuple in 0..summary.tuples() {
            if let Some(class) = solution.recoding.class_of[tuple] {
                for &(value, count) in summary.sensitive[0].row(tuple) {
                    counts[class as usize][value as usize] += count;
                }
            }
        }
        counts.iter().map(|c| c[0].min(c[1])).sum()
    };
    let informed = solve(&InfoGainMondrian::default(), &request).expect("feasible");
    assert_eq!(errors(&informed), 0);
    assert!(errors(&solve(&Mondrian::default(), &request).expect("feasible")) > 0);
    let regression = InfoGainMondrian {
        task: Task::Regress(0, vec![Some(0.0), Some(1.0)]),
    };
    assert_eq!(errors(&solve(&regression, &request).expect("feasible")), 0);
    // A workload that asks for b >= 5 only.
    let query = CountQuery {
        quasi: vec![(1, vec![5, 6, 7])],
        sensitive: None,
    };
    let answering = InfoGainMondrian {
        task: Task::Answer(vec![query]),
    };
    // No class lies on both sides of what is asked, which is where the class attribute changes as well.
    assert_eq!(errors(&solve(&answering, &request).expect("feasible")), 0);
    let beyond = InfoGainMondrian {
        task: Task::Classify(1),
    };
    assert!(matches!(
        solve(&beyond, &request),
        Err(Error::SensitiveMissing { .. })
    ));
}

#[test]
fn progressive_recoding_leaves_the_failing_behind() {
    // Everybody in a, b, c is in company; d and e are alone and stay behind as "*".
    let cells: Vec<&str> = [
        vec!["a"; 4],
        vec!["b"; 4],
        vec!["c"; 4],
        vec!["d"],
        vec!["e"],
    ]
    .concat();
    let column = Column::from_texts("q", cells.iter().copied().map(Some));
    let ill: Vec<&str> = (0..14)
        .map(|row| if row % 2 == 0 { "ill" } else { "well" })
        .collect();
    let ill = Column::from_texts("s", ill.into_iter().map(Some));
    let hierarchies = flat(std::slice::from_ref(&column));
    let summary = summarize(&[&column], &[&ill], None);
    let half = Fraction::new(1, 2).expect("a fraction");
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(AlphaK {
        attribute: 0,
        alpha: half,
        k: 2,
    })];
    let request = request(&summary, &hierarchies, &promises);
    let solution = solve(&ProgressiveLocalRecoding, &request).expect("feasible");
    assert_eq!(solution.statistics.classes, 4);
    assert_eq!(solution.statistics.smallest, 2);
    assert!(
        (solution.score - 2.0 / 14.0).abs() < 1e-9,
        "{}",
        solution.score
    );
}

#[test]
fn greedy_cells_find_obvious_clusters() {
    // Two far clusters of four distinct tuples each; k = 4 leaves the cut between them.
    let a: Vec<&str> = vec!["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"];
    let column = Column::from_texts("q", a.into_iter().map(Some));
    let rows: Vec<denym_data::HierarchyRow> = ["a", "b"]
        .iter()
        .flat_map(|side| (1..5).map(move |i| (format!("{side}{i}"), (*side).to_owned())))
        .enumerate()
        .map(|(line, (leaf, side))| denym_data::HierarchyRow {
            line: line + 1,
            labels: vec![leaf, side, "*".into()],
        })
        .collect();
    let hierarchies = [Hierarchy::from_rows(&column, &rows).expect("nests")];
    let summary = summarize(&[&column], &[], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 4 })];
    let request = request(&summary, &hierarchies, &promises);
    for direction in [Direction::BottomUp, Direction::TopDown] {
        let solution = solve(&GreedyCells { direction }, &request).expect("feasible");
        assert_eq!(solution.statistics.classes, 2, "{direction:?}");
        assert!((solution.score - 3.0 / 7.0).abs() < 1e-9, "{direction:?}");
    }
}

#[test]
fn every_solver_stops_when_told() {
    let mut random = SplitMix64::new(3);
    let columns = columns(&mut random, 60, 3, 6);
    let secret: Vec<String> = (0..60).map(|row| format!("s{}", row % 3)).collect();
    let secret = Column::from_texts("s", secret.iter().map(|s| Some(s.as_str())));
    let hierarchies = flat(&columns);
    let summary = summarize(&columns.iter().collect::<Vec<_>>(), &[&secret], None);
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(KAnonymity { k: 3 }),
        Box::new(DistinctDiversity { attribute: 0, l: 2 }),
    ];
    let request = request(&summary, &hierarchies, &promises);
    for one in denym_tabular::CATALOGUE {
        let mut context = Context {
            seed: 0,
            keep_going: &|| false,
            progress: &mut |_| {},
        };
        match (one.make)().solve(&request, &mut context) {
            Ok(solution) => assert!(solution.statistics.smallest >= 3, "{}", one.entry.name),
            Err(Error::Stopped | Error::PromiseNotHonoured { .. } | Error::Infeasible { .. }) => {}
            Err(error) => panic!("{}: {error}", one.entry.name),
        }
        assert!(solver(one.entry.name).is_some());
    }
    assert!(solver("no-such-solver").is_none());
}
