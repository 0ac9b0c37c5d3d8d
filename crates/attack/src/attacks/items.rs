//! Items: whoever knows any m items of the victim's set looks for the records that have them, and for the sensitive items that follow.
//!
//! # Reference
//!
//! M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008; Y. Xu, K. Wang, A. Fu, P. Yu, KDD 2008.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::sequences::{FitAttack, FitRule, SequenceScene};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "items",
    place: 500,
    threat: Threat::RecordLinkage,
    shape: Shape::Transactions,
    summary: "any m items of the victim's set, and the sensitive items that follow",
    knows: "any m items of everybody's source set, sensitive ones apart",
    limits: "its rate is the mean chance with the worst m items of each person; that an item is missing from a set is not used",
    reference: "Terrovitis, Mamoulis, Kalnis, VLDB 2008; Xu, Wang, Fu, Yu, KDD 2008",
    gate: Gate::Plain,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    Ok(scene.fitting(&FitAttack {
        attack: ENTRY.name,
        matching: FitRule::Covers,
        knows: format!(
            "any {} items of everybody's source set, sensitive ones apart",
            scene.seen.known
        ),
        bounded: true,
    })?)
}
