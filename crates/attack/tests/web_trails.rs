//! Trail attacks on real trails: which areas of a large web site each visitor saw.

use denym_attack::Draws;
use denym_attack::trails::{
    self, ForcedMatching, Incomplete, SubtrailGraph, TrailOptions, TrailSide,
};
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
    let pairs = trails::reidit_complete(TrailSide::new(&all), TrailSide::new(&all), &|_, _| true);
    assert_eq!(pairs.len(), 9_500);
    assert!(pairs.iter().all(|(a, b)| a == b));
}

/// 90 % of the visits leave an anonymous record, and everybody leaves at least one.
fn kept(trail: &[u32], rng: &mut Draws) -> Vec<u32> {
    let kept: Vec<u32> = trail.iter().copied().filter(|_| rng.unit() < 0.9).collect();
    if kept.is_empty() {
        vec![trail[rng.below(trail.len() as u64) as usize]]
    } else {
        kept
    }
}

/// What one draw finds: pairs by elimination and by forced matching, all of them right.
fn draw(identified: &Trails, rng: &mut Draws) -> (usize, usize) {
    let rows: Vec<Vec<u32>> = identified.iter().map(|trail| kept(trail, rng)).collect();
    let anonymous = Trails::from_rows(identified.institutions(), rows).expect("trails");
    let outcome = trails::attack(
        TrailSide::new(&anonymous),
        TrailSide::new(identified),
        &TrailOptions::default(),
    )
    .expect("trails");
    let forced = outcome.forced.as_ref().expect("every owner is there");
    let mut all = forced.iter().chain(&outcome.incomplete);
    assert!(all.all(|(n, p)| n == p), "all correct");
    assert!(
        outcome
            .incomplete
            .iter()
            .all(|pair| forced.binary_search(pair).is_ok()),
        "REIDIT-I within forced"
    );
    (outcome.incomplete.len(), forced.len())
}

/// Which visits are lost moves the figure: single draws gain 3 to 8 percent, twenty draws together more than 5.
///
/// It does not matter much which 3,000 visitors are taken; `checked/trails.md` has the figures that this prints.
#[test]
fn forced_matching_beats_elimination_on_incomplete_trails() {
    let Some(all) = visitors() else { return };
    for (name, least) in [("the first 3,000", 105), ("3,000 at random", 104)] {
        let (mut fewer, mut more) = (0, 0);
        let mut gains: Vec<f64> = Vec::new();
        for seed in 1..=20 {
            let mut rng = Draws::new(seed);
            let rows: Vec<usize> = if least == 105 {
                (0..3_000).collect()
            } else {
                rng.distinct(3_000, all.len())
            };
            let rows = rows.into_iter().map(|row| all.get(row));
            let identified = Trails::from_rows(all.institutions(), rows).expect("trails");
            let (elimination, forced) = draw(&identified, &mut rng);
            fewer += elimination;
            more += forced;
            gains.push(100.0 * (forced as f64 / elimination as f64 - 1.0));
        }
        let (low, high) = gains
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), &gain| {
                (low.min(gain), high.max(gain))
            });
        println!(
            "{name}: REIDIT-I {fewer}, forced {more} over 20 draws: {:.2} % more (single draws {low:.2} to {high:.2} %)",
            100.0 * (more as f64 / fewer as f64 - 1.0)
        );
        assert!(more * 100 >= fewer * least, "{name}: {fewer} -> {more}");
        assert!(low > 0.0, "every draw gains");
    }
}

#[test]
fn the_subtrail_relation_is_exact_on_all_visitors() {
    let Some(all) = visitors() else { return };
    let graph = SubtrailGraph::build(
        TrailSide::new(&all),
        TrailSide::new(&all),
        &|_, _| true,
        usize::MAX,
    )
    .expect("trails");
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
                .expect("trails")
                .contains(&(row as u32))
        );
    }
    // With complete data on both sides a unique trail is forced, and nothing else is.
    assert_eq!(forced.pairs().expect("trails").len(), 9_500);
    let swapped = TrailOptions {
        incomplete: Incomplete::Identified,
        ..TrailOptions::default()
    };
    let mirror =
        trails::attack(TrailSide::new(&all), TrailSide::new(&all), &swapped).expect("trails");
    assert_eq!(mirror.forced.expect("trails").len(), 9_500);
}
