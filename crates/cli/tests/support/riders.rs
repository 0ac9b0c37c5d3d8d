//! Events of riders on a ring of stations, for tests of streams.

use std::fmt::Write as _;

/// Riders on a ring of stations, a few of them on ways of their own; CSV in time order.
pub(crate) fn events(riders: usize, hours: usize) -> String {
    let mut text = String::from("subject,location,time\n");
    for (rider, place, hour) in sightings(riders, hours) {
        let _ = writeln!(text, "r{rider},s{place},{hour}");
    }
    text
}

/// The same events, a JSON object per line.
pub(crate) fn json_events(riders: usize, hours: usize) -> String {
    let mut text = String::new();
    for (rider, place, hour) in sightings(riders, hours) {
        let _ = writeln!(
            text,
            "{{\"subject\":\"r{rider}\",\"location\":\"s{place}\",\"time\":{hour}}}"
        );
    }
    text
}

/// Rider, station, hour.
fn sightings(riders: usize, hours: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..hours).flat_map(move |hour| {
        (0..riders).map(move |rider| {
            let alone = rider % 97 == 0;
            let place = if alone {
                (rider * 7 + hour * 3) % 40
            } else {
                (rider % 6 + hour) % 8
            };
            (rider, place, hour)
        })
    })
}

/// A policy for them; `source` is a line of `[data]`.
pub(crate) fn policy(source: &str) -> String {
    format!(
        "[data]\nkind = \"stream\"\n{source}\n[window]\nsize = 4\n[adversary]\nknows = {{ doublets = 2 }}\n[promise]\nk-anonymity = 5\n"
    )
}
