//! Equal rows of words counted by sorting them: what a group-by and a sort would give, in a fraction of the time.
//!
//! # Idea
//!
//! Rows are sorted in place on all cores, and runs of equal ones are read off. There is no hash table, so memory is what the words take.
//! Up to four words move with their row; of wider rows, which are rare, only the row numbers are sorted.
//!
//! # Cost
//!
//! O(n log n) comparisons of words; ten million distinct rows take about half a second on two cores, where a general group-by with
//! a sort after it takes several.

use std::cmp::Ordering;

use rayon::prelude::*;

/// Rows with equal words, counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The words of each distinct row, ascending.
    pub(crate) words: Vec<Vec<u64>>,
    /// How many rows have them.
    pub(crate) counts: Vec<u64>,
}

/// The distinct rows of `words` in ascending order, each counted as often as `each` says, once where it says nothing.
pub(crate) fn counted(words: Vec<Vec<u64>>, each: Option<&[u64]>) -> Counted {
    match (words.len(), each) {
        (1, None) => {
            let mut only = words.into_iter().next().unwrap_or_default();
            only.par_sort_unstable();
            let (keys, counts) = runs(&only, |a, b| a == b, |_| 1);
            Counted {
                words: vec![keys.into_iter().copied().collect()],
                counts,
            }
        }
        (1, _) => moved::<1>(&words, each),
        (2, _) => moved::<2>(&words, each),
        (3, _) => moved::<3>(&words, each),
        (4, _) => moved::<4>(&words, each),
        _ => ranked(&words, each),
    }
}

/// Rows that move with their words.
fn moved<const WORDS: usize>(words: &[Vec<u64>], each: Option<&[u64]>) -> Counted {
    let rows = words.first().map_or(0, Vec::len);
    let mut rows: Vec<([u64; WORDS], u64)> = (0..rows)
        .into_par_iter()
        .map(|row| {
            let key = std::array::from_fn(|word| words[word][row]);
            (key, each.map_or(1, |each| each[row]))
        })
        .collect();
    rows.par_sort_unstable();
    let (keys, counts) = runs(&rows, |a, b| a.0 == b.0, |row| row.1);
    let words = (0..WORDS)
        .map(|word| keys.iter().map(|row| row.0[word]).collect())
        .collect();
    Counted { words, counts }
}

/// Rows of any width, by their numbers.
fn ranked(words: &[Vec<u64>], each: Option<&[u64]>) -> Counted {
    let rows = words.first().map_or(0, Vec::len);
    let order = |&a: &usize, &b: &usize| {
        words
            .iter()
            .map(|word| word[a].cmp(&word[b]))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    let mut rows: Vec<usize> = (0..rows).collect();
    rows.par_sort_unstable_by(order);
    let same = |a: &usize, b: &usize| order(a, b).is_eq();
    let (keys, counts) = runs(&rows, same, |&row| each.map_or(1, |each| each[row]));
    let words = words
        .iter()
        .map(|word| keys.iter().map(|&&row| word[row]).collect())
        .collect();
    Counted { words, counts }
}

/// One of each run of equal rows in a sorted list, and how often it occurs.
fn runs<T>(
    sorted: &[T],
    same: impl Fn(&T, &T) -> bool,
    count: impl Fn(&T) -> u64,
) -> (Vec<&T>, Vec<u64>) {
    let (mut keys, mut counts) = (Vec::new(), Vec::new());
    for run in sorted.chunk_by(same) {
        keys.push(&run[0]);
        counts.push(run.iter().map(&count).sum());
    }
    (keys, counts)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_map(rows in prop::collection::vec((prop::array::uniform6(0_u64..3), 0_u64..4), 0..200), width in 1..7_usize, weighed in any::<bool>()) {
            let words: Vec<Vec<u64>> = (0..width)
                .map(|word| rows.iter().map(|row| row.0[word]).collect())
                .collect();
            let each: Vec<u64> = rows.iter().map(|row| row.1).collect();
            let mut expected: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
            for (row, &times) in each.iter().enumerate() {
                let key = words.iter().map(|word| word[row]).collect();
                *expected.entry(key).or_default() += if weighed { times } else { 1 };
            }
            let found = counted(words, weighed.then_some(&each));
            let keys: Vec<Vec<u64>> = (0..found.counts.len())
                .map(|row| found.words.iter().map(|word| word[row]).collect())
                .collect();
            let found: Vec<(Vec<u64>, u64)> = keys.into_iter().zip(found.counts).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
