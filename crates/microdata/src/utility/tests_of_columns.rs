//! Sign test and Kolmogorov-Smirnov test of a published column against the original one.
//!
//! # Idea
//!
//! The sign test counts whether published values lie above or below the true ones equally often; Kolmogorov-Smirnov looks
//! at the largest gap between the two distribution functions.
//!
//! # Guarantee
//!
//! Both can only find differences. A passed sign test does not prove equal distributions: publishing group medians passes it by
//! construction, however much was lost (Kabir 2010, theorem 7.4.1, claims otherwise). The records are paired and not
//! independent, so the p-value of Kolmogorov-Smirnov is a rough guide only.
//!
//! # Reference
//!
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 7.2; Kolmogorov-Smirnov p-value by the asymptotic series with Stephens' correction, JRSS B 32(1), 1970.

use crate::Error;

/// The outcome of a sign test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs {
    /// Records whose original value is above the published one.
    pub positive: usize,
    /// Records whose original value is below the published one.
    pub negative: usize,
    /// Records whose value did not change; left out of the test.
    pub ties: usize,
    /// The two-sided probability of a split at least this uneven if both signs were equally likely.
    pub p_value: f64,
}

/// The sign test of original against published values.
pub fn sign_test(original: &[f64], published: &[f64]) -> Result<Signs, Error> {
    same_length(original, published)?;
    let positive = original
        .iter()
        .zip(published)
        .filter(|(x, y)| x > y)
        .count();
    let negative = original
        .iter()
        .zip(published)
        .filter(|(x, y)| x < y)
        .count();
    let n = positive + negative;
    let least = positive.min(negative);
    // P(X <= least) for X binomial (n, 1/2), in logarithms.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for i in 0..least {
        log_term += ((n - i) as f64 / (i + 1) as f64).ln();
        sum += log_term.exp();
    }
    Ok(Signs {
        positive,
        negative,
        ties: original.len() - n,
        p_value: (2.0 * sum).min(1.0),
    })
}

/// The Kolmogorov-Smirnov statistic (largest gap of the distribution functions) and its approximate p-value; the lengths may differ.
pub fn kolmogorov_smirnov(original: &[f64], published: &[f64]) -> Result<(f64, f64), Error> {
    if original.is_empty() || published.is_empty() {
        return Err(Error::Empty { what: "records" });
    }
    let mut x = original.to_vec();
    let mut y = published.to_vec();
    x.sort_unstable_by(f64::total_cmp);
    y.sort_unstable_by(f64::total_cmp);
    let (n, m) = (x.len() as f64, y.len() as f64);
    let (mut i, mut j, mut gap) = (0, 0, 0.0_f64);
    while i < x.len() && j < y.len() {
        let here = x[i].min(y[j]);
        while i < x.len() && x[i] <= here {
            i += 1;
        }
        while j < y.len() && y[j] <= here {
            j += 1;
        }
        gap = gap.max((i as f64 / n - j as f64 / m).abs());
    }
    let root = (n * m / (n + m)).sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * gap;
    let mut p = 0.0;
    for term in 1..=100 {
        let term = f64::from(term);
        let sign = if term % 2.0 > 0.5 { 2.0 } else { -2.0 };
        p += sign * (-2.0 * term * term * lambda * lambda).exp();
    }
    let p = if lambda < 0.2 { 1.0 } else { p.clamp(0.0, 1.0) };
    Ok((gap, p))
}

fn same_length(original: &[f64], published: &[f64]) -> Result<(), Error> {
    if original.is_empty() {
        return Err(Error::Empty { what: "records" });
    }
    if original.len() == published.len() {
        Ok(())
    } else {
        Err(Error::Mismatch {
            what: "the published column",
            found: published.len(),
            expected: original.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Centroid, Matrix, Partition, microaggregated};

    /// Figures 7.1 and 7.2 of Kabir 2010: three groups of four, published as means and as medians.
    #[test]
    fn figures_7_1_and_7_2_have_signs_3_6_3_and_6_6_0() {
        let values = vec![
            45.0, 42.0, 51.0, 46.0, 2.0, 5.0, 6.0, 11.0, 31.0, 22.0, 26.0, 25.0,
        ];
        let matrix = Matrix::new(values.clone(), 1).unwrap();
        let partition = Partition::from_labels(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        let signs = |centroid| {
            let published = microaggregated(&matrix, &partition, centroid).unwrap();
            sign_test(&values, published.cells()).unwrap()
        };
        let mean = signs(Centroid::Mean);
        assert_eq!((mean.positive, mean.negative, mean.ties), (3, 6, 3));
        // 2 (1 + 9 + 36 + 84) / 512.
        assert!((mean.p_value - 260.0 / 512.0).abs() < 1e-12);
        let median = signs(Centroid::Median);
        assert_eq!((median.positive, median.negative, median.ties), (6, 6, 0));
        assert!((median.p_value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_largest_gap_is_found_and_a_passed_sign_test_proves_nothing() {
        let original: Vec<f64> = (0..100).map(f64::from).collect();
        let (gap, p) = kolmogorov_smirnov(&original, &original).unwrap();
        assert!(gap.abs() < 1e-12 && p > 0.999);
        // Everything replaced by the middle: the signs are even, the distributions as different as can be.
        let middle = vec![49.5; 100];
        assert_eq!(sign_test(&original, &middle).unwrap().positive, 50);
        let (gap, p) = kolmogorov_smirnov(&original, &middle).unwrap();
        assert!((gap - 0.5).abs() < 1e-12 && p < 1e-9);
        assert!(sign_test(&original, &middle[1..]).is_err());
    }
}
