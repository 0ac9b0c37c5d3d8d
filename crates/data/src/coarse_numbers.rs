//! Numbers made less telling: moved into bounds, or replaced by the middle of their class.

use crate::numbers::NumberFormat;
use crate::{Centroid, Code, Column, Fraction, Labels, Recoding, Summary, Unit};

/// The column with every number moved into the bounds.
pub fn clamped(column: &Column, bottom: Option<Fraction>, top: Option<Fraction>) -> Column {
    let form = NumberFormat::of(column, 0);
    let text = |bound: Fraction| form.holding(bound.to_f64()).text(bound.to_f64());
    let texts: Vec<Option<String>> = column
        .dictionary
        .numbers()
        .into_iter()
        .zip(0..)
        .map(|(number, code)| {
            let number = number?;
            match (bottom, top) {
                (_, Some(top)) if number > top.to_f64() => Some(text(top)),
                (Some(bottom), _) if number < bottom.to_f64() => Some(text(bottom)),
                _ => column.dictionary.text(code).map(str::to_owned),
            }
        })
        .collect();
    let codes = column.codes.iter();
    Column::from_texts(
        &column.name,
        codes.map(|&code| texts[code as usize].as_deref()),
    )
}

/// Replaces the labels of quasi-identifier `d` by the middle of each class; `column` is its column in the table.
///
/// The median of an even number of values is the lower one, a number that occurs. Loss stays that of the labels they replace: the middle of a class says at least as much.
pub fn centered(
    recoding: &mut Recoding,
    d: usize,
    column: &Column,
    summary: &Summary,
    middle: Centroid,
) {
    let numbers = column.dictionary.numbers();
    let mut members: Vec<Vec<(Code, u64)>> = vec![Vec::new(); recoding.classes()];
    for (unit, class) in recoding.class_of.iter().enumerate() {
        if let Some(class) = class {
            members[*class as usize].push(match recoding.unit {
                Unit::Tuple => (summary.quasi[d][unit], summary.records[unit]),
                Unit::Record => (column.codes[unit], 1),
            });
        }
    }
    let form = NumberFormat::of(column, 2);
    let old = &recoding.labels[d];
    let shares = recoding.published[d].iter();
    let labels = Labels {
        shares: shares.map(|&label| old.shares[label as usize]).collect(),
        texts: members
            .into_iter()
            .map(|mut members| {
                members.retain(|&(code, _)| numbers[code as usize].is_some());
                members.sort_unstable();
                middle_of(middle, &members, &numbers).map(|value| form.text(value).into_boxed_str())
            })
            .collect(),
    };
    recoding.published[d] = (0..labels.texts.len() as u32).collect();
    recoding.labels[d] = labels;
}

/// The middle of numbers in ascending order of code, each with how often it occurs.
fn middle_of(middle: Centroid, members: &[(Code, u64)], numbers: &[Option<f64>]) -> Option<f64> {
    let total: u64 = members.iter().map(|&(_, count)| count).sum();
    let number = |code: Code| numbers[code as usize].unwrap_or_default();
    match middle {
        Centroid::Mean => {
            let sum: f64 = members
                .iter()
                .map(|&(code, count)| number(code) * count as f64)
                .sum();
            (total > 0).then(|| sum / total as f64)
        }
        Centroid::Median => {
            let mut left = total.div_ceil(2);
            members
                .iter()
                .find(|&&(_, count)| {
                    left = left.saturating_sub(count);
                    left == 0
                })
                .map(|&(code, _)| number(code))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_move_into_their_bounds() {
        let column = Column::from_texts("age", ["17", "18", "64", "90", "101"].map(Some));
        let found = clamped(&column, Fraction::new(18, 1), Fraction::new(90, 1));
        let texts: Vec<_> = (0..5).map(|row| found.text(row)).collect();
        assert_eq!(texts, ["18", "18", "64", "90", "90"].map(Some));
    }

    #[test]
    fn the_middle_of_a_class() {
        let numbers = [Some(1.0), Some(2.0), Some(10.0), None];
        let members = [(0, 1), (1, 2), (2, 1)];
        assert_eq!(middle_of(Centroid::Mean, &members, &numbers), Some(3.75));
        assert_eq!(middle_of(Centroid::Median, &members, &numbers), Some(2.0));
        assert_eq!(middle_of(Centroid::Median, &[], &numbers), None);
        assert_eq!(middle_of(Centroid::Mean, &[], &numbers), None);
    }
}
