//! Distinct records with the numbers of each: all that counting looks at.

use std::borrow::Cow;

use denym_data::{Code, Sequences};
use hashbrown::HashMap;

use crate::judge::Counters;

/// The sensitive attributes of each record: those of the data, then one per sensitive place or item.
pub(super) struct Columns<'a> {
    codes: Vec<Cow<'a, [Code]>>,
    /// How many values each has.
    pub(super) values: Vec<usize>,
    /// The attribute whose place each doublet of the data names.
    pub(super) names: Vec<Option<u32>>,
    /// Place and attribute.
    places: Vec<(String, u32)>,
}

impl<'a> Columns<'a> {
    /// The attributes of `data`; who visited a place is what the records of `data` show.
    pub(super) fn of_places(data: &'a Sequences, places: &[String]) -> Self {
        let mut columns = Self {
            codes: Vec::new(),
            values: Vec::new(),
            names: Vec::new(),
            places: Vec::new(),
        };
        for attribute in data.sensitive() {
            columns.codes.push(Cow::Borrowed(&attribute.codes));
            columns.values.push(attribute.values.len());
        }
        for place in places {
            columns
                .places
                .push((place.clone(), columns.codes.len() as u32));
            let code = data.locations().iter().position(|label| label == place);
            let here = |&id: &u32| Some(data.doublets()[id as usize].location as usize) == code;
            let visits = data.records().map(|path| Code::from(path.iter().any(here)));
            columns.codes.push(Cow::Owned(visits.collect()));
            columns.values.push(2);
        }
        columns.names = columns.names_in(data);
        columns
    }

    /// The attribute whose place each doublet of `data` names.
    pub(super) fn names_in(&self, data: &Sequences) -> Vec<Option<u32>> {
        let of_location: Vec<Option<u32>> = data
            .locations()
            .iter()
            .map(|label| {
                let place = self.places.iter().find(|(place, _)| place == label);
                place.map(|&(_, attribute)| attribute)
            })
            .collect();
        let doublets = data.doublets().iter();
        doublets.map(|d| of_location[d.location as usize]).collect()
    }
}

/// Distinct (quasi-identifiers, path) with numbers, in the order of their content.
pub(super) struct Rows {
    /// Class of equal quasi-identifiers, from 0; rows of a class stand together.
    class_of: Vec<u32>,
    starts: Vec<usize>,
    items: Vec<u32>,
    numbers: Vec<u64>,
    stride: usize,
}

impl Rows {
    /// Records of `data` with what each shows instead of its own path.
    pub(super) fn new<'p>(
        data: &Sequences,
        shown: impl Iterator<Item = &'p [u32]>,
        columns: &Columns<'_>,
        counters: &Counters,
    ) -> Self {
        let stride = counters.stride();
        let counted: Vec<(usize, &[Code])> = counters
            .attributes()
            .map(|attribute| (attribute, columns.codes[attribute].as_ref()))
            .collect();
        let quasi = |record: usize| -> Vec<u32> {
            let columns = data.quasi().iter();
            columns.map(|column| column.codes[record]).collect()
        };
        let mut known: HashMap<(Vec<u32>, &[u32]), usize> = HashMap::new();
        let mut sums: Vec<u64> = Vec::new();
        let mut last: &[u32] = &[];
        let mut row = 0;
        for (record, path) in shown.enumerate() {
            // A release is sorted by what it shows: most records repeat the one before, and need no look into the table.
            let repeats = record > 0
                && path == last
                && data
                    .quasi()
                    .iter()
                    .all(|column| column.codes[record] == column.codes[record - 1]);
            if !repeats {
                row = *known.entry((quasi(record), path)).or_insert_with(|| {
                    sums.resize(sums.len() + stride, 0);
                    sums.len() / stride - 1
                });
                last = path;
            }
            let sums = &mut sums[row * stride..(row + 1) * stride];
            sums[0] += 1;
            for &(attribute, codes) in &counted {
                if let Some(place) = counters.place(attribute, codes[record]) {
                    sums[place] += 1;
                }
            }
        }
        let mut all: Vec<_> = known.into_iter().collect();
        all.sort_unstable();
        let mut rows = Self::empty(stride);
        let mut before: Option<&[u32]> = None;
        let mut class = 0;
        for ((quasi, path), row) in &all {
            class += u32::from(before.is_some_and(|before| before != quasi));
            before = Some(quasi);
            rows.push(class, path, &sums[row * stride..(row + 1) * stride]);
        }
        rows
    }

    /// Rows that are given with how many records each stands for.
    pub(super) fn of_counted<'p>(
        counted: impl IntoIterator<Item = (&'p [u32], &'p [Code], u64)>,
        counters: &Counters,
    ) -> Self {
        let mut all: Vec<(&[u32], &[Code], u64)> = counted.into_iter().collect();
        all.sort_unstable();
        let mut rows = Self::empty(counters.stride());
        let mut sums = vec![0; counters.stride()];
        for alike in all.chunk_by(|a, b| a.0 == b.0) {
            sums.fill(0);
            for (_, codes, count) in alike {
                sums[0] += count;
                for attribute in counters.attributes() {
                    if let Some(place) = counters.place(attribute, codes[attribute]) {
                        sums[place] += count;
                    }
                }
            }
            rows.push(0, alike[0].0, &sums);
        }
        rows
    }

    fn empty(stride: usize) -> Self {
        Self {
            class_of: Vec::new(),
            starts: vec![0],
            items: Vec::new(),
            numbers: Vec::new(),
            stride,
        }
    }

    fn push(&mut self, class: u32, path: &[u32], numbers: &[u64]) {
        self.class_of.push(class);
        self.items.extend_from_slice(path);
        self.starts.push(self.items.len());
        self.numbers.extend_from_slice(numbers);
    }

    pub(super) fn len(&self) -> usize {
        self.class_of.len()
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    #[inline]
    pub(super) fn path(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }

    /// Records of a row, then its counters.
    #[inline]
    pub(super) fn numbers(&self, row: usize) -> &[u64] {
        &self.numbers[row * self.stride..(row + 1) * self.stride]
    }

    pub(super) fn class(&self, row: usize) -> u32 {
        self.class_of[row]
    }

    pub(super) fn classes(&self) -> u32 {
        self.class_of.last().map_or(0, |last| last + 1)
    }

    pub(super) fn records(&self) -> u64 {
        (0..self.len()).map(|row| self.numbers(row)[0]).sum()
    }

    pub(super) fn instances(&self) -> u64 {
        let of_row = |row| self.path(row).len() as u64 * self.numbers(row)[0];
        (0..self.len()).map(of_row).sum()
    }

    /// The numbers of each class as a whole.
    pub(super) fn class_totals(&self) -> Vec<Vec<u64>> {
        let mut totals = vec![vec![0; self.stride]; self.classes() as usize];
        for row in 0..self.len() {
            let total = &mut totals[self.class_of[row] as usize];
            for (sum, more) in total.iter_mut().zip(self.numbers(row)) {
                *sum += more;
            }
        }
        totals
    }
}
