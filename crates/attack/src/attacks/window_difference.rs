//! Window difference: what two overlapping windows of a stream show together finds people whom neither shows alone.
//!
//! # Reference
//!
//! Ours; the case is in Table 2 of K. Al-Hussaeni, B. Fung, W. Cheung, "Privacy-preserving trajectory stream publishing" (ITSA).

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Ran};
use crate::windows::{WindowScene, followed};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "window-difference",
    place: 460,
    threat: Threat::RecordLinkage,
    shape: Shape::Windows,
    summary: "what two overlapping windows show together",
    knows: "any L doublets that two windows in a row show of everybody, and both windows",
    limits: "people are followed by what both windows show of them; where that leaves several ways, one is taken",
    reference: "ours",
    gate: Gate::Named,
    run: Run::Windows(run),
};

fn run(scene: &WindowScene<'_>) -> Ran {
    let Some(before) = scene.before else {
        return Err(Declined::because("no window was published before it"));
    };
    let people = followed(before, scene.window);
    let shown = "two windows in a row show";
    scene.found(
        &ENTRY,
        &people,
        shown,
        "the two windows show no doublet of the same people",
    )
}
