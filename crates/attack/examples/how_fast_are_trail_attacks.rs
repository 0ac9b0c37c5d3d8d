//! How fast are the trail attacks, and how much faster than the paper's quadratic loops?
//!
//! `cargo run --release -p denym-attack --example how_fast_are_trail_attacks [small|edges]`
//!
//! Every figure is printed after its answer was checked against the truth or the paper's loops.
#![expect(clippy::print_stdout, reason = "a bench reports")]

use denym_attack::SplitMix64;
use denym_attack::trails::{
    ForcedMatching, Pair, Side, SubtrailGraph, reidit_complete, reidit_incomplete,
};
use denym_data::Trails;
use std::time::Instant;

/// People visit a few of `institutions`, the early ones more often.
fn people(
    count: usize,
    institutions: usize,
    shortest: u64,
    longest: u64,
    rng: &mut SplitMix64,
) -> Trails {
    let rows: Vec<Vec<u32>> = (0..count)
        .map(|_| {
            let visits = shortest + rng.below(longest - shortest + 1);
            let all = institutions as u64;
            (0..visits)
                .map(|_| rng.below(all).min(rng.below(all)) as u32)
                .collect()
        })
        .collect();
    Trails::from_rows(institutions, rows).expect("institutions are below their number")
}

/// Keeps each visit with probability `keep`, at least one per person.
fn incomplete(complete: &Trails, keep: f64, rng: &mut SplitMix64) -> Trails {
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

fn zeros_and_ones(trails: &Trails) -> Vec<Vec<u8>> {
    let row = |trail: &[u32]| {
        let mut bits = vec![0; trails.institutions()];
        for &at in trail {
            bits[at as usize] = 1;
        }
        bits
    };
    trails.iter().map(row).collect()
}

fn words(trails: &Trails) -> Vec<Vec<u64>> {
    let row = |trail: &[u32]| {
        let mut bits = vec![0_u64; trails.institutions().div_ceil(64)];
        for &at in trail {
            bits[at as usize / 64] |= 1 << (at % 64);
        }
        bits
    };
    trails.iter().map(row).collect()
}

/// Figure 2 (match set reset per n): the two loops over trails of 0 and 1.
fn reidit_c_loops<T: PartialEq>(n: &[T], p: &[T]) -> Vec<Pair> {
    let mut found = Vec::new();
    for (i, trail) in n.iter().enumerate() {
        let mut matches = Vec::new();
        for (j, other) in p.iter().enumerate() {
            if trail == other {
                matches.push(j as u32);
            }
        }
        if let [only] = matches[..] {
            found.push((i as u32, only));
        }
    }
    found
}

/// Figure 3 in the matrix form of section 4.2: all pairs once, then row sums go down as columns leave.
fn reidit_i_loops<T>(n: &[T], p: &[T], covers: impl Fn(&T, &T) -> bool) -> Vec<Pair> {
    let mut matrix: Vec<Vec<u32>> = vec![Vec::new(); n.len()];
    for (i, trail) in n.iter().enumerate() {
        for (j, other) in p.iter().enumerate() {
            if covers(trail, other) {
                matrix[i].push(j as u32);
            }
        }
    }
    let mut gone = vec![false; p.len()];
    let mut done = vec![false; n.len()];
    let mut found = Vec::new();
    let mut again = true;
    while again {
        again = false;
        for i in 0..n.len() {
            if done[i] {
                continue;
            }
            let mut left = matrix[i].iter().filter(|&&j| !gone[j as usize]);
            if let (Some(&only), None) = (left.next(), left.next()) {
                found.push((i as u32, only));
                done[i] = true;
                gone[only as usize] = true;
                again = true;
            }
        }
    }
    found.sort_unstable();
    found
}

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
    let mut rng = SplitMix64::new(20);
    let p = people(count, 1_000, 3, 12, &mut rng);
    let n = incomplete(&p, 0.9, &mut rng);
    let (n01, p01) = (zeros_and_ones(&n), zeros_and_ones(&p));
    let (nw, pw) = (words(&n), words(&p));
    let all = |_: u32, _: u32| true;

    let (ours, fast) = best_of(5, || reidit_complete(Side::new(&p), Side::new(&p), &all));
    let (theirs, slow) = best_of(1, || reidit_c_loops(&p01, &p01));
    let (packed, slow_packed) = best_of(1, || reidit_c_loops(&pw, &pw));
    assert!(ours == theirs && ours == packed, "REIDIT-C: same pairs");
    println!(
        "REIDIT-C {count} x {count}: {} pairs; loops {slow:.3} s (packed in words {slow_packed:.3} s), ours {fast:.5} s: {:.0}x ({:.0}x)",
        ours.len(),
        slow / fast,
        slow_packed / fast
    );

    let (ours, fast) = best_of(5, || {
        let graph = SubtrailGraph::build(Side::new(&n), Side::new(&p), &all, usize::MAX)
            .expect("one institution list");
        reidit_incomplete(&graph)
    });
    let (theirs, slow) = best_of(1, || {
        reidit_i_loops(&n01, &p01, |a: &Vec<u8>, b: &Vec<u8>| {
            a.iter().zip(b).all(|(a, b)| a <= b)
        })
    });
    let (packed, slow_packed) = best_of(1, || {
        reidit_i_loops(&nw, &pw, |a: &Vec<u64>, b: &Vec<u64>| {
            a.iter().zip(b).all(|(a, b)| a & !b == 0)
        })
    });
    assert!(ours == theirs && ours == packed, "REIDIT-I: same pairs");
    println!(
        "REIDIT-I {count} x {count}: {} pairs; loops {slow:.3} s (packed in words {slow_packed:.3} s), ours {fast:.5} s: {:.0}x ({:.0}x)",
        ours.len(),
        slow / fast,
        slow_packed / fast
    );
}

