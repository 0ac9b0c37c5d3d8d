//! One case table, every solver: odd tables and policies through all of them, each result counted again by plain code.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::cases::{Table, policies, tables};
use denym_data::{Column, Unit};
use denym_measure::{Group, Histogram};
use denym_tabular::{
    CATALOGUE, Context, Error, Honours, Maturity, Request, Solution, TableSolver, solver_named,
};
use denym_testkit::summarize::summarize;

#[test]
fn every_solver_on_every_case() {
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let mut solved: BTreeMap<&str, usize> = BTreeMap::new();
    for table in tables() {
        let quasi: Vec<&Column> = table.quasi.iter().collect();
        let summary = summarize(&quasi, &[&table.secret], None);
        for (policy, promises, suppress_at_most, objective) in policies(&table) {
            let request = Request {
                summary: &summary,
                hierarchies: &table.hierarchies,
                promises: &promises,
                objective,
                suppress_at_most,
                limits: None,
                setting: None,
                weights: None,
            };
            let solve = |one: &TableSolver| {
                Context::quiet(5, |context| (one.make)().solve(&request, context))
            };
            let optimum = solve(solver_named("full-domain").expect("listed"));
            for one in CATALOGUE {
                let at = format!("{}, {policy}, {}", table.name, one.entry.name);
                let answer = solve(one);
                assert_eq!(
                    answer,
                    alone.install(|| solve(one)),
                    "{at}: same for any number of threads"
                );
                match &answer {
                    Ok(solution) => {
                        audit(&table, &request, one, solution, &at);
                        *solved.entry(one.entry.name).or_default() += 1;
                    }
                    Err(Error::PromiseNotHonoured { .. }) => {
                        assert_ne!(one.honours, Honours::All, "{at}");
                    }
                    Err(Error::TooLarge { .. }) => assert_eq!(table.name, "wide", "{at}"),
                    Err(Error::Infeasible { .. }) => {
                        let expected = policy == "k = 2" && table.quasi[0].codes.len() > 1;
                        assert!(!(expected && one.suppresses), "{at}: there is a solution");
                    }
                    Err(error) => panic!("{at}: {error}"),
                }
                if policy == "k > n" {
                    assert!(answer.is_err(), "{at}");
                }
                // Exact solvers agree; a proven bound is below the optimum, which is below every full-domain score.
                if let (Ok(solution), Ok(optimum)) = (&answer, &optimum) {
                    if one.maturity == Maturity::Proven {
                        assert_eq!(solution.recoding.levels, optimum.recoding.levels, "{at}");
                    }
                    if solution.recoding.levels.is_some() {
                        assert!(solution.score >= optimum.score, "{at}");
                    }
                    if let Some(bound) = solution.bound {
                        // A hair for sums in another order.
                        assert!(
                            bound <= optimum.score + 1e-12,
                            "{at}: {bound} above {}",
                            optimum.score
                        );
                    }
                }
            }
        }
    }
    for one in CATALOGUE {
        let count = solved.get(one.entry.name).copied().unwrap_or(0);
        assert!(count >= 10, "{} solved {count} cases", one.entry.name);
    }
}

/// Groups records by what is published of them and judges every group.
fn audit(table: &Table, request: &Request<'_>, one: &TableSolver, solution: &Solution, at: &str) {
    let recoding = &solution.recoding;
    let records = table.secret.codes.len();
    let tuples: BTreeSet<Vec<u32>> = (0..records)
        .map(|row| table.quasi.iter().map(|column| column.codes[row]).collect())
        .collect();
    let tuples: Vec<Vec<u32>> = tuples.into_iter().collect();
    // Records in the order of their tuples, as solvers count them.
    let mut order: Vec<(usize, usize)> = (0..records)
        .map(|row| {
            let tuple: Vec<u32> = table.quasi.iter().map(|column| column.codes[row]).collect();
            (tuples.binary_search(&tuple).expect("it is there"), row)
        })
        .collect();
    order.sort_unstable();
    let mut groups: BTreeMap<Vec<Option<&str>>, Vec<usize>> = BTreeMap::new();
    let mut suppressed = 0;
    for (position, &(tuple, row)) in order.iter().enumerate() {
        let unit = if recoding.unit == Unit::Tuple {
            tuple
        } else {
            position
        };
        let Some(class) = recoding.class_of[unit] else {
            suppressed += 1;
            continue;
        };
        let values = recoding.published.iter().zip(&recoding.labels);
        let values = values
            .map(|(published, labels)| labels.texts[published[class as usize] as usize].as_deref());
        groups.entry(values.collect()).or_default().push(row);
    }
    assert_eq!(solution.statistics.suppressed, suppressed, "{at}");
    assert!(suppressed <= request.budget(), "{at}");
    assert!(suppressed == 0 || one.suppresses, "{at}");
    assert!(!groups.is_empty(), "{at}");
    for (values, rows) in &groups {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in rows {
            *counts.entry(table.secret.codes[row]).or_default() += 1;
        }
        let counts: Vec<(u32, u64)> = counts.into_iter().collect();
        let histograms = [Histogram::new(&counts)];
        let group = Group::new(rows.len() as u64, rows.len() as u64, &histograms);
        for promise in request.promises {
            assert!(
                promise.admits(&group),
                "{at}: {} fails at {values:?}",
                promise.terms().name
            );
        }
    }
    assert!(
        solution
            .statistics
            .attribute_loss
            .iter()
            .all(|loss| (0.0..=1.0).contains(loss)),
        "{at}"
    );
}
