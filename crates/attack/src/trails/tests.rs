//! REIDIT and forced matching against the paper, the verified vectors, and enumeration.

use super::*;
use denym_data::Trails;
use denym_testkit::trails as oracle;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn trails(rows: &[oracle::Bits], institutions: usize) -> Trails {
    Trails::from_rows(
        institutions,
        rows.iter().map(|row| oracle::institutions(row)),
    )
    .unwrap()
}

fn run(n: &[oracle::Bits], p: &[oracle::Bits]) -> (TrailOutcome, Option<Vec<Vec<u32>>>) {
    let institutions = n.iter().chain(p).map(Vec::len).max().unwrap_or(0);
    let (n, p) = (trails(n, institutions), trails(p, institutions));
    let outcome = attack(
        TrailSide::new(&n),
        TrailSide::new(&p),
        &TrailOptions::default(),
    )
    .unwrap();
    let graph = SubtrailGraph::build(
        TrailSide::new(&n),
        TrailSide::new(&p),
        &|_, _| true,
        usize::MAX,
    )
    .unwrap();
    let forced = ForcedMatching::of(&graph);
    let allowed = (0..n.len())
        .map(|row| forced.allowed_set(&graph, row))
        .collect();
    // The other way round must find the same with the sides swapped.
    let swapped = TrailOptions {
        incomplete: Incomplete::Identified,
        ..TrailOptions::default()
    };
    let mirror = attack(TrailSide::new(&p), TrailSide::new(&n), &swapped).unwrap();
    let flip = |pairs: &[Pair]| {
        let mut pairs: Vec<Pair> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(flip(&mirror.incomplete), outcome.incomplete);
    assert_eq!(flip(&mirror.multiple), outcome.multiple);
    assert_eq!(mirror.forced.as_deref().map(flip), outcome.forced);
    assert_eq!(mirror.allowed_set_sizes, outcome.allowed_set_sizes);
    (outcome, allowed)
}

fn parse(list: &serde_json::Value) -> Vec<oracle::Bits> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|t| oracle::bits(t.as_str().unwrap()))
        .collect()
}

fn pairs_of(value: &serde_json::Value) -> Option<Vec<Pair>> {
    let map = value.as_object()?;
    let mut pairs: Vec<Pair> = map
        .iter()
        .map(|(n, p)| (n.parse().unwrap(), p.as_u64().unwrap() as u32))
        .collect();
    pairs.sort_unstable();
    Some(pairs)
}

fn pairs(map: &BTreeMap<usize, usize>) -> Vec<Pair> {
    map.iter().map(|(&n, &p)| (n as u32, p as u32)).collect()
}

#[test]
fn every_reidit_vector() {
    let vectors = denym_testkit::vectors("paths-and-trails");
    let mut cases = 0;
    for case in ["worked", "random"]
        .iter()
        .flat_map(|part| vectors[part].as_array().unwrap())
    {
        if case["kind"] != "reidit" {
            continue;
        }
        cases += 1;
        let id = case["id"].as_str().unwrap();
        let (outcome, allowed) = run(&parse(&case["N"]), &parse(&case["P"]));
        assert_eq!(
            Some(outcome.complete.clone()),
            pairs_of(&case["reidit_c"]),
            "{id}: reidit-c"
        );
        assert_eq!(
            Some(outcome.multiple.clone()),
            pairs_of(&case["reidit_m"]),
            "{id}: reidit-m"
        );
        assert_eq!(
            Some(outcome.incomplete.clone()),
            pairs_of(&case["reidit_i"]),
            "{id}: reidit-i"
        );
        assert_eq!(outcome.forced, pairs_of(&case["forced"]), "{id}: forced");
        let expected = case["allowed"].as_object().map(|sets| {
            (0..sets.len())
                .map(|n| {
                    sets[&n.to_string()]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|p| p.as_u64().unwrap() as u32)
                        .collect()
                })
                .collect::<Vec<Vec<u32>>>()
        });
        assert_eq!(allowed, expected, "{id}: allowed");
        let unsaturable = outcome
            .warnings
            .iter()
            .any(|w| matches!(w, Warning::NotSaturable { .. }));
        assert_eq!(unsaturable, case["forced"].is_null(), "{id}: warning");
        if let (Some(truth), Some(forced)) = (case["truth"].as_array(), &outcome.forced) {
            for &(n, p) in forced.iter().chain(&outcome.incomplete) {
                assert_eq!(
                    truth[n as usize].as_u64(),
                    Some(u64::from(p)),
                    "{id}: wrong name"
                );
            }
        }
    }
    assert_eq!(cases, 54);
}

