//! Join: two releases of one table, each safe, are joined on what they share.
//!
//! The attack itself is [`crate::releases::join`].

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "join",
    place: 600,
    threat: Threat::RecordLinkage,
    shape: Shape::Releases,
    summary: "two releases joined on what they share",
    knows: "everybody's quasi-identifiers in both releases",
    limits: "groups are counted, not people; a lossy join works against the adversary",
    reference: SURVEY,
    gate: Gate::Never,
    run: Run::Releases(|scene| scene.joined()),
};
