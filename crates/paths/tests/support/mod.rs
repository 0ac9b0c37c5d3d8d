//! Reading shared data and turning tiny tables into both the fast and the slow form.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::Read;

use denym_data::paths::{Attribute, Fraction, Paths, PathsBuilder};
use denym_paths::generate::SplitMix64;
use denym_paths::{Bound, Request};
use denym_testkit::paths::{Promise, Table};

/// Bytes of the first member of a zip file.
pub(crate) fn unzip(bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
    assert_eq!(&bytes[..4], b"PK\x03\x04");
    let data = 30 + word(26) + word(28);
    let mut out = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[data..])
        .read_to_end(&mut out)
        .unwrap();
    out
}

/// MSNBC as paths: repeats collapsed, time = position, the first 24 positions.
pub(crate) fn msnbc() -> Option<Paths> {
    let path = denym_testkit::shared::path("data/paths/msnbc990928.zip")?;
    let text = String::from_utf8(unzip(&std::fs::read(path).unwrap())).unwrap();
    let numbers: Vec<String> = (0..100).map(|n: u32| n.to_string()).collect();
    let mut builder = PathsBuilder::new();
    for line in text.lines().skip(7) {
        let mut pages: Vec<&str> = line.split_whitespace().collect();
        pages.dedup();
        let path = pages.iter().take(24).zip(1..).map(|(page, at)| (*page, numbers[at].as_str()));
        builder.push(path).unwrap();
    }
    Some(builder.finish().unwrap())
}

/// Oyster rail journeys: (station, hour) of entry and exit, with the product as sensitive attribute.
pub(crate) fn oyster() -> Option<Paths> {
    let mut text = String::new();
    for part in 'a'..='i' {
        let name = format!("data/paths/oyster/subwaytestfullweek.csv.a{part}.gz");
        let file = std::fs::File::open(denym_testkit::shared::path(&name)?).unwrap();
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    }
    // Entries wait for their exit by trip number; hours run 04..28.
    let mut open: std::collections::HashMap<(&str, &str), (&str, &str)> =
        std::collections::HashMap::new();
    let mut builder = PathsBuilder::new();
    let mut products = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() < 6 {
            continue;
        }
        let (trip, station, minute) = ((cells[0], cells[3]), cells[5], cells[1]);
        match cells[2] {
            "BEGINTRIP" => {
                open.insert(trip, (station, minute));
            }
            "ENDTRIP" => {
                if let Some((from, start)) = open.remove(&trip) {
                    let (enter, leave) = (&start[..2], &minute[..2]);
                    let (enter, leave) = (enter.trim_start_matches('0'), leave.trim_start_matches('0'));
                    let _ = (from, enter, leave);
                    products.push((from, enter, station, leave, cells.last().copied().unwrap_or("")));
                }
            }
            _ => {}
        }
    }
    let mut labels = Vec::new();
    for (from, enter, to, leave, product) in products {
        let _ = (from, enter, to, leave);
        builder.push([(from, enter), (to, leave)]).unwrap();
        labels.push(product);
    }
    let paths = builder.finish().ok()?;
    Some(paths.with_sensitive(Attribute::from_labels("product", labels)).unwrap())
}

/// A random tiny table with its two forms.
pub(crate) struct Case {
    pub(crate) paths: Paths,
    pub(crate) table: Table,
    pub(crate) request: Request,
    pub(crate) promise: Promise,
}

/// Draws a tiny table; `quasi` adds a quasi-identifier, `places` bounds a place.
pub(crate) fn draw(seed: u64, quasi: bool) -> Case {
    let mut r = SplitMix64::new(seed);
    let n = 4 + r.below(10) as usize;
    let (locations, times) = (2 + r.below(3), 2 + r.below(4));
    let fill = 1 + r.below(3);
    let mut builder = PathsBuilder::new();
    let names = ["a", "b", "c", "d", "e"];
    let hours = ["1", "2", "3", "4", "5", "6"];
    for _ in 0..n {
        let mut path = Vec::new();
        for hour in hours.iter().take(times as usize) {
            if r.below(4) < fill {
                path.push((names[r.below(locations) as usize], *hour));
            }
        }
        builder.push(path).unwrap();
    }
    let mut paths = builder.finish().unwrap();
    let statuses: Vec<String> = (0..n).map(|_| format!("s{}", r.below(4))).collect();
    paths = paths
        .with_sensitive(Attribute::from_labels("status", statuses.iter().map(String::as_str)))
        .unwrap();
    let classes: Vec<u32> = (0..n).map(|_| if quasi { r.below(2) } else { 0 }).collect();
    if quasi {
        let labels: Vec<String> = classes.iter().map(ToString::to_string).collect();
        paths = paths
            .with_quasi(Attribute::from_labels("sex", labels.iter().map(String::as_str)))
            .unwrap();
    }
    let (l, k) = (1 + r.below(4) as usize, 1 + u64::from(r.below(4)));
    let mut request = Request::new(l, k);
    let mut secrets = Vec::new();
    let mut at_most = Vec::new();
    for value in 0..r.below(3) {
        let bound = (1 + u64::from(r.below(4)), 5);
        request.bounds.push(Bound::value(
            "status",
            &format!("s{value}"),
            Fraction::new(bound.0, bound.1),
        ));
        secrets.push(statuses.iter().map(|s| *s == format!("s{value}")).collect());
        at_most.push(bound);
    }
    let table = Table {
        rows: paths.records().map(<[u32]>::to_vec).collect(),
        time_of: paths.doublets().iter().map(|d| d.time).collect(),
        secrets,
        class: classes,
    };
    Case {
        paths,
        table,
        request,
        promise: Promise { l, k, at_most },
    }
}

/// The released rows in the item codes of the source, empty for dropped records.
pub(crate) fn released_rows(recoding: &denym_paths::PathRecoding, records: usize) -> Vec<Vec<u32>> {
    (0..records).map(|r| recoding.published(r).to_vec()).collect()
}
