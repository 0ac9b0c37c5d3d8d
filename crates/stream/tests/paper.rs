//! The worked examples of the ITSA paper: Tables 1 and 2, Examples 1.1, 3.1 and 4.1 to 4.4.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]

mod support;

use denym_data::Fraction;
use denym_measure::promises::{Confidence, KAnonymity};
use denym_measure::sequences::Doublets;
use denym_stream::{Asked, Event, Options, Rule, Slide, Stream, Window};
use support::contents;

/// Table 1.
const TABLE_1: [(&str, &[&str], &str); 8] = [
    ("1", &["b2", "c3", "d4"], "s1"),
    ("2", &["a1", "f2", "c3", "d4"], "s2"),
    ("3", &["b2", "c3", "d4"], "s3"),
    ("4", &["a1", "f2", "c3"], "s4"),
    ("5", &["b2", "c3"], "s5"),
    ("6", &["c3"], "s2"),
    ("7", &["f2", "d4"], "s3"),
    ("8", &["c3", "e4"], "s1"),
];

/// L = 2 (or more), K = 2, C = 40 % on s1, windows of three timestamps.
fn options(l: usize, rule: Rule) -> Options {
    let mut options = Options::new(3, l, 2).with_bound("sen_att", "s1", Fraction::of(40, 100));
    options.rule = rule;
    options
}

fn slides(options: Options) -> (Vec<Slide>, Stream) {
    let mut events: Vec<(i64, &str, &str, &str)> = Vec::new();
    for (id, path, sensitive) in TABLE_1 {
        for doublet in path {
            let (location, time) = doublet.split_at(1);
            events.push((time.parse().expect("a time"), id, location, sensitive));
        }
    }
    events.sort_unstable();
    let mut stream = Stream::new(options).expect("sound options");
    let mut slides = Vec::new();
    for (time, subject, location, sensitive) in events {
        stream.push(&Event {
            subject,
            location,
            time,
            sensitive: &[sensitive],
        });
        slides.extend(stream.poll().expect("a slide"));
    }
    stream.finish();
    slides.extend(stream.poll().expect("a slide"));
    assert!(stream.poll().expect("no further window").is_none());
    (slides, stream)
}

/// Rows as `c3>d4 s1`, sorted, a row per subject.
fn rows(window: &Window) -> Vec<String> {
    let mut rows = Vec::new();
    for ((path, sensitive), count) in contents(window) {
        let path: Vec<String> = path.iter().map(|(t, l)| format!("{l}{t}")).collect();
        for _ in 0..count {
            rows.push(format!("{} {}", path.join(">"), sensitive[0]));
        }
    }
    rows.sort();
    rows
}

#[test]
fn table_1_becomes_table_2() {
    let (slides, stream) = slides(options(2, Rule::Retract));
    assert_eq!(slides.len(), 2);
    // Example 3.1: windows 1..3 and 2..4; a1 is outdated in the second one.
    let spans: Vec<(i64, i64)> = slides
        .iter()
        .map(|s| (s.certificate.from, s.certificate.to))
        .collect();
    assert_eq!(spans, [(1, 3), (2, 4)]);
    assert!(slides[0].suppressed.is_empty());
    let mut suppressed = slides[1].suppressed.clone();
    suppressed.sort();
    assert_eq!(suppressed, [("b".to_owned(), 2), ("e".to_owned(), 4)]);
    let window = slides[1].window.as_ref().expect("published");
    assert_eq!(
        rows(window),
        [
            "c3 s1",
            "c3 s2",
            "c3 s5",
            "c3>d4 s1",
            "c3>d4 s3",
            "f2>c3 s4",
            "f2>c3>d4 s2",
            "f2>d4 s3"
        ]
    );
    // b2 was out already: three events published and taken back.
    let counts = stream.counts();
    assert_eq!(
        (counts.events, counts.published, counts.suppressed),
        (20, 19, 1)
    );
    assert_eq!((counts.retracted, counts.violations), (3, 0));
}

#[test]
fn the_default_rule_keeps_b2_and_gives_up_d4() {
    let (slides, _) = slides(options(2, Rule::default()));
    let mut suppressed = slides[1].suppressed.clone();
    suppressed.sort();
    assert_eq!(suppressed, [("d".to_owned(), 4), ("e".to_owned(), 4)]);
}

/// The raw window 2..4: nothing is broken at K = 1 and without bounds.
fn raw_window() -> Window {
    let (slides, _) = slides(Options {
        attributes: vec!["sen_att".to_owned()],
        ..Options::new(3, 3, 1)
    });
    slides[1].window.clone().expect("published")
}

/// |G(q)| and the carriers of s1 in it.
fn group(window: &Window, q: &[(i64, &str)]) -> (u64, u64) {
    let mut found = (0, 0);
    for ((path, sensitive), count) in contents(window) {
        if q.iter().all(|(t, l)| path.contains(&(*t, (*l).to_owned()))) {
            found.0 += count;
            found.1 += if sensitive[0] == "s1" { count } else { 0 };
        }
    }
    found
}

