//! Two releases of a growing table: refused as they are, adapted, and attacked jointly by brute force.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use denym_data::paths::Paths;
use denym_sequences::generate::SplitMix64;
use denym_sequences::{
    Algorithm, Context, Earlier, Error, Matching, check_republication, republish, solve,
};
use denym_testkit::paths as oracle;

fn part(paths: &Paths, keep: &[usize]) -> Paths {
    let mut starts = vec![0u32];
    let mut items = Vec::new();
    for &record in keep {
        items.extend_from_slice(paths.record(record));
        starts.push(items.len() as u32);
    }
    let mut part = Paths::from_codes(
        paths.locations().to_vec(),
        paths.times().to_vec(),
        paths.doublets().to_vec(),
        starts,
        items,
    )
    .unwrap();
    for column in paths.sensitive() {
        let mut column = column.clone();
        column.codes = keep.iter().map(|&record| column.codes[record]).collect();
        part = part.with_sensitive(column).unwrap();
    }
    part
}

#[test]
fn both_releases_together_keep_the_promise() {
    let context = Context::default();
    let (mut adapted, mut refused_plain, mut refused_adapted, mut waited) = (0, 0, 0, 0);
    for seed in 0..3000 {
        let mut case = support::draw(seed, false);
        case.request.matching = Matching::Covers;
        case.request.algorithm = Algorithm::LocalSuppression;
        let n = case.paths.len();
        let mut r = SplitMix64::new(seed ^ 0xabc);
        // 0: in both, 1: arrives, 2: leaves; most stay.
        let fate: Vec<u32> = (0..n)
            .map(|_| [0, 0, 0, 1, 1, 2][r.below(6) as usize])
            .collect();
        let leavers = seed % 4 == 0;
        let before: Vec<usize> = (0..n)
            .filter(|&i| fate[i] == 0 || (leavers && fate[i] == 2))
            .collect();
        let after: Vec<usize> = (0..n).filter(|&i| fate[i] != 2).collect();
        let old = part(&case.paths, &before);
        let new = part(&case.paths, &after);
        let Ok(first) = solve(&old, &case.request, &context) else {
            continue;
        };
        let first = first.apply(&old).unwrap();
        let record_of: Vec<Option<u32>> = after
            .iter()
            .map(|i| before.iter().position(|b| b == i).map(|at| at as u32))
            .collect();
        let earlier = Earlier {
            released: &first,
            record_of: &record_of,
        };
        if let Ok(plain) = solve(&new, &case.request, &context) {
            let released = plain.apply(&new).unwrap();
            let kept: Vec<usize> = (0..new.len()).collect();
            let verdict = check_republication(&earlier, &released, &kept, &case.request, &context);
            refused_plain += usize::from(verdict.is_err());
        }
        let recoding = match republish(&earlier, &new, &case.request, &context) {
            Ok(recoding) => recoding,
            Err(Error::Republication { exposed }) => {
                assert!(exposed > 0);
                refused_adapted += 1;
                continue;
            }
            Err(_) => continue,
        };
        adapted += 1;
        waited += recoding.dropped_records.len();
        // Brute force on what the adversary holds: the union per subject, by presence.
        let mut rows = Vec::new();
        let mut class = Vec::new();
        let mut who = Vec::new();
        for (at, &subject) in after.iter().enumerate() {
            if recoding.dropped_records.contains(&(at as u32)) {
                continue;
            }
            let mut row = recoding.published(at).to_vec();
            assert!(
                row.iter().all(|item| new.record(at).contains(item)),
                "seed {seed}"
            );
            if let Some(before) = record_of[at] {
                row.extend_from_slice(first.record(before as usize));
            }
            row.sort_unstable();
            row.dedup();
            rows.push(row);
            class.push(u32::from(record_of[at].is_none()));
            who.push(subject);
        }
        for (at, &subject) in before.iter().enumerate() {
            if !after.contains(&subject) {
                rows.push(first.record(at).to_vec());
                class.push(2);
                who.push(subject);
            }
        }
        let joint = oracle::Table {
            secrets: case
                .table
                .secrets
                .iter()
                .map(|carriers| who.iter().map(|&subject| carriers[subject]).collect())
                .collect(),
            time_of: case.table.time_of.clone(),
            rows,
            class,
        };
        assert!(
            oracle::violations(&joint, &case.promise).is_empty(),
            "seed {seed}"
        );
    }
    println!(
        "{adapted} adapted, {refused_plain} refused as they were, {refused_adapted} beyond repair, {waited} wait"
    );
    assert!(adapted > 200 && refused_plain > 200 && refused_adapted > 10);
}

