//! Reading shared data and turning tiny tables into both the fast and the slow form.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::Read;

use denym_data::Fraction;
use denym_data::Matching;
use denym_data::paths::{Attribute, Doublet, Paths, PathsBuilder};
use denym_measure::sequences::{BesideSource, Doublets, Removal, SequenceAudit};
use denym_sequences::generate::SplitMix64;
use denym_sequences::{Bound, Ladder, Request};
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
        let path = pages
            .iter()
            .take(24)
            .zip(1..)
            .map(|(page, at)| (*page, numbers[at].as_str()));
        builder.push(path).unwrap();
    }
    Some(builder.finish().unwrap())
}

/// Oyster rail journeys: (station, hour) of entry and exit, with the product as sensitive attribute.
///
/// Entry and exit may fall in one hour, so the records are put together as codes. Ties of
/// the greedy choice follow the station codes, and the reference does not say how it numbers them: of
/// six orders tried, that of the first event gives its 7,927 / 1,411,142 (by name: 7,928 / 1,411,141).
pub(crate) fn oyster() -> Option<Paths> {
    let mut text = Vec::new();
    for part in 'a'..='i' {
        let name = format!("data/paths/oyster/subwaytestfullweek.csv.a{part}.gz");
        let file = std::fs::File::open(denym_testkit::shared::path(&name)?).unwrap();
        flate2::read::MultiGzDecoder::new(file)
            .read_to_end(&mut text)
            .unwrap();
    }
    let text = String::from_utf8_lossy(&text);
    let mut open = std::collections::HashMap::new();
    let mut journeys = Vec::new();
    let mut stations: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[2] != "BUSTRIP" {
            let next = stations.len() as u32;
            stations.entry(cells[5]).or_insert(next);
        }
        match cells[2] {
            "BEGINTRIP" => {
                open.insert(cells[3], (cells[5], &cells[1][..2]));
            }
            "ENDTRIP" => {
                if let Some(entry) = open.remove(cells[3]) {
                    journeys.push((entry, (cells[5], &cells[1][..2]), cells[cells.len() - 1]));
                }
            }
            _ => {}
        }
    }
    let mut locations = vec![String::new(); stations.len()];
    for (name, &code) in &stations {
        (*name).clone_into(&mut locations[code as usize]);
    }
    let hours: Vec<u32> = journeys
        .iter()
        .flat_map(|(a, b, _)| [a.1, b.1])
        .map(|hour| hour.parse().unwrap())
        .collect();
    let first = *hours.iter().min().unwrap();
    let times = (first..=*hours.iter().max().unwrap())
        .map(|h| format!("{h:02}"))
        .collect();
    let pair = |(location, time): (&str, &str)| Doublet {
        time: time.parse::<u32>().unwrap() - first,
        location: stations[location],
    };
    let pairs: Vec<[Doublet; 2]> = journeys
        .iter()
        .map(|(a, b, _)| [pair(*a), pair(*b)])
        .collect();
    let mut doublets: Vec<Doublet> = pairs.iter().flatten().copied().collect();
    doublets.sort_unstable();
    doublets.dedup();
    let (mut starts, mut items) = (vec![0], Vec::new());
    for two in &pairs {
        let mut record: Vec<u32> = two
            .iter()
            .map(|d| doublets.binary_search(d).unwrap() as u32)
            .collect();
        record.sort_unstable();
        record.dedup();
        items.extend(record);
        starts.push(items.len() as u32);
    }
    let products = Attribute::from_labels("product", journeys.iter().map(|(_, _, p)| *p));
    let paths = Paths::from_codes(locations, times, doublets, starts, items).unwrap();
    Some(paths.with_sensitive(products).unwrap())
}

/// Squares of 2, 4 and 8 km by the stations' map coordinates, then two hours as one.
///
/// A station without coordinates keeps its name up to the last square.
pub(crate) fn oyster_ladder(paths: &Paths) -> Option<Ladder> {
    let file = denym_testkit::shared::path("data/paths/oyster/londonStations.csv")?;
    let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
    let mut at: std::collections::HashMap<&str, (u32, u32)> = std::collections::HashMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if let (Ok(x), Ok(y)) = (cells[1].parse(), cells[2].parse()) {
            at.insert(cells[0], (x, y));
        }
    }
    let places: Vec<Vec<String>> = [2000, 4000, 8000]
        .iter()
        .map(|side| {
            let square = |name: &String| match at.get(name.as_str()) {
                Some((x, y)) => format!("{side}:{}.{}", x / side, y / side),
                None => name.clone(),
            };
            paths.locations().iter().map(square).collect()
        })
        .collect();
    Some(Ladder::climbing(
        paths,
        &places,
        &[Ladder::wider_slots(paths, 2)],
    ))
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
        .with_sensitive(Attribute::from_labels(
            "status",
            statuses.iter().map(String::as_str),
        ))
        .unwrap();
    let classes: Vec<u32> = (0..n).map(|_| if quasi { r.below(2) } else { 0 }).collect();
    if quasi {
        let labels: Vec<String> = classes.iter().map(ToString::to_string).collect();
        paths = paths
            .with_quasi(Attribute::from_labels(
                "sex",
                labels.iter().map(String::as_str),
            ))
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
            Fraction::of(bound.0, bound.1),
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
pub(crate) fn released_rows(
    recoding: &denym_sequences::PathRecoding,
    records: usize,
) -> Vec<Vec<u32>> {
    (0..records)
        .map(|r| recoding.published(r).to_vec())
        .collect()
}

/// What the judge finds in what a table shows.
pub(crate) fn shown(table: &Paths, request: &Request) -> SequenceAudit {
    let knowledge = Doublets {
        l: request.l,
        matching: Matching::Covers,
        places: request.places(),
    };
    knowledge.judge(table, &request.all_promises(table, &[]).unwrap())
}

/// What the judge finds who knows the source.
pub(crate) fn beside(
    source: &Paths,
    released: &Paths,
    removal: Removal,
    request: &Request,
) -> SequenceAudit {
    let knowledge = Doublets {
        l: request.l,
        matching: Matching::Consistent,
        places: request.places(),
    };
    let data = BesideSource::labelled_alike(source, released, removal).unwrap();
    knowledge.judge_beside(&data, &request.all_promises(source, &[]).unwrap())
}
