//! Window doublets: whoever knows any L doublets that a window shows of somebody looks for the records that show them.
//!
//! # Idea
//!
//! The promise of a stream speaks of exactly this adversary, so that the attack checks the judge by other means: it looks for people,
//! where the judge counts groups.
//!
//! # Reference
//!
//! K. Al-Hussaeni, B. Fung, W. Cheung, "Privacy-preserving trajectory stream publishing", Data & Knowledge Engineering 94, 2014.

use crate::catalogue::{AttackEntry, Gate, ITSA, Run, Shape, Threat};
use crate::finding::Ran;
use crate::windows::WindowScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "window-doublets",
    place: 455,
    threat: Threat::RecordLinkage,
    shape: Shape::Windows,
    summary: "any L doublets that a window shows",
    knows: "any L doublets that a window shows of everybody",
    limits: "people who show nothing are not counted; its rate is the mean chance with the worst L doublets of each person",
    reference: ITSA,
    gate: Gate::Plain,
    run: Run::Windows(run),
};

fn run(scene: &WindowScene<'_>) -> Ran {
    scene.found(
        &ENTRY,
        scene.window,
        "the window shows",
        "the window shows nobody's path",
    )
}
