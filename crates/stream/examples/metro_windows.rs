//! How fast does a window slide over a city's metro, and what would it cost to solve each window from scratch?
//!
//! One million riders of the papers' metro (or `-- N` of them), L = 4, K = 120, at most 60 % on
//! status 0, windows of seven minutes that slide by one. Every slide is compared with
//! `denym_paths::solve` on the carried window before any time is reported.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]
#![allow(clippy::print_stdout, reason = "an example prints its figures")]

use std::time::{Duration, Instant};

use denym_data::paths::{Attribute, Doublet, Fraction, Paths};
use denym_paths::generate::{Row, metro};
use denym_paths::{Algorithm, Bound, Context, Matching, Request, solve};
use denym_stream::{Event, Options, Phase, Rule, Stream};

const WINDOW: u32 = 7;

fn main() {
    let riders = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let riders: u64 = riders.unwrap_or(1_000_000);
    let rows: Vec<Row> = metro(1, riders).collect();
    // Events in time order, as (time, rider, station).
    let mut events: Vec<(u32, u32, u32)> = Vec::new();
    for (rider, row) in rows.iter().enumerate() {
        events.extend(row.path.iter().map(|&(l, t)| (t, rider as u32, l)));
    }
    events.sort_unstable();
    println!("{riders} riders, {} events", events.len());
    compare_with_scratch(&rows, &events);
    sustained(&rows, &events, 4);
}

fn options(rule: Rule) -> Options {
    let mut options = Options::new(WINDOW, 4, 120);
    options.rule = rule;
    options.with_bound("status", "0", Fraction::new(3, 5))
}

/// Labels made once: the reader of a real source has them as text already.
struct Labels {
    riders: Vec<String>,
    stations: Vec<String>,
    statuses: Vec<String>,
}

impl Labels {
    fn new(rows: &[Row]) -> Self {
        let label = |n: usize| (0..n).map(|code| code.to_string()).collect();
        Self {
            riders: label(rows.len()),
            stations: label(100),
            statuses: label(5),
        }
    }
}

/// Under the published rule a slide is a run from scratch on the carried window: same answer, less work.
fn compare_with_scratch(rows: &[Row], events: &[(u32, u32, u32)]) {
    let labels = Labels::new(rows);
    let mut stream = Stream::new(options(Rule::Retract)).expect("sound options");
    let mut request = Request::new(4, 120);
    request.matching = Matching::Covers;
    request.algorithm = Algorithm::GlobalSuppression;
    request.bounds = vec![Bound::value("status", "0", Fraction::new(3, 5))];
    let mut gone: Vec<(i64, u32)> = Vec::new();
    let mut figures: Vec<[Duration; 7]> = Vec::new();
    let mut compared = 0;
    for minute in events.chunk_by(|a, b| a.0 == b.0) {
        // The first event of a minute completes the minute before.
        push(&mut stream, &labels, rows, &minute[..1]);
        let mut marks = vec![Instant::now()];
        let slide = stream.poll_with(&mut |_: Phase| marks.push(Instant::now()));
        push(&mut stream, &labels, rows, &minute[1..]);
        let Some(slide) = slide.expect("a slide") else {
            continue;
        };
        let certificate = &slide.certificate;
        assert_eq!(certificate.measured.violations, 0);
        assert!(slide.window.is_some(), "nothing is withheld");

        let started = Instant::now();
        let carried = carried(rows, certificate.from, certificate.to, &gone);
        let built = Instant::now();
        let scratch = solve(&carried, &request, &Context::default()).expect("solvable");
        let solved = Instant::now();
        let mut expect: Vec<(i64, u32)> = scratch
            .suppressed
            .iter()
            .map(|&id| {
                let doublet = carried.doublets()[id as usize];
                (i64::from(doublet.time), doublet.location)
            })
            .collect();
        expect.sort_unstable();
        let suppressed = slide.suppressed.iter();
        let mut found: Vec<(i64, u32)> = suppressed
            .map(|(l, t)| (*t, l.parse().expect("a station")))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expect, "window {}", certificate.window);
        gone.extend(found);
        compared += 1;
        figures.push([
            marks[1] - marks[0],
            marks[2] - marks[1],
            marks[3] - marks[2],
            marks[5] - marks[3],
            marks[6] - marks[5],
            built - started,
            solved - built,
        ]);
    }
    println!("{compared} slides equal a run from scratch on the carried window");
    // The first window is a run from scratch itself.
    figures.remove(0);
    let median = |of: &dyn Fn(&[Duration; 7]) -> Duration| {
        let mut all: Vec<Duration> = figures.iter().map(of).collect();
        all.sort_unstable();
        all[all.len() / 2].as_secs_f64() * 1e3
    };
    let steps = [
        "take in events that were ahead of their window",
        "violations with a new doublet, suppression",
        "build the window",
        "judge it, hash, certify",
        "forget the outdated",
        "from scratch: read the window",
        "from scratch: solve",
    ];
    println!("median of each step, in milliseconds");
    for (at, step) in steps.iter().enumerate() {
        println!("  {step:48}{:8.2}", median(&|f| f[at]));
    }
    let slide = median(&|f| f[0] + f[1] + f[4]);
    let whole = median(&|f| f[..5].iter().sum());
    println!("slide {slide:.2} ms; with building, judge and certificate {whole:.2} ms");
    println!(
        "from scratch over slide: solving alone {:.1}x, with reading the window {:.1}x",
        median(&|f| f[6]) / slide,
        median(&|f| f[5] + f[6]) / slide
    );
}

