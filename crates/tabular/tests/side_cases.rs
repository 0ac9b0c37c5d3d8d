//! The same fifty policies through the algorithms that touch sensitive values, publish groups, hide presence or protect
//! combinations of a few values: each takes from a policy what it can promise, and is counted again by plain code.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::cases::{Table, policies, tables};
use denym_data::{
    Code, Column, Decimal, Fraction, Hierarchy, HierarchyRow, Recoding, SplitMix64, Summary,
};
use denym_measure::promises::{DeltaPresence, KAnonymity};
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{
    Anatomized, Anatomy, Context, Distorted, Error, GreedyPersonalized, KePermutation,
    MinimalityDefence, Mpalm, MuArgus, Objective, Permuted, Personalized, PublicTable, Request,
    Solution, Solver, Spalm,
};
use denym_testkit::summarize::summarize;

/// One table, one policy, and what the algorithms need besides.
struct Case<'a> {
    table: &'a Table,
    summary: &'a Summary,
    promises: &'a [Box<dyn Promise>],
    suppress_at_most: Fraction,
    objective: Objective,
    at: String,
}

impl Case<'_> {
    fn request(&self) -> Request<'_> {
        Request {
            summary: self.summary,
            hierarchies: &self.table.hierarchies,
            promises: self.promises,
            objective: self.objective,
            suppress_at_most: self.suppress_at_most,
            limits: None,
            setting: None,
            weights: None,
        }
    }

    fn records(&self) -> usize {
        self.table.secret.codes.len()
    }

    /// The bound of a promise of the policy.
    fn asked(&self, name: &str) -> Option<u64> {
        let terms = self.promises.iter().map(|promise| promise.terms());
        let found = terms.into_iter().find(|terms| terms.name == name);
        found.map(|terms| format!("{:.0}", terms.bound).parse().expect("a count"))
    }

    /// The tuple of each record, found in the summary one by one.
    fn tuples(&self) -> Vec<usize> {
        let quasi = &self.table.quasi;
        let same = |tuple: usize, row: usize| {
            let mut columns = quasi.iter().zip(&self.summary.quasi);
            columns.all(|(column, codes)| codes[tuple] == column.codes[row])
        };
        (0..self.records())
            .map(|row| {
                let all = 0..self.summary.tuples();
                all.into_iter()
                    .find(|&t| same(t, row))
                    .expect("it is there")
            })
            .collect()
    }

    /// Records by what is published of them, suppressed ones left out.
    fn groups(&self, recoding: &Recoding) -> BTreeMap<Vec<Option<String>>, Vec<usize>> {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (row, tuple) in self.tuples().into_iter().enumerate() {
            if let Some(class) = recoding.class_of[tuple] {
                let values = recoding.published.iter().zip(&recoding.labels);
                let values = values.map(|(published, labels)| {
                    labels.texts[published[class as usize] as usize]
                        .as_deref()
                        .map(str::to_owned)
                });
                groups.entry(values.collect()).or_default().push(row);
            }
        }
        groups
    }

    fn admits(&self, counts: &[(Code, u64)], people: Option<u64>) -> bool {
        let records = counts.iter().map(|count| count.1).sum();
        let histograms = [Histogram::new(counts)];
        let mut group = Group::new(records, records, &histograms);
        if let Some(people) = people {
            group = group.with_population(people);
        }
        self.promises.iter().all(|promise| promise.admits(&group))
    }
}

