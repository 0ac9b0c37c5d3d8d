//! What an attack shows: how often it succeeded, out of how many tries, and how sure that is.
//!
//! An attack is a knowledge generator (what the adversary knows of a victim) and a matching rule (does that knowledge
//! find the victim). [`exhaustive`] tries everything the adversary could know about every victim and counts the victims
//! that fall to some of it; [`sampled`] draws victims and knowledge and counts the draws that succeed.

use crate::{Draws, interval};
use rayon::prelude::*;

/// How much of what could be tried was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every victim with everything the adversary may know.
    Exhaustive,
    /// Draws made with this seed.
    Sampled {
        /// The seed of the draws.
        seed: u64,
    },
}

/// The result of an attack in the one form that reports and gates read.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Name of the attack in [`crate::CATALOGUE`].
    pub attack: &'static str,
    /// Victims (exhaustive) or draws (sampled).
    pub attempts: u64,
    /// How many of them succeeded for certain.
    pub successes: u64,
    /// `successes / attempts`, or the mean chance of a right guess; 0 when nothing was tried.
    pub rate: f64,
    /// 95 % interval of the rate, Clopper-Pearson or empirical Bernstein; the rate itself when exhaustive.
    pub interval: (f64, f64),
    /// Exhaustive or sampled, with the seed.
    pub coverage: Coverage,
}

impl Evidence {
    /// Evidence from counts.
    pub fn new(attack: &'static str, successes: u64, attempts: u64, coverage: Coverage) -> Self {
        let rate = if attempts == 0 {
            0.0
        } else {
            successes as f64 / attempts as f64
        };
        let interval = match coverage {
            Coverage::Exhaustive => (rate, rate),
            Coverage::Sampled { .. } => interval::clopper_pearson(successes, attempts, 0.95),
        };
        Self {
            attack,
            attempts,
            successes,
            rate,
            interval,
            coverage,
        }
    }

    /// Evidence from the chance that each attempt has of being right, with how many attempts have it; a chance of 1 is a
    /// success for certain.
    pub fn of_chances(
        attack: &'static str,
        chances: impl Iterator<Item = (f64, u64)> + Clone,
        coverage: Coverage,
    ) -> Self {
        let (rate, interval) = interval::empirical_bernstein(&chances, 0.95);
        let certain = chances.clone().filter(|&(chance, _)| chance >= 1.0);
        Self {
            attack,
            attempts: chances.map(|(_, attempts)| attempts).sum(),
            successes: certain.map(|(_, attempts)| attempts).sum(),
            rate,
            interval: match coverage {
                Coverage::Exhaustive => (rate, rate),
                Coverage::Sampled { .. } => interval,
            },
            coverage,
        }
    }

    /// The same attack in several places as one: people are added up, the rate is the mean over all of them, and so are the ends of the
    /// intervals. `None` without a place.
    pub fn together(parts: &[&Evidence]) -> Option<Evidence> {
        let first = parts.first()?;
        let attempts: u64 = parts.iter().map(|part| part.attempts).sum();
        let mean = |of: fn(&Evidence) -> f64| {
            let sum: f64 = parts
                .iter()
                .map(|part| of(part) * part.attempts as f64)
                .sum();
            if attempts == 0 {
                0.0
            } else {
                sum / attempts as f64
            }
        };
        let drawn = parts
            .iter()
            .find(|part| part.coverage != Coverage::Exhaustive);
        Some(Evidence {
            attack: first.attack,
            attempts,
            successes: parts.iter().map(|part| part.successes).sum(),
            rate: mean(|part| part.rate),
            interval: (mean(|part| part.interval.0), mean(|part| part.interval.1)),
            coverage: drawn.unwrap_or(first).coverage,
        })
    }

    /// Evidence of a rate that was counted over everybody: `successes` of them for certain, a right guess with `rate` on average.
    pub fn counted(
        attack: &'static str,
        successes: u64,
        attempts: u64,
        rate: f64,
        coverage: Coverage,
    ) -> Self {
        Self {
            attack,
            attempts,
            successes,
            rate,
            // Everybody is counted; where what is known was drawn, a note says so.
            interval: (rate, rate),
            coverage,
        }
    }
}

/// What an adversary is given of a victim: everything possible in turn, or one draw.
#[derive(Debug)]
pub enum Draw<'a> {
    /// Everything the adversary might know.
    All,
    /// One thing, drawn at random.
    One(&'a mut Draws),
}

