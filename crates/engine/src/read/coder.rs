//! Texts to codes, one column of one stretch at a time.
//!
//! # Idea
//!
//! An open-addressing table whose slots hold texts of up to 16 bytes as two words, so that most lookups are a load, a
//! multiplication and two comparisons, without touching the text itself. Longer texts are compared in the buffer of
//! distinct texts. Codes are in order of first appearance; [`super::merge`] brings the columns of all stretches
//! together and into natural order.

use datafusion::arrow::array::{Array as _, StringArray};
use denym_data::Strings;

/// The longest text that a slot holds itself.
const SHORT: usize = 16;

/// A code that stands for "no value", before missing texts are known.
pub(crate) const NULL: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
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
    slots: Vec<Slot>,
    pub(crate) texts: Strings,
    pub(crate) codes: Vec<u32>,
}

impl Coder {
    pub(crate) fn new() -> Coder {
        Coder {
            slots: vec![Slot::default(); 256],
            texts: Strings::new(),
            codes: Vec::new(),
        }
    }

    /// Codes one record.
    pub(crate) fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NULL, |text| self.code(text));
        self.codes.push(code);
    }

    /// Codes a batch of records; a null is the empty text unless `null_is_missing`.
    pub(crate) fn extend(&mut self, array: &StringArray, null_is_missing: bool) {
        let bytes = array.value_data();
        let offsets = array.value_offsets();
        self.codes.reserve(array.len());
        if array.null_count() > 0 && null_is_missing {
            for row in 0..array.len() {
                self.push(array.is_valid(row).then(|| array.value(row)));
            }
            return;
        }
        // Neighbors are often equal (sorted files, rare values): remember the last one.
        let mut last = (0, 0, u32::MAX, 0);
        let mut start = offsets[0].cast_unsigned() as usize;
        for (row, &end) in offsets[1..].iter().enumerate() {
            let end = end.cast_unsigned() as usize;
            let length = end - start;
            let code = if length <= SHORT {
                let (low, high) = short(bytes, start, length);
                if (low, high, length as u32) == (last.0, last.1, last.2) {
                    last.3
                } else {
                    let code = self.short_code(low, high, length, || array.value(row));
                    last = (low, high, length as u32, code);
                    code
                }
            } else {
                self.long_code(array.value(row))
            };
            self.codes.push(code);
            start = end;
        }
    }

    /// The code of `text`, a new one if it was never seen.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if text.len() <= SHORT {
            let (low, high) = short(text.as_bytes(), 0, text.len());
            self.short_code(low, high, text.len(), || text)
        } else {
            self.long_code(text)
        }
    }

    fn short_code<'a>(
        &mut self,
        low: u64,
        high: u64,
        length: usize,
        text: impl FnOnce() -> &'a str,
    ) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = mix(low, high ^ length as u64) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.low == low && slot.high == high && slot.length == length as u32 && slot.code > 0
            {
                return slot.code - 1;
            }
            if slot.code == 0 {
                return self.insert(at, low, high, text());
            }
            at = (at + 1) & mask;
        }
    }

    fn long_code(&mut self, text: &str) -> u32 {
        let (low, high) = long(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = mix(low, high ^ text.len() as u64) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.code == 0 {
                return self.insert(at, low, high, text);
            }
            if slot.low == low
                && slot.high == high
                && slot.length == text.len() as u32
                && self.texts.get(slot.code as usize - 1) == text
            {
                return slot.code - 1;
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, at: usize, low: u64, high: u64, text: &str) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.slots[at] = Slot {
            low,
            high,
            length: text.len() as u32,
            code: code + 1,
        };
        if self.texts.len() * 2 > self.slots.len() {
            let mask = self.slots.len() * 4 - 1;
            let mut slots = vec![Slot::default(); mask + 1];
            for slot in self.slots.iter().filter(|slot| slot.code > 0) {
                let mut at = mix(slot.low, slot.high ^ u64::from(slot.length)) as usize & mask;
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

/// Two independent hashes of a long text.
fn long(bytes: &[u8]) -> (u64, u64) {
    let (mut low, mut high) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F);
    let (blocks, rest) = bytes.as_chunks::<8>();
    for block in blocks {
        let word = u64::from_le_bytes(*block);
        low = mix(low, word);
        high = mix(word, high ^ 0x1656_67B1_9E37_79F9);
    }
    let mut block = [0; 8];
    block[..rest.len()].copy_from_slice(rest);
    let word = u64::from_le_bytes(block);
    (mix(low, word), mix(word, high))
}

/// Both halves of a 128-bit product, folded: every bit of the input reaches every bit that addresses a slot.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(b ^ 0x8BB8_4B93_962E_ACC9);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_name_their_texts(texts in prop::collection::vec(prop::option::of("[ab\0é]{0,20}"), 0..400)) {
            let array: StringArray = texts.iter().map(Option::as_deref).collect();
            for null_is_missing in [true, false] {
                let mut coder = Coder::new();
                coder.extend(&array, null_is_missing);
                for (code, text) in coder.codes.iter().zip(&texts) {
                    match text {
                        None if null_is_missing => prop_assert_eq!(*code, NULL),
                        text => prop_assert_eq!(coder.texts.get(*code as usize), text.as_deref().unwrap_or("")),
                    }
                }
                let mut distinct: Vec<&str> = coder.texts.iter().collect();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(distinct.len(), coder.texts.len());
            }
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