fn counted(values: impl Iterator<Item = Code>) -> Vec<(Code, u64)> {
    let mut counts: BTreeMap<Code, u64> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// Runs `check` on every case and returns how many of the fifty it says were solved.
fn every_case(mut check: impl FnMut(&Case<'_>) -> bool) -> usize {
    let mut solved = 0;
    for table in tables() {
        let quasi: Vec<&Column> = table.quasi.iter().collect();
        let summary = summarize(&quasi, &[&table.secret], None);
        for (policy, promises, suppress_at_most, objective) in policies(&table) {
            let case = Case {
                table: &table,
                summary: &summary,
                promises: &promises,
                suppress_at_most,
                objective,
                at: format!("{}, {policy}", table.name),
            };
            solved += usize::from(check(&case));
        }
    }
    solved
}

/// The answer on all cores, which must be that on one.
fn same_on_one_core<T: PartialEq + std::fmt::Debug + Send>(
    at: &str,
    solve: impl Fn() -> Result<T, Error> + Sync,
) -> Result<T, Error> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let answer = solve();
    assert_eq!(answer, one.expect("a pool").install(&solve), "{at}");
    answer
}

#[test]
fn anatomy_on_every_case() {
    let solved = every_case(|case| {
        let at = &case.at;
        let l = case.asked("l-diversity").unwrap_or(2);
        let solve = || {
            let mut secret = SplitMix64::new(1);
            Anatomy { l, attribute: 0 }.solve(case.summary, &mut |n| secret.below(n))
        };
        let whole = counted(case.table.secret.codes.iter().copied());
        let most = whole.iter().map(|count| count.1).max().expect("a record");
        match same_on_one_core(at, solve) {
            Ok(Anatomized { tuples, groups, .. }) => {
                let mut all = Vec::new();
                let mut sizes = vec![0; groups.len()];
                for (group, size) in sizes.iter_mut().enumerate() {
                    let row = groups.row(group);
                    *size = row.iter().map(|count| count.1).sum::<u64>();
                    assert!(row.iter().all(|count| count.1 * l <= *size), "{at}");
                    assert!(row.len() as u64 >= l, "{at}: {l} different values");
                    for &(value, count) in row {
                        all.extend(std::iter::repeat_n(value, count as usize));
                    }
                }
                assert_eq!(counted(all.into_iter()), whole, "{at}: nobody is lost");
                let mut listed = vec![0; groups.len()];
                for tuple in 0..case.summary.tuples() {
                    for &(group, records) in tuples.row(tuple) {
                        listed[group as usize] += records;
                    }
                }
                assert_eq!(listed, sizes, "{at}: both tables agree");
                true
            }
            Err(Error::Infeasible { .. }) => {
                assert!(most * l > case.records() as u64, "{at}: there is a way");
                false
            }
            Err(error) => panic!("{at}: {error}"),
        }
    });
    assert!(solved >= 30, "{solved}");
}

#[test]
fn permutation_on_every_case() {
    let solved = every_case(|case| {
        let (at, secret) = (&case.at, &case.table.secret);
        let k = case.asked("k-anonymity").expect("every policy has it");
        let number = |code: Code| -> i64 {
            let text = secret.dictionary.text(code).expect("no value is missing");
            text[1..].parse().expect("s and a digit")
        };
        let solver = KePermutation {
            attribute: 0,
            k,
            e: Decimal::whole(1),
            numbers: (0..secret.dictionary.len() as Code)
                .map(|code| Some(Decimal::whole(number(code))))
                .collect(),
        };
        let spread = |values: &[Code]| -> (u64, i64) {
            let different: BTreeSet<i64> = values.iter().map(|&value| number(value)).collect();
            let ends = different.first().zip(different.last());
            let range = ends.map_or(0, |(low, high)| high - low);
            (different.len() as u64, range)
        };
        let whole = spread(&secret.codes);
        match same_on_one_core(at, || {
            let mut secret = SplitMix64::new(1);
            solver.solve(case.summary, &mut |n| secret.below(n))
        }) {
            Ok(Permuted { tuples, values, .. }) => {
                for (members, values) in tuples.iter().zip(&values) {
                    assert_eq!(members.len(), values.len(), "{at}");
                    let (different, range) = spread(values);
                    assert!(different >= k && range >= 1, "{at}");
                }
                let all = values.iter().flatten().copied();
                assert_eq!(counted(all), counted(secret.codes.iter().copied()), "{at}");
                let listed = counted(tuples.iter().flatten().copied());
                let records: Vec<u64> = listed.iter().map(|count| count.1).collect();
                assert_eq!(records, case.summary.records, "{at}: nobody is lost");
                true
            }
            Err(Error::Infeasible { .. }) => {
                assert!(whole.0 < k || whole.1 < 1, "{at}: there is a way");
                false
            }
            Err(error) => panic!("{at}: {error}"),
        }
    });
    assert!(solved >= 20, "{solved}");
}

#[test]
fn minimality_defence_on_every_case() {
    let solved = every_case(|case| {
        let at = &case.at;
        let k = case.asked("k-anonymity").expect("every policy has it");
        let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let request = case.request();
        let solve = || {
            Context::quiet(0, |context| {
                MinimalityDefence::default().run(&request, &size, context, &mut |_| 0)
            })
        };
        match same_on_one_core(at, solve) {
            Ok(Distorted {
                solution,
                sensitive,
                ..
            }) => {
                let groups = case.groups(&solution.recoding);
                let kept: usize = groups.values().map(Vec::len).sum();
                let gone = (case.records() - kept) as u64;
                assert!(gone <= request.budget() && kept > 0, "{at}");
                assert!(groups.values().all(|rows| rows.len() as u64 >= k), "{at}");
                let mut shown = vec![0; solution.recoding.classes()];
                for (tuple, class) in solution.recoding.class_of.iter().enumerate() {
                    if let Some(class) = class {
                        shown[*class as usize] += case.summary.records[tuple];
                    }
                }
                for (values, records) in sensitive.iter().zip(shown) {
                    let all: u64 = values.iter().map(|count| count.1).sum();
                    assert_eq!(all, records, "{at}: every record has a value");
                    assert!(case.admits(values, None), "{at}: {values:?}");
                }
                true
            }
            Err(Error::Infeasible { .. }) => {
                // Values can be replaced at will, so only sizes and the table's own values can stand in the way.
                let whole = counted(case.table.secret.codes.iter().copied());
                assert!(!case.admits(&whole, None), "{at}: there is a way");
                false
            }
            Err(error) => panic!("{at}: {error}"),
        }
    });
    assert!(solved >= 20, "{solved}");
}

#[test]
fn personalized_on_every_case() {
    let bound = Fraction::parse("0.7").expect("a fraction");
    let solved = every_case(|case| {
        let (at, secret) = (&case.at, &case.table.secret);
        let k = case.asked("k-anonymity").expect("every policy has it");
        // Every third person guards a node that their value lies under.
        let rows: Vec<HierarchyRow> = [("s0", "low"), ("s1", "low"), ("s2", "high")]
            .iter()
            .enumerate()
            .map(|(line, (value, node))| HierarchyRow {
                line: line + 1,
                labels: vec![(*value).into(), (*node).into(), "any".into()],
            })
            .collect();
        let taxonomy = Hierarchy::from_rows(secret, &rows).expect("nests");
        let guards: Vec<Option<&str>> = (0..case.records())
            .map(|row| (row % 3 == 0).then_some("low"))
            .collect();
        let guards = Column::from_texts("g", guards);
        let quasi: Vec<&Column> = case.table.quasi.iter().collect();
        let summary = summarize(&quasi, &[secret, &guards], None);
        let node = |label: &str| {
            let levels = taxonomy.levels().iter().enumerate();
            levels.into_iter().find_map(|(level, nodes)| {
                let mut labels = nodes.labels.iter();
                let at = labels.position(|text| text.as_deref() == Some(label))?;
                Some((level, at as u32))
            })
        };
        let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
        let request = Request {
            summary: &summary,
            promises: &size,
            suppress_at_most: Fraction::ZERO,
            ..case.request()
        };
        let solver = GreedyPersonalized {
            attribute: 0,
            guards: 1,
            guarded: (0..guards.dictionary.len() as Code)
                .map(|code| guards.dictionary.text(code).and_then(node))
                .collect(),
            taxonomy: taxonomy.clone(),
            bound,
        };
        // What is published at the root stands for the values of the data evenly, not for those that nobody has.
        let values = secret.dictionary.len() as Code;
        let is_low = |code: Code| secret.dictionary.text(code) != Some("s2");
        let root = (0..values).filter(|&code| is_low(code)).count() as f64 / f64::from(values);
        let solve = || Context::quiet(0, |context| solver.run(&request, context));
        match same_on_one_core(at, solve) {
            Ok(Personalized {
                solution, levels, ..
            }) => {
                let tuples = case.tuples();
                let class = |row: usize| solution.recoding.class_of[tuples[row]];
                for (position, levels) in levels.iter().enumerate() {
                    let rows: Vec<usize> = (0..case.records())
                        .filter(|&row| class(row) == Some(position as u32))
                        .collect();
                    assert!(rows.len() as u64 >= k, "{at}");
                    let low: f64 = rows
                        .iter()
                        .map(|&row| {
                            let value = secret.codes[row];
                            let level = levels.iter().find(|l| l.0 == value).expect("shown").1;
                            match level {
                                0 | 1 if is_low(value) => 1.0,
                                0 | 1 => 0.0,
                                _ => root,
                            }
                        })
                        .sum();
                    let guarded = rows.iter().any(|row| row % 3 == 0);
                    assert!(
                        !guarded || low / rows.len() as f64 <= 0.7 + 1e-9,
                        "{at}: {low} of {}",
                        rows.len()
                    );
                }
                true
            }
            Err(Error::Infeasible { .. }) => {
                let guarded = case.records() > 0;
                assert!(
                    k > case.records() as u64 || guarded && root > 0.7,
                    "{at}: everything at the top is safe"
                );
                false
            }
            Err(error) => panic!("{at}: {error}"),
        }
    });
    assert!(solved >= 30, "{solved}");
}

#[test]
fn mu_argus_on_every_case() {
    let solved = every_case(|case| {
        let at = &case.at;
        let k = case.asked("k-anonymity").expect("every policy has it");
        let request = case.request();
        let solver = MuArgus {
            k,
            ..MuArgus::default()
        };
        let solve = || Context::quiet(0, |context| solver.run(&request, context));
        let found = same_on_one_core(at, || solve().map(|release| release.solution));
        let Solution { recoding, .. } = found.unwrap_or_else(|error| panic!("{at}: {error}"));
        let mut shown: Vec<Vec<Option<String>>> = Vec::new();
        for (values, rows) in case.groups(&recoding) {
            shown.extend(std::iter::repeat_n(values, rows.len()));
        }
        assert_eq!(shown.len(), case.records(), "{at}: no record is removed");
        // Every combination of up to three values that are not suppressed, counted one by one.
        let q = case.table.quasi.len();
        for mask in (1..1_u32 << q).filter(|mask| mask.count_ones() <= 3) {
            let columns: Vec<usize> = (0..q).filter(|d| mask >> d & 1 == 1).collect();
            let mut counts: BTreeMap<Vec<&Option<String>>, u64> = BTreeMap::new();
            for row in &shown {
                let key: Vec<&Option<String>> = columns.iter().map(|&d| &row[d]).collect();
                if key.iter().all(|cell| cell.as_deref() != Some("*")) {
                    *counts.entry(key).or_default() += 1;
                }
            }
            assert!(
                counts.values().all(|&count| count >= k),
                "{at}: {columns:?}"
            );
        }
        true
    });
    assert_eq!(solved, 50);
}

/// Whether somebody with this code looks like a published value.
fn fits(hierarchy: &Hierarchy, text: Option<&str>, code: Code) -> bool {
    let label = |level: usize| {
        let node = hierarchy.node(level, code) as usize;
        hierarchy.levels()[level].labels[node].as_deref()
    };
    let Some(text) = text else {
        return label(0).is_none();
    };
    let own = label(0).and_then(|own| own.parse::<u32>().ok());
    if let (Some((low, high)), Some(own)) = (text.split_once('-'), own) {
        let bounds = (low.parse::<u32>(), high.parse::<u32>());
        return matches!(bounds, (Ok(low), Ok(high)) if (low..=high).contains(&own));
    }
    text == "*" || (0..hierarchy.height()).any(|level| label(level) == Some(text))
}

#[test]
fn presence_on_every_case() {
    let mut by_levels = 0;
    let by_regions = every_case(|case| {
        let (at, quasi) = (&case.at, &case.table.quasi);
        let n = case.records();
        // Everybody of the table, and half as many who are not in it but look like some who are.
        let people: Vec<usize> = (0..n)
            .chain((0..n.div_ceil(2)).map(|i| i * 7 % n))
            .collect();
        let population = PublicTable {
            quasi: quasi
                .iter()
                .map(|column| people.iter().map(|&row| column.codes[row]).collect())
                .collect(),
            people: vec![1; people.len()],
        };
        let presence = DeltaPresence {
            least: Fraction::ZERO,
            most: Fraction::parse("0.8").expect("a fraction"),
        };
        let request = case.request();
        // The policy's own promises, and presence on top.
        let mut solved = false;
        let solvers: [&dyn Solver; 2] = [
            &Spalm {
                population: population.clone(),
            },
            &Mpalm {
                population: population.clone(),
            },
        ];
        for (which, solver) in solvers.into_iter().enumerate() {
            let own = case.asked("k-anonymity").expect("every policy has it");
            let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(presence)];
            promises.push(Box::new(KAnonymity { k: own }));
            if let Some(l) = case.asked("l-diversity") {
                promises.push(Box::new(common::Distinct(l)));
            }
            let request = Request {
                promises: &promises,
                suppress_at_most: Fraction::ZERO,
                ..request
            };
            let solve = || Context::quiet(0, |context| solver.solve(&request, context));
            let solution = match same_on_one_core(at, solve) {
                Ok(solution) => solution,
                Err(Error::Infeasible { .. }) => {
                    assert!(own > 2 || n < 3, "{at}: everything alike is safe");
                    continue;
                }
                Err(error) => panic!("{at}: {error}"),
            };
            let groups = case.groups(&solution.recoding);
            assert_eq!(groups.values().map(Vec::len).sum::<usize>(), n, "{at}");
            let mut inside = 0;
            for (values, rows) in &groups {
                let like = people.iter().filter(|&&person| {
                    let mut cells = values.iter().zip(&case.table.hierarchies).zip(quasi);
                    cells.all(|((text, hierarchy), column)| {
                        fits(hierarchy, text.as_deref(), column.codes[person])
                    })
                });
                let like = like.count() as u64;
                inside += like;
                let counts = counted(rows.iter().map(|&row| case.table.secret.codes[row]));
                let histograms = [Histogram::new(&counts)];
                let records = rows.len() as u64;
                let group = Group::new(records, records, &histograms).with_population(like);
                for promise in &promises {
                    assert!(
                        promise.admits(&group),
                        "{at}: {} fails with {records} of {like}",
                        promise.terms().name
                    );
                }
            }
            assert_eq!(inside, people.len() as u64, "{at}: regions do not overlap");
            if which == 0 {
                by_levels += 1;
            } else {
                solved = true;
            }
        }
        solved
    });
    assert!(
        by_levels >= 20 && by_regions >= by_levels,
        "{by_levels} {by_regions}"
    );
}