/// A knowledge generator and a matching rule.
pub trait AttackTrial: Sync {
    /// What the adversary knows about one victim.
    type Knowledge;
    /// How many victims there are.
    fn victims(&self) -> usize;
    /// What the adversary may know of `victim`: one element when one is drawn; empty when there is nothing to know.
    fn knowledge(&self, victim: usize, draw: Draw<'_>) -> Vec<Self::Knowledge>;
    /// Whether the attack succeeds on `victim` with that knowledge.
    fn succeeds(&self, victim: usize, knowledge: &Self::Knowledge) -> bool;
}

/// Tries everything on everybody.
pub fn exhaustive<A: AttackTrial>(name: &'static str, attack: &A) -> Evidence {
    let victims = attack.victims();
    let successes = (0..victims)
        .into_par_iter()
        .filter(|&victim| {
            attack
                .knowledge(victim, Draw::All)
                .iter()
                .any(|known| attack.succeeds(victim, known))
        })
        .count();
    Evidence::new(name, successes as u64, victims as u64, Coverage::Exhaustive)
}

/// Draws `attempts` victims with replacement and one piece of knowledge of each. The same for any number of threads.
pub fn sampled<A: AttackTrial>(
    name: &'static str,
    attack: &A,
    attempts: u64,
    seed: u64,
) -> Evidence {
    let victims = attack.victims() as u64;
    let attempts = if victims == 0 { 0 } else { attempts };
    let successes = (0..attempts)
        .into_par_iter()
        .filter(|&attempt| {
            let mut rng = stream(seed, attempt);
            let victim = rng.below(victims) as usize;
            try_one(attack, victim, &mut rng)
        })
        .count();
    Evidence::new(name, successes as u64, attempts, Coverage::Sampled { seed })
}

/// Draws `attempts` different victims (all when there are fewer) and one piece of knowledge of each.
///
/// Nobody counts twice, so the interval also covers which people happened to be there: what a comparison with others needs.
pub fn sampled_once<A: AttackTrial>(
    name: &'static str,
    attack: &A,
    attempts: u64,
    seed: u64,
) -> Evidence {
    let victims = attack.victims();
    let chosen = Draws::new(seed).distinct(usize::try_from(attempts).unwrap_or(victims), victims);
    let successes = chosen
        .par_iter()
        .filter(|&&victim| try_one(attack, victim, &mut stream(seed, victim as u64)))
        .count();
    Evidence::new(
        name,
        successes as u64,
        chosen.len() as u64,
        Coverage::Sampled { seed },
    )
}

/// One stream per attempt, so that the split over threads does not matter.
fn stream(seed: u64, attempt: u64) -> Draws {
    Draws::new(Draws::new(seed.wrapping_add(attempt)).next_u64() ^ seed.rotate_left(32))
}

fn try_one<A: AttackTrial>(attack: &A, victim: usize, rng: &mut Draws) -> bool {
    attack
        .knowledge(victim, Draw::One(rng))
        .first()
        .is_some_and(|known| attack.succeeds(victim, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Victim v falls to knowledge k when v divides k.
    struct Divides;
    impl AttackTrial for Divides {
        type Knowledge = u64;
        fn victims(&self) -> usize {
            10
        }
        fn knowledge(&self, _: usize, draw: Draw<'_>) -> Vec<u64> {
            match draw {
                Draw::All => (1..=4).collect(),
                Draw::One(rng) => vec![1 + rng.below(4)],
            }
        }
        fn succeeds(&self, victim: usize, known: &u64) -> bool {
            known.is_multiple_of(victim as u64 + 1)
        }
    }

    #[test]
    fn everything_and_samples_agree() {
        let entry = "linkage";
        let all = exhaustive(entry, &Divides);
        assert_eq!(
            (all.successes, all.attempts, all.interval),
            (4, 10, (0.4, 0.4))
        );
        // 1..=4 has 4 + 2 + 1 + 1 = 8 successes over 10 victims x 4 pieces.
        let some = sampled(entry, &Divides, 4_000, 7);
        assert!(some.interval.0 < 0.2 && 0.2 < some.interval.1, "{some:?}");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        assert_eq!(pool.install(|| sampled(entry, &Divides, 4_000, 7)), some);
        let once = sampled_once(entry, &Divides, 99, 7);
        assert_eq!(once.attempts, 10);
    }
}
