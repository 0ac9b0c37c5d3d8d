//! What a solver sees of a table: distinct quasi-identifier tuples with counts and sensitive histograms.

use hashbrown::HashMap;

use crate::{Code, Table};

/// Rows of different lengths in one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ragged<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Ragged {
            items: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T> Ragged<T> {
    /// No rows yet.
    pub fn new() -> Self {
        Ragged::default()
    }

    /// Appends one item to the row under construction; [`Ragged::close`] ends the row.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Ends the row under construction.
    pub fn close(&mut self) {
        self.ends.push(self.items.len());
    }

    /// The row at `index`.
    ///
    /// # Panics
    ///
    /// When `index` is out of range.
    pub fn row(&self, index: usize) -> &[T] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.items[start..self.ends[index]]
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl<T> FromIterator<Vec<T>> for Ragged<T> {
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(rows: I) -> Self {
        let mut ragged = Ragged::new();
        for row in rows {
            ragged.items.extend(row);
            ragged.close();
        }
        ragged
    }
}

/// Where each number stands first.
fn first_places(numbers: &[u64]) -> HashMap<u64, u32> {
    let mut places = HashMap::with_capacity(numbers.len());
    for (&number, place) in numbers.iter().zip(0..) {
        places.entry(number).or_insert(place);
    }
    places
}

/// The frequency set of a table over its quasi-identifiers; tuples are distinct and in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// For each quasi-identifier, one code per tuple.
    pub quasi: Vec<Vec<Code>>,
    /// Number of codes of each quasi-identifier.
    pub cardinalities: Vec<usize>,
    /// Records of each tuple.
    pub records: Vec<u64>,
    /// For each sensitive attribute and tuple, (value, count) in ascending order of value.
    ///
    /// With a subject column a value counts once per subject that shows it in the tuple.
    pub sensitive: Vec<Ragged<(Code, u64)>>,
    /// Distinct subjects of each tuple in ascending order, when the table has a subject column.
    pub subjects: Option<Ragged<u32>>,
    /// For each sensitive attribute and tuple, the distinct (value, subject) pairs in ascending order, when the table has a
    /// subject column; else empty. One person may show a value in several tuples, so histograms of tuples do not add up.
    pub shown: Vec<Ragged<(Code, u32)>>,
}

impl Summary {
    /// The tuple of each record of the table that this is the summary of, by its quasi-identifiers.
    ///
    /// Codes are put together to one number as long as it fits a word; what is too wide is numbered by its tuples and goes on from there.
    pub fn tuples_of(&self, table: &Table, quasi: &[usize]) -> Vec<u32> {
        let mut of_tuples = vec![0_u64; self.tuples()];
        let mut of_rows = vec![0_u64; table.records()];
        let mut numbers = 1_u64;
        for (codes, &column) in self.quasi.iter().zip(quasi) {
            let rows = &table.columns()[column].codes;
            let last = codes.iter().max().max(rows.iter().max());
            let cardinality = last.map_or(1, |&code| u64::from(code) + 1);
            numbers = numbers.checked_mul(cardinality).unwrap_or_else(|| {
                let places = first_places(&of_tuples);
                let place = |number: &mut u64| {
                    *number = places
                        .get(number)
                        .map_or(u64::from(u32::MAX), |&at| u64::from(at));
                };
                of_rows.iter_mut().for_each(place);
                of_tuples.iter_mut().for_each(place);
                (u64::from(u32::MAX) + 1) * cardinality
            });
            let append = |number: &mut u64, code: &Code| {
                *number = *number * cardinality + u64::from(*code);
            };
            of_tuples
                .iter_mut()
                .zip(codes)
                .for_each(|(number, code)| append(number, code));
            of_rows
                .iter_mut()
                .zip(rows)
                .for_each(|(number, code)| append(number, code));
        }
        let places = first_places(&of_tuples);
        of_rows
            .iter()
            .map(|number| places.get(number).copied().unwrap_or_default())
            .collect()
    }

    /// The tuple of one record of the table that this is the summary of.
    pub fn tuple_of(&self, table: &Table, quasi: &[usize], row: usize) -> Option<usize> {
        let wanted: Vec<Code> = quasi
            .iter()
            .map(|&column| table.columns()[column].codes[row])
            .collect();
        let same = |&tuple: &usize| {
            let mut pairs = self.quasi.iter().zip(&wanted);
            pairs.all(|(codes, code)| codes[tuple] == *code)
        };
        (0..self.tuples()).find(same)
    }

    /// Number of distinct tuples.
    pub fn tuples(&self) -> usize {
        self.records.len()
    }

    /// Number of records of the table.
    pub fn total(&self) -> u64 {
        self.records.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn records_find_their_tuples_however_wide_they_are() {
        // Up to 70 columns of 2 to 4 values: more than a word of codes.
        for width in [0, 1, 5, 70] {
            let cell = |row: usize, column: usize| {
                let drawn = (row * 7 + 3) * (column + 11) % (2 + column % 3);
                ["a", "b", "c", "d"][drawn]
            };
            let columns = (0..width).map(|column| {
                let texts = (0..40).map(|row| Some(cell(row % 23, column)));
                Column::from_texts(&format!("c{column}"), texts)
            });
            let table = Table::new(columns.collect()).expect("columns of one length");
            let quasi: Vec<usize> = (0..width).collect();
            let key = |row: usize| -> Vec<Code> {
                let columns = table.columns().iter();
                columns.map(|column| column.codes[row]).collect()
            };
            let mut distinct: Vec<Vec<Code>> = (0..table.records()).map(key).collect();
            distinct.sort();
            distinct.dedup();
            let summary = Summary {
                quasi: (0..width)
                    .map(|d| distinct.iter().map(|tuple| tuple[d]).collect())
                    .collect(),
                records: vec![1; distinct.len()],
                ..Summary::default()
            };
            let found = summary.tuples_of(&table, &quasi);
            assert_eq!(found.len(), table.records(), "{width} columns");
            for (row, &tuple) in found.iter().enumerate() {
                assert_eq!(distinct[tuple as usize], key(row), "{width} columns");
                assert_eq!(summary.tuple_of(&table, &quasi, row), Some(tuple as usize));
            }
        }
    }
}
