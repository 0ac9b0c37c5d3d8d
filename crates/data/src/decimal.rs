//! Decimal numbers as written, compared and divided without rounding.

use std::cmp::Ordering;

use crate::Fraction;

/// A number written with digits and at most one point, kept exactly.
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    mantissa: i128,
    /// Digits after the point; at most [`Decimal::MOST_DIGITS`].
    scale: u32,
}

impl Decimal {
    /// More digits than this are not needed by any data set we know, and keep products within 128 bits.
    pub const MOST_DIGITS: usize = 18;

    /// Reads `-12.50`; `None` for exponents, infinities, blanks and more than 18 digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let mut mantissa = 0_i128;
        let mut scale = 0_u32;
        let mut count = 0;
        let mut seen_point = false;
        for byte in digits.bytes() {
            match byte {
                b'0'..=b'9' => {
                    mantissa = mantissa * 10 + i128::from(byte - b'0');
                    count += 1;
                    scale += u32::from(seen_point);
                    if count > Decimal::MOST_DIGITS {
                        return None;
                    }
                }
                b'.' if !seen_point => seen_point = true,
                _ => return None,
            }
        }
        if count == 0 {
            return None;
        }
        Some(Decimal {
            mantissa: if negative { -mantissa } else { mantissa },
            scale,
        })
    }

    /// The same number; `None` for a fraction that no decimal of 18 places after the point can hold.
    pub fn exactly(value: Fraction) -> Option<Decimal> {
        let (numerator, denominator) = (
            i128::from(value.numerator()),
            i128::from(value.denominator()),
        );
        let most = u32::try_from(Decimal::MOST_DIGITS).ok()?;
        (0..=most).find_map(|scale| {
            let shifted = numerator * 10_i128.pow(scale);
            (shifted % denominator == 0).then(|| Decimal {
                mantissa: shifted / denominator,
                scale,
            })
        })
    }

    /// A whole number.
    pub fn whole(value: i64) -> Decimal {
        Decimal {
            mantissa: i128::from(value),
            scale: 0,
        }
    }

    /// Digits after the point.
    pub fn scale(self) -> u32 {
        self.scale
    }

    /// The number times `10^scale` as a whole number; `scale` must be at least this number's own.
    pub fn scaled(self, scale: u32) -> i128 {
        debug_assert!(scale >= self.scale, "scaling down would round");
        self.mantissa * 10_i128.pow(scale - self.scale)
    }

    /// Writes `mantissa / 10^scale` without trailing zeros after the point.
    pub fn format(mantissa: i128, scale: u32) -> String {
        let unit = 10_i128.pow(scale);
        let sign = if mantissa < 0 { "-" } else { "" };
        let (whole, part) = (
            mantissa.unsigned_abs() / unit.unsigned_abs(),
            mantissa.unsigned_abs() % unit.unsigned_abs(),
        );
        if part == 0 {
            return format!("{sign}{whole}");
        }
        let part = format!("{part:0width$}", width = scale as usize);
        format!("{sign}{whole}.{}", part.trim_end_matches('0'))
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.mantissa as f64 / 10_f64.powi(self.scale.cast_signed())
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        self.scaled(scale).cmp(&other.scaled(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_orders_as_written() {
        let parse = |text| Decimal::parse(text).unwrap();
        assert_eq!(parse("1.50"), parse("1.5"));
        assert!(parse("-2") < parse("-1.999"));
        assert!(parse("0.3") > parse("0.29"));
        for bad in [
            "",
            "-",
            ".",
            "1e5",
            "NaN",
            "inf",
            "1.2.3",
            "1234567890123456789",
        ] {
            assert!(Decimal::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn formats_without_trailing_zeros() {
        assert_eq!(Decimal::format(1250, 2), "12.5");
        assert_eq!(Decimal::format(-5, 2), "-0.05");
        assert_eq!(Decimal::format(300, 2), "3");
    }

    #[test]
    fn a_fraction_becomes_a_decimal_without_rounding() {
        for text in [
            "0",
            "0.6",
            "2.5",
            "9007199254740993",
            "0.12345678901234567",
            "123456789.123456789",
        ] {
            let fraction = Fraction::parse(text).unwrap();
            assert_eq!(Decimal::exactly(fraction), Decimal::parse(text), "{text}");
        }
        let third = Fraction::new(1, 3).unwrap();
        assert_eq!(Decimal::exactly(third), None);
        // The largest that a policy can hold still compares with the smallest cell that can be read.
        let large = Decimal::exactly(Fraction::of(u64::MAX, 1)).unwrap();
        assert!(large > Decimal::parse("0.00000000000000001").unwrap());
    }
}
