//! Event time: lateness, gaps, duplicates, clocks, hostile events; and every event counted once.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]

use denym_stream::{Error, Event, Options, Rejection, Stream, Verdict};

fn at(stream: &mut Stream, subject: &str, location: &str, time: i64) -> Verdict {
    stream.push(&Event {
        subject,
        location,
        time,
        sensitive: &[],
    })
}

/// Windows that come out now, as (number, from, to).
fn windows(stream: &mut Stream) -> Vec<(u64, i64, i64)> {
    let mut all = Vec::new();
    while let Some(slide) = stream.poll().expect("a slide") {
        let c = slide.certificate;
        all.push((c.window, c.from, c.to));
    }
    all
}

fn stream(window: u32, change: impl FnOnce(&mut Options)) -> Stream {
    let mut options = Options::new(window, 1, 1);
    change(&mut options);
    Stream::new(options).expect("sound options")
}

#[test]
fn late_events_are_diverted_whether_or_not_the_window_was_asked_for() {
    for poll in [false, true] {
        let mut stream = stream(2, |o| o.lateness = 1);
        for (time, verdict) in [
            (1, Verdict::Accepted),
            (2, Verdict::Accepted),
            (3, Verdict::Accepted),
            (2, Verdict::Accepted), // one later than the latest: allowed
            (4, Verdict::Accepted), // completes 1..2
            (2, Verdict::Late),
            (1, Verdict::Late),
            (3, Verdict::Accepted),
        ] {
            assert_eq!(at(&mut stream, &format!("s{time}"), "a", time), verdict);
            if poll {
                windows(&mut stream);
            }
        }
        stream.finish();
        windows(&mut stream);
        let counts = stream.counts();
        assert_eq!((counts.late, counts.duplicates), (2, 2));
        assert_eq!((counts.events, counts.published), (8, 4));
        assert!(counts.balanced());
        assert_eq!(counts.open, 0);
    }
}

#[test]
fn the_first_of_two_events_at_one_time_counts() {
    let mut stream = stream(1, |_| ());
    at(&mut stream, "s", "a", 1);
    at(&mut stream, "s", "b", 1);
    at(&mut stream, "s", "a", 1);
    stream.finish();
    let slide = stream.poll().expect("a slide").expect("a window");
    let window = slide.window.expect("published");
    assert_eq!(window.places.len(), 1);
    assert_eq!(window.places[0].location, "a");
    assert_eq!(stream.counts().duplicates, 2);
}

#[test]
fn a_gap_is_passed_over_and_numbers_show_it() {
    let mut stream = stream(3, |_| ());
    at(&mut stream, "s", "a", 10);
    at(&mut stream, "s", "a", 1_000_000);
    // 10..12, then what is left of time 10 slides out; time 1,000,000 may still get events.
    assert_eq!(windows(&mut stream), [(1, 10, 12)]);
    stream.finish();
    assert_eq!(windows(&mut stream), [(999_989, 999_998, 1_000_000)]);
    assert!(stream.counts().balanced());
}

#[test]
fn windows_lie_on_the_grid_that_was_asked_for() {
    let mut stream = stream(4, |o| {
        o.step = 2;
        o.origin = Some(0);
    });
    for time in [5, 6, 7, 8, 9, 10] {
        at(&mut stream, "s", "a", time);
    }
    assert_eq!(windows(&mut stream), [(1, 4, 7), (2, 6, 9)]);
    stream.finish();
    assert_eq!(windows(&mut stream), [(3, 8, 11)]);
}

#[test]
fn idle_time_closes_windows_and_the_clock_never_goes_back() {
    let mut stream = stream(2, |o| o.lateness = 5);
    at(&mut stream, "s", "a", 1);
    at(&mut stream, "s", "a", 2);
    assert!(windows(&mut stream).is_empty());
    stream.advance(2).expect("forward");
    assert_eq!(windows(&mut stream), [(1, 1, 2)]);
    assert_eq!(at(&mut stream, "t", "a", 2), Verdict::Late);
    stream.advance(2).expect("the same time again");
    let error = stream.advance(1).expect_err("backwards");
    assert_eq!(error, Error::ClockWentBack { from: 2, to: 1 });
    assert_eq!(error.code(), "stream-clock-went-back");
}

#[test]
fn hostile_events_are_rejected_and_counted() {
    let mut stream = stream(2, |o| {
        o.ahead = Some(100);
        o.attributes = vec!["status".to_owned()];
    });
    let long = "x".repeat(2000);
    let cases = [
        ("", "a", 1, Rejection::Empty),
        ("s", "", 1, Rejection::Empty),
        ("s", long.as_str(), 1, Rejection::TooLong),
        (long.as_str(), "a", 1, Rejection::TooLong),
        ("s", "a", i64::MAX, Rejection::Time),
        ("s", "a", i64::MIN, Rejection::Time),
    ];
    for (subject, location, time, reason) in cases {
        assert_eq!(
            at(&mut stream, subject, location, time),
            Verdict::Rejected(reason)
        );
    }
    assert_eq!(at(&mut stream, "s", "a", 1), Verdict::Accepted);
    assert_eq!(
        at(&mut stream, "s", "a", 102),
        Verdict::Rejected(Rejection::TooFarAhead)
    );
    let two = Event {
        subject: "s",
        location: "a",
        time: 2,
        sensitive: &["x", "y"],
    };
    assert_eq!(
        stream.push(&two),
        Verdict::Rejected(Rejection::SensitiveCount)
    );
    assert_eq!(stream.reject(), Verdict::Rejected(Rejection::Malformed));
    stream.finish();
    windows(&mut stream);
    let counts = stream.counts();
    assert_eq!(
        (counts.events, counts.rejected, counts.published),
        (10, 9, 1)
    );
    assert!(counts.balanced());
}

#[test]
fn impossible_options_are_refused() {
    let refused = |change: fn(&mut Options)| {
        let mut options = Options::new(3, 2, 2);
        change(&mut options);
        let error = Stream::new(options).expect_err("refused");
        assert!(!error.help().is_empty());
        error.code()
    };
    assert_eq!(refused(|o| o.window = 0), "stream-not-positive");
    assert_eq!(refused(|o| o.k = 0), "stream-not-positive");
    assert_eq!(refused(|o| o.step = 4), "stream-step-too-long");
    assert_eq!(refused(|o| o.l = 4), "stream-knowledge-too-long");
    let horizon = |o: &mut Options| {
        o.rule = denym_stream::Rule::KeepPublished {
            horizon: denym_stream::Horizon::Timestamps(2),
        };
    };
    assert_eq!(refused(horizon), "stream-horizon-too-short");
}

#[test]
fn memory_follows_the_window_not_the_stream() {
    let mut stream = stream(3, |o| o.k = 2);
    // Largest state in each thousand timestamps: who left is forgotten now and then.
    let mut sizes = [0; 3];
    for time in 0..3000i64 {
        for person in 0..4 {
            // Everybody is new every other timestamp, and so are most places.
            let subject = format!("{}-{person}", time / 2);
            at(
                &mut stream,
                &subject,
                &format!("p{}", time / 2 * 4 + person / 2),
                time,
            );
        }
        windows(&mut stream);
        let largest = &mut sizes[time as usize / 1000];
        *largest = stream.save().expect("a state").len().max(*largest);
        assert!(stream.subjects() <= 2 * 16 + 64, "{}", stream.subjects());
    }
    assert!(sizes[2] < sizes[0] + sizes[0] / 4, "{sizes:?}");
}
