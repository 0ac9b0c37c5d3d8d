//! From records and a recoding to the table that is published.
//!
//! # Idea
//!
//! Every record finds its class: by its row number, or by its packed tuple among those of the summary. What the class publishes and
//! what the record keeps of its own are words with room for each other, and a bitwise or puts the two halves together; records of
//! suppressed units are left out. Words order as published rows do, so counting equal words and sorting the distinct ones gives the
//! released rows in their order:
//!
//! ```text
//! SELECT class | own, count(*) FROM records JOIN classes GROUP BY 1 ORDER BY 1
//! ```
//!
//! # Guarantee
//!
//! Rows are sorted by what is published, in the order of the columns: nothing of the source order is left. The
//! dictionaries hold published values only. Subjects are renumbered (see [`crate::subjects`]).
//!
//! # Cost
//!
//! One lookup per record in a table of the tuples, and one sort of packed words.

use std::collections::BTreeSet;
use std::sync::Arc;

use denym_data::{Code, Column, Dictionary, Kind, Labels, Recoding, Strings, Summary, Table, Unit};
use rayon::prelude::*;

use crate::count::{Counted, counted};
use crate::places::Places;
use crate::subjects;
use crate::summarize::{check_columns, pack};
use crate::words::Words;
use crate::{Engine, Error};

/// A column of the published table before any value is dropped that no record shows.
struct Published {
    name: String,
    dictionary: Arc<Dictionary>,
    /// Position among the quasi-identifiers and the code of each label, when it is one of them.
    labels: Option<(usize, Vec<Code>)>,
    /// Position in the source.
    column: usize,
}

impl Engine {
    /// The published table: the columns `released` in this order, with the quasi-identifiers as `recoding` has them.
    ///
    /// `summary` is that of `table` over `quasi`. The subject column, when it is released, is renumbered within each
    /// class of equal published quasi-identifiers.
    pub fn apply(
        &self,
        table: &Table,
        quasi: &[usize],
        released: &[usize],
        subject: Option<usize>,
        summary: &Summary,
        recoding: &Recoding,
    ) -> Result<Table, Error> {
        check(table, quasi, released, subject, summary, recoding)?;
        let columns: Vec<Published> = released
            .iter()
            .map(|&column| published(table, column, quasi, recoding))
            .collect();
        let Some(subject) = subject.filter(|subject| released.contains(subject)) else {
            let order: Vec<usize> = (0..columns.len()).collect();
            let (layout, rows) = self.publish(table, quasi, summary, recoding, &columns, &order);
            return assemble(&columns, &layout, &rows);
        };
        // Class first, then subject, then the rest: the rows of one subject in one class stand together.
        let rank = |&position: &usize| match &columns[position] {
            Published {
                labels: Some(_), ..
            } => 0,
            Published { column, .. } if *column == subject => 1,
            _ => 2,
        };
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(rank);
        let (layout, rows) = self.publish(table, quasi, summary, recoding, &columns, &order);
        let mut codes: Vec<Vec<Code>> = vec![Vec::new(); columns.len()];
        for (place, &position) in order.iter().enumerate() {
            codes[position] = layout.unpack(&rows.words, place).collect();
        }
        let at = released
            .iter()
            .position(|&column| column == subject)
            .unwrap_or_default();
        let classes: Vec<&[Code]> = order
            .iter()
            .filter(|position| rank(position) == 0)
            .map(|&position| codes[position].as_slice())
            .collect();
        let rest: Vec<&[Code]> = order
            .iter()
            .filter(|position| rank(position) == 2)
            .map(|&position| codes[position].as_slice())
            .collect();
        let (numbers, dictionary) = subjects::renumber(
            &codes[at],
            columns[at].dictionary.missing(),
            &classes,
            &rest,
            &rows.counts,
        );
        codes[at] = numbers;
        let mut columns = columns;
        columns[at].dictionary = Arc::new(dictionary);
        let (layout, rows) = self.sort(&columns, &codes, &rows.counts);
        assemble(&columns, &layout, &rows)
    }

