//! Trade-off metrics: information gained per privacy lost, and lost per privacy gained.
//!
//! # Idea
//!
//! A top-down search ranks a specialization s by IGPL(s) = IG(s) / (PL(s) + 1), a bottom-up search a generalization g by
//! ILPG(g) = IL(g) / (PG(g) + 1). Information gain is the decrease of class entropy when a group splits; privacy loss the mean
//! decrease of anonymity over the quasi-identifier sets that contain the attribute.
//!
//! # Reference
//!
//! B. Fung, K. Wang, P. Yu, "Top-down specialization for information and privacy preservation", ICDE 2005. Survey section 4.3,
//! formulas (4) and (5).

use crate::Histogram;
use crate::promises::EntropyDiversity;

/// Information gain per privacy loss of a specialization; larger is better.
pub fn igpl(information_gain: f64, privacy_loss: f64) -> f64 {
    information_gain / (privacy_loss + 1.0)
}

/// Information loss per privacy gain of a generalization; smaller is better.
pub fn ilpg(information_loss: f64, privacy_gain: f64) -> f64 {
    information_loss / (privacy_gain + 1.0)
}

/// Decrease of class entropy, in bits, when a group splits into `parts`.
pub fn information_gain(group: &Histogram<'_>, parts: &[Histogram<'_>]) -> f64 {
    if group.total == 0 {
        return 0.0;
    }
    let after: f64 = parts
        .iter()
        .map(|part| part.total as f64 / group.total as f64 * EntropyDiversity::entropy(part))
        .sum();
    (EntropyDiversity::entropy(group) - after) / std::f64::consts::LN_2
}

/// Mean over quasi-identifier sets of anonymity before minus after; 0 without sets.
pub fn privacy_loss(anonymity: &[(u64, u64)]) -> f64 {
    if anonymity.is_empty() {
        return 0.0;
    }
    anonymity
        .iter()
        .map(|&(before, after)| before as f64 - after as f64)
        .sum::<f64>()
        / anonymity.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_split_gains_all_the_entropy() {
        let all = Histogram::new(&[(0, 4), (1, 4)]);
        let parts = [Histogram::new(&[(0, 4)]), Histogram::new(&[(1, 4)])];
        let gain = information_gain(&all, &parts);
        assert!((gain - 1.0).abs() < 1e-12);
        assert!((igpl(gain, privacy_loss(&[(8, 4), (6, 4)])) - 0.25).abs() < 1e-12);
        assert!((ilpg(3.0, 2.0) - 1.0).abs() < 1e-12);
        assert!(information_gain(&Histogram::new(&[]), &[]).abs() < 1e-12);
    }
}
