//! The distinct paths of a table with their counts: all that a solver looks at.
//!
//! Records with the same quasi-identifiers and the same path become one row with weights: how
//! many records, and how many of them have each value that a promise looks at. Five million records of the
//! papers' shape are about eight thousand rows. Rows are sorted, so the summary does not depend
//! on the order of the records or on the number of threads.

use denym_data::Sequences;
use denym_measure::Counters;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::request::Limits;

/// Item that names no place under a bound.
pub(crate) const NO_BOUND: u32 = u32::MAX;

/// Distinct (class, items) of a chunk of records, and which of them each record is.
type Distinct<'a> = (Vec<(u32, &'a [u32])>, Vec<u32>);

/// Distinct item lists with weights, grouped in classes of equal quasi-identifiers.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Number of distinct items; an item is a doublet id.
    pub(crate) item_count: usize,
    pub(crate) starts: Vec<u32>,
    pub(crate) items: Vec<u32>,
    /// Per row: records, then records with each value that is counted.
    pub(crate) weights: Vec<u32>,
    /// 1 + number of counters.
    pub(crate) stride: usize,
    /// First row of each class, and the end.
    pub(crate) class_starts: Vec<u32>,
    /// For each item the attribute whose sensitive place it names, or `NO_BOUND`.
    pub(crate) named_bound: Vec<u32>,
    /// Row of each record.
    pub(crate) row_of_record: Vec<u32>,
}

impl Summary {
    /// Summarizes paths: the numbers of each distinct record that the judge needs.
    pub fn new(paths: &Sequences, limits: &Limits) -> Self {
        let classes = quasi_classes(paths);
        let records: Vec<(u32, &[u32])> = classes.iter().copied().zip(paths.records()).collect();
        let counters = limits.judge.counters();
        let doublets = paths.doublets().len();
        let mut summary = Self::of_lists(&records, doublets, counters.stride() - 1);
        drop(records);
        summary.count_all(paths, limits);
        summary
    }

    /// Counts everything that the judge of `limits` reads, record by record of `paths`.
    pub(crate) fn count_all(&mut self, paths: &Sequences, limits: &Limits) {
        let counters = limits.judge.counters();
        let own = paths.sensitive();
        for attribute in counters.attributes() {
            if let Some(column) = own.get(attribute) {
                self.count_values(counters, attribute, |record| column.codes[record]);
            }
        }
        for (place, location) in limits.places.iter().enumerate() {
            let code = paths.locations().iter().position(|l| l == location);
            let here = |item: u32| Some(paths.doublets()[item as usize].location as usize) == code;
            self.mark_place(counters, own.len() + place, here);
        }
    }

    /// Summarizes item lists, each with the class of its quasi-identifiers; no value is counted yet.
    pub fn of_lists(records: &[(u32, &[u32])], item_count: usize, counters: usize) -> Self {
        // Distinct lists per chunk, then one sorted list of all: the order is that of the content.
        let chunk = records
            .len()
            .div_ceil(8 * rayon::current_num_threads())
            .max(4096);
        let partial: Vec<Distinct> = records
            .par_chunks(chunk)
            .map(|chunk| {
                let mut known: HashMap<(u32, &[u32]), u32> = HashMap::new();
                let mut rows = Vec::new();
                let of_record = chunk
                    .iter()
                    .map(|&key| {
                        *known.entry(key).or_insert_with(|| {
                            rows.push(key);
                            rows.len() as u32 - 1
                        })
                    })
                    .collect();
                (rows, of_record)
            })
            .collect();
        let mut rows: Vec<(u32, &[u32])> = partial.iter().flat_map(|(r, _)| r).copied().collect();
        rows.par_sort_unstable();
        rows.dedup();
        let stride = 1 + counters;
        let mut summary = Self {
            item_count,
            starts: vec![0],
            items: Vec::new(),
            weights: vec![0; rows.len() * stride],
            stride,
            class_starts: Vec::new(),
            named_bound: vec![NO_BOUND; item_count],
            row_of_record: Vec::new(),
        };
        let mut class = None;
        for (row, (its_class, items)) in rows.iter().enumerate() {
            if class != Some(*its_class) {
                class = Some(*its_class);
                summary.class_starts.push(row as u32);
            }
            summary.items.extend_from_slice(items);
            summary.starts.push(summary.items.len() as u32);
        }
        summary.class_starts.push(rows.len() as u32);
        let position: HashMap<(u32, &[u32]), u32> = rows
            .iter()
            .enumerate()
            .map(|(row, &key)| (key, row as u32))
            .collect();
        let of_record: Vec<Vec<u32>> = partial
            .par_iter()
            .map(|(rows, of_record)| {
                let place: Vec<u32> = rows.iter().map(|key| position[key]).collect();
                of_record.iter().map(|&row| place[row as usize]).collect()
            })
            .collect();
        summary.row_of_record = of_record.concat();
        for &row in &summary.row_of_record {
            summary.weights[row as usize * stride] += 1;
        }
        summary
    }

