//! Forced matching: pairs that stand in every assignment of distinct owners.
//!
//! # Reference
//!
//! Beyond Malin 2002; J.-C. Regin, "A filtering algorithm for constraints of difference", AAAI 1994.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::trails::TrailScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "forced",
    place: 130,
    threat: Threat::RecordLinkage,
    shape: Shape::Trails,
    summary: "pairs in every assignment of distinct owners",
    knows: "which institutions hold data of everybody",
    limits: "it takes every owner to be present and to have one trail, and then finds everything that follows",
    reference: "beyond Malin 2002; Regin, AAAI 1994",
    gate: Gate::Plain,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    scene.named(ENTRY.name, true, "", |found| found.forced.as_ref())
}
