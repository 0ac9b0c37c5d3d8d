//! A small set of purposes as bits: one machine word for up to 64 purposes, more words only when needed.

use std::fmt::{self, Write as _};

/// A set of purposes, one bit each.
///
/// Bit positions are given by the [`PurposeTree`](crate::PurposeTree): the first declared purpose has the highest
/// bit, as in Table 2.7 of Kabir 2010. Equal sets are equal values, whatever operations made them.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PurposeSet {
    low: u64,
    /// Words above the first; never ends in a zero word, so that equality is structural.
    high: Vec<u64>,
}

impl PurposeSet {
    /// The empty set.
    pub const fn empty() -> Self {
        Self {
            low: 0,
            high: Vec::new(),
        }
    }

    /// The set with one bit.
    pub fn of_bit(bit: usize) -> Self {
        let mut set = Self::empty();
        set.insert(bit);
        set
    }

    /// Adds a bit.
    pub fn insert(&mut self, bit: usize) {
        if bit < 64 {
            self.low |= 1 << bit;
            return;
        }
        let word = bit / 64 - 1;
        if self.high.len() <= word {
            self.high.resize(word + 1, 0);
        }
        self.high[word] |= 1 << (bit % 64);
    }

    /// Whether the bit is in the set.
    #[inline]
    pub fn contains(&self, bit: usize) -> bool {
        if bit < 64 {
            return self.low >> bit & 1 == 1;
        }
        self.high
            .get(bit / 64 - 1)
            .is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Whether the two sets share a purpose: the bitwise AND of the compliance check.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    /// Whether the set has no purpose.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// How many purposes the set has.
    pub fn len(&self) -> usize {
        (self.low.count_ones() + self.high.iter().map(|word| word.count_ones()).sum::<u32>())
            as usize
    }

    /// Both sets together.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut out = self.clone();
        out.low |= other.low;
        if out.high.len() < other.high.len() {
            out.high.resize(other.high.len(), 0);
        }
        for (a, b) in out.high.iter_mut().zip(&other.high) {
            *a |= b;
        }
        out
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut out = self.clone();
        out.low &= !other.low;
        for (a, b) in out.high.iter_mut().zip(&other.high) {
            *a &= !b;
        }
        while out.high.last() == Some(&0) {
            out.high.pop();
        }
        out
    }

    /// The bits in the set, highest first (the order of declaration of the purposes).
    pub fn bits(&self) -> impl Iterator<Item = usize> + '_ {
        let top = 64 * (self.high.len() + 1);
        (0..top).rev().filter(|bit| self.contains(*bit))
    }

    /// The set as a number, when it fits a signed 64-bit column (at most 63 purposes).
    pub fn to_i64(&self) -> Option<i64> {
        if self.high.is_empty() {
            i64::try_from(self.low).ok()
        } else {
            None
        }
    }

    /// The set a signed 64-bit column holds; `None` for a negative number, which no set encodes to.
    pub fn from_i64(code: i64) -> Option<Self> {
        Some(Self {
            low: u64::try_from(code).ok()?,
            high: Vec::new(),
        })
    }

    /// Lower-case hexadecimal digits, `digits` or more of them.
    pub fn to_hex(&self, digits: usize) -> String {
        let mut out = String::new();
        for word in self.high.iter().rev() {
            if out.is_empty() {
                out = format!("{word:x}");
            } else {
                let _ = write!(out, "{word:016x}");
            }
        }
        if out.is_empty() {
            out = format!("{:x}", self.low);
        } else {
            let _ = write!(out, "{:016x}", self.low);
        }
        format!("{out:0>digits$}")
    }

    /// Reads hexadecimal digits of any length; `None` when there is anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let mut set = Self::empty();
        for (place, digit) in text.chars().rev().enumerate() {
            let digit = digit.to_digit(16)?;
            for bit in 0..4 {
                if digit >> bit & 1 == 1 {
                    set.insert(place * 4 + bit);
                }
            }
        }
        Some(set)
    }
}

impl fmt::Debug for PurposeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", self.to_hex(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(bits: &BTreeSet<usize>) -> PurposeSet {
        let mut out = PurposeSet::empty();
        for bit in bits {
            out.insert(*bit);
        }
        out
    }

    proptest! {
        #[test]
        fn agrees_with_ordered_sets(
            a in proptest::collection::btree_set(0usize..200, 0..12),
            b in proptest::collection::btree_set(0usize..200, 0..12),
        ) {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(x.union(&y), set(&a.union(&b).copied().collect()));
            prop_assert_eq!(x.minus(&y), set(&a.difference(&b).copied().collect()));
            prop_assert_eq!(x.meets(&y), !a.is_disjoint(&b));
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert_eq!(x.bits().collect::<Vec<_>>(), a.iter().rev().copied().collect::<Vec<_>>());
            prop_assert_eq!(PurposeSet::from_hex(&x.to_hex(3)), Some(x.clone()));
            if let Some(code) = x.to_i64() {
                prop_assert_eq!(PurposeSet::from_i64(code), Some(x));
            } else {
                prop_assert!(a.iter().any(|bit| *bit >= 63));
            }
        }
    }

    #[test]
    fn refuses_what_is_no_code() {
        assert_eq!(PurposeSet::from_hex(""), None);
        assert_eq!(PurposeSet::from_hex("0x3f"), None);
        assert_eq!(PurposeSet::from_i64(-1), None);
    }
}
