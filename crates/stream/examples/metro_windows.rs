//! How fast does a window slide over a city's metro, and what would it cost to solve each window from scratch?
//!
//! One million riders of the papers' metro (or `-- N` of them), L = 4, K = 120, at most 60 % on
//! status 0, windows of seven minutes that slide by one. Every slide is compared with
//! `denym_sequences::solve` on the carried window before any time is reported. Then the hour is replayed
//! again and again under the default rule: events per second, and the memory after each hour.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "timestamps are small and not negative"
)]
#![allow(clippy::print_stdout, reason = "an example prints its figures")]

mod support;

use std::time::{Duration, Instant};

use denym_data::Fraction;
use denym_sequences::{Algorithm, Bound, Context, Matching, Request, solve};
use denym_stream::{Options, Rule, Stream};
use support::{Source, Steps, computed, drain, median, resident};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|n| n.parse().ok());
    let riders: u64 = numbers.next().unwrap_or(1_000_000);
    let hours: u64 = numbers.next().unwrap_or(4);
    let source = Source::metro(riders);
    println!("{riders} riders, {} events", source.events());
    compare_with_scratch(&source);
    sustained(&source, hours);
}

fn options(rule: Rule) -> Options {
    let mut options = Options::new(7, 4, 120);
    options.rule = rule;
    options.with_bound("status", "0", Fraction::of(3, 5))
}

/// Under the published rule a slide is a run from scratch on the carried window: same answer, less work.
fn compare_with_scratch(source: &Source) {
    let mut stream = Stream::new(options(Rule::Retract)).expect("sound options");
    let mut request = Request::new(4, 120);
    request.matching = Matching::Covers;
    request.algorithm = Algorithm::GlobalSuppression;
    request.bounds = vec![Bound::value("status", "0", Fraction::of(3, 5))];
    let mut gone: Vec<(i64, u32)> = Vec::new();
    let mut slides: Vec<Steps> = Vec::new();
    // Reading and solving, by the clock; solving, as computed by all threads.
    let mut scratch: Vec<[Duration; 3]> = Vec::new();
    source.replay(&mut stream, 0, &mut |slide, steps| {
        let certificate = &slide.certificate;
        assert_eq!(certificate.measured.violations, 0);
        assert!(slide.window.is_some(), "nothing is withheld");

        let started = Instant::now();
        let carried = source.carried(certificate.from, certificate.to, &gone);
        let read = started.elapsed();
        let (started, before) = (Instant::now(), computed());
        let solved = solve(&carried, &request, &Context::default()).expect("solvable");
        let took = started.elapsed();
        let worked = computed()
            .zip(before)
            .map_or(took, |(now, then)| now.saturating_sub(then));
        let doublets = solved
            .suppressed
            .iter()
            .map(|&id| carried.doublets()[id as usize]);
        let mut expect: Vec<(i64, u32)> =
            doublets.map(|d| (i64::from(d.time), d.location)).collect();
        expect.sort_unstable();
        let suppressed = slide.suppressed.iter();
        let mut found: Vec<(i64, u32)> = suppressed
            .map(|(l, t)| (*t, l.parse().expect("a station")))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expect, "window {}", certificate.window);
        gone.extend(found);
        slides.push(steps);
        scratch.push([read, took, worked]);
    });
    println!(
        "{} slides equal a run from scratch on the carried window",
        slides.len()
    );
    // The first window is a run from scratch itself.
    slides.remove(0);
    scratch.remove(0);
    let slide = median(slides.iter().map(|s| s.slide));
    let solved = median(scratch.iter().map(|s| s[1]));
    let worked = median(scratch.iter().map(|s| s[2]));
    let mean = slides.iter().map(|s| s.slide.as_secs_f64()).sum::<f64>() / slides.len() as f64;
    println!("median, in milliseconds");
    println!(
        "  slide: violations, suppression, forgetting  {slide:8.2}   (mean {:.2})",
        mean * 1e3
    );
    println!(
        "  build the window                            {:8.2}",
        median(slides.iter().map(|s| s.build))
    );
    println!(
        "  judge, hash, certify                        {:8.2}",
        median(slides.iter().map(|s| s.judge))
    );
    println!(
        "  all of it                                   {:8.2}",
        median(slides.iter().map(Steps::whole))
    );
    println!(
        "  from scratch: read the window               {:8.2}",
        median(scratch.iter().map(|s| s[0]))
    );
    println!("  from scratch: solve                         {solved:8.2}   (computed {worked:.2})");
    println!(
        "from scratch over slide: {:.0}x by the clock, {:.0}x as computed on all cores",
        solved / slide,
        worked / slide
    );
}

/// The stream as fast as it goes, hour after hour: events per second and the size of the state.
fn sustained(source: &Source, hours: u64) {
    let mut stream = Stream::new(options(Rule::default())).expect("sound options");
    let (started, before) = (Instant::now(), computed());
    let mut sizes = Vec::new();
    let mut cut = Duration::ZERO;
    let mut slides = Vec::new();
    for hour in 0..hours {
        source.replay(&mut stream, hour.cast_signed() * 60, &mut |slide, steps| {
            assert!(slide.window.is_some(), "nothing is withheld");
            cut += steps.whole();
            slides.push(steps);
        });
        sizes.push((resident(), stream.memory()));
    }
    stream.finish();
    drain(&mut stream, &mut |_, steps| cut += steps.whole());
    let elapsed = started.elapsed();
    let worked = computed()
        .zip(before)
        .map_or(elapsed, |(now, then)| now.saturating_sub(then));
    let counts = stream.counts();
    assert!(counts.balanced() && counts.open == 0);
    assert_eq!((counts.violations, counts.withheld), (0, 0));
    let events = counts.events as f64;
    println!(
        "default rule, {hours} hours of stream time: {} windows, {:.2} % kept, median slide {:.2} ms",
        counts.windows,
        100.0 * counts.published as f64 / events,
        median(slides.iter().map(|s| s.slide))
    );
    println!(
        "sustained: {:.0} events/s by the clock; {:.2} us of computing per event, {:.2} us by the clock without windows",
        events / elapsed.as_secs_f64(),
        worked.as_secs_f64() * 1e6 / events,
        elapsed.saturating_sub(cut).as_secs_f64() * 1e6 / events
    );
    for (hour, (resident, memory)) in sizes.iter().enumerate() {
        println!(
            "after hour {}: {resident} MB resident, {} rows, {} subjects, {} doublets",
            hour + 1,
            memory.rows,
            memory.subjects,
            memory.doublets
        );
    }
}