#[test]
fn paper_example_3_1() {
    let n = ["010", "110", "011"].map(oracle::bits);
    let p = ["110", "111", "011"].map(oracle::bits);
    // Subtrails of [1,1,0] are [0,1,0] and [1,1,0]; supertrails of [0,1,1] are [1,1,1] and [0,1,1].
    let (nt, pt) = (trails(&n, 3), trails(&p, 3));
    let graph = SubtrailGraph::build(
        TrailSide::new(&nt),
        TrailSide::new(&pt),
        &|_, _| true,
        usize::MAX,
    )
    .unwrap();
    let subtrails: Vec<usize> = (0..3)
        .filter(|&row| graph.candidates(row).contains(&0))
        .collect();
    assert_eq!(subtrails, [0, 1]);
    assert_eq!(graph.candidates(2), [1, 2]);
    assert_eq!(graph.edges(), 7);
    let (outcome, _) = run(&n, &p);
    assert_eq!(outcome.complete, [(1, 0), (2, 2)]);
    assert_eq!((outcome.incomplete.len(), outcome.multiple.len()), (0, 0));
    assert_eq!(outcome.allowed_set_sizes, Some(vec![3, 2, 2]));
}

#[test]
fn hall_finds_what_elimination_cannot() {
    let (outcome, _) = run(
        &["110", "110", "100"].map(oracle::bits),
        &["110", "111", "100"].map(oracle::bits),
    );
    assert!(outcome.incomplete.is_empty());
    assert_eq!(outcome.forced, Some(vec![(2, 2)]));
    assert_eq!(outcome.warnings, [Warning::SharedOwner { trails: 2 }]);
}

#[test]
fn a_missing_owner_is_noticed() {
    let (outcome, _) = run(
        &["10", "10", "11"].map(oracle::bits),
        &["10", "01"].map(oracle::bits),
    );
    assert!(!outcome.saturable());
    assert_eq!(
        outcome.warnings[..2],
        [
            Warning::NotSaturable { unmatched: 2 },
            Warning::Uncovered { trails: 1 }
        ]
    );
    assert!(outcome.warnings[0].to_string().contains("conditional"));
}

#[test]
fn empty_sides_and_empty_trails_are_handled() {
    let (outcome, _) = run(&[], &[]);
    assert_eq!(outcome.forced, Some(vec![]));
    let (outcome, _) = run(
        &["00".into()].map(|t: String| oracle::bits(&t)),
        &["10", "00"].map(oracle::bits),
    );
    assert_eq!(outcome.complete, [(0, 1)]);
    assert_eq!(outcome.allowed_set_sizes, Some(vec![2]));
}

#[test]
fn one_person_behind_several_trails() {
    let n = ["100", "010", "001", "001"].map(oracle::bits);
    let p = ["110", "001", "001"].map(oracle::bits);
    let (nt, pt) = (trails(&n, 3), trails(&p, 3));
    let graph = SubtrailGraph::build(
        TrailSide::new(&nt),
        TrailSide::new(&pt),
        &|_, _| true,
        usize::MAX,
    )
    .unwrap();
    assert_eq!(
        find_multiple(&graph),
        [MultipleIdentity {
            complete: 0,
            incomplete: vec![0, 1]
        }]
    );
}

