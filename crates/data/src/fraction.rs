//! Exact fractions: 0.6 in a policy means 3/5, and a bound is compared without rounding.

use std::cmp::Ordering;
use std::fmt;

/// A non-negative fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: u64,
    denominator: u64,
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction {
        numerator: 0,
        denominator: 1,
    };
    /// One.
    pub const ONE: Fraction = Fraction {
        numerator: 1,
        denominator: 1,
    };

    /// `numerator / denominator`, or `None` when the denominator is zero.
    pub fn new(numerator: u64, denominator: u64) -> Option<Fraction> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator, denominator).max(1);
        Some(Fraction {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// The share of `part` in `whole`; of nothing it is zero.
    pub fn of(part: u64, whole: u64) -> Fraction {
        Fraction::new(part, whole).unwrap_or(Fraction::ZERO)
    }

    /// Reads a decimal such as `0.6`, `5`, `1e-3` exactly; `None` when it is negative, no number, or needs more than 18 digits.
    pub fn parse(text: &str) -> Option<Fraction> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.strip_prefix('+').unwrap_or(whole);
        if whole.is_empty() && part.is_empty()
            || !whole
                .bytes()
                .chain(part.bytes())
                .all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let digits = format!("{whole}{part}");
        let digits = digits.trim_start_matches('0');
        let mut numerator: u64 = if digits.is_empty() {
            0
        } else {
            digits.parse().ok()?
        };
        let mut denominator = 1_u64;
        let scale = exponent - i32::try_from(part.len()).ok()?;
        for _ in 0..scale.max(0) {
            numerator = numerator.checked_mul(10)?;
        }
        for _ in 0..(-scale).max(0) {
            denominator = denominator.checked_mul(10)?;
        }
        Fraction::new(numerator, denominator)
    }

    /// The fraction that the shortest decimal form of `value` means.
    pub fn from_decimal(value: f64) -> Option<Fraction> {
        if value.is_finite() && value >= 0.0 {
            Fraction::parse(&format!("{value}"))
        } else {
            None
        }
    }

    /// The numerator in lowest terms.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The denominator in lowest terms.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Whether `part / whole` is at most this fraction; true when both are zero.
    #[inline]
    pub fn bounds(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator)
            <= u128::from(whole) * u128::from(self.numerator)
    }

    /// Whether `part / whole` is more than this fraction; false when both are zero.
    #[inline]
    pub fn is_exceeded_by(self, part: u64, whole: u64) -> bool {
        !self.bounds(part, whole)
    }

    /// The largest whole number that is at most this fraction of `n`.
    pub fn floor_of(self, n: u64) -> u64 {
        (u128::from(n) * u128::from(self.numerator) / u128::from(self.denominator)) as u64
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

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

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

/// The greatest common divisor; that of two zeros is zero.
pub fn gcd<N: Copy + Default + PartialEq + std::ops::Rem<Output = N>>(mut a: N, mut b: N) -> N {
    while b != N::default() {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Fraction::parse("0.6"), Fraction::new(3, 5));
        assert_eq!(Fraction::from_decimal(0.1), Fraction::new(1, 10));
        assert_eq!(Fraction::parse("5"), Fraction::new(5, 1));
        assert_eq!(Fraction::parse("25e-2"), Fraction::new(1, 4));
        assert_eq!(Fraction::parse("-1"), None);
        assert_eq!(Fraction::parse("NaN"), None);
        assert_eq!(Fraction::parse("."), None);
    }

    #[test]
    fn bounds_do_not_round() {
        let third = Fraction::new(1, 3).unwrap();
        assert!(third.bounds(1, 3) && !third.is_exceeded_by(1, 3));
        assert!(Fraction::of(3, 5).is_exceeded_by(600_001, 1_000_000));
        assert!(
            Fraction::of(1, 3) < Fraction::of(2, 5) && Fraction::of(2, 4) == Fraction::of(1, 2)
        );
        assert_eq!(Fraction::of(0, 0), Fraction::ZERO);
        assert!(!third.bounds(333_334, 1_000_000));
        assert!(Fraction::parse("0.6").unwrap().bounds(3, 5));
        assert_eq!(Fraction::parse("0.05").unwrap().floor_of(30_162), 1508);
    }
}
