//! REIDIT-C: an anonymous trail equal to exactly one identified trail is that person's.
//!
//! # Reference
//!
//! B. Malin, "Compromising privacy with trail re-identification: the REIDIT algorithms", CMU-CALD-02-108, 2002.

use crate::catalogue::{AttackEntry, Gate, MALIN, Run, Shape, Threat};
use crate::finding::Ran;
use crate::trails::TrailScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "reidit-c",
    place: 100,
    threat: Threat::RecordLinkage,
    shape: Shape::Trails,
    summary: "anonymous trail equal to exactly one identified trail",
    knows: "which institutions hold data of everybody",
    limits: "it believes that both sides are complete; where entries are withheld it names people wrongly",
    reference: MALIN,
    gate: Gate::Named,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    scene.named(
        ENTRY.name,
        false,
        "Believes that nothing was withheld, and is wrong about others.",
        |found| Some(&found.complete),
    )
}
