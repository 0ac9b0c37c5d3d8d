//! What a solver found: which records are published together, and what their quasi-identifiers become.

use crate::{Code, Summary, Table};

/// A class of a [`Recoding`].
pub type ClassId = u32;

/// What a recoding assigns to classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Distinct quasi-identifier tuples of the [`Summary`](crate::Summary): equal tuples stay together.
    Tuple,
    /// Single records: the recoding may split equal tuples (relaxed Mondrian, microaggregation).
    Record,
}

/// The published values a quasi-identifier may take.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Labels {
    /// The published text of each label; `None` is a missing value.
    pub texts: Vec<Option<Box<str>>>,
    /// The share of the attribute's domain that each label covers, 0 to 1.
    pub shares: Vec<f64>,
}

/// What is published for every unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Recoding {
    /// What `class_of` is indexed by.
    pub unit: Unit,
    /// The class of each unit; `None` when it is suppressed.
    pub class_of: Vec<Option<ClassId>>,
    /// For each quasi-identifier, the values it may take.
    pub labels: Vec<Labels>,
    /// For each quasi-identifier, the label of each class.
    pub published: Vec<Vec<u32>>,
    /// The level of each quasi-identifier, when one level holds for the whole column.
    pub levels: Option<Vec<usize>>,
}

impl Recoding {
    /// Numbers records by row of the table, where a solver numbered them by tuple, and within a tuple in the order of the table.
    pub fn number_by_row(&mut self, table: &Table, quasi: &[usize]) {
        if self.unit == Unit::Tuple {
            return;
        }
        let columns: Vec<&[Code]> = quasi
            .iter()
            .map(|&position| table.columns()[position].codes.as_slice())
            .collect();
        let mut rows: Vec<usize> = (0..self.class_of.len()).collect();
        rows.sort_by(|&a, &b| {
            columns
                .iter()
                .map(|codes| codes[a].cmp(&codes[b]))
                .find(|order| order.is_ne())
                .unwrap_or(a.cmp(&b))
        });
        let mut by_row = vec![None; self.class_of.len()];
        for (row, class) in rows.into_iter().zip(&self.class_of) {
            by_row[row] = *class;
        }
        self.class_of = by_row;
    }

    /// The class of each record of a table.
    pub fn class_of_rows(
        &self,
        table: &Table,
        quasi: &[usize],
        summary: &Summary,
    ) -> Vec<Option<ClassId>> {
        match self.unit {
            Unit::Record => self.class_of.clone(),
            Unit::Tuple => summary
                .tuples_of(table, quasi)
                .into_iter()
                .map(|tuple| self.class_of[tuple as usize])
                .collect(),
        }
    }

    /// The class of one record of a table.
    pub fn class_of_row(
        &self,
        table: &Table,
        quasi: &[usize],
        summary: &Summary,
        row: usize,
    ) -> Option<ClassId> {
        let unit = match self.unit {
            Unit::Record => row,
            Unit::Tuple => summary.tuple_of(table, quasi, row)?,
        };
        self.class_of.get(unit).copied().flatten()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.published.first().map_or_else(
            || {
                self.class_of
                    .iter()
                    .flatten()
                    .max()
                    .map_or(0, |&class| class as usize + 1)
            },
            Vec::len,
        )
    }
}
