//! Cuts through hierarchies: the optimal one against every cut, and the survey's worked tables.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::survey::{TableOf, patients};
use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, Recoding, SplitMix64};
use denym_measure::promises::{Confidence, KAnonymity};
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{
    BottomUpGeneralization, Context, Error, FullDomain, KOptimize, MuArgus, Objective, Purpose,
    Request, SiblingGeneralization, Solution, Solver, TopDownDisclosure, TopDownSpecialization,
};
use denym_testkit::summarize::summarize;

fn solve(solver: &dyn Solver, request: &Request<'_>) -> Result<Solution, Error> {
    Context::quiet(0, |context| solver.solve(request, context))
}

/// All cuts of one hierarchy: what each code becomes, as (level, node).
fn cuts(hierarchy: &Hierarchy) -> BTreeSet<Vec<(usize, u32)>> {
    let levels = hierarchy.levels();
    let codes = levels[0].nodes.len();
    let top = levels.len() - 1;
    // Start at the top; replace any node by its children, in all ways.
    let mut all: BTreeSet<Vec<(usize, u32)>> = BTreeSet::new();
    let mut waiting: Vec<Vec<(usize, u32)>> =
        vec![(0..codes).map(|c| (top, levels[top].nodes[c])).collect()];
    while let Some(cut) = waiting.pop() {
        if !all.insert(cut.clone()) {
            continue;
        }
        let nodes: BTreeSet<(usize, u32)> = cut.iter().copied().collect();
        for (level, node) in nodes.into_iter().filter(|node| node.0 > 0) {
            let mut finer = cut.clone();
            for (code, at) in finer.iter_mut().enumerate() {
                if *at == (level, node) {
                    *at = (level - 1, levels[level - 1].nodes[code]);
                }
            }
            waiting.push(finer);
        }
    }
    all
}

struct Case {
    quasi: Vec<Column>,
    secret: Column,
    hierarchies: Vec<Hierarchy>,
    promises: Vec<Box<dyn Promise>>,
}

fn case(random: &mut SplitMix64) -> Case {
    let records = 2 + random.below(14) as usize;
    let column = |random: &mut SplitMix64, name: &str, values: u64| {
        let cells: Vec<String> = (0..records)
            .map(|_| format!("v{}", random.below(values)))
            .collect();
        Column::from_texts(name, cells.iter().map(|cell| Some(cell.as_str())))
    };
    let mut quasi = Vec::new();
    let mut hierarchies = Vec::new();
    for d in 0..=random.below(3) {
        let values = 1 + random.below(6);
        let column = column(random, &format!("q{d}"), values);
        let rows: Vec<HierarchyRow> = (0..6)
            .map(|v| HierarchyRow {
                line: v + 1,
                labels: vec![
                    format!("v{v}"),
                    format!("a{}", v / 2),
                    format!("b{}", v / 4),
                    "*".into(),
                ],
            })
            .collect();
        hierarchies.push(Hierarchy::from_rows(&column, &rows).expect("nests"));
        quasi.push(column);
    }
    let secret = column(random, "s", 3);
    let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity {
        k: 1 + random.below(5),
    })];
    if random.below(3) == 0 {
        let bound = Fraction::new(1 + random.below(9), 10).expect("a fraction");
        promises.push(Box::new(Confidence::of_all(0, bound)));
    }
    if random.below(5) == 0 {
        promises.push(Box::new(common::AtMostSubjects(1 + random.below(8))));
    }
    Case {
        quasi,
        secret,
        hierarchies,
        promises,
    }
}

