//! Promises on some of the columns, and with a population, against every node of the lattice on small random tables.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::Confidence;
use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, SplitMix64};
use denym_measure::promises::{KAnonymity, KMap};
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{
    Context, Error, FullDomain, LocalRecoding, Mondrian, Objective, Population, Request, Setting,
    Solver,
};
use denym_testkit::summarize::summarize;

const VALUES: u64 = 6;

struct Case {
    quasi: Vec<Column>,
    secret: Column,
    hierarchies: Vec<Hierarchy>,
    promises: Vec<Box<dyn Promise>>,
    setting: Setting,
    /// The population as codes, a person each.
    people: Vec<Vec<u32>>,
}

fn case(random: &mut SplitMix64, confident: bool) -> Case {
    let records = 2 + random.below(14) as usize;
    let attributes = 1 + random.below(3) as usize;
    let (mut quasi, mut hierarchies) = (Vec::new(), Vec::new());
    for d in 0..attributes {
        // Every value has a code, whether the table shows it or not: so populations can be coded alike.
        let cells: Vec<String> = (0..VALUES).map(|v| format!("v{v}")).collect();
        let mut column = Column::from_texts(
            &format!("q{d}"),
            cells.iter().map(|cell| Some(cell.as_str())),
        );
        let values = 1 + random.below(VALUES);
        column.codes = (0..records).map(|_| random.below(values) as u32).collect();
        let height = 1 + random.below(2) as usize;
        let mut labels: Vec<Vec<String>> = (0..VALUES).map(|v| vec![format!("v{v}")]).collect();
        let mut node: Vec<u64> = (0..VALUES).collect();
        for level in 1..=height {
            let parents: Vec<u64> = (0..VALUES)
                .map(|_| random.below(4 - level as u64))
                .collect();
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
    let secrets: Vec<String> = (0..records)
        .map(|_| format!("s{}", random.below(3)))
        .collect();
    let secret = Column::from_texts("s", secrets.iter().map(|cell| Some(cell.as_str())));
    // All columns, or up to three sets of some of them.
    let scope = |random: &mut SplitMix64| -> Vec<Vec<usize>> {
        (0..random.below(4))
            .map(|_| (0..attributes).filter(|_| random.below(2) == 0).collect())
            .collect()
    };
    let mut promises: Vec<Box<dyn Promise>> = Vec::new();
    let mut scopes = Vec::new();
    for _ in 0..=random.below(3) {
        promises.push(Box::new(KAnonymity {
            k: 1 + random.below(4),
        }));
        scopes.push(scope(random));
    }
    if confident {
        promises.push(Box::new(Confidence(0.3 + random.below(7) as f64 / 10.0)));
        scopes.push(scope(random));
    }
    let peopled = random.below(2) == 0;
    let mut people: Vec<Vec<u32>> = Vec::new();
    if peopled {
        promises.push(Box::new(KMap {
            k: 1 + random.below(6),
        }));
        scopes.push(scope(random));
        // Everybody of the table, and others.
        for row in 0..records {
            people.push(quasi.iter().map(|column| column.codes[row]).collect());
        }
        for _ in 0..random.below(12) {
            people.push(
                (0..attributes)
                    .map(|_| random.below(VALUES) as u32)
                    .collect(),
            );
        }
    }
    let mut distinct: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for person in &people {
        *distinct.entry(person.clone()).or_default() += 1;
    }
    let population = peopled.then(|| Population {
        quasi: (0..attributes)
            .map(|d| distinct.keys().map(|tuple: &Vec<u32>| tuple[d]).collect())
            .collect(),
        people: distinct.values().copied().collect(),
        everybody: Vec::new(),
    });
    Case {
        quasi,
        secret,
        hierarchies,
        promises,
        setting: Setting {
            scopes,
            population,
            ..Setting::default()
        },
        people,
    }
}

impl Case {
    fn at(&self, codes: &[u32], levels: &[usize]) -> Vec<u32> {
        codes
            .iter()
            .zip(levels)
            .zip(&self.hierarchies)
            .map(|((&code, &level), hierarchy)| hierarchy.levels()[level].nodes[code as usize])
            .collect()
    }

    /// The rows that are left when groups that fail are taken out until all stand.
    fn settled(&self, levels: &[usize]) -> Vec<usize> {
        let n = self.secret.codes.len();
        let mut left: BTreeSet<usize> = (0..n).collect();
        loop {
            let before = left.len();
            for (promise, sets) in self.promises.iter().zip(&self.setting.scopes) {
                for set in self.sets(sets) {
                    left = self.standing(&left, levels, promise.as_ref(), &set);
                }
            }
            if left.len() == before {
                return left.into_iter().collect();
            }
        }
    }

    /// The sets of columns that a promise is judged on.
    fn sets(&self, asked: &[Vec<usize>]) -> Vec<Vec<usize>> {
        if asked.is_empty() {
            return vec![(0..self.quasi.len()).collect()];
        }
        asked.to_vec()
    }

    fn standing(
        &self,
        left: &BTreeSet<usize>,
        levels: &[usize],
        promise: &dyn Promise,
        scope: &[usize],
    ) -> BTreeSet<usize> {
        let look = |codes: &[u32]| -> Vec<u32> {
            let lifted = self.at(codes, levels);
            scope.iter().map(|&d| lifted[d]).collect()
        };
        let mut groups: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for &row in left {
            let codes: Vec<u32> = self.quasi.iter().map(|column| column.codes[row]).collect();
            groups.entry(look(&codes)).or_default().push(row);
        }
        let mut standing = BTreeSet::new();
        for (key, rows) in groups {
            let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
            for &row in &rows {
                *counts.entry(self.secret.codes[row]).or_default() += 1;
            }
            let counts: Vec<(u32, u64)> = counts.into_iter().collect();
            let histograms = [Histogram::new(&counts)];
            let mut group = Group::new(rows.len() as u64, rows.len() as u64, &histograms);
            if self.setting.population.is_some() {
                let people = self.people.iter().filter(|person| look(person) == key);
                group = group.with_population(people.count() as u64);
            }
            if promise.admits(&group) {
                standing.extend(rows);
            }
        }
        standing
    }

    fn levels(&self) -> Vec<Vec<usize>> {
        self.hierarchies
            .iter()
            .fold(vec![Vec::new()], |nodes, hierarchy| {
                nodes
                    .iter()
                    .flat_map(|node| {
                        (0..hierarchy.height())
                            .map(move |level| [node.as_slice(), &[level]].concat())
                    })
                    .collect()
            })
    }
}

fn request<'a>(case: &'a Case, summary: &'a denym_data::Summary, percent: u64) -> Request<'a> {
    Request {
        summary,
        hierarchies: &case.hierarchies,
        promises: &case.promises,
        objective: Objective::Height,
        suppress_at_most: Fraction::new(percent, 100).expect("a fraction"),
        limits: None,
        setting: Some(&case.setting),
        weights: None,
    }
}

#[test]
fn full_domain_finds_the_lowest_node_that_stands_on_every_set() {
    let mut random = SplitMix64::new(7);
    let (mut solved, mut refused) = (0, 0);
    for round in 0..3000 {
        // What does not last depends on the order of suppression: compared only where nothing may be suppressed.
        let confident = random.below(3) == 0;
        let case = case(&mut random, confident);
        let percent = if confident {
            0
        } else {
            [0, 10, 30, 60][random.below(4) as usize]
        };
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], None);
        let request = request(&case, &summary, percent);
        let answer = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
        let n = case.secret.codes.len();
        let best = case
            .levels()
            .into_iter()
            .map(|levels| (n - case.settled(&levels).len(), levels))
            .filter(|(gone, _)| *gone as u64 <= request.budget() && *gone < n)
            .min_by_key(|(gone, levels)| (levels.iter().sum::<usize>(), *gone, levels.clone()));
        match (answer, best) {
            (Ok(solution), Some((gone, levels))) => {
                assert_eq!(solution.recoding.levels, Some(levels), "round {round}");
                assert_eq!(solution.statistics.suppressed, gone as u64, "round {round}");
                solved += 1;
            }
            (Err(Error::Infeasible { .. }), None) => refused += 1,
            (answer, best) => panic!("round {round}: {answer:?} where brute force says {best:?}"),
        }
    }
    assert!(
        solved > 1000 && refused > 100,
        "{solved} solved, {refused} refused"
    );
}

