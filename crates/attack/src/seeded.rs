//! The seeded generator behind every sampled attack (`SplitMix64`), the same on every machine.

/// A stream of numbers fixed by its seed.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// `count` distinct numbers below `n` (all of them when `count >= n`), ascending.
    pub fn distinct(&mut self, count: usize, n: usize) -> Vec<usize> {
        let count = count.min(n);
        let mut chosen = std::collections::BTreeSet::new();
        // Floyd's sampling: uniform over subsets, one draw per element.
        for last in n - count..n {
            let pick = self.below(last as u64 + 1) as usize;
            if !chosen.insert(pick) {
                chosen.insert(last);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_reference_one() {
        let mut rng = SplitMix64::new(0);
        assert_eq!(rng.next_u64(), 0xE220_A839_7B1D_CDAF);
        let mut rng = SplitMix64::new(5);
        let mut hits = [0_u32; 6];
        for _ in 0..3000 {
            let two = rng.distinct(2, 6);
            assert!(two[0] < two[1] && two[1] < 6);
            for at in two {
                hits[at] += 1;
            }
        }
        assert!(
            hits.iter().all(|&h| (850..1150).contains(&h)),
            "each of 6 in about 1000 of 3000 pairs: {hits:?}"
        );
        assert_eq!(rng.distinct(9, 3), [0, 1, 2]);
    }
}