/// The least score by trying every cut, counted record by record.
fn brute_force(
    case: &Case,
    budget: u64,
    objective: Objective,
    weights: Option<&[f64]>,
) -> Option<f64> {
    let n = case.secret.codes.len();
    let mut choices: Vec<Vec<Vec<(usize, u32)>>> = vec![Vec::new()];
    for hierarchy in &case.hierarchies {
        let cuts = cuts(hierarchy);
        choices = choices
            .iter()
            .flat_map(|chosen| {
                cuts.iter()
                    .map(move |cut| [chosen.as_slice(), std::slice::from_ref(cut)].concat())
            })
            .collect();
    }
    let mut best: Option<f64> = None;
    for cut in choices {
        let mut classes: BTreeMap<Vec<(usize, u32)>, Vec<usize>> = BTreeMap::new();
        for row in 0..n {
            let key = (0..cut.len())
                .map(|d| cut[d][case.quasi[d].codes[row] as usize])
                .collect();
            classes.entry(key).or_default().push(row);
        }
        classes.retain(|_, rows| admits(case, rows));
        let kept: usize = classes.values().map(Vec::len).sum();
        if kept == 0 || (n - kept) as u64 > budget {
            continue;
        }
        let gone = (n - kept) as f64;
        let q = cut.len() as f64;
        let score = match objective {
            Objective::Discernibility => {
                classes.values().map(|c| c.len() * c.len()).sum::<usize>() as f64 + n as f64 * gone
            }
            Objective::AverageClassSize => n as f64 / classes.len() as f64,
            _ => {
                let losses: Vec<f64> = (0..cut.len())
                    .map(|d| {
                        let hierarchy = &case.hierarchies[d];
                        let all = hierarchy.leaves() as f64;
                        let kept: f64 = classes
                            .iter()
                            .map(|(key, rows)| {
                                let (level, node) = key[d];
                                let leaves = hierarchy.levels()[level].leaves[node as usize] as f64;
                                (leaves - 1.0) / (all - 1.0) * rows.len() as f64
                            })
                            .sum();
                        (kept + gone) / n as f64 * weights.map_or(1.0, |weights| weights[d])
                    })
                    .collect();
                if objective == Objective::Loss {
                    losses
                        .iter()
                        .map(|l| (1.0 + l).powf(1.0 / q))
                        .product::<f64>()
                        - 1.0
                } else {
                    losses.iter().sum::<f64>() / q
                }
            }
        };
        best = Some(best.map_or(score, |best| best.min(score)));
    }
    best
}

fn admits(case: &Case, rows: &[usize]) -> bool {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for &row in rows {
        *counts.entry(case.secret.codes[row]).or_default() += 1;
    }
    let counts: Vec<(u32, u64)> = counts.into_iter().collect();
    let histograms = [Histogram::new(&counts)];
    let group = Group::new(rows.len() as u64, rows.len() as u64, &histograms);
    case.promises.iter().all(|promise| promise.admits(&group))
}

#[test]
fn k_optimize_finds_the_best_of_all_cuts() {
    let mut random = SplitMix64::new(4);
    let (mut solved, mut refused) = (0, 0);
    let objectives = [
        Objective::Discernibility,
        Objective::Loss,
        Objective::LossArithmetic,
        Objective::AverageClassSize,
    ];
    for round in 0..600 {
        let case = case(&mut random);
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], None);
        let weights: Vec<f64> = (0..quasi.len())
            .map(|d| [1.0, 0.25, 2.0][(round + d) % 3])
            .collect();
        let request = Request {
            summary: &summary,
            hierarchies: &case.hierarchies,
            promises: &case.promises,
            objective: objectives[round % objectives.len()],
            suppress_at_most: Fraction::new([0, 0, 10, 30][random.below(4) as usize], 100)
                .expect("a fraction"),
            limits: None,
            setting: None,
            weights: (round % 3 == 0).then_some(&weights),
        };
        let exact = KOptimize { effort: u64::MAX };
        let answer = solve(&exact, &request);
        let least = brute_force(&case, request.budget(), request.objective, request.weights);
        match (&answer, least) {
            (Ok(solution), Some(least)) => {
                let at = format!("round {round}, {}", request.objective.name());
                assert!(
                    (solution.score - least).abs() < 1e-8,
                    "{at}: {} is not {least}",
                    solution.score
                );
                assert_eq!(solution.bound, Some(solution.score), "{at}");
                // Whatever a heuristic finds is no better, and a bound from little effort is no lie.
                let hasty = solve(&KOptimize { effort: 3 }, &request);
                if let Ok(hasty) = hasty {
                    assert!(hasty.score >= least - 1e-8, "{at}");
                    assert!(hasty.bound.expect("always") <= least + 1e-8, "{at}");
                }
                for solver in [
                    &TopDownSpecialization::default() as &dyn Solver,
                    &BottomUpGeneralization::default(),
                ] {
                    if let Ok(found) = solve(solver, &request) {
                        assert!(found.score >= least - 1e-8, "{at}");
                    }
                }
                solved += 1;
            }
            (Err(Error::Infeasible { .. }), None) => refused += 1,
            (answer, least) => panic!("round {round}: {answer:?} where brute force says {least:?}"),
        }
    }
    assert!(
        solved > 200 && refused > 50,
        "{solved} solved, {refused} refused"
    );
}

