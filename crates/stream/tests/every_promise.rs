//! Every promise on every window: what leaves keeps it by groups that are written down by hand, and its certificate can be measured again.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};

use denym_data::{Fraction, SplitMix64};
use denym_measure::{Group, Histogram, Promise};
use denym_policy::Given;
use denym_stream::{
    Asked, Event, Matching, Options, PromiseSpec, Reference, Rule, Slide, Status, Stream, Window,
    verify_chain, verify_window,
};

fn below(draw: &mut SplitMix64, limit: u64) -> u64 {
    draw.next_u64() % limit
}

fn number(numerator: u64, denominator: u64) -> Given {
    Given::Number(Fraction::of(numerator, denominator))
}

/// Every promise that windows can be judged by, about the numbers 1 to 4.
fn promises() -> Vec<PromiseSpec> {
    let about = |name: &str, given: &[(&str, Given)]| {
        let spec = PromiseSpec::new(name, given.iter().cloned());
        spec.expect("its parameters").about("salary")
    };
    let four = || Given::Texts(vec!["4".into()]);
    let whole = Given::Whole;
    vec![
        about("distinct-l-diversity", &[("l", number(2, 1))]),
        about("entropy-l-diversity", &[("l", number(2, 1))]),
        about(
            "recursive-l-diversity",
            &[("c", number(3, 1)), ("l", number(2, 1))],
        ),
        about("t-closeness", &[("t", number(1, 3))]),
        about("t-closeness-ordered", &[("t", number(1, 3))]),
        about("basic-beta-likeness", &[("beta", number(3, 2))]),
        about("enhanced-beta-likeness", &[("beta", number(3, 2))]),
        about("confidence", &[("at-most", number(2, 3))]),
        about(
            "xy-privacy",
            &[
                ("values", four()),
                ("at-most", number(1, 2)),
                ("k", whole(3)),
            ],
        ),
        about(
            "alpha-k-anonymity",
            &[("alpha", number(2, 3)), ("k", whole(3))],
        ),
        about("k-e-anonymity", &[("k", whole(2)), ("e", number(2, 1))]),
        about(
            "epsilon-m-anonymity",
            &[("epsilon", number(1, 1)), ("m", whole(1))],
        ),
        about("delta-disclosure", &[("delta", number(5, 2))]),
    ]
}

fn options(promise: &PromiseSpec, matching: Matching, l: usize) -> Options {
    let mut options = Options::new(3, l, 2);
    options.attributes = vec!["salary".into()];
    options.promises = vec![promise.clone()];
    options.matching = matching;
    // The commonest last, so that codes are not those of the labels' order.
    options.reference = vec![Reference {
        attribute: "salary".into(),
        values: (1..=4).map(|n| (n.to_string(), n)).collect(),
    }];
    options
}

fn slides(seed: u64, options: Options) -> Vec<Slide> {
    let mut draw = SplitMix64::new(seed);
    let mut stream = Stream::new(options).unwrap();
    let people: Vec<(String, String)> = (0..10 + below(&mut draw, 30))
        .map(|n| (n.to_string(), (1 + below(&mut draw, 4)).to_string()))
        .collect();
    let mut found = Vec::new();
    for time in 0..6 {
        for (name, salary) in &people {
            if below(&mut draw, 3) > 0 {
                let place = ["a", "b", "c"][below(&mut draw, 3) as usize];
                stream.push(&Event {
                    subject: name,
                    location: place,
                    time,
                    sensitive: &[salary],
                });
            }
        }
        while let Some(slide) = stream.poll().unwrap() {
            found.push(slide);
        }
    }
    stream.finish();
    while let Some(slide) = stream.poll().unwrap() {
        found.push(slide);
    }
    found
}

/// Whether every group of up to `l` shown doublets keeps the promises, by subsets that are written down.
fn keeps(window: &Window, l: usize, promises: &[Box<dyn Promise>], codes: &[u32]) -> bool {
    let mut groups: BTreeMap<BTreeSet<u32>, BTreeMap<u32, u64>> = BTreeMap::new();
    for record in &window.records {
        for mask in 0_u32..1 << record.path.len() {
            if mask.count_ones() as usize <= l {
                let part = (record.path.iter().enumerate())
                    .filter(|(at, _)| mask >> at & 1 == 1)
                    .map(|(_, &place)| place);
                let group = groups.entry(part.collect()).or_default();
                *group.entry(codes[record.profile as usize]).or_default() += record.count;
            }
        }
    }
    groups.values().all(|values| {
        let counts: Vec<(u32, u64)> = values.iter().map(|(&code, &count)| (code, count)).collect();
        let size = values.values().sum();
        let histograms = [Histogram::new(&counts)];
        let group = Group::new(size, size, &histograms);
        promises.iter().all(|promise| promise.admits(&group))
    })
}

