//! Presence: how likely each person of a register is to be in the release at all.
//!
//! # Idea
//!
//! A class of n records that m people of the register match holds n of those m. When published values of different
//! classes overlap, a person's chance is the sum over the classes that match, at most 1. Nobody matches: absent for certain.
//!
//! # Guarantee
//!
//! Exact when the register contains everybody in the release and no person matches two classes; an upper estimate otherwise.
//!
//! # Reference
//!
//! Survey section 2.3, Example 2.8; Nergiz, Atzori, Clifton, SIGMOD 2007.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::table::{Linkage, TableScene};
use crate::{Coverage, Evidence};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "presence",
    place: 250,
    threat: Threat::TableLinkage,
    shape: Shape::Table,
    summary: "presence or absence in the release",
    knows: "the quasi-identifiers of the people of a register that holds everybody in the data",
    limits: "a register that misses people of the release makes the others look likelier to be in it",
    reference: SURVEY,
    gate: Gate::Never,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    let Some(linked) = &scene.linked else {
        return Err(Declined::because(scene.no_register));
    };
    let (_, evidence) = presence(linked.linkage, scene.wish.confidence);
    Ok(vec![Finding::new(evidence, linked.knows.clone())])
}

/// Each person's chance of being there; and how many can be told to be present or absent with at least `confidence`.
pub fn presence(linkage: &Linkage, confidence: f64) -> (Vec<f64>, Evidence) {
    let people = linkage.class_people();
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
                .map(|&class| people[class as usize] as f64 / matching[class as usize] as f64)
                .sum();
            sum.min(1.0)
        })
        .collect();
    let told = chance
        .iter()
        .filter(|&&p| p >= confidence || 1.0 - p >= confidence)
        .count() as u64;
    let evidence = Evidence::new(ENTRY.name, told, chance.len() as u64, Coverage::Exhaustive);
    (chance, evidence)
}
