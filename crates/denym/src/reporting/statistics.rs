//! What a statistician would compute from a table, before and after, and some records beside what became of them.

use denym_data::{Column, Decimal, Kind, NumberRange, Role, Table};
use denym_measure::metrics::{correlation, middles};
use denym_report::{Correlation, CrossTable, Figures, Moments, Sample, Statistics};

use crate::policy::{AttributeSpec, HierarchySpec, Policy};

/// Correlations that are shown, the strongest first.
const MOST_PAIRS: usize = 15;
/// Cross tables that are shown.
const MOST_TABLES: usize = 3;
/// Values of a column that a cross table has room for.
const MOST_VALUES: usize = 8;
/// Records of a sample.
const SAMPLED: usize = 8;

/// The numbers that a label stands for, from the first up to the end; the end of a range of whole numbers is the number after it.
pub(super) fn span(label: &str) -> Option<(f64, f64)> {
    if let Some(number) = Decimal::parse(label) {
        let number = number.to_f64();
        return Some((number, number));
    }
    let range = NumberRange::parse(label)?;
    let (from, to) = range.numbers();
    let whole = !range.from.contains('.') && !range.to.contains('.');
    Some((from, if whole && range.end_in { to + 1.0 } else { to }))
}

/// Whether the numbers of a column measure something; post codes and other codes are texts made of digits.
fn is_measure(spec: &AttributeSpec, before: &Column, after: &Column) -> bool {
    let published = !matches!(spec.role, Role::Identifier | Role::Subject);
    let number = matches!(before.dictionary.kind(), Kind::Integer | Kind::Decimal);
    let redacted = matches!(spec.hierarchy, HierarchySpec::Redaction(..))
        || (after.dictionary.values()).any(|label| label.len() > 1 && label.ends_with('*'));
    published && number && !redacted
}

/// The columns of both tables that pass a test, in the order of the policy.
fn columns<'a>(
    policy: &'a Policy,
    (source, written): (&'a Table, &'a Table),
    test: impl Fn(&AttributeSpec, &Column, &Column) -> bool,
) -> Vec<(&'a AttributeSpec, &'a Column, &'a Column)> {
    let both = |spec: &'a AttributeSpec| {
        let (before, after) = (source.column(&spec.name)?, written.column(&spec.name)?);
        test(spec, before, after).then_some((spec, before, after))
    };
    policy.attributes.iter().filter_map(both).collect()
}

/// Means, deviations, quartiles, correlations and cross tables of what is published.
pub(super) fn statistics(policy: &Policy, source: &Table, written: &Table) -> Statistics {
    let numbers = columns(policy, (source, written), is_measure);
    let mut correlations = Vec::new();
    for (at, (spec, before, after)) in numbers.iter().enumerate() {
        for (other, was, is) in &numbers[at + 1..] {
            if let Some((before, after)) = correlation(before, was).zip(correlation(after, is)) {
                correlations.push(Correlation {
                    attributes: (spec.name.clone(), other.name.clone()),
                    before,
                    after,
                });
            }
        }
    }
    // Stable: equals stay in the order of the policy.
    correlations.sort_by(|a, b| b.before.abs().total_cmp(&a.before.abs()));
    correlations.truncate(MOST_PAIRS);
    Statistics {
        numbers: numbers
            .iter()
            .map(|(spec, before, after)| Moments {
                attribute: spec.name.clone(),
                before: figures(before),
                after: figures(after),
            })
            .collect(),
        correlations,
        cross_tables: cross_tables(policy, source, written),
    }
}

