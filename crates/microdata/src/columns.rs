//! Microaggregation per group of columns: each group of attributes gets groups of records of its own.
//!
//! # Idea
//!
//! Grouping records on few columns at a time loses much less than on all at once, and one column can be solved optimally.
//!
//! # Guarantee
//!
//! Within each group of columns every combination of published values is shared by k records. Across groups of
//! columns it is not: the combination of all of them may be unique, so the release as a whole is not k-anonymous. `all
//! columns together` (one group) is k-anonymous.
//!
//! # Reference
//!
//! Domingo-Ferrer and Torra, A quantitative comparison of disclosure control methods for microdata, in Confidentiality, Disclosure and
//! Data Access, 2001: individual ranking and multivariate microaggregation.

use crate::loss::{Centroid, microaggregated};
use crate::{Error, Matrix, Options, Partition, Scaling, solve};

/// The microaggregated data and the partition of each group of columns.
pub fn microaggregate_by_columns(
    matrix: &Matrix,
    column_groups: &[Vec<usize>],
    algorithm: &str,
    scaling: Scaling,
    centroid: Centroid,
    options: &Options,
) -> Result<(Matrix, Vec<Partition>), Error> {
    let mut seen = vec![0_usize; matrix.columns()];
    for &column in column_groups.iter().flatten() {
        match seen.get_mut(column) {
            Some(count) => *count += 1,
            None => {
                return Err(Error::Option {
                    option: "columns",
                    expected: "column numbers of the data",
                });
            }
        }
    }
    if seen.iter().any(|&count| count > 1) {
        return Err(Error::Option {
            option: "columns",
            expected: "each column in one group at most",
        });
    }
    let mut cells = matrix.cells().to_vec();
    let mut partitions = Vec::new();
    for columns in column_groups {
        let part = matrix.select_columns(columns)?;
        let partition = solve(algorithm, &scaling.apply(&part), options)?;
        let published = microaggregated(&part, &partition, centroid)?;
        for row in 0..matrix.rows() {
            for (at, &column) in columns.iter().enumerate() {
                cells[row * matrix.columns() + column] = published.row(row)[at];
            }
        }
        partitions.push(partition);
    }
    Ok((Matrix::new(cells, matrix.columns())?, partitions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_at_a_time_keeps_k_per_column_and_the_means() {
        let matrix = Matrix::from_rows(&[
            [1.0, 9.0],
            [2.0, 1.0],
            [3.0, 8.0],
            [10.0, 2.0],
            [11.0, 3.0],
            [12.0, 7.0],
        ])
        .unwrap();
        let options = Options {
            k: 3,
            ..Options::default()
        };
        let groups = [vec![0], vec![1]];
        let (published, partitions) = microaggregate_by_columns(
            &matrix,
            &groups,
            "univariate",
            Scaling::Raw,
            Centroid::Mean,
            &options,
        )
        .unwrap();
        assert_eq!(partitions.len(), 2);
        assert_eq!(published.column(0), [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]);
        assert_eq!(published.column(1), [8.0, 2.0, 8.0, 2.0, 2.0, 8.0]);
        let twice = [vec![0], vec![0]];
        assert!(
            microaggregate_by_columns(
                &matrix,
                &twice,
                "mdav",
                Scaling::Raw,
                Centroid::Mean,
                &options
            )
            .is_err()
        );
    }
}
