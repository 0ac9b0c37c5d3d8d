//! The long form as codes: events grouped by subject, ordered by time, without a look at a single text per event.

use crate::{Column, Dictionary, Kind};

use super::{Doublet, PathsError, Sequences};

/// Events of all subjects, as codes of their columns; place and time are missing where a subject shows nothing.
pub(super) struct Events<'a> {
    pub(super) subject: &'a Column,
    pub(super) location: &'a Column,
    /// Without times an event is an item of the subject's set.
    pub(super) time: Option<&'a Column>,
    /// Whether staying at a place is more than one event.
    pub(super) keep_repeats: bool,
    /// Whether a subject may be at several places at one time, as when times are coarse.
    pub(super) several_places: bool,
}

/// Sequences with, for each record, the rows of the long form it came from.
pub(super) struct Grouped {
    pub(super) sequences: Sequences,
    /// Rows in order of record.
    rows: Vec<u32>,
    /// First of `rows` of each record, and the end.
    starts: Vec<u32>,
}

impl Events<'_> {
    /// Every event has a subject, and a place and a time or neither; an item needs its subject only.
    pub(super) fn complete(&self) -> Result<(), PathsError> {
        let missing = |column: &Column, row: usize| PathsError::Cell {
            column: column.name.clone(),
            row: row + 1,
            what: "is missing",
            help: match self.time {
                Some(_) => "an event has a subject, a place and a time; drop the row, or fill it",
                None => "every item belongs to a subject; drop the row, or fill it",
            },
        };
        let gone = |column: &Column| column.dictionary.missing();
        if let Some(code) = gone(self.subject) {
            let row = self.subject.codes.iter().position(|&other| other == code);
            if let Some(row) = row {
                return Err(missing(self.subject, row));
            }
        }
        let Some(times) = self.time else {
            return Ok(());
        };
        let (place, time) = (gone(self.location), gone(times));
        if place.is_none() && time.is_none() {
            return Ok(());
        }
        let codes = self.location.codes.iter().zip(&times.codes);
        for (row, (&location, &when)) in codes.enumerate() {
            match (Some(location) == place, Some(when) == time) {
                (true, false) => return Err(missing(self.location, row)),
                (false, true) => return Err(missing(times, row)),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Grouped {
    /// An attribute of events as one of records: all events of a subject must agree.
    pub(super) fn per_record(&self, column: &Column) -> Result<Column, PathsError> {
        for pair in self.starts.windows(2) {
            let rows = &self.rows[pair[0] as usize..pair[1] as usize];
            let code = column.codes[rows[0] as usize];
            if let Some(&row) = rows.iter().find(|&&row| column.codes[row as usize] != code) {
                return Err(PathsError::AttributeChanges {
                    row: row as usize + 1,
                    attribute: column.name.clone(),
                });
            }
        }
        Ok(self.first(column))
    }

    /// A column of events as one of records, by each record's first event.
    pub(super) fn first(&self, column: &Column) -> Column {
        let first = |pair: &[u32]| column.codes[self.rows[pair[0] as usize] as usize];
        Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: self.starts.windows(2).map(first).collect(),
        }
    }
}

/// Groups events into one sequence per subject, subjects in the order of their dictionary.
///
/// The columns hold no missing value, except that place and time may both be missing.
pub(super) fn group(events: &Events<'_>) -> Result<Grouped, PathsError> {
    let (starts, rows) = by_subject(events.subject);
    let sequences = match events.time {
        Some(time) => paths(events, time, &starts, &rows)?,
        None => items(events.location, &starts, &rows)?,
    };
    Ok(Grouped {
        sequences,
        rows,
        starts,
    })
}

/// One path per subject.
fn paths(
    events: &Events<'_>,
    time: &Column,
    starts: &[u32],
    rows: &[u32],
) -> Result<Sequences, PathsError> {
    let (locations, place_of) = ranked(&events.location.dictionary, false);
    let (times, time_of) = ranked(&time.dictionary, true);
    let doublet = |row: u32| {
        let (place, time) = (
            events.location.codes[row as usize] as usize,
            time.codes[row as usize] as usize,
        );
        // The missing value has the code after all others.
        (place < locations.len() && time < times.len()).then(|| Doublet {
            time: time_of[time],
            location: place_of[place],
        })
    };
    let ids = Ids::new(
        (0..rows.len() as u32).filter_map(doublet),
        rows.len(),
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
    let paths = Sequences::from_codes(locations, times, ids.doublets, ends, items)?;
    Ok(if events.keep_repeats {
        paths
    } else {
        paths.without_unused_doublets()
    })
}

/// One set of items per subject; a row without an item adds none.
fn items(item: &Column, starts: &[u32], rows: &[u32]) -> Result<Sequences, PathsError> {
    let texts: Vec<&str> = item.dictionary.values().collect();
    let (names, rank) = by_name(&texts);
    let mut ends = vec![0_u32];
    let mut codes = Vec::with_capacity(rows.len());
    let mut set: Vec<u32> = Vec::new();
    for pair in starts.windows(2) {
        let own = &rows[pair[0] as usize..pair[1] as usize];
        set.clear();
        // The missing value has the code after all others.
        set.extend(
            own.iter()
                .filter_map(|&row| rank.get(item.codes[row as usize] as usize)),
        );
        set.sort_unstable();
        set.dedup();
        codes.extend_from_slice(&set);
        let end = u32::try_from(codes.len());
        ends.push(end.map_err(|_| PathsError::TooMany { what: "items" })?);
    }
    Sequences::of_items(names, ends, codes)
}

/// Names in order, and the rank of each of `texts` among them.
pub(super) fn by_name(texts: &[&str]) -> (Vec<String>, Vec<u32>) {
    let mut names: Vec<&str> = texts.to_vec();
    names.sort_unstable();
    names.dedup();
    let rank = |text: &&str| names.partition_point(|name| name < text) as u32;
    let ranks = texts.iter().map(rank).collect();
    (names.iter().map(|&name| name.to_owned()).collect(), ranks)
}

/// Rows in order of subject, by counting; and where each subject begins.
fn by_subject(subject: &Column) -> (Vec<u32>, Vec<u32>) {
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
/// Whole numbers go by size, all else by text, as in [`super::PathsBuilder`]; decimal times by size too.
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

/// Cells of a table of places and times that are laid out for each event: a few bytes are cheaper than any search.
const CELLS_PER_EVENT: usize = 4;
/// Cells that are always laid out.
const LAID_OUT: usize = 1 << 16;

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
        if cells > (CELLS_PER_EVENT * events).max(LAID_OUT) {
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
    use hashbrown::HashMap;
    use proptest::prelude::*;

    use super::super::PathsBuilder;
    use super::*;

    /// The paths of events by their texts, one visit at a time, subjects in order of first appearance; also each subject's first row.
    fn by_texts(
        events: &[[String; 3]],
        keep_repeats: bool,
    ) -> Result<(Sequences, Vec<usize>), PathsError> {
        let mut builder = PathsBuilder::new();
        let mut subjects: HashMap<&str, usize> = HashMap::new();
        let mut first_row = Vec::new();
        let mut visits: Vec<Vec<usize>> = Vec::new();
        for (row, [subject, location, time]) in events.iter().enumerate() {
            builder.push([(location.as_str(), time.as_str())])?;
            let subject = *subjects.entry(subject).or_insert_with(|| {
                first_row.push(row);
                visits.push(Vec::new());
                visits.len() - 1
            });
            visits[subject].push(row);
        }
        let coded = builder.finish()?;
        let doublets = coded.doublets();
        let (mut starts, mut items) = (vec![0_u32], Vec::new());
        for subject in &visits {
            let mut path: Vec<(u32, usize)> = subject
                .iter()
                .map(|&row| (coded.record(row)[0], row))
                .collect();
            path.sort_unstable();
            path.dedup_by_key(|(id, _)| *id);
            for two in path.windows(2) {
                if doublets[two[0].0 as usize].time == doublets[two[1].0 as usize].time {
                    let row = two[0].1.max(two[1].1);
                    return Err(PathsError::TwoPlaces { row });
                }
            }
            let mut here = None;
            for &(id, _) in &path {
                let location = doublets[id as usize].location;
                if keep_repeats || here != Some(location) {
                    items.push(id);
                }
                here = Some(location);
            }
            starts.push(items.len() as u32);
        }
        let paths = Sequences::from_codes(
            coded.locations().to_vec(),
            coded.times().to_vec(),
            doublets.to_vec(),
            starts,
            items,
        )?;
        Ok((paths.without_unused_doublets(), first_row))
    }

    fn columns(rows: &[[String; 3]]) -> [Column; 3] {
        let column = |name, at: usize| {
            Column::from_texts(name, rows.iter().map(|row| Some(row[at].as_str())))
        };
        [
            column("subject", 0),
            column("location", 1),
            column("time", 2),
        ]
    }

    fn grouped(rows: &[[String; 3]], keep_repeats: bool) -> Result<Grouped, PathsError> {
        let [subject, location, time] = columns(rows);
        group(&Events {
            subject: &subject,
            location: &location,
            time: Some(&time),
            keep_repeats,
            several_places: false,
        })
    }

    fn texts(rows: &[(&str, &str, &str)]) -> Vec<[String; 3]> {
        rows.iter()
            .map(|&(subject, location, time)| [subject, location, time].map(str::to_owned))
            .collect()
    }

    proptest! {
        /// The same paths as the plain reader of events, which looks at every text.
        #[test]
        fn agrees_with_the_reader_of_texts(
            rows in prop::collection::vec((0_u8..6, 0_u8..4, 0_u8..12), 1..40),
            keep_repeats: bool,
        ) {
            let rows: Vec<[String; 3]> =
                rows.iter().map(|(s, l, t)| [s, l, t].map(ToString::to_string)).collect();
            match (grouped(&rows, keep_repeats), by_texts(&rows, keep_repeats)) {
                (Ok(ours), Ok((theirs, first))) => {
                    prop_assert_eq!(ours.sequences.len(), theirs.len());
                    for (record, &row) in first.iter().enumerate() {
                        let own = ours.starts.windows(2).position(|pair| {
                            ours.rows[pair[0] as usize..pair[1] as usize].contains(&(row as u32))
                        });
                        prop_assert_eq!(ours.sequences.cell(own.unwrap()), theirs.cell(record));
                    }
                    let labels = |paths: &Sequences| -> Vec<String> {
                        (0..paths.doublets().len() as u32).map(|id| paths.label(id)).collect()
                    };
                    prop_assert_eq!(labels(&ours.sequences), labels(&theirs));
                }
                (Err(PathsError::TwoPlaces { .. }), Err(PathsError::TwoPlaces { .. })) => {}
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours.err(), theirs.err()),
            }
        }
    }

    #[test]
    fn staying_collapses_to_the_entry_time() {
        // Al-Hussaeni 2009, section 3.1: b4 and b6 go, b8 stays.
        let rows = texts(&[
            ("x", "b", "8"),
            ("x", "a", "1"),
            ("x", "b", "3"),
            ("y", "a", "1"),
            ("x", "b", "4"),
            ("x", "b", "6"),
            ("x", "c", "7"),
        ]);
        let paths = grouped(&rows, false).expect("paths").sequences;
        assert_eq!(paths.cell(0), "a1>b3>c7>b8");
        assert_eq!(paths.cell(1), "a1");
        assert_eq!(paths.id_of("b", "4"), None);
        let kept = grouped(&rows, true).expect("paths").sequences;
        assert_eq!(kept.cell(0), "a1>b3>b4>b6>c7>b8");
    }

    #[test]
    fn two_places_at_one_time_name_the_row() {
        let rows = texts(&[("x", "a", "1"), ("y", "a", "1"), ("x", "secret", "1")]);
        let error = grouped(&rows, false).err().expect("two places");
        assert_eq!(error, PathsError::TwoPlaces { row: 2 });
        assert!(!format!("{error} {}", error.help()).contains("secret"));
    }

    /// A table of places and times with more cells than are laid out for so few events is searched, to the same paths.
    #[test]
    fn a_large_sparse_table_of_cells_is_searched() {
        // 300 places times 300 times: 90,000 cells for 600 events, where 65,536 are laid out.
        let at = |subject: usize, place: usize, time: usize| {
            [subject, place, time].map(|number| number.to_string())
        };
        let mut rows: Vec<[String; 3]> = (0..300).map(|n| at(n, n, n)).collect();
        rows.extend((0..300).map(|n| at(n, 299 - n, (n + 7) % 300)));
        let found = grouped(&rows, true).expect("paths").sequences;
        let cells = found.locations().len() * found.times().len();
        assert!(cells > LAID_OUT && cells > CELLS_PER_EVENT * rows.len());
        let ids = Ids::new(
            found.doublets().iter().copied(),
            rows.len(),
            found.locations().len(),
            found.times().len(),
        );
        assert!(ids.direct.is_none());
        for (id, doublet) in (0..).zip(found.doublets()) {
            assert_eq!(ids.id(*doublet), id);
        }
        let (plain, first) = by_texts(&rows, true).expect("paths");
        assert_eq!(found.doublets().len(), plain.doublets().len());
        let names = &columns(&rows)[0].dictionary;
        for (record, row) in first.into_iter().enumerate() {
            let own = names.code_of(&rows[row][0]).expect("a subject") as usize;
            assert_eq!(found.cell(own), plain.cell(record));
        }
    }

    #[test]
    fn items_of_a_subject_are_a_set_and_stand_by_name() {
        let subject = Column::from_texts("subject", ["b", "a", "b", "b", "c"].map(Some));
        let item = Column::from_texts("item", [Some("10"), Some("9"), Some("9"), Some("10"), None]);
        let events = Events {
            subject: &subject,
            location: &item,
            time: None,
            keep_repeats: false,
            several_places: false,
        };
        events.complete().expect("every item has a subject");
        let sets = group(&events).expect("sets").sequences;
        assert_eq!(sets.locations(), ["10", "9"]);
        let records: Vec<&[u32]> = sets.records().collect();
        assert_eq!(records, [&[1_u32][..], &[0, 1], &[]]);
        assert!(sets.has_no_times());
    }
}
