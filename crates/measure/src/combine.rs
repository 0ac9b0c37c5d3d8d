//! Several columns read as one, so that a set of attributes can play the part of a single one.

use std::sync::Arc;

use denym_data::{Column, Dictionary, Strings, Table};

use crate::classes::axis;
use crate::partition::Partition;

/// One column whose values are the distinct combinations of `columns`, for Y in (X,Y)-anonymity or for several
/// sensitive attributes judged together. Its texts are ordinal numbers: a combination has no text of its own.
///
/// # Panics
///
/// When the table lacks one of the columns.
pub fn combined(table: &Table, columns: &[usize], name: &str) -> Column {
    let axes: Vec<_> = columns.iter().map(|&column| axis(table, column)).collect();
    let partition = Partition::of(&axes, table.records());
    let texts: Strings = {
        let mut texts = Strings::new();
        for class in 0..partition.classes() {
            texts.push(&class.to_string());
        }
        texts
    };
    let (dictionary, order) = Dictionary::build(&texts, false, None);
    Column {
        name: name.to_owned(),
        dictionary: Arc::new(dictionary),
        codes: partition
            .class_of()
            .into_iter()
            .map(|class| order[class as usize])
            .collect(),
    }
}
