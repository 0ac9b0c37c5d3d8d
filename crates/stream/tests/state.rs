//! A stream that is saved and loaded anywhere goes on as if nothing had happened; deltas and chains fit together.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]

mod support;

use denym_data::Fraction;
use denym_data::SplitMix64;
use denym_stream::{
    Certificate, Delta, Error, Event, Form, Horizon, Matching, Options, Rule, Stream, Window,
    verify_chain, verify_window,
};

/// A week of a small town: people with habits, some out of order, some twice.
fn town(seed: u64, events: usize) -> Vec<(String, String, i64, String)> {
    let mut draw = SplitMix64::new(seed);
    (0..events)
        .map(|at| {
            let person = draw.below(60);
            let place = (person / 12 + draw.below(2)) % 4;
            let time = (at / 25) as i64 - draw.below(3) as i64;
            let status = if person % 7 == 0 { "ill" } else { "well" };
            (
                format!("person {person}"),
                format!("place {place}"),
                time,
                status.to_owned(),
            )
        })
        .collect()
}

fn push(stream: &mut Stream, event: &(String, String, i64, String)) {
    stream.push(&Event {
        subject: &event.0,
        location: &event.1,
        time: event.2,
        sensitive: &[&event.3],
    });
}

/// (published line, certificate line) of every window that is due.
fn lines(stream: &mut Stream) -> Vec<(Option<String>, String)> {
    let mut all = Vec::new();
    while let Some(slide) = stream.poll().expect("a slide") {
        all.push((slide.line(), slide.certificate.line().expect("a line")));
    }
    all
}

fn variants() -> Vec<Options> {
    let mut base = Options::new(4, 2, 4).with_bound("status", "ill", Fraction::of(1, 2));
    base.lateness = 1;
    let mut variants = vec![base.clone()];
    for rule in [
        Rule::Retract,
        Rule::KeepPublished {
            horizon: Horizon::All,
        },
        Rule::KeepPublished {
            horizon: Horizon::Timestamps(6),
        },
    ] {
        variants.push(Options {
            rule,
            step: 2,
            form: Form::Delta,
            ..base.clone()
        });
    }
    variants.push(Options {
        matching: Matching::Consistent,
        ..base
    });
    variants
}

#[test]
fn saving_and_loading_anywhere_changes_nothing() {
    for (which, options) in variants().into_iter().enumerate() {
        let events = town(which as u64, 900);
        let mut whole = Stream::new(options.clone()).expect("sound options");
        let mut expect = Vec::new();
        for event in &events {
            push(&mut whole, event);
            expect.extend(lines(&mut whole));
        }
        whole.finish();
        expect.extend(lines(&mut whole));
        assert!(expect.len() > 10);

        let mut draw = SplitMix64::new(99);
        let mut stream = Stream::new(options.clone()).expect("sound options");
        let mut found = Vec::new();
        for event in &events {
            push(&mut stream, event);
            if draw.below(3) == 0 {
                // Also between a window being due and being cut.
                let bytes = stream.save().expect("a state");
                stream = Stream::load(&bytes, &options).expect("the same options");
                assert_eq!(stream.save().expect("a state"), bytes);
            }
            found.extend(lines(&mut stream));
        }
        stream.finish();
        found.extend(lines(&mut stream));
        assert_eq!(found, expect, "variant {which}");
        assert_eq!(stream.counts(), whole.counts());
        assert!(stream.counts().balanced());
        assert_eq!(
            stream.save().expect("a state"),
            whole.save().expect("a state")
        );
    }
}

#[test]
fn chains_hold_and_every_window_can_be_measured_again() {
    for options in variants() {
        let mut stream = Stream::new(options.clone()).expect("sound options");
        let mut base: Option<Window> = None;
        let mut chain = Vec::new();
        let mut published = 0;
        for event in town(5, 900) {
            push(&mut stream, &event);
            while let Some(slide) = stream.poll().expect("a slide") {
                let line = slide.certificate.line().expect("a line");
                let read: Certificate = serde_json::from_str(&line).expect("a certificate");
                assert_eq!(read, slide.certificate);
                chain.push(line);
                let Some(window) = slide.window else { continue };
                published += 1;
                assert_eq!(Window::from_line(&window.line()).as_ref(), Some(&window));
                verify_window(&slide.certificate, &window.line()).expect("measured again");
                if let Some(delta) = slide.delta {
                    let delta = Delta::from_line(&delta.line()).expect("a delta");
                    let base = base.as_ref().expect("a base");
                    assert_eq!(delta.apply(base).expect("its base"), window);
                    assert!(delta.apply(&window).is_err());
                }
                base = Some(window);
            }
        }
        let walked = verify_chain(chain.iter().map(String::as_str)).expect("a whole chain");
        assert_eq!(walked.published, published);
        // A missing line, a changed line and a swapped pair are all noticed.
        let without: Vec<&str> = chain.iter().skip(1).map(String::as_str).collect();
        let gap = denym_release::Error::BrokenChain {
            line: 1,
            what: "does not follow from the line before it",
        };
        assert_eq!(verify_chain(without), Err(gap));
        let mut changed = chain.clone();
        changed[3] = changed[3].replacen("\"k\":4", "\"k\":3", 1);
        assert!(verify_chain(changed.iter().map(String::as_str)).is_err());
        let mut swapped = chain.clone();
        swapped.swap(4, 5);
        assert!(verify_chain(swapped.iter().map(String::as_str)).is_err());
        assert!(matches!(
            verify_chain(["{}"]),
            Err(denym_release::Error::BrokenChain { line: 1, .. })
        ));
    }
}