#[test]
fn no_window_leaves_that_breaks_its_promise_and_each_can_be_measured_again() {
    let mut without = Vec::new();
    for promise in promises() {
        let (mut published, mut hidden) = (0, 0);
        for matching in [Matching::Covers, Matching::Consistent] {
            for seed in 0..60 {
                let options = options(&promise, matching, 1 + seed as usize % 3);
                let found = slides(seed, options.clone());
                let asked = Asked::new(&options);
                let domain = asked.attribute("salary", ["1", "2", "3", "4"]);
                let judged = asked.judged(std::slice::from_ref(&domain)).unwrap();
                let lines: Vec<String> = found
                    .iter()
                    .map(|s| s.certificate.line().unwrap())
                    .collect();
                let chain = verify_chain(lines.iter().map(String::as_str)).unwrap();
                assert_eq!(
                    chain.published as usize,
                    found.iter().flat_map(|s| &s.window).count()
                );
                for slide in &found {
                    hidden += slide.work.suppressed_events;
                    let Some(window) = &slide.window else {
                        assert_eq!(slide.certificate.status, Status::Withheld);
                        continue;
                    };
                    let code = |labels: &Vec<String>| labels[0].parse::<u32>().unwrap() - 1;
                    let codes: Vec<u32> = window.profiles.iter().map(code).collect();
                    assert!(
                        keeps(window, options.l, &judged, &codes),
                        "{promise:?} {seed}"
                    );
                    let again = verify_window(&slide.certificate, &window.line()).unwrap();
                    assert_eq!(again.promises.len(), 1, "{promise:?}");
                    published += u64::from(!window.records.is_empty());
                }
            }
        }
        if published < 20 || hidden == 0 {
            without.push((promise.listed(), published, hidden));
        }
    }
    assert!(without.is_empty(), "never really tried: {without:?}");
}

#[test]
fn a_window_that_breaks_a_claimed_promise_is_found_out() {
    let promise = &promises()[0];
    let options = options(promise, Matching::Covers, 2);
    let found = slides(7, options);
    let slide = found.iter().find(|slide| slide.window.is_some()).unwrap();
    let window = slide.window.as_ref().unwrap();
    let mut certificate = slide.certificate.clone();
    assert!(certificate.claims.promises[0].set("l", number(5, 1)));
    assert!(verify_window(&certificate, &window.line()).is_err());
    let mut stated = slide.certificate.clone();
    stated.measured.promises[0] = "4".into();
    assert!(
        verify_window(&stated, &window.line()).is_err(),
        "another value than there is"
    );
}

#[test]
fn what_cannot_be_judged_is_withheld_and_nothing_stops() {
    let numbers = promises()
        .into_iter()
        .find(|promise| promise.name() == "k-e-anonymity")
        .unwrap();
    let mut stream = Stream::new(options(&numbers, Matching::Covers, 1)).unwrap();
    for time in 0..4 {
        for (subject, salary) in [("x", "many"), ("y", "1"), ("z", "4")] {
            stream.push(&Event {
                subject,
                location: "a",
                time,
                sensitive: &[salary],
            });
        }
    }
    stream.finish();
    let mut withheld = 0;
    while let Some(slide) = stream.poll().unwrap() {
        assert!(slide.window.is_none());
        withheld += 1;
    }
    assert!(withheld > 0 && stream.counts().balanced());
}

#[test]
fn a_rule_that_takes_back_keeps_every_promise_too() {
    for promise in promises() {
        let mut options = options(&promise, Matching::Covers, 2);
        options.rule = Rule::Retract;
        let found = slides(11, options.clone());
        let asked = Asked::new(&options);
        let domain = asked.attribute("salary", ["1", "2", "3", "4"]);
        let judged = asked.judged(&[domain]).unwrap();
        for window in found.iter().filter_map(|slide| slide.window.as_ref()) {
            let code = |labels: &Vec<String>| labels[0].parse::<u32>().unwrap() - 1;
            let codes: Vec<u32> = window.profiles.iter().map(code).collect();
            assert!(keeps(window, 2, &judged, &codes), "{promise:?}");
        }
    }
}
