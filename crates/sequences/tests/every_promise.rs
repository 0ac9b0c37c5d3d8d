//! Every promise on every solver of sequences, against brute force; and the reason why global suppression serves any of them.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../../measure/tests/support/every_promise.rs"]
mod every_promise;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use denym_data::sequences::Attribute;
use denym_data::{Matching, Sequences};
use denym_measure::Promise;
use denym_measure::promises::{DistinctDiversity, KAnonymity};
use denym_measure::sequences::Items;
use denym_sequences::generate::SplitMix64;
use denym_sequences::{
    Algorithm, Context, Request, TransactionRequest, critical_itemsets, critical_violations, solve,
    solve_transactions,
};
use denym_testkit::paths::parts;
use every_promise::KINDS;

const TABLES: u64 = 400;

/// A table of [`support::draw`] with one promise of each kind in turn, about its status.
fn draw(seed: u64) -> (Sequences, Request, u64) {
    let case = support::draw(seed, seed.is_multiple_of(3));
    let mut r = SplitMix64::new(seed ^ 0xfeed);
    let table = case.paths;
    let mut request = Request::new(case.request.l, 1 + u64::from(r.below(2)));
    let strict = u64::from(r.below(4));
    let mut reference = vec![0; table.sensitive()[0].values.len()];
    for &code in &table.sensitive()[0].codes {
        reference[code as usize] += 1;
    }
    let kind = (seed % KINDS as u64) as usize;
    let promise = every_promise::promise(kind, 0, &reference, strict);
    request.promises = vec![Arc::from(promise)];
    (table, request, strict)
}

/// Every group of the records in `shown`, by class and sequence: who is in it.
fn groups(
    table: &Sequences,
    shown: &[Vec<u32>],
    l: usize,
) -> BTreeMap<(u32, Vec<u32>), Vec<usize>> {
    let class = |r: usize| table.quasi().first().map_or(0, |q| q.codes[r]);
    let mut groups: BTreeMap<(u32, Vec<u32>), Vec<usize>> = BTreeMap::new();
    for (record, path) in shown.iter().enumerate() {
        for part in parts(path, l) {
            groups
                .entry((class(record), part))
                .or_default()
                .push(record);
        }
    }
    groups
}

/// Whether some promise of the request rejects these records, by a group made by hand.
fn broken(table: &Sequences, request: &Request, records: &[usize]) -> bool {
    let mut values: Vec<u32> = records
        .iter()
        .map(|&r| table.sensitive()[0].codes[r])
        .collect();
    values.sort_unstable();
    let counts: Vec<(u32, u64)> = values
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len() as u64))
        .collect();
    let histograms = [denym_measure::Histogram::new(&counts)];
    let size = records.len() as u64;
    let group = denym_measure::Group::new(size, size, &histograms);
    let mut all = request.all_promises(table, &[]).unwrap();
    all.retain(|promise| !promise.admits(&group));
    !all.is_empty()
}

/// The claim of `global_suppression.rs`: without an item, the groups of all other sequences are what they were.
#[test]
fn suppressing_a_doublet_never_changes_the_groups_of_sequences_without_it() {
    let mut compared = 0;
    for seed in 0..TABLES {
        let (table, request, _) = draw(seed);
        let rows: Vec<Vec<u32>> = table.records().map(<[u32]>::to_vec).collect();
        let before = groups(&table, &rows, request.l);
        for gone in 0..table.doublets().len() as u32 {
            let mut rest = rows.clone();
            for row in &mut rest {
                row.retain(|&item| item != gone);
            }
            let mut without = before.clone();
            without.retain(|(_, sequence), _| !sequence.contains(&gone));
            assert_eq!(groups(&table, &rest, request.l), without, "seed {seed}");
            compared += without.len();
        }
    }
    assert!(compared > 50_000, "{compared}");
}

/// Promises that are not monotone may break on a long sequence whose parts are all fine: all lengths up to L are mined.
#[test]
fn the_miner_finds_the_critical_violations_of_every_promise() {
    let mut longer = 0;
    for seed in 0..TABLES * 4 {
        let (table, request, _) = draw(seed);
        let rows: Vec<Vec<u32>> = table.records().map(<[u32]>::to_vec).collect();
        let violations: BTreeSet<(u32, Vec<u32>)> = groups(&table, &rows, request.l)
            .into_iter()
            .filter(|(_, records)| broken(&table, &request, records))
            .map(|(key, _)| key)
            .collect();
        let mut wanted: Vec<Vec<u32>> = denym_testkit::paths::critical(&violations)
            .into_iter()
            .map(|(_, sequence)| sequence)
            .collect();
        let mined = critical_violations(&table, &request, &Context::default()).unwrap();
        let mut found: Vec<Vec<u32>> = mined.iter().map(<[u32]>::to_vec).collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "seed {seed}");
        longer += found.iter().filter(|sequence| sequence.len() > 1).count();
    }
    assert!(longer > 500, "{longer}");
}

