//! Numeric columns as numbers, and numbers as the texts that are published.

use crate::{Column, Decimal, Kind, Table};

/// A column whose values are plain numbers; dates are not.
pub fn is_numeric(column: &Column) -> bool {
    matches!(column.dictionary.kind(), Kind::Integer | Kind::Decimal)
}

/// How many records have no number in the column.
pub fn missing(column: &Column) -> usize {
    column.dictionary.missing().map_or(0, |missing| {
        column.codes.iter().filter(|&&code| code == missing).count()
    })
}

/// The number of each record; `None` where it is missing or no number.
pub fn of(column: &Column) -> Vec<Option<f64>> {
    let numbers = column.dictionary.numbers();
    let codes = column.codes.iter();
    codes.map(|&code| numbers[code as usize]).collect()
}

/// Several columns side by side without gaps; `None` when one of them misses a number.
pub fn complete(table: &Table, positions: &[usize]) -> Option<Vec<Vec<f64>>> {
    let columns = positions.iter().map(|&position| {
        let numbers = of(&table.columns()[position]);
        numbers.into_iter().collect::<Option<Vec<f64>>>()
    });
    columns.collect()
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberFormat {
    /// Digits after the point, at most.
    decimals: usize,
}

impl NumberFormat {
    /// Digits that a double holds for sure and a reader takes: one less than the 18 that a cell may have.
    const DIGITS: usize = 17;

    /// As many digits after the point as the values of `column` have, and `more`.
    pub fn of(column: &Column, more: usize) -> NumberFormat {
        let scale = column
            .dictionary
            .values()
            .filter_map(Decimal::parse)
            .map(Decimal::scale)
            .max()
            .unwrap_or(0);
        NumberFormat {
            decimals: scale as usize + more,
        }
    }

    /// At least as many digits after the point as `value` has itself.
    #[must_use]
    pub fn holding(self, value: f64) -> NumberFormat {
        let text = value.to_string();
        let own = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        NumberFormat {
            decimals: self.decimals.max(own),
        }
    }

    /// `value` in this form, without idle zeros.
    pub fn text(self, value: f64) -> String {
        let whole = format!("{:.0}", value.abs().trunc()).len();
        let decimals = self.decimals.min(Self::DIGITS.saturating_sub(whole));
        let text = format!("{value:.decimals$}");
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        if text == "-0" {
            "0".to_owned()
        } else {
            text.to_owned()
        }
    }

    /// The number that a reader of the text gets.
    pub fn read_back(self, value: f64) -> f64 {
        self.text(value).parse().unwrap_or(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_enough_digits_and_no_more() {
        let column = Column::from_texts("x", ["1.25", "7", "-3.5"].map(Some));
        let form = NumberFormat::of(&column, 6);
        assert_eq!(form.text(1.0 / 3.0), "0.33333333");
        assert_eq!(form.text(2.0), "2");
        assert_eq!(form.text(-0.0), "0");
        assert_eq!(form.text(100.0), "100");
        assert_eq!(form.text(1_234_567_890_123.25), "1234567890123.25");
        assert_eq!(NumberFormat::of(&column, 0).text(0.126), "0.13");
        assert_eq!(
            NumberFormat::of(&column, 0).holding(0.125).text(0.126),
            "0.126"
        );
        let large = form.text(123_456_789_012_345_680.0);
        assert!(Decimal::parse(&large).is_some(), "{large}");
        assert!((form.read_back(2.0 / 3.0) - 0.666_666_67).abs() < 1e-15);
    }
}
