//! Trail attacks on real trails: which areas of a large web site each visitor saw.

use denym_attack::SplitMix64;
use denym_attack::trails::{self, ForcedMatching, Incomplete, Options, Side, SubtrailGraph};
use denym_data::Trails;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// The UCI anonymous Microsoft web data: one row per visitor, one institution per area.
fn visitors() -> Option<Trails> {
    let path = denym_testkit::shared::path("data/trails/anonymous-msweb.data.gz")?;
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the file has its documented form");
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("the file has its documented form");
    let areas: BTreeSet<u32> = text
        .lines()
        .filter_map(|line| line.strip_prefix("A,")?.split(',').next()?.parse().ok())
        .collect();
    let codes: BTreeMap<u32, u32> = areas
        .iter()
        .zip(0..)
        .map(|(&area, code)| (area, code))
        .collect();
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("C,") {
            rows.push(Vec::new());
        } else if let Some(rest) = line.strip_prefix("V,") {
            let area: u32 = rest
                .split(',')
                .next()
                .expect("the file has its documented form")
                .parse()
                .expect("the file has its documented form");
            rows.last_mut()
                .expect("the file has its documented form")
                .push(codes[&area]);
        }
    }
    Some(Trails::from_rows(codes.len(), rows).expect("the file has its documented form"))
}

#[test]
fn complete_trails_name_nine_thousand_five_hundred_visitors() {
    let Some(all) = visitors() else { return };
    assert_eq!(
        (all.len(), all.institutions(), all.entries()),
        (32_711, 294, 98_654)
    );
    let pairs = trails::reidit_complete(Side::new(&all), Side::new(&all), &|_, _| true);
    assert_eq!(pairs.len(), 9_500);
    assert!(pairs.iter().all(|(a, b)| a == b));
}

/// Single draws gain 3 to 8 percent (the figure moves with which visits are lost); over twenty draws the gain is 5.6.
#[test]
fn forced_matching_beats_elimination_on_incomplete_trails() {
    let Some(all) = visitors() else { return };
    let identified = Trails::from_rows(all.institutions(), all.iter().take(3_000)).unwrap();
    let (mut fewer, mut more) = (0, 0);
    for seed in 1..=20 {
        let mut rng = SplitMix64::new(seed);
        // 90 % of the visits leave an anonymous record, and everybody leaves at least one.
        let keep = |trail: &[u32], rng: &mut SplitMix64| {
            let kept: Vec<u32> = trail.iter().copied().filter(|_| rng.unit() < 0.9).collect();
            if kept.is_empty() {
                vec![trail[rng.below(trail.len() as u64) as usize]]
            } else {
                kept
            }
        };
        let rows: Vec<Vec<u32>> = identified
            .iter()
            .map(|trail| keep(trail, &mut rng))
            .collect();
        let anonymous = Trails::from_rows(all.institutions(), rows).unwrap();
        let outcome = trails::attack(
            Side::new(&anonymous),
            Side::new(&identified),
            &Options::default(),
        )
        .unwrap();
        let forced = outcome.forced.as_ref().expect("every owner is there");
        assert!(
            forced
                .iter()
                .chain(&outcome.incomplete)
                .all(|(n, p)| n == p),
            "all correct"
        );
        assert!(
            outcome
                .incomplete
                .iter()
                .all(|pair| forced.binary_search(pair).is_ok()),
            "REIDIT-I within forced"
        );
        println!(
            "draw {seed}: REIDIT-M {}, REIDIT-I {}, forced {}",
            outcome.multiple.len(),
            outcome.incomplete.len(),
            forced.len()
        );
        fewer += outcome.incomplete.len();
        more += forced.len();
    }
    assert!(more * 100 >= fewer * 105, "{fewer} -> {more}");
}

#[test]
fn the_subtrail_relation_is_exact_on_all_visitors() {
    let Some(all) = visitors() else { return };
    let graph =
        SubtrailGraph::build(Side::new(&all), Side::new(&all), &|_, _| true, usize::MAX).unwrap();
    let counts = graph.candidate_counts();
    for row in (0..all.len()).step_by(331) {
        let naive: Vec<u32> = (0..all.len() as u32)
            .filter(|&p| Trails::is_subtrail(all.get(row), all.get(p as usize)))
            .collect();
        assert_eq!(graph.candidates(row), naive);
        assert_eq!(counts[row], naive.len() as u64);
    }
    // Everybody against everybody: the identity is one saturating assignment, so each person is a possible owner.
    let forced = ForcedMatching::of(&graph);
    assert!(forced.saturable());
    println!(
        "{} pairs, {} between groups",
        graph.edges(),
        graph.group_edges()
    );
    for row in (0..all.len()).step_by(977) {
        assert!(
            forced
                .allowed_set(&graph, row)
                .unwrap()
                .contains(&(row as u32))
        );
    }
    // With complete data on both sides a unique trail is forced, and nothing else is.
    assert_eq!(forced.pairs().unwrap().len(), 9_500);
    let swapped = Options {
        incomplete: Incomplete::Identified,
        ..Options::default()
    };
    let mirror = trails::attack(Side::new(&all), Side::new(&all), &swapped).unwrap();
    assert_eq!(mirror.forced.unwrap().len(), 9_500);
}
