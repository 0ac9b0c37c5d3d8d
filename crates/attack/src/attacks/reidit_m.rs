//! REIDIT-M: an incomplete trail with exactly one possible owner is that person's, who may have several.
//!
//! # Reference
//!
//! B. Malin, "Compromising privacy with trail re-identification: the REIDIT algorithms", CMU-CALD-02-108, 2002.

use crate::catalogue::{AttackEntry, Gate, MALIN, Run, Shape, Threat};
use crate::finding::Ran;
use crate::trails::TrailScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "reidit-m",
    place: 120,
    threat: Threat::RecordLinkage,
    shape: Shape::Trails,
    summary: "incomplete trail with exactly one owner, owners may be shared",
    knows: "which institutions hold data of everybody",
    limits: "it takes every owner to be present",
    reference: MALIN,
    gate: Gate::Plain,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    scene.named(ENTRY.name, true, "", |found| Some(&found.multiple))
}
