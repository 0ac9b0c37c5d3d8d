//! Thousands of random tables against brute force, from both sides.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::collections::BTreeSet;

use denym_sequences::{Algorithm, Context, Hopeless, Ladder, Matching, critical_violations, solve};
use denym_testkit::paths as oracle;

const TABLES: u64 = 3000;

#[test]
fn the_miner_finds_exactly_the_critical_violations() {
    for seed in 0..TABLES {
        let case = support::draw(seed, seed % 3 == 0);
        let mined = critical_violations(&case.paths, &case.request, &Context::default()).unwrap();
        // Classes are numbered by first appearance in the summary; compare sequences per class size.
        let expected = oracle::critical(&oracle::violations(&case.table, &case.promise));
        let mut found: Vec<Vec<u32>> = mined.iter().map(<[u32]>::to_vec).collect();
        found.sort_unstable();
        let mut wanted: Vec<Vec<u32>> = expected.into_iter().map(|(_, s)| s).collect();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "seed {seed}");
    }
}

#[test]
fn the_optimum_is_the_optimum() {
    let mut tried = 0;
    for seed in 0..TABLES {
        let mut case = support::draw(seed, false);
        if case.paths.doublets().len() > 10 {
            continue;
        }
        case.request.algorithm = Algorithm::Optimum;
        case.request.matching = Matching::Covers;
        if let Ok(recoding) = solve(&case.paths, &case.request, &Context::default()) {
            let best = oracle::optimum(&case.table, &case.promise);
            assert_eq!(recoding.stats.lost_doublets, best, "seed {seed}");
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
}

/// Every algorithm and both matchings: nobody is below K or above C, and nothing false is shown.
#[test]
fn no_output_is_unsafe() {
    let algorithms = [
        Algorithm::GlobalSuppression,
        Algorithm::LocalSuppression,
        Algorithm::Auto,
        Algorithm::WholePaths,
    ];
    let mut solved = 0;
    let mut emptied = 0;
    let mut exposed_by_covers = 0;
    for seed in 0..TABLES {
        for algorithm in algorithms {
            for matching in [Matching::Covers, Matching::Consistent] {
                let mut case = support::draw(seed, seed % 3 == 0);
                case.request.algorithm = algorithm;
                case.request.matching = matching;
                case.request.unsuppress = seed % 2 == 0;
                case.request.hopeless = Hopeless::DropRecords;
                let Ok(recoding) = solve(&case.paths, &case.request, &Context::default()) else {
                    continue;
                };
                solved += 1;
                let name = format!("seed {seed} {algorithm:?} {matching:?}");
                let keep: Vec<usize> = (0..case.table.rows.len())
                    .filter(|r| !recoding.dropped_records.contains(&(*r as u32)))
                    .collect();
                let pick = |rows: &[Vec<u32>]| keep.iter().map(|&r| rows[r].clone()).collect();
                let mut source = case.table.clone();
                source.rows = pick(&case.table.rows);
                source.class = keep.iter().map(|&r| case.table.class[r]).collect();
                for carriers in &mut source.secrets {
                    *carriers = keep.iter().map(|&r| carriers[r]).collect();
                }
                let released: Vec<Vec<u32>> =
                    pick(&support::released_rows(&recoding, case.table.rows.len()));
                for (shown, path) in released.iter().zip(&source.rows) {
                    assert!(shown.iter().all(|item| path.contains(item)), "{name}");
                    emptied += usize::from(shown.is_empty() && !path.is_empty());
                }
                let mut table = source.clone();
                table.rows = released.clone();
                let left = oracle::violations(&table, &case.promise);
                assert_eq!(left, BTreeSet::new(), "{name}");
                let lost: usize = case.table.rows.iter().map(Vec::len).sum::<usize>()
                    - released.iter().map(Vec::len).sum::<usize>();
                assert_eq!(recoding.stats.lost_doublets, lost as u64, "{name}");
                if algorithm == Algorithm::WholePaths {
                    continue;
                }
                let found = if recoding.algorithm == Algorithm::GlobalSuppression {
                    oracle::attack_global(&source, &released, &case.promise)
                } else {
                    oracle::attack_local(&source, &released, &case.promise)
                };
                // The judge of the measure crate sees what brute force sees.
                if recoding.dropped_records.is_empty() {
                    let out = recoding.apply(&case.paths).unwrap();
                    let removal = recoding.removal();
                    let audit = support::beside(&case.paths, &out, removal, &case.request);
                    assert_eq!(audit.exposed_records, found.exposed, "{name}");
                }
                match matching {
                    Matching::Consistent => assert_eq!(found.exposed, 0, "{name}"),
                    Matching::Covers => exposed_by_covers += usize::from(found.exposed > 0),
                }
            }
        }
    }
    assert!(
        solved > 8000 && emptied > 1000 && exposed_by_covers > 100,
        "{solved} {emptied} {exposed_by_covers}"
    );
}

/// Coarser doublets: no violation in what is read, nothing false, and the judge agrees under `consistent`.
#[test]
fn coarsening_is_safe_and_true() {
    let (mut solved, mut coarser) = (0, [0, 0]);
    for seed in 0..TABLES / 2 {
        for matching in [Matching::Covers, Matching::Consistent] {
            let mut case = support::draw(seed, false);
            let halves = |labels: &[String]| -> Vec<String> {
                labels
                    .iter()
                    .zip(0..)
                    .map(|(_, at)| format!("region{}", at / 2))
                    .collect()
            };
            let everywhere = vec!["everywhere".to_owned(); case.paths.locations().len()];
            let ladder = Ladder::climbing(
                &case.paths,
                &[halves(case.paths.locations()), everywhere],
                &[Ladder::wider_slots(&case.paths, 2)],
            );
            case.request.ladder = Some(ladder);
            case.request.matching = matching;
            case.request.algorithm = Algorithm::Coarsening;
            let Ok(recoding) = solve(&case.paths, &case.request, &Context::default()) else {
                continue;
            };
            solved += 1;
            let released = support::released_rows(&recoding, case.table.rows.len());
            let mut table = case.table.clone();
            table.rows.clone_from(&released);
            let left = oracle::violations(&table, &case.promise);
            assert_eq!(left, BTreeSet::new(), "seed {seed} {matching:?}");
            let words = &recoding.vocabulary;
            for (shown, path) in released.iter().zip(&case.table.rows) {
                for word in shown {
                    let stands = |&item: &u32| words.stands_for[item as usize].contains(word);
                    assert!(path.iter().any(stands), "seed {seed}");
                    coarser[usize::from(matching == Matching::Consistent)] +=
                        usize::from(words.loss[*word as usize] > 0.0);
                }
            }
            if matching == Matching::Consistent {
                // A record fits a known doublet if it shows a form of it, or nothing at its times.
                for path in &case.table.rows {
                    for part in oracle::parts(path, case.promise.l) {
                        let fits = |row: &[u32], item: u32| {
                            let forms = &words.stands_for[item as usize];
                            let time = |word: u32| {
                                &words.times[words.doublets[word as usize].time as usize]
                            };
                            let own =
                                &case.paths.times()[case.table.time_of[item as usize] as usize];
                            row.iter().any(|word| forms.contains(word))
                                || row.iter().all(|&word| {
                                    time(word) != own
                                        && forms.iter().all(|&form| time(form) != time(word))
                                })
                        };
                        let group: Vec<usize> = (0..released.len())
                            .filter(|&r| part.iter().all(|&item| fits(&released[r], item)))
                            .collect();
                        assert!(!case.promise.broken(&case.table, &group), "seed {seed}");
                    }
                }
            }
        }
    }
    println!("coarser doublets shown, covers and consistent: {coarser:?}");
    assert!(
        solved > 800 && coarser[0] > 300 && coarser[1] > 300,
        "{solved} {coarser:?}"
    );
}
