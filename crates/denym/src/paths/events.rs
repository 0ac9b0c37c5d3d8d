//! The long form as codes: events grouped by subject, ordered by time, without a look at a single text per event.

use denym_data::paths::{Doublet, Paths, PathsError};
use denym_data::{Column, Dictionary, Kind};

/// Events of all subjects, as codes of three columns; `None` where a subject shows nothing.
pub(super) struct Events<'a> {
    pub(super) subject: &'a Column,
    pub(super) location: &'a Column,
    pub(super) time: &'a Column,
    /// Whether staying at a place is more than one event.
    pub(super) keep_repeats: bool,
    /// Whether a subject may be at several places at one time, as when times are coarse.
    pub(super) several_places: bool,
}

/// Paths with, for each record, the rows of the long form it came from.
pub(super) struct Grouped {
    pub(super) paths: Paths,
    /// Rows in order of record.
    pub(super) rows: Vec<u32>,
    /// First of `rows` of each record, and the end.
    pub(super) starts: Vec<u32>,
}

/// Groups events into one path per subject, subjects in the order of their dictionary.
///
/// The columns hold no missing value, except that place and time may both be missing.
pub(super) fn group(events: &Events<'_>) -> Result<Grouped, PathsError> {
    let (starts, rows) = by_subject(events.subject);
    let (locations, place_of) = ranked(&events.location.dictionary, false);
    let (times, time_of) = ranked(&events.time.dictionary, true);
    let doublet = |row: u32| {
        let (place, time) = (
            events.location.codes[row as usize] as usize,
            events.time.codes[row as usize] as usize,
        );
        // The missing value has the code after all others.
        (place < locations.len() && time < times.len()).then(|| Doublet {
            time: time_of[time],
            location: place_of[place],
        })
    };
    let ids = Ids::new(
        (0..events.subject.codes.len() as u32).filter_map(doublet),
        events.subject.codes.len(),
        locations.len(),
        times.len(),
    );
    let mut ends = Vec::with_capacity(starts.len());
    ends.push(0_u32);
    let mut items = Vec::with_capacity(rows.len());
    let mut path: Vec<(u32, u32)> = Vec::new();
    for pair in starts.windows(2) {
        path.clear();
        for &row in &rows[pair[0] as usize..pair[1] as usize] {
            path.extend(doublet(row).map(|doublet| (ids.id(doublet), row)));
        }
        path.sort_unstable();
        path.dedup_by_key(|(id, _)| *id);
        let mut here: Option<Doublet> = None;
        let mut last_row = 0;
        for &(id, row) in &path {
            let now = ids.doublets[id as usize];
            if let Some(before) = here {
                if before.time == now.time && !events.several_places {
                    return Err(PathsError::TwoPlaces {
                        row: last_row.max(row) as usize,
                    });
                }
                if before.location == now.location && !events.keep_repeats {
                    here = Some(now);
                    last_row = row;
                    continue;
                }
            }
            items.push(id);
            here = Some(now);
            last_row = row;
        }
        let end = u32::try_from(items.len()).map_err(|_| PathsError::TooMany {
            what: "doublets in the records",
        })?;
        ends.push(end);
    }
    let mut paths = Paths::from_codes(locations, times, ids.doublets, ends, items)?;
    if !events.keep_repeats {
        paths = paths.without_unused_doublets();
    }
    Ok(Grouped {
        paths,
        rows,
        starts,
    })
}

/// Rows in order of subject, by counting; and where each subject begins.
pub(crate) fn by_subject(subject: &Column) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; subject.dictionary.len() + 1];
    for &code in &subject.codes {
        starts[code as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; subject.codes.len()];
    for (row, &code) in subject.codes.iter().enumerate() {
        rows[next[code as usize] as usize] = row as u32;
        next[code as usize] += 1;
    }
    // A subject that the dictionary knows but no row has (after rows were dropped) is none.
    starts.dedup();
    (starts, rows)
}

/// The labels of a dictionary in the order that paths use, and the place of each code in it.
///
/// Whole numbers go by size, all else by text, as in [`denym_data::paths::PathsBuilder`]; decimal times by size too.
fn ranked(dictionary: &Dictionary, decimals: bool) -> (Vec<String>, Vec<u32>) {
    let texts: Vec<&str> = dictionary.values().collect();
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| text.parse().ok()).collect();
    let natural = decimals && dictionary.kind() == Kind::Decimal;
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    if let Some(numbers) = numbers {
        order.sort_by_key(|&code| (numbers[code as usize], texts[code as usize]));
    } else if !natural {
        order.sort_by_key(|&code| texts[code as usize]);
    }
    let mut rank = vec![0; texts.len()];
    for (place, &code) in order.iter().enumerate() {
        rank[code as usize] = place as u32;
    }
    let labels = order
        .iter()
        .map(|&code| texts[code as usize].to_owned())
        .collect();
    (labels, rank)
}

