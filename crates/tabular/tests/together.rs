//! People in the same combination of classes, and records lost before the search, against every node of the lattice on small tables.

use std::collections::{BTreeMap, BTreeSet};

use denym_data::{Column, Fraction, Hierarchy, SplitMix64};
use denym_measure::promises::{DistinctDiversity, KAnonymity};
use denym_measure::{Promise, Together};
use denym_tabular::{Context, Error, FullDomain, Objective, Request, Setting, Solver};
use denym_testkit::summarize::summarize;

struct Case {
    people: Column,
    quasi: Vec<Column>,
    secret: Column,
    hierarchies: Vec<Hierarchy>,
}

fn column(name: &str, codes: &[u64]) -> Column {
    let texts: Vec<String> = codes.iter().map(|code| format!("{name}{code}")).collect();
    Column::from_texts(name, texts.iter().map(|text| Some(text.as_str())))
}

fn case(random: &mut SplitMix64) -> Case {
    let records = 3 + random.below(9) as usize;
    let mut draw = |below: u64| -> Vec<u64> { (0..records).map(|_| random.below(below)).collect() };
    let people = column("p", &draw(6));
    let secret = column("s", &draw(3));
    let quasi: Vec<Column> = (0..2).map(|d| column(&format!("q{d}"), &draw(3))).collect();
    let hierarchies = quasi
        .iter()
        .map(|q| Hierarchy::flat(&q.dictionary))
        .collect();
    Case {
        people,
        quasi,
        secret,
        hierarchies,
    }
}

impl Case {
    /// The class of each row at `levels`.
    fn class(&self, levels: &[usize], row: usize) -> Vec<u32> {
        let columns = self.quasi.iter().zip(&self.hierarchies).zip(levels);
        columns
            .map(|((column, hierarchy), &level)| hierarchy.node(level, column.codes[row]))
            .collect()
    }

    /// Whether every combination of classes that `rows` leave has k people with l values in each of its classes.
    fn stands(&self, levels: &[usize], rows: &[usize], known: Together, k: u64, l: u64) -> bool {
        let mut of: BTreeMap<u32, BTreeSet<Vec<u32>>> = BTreeMap::new();
        for &row in rows {
            of.entry(self.people.codes[row])
                .or_default()
                .insert(self.class(levels, row));
        }
        let fits = |own: &BTreeSet<Vec<u32>>, set: &BTreeSet<Vec<u32>>| match known {
            Together::All => own == set,
            Together::Any(_) => set.is_subset(own),
        };
        let sets: Vec<BTreeSet<Vec<u32>>> = match known {
            Together::All => of.values().cloned().collect(),
            Together::Any(most) => of
                .values()
                .flat_map(|own| {
                    let own: Vec<&Vec<u32>> = own.iter().collect();
                    (1_usize..1 << own.len())
                        .filter(|bits| bits.count_ones() as usize <= most)
                        .map(|bits| {
                            let chosen = (0..own.len()).filter(|at| bits >> at & 1 == 1);
                            chosen.map(|at| own[at].clone()).collect()
                        })
                        .collect::<Vec<BTreeSet<Vec<u32>>>>()
                })
                .collect(),
        };
        sets.iter().all(|set| {
            let people: BTreeSet<u32> = of
                .iter()
                .filter(|(_, own)| fits(own, set))
                .map(|(&person, _)| person)
                .collect();
            let diverse = |class: &Vec<u32>| {
                let values: BTreeSet<u32> = rows
                    .iter()
                    .filter(|&&row| self.class(levels, row) == *class)
                    .filter(|&&row| people.contains(&self.people.codes[row]))
                    .map(|&row| self.secret.codes[row])
                    .collect();
                values.len() as u64 >= l
            };
            people.len() as u64 >= k && set.iter().all(diverse)
        })
    }
}

