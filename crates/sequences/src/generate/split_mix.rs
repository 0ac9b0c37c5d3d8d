//! The seeded generator of [`denym_data`] with draws as this crate's 32-bit codes.

/// The state; equal seeds give equal draws on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(denym_data::SplitMix64);

impl SplitMix64 {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(denym_data::SplitMix64::new(seed))
    }

    /// The next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless draw is no iterator"
    )]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0.below(u64::from(n)) as u32
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn first_draws_of_seed_zero() {
        let mut draw = super::SplitMix64::new(0);
        let first = [draw.next(), draw.next(), draw.next()];
        assert_eq!(
            first,
            [
                0xe220_a839_7b1d_cdaf,
                0x6e78_9e6a_a1b9_65f4,
                0x06c4_5d18_8009_454f
            ]
        );
    }
}