    /// Counts the values of an attribute.
    pub fn count_values(
        &mut self,
        counters: &Counters,
        attribute: usize,
        code: impl Fn(usize) -> u32,
    ) {
        for (record, &row) in self.row_of_record.iter().enumerate() {
            if let Some(place) = counters.place(attribute, code(record)) {
                self.weights[row as usize * self.stride + place] += 1;
            }
        }
    }

    /// Counts the rows that visit a sensitive place, and remembers which items name it.
    fn mark_place(&mut self, counters: &Counters, attribute: usize, here: impl Fn(u32) -> bool) {
        for item in 0..self.item_count as u32 {
            if here(item) {
                self.named_bound[item as usize] = attribute as u32;
            }
        }
        for row in 0..self.rows() {
            let visited = self.row(row).iter().any(|&item| here(item));
            if let Some(place) = counters.place(attribute, u32::from(visited)) {
                let at = row * self.stride;
                self.weights[at + place] = self.weights[at];
            }
        }
    }

    /// Number of distinct rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of distinct items.
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// The items of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Weights of a row: records, then records with each secret.
    #[inline]
    pub fn weight(&self, row: usize) -> &[u32] {
        &self.weights[row * self.stride..(row + 1) * self.stride]
    }

    /// Rows of each class of equal quasi-identifiers.
    pub fn classes(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.class_starts
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// Row of each record.
    pub fn row_of_record(&self) -> &[u32] {
        &self.row_of_record
    }

    /// Instances of each item over all records.
    pub fn instances(&self) -> Vec<u64> {
        let mut count = vec![0; self.item_count];
        for row in 0..self.rows() {
            let weight = u64::from(self.weight(row)[0]);
            for &item in self.row(row) {
                count[item as usize] += weight;
            }
        }
        count
    }

    /// Weights of all rows of a range added up.
    pub(crate) fn total(&self, rows: std::ops::Range<usize>) -> Vec<u32> {
        let mut sum = vec![0; self.stride];
        for row in rows {
            for (sum, weight) in sum.iter_mut().zip(self.weight(row)) {
                *sum += weight;
            }
        }
        sum
    }

    /// The same rows with other items; weights, classes and records stay.
    pub(crate) fn with_items(&self, starts: Vec<u32>, items: Vec<u32>, item_count: usize) -> Self {
        Self {
            item_count,
            starts,
            items,
            named_bound: if item_count == self.item_count {
                self.named_bound.clone()
            } else {
                vec![NO_BOUND; item_count]
            },
            weights: self.weights.clone(),
            stride: self.stride,
            class_starts: self.class_starts.clone(),
            row_of_record: Vec::new(),
        }
    }

    /// Removes rows: no items, no weight, a class that is no more.
    pub(crate) fn empty_rows(&mut self, lost: &[bool]) {
        let (mut starts, mut items) = (vec![0u32], Vec::new());
        for (row, lost) in lost.iter().enumerate() {
            if *lost {
                self.weights[row * self.stride..(row + 1) * self.stride].fill(0);
            } else {
                items.extend_from_slice(self.row(row));
            }
            starts.push(items.len() as u32);
        }
        (self.starts, self.items) = (starts, items);
    }

    /// Classes whose records break the promise before any doublet is known.
    pub(crate) fn hopeless_classes(&self, limits: &Limits) -> Vec<usize> {
        self.classes()
            .enumerate()
            .filter(|(_, rows)| limits.broken_by(&self.total(rows.clone())))
            .map(|(class, _)| class)
            .collect()
    }
}

/// A class code per record: equal exactly when all quasi-identifiers are equal.
pub(crate) fn quasi_classes(paths: &Sequences) -> Vec<u32> {
    let mut classes = vec![0u32; paths.len()];
    for column in paths.quasi() {
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        for (class, &code) in classes.iter_mut().zip(&column.codes) {
            let next = known.len() as u32;
            *class = *known.entry((*class, code)).or_insert(next);
        }
    }
    classes
}
