//! Means, variances and correlations of numeric columns, to see what a release preserves of them.

use denym_data::{Column, Decimal};

/// Count, mean and variance of the records that have a number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Records with a number.
    pub count: u64,
    /// Mean; 0 without records.
    pub mean: f64,
    /// Variance over the records (not a sample estimate); 0 without records.
    pub variance: f64,
}

/// The moments of a column; `None` when no cell is a number, a date, or an interval of numbers.
pub fn moments(column: &Column) -> Option<Moments> {
    let numbers = middles(column);
    let cells = column
        .codes
        .iter()
        .filter_map(|&code| numbers[code as usize]);
    let count = cells.clone().count();
    if count == 0 {
        return None;
    }
    let mean = cells.clone().sum::<f64>() / count as f64;
    let variance = cells.map(|number| (number - mean).powi(2)).sum::<f64>() / count as f64;
    Some(Moments {
        count: count as u64,
        mean,
        variance,
    })
}

/// Pearson's correlation over the records where both columns have a number; `None` when there are none or one is constant.
pub fn correlation(one: &Column, two: &Column) -> Option<f64> {
    let (a, b) = (middles(one), middles(two));
    let pairs = one
        .codes
        .iter()
        .zip(&two.codes)
        .filter_map(|(&x, &y)| Some((a[x as usize]?, b[y as usize]?)));
    let count = pairs.clone().count() as f64;
    if count < 1.0 {
        return None;
    }
    let (sum_x, sum_y) = pairs
        .clone()
        .fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (xx, yy, xy) = pairs.fold((0.0, 0.0, 0.0), |(xx, yy, xy), (x, y)| {
        let (dx, dy) = (x - mean_x, y - mean_y);
        (xx + dx * dx, yy + dy * dy, xy + dx * dy)
    });
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

/// Each code as a number, the middle of an interval such as `[20, 40)` or `20-39` standing for it.
pub fn middles(column: &Column) -> Vec<Option<f64>> {
    let dictionary = &column.dictionary;
    if dictionary.kind().is_numeric() {
        return dictionary.numbers();
    }
    (0..dictionary.len() as u32)
        .map(|code| dictionary.text(code).and_then(midpoint))
        .collect()
}

fn midpoint(text: &str) -> Option<f64> {
    if let Some(number) = Decimal::parse(text) {
        return Some(number.to_f64());
    }
    let inner = text.trim_matches(['[', ']', '(', ')']);
    let cut = inner.find(", ").map(|at| (at, 2)).or_else(|| {
        // A dash that is not the sign of the first number.
        inner
            .char_indices()
            .skip(1)
            .find(|&(_, c)| c == '-')
            .map(|(at, _)| (at, 1))
    });
    let (at, width) = cut?;
    let (low, high) = (
        Decimal::parse(&inner[..at])?,
        Decimal::parse(&inner[at + width..])?,
    );
    Some(f64::midpoint(low.to_f64(), high.to_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stand_for_their_middle() {
        assert_eq!(midpoint("[20, 40)"), Some(30.0));
        assert_eq!(midpoint("20-39"), Some(29.5));
        assert_eq!(midpoint("-5--1"), Some(-3.0));
        assert_eq!(midpoint("*"), None);
        assert_eq!(midpoint("é-ü"), None);
    }

    #[test]
    fn moments_and_correlation() {
        let x = Column::from_texts("x", ["1", "2", "3", "4"].map(Some));
        let y = Column::from_texts("y", [Some("8"), Some("6"), Some("4"), None]);
        let found = moments(&x).unwrap();
        assert!((found.mean - 2.5).abs() < 1e-12 && (found.variance - 1.25).abs() < 1e-12);
        assert_eq!(moments(&y).unwrap().count, 3);
        assert!((correlation(&x, &y).unwrap() + 1.0).abs() < 1e-12);
        let constant = Column::from_texts("c", ["1", "1", "1", "1"].map(Some));
        assert_eq!(correlation(&x, &constant), None);
        assert_eq!(moments(&Column::from_texts("t", [Some("a")])), None);
    }
}
