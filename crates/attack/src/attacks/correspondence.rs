//! Correspondence: records that must be old or must be gone are cracked, and what is left is a newcomer's.
//!
//! The attack itself is [`crate::releases::correspondence`].

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "correspondence",
    place: 620,
    threat: Threat::AttributeLinkage,
    shape: Shape::Releases,
    summary: "records that must be old or must be gone are cracked",
    knows: "everybody's quasi-identifiers, and that nobody left between the releases",
    limits: "it applies where records were only added",
    reference: "Fung, Wang, Fu, Pei, EDBT 2008",
    gate: Gate::Never,
    run: Run::Releases(|scene| scene.corresponding()),
};