    /// The distinct published rows, packed in `order`, with their counts.
    fn publish(
        &self,
        table: &Table,
        quasi: &[usize],
        summary: &Summary,
        recoding: &Recoding,
        columns: &[Published],
        order: &[usize],
    ) -> (Words, Counted) {
        let cardinalities: Vec<usize> = order
            .iter()
            .map(|&position| columns[position].dictionary.len())
            .collect();
        let layout = Words::new(&cardinalities);
        if recoding.unit == Unit::Tuple
            && let Some(rows) = of_classes(summary, recoding, columns, order, &layout)
        {
            return (layout, rows);
        }
        let kept = self.kept(table, quasi, summary, recoding);
        let classes = recoding.class_of.iter().flatten().max();
        let classes = classes.map_or(0, |&class| class as usize + 1);
        // What each class publishes and what each record has of its own, in the same words.
        let mut published = vec![vec![0; classes]; layout.count()];
        let mut own = vec![Vec::new(); layout.count()];
        for (place, &position) in order.iter().enumerate() {
            if let Some((index, codes)) = &columns[position].labels {
                let labels = recoding.published[*index].iter();
                layout.add(&mut published, place, labels.map(|&l| codes[l as usize]));
            } else {
                let codes = &table.columns()[columns[position].column].codes;
                own[layout.word(place)].resize(table.records(), 0);
                layout.add(&mut own, place, codes.iter().copied());
            }
        }
        let rows = self.on_threads(|| {
            let words = published.iter().zip(&own).map(|(published, own)| {
                let word = |&(record, class): &(u32, u32)| {
                    let own = own.get(record as usize).copied().unwrap_or_default();
                    published[class as usize] | own
                };
                kept.par_iter().map(word).collect()
            });
            counted(words.collect(), None)
        });
        (layout, rows)
    }

    /// Every record that is kept, with its class.
    fn kept(
        &self,
        table: &Table,
        quasi: &[usize],
        summary: &Summary,
        recoding: &Recoding,
    ) -> Vec<(u32, u32)> {
        let records = 0..table.records() as u32;
        if recoding.unit == Unit::Record {
            let classes = records.zip(&recoding.class_of);
            return classes
                .filter_map(|(r, class)| Some((r, (*class)?)))
                .collect();
        }
        let (layout, words) = pack(table, quasi);
        let tuples: Vec<&[Code]> = summary.quasi.iter().map(Vec::as_slice).collect();
        let tuples = layout.pack(&tuples, summary.tuples());
        let places = Places::new(&tuples);
        let class = |record: u32| {
            let tuple = places.find(&words, record as usize)?;
            Some((record, recoding.class_of[tuple]?))
        };
        self.on_threads(|| records.into_par_iter().filter_map(class).collect())
    }

    /// Rows given as codes in published order, sorted: the same group-by and sort, with the counts put back.
    fn sort(&self, columns: &[Published], codes: &[Vec<Code>], counts: &[u64]) -> (Words, Counted) {
        let cardinalities: Vec<usize> = columns.iter().map(|c| c.dictionary.len()).collect();
        let layout = Words::new(&cardinalities);
        let rows: Vec<usize> = counts
            .iter()
            .enumerate()
            .flat_map(|(row, &count)| std::iter::repeat_n(row, count as usize))
            .collect();
        let mut words = vec![vec![0; rows.len()]; layout.count()];
        for (column, codes) in codes.iter().enumerate() {
            layout.add(&mut words, column, rows.iter().map(|&row| codes[row]));
        }
        (layout, self.on_threads(|| counted(words, None)))
    }
}

/// The distinct published rows where records publish nothing of their own: the summary knows how many there are of each class.
fn of_classes(
    summary: &Summary,
    recoding: &Recoding,
    columns: &[Published],
    order: &[usize],
    layout: &Words,
) -> Option<Counted> {
    let mut records = vec![0; recoding.published.first()?.len()];
    for (class, &count) in recoding.class_of.iter().zip(&summary.records) {
        if let Some(class) = class {
            records[*class as usize] += count;
        }
    }
    let shown: Vec<usize> = (0..records.len()).filter(|&c| records[c] > 0).collect();
    let mut words = vec![vec![0; shown.len()]; layout.count()];
    for (place, &position) in order.iter().enumerate() {
        let (index, codes) = columns[position].labels.as_ref()?;
        let label_of = &recoding.published[*index];
        let codes = shown.iter().map(|&class| codes[label_of[class] as usize]);
        layout.add(&mut words, place, codes);
    }
    let each: Vec<u64> = shown.iter().map(|&class| records[class]).collect();
    Some(counted(words, Some(&each)))
}

/// Refuses arguments that do not belong together, so that nothing below can index out of range.
fn check(
    table: &Table,
    quasi: &[usize],
    released: &[usize],
    subject: Option<usize>,
    summary: &Summary,
    recoding: &Recoding,
) -> Result<(), Error> {
    check_columns(table, quasi.iter().chain(released).chain(&subject))?;
    let mismatch = |what| Err(Error::Mismatch { what });
    if released.iter().collect::<BTreeSet<_>>().len() != released.len() {
        return mismatch("a column is released twice");
    }
    if recoding.labels.len() != quasi.len() || recoding.published.len() != quasi.len() {
        return mismatch("the recoding has another number of quasi-identifiers");
    }
    let units = match recoding.unit {
        Unit::Tuple => {
            let tuples = summary.tuples();
            let even = summary.quasi.iter().all(|codes| codes.len() == tuples);
            if summary.quasi.len() != quasi.len() || !even {
                return mismatch("the summary has other quasi-identifiers");
            }
            tuples
        }
        Unit::Record => table.records(),
    };
    if recoding.class_of.len() != units {
        return mismatch("the recoding has another number of units");
    }
    let classes = recoding
        .class_of
        .iter()
        .flatten()
        .max()
        .map_or(0, |&class| class as usize + 1);
    for (labels, published) in recoding.labels.iter().zip(&recoding.published) {
        if published.len() < classes
            || published
                .iter()
                .any(|&label| label as usize >= labels.texts.len())
        {
            return mismatch("a class of the recoding has no label");
        }
    }
    Ok(())
}

