//! A fraction between 0 and 1, compared exactly.

use std::cmp::Ordering;

/// `numerator / denominator`, never a float: a bound of 0.6 means 3/5.
#[derive(Clone, Copy, Debug)]
pub struct Fraction {
    /// Above the line.
    pub numerator: u64,
    /// Below the line; never 0 for a bound.
    pub denominator: u64,
}

impl Fraction {
    /// The whole: a bound that everything satisfies.
    pub const ONE: Self = Self::new(1, 1);
    /// Nothing.
    pub const ZERO: Self = Self::new(0, 1);

    /// `numerator / denominator`.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        Self {
            numerator,
            denominator,
        }
    }

    /// Whether `part` of `whole` is more than this fraction, exactly.
    #[inline]
    pub fn is_exceeded_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator)
            > u128::from(self.numerator) * u128::from(whole)
    }

    /// As a float, for display only.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        let right = u128::from(other.numerator) * u128::from(self.denominator);
        left.cmp(&right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_exactly() {
        assert!(Fraction::new(1, 3) < Fraction::new(2, 5));
        assert_eq!(Fraction::new(2, 4), Fraction::new(1, 2));
        assert!(!Fraction::new(3, 5).is_exceeded_by(3, 5));
        assert!(Fraction::new(3, 5).is_exceeded_by(600_001, 1_000_000));
    }
}
