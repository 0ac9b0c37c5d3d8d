//! Record linkage as disclosure risk: how many published records an adversary with the original data finds again.
//!
//! # Idea
//!
//! Columns are compared as agreeing or not, the chances of agreement among true pairs (m) and others (u) are estimated by EM, and each
//! original record names the published one with the greatest weight. A tie among t published records counts 1/t.
//!
//! # Guarantee
//!
//! A measured success rate of this adversary, not a bound for all. Linkage by distance is an attack of the red team.
//!
//! # Reference
//!
//! Domingo-Ferrer and Torra, Disclosure risk assessment in statistical data protection, J. Computational and Applied Mathematics 164,
//! 2004, doi:10.1016/S0377-0427(03)00643-5; Fellegi and Sunter, A theory for record linkage, JASA 64, 1969,
//! doi:10.1080/01621459.1969.10501049; EM: Winkler, 1988.
//!
//! # Departures
//!
//! Two numbers agree when they differ by at most `tolerance` standard deviations of the original column.
//!
//! # Cost
//!
//! O(n^2 p), all cores. For large data pass a sample.

use rayon::prelude::*;

use crate::{Error, Matrix, Scaling};

/// What probabilistic linkage estimated and how well it did.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbabilisticLinkage {
    /// The share of records found again.
    pub found: f64,
    /// Per column the estimated chance that a true pair agrees.
    pub m: Vec<f64>,
    /// Per column the estimated chance that another pair agrees.
    pub u: Vec<f64>,
}

/// Rounds of EM; it converges long before.
const ROUNDS: usize = 60;

/// The share of records found again by a Fellegi-Sunter adversary whose weights come from EM.
pub fn probabilistic_linkage(
    original: &Matrix,
    published: &Matrix,
    tolerance: f64,
) -> Result<ProbabilisticLinkage, Error> {
    super::same_shape(original, published)?;
    let p = original.columns();
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(Error::Option {
            option: "tolerance",
            expected: "a number of 0 or more",
        });
    }
    if p > 16 {
        return Err(Error::Option {
            option: "columns",
            expected: "16 columns at most for probabilistic linkage",
        });
    }
    let (original, published) = on_one_scale(original, published);
    let n = original.rows();
    let pattern = |row: usize, other: usize| -> usize {
        let pairs = original.row(row).iter().zip(published.row(other));
        pairs.enumerate().fold(0, |bits, (column, (x, y))| {
            bits | usize::from((x - y).abs() <= tolerance) << column
        })
    };
    let counts = (0..n)
        .into_par_iter()
        .fold(
            || vec![0_u64; 1 << p],
            |mut counts, row| {
                for other in 0..n {
                    counts[pattern(row, other)] += 1;
                }
                counts
            },
        )
        .reduce(
            || vec![0; 1 << p],
            |mut one, two| {
                one.iter_mut().zip(two).for_each(|(a, b)| *a += b);
                one
            },
        );
    let (m, u) = expectation_maximization(&counts, p, n);
    let weights: Vec<f64> = (0..1 << p)
        .map(|bits: usize| {
            (0..p)
                .map(|column| {
                    if bits >> column & 1 == 1 {
                        (m[column] / u[column]).ln()
                    } else {
                        ((1.0 - m[column]) / (1.0 - u[column])).ln()
                    }
                })
                .sum()
        })
        .collect();
    let found: f64 = (0..n)
        .into_par_iter()
        .map(|row| {
            let own = weights[pattern(row, row)];
            let (mut better, mut tied) = (0, 0);
            for other in 0..n {
                let weight = weights[pattern(row, other)];
                better += usize::from(weight > own);
                tied += usize::from(weight.total_cmp(&own).is_eq());
            }
            if better == 0 {
                1.0 / f64::from(tied.max(1) as u32)
            } else {
                0.0
            }
        })
        .collect::<Vec<f64>>()
        .iter()
        .sum();
    Ok(ProbabilisticLinkage {
        found: found / n as f64,
        m,
        u,
    })
}

/// Estimates m and u from the counts of agreement patterns; the share of true pairs starts at, and is bounded by, 1 / n.
fn expectation_maximization(counts: &[u64], p: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    const EDGE: f64 = 1e-6;
    let total: u64 = counts.iter().sum();
    let share = 1.0 / n as f64;
    let mut m = vec![0.9; p];
    let mut u: Vec<f64> = (0..p)
        .map(|column| {
            let agreeing: u64 = (0..counts.len())
                .filter(|bits| bits >> column & 1 == 1)
                .map(|bits| counts[bits])
                .sum();
            (agreeing as f64 / total as f64).clamp(EDGE, 1.0 - EDGE)
        })
        .collect();
    for _ in 0..ROUNDS {
        let (mut matched, mut other) = (0.0, 0.0);
        let (mut in_matched, mut in_other) = (vec![0.0; p], vec![0.0; p]);
        for (bits, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let chance = |chances: &[f64]| -> f64 {
                (0..p)
                    .map(|column| {
                        if bits >> column & 1 == 1 {
                            chances[column]
                        } else {
                            1.0 - chances[column]
                        }
                    })
                    .product()
            };
            let (a, b) = (share * chance(&m), (1.0 - share) * chance(&u));
            let posterior = if a + b > 0.0 { a / (a + b) } else { 0.0 };
            let count = count as f64;
            matched += count * posterior;
            other += count * (1.0 - posterior);
            for column in 0..p {
                if bits >> column & 1 == 1 {
                    in_matched[column] += count * posterior;
                    in_other[column] += count * (1.0 - posterior);
                }
            }
        }
        for column in 0..p {
            m[column] = (in_matched[column] / matched.max(EDGE)).clamp(EDGE, 1.0 - EDGE);
            u[column] = (in_other[column] / other.max(EDGE)).clamp(EDGE, 1.0 - EDGE);
        }
    }
    (m, u)
}

/// Both data sets on the scale of the original's standardized columns.
fn on_one_scale(original: &Matrix, published: &Matrix) -> (Matrix, Matrix) {
    let means = original.means();
    let spread: Vec<f64> = crate::linear::covariances(original)
        .iter()
        .enumerate()
        .map(|(i, row)| row[i].sqrt())
        .collect();
    let scaled = |matrix: &Matrix| {
        matrix.map(|_, column, cell| {
            if spread[column] > 0.0 {
                (cell - means[column]) / spread[column]
            } else {
                0.0
            }
        })
    };
    debug_assert!(
        Scaling::default() == Scaling::Standardize,
        "linkage is on the default scale"
    );
    (scaled(original), scaled(published))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Centroid, Options, RandomSource, SplitMix64, microaggregated, solve};

    #[test]
    fn untouched_data_is_found_and_microaggregated_data_at_most_one_in_k() {
        let mut random = SplitMix64::new(10);
        let data = Matrix::new((0..1200).map(|_| random.normal()).collect(), 4).unwrap();
        let whole = probabilistic_linkage(&data, &data, 0.01).unwrap();
        assert!(
            whole.found > 0.99
                && whole.m.iter().all(|m| *m > 0.9)
                && whole.u.iter().all(|u| *u < 0.05)
        );
        let partition = solve(
            "mdav",
            &data,
            &Options {
                k: 5,
                ..Options::default()
            },
        )
        .unwrap();
        let published = microaggregated(&data, &partition, Centroid::Mean).unwrap();
        assert!(probabilistic_linkage(&data, &published, 0.1).unwrap().found <= 0.2);
    }
}
