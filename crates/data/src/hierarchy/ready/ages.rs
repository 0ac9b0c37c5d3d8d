//! Ages in years: ranges of five, ten and twenty; everybody of ninety and more is one.

use super::ReadyMade;
use crate::Decimal;

pub(super) const AGES: ReadyMade = ReadyMade {
    name: "ages",
    summary: "ages in years; 90 and more are one group",
    levels: &["5 years", "10 years", "20 years"],
    example: "34 > 30-34 > 30-39 > 20-39",
    source: "ranges that offices of statistics use; 90 and more as 45 CFR 164.514(b) asks",
    of: labels,
};

/// The age above which nobody is told apart, and that above which nobody lives.
const OLD: (i64, f64) = (90, 130.0);

fn labels(value: &str) -> Option<Vec<String>> {
    let number = Decimal::parse(value.trim_end_matches('+'))?.to_f64();
    if !(0.0..=OLD.1).contains(&number) {
        return None;
    }
    let age = number as i64;
    let range = |width: i64| {
        let low = age / width * width;
        // The range that ninety falls into has no upper end.
        let first_open = OLD.0 / width * width;
        if low >= first_open {
            format!("{first_open}+")
        } else {
            format!("{low}-{}", low + width - 1)
        }
    };
    Some([5, 10, 20].map(range).to_vec())
}
