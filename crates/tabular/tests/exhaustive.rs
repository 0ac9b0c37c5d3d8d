//! The optimal search against every node of the lattice, on thousands of small random tables.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{AtMostSubjects, Close, Confidence, Distinct};
use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64};
use denym_measure::promises::KAnonymity;
use denym_measure::{Group, Histogram, Promise, Sense};
use denym_tabular::{Context, Error, FullDomain, Objective, Request, Solver};
use denym_testkit::lattice::{Node, every_node};
use denym_testkit::summarize::summarize;

/// A random table with random hierarchies; some cells are missing, some leaves never occur.
struct Case {
    quasi: Vec<Column>,
    secret: Column,
    subject: Option<Column>,
    hierarchies: Vec<Hierarchy>,
    promises: Vec<Box<dyn Promise>>,
    limits: Vec<(usize, usize)>,
    /// What each loss is multiplied by, in half of the cases.
    weights: Option<Vec<f64>>,
}

fn case(random: &mut SplitMix64) -> Case {
    let records = 1 + random.below(14) as usize;
    let attributes = 1 + random.below(4) as usize;
    let column = |random: &mut SplitMix64, name: &str, values: u64, missing: bool| {
        let cells: Vec<Option<String>> = (0..records)
            .map(|_| {
                (!missing || random.below(8) > 0).then(|| format!("v{}", random.below(values)))
            })
            .collect();
        Column::from_texts(name, cells.iter().map(Option::as_deref))
    };
    let mut quasi = Vec::new();
    let mut hierarchies = Vec::new();
    for d in 0..attributes {
        let values = 1 + random.below(5);
        let column = column(random, &format!("q{d}"), values, true);
        // Each level merges the nodes of the one below at random.
        let height = 1 + random.below(3) as usize;
        let mut labels: Vec<Vec<String>> = (0..6).map(|v| vec![format!("v{v}")]).collect();
        let mut node: Vec<u64> = (0..6).collect();
        for level in 1..=height {
            let parents: Vec<u64> = (0..6).map(|_| random.below(4 - level as u64)).collect();
            for (labels, node) in labels.iter_mut().zip(&mut node) {
                *node = parents[*node as usize];
                labels.push(format!("{level}/{node}"));
            }
        }
        let rows: Vec<HierarchyRow> = labels
            .into_iter()
            .enumerate()
            .map(|(line, labels)| HierarchyRow { line, labels })
            .collect();
        hierarchies.push(Hierarchy::from_rows(&column, &rows).expect("nests"));
        quasi.push(column);
    }
    let secret = column(random, "s", 3, false);
    let subject = (random.below(3) == 0).then(|| column(random, "p", records as u64, false));
    let mut whole = vec![0; secret.dictionary.len()];
    for &code in &secret.codes {
        whole[code as usize] += 1;
    }
    let mut promises: Vec<Box<dyn Promise>> = Vec::new();
    if random.below(4) > 0 {
        promises.push(Box::new(KAnonymity {
            k: 1 + random.below(5) + 15 * (random.below(30) / 29),
        }));
    }
    if random.below(3) == 0 {
        promises.push(Box::new(Distinct(1 + random.below(3))));
    }
    if random.below(3) == 0 {
        let t = random.below(10) as f64 / 10.0;
        promises.push(Box::new(Close { t, whole }));
    }
    // A subject may show several values in several tuples; histograms of merged tuples are then not exact.
    if random.below(4) == 0 && subject.is_none() {
        promises.push(Box::new(Confidence(random.below(10) as f64 / 10.0)));
    }
    if random.below(6) == 0 {
        promises.push(Box::new(AtMostSubjects(1 + random.below(8))));
    }
    let limits = hierarchies
        .iter()
        .map(|hierarchy| {
            let top = hierarchy.height() as u64 - 1;
            let low = if random.below(4) == 0 {
                random.below(top + 1)
            } else {
                0
            };
            let high = if random.below(4) == 0 {
                low + random.below(top - low + 1)
            } else {
                top
            };
            (low as usize, high as usize)
        })
        .collect();
    let weights = (random.below(2) == 0).then(|| {
        let draw = |_| [0.0, 0.25, 1.0, 1.0, 3.0][random.below(5) as usize];
        (0..attributes).map(draw).collect()
    });
    Case {
        quasi,
        secret,
        subject,
        hierarchies,
        promises,
        limits,
        weights,
    }
}

