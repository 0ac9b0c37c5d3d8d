//! Builds paths record by record, giving codes to labels as they come and sorting them at the end.

use hashbrown::HashMap;

use super::{Doublet, PathsError, Sequences};

/// Collects records; [`PathsBuilder::finish`] orders the codes and checks every record.
#[derive(Debug, Default)]
pub struct PathsBuilder {
    locations: Labels,
    times: Labels,
    /// Raw (location, time) codes of each raw doublet.
    pairs: Vec<(u32, u32)>,
    by_pair: HashMap<(u32, u32), u32>,
    /// Raw doublet of each wide-form piece seen, so that a piece is split once.
    by_text: HashMap<String, u32>,
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// Labels with codes in order of first appearance.
#[derive(Debug, Default)]
struct Labels {
    texts: Vec<String>,
    codes: HashMap<String, u32>,
}

impl Labels {
    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.codes.insert(text.to_owned(), code);
        code
    }

    /// Labels in order (by number when all are integers, else by text) and the new code of each old one.
    fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let numbers: Option<Vec<i64>> = self.texts.iter().map(|t| t.parse().ok()).collect();
        let mut order: Vec<u32> = (0..self.texts.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            let by_number = numbers.as_ref().map(|n| n[a].cmp(&n[b]));
            by_number
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| self.texts[a].cmp(&self.texts[b]))
        });
        let mut new_code = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        let mut texts = self.texts;
        let sorted = order
            .iter()
            .map(|&old| std::mem::take(&mut texts[old as usize]))
            .collect();
        (sorted, new_code)
    }
}