fn a_million(count: usize) {
    let mut rng = SplitMix64::new(1_000_000);
    let p = people(count, 1_000, 2, 12, &mut rng);
    let start = Instant::now();
    let pairs = reidit_complete(Side::new(&p), Side::new(&p), &|_, _| true);
    let seconds = start.elapsed().as_secs_f64();
    assert!(
        pairs.iter().all(|(n, p)| n == p),
        "complete data: all right"
    );
    println!(
        "REIDIT-C {count} x {count} over 1000 institutions: {} pairs in {seconds:.2} s",
        pairs.len()
    );
}

fn many_edges(count: usize, institutions: usize, shortest: u64, longest: u64, keep: f64) {
    let mut rng = SplitMix64::new(100_000);
    let p = people(count, institutions, shortest, longest, &mut rng);
    let n = incomplete(&p, keep, &mut rng);
    let start = Instant::now();
    let graph = SubtrailGraph::build(Side::new(&n), Side::new(&p), &|_, _| true, usize::MAX)
        .expect("one institution list");
    let built = start.elapsed().as_secs_f64();
    let elimination = reidit_incomplete(&graph);
    let eliminated = start.elapsed().as_secs_f64();
    let forced = ForcedMatching::of(&graph);
    let seconds = start.elapsed().as_secs_f64();
    let pairs = forced.pairs().expect("every owner is there");
    assert!(
        pairs.iter().chain(&elimination).all(|(n, p)| n == p),
        "owners present and distinct: all right"
    );
    assert!(
        elimination
            .iter()
            .all(|pair| pairs.binary_search(pair).is_ok()),
        "REIDIT-I within forced"
    );
    println!(
        "{count} x {count} over {institutions} institutions, {} edges ({} between groups): relation {built:.2} s, REIDIT-I {} pairs at {eliminated:.2} s, forced {} pairs at {seconds:.2} s",
        graph.edges(),
        graph.group_edges(),
        elimination.len(),
        pairs.len()
    );
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let scale = if part == "small" { 20 } else { 1 };
    if part != "edges" {
        against_the_loops(20_000 / scale);
        a_million(1_000_000 / scale);
    }
    many_edges(100_000 / scale, 1_000, 2, 12, 0.7);
    many_edges(100_000 / scale, 60, 4, 20, 0.86);
    many_edges(100_000 / scale, 200, 3, 16, 0.65);
}
