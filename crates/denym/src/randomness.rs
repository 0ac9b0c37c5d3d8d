//! Random bits of the operating system, for what must not be repeated: noise, draws, distortion.

use denym_microdata::RandomSource;

use crate::Error;

/// Secret draws, for what must not be repeated.
#[derive(Default)]
pub(crate) struct SecretDraws(SystemBits);

impl SecretDraws {
    /// A number below `bound`, each as likely as the others; zero when there is none.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // The largest multiple of the bound: what lies above it would favor small numbers.
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.0.next_u64();
            if drawn < fair || self.0.failed {
                return drawn % bound;
            }
        }
    }

    /// Refuses what was drawn when the system had no randomness.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.0.failed {
            return Err(Error::NoRandomness);
        }
        Ok(())
    }
}

/// Random bits of the operating system.
pub(crate) struct SystemBits {
    buffer: [u8; 4096],
    used: usize,
    /// Whether the system had no randomness: what was drawn must not be used.
    pub(crate) failed: bool,
}

impl Default for SystemBits {
    fn default() -> Self {
        SystemBits {
            buffer: [0; 4096],
            used: 4096,
            failed: false,
        }
    }
}

impl RandomSource for SystemBits {
    fn next_u64(&mut self) -> u64 {
        if self.used == self.buffer.len() {
            if getrandom::fill(&mut self.buffer).is_err() {
                // Whatever is drawn now is thrown away; it must only differ, or a draw by rejection would never end.
                self.failed = true;
                for (at, byte) in self.buffer.iter_mut().enumerate() {
                    *byte = (at * 167 / 8) as u8;
                }
            }
            self.used = 0;
        }
        let mut word = [0; 8];
        word.copy_from_slice(&self.buffer[self.used..self.used + 8]);
        self.used += 8;
        u64::from_le_bytes(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_gives_different_bits_every_time() {
        let mut one = SystemBits::default();
        let mut two = SystemBits::default();
        let draw =
            |source: &mut SystemBits| (0..1000).map(|_| source.next_u64()).collect::<Vec<_>>();
        let (a, b) = (draw(&mut one), draw(&mut two));
        assert!(!one.failed && a != b);
        // Of 64,000 fair bits, 32,000 are set, give or take 127; eight times that is a chance of about 1e-15.
        let ones: u32 = a.iter().map(|word| word.count_ones()).sum();
        assert!(ones.abs_diff(32_000) < 1012, "{ones}");
    }
}