fn published(table: &Table, column: usize, quasi: &[usize], recoding: &Recoding) -> Published {
    let source = &table.columns()[column];
    let index = quasi.iter().position(|&other| other == column);
    let (dictionary, labels) = match index {
        Some(index) => {
            let kind = source.dictionary.kind();
            let mut shown = vec![false; recoding.labels[index].texts.len()];
            for &class in recoding.class_of.iter().flatten() {
                shown[recoding.published[index][class as usize] as usize] = true;
            }
            let (dictionary, codes) = label_dictionary(&recoding.labels[index], &shown, kind);
            (Arc::new(dictionary), Some((index, codes)))
        }
        None => (Arc::clone(&source.dictionary), None),
    };
    Published {
        name: source.name.clone(),
        dictionary,
        labels,
        column,
    }
}

/// The dictionary of the labels of a quasi-identifier that are `shown`, and the code of each label.
///
/// Labels with one text share a code. The kind of the source stays when every label fits it; whole numbers may become decimals.
fn label_dictionary(labels: &Labels, shown: &[bool], kind: Kind) -> (Dictionary, Vec<Code>) {
    let of_class = || {
        let pairs = labels.texts.iter().zip(shown);
        pairs.filter_map(|(text, &shown)| shown.then_some(text))
    };
    let texts: BTreeSet<&str> = of_class().flatten().map(AsRef::as_ref).collect();
    let missing = of_class().any(Option::is_none);
    // Means of whole numbers are decimals: still numbers, in their order.
    let kinds = match kind {
        Kind::Integer => &[Kind::Integer, Kind::Decimal][..],
        _ => &[kind],
    };
    let fits = |kind: &&Kind| texts.iter().all(|text| kind.fits(text));
    let kind = kinds.iter().find(fits).copied().unwrap_or(Kind::Text);
    let values: Strings = texts.into_iter().collect();
    let (dictionary, _) = Dictionary::build(&values, missing, Some(kind));
    let last = dictionary.missing().unwrap_or(dictionary.len() as Code);
    let code = |text: &Option<Box<str>>| match text {
        Some(text) => dictionary.code_of(text).unwrap_or(last),
        None => last,
    };
    let codes = labels.texts.iter().map(code).collect();
    (dictionary, codes)
}

/// Unpacks the distinct rows, repeats each as often as it was counted, and drops values that no row shows.
fn assemble(columns: &[Published], layout: &Words, rows: &Counted) -> Result<Table, Error> {
    let total = rows.counts.iter().sum::<u64>() as usize;
    let columns = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let mut distinct: Vec<Code> = layout.unpack(&rows.words, place).collect();
            let dictionary = compact(&column.dictionary, &mut distinct);
            let mut codes = Vec::with_capacity(total);
            for (&code, &count) in distinct.iter().zip(&rows.counts) {
                codes.extend(std::iter::repeat_n(code, count as usize));
            }
            Column {
                name: column.name.clone(),
                dictionary,
                codes,
            }
        })
        .collect();
    Table::new(columns).map_err(|_| Error::Internal {
        during: "putting published columns side by side",
    })
}

/// The dictionary without the values that `codes` never show; `codes` are changed to match.
fn compact(dictionary: &Arc<Dictionary>, codes: &mut [Code]) -> Arc<Dictionary> {
    let mut shown = vec![false; dictionary.len()];
    for &code in codes.iter() {
        shown[code as usize] = true;
    }
    if shown.iter().all(|&shown| shown) {
        return Arc::clone(dictionary);
    }
    let values: Strings = dictionary
        .values()
        .zip(&shown)
        .filter_map(|(text, &shown)| shown.then_some(text))
        .collect();
    let missing = dictionary
        .missing()
        .is_some_and(|code| shown[code as usize]);
    let (compact, order) = Dictionary::build(&values, missing, Some(dictionary.kind()));
    let mut next = 0;
    let renamed: Vec<Code> = shown
        .iter()
        .enumerate()
        .map(|(code, &shown)| {
            if !shown {
                return 0;
            }
            let last = compact.missing().unwrap_or_default();
            let renamed = order.get(next).copied().unwrap_or(last);
            next += usize::from(Some(code as Code) != dictionary.missing());
            renamed
        })
        .collect();
    for code in codes {
        *code = renamed[*code as usize];
    }
    Arc::new(compact)
}
