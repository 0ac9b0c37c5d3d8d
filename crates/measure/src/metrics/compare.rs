//! Two tables side by side: which columns kept their values, means, variances and correlations.
//!
//! # Idea
//!
//! Records of a release are sorted anew and some are missing, so nothing here compares record with record: only distributions. Columns
//! are matched by name.

use std::collections::BTreeMap;

use denym_data::{Column, Table};

use super::{Moments, correlation, moments};

/// One column in both tables.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnComparison {
    /// Its name.
    pub name: String,
    /// Distinct values before and after, a missing value included.
    pub distinct: (usize, usize),
    /// Entropy in bits before and after.
    pub entropy_bits: (f64, f64),
    /// Half the sum of absolute differences of the values' shares, 0 (same distribution of texts) to 1 (no text in common).
    pub total_variation: f64,
    /// Moments before and after, where both have numbers.
    pub moments: Option<(Moments, Moments)>,
}

/// Two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Records before and after.
    pub records: (usize, usize),
    /// Columns of the first table that the second lacks.
    pub dropped: Vec<String>,
    /// The columns that both have.
    pub columns: Vec<ColumnComparison>,
    /// Correlations before and after of each pair of columns with numbers in both tables.
    pub correlations: Vec<(String, String, f64, f64)>,
}

impl Comparison {
    /// The distinctive attribute: the first of the columns with the most distinct values.
    pub fn distinctive(&self) -> Option<&ColumnComparison> {
        let columns = self.columns.iter().rev();
        columns.max_by_key(|column| column.distinct.1)
    }
}

/// Compares `after` with `before`.
pub fn compare(before: &Table, after: &Table) -> Comparison {
    let (shared, dropped): (Vec<&Column>, Vec<&Column>) = before
        .columns()
        .iter()
        .partition(|column| after.column(&column.name).is_some());
    let pairs: Vec<(&Column, &Column)> = shared
        .into_iter()
        .filter_map(|column| Some((column, after.column(&column.name)?)))
        .collect();
    let mut correlations = Vec::new();
    for (index, &(a, b)) in pairs.iter().enumerate() {
        for &(c, d) in &pairs[index + 1..] {
            if let (Some(old), Some(new)) = (correlation(a, c), correlation(b, d)) {
                correlations.push((a.name.clone(), c.name.clone(), old, new));
            }
        }
    }
    Comparison {
        records: (before.records(), after.records()),
        dropped: dropped
            .into_iter()
            .map(|column| column.name.clone())
            .collect(),
        columns: pairs
            .into_iter()
            .map(|(old, new)| {
                let (one, two) = (shares(old), shares(new));
                let differences: f64 = one
                    .iter()
                    .map(|(text, share)| (share - two.get(text).copied().unwrap_or(0.0)).abs())
                    .sum::<f64>()
                    + two
                        .iter()
                        .filter(|(text, _)| !one.contains_key(*text))
                        .map(|(_, share)| share)
                        .sum::<f64>();
                ColumnComparison {
                    name: old.name.clone(),
                    distinct: (one.len(), two.len()),
                    entropy_bits: (bits(&one), bits(&two)),
                    total_variation: differences / 2.0,
                    moments: moments(old).zip(moments(new)),
                }
            })
            .collect(),
        correlations,
    }
}

fn shares(column: &Column) -> BTreeMap<Option<&str>, f64> {
    let mut counts = vec![0_u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    (0..)
        .zip(counts)
        .filter(|&(_, count)| count > 0)
        .map(|(code, count)| {
            (
                column.dictionary.text(code),
                count as f64 / column.codes.len() as f64,
            )
        })
        .collect()
}

fn bits(shares: &BTreeMap<Option<&str>, f64>) -> f64 {
    shares
        .values()
        .map(|share| -share * share.log2())
        .sum::<f64>()
        .max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarser_column_shows() {
        let table = |ages: &[&str], names: bool| {
            let mut columns = vec![
                Column::from_texts("age", ages.iter().map(|age| Some(*age))),
                Column::from_texts("pay", ["10", "20", "30", "40"].map(Some)),
            ];
            if names {
                columns.push(Column::from_texts("name", ["a", "b", "c", "d"].map(Some)));
            }
            Table::new(columns).unwrap()
        };
        let before = table(&["20", "24", "30", "34"], true);
        let after = table(&["20-24", "20-24", "30-34", "30-34"], false);
        let found = compare(&before, &after);
        assert_eq!(found.dropped, ["name"]);
        let age = &found.columns[0];
        assert_eq!(age.distinct, (4, 2));
        assert!((age.entropy_bits.0 - 2.0).abs() < 1e-12);
        assert!((age.entropy_bits.1 - 1.0).abs() < 1e-12);
        assert!((age.total_variation - 1.0).abs() < 1e-12);
        let (old, new) = age.moments.unwrap();
        assert!(
            (old.mean - new.mean).abs() < 1e-12,
            "midpoints keep the mean here"
        );
        assert!(new.variance < old.variance);
        assert_eq!(found.correlations.len(), 1);
        assert!(found.columns[1].total_variation.abs() < 1e-12);
    }
}
