//! Tuples of codes of any width as a few 64-bit words that order as the tuples do.

use denym_data::Code;

/// Consecutive columns share a word as long as they fit; the first column is the highest of the first word.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// For each column, its word and how far it is shifted there.
    places: Vec<(usize, u32)>,
    masks: Vec<u64>,
    count: usize,
}

impl Words {
    /// A layout for columns with these numbers of codes. There is always at least one word.
    pub(crate) fn new(cardinalities: &[usize]) -> Words {
        let widths: Vec<u32> = cardinalities
            .iter()
            .map(|&n| usize::BITS - n.saturating_sub(1).leading_zeros())
            .collect();
        let mut word = 0;
        let mut used = 0;
        let mut words = Vec::with_capacity(widths.len());
        for &width in &widths {
            if used + width > 64 {
                word += 1;
                used = 0;
            }
            used += width;
            words.push(word);
        }
        let mut free = vec![0; word + 1];
        let mut places = vec![(0, 0); widths.len()];
        for column in (0..widths.len()).rev() {
            let word = words[column];
            places[column] = (word, free[word]);
            free[word] += widths[column];
        }
        let masks = widths
            .iter()
            .map(|&width| 1_u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1))
            .collect();
        Words {
            places,
            masks,
            count: word + 1,
        }
    }

    /// How many words a tuple takes.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The word `column` is in.
    pub(crate) fn word(&self, column: usize) -> usize {
        self.places[column].0
    }

    /// Adds the codes of `column` to `words`, one code per row.
    pub(crate) fn add(
        &self,
        words: &mut [Vec<u64>],
        column: usize,
        codes: impl Iterator<Item = Code>,
    ) {
        let (word, shift) = self.places[column];
        if self.masks[column] == 0 {
            return;
        }
        for (word, code) in words[word].iter_mut().zip(codes) {
            *word |= u64::from(code) << shift;
        }
    }

    /// The words of rows given as columns of codes, in the order of the layout.
    pub(crate) fn pack(&self, columns: &[&[Code]], rows: usize) -> Vec<Vec<u64>> {
        let mut words = vec![vec![0; rows]; self.count];
        for (column, codes) in columns.iter().enumerate() {
            self.add(&mut words, column, codes.iter().copied());
        }
        words
    }

    /// The code of `column` in each row of `words`.
    pub(crate) fn unpack<'a>(
        &self,
        words: &'a [Vec<u64>],
        column: usize,
    ) -> impl ExactSizeIterator<Item = Code> + 'a {
        let (word, shift) = self.places[column];
        let mask = self.masks[column];
        words[word]
            .iter()
            .map(move |word| (word.checked_shr(shift).unwrap_or(0) & mask) as Code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_tuples_take_several_words() {
        assert_eq!(Words::new(&[]).count(), 1);
        assert_eq!(Words::new(&[1, 1]).count(), 1);
        assert_eq!(Words::new(&[1 << 32, 1 << 32]).count(), 1);
        assert_eq!(Words::new(&[1 << 32, 1 << 32, 2]).count(), 2);
    }

    proptest! {
        #[test]
        fn words_order_as_tuples(rows in prop::collection::vec((0_u32..3, 0_u32..70_000, any::<u32>(), 0_u32..1, any::<u32>(), 0_u32..9), 1..20)) {
            let layout = Words::new(&[3, 70_000, 1 << 32, 1, 1 << 32, 9]);
            let columns: Vec<Vec<u32>> = (0..6)
                .map(|c| rows.iter().map(|r| [r.0, r.1, r.2, r.3, r.4, r.5][c]).collect())
                .collect();
            let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
            let words = layout.pack(&slices, rows.len());
            prop_assert_eq!(words.len(), layout.count());
            for (column, codes) in columns.iter().enumerate() {
                prop_assert_eq!(&layout.unpack(&words, column).collect::<Vec<_>>(), codes);
            }
            let tuple = |row: usize| words.iter().map(|word| word[row]).collect::<Vec<_>>();
            for a in 0..rows.len() {
                for b in 0..rows.len() {
                    prop_assert_eq!(tuple(a).cmp(&tuple(b)), rows[a].cmp(&rows[b]));
                }
            }
        }
    }
}
