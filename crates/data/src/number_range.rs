//! A published label that is a range of numbers: `50-74`, `[0.2, 0.3)`, `[-5, 3]`.

use crate::Decimal;

/// A range of numbers, as a label shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRange<'a> {
    /// The first number, as it is written.
    pub from: &'a str,
    /// The last number, as it is written.
    pub to: &'a str,
    /// Whether the last number is in the range.
    pub end_in: bool,
}

impl<'a> NumberRange<'a> {
    /// The range that a label shows; `None` where it shows something else.
    pub fn parse(label: &'a str) -> Option<NumberRange<'a>> {
        let (from, to, end_in) = if let Some(inner) = label.strip_prefix('[') {
            let end_in = inner.ends_with(']');
            let inner = inner.strip_suffix([']', ')'])?;
            let (from, to) = inner.split_once(", ")?;
            (from, to, end_in)
        } else {
            let dash = label.char_indices().skip(1).find(|(_, c)| *c == '-')?.0;
            (&label[..dash], &label[dash + 1..], true)
        };
        let range = NumberRange { from, to, end_in };
        let (low, high) = range.ends()?;
        (low <= high).then_some(range)
    }

    /// Both ends as numbers.
    pub fn numbers(&self) -> (f64, f64) {
        self.ends().unwrap_or((f64::NAN, f64::NAN))
    }

    fn ends(&self) -> Option<(f64, f64)> {
        let number = |text| Decimal::parse(text).map(Decimal::to_f64);
        number(self.from).zip(number(self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_that_is_published_is_understood() {
        let parsed = |label| NumberRange::parse(label).map(|r| (r.from, r.to, r.end_in));
        assert_eq!(parsed("50-74"), Some(("50", "74", true)));
        assert_eq!(parsed("153.3-186.5"), Some(("153.3", "186.5", true)));
        assert_eq!(parsed("[0.2, 0.3)"), Some(("0.2", "0.3", false)));
        assert_eq!(parsed("[-5, 3]"), Some(("-5", "3", true)));
        assert_eq!(parsed("01067-06108"), Some(("01067", "06108", true)));
        for other in [
            "", "*", "-5", "7", "2004-03", "2024-Q1", "a-b", "[1, 2", "1990s", "ä-1",
        ] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }
}
