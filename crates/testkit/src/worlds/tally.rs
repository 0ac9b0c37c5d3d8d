//! How many people are believed more of than was promised, over all worlds.

use std::collections::BTreeMap;

use super::run::Belief;

/// Beliefs judged, each counted as often as it is held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Weight of all beliefs that were judged.
    pub judged: f64,
    /// Weight of those that go beyond the promise.
    pub beyond: f64,
    /// The largest share that any belief gives to one value.
    pub surest: f64,
    /// The largest share that any belief gives to one link.
    pub closest: f64,
    /// Weight of the beliefs that leave one value only.
    pub certain: f64,
}

impl Tally {
    /// Judges beliefs: `keeps` says whether one is within what was promised.
    pub fn add<'a, W: 'a>(
        &mut self,
        beliefs: &[Belief<'a, W>],
        keeps: impl Fn(&Belief<'a, W>) -> bool,
    ) {
        for belief in beliefs {
            let all: f64 = belief.values.values().sum();
            let most = belief.values.values().copied().fold(0.0, f64::max);
            self.judged += belief.weight;
            self.surest = self.surest.max(most / all);
            self.closest = self.closest.max(belief.link);
            if belief.values.len() == 1 {
                self.certain += belief.weight;
            }
            if !keeps(belief) {
                self.beyond += belief.weight;
            }
        }
    }

    /// Judges rows by how many may be behind each: at least `least` are promised.
    pub fn add_owners(&mut self, owners: &[(f64, usize)], least: usize) {
        for &(weight, people) in owners {
            self.judged += weight;
            if people < least {
                self.beyond += weight;
            }
            if people == 1 {
                self.certain += weight;
            }
        }
    }

    /// The share of people, over all worlds, of whom more is believed than was promised.
    pub fn rate(&self) -> f64 {
        if self.judged > 0.0 {
            self.beyond / self.judged
        } else {
            0.0
        }
    }

    /// The same in thousandths, rounded up: a rate that is not zero never reads as zero.
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    pub fn per_mille(&self) -> u16 {
        // A millionth of slack, since weights are sums of fractions.
        (self.rate() * 1000.0 - 1e-6).ceil().max(0.0) as u16
    }
}

/// Divisible by every number up to 16, so that shares of small groups stay exact.
const PARTS: f64 = 720_720.0;

/// A belief as whole numbers, (value, count) ascending, in its proportions.
#[expect(clippy::cast_sign_loss, reason = "a weight is not negative")]
pub fn counts(values: &BTreeMap<u32, f64>) -> Vec<(u32, u64)> {
    let whole = values
        .values()
        .all(|weight| weight.fract() == 0.0 && *weight < 1e15);
    let all: f64 = values.values().sum();
    let scaled = |weight: f64| {
        let parts = if whole { weight } else { weight / all * PARTS };
        parts.round() as u64
    };
    let counts = values
        .iter()
        .map(|(&value, &weight)| (value, scaled(weight)));
    counts.filter(|&(_, count)| count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_small_groups_stay_exact() {
        let thirds: BTreeMap<u32, f64> = (0..3).map(|value| (value, 1.0 / 3.0)).collect();
        assert_eq!(counts(&thirds), [(0, 240_240), (1, 240_240), (2, 240_240)]);
        let whole = BTreeMap::from([(4, 2.0), (7, 6.0)]);
        assert_eq!(counts(&whole), [(4, 2), (7, 6)]);
    }

    #[test]
    fn a_small_rate_never_reads_as_zero() {
        let tally = Tally {
            judged: 1e6,
            beyond: 1.0,
            ..Tally::default()
        };
        assert_eq!(tally.per_mille(), 1);
        assert_eq!(Tally::default().per_mille(), 0);
    }
}