impl PathsBuilder {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of records so far.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether no record was added yet.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Adds one record from labels; the doublets may come in any order.
    pub fn push<'a>(
        &mut self,
        doublets: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), PathsError> {
        self.begin_record()?;
        for (location, time) in doublets {
            let raw = self.raw_doublet(location, time);
            self.add_raw(raw);
        }
        Ok(())
    }

    /// Adds all records of another builder, in their order; lets chunks of a file be read on all cores.
    pub fn append(&mut self, other: &Self) -> Result<(), PathsError> {
        let translate: Vec<u32> = other
            .pairs
            .iter()
            .map(|&(location, time)| {
                self.raw_doublet(
                    &other.locations.texts[location as usize],
                    &other.times.texts[time as usize],
                )
            })
            .collect();
        if self.items.len() + other.items.len() > u32::MAX as usize {
            return Err(PathsError::TooMany {
                what: "doublets in the records",
            });
        }
        let base = self.items.len() as u32;
        self.starts.extend(other.starts.iter().map(|&s| s + base));
        self.items
            .extend(other.items.iter().map(|&raw| translate[raw as usize]));
        Ok(())
    }

    pub(super) fn begin_record(&mut self) -> Result<(), PathsError> {
        let start = u32::try_from(self.items.len()).map_err(|_| PathsError::TooMany {
            what: "doublets in the records",
        })?;
        self.starts.push(start);
        Ok(())
    }

    pub(super) fn current_row(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn known_piece(&self, piece: &str) -> Option<u32> {
        self.by_text.get(piece).copied()
    }

    pub(super) fn learn_piece(&mut self, piece: &str, location: &str, time: &str) -> u32 {
        let raw = self.raw_doublet(location, time);
        self.by_text.insert(piece.to_owned(), raw);
        raw
    }

    pub(super) fn raw_doublet(&mut self, location: &str, time: &str) -> u32 {
        let pair = (self.locations.code(location), self.times.code(time));
        let pairs = &mut self.pairs;
        *self.by_pair.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1
        })
    }

    pub(super) fn add_raw(&mut self, raw: u32) {
        self.items.push(raw);
    }

    /// Orders the codes, sorts each record by time, drops repeated doublets, and refuses two places at one time.
    pub fn finish(self) -> Result<Sequences, PathsError> {
        if self.starts.len() > u32::MAX as usize || self.items.len() > u32::MAX as usize {
            return Err(PathsError::TooMany { what: "records" });
        }
        let (locations, new_location) = self.locations.sorted();
        let (times, new_time) = self.times.sorted();
        let mut doublets: Vec<(Doublet, u32)> = self
            .pairs
            .iter()
            .enumerate()
            .map(|(raw, &(location, time))| {
                let doublet = Doublet {
                    time: new_time[time as usize],
                    location: new_location[location as usize],
                };
                (doublet, raw as u32)
            })
            .collect();
        doublets.sort_unstable();
        let mut id_of_raw = vec![0u32; doublets.len()];
        for (id, &(_, raw)) in doublets.iter().enumerate() {
            id_of_raw[raw as usize] = id as u32;
        }
        let doublets: Vec<Doublet> = doublets.into_iter().map(|(doublet, _)| doublet).collect();

        let mut items = self.items;
        for item in &mut items {
            *item = id_of_raw[*item as usize];
        }
        let mut starts = self.starts;
        starts.push(items.len() as u32);
        let mut kept = 0usize;
        for row in 0..starts.len() - 1 {
            let (begin, end) = (starts[row] as usize, starts[row + 1] as usize);
            let record = &mut items[begin..end];
            if record.windows(2).any(|two| two[0] >= two[1]) {
                record.sort_unstable();
            }
            let first = kept;
            for index in begin..end {
                let item = items[index];
                if kept > first {
                    let previous = items[kept - 1];
                    if previous == item {
                        continue;
                    }
                    if doublets[previous as usize].time == doublets[item as usize].time {
                        return Err(PathsError::TwoPlaces { row });
                    }
                }
                items[kept] = item;
                kept += 1;
            }
            starts[row] = first as u32;
        }
        if let Some(last) = starts.last_mut() {
            *last = kept as u32;
        }
        items.truncate(kept);
        Sequences::from_codes(locations, times, doublets, starts, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(cells: &[&str]) -> Sequences {
        let mut builder = PathsBuilder::new();
        for cell in cells {
            builder.push_cell(cell).expect("a path");
        }
        builder.finish().expect("paths")
    }

    #[test]
    fn codes_order_by_time_then_location() {
        let paths = built(&["b10>a2", "", "c2"]);
        let labels: Vec<String> = (0..3).map(|id| paths.label(id)).collect();
        assert_eq!(labels, ["a2", "c2", "b10"]);
        assert_eq!(paths.cell(0), "a2>b10");
        assert_eq!(paths.record(1), &[] as &[u32]);
        assert_eq!((paths.len(), paths.instances()), (3, 3));
    }

    #[test]
    fn repeats_of_a_doublet_count_once_and_two_places_are_refused() {
        assert_eq!(built(&["a1>a1>b2"]).cell(0), "a1>b2");
        let mut builder = PathsBuilder::new();
        builder.push_cell("a1").expect("a path");
        builder.push_cell("secret1>b1").expect("a path");
        let error = builder.finish().expect_err("two places");
        assert_eq!(error, PathsError::TwoPlaces { row: 1 });
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn a_doublet_without_time_names_row_and_position_only() {
        let mut builder = PathsBuilder::new();
        builder.push_cell("a1").expect("a path");
        let error = builder.push_cell("a1>secret").expect_err("no time");
        assert_eq!(error.to_string(), "row 1: doublet 2 has no time");
    }

    #[test]
    fn chunks_append_to_the_same_table() {
        let cells = ["c3>d4", "a1", "b2>c3", "", "z0"];
        let mut left = PathsBuilder::new();
        let mut right = PathsBuilder::new();
        for cell in &cells[..2] {
            left.push_cell(cell).expect("a path");
        }
        for cell in &cells[2..] {
            right.push_cell(cell).expect("a path");
        }
        left.append(&right).expect("fits");
        assert_eq!(left.finish().expect("paths"), built(&cells));
    }
}