#[test]
fn what_is_published_stands_on_every_set() {
    let mut random = SplitMix64::new(11);
    let mut solved = 0;
    for round in 0..1500 {
        let case = case(&mut random, true);
        let quasi: Vec<&Column> = case.quasi.iter().collect();
        let summary = summarize(&quasi, &[&case.secret], None);
        let request = request(&case, &summary, 50);
        let answer = Context::quiet(0, |context| FullDomain::default().solve(&request, context));
        let Ok(solution) = answer else { continue };
        solved += 1;
        let levels = solution.recoding.levels.expect("levels");
        let left: BTreeSet<usize> = (0..case.secret.codes.len())
            .filter(|&row| {
                let tuple = (0..summary.tuples())
                    .find(|&t| (0..quasi.len()).all(|d| summary.quasi[d][t] == quasi[d].codes[row]))
                    .expect("every row has a tuple");
                solution.recoding.class_of[tuple].is_some()
            })
            .collect();
        for (promise, sets) in case.promises.iter().zip(&case.setting.scopes) {
            for set in case.sets(sets) {
                let standing = case.standing(&left, &levels, promise.as_ref(), &set);
                assert_eq!(standing, left, "round {round}");
            }
        }
    }
    assert!(solved > 300, "{solved}");
}

#[test]
fn solvers_of_parts_refuse_a_population() {
    let mut random = SplitMix64::new(3);
    let case = loop {
        let case = case(&mut random, false);
        if case.setting.population.is_some() {
            break case;
        }
    };
    let quasi: Vec<&Column> = case.quasi.iter().collect();
    let summary = summarize(&quasi, &[&case.secret], None);
    let request = request(&case, &summary, 50);
    let solvers: [Box<dyn Solver>; 2] = [
        Box::new(Mondrian::default()),
        Box::new(LocalRecoding::default()),
    ];
    for solver in solvers {
        let answer = Context::quiet(0, |context| solver.solve(&request, context));
        assert_eq!(
            answer.err(),
            Some(Error::PromiseNotHonoured { name: "k-map" })
        );
    }
}
