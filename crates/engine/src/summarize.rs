//! From records to the frequency set a solver sees.
//!
//! # Idea
//!
//! The codes of a record's quasi-identifiers, and with them a sensitive value or a subject, are packed into words, and
//! equal words are counted once per sensitive attribute. Words order as tuples do, so the sorted answer is read off
//! from front to back: runs of equal quasi-identifiers are the tuples.
//!
//! # Guarantee
//!
//! Tuples are distinct and ascending, so are the values and the subjects within each; the same for any number of
//! threads. With a subject column a sensitive value counts once per subject that shows it in the tuple; all records
//! that miss the subject count as one subject, which can only make groups look smaller.
//!
//! # Cost
//!
//! One sort of packed words per sensitive attribute, one more for the subjects.

use denym_data::{Code, Ragged, Summary, Table};

use crate::count::{Counted, counted};

use crate::words::Words;
use crate::{Engine, Error};

/// Distinct rows over some columns, read back as codes.
struct Groups {
    columns: Vec<Vec<Code>>,
    counts: Vec<u64>,
}

impl Engine {
    /// The frequency set of `table` over the columns `quasi`, with the histograms of the columns `sensitive`.
    pub fn summarize(
        &self,
        table: &Table,
        quasi: &[usize],
        sensitive: &[usize],
        subject: Option<usize>,
    ) -> Result<Summary, Error> {
        check_columns(table, quasi.iter().chain(sensitive).chain(&subject))?;
        let width = quasi.len();
        let mut summary = Summary {
            cardinalities: quasi
                .iter()
                .map(|&column| table.columns()[column].dictionary.len())
                .collect(),
            ..Summary::default()
        };
        if subject.is_some() || sensitive.is_empty() {
            let groups = self.groups(table, quasi, &[]);
            summary.records = groups.counts;
            summary.quasi = groups.columns;
        }
        for &attribute in sensitive {
            let mut ragged = Ragged::new();
            if let Some(subject) = subject {
                let groups = self.groups(table, quasi, &[attribute, subject]);
                let mut shown = Ragged::new();
                runs(&groups, width, |row, values| {
                    for &pair in values {
                        shown.push((groups.columns[width][pair], groups.columns[width + 1][pair]));
                    }
                    shown.close();
                    for run in values
                        .chunk_by(|&a, &b| groups.columns[width][a] == groups.columns[width][b])
                    {
                        ragged.push((groups.columns[width][run[0]], run.len() as u64));
                    }
                    ragged.close();
                    debug_assert!(row < groups.counts.len(), "a run starts inside");
                });
                summary.shown.push(shown);
            } else {
                let groups = self.groups(table, quasi, &[attribute]);
                let first = summary.records.is_empty();
                let mut starts = Vec::new();
                runs(&groups, width, |row, values| {
                    for &value in values {
                        ragged.push((groups.columns[width][value], groups.counts[value]));
                    }
                    ragged.close();
                    if first {
                        starts.push(row);
                        let records = values.iter().map(|&value| groups.counts[value]).sum();
                        summary.records.push(records);
                    }
                });
                if first {
                    summary.quasi = groups.columns[..width]
                        .iter()
                        .map(|codes| starts.iter().map(|&row| codes[row]).collect())
                        .collect();
                }
            }
            summary.sensitive.push(ragged);
        }
        if let Some(subject) = subject {
            let groups = self.groups(table, quasi, &[subject]);
            let mut ragged = Ragged::new();
            runs(&groups, width, |_, rows| {
                for &row in rows {
                    ragged.push(groups.columns[width][row]);
                }
                ragged.close();
            });
            summary.subjects = Some(ragged);
        }
        Ok(summary)
    }

    /// The distinct rows of `table` over `quasi` and then `more`, ascending.
    fn groups(&self, table: &Table, quasi: &[usize], more: &[usize]) -> Groups {
        let columns: Vec<usize> = quasi.iter().chain(more).copied().collect();
        let (layout, words) = pack(table, &columns);
        let Counted { words, counts } = self.on_threads(|| counted(words, None));
        let columns = (0..columns.len())
            .map(|column| layout.unpack(&words, column).collect())
            .collect();
        Groups { columns, counts }
    }
}

/// The codes of `columns` of each record as words.
pub(crate) fn pack(table: &Table, columns: &[usize]) -> (Words, Vec<Vec<u64>>) {
    let cardinalities: Vec<usize> = columns
        .iter()
        .map(|&column| table.columns()[column].dictionary.len())
        .collect();
    let layout = Words::new(&cardinalities);
    let codes: Vec<&[Code]> = columns
        .iter()
        .map(|&column| table.columns()[column].codes.as_slice())
        .collect();
    let words = layout.pack(&codes, table.records());
    (layout, words)
}

/// Refuses positions that are not columns of `table`.
pub(crate) fn check_columns<'a>(
    table: &Table,
    mut columns: impl Iterator<Item = &'a usize>,
) -> Result<(), Error> {
    if columns.all(|&column| column < table.columns().len()) {
        Ok(())
    } else {
        Err(Error::Mismatch {
            what: "a column is asked for that the table does not have",
        })
    }
}

/// Calls `each` with the first row and all rows of every run that agrees on the first `width` columns.
fn runs(groups: &Groups, width: usize, mut each: impl FnMut(usize, &[usize])) {
    let rows: Vec<usize> = (0..groups.counts.len()).collect();
    let same = |&a: &usize, &b: &usize| {
        groups.columns[..width]
            .iter()
            .all(|codes| codes[a] == codes[b])
    };
    for run in rows.chunk_by(same) {
        each(run[0], run);
    }
}
