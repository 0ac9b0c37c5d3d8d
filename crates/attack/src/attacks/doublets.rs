//! Doublets: whoever knows any L doublets of the victim's source path looks for the records that show them.
//!
//! # Reference
//!
//! N. Mohammed, B. Fung, M. Debbabi, "Walking in the crowd: anonymizing trajectory data for pattern analysis", CIKM 2009 (LKC-privacy).
//!
//! # Cost
//!
//! See [`crate::sequences::doublets`].

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::sequences::{FitAttack, FitRule, SequenceScene};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "doublets",
    place: 400,
    threat: Threat::RecordLinkage,
    shape: Shape::Paths,
    summary: "any L doublets of the victim's path",
    knows: "any L doublets of everybody's source path, and the quasi-identifiers",
    limits: "its rate is the mean chance with the worst L doublets of each person; who also discards contradictions does better (see contradiction)",
    reference: "Fung et al., LKC-privacy",
    gate: Gate::Plain,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    Ok(scene.fitting(&FitAttack {
        attack: ENTRY.name,
        matching: FitRule::Covers,
        knows: scene.known(),
        bounded: true,
    })?)
}
