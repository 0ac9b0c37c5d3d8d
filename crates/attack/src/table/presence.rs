//! Table linkage: how likely each person of a population is to be in the release at all.
//!
//! # Idea
//!
//! A class of n records that m people of the population match holds n of those m. When published values of different
//! classes overlap, a person's chance is the sum over the classes that match, at most 1. Nobody matches: absent for certain.
//!
//! # Guarantee
//!
//! Exact when the population contains everybody in the release and no person matches two classes; an upper estimate otherwise.
//!
//! # Reference
//!
//! Survey section 2.3, Example 2.8; Nergiz, Atzori, Clifton, SIGMOD 2007.

use super::linkage::Linkage;
use crate::catalogue::known;
use crate::{Coverage, Evidence};

/// Each person's probability of presence; and how many can be told to be present or absent with more than `confidence`.
pub fn presence(linkage: &Linkage, confidence: f64) -> (Vec<f64>, Evidence) {
    let mut matching = vec![0_u64; linkage.classes().len()];
    for person in 0..linkage.people() {
        for &class in linkage.matching_classes(person) {
            matching[class as usize] += 1;
        }
    }
    let chance: Vec<f64> = (0..linkage.people())
        .map(|person| {
            let classes = linkage.matching_classes(person).iter();
            let sum: f64 = classes
                .map(|&class| {
                    linkage.classes()[class as usize].len() as f64 / matching[class as usize] as f64
                })
                .sum();
            sum.min(1.0)
        })
        .collect();
    let told = chance
        .iter()
        .filter(|&&p| p > confidence || 1.0 - p > confidence)
        .count() as u64;
    let evidence = Evidence::new(
        known("presence"),
        told,
        chance.len() as u64,
        Coverage::Exhaustive,
    );
    (chance, evidence)
}
