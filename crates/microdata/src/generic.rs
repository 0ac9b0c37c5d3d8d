//! MDAV-generic: MDAV over any records that have distances and a middle: numbers, ordered and unordered categories together.
//!
//! # Idea
//!
//! MDAV needs three things: a distance of two records, a middle of several, and "farthest". With the mean, the median
//! category and the most frequent category as middles it groups mixed records; on numbers alone its groups are MDAV's.
//! A constraint on groups (l-diversity, t-closeness, ...) is met by merging refused groups with their nearest ones.
//!
//! # Guarantee
//!
//! Every group has at least k records and is admitted by the constraint. Without a constraint the sizes are k to 2k - 1.
//!
//! # Reference
//!
//! Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data Mining and Knowledge
//! Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5. Constraint by merging: Soria-Comas, Domingo-Ferrer, Sanchez and Martinez,
//! t-Closeness through microaggregation, IEEE TKDE 27(11), 2015, doi:10.1109/TKDE.2015.2435777, algorithm 1.
//!
//! # Departures
//!
//! Ordered categories count as their rank over the number of ranks, unordered ones as 0 or 1; numbers are standardized.
//!
//! # Cost
//!
//! O(n^2 q / k) time for q columns.

use crate::{Error, Matrix, Partition, Scaling};

/// A column of mixed data.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; the middle is the mean.
    Numeric(Vec<f64>),
    /// Codes whose order means something; the middle is the median (the lower one when there are two).
    Ordinal(Vec<u32>),
    /// Codes without order; the middle is the most frequent one (the smallest when there are several).
    Nominal(Vec<u32>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Numeric(cells) => cells.len(),
            Self::Ordinal(codes) | Self::Nominal(codes) => codes.len(),
        }
    }

    /// The middle of some records: what microaggregation publishes for them.
    pub fn middle(&self, rows: &[u32]) -> Cell {
        match self {
            Self::Numeric(cells) => Cell::Number(
                rows.iter().map(|&row| cells[row as usize]).sum::<f64>() / rows.len().max(1) as f64,
            ),
            Self::Ordinal(codes) => {
                let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                values.sort_unstable();
                Cell::Code(
                    values
                        .get(values.len().saturating_sub(1) / 2)
                        .copied()
                        .unwrap_or(0),
                )
            }
            Self::Nominal(codes) => {
                let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                values.sort_unstable();
                let mode = values
                    .chunk_by(|a, b| a == b)
                    .map(|run| (run.len(), std::cmp::Reverse(run[0])))
                    .max();
                Cell::Code(mode.map_or(0, |(_, code)| code.0))
            }
        }
    }
}

/// A published cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// Of a numeric column.
    Number(f64),
    /// Of an ordinal or nominal column.
    Code(u32),
}

/// Mixed records ready for distances.
struct Mixed {
    numbers: Vec<Vec<f64>>,
    nominal: Vec<Vec<u32>>,
    rows: usize,
}

impl Mixed {
    fn new(columns: &[Column]) -> Result<Self, Error> {
        let rows = columns.first().map_or(0, Column::len);
        if columns.is_empty() {
            return Err(Error::Empty { what: "columns" });
        }
        let (mut numbers, mut nominal) = (Vec::new(), Vec::new());
        for column in columns {
            if column.len() != rows {
                return Err(Error::Mismatch {
                    what: "a column",
                    found: column.len(),
                    expected: rows,
                });
            }
            match column {
                Column::Numeric(cells) => {
                    let matrix = Matrix::new(cells.clone(), 1)?;
                    numbers.push(matrix.scaled(Scaling::Standardize).cells().to_vec());
                }
                Column::Ordinal(codes) => {
                    let most = f64::from(codes.iter().copied().max().unwrap_or(0).max(1));
                    numbers.push(codes.iter().map(|&code| f64::from(code) / most).collect());
                }
                Column::Nominal(codes) => nominal.push(codes.clone()),
            }
        }
        Ok(Self {
            numbers,
            nominal,
            rows,
        })
    }

