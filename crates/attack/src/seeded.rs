//! The seeded generator of [`denym_data`] with what sampling needs beside: large ranges and distinct draws.

/// A stream of numbers fixed by its seed.
#[derive(Debug, Clone)]
pub struct Draws(denym_data::SplitMix64);

impl Draws {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(denym_data::SplitMix64::new(seed))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
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
        let mut rng = Draws::new(0);
        assert_eq!(rng.next_u64(), 0xE220_A839_7B1D_CDAF);
        let mut rng = Draws::new(5);
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
