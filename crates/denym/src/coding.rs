//! Numbers made less telling column by column: top and bottom coding before the search, one number per class after it.

use std::borrow::Cow;

use denym_data::{Code, Column, Fraction, Labels, Recoding, Role, Summary, Table, Unit};

use crate::Error;
use crate::certificate::Altered;
use crate::numbers::{self, Form};
use crate::plan::{Plan, policy_error};
use crate::policy::{Middle, Mistake, Policy, Reach};

/// The table with numbers beyond `top` and `bottom` replaced by those bounds.
pub(crate) fn coded<'a>(policy: &Policy, table: Cow<'a, Table>) -> Result<Cow<'a, Table>, Error> {
    let mut mistakes = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for spec in &policy.attributes {
        let operations = &spec.operations;
        let bounded = operations.top.is_some() || operations.bottom.is_some();
        if !bounded && operations.middle.is_none() {
            continue;
        }
        let Some(column) = table.column(&spec.name) else {
            continue;
        };
        if !numbers::is_numeric(column) {
            mistakes.push(Mistake {
                code: "policy-not-numeric",
                message: format!("`{}` has values that are no numbers", spec.name),
                span: spec.span.clone(),
                help: "remove `top`, `bottom` and `microaggregate`, or list what means missing in `missing-values`".into(),
            });
        } else if bounded {
            columns.push(clamped(column, operations.bottom, operations.top));
        }
    }
    if !mistakes.is_empty() {
        return Err(policy_error(policy, mistakes));
    }
    if columns.is_empty() {
        return Ok(table);
    }
    let mut all = table.columns().to_vec();
    for column in columns {
        if let Some(place) = all.iter_mut().find(|other| other.name == column.name) {
            *place = column;
        }
    }
    Ok(Cow::Owned(Table::new(all)?))
}

/// The column with every number moved into the bounds.
fn clamped(column: &Column, bottom: Option<Fraction>, top: Option<Fraction>) -> Column {
    let form = Form::of(column, 0);
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

/// Replaces the labels of quasi-identifiers that are published as the middle of their class.
///
/// Loss stays that of the labels they replace: the middle of a class says at least as much.
pub(crate) fn centered(plan: &Plan, table: &Table, summary: &Summary, recoding: &mut Recoding) {
    for (d, spec) in plan.policy.with_role(Role::QuasiIdentifier).enumerate() {
        let Some(middle) = spec.operations.middle else {
            continue;
        };
        let column = &table.columns()[plan.columns.quasi[d]];
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
        let form = Form::of(column, 2);
        let old = &recoding.labels[d];
        let shares = recoding.published[d].iter();
        let labels = Labels {
            shares: shares.map(|&label| old.shares[label as usize]).collect(),
            texts: members
                .into_iter()
                .map(|mut members| {
                    members.retain(|&(code, _)| numbers[code as usize].is_some());
                    members.sort_unstable();
                    middle_of(middle, &members, &numbers)
                        .map(|value| form.text(value).into_boxed_str())
                })
                .collect(),
        };
        recoding.published[d] = (0..labels.texts.len() as u32).collect();
        recoding.labels[d] = labels;
    }
}

/// The middle of numbers in ascending order of code, each with how often it occurs.
fn middle_of(middle: Middle, members: &[(Code, u64)], numbers: &[Option<f64>]) -> Option<f64> {
    let total: u64 = members.iter().map(|&(_, count)| count).sum();
    let number = |code: Code| numbers[code as usize].unwrap_or_default();
    match middle {
        Middle::Mean => {
            let sum: f64 = members
                .iter()
                .map(|&(code, count)| number(code) * count as f64)
                .sum();
            (total > 0).then(|| sum / total as f64)
        }
        Middle::Median => {
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

/// What the recipient must know about these columns.
pub(crate) fn altered(policy: &Policy) -> Vec<Altered> {
    let mut altered = Vec::new();
    let mut note = |name: &str, method: String| {
        altered.push(Altered {
            columns: vec![name.to_owned()],
            // "50 or more" and tokens hold of every record; the middle of a group does not.
            true_of_records: method != "microaggregation",
            method,
            reproducible: true,
        });
    };
    for spec in &policy.attributes {
        let operations = &spec.operations;
        if let Some(top) = operations.top {
            note(&spec.name, format!("top coding at {}", top.to_f64()));
        }
        if let Some(bottom) = operations.bottom {
            note(&spec.name, format!("bottom coding at {}", bottom.to_f64()));
        }
        if operations.middle.is_some() {
            note(&spec.name, "microaggregation".into());
        }
        if let Some(pseudonym) = &operations.pseudonym {
            let per = match pseudonym.per {
                Reach::Release => "keyed pseudonyms",
                Reach::Class => "keyed pseudonyms, others in every class",
            };
            note(&spec.name, per.into());
        }
    }
    altered
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
        assert_eq!(middle_of(Middle::Mean, &members, &numbers), Some(3.75));
        assert_eq!(middle_of(Middle::Median, &members, &numbers), Some(2.0));
        assert_eq!(middle_of(Middle::Median, &[], &numbers), None);
        assert_eq!(middle_of(Middle::Mean, &[], &numbers), None);
    }
}