#[test]
fn levels_keep_every_combination_of_classes() {
    let mut random = SplitMix64::new(5);
    let (mut solved, mut refused, mut coarser) = (0, 0, 0);
    for round in 0..3000 {
        let case = case(&mut random);
        let known = match random.below(3) {
            0 => Together::Any(2),
            _ => Together::All,
        };
        let (k, l) = (1 + random.below(3), 1 + random.below(2));
        let budget = [0, 30, 60][random.below(3) as usize];
        let promises: Vec<Box<dyn Promise>> = vec![
            Box::new(KAnonymity { k }),
            Box::new(DistinctDiversity { attribute: 0, l }),
        ];
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], Some(&case.people));
        let setting = Setting {
            together: Some(known),
            ..Setting::default()
        };
        let request = Request {
            summary: &summary,
            hierarchies: &case.hierarchies,
            promises: &promises,
            objective: Objective::Height,
            suppress_at_most: Fraction::new(budget, 100).expect("a share"),
            limits: None,
            setting: Some(&setting),
            weights: None,
        };
        let answer = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
        let every: Vec<usize> = (0..case.secret.codes.len()).collect();
        let nodes = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let lowest = nodes
            .iter()
            .filter(|levels| case.stands(&levels[..], &every, known, k, l))
            .map(|levels| levels.iter().sum::<usize>())
            .min();
        match answer {
            Ok(solution) => {
                solved += 1;
                let levels = solution.recoding.levels.clone().expect("levels");
                let left: Vec<usize> = every
                    .iter()
                    .copied()
                    .filter(|&row| {
                        let tuple = (0..summary.tuples())
                            .find(|&t| (0..2).all(|d| summary.quasi[d][t] == quasi[d].codes[row]))
                            .expect("every row has a tuple");
                        solution.recoding.class_of[tuple].is_some()
                    })
                    .collect();
                assert!(case.stands(&levels, &left, known, k, l), "round {round}");
                let height: usize = levels.iter().sum();
                assert!(
                    lowest.is_none_or(|lowest| height <= lowest),
                    "round {round}"
                );
                coarser += usize::from(height > 0);
                if budget == 0 {
                    assert_eq!(Some(height), lowest, "round {round}");
                }
            }
            Err(Error::Infeasible { .. }) => {
                refused += 1;
                assert_eq!(lowest, None, "round {round}: {known:?} k = {k} l = {l}");
            }
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    assert!(
        solved > 1000 && refused > 50 && coarser > 300,
        "{solved} {refused} {coarser}"
    );
}

/// What each objective says of a node when some records were left out before.
fn score(objective: Objective, case: &Case, levels: &[usize], gone: &[usize], lost: usize) -> f64 {
    let own = case.secret.codes.len();
    let n = (own + lost) as f64;
    let missing = (gone.len() + lost) as f64;
    let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in (0..own).filter(|row| !gone.contains(row)) {
        *classes.entry(case.class(levels, row)).or_default() += 1;
    }
    let losses: Vec<f64> = levels
        .iter()
        .zip(&case.hierarchies)
        .map(|(&level, hierarchy)| {
            let whole = level == 1 && hierarchy.leaves() > 1;
            if hierarchy.leaves() <= 1 {
                0.0
            } else if whole {
                1.0
            } else {
                missing / n
            }
        })
        .collect();
    match objective {
        Objective::Loss => losses.iter().map(|v| (1.0 + v).sqrt()).product::<f64>() - 1.0,
        Objective::LossArithmetic => losses.iter().sum::<f64>() / 2.0,
        Objective::Discernibility => {
            classes.values().map(|&c| (c * c) as f64).sum::<f64>() + n * missing
        }
        Objective::AverageClassSize => n / classes.len() as f64,
        _ => levels.iter().sum::<usize>() as f64,
    }
}

#[test]
fn bounds_hold_when_records_were_lost_before() {
    let mut random = SplitMix64::new(9);
    let mut solved = 0;
    for round in 0..3000 {
        let case = case(&mut random);
        let lost = random.below(6);
        let k = 1 + random.below(3);
        let budget = [0, 20, 50][random.below(3) as usize];
        let objectives = [
            Objective::Loss,
            Objective::LossArithmetic,
            Objective::Discernibility,
            Objective::AverageClassSize,
        ];
        let objective = objectives[random.below(4) as usize];
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], None);
        let setting = Setting {
            lost,
            ..Setting::default()
        };
        let request = Request {
            summary: &summary,
            hierarchies: &case.hierarchies,
            promises: &promises,
            objective,
            suppress_at_most: Fraction::new(budget, 100).expect("a share"),
            limits: None,
            setting: Some(&setting),
            weights: None,
        };
        let answer = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
        let own = case.secret.codes.len();
        let best = [[0, 0], [0, 1], [1, 0], [1, 1]]
            .iter()
            .filter_map(|levels| {
                let size = |row: usize| {
                    let class = case.class(levels, row);
                    let same = (0..own).filter(|&other| case.class(levels, other) == class);
                    same.count() as u64
                };
                let gone: Vec<usize> = (0..own).filter(|&row| size(row) < k).collect();
                let valid = gone.len() as u64 <= request.budget() && gone.len() < own;
                valid.then(|| score(objective, &case, levels, &gone, lost as usize))
            })
            .min_by(f64::total_cmp);
        match (answer, best) {
            (Ok(solution), Some(best)) => {
                solved += 1;
                assert!(
                    (solution.score - best).abs() < 1e-8,
                    "round {round}: {objective:?} {} {best}",
                    solution.score
                );
                assert!(
                    solution.bound.is_some_and(|bound| bound <= best + 1e-8),
                    "round {round}"
                );
            }
            (Err(Error::Infeasible { nearest }), None) => {
                // What is named counts the lost ones, in and of all.
                if let Some((records, total)) = nearest.suppression {
                    assert!(
                        records >= lost && total == own as u64 + lost,
                        "round {round}"
                    );
                }
            }
            (answer, best) => panic!("round {round}: {answer:?} where brute force says {best:?}"),
        }
    }
    assert!(solved > 1000, "{solved}");
}
