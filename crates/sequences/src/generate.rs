//! The papers' synthetic path tables, equal to the reference generators byte for byte.
//!
//! | name | function | what it is |
//! |---|---|---|
//! | `subway` | [`subway`] | 26 stations, 24 hours, six routes; calibrated to Al-Hussaeni's 3-10 % distortion |
//! | `subway-uniform` | [`subway_uniform`] | the same shape with uniform stations: 98 % distortion |
//! | `scalability` | [`scalability`] | 64 routes, lengths 1..6: Al-Hussaeni's million-record tables |
//! | `metro` | [`metro`] | 65 stations of a city network, minutes of an hour |

mod metro;
mod scalability;
mod split_mix;
mod subway;

pub use metro::metro;
pub use scalability::scalability;
pub use split_mix::SplitMix64;
pub use subway::{subway, subway_uniform};

use denym_data::paths::{Attribute, Doublet, Paths, PathsError};

/// One generated record: (location, time) pairs in time order and the code of the sensitive value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// (location, time) pairs.
    pub path: Vec<(u32, u32)>,
    /// Code of the sensitive value, 0..5.
    pub status: u32,
}

impl Row {
    /// The serial form of the reference: `l@t l@t<TAB>s` and a line feed.
    pub fn write_serial(&self, out: &mut String) {
        use std::fmt::Write;
        for (index, (location, time)) in self.path.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(out, "{separator}{location}@{time}");
        }
        let _ = writeln!(out, "\t{}", self.status);
    }
}

/// Codes generated rows as paths with the sensitive attribute `status` (values `0`..`4`).
pub fn to_paths(rows: impl IntoIterator<Item = Row>) -> Result<Paths, PathsError> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut ends = vec![0u32];
    let mut codes = Vec::new();
    let (mut locations, mut times) = (0, 0);
    for row in rows {
        for (location, time) in row.path {
            locations = locations.max(location + 1);
            times = times.max(time + 1);
            pairs.push((location, time));
        }
        let end = u32::try_from(pairs.len()).map_err(|_| PathsError::TooMany {
            what: "doublets in the records",
        })?;
        ends.push(end);
        codes.push(row.status);
    }
    let mut id = vec![u32::MAX; locations as usize * times as usize];
    for &(location, time) in &pairs {
        id[(time * locations + location) as usize] = 0;
    }
    let mut doublets = Vec::new();
    for time in 0..times {
        for location in 0..locations {
            let slot = &mut id[(time * locations + location) as usize];
            if *slot == 0 {
                *slot = doublets.len() as u32;
                doublets.push(Doublet { time, location });
            }
        }
    }
    let items = pairs
        .iter()
        .map(|&(location, time)| id[(time * locations + location) as usize])
        .collect();
    let label = |count: u32| (0..count).map(|code| code.to_string()).collect();
    Paths::from_codes(label(locations), label(times), doublets, ends, items)?.with_sensitive(
        Attribute {
            name: "status".to_owned(),
            values: label(5),
            codes,
        },
    )
}

/// Drops a pair whose location equals the previous kept pair's location (Al-Hussaeni 2009, section 3.1).
fn collapse(path: &mut Vec<(u32, u32)>) {
    path.dedup_by_key(|(location, _)| *location);
}
