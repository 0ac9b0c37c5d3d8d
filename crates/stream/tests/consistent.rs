//! The matching `consistent` on thousands of random streams: an adversary who knows raw paths and sees contradictions finds nobody.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]

mod support;

use denym_data::SplitMix64;
use denym_stream::{Horizon, Matching, Rule, Window};
use denym_testkit::streams::{Case, Doublet, Subject};
use support::{options, run};

fn random_case(seed: u64) -> Case {
    let mut draw = SplitMix64::new(seed);
    let places = 2 + draw.below(2);
    let window = 2 + draw.below(2) as i64;
    let bounds = draw.below(2) as usize;
    let subjects = (0..12 + draw.below(12))
        .map(|_| {
            let mut path: Vec<Doublet> = Vec::new();
            for time in 0..6 {
                if draw.below(100) < 75 {
                    // The first place is the common one.
                    let place = draw.below(places) * draw.below(2);
                    path.push((time, char::from(b'a' + place as u8).to_string()));
                }
            }
            let secrets = (0..bounds).map(|_| draw.below(5) == 0).collect();
            Subject { path, secrets }
        })
        .collect();
    Case {
        subjects,
        window,
        step: 1,
        l: 1 + draw.below(window.unsigned_abs()) as usize,
        k: 2 + draw.below(2) as usize,
        at_most: vec![(2, 4); bounds],
        retract: draw.below(2) == 0,
        horizon: Some(window),
    }
}

/// Every part of 1..=l doublets of a path.
fn parts(path: &[Doublet], l: usize) -> Vec<Vec<Doublet>> {
    (1u32..1 << path.len())
        .filter(|mask| mask.count_ones() as usize <= l)
        .map(|mask| {
            let held = |at: &usize| mask >> at & 1 == 1;
            (0..path.len())
                .filter(held)
                .map(|at| path[at].clone())
                .collect()
        })
        .collect()
}

/// Known parts of raw paths in the window whose candidates are too few or too sure, straight from the definition.
fn broken(case: &Case, window: &Window) -> usize {
    let published: Vec<Doublet> = window
        .places
        .iter()
        .map(|p| (p.time, p.location.clone()))
        .collect();
    let raw: Vec<Vec<Doublet>> = case
        .subjects
        .iter()
        .map(|s| {
            let here = s
                .path
                .iter()
                .filter(|d| window.from <= d.0 && d.0 <= window.to);
            here.cloned().collect()
        })
        .collect();
    let shown: Vec<Vec<Doublet>> = raw
        .iter()
        .map(|path| {
            path.iter()
                .filter(|d| published.contains(d))
                .cloned()
                .collect()
        })
        .collect();
    let fits = |record: &[Doublet], known: &Doublet| {
        if published.contains(known) {
            record.contains(known)
        } else {
            record.iter().all(|d| d.0 != known.0)
        }
    };
    let mut found = 0;
    for path in &raw {
        for part in parts(path, case.l) {
            // Only who is in the window at all is a record of it.
            let candidates: Vec<usize> = (0..raw.len())
                .filter(|&s| !raw[s].is_empty() && part.iter().all(|known| fits(&shown[s], known)))
                .collect();
            found += usize::from(case.broken(&candidates));
        }
    }
    found
}

#[test]
fn no_published_window_contradicts_too_many_records_away() {
    let (mut windows, mut withheld, mut exposed_by_covers) = (0, 0, 0);
    for seed in 0..3000 {
        let case = random_case(seed);
        for matching in [Matching::Covers, Matching::Consistent] {
            let mut options = options(&case);
            options.matching = matching;
            let (slides, stream) = run(&case, options);
            assert!(stream.counts().balanced() && stream.counts().open == 0);
            for slide in &slides {
                let Some(window) = slide.window.as_ref() else {
                    withheld += usize::from(matching == Matching::Consistent);
                    continue;
                };
                let broken = if window.records.is_empty() {
                    0
                } else {
                    broken(&case, window)
                };
                if matching == Matching::Covers {
                    exposed_by_covers += usize::from(broken > 0);
                } else {
                    assert_eq!(broken, 0, "seed {seed}, window {}", window.number);
                    windows += 1;
                }
            }
        }
    }
    assert!(
        windows > 5000 && exposed_by_covers > 500,
        "{windows} published, {withheld} withheld, {exposed_by_covers} exposed under covers"
    );
}

#[test]
fn consistent_windows_put_together_keep_the_promise_for_any_horizon() {
    let mut streams = 0;
    for seed in 0..1000 {
        let mut case = random_case(seed);
        case.retract = false;
        case.horizon = [Some(case.window), Some(case.window + 2), None][seed as usize % 3];
        let mut options = options(&case);
        options.matching = Matching::Consistent;
        if case.horizon.is_none() {
            assert_eq!(
                options.rule,
                Rule::KeepPublished {
                    horizon: Horizon::All
                }
            );
        }
        let (slides, _) = run(&case, options);
        let shown: Vec<Vec<Vec<Doublet>>> = slides
            .iter()
            .filter_map(|slide| slide.window.as_ref())
            .map(|window| {
                let places = &window.places;
                let is_shown =
                    |d: &&Doublet| places.iter().any(|p| p.time == d.0 && p.location == d.1);
                let paths = case.subjects.iter();
                paths
                    .map(|s| s.path.iter().filter(is_shown).cloned().collect())
                    .collect()
            })
            .collect();
        if !shown.is_empty() {
            assert_eq!(case.leaks(&shown, case.horizon), 0, "seed {seed}");
            streams += 1;
        }
    }
    assert!(streams > 700, "{streams}");
}
