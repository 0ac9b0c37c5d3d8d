//! The most likely owner of a trail when entries may be missing or false on both sides.
//!
//! # Idea
//!
//! For each institution compare how likely the two observed bits are when both rows are the same person with how likely
//! they are when the rows have nothing to do with each other. A shared rare institution says much, a shared common one
//! little, a contradiction counts against by as much as the error rates make it surprising. The product over institutions
//! is the weight of a candidate; the weights of all candidates, and the weight that the owner is nobody here, add up to one.
//!
//! # Guarantee
//!
//! Calibrated: among candidates given probability q, a share q are the owner, if institutions are visited independently at
//! the estimated rates and the error rates are right; with an error-free identified side and no absent owners the first
//! condition is not needed. Each trail is judged by itself: that owners are distinct is not used (forced matching is).
//!
//! # Reference
//!
//! The future work of Malin 2002, section 9, by the weights of I. P. Fellegi and A. B. Sunter, JASA 64, 1969.
//!
//! # Cost
//!
//! Per anonymous trail one pass over the identified people and the visit lists of its institutions, all cores.

use crate::Error;
use denym_data::Trails;
use rayon::prelude::*;

/// How often entries are wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Probability that a visit left no entry on this side.
    pub missing: f64,
    /// Probability that an entry is there though there was no visit.
    pub false_positive: f64,
}

/// How to judge candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// Errors of the anonymous side.
    pub anonymous: Rates,
    /// Errors of the identified side.
    pub identified: Rates,
    /// Probability that the owner is not among the identified people.
    pub absent: f64,
}

/// The best candidates of one anonymous trail.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// (identified row, probability), most likely first, rows ascending among equals.
    pub best: Vec<(u32, f64)>,
    /// Probability that the owner is nobody here.
    pub nobody: f64,
}

/// The `keep` best candidates of every anonymous trail among those whom `may_own` allows (anonymous row, identified row).
///
/// Whom a linking attribute rules out is no candidate, and the others are as likely beforehand as if there were no more.
///
/// # Errors
///
/// When the sides number institutions differently or a rate is not a probability (missing + false must stay below 1).
pub fn posteriors(
    anonymous: &Trails,
    identified: &Trails,
    may_own: &(dyn Fn(u32, u32) -> bool + Sync),
    model: &Model,
    keep: usize,
) -> Result<Vec<Posterior>, Error> {
    if anonymous.institutions() != identified.institutions() {
        return Err(Error::InstitutionsDiffer {
            anonymous: anonymous.institutions(),
            identified: identified.institutions(),
        });
    }
    let rates = [model.anonymous, model.identified]
        .into_iter()
        .flat_map(|r| [r.missing, r.false_positive]);
    if !rates
        .chain([model.absent])
        .all(|rate| (0.0..=1.0).contains(&rate))
    {
        return Err(Error::OutOfRange {
            what: "rate",
            range: "between 0 and 1",
        });
    }
    if [model.anonymous, model.identified]
        .iter()
        .any(|r| r.missing + r.false_positive >= 1.0)
    {
        return Err(Error::OutOfRange {
            what: "missing + false_positive",
            range: "below 1, or entries say nothing",
        });
    }
    let weights = Weights::of(identified, model);
    Ok((0..anonymous.len())
        .into_par_iter()
        .map(|row| {
            let may_own = |person: u32| may_own(row as u32, person);
            weights.judge(anonymous.get(row), &may_own, model.absent, keep)
        })
        .collect())
}

/// Log-likelihood ratios, arranged so that a trail only looks at its own institutions.
struct Weights {
    /// Visitors of each institution among the identified.
    offsets: Vec<usize>,
    visitors: Vec<u32>,
    /// The weight of each identified person against an empty trail.
    against_empty: Vec<f64>,
    /// What an anonymous entry adds for people without an identified one.
    entry: Vec<f64>,
    /// What it adds beyond that for people with one.
    shared: Vec<f64>,
}