/// Mean, deviation and quartiles of a column whose labels stand for numbers; those that do not are left out.
pub(super) fn figures(column: &Column) -> Option<Figures> {
    let middles = middles(column);
    let mut counts = vec![0_u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    let mut numbers: Vec<(f64, u64)> = middles
        .into_iter()
        .zip(counts)
        .filter_map(|(number, count)| Some((number?, count)))
        .filter(|(number, count)| number.is_finite() && *count > 0)
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: u64 = numbers.iter().map(|(_, count)| count).sum();
    if total == 0 {
        return None;
    }
    let all = total as f64;
    let mean = numbers.iter().map(|(x, n)| x * *n as f64).sum::<f64>() / all;
    let square = |(x, n): &(f64, u64)| (x - mean).powi(2) * *n as f64;
    let deviation = (numbers.iter().map(square).sum::<f64>() / all).sqrt();
    // The least number that has at least so many quarters of the records at or below it.
    let quartile = |quarters: u64| {
        let mut below = 0;
        let found = numbers.iter().find(|(_, count)| {
            below += count;
            below * 4 >= total * quarters
        });
        found.map_or(mean, |(number, _)| *number)
    };
    Some(Figures {
        mean,
        deviation,
        quartiles: [quartile(1), quartile(2), quartile(3)],
    })
}

/// Columns with few values, which the release shows as they are, two by two; sensitive ones first.
fn cross_tables(policy: &Policy, source: &Table, written: &Table) -> Vec<CrossTable> {
    let few = |spec: &AttributeSpec, before: &Column, after: &Column| {
        let published = !matches!(spec.role, Role::Identifier | Role::Subject);
        let (was, is) = (before.dictionary.len(), after.dictionary.len());
        let known = |label: &str| label == "*" || before.dictionary.code_of(label).is_some();
        published
            && (2..=MOST_VALUES).contains(&was)
            && (2..=MOST_VALUES).contains(&is)
            && after.dictionary.values().all(known)
    };
    let mut found = columns(policy, (source, written), few);
    found.sort_by_key(|(spec, ..)| spec.role != Role::Sensitive);
    let mut tables = Vec::new();
    for (at, (spec, before, after)) in found.iter().enumerate() {
        for (other, was, is) in &found[at + 1..] {
            if tables.len() < MOST_TABLES {
                let mut table = cross_table((before, after), (was, is));
                table.attributes = (spec.name.clone(), other.name.clone());
                tables.push(table);
            }
        }
    }
    tables
}

/// Shares of the records by two columns, each before and after.
fn cross_table(rows: (&Column, &Column), columns: (&Column, &Column)) -> CrossTable {
    let labels = |(before, after): (&Column, &Column)| {
        let mut labels: Vec<Option<String>> = Vec::new();
        for column in [before, after] {
            for code in 0..column.dictionary.len() as u32 {
                let label = column.dictionary.text(code).map(str::to_owned);
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
        }
        // What is not shown, and what is missing, comes last.
        labels.sort_by_key(|label| match label.as_deref() {
            None => 2,
            Some("*") => 1,
            Some(_) => 0,
        });
        labels
    };
    let (down, across) = (labels(rows), labels(columns));
    let shares = |one: &Column, two: &Column| {
        // Columns with few values: one place for each pair.
        let width = two.dictionary.len();
        let mut counts = vec![0_u64; one.dictionary.len() * width];
        for (&a, &b) in one.codes.iter().zip(&two.codes) {
            counts[a as usize * width + b as usize] += 1;
        }
        let place = |labels: &[Option<String>], column: &Column, code: u32| {
            let text = column.dictionary.text(code);
            labels.iter().position(|label| label.as_deref() == text)
        };
        let all = one.codes.len().max(1) as f64;
        let mut cells = vec![vec![0.0; across.len()]; down.len()];
        for (pair, &count) in counts.iter().enumerate() {
            let (a, b) = ((pair / width) as u32, (pair % width) as u32);
            if let (Some(row), Some(column)) = (place(&down, one, a), place(&across, two, b)) {
                cells[row][column] += count as f64 / all;
            }
        }
        cells
    };
    let (before, after) = (shares(rows.0, columns.0), shares(rows.1, columns.1));
    let texts = |labels: &[Option<String>]| {
        let text = |label: &Option<String>| label.clone().unwrap_or_else(|| "\u{2013}".to_owned());
        labels.iter().map(text).collect()
    };
    CrossTable {
        rows: texts(&down),
        columns: texts(&across),
        cells: before
            .into_iter()
            .zip(after)
            .map(|(was, is)| was.into_iter().zip(is).collect())
            .collect(),
        ..CrossTable::default()
    }
}

/// Some records of the source, evenly taken, beside what `becomes` of each; identifiers and subjects are left out.
pub(crate) fn sample(
    policy: &Policy,
    source: &Table,
    written: &Table,
    becomes: impl Fn(usize, &str) -> Option<Option<String>>,
) -> Sample {
    let shown = columns(policy, (source, written), |spec, _, _| {
        !matches!(spec.role, Role::Identifier | Role::Subject)
    });
    let records = source.records();
    let taken = SAMPLED.min(records);
    let cell = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let rows = (0..taken).map(|at| {
        let row = at * records / taken.max(1);
        let before = shown.iter().map(|(_, column, _)| cell(column.text(row)));
        let after = shown.iter().map(|(spec, column, _)| match spec.role {
            Role::QuasiIdentifier => becomes(row, &spec.name).map(|label| cell(label.as_deref())),
            _ => Some(cell(column.text(row))),
        });
        (before.collect(), after.collect())
    });
    Sample {
        columns: shown.iter().map(|(spec, ..)| spec.name.clone()).collect(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_for_the_numbers_they_cover() {
        assert_eq!(span("7"), Some((7.0, 7.0)));
        assert_eq!(span("50-74"), Some((50.0, 75.0)));
        assert_eq!(span("[0.2, 0.3)"), Some((0.2, 0.3)));
        assert_eq!(span("153.3-186.5"), Some((153.3, 186.5)));
        assert_eq!(span("*"), None);
    }

    #[test]
    fn figures_are_those_of_the_numbers() {
        let column = Column::from_texts("x", ["1", "2", "3", "10"].map(Some));
        let found = figures(&column).expect("numbers");
        assert!((found.mean - 4.0).abs() < 1e-12);
        assert!((found.deviation - 12.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(
            found.quartiles.map(f64::to_bits),
            [1.0, 2.0, 3.0].map(f64::to_bits)
        );
        let ranges = Column::from_texts("x", [Some("0-9"), Some("*"), None]);
        let found = figures(&ranges).expect("a range");
        assert!((found.mean - 4.5).abs() < 1e-12);
        assert!(figures(&Column::from_texts("x", [Some("*")])).is_none());
    }

    #[test]
    fn cross_tables_have_the_same_cells_on_both_sides() {
        let before = Column::from_texts("sex", ["f", "f", "m", "m"].map(Some));
        let after = Column::from_texts("sex", ["f", "*", "m"].map(Some));
        let other = Column::from_texts("ill", ["no", "yes", "no", "no"].map(Some));
        let shown = Column::from_texts("ill", ["no", "yes", "no"].map(Some));
        let found = cross_table((&before, &after), (&other, &shown));
        assert_eq!(found.rows, ["f", "m", "*"]);
        assert_eq!(found.columns, ["no", "yes"]);
        assert!((found.cells[0][0].0 - 0.25).abs() < 1e-12);
        assert!((found.cells[0][0].1 - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.cells[2][1].1 - 1.0 / 3.0).abs() < 1e-12);
    }
}