#[test]
fn a_state_of_other_options_or_other_bytes_is_refused() {
    let options = variants().remove(0);
    let mut stream = Stream::new(options.clone()).expect("sound options");
    for event in town(1, 300) {
        push(&mut stream, &event);
        lines(&mut stream);
    }
    let bytes = stream.save().expect("a state");
    let other = Options {
        k: 5,
        ..options.clone()
    };
    let error = Stream::load(&bytes, &other).expect_err("other options");
    assert_eq!(error.to_string(), "the state was saved under another k");
    assert_eq!(Stream::load(b"", &options).err(), Some(Error::NotAState));
    // No damage panics; what still loads, still runs.
    let mut draw = SplitMix64::new(3);
    for _ in 0..2000 {
        let mut damaged = bytes.clone();
        let at = draw.below(damaged.len() as u64) as usize;
        damaged[at] ^= 1 << draw.below(8);
        if draw.below(4) == 0 {
            damaged.truncate(at);
        }
        let _ = Stream::load(&damaged, &options);
    }
}

#[test]
fn a_window_that_fails_is_withheld_and_its_doublets_are_new_again() {
    // Two of three are ill at first: no suppression can help. At time 3 three healthy ones join.
    let mut options = Options::new(2, 1, 2).with_bound("status", "ill", Fraction::of(1, 2));
    options.rule = Rule::default();
    let mut stream = Stream::new(options).expect("sound options");
    let mut slides = Vec::new();
    for time in 1..=4 {
        for (person, status) in ["ill", "ill", "well", "well", "well", "well"]
            .iter()
            .enumerate()
        {
            if person < 3 || time >= 3 {
                stream.push(&Event {
                    subject: &format!("person {person}"),
                    location: "a",
                    time,
                    sensitive: &[status],
                });
                slides.extend(stream.poll().expect("a slide"));
            }
        }
    }
    stream.finish();
    slides.extend(stream.poll().expect("a slide"));
    let published: Vec<bool> = slides.iter().map(|s| s.window.is_some()).collect();
    assert_eq!(published, [false, true, true]);
    assert_eq!(slides[0].line(), None);
    // a1 slid out unpublished, a2 had its second chance and is too sure, a3 and a4 are shown.
    let window = slides[1].window.as_ref().expect("published");
    let shown: Vec<i64> = window.places.iter().map(|p| p.time).collect();
    assert_eq!((window.from, window.to, shown), (2, 3, vec![3]));
    let counts = stream.counts();
    assert_eq!((counts.published, counts.suppressed), (12, 6));
    assert_eq!((counts.withheld, counts.windows, counts.open), (1, 2, 0));
    assert!(counts.balanced());
}

#[test]
fn consistent_costs_more_and_says_how_much() {
    let mut draw = SplitMix64::new(17);
    let (mut cost, mut windows, mut withheld, mut exposed_by_covers) = (0, 0, 0, 0);
    for seed in 0..60 {
        let mut events = Vec::new();
        for time in 0..8i64 {
            for person in 0..14 {
                if draw.below(10) < 8 {
                    events.push((
                        format!("{person}"),
                        format!("{}", draw.below(3)),
                        time,
                        if person == 0 { "ill" } else { "well" }.to_owned(),
                    ));
                }
            }
        }
        for matching in [Matching::Covers, Matching::Consistent] {
            let mut options = Options::new(3, 2, 2);
            options.attributes = vec!["status".to_owned()];
            options.matching = matching;
            let mut stream = Stream::new(options).expect("sound options");
            let mut slides = Vec::new();
            for event in &events {
                push(&mut stream, event);
                slides.extend(stream.poll().expect("a slide"));
            }
            for slide in &slides {
                let Some(window) = &slide.window else {
                    withheld += 1;
                    continue;
                };
                let exposed = exposed(&events, window);
                if matching == Matching::Consistent {
                    windows += 1;
                    cost += slide.work.contradiction_events;
                    assert_eq!(exposed, 0, "seed {seed}");
                } else {
                    exposed_by_covers += exposed;
                }
            }
        }
    }
    assert!(
        cost > 0 && windows > 100 && exposed_by_covers > 0,
        "{cost} {windows} {withheld} {exposed_by_covers}"
    );
}

/// Known parts of one or two doublets of somebody's source path that leave fewer than two candidates.
fn exposed(events: &[(String, String, i64, String)], window: &Window) -> u64 {
    type Path = Vec<(i64, String)>;
    let here = |t: i64| window.from <= t && t <= window.to;
    let mut source: std::collections::BTreeMap<&str, Path> = std::collections::BTreeMap::new();
    for (subject, location, time, _) in events.iter().filter(|e| here(e.2)) {
        source
            .entry(subject)
            .or_default()
            .push((*time, location.clone()));
    }
    let published = |d: &(i64, String)| {
        let mut places = window.places.iter();
        places.any(|p| p.time == d.0 && p.location == d.1)
    };
    let released: Vec<Path> = source
        .values()
        .map(|path| path.iter().filter(|d| published(d)).cloned().collect())
        .collect();
    let fits = |row: &Path, d: &(i64, String)| {
        if published(d) {
            row.contains(d)
        } else {
            row.iter().all(|shown| shown.0 != d.0)
        }
    };
    let mut found = 0;
    for path in source.values() {
        for (at, a) in path.iter().enumerate() {
            for b in &path[at..] {
                let candidates = released.iter().filter(|row| fits(row, a) && fits(row, b));
                found += u64::from(candidates.count() < 2);
            }
        }
    }
    found
}