impl Weights {
    fn of(identified: &Trails, model: &Model) -> Self {
        let institutions = identified.institutions();
        let mut offsets = vec![0_usize; institutions + 1];
        for trail in identified.iter() {
            for &at in trail {
                offsets[at as usize + 1] += 1;
            }
        }
        for at in 0..institutions {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut visitors = vec![0_u32; identified.entries()];
        for (row, trail) in identified.iter().enumerate() {
            for &at in trail {
                visitors[next[at as usize]] = row as u32;
                next[at as usize] += 1;
            }
        }
        let people = identified.len() as f64;
        let mut base = 0.0;
        let (mut own, mut entry, mut shared) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..institutions {
            // Half an entry more on either side keeps rates away from 0 and 1.
            let seen = ((offsets[at + 1] - offsets[at]) as f64 + 0.5) / (people + 1.0);
            let ratio = ratios(seen, model);
            base += ratio[0][0];
            own.push(ratio[0][1] - ratio[0][0]);
            entry.push(ratio[1][0] - ratio[0][0]);
            shared.push(ratio[1][1] - ratio[0][1] - ratio[1][0] + ratio[0][0]);
        }
        let against_empty = identified
            .iter()
            .map(|trail| base + trail.iter().map(|&at| own[at as usize]).sum::<f64>())
            .collect();
        Self {
            offsets,
            visitors,
            against_empty,
            entry,
            shared,
        }
    }

    fn judge(
        &self,
        trail: &[u32],
        may_own: &dyn Fn(u32) -> bool,
        absent: f64,
        keep: usize,
    ) -> Posterior {
        let common: f64 = trail.iter().map(|&at| self.entry[at as usize]).sum();
        let mut weight: Vec<f64> = self.against_empty.iter().map(|own| own + common).collect();
        for &at in trail {
            for &person in &self.visitors[self.offsets[at as usize]..self.offsets[at as usize + 1]]
            {
                weight[person as usize] += self.shared[at as usize];
            }
        }
        let mut order: Vec<u32> = (0..weight.len() as u32).filter(|&p| may_own(p)).collect();
        let people = order.len() as f64;
        let candidates = order.iter().map(|&person| weight[person as usize]);
        // Nobody's ratio is one, that is a log of zero.
        let top = candidates.clone().fold(0.0_f64, f64::max);
        let present = if people > 0.0 {
            (1.0 - absent) / people
        } else {
            0.0
        };
        let nobody = absent * (-top).exp();
        let total: f64 = candidates.map(|w| present * (w - top).exp()).sum::<f64>() + nobody;
        let by_weight = |a: &u32, b: &u32| {
            weight[*b as usize]
                .total_cmp(&weight[*a as usize])
                .then(a.cmp(b))
        };
        if keep < order.len() {
            if keep > 0 {
                order.select_nth_unstable_by(keep - 1, by_weight);
            }
            order.truncate(keep);
        }
        order.sort_unstable_by(by_weight);
        let share = |w: f64| {
            if total > 0.0 {
                present * (w - top).exp() / total
            } else {
                0.0
            }
        };
        Posterior {
            best: order
                .into_iter()
                .map(|person| (person, share(weight[person as usize])))
                .collect(),
            nobody: if total > 0.0 { nobody / total } else { 1.0 },
        }
    }
}

/// `ln P(bits | same person) / P(bits | strangers)` by [anonymous bit][identified bit], given how often the identified bit is 1.
fn ratios(seen: f64, model: &Model) -> [[f64; 2]; 2] {
    // Errors of exactly zero would make one contradiction infinite; this small it outweighs any number of agreements.
    const LEAST: f64 = 1e-9;
    let [a, i] = [model.anonymous, model.identified].map(|r| {
        [
            [1.0 - r.false_positive, r.false_positive],
            [r.missing, 1.0 - r.missing],
        ]
        .map(|row| row.map(|p| p.max(LEAST)))
    });
    let visited = ((seen - i[0][1]) / (i[1][1] - i[0][1])).clamp(LEAST, 1.0 - LEAST);
    let truth = [1.0 - visited, visited];
    let mut ratio = [[0.0; 2]; 2];
    for (x, row) in ratio.iter_mut().enumerate() {
        for (y, cell) in row.iter_mut().enumerate() {
            let same: f64 = (0..2).map(|t| truth[t] * a[t][x] * i[t][y]).sum();
            let apart_a: f64 = (0..2).map(|t| truth[t] * a[t][x]).sum();
            let apart_i: f64 = (0..2).map(|t| truth[t] * i[t][y]).sum();
            *cell = (same / (apart_a * apart_i)).ln();
        }
    }
    ratio
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draws;

    const EXACT: Rates = Rates {
        missing: 0.0,
        false_positive: 0.0,
    };

    /// True visits, and what either side recorded; a share of anonymous owners is not on the identified side.
    fn world(people: usize, model: &Model, seed: u64) -> (Trails, Trails, Vec<Option<u32>>) {
        let mut rng = Draws::new(seed);
        let institutions = 24_u32;
        let popularity: Vec<f64> = (0..institutions)
            .map(|at| 0.05 + 0.4 * f64::from(at) / f64::from(institutions))
            .collect();
        let (mut a, mut i, mut owner) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..people {
            let truth: Vec<bool> = popularity.iter().map(|&p| rng.unit() < p).collect();
            let mut record = |rates: Rates| -> Vec<u32> {
                (0..institutions)
                    .filter(|&at| {
                        let u = rng.unit();
                        if truth[at as usize] {
                            u >= rates.missing
                        } else {
                            u < rates.false_positive
                        }
                    })
                    .collect()
            };
            a.push(record(model.anonymous));
            let identified = record(model.identified);
            if rng.unit() < model.absent {
                owner.push(None);
            } else {
                owner.push(Some(i.len() as u32));
                i.push(identified);
            }
        }
        let n = institutions as usize;
        (
            Trails::from_rows(n, a).unwrap(),
            Trails::from_rows(n, i).unwrap(),
            owner,
        )
    }

    /// In each band of stated probability the share of hits must be what was stated (6 standard errors: about 1e-8 false alarm
    /// over the bands).
    fn calibrated(model: &Model, seed: u64) -> f64 {
        let mut bands = [(0.0, 0.0, 0.0); 10];
        let mut right = 0.0;
        for round in 0..4 {
            let (a, i, owner) = world(1_000, model, seed + round);
            for (row, found) in posteriors(&a, &i, &|_, _| true, model, 20)
                .unwrap()
                .iter()
                .enumerate()
            {
                let sum: f64 = found.best.iter().map(|(_, p)| p).sum::<f64>() + found.nobody;
                assert!(sum <= 1.0 + 1e-9);
                right += f64::from(u8::from(Some(found.best[0].0) == owner[row]));
                let stated = found
                    .best
                    .iter()
                    .map(|&(person, p)| (Some(person), p))
                    .chain([(None, found.nobody)]);
                for (person, p) in stated {
                    let band =
                        &mut bands[(1..10).filter(|&edge| p >= f64::from(edge) / 10.0).count()];
                    band.0 += p;
                    band.1 += f64::from(u8::from(person == owner[row]));
                    band.2 += p * (1.0 - p);
                }
            }
        }
        for (at, (expected, hits, variance)) in bands.iter().enumerate() {
            // A little room for the estimated visit rates.
            let room = 6.0 * variance.sqrt() + 0.03 * expected + 1.0;
            assert!(
                (expected - hits).abs() <= room,
                "band {at}: {expected:.1} expected, {hits} hits"
            );
        }
        right / 4_000.0
    }

    #[test]
    fn stated_probabilities_come_true() {
        let noisy = Rates {
            missing: 0.15,
            false_positive: 0.02,
        };
        let both = Model {
            anonymous: noisy,
            identified: Rates {
                missing: 0.1,
                false_positive: 0.01,
            },
            absent: 0.2,
        };
        let one = Model {
            anonymous: noisy,
            identified: EXACT,
            absent: 0.0,
        };
        let (hard, easy) = (calibrated(&both, 11), calibrated(&one, 77));
        assert!(
            hard > 0.05 && easy > hard,
            "top candidates right: {hard} and {easy}"
        );
    }

    #[test]
    fn without_errors_the_owner_is_the_equal_trail() {
        let model = Model {
            anonymous: EXACT,
            identified: EXACT,
            absent: 0.0,
        };
        let people = Trails::from_rows(4, [vec![0, 1], vec![1, 2], vec![1, 2], vec![3]]).unwrap();
        let found = posteriors(&people, &people, &|_, _| true, &model, 2).unwrap();
        assert_eq!(found[0].best[0].0, 0);
        assert!(found[0].best[0].1 > 0.999);
        assert!((found[1].best[0].1 - 0.5).abs() < 1e-3 && (found[1].best[1].1 - 0.5).abs() < 1e-3);
        assert_eq!((found[1].best[0].0, found[1].best[1].0), (1, 2));
    }

    /// With an exact identified side the posterior is the likelihood of losing exactly the missing entries, normalized.
    #[test]
    fn one_sided_errors_give_the_direct_likelihood() {
        let (missing, false_positive) = (0.3, 0.05);
        let model = Model {
            anonymous: Rates {
                missing,
                false_positive,
            },
            identified: EXACT,
            absent: 0.0,
        };
        let people =
            Trails::from_rows(5, [vec![0, 1, 2], vec![0, 1], vec![0, 3, 4], vec![2, 3]]).unwrap();
        let seen = Trails::from_rows(5, [vec![0, 1]]).unwrap();
        let direct: Vec<f64> = people
            .iter()
            .map(|trail| {
                (0..5_u32)
                    .map(|at| match (trail.contains(&at), at < 2) {
                        (true, true) => 1.0 - missing,
                        (true, false) => missing,
                        (false, true) => false_positive,
                        (false, false) => 1.0 - false_positive,
                    })
                    .product()
            })
            .collect();
        let total: f64 = direct.iter().sum();
        for &(person, p) in &posteriors(&seen, &people, &|_, _| true, &model, 4).unwrap()[0].best {
            assert!(
                (p - direct[person as usize] / total).abs() < 1e-6,
                "{person}: {p}"
            );
        }
    }

    #[test]
    fn impossible_rates_are_refused() {
        let trails = Trails::from_rows(1, [[0_u32]]).unwrap();
        let bad = Rates {
            missing: 0.6,
            false_positive: 0.5,
        };
        let model = Model {
            anonymous: bad,
            identified: EXACT,
            absent: 0.0,
        };
        assert_eq!(
            posteriors(&trails, &trails, &|_, _| true, &model, 1)
                .unwrap_err()
                .code(),
            "attack-out-of-range"
        );
    }

    #[test]
    fn whom_a_linking_attribute_rules_out_is_no_candidate() {
        let trails = Trails::from_rows(2, [vec![0], vec![0], vec![1]]).unwrap();
        let rates = Rates {
            missing: 0.05,
            false_positive: 0.01,
        };
        let model = Model {
            anonymous: rates,
            identified: rates,
            absent: 0.0,
        };
        let own = |a: u32, i: u32| a == i;
        let found = posteriors(&trails, &trails, &own, &model, 3).unwrap();
        for (row, found) in (0..).zip(&found) {
            assert_eq!(found.best.len(), 1);
            assert_eq!(found.best[0].0, row);
            assert!(found.best[0].1 > 0.999, "{found:?}");
        }
        let nobody = posteriors(&trails, &trails, &|_, _| false, &model, 3).unwrap();
        assert!(nobody.iter().all(|found| found.best.is_empty()));
    }
}
