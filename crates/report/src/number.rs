//! Numbers for people: grouped thousands, few digits, never `NaN`.

/// Shown where a number is not one.
const NONE: &str = "n/a";

/// A count with grouped thousands: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share as percent: `0.1234` is `12.3 %`; what is small but not nothing never reads as 0, what is not all never as 100.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NONE.to_owned();
    }
    let value = share * 100.0;
    let text = if value > 0.0 && value < 0.1 {
        "< 0.1".to_owned()
    } else if value > 99.9 && value < 100.0 {
        "> 99.9".to_owned()
    } else {
        trim(&format!("{value:.1}"))
    };
    format!("{text}\u{a0}%")
}

/// A plain number with at most four significant decimals: `3`, `0.1429`, `12,345.5`.
pub fn decimal(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let size = value.abs();
    if size > 0.0 && size < 1e-4 {
        // More places than anybody reads, but it is not nothing.
        return if value > 0.0 { "< 0.0001" } else { "> -0.0001" }.to_owned();
    }
    if size >= 1e15 {
        return format!("{value:.3e}");
    }
    let places = match size {
        s if s >= 1000.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 1.0 => 3,
        _ => 4,
    };
    let text = trim(&format!("{size:.places$}"));
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 && text != "0" { "-" } else { "" };
    let whole = count(whole.parse().unwrap_or(0));
    if rest.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{rest}")
    }
}

/// A coordinate: one decimal is a tenth of a pixel.
pub(crate) fn coordinate(value: f64) -> String {
    let text = trim(&format!("{value:.1}"));
    if text == "-0" { "0".to_owned() } else { text }
}

/// The whole part of a number as a count; nothing when it is negative or no number.
#[expect(
    clippy::cast_sign_loss,
    reason = "the cast saturates: negative and NaN are 0"
)]
pub(crate) fn whole(value: f64) -> usize {
    value as usize
}

fn trim(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

/// The least of 1, 2, 5, 10, 20, 50, ... that is `at_least`: which labels to keep so that the kept ones are round.
pub(crate) fn stride(at_least: f64) -> usize {
    let mut power = 1;
    loop {
        for step in [power, 2 * power, 5 * power] {
            // a billion labels do not fit anywhere; it ends the loop when `at_least` is no number
            if step as f64 >= at_least || step > 1_000_000_000 {
                return step;
            }
        }
        power *= 10;
    }
}

/// Ticks of an axis from 0 or below to `max` or above, at steps of 1, 2 or 5 times a power of ten.
pub(crate) fn ticks(min: f64, max: f64, about: usize) -> Vec<f64> {
    let span = max - min;
    if !span.is_finite() || span <= 0.0 {
        let low = if min.is_finite() { min } else { 0.0 };
        return vec![low, low + 1.0];
    }
    let rough = span / about.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|m| m * power)
        .into_iter()
        .find(|&step| step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let (first, last) = ((min / step).floor(), (max / step - 1e-9).ceil());
    // 60 is far above what `about` asks for; it bounds the loop when rounding fails at extreme magnitudes.
    let steps = whole((last - first).max(1.0)).min(60);
    (0..=steps).map(|i| (first + i as f64) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn percent_does_not_lie_at_the_ends() {
        assert_eq!(percent(0.0), "0\u{a0}%");
        assert_eq!(percent(0.0001), "< 0.1\u{a0}%");
        assert_eq!(percent(0.9999), "> 99.9\u{a0}%");
        assert_eq!(percent(1.0), "100\u{a0}%");
        assert_eq!(percent(0.1234), "12.3\u{a0}%");
        assert_eq!(percent(f64::NAN), "n/a");
    }

    #[test]
    fn decimals_are_short() {
        for (value, text) in [
            (3.0, "3"),
            (1.0 / 7.0, "0.1429"),
            (12_345.54, "12,345.5"),
            (-0.5, "-0.5"),
            (0.00002, "< 0.0001"),
            (-0.00002, "> -0.0001"),
            (6.25e17, "6.250e17"),
            (f64::INFINITY, "n/a"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }

    #[test]
    fn ticks_cover_the_range() {
        assert_eq!(
            ticks(0.0, 0.34, 4),
            [0.0, 0.1, 0.2, 0.300_000_000_000_000_04, 0.4]
        );
        assert_eq!(ticks(0.0, 100.0, 4), [0.0, 50.0, 100.0]);
        assert_eq!(ticks(0.0, 0.0, 4), [0.0, 1.0]);
        assert_eq!(ticks(f64::NAN, 1.0, 4), [0.0, 1.0]);
        assert!(ticks(-1e300, 1e300, 5).len() < 62);
    }
}
