//! Records that agree on some columns, brought together: the one grouping kernel of this crate.
//!
//! # Idea
//!
//! The codes of a record are packed into one machine word with the record's number below them; sorting the words brings equal
//! tuples together, in the order of their codes and, within a class, of their records. Few possible tuples are counted into place
//! instead. Tuples that do not fit into a word are ranked a few columns at a time.
//!
//! # Cost
//!
//! n log n on all cores, or n when there are few possible tuples. A million records by nine columns take some tens of
//! milliseconds.

use rayon::prelude::*;

/// One code per record and the number of possible codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis<'a> {
    pub(crate) codes: &'a [u32],
    pub(crate) cardinality: usize,
}

/// Records by class; classes in ascending order of their tuples, records ascending within each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partition {
    rows: Vec<u32>,
    /// Where each class starts in `rows`, and the end of the last.
    starts: Vec<usize>,
}

impl Partition {
    /// Groups `records` records by their codes on `axes`; without axes all records are one class.
    pub(crate) fn of(axes: &[Axis<'_>], records: usize) -> Partition {
        debug_assert!(u32::try_from(records).is_ok(), "row numbers have 32 bits");
        if records == 0 {
            return Partition {
                rows: Vec::new(),
                starts: vec![0],
            };
        }
        let row_bits = bits_for(records);
        let widths: Vec<u32> = axes.iter().map(|axis| bits_for(axis.cardinality)).collect();
        let bits: u32 = widths.iter().sum();
        // Direct addressing pays while the counters stay near the cache.
        if bits <= 20 && (1_usize << bits) <= 4 * records.max(1024) {
            return counted(axes, &widths, records, bits);
        }
        if bits + row_bits <= 64 {
            let mut words: Vec<u64> = (0..records)
                .into_par_iter()
                .with_min_len(4096)
                .map(|row| {
                    let key = axes.iter().zip(&widths).fold(0, |key, (axis, width)| {
                        key << width | u64::from(axis.codes[row])
                    });
                    key << row_bits | row as u64
                })
                .collect();
            words.par_sort_unstable();
            return boundaries(
                &words,
                |word| word >> row_bits,
                |word| (word & ((1 << row_bits) - 1)) as u32,
            );
        }
        if bits + row_bits <= 128 {
            let mut words: Vec<u128> = (0..records)
                .into_par_iter()
                .with_min_len(4096)
                .map(|row| {
                    let key = axes.iter().zip(&widths).fold(0, |key, (axis, width)| {
                        key << width | u128::from(axis.codes[row])
                    });
                    key << row_bits | row as u128
                })
                .collect();
            words.par_sort_unstable();
            return boundaries(
                &words,
                |word| word >> row_bits,
                |word| (word & ((1 << row_bits) - 1)) as u32,
            );
        }
        // Too wide: rank the first columns that fit, then go on with their rank as one column.
        let mut fit = 0;
        let mut used = row_bits;
        while used + widths[fit] <= 128 {
            used += widths[fit];
            fit += 1;
        }
        let fit = fit.max(2);
        let head = Partition::of(&axes[..fit], records);
        let ranks = head.class_of();
        let mut rest = vec![Axis {
            codes: &ranks,
            cardinality: head.classes(),
        }];
        rest.extend_from_slice(&axes[fit..]);
        Partition::of(&rest, records)
    }

    /// The classes that are listed; a record may stand in several.
    pub(crate) fn of_lists(lists: impl IntoIterator<Item = Vec<u32>>) -> Partition {
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for list in lists {
            rows.extend(list);
            starts.push(rows.len());
        }
        Partition { rows, starts }
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The records of `class`, ascending.
    pub(crate) fn rows(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class]..self.starts[class + 1]]
    }

    /// Records of `class`.
    pub(crate) fn size(&self, class: usize) -> usize {
        self.starts[class + 1] - self.starts[class]
    }

    /// Records of all classes.
    pub(crate) fn records(&self) -> usize {
        self.rows.len()
    }

    /// The classes that `keep` says yes to.
    pub(crate) fn filtered(&self, keep: impl Fn(usize) -> bool) -> Partition {
        let mut rows = Vec::with_capacity(self.rows.len());
        let mut starts = vec![0];
        for class in (0..self.classes()).filter(|&class| keep(class)) {
            rows.extend_from_slice(self.rows(class));
            starts.push(rows.len());
        }
        Partition { rows, starts }
    }