/// What is published of each record of a table, in the table's order.
fn published(table: &TableOf, recoding: &Recoding) -> Vec<Option<Vec<String>>> {
    table.published(recoding)
}

#[test]
fn table_2c_by_specialization() {
    let table = patients();
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 3 })];
    let summary = table.summary();
    let request = table.request(&summary, &promises);
    let professional = ["Professional", "Male", "[35-40)"].map(String::from);
    let artist = ["Artist", "Female", "[30-35)"].map(String::from);
    let expected: Vec<Option<Vec<String>>> = (0..7)
        .map(|row| Some(if row < 3 { &professional } else { &artist }.to_vec()))
        .collect();
    for (name, solver) in [
        (
            "top-down",
            Box::new(TopDownSpecialization::default()) as Box<dyn Solver>,
        ),
        (
            "top-down, class",
            Box::new(TopDownSpecialization {
                purpose: Purpose::Class(0),
                ..TopDownSpecialization::default()
            }),
        ),
        (
            "top-down, clusters",
            Box::new(TopDownSpecialization {
                purpose: Purpose::Clusters(2),
                ..TopDownSpecialization::default()
            }),
        ),
        ("k-optimize", Box::new(KOptimize::default())),
    ] {
        let solution = solve(solver.as_ref(), &request).expect("feasible");
        let found = published(&table, &solution.recoding);
        // Finer values are allowed where a whole class shares them.
        let classes: Vec<usize> = found
            .iter()
            .map(|row| found.iter().filter(|other| *other == row).count())
            .collect();
        assert_eq!(classes, [3, 3, 3, 4, 4, 4, 4], "{name}: {found:?}");
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (found, expected) = (
                found.as_ref().expect("published"),
                expected.as_ref().expect("published"),
            );
            assert_eq!(found[..2], expected[..2], "{name}, row {row}");
        }
    }
}

#[test]
fn several_known_sets_need_less_than_their_union() {
    // Example 2.3 in small: every value is common, every pair of values is unique.
    let column = |name: &str, value: &dyn Fn(usize) -> usize| {
        let cells: Vec<String> = (0..16).map(|row| format!("v{}", value(row))).collect();
        Column::from_texts(name, cells.iter().map(|cell| Some(cell.as_str())))
    };
    let columns = [column("a", &|row| row % 4), column("b", &|row| row / 4)];
    let hierarchies: Vec<Hierarchy> = columns
        .iter()
        .map(|column| Hierarchy::flat(&column.dictionary))
        .collect();
    let summary = summarize(&[&columns[0], &columns[1]], &[], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 4 })];
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
    let several = TopDownSpecialization {
        known_sets: vec![vec![0], vec![1]],
        ..TopDownSpecialization::default()
    };
    let apart = solve(&several, &request).expect("feasible");
    assert!(apart.score.abs() < 1e-12, "{}", apart.score);
    let together = solve(&TopDownSpecialization::default(), &request).expect("feasible");
    assert_eq!(together.statistics.smallest, 4);
    assert_eq!(together.statistics.classes, 4);
    // No set may be asked for that is not there.
    let beyond = TopDownSpecialization {
        known_sets: vec![vec![2]],
        ..TopDownSpecialization::default()
    };
    assert!(matches!(
        solve(&beyond, &request),
        Err(Error::Hierarchies { .. })
    ));
}

