//! Path minimality: source paths that the search would have published otherwise are ruled out.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and all distinct source paths, but not whose is whose. Each record may come
//! from every source path that would show as it does; each choice of one per record is a possible original, and the search
//! is run on all of them. Only small tables, and only suppression from all records: elsewhere the choices are too many.
//!
//! # Reference
//!
//! K. Al-Hussaeni, B. Fung, W. Cheung, "Privacy-preserving trajectory stream publishing" (ITSA), section 4.5.1.

use crate::catalogue::{AttackEntry, Gate, ITSA, Run, Shape, Threat};
use crate::finding::Ran;
use crate::minimality::ruled_out;
use crate::sequences::SequenceScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "path-minimality",
    place: 450,
    threat: Threat::AttributeLinkage,
    shape: Shape::Paths,
    summary: "raw paths that would not have been suppressed are ruled out",
    knows: "all distinct source paths, the policy and the program",
    limits: "small tables and suppression from all records only; every original counts as equally likely",
    reference: ITSA,
    gate: Gate::Named,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    ruled_out(&ENTRY, scene.originals.as_ref())
}