/// Who knows the updated source path of anybody, and holds both releases, finds K who do not contradict it.
#[test]
fn nobody_who_uses_contradictions_finds_anybody_in_both() {
    let context = Context::default();
    let (mut adapted, mut refused, mut safe_under_covers) = (0, 0, 0);
    for seed in 0..1500 {
        let mut case = support::draw(seed, false);
        case.request.matching = Matching::Consistent;
        case.request.algorithm = Algorithm::LocalSuppression;
        let n = case.paths.len();
        let mut r = SplitMix64::new(seed ^ 0xdef);
        let arrives: Vec<bool> = (0..n).map(|_| r.below(4) == 0).collect();
        let before: Vec<usize> = (0..n).filter(|&i| !arrives[i]).collect();
        // The earlier table ends before the last time: people go on.
        let last = case.table.time_of.iter().max().copied().unwrap_or(0);
        let old_rows: Vec<Vec<u32>> = before
            .iter()
            .map(|&i| {
                let path = case.table.rows[i].iter().copied();
                path.filter(|&item| case.table.time_of[item as usize] < last)
                    .collect()
            })
            .collect();
        let old = with_rows(&part(&case.paths, &before), &old_rows);
        let Ok(first) = solve(&old, &case.request, &context) else {
            continue;
        };
        let first = first.apply(&old).unwrap();
        let record_of: Vec<Option<u32>> = (0..n)
            .map(|i| before.iter().position(|&b| b == i).map(|at| at as u32))
            .collect();
        let earlier = Earlier {
            released: &first,
            record_of: &record_of,
        };
        let recoding = match republish(&earlier, &case.paths, &case.request, &context) {
            Ok(recoding) => recoding,
            Err(Error::Republication { exposed }) => {
                assert!(exposed > 0);
                refused += 1;
                continue;
            }
            Err(error) => {
                assert!(error.is_refusal(), "seed {seed}: {error}");
                continue;
            }
        };
        adapted += 1;
        let present: Vec<usize> = (0..n)
            .filter(|&i| !recoding.dropped_records.contains(&(i as u32)))
            .collect();
        let joint = |recoding: &denym_sequences::PathRecoding| -> Vec<Vec<u32>> {
            let union = |&i: &usize| {
                let mut row = recoding.published(i).to_vec();
                if let Some(at) = record_of[i] {
                    row.extend_from_slice(first.record(at as usize));
                }
                row
            };
            present.iter().map(union).collect()
        };
        let breaks = |rows: &[Vec<u32>]| {
            present.iter().any(|&victim| {
                oracle::parts(&case.table.rows[victim], case.promise.l)
                    .iter()
                    .any(|known| {
                        let group: Vec<usize> = present
                            .iter()
                            .zip(rows)
                            .filter(|(i, _)| arrives[**i] == arrives[victim])
                            .filter(|(_, row)| {
                                known.iter().all(|item| {
                                    let time = |i: &u32| case.table.time_of[*i as usize];
                                    row.contains(item) || row.iter().all(|i| time(i) != time(item))
                                })
                            })
                            .map(|(&i, _)| i)
                            .collect();
                        case.promise.broken(&case.table, &group)
                    })
            })
        };
        assert!(!breaks(&joint(&recoding)), "seed {seed}");
        let mut covers = case.request.clone();
        covers.matching = Matching::Covers;
        if let Ok(plain) = republish(&earlier, &case.paths, &covers, &context)
            && plain.dropped_records == recoding.dropped_records
        {
            safe_under_covers += usize::from(!breaks(&joint(&plain)));
        }
    }
    println!(
        "{adapted} adapted, {refused} refused; `covers` would have done for {safe_under_covers}"
    );
    assert!(adapted > 200 && safe_under_covers < adapted);
}

fn with_rows(paths: &Paths, rows: &[Vec<u32>]) -> Paths {
    let mut starts = vec![0u32];
    let mut items = Vec::new();
    for row in rows {
        items.extend_from_slice(row);
        starts.push(items.len() as u32);
    }
    let mut table = Paths::from_codes(
        paths.locations().to_vec(),
        paths.times().to_vec(),
        paths.doublets().to_vec(),
        starts,
        items,
    )
    .unwrap();
    for column in paths.sensitive() {
        table = table.with_sensitive(column.clone()).unwrap();
    }
    table
}
