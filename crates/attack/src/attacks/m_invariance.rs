//! m-invariance: groups of one person with different sensitive values over time rule values out.
//!
//! The attack itself is [`crate::releases::intersection`].

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "m-invariance",
    place: 630,
    threat: Threat::AttributeLinkage,
    shape: Shape::Releases,
    summary: "groups of one person with different sensitive values over time",
    knows: "everybody's quasi-identifiers, and in which releases they are",
    limits: "it counts whose groups differ, whether or not that rules enough values out",
    reference: "Xiao and Tao, SIGMOD 2007",
    gate: Gate::Never,
    run: Run::Releases(|scene| scene.varied()),
};
