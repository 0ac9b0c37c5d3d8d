//! Confidence intervals for a success rate: Clopper-Pearson (never too narrow) and Wilson (shorter, approximate); for the
//! mean of chances between 0 and 1, the empirical Bernstein bound (never too narrow).
//!
//! # Reference
//!
//! C. J. Clopper, E. S. Pearson, Biometrika 26, 1934; E. B. Wilson, JASA 22, 1927; A. Maurer, M. Pontil, COLT 2009. The incomplete beta function by the
//! continued fraction of Lentz, log-gamma by Lanczos.

/// The exact two-sided interval at `confidence` (0.95) for `successes` out of `attempts`; (0, 1) when nothing was tried.
pub fn clopper_pearson(successes: u64, attempts: u64, confidence: f64) -> (f64, f64) {
    let (x, n) = (successes.min(attempts) as f64, attempts as f64);
    let tail = (1.0 - confidence) / 2.0;
    let low = if successes == 0 {
        0.0
    } else {
        quantile(tail, x, n - x + 1.0)
    };
    let high = if successes >= attempts {
        1.0
    } else {
        quantile(1.0 - tail, x + 1.0, n - x)
    };
    (low, high)
}

/// The score interval at normal quantile `z` (1.96 for 95 %); (0, 1) when nothing was tried.
pub fn wilson(successes: u64, attempts: u64, z: f64) -> (f64, f64) {
    if attempts == 0 {
        return (0.0, 1.0);
    }
    let n = attempts as f64;
    let rate = successes as f64 / n;
    let center = rate + z * z / (2.0 * n);
    let half = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (
        ((center - half) / scale).max(0.0),
        ((center + half) / scale).min(1.0),
    )
}

/// The mean of independent draws between 0 and 1, each value given with how often it was drawn, and the two-sided interval
/// of the mean at `confidence`; (0, 1) around fewer than two.
pub fn empirical_bernstein(
    draws: &(impl Iterator<Item = (f64, u64)> + Clone),
    confidence: f64,
) -> (f64, (f64, f64)) {
    let count: u64 = draws.clone().map(|(_, times)| times).sum();
    let n = count as f64;
    if count == 0 {
        return (0.0, (0.0, 1.0));
    }
    let sum = |each: &dyn Fn(f64) -> f64| -> f64 {
        let terms = draws.clone().map(|(x, times)| each(x) * times as f64);
        terms.sum()
    };
    let mean = sum(&|x| x) / n;
    if count < 2 {
        return (mean, (0.0, 1.0));
    }
    let variance = sum(&|x| (x - mean).powi(2)) / (n - 1.0);
    // Each side holds with half of what may fail; the theorem spends two of it on the variance.
    let log = (4.0 / (1.0 - confidence)).ln();
    let half = (2.0 * variance * log / n).sqrt() + 7.0 * log / (3.0 * (n - 1.0));
    (mean, ((mean - half).max(0.0), (mean + half).min(1.0)))
}

/// The value below which a Beta(a, b) variable falls with probability `p`, by bisection.
fn quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if incomplete_beta(middle, a, b) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The regularized incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep_away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / keep_away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep_away(1.0 + even * d);
        c = keep_away(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep_away(1.0 + odd * d);
        c = keep_away(1.0 + odd / c);
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    value
}

fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const COEFFICIENTS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut sum = COEFFICIENTS[0];
    for (at, coefficient) in COEFFICIENTS.iter().enumerate().skip(1) {
        sum += coefficient / (x + at as f64);
    }
    let t = x + G + 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: (f64, f64), low: f64, high: f64) {
        assert!(
            (found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5,
            "{found:?} is not ({low}, {high})"
        );
    }

    #[test]
    fn published_values() {
        // Closed forms: with no success the upper end is 1 - (alpha/2)^(1/n).
        close(clopper_pearson(0, 10, 0.95), 0.0, 1.0 - 0.025_f64.powf(0.1));
        close(clopper_pearson(10, 10, 0.95), 0.025_f64.powf(0.1), 1.0);
        // Agresti and Coull (1998) and every statistics package.
        close(clopper_pearson(5, 10, 0.95), 0.18709, 0.81291);
        close(clopper_pearson(1, 29, 0.95), 0.00087, 0.17764);
        close(wilson(5, 10, 1.959_964), 0.23659, 0.76341);
        close(wilson(0, 10, 1.959_964), 0.0, 0.27753);
        close(clopper_pearson(0, 0, 0.95), 0.0, 1.0);
        let (low, high) = clopper_pearson(200_000, 1_000_000, 0.95);
        assert!(low > 0.1992 && low < 0.2 && high > 0.2 && high < 0.2008);
    }

    #[test]
    fn the_mean_of_chances() {
        // Equal draws leave only the second term: 7 ln(80) / (3 x 999).
        let (mean, (low, high)) = empirical_bernstein(&[(0.25, 1000)].into_iter(), 0.95);
        assert!((mean - 0.25).abs() < 1e-12);
        close((low, high), 0.25 - 0.010_236, 0.25 + 0.010_236);
        assert_eq!(
            empirical_bernstein(&std::iter::empty(), 0.95),
            (0.0, (0.0, 1.0))
        );
        let half = [(0.0, 5_000), (1.0, 5_000)];
        let (_, (low, high)) = empirical_bernstein(&half.into_iter(), 0.95);
        assert!(
            low > 0.48 && high < 0.52 && low < 0.5 - 0.0098,
            "{low} {high}"
        );
    }

    #[test]
    fn the_ends_are_where_the_binomial_tails_are_one_fortieth() {
        let tail = |n: u64, from: u64, p: f64| -> f64 {
            let choose = |k: u64| {
                (0..k)
                    .map(|i| (n - i) as f64 / (i + 1) as f64)
                    .product::<f64>()
            };
            (from..=n)
                .map(|k| choose(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32))
                .sum()
        };
        for (x, n) in [(1, 7), (3, 12), (9, 20)] {
            let (low, high) = clopper_pearson(x, n, 0.95);
            assert!((tail(n, x, low) - 0.025).abs() < 1e-9);
            assert!((1.0 - tail(n, x + 1, high) - 0.025).abs() < 1e-9);
        }
    }
}
