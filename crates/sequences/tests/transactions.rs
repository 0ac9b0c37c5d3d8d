//! Transactions against brute force, and on real clicks.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::io::Read;

use denym_data::Fraction;
use denym_data::Sequences;
use denym_measure::promises::KAnonymity;
use denym_measure::sequences::Items;
use denym_sequences::generate::SplitMix64;
use denym_sequences::{Context, Cost, TransactionRequest, solve_transactions};
use denym_testkit::paths as oracle;

/// Public items of the released transactions, with who carries each sensitive item.
fn table(released: &Sequences, source: &Sequences, sensitive: &[&str]) -> oracle::Table {
    let carries =
        |set: &[u32], name: &str| set.iter().any(|&i| source.locations()[i as usize] == name);
    let public = |set: &[u32]| -> Vec<u32> {
        let names = released.locations();
        set.iter()
            .copied()
            .filter(|&i| !sensitive.contains(&names[i as usize].as_str()))
            .collect()
    };
    oracle::Table {
        rows: released.records().map(public).collect(),
        time_of: Vec::new(),
        secrets: sensitive
            .iter()
            .map(|name| source.records().map(|set| carries(set, name)).collect())
            .collect(),
        class: vec![0; released.len()],
    }
}

#[test]
fn no_released_set_is_unsafe() {
    let items = ["a", "b", "c", "d", "e", "f", "x", "y"];
    let mut solved = 0;
    let mut generalized = 0;
    for seed in 0..3000 {
        let mut r = SplitMix64::new(seed);
        let n = 5 + r.below(12);
        let density = 1 + r.below(3);
        let sets: Vec<Vec<&str>> = (0..n)
            .map(|_| {
                items
                    .iter()
                    .copied()
                    .filter(|_| r.below(5) < density)
                    .collect()
            })
            .collect();
        let source = Sequences::of_sets(sets).unwrap();
        let mut request =
            TransactionRequest::new(1 + r.below(3) as usize, 2 + u64::from(r.below(3)));
        let mut promise = oracle::Promise {
            l: request.m,
            k: request.k,
            at_most: Vec::new(),
        };
        let sensitive = &["x", "y"][..r.below(3) as usize];
        for item in sensitive {
            let bound = 2 + u64::from(r.below(3));
            request
                .sensitive
                .push(((*item).to_owned(), Fraction::of(bound, 5)));
            promise.at_most.push((bound, 5));
        }
        if seed % 2 == 0 {
            let ancestors = |item: &String| match item.as_str() {
                "a" | "b" | "c" => vec!["food".to_owned(), "goods".to_owned()],
                "d" | "e" => vec!["tools".to_owned(), "goods".to_owned()],
                _ => vec!["goods".to_owned()],
            };
            request.taxonomy = Some(source.locations().iter().map(ancestors).collect());
        } else if seed % 3 == 0 {
            request.cost = Cost::FrequentSequences {
                support: 3,
                length: 2,
            };
        }
        request.nuggets = Some((3, 2));
        let Ok(recoding) = solve_transactions(&source, &request, &Context::default()) else {
            continue;
        };
        solved += 1;
        let released = recoding.apply(&source).unwrap();
        let after = table(&released, &source, sensitive);
        assert_eq!(
            oracle::violations(&after, &promise),
            BTreeSet::new(),
            "seed {seed}"
        );
        let before = table(&source, &source, sensitive);
        let critical = oracle::critical(&oracle::violations(&before, &promise)).len() as u64;
        assert_eq!(recoding.critical_violations, critical, "seed {seed}");
        generalized += usize::from(recoding.loss > 0.0 && recoding.lost_instances == 0);
        if request.taxonomy.is_none() {
            let all: usize = before.rows.iter().map(Vec::len).sum();
            let left: usize = after.rows.iter().map(Vec::len).sum();
            assert_eq!(recoding.lost_instances, (all - left) as u64, "seed {seed}");
            let frequent = |table: &oracle::Table| {
                let mut sets: Vec<Vec<u32>> = table
                    .rows
                    .iter()
                    .flat_map(|row| oracle::parts(row, 2))
                    .collect();
                sets.sort_unstable();
                sets.chunk_by(|a, b| a == b)
                    .filter(|same| same.len() >= 3)
                    .count() as u64
            };
            assert_eq!(
                recoding.nuggets,
                Some((frequent(&before), frequent(&after))),
                "seed {seed}"
            );
        }
    }
    assert!(solved > 1500 && generalized > 100, "{solved} {generalized}");
}

/// Where more violations are than are held, items go in rounds; nothing unsafe is left, and the memory is that of a round.
#[test]
fn rounds_leave_nothing_unsafe() {
    let items = ["a", "b", "c", "d", "e", "f", "g", "x"];
    let mut in_rounds = 0;
    for seed in 0..1500 {
        let mut r = SplitMix64::new(seed);
        let sets: Vec<Vec<&str>> = (0..6 + r.below(10))
            .map(|_| items.iter().copied().filter(|_| r.below(5) < 3).collect())
            .collect();
        let source = Sequences::of_sets(sets).unwrap();
        let mut request =
            TransactionRequest::new(2 + r.below(2) as usize, 2 + u64::from(r.below(3)));
        let mut promise = oracle::Promise {
            l: request.m,
            k: request.k,
            at_most: Vec::new(),
        };
        let sensitive = &["x"][..r.below(2) as usize];
        for item in sensitive {
            request
                .sensitive
                .push(((*item).to_owned(), Fraction::of(3, 5)));
            promise.at_most.push((3, 5));
        }
        let Ok(whole) = solve_transactions(&source, &request, &Context::default()) else {
            continue;
        };
        request.at_once = 1 + u64::from(r.below(4));
        let recoding = solve_transactions(&source, &request, &Context::default()).unwrap();
        in_rounds += u64::from(recoding.critical_violations < whole.critical_violations);
        let released = recoding.apply(&source).unwrap();
        let after = table(&released, &source, sensitive);
        assert_eq!(
            oracle::violations(&after, &promise),
            BTreeSet::new(),
            "seed {seed}"
        );
    }
    assert!(in_rounds > 300, "{in_rounds}");
}

#[test]
fn clicks_become_k_m_anonymous() {
    let Some(path) = denym_testkit::shared::path("data/transactions/BMS1_spmf.txt.gz") else {
        return;
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::MultiGzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let sets = text.lines().map(|line| {
        line.split_whitespace()
            .filter(|item| !item.starts_with('-'))
    });
    let source = Sequences::of_sets(sets).unwrap();
    assert_eq!(source.len(), 59_601);
    let mut request = TransactionRequest::new(2, 5);
    request.nuggets = Some((60, 3));
    let recoding = solve_transactions(&source, &request, &Context::default()).unwrap();
    println!(
        "k^m m=2 k=5: {} moles, {} items suppressed, {} of {} instances lost, nuggets {:?}",
        recoding.critical_violations,
        recoding.suppressed_items,
        recoding.lost_instances,
        recoding.instances,
        recoding.nuggets
    );
    // The judge of paths sees an item as a doublet of its own time.
    let released = recoding.apply(&source).unwrap();
    let knowledge = Items {
        m: 2,
        sensitive: Vec::new(),
    };
    let audit = knowledge.judge(&released, &[Box::new(KAnonymity { k: 5 })]);
    assert!(audit.holds && audit.smallest_group >= 5);
}
