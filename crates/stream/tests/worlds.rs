//! The worlds test on streams: the marks of both rules are what running them backwards measures.
//!
//! The adversary knows up to two doublets of one subject within the horizon, keeps every window and every certificate, and can tell which
//! record of one window continues which record of the window before. Every stream of a few subjects over a small vocabulary is a
//! possible source, so every doublet that may have been suppressed is tried for everybody.
#![allow(
    clippy::print_stdout,
    reason = "rates for whoever asks with --nocapture"
)]

use denym_data::{Fraction, Standing, Verdict};
use denym_stream::{Event, Matching, Options, Rule, Slide, Stream, rule_entry};
use denym_testkit::worlds::{Belief, Release, Tally, backwards, every_multiset};

const K: u64 = 2;
const SUBJECTS: [&str; 4] = ["1", "2", "3", "4"];
const PLACES: [&str; 2] = ["a", "b"];

/// What may be in a source: so many subjects, and at each timestamp one of so many places or nowhere.
#[derive(Clone, Copy)]
struct Vocabulary {
    subjects: usize,
    places: u32,
    times: u32,
}

/// Two timestamps make a window, so there are two windows with one timestamp in both; and one window with two places.
const VOCABULARIES: [Vocabulary; 2] = [
    Vocabulary {
        subjects: 4,
        places: 1,
        times: 3,
    },
    Vocabulary {
        subjects: 3,
        places: 2,
        times: 3,
    },
];

impl Vocabulary {
    fn paths(self) -> u32 {
        (self.places + 1).pow(self.times)
    }

    /// Where somebody of this kind is, as (place, time).
    fn doublets(self, kind: u32) -> Vec<(u32, i64)> {
        let mut path = kind % self.paths();
        let mut doublets = Vec::new();
        for time in 0..self.times {
            let at = path % (self.places + 1);
            path /= self.places + 1;
            if at > 0 {
                doublets.push((at - 1, i64::from(time)));
            }
        }
        doublets
    }

    fn is_ill(self, kind: u32) -> u32 {
        kind / self.paths()
    }
}

fn options(rule: Rule, matching: Matching, bounded: bool) -> Options {
    let mut options = Options::new(2, 2, K);
    options.rule = rule;
    options.matching = matching;
    options.origin = Some(0);
    if bounded {
        let half = Fraction::new(1, 2).expect("a fraction");
        options = options.with_bound("ill", "1", half);
    }
    options
}

/// Every window of a source.
fn run(words: Vocabulary, options: &Options, kinds: &[u32]) -> Vec<Slide> {
    let mut stream = Stream::new(options.clone()).expect("the options are sound");
    let mut slides = Vec::new();
    for time in 0..i64::from(words.times) {
        for (subject, &kind) in SUBJECTS.iter().zip(kinds) {
            let here = words.doublets(kind).into_iter().find(|d| d.1 == time);
            let ill = ["0", "1"][words.is_ill(kind) as usize];
            if let Some((place, time)) = here {
                stream.push(&Event {
                    subject,
                    location: PLACES[place as usize],
                    time,
                    sensitive: if options.bounds.is_empty() {
                        &[]
                    } else {
                        std::slice::from_ref(&ill)
                    },
                });
            }
        }
    }
    stream.finish();
    while let Some(slide) = stream.poll().expect("a small stream") {
        slides.push(slide);
    }
    slides
}

/// A record as it goes through the windows: in which it is, and what it shows there; and its value.
type Row = (Vec<Option<Vec<(u32, i64)>>>, u32);

/// What somebody of this kind shows in the windows: suppression takes a doublet from everybody.
fn row(words: Vocabulary, slides: &[Slide], kind: u32) -> Option<Row> {
    let own = words.doublets(kind);
    let shown: Vec<Option<Vec<(u32, i64)>>> = slides
        .iter()
        .map(|slide| {
            let window = slide.window.as_ref()?;
            // A window of too few shows nobody.
            if window.records.is_empty() {
                return None;
            }
            let within = own
                .iter()
                .filter(|doublet| window.from <= doublet.1 && doublet.1 <= window.to);
            let here: Vec<(u32, i64)> = within.copied().collect();
            if here.is_empty() {
                return None;
            }
            let published = |(place, time): &(u32, i64)| {
                let mut places = window.places.iter();
                places.any(|p| p.time == *time && p.location == PLACES[*place as usize])
            };
            Some(here.into_iter().filter(published).collect())
        })
        .collect();
    let any = shown.iter().any(Option::is_some);
    any.then(|| (shown, words.is_ill(kind)))
}

/// Whether no link is likelier than one in k, and the bounded value not likelier than one in two.
fn keeps<W>(belief: &Belief<'_, W>, bounded: bool) -> bool {
    let all: f64 = belief.values.values().sum();
    let share = belief.values.get(&1).copied().unwrap_or(0.0) / all;
    belief.link <= 1.0 / K as f64 + 1e-6 && (!bounded || share <= 0.5 + 1e-6)
}

fn measured(words: Vocabulary, rule: Rule, matching: Matching, bounded: bool) -> Tally {
    let options = options(rule, matching, bounded);
    let values = if bounded { 2 } else { 1 };
    let worlds = every_multiset(words.subjects, words.paths() * values);
    let found = backwards(&worlds, |kinds: &Vec<u32>, _| {
        let slides = run(words, &options, kinds);
        let lines = slides.iter().map(|slide| {
            let certificate = slide.certificate.line().expect("a certificate");
            (slide.line(), certificate)
        });
        Some(Release {
            shown: kinds
                .iter()
                .map(|&kind| row(words, &slides, kind))
                .collect(),
            beside: lines.collect::<Vec<_>>(),
        })
    });
    let mut tally = Tally::default();
    for known in 1..words.paths() {
        let known = words.doublets(known);
        let span = known[known.len() - 1].1 - known[0].1;
        // Two doublets at most, and within the horizon.
        if known.len() > 2 || span >= 2 {
            continue;
        }
        let fits = |kinds: &Vec<u32>, record: usize| {
            let own = words.doublets(kinds[record]);
            known.iter().all(|doublet| own.contains(doublet))
        };
        let beliefs = found.victim(fits, |kinds, record| words.is_ill(kinds[record]));
        tally.add(&beliefs, |belief| keeps(belief, bounded));
    }
    println!(
        "{rule:?}, {matching:?}, {} subjects, {} places, bounded: {bounded}: {} sources, {:.4} beyond, surest {:.3}, closest {:.3}",
        words.subjects,
        words.places,
        worlds.len(),
        tally.rate(),
        tally.surest,
        tally.closest
    );
    tally
}

fn check(rule: Rule) {
    let standing = |bounded| {
        let matchings = [Matching::Covers, Matching::Consistent];
        let tallies = VOCABULARIES
            .iter()
            .flat_map(|&words| matchings.map(|matching| measured(words, rule, matching, bounded)));
        let worst = tallies
            .map(|tally| tally.per_mille())
            .max()
            .unwrap_or_default();
        if worst == 0 {
            Standing::Holds
        } else {
            Standing::Exceeded { per_mille: worst }
        }
    };
    let measured = Verdict {
        sizes: standing(false),
        values: standing(true),
    };
    assert_eq!(
        rule_entry(rule).verdict,
        measured,
        "the mark of the rule and what was measured"
    );
}

#[test]
fn windows_that_keep_what_was_published_are_marked_as_measured() {
    check(Rule::default());
}

#[test]
fn windows_that_take_back_are_marked_as_measured() {
    check(Rule::Retract);
}