/// Every solver of paths keeps every promise under both matchings, by the groups of brute force and by the judge.
#[test]
fn every_solver_keeps_every_promise() {
    let algorithms = [
        Algorithm::GlobalSuppression,
        Algorithm::LocalSuppression,
        Algorithm::WholePaths,
        Algorithm::Optimum,
        Algorithm::Auto,
    ];
    let (mut solved, mut refused, mut lost) = (vec![0; KINDS], 0, vec![0; KINDS]);
    for seed in 0..TABLES * 4 {
        for matching in [Matching::Covers, Matching::Consistent] {
            for algorithm in algorithms {
                let (table, mut request, _) = draw(seed);
                if algorithm == Algorithm::Optimum
                    && (matching == Matching::Consistent || table.doublets().len() > 10)
                {
                    continue;
                }
                request.algorithm = algorithm;
                request.matching = matching;
                let name = format!("seed {seed} {algorithm:?} {matching:?}");
                let recoding = match solve(&table, &request, &Context::default()) {
                    Ok(recoding) => recoding,
                    Err(error) => {
                        assert!(error.is_refusal(), "{name} {error}");
                        refused += 1;
                        continue;
                    }
                };
                let kind = (seed % KINDS as u64) as usize;
                solved[kind] += 1;
                lost[kind] += recoding.stats.lost_doublets;
                let shown = support::released_rows(&recoding, table.len());
                for ((_, sequence), records) in groups(&table, &shown, request.l) {
                    assert!(!broken(&table, &request, &records), "{name} {sequence:?}");
                }
                let released = recoding.apply(&table).unwrap();
                let audit = if matching == Matching::Covers {
                    support::shown(&released, &request)
                } else {
                    support::beside(&table, &released, recoding.removal(), &request)
                };
                assert!(audit.holds, "{name}");
            }
        }
    }
    println!("solved {solved:?}, lost {lost:?}, refused {refused}");
    assert!(solved.iter().all(|&n| n > 20), "{solved:?}");
    assert!(
        lost.iter().all(|&n| n > 20) && refused > 100,
        "{lost:?} {refused}"
    );
}

/// Transactions with a sensitive attribute beside them: suppression and generalization keep every promise.
#[test]
fn every_promise_is_kept_on_transactions() {
    let (mut solved, mut lost) = (vec![0; KINDS], 0);
    for seed in 0..TABLES * 2 {
        let mut r = SplitMix64::new(seed);
        let items = ["milk", "bread", "wine", "tea", "test"];
        let n = 4 + r.below(10) as usize;
        let rows: Vec<Vec<&str>> = (0..n)
            .map(|_| {
                let mut row = items.to_vec();
                row.retain(|_| r.below(2) == 0);
                row
            })
            .collect();
        let codes: Vec<u32> = (0..n).map(|_| r.below(3)).collect();
        let mut reference = vec![0; 3];
        for &code in &codes {
            reference[code as usize] += 1;
        }
        let table = Sequences::of_sets(rows)
            .unwrap()
            .with_sensitive(Attribute {
                name: "status".to_owned(),
                values: ["s0", "s1", "s2"].map(str::to_owned).to_vec(),
                codes,
            })
            .unwrap();
        let kind = (seed % KINDS as u64) as usize;
        let strict = u64::from(r.below(4));
        let promise = || every_promise::promise(kind, 0, &reference, strict);
        let mut request = TransactionRequest::new(1 + r.below(3) as usize, 1);
        request.promises = vec![Arc::from(promise())];
        if seed.is_multiple_of(2) {
            let above = |item: &String| {
                let drink = ["milk", "wine", "tea"].contains(&item.as_str());
                vec![
                    if drink { "drink" } else { "thing" }.to_owned(),
                    "any".to_owned(),
                ]
            };
            request.taxonomy = Some(table.locations().iter().map(above).collect());
        }
        let knowledge = Items {
            m: request.m,
            sensitive: Vec::new(),
        };
        let both: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 1 }), promise()];
        let mined = critical_itemsets(&table, &request, &Context::default()).unwrap();
        let before = knowledge.judge(&table, &both);
        assert_eq!(
            mined.len() as u64,
            before.critical_violations,
            "seed {seed}"
        );
        let Ok(recoding) = solve_transactions(&table, &request, &Context::default()) else {
            assert!(!before.holds);
            continue;
        };
        solved[kind] += 1;
        lost += recoding.suppressed_items;
        let released = recoding.apply(&table).unwrap();
        assert_eq!(released.sensitive(), table.sensitive(), "seed {seed}");
        assert!(knowledge.judge(&released, &both).holds, "seed {seed}");
    }
    assert!(
        solved.iter().all(|&n| n > 5) && lost > 100,
        "{solved:?} {lost}"
    );
}

/// What the whole table already says, no suppression hides.
#[test]
fn a_promise_that_the_whole_table_breaks_is_refused_by_name() {
    let (table, mut request, _) = draw(1);
    let ten = DistinctDiversity {
        attribute: 0,
        l: 10,
    };
    request.promises = vec![Arc::new(ten)];
    let error = solve(&table, &request, &Context::default()).unwrap_err();
    assert_eq!(error.code(), "paths-whole-table");
    assert!(
        error
            .to_string()
            .contains("distinct-l-diversity of `status`"),
        "{error}"
    );
}
