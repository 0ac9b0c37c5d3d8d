//! Population uniqueness: how many records of a sample are unique among all people it was drawn from.
//!
//! # Idea
//!
//! A record that is unique in the sample may or may not be unique in the population. Each model guesses the population's class sizes from the
//! sample's and counts the classes of one.
//!
//! - *Zayatz*: what share of sample uniques come from population uniques, if the population's class sizes are distributed as the
//!   sample's.
//! - *Pitman*: class sizes follow Pitman's sampling formula; its two parameters are fitted by maximum likelihood. Good for small
//!   sampling fractions.
//! - *Slide negative binomial (SNB)*: class sizes are 1 plus a negative binomial; parameters are fitted so that the expected number
//!   of sample classes and sample uniques are those seen.
//! - *Dankar's rule*: Pitman for sampling fractions up to 10 %, else the smaller of Zayatz and SNB.
//!
//! # Reference
//!
//! L. Zayatz, "Estimation of the percent of unique population elements", 1991; N. Hoshino, "Applying Pitman's sampling formula to microdata
//! disclosure risk assessment", Journal of Official Statistics 2001; G. Chen and S. Keller-McNulty, "Estimation of identification
//! disclosure risk in microdata", JOS 1998; F. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of
//! clinical data sets", BMC Medical Informatics 2012.
//!
//! # Departures
//!
//! Estimates are shares of the population, as the best-known tool prints them. A model without a solution says so (`None`, where that
//! tool prints 0). Sums over records are written with the digamma function, so fitting costs nothing in the number of records.

use crate::Classes;

/// Population uniques as a share of the population, by model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniqueness {
    /// People in the population.
    pub population: u64,
    /// Zayatz.
    pub zayatz: Option<f64>,
    /// Pitman.
    pub pitman: Option<f64>,
    /// Slide negative binomial.
    pub snb: Option<f64>,
    /// Dankar's choice among them.
    pub dankar: Option<f64>,
}

/// Estimates for a table drawn from `population` people. A population smaller than the table is taken to be the table.
pub fn population_uniqueness(classes: &Classes, population: u64) -> PopulationUniqueness {
    let sizes = SizeCounts::of(classes);
    let population = population.max(sizes.n);
    let (zayatz, pitman, snb) = (
        zayatz(&sizes, population),
        pitman(&sizes, population),
        slide_negative_binomial(&sizes, population),
    );
    let small = u128::from(sizes.n) * 10 <= u128::from(population);
    let smaller = match (zayatz, snb) {
        (Some(zayatz), Some(snb)) => Some(zayatz.min(snb)),
        (zayatz, snb) => zayatz.or(snb),
    };
    PopulationUniqueness {
        population,
        zayatz,
        pitman,
        snb,
        dankar: if small {
            pitman.or(smaller)
        } else {
            smaller.or(pitman)
        },
    }
}

/// Class sizes of the sample: how many classes have each size.
struct SizeCounts {
    /// (size, classes), ascending.
    histogram: Vec<(u64, u64)>,
    n: u64,
    classes: u64,
    uniques: u64,
}

impl SizeCounts {
    fn of(classes: &Classes) -> SizeCounts {
        let mut sizes = classes.subjects().to_vec();
        sizes.sort_unstable();
        let histogram: Vec<(u64, u64)> = sizes
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len() as u64))
            .collect();
        SizeCounts {
            n: sizes.iter().sum(),
            classes: sizes.len() as u64,
            uniques: histogram
                .iter()
                .find(|(size, _)| *size == 1)
                .map_or(0, |&(_, many)| many),
            histogram,
        }
    }
}

fn zayatz(sizes: &SizeCounts, population: u64) -> Option<f64> {
    if sizes.n == 0 {
        return None;
    }
    // The chance that exactly one member of a population class of this size is sampled.
    let once = |size: u64| hypergeometric_once(population, size, sizes.n);
    let all: f64 = sizes
        .histogram
        .iter()
        .map(|&(size, many)| many as f64 * once(size))
        .sum();
    let unique = sizes.uniques as f64 * once(1) / all;
    // Sample uniques that are population uniques, scaled to the population.
    all.is_normal()
        .then(|| (sizes.uniques as f64 * unique) / sizes.n as f64)
}

/// The chance that a sample of n of N people holds exactly one of `size` given ones.
fn hypergeometric_once(population: u64, size: u64, n: u64) -> f64 {
    if size == 0 || size > population {
        return 0.0;
    }
    // size * C(N - size, n - 1) / C(N, n) = size * n/N * prod_{i=1}^{size-1} (N - n - i + 1) / (N - i)
    let (big, sample) = (population as f64, n as f64);
    let mut chance = size as f64 * sample / big;
    for i in 1..size {
        chance *= ((big - sample - i as f64 + 1.0) / (big - i as f64)).max(0.0);
    }
    chance
}

fn pitman(sizes: &SizeCounts, population: u64) -> Option<f64> {
    let (alpha, theta) = fit_pitman(sizes)?;
    let big = population as f64;
    // Expected classes of size one among N people: gamma(theta + 1) / gamma(theta + alpha) * N^alpha.
    let uniques = (ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * big.ln()).exp();
    let share = uniques / big;
    (share.is_finite() && (0.0..=1.0).contains(&share)).then_some(share)
}

