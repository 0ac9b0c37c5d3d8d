//! Where rows of words stand among distinct rows: the lookup that ties a record to its tuple.
//!
//! An open-addressing table of row numbers, at most half full; the words themselves stay where they are.

use crate::hash::Key;

/// Distinct rows, found by their words.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    rows: &'a [Vec<u64>],
    /// Row number plus one; 0 is a free slot.
    slots: Vec<u32>,
    key: Key,
}

impl<'a> Places<'a> {
    /// For rows that are all different; there are fewer than 2^32 of them.
    pub(crate) fn new(rows: &'a [Vec<u64>]) -> Places<'a> {
        let count = rows.first().map_or(0, Vec::len);
        let mut slots = vec![0; (count * 2).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        let key = Key::of_this_process();
        for row in 0..count {
            let mut at = hash(key, rows.iter().map(|word| word[row])) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = row as u32 + 1;
        }
        Places { rows, slots, key }
    }

    /// The row that equals row `at` of `words`.
    pub(crate) fn find(&self, words: &[Vec<u64>], at: usize) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(self.key, words.iter().map(|word| word[at])) as usize & mask;
        loop {
            let row = (self.slots[slot] as usize).checked_sub(1)?;
            let mut pairs = self.rows.iter().zip(words);
            if pairs.all(|(rows, words)| rows[row] == words[at]) {
                return Some(row);
            }
            slot = (slot + 1) & mask;
        }
    }
}

fn hash(key: Key, words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0x9E37_79B9_7F4A_7C15, |hash, word| key.mix(hash, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_is_found_and_no_other(rows in prop::collection::btree_set(prop::array::uniform2(0_u64..30), 0..60), asked in prop::collection::vec(prop::array::uniform2(0_u64..30), 1..60)) {
            let columns = |rows: Vec<[u64; 2]>| -> Vec<Vec<u64>> {
                (0..2).map(|word| rows.iter().map(|row| row[word]).collect()).collect()
            };
            let rows: Vec<[u64; 2]> = rows.into_iter().collect();
            let words = columns(rows.clone());
            let places = Places::new(&words);
            let wanted = columns(asked.clone());
            for (at, row) in asked.iter().enumerate() {
                prop_assert_eq!(places.find(&wanted, at), rows.iter().position(|other| other == row));
            }
        }
    }
}
