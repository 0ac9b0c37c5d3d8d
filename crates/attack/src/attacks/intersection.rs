//! Intersection: a person's sensitive value is among those of the person's group in every release.
//!
//! The attack itself is [`crate::releases::intersection`].

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "intersection",
    place: 610,
    threat: Threat::AttributeLinkage,
    shape: Shape::Releases,
    summary: "sensitive values common to the victim's groups in all releases",
    knows: "everybody's quasi-identifiers, and in which releases they are",
    limits: "it takes sensitive values not to change from release to release",
    reference: SURVEY,
    gate: Gate::Never,
    run: Run::Releases(|scene| scene.intersected()),
};