impl Case {
    fn group<T>(&self, rows: &[usize], judge: impl FnOnce(&Group<'_>) -> T) -> T {
        let person = |row: usize| {
            let subject = self.subject.as_ref();
            subject.map_or(row as u32, |column| column.codes[row])
        };
        let subjects: BTreeSet<u32> = rows.iter().map(|&row| person(row)).collect();
        let shown: BTreeSet<(u32, u32)> = rows
            .iter()
            .map(|&row| (self.secret.codes[row], person(row)))
            .collect();
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (value, _) in shown {
            *counts.entry(value).or_default() += 1;
        }
        let counts: Vec<(u32, u64)> = counts.into_iter().collect();
        judge(&Group::new(
            rows.len() as u64,
            subjects.len() as u64,
            &[Histogram::new(&counts)],
        ))
    }

    fn admits(&self, rows: &[usize]) -> bool {
        self.group(rows, |group| self.promises.iter().all(|p| p.admits(group)))
    }

    fn nodes(&self) -> Vec<Node> {
        let maps: Vec<Vec<Vec<u32>>> = self
            .hierarchies
            .iter()
            .map(|hierarchy| {
                hierarchy
                    .levels()
                    .iter()
                    .map(|level| level.nodes.clone())
                    .collect()
            })
            .collect();
        let codes: Vec<Vec<u32>> = self
            .quasi
            .iter()
            .map(|column| column.codes.clone())
            .collect();
        every_node(&maps, &codes, &self.limits, &|rows| self.admits(rows))
    }

    /// The score by the book.
    fn score(&self, node: &Node, objective: Objective) -> f64 {
        let n = self.secret.codes.len();
        let gone = node.suppressed;
        let kept = (n - gone) as f64;
        let pairs = || self.hierarchies.iter().zip(&node.levels);
        let losses: Vec<f64> = self
            .hierarchies
            .iter()
            .enumerate()
            .map(|(d, hierarchy)| {
                let level = &hierarchy.levels()[node.levels[d]];
                let leaves = |row: usize| {
                    level.leaves[level.nodes[self.quasi[d].codes[row] as usize] as usize]
                };
                let all = hierarchy.leaves();
                let sum: u64 = node
                    .kept
                    .iter()
                    .flatten()
                    .map(|&row| leaves(row))
                    .sum::<u64>()
                    + gone as u64 * all;
                let (sum, n) = (u128::from(sum), n as u128);
                let units = (sum - n) * 10_000_000_000 / (n * u128::from(all - 1)).max(1);
                units as f64 / 1e10
            })
            .collect();
        let q = losses.len() as f64;
        let weight = |d: usize| self.weights.as_ref().map_or(1.0, |weights| weights[d]);
        let weighted = || losses.iter().enumerate().map(|(d, v)| v * weight(d));
        match objective {
            Objective::Loss => weighted().map(|v| (v + 1.0).powf(1.0 / q)).product::<f64>() - 1.0,
            Objective::LossArithmetic => weighted().sum::<f64>() / q,
            Objective::Discernibility => {
                (node.kept.iter().map(|c| c.len() * c.len()).sum::<usize>() + n * gone) as f64
            }
            Objective::AverageClassSize => n as f64 / node.kept.len() as f64,
            Objective::Precision => {
                let mean = pairs()
                    .map(|(h, &l)| l as f64 / (h.height() - 1).max(1) as f64)
                    .sum::<f64>()
                    / q;
                (kept * mean + gone as f64) / n as f64
            }
            Objective::MinimalDistortion => pairs()
                .map(|(h, &l)| kept * l as f64 + gone as f64 * (h.height() - 1).max(1) as f64)
                .sum(),
            Objective::Height => node.levels.iter().sum::<usize>() as f64,
        }
    }
}

#[test]
fn finds_the_best_of_all_nodes() {
    let mut random = SplitMix64::new(2026);
    let (mut solved, mut refused, mut steered) = (0, 0, 0);
    for round in 0..6000 {
        let case = case(&mut random);
        let objective = Objective::ALL[round % Objective::ALL.len()].1;
        let limit = [0, 0, 10, 25, 50, 100][random.below(6) as usize];
        let limit = Fraction::new(limit, 100).expect("a fraction");
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], case.subject.as_ref());
        let request = Request {
            summary: &summary,
            hierarchies: &case.hierarchies,
            promises: &case.promises,
            objective,
            suppress_at_most: limit,
            limits: Some(&case.limits),
            setting: None,
            weights: case.weights.as_deref(),
        };
        let answer = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
        let n = summary.total() as usize;
        let nodes = case.nodes();
        let valid =
            |node: &&Node| node.suppressed as u64 <= request.budget() && node.suppressed < n;
        let best = nodes.iter().filter(valid).min_by(|a, b| {
            let scores = (case.score(a, objective), case.score(b, objective));
            let height = |node: &Node| node.levels.iter().sum::<usize>();
            scores
                .0
                .total_cmp(&scores.1)
                .then(a.suppressed.cmp(&b.suppressed))
                .then(height(a).cmp(&height(b)))
                .then(a.levels.cmp(&b.levels))
        });
        match (answer, best) {
            (Ok(solution), Some(best)) => {
                let at = format!("round {round}, {}", objective.name());
                assert_eq!(
                    solution.recoding.levels.as_ref(),
                    Some(&best.levels),
                    "{at}"
                );
                assert_eq!(
                    solution.score.to_bits(),
                    case.score(best, objective).to_bits(),
                    "{at}"
                );
                assert_eq!(
                    solution.statistics.suppressed, best.suppressed as u64,
                    "{at}"
                );
                assert_eq!(solution.statistics.classes, best.kept.len() as u64, "{at}");
                assert_eq!(solution.recoding.classes(), best.kept.len(), "{at}");
                solved += 1;
                // Weights that lead elsewhere than equal ones would.
                let plain = Request {
                    weights: None,
                    ..request
                };
                let plain =
                    Context::quiet(0, |context| FullDomain::default().solve(&plain, context));
                steered += usize::from(
                    plain.expect("feasible").recoding.levels != solution.recoding.levels,
                );
            }
            (Err(Error::Infeasible { nearest }), None) => {
                let least = nodes
                    .iter()
                    .map(|node| node.suppressed)
                    .filter(|&s| s < n)
                    .min();
                assert_eq!(
                    nearest.suppression.map(|s| s.0),
                    least.map(|s| s as u64),
                    "round {round}"
                );
                check_reach(&case, &nearest, &nodes, request.budget());
                refused += 1;
            }
            (answer, best) => panic!("round {round}: {answer:?} where brute force says {best:?}"),
        }
    }
    assert!(
        solved > 2000 && refused > 2000 && steered > 10,
        "{solved} solved, {refused} refused, {steered} steered by weights"
    );
}