    /// This partition of the classes of `finer`, as a partition of its records.
    pub(crate) fn composed(&self, finer: &Partition) -> Partition {
        let mut rows = Vec::with_capacity(finer.rows.len());
        let mut starts = vec![0];
        for class in 0..self.classes() {
            for &part in self.rows(class) {
                rows.extend_from_slice(finer.rows(part as usize));
            }
            starts.push(rows.len());
        }
        Partition { rows, starts }
    }

    /// Replaces each record number by `names[number]`.
    pub(crate) fn renumber(&mut self, names: &[u32]) {
        for row in &mut self.rows {
            *row = names[*row as usize];
        }
    }

    /// The class of each record, when none was left out.
    pub(crate) fn class_of(&self) -> Vec<u32> {
        let records = self.rows.iter().max().map_or(0, |&row| row as usize + 1);
        let mut class_of = vec![0; records];
        for class in 0..self.classes() {
            for &row in self.rows(class) {
                class_of[row as usize] = class as u32;
            }
        }
        class_of
    }
}

fn counted(axes: &[Axis<'_>], widths: &[u32], records: usize, bits: u32) -> Partition {
    let keys: Vec<u32> = (0..records)
        .into_par_iter()
        .with_min_len(4096)
        .map(|row| {
            axes.iter()
                .zip(widths)
                .fold(0, |key, (axis, width)| key << width | axis.codes[row])
        })
        .collect();
    let mut next = vec![0_u32; 1 << bits];
    for &key in &keys {
        next[key as usize] += 1;
    }
    let mut starts = vec![0];
    let mut end = 0_u32;
    for slot in &mut next {
        let count = *slot;
        *slot = end;
        if count > 0 {
            end += count;
            starts.push(end as usize);
        }
    }
    let mut rows = vec![0; records];
    for (row, &key) in keys.iter().enumerate() {
        let slot = &mut next[key as usize];
        rows[*slot as usize] = row as u32;
        *slot += 1;
    }
    Partition { rows, starts }
}

fn boundaries<W: Copy + Send + Sync, K: PartialEq>(
    words: &[W],
    key: impl Fn(W) -> K + Sync,
    row: impl Fn(W) -> u32 + Sync + Send,
) -> Partition {
    let mut starts = vec![0];
    starts.extend(
        words
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| key(pair[0]) != key(pair[1]))
            .map(|(index, _)| index + 1),
    );
    starts.push(words.len());
    Partition {
        rows: words
            .par_iter()
            .with_min_len(4096)
            .map(|&word| row(word))
            .collect(),
        starts,
    }
}

/// Bits that hold every code below `n`.
pub(crate) fn bits_for(n: usize) -> u32 {
    usize::BITS - n.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn brute(columns: &[Vec<u32>], records: usize) -> Vec<Vec<u32>> {
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in 0..records {
            let tuple = columns.iter().map(|column| column[row]).collect();
            classes.entry(tuple).or_default().push(row as u32);
        }
        classes.into_values().collect()
    }

    proptest! {
        /// Every layout, from direct addressing to tuples of several words, gives the same classes in the same order.
        #[test]
        fn agrees_with_a_map(
            rows in prop::collection::vec(prop::collection::vec(0_u32..4, 6), 0..60),
            cardinality in prop::sample::select(vec![4_usize, 1 << 9, 1 << 20, 1 << 31]),
        ) {
            let columns: Vec<Vec<u32>> =
                (0..6).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
            let axes: Vec<Axis<'_>> = columns.iter().map(|codes| Axis { codes, cardinality }).collect();
            let partition = Partition::of(&axes, rows.len());
            let classes: Vec<Vec<u32>> =
                (0..partition.classes()).map(|class| partition.rows(class).to_vec()).collect();
            prop_assert_eq!(classes, brute(&columns, rows.len()));
        }
    }

    #[test]
    fn no_columns_is_one_class() {
        let partition = Partition::of(&[], 3);
        assert_eq!(partition.classes(), 1);
        assert_eq!(partition.rows(0), [0, 1, 2]);
        assert_eq!(Partition::of(&[], 0).classes(), 0);
    }
}