#[test]
fn numeric_taxonomies_grow_where_the_class_changes() {
    // Ages 20..39: young are c0, from 27 on c1. The grown cut must be at 27, which no decade is.
    let ages: Vec<String> = (0..40).map(|row| (20 + row / 2).to_string()).collect();
    let age = Column::from_texts("age", ages.iter().map(|a| Some(a.as_str())));
    let class: Vec<&str> = (0..40)
        .map(|row| if row / 2 < 7 { "c0" } else { "c1" })
        .collect();
    let class = Column::from_texts("class", class.into_iter().map(Some));
    let hierarchy = Hierarchy::intervals(
        &age.dictionary,
        &[denym_data::Decimal::parse("10").expect("a number")],
    )
    .expect("intervals");
    let summary = summarize(&[&age], &[&class], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 12 })];
    let request = Request {
        summary: &summary,
        hierarchies: std::slice::from_ref(&hierarchy),
        promises: &promises,
        objective: Objective::Loss,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    };
    let solver = TopDownSpecialization {
        purpose: Purpose::Class(0),
        grow_numbers: true,
        ..TopDownSpecialization::default()
    };
    let solution = solve(&solver, &request).expect("feasible");
    let texts: Vec<&str> = solution.recoding.published[0]
        .iter()
        .map(|&label| {
            solution.recoding.labels[0].texts[label as usize]
                .as_deref()
                .expect("present")
        })
        .collect();
    assert_eq!(texts[0], "20-26", "{texts:?}");
}

#[test]
fn disclosure_stops_at_the_template() {
    // Table II(a) with <QID -> HIV, 50 %>: the dancers, all ill, must not be told apart.
    let table = patients();
    let hiv = table.code("HIV");
    let bound = Fraction::parse("0.6").expect("a fraction");
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(Confidence::of_values(0, [(hiv, bound)]))];
    let summary = table.summary();
    let request = table.request(&summary, &promises);
    let solution = solve(&TopDownDisclosure::default(), &request).expect("feasible");
    let found = published(&table, &solution.recoding);
    assert!(
        found.iter().flatten().all(|row| row[0] != "Dancer"),
        "{found:?}"
    );
    assert!(
        found.iter().flatten().flatten().any(|value| value != "*"),
        "{found:?}"
    );
    for row in &found {
        let group: Vec<usize> = (0..7).filter(|&other| found[other] == *row).collect();
        let ill = group.iter().filter(|&&row| table.secret.codes[row] == hiv);
        assert!(10 * ill.count() <= 6 * group.len(), "{found:?}");
    }
}

#[test]
fn siblings_lose_no_more_than_subtrees_where_one_value_is_rare() {
    // Three common leaves and two rare ones under one parent: only the rare ones move.
    let cells: Vec<&str> = [
        vec!["a"; 5],
        vec!["b"; 5],
        vec!["c"; 5],
        vec!["d"; 1],
        vec!["e"; 1],
    ]
    .concat();
    let column = Column::from_texts("q", cells.iter().copied().map(Some));
    let hierarchy = Hierarchy::flat(&column.dictionary);
    let summary = summarize(&[&column], &[], None);
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
    let request = Request {
        summary: &summary,
        hierarchies: std::slice::from_ref(&hierarchy),
        promises: &promises,
        objective: Objective::Loss,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    };
    let solution = solve(&SiblingGeneralization, &request).expect("feasible");
    assert_eq!(solution.statistics.classes, 4);
    // Two records in seventeen are published as "d or e": one leaf more of four, (2 - 1) / 4 each.
    assert!(
        (solution.score - 2.0 / 17.0 * 0.25).abs() < 1e-9,
        "{}",
        solution.score
    );
    let subtree = solve(&BottomUpGeneralization::default(), &request).expect("feasible");
    assert!((subtree.score - 1.0).abs() < 1e-9);
}

