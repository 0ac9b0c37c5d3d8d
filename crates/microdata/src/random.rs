//! Where random bits come from: a trait for callers with secrets, and a seeded generator for searches.

/// A source of random bits. Perturbation takes one from the caller, who decides whether it is secret; a known seed undoes noise.
pub trait RandomSource {
    /// The next 64 random bits.
    fn next_u64(&mut self) -> u64;

    /// A number in 0..n, n > 0, by the upper bits.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A draw of the standard normal distribution (polar method of Marsaglia and Bray).
    fn normal(&mut self) -> f64 {
        loop {
            let u = 2.0 * self.unit() - 1.0;
            let v = 2.0 * self.unit() - 1.0;
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }
}

/// The seeded generator of [`denym_data`] as a source; for searches and tests, never for secrets.
#[derive(Debug, Clone)]
pub struct SplitMix64(denym_data::SplitMix64);

impl SplitMix64 {
    /// A generator whose whole sequence follows from the seed.
    pub fn new(seed: u64) -> Self {
        Self(denym_data::SplitMix64::new(seed))
    }

    /// An independent generator for part `number` of a job with this seed.
    pub fn part(seed: u64, number: u64) -> Self {
        let mut mix = Self::new(seed ^ number.wrapping_mul(0xA076_1D64_78BD_642F));
        Self::new(mix.next_u64())
    }
}

impl RandomSource for SplitMix64 {
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_its_published_first_words() {
        let mut random = SplitMix64::new(0);
        assert_eq!(random.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.next_u64(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn normal_draws_have_mean_zero_and_variance_one() {
        let mut random = SplitMix64::new(11);
        let draws: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / 1e5;
        // Five standard errors: a false alarm in about two million seeds.
        assert!(mean.abs() < 5.0 / 1e5_f64.sqrt(), "{mean}");
        assert!(
            (variance - 1.0).abs() < 5.0 * (2.0_f64 / 1e5).sqrt(),
            "{variance}"
        );
    }
}
