//! Texts to codes, one column of one stretch at a time.
//!
//! # Idea
//!
//! An open-addressing table whose slots hold texts of up to 16 bytes as two words, so that most lookups are a load, a
//! multiplication and two comparisons, without touching the text itself. Longer texts are compared in the buffer of
//! distinct texts. Codes are in order of first appearance; [`super::merge`] brings the columns of all stretches
//! together and into natural order.

use arrow_array::{Array as _, StringArray};
use denym_data::Strings;

use crate::hash::Key;

/// The longest text that a slot holds itself.
const SHORT: usize = 16;

/// Slots at first: a file may have thousands of columns with a few texts each.
const FEW: usize = 8;

/// A code that stands for "no value", before missing texts are known.
pub(crate) const NULL: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct CodeSlot {
    /// The text itself when it is short, else its hash.
    low: u64,
    high: u64,
    length: u32,
    /// Code plus one; 0 is a free slot.
    code: u32,
}

/// The distinct texts of a column of one stretch and a code for each record.
#[derive(Debug)]
pub(crate) struct Coder {
    slots: Vec<CodeSlot>,
    key: Key,
    /// The last short text of a cell.
    last: CodeSlot,
    pub(crate) texts: Strings,
    pub(crate) codes: Vec<u32>,
}

impl Coder {
    pub(crate) fn new() -> Coder {
        Coder {
            slots: vec![CodeSlot::default(); FEW],
            key: Key::of_this_process(),
            last: CodeSlot::default(),
            texts: Strings::new(),
            codes: Vec::new(),
        }
    }

    /// Codes one record.
    pub(crate) fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NULL, |text| self.code(text));
        self.codes.push(code);
    }

    /// Codes a batch of records; nulls are missing.
    pub(crate) fn extend(&mut self, array: &StringArray) {
        let bytes = array.value_data();
        let offsets = array.value_offsets();
        self.codes.reserve(array.len());
        for (row, ends) in offsets.windows(2).enumerate() {
            if array.is_null(row) {
                self.codes.push(NULL);
            } else {
                let (start, end) = (ends[0].cast_unsigned(), ends[1].cast_unsigned());
                self.push_cell(bytes, start as usize, end as usize);
            }
        }
    }

    /// Codes one record whose text is `bytes[start..end]`.
    pub(crate) fn push_cell(&mut self, bytes: &[u8], start: usize, end: usize) {
        let length = end - start;
        let code = if length <= SHORT {
            let (low, high) = short(bytes, start, length);
            // Neighbors are often equal (sorted files, rare values): remember the last one.
            if (low, high, length as u32) == (self.last.low, self.last.high, self.last.length)
                && self.last.code > 0
            {
                self.last.code - 1
            } else {
                let code = self.short_code(low, high, &bytes[start..end]);
                self.last = CodeSlot {
                    low,
                    high,
                    length: length as u32,
                    code: code + 1,
                };
                code
            }
        } else {
            self.long_code(&bytes[start..end])
        };
        self.codes.push(code);
    }

    /// The code of `text`, a new one if it was never seen.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        let text = text.as_bytes();
        if text.len() <= SHORT {
            let (low, high) = short(text, 0, text.len());
            self.short_code(low, high, text)
        } else {
            self.long_code(text)
        }
    }

    fn short_code(&mut self, low: u64, high: u64, text: &[u8]) -> u32 {
        let length = text.len();
        let mask = self.slots.len() - 1;
        let mut at = self.key.mix(low, high ^ length as u64) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.low == low && slot.high == high && slot.length == length as u32 && slot.code > 0
            {
                return slot.code - 1;
            }
            if slot.code == 0 {
                return self.insert(at, low, high, text);
            }
            at = (at + 1) & mask;
        }
    }

    fn long_code(&mut self, text: &[u8]) -> u32 {
        let (low, high) = self.key.long(text);
        let mask = self.slots.len() - 1;
        let mut at = self.key.mix(low, high ^ text.len() as u64) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.code == 0 {
                return self.insert(at, low, high, text);
            }
            if slot.low == low
                && slot.high == high
                && slot.length == text.len() as u32
                && self.texts.get(slot.code as usize - 1).as_bytes() == text
            {
                return slot.code - 1;
            }
            at = (at + 1) & mask;
        }
    }

    /// A new text. Cells come from swept files and from strings, so they are UTF-8; anything else is replaced, not trusted.
    fn insert(&mut self, at: usize, low: u64, high: u64, text: &[u8]) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(&String::from_utf8_lossy(text));
        self.slots[at] = CodeSlot {
            low,
            high,
            length: text.len() as u32,
            code: code + 1,
        };
        if self.texts.len() * 2 > self.slots.len() {
            let mask = self.slots.len() * 4 - 1;
            let mut slots = vec![CodeSlot::default(); mask + 1];
            for slot in self.slots.iter().filter(|slot| slot.code > 0) {
                let word = self.key.mix(slot.low, slot.high ^ u64::from(slot.length));
                let mut at = word as usize & mask;
                while slots[at].code > 0 {
                    at = (at + 1) & mask;
                }
                slots[at] = *slot;
            }
            self.slots = slots;
        }
        code
    }
}

/// A short text as two words, zero beyond its end. The length is kept beside them, since a text may end in zeros.
fn short(bytes: &[u8], start: usize, length: usize) -> (u64, u64) {
    // One unconditional load where the buffer allows it; the last cells of a batch take the slow way.
    if let Some(Ok(block)) = bytes.get(start..start + SHORT).map(<[u8; SHORT]>::try_from) {
        let word = u128::from_le_bytes(block);
        let mask = 1_u128
            .checked_shl(length as u32 * 8)
            .map_or(u128::MAX, |bit| bit - 1);
        let word = word & mask;
        (word as u64, (word >> 64) as u64)
    } else {
        let mut block = [0; SHORT];
        block[..length].copy_from_slice(&bytes[start..start + length]);
        let word = u128::from_le_bytes(block);
        (word as u64, (word >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_name_their_texts(texts in prop::collection::vec(prop::option::of("[ab\0é]{0,20}"), 0..400)) {
            let array: StringArray = texts.iter().map(Option::as_deref).collect();
            let mut coder = Coder::new();
            coder.extend(&array);
            for (code, text) in coder.codes.iter().zip(&texts) {
                match text {
                    None => prop_assert_eq!(*code, NULL),
                    Some(text) => prop_assert_eq!(coder.texts.get(*code as usize), text),
                }
            }
            let mut distinct: Vec<&str> = coder.texts.iter().collect();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), coder.texts.len());
        }
    }

    #[test]
    fn many_texts_make_the_table_grow() {
        let mut coder = Coder::new();
        for round in 0..2 {
            for number in 0..5000_u32 {
                assert_eq!(coder.code(&number.to_string()), number, "round {round}");
            }
        }
        assert_eq!(coder.code(&"long ".repeat(9)), 5000);
        assert_eq!(coder.code(&"long ".repeat(9)), 5000);
    }
}
