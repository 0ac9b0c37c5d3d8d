//! What a solver found: which records are published together, and what their quasi-identifiers become.

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