#[test]
fn raw_windows_of_table_1_and_the_outdated_and_new_of_example_3_1() {
    let (slides, _) = slides(Options {
        attributes: vec!["sen_att".to_owned()],
        ..Options::new(3, 3, 1)
    });
    let mut seen = Vec::new();
    for (slide, (from, to)) in slides.iter().zip([(1, 3), (2, 4)]) {
        let window = slide.window.as_ref().expect("published");
        // Table 1 between the lines of the window, cell by cell.
        let mut expect: Vec<String> = TABLE_1
            .iter()
            .map(|(_, path, sensitive)| {
                let time = |doublet: &&str| doublet[1..].parse().expect("a time");
                let here = path.iter().filter(|d| (from..=to).contains(&time(d)));
                let here: Vec<&str> = here.copied().collect();
                format!("{} {sensitive}", here.join(">"))
            })
            .collect();
        expect.sort();
        assert_eq!(rows(window), expect);
        let shown = window.records.iter().flat_map(|record| {
            let places = record.path.iter().map(|&at| &window.places[at as usize]);
            places.map(|p| (format!("{}{}", p.location, p.time), record.count))
        });
        let mut by_doublet = std::collections::BTreeMap::new();
        for (doublet, count) in shown {
            *by_doublet.entry(doublet).or_insert(0) += count;
        }
        seen.push(by_doublet);
    }
    // O = {(2,a,1), (4,a,1)}; E = {(1,d,4), (2,d,4), (3,d,4), (7,d,4), (8,e,4)}.
    let only = |a: usize, b: usize| -> Vec<(String, u64)> {
        let gone = seen[a].iter().filter(|(d, _)| !seen[b].contains_key(*d));
        gone.map(|(d, count)| (d.clone(), *count)).collect()
    };
    assert_eq!(only(0, 1), [("a1".to_owned(), 2)]);
    assert_eq!(only(1, 0), [("d4".to_owned(), 4), ("e4".to_owned(), 1)]);
}

#[test]
fn groups_of_examples_1_1_and_4_1_to_4_4() {
    let raw = raw_window();
    let (b2, c3, d4, e4) = ((2, "b"), (3, "c"), (4, "d"), (4, "e"));
    let f2 = (2, "f");
    // Example 1.1: identity linkage by e4, attribute linkage by b2 d4.
    assert_eq!(group(&raw, &[e4]), (1, 1));
    assert_eq!(group(&raw, &[b2, d4]), (2, 1));
    // Example 4.2: the candidates with d4, b2 d4 aside, and the one of three.
    assert_eq!(group(&raw, &[c3, d4]), (3, 1));
    assert_eq!(group(&raw, &[f2, d4]), (2, 0));
    assert_eq!(group(&raw, &[f2, c3, d4]), (1, 0));
    // Examples 4.1, 4.3 and 4.4: the leaf b2 c3 d4 of the trie counts two, one of them s1; c3 d4 adds up to 2 + 1.
    assert_eq!(group(&raw, &[b2, c3]), (3, 1));
    assert_eq!(group(&raw, &[b2, c3, d4]), (2, 1));
    assert_eq!(group(&raw, &[c3, d4]), (3, 1));
}

#[test]
fn critical_violations_of_example_4_2() {
    // At L = 2: e4 alone (phase 1) and b2 d4 (phase 2). At L = 3 the only candidate is f2 c3 d4, since
    // b2 c3 d4 holds b2 d4; one record has it.
    for (l, violations) in [(2, 2), (3, 3)] {
        let (slides, _) = slides(options(l, Rule::Retract));
        assert_eq!(slides[1].work.violations, violations, "L = {l}");
    }
    // The judge agrees on the raw window, and says that b2 c3 d4 is a violation, though not a critical one.
    let raw = raw_window()
        .to_paths(&Asked::new(&options(3, Rule::Retract)))
        .expect("paths");
    let s1 = raw.sensitive()[0].code("s1").unwrap();
    let bounded = Confidence::of_values(0, [(s1, Fraction::of(2, 5))]);
    let promises: [Box<dyn denym_measure::Promise>; 2] =
        [Box::new(KAnonymity { k: 2 }), Box::new(bounded)];
    let audit = Doublets::covering(3).judge(&raw, &promises);
    assert_eq!(audit.critical_violations_by_length, [1, 1, 1]);
    assert_eq!(audit.violations_by_length, [1, 2, 2]);
}

#[test]
fn old_old_new_sequences_are_found() {
    // The smallest case in which the published join lets a violation out.
    let mut options = Options::new(3, 3, 2);
    options.rule = Rule::Retract;
    let mut stream = Stream::new(options).expect("sound options");
    let sightings = [
        ("0", "z", 1),
        ("9", "z", 1),
        ("1", "a", 2),
        ("2", "a", 2),
        ("3", "a", 2),
        ("1", "b", 3),
        ("2", "b", 3),
        ("4", "b", 3),
        ("1", "c", 4),
        ("3", "c", 4),
        ("4", "c", 4),
    ];
    let mut slides = Vec::new();
    for (subject, location, time) in sightings {
        stream.push(&Event {
            subject,
            location,
            time,
            sensitive: &[],
        });
        slides.extend(stream.poll().expect("a slide"));
    }
    stream.finish();
    slides.extend(stream.poll().expect("a slide"));
    assert_eq!(slides[1].work.violations, 1);
    assert_eq!(slides[1].suppressed, [("a".to_owned(), 2)]);
}
