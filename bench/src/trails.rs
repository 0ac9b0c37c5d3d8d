//! Trail re-identification beside the paper's quadratic loops, in the same run; same pairs first, then times.
//!
//! `denym-bench trails` takes a minute or two; `denym-bench trails small` a twentieth of the sizes, to see that it works.

use std::time::Instant;

use denym_attack::Draws;
use denym_attack::trails::{
    ForcedMatching, Pair, SubtrailGraph, TrailSide, reidit_complete, reidit_incomplete,
};
use denym_data::Trails;

/// Trails of 0 and 1, as the paper writes them.
type Bits = Vec<u8>;

pub(crate) fn run() {
    println!("| attack | trails | pairs | the paper's loops | denym | ratio |");
    println!("|---|---|---|---|---|---|");
    let scale = if std::env::args().any(|word| word == "small") {
        20
    } else {
        1
    };
    against_the_loops(20_000 / scale);
    a_million(1_000_000 / scale);
    many_edges(100_000 / scale);
}

/// People visit a few of `institutions`, the early ones more often.
fn people(
    count: usize,
    institutions: usize,
    shortest: u64,
    longest: u64,
    rng: &mut Draws,
) -> Trails {
    let all = institutions as u64;
    let rows: Vec<Vec<u32>> = (0..count)
        .map(|_| {
            let visits = shortest + rng.below(longest - shortest + 1);
            (0..visits)
                .map(|_| rng.below(all).min(rng.below(all)) as u32)
                .collect()
        })
        .collect();
    Trails::from_rows(institutions, rows).expect("institutions are below their number")
}

/// Keeps each visit with probability `keep`, at least one per person.
fn incomplete(complete: &Trails, keep: f64, rng: &mut Draws) -> Trails {
    let rows: Vec<Vec<u32>> = complete
        .iter()
        .map(|trail| {
            let kept: Vec<u32> = trail
                .iter()
                .copied()
                .filter(|_| rng.unit() < keep)
                .collect();
            if kept.is_empty() {
                trail[..1].to_vec()
            } else {
                kept
            }
        })
        .collect();
    Trails::from_rows(complete.institutions(), rows).expect("institutions are below their number")
}

fn bits(trails: &Trails) -> Vec<Bits> {
    let row = |trail: &[u32]| {
        let mut bits = vec![0; trails.institutions()];
        for &at in trail {
            bits[at as usize] = 1;
        }
        bits
    };
    trails.iter().map(row).collect()
}

/// Figure 2 of the paper, its match set reset for every anonymous trail.
fn figure_2(n: &[Bits], p: &[Bits]) -> Vec<Pair> {
    let mut found = Vec::new();
    for (i, trail) in (0..).zip(n) {
        let matches: Vec<u32> = (0..)
            .zip(p)
            .filter(|(_, other)| *other == trail)
            .map(|(j, _)| j)
            .collect();
        if let [only] = matches[..] {
            found.push((i, only));
        }
    }
    found
}

/// Figure 3 of the paper in the matrix form of its section 4.2.
fn figure_3(n: &[Bits], p: &[Bits]) -> Vec<Pair> {
    let covers = |a: &Bits, b: &Bits| a.iter().zip(b).all(|(a, b)| a <= b);
    let matrix: Vec<Vec<u32>> = n
        .iter()
        .map(|trail| {
            (0..)
                .zip(p)
                .filter(|(_, other)| covers(trail, other))
                .map(|(j, _)| j)
                .collect()
        })
        .collect();
    let (mut gone, mut done) = (vec![false; p.len()], vec![false; n.len()]);
    let mut found = Vec::new();
    let mut again = true;
    while again {
        again = false;
        for i in 0..n.len() {
            let mut left = matrix[i].iter().filter(|&&j| !gone[j as usize]);
            if let (false, Some(&only), None) = (done[i], left.next(), left.next()) {
                found.push((i as u32, only));
                (done[i], gone[only as usize], again) = (true, true, true);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The answer and the fastest of several runs; noise only slows down.
fn best_of<T>(runs: usize, mut run: impl FnMut() -> T) -> (T, f64) {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        last = Some(run());
        best = best.min(start.elapsed().as_secs_f64());
    }
    (last.expect("at least one run"), best)
}

fn against_the_loops(count: usize) {
    let mut rng = Draws::new(20);
    let p = people(count, 1_000, 3, 12, &mut rng);
    let n = incomplete(&p, 0.9, &mut rng);
    let (n01, p01) = (bits(&n), bits(&p));
    let all = |_: u32, _: u32| true;
    let row = |name: &str, ours: &[Pair], theirs: &[Pair], fast: f64, slow: f64, least: f64| {
        assert!(ours == theirs, "{name}: the same pairs");
        println!(
            "| {name} | {count} x {count} | {} | {slow:.2} s | {fast:.4} s | {:.0}x (asked: {least}x) |",
            ours.len(),
            slow / fast
        );
    };
    let (ours, fast) = best_of(5, || {
        reidit_complete(TrailSide::new(&p), TrailSide::new(&p), &all)
    });
    let (theirs, slow) = best_of(1, || figure_2(&p01, &p01));
    row("REIDIT-C", &ours, &theirs, fast, slow, 500.0);
    let (ours, fast) = best_of(5, || {
        let graph = SubtrailGraph::build(TrailSide::new(&n), TrailSide::new(&p), &all, usize::MAX);
        reidit_incomplete(&graph.expect("one institution list"))
    });
    let (theirs, slow) = best_of(1, || figure_3(&n01, &p01));
    row("REIDIT-I", &ours, &theirs, fast, slow, 20.0);
}

fn a_million(count: usize) {
    let mut rng = Draws::new(1_000_000);
    let p = people(count, 1_000, 2, 12, &mut rng);
    let (pairs, seconds) = best_of(2, || {
        reidit_complete(TrailSide::new(&p), TrailSide::new(&p), &|_, _| true)
    });
    assert!(
        pairs.iter().all(|(n, p)| n == p),
        "complete data: all right"
    );
    println!(
        "| REIDIT-C | {count} x {count} over 1000 institutions | {} | - | {seconds:.2} s | asked: below 10 s |",
        pairs.len()
    );
}

fn many_edges(count: usize) {
    let mut rng = Draws::new(100_000);
    let p = people(count, 200, 3, 16, &mut rng);
    let n = incomplete(&p, 0.7, &mut rng);
    let start = Instant::now();
    let graph = SubtrailGraph::build(
        TrailSide::new(&n),
        TrailSide::new(&p),
        &|_, _| true,
        usize::MAX,
    )
    .expect("one institution list");
    let related = start.elapsed().as_secs_f64();
    let elimination = reidit_incomplete(&graph);
    let eliminated = start.elapsed().as_secs_f64();
    let forced = ForcedMatching::of(&graph);
    let seconds = start.elapsed().as_secs_f64();
    assert!(graph.edges() <= 20_000_000, "at most 20 million edges");
    let pairs = forced.pairs().expect("every owner is there");
    assert!(
        pairs.iter().chain(&elimination).all(|(n, p)| n == p),
        "all right"
    );
    assert!(
        elimination
            .iter()
            .all(|pair| pairs.binary_search(pair).is_ok()),
        "REIDIT-I within forced"
    );
    println!(
        "| REIDIT-I and forced matching, {} edges | {count} x {count} | {} and {} | - | {seconds:.2} s (relation {related:.2}, REIDIT-I {:.2}, forced {:.2}) | asked: below 60 s |",
        graph.edges(),
        elimination.len(),
        pairs.len(),
        eliminated - related,
        seconds - eliminated,
    );
}
