//! Rounding: every value to a multiple of a base, to the nearest or at random between the two nearest.
//!
//! # Idea
//!
//! Random rounding goes up with the probability that keeps the expected value: 13 to base 5 becomes 15 with
//! probability 3/5 and 10 with 2/5.
//!
//! # Guarantee
//!
//! A value is off by less than its base (half of it to the nearest). Rounded records are not true to the last digit and
//! may still be unique: no k-anonymity. Random rounding needs a secret source.
//!
//! # Reference
//!
//! Willenborg and de Waal, Elements of Statistical Disclosure Control, 2001, doi:10.1007/978-1-4613-0121-9.
//!
//! # Cost
//!
//! O(n p).

use crate::{Error, Matrix, RandomSource};

/// Rounds each column to multiples of its base, to the nearest.
pub fn round(matrix: &Matrix, bases: &[f64]) -> Result<Matrix, Error> {
    check(matrix, bases)?;
    Ok(matrix.map(|_, column, cell| (cell / bases[column]).round() * bases[column]))
}

/// Rounds each column to multiples of its base, up or down at random so that the expected value stays.
pub fn random_round(
    matrix: &Matrix,
    bases: &[f64],
    random: &mut dyn RandomSource,
) -> Result<Matrix, Error> {
    check(matrix, bases)?;
    Ok(matrix.map(|_, column, cell| {
        let units = cell / bases[column];
        let below = units.floor();
        let up = random.unit() < units - below;
        (below + f64::from(u8::from(up))) * bases[column]
    }))
}

fn check(matrix: &Matrix, bases: &[f64]) -> Result<(), Error> {
    if bases.len() != matrix.columns() {
        return Err(Error::Mismatch {
            what: "the list of bases",
            found: bases.len(),
            expected: matrix.columns(),
        });
    }
    let fits = |cell: &f64, base: &f64| (cell / base).is_finite();
    let all = matrix
        .cells()
        .chunks_exact(bases.len())
        .all(|row| row.iter().zip(bases).all(|(cell, base)| fits(cell, base)));
    if bases.iter().all(|base| base.is_finite() && *base > 0.0) && all {
        Ok(())
    } else {
        Err(Error::Option {
            option: "bases",
            expected: "positive numbers not too small for the data",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    #[test]
    fn rounding_gives_multiples_and_random_rounding_keeps_the_mean() {
        let matrix = Matrix::new(vec![13.0; 40_000], 1).unwrap();
        assert!(
            round(&matrix, &[5.0])
                .unwrap()
                .cells()
                .iter()
                .all(|x| (x - 15.0).abs() < 1e-12)
        );
        let rounded = random_round(&matrix, &[5.0], &mut SplitMix64::new(6)).unwrap();
        assert!(
            rounded
                .cells()
                .iter()
                .all(|x| (x - 15.0).abs() < 1e-12 || (x - 10.0).abs() < 1e-12)
        );
        // Five standard errors of 2.449 / 200.
        assert!((rounded.means()[0] - 13.0).abs() < 0.062);
        assert!(round(&matrix, &[0.0]).is_err() && round(&matrix, &[1.0, 2.0]).is_err());
    }
}