/// The stream as fast as it goes, hour after hour: events per second and the size of the state.
fn sustained(rows: &[Row], events: &[(u32, u32, u32)], hours: u32) {
    let labels = Labels::new(rows);
    let mut stream = Stream::new(options(Rule::default())).expect("sound options");
    let started = Instant::now();
    let mut sizes = Vec::new();
    for hour in 0..hours {
        let shift = i64::from(hour) * 60;
        for minute in events.chunk_by(|a, b| a.0 == b.0) {
            push_shifted(&mut stream, &labels, rows, &minute[..1], shift);
            while let Some(slide) = stream.poll().expect("a slide") {
                assert!(slide.window.is_some(), "nothing is withheld");
            }
            push_shifted(&mut stream, &labels, rows, &minute[1..], shift);
        }
        sizes.push((resident(), stream.save().expect("a state").len() >> 20));
    }
    stream.finish();
    while stream.poll().expect("a slide").is_some() {}
    let seconds = started.elapsed().as_secs_f64();
    let counts = stream.counts();
    assert!(counts.balanced() && counts.open == 0);
    assert_eq!((counts.violations, counts.withheld), (0, 0));
    println!(
        "sustained: {:.0} events/s over {hours} hours of stream time, {} windows, {:.2} % kept",
        counts.events as f64 / seconds,
        counts.windows,
        100.0 * counts.published as f64 / counts.events as f64
    );
    println!("after each hour, (resident, state) in MB: {sizes:?}");
}

fn push(stream: &mut Stream, labels: &Labels, rows: &[Row], events: &[(u32, u32, u32)]) {
    push_shifted(stream, labels, rows, events, 0);
}

fn push_shifted(
    stream: &mut Stream,
    labels: &Labels,
    rows: &[Row],
    events: &[(u32, u32, u32)],
    shift: i64,
) {
    for &(time, rider, station) in events {
        stream.push(&Event {
            subject: &labels.riders[rider as usize],
            location: &labels.stations[station as usize],
            time: i64::from(time) + shift,
            sensitive: &[&labels.statuses[rows[rider as usize].status as usize]],
        });
    }
}

/// The carried window as a table: what a run from scratch has to read.
fn carried(rows: &[Row], from: i64, to: i64, gone: &[(i64, u32)]) -> Paths {
    let mut is_gone = vec![false; 128 * 128];
    for &(time, location) in gone {
        is_gone[time as usize * 128 + location as usize] = true;
    }
    let (mut pairs, mut starts, mut codes) = (Vec::new(), vec![0u32], Vec::new());
    for row in rows {
        let here = |&&(_, t): &&(u32, u32)| from <= i64::from(t) && i64::from(t) <= to;
        let mut present = false;
        for &(l, t) in row.path.iter().filter(here) {
            present = true;
            if !is_gone[t as usize * 128 + l as usize] {
                pairs.push((l, t));
            }
        }
        if present {
            starts.push(pairs.len() as u32);
            codes.push(row.status);
        }
    }
    let mut id = vec![u32::MAX; 128 * 128];
    for &(l, t) in &pairs {
        id[t as usize * 128 + l as usize] = 0;
    }
    let mut doublets = Vec::new();
    for at in 0..id.len() as u32 {
        if id[at as usize] == 0 {
            id[at as usize] = doublets.len() as u32;
            doublets.push(Doublet {
                time: at / 128,
                location: at % 128,
            });
        }
    }
    let items = pairs
        .iter()
        .map(|&(l, t)| id[t as usize * 128 + l as usize]);
    let label = |n: u32| (0..n).map(|code| code.to_string()).collect::<Vec<_>>();
    let status = Attribute {
        name: "status".to_owned(),
        values: label(5),
        codes,
    };
    Paths::from_codes(label(128), label(128), doublets, starts, items.collect())
        .and_then(|paths| paths.with_sensitive(status))
        .expect("sound codes")
}

/// Resident memory in MB, where the system tells it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) >> 10
}
