//! A real week of a city's travel cards: 3.3 million events in time order, with and without restarts.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]

use std::io::{BufRead, BufReader, Read};

use denym_data::Fraction;
use denym_data::SplitMix64;
use denym_stream::{Counts, Event, Options, Stream, Verdict, verify_chain};

/// (trip, place, hour, product if the row has one) of every row.
fn week() -> Option<Vec<(String, String, i64, Option<String>)>> {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let mut bytes: Box<dyn Read> = Box::new(std::io::empty());
    for part in 'a'..='i' {
        let name = format!("data/paths/oyster/subwaytestfullweek.csv.a{part}.gz");
        let file = std::fs::File::open(denym_testkit::shared::path(&name)?).expect("readable");
        bytes = Box::new(bytes.chain(file));
    }
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(bytes)).lines();
    let events = lines.map(|line| {
        let line = line.expect("text");
        let cells: Vec<&str> = line.split(',').collect();
        let day = DAYS.iter().position(|day| *day == cells[0]).expect("a day");
        let hour: i64 = cells[1][..2].parse().expect("an hour");
        let bus = cells[2] == "BUSTRIP";
        let place = if bus { cells[9] } else { cells[5] };
        let product = cells.get(10).map(|product| (*product).to_owned());
        (
            cells[3].to_owned(),
            place.to_owned(),
            day as i64 * 24 + hour,
            product,
        )
    });
    Some(events.collect())
}

/// Windows of three hours; nobody is to be one of fewer than five, nor known to be disabled with more than half.
fn options() -> Options {
    let mut options =
        Options::new(3, 2, 5).with_bound("product", "Freedom Pass (Disabled)", Fraction::of(1, 2));
    // The hours after midnight belong to the day before: up to 28, while the next day starts at 4.
    options.lateness = 1;
    options
}

/// Runs the week; at each of `restarts` the stream is saved, dropped and loaded.
fn run(
    events: &[(String, String, i64, Option<String>)],
    restarts: &[usize],
) -> (Vec<String>, Vec<String>, Counts) {
    let options = options();
    let mut stream = Stream::new(options.clone()).expect("sound options");
    let (mut windows, mut chain) = (Vec::new(), Vec::new());
    let mut take = |stream: &mut Stream| {
        while let Some(slide) = stream.poll().expect("a slide") {
            assert_eq!(slide.certificate.measured.violations, 0);
            windows.push(slide.certificate.content.clone());
            chain.push(slide.certificate.line().expect("a line"));
        }
    };
    for (at, (subject, location, time, product)) in events.iter().enumerate() {
        if restarts.binary_search(&at).is_ok() {
            let bytes = stream.save().expect("a state");
            stream = Stream::load(&bytes, &options).expect("the same options");
        }
        let product: Vec<&str> = product.iter().map(String::as_str).collect();
        let verdict = stream.push(&Event {
            subject,
            location,
            time: *time,
            sensitive: &product,
        });
        assert!(!matches!(verdict, Verdict::Rejected(_)));
        take(&mut stream);
    }
    stream.finish();
    take(&mut stream);
    (windows, chain, stream.counts())
}

#[test]
fn a_real_week_with_and_without_restarts() {
    let Some(events) = week() else { return };
    assert_eq!(events.len(), 3_298_730);
    let (windows, chain, counts) = run(&events, &[]);
    assert_eq!(counts.events, 3_298_730);
    assert!(counts.balanced());
    assert_eq!((counts.open, counts.withheld, counts.rejected), (0, 0, 0));
    assert_eq!(counts.violations, 0);
    let walked = verify_chain(chain.iter().map(String::as_str)).expect("a whole chain");
    assert_eq!(walked.published, counts.windows);
    // A journey that begins and ends within one hour is one sighting: its end is the duplicate.
    let fates = (counts.published, counts.suppressed, counts.duplicates);
    assert_eq!(fates, (1_924_960, 939_720, 434_050));
    assert_eq!((counts.late, counts.windows), (0, 167));

    let mut draw = SplitMix64::new(7);
    let all = events.len() as u64;
    let mut restarts: Vec<usize> = (0..20).map(|_| draw.below(all) as usize).collect();
    restarts.sort_unstable();
    let (again, chain_again, counts_again) = run(&events, &restarts);
    assert_eq!(again, windows);
    assert_eq!(chain_again, chain);
    assert_eq!(counts_again, counts);
}