/// The parameters of Pitman's formula with the greatest likelihood.
fn fit_pitman(sizes: &SizeCounts) -> Option<(f64, f64)> {
    let (n, u) = (sizes.n as f64, sizes.classes as f64);
    if sizes.classes < 2 || sizes.uniques == sizes.n {
        return None;
    }
    // Sum over i = 1..u-1 of 1 / (theta + i alpha), and over i = 1..n-1 of 1 / (theta + i).
    let by_class = |alpha: f64, theta: f64| {
        (digamma(theta / alpha + u) - digamma(theta / alpha + 1.0)) / alpha
    };
    let by_record = |theta: f64| digamma(theta + n) - digamma(theta + 1.0);
    let best_theta = |alpha: f64| {
        // The derivative by theta falls from plus to minus.
        let slope = |theta: f64| by_class(alpha, theta) - by_record(theta);
        let mut high = 1.0;
        while slope(high) > 0.0 && high < 1e15 {
            high *= 2.0;
        }
        bisect(-alpha + 1e-12, high, slope)
    };
    let slope = |alpha: f64| {
        let theta = best_theta(alpha);
        let by_classes = (u - 1.0 - theta * by_class(alpha, theta)) / alpha;
        let by_sizes: f64 = sizes
            .histogram
            .iter()
            .filter(|(size, _)| *size > 1)
            .map(|&(size, many)| {
                many as f64 * (digamma(size as f64 - alpha) - digamma(1.0 - alpha))
            })
            .sum();
        by_classes - by_sizes
    };
    let (low, high) = (1e-9, 1.0 - 1e-9);
    if slope(low) <= 0.0 || slope(high) >= 0.0 {
        return None;
    }
    let alpha = bisect(low, high, slope);
    Some((alpha, best_theta(alpha)))
}

/// Where a function that falls through zero between two points does so.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Population classes are 1 + NegativeBinomial(a, p): expected sample classes and sample uniques fix a and p.
fn slide_negative_binomial(sizes: &SizeCounts, population: u64) -> Option<f64> {
    let (n, big) = (sizes.n as f64, population as f64);
    let fraction = n / big;
    if sizes.n == 0 || sizes.classes == sizes.n || fraction >= 1.0 {
        // All unique, or the population itself: nothing is left to estimate.
        return (sizes.n > 0).then(|| sizes.uniques as f64 / n);
    }
    let expected = |ln_a: f64, ln_p: f64| {
        let (a, p) = (ln_a.exp(), ln_p.exp());
        let mean = 1.0 + a * (1.0 - p) / p;
        let classes = big / mean;
        let rest = 1.0 - (1.0 - p) * (1.0 - fraction);
        let unseen = (a * (ln_p - rest.ln())).exp();
        let seen = classes * (1.0 - (1.0 - fraction) * unseen);
        let once = classes * fraction * unseen * (1.0 + (1.0 - fraction) * a * (1.0 - p) / rest);
        (seen, once, classes * (a * ln_p).exp())
    };
    // For each a, the p that gives the classes seen; more p means smaller classes and so more of them.
    let best_p = |ln_a: f64| {
        bisect(-200.0, -1e-15, |ln_p| {
            sizes.classes as f64 - expected(ln_a, ln_p).0
        })
    };
    let excess = |ln_a: f64| expected(ln_a, best_p(ln_a)).1 - sizes.uniques as f64;
    // Heavier tails (small a) leave more uniques for the same number of classes.
    let (low, high) = (-25.0, 12.0);
    if excess(low) <= 0.0 || excess(high) >= 0.0 {
        return None;
    }
    let ln_a = bisect(low, high, excess);
    let share = expected(ln_a, best_p(ln_a)).2 / big;
    (share.is_finite() && (0.0..=1.0).contains(&share)).then_some(share)
}

/// The logarithmic derivative of the gamma function, for arguments above zero.
fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square
        * (1.0 / 12.0
            - square
                * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
    shift + x.ln() - 0.5 / x - series
}

/// The logarithm of the gamma function, for arguments above zero (Stirling's series after shifting).
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0))))
        / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions_match_known_values() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-13);
        assert!((digamma(0.5) + 1.963_510_026_021_423_5).abs() < 1e-13);
        assert!((ln_gamma(0.5) - 0.572_364_942_924_700_1).abs() < 1e-13);
        assert!((ln_gamma(10.0) - 12.801_827_480_081_469).abs() < 1e-12);
    }

    /// A population whose classes are 1 + geometric, sampled at one in five: the model that fits it finds its uniques.
    #[test]
    fn snb_finds_the_uniques_of_its_own_population() {
        let mut random = denym_data::SplitMix64::new(11);
        let (mut population, mut unique, mut sampled) = (0_u64, 0_u64, Vec::new());
        for _ in 0..50_000 {
            let mut size = 1;
            while random.unit() > 0.3 {
                size += 1;
            }
            population += size;
            unique += u64::from(size == 1);
            let seen = (0..size).filter(|_| random.below(5) == 0).count() as u64;
            if seen > 0 {
                sampled.push(seen);
            }
        }
        sampled.sort_unstable();
        let histogram: Vec<(u64, u64)> = sampled
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len() as u64))
            .collect();
        let sizes = SizeCounts {
            n: sampled.iter().sum(),
            classes: sampled.len() as u64,
            uniques: histogram[0].1,
            histogram,
        };
        let truth = unique as f64 / population as f64;
        let estimate = slide_negative_binomial(&sizes, population).unwrap();
        // Fixed seed; the estimate's spread over seeds is about a twentieth.
        assert!(
            (estimate / truth - 1.0).abs() < 0.2,
            "{estimate} for {truth}"
        );
    }

    #[test]
    fn one_of_a_class_is_sampled_with_the_hypergeometric_chance() {
        // 2 of 5 people form the class; a sample of 2 holds exactly one of them in 6 of 10 cases.
        assert!((hypergeometric_once(5, 2, 2) - 0.6).abs() < 1e-12);
        assert!((hypergeometric_once(5, 1, 5) - 1.0).abs() < 1e-12);
        assert!(hypergeometric_once(5, 3, 5).abs() < 1e-12);
    }
}
