//! Query difference: two answers whose people differ by one person tell that person's number.
//!
//! The attack itself is [`crate::queries`].

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "query-difference",
    place: 700,
    threat: Threat::AttributeLinkage,
    shape: Shape::Queries,
    summary: "two answers whose difference is one person",
    knows: "which values everybody has in the known columns, and who came between two states of the table",
    limits: "it asks about people whose known values nobody else who came shares",
    reference: SURVEY,
    gate: Gate::Never,
    run: Run::Queries(|scene| scene.differing()),
};
