//! How many people trails can single out in theory: the bound, and the estimate from each institution's size.
//!
//! # Idea
//!
//! There are 2^C - 1 trails over C institutions that are not empty, so no more people than that can have one of their own.
//! How many do depends on how people spread: if each institution is visited independently at its observed rate, the chance
//! that nobody else among S people has a given trail is (1 - p)^(S - 1), where p is the trail's probability.
//!
//! # Reference
//!
//! Malin 2002, section 5.
//!
//! # Departures
//!
//! The paper only points at the model. We sum it exactly up to 20 institutions and draw trails beyond, and give the
//! estimate among the visitors of each institution as well. Real visits are correlated: the estimate errs towards too many.
//!
//! # Cost
//!
//! 2^C terms up to 20 institutions, otherwise `draws` times C.

use crate::Draws;
use denym_data::Trails;

/// The most people REIDIT-C, REIDIT-I or forced matching can single out: one per trail that is not empty.
///
/// REIDIT-M is not bounded by it, since several trails may go to one person.
pub fn most_reidentifiable(subjects: u64, institutions: u32) -> u64 {
    let trails = 1_u64
        .checked_shl(institutions)
        .map_or(u64::MAX, |power| power - 1);
    subjects.min(trails)
}

/// An estimate of how many trails are unique.
#[derive(Debug, Clone, PartialEq)]
pub struct Uniqueness {
    /// Expected number of people with a trail of their own.
    pub unique: f64,
    /// Standard error of `unique`; 0 when summed exactly.
    pub standard_error: f64,
    /// Expected share of people with a trail of their own among the visitors of each institution.
    pub by_institution: Vec<f64>,
}

/// Expected uniqueness of `subjects` people who visit institution i with probability `rates[i]`, independently.
pub fn expected_unique(subjects: u64, rates: &[f64], draws: u64, seed: u64) -> Uniqueness {
    let others = subjects.saturating_sub(1) as f64;
    let alone = |p: f64| (others * (-p).ln_1p()).exp();
    let mut total = Sums {
        weight: 0.0,
        alone: 0.0,
        square: 0.0,
        by: vec![(0.0, 0.0); rates.len()],
    };
    let exact = rates.len() <= 20;
    if exact {
        for trail in 0..1_u32 << rates.len() {
            let p: f64 = rates
                .iter()
                .enumerate()
                .map(|(at, r)| if trail >> at & 1 == 1 { *r } else { 1.0 - r })
                .product();
            total.add(p, alone(p), |at| trail >> at & 1 == 1);
        }
    } else {
        let mut rng = Draws::new(seed);
        let mut visited = vec![false; rates.len()];
        for _ in 0..draws.max(1) {
            let mut log = 0.0;
            for (visit, &rate) in visited.iter_mut().zip(rates) {
                *visit = rng.unit() < rate;
                log += if *visit { rate.ln() } else { (-rate).ln_1p() };
            }
            total.add(1.0, alone(log.exp()), |at| visited[at]);
        }
    }
    let mean = total.alone / total.weight;
    let variance = (total.square / total.weight - mean * mean).max(0.0);
    Uniqueness {
        unique: mean * subjects as f64,
        standard_error: if exact {
            0.0
        } else {
            (variance / draws.max(1) as f64).sqrt() * subjects as f64
        },
        by_institution: total
            .by
            .iter()
            .map(|&(weight, alone)| if weight > 0.0 { alone / weight } else { 0.0 })
            .collect(),
    }
}

/// Each institution's share of the people, as [`expected_unique`] takes it.
pub fn visit_rates(trails: &Trails) -> Vec<f64> {
    let mut counts = vec![0_u64; trails.institutions()];
    for trail in trails.iter() {
        for &at in trail {
            counts[at as usize] += 1;
        }
    }
    counts
        .iter()
        .map(|&count| count as f64 / trails.len().max(1) as f64)
        .collect()
}

struct Sums {
    weight: f64,
    alone: f64,
    square: f64,
    by: Vec<(f64, f64)>,
}

impl Sums {
    fn add(&mut self, weight: f64, alone: f64, visited: impl Fn(usize) -> bool) {
        self.weight += weight;
        self.alone += weight * alone;
        self.square += weight * alone * alone;
        for (at, by) in self.by.iter_mut().enumerate() {
            if visited(at) {
                by.0 += weight;
                by.1 += weight * alone;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trails::{TrailSide, reidit_complete};

    #[test]
    fn the_bound_is_all_trails_but_the_empty_one() {
        assert_eq!(most_reidentifiable(5, 2), 3);
        assert_eq!(most_reidentifiable(2, 3), 2);
        assert_eq!(most_reidentifiable(u64::MAX, 70), u64::MAX);
        // It is reached: every trail that is not empty, once.
        let all = Trails::from_rows(
            4,
            (1_u32..16).map(|t| (0..4).filter(|at| t >> at & 1 == 1).collect::<Vec<u32>>()),
        )
        .unwrap();
        let found = reidit_complete(TrailSide::new(&all), TrailSide::new(&all), &|_, _| true);
        assert_eq!(found.len() as u64, most_reidentifiable(1_000, 4));
    }

    #[test]
    fn the_estimate_meets_the_world_it_assumes() {
        let rates: Vec<f64> = (0..12).map(|at| 0.05 + 0.03 * f64::from(at)).collect();
        let (people, worlds) = (400_u64, 60);
        let estimate = expected_unique(people, &rates, 0, 0);
        let mut rng = Draws::new(3);
        let (mut sum, mut square) = (0.0, 0.0);
        for _ in 0..worlds {
            let rows: Vec<Vec<u32>> = (0..people)
                .map(|_| {
                    (0..12)
                        .filter(|&at| rng.unit() < rates[at as usize])
                        .collect()
                })
                .collect();
            let world = Trails::from_rows(12, rows).unwrap();
            let unique =
                reidit_complete(TrailSide::new(&world), TrailSide::new(&world), &|_, _| true).len()
                    as f64;
            sum += unique;
            square += unique * unique;
        }
        let mean = sum / f64::from(worlds);
        let error = ((square / f64::from(worlds) - mean * mean) / f64::from(worlds)).sqrt();
        assert!(
            (estimate.unique - mean).abs() < 5.0 * error,
            "{} against {mean} +- {error}",
            estimate.unique
        );
        // Rarer institutions have visitors who are easier to tell apart.
        assert!(estimate.by_institution[0] > estimate.by_institution[11]);
        // Drawing instead of summing gives the same, within its own error.
        let mut padded = rates.clone();
        padded.extend([1e-12; 12]);
        let drawn = expected_unique(people, &padded, 40_000, 5);
        assert!(
            (drawn.unique - estimate.unique).abs() < 5.0 * drawn.standard_error,
            "{drawn:?}"
        );
    }
}
