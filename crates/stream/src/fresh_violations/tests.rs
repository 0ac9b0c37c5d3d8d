//! The walk against every sequence written down, and the same for any number of threads.

use std::collections::BTreeMap;

use denym_data::Fraction;
use denym_measure::Promise;
use denym_measure::promises::{Confidence, KAnonymity};
use denym_sequences::Limits;
use denym_sequences::generate::SplitMix64;

use super::{Fresh, mine};

/// Rows over `times` timestamps of `places` places each, the last `new` timestamps new.
fn random(draw: &mut SplitMix64, rows: usize, times: u32, places: u32, new: u32) -> Fresh {
    let bounds = draw.below(4) as usize;
    let old = times - new;
    // New doublets first, both kinds in the order of time.
    let item = |time: u32, place: u32| {
        let slot = if time >= old { time - old } else { time + new };
        slot * places + place
    };
    let mut fresh = Fresh {
        new: new * places,
        times: (old..times)
            .chain(0..old)
            .flat_map(|time| vec![i64::from(time); places as usize])
            .collect(),
        starts: vec![0],
        stride: 1 + bounds,
        span: (draw.below(2) == 0).then(|| i64::from(1 + draw.below(times))),
        ..Fresh::default()
    };
    for _ in 0..rows {
        let mut path: Vec<u32> = Vec::new();
        for time in 0..times {
            if draw.below(4) > 0 {
                path.push(item(time, draw.below(places) * draw.below(2)));
            }
        }
        if !path.iter().any(|&item| item < fresh.new) {
            path.push(item(times - 1, 0));
        }
        path.sort_unstable();
        fresh.items.extend(path);
        fresh.starts.push(fresh.items.len() as u32);
        let subjects = 1 + draw.below(3);
        let mut weight = vec![subjects];
        weight.extend((0..bounds).map(|_| draw.below(subjects + 1)));
        weight.resize(2 * fresh.stride.div_ceil(2), 0);
        let pairs = weight.chunks_exact(2);
        fresh
            .weights
            .extend(pairs.map(|p| u64::from(p[0]) | u64::from(p[1]) << 32));
    }
    fresh
}

fn limits(draw: &mut SplitMix64, fresh: &Fresh, l: usize) -> Limits {
    let bound = |draw: &mut SplitMix64| Fraction::of(u64::from(1 + draw.below(3)), 4);
    let k = u64::from(2 + draw.below(4));
    // Facts that hold of a subject (1) or not (0), each with a bound.
    let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
    for fact in 0..fresh.stride - 1 {
        let bounded = Confidence::of_values(fact, [(1, bound(draw))]);
        promises.push(Box::new(bounded));
    }
    Limits::new(l, promises, &vec![2; fresh.stride - 1])
}

/// All sequences with a new doublet that break the promise, less those that hold another.
fn by_hand(fresh: &Fresh, limits: &Limits) -> Vec<Vec<u32>> {
    let words = fresh.stride.div_ceil(2);
    let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for (row, span) in fresh.starts.windows(2).enumerate() {
        let items = &fresh.items[span[0] as usize..span[1] as usize];
        for mask in 1u32..1 << items.len() {
            let part: Vec<u32> = (0..items.len())
                .filter(|at| mask >> at & 1 == 1)
                .map(|at| items[at])
                .collect();
            let times = part.iter().map(|&item| fresh.times[item as usize]);
            let wide = times
                .clone()
                .max()
                .zip(times.min())
                .map_or(0, |(b, a)| b - a);
            let asked = part.len() <= limits.l && fresh.span.is_none_or(|span| wide < span);
            if part[0] >= fresh.new || !asked {
                continue;
            }
            let group = groups.entry(part).or_insert_with(|| vec![0; fresh.stride]);
            for (at, sum) in group.iter_mut().enumerate() {
                *sum += (fresh.weights[row * words + at / 2] >> (32 * (at % 2))) as u32;
            }
        }
    }
    let broken: Vec<Vec<u32>> = groups
        .into_iter()
        .filter(|(_, group)| limits.broken_by(group))
        .map(|(part, _)| part)
        .collect();
    let holds = |long: &[u32], short: &[u32]| {
        short.len() < long.len() && short.iter().all(|item| long.contains(item))
    };
    let critical = |v: &&Vec<u32>| !broken.iter().any(|other| holds(v, other));
    broken.iter().filter(critical).cloned().collect()
}

#[test]
fn finds_what_brute_force_finds() {
    let mut draw = SplitMix64::new(7);
    let (mut found_in_all, mut long) = (0, 0);
    for _ in 0..6000 {
        let times = 2 + draw.below(4);
        let (rows, new) = (1 + draw.below(30) as usize, 1 + draw.below(times));
        let places = 1 + draw.below(3);
        let fresh = random(&mut draw, rows, times, places, new);
        let l = 1 + draw.below(times) as usize;
        let limits = limits(&mut draw, &fresh, l);
        let mut found = mine(&fresh, &limits);
        found.sort();
        assert_eq!(found, by_hand(&fresh, &limits));
        found_in_all += found.len();
        long += found.iter().filter(|v| v.len() > 2).count();
    }
    assert!(found_in_all > 10_000 && long > 500, "{found_in_all} {long}");
}

#[test]
fn is_the_same_for_any_number_of_threads() {
    let mut draw = SplitMix64::new(11);
    let mut fresh = random(&mut draw, 20_000, 6, 8, 2);
    fresh.span = None;
    // Enough to be shared.
    assert!(fresh.items.len() >= super::WORTH_SHARING);
    let limits = limits(&mut draw, &fresh, 4);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| mine(&fresh, &limits))
    };
    let one = run(1);
    assert!(!one.is_empty());
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}