/// Ids of the doublets that occur, by time, then location.
struct Ids {
    doublets: Vec<Doublet>,
    /// Id by time and location where that table is small; else the doublets are searched.
    direct: Option<(usize, Vec<u32>)>,
}

impl Ids {
    fn new(
        found: impl Iterator<Item = Doublet>,
        events: usize,
        locations: usize,
        times: usize,
    ) -> Ids {
        let cells = locations.saturating_mul(times);
        // A table of a few bytes per event is cheaper than any search.
        if cells > (4 * events).max(1 << 16) {
            let mut doublets: Vec<Doublet> = found.collect();
            doublets.sort_unstable();
            doublets.dedup();
            return Ids {
                doublets,
                direct: None,
            };
        }
        let mut ids = vec![u32::MAX; cells];
        for doublet in found {
            ids[doublet.time as usize * locations + doublet.location as usize] = 0;
        }
        let mut doublets = Vec::new();
        for (cell, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == 0) {
            *id = doublets.len() as u32;
            doublets.push(Doublet {
                time: (cell / locations) as u32,
                location: (cell % locations) as u32,
            });
        }
        Ids {
            doublets,
            direct: Some((locations, ids)),
        }
    }

    fn id(&self, doublet: Doublet) -> u32 {
        match &self.direct {
            Some((locations, ids)) => {
                ids[doublet.time as usize * locations + doublet.location as usize]
            }
            None => self.doublets.partition_point(|known| *known < doublet) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use denym_data::paths::{Event, Repeats};
    use proptest::prelude::*;

    use super::*;

    fn columns(rows: &[(u8, u8, u8)]) -> [Column; 3] {
        let text = |of: fn(&(u8, u8, u8)) -> u8| -> Vec<String> {
            rows.iter().map(|row| of(row).to_string()).collect()
        };
        let column = |name, texts: Vec<String>| {
            Column::from_texts(name, texts.iter().map(|text| Some(text.as_str())))
        };
        [
            column("subject", text(|row| row.0)),
            column("location", text(|row| row.1)),
            column("time", text(|row| row.2)),
        ]
    }

    proptest! {
        /// The same paths as the plain reader of events, which looks at every text.
        #[test]
        fn agrees_with_the_reader_of_texts(
            rows in prop::collection::vec((0_u8..6, 0_u8..4, 0_u8..12), 1..40),
            keep_repeats: bool,
        ) {
            let [subject, location, time] = columns(&rows);
            let ours = group(&Events { subject: &subject, location: &location, time: &time, keep_repeats, several_places: false });
            let texts: Vec<[String; 3]> =
                rows.iter().map(|(s, l, t)| [s.to_string(), l.to_string(), t.to_string()]).collect();
            let events = texts.iter().map(|[subject, location, time]| Event { subject, location, time });
            let repeats = if keep_repeats { Repeats::Keep } else { Repeats::Collapse };
            match (ours, Paths::from_events(events, repeats)) {
                (Ok(ours), Ok((theirs, first))) => {
                    prop_assert_eq!(ours.paths.len(), theirs.len());
                    for (record, &row) in first.iter().enumerate() {
                        let own = ours.starts.windows(2).position(|pair| {
                            ours.rows[pair[0] as usize..pair[1] as usize].contains(&(row as u32))
                        });
                        prop_assert_eq!(ours.paths.cell(own.unwrap()), theirs.cell(record));
                    }
                    let labels = |paths: &Paths| -> Vec<String> {
                        (0..paths.doublets().len() as u32).map(|id| paths.label(id)).collect()
                    };
                    prop_assert_eq!(labels(&ours.paths), labels(&theirs));
                }
                (Err(PathsError::TwoPlaces { .. }), Err(PathsError::TwoPlaces { .. })) => {}
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours.err(), theirs.err()),
            }
        }
    }

    #[test]
    fn a_large_sparse_table_of_cells_is_searched() {
        let rows: Vec<(u8, u8, u8)> = (0..250).map(|n| (n, n, n)).collect();
        let [subject, location, time] = columns(&rows);
        let found = group(&Events {
            subject: &subject,
            location: &location,
            time: &time,
            keep_repeats: false,
            several_places: false,
        });
        let ids = Ids::new(
            [Doublet {
                time: 70_000,
                location: 9,
            }]
            .into_iter(),
            1,
            10,
            70_001,
        );
        assert!(ids.direct.is_none());
        assert_eq!(
            ids.id(Doublet {
                time: 70_000,
                location: 9
            }),
            0
        );
        assert_eq!(found.map(|found| found.paths.doublets().len()), Ok(250));
    }
}
