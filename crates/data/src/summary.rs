//! What a solver sees of a table: distinct quasi-identifier tuples with counts and sensitive histograms.

use std::collections::HashMap;

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
    pub fn tuples_of(&self, table: &Table, quasi: &[usize]) -> Vec<u32> {
        let number: HashMap<Vec<Code>, u32> = (0..self.tuples())
            .map(|tuple| self.quasi.iter().map(|codes| codes[tuple]).collect())
            .zip(0..)
            .collect();
        let columns: Vec<&[Code]> = quasi
            .iter()
            .map(|&column| table.columns()[column].codes.as_slice())
            .collect();
        (0..table.records())
            .map(|row| {
                let key: Vec<Code> = columns.iter().map(|codes| codes[row]).collect();
                number.get(&key).copied().unwrap_or_default()
            })
            .collect()
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
