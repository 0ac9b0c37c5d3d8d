//! Rank swapping: every value of a column changes places with one of similar rank.
//!
//! # Idea
//!
//! Sort a column and swap each value with an unswapped one at most `window` ranks away, chosen at random. The values of
//! each column stay what they were; which record has them does not.
//!
//! # Guarantee
//!
//! Each column keeps its distribution exactly. No published record is true. An adversary who knows the window can
//! exclude ranks outside it, so this is no k-anonymity; the random source must be secret.
//!
//! # Reference
//!
//! Moore, Controlled data-swapping techniques for masking public use microdata sets, US Bureau of the Census, 1996; the attack: Nin,
//! Herranz and Torra, Rethinking rank swapping to decrease disclosure risk, DKE 64(1), 2008, doi:10.1016/j.datak.2007.07.006.
//!
//! # Cost
//!
//! O(n p log n).

use crate::{Error, Matrix, RandomSource};

/// Swaps within each column; `share` of the records, from 0 to 1, is the largest difference of ranks.
pub fn rank_swap(
    matrix: &Matrix,
    share: f64,
    random: &mut dyn RandomSource,
) -> Result<Matrix, Error> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::Option {
            option: "share",
            expected: "a number from 0 to 1",
        });
    }
    let (n, p) = (matrix.rows(), matrix.columns());
    // A share of 0 to 1 of n is no negative number.
    #[expect(clippy::cast_sign_loss, reason = "share and n are not negative")]
    let window = (share * n as f64).floor() as usize;
    let mut cells = matrix.cells().to_vec();
    for column in 0..p {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| matrix.row(a)[column].total_cmp(&matrix.row(b)[column]));
        let mut free = vec![true; n];
        for rank in 0..n {
            if !free[rank] {
                continue;
            }
            free[rank] = false;
            let partners: Vec<usize> = (rank + 1..n.min(rank + window + 1))
                .filter(|&other| free[other])
                .collect();
            if partners.is_empty() {
                continue;
            }
            let other = partners[random.below(partners.len())];
            free[other] = false;
            cells.swap(order[rank] * p + column, order[other] * p + column);
        }
    }
    Matrix::new(cells, p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    #[test]
    fn columns_keep_their_values_and_ranks_move_at_most_the_window() {
        let matrix = Matrix::new((0..200).map(|x| f64::from(x * 37 % 101)).collect(), 2).unwrap();
        let swapped = rank_swap(&matrix, 0.1, &mut SplitMix64::new(3)).unwrap();
        for column in 0..2 {
            let (mut before, mut after) = (matrix.column(column), swapped.column(column));
            let moved = before
                .iter()
                .zip(&after)
                .filter(|(a, b)| (*a - *b).abs() > 0.0)
                .count();
            assert!(moved > 80);
            let rank = |sorted: &[f64], x: f64| sorted.partition_point(|&y| y < x);
            let mut sorted = before.clone();
            sorted.sort_by(f64::total_cmp);
            for (a, b) in before.iter().zip(&after) {
                assert!(rank(&sorted, *a).abs_diff(rank(&sorted, *b)) <= 10);
            }
            before.sort_by(f64::total_cmp);
            after.sort_by(f64::total_cmp);
            assert_eq!(before, after);
        }
        assert_eq!(
            rank_swap(&matrix, 0.0, &mut SplitMix64::new(3)).unwrap(),
            matrix
        );
        assert!(rank_swap(&matrix, 1.5, &mut SplitMix64::new(3)).is_err());
    }
}
