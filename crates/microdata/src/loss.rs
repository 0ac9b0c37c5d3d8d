//! What a partition costs: SSE, SST, information loss in percent, ADM; and the centroids that are published.
//!
//! # Idea
//!
//! Every record is replaced by its group's centroid. The squared distances between records and centroids, summed (SSE),
//! over the squared distances to the grand mean (SST) is the usual information loss, 0 to 100 percent.
//!
//! # Guarantee
//!
//! Publishing medians raises SSE and lowers the absolute deviations (ADM); both are reported because neither implies the
//! other. "ADM is never above SSE" is false: {0, 0.1, 0.2} has ADM 0.2 and SSE 0.02.
//!
//! # Reference
//!
//! Domingo-Ferrer and Mateo-Sanz, Practical data-oriented microaggregation for statistical disclosure control, IEEE TKDE 14(1), 2002,
//! doi:10.1109/69.979982. ADM: M. E. Kabir, doctoral thesis, University of Southern Queensland 2010, equation (7.1).

use crate::matrix::squared_distance;
use crate::{Centroid, Error, Matrix, Partition};

/// The loss of one partition on one matrix, with one kind of centroid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// Squared distances of records to what is published for them, summed.
    pub sse: f64,
    /// Squared distances of records to the grand mean, summed.
    pub sst: f64,
    /// 100 * SSE / SST; 0 when all records are equal.
    pub percent: f64,
    /// Absolute deviations from the group *medians*, summed over columns and records (equation 7.1).
    pub adm: f64,
    /// Absolute deviations from what is published, summed; equals `adm` when medians are published.
    pub absolute: f64,
}

/// The loss of publishing these centroids of this partition.
pub fn loss(matrix: &Matrix, partition: &Partition, centroid: Centroid) -> Result<Loss, Error> {
    check_sizes(matrix, partition)?;
    let (mut sse, mut adm, mut absolute) = (0.0, 0.0, 0.0);
    for group in partition.groups() {
        let median = centroid_of(matrix, group, Centroid::Median);
        let published = match centroid {
            Centroid::Mean => centroid_of(matrix, group, Centroid::Mean),
            Centroid::Median => median.clone(),
        };
        for &member in group {
            let row = matrix.row(member as usize);
            sse += squared_distance(row, &published);
            adm += row
                .iter()
                .zip(&median)
                .map(|(x, m)| (x - m).abs())
                .sum::<f64>();
            absolute += row
                .iter()
                .zip(&published)
                .map(|(x, m)| (x - m).abs())
                .sum::<f64>();
        }
    }
    let sst = sst(matrix);
    let percent = if sst > 0.0 { 100.0 * sse / sst } else { 0.0 };
    Ok(Loss {
        sse,
        sst,
        percent,
        adm,
        absolute,
    })
}

/// Squared distances to group means, summed.
pub fn sse(matrix: &Matrix, partition: &Partition) -> f64 {
    partition
        .groups()
        .map(|group| {
            let mean = centroid_of(matrix, group, Centroid::Mean);
            group
                .iter()
                .map(|&member| squared_distance(matrix.row(member as usize), &mean))
                .sum::<f64>()
        })
        .sum()
}

/// Squared distances to the grand mean, summed.
pub fn sst(matrix: &Matrix) -> f64 {
    let means = matrix.means();
    (0..matrix.rows())
        .map(|row| squared_distance(matrix.row(row), &means))
        .sum()
}

/// 100 * SSE / SST with means as centroids: the figure of the literature.
pub fn information_loss_percent(matrix: &Matrix, partition: &Partition) -> f64 {
    let sst = sst(matrix);
    if sst > 0.0 {
        100.0 * sse(matrix, partition) / sst
    } else {
        0.0
    }
}

/// The microaggregated data: every record replaced by its group's centroid, in the order of the records.
pub fn microaggregated(
    matrix: &Matrix,
    partition: &Partition,
    centroid: Centroid,
) -> Result<Matrix, Error> {
    check_sizes(matrix, partition)?;
    let p = matrix.columns();
    let mut cells = vec![0.0; matrix.cells().len()];
    for group in partition.groups() {
        let published = centroid_of(matrix, group, centroid);
        for &member in group {
            cells[member as usize * p..(member as usize + 1) * p].copy_from_slice(&published);
        }
    }
    Matrix::new(cells, p)
}

/// The centroid of one group of records.
pub fn centroid_of(matrix: &Matrix, group: &[u32], centroid: Centroid) -> Vec<f64> {
    match centroid {
        Centroid::Mean => {
            let mut mean = vec![0.0; matrix.columns()];
            for &member in group {
                for (sum, cell) in mean.iter_mut().zip(matrix.row(member as usize)) {
                    *sum += cell;
                }
            }
            let size = group.len() as f64;
            for sum in &mut mean {
                *sum /= size;
            }
            mean
        }
        Centroid::Median => (0..matrix.columns())
            .map(|column| {
                let mut values: Vec<f64> = group
                    .iter()
                    .map(|&member| matrix.row(member as usize)[column])
                    .collect();
                values.sort_unstable_by(f64::total_cmp);
                let middle = values.len() / 2;
                if values.len() % 2 == 1 {
                    values[middle]
                } else {
                    f64::midpoint(values[middle - 1], values[middle])
                }
            })
            .collect(),
    }
}

fn check_sizes(matrix: &Matrix, partition: &Partition) -> Result<(), Error> {
    if matrix.rows() == partition.records() {
        Ok(())
    } else {
        Err(Error::Mismatch {
            what: "the partition",
            found: partition.records(),
            expected: matrix.rows(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adm_may_exceed_sse() {
        let matrix = Matrix::new(vec![0.0, 0.1, 0.2], 1).unwrap();
        let all = Partition::from_labels(&[0, 0, 0]);
        let loss = loss(&matrix, &all, Centroid::Mean).unwrap();
        assert!((loss.adm - 0.2).abs() < 1e-12 && (loss.sse - 0.02).abs() < 1e-12);
        assert!((loss.percent - 100.0).abs() < 1e-9);
    }

    #[test]
    fn an_even_median_is_the_middle_of_two() {
        let matrix = Matrix::new(vec![2.0, 5.0, 6.0, 11.0], 1).unwrap();
        let all = Partition::from_labels(&[0; 4]);
        assert_eq!(
            microaggregated(&matrix, &all, Centroid::Median)
                .unwrap()
                .cells(),
            [5.5; 4]
        );
        assert_eq!(
            microaggregated(&matrix, &all, Centroid::Mean)
                .unwrap()
                .cells(),
            [6.0; 4]
        );
    }

    #[test]
    fn equal_records_lose_nothing() {
        let matrix = Matrix::new(vec![3.0; 6], 2).unwrap();
        let loss = loss(&matrix, &Partition::from_labels(&[0, 0, 0]), Centroid::Mean).unwrap();
        assert_eq!((loss.sse.to_bits(), loss.percent.to_bits()), (0, 0));
    }
}