    fn distance(&self, row: u32, point: &(Vec<f64>, Vec<u32>)) -> f64 {
        let row = row as usize;
        let numbers: f64 = self
            .numbers
            .iter()
            .zip(&point.0)
            .map(|(cells, x)| (cells[row] - x) * (cells[row] - x))
            .sum();
        let codes = self
            .nominal
            .iter()
            .zip(&point.1)
            .filter(|(codes, code)| codes[row] != **code)
            .count();
        numbers + codes as f64
    }

    fn point(&self, row: u32) -> (Vec<f64>, Vec<u32>) {
        let row = row as usize;
        let numbers = self.numbers.iter().map(|cells| cells[row]).collect();
        (
            numbers,
            self.nominal.iter().map(|codes| codes[row]).collect(),
        )
    }

    fn middle(&self, rows: &[u32]) -> (Vec<f64>, Vec<u32>) {
        let numbers = self
            .numbers
            .iter()
            .map(|cells| {
                rows.iter().map(|&row| cells[row as usize]).sum::<f64>() / rows.len() as f64
            })
            .collect();
        let codes = self
            .nominal
            .iter()
            .map(|codes| match Column::Nominal(codes.clone()).middle(rows) {
                Cell::Code(code) => code,
                Cell::Number(_) => 0,
            })
            .collect();
        (numbers, codes)
    }

    fn farthest(&self, rest: &[u32], point: &(Vec<f64>, Vec<u32>)) -> u32 {
        let mut best = (-1.0, 0);
        for &row in rest {
            let distance = self.distance(row, point);
            if distance > best.0 {
                best = (distance, row);
            }
        }
        best.1
    }

    fn take(&self, rest: &mut Vec<u32>, seed: u32, k: usize) -> Vec<u32> {
        let point = self.point(seed);
        let mut near: Vec<(f64, u32)> = rest
            .iter()
            .map(|&row| {
                (
                    if row == seed {
                        -1.0
                    } else {
                        self.distance(row, &point)
                    },
                    row,
                )
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut group: Vec<u32> = near.iter().take(k).map(|&(_, row)| row).collect();
        group.sort_unstable();
        rest.retain(|row| group.binary_search(row).is_err());
        group
    }
}

/// Groups of k or more mixed records, each of which `admits` accepts.
pub fn mdav_generic(
    columns: &[Column],
    k: usize,
    admits: &dyn Fn(&[u32]) -> bool,
) -> Result<Partition, Error> {
    let mixed = Mixed::new(columns)?;
    if k == 0 {
        return Err(Error::ZeroK);
    }
    if k > mixed.rows {
        return Err(Error::TooFewRecords {
            k,
            records: mixed.rows,
        });
    }
    let mut rest: Vec<u32> = (0..mixed.rows as u32).collect();
    let mut groups = Vec::new();
    while rest.len() >= 3 * k {
        let r = mixed.farthest(&rest, &mixed.middle(&rest));
        let s = mixed.farthest(&rest, &mixed.point(r));
        let around_r = mixed.take(&mut rest, r, k);
        let s = if around_r.contains(&s) {
            mixed.farthest(&rest, &mixed.point(r))
        } else {
            s
        };
        groups.push(around_r);
        groups.push(mixed.take(&mut rest, s, k));
    }
    if rest.len() >= 2 * k {
        let r = mixed.farthest(&rest, &mixed.middle(&rest));
        groups.push(mixed.take(&mut rest, r, k));
    }
    groups.push(rest);
    let distance = |a: &[u32], b: &[u32]| {
        let middle = mixed.middle(b);
        a.iter()
            .map(|&row| mixed.distance(row, &middle))
            .sum::<f64>()
            / a.len() as f64
    };
    let groups = merge_until_admitted(groups, admits, &distance)?;
    Partition::new(groups, mixed.rows)
}

/// Numeric groups that `admits` accepts: refused ones are merged with the group whose mean is nearest.
pub fn constrain(
    matrix: &Matrix,
    partition: &Partition,
    admits: &dyn Fn(&[u32]) -> bool,
) -> Result<Partition, Error> {
    let mean = |group: &[u32]| crate::centroid_of(matrix, group, crate::Centroid::Mean);
    let distance = |a: &[u32], b: &[u32]| crate::matrix::squared_distance(&mean(a), &mean(b));
    let groups = partition.groups().map(<[u32]>::to_vec).collect();
    Partition::new(
        merge_until_admitted(groups, admits, &distance)?,
        partition.records(),
    )
}

/// Merges each refused group with its nearest one until all are admitted; `Infeasible` when even all together are refused.
fn merge_until_admitted(
    mut groups: Vec<Vec<u32>>,
    admits: &dyn Fn(&[u32]) -> bool,
    distance: &dyn Fn(&[u32], &[u32]) -> f64,
) -> Result<Vec<Vec<u32>>, Error> {
    let mut at = 0;
    while at < groups.len() {
        if admits(&groups[at]) {
            at += 1;
            continue;
        }
        if groups.len() == 1 {
            return Err(Error::Infeasible);
        }
        let refused = groups.remove(at);
        let mut best = (f64::INFINITY, 0);
        for (number, group) in groups.iter().enumerate() {
            let distance = distance(&refused, group);
            if distance < best.0 {
                best = (distance, number);
            }
        }
        groups[best.1].extend(refused);
        groups[best.1].sort_unstable();
        // The merged group may stand before `at` and be refused now.
        at = at.min(best.1);
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, RandomSource, SplitMix64, solve};

    #[test]
    fn on_numbers_the_groups_are_those_of_mdav() {
        let mut random = SplitMix64::new(8);
        let columns: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..97).map(|_| random.normal()).collect())
            .collect();
        let matrix = Matrix::from_columns(&columns)
            .unwrap()
            .scaled(Scaling::Standardize);
        let mixed: Vec<Column> = columns.into_iter().map(Column::Numeric).collect();
        for k in [2, 3, 5, 11] {
            let options = Options {
                k,
                ..Options::default()
            };
            assert_eq!(
                mdav_generic(&mixed, k, &|_| true),
                solve("mdav", &matrix, &options)
            );
        }
    }