/// The strictest bound of each promise, found by trying the value of every class as the bound.
fn check_reach(case: &Case, nearest: &denym_tabular::Nearest, nodes: &[Node], budget: u64) {
    let open = every_node(
        &case
            .hierarchies
            .iter()
            .map(|h| h.levels().iter().map(|level| level.nodes.clone()).collect())
            .collect::<Vec<_>>(),
        &case
            .quasi
            .iter()
            .map(|column| column.codes.clone())
            .collect::<Vec<_>>(),
        &case.limits,
        &|_| true,
    );
    assert_eq!(open.len(), nodes.len());
    for (p, reach) in nearest.reach.iter().enumerate() {
        let sense = case.promises[p].terms().sense;
        let mut best: Option<f64> = None;
        for node in &open {
            let value = |rows: &Vec<usize>| case.group(rows, |group| case.promises[p].value(group));
            let others = |rows: &Vec<usize>| {
                case.group(rows, |group| {
                    (0..case.promises.len()).all(|i| i == p || case.promises[i].admits(group))
                })
            };
            for bound in node.kept.iter().map(value) {
                let passes = |rows: &Vec<usize>| match sense {
                    Sense::AtLeast => value(rows) >= bound,
                    Sense::AtMost => value(rows) <= bound,
                };
                let kept = node.kept.iter().filter(|rows| others(rows) && passes(rows));
                let kept: usize = kept.map(Vec::len).sum();
                let all: usize = node.kept.iter().map(Vec::len).sum();
                if kept > 0 && (all - kept) as u64 <= budget {
                    best = Some(best.map_or(bound, |old| match sense {
                        Sense::AtLeast => old.max(bound),
                        Sense::AtMost => old.min(bound),
                    }));
                }
            }
        }
        assert_eq!(reach.reachable, best, "{}", reach.name);
    }
}