#[test]
fn mu_argus_is_not_k_anonymity() {
    // Five bits with even parity: any three values occur twice, four or five single everybody out.
    let rows: Vec<[u32; 5]> = (0..16_u32)
        .map(|row| {
            let bit = |b: u32| row >> b & 1;
            [bit(0), bit(1), bit(2), bit(3), row.count_ones() & 1]
        })
        .collect();
    let columns: Vec<Column> = (0..5)
        .map(|d| {
            let cells: Vec<String> = rows.iter().map(|row| format!("v{}", row[d])).collect();
            Column::from_texts(&format!("q{d}"), cells.iter().map(|c| Some(c.as_str())))
        })
        .collect();
    let hierarchies: Vec<Hierarchy> = columns
        .iter()
        .map(|column| Hierarchy::flat(&column.dictionary))
        .collect();
    let summary = summarize(&columns.iter().collect::<Vec<_>>(), &[], None);
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &[],
        objective: Objective::Loss,
        suppress_at_most: Fraction::ZERO,
        limits: None,
        setting: None,
        weights: None,
    };
    let run = |k| {
        let argus = MuArgus {
            k,
            ..MuArgus::default()
        };
        Context::quiet(0, |context| argus.run(&request, context)).expect("runs")
    };
    let release = run(2);
    assert_eq!(release.suppressed_cells, [0; 5]);
    assert!(release.solution.score.abs() < 1e-12);
    assert_eq!(release.solution.statistics.smallest, 1);
    assert!(!release.happens_to_be_k_anonymous);
    // For three in each combination something has to go, and no three published values are rare.
    let release = run(3);
    assert!(release.solution.score > 0.0);
    let recoding = &release.solution.recoding;
    let text = |t: usize, d: usize| {
        let class = recoding.class_of[t].expect("published") as usize;
        recoding.labels[d].texts[recoding.published[d][class] as usize].clone()
    };
    for a in 0..5 {
        for b in 0..5 {
            for c in 0..5 {
                let mut counts: BTreeMap<_, usize> = BTreeMap::new();
                for t in 0..summary.tuples() {
                    *counts
                        .entry((text(t, a), text(t, b), text(t, c)))
                        .or_default() += 1;
                }
                let star = |v: &Option<Box<str>>| v.as_deref() == Some("*");
                for ((x, y, z), count) in counts {
                    assert!(count >= 3 || star(&x) || star(&y) || star(&z));
                }
            }
        }
    }
}

#[test]
fn adult_k_optimize_proves_its_cut() {
    let Some(data) = denym_testkit::shared::path("data/adult/adult.csv") else {
        return;
    };
    let table = common::adult(&data, data.parent().expect("a directory"));
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
    let best = solve(&KOptimize::default(), &request).expect("feasible");
    assert_eq!(best.bound, Some(best.score), "the search came to its end");
    assert!(best.statistics.smallest >= 5);
    // Levels for whole columns are cuts as well, so the best levels lose no less.
    let levels = solve(&FullDomain::default(), &request).expect("feasible");
    assert!(best.score <= levels.score + 1e-9);
    // A sibling or a single value may stay where a subtree may not: these schemes lose less here.
    let siblings = solve(&SiblingGeneralization, &request).expect("feasible");
    assert!(siblings.statistics.smallest >= 5);
    assert!(siblings.score < best.score);
}