    #[test]
    fn every_group_is_admitted_and_middles_are_real_categories() {
        let mut random = SplitMix64::new(2);
        let sensitive: Vec<u32> = (0..80).map(|_| random.below(4) as u32).collect();
        let columns = [
            Column::Numeric((0..80).map(|_| random.unit()).collect()),
            Column::Ordinal((0..80).map(|_| random.below(5) as u32).collect()),
            Column::Nominal((0..80).map(|_| random.below(3) as u32).collect()),
        ];
        let diverse = |group: &[u32]| crate::cluster::distinct(group, &sensitive) >= 3;
        let partition = mdav_generic(&columns, 3, &diverse).unwrap();
        assert!(
            partition
                .groups()
                .all(|group| group.len() >= 3 && diverse(group))
        );
        assert_eq!(
            mdav_generic(&columns, 3, &|_| false),
            Err(Error::Infeasible)
        );
        let nominal = Column::Nominal(vec![2, 1, 1, 2, 0]);
        assert_eq!(nominal.middle(&[0, 1, 2, 3, 4]), Cell::Code(1));
        assert_eq!(
            Column::Ordinal(vec![4, 0, 9, 2]).middle(&[0, 1, 2, 3]),
            Cell::Code(2)
        );
    }

    #[test]
    fn numeric_groups_are_merged_until_they_are_close_to_the_whole() {
        let mut random = SplitMix64::new(12);
        let matrix = Matrix::new((0..120).map(|_| random.normal()).collect(), 2).unwrap();
        let sensitive: Vec<u32> = (0..60)
            .map(|row| u32::from(matrix.row(row)[0] > 0.0))
            .collect();
        let ones = f64::from(sensitive.iter().sum::<u32>()) / 60.0;
        let close = |group: &[u32]| {
            let share = group
                .iter()
                .map(|&row| f64::from(sensitive[row as usize]))
                .sum::<f64>()
                / group.len() as f64;
            (share - ones).abs() <= 0.2
        };
        let start = solve(
            "mdav",
            &matrix,
            &Options {
                k: 4,
                ..Options::default()
            },
        )
        .unwrap();
        assert!(start.groups().any(|group| !close(group)));
        let merged = constrain(&matrix, &start, &close).unwrap();
        assert!(merged.groups().all(close) && merged.smallest() >= 4);
    }
}