#[test]
fn too_many_edges_is_an_error() {
    let all = trails(&vec![oracle::bits("1"); 3], 2);
    let one = Trails::from_rows(2, [[0_u32], [1]]).unwrap();
    assert!(
        SubtrailGraph::build(TrailSide::new(&one), TrailSide::new(&all), &|_, _| true, 0).is_err()
    );
    let other = Trails::from_rows(3, [[0_u32]]).unwrap();
    let error = attack(
        TrailSide::new(&one),
        TrailSide::new(&other),
        &TrailOptions::default(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "attack-institutions-differ");
}

/// Rows over a few institutions; `owned` makes the incomplete side from the complete one, so that it is saturable.
fn instance(owned: bool) -> impl Strategy<Value = (Vec<oracle::Bits>, Vec<oracle::Bits>)> {
    (1_usize..=5).prop_flat_map(move |institutions| {
        let row = prop::collection::vec(any::<bool>(), institutions);
        let complete = prop::collection::vec(row.clone(), 0..=7);
        let masks = prop::collection::vec(
            prop::collection::vec(prop::bool::weighted(0.7), institutions),
            7,
        );
        let loose = prop::collection::vec(row, 0..=6);
        (complete, masks, loose, 0_usize..=6).prop_map(move |(p, masks, loose, take)| {
            let n = if owned {
                let rows = p.iter().zip(&masks).take(take);
                rows.map(|(row, mask)| row.iter().zip(mask).map(|(a, b)| *a && *b).collect())
                    .collect()
            } else {
                loose
            };
            (n, p)
        })
    })
}

/// Each trail's largest share of one owner over all assignments, by counting them.
fn counted_posteriors(n: &[oracle::Bits], p: &[oracle::Bits]) -> Vec<f64> {
    fn go(
        n: &[oracle::Bits],
        p: &[oracle::Bits],
        chosen: &mut Vec<usize>,
        counts: &mut [Vec<f64>],
    ) -> f64 {
        if chosen.len() == n.len() {
            for (row, &owner) in counts.iter_mut().zip(chosen.iter()) {
                row[owner] += 1.0;
            }
            return 1.0;
        }
        let mut total = 0.0;
        for owner in 0..p.len() {
            if !chosen.contains(&owner) && oracle::is_subtrail(&n[chosen.len()], &p[owner]) {
                chosen.push(owner);
                total += go(n, p, chosen, counts);
                chosen.pop();
            }
        }
        total
    }
    let mut counts = vec![vec![0.0; p.len()]; n.len()];
    let total = go(n, p, &mut Vec::new(), &mut counts);
    counts
        .iter()
        .map(|row| row.iter().copied().fold(0.0, f64::max) / total)
        .collect()
}

fn agrees_with_enumeration(n: &[oracle::Bits], p: &[oracle::Bits]) -> Result<(), TestCaseError> {
    let (outcome, allowed) = run(n, p);
    prop_assert_eq!(&outcome.complete, &pairs(&oracle::reidit_c(n, p)));
    prop_assert_eq!(&outcome.multiple, &pairs(&oracle::reidit_m(n, p)));
    prop_assert_eq!(&outcome.incomplete, &pairs(&oracle::reidit_i(n, p)));
    let Some(sets) = oracle::allowed_by_enumeration(n, p) else {
        prop_assert!(!outcome.saturable());
        return Ok(());
    };
    let sets: Vec<Vec<u32>> = sets
        .iter()
        .map(|set| set.iter().map(|&p| p as u32).collect())
        .collect();
    prop_assert_eq!(allowed.as_ref(), Some(&sets));
    let institutions = n.iter().chain(p).map(Vec::len).max().unwrap_or(0);
    let (nt, pt) = (trails(n, institutions), trails(p, institutions));
    let graph = SubtrailGraph::build(
        TrailSide::new(&nt),
        TrailSide::new(&pt),
        &|_, _| true,
        usize::MAX,
    )
    .unwrap();
    let posteriors = largest_posteriors(&graph, &ForcedMatching::of(&graph), 12);
    for (found, counted) in posteriors.iter().zip(counted_posteriors(n, p)) {
        prop_assert!((found.unwrap() - counted).abs() < 1e-9);
    }
    let forced: Vec<Pair> = sets
        .iter()
        .enumerate()
        .filter(|(_, set)| set.len() == 1)
        .map(|(n, set)| (n as u32, set[0]))
        .collect();
    prop_assert_eq!(outcome.forced.as_ref(), Some(&forced));
    prop_assert!(
        outcome.incomplete.iter().all(|pair| forced.contains(pair)),
        "REIDIT-I within forced"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn forced_equals_enumeration_when_owners_exist((n, p) in instance(true)) {
        agrees_with_enumeration(&n, &p)?;
    }

    #[test]
    fn forced_equals_enumeration_on_any_trails((n, p) in instance(false)) {
        agrees_with_enumeration(&n, &p)?;
    }
}
