//! What the windows of a stream show in the end, as a table: a record for each person at each place.
//!
//! Windows overlap, and each replaces the one before it: a timestamp counts as the last published window shows it, so that the table can
//! stand beside the events it was made of.

use std::collections::BTreeMap;

use denym_data::{Column, Table};

use super::window::Window;

/// Most sightings that become a table: lines hold counts, so a short one may speak of more people than memory has room for.
const MOST: u64 = 1 << 26;

/// The sightings that stand after the windows so far.
#[derive(Debug, Clone, Default)]
pub struct Sightings {
    attributes: Option<Vec<String>>,
    /// By time: how many people were at a place, by their sensitive values.
    shown: BTreeMap<i64, BTreeMap<(String, Vec<String>), u64>>,
}

impl Sightings {
    /// Takes the next window, which replaces what stood in its time.
    pub fn take(&mut self, window: &Window) -> Result<(), &'static str> {
        let attributes = self
            .attributes
            .get_or_insert_with(|| window.attributes.clone());
        if *attributes != window.attributes {
            return Err("the windows have other columns than the first");
        }
        // Time only goes on: nothing behind the beginning of this window stands but what it shows.
        self.shown.split_off(&window.from);
        for record in &window.records {
            let profile = &window.profiles[record.profile as usize];
            for &place in &record.path {
                let place = &window.places[place as usize];
                let there = self.shown.entry(place.time).or_default();
                let content = (place.location.clone(), profile.clone());
                *there.entry(content).or_default() += record.count;
            }
        }
        Ok(())
    }

    /// A record for each: `location`, `time`, and the sensitive values.
    pub fn table(&self) -> Result<Table, &'static str> {
        let all = || {
            let times = self.shown.iter();
            times.flat_map(|(time, there)| {
                there.iter().map(move |(what, &count)| (time, what, count))
            })
        };
        let count = all().try_fold(0_u64, |sum, (.., count)| sum.checked_add(count));
        if count.is_none_or(|count| count > MOST) {
            return Err("the windows show more sightings than a table is made of");
        }
        let times: Vec<(String, u64)> = all()
            .map(|(time, _, count)| (time.to_string(), count))
            .collect();
        let mut columns = vec![
            column(
                "location",
                all().map(|(_, what, count)| (what.0.as_str(), count)),
            ),
            column(
                "time",
                times.iter().map(|(time, count)| (time.as_str(), *count)),
            ),
        ];
        for (at, name) in self.attributes.iter().flatten().enumerate() {
            let values = all().map(|(_, what, count)| (what.1[at].as_str(), count));
            columns.push(column(name, values));
        }
        Table::new(columns).map_err(|_| "a sensitive attribute is called `location` or `time`")
    }
}

/// A column of texts, each so many times; what an event does not say has the empty text.
fn column<'a>(name: &str, texts: impl Iterator<Item = (&'a str, u64)>) -> Column {
    let (texts, counts): (Vec<&str>, Vec<u64>) = texts.unzip();
    let texts = texts
        .into_iter()
        .map(|text| Some(text).filter(|text| !text.is_empty()));
    let runs = Column::from_texts(name, texts);
    let runs_of = runs.codes.iter().zip(counts);
    let codes = runs_of.flat_map(|(&code, count)| std::iter::repeat_n(code, count as usize));
    Column {
        codes: codes.collect(),
        ..runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a table, record by record.
    fn rows(sightings: &Sightings) -> Vec<String> {
        let table = sightings.table().expect("a table");
        let row = |row| {
            let cells = table
                .columns()
                .iter()
                .map(|own| own.text(row).unwrap_or("-"));
            cells.collect::<Vec<_>>().join(" ")
        };
        (0..table.records()).map(row).collect()
    }

    fn take(sightings: &mut Sightings, line: &str) -> Result<(), &'static str> {
        sightings.take(&Window::from_line(line).expect("a window"))
    }

    #[test]
    fn a_later_window_replaces_what_stood_in_its_time_and_nothing_before_it() {
        let mut sightings = Sightings::default();
        let first = r#"{"window":1,"from":1,"to":2,"attributes":["ill"],"records":[{"path":["a@1","b@2"],"sensitive":["flu"],"count":2}]}"#;
        let second = r#"{"window":2,"from":2,"to":3,"attributes":["ill"],"records":[{"path":["c@3"],"sensitive":[""],"count":1}]}"#;
        take(&mut sightings, first).expect("taken");
        assert_eq!(
            rows(&sightings),
            ["a 1 flu", "a 1 flu", "b 2 flu", "b 2 flu"]
        );
        take(&mut sightings, second).expect("taken");
        assert_eq!(rows(&sightings), ["a 1 flu", "a 1 flu", "c 3 -"]);
        let third = r#"{"window":3,"from":3,"to":4,"attributes":[],"records":[]}"#;
        assert!(take(&mut sightings, third).is_err());
    }

    #[test]
    fn a_short_line_about_very_many_people_becomes_no_table() {
        let mut sightings = Sightings::default();
        let line = r#"{"window":1,"from":1,"to":1,"attributes":[],"records":[{"path":["a@1"],"sensitive":[],"count":1099511627776}]}"#;
        take(&mut sightings, line).expect("taken");
        assert!(sightings.table().is_err());
    }
}
