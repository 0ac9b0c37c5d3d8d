//! Stayer correspondence: what two releases leave of the records that could be somebody's who is in both.
//!
//! The attack itself is [`crate::releases::correspondence::stayed`].

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "stayer-correspondence",
    place: 625,
    threat: Threat::AttributeLinkage,
    shape: Shape::Releases,
    summary: "records that cannot be in both groups of somebody who is in both releases are cracked",
    knows: "everybody's quasi-identifiers, and that nobody left between the releases",
    limits: "it applies where records were only added; forward and cross attack leave as many records, and are one here",
    reference: "Fung, Wang, Fu, Pei, EDBT 2008 (F-attack and C-attack)",
    gate: Gate::Never,
    run: Run::Releases(|scene| scene.corresponding_stayers()),
};
