//! REIDIT-I: an incomplete trail with one remaining owner is that person's, and the next one follows.
//!
//! # Reference
//!
//! B. Malin, "Compromising privacy with trail re-identification: the REIDIT algorithms", CMU-CALD-02-108, 2002.

use crate::catalogue::{AttackEntry, Gate, MALIN, Run, Shape, Threat};
use crate::finding::Ran;
use crate::trails::TrailScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "reidit-i",
    place: 110,
    threat: Threat::RecordLinkage,
    shape: Shape::Trails,
    summary: "incomplete trail with one remaining owner, repeatedly",
    knows: "which institutions hold data of everybody",
    limits: "it takes every owner to be present and to have one trail",
    reference: MALIN,
    gate: Gate::Plain,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    scene.named(ENTRY.name, true, "", |found| Some(&found.incomplete))
}
