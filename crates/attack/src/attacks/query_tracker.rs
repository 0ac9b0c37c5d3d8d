//! Query tracker: a question that is refused is padded until it is answered, and the padding is taken off.
//!
//! The attack itself is [`crate::queries`].

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, the entry of any"
)]
pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "query-tracker",
    place: 710,
    threat: Threat::AttributeLinkage,
    shape: Shape::Queries,
    summary: "a refused query padded by a tracker",
    knows: "which values everybody has in the known columns",
    limits: "it pads with single codes; a cleverer tracker may learn more; every record counts as a person",
    reference: "Denning, Denning, Schwartz, TODS 4(1), 1979",
    gate: Gate::Never,
    run: Run::Queries(|scene| scene.tracked()),
};
