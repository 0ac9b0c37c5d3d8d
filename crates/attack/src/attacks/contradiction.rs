//! Contradiction: records that show another place at a known time are discarded as well.
//!
//! # Idea
//!
//! A doublet that is published nowhere still tells the adversary where the victim was then: a record that shows another place at that
//! time is somebody else's. Where single records lost doublets that others show, a record fits when it shows the known doublet or nothing then.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::sequences::{FitAttack, FitRule, SequenceScene};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "contradiction",
    place: 410,
    threat: Threat::RecordLinkage,
    shape: Shape::Paths,
    summary: "records that show another place at a known time are discarded",
    knows: "any L doublets of everybody's source path, and that nobody is at two places at once",
    limits: "the plain bound speaks of it only where the promise is made under matching = \"consistent\"",
    reference: "ours",
    gate: Gate::Plain,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    let everywhere = scene.seen.everywhere && scene.crowd().setting.all_or_none();
    Ok(scene.fitting(&FitAttack {
        attack: ENTRY.name,
        matching: if everywhere {
            FitRule::Consistent
        } else {
            FitRule::ConsistentLocal
        },
        knows: format!(
            "{}, and discards records that contradict them",
            scene.known()
        ),
        bounded: scene.seen.consistent,
    })?)
}
