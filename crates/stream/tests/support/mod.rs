//! Runs a tiny stream through the crate and lines the result up with brute force.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use denym_data::Fraction;
use denym_stream::{Event, Horizon, Options, Rule, Slide, Stream, Verdict, Window};
use denym_testkit::streams::{Case, Doublet};

/// The options of a case; bound `i` is value `1` of attribute `s<i>`.
pub(crate) fn options(case: &Case) -> Options {
    let mut options = Options::new(case.window as u32, case.l, case.k as u64);
    options.step = case.step as u32;
    for (bound, &(num, den)) in case.at_most.iter().enumerate() {
        options = options.with_bound(&format!("s{bound}"), "1", Fraction::of(num, den));
    }
    options.rule = match (case.retract, case.horizon) {
        (true, _) => Rule::Retract,
        (false, None) => Rule::KeepPublished {
            horizon: Horizon::All,
        },
        (false, Some(span)) if span == case.window => Rule::default(),
        (false, Some(span)) => Rule::KeepPublished {
            horizon: Horizon::Timestamps(span as u32),
        },
    };
    options
}

/// The events of a case in time order, as (subject, location, time, sensitive).
pub(crate) fn events(case: &Case) -> Vec<(String, String, i64, Vec<&'static str>)> {
    let mut all = Vec::new();
    for (number, subject) in case.subjects.iter().enumerate() {
        let sensitive: Vec<&str> = subject
            .secrets
            .iter()
            .map(|&s| if s { "1" } else { "0" })
            .collect();
        for (time, location) in &subject.path {
            all.push((
                format!("subject {number}"),
                location.clone(),
                *time,
                sensitive.clone(),
            ));
        }
    }
    all.sort_by_key(|event| event.2);
    all
}

pub(crate) fn push(stream: &mut Stream, event: &(String, String, i64, Vec<&str>)) -> Verdict {
    stream.push(&Event {
        subject: &event.0,
        location: &event.1,
        time: event.2,
        sensitive: &event.3,
    })
}

/// Every slide of a case.
pub(crate) fn run(case: &Case, options: Options) -> (Vec<Slide>, Stream) {
    let mut stream = Stream::new(options).expect("sound options");
    let mut slides = Vec::new();
    for event in events(case) {
        assert_eq!(push(&mut stream, &event), Verdict::Accepted);
        while let Some(slide) = stream.poll().expect("a slide") {
            slides.push(slide);
        }
    }
    stream.finish();
    while let Some(slide) = stream.poll().expect("a slide") {
        slides.push(slide);
    }
    (slides, stream)
}

/// The doublets suppressed with a slide, sorted.
pub(crate) fn suppressed(slide: &Slide) -> Vec<Doublet> {
    let pairs = slide.suppressed.iter();
    let mut all: Vec<Doublet> = pairs.map(|(l, t)| (*t, l.clone())).collect();
    all.sort();
    all
}

/// The (path, secrets) of a window with their counts; records that show nothing left out.
pub(crate) fn contents(window: &Window) -> BTreeMap<(Vec<Doublet>, Vec<String>), u64> {
    let mut all = BTreeMap::new();
    for record in window.records.iter().filter(|r| !r.path.is_empty()) {
        let places = record.path.iter().map(|&at| &window.places[at as usize]);
        let path: Vec<Doublet> = places.map(|p| (p.time, p.location.clone())).collect();
        let profile = window.profiles[record.profile as usize].clone();
        *all.entry((path, profile)).or_insert(0) += record.count;
    }
    all
}

/// The same of what brute force shows.
pub(crate) fn expected(
    case: &Case,
    shown: &[Vec<Doublet>],
) -> BTreeMap<(Vec<Doublet>, Vec<String>), u64> {
    let mut all = BTreeMap::new();
    for (subject, path) in case.subjects.iter().zip(shown) {
        if !path.is_empty() {
            let profile = subject.secrets.iter().map(|&s| u8::from(s).to_string());
            *all.entry((path.clone(), profile.collect())).or_insert(0) += 1;
        }
    }
    all
}
