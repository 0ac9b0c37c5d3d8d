//! Several codes in one machine word, so that tuples compare, hash and sort as numbers.

/// How tuples of codes are laid out in one `u128`, first column highest, so that keys order as tuples do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    bits: Vec<u32>,
    total: u32,
}

impl Packing {
    /// A layout for columns with these numbers of codes; `None` when a tuple does not fit into 128 bits.
    pub fn new(cardinalities: &[usize]) -> Option<Packing> {
        let bits: Vec<u32> = cardinalities.iter().map(|&n| bits_for(n)).collect();
        let total = bits.iter().sum();
        (total <= 128).then_some(Packing { bits, total })
    }

    /// Bits of a whole key.
    pub fn bits(&self) -> u32 {
        self.total
    }

    /// Bits of each column, first column highest.
    pub fn widths(&self) -> &[u32] {
        &self.bits
    }

    /// The key of one tuple.
    pub fn pack(&self, codes: impl IntoIterator<Item = u32>) -> u128 {
        self.bits
            .iter()
            .zip(codes)
            .fold(0, |key, (&bits, code)| (key << bits) | u128::from(code))
    }

    /// The codes of one key.
    pub fn unpack(&self, key: u128) -> Vec<u32> {
        let mut codes = vec![0; self.bits.len()];
        let mut rest = key;
        for (code, &bits) in codes.iter_mut().zip(&self.bits).rev() {
            *code = (rest & ((1_u128 << bits) - 1)) as u32;
            rest >>= bits;
        }
        codes
    }
}

/// Bits that hold every code below `n`.
fn bits_for(n: usize) -> u32 {
    usize::BITS - n.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_wide_a_tuple_has_no_layout() {
        assert!(Packing::new(&[1 << 20; 7]).is_none());
        assert_eq!(Packing::new(&[1, 2, 3]).unwrap().bits(), 3);
        assert_eq!(Packing::new(&[]).unwrap().pack([]), 0);
    }

    proptest! {
        #[test]
        fn keys_order_as_tuples(tuples in prop::collection::vec((0_u32..5, 0_u32..300, 0_u32..1, 0_u32..70_000), 2)) {
            let packing = Packing::new(&[5, 300, 1, 70_000]).unwrap();
            let as_vec = |t: (u32, u32, u32, u32)| vec![t.0, t.1, t.2, t.3];
            let (a, b) = (as_vec(tuples[0]), as_vec(tuples[1]));
            let (ka, kb) = (packing.pack(a.iter().copied()), packing.pack(b.iter().copied()));
            prop_assert_eq!(ka.cmp(&kb), a.cmp(&b));
            prop_assert_eq!(packing.unpack(ka), a);
        }
    }
}
